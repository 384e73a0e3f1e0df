package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
	"unicode/utf8"
)

// printJSON writes v for programs.
func printJSON(t terminal, v any) error { return encode(t.out, v, "", "  ") }

// encode writes v as JSON; without an indent on one line.
func encode(to io.Writer, v any, prefix, indent string) error {
	e := json.NewEncoder(to)
	e.SetEscapeHTML(false)
	e.SetIndent(prefix, indent)
	return e.Encode(v)
}

// visible writes text that callers have sent, or JSON, for people: what would steer a terminal, or
// turn the order of letters, stands there as \u001b, as it may in JSON.
type visible struct{ to io.Writer }

func (v visible) Write(text []byte) (int, error) {
	shown := make([]byte, 0, len(text))
	for rest := text; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
			shown = fmt.Appendf(shown, `\u%04x`, r)
		} else {
			shown = append(shown, rest[:size]...)
		}
		rest = rest[size:]
	}
	if _, err := v.to.Write(shown); err != nil {
		return 0, err
	}
	return len(text), nil
}

// table is rows of text in aligned columns.
type table struct{ rows []string }

func newTable(headings ...string) *table {
	t := &table{}
	t.add(headings...)
	return t
}

func (t *table) add(cells ...string) {
	t.rows = append(t.rows, strings.TrimRight(strings.Join(cells, "\t"), "\t"))
}

// print writes the table, or what to do when it is empty.
func (t *table) print(to terminal, empty string) error {
	if len(t.rows) == 1 {
		_, err := fmt.Fprintln(to.out, empty)
		return err
	}
	w := tabwriter.NewWriter(to.out, 0, 0, 2, ' ', 0)
	for _, row := range t.rows {
		fmt.Fprintln(w, row)
	}
	return w.Flush()
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

// oneLine is a text without line breaks, cut behind a number of characters.
func oneLine(text string, length int) string {
	text = strings.Join(strings.Fields(text), " ")
	if short := []rune(text); len(short) > length {
		return string(short[:length]) + "…"
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
