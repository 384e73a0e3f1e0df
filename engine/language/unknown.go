package language

import (
	"slices"

	"reckon/engine/units"
)

// unknownNoun is what a question asks for where nothing in the domain, nor any table, knows the
// word: "how much hay".
func (s *search) unknownNoun(best *combination) string {
	p := s.prose
	names := func(q question) bool {
		return slices.ContainsFunc(p.mentions, func(m mention) bool {
			return m.variable == best.target && m.weight >= s.weights.LeastWord && m.from >= q.to && m.to <= q.end
		})
	}
	for i, q := range p.questions {
		if i > 0 && q.want == wantAny && names(q) {
			for k := range i { // "how many coaches, and what is the cost?"
				if label := p.countedLabel(&p.questions[k]); label != "" {
					return label
				}
			}
			return "" // asked plainly by a later question
		}
	}
	for _, q := range p.questions {
		if word := s.unknownHead(&q, best); word != "" {
			return word
		}
		if word := s.stranger(q.to, q.end); q.costs(p) && word != "" {
			return word
		}
	}
	for _, q := range p.questions {
		direct := q.to
		for direct < q.end && p.tokens[direct].is("of the") {
			direct++
		}
		if direct < q.end && q.unit == nil && (q.want == wantCount || p.tokens[q.to-1].is("much")) {
			if word := s.stranger(direct, direct+1); word != "" {
				return word // "how much hay": whatever else is said
			}
			counts := question{to: direct, end: p.phrase(direct, q.end)}
			if (p.known[direct] == asSynonym || p.known[direct] == asDescription) && s.nameless(direct) && !names(counts) {
				return quoted(p.tokens[direct].text) // "how much electricity", which nothing here is called by
			}
		}
		if q.unit != nil || names(q) {
			continue
		}
		if q.want == wantAny || q.want == wantCount || q.costs(p) {
			if word := s.stranger(q.to, q.end); word != "" {
				return word
			}
		}
	}
	return ""
}

// unknownHead is the noun that a question counts where it is not that of the target, though the
// word before it may be: "how many tour guides", or where the target is no number of it: "how many
// trainers", who are what is paid for.
func (s *search) unknownHead(q *question, best *combination) string {
	p := s.prose
	if q.want != wantCount || q.unit != nil {
		return ""
	}
	if label := p.countedLabel(q); label != "" {
		return label
	}
	end := p.phrase(q.to, q.end)
	head := end - 1
	if head < q.to || !p.tables.plural(&p.tokens[head]) || best.target < 0 {
		return ""
	}
	t := &s.vocabulary.terms[best.target]
	for at := q.to; at < end; at++ {
		if unit, n := p.tables.scanUnit(p.tokens, at, s.vocabulary.domain.Units()); n > 0 && t.dimensional && unit.Dimension() == t.dimension {
			return "" // "how many days", which are a variable as well, "how many loose cubic metres"
		}
	}
	named := func(from int, least float64, variables ...int) bool {
		return slices.ContainsFunc(p.mentions, func(m mention) bool {
			return m.from < end && from < m.to && m.weight >= least && (variables == nil || slices.Contains(variables, m.variable))
		})
	}
	asked := append([]int{best.target}, best.together...)
	switch {
	case !named(q.to, s.weights.LeastWord, asked...), t.money(), t.measured() && !named(head, s.weights.ExactName, asked...):
		return quoted(p.fragment(q.to, end))
	case !named(head, s.weights.LeastWord):
		return quoted(p.tokens[head].text)
	}
	return ""
}

// countedLabel is the choice by its label that a question counts, "how many colours", of which one
// is chosen; "" for none.
func (p *prose) countedLabel(q *question) string {
	at := q.to
	if q.want != wantCount || q.unit != nil || at >= len(p.tokens) || p.within[at] < 0 {
		return ""
	}
	label := &p.quantities[p.within[at]]
	if label.from != at || !label.labels() || !p.tables.plural(&p.tokens[label.to-1]) || label.to < len(p.tokens) && p.meaning[label.to] == content {
		return ""
	}
	return quoted(p.fragment(label.from, label.to))
}

// phrase is where the words with a meaning that start at a token end, at the latest at another one.
func (p *prose) phrase(from, end int) int {
	for from < end && p.tokens[from].kind == word && p.meaning[from] == content {
		from++
	}
	return from
}

// measured reports whether a variable is no number of things, nor one in a time or on a length.
func (t *term) measured() bool {
	return t.unit != nil && !t.dimension.IsNone() && slices.ContainsFunc(t.unit.Terms(), func(of units.Term) bool { return of.Num > 0 })
}

// stranger is the first word of a stretch that nobody knows, in quotes, or "".
func (s *search) stranger(from, to int) string {
	p := s.prose
	for i := from; i < to; i++ {
		if p.tokens[i].kind == word && len(p.tokens[i].fold) > 1 && p.meaning[i] == content && p.known[i] == asNothing {
			return quoted(p.tokens[i].text)
		}
	}
	return ""
}
