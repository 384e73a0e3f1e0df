package language

import (
	"cmp"
	"slices"
	"strings"

	"reckon/engine/units"
)

// slot is an amount or a change of the prompt that some variable must take, with the variables that
// can.
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

// gives reports whether some picks give a variable its value.
func gives(picks []candidate, variable int) bool {
	return slices.ContainsFunc(picks, func(c candidate) bool { return c.variable == variable })
}

// slots lists what must be assigned.
func (s *search) slots() []slot {
	p := s.prose
	s.rate = make([]bool, len(p.quantities))
	for i := range p.quantities {
		to := p.quantities[i].to
		s.rate[i] = s.partOfRate(p.quantities[i].from, i) || slices.ContainsFunc(p.quantities[:i], func(q quantity) bool { return q.over == to })
	}
	p.findCounts()
	var list []slot
	changed := map[int]*change{}
	for i := range p.changes {
		c := &p.changes[i]
		if c.quantity >= 0 {
			changed[c.quantity] = c
		} else if s.base != nil || s.prose.opening.move == undo || s.multiplies(c) {
			list = append(list, slot{quantity: -1, change: c, from: c.from, to: c.to})
		}
	}
	for i := range p.quantities {
		q := &p.quantities[i]
		if s.idle(q) {
			continue
		}
		if q.labels() {
			changed[i] = nil // "add a cake stand"
		}
		list = append(list, slot{quantity: i, change: changed[i], from: q.from, to: q.to, dropped: p.replaced[i] || s.base != nil && p.ledTo(i)})
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
			if q := &s.prose.quantities[l.quantity]; q.weak && !s.alone(q) && !(q.share && l.change != nil && l.change.sure) {
				l.candidates = append(l.candidates, candidate{slot: i, variable: -1, score: s.weights.ForUnread, name: -1})
			}
		}
		if l.change != nil && slices.ContainsFunc(l.candidates, s.risen(l)) { // "job cost up 60 euros"
			l.candidates = slices.DeleteFunc(l.candidates, func(k candidate) bool { return !s.risen(l)(k) })
		}
		if l.change != nil && l.quantity < 0 {
			l.candidates = s.multiplied(l)
		}
		slices.SortStableFunc(l.candidates, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
		l.candidates = s.ledBy(l, s.bind(l))
		if l.quantity > 0 && p.leaves(l.quantity-1) {
			l.candidates = slices.DeleteFunc(l.candidates, func(k candidate) bool { return !s.namedBehind(l.quantity-1, k.variable) })
		}
	}
	for i := range list {
		if slices.ContainsFunc(list[i+1:], s.concluded(&list[i])) {
			list[i].candidates, list[i].dropped = nil, true
		}
	}
	list = slices.DeleteFunc(list, func(l slot) bool { return len(l.candidates) == 0 && !l.dropped && s.pair(&l) })
	for i := range list {
		for k := range list[i].candidates {
			list[i].candidates[k].slot = i
		}
	}
	return list
}

// concluded says which slots tell once more, behind a word that sums up, what a slot before them
// tells: "our 2 kids, so 2 adults and 2 children".
func (s *search) concluded(l *slot) func(slot) bool {
	named := func(o *slot) bool {
		return o.change == nil && len(o.candidates) > 0 && o.candidates[0].variable >= 0 && o.candidates[0].evidence >= s.weights.LeastNamed
	}
	return func(o slot) bool {
		return named(l) && named(&o) && l.candidates[0].variable == o.candidates[0].variable && l.candidates[0].text == o.candidates[0].text &&
			anyIs(s.prose.tokens[l.to:o.from], "concluding")
	}
}

// multiplied leaves a factor before things to the numbers of them: "half the rooms" is not half the
// time for a room.
func (s *search) multiplied(l *slot) []candidate {
	p, at := s.prose, l.change.to
	for at < len(p.tokens) && p.meaning[at] == grammar {
		at++
	}
	number := func(k candidate) bool {
		t := &s.vocabulary.terms[k.variable]
		return k.variable >= 0 && t.number() && k.name >= 0 && p.mentions[k.name].from <= at && at < p.mentions[k.name].to
	}
	if !s.things(at) || !slices.ContainsFunc(l.candidates, number) {
		return l.candidates
	}
	return slices.DeleteFunc(l.candidates, func(k candidate) bool { return !number(k) })
}

// risen says which candidates are changes of what the words right before the change name in full.
func (s *search) risen(l *slot) func(candidate) bool {
	return func(k candidate) bool {
		if !k.relative || l.change.from >= l.from {
			return false
		}
		return slices.ContainsFunc(s.prose.mentions, func(m mention) bool {
			return m.variable == k.variable && m.to == l.change.from && m.weight >= s.weights.ExactName && !m.told
		})
	}
}

// pair reports whether an amount is "two", in words, of what the domain has a first and a second
// one of: "two trains are 420 km apart". It says nothing that such a domain does not.
func (s *search) pair(l *slot) bool {
	p := s.prose
	if l.quantity < 0 || l.change != nil || !bareOnly(p.quantities[l.quantity]) || p.tokens[l.from].kind != word || !s.things(l.to) {
		return false
	}
	if n, whole := p.quantities[l.quantity].readings[0].number.Int64(); !whole || n != 2 {
		return false
	}
	named := func(which string) bool {
		return slices.ContainsFunc(s.vocabulary.terms, func(t term) bool {
			return !t.hidden && slices.ContainsFunc(t.names, func(n name) bool {
				return slices.ContainsFunc(n.spoken, func(w string) bool {
					row := p.tables.lexicon[w].row("ordinals")
					return row != nil && row[1] == which
				})
			})
		})
	}
	return named("1") && named("2")
}

// namedBehind reports whether the words right behind an amount name a variable.
func (s *search) namedBehind(quantity, variable int) bool {
	return slices.ContainsFunc(s.prose.mentions, func(m mention) bool {
		return m.variable == variable && m.from == s.prose.quantities[quantity].to && m.weight >= s.weights.LeastWord && !m.told
	})
}

// ledBy leaves an amount that another one led to, and that no words name, to what the noun of that
// one names: "3 machines are broken, so 2 run".
func (s *search) ledBy(l *slot, list []candidate) []candidate {
	p := s.prose
	if s.base == nil || l.quantity != len(p.quantities)-1 || len(list) == 0 || list[0].evidence >= s.weights.LeastNamed {
		return list
	}
	for i := range p.quantities {
		led := func(k candidate) bool {
			return slices.ContainsFunc(p.mentions, func(m mention) bool {
				return m.variable == k.variable && m.from == p.quantities[i].to && m.weight >= s.weights.ExactName
			})
		}
		if p.ledTo(i) && slices.ContainsFunc(list, led) {
			return slices.DeleteFunc(list, func(k candidate) bool { return !led(k) })
		}
	}
	return list
}

// bind leaves an amount that stands right behind the whole name of the variable that it fits best
// to that one, and to those that are called nearly the same there or have their whole name behind
// the amount.
func (s *search) bind(l *slot) []candidate {
	p := s.prose
	if name := p.ownerOf(l); name != nil && slices.ContainsFunc(l.candidates, func(k candidate) bool { return k.variable == name.variable }) {
		return slices.DeleteFunc(l.candidates, func(k candidate) bool {
			return k.variable != name.variable && !slices.ContainsFunc(p.mentions, func(m mention) bool {
				return m.variable == k.variable && m.from == name.from && m.weight >= s.weights.LeastAsking
			})
		})
	}
	if l.quantity < 0 || l.change != nil || len(l.candidates) == 0 || p.quantities[l.quantity].weak || p.quantities[l.quantity].labels() ||
		len(p.things(&p.quantities[l.quantity])) > 0 {
		return l.candidates
	}
	if s.things(l.to) || s.things(l.to+1) && p.meaning[l.to] == content { // "two full backups", though one is of 800 GB
		measured := func(k candidate) bool {
			t := &s.vocabulary.terms[k.variable]
			return k.variable >= 0 && t.dimensional && !t.dimension.IsNone() && k.name >= 0 && p.mentions[k.name].from == l.to
		}
		if bareOnly(p.quantities[l.quantity]) && slices.ContainsFunc(l.candidates, func(k candidate) bool {
			return k.variable >= 0 && s.vocabulary.terms[k.variable].number() && k.evidence >= s.weights.LeastNamed
		}) {
			l.candidates = slices.DeleteFunc(l.candidates, measured)
		}
	}
	if s.counted(&p.quantities[l.quantity]) { // "40 patients"
		part := func(k candidate) bool { // called by a part of that name
			return !s.names(k.variable, l.to) && k.name >= 0 && p.mentions[k.name].from == l.to
		}
		if slices.ContainsFunc(l.candidates, func(k candidate) bool { return s.names(k.variable, l.to) }) {
			return slices.DeleteFunc(l.candidates, part)
		}
	}
	if s.followed(&p.quantities[l.quantity]) {
		return l.candidates
	}
	at := slices.IndexFunc(p.mentions, func(m mention) bool {
		return m.weight >= s.weights.ExactName && !m.told && m.to <= l.from && !p.tables.said(p.tokens[m.to-1].fold) && !p.tokens[m.to-1].is("costing") && p.states(m.to, l.from) && !p.owned(m.from) && m.variable == l.candidates[0].variable
	})
	if at < 0 {
		return l.candidates
	}
	name := &p.mentions[at]
	if slices.ContainsFunc(p.mentions, func(m mention) bool {
		return m.variable != name.variable && m.from < name.from && m.to >= name.from && m.weight >= s.weights.LeastLonger
	}) {
		return l.candidates // "break-even quantity" is no quantity
	}
	return slices.DeleteFunc(l.candidates, func(k candidate) bool {
		return k.variable != name.variable && !slices.ContainsFunc(p.mentions, func(m mention) bool {
			return m.variable == k.variable && (m.overlaps(name) && m.to == name.to && m.weight >= name.weight-s.weights.MostExplained || m.from == l.to && m.weight >= s.weights.ExactName)
		})
	})
}

// names reports whether the whole name of a variable starts at a token.
func (s *search) names(variable, at int) bool {
	return slices.ContainsFunc(s.prose.mentions, func(m mention) bool {
		return m.variable == variable && m.from == at && m.weight >= s.weights.ExactName && !m.told
	})
}

// ownerOf is the whole name that an amount with a unit is said to be of, where the amount is what
// something is of: "heat of 12 kW of IT load", "waste of 40 m3 timber"; nil for none.
func (p *prose) ownerOf(l *slot) *mention {
	if l.quantity < 0 || l.change != nil || p.quantities[l.quantity].weak || bareOnly(p.quantities[l.quantity]) || l.from == 0 ||
		l.to >= len(p.tokens) || !p.tokens[l.from-1].is("partitive") {
		return nil
	}
	at := l.to
	if p.tokens[at].is("partitive") {
		at++
	} else if p.headsAmount(at) {
		return nil // "a width of 20 m length 40 m"
	}
	i := slices.IndexFunc(p.mentions, func(m mention) bool { return m.from == at && m.weight >= p.weights.ExactName && !m.told })
	if i < 0 || slices.ContainsFunc(p.mentions, func(m mention) bool {
		return m.from == at && m.to > p.mentions[i].to && m.weight >= p.weights.LeastLonger
	}) {
		return nil
	}
	return &p.mentions[i]
}

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

// followed reports whether a bare number has a noun behind it, which may be what it counts.
func (s *search) followed(q *quantity) bool {
	return bareOnly(*q) && q.to < len(s.prose.tokens) && s.prose.tokens[q.to].kind == word && s.prose.meaning[q.to] == content
}

// idle reports whether an amount is a day that is only mentioned: one in words, where the domain
// has no moments.
func (s *search) idle(q *quantity) bool {
	days := func(t term) bool { return t.kind == dateKind || t.kind == datetimeKind }
	if !q.moment || slices.ContainsFunc(s.vocabulary.terms, days) {
		return false
	}
	digits := slices.ContainsFunc(s.prose.tokens[q.from:q.to], func(t token) bool { return t.kind == number })
	return !digits && (len(q.readings) == 0 || q.readings[0].kind == kindDate)
}

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

// partOfRate reports whether words such as "an hour" only say per what an amount before them is.
func (s *search) partOfRate(from, quantity int) bool {
	p := s.prose
	if q := &p.quantities[quantity]; from == 0 || !q.weak || q.labels() || q.none {
		return false
	}
	return p.within[from-1] >= 0 || slices.ContainsFunc(p.changes, func(c change) bool { return c.to == from })
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
		told := s.leads(m, to) // it is the name of the next one
		link := s.prose.connection(from, to, m.from, m.to)
		stated := m.weight >= s.weights.ExactName && !m.told && s.prose.described(m.to, from)
		if stated {
			link = 1
		}
		if of := s.prose.counts[m.from]; told || of >= 0 && s.prose.quantities[of].from != from {
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

// qualifies reports whether a name only says more of that of a result, which stands right behind it
// and before an amount: "payment schedule for 10,000 dollars".
func (s *search) qualifies(m *mention, to int) bool {
	return slices.ContainsFunc(s.prose.mentions, func(o mention) bool {
		return o.variable != m.variable && o.from == m.to && o.to <= to && s.vocabulary.terms[o.variable].derived && !s.prose.tokens[o.from].is("costing") && o.weight >= s.weights.ExactName && !o.told &&
			!slices.ContainsFunc(s.prose.mentions, func(n mention) bool { return n.variable == m.variable && n.overlaps(&o) }) // "break-even quantity"
	})
}

// leads reports whether a name behind an amount goes on to another amount of the same kind: "800
// euros grow to 1000 euros" says what has become 1000 euros.
func (s *search) leads(m *mention, to int) bool {
	p := s.prose
	at := m.to
	if m.from < to || to == 0 || p.within[to-1] < 0 || at >= len(p.tokens) || !p.tokens[at].is("goal") && !p.tokens[at].is("stating") {
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
	s.scoreOwner(q, list)
	if c := l.change; s.base == nil && c != nil && c.sign != 0 && s.prose.tokens[c.to-1].is("comparing") {
		list = slices.DeleteFunc(list, func(k candidate) bool { return !s.differs(k.variable, s.prose.tokens[c.to-2].stem) })
	}
	return s.byPeriod(q, list)
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

// sharesWords reports whether words of a mention name another variable, too.
func (s *search) sharesWords(name, variable int) bool {
	return slices.ContainsFunc(s.prose.mentions, func(m mention) bool {
		return m.variable == variable && m.overlaps(&s.prose.mentions[name])
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
	best, found := candidate{variable: variable}, false
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
		if r > 0 && s.cutRate(q, r, variable) {
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
	if !found || q.none && !s.denied(q, variable) {
		return best, false
	}
	best.evidence, best.linked, best.name = s.nameEvidence(l.from, l.to, variable, q.weak)
	if !t.dimensional && !best.linked && q.readings[0].unit != nil {
		return best, false // nothing says that it has a unit
	}
	if s.countsOther(q, variable) && !(s.namedBefore(q, &best) && !s.counted(q)) {
		return best, false
	}
	if !t.dimensional && !best.linked && !q.moment && q.readings[0].unit != nil {
		return best, false // it may be of any dimension, but only what is said to be its own
	}
	if q.none || q.labels() && q.readings[0].of == variable { // "no fee", "with insurance"
		best.evidence, best.linked = s.weights.ForName, true
	}
	bare := q.readings[0].kind == kindNumber
	if bare && t.dimensional && !t.number() && t.kind != percentKind && s.prose.tokens[q.to-1].is("multiplied") {
		return best, false // "three times" is no age
	}
	if bare && q.weak && t.dimensional && !t.number() && s.prose.tokens[q.from].is("one") && s.followed(q) {
		return best, false // "one pipe" is no time
	}
	if bare && s.spokenRate(q, t) {
		best.evidence, best.linked = s.weights.ForName, true
	}
	if (bare || q.readings[0].kind == kindPercent) && s.unclaimed(q, &best) {
		return best, false
	}
	if bare && s.foreignNoun(q.to) && !(t.counts && !t.output && !t.fallback) && !s.namedBefore(q, &best) {
		return best, false // "3 kids": a number of something that the domain does not know
	}
	if best.evidence < s.weights.LeastNamed {
		best.score += s.prior(t) + s.endScore(q.from, t)
	}
	best.score += best.evidence + s.baseScore(variable, q)
	if bare {
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

// namedBefore reports whether the words right before a number name the variable, whatever noun
// stands behind it.
func (s *search) namedBefore(q *quantity, k *candidate) bool {
	if !k.linked {
		return false
	}
	m := &s.prose.mentions[k.name]
	return m.from < q.to && s.prose.connection(q.from, q.to, m.from, m.to) >= s.weights.LeastBeside
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
	p := s.prose
	return slices.ContainsFunc(p.mentions, func(m mention) bool {
		return m.from == q.to && m.weight >= s.weights.ExactName && s.vocabulary.terms[m.variable].number() && !m.told &&
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
