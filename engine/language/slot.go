package language

import (
	"cmp"
	"slices"
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

// slots lists what must be assigned.
func (s *search) slots() []slot {
	p := s.prose
	s.rate = make([]bool, len(p.quantities))
	for i := range p.quantities {
		to := p.quantities[i].to
		s.rate[i] = s.partOfRate(p.quantities[i].from, i) || slices.ContainsFunc(p.quantities[:i], func(q quantity) bool { return q.over == to && !s.counted(&q) }) ||
			slices.ContainsFunc(p.quantities[i:], func(q quantity) bool { return q.per == to })
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
		if s.idle(q) || s.coded(q) {
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
		if l.quantity >= 0 && (l.change == nil || !l.change.sure || s.base == nil && len(l.candidates) == 0 || s.base != nil && l.change.from < l.from && s.newlyCounted(&p.quantities[l.quantity])) {
			if !s.rate[l.quantity] {
				l.candidates = append(l.candidates, s.valueCandidates(i, l)...)
			}
			if q := &s.prose.quantities[l.quantity]; q.weak && !s.alone(q) && !(q.share && l.change != nil && l.change.sure) {
				l.candidates = append(l.candidates, candidate{slot: i, variable: -1, score: s.weights.ForUnread, name: -1})
			}
		}
		if l.change != nil && l.quantity >= 0 && s.base != nil && slices.ContainsFunc(l.candidates, s.unheard(l)) { // "plus 131 children"
			l.candidates = slices.DeleteFunc(l.candidates, func(k candidate) bool { return !s.unheard(l)(k) })
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
	s.takeTurns(list)
	for _, v := range s.announcedResults() {
		for i := range list {
			list[i].candidates = slices.DeleteFunc(list[i].candidates, func(k candidate) bool { return k.variable == v })
		}
	}
	for i := range list {
		list[i].dropped = list[i].dropped || s.toldAgain(&list[i], list) || s.scenery(&list[i]) || slices.ContainsFunc(list[:i], s.sameChoice(&list[i]))
	}
	list = slices.DeleteFunc(list, func(l slot) bool { return len(l.candidates) == 0 && !l.dropped && s.pair(&l) })
	for i := range list {
		for k := range list[i].candidates {
			list[i].candidates[k].slot = i
		}
	}
	return list
}

// takeTurns leaves amounts to the names before them where a prompt is nothing but names and amounts
// in turn, and closes with that of a result: "nurses 6 nurse wage 29 staff cost".
func (s *search) takeTurns(list []slot) {
	p := s.prose
	named := func(from, to int) []int {
		var variables []int
		for i := range p.mentions {
			if m := &p.mentions[i]; m.from == from && m.to == to && m.weight >= s.weights.ExactName && !m.told {
				variables = append(variables, m.variable)
			}
		}
		return variables
	}
	owners, at := make([][]int, len(list)), 0
	for i := range list {
		if l := &list[i]; l.quantity >= 0 && l.from > at {
			owners[i] = named(at, l.from)
		}
		if !slices.ContainsFunc(list[i].candidates, func(k candidate) bool { return slices.Contains(owners[i], k.variable) }) {
			return
		}
		at = list[i].to
	}
	end := len(p.tokens)
	for end > at && p.tokens[end-1].kind == mark {
		end--
	}
	if len(list) < 2 || at == end || !slices.ContainsFunc(named(at, end), func(v int) bool { return s.vocabulary.terms[v].output }) {
		return
	}
	for i := range list {
		list[i].candidates = slices.DeleteFunc(list[i].candidates, func(k candidate) bool { return !slices.Contains(owners[i], k.variable) })
	}
}

// announcedResults are the results that are named before a colon, two or more of them, and that no
// amount behind it gives: "hire, cost and time per song: 9 hours, 6 songs".
func (s *search) announcedResults() (list []int) {
	p := s.prose
	colon := slices.IndexFunc(p.tokens, func(t token) bool { return t.fold == ":" })
	if colon < 0 || p.anyAmount(0, colon) {
		return nil
	}
	for i := range p.mentions {
		m := &p.mentions[i]
		if m.to <= colon && m.weight >= s.weights.ExactName && !m.told && !m.other && s.vocabulary.terms[m.variable].output && !slices.Contains(list, m.variable) {
			list = append(list, m.variable)
		}
	}
	if len(list) < 2 {
		return nil
	}
	return list
}

// sameChoice says which slots have another label of the same choice in a sentence before: a
// "junior" tournament, in which 48 "kids" take part.
func (s *search) sameChoice(l *slot) func(slot) bool {
	p := s.prose
	return func(o slot) bool {
		apart := func(t token) bool { return t.border() == stopBorder }
		return !o.dropped && o.to <= l.from && slices.ContainsFunc(p.tokens[o.to:l.from], apart) && o.quantity >= 0 && l.quantity >= 0 && p.quantities[o.quantity].labels() && p.quantities[l.quantity].labels() &&
			p.quantities[o.quantity].readings[0].of < 0 && p.quantities[l.quantity].readings[0].of < 0 &&
			s.vocabulary.sameChoice(p.quantities[o.quantity].readings[0].text, p.quantities[l.quantity].readings[0].text)
	}
}

// scenery reports whether a number in words counts what nobody knows in a sentence that only tells
// a story beside the one that asks: "Two brothers run a farm."
func (s *search) scenery(l *slot) bool {
	p := s.prose
	return len(l.candidates) == 0 && l.quantity >= 0 && (l.change == nil || s.base == nil && !l.change.sure) && bareOnly(p.quantities[l.quantity]) && p.tokens[l.from].kind == word && l.to-l.from == 1 &&
		p.told(l.from) && s.foreignNoun(l.to) && s.things(l.to)
}

// toldAgain reports whether an amount that no words name is told as well for what words here name:
// "a camp of 46 pupils, well, 46 visitors", "fifteen dollars is cheap, say at a selling price of
// $15".
func (s *search) toldAgain(l *slot, list []slot) bool {
	p := s.prose
	if l.quantity < 0 || l.change != nil {
		return false
	}
	q := &p.quantities[l.quantity]
	if slices.ContainsFunc(list, func(o slot) bool {
		return o.quantity > l.quantity && s.sameAmount(l, &o) || o.quantity >= 0 && !o.dropped && s.inOtherWords(&o, l)
	}) {
		return true
	}
	if !bareOnly(*q) && len(q.readings) > 0 && q.readings[0].unit != nil && !q.weak {
		return len(l.candidates) > 0 && l.candidates[0].evidence < s.weights.LeastNamed && slices.ContainsFunc(list, func(o slot) bool {
			return o.quantity > l.quantity && o.change == nil && len(o.candidates) > 0 && o.candidates[0].linked && o.candidates[0].evidence >= s.weights.LeastNamed &&
				p.quantities[o.quantity].readings[0].text == q.readings[0].text
		})
	}
	if !bareOnly(*q) || len(l.candidates) > 0 && l.candidates[0].evidence >= s.weights.LeastNamed {
		return false
	}
	counts := len(l.candidates) == 0 || s.followed(q) || s.countsLabel(q)
	return slices.ContainsFunc(list, func(o slot) bool {
		return (counts || o.from > l.to && anyIs(p.tokens[l.to:o.from], "concluding")) && o.quantity >= 0 && o.quantity != l.quantity && o.change == nil && bareOnly(p.quantities[o.quantity]) && s.counted(&p.quantities[o.quantity]) &&
			p.quantities[o.quantity].readings[0].text == p.quantities[l.quantity].readings[0].text && !s.countsOthers(l, &o)
	})
}

// sameAmount reports whether two amounts are the same value of the same variable, which words of
// one of them name: "a price per frame of 12 cents, i.e. 0.12 EUR".
func (s *search) sameAmount(l, o *slot) bool {
	p := s.prose
	if l.change != nil || o.change != nil || len(l.candidates) == 0 || len(o.candidates) == 0 || p.quantities[l.quantity].labels() || s.sides(&p.quantities[l.quantity]) || s.countsOthers(l, o) {
		return false
	}
	a, b := &l.candidates[0], &o.candidates[0]
	if a.variable < 0 || a.variable != b.variable || a.relative || b.relative || max(a.evidence, b.evidence) < s.weights.LeastNamed {
		return false
	}
	return s.sameValue(a, b)
}

// countsOthers reports whether one of two numbers is one of what nobody knows, and joined to the
// other or behind it: "40 copies and 40 envelopes", but not "46 pupils, well, 46 visitors".
func (s *search) countsOthers(l, o *slot) bool {
	p := s.prose
	if o.from < l.from {
		l, o = o, l
	}
	return s.ofStranger(&p.quantities[o.quantity]) || s.ofStranger(&p.quantities[l.quantity]) && anyIs(p.tokens[l.to:o.from], "joining")
}

// sameValue reports whether two candidates give a variable the same value.
func (s *search) sameValue(a, b *candidate) bool {
	one, errs := s.vocabulary.given(a.variable, a.text, s.env)
	other, more := s.vocabulary.given(b.variable, b.text, s.env)
	return len(errs)+len(more) == 0 && one.Value.Equal(other.Value)
}

// inOtherWords reports whether an amount that no words name says what a named one right before it
// does, behind a word that sums up: "a price of 30 cents, so 0.30 EUR".
func (s *search) inOtherWords(named, l *slot) bool {
	p := s.prose
	if named.to >= l.from || named.change != nil || len(named.candidates) == 0 || len(l.candidates) == 0 || !anyIs(p.tokens[named.to:l.from], "concluding") {
		return false
	}
	for at := named.to; at < l.from; at++ {
		if p.within[at] >= 0 || p.meaning[at] == content {
			return false
		}
	}
	of := &named.candidates[0]
	at := slices.IndexFunc(l.candidates, func(k candidate) bool { return k.variable == of.variable && !k.relative })
	if of.variable < 0 || of.relative || of.evidence < s.weights.LeastNamed || at < 0 || l.candidates[0].evidence >= s.weights.LeastNamed {
		return false
	}
	return s.sameValue(of, &l.candidates[at])
}

// concluded says which slots tell once more, behind a word that sums up, what a slot before them
// tells, "our 2 kids, so 2 adults and 2 children", or comes to: "two are ill, so 24 pupils".
func (s *search) concluded(l *slot) func(slot) bool {
	named := func(o *slot) bool {
		return o.change == nil && len(o.candidates) > 0 && o.candidates[0].variable >= 0 && o.candidates[0].evidence >= s.weights.LeastNamed
	}
	return func(o slot) bool {
		if !named(&o) || l.to > o.from || !anyIs(s.prose.tokens[l.to:o.from], "concluding") {
			return false
		}
		comes := func(k candidate) bool {
			return k.variable == o.candidates[0].variable && k.text == o.candidates[0].text
		}
		return named(l) && comes(l.candidates[0]) || slices.ContainsFunc(l.candidates, func(k candidate) bool { return k.relative && comes(k) })
	}
}

// newlyCounted reports whether a number counts what nothing is known of yet.
func (s *search) newlyCounted(q *quantity) bool {
	return bareOnly(*q) && slices.ContainsFunc(s.prose.mentions, func(m mention) bool {
		return m.from == q.to && s.names(m.variable, q.to) && s.baseValue(m.variable) == nil && s.vocabulary.terms[m.variable].number()
	})
}

// unheard says which candidates are values of what the noun right behind a bare number names, where
// nothing of it is known yet, so that there is nothing to change.
func (s *search) unheard(l *slot) func(candidate) bool {
	q := &s.prose.quantities[l.quantity]
	return func(k candidate) bool {
		return k.variable >= 0 && !k.relative && bareOnly(*q) && s.baseValue(k.variable) == nil && s.names(k.variable, q.to)
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
// one names: "3 machines are broken, so 2 run". So it is with one that corrects another one: "4
// lanes is too many, say 3".
func (s *search) ledBy(l *slot, list []candidate) []candidate {
	p := s.prose
	if l.quantity != len(p.quantities)-1 || len(list) == 0 {
		return list
	}
	for i := range p.quantities {
		corrects := p.replaced[i] && i+1 == l.quantity && p.void[p.quantities[i].from] && bareOnly(p.quantities[l.quantity]) && !s.followed(&p.quantities[l.quantity])
		led := func(k candidate) bool {
			return slices.ContainsFunc(p.mentions, func(m mention) bool {
				return m.variable == k.variable && m.from == p.quantities[i].to && m.weight >= s.weights.ExactName
			})
		}
		if (corrects || s.base != nil && list[0].evidence < s.weights.LeastNamed && p.ledTo(i)) && slices.ContainsFunc(list, led) {
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
			return k.variable >= 0 && s.vocabulary.terms[k.variable].number() && k.evidence >= s.weights.LeastNamed && k.name >= 0 && p.mentions[k.name].from >= l.to
		}) {
			l.candidates = slices.DeleteFunc(l.candidates, measured)
		}
	}
	if s.counted(&p.quantities[l.quantity]) { // "40 patients"
		part := func(k candidate) bool { // called by a part of that name
			return !s.names(k.variable, l.to) && k.name >= 0 && (p.mentions[k.name].from == l.to || s.plainly(k.variable)) // "how many reels are 33000 images"
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
		return m.variable == variable && m.from == at && m.weight >= s.weights.ExactName && !m.told && !anyIs(s.prose.tokens[m.from:m.to], "attaches")
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

// partOfRate reports whether words such as "an hour" only say per what an amount before them is.
func (s *search) partOfRate(from, quantity int) bool {
	p := s.prose
	if q := &p.quantities[quantity]; from == 0 || !q.weak || q.share || q.labels() || q.none {
		return false
	}
	return p.within[from-1] >= 0 || slices.ContainsFunc(p.changes, func(c change) bool { return c.to == from })
}
