package prompt

import (
	"strings"
	"unicode"

	"reckon/engine"
)

// Detect resolves automatic: the prompt parses as JSON: JSON; it starts with "{" and does not
// parse: ErrInvalidJSON; every significant line is an entry or a row and at least one name is
// reserved or known in the domain: Structured; else NaturalLanguage.
func Detect(d *engine.Domain, text string) (string, error) {
	if ValidJSON(text) {
		return JSON, nil
	}
	if strings.HasPrefix(strings.TrimLeftFunc(strings.TrimPrefix(text, byteOrderMark), unicode.IsSpace), "{") {
		return "", ErrInvalidJSON
	}
	if isStructured(d, text) {
		return Structured, nil
	}
	return NaturalLanguage, nil
}

func isStructured(d *engine.Domain, text string) bool {
	names := map[string]bool{}
	readable, reserved := true, false
	lines(text, func(l line) bool {
		readable = l.kind != unknown
		if l.isVariable() {
			names[l.name] = true
		}
		reserved = reserved || l.reserved(calculateName) || l.reserved(scenarioName)
		return readable
	})
	if !readable || reserved {
		return readable
	}
	// Only names spelt like a key or title are looked up, since every prompt comes by here, however
	// many names it has.
	spellings := map[string]bool{}
	for i := range d.Variables {
		spellings[fold(d.Variables[i].Key)] = true
		spellings[fold(d.Variables[i].Title)] = true
	}
	for name := range names {
		if !spellings[fold(name)] {
			continue
		}
		if variable, problem := d.NamedVariable(name); variable >= 0 || problem != nil {
			return true
		}
	}
	return false
}
