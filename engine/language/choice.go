package language

import (
	"slices"
	"strconv"
	"strings"

	"reckon/engine"
	"reckon/engine/value"
)

// maxChoices is how many readings a doubt offers.
const maxChoices = 5

// choose is the doubt between readings of a prompt, which it offers as numbered choices.
func (s *search) choose(readings []combination) *value.Error {
	var texts []string
	s.offered = nil
	for i := range readings {
		if text := s.describe(&readings[i]); len(texts) < maxChoices && !slices.Contains(texts, text) {
			texts, s.offered = append(texts, text), append(s.offered, readings[i])
		}
	}
	return ambiguous(s.vocabulary.tables.numbered(texts))
}

// numbered lists choices with their numbers.
func (t *tables) numbered(texts []string) string {
	var parts []string
	for i, text := range texts {
		parts = append(parts, "("+strconv.Itoa(i+1)+") "+text)
	}
	return t.oneOf(parts)
}

// choices are the requests that the readings offered by a doubt come to, nil where one of them
// comes to none.
func (s *search) choices(selector engine.Selector) (list []engine.Request) {
	for i := range s.offered {
		r := engine.Request{Selector: selector}
		if err := s.complete(&s.offered[i], &r); err != nil {
			return nil
		}
		list = append(list, r)
	}
	return list
}

// settled is the choice that a prompt names among those of the doubt before it, by a number, an
// ordinal, the name of a variable or a unit alone; -1 where it does not.
func (v *Vocabulary) settled(tokens []token, choices []engine.Request) int {
	end := len(tokens)
	for end > 0 && tokens[end-1].kind == mark {
		end--
	}
	if len(choices) == 0 || end == 0 {
		return -1
	}
	for _, r := range v.tables.patterns("choices") {
		if n, which := r.pattern.match(tokens, nil, 0); n == end {
			if which == lastScenario {
				return len(choices) - 1
			}
			if index, err := strconv.Atoi(which); err == nil && index >= 1 && index <= len(choices) {
				return index - 1
			}
		}
	}
	from := 0
	for from < end-1 && tokens[from].is("grammar") {
		from++
	}
	if unit, n := v.tables.scanUnit(tokens, from, v.domain.Units()); n > 0 && from+n == end {
		return only(choices, func(r engine.Request) bool {
			return slices.ContainsFunc(r.Inputs, func(in engine.Given) bool {
				q, single := in.Value.Single()
				return single && q.Unit != nil && q.Unit.Symbol() == unit.Symbol()
			})
		})
	}
	var named []int
	for i := range v.terms {
		if slices.ContainsFunc(v.terms[i].names, func(n name) bool { return spokenAs(tokens[from:end], n.spoken) }) {
			named = append(named, i)
		}
	}
	if len(named) != 1 {
		return -1
	}
	asks := only(choices, func(r engine.Request) bool {
		return slices.ContainsFunc(r.Targets, func(t engine.Target) bool { return t.Variable == named[0] })
	})
	if asks >= 0 {
		return asks
	}
	return only(choices, func(r engine.Request) bool {
		return slices.ContainsFunc(r.Inputs, func(in engine.Given) bool { return in.Variable == named[0] })
	})
}

// only is the one choice that fits, -1 where none does or several do.
func only(choices []engine.Request, fits func(engine.Request) bool) int {
	at := slices.IndexFunc(choices, fits)
	if at < 0 || slices.ContainsFunc(choices[at+1:], fits) {
		return -1
	}
	return at
}

// spokenAs reports whether tokens are a name and nothing else.
func spokenAs(tokens []token, spoken []string) bool {
	return len(spoken) > 0 && slices.EqualFunc(tokens, spoken, func(t token, stem string) bool { return t.stem == stem || strings.EqualFold(t.text, stem) })
}
