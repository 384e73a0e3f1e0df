package language

import (
	"slices"

	"reckon/engine/value"
)

// tellsOther reports whether an amount is told of the other one of two things: "the other is 60
// mm", "9 of the other".
func (p *prose) tellsOther(q *quantity) bool {
	at := q.from - 1
	for at > 0 && (p.tokens[at].is("stating") || p.tokens[at].is("one") && at+1 < q.from || p.tokens[at].is("owning")) {
		at--
	}
	if at > 0 && p.tokens[at].is("one") && p.tokens[at-1].is("other of two") {
		at--
	}
	if at > 0 && p.tokens[at].is("other of two") && p.tokens[at-1].is("definite") {
		return true
	}
	end := q.to + 3 // of the other
	return end <= len(p.tokens) && p.tokens[q.to].is("owning") && p.tokens[q.to+1].is("definite") && p.tokens[q.to+2].is("other of two") &&
		(end == len(p.tokens) || p.tokens[end].kind == mark || p.tokens[end].is("one"))
}

// leftOver is the variable that the other one of two is where the amount before it is that of the
// first by its whole name: the front slope in "the rear slope is 6 m and the other one 8 m"; -1 for
// none, or several.
func (s *search) leftOver(i int) int {
	p, left, first := s.prose, -1, i-1
	for first > 0 && p.quantities[first].weak && p.tokens[p.quantities[first].from].is("one") {
		first--
	}
	if first < 0 || !p.tellsOther(&p.quantities[i]) {
		return -1
	}
	from := p.quantities[first].from
	for _, m := range p.mentions {
		if m.weight < s.weights.ExactName || m.told || m.to > from || !p.states(m.to, from) {
			continue
		}
		for v := range s.vocabulary.terms {
			if v == m.variable || !s.paired(v, m.variable, m.to-1) {
				continue
			}
			if left >= 0 && left != v {
				return -1
			}
			left = v
		}
	}
	return left
}

// paired reports whether two variables of a kind have the same word as the heads of their names.
func (s *search) paired(one, other, at int) bool {
	t, u := &s.vocabulary.terms[one], &s.vocabulary.terms[other]
	return t.kind == u.kind && t.dimension == u.dimension && !t.hidden && s.headed(one, at) && s.headed(other, at)
}

// oneOf reports whether an amount is told of one of several things: "one of the commissions was 19
// dollars".
func (p *prose) oneOf(q *quantity) bool {
	at := q.from - 1
	for at > 0 && p.tokens[at].is("stating") {
		at--
	}
	return at > 2 && at < q.from-1 && p.tables.plural(&p.tokens[at]) && p.tokens[at-1].is("definite") && p.tokens[at-2].is("partitive") && p.tokens[at-3].is("one")
}

// otherOfTwo refuses amounts of which only their order tells what they are, "one diameter is 20 mm
// and the other 60 mm", and a question for the other one of two where nothing tells which the first
// is: "the date is 4 May, what's the other date?" An amount of one of several is refused as well.
func (s *search) otherOfTwo(best *combination) *value.Error {
	p := s.prose
	for i := range best.picks {
		k, l := &best.picks[i], &s.list[i]
		if k.variable < 0 || l.quantity <= 0 || !p.tellsOther(&p.quantities[l.quantity]) || k.variable == s.leftOver(l.quantity) || k.name >= 0 && k.linked && p.mentions[k.name].weight >= s.weights.ExactName {
			continue
		}
		for j := range best.picks[:i] {
			one := slices.IndexFunc(s.list[j].candidates, func(c candidate) bool { return c.variable == k.variable })
			two := slices.IndexFunc(l.candidates, func(c candidate) bool { return c.variable == best.picks[j].variable })
			if one >= 0 && two >= 0 && best.picks[j].variable >= 0 {
				swapped := best.with(i, &l.candidates[two])
				swapped.picks[j] = s.list[j].candidates[one]
				return s.choose([]combination{*best, swapped})
			}
		}
		return notUnderstood(quoted(p.fragment(l.from, l.to)))
	}
	for i := range best.picks {
		k, l := &best.picks[i], &s.list[i]
		if k.variable < 0 || l.quantity < 0 || k.name < 0 || !p.oneOf(&p.quantities[l.quantity]) {
			continue
		}
		at := slices.IndexFunc(l.candidates, func(o candidate) bool {
			return best.leaves(k, &o) && s.paired(k.variable, o.variable, p.mentions[k.name].to-1)
		})
		if at >= 0 {
			return s.choose([]combination{*best, best.with(i, &l.candidates[at])})
		}
	}
	for _, m := range p.mentions {
		if m.variable != best.target || m.from < 2 || !p.tokens[m.from-1].is("other of two") || !p.tokens[m.from-2].is("definite") || p.within[m.from] >= 0 {
			continue
		}
		for i := range best.picks {
			k := &best.picks[i]
			if k.variable < 0 || s.list[i].quantity < 0 || !s.paired(k.variable, best.target, m.to-1) || k.name >= 0 && p.mentions[k.name].weight >= s.weights.ExactName {
				continue
			}
			return notUnderstood(quoted(p.fragment(m.from-2, m.to)))
		}
	}
	return nil
}
