package prompt

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"reckon/engine"
	"reckon/engine/input"
	"reckon/engine/value"
)

const byteOrderMark = "\uFEFF"

// Names of entries that are no variables, in any case.
const (
	calculateName = "calculate"
	scenarioName  = "scenario"
)

// line is one line of structured text, told apart by its form alone.
type line struct {
	kind   lineKind
	number int    // starting at 1
	source string // without white space around it
	name   string // of an entry, without quotes
	quoted bool
	value  string     // of an entry, without its comment
	row    []string   // cells of a row
	rows   [][]string // of an entry with an empty value: the rows that belong to it
}

type lineKind int

const (
	insignificant lineKind = iota // blank or a comment
	entry                         // name ":" [ value ]
	row                           // "|" cell …
	unknown
)

// reserved is true of an entry with this name that is no variable.
func (l *line) reserved(name string) bool {
	return l.kind == entry && !l.quoted && strings.EqualFold(l.name, name)
}

// isVariable is true of an entry that names a variable, known or not.
func (l *line) isVariable() bool {
	return l.kind == entry && !l.reserved(calculateName) && !l.reserved(scenarioName)
}

// lines calls visit for each significant line until it returns false.
func lines(text string, visit func(l line) bool) {
	number := 0
	for source := range strings.SplitSeq(strings.TrimPrefix(text, byteOrderMark), "\n") {
		number++
		l := scanLine(source)
		l.number = number
		if l.kind != insignificant && !visit(l) {
			return
		}
	}
}

func scanLine(source string) line {
	source = strings.TrimSpace(source)
	l := line{source: source}
	switch {
	case source == "" || source[0] == '#':
		return l
	case source[0] == '|':
		l.kind = row
		l.row = splitRow(withoutComment(source))
		return l
	}
	name, value, ok := "", "", false
	if inner, rest, closed := cutQuoted(source); closed {
		value, ok = strings.CutPrefix(strings.TrimSpace(rest), ":")
		name, l.quoted = inner, ok
	}
	if !ok {
		name, value, ok = strings.Cut(source, ":")
	}
	name = strings.TrimSpace(name)
	if !ok || name == "" {
		l.kind = unknown
		return l
	}
	l.kind = entry
	l.name = name
	l.value = strings.TrimSpace(withoutComment(value))
	return l
}

// cutQuoted splits text that starts with a closed pair of double quotes into what is inside and
// what is behind.
func cutQuoted(text string) (inner, rest string, ok bool) {
	if !strings.HasPrefix(text, `"`) {
		return "", text, false
	}
	return strings.Cut(text[1:], `"`)
}

// withoutComment cuts "#" and what is behind it, where white space is in front of it.
func withoutComment(text string) string {
	spaced := false
	quotes := quoteScanner{text: text}
	for i := 0; i < len(text); {
		if text[i] == '#' && spaced {
			return text[:i]
		}
		if next := quotes.skip(i); next > i {
			i, spaced = next, false
			continue
		}
		c, size := utf8.DecodeRuneInString(text[i:])
		spaced = unicode.IsSpace(c)
		i += size
	}
	return text
}

// quoteScanner finds the quoted names and cells of a text as it is walked through from left to
// right.
type quoteScanner struct {
	text  string
	inner bool // something other than white space is in front of this place in the same cell
}

// skip gives the position behind a quoted name or cell that starts at i, else i.
func (q *quoteScanner) skip(i int) int {
	switch c := q.text[i]; c {
	case '|', '[', ',':
		q.inner = false
	case ' ', '\t':
	case '"':
		if !q.inner {
			if length := strings.IndexByte(q.text[i+1:], '"'); length >= 0 {
				q.inner = true
				return i + length + 2
			}
		}
		q.inner = true
	default:
		q.inner = true
	}
	return i
}

// statements are the significant lines, rows gathered under their entries. A row without one stays
// a line of its own.
func statements(text string) []line {
	all := make([]line, 0, min(1+strings.Count(text, "\n"), 16))
	open := -1
	lines(text, func(l line) bool {
		if l.kind == row && open >= 0 {
			all[open].rows = append(all[open].rows, l.row)
			return true
		}
		if l.isVariable() && l.value == "" {
			open = len(all)
		}
		all = append(all, l)
		return true
	})
	return all
}

// ParseStructured reads structured text (CONTRACT.md section 2). All problems of the input are
// reported at once, in prompt order, at most 20; the request is empty then.
func ParseStructured(d *engine.Domain, text string, env value.Env) (engine.Request, []value.Error) {
	all := statements(text)
	inputs := 0
	for _, l := range all {
		if asked, _ := cutQuestion(l.value); l.isVariable() && !asked {
			inputs++
		}
	}
	r := newReader(d, env, inputs)
	selected := false
	for _, l := range all {
		if r.full() {
			break
		}
		switch {
		case l.isVariable():
			readVariable(r, l)
		case l.reserved(calculateName):
			readCalculate(r, l)
		case l.reserved(scenarioName) && !selected:
			selected = true
			r.selector(l.value)
		default:
			r.fail(value.Problem("input.invalid_structured_text", strconv.Itoa(l.number), input.Quoted(l.source)))
		}
	}
	return r.finish()
}

// readVariable reads an entry with the name of a variable: a value, a table, "?" or nothing.
func readVariable(r *reader, l line) {
	asked, unit := cutQuestion(l.value)
	if !asked && !r.count() {
		return
	}
	if asked && !r.ask() {
		return
	}
	variable, problem := r.domain.FindVariable(l.name)
	if problem != nil {
		if asked && !l.quoted && isEverything(l.name, problem) {
			if unit == "" {
				r.everything()
			} else {
				r.fail(everythingIn(l.name + " in " + unit))
			}
			return
		}
		r.fail(problem)
		return
	}
	if asked {
		r.target(variable, unit)
		return
	}
	if !r.once(variable) {
		return
	}
	text, problems := valueText(&r.domain.Variables[variable], l)
	if len(problems) > 0 {
		r.problems = append(r.problems, problems...)
		return
	}
	r.input(variable, text)
}

// valueText is the value of an entry as text: a table inline or in rows, else one string.
func valueText(v *value.Variable, l line) (value.Text, []value.Error) {
	switch {
	case l.rows != nil:
		return rowsTable(v, l.rows)
	case strings.HasPrefix(l.value, "["):
		return InlineTable(v.Key, l.value)
	}
	return value.Scalar(l.value), nil
}

// cutQuestion recognises "?", alone or with a unit behind a separator.
func cutQuestion(value string) (asked bool, unit string) {
	rest, asked := strings.CutPrefix(value, "?")
	if !asked || rest == "" {
		return asked, ""
	}
	unit, asked = cutSeparator(rest)
	return asked, unit
}
