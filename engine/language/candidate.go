package language

import (
	"slices"

	"reckon/engine/units"
)

// slot is an amount or a change of the prompt that some variable must take, with the variables that can.
type slot struct {
	quantity   int // -1 for a change that a word tells
	change     *change
	from, to   int
	candidates []candidate // best first
	dropped    bool        // the amount is only named to be replaced
}

// candidate is a variable that a slot may belong to.
type candidate struct {
	slot     int
	variable int
	text     string // the value, in the grammar of structured text
	score    float64
	evidence float64 // the part of the score that comes from words nearby
	relative bool
	linked   bool // words right beside it name the variable
	name     int  // the mention that is the evidence, -1 for none
}

// slots lists what must be assigned.
func (s *search) slots() []slot {
	p := s.prose
	s.rate = make([]bool, len(p.quantities))
	for i := range p.quantities {
		s.rate[i] = s.partOfRate(p.quantities[i].from, i)
	}
	var list []slot
	changed := map[int]*change{}
	for i := range p.changes {
		c := &p.changes[i]
		if c.quantity >= 0 {
			changed[c.quantity] = c
		} else if s.base != nil || s.prose.opening.move == undo {
			list = append(list, slot{quantity: -1, change: c, from: c.from, to: c.to})
		}
	}
	for i := range p.quantities {
		q := &p.quantities[i]
		if s.idle(q) {
			continue
		}
		list = append(list, slot{quantity: i, change: changed[i], from: q.from, to: q.to, dropped: p.replaced[i]})
	}
	for i := range list {
		l := &list[i]
		if l.dropped {
			continue
		}
		if l.change != nil {
			l.candidates = append(l.candidates, s.changeCandidates(i, l)...)
		}
		if l.quantity >= 0 && (l.change == nil || !l.change.sure || s.base == nil && len(l.candidates) == 0) {
			if !s.rate[l.quantity] {
				l.candidates = append(l.candidates, s.valueCandidates(i, l)...)
			}
			if q := &s.prose.quantities[l.quantity]; q.weak && !s.alone(q) {
				l.candidates = append(l.candidates, candidate{slot: i, variable: -1, score: s.weights.ForUnread, name: -1})
			}
		}
		sortCandidates(l.candidates)
	}
	return list
}

// idle reports whether an amount is a day that is only mentioned: one in words, where the domain has no moments.
func (s *search) idle(q *quantity) bool {
	days := func(t term) bool { return t.kind == dateKind || t.kind == datetimeKind }
	if !q.moment || slices.ContainsFunc(s.vocabulary.terms, days) {
		return false
	}
	for i := q.from; i < q.to; i++ {
		if s.prose.tokens[i].kind == number {
			return false
		}
	}
	return len(q.readings) == 0 || q.readings[0].kind == kindDate
}

// alone reports whether a prompt says nothing beside an amount.
func (s *search) alone(q *quantity) bool {
	for i := range s.prose.tokens {
		if s.prose.meaning[i] == content && (i < q.from || i >= q.to) {
			return false
		}
	}
	return true
}

// partOfRate reports whether words such as "an hour" only say per what an amount before them is.
func (s *search) partOfRate(from, quantity int) bool {
	p := s.prose
	if from == 0 || !p.quantities[quantity].weak {
		return false
	}
	if p.within[from-1] >= 0 {
		return true
	}
	for _, c := range p.changes {
		if c.to == from {
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
		link := s.prose.connection(from, to, m.from, m.to)
		if s.prose.askedFor(m) {
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

// unitOnly reports whether the unit of an amount is no unit of a variable, so that a word of it can only be its name.
func (s *search) unitOnly(variable, quantity int) bool {
	q := &s.prose.quantities[quantity]
	t := &s.vocabulary.terms[variable]
	return len(q.readings) == 0 || q.readings[0].unit == nil || !t.dimensional || q.readings[0].unit.Dimension() != t.dimension
}

// valueCandidates are the variables that an amount may be the value of.
func (s *search) valueCandidates(index int, l *slot) []candidate {
	q := &s.prose.quantities[l.quantity]
	var list []candidate
	first := false // some variable can take the first reading
	for variable := range s.vocabulary.terms {
		if len(q.readings) > 1 && !s.vocabulary.terms[variable].table {
			_, score, ok := s.compatible(variable, q, &q.readings[0])
			first = first || ok && score > 0
		}
	}
	for variable := range s.vocabulary.terms {
		t := &s.vocabulary.terms[variable]
		if t.table || len(q.readings) == 0 || t.counted != nil && perTime(&q.readings[0], t.counted) {
			continue // "200 a month" is no number of months
		}
		best, found := candidate{slot: index, variable: variable}, false
		for r := range q.readings {
			text, score, ok := s.compatible(variable, q, &q.readings[r])
			if r > 0 && !s.unitNames(variable, q) {
				score += s.weights.AgainstLater
				if first {
					score += s.weights.AgainstSecond
				}
			}
			if ok && (!found || score > best.score) {
				best.text, best.score, found = text, score, true
			}
		}
		if !found {
			continue
		}
		best.evidence, best.linked, best.name = s.nameEvidence(l.from, l.to, variable, q.weak)
		bare := q.readings[0].kind == kindNumber
		if q.none { // "no fee"
			if !s.denied(q, variable) {
				continue
			}
			best.evidence, best.linked = s.weights.ForName, true
		}
		if bare && s.foreignNoun(q.to) && !(t.counts && !t.output && !t.fallback) && (!best.linked || s.prose.mentions[best.name].from >= q.to || s.prose.connection(q.from, q.to, s.prose.mentions[best.name].from, s.prose.mentions[best.name].to) < s.weights.LeastBeside) {
			continue // "3 kids": a number of something that the domain does not know
		}
		if best.evidence < s.weights.LeastNamed {
			best.score += s.prior(t) + s.endScore(q.from, t)
		}
		best.score += best.evidence + s.baseScore(variable, bare, q)
		if bare {
			hint := s.prepositionScore(q.from, t)
			if t.money() && s.says(q, roleLargeWord) {
				hint += s.weights.ForLarge
			}
			if t.dimensional && t.dimension == units.Length && s.sides(q) {
				hint += s.weights.ForSide // "5 by 4"
			}
			if t.counts && (s.foreignNoun(q.to) || s.says(q, roleDozenWord)) {
				hint += s.weights.ForCount // "40 mugs"
			}
			if best.evidence < s.weights.LeastHinted && !s.inBase(variable) && hint <= 0 {
				hint += s.weights.AgainstUnnamed
			}
			best.score += hint
		}
		if q.readings[0].kind == kindMoney && q.from > 0 && s.prose.tokens[q.from-1].is(roleAtRate) {
			if t.priced {
				best.score += s.weights.ForPrice
			} else {
				best.score += s.weights.AgainstNoPrice
			}
		}
		if s.period(q, variable) {
			best.score += s.weights.ForPeriod
		} else if q.weak && !best.linked && !s.alone(q) && s.endScore(q.from, t) <= 0 {
			best.score += s.weights.AgainstWeak
		}
		list = append(list, best)
	}
	return list
}

// perTime reports whether a reading is so much per one of a unit of time.
func perTime(r *reading, unit *units.Unit) bool {
	if r.unit == nil {
		return false
	}
	return slices.ContainsFunc(r.unit.Terms(), func(t units.Term) bool {
		return t.Num == -1 && t.Den == 1 && t.Unit.Symbol() == unit.Symbol()
	})
}

func sortCandidates(list []candidate) {
	for i := 1; i < len(list); i++ {
		for k := i; k > 0 && list[k].score > list[k-1].score; k-- {
			list[k], list[k-1] = list[k-1], list[k]
		}
	}
}
