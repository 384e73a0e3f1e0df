package language

import (
	"slices"
	"strings"

	"reckon/engine/units"
)

// candidate is a variable that a slot may belong to.
type candidate struct {
	slot     int
	variable int
	text     string // the value, in the grammar of structured text
	score    float64
	evidence float64 // the part of the score that comes from words nearby
	relative bool
	linked   bool // words right beside it name the variable, or it names it itself: then there may be no mention
	name     int  // the mention that is the evidence, -1 for none
}

// gives reports whether some picks give a variable its value.
func gives(picks []candidate, variable int) bool {
	return slices.ContainsFunc(picks, func(c candidate) bool { return c.variable == variable })
}

// followed reports whether a bare number has a noun behind it, which may be what it counts.
func (s *search) followed(q *quantity) bool {
	return bareOnly(*q) && q.to < len(s.prose.tokens) && s.prose.tokens[q.to].kind == word && s.prose.meaning[q.to] == content
}

// idle reports whether an amount is a day or a time of day that is only mentioned: one in words,
// where the domain has no moments.
func (s *search) idle(q *quantity) bool {
	tells := func(t term) bool { return t.moment() && !t.hidden }
	if q.moment && slices.ContainsFunc(s.vocabulary.terms, tells) && len(q.readings) > 0 {
		from, to := s.prose.sentence(q.from) // "At noon the sun stands high.", where no moment is spoken of
		return q.to-q.from == 1 && s.prose.tokens[q.from].kind == word && s.prose.told(q.from) && !slices.ContainsFunc(s.prose.mentions, func(m mention) bool {
			return s.vocabulary.terms[m.variable].moment() && from <= m.from && m.to <= to
		})
	}
	if !q.moment {
		return false
	}
	digits := slices.ContainsFunc(s.prose.tokens[q.from:q.to], func(t token) bool { return t.kind == number })
	return !digits && (len(q.readings) == 0 || q.readings[0].kind == kindDate || q.readings[0].kind == kindClock)
}

// coded reports whether what looks like an amount is a number with a letter that calls something,
// "class 7b": no variable has what would be its unit, and it is no money.
func (s *search) coded(q *quantity) bool {
	p := s.prose
	if q.to-q.from != 2 || p.tokens[q.from].kind != number || p.tokens[q.from+1].spaced {
		return false
	}
	if letter := p.tokens[q.from+1].text; len(letter) != 1 || letter < "a" || letter > lastOfCode {
		return false
	}
	return !slices.ContainsFunc(q.readings, func(r reading) bool {
		return r.kind == kindMoney || r.unit != nil && slices.ContainsFunc(s.vocabulary.terms, func(t term) bool { return t.dimensional && t.dimension == r.unit.Dimension() })
	})
}

// lastOfCode is the last letter that, behind a number, may tell things apart: a school has no class
// 7m, and 7m are metres or millions.
const lastOfCode = "f"

// alone reports whether a prompt says nothing beside an amount.
func (s *search) alone(q *quantity) bool {
	if s.prose.asked != nil {
		return false
	}
	for i := range s.prose.tokens {
		if s.prose.meaning[i] == content && (i < q.from || i >= q.to) {
			return false
		}
	}
	return true
}

// valueCandidates are the variables that an amount may be the value of.
func (s *search) valueCandidates(index int, l *slot) []candidate {
	q := &s.prose.quantities[l.quantity]
	if len(q.readings) == 0 {
		return nil
	}
	first := false // some variable can take the first reading
	for variable := 0; len(q.readings) > 1 && !first && variable < len(s.vocabulary.terms); variable++ {
		_, score, ok := s.compatible(variable, q, &q.readings[0])
		first = ok && score > 0 && !s.vocabulary.terms[variable].table && !s.vocabulary.terms[variable].hidden
	}
	var list []candidate
	for variable := range s.vocabulary.terms {
		if k, ok := s.valueCandidate(l, variable, first); ok {
			k.slot = index
			list = append(list, k)
		}
	}
	s.scoreEach(q, list)
	s.scoreSide(q, list)
	s.scoreOwner(q, list)
	if c := l.change; s.base == nil && c != nil && c.sign != 0 && s.prose.tokens[c.to-1].is("comparing") {
		list = slices.DeleteFunc(list, func(k candidate) bool { return !s.differs(k.variable, s.prose.tokens[c.to-2].stem) })
	}
	return s.byPeriod(q, list)
}

// scoreSide prefers, for "600 m long", what is called a length.
func (s *search) scoreSide(q *quantity, list []candidate) {
	if q.to >= len(s.prose.tokens) || !s.prose.tokens[q.to].is("side") && s.prose.tokens[q.to].lex.row("degrees") == nil || s.prose.within[q.to] >= 0 {
		return
	}
	for k := range list {
		if s.speaksOf(list[k].variable, q.to) {
			list[k].score += s.weights.ForSide
		}
	}
}

// byPeriod leaves an amount for each of a time to the variables that are called by it, where the
// same words name one that is not: "3,000 a month net" is a monthly net income and no yearly one.
func (s *search) byPeriod(q *quantity, list []candidate) []candidate {
	r := &q.readings[0]
	if r.unit == nil || !slices.ContainsFunc(r.unit.Terms(), func(t units.Term) bool { return t.Num < 0 && t.Unit.Dimension() == units.Time }) {
		return list
	}
	period := &quantity{from: q.to - 1, to: q.to}
	called := func(k candidate) bool { return s.unitNames(k.variable, period) }
	return slices.DeleteFunc(slices.Clone(list), func(k candidate) bool {
		t := &s.vocabulary.terms[k.variable]
		if called(k) || r.unit.Dimension() == t.dimension || s.withMoney(r, t) != nil {
			return false
		}
		return slices.ContainsFunc(list, func(o candidate) bool {
			return called(o) && s.vocabulary.terms[o.variable].dimension == t.dimension && (k.name < 0 || s.sharesWords(k.name, o.variable))
		})
	})
}

// differs reports whether a variable is a difference by its name, or is called by a word of
// comparison: "26 years older than his son" is no age.
func (s *search) differs(variable int, comparison string) bool {
	return slices.ContainsFunc(s.vocabulary.terms[variable].names, func(n name) bool {
		return slices.ContainsFunc(n.spoken, func(w string) bool {
			return w == comparison || slices.Contains(s.vocabulary.tables.stemRoles[w], "differs")
		})
	})
}

// scoreOwner prefers, for an amount that is told of what the words before it name and that is not
// the amount of that, the variables that are called by those words: the 12% of "a first solution of
// 12%" are the strength of the first solution and not of the mixture.
func (s *search) scoreOwner(q *quantity, list []candidate) {
	p := s.prose
	owns := func(m *mention) bool {
		if m.weight < s.weights.ExactName || m.told || m.to >= q.from || slices.ContainsFunc(list, func(k candidate) bool { return k.variable == m.variable }) || !anyIs(p.tokens[m.to:q.from], "owning") || len(list) == 0 {
			return false
		}
		for at := m.to; at < q.from; at++ {
			t := &p.tokens[at]
			named := slices.ContainsFunc(p.mentions, func(o mention) bool {
				return o.from <= at && at < o.to && slices.ContainsFunc(list, func(k candidate) bool { return k.variable == o.variable })
			})
			if p.within[at] >= 0 || t.kind != word || !named && !t.is("owning") && !t.is("stating") && !t.is("article") {
				return false
			}
		}
		return true
	}
	for i := range p.mentions {
		m := &p.mentions[i]
		if !owns(m) {
			continue
		}
		shared := make([]int, len(list)) // words of those
		for k := range list {
			for _, n := range s.vocabulary.terms[list[k].variable].names {
				count := 0
				for _, stem := range p.stems[m.from:m.to] {
					if slices.Contains(n.words, stem) {
						count++
					}
				}
				shared[k] = max(shared[k], count)
			}
		}
		most, least := slices.Max(shared), slices.Min(shared)
		if most == least {
			continue
		}
		for k := range list {
			if shared[k] == most {
				list[k].score += s.weights.ForOwner
			} else {
				list[k].score += s.weights.AgainstOwner
			}
		}
		return
	}
}

// valueCandidate is a variable that an amount may be the value of. first tells that some variable
// can take its first reading.
func (s *search) valueCandidate(l *slot, variable int, first bool) (candidate, bool) {
	q, t := &s.prose.quantities[l.quantity], &s.vocabulary.terms[variable]
	best, found := s.readAs(q, variable, first)
	if !found {
		return best, false
	}
	best.evidence, best.linked, best.name = s.nameEvidence(l.from, l.to, variable, q.weak)
	f := fit{candidate: &best, q: q, t: t, bare: q.readings[0].kind == kindNumber}
	f.measured = t.dimensional && !t.number()
	f.before = s.namedBefore(q, &best)
	f.beside = best.linked && !s.othersName(q, &s.prose.mentions[best.name])
	f.qualified = f.bare && s.qualified(q, variable)
	if q.none || q.labels() && q.readings[0].of == variable && !s.foreignNoun(q.to) || f.bare && s.spokenRate(q, t) || s.oftenEach(q, t) || s.costOfOne(q, variable) || s.leftOver(l.quantity) == variable { // "no fee", "with insurance", but "a night job"; "10 eggs a day"
		best.evidence, best.linked = s.weights.ForName, true
	}
	if slices.ContainsFunc(unfit, func(is func(*search, *fit) bool) bool { return is(s, &f) }) {
		return best, false
	}
	if best.evidence < s.weights.LeastNamed {
		best.score += s.prior(t) + s.endScore(q.from, t)
	}
	best.score += best.evidence + s.baseScore(variable, q)
	if f.bare {
		best.score += s.bareScore(q, &best)
	}
	if q.readings[0].kind == kindMoney && q.from > 0 && s.prose.tokens[q.from-1].is("at rate") {
		if t.priced {
			best.score += s.weights.ForPrice
		} else {
			best.score += s.weights.AgainstNoPrice
		}
	}
	if s.period(q, variable) {
		best.score += s.weights.ForPeriod
	} else if q.weak && !(q.share && t.kind == percentKind) && !best.linked && !s.alone(q) && s.endScore(q.from, t) <= 0 {
		best.score += s.weights.AgainstWeak
	}
	return best, true
}

// othersName reports whether a name stands behind a comma that closes what an amount is told of, or
// is the noun for what the number before it counts.
func (s *search) othersName(q *quantity, m *mention) bool {
	p := s.prose
	behind := m.from > q.to && p.tokens[q.to].fold == ","
	counted := m.to <= q.from && m.from > 0 && p.within[m.from-1] >= 0 && bareOnly(p.quantities[p.within[m.from-1]])
	return behind || counted
}

// oftenEach reports whether an amount says how often something is in a time that the name of a
// number of things is told for: "twice a week" of the sessions per week.
func (s *search) oftenEach(q *quantity, t *term) bool {
	if len(q.readings) < 2 || q.readings[0].unit == nil || q.readings[0].unit.Dimension() != units.None.Div(units.Time) || !t.number() || !t.perTime {
		return false
	}
	return slices.ContainsFunc(s.prose.tokens[q.from:q.to], func(tok token) bool { return t.each[tok.stem] == 1 })
}

// readAs is the reading of an amount that a variable takes best.
func (s *search) readAs(q *quantity, variable int, first bool) (best candidate, found bool) {
	t := &s.vocabulary.terms[variable]
	best = candidate{variable: variable}
	if t.hidden || t.table != (len(q.readings) > 0 && q.readings[0].kind == kindTable) {
		return best, false
	}
	if t.counted != nil && perTime(&q.readings[0], t.counted) {
		return best, false // "200 a month" is no number of months
	}
	for r := range q.readings {
		if first && s.shortened(q, r, t) {
			continue
		}
		if r > 0 && (s.cutRate(q, r, variable) || s.unitless(q, r, t)) || s.otherUnit(q, r, t) || first && r > 0 && t.money() && q.readings[r].kind == kindNumber && q.readings[r].number.Cmp(q.readings[0].number) != 0 { // "a 10 m boat"
			continue
		}
		text, score, ok := s.compatible(variable, q, &q.readings[r])
		whole := first && s.shortened(q, 0, t)
		if whole && q.readings[r].weak {
			score -= s.weights.AgainstGuess
		}
		if ok && r > 0 && !whole && !s.unitNames(variable, s.dropped(q, r)) {
			score += s.weights.AgainstLater
			if first {
				score += s.weights.AgainstSecond
			}
		}
		if ok && (!found || score > best.score) {
			best.text, best.score, found = text, score, true
		}
	}
	return best, found && !(q.none && !s.denied(q, variable))
}

// unitless reports whether a reading of an amount leaves out its whole unit, which is no time, no
// rate and no part of the unit of a variable that is measured: the number of "2.2 bar" for a price.
func (s *search) unitless(q *quantity, r int, t *term) bool {
	one, other := &q.readings[0], &q.readings[r]
	if one.kind != kindMeasure || one.weak || other.kind != kindNumber || one.number.Cmp(other.number) != 0 || !t.measured() && !t.money() {
		return false
	}
	return !slices.ContainsFunc(one.unit.Terms(), func(of units.Term) bool {
		return of.Num < 0 || of.Unit.Dimension() == units.Time || t.unit != nil && slices.ContainsFunc(t.unit.Terms(), func(own units.Term) bool { return own.Unit.Dimension() == of.Unit.Dimension() })
	})
}

// shortened reports whether a reading of an amount leaves out what another one has, and that is how
// the variable is measured: the thousands of "10k" for kilometres, the millions of "1 M" for moles
// in a litre, the minutes of "5 min/km" where there is a pace.
func (s *search) shortened(q *quantity, r int, t *term) bool {
	one := &q.readings[r]
	if r > 0 {
		return one.kind == kindDuration && q.readings[0].unit != nil && isRate(q.readings[0].unit) && !q.readings[0].unit.Dimension().IsNone()
	}
	return one.kind == kindNumber && one.unitTokens > 0 && t.unit != nil && slices.ContainsFunc(q.readings[1:], func(o reading) bool {
		return o.unit != nil && t.dimensional && o.unit.Dimension() == t.dimension && (!o.weak || sameUnit(o.unit, t.unit))
	})
}

// otherUnit reports whether a reading takes for a suffix what is a unit of another kind than that
// of a variable which is measured: the metres of "3 m" are no millions of litres.
func (s *search) otherUnit(q *quantity, r int, t *term) bool {
	one := &q.readings[r]
	return one.kind == kindNumber && one.unitTokens > 0 && t.measured() && !t.money() && slices.ContainsFunc(q.readings, func(o reading) bool {
		return o.kind == kindMeasure && !o.weak && o.number.Cmp(one.number) != 0
	})
}

// cutRate reports whether a reading leaves out what an amount is for one of, which is no time and
// not what the variable is called by: the wage of "30 pounds a kilo".
func (s *search) cutRate(q *quantity, r, variable int) bool {
	one, other := q.readings[0].unit, q.readings[r].unit
	if one == nil || other == nil {
		return false
	}
	per := slices.IndexFunc(one.Terms(), func(t units.Term) bool {
		return t.Num < 0 && t.Unit.Dimension() != units.Time && !t.Unit.Dimension().IsNone()
	})
	return per >= 0 && !slices.ContainsFunc(other.Terms(), func(t units.Term) bool { return t == one.Terms()[per] }) && !s.unitNames(variable, s.dropped(q, r)) &&
		s.vocabulary.terms[variable].each[s.prose.tokens[q.to-1].stem] == 0
}

// dropped are the words of an amount that a later reading of it leaves out, "a day" of "45 minutes
// a day", all of them where it leaves out none.
func (s *search) dropped(q *quantity, r int) *quantity {
	first, later := q.readings[0].unit, q.readings[r].unit
	if first == nil || later == nil || sameUnit(first, later) || !slices.ContainsFunc(first.Terms(), func(t units.Term) bool { return t.Num < 0 }) {
		return q
	}
	return &quantity{from: q.to - 1, to: q.to}
}

// countsOther reports whether a bare number stands before things, while a variable is no number and
// is not called by them: "three sessions" are no length of a session, "2 owners" no fee.
func (s *search) countsOther(q *quantity, variable int) bool {
	p, t := s.prose, &s.vocabulary.terms[variable]
	if !bareOnly(*q) || !s.things(q.to) && !s.oneThing(q) || t.number() || !t.dimensional {
		return false
	}
	if slices.ContainsFunc(s.vocabulary.terms, func(o term) bool {
		return o.number() && !o.hidden && slices.ContainsFunc(o.names, func(n name) bool { return slices.Contains(n.words, p.stems[q.to]) })
	}) {
		return true
	}
	return !slices.ContainsFunc(p.mentions, func(m mention) bool {
		return m.variable == variable && m.from <= q.to && q.to < m.to && m.weight >= s.weights.ExactName && !m.told
	})
}

// mostQualifying is how many words that nobody knows may say of what kind the things are that a
// number counts.
const mostQualifying = 2

// qualified reports whether such words stand between a bare number and the whole name of a number
// of things, "18 cardboard boxes".
func (s *search) qualified(q *quantity, variable int) bool {
	at := q.to
	for at < q.to+mostQualifying && s.foreignNoun(at) {
		at++
	}
	return at > q.to && s.vocabulary.terms[variable].number() && s.things(at) && s.names(variable, at)
}

// meantFor reports whether an amount with a unit is said to be for what nobody knows, "350 euros
// for the digger", "80 kg for the APU". A name is that of a person.
func (s *search) meantFor(q *quantity) bool {
	p, at := s.prose, q.to
	if kind := q.readings[0].kind; kind != kindMoney && kind != kindMeasure || at >= len(p.tokens) || !p.tokens[at].is("lasting") {
		return false
	}
	for at++; at < len(p.tokens) && p.tokens[at].is("article"); at++ {
	}
	return at < len(p.tokens) && s.strange(at) && (p.tokens[at].text == p.tokens[at].fold || p.tokens[at].capitals() || p.tables.has(capitalNouns)) && (at+1 == len(p.tokens) || p.meaning[at+1] != content)
}

// countsAnother reports whether the noun right behind a number is the whole name of a number of
// things other than a variable.
func (s *search) countsAnother(q *quantity, variable int) bool {
	return slices.ContainsFunc(s.prose.mentions, func(m mention) bool {
		return m.variable != variable && s.vocabulary.terms[m.variable].number() && !s.labelled(m.variable) && s.names(m.variable, q.to)
	})
}

// countsLabel reports whether a choice by its label in the plural stands right behind a number.
func (s *search) countsLabel(q *quantity) bool {
	p := s.prose
	if q.to >= len(p.tokens) || p.within[q.to] < 0 {
		return false
	}
	label := &p.quantities[p.within[q.to]]
	return label.labels() && p.tables.plural(&p.tokens[label.to-1])
}

// oneThing reports whether a number is one of what the noun behind it names: "one pipe".
func (s *search) oneThing(q *quantity) bool {
	p := s.prose
	return p.tokens[q.from].is("one") && q.to == q.from+1 && q.to < len(p.tokens) && p.within[q.to] < 0 && p.meaning[q.to] == content && p.tokens[q.to].kind == word
}

// things reports whether a token is a noun for more than one thing.
func (s *search) things(at int) bool {
	p := s.prose
	if at >= len(p.tokens) || p.within[at] >= 0 || p.used[at] || p.known[at] == asChange || p.known[at] == asIdiom || p.known[at] == asTypo || !p.tables.plural(&p.tokens[at]) {
		return false
	}
	t := &p.tokens[at]
	if s.vocabulary.tables.newScanner(p.tokens, s.vocabulary.domain.Units(), s.vocabulary.currency).slip(*t) != "" {
		return false // "110 litrs"
	}
	return p.meaning[at] == content || p.meaning[at] == plainly && !t.is("plain") && t.lex.row("comparatives") == nil
}

// counted reports whether the whole name of a plain number stands right behind a bare number, and
// no amount of its own behind that: "a cargo volume of 100 boxes".
func (s *search) counted(q *quantity) bool {
	p, at := s.prose, q.to
	if at+1 < len(p.tokens) && p.meaning[at] == plainly && p.tokens[at].is("plain") && bareOnly(*q) && s.things(at+1) {
		at++ // "14 new routes"
	}
	return slices.ContainsFunc(p.mentions, func(m mention) bool {
		return m.from == at && m.weight >= s.weights.ExactName && s.vocabulary.terms[m.variable].number() && !m.told &&
			(m.to >= len(p.tokens) || p.within[m.to] < 0)
	})
}

// number reports whether a variable is a plain number.
func (t *term) number() bool {
	return t.kind == numberKind && t.dimensional && t.dimension.IsNone()
}

// bareScore is what the words around a bare number hint at.
func (s *search) bareScore(q *quantity, k *candidate) float64 {
	t := &s.vocabulary.terms[k.variable]
	hint := s.prepositionScore(q.from, t)
	if t.money() && anyIs(s.prose.tokens[q.from:q.to], "large word") {
		hint += s.weights.ForLarge
	}
	if t.dimensional && t.dimension == units.Length && s.sides(q) {
		hint += s.weights.ForSide // "5 by 4"
	}
	if t.counts && (s.foreignNoun(q.to) || anyIs(s.prose.tokens[q.from:q.to], "dozen word")) {
		hint += s.weights.ForCount // "40 mugs"
	}
	if first := &s.prose.tokens[q.from]; first.kind == number && pence(first.text) {
		switch {
		case t.dimensional && len(t.dimension.Currencies()) > 0:
			hint += s.weights.ForPence // "14.50"
		case t.dimensional && t.dimension.IsNone() && t.kind == numberKind:
			hint += s.weights.AgainstPence
		}
	}
	if k.evidence < s.weights.LeastHinted && !s.inBase(k.variable) && hint <= 0 {
		hint += s.weights.AgainstUnnamed
	}
	return hint
}

// penceDigits is how many decimals prices have.
const penceDigits = 2

// pence reports whether digits have as many decimals as prices.
func pence(digits string) bool {
	_, decimals, ok := strings.Cut(digits, ".")
	return ok && len(decimals) == penceDigits
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
