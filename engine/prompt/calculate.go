package prompt

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"reckon/engine"
	"reckon/engine/input"
	"reckon/engine/value"
)

// maxCalculate is the longest part of a calculate line, in bytes, that is searched for a name and a
// unit.
const maxCalculate = 1000

// readCalculate reads a calculate line: a name, or a name and a unit, or several of these with
// commas between them.
func readCalculate(r *reader, l line) {
	if l.value == "" {
		r.fail(r.domain.MissingCalculate(r.request.Inputs))
		return
	}
	for text, rest, more := "", l.value, true; more && !r.full(); {
		text, rest, more = cutTarget(r.domain, rest)
		if !r.ask() {
			return
		}
		if text == "" {
			r.fail(r.domain.MissingCalculate(r.request.Inputs))
			continue
		}
		if len(text) > maxCalculate {
			r.fail(value.Problem("input.invalid_structured_text", strconv.Itoa(l.number), input.Quoted(l.source)))
			return
		}
		variable, unit, problem := findTarget(r.domain, text)
		switch {
		case problem == nil:
			r.target(variable, unit)
		case isEverything(text, problem):
			r.everything()
		case text[0] != '"' && isEverything(unknownName(problem), problem):
			r.fail(everythingIn(text))
		default:
			r.fail(problem)
		}
	}
}

// unknownName is the name that no variable has, "" where that is not the problem.
func unknownName(problem *value.Error) string {
	if problem.Code != "input.unknown_variable" {
		return ""
	}
	return problem.Args[0]
}

// everythingIn is the problem of everything asked for in a unit.
func everythingIn(text string) *value.Error {
	return value.Problem("input.invalid_value", calculateName, input.Quoted(text), "what follows has several units, so ask for one variable in a unit")
}

// isEverything reports whether a name that no variable has asks for everything.
func isEverything(name string, problem *value.Error) bool {
	return problem.Code == "input.unknown_variable" && strings.EqualFold(strings.TrimSpace(name), engine.Everything)
}

// cutTarget cuts the first of several targets off, and says whether a comma was behind it. A comma
// in the title of a variable separates nothing, nor does one in quotes.
func cutTarget(d *engine.Domain, text string) (first, rest string, more bool) {
	titled := 0
	for i := range d.Variables {
		titled = max(titled, strings.Count(d.Variables[i].Title, ","))
	}
	from := 0
	if inner, _, ok := cutQuoted(text); ok {
		from = len(inner) + 2
	}
	var ends []int
	for len(ends) <= titled {
		at := strings.IndexByte(text[from:], ',')
		if at < 0 {
			ends = append(ends, len(text))
			break
		}
		ends = append(ends, from+at)
		from += at + 1
	}
	for i, end := range slices.Backward(ends) {
		first, more = strings.TrimSpace(text[:end]), end < len(text)
		if more {
			rest = strings.TrimSpace(text[end+1:])
		}
		if i == 0 || len(first) <= maxCalculate && isTarget(d, first) {
			break
		}
	}
	return first, rest, more
}

func isTarget(d *engine.Domain, text string) bool {
	_, _, problem := findTarget(d, text)
	return problem == nil
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
