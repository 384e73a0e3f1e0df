package language

import "slices"

// ownedReach is how many tokens before a name the "of" may stand that makes it the owner of what is
// said: "the rating of my boat is 1.05".
const ownedReach = 4

func (p *prose) owned(from int) bool {
	for at := from - 1; at >= max(0, from-ownedReach) && p.within[at] < 0 && p.tokens[at].kind == word; at-- {
		if p.tokens[at].is("partitive") {
			return true
		}
	}
	return false
}

// nameEvidence is how strongly the words near a stretch of tokens name a variable.
func (s *search) nameEvidence(from, to, variable int, outside bool) (evidence float64, linked bool, name int) {
	name = -1
	for i := range s.prose.mentions {
		m := &s.prose.mentions[i]
		if m.variable != variable || outside && m.from < to && from < m.to {
			continue
		}
		if q := s.prose.within[m.from]; q >= 0 && (m.from < from || m.from >= to) && !s.rate[q] {
			continue // the word belongs to another amount
		}
		if s.countedBy(m, from) {
			continue
		}
		if m.other && s.adverbial(m) {
			continue // "7 nights" are no nightly rate
		}
		if m.from > to && s.prose.text[len(s.prose.text)-1] == '?' && s.prose.tokens[to].fold == ":" && anyIs(s.prose.tokens[to:], "joining") {
			continue // "75 loaves at 5 euros: takings and margin?"
		}
		told := s.leads(m, to) // it is the name of the next one
		link := s.prose.connection(from, to, m.from, m.to)
		stated := m.weight >= s.weights.ExactName && !m.told && s.prose.described(m.to, from)
		if stated || s.pricedAs(m, from) {
			link = 1
		}
		if of := s.prose.counts[m.from]; told || m.other && m.to == from || of >= 0 && s.prose.quantities[of].from != from {
			link *= s.weights.OthersEach
		}
		if !stated && (s.prose.askedFor(m) || m.to < from && s.qualifies(m, from)) {
			link *= s.weights.AskedName
		}
		if m.from < to && from < m.to && s.prose.within[m.from] >= 0 && !s.unitOnly(variable, s.prose.within[m.from]) {
			link *= s.weights.OwnUnit
		}
		if e := s.weights.ForName * m.weight * link; e > evidence {
			evidence, linked, name = e, link >= s.weights.LeastLink && m.weight >= s.weights.LeastLinked, i
		}
	}
	return evidence, linked, name
}

// pricedAs reports whether money is told as what the thing costs that a name of money, which no
// equation yields, stands for: "a cab for 14 pounds".
func (s *search) pricedAs(m *mention, from int) bool {
	t := &s.vocabulary.terms[m.variable]
	q := s.prose.within[from]
	return m.to+1 == from && s.prose.tokens[m.to].is("lasting") && t.money() && !t.output && !m.told && m.weight >= s.weights.ExactName && q >= 0 && len(s.prose.quantities[q].readings) > 0 && s.prose.quantities[q].readings[0].kind == kindMoney
}

// adverbial reports whether the name that a mention is of is an adverb of time: "nightly".
func (s *search) adverbial(m *mention) bool {
	return slices.ContainsFunc(s.vocabulary.terms[m.variable].names, func(n name) bool {
		return len(n.spoken) == 1 && n.spoken[0] == s.prose.tokens[m.from].stem && s.prose.tables.adverb(n.joined)
	})
}

// qualifies reports whether a name only says more of that of a result, which stands right behind it
// and before an amount: "payment schedule for 10,000 dollars".
func (s *search) qualifies(m *mention, to int) bool {
	return slices.ContainsFunc(s.prose.mentions, func(o mention) bool {
		return o.variable != m.variable && o.from == m.to && o.to <= to && s.vocabulary.terms[o.variable].derived && !s.prose.tokens[o.from].is("costing") && o.weight >= s.weights.ExactName && !o.told &&
			!slices.ContainsFunc(s.prose.mentions, func(n mention) bool { return n.variable == m.variable && n.overlaps(&o) }) // "break-even quantity"
	})
}

// leads reports whether a name behind an amount goes on to another amount, of the same kind or with
// a preposition in it: "800 euros grow to 1000 euros" says what has become 1000 euros, "84 stitches
// at a gauge of 21" what the gauge is.
func (s *search) leads(m *mention, to int) bool {
	p := s.prose
	at := m.to
	if m.from < to || to == 0 || p.within[to-1] < 0 || at >= len(p.tokens) {
		return false
	}
	if anyIs(p.tokens[to:m.to], "at rate") || anyIs(p.tokens[m.from:m.to], "attaches") {
		for at < len(p.tokens)-1 && (p.tokens[at].is("partitive") || p.tokens[at].is("stating")) {
			at++
		}
		return p.within[at] >= 0
	}
	if !p.tokens[at].is("goal") && !p.tokens[at].is("stating") {
		return false
	}
	for at < len(p.tokens) && (p.tokens[at].is("goal") || p.tokens[at].is("stating")) {
		at++
	}
	if at >= len(p.tokens) || p.within[at] < 0 {
		return false
	}
	a, b := &p.quantities[p.within[to-1]], &p.quantities[p.within[at]]
	return !a.weak && !b.weak && !bareOnly(*a) && alike(*a, *b)
}

// mostDescribing is how many tokens may say what the thing is whose amount is stated: "the diagonal
// of a rectangle is 13 m".
const mostDescribing = 5

// described reports whether nothing stands between a name and an amount but what it is of, which
// names nothing by itself, and a word that states the amount.
func (p *prose) described(from, to int) bool {
	if to-from < 3 || to-from > mostDescribing || !p.tokens[from].is("partitive") || !p.tokens[to-1].is("stating") {
		return false
	}
	for at := from + 1; at < to-1; at++ {
		if p.tokens[at].kind != word || p.within[at] >= 0 || p.tokens[at].border() != noBorder && p.tokens[at].border() <= conjunctionBorder {
			return false
		}
	}
	return !slices.ContainsFunc(p.mentions, func(m mention) bool { return m.from > from && m.to < to && m.weight >= p.weights.ExactName })
}

// countedBy reports whether a mention is the noun for what another number than the one at a token
// counts: the servers of "60 servers of 2 units".
func (s *search) countedBy(m *mention, from int) bool {
	p := s.prose
	q := -1
	if m.from > 0 {
		q = p.within[m.from-1]
	}
	return q >= 0 && p.quantities[q].from != from && p.quantities[q].to == m.from && !p.quantities[q].weak && bareOnly(p.quantities[q]) &&
		s.vocabulary.terms[m.variable].number() && p.tables.plural(&p.tokens[m.from])
}

// unitOnly reports whether the unit of an amount is no unit of a variable, so that a word of it can
// only be its name.
func (s *search) unitOnly(variable, quantity int) bool {
	q := &s.prose.quantities[quantity]
	t := &s.vocabulary.terms[variable]
	return len(q.readings) == 0 || q.readings[0].unit == nil || !t.dimensional || q.readings[0].unit.Dimension() != t.dimension
}

// sharesWords reports whether words of a mention name another variable, too.
func (s *search) sharesWords(name, variable int) bool {
	return slices.ContainsFunc(s.prose.mentions, func(m mention) bool {
		return m.variable == variable && m.overlaps(&s.prose.mentions[name])
	})
}

// spokenRate reports whether the words behind a number, with "a day" among them, are a name of a
// variable: "10 eggs a day".
func (s *search) spokenRate(q *quantity, t *term) bool {
	p := s.prose
	return slices.ContainsFunc(t.names, func(n name) bool {
		over := false
		for i, stem := range n.spoken {
			if q.to+i >= len(p.tokens) {
				return false
			}
			tok := &p.tokens[q.to+i]
			rated := (tok.is("per") || tok.is("indefinite")) && p.tables.lexicon[stem].is("per word")
			if over = over || rated; !rated && tok.stem != stem {
				return false
			}
		}
		return over && len(n.spoken) > 2
	})
}

// namedBefore reports whether the words right before a number name the variable, whatever noun
// stands behind it.
func (s *search) namedBefore(q *quantity, k *candidate) bool {
	if !k.linked {
		return false
	}
	m := &s.prose.mentions[k.name]
	return m.from < q.to && s.prose.connection(q.from, q.to, m.from, m.to) >= s.weights.LeastBeside
}
