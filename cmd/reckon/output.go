package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// printJSON writes v for programs.
func printJSON(t terminal, v any) error { return encode(t.out, v, "", "  ") }

// printError says for programs why a command failed, on standard error, so that standard output has
// what was asked for alone.
func printError(t terminal, err error) error {
	var failed struct {
		Error struct {
			Code    *string `json:"code"` // of what an interface of administration refuses, else null
			Message string  `json:"message"`
		} `json:"error"`
	}
	failed.Error.Message = err.Error()
	if r := (*refusal)(nil); errors.As(err, &r) {
		failed.Error.Code = &r.code
	}
	return encode(unnoted(t.err), failed, "", "")
}

// notes writes what a command says beside what was asked for as programs read it, a line of JSON
// for each line.
type notes struct{ to io.Writer }

func (n notes) Write(text []byte) (int, error) {
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if err := encode(n.to, map[string]string{"note": line}, "", ""); err != nil {
			return 0, err
		}
	}
	return len(text), nil
}

// unnoted is a writer that writes lines of JSON as they are.
func unnoted(w io.Writer) io.Writer {
	if n, ok := w.(notes); ok {
		return n.to
	}
	return w
}

// tell says something beside what was asked for, which show writes for people, on standard error.
func (t terminal) tell(name string, v any, show func(io.Writer)) {
	if n, programs := t.err.(notes); programs {
		_ = encode(n.to, map[string]any{name: v}, "", "")
		return
	}
	show(t.err)
}

// encode writes v as JSON; without an indent on one line.
func encode(to io.Writer, v any, prefix, indent string) error {
	e := json.NewEncoder(to)
	e.SetEscapeHTML(false)
	e.SetIndent(prefix, indent)
	return e.Encode(v)
}

// visible writes what a command prints, some of which callers and authors have sent: what would
// steer a terminal, or turn the order of letters, stands there as \u001b, as it may in JSON.
type visible struct{ to io.Writer }

func (v visible) Write(text []byte) (int, error) {
	if _, err := v.to.Write(escaped(text, steersText)); err != nil {
		return 0, err
	}
	return len(text), nil
}

// raw is a writer that writes bytes as they are.
func raw(w io.Writer) io.Writer {
	w = unnoted(w)
	if v, ok := w.(visible); ok {
		return v.to
	}
	return w
}

// steers is true of what moves the cursor of a terminal or turns the order of letters.
func steers(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }

// steersText is steers for text of several lines.
func steersText(r rune) bool { return r != '\n' && r != '\t' && steers(r) }

// escaped is a text in which certain characters stand as \u001b.
func escaped(text []byte, which func(rune) bool) []byte {
	at := bytes.IndexFunc(text, which)
	if at < 0 {
		return text
	}
	shown := append(make([]byte, 0, len(text)+16), text[:at]...)
	for rest := text[at:]; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		if which(r) {
			shown = fmt.Appendf(shown, `\u%04x`, r)
		} else {
			shown = append(shown, rest[:size]...)
		}
		rest = rest[size:]
	}
	return shown
}

// inLine is a title or a name within a line, which it cannot end: one may be older than the rule
// that it has no line breaks.
func inLine(text string) string { return string(escaped([]byte(text), steers)) }

// table is rows of text in aligned columns.
type table struct{ rows [][]string }

func newTable(headings ...string) *table {
	t := &table{}
	t.add(headings...)
	return t
}

func (t *table) add(cells ...string) {
	for i := range cells {
		cells[i] = inLine(cells[i])
	}
	for len(cells) > 0 && cells[len(cells)-1] == "" {
		cells = cells[:len(cells)-1]
	}
	t.rows = append(t.rows, cells)
}

// print writes the table, or what to do when it is empty.
func (t *table) print(to terminal, empty string) error {
	if len(t.rows) == 1 {
		_, err := fmt.Fprintln(to.out, empty)
		return err
	}
	var text strings.Builder
	widths := t.widths()
	for i, row := range t.rows {
		for j, cell := range row {
			text.WriteString(cell)
			if j < len(row)-1 {
				text.WriteString(strings.Repeat(" ", widths[i][j]+2-columns(cell)))
			}
		}
		text.WriteByte('\n')
	}
	_, err := io.WriteString(to.out, text.String())
	return err
}

// widths are those of the cells. Rows that follow one another share that of a column, except for
// their last cells: what stands alone in a row takes no room of the others.
func (t *table) widths() [][]int {
	widths := make([][]int, len(t.rows))
	for i, row := range t.rows {
		widths[i] = make([]int, len(row))
		for j := range max(0, len(row)-1) {
			widths[i][j] = columns(row[j])
			if i > 0 && len(t.rows[i-1]) > j+1 {
				widths[i][j] = max(widths[i][j], widths[i-1][j])
			}
		}
	}
	for i := len(t.rows) - 2; i >= 0; i-- {
		for j := range max(0, len(t.rows[i])-1) {
			if len(t.rows[i+1]) > j+1 {
				widths[i][j] = max(widths[i][j], widths[i+1][j])
			}
		}
	}
	return widths
}

// quoted is a word as a shell reads it.
func quoted(word string) string {
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:/,@", r)
	}) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// oneLine is a text without line breaks, cut behind a number of columns.
func oneLine(text string, length int) string {
	text = strings.Join(strings.Fields(text), " ")
	if columns(text) > length {
		return beginning(text, length) + "…"
	}
	return text
}

// stamp is a time to the second. parseTime reads it.
func stamp(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05 UTC") }

// count is a number of things.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// grouped writes a count in groups of three digits.
func grouped(n uint64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}
