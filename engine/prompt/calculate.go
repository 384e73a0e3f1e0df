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

// maxCalculate is the longest calculate line, in bytes, that is searched for a name and a unit.
const maxCalculate = 1000

// readCalculate reads a calculate line: a name, or a name and a unit.
func readCalculate(r *reader, l line) {
	if !r.first() {
		return
	}
	switch text := l.value; {
	case text == "":
		r.fail(r.domain.MissingCalculate(r.request.Inputs))
	case len(text) > maxCalculate:
		r.fail(value.Problem("input.invalid_structured_text", strconv.Itoa(l.number), input.Quoted(l.source)))
	default:
		variable, unit, problem := findTarget(r.domain, text)
		if problem != nil {
			r.fail(problem)
			return
		}
		r.target(variable, unit)
	}
}

// findTarget reads "KEY" and "KEY in UNIT". The whole text is tried as a name first, then split at
// its last separator, or at the last one with a known name in front of it. A quoted name leaves
// only one reading.
func findTarget(d *engine.Domain, text string) (variable int, unit string, problem *value.Error) {
	if name, rest, ok := cutQuoted(text); ok {
		unit, ok := cutSeparator(rest)
		if ok || rest == "" {
			variable, problem := d.FindVariable(name)
			return variable, unit, problem
		}
	}
	if variable, problem = d.NamedVariable(text); variable >= 0 || problem != nil {
		return variable, "", problem
	}
	all := separations(text)
	for _, s := range all {
		if variable, problem = d.NamedVariable(s.name); variable >= 0 || problem != nil {
			return variable, s.unit, problem
		}
	}
	unknown := text
	if len(all) > 0 {
		unknown = all[0].name
	}
	variable, problem = d.FindVariable(unknown)
	return variable, "", problem
}

// separation is one way to split "KEY in UNIT".
type separation struct{ name, unit string }

// separations are the ways to split a text at a separator, the last separator first.
func separations(text string) []separation {
	var all []separation
	for i := len(text) - 1; i > 0; i-- {
		unit, ok := cutSeparator(text[i:])
		name := strings.TrimRightFunc(text[:i], unicode.IsSpace)
		if ok && len(name) == i {
			all = append(all, separation{name, unit})
		}
	}
	return all
}

// cutSeparator gives the unit behind a separator that the text starts with: in, to or as, in any
// case and with white space on both sides, or "->".
func cutSeparator(text string) (unit string, ok bool) {
	rest := strings.TrimSpace(text)
	if unit, ok = strings.CutPrefix(rest, "->"); ok {
		unit = strings.TrimSpace(unit)
		return unit, unit != ""
	}
	if first, _ := utf8.DecodeRuneInString(text); !unicode.IsSpace(first) || len(rest) < 3 {
		return "", false
	}
	word, unit := rest[:2], rest[2:]
	if second, _ := utf8.DecodeRuneInString(unit); !unicode.IsSpace(second) {
		return "", false
	}
	switch strings.ToLower(word) {
	case "in", "to", "as":
		return strings.TrimSpace(unit), true
	}
	return "", false
}
