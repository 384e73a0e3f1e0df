package language

import (
	"slices"

	"reckon/engine"
	"reckon/engine/value"
)

// contested refuses an amount whose words name a variable that another amount takes, or, right
// behind a bare number, speak of it: the "600 people" beside "40 musicians".
func (s *search) contested(best *combination) *value.Error {
	for i, k := range best.picks {
		l := &s.list[i]
		if k.variable < 0 || len(l.candidates) == 0 {
			continue
		}
		for _, top := range l.candidates {
			same := top.score > k.score && top.linked && min(top.name, k.name) >= 0 && k.linked && s.prose.mentions[top.name].weight >= s.weights.ExactName && s.prose.mentions[k.name].weight < s.weights.ExactName &&
				s.prose.mentions[top.name].from == s.prose.mentions[k.name].from && s.prose.mentions[top.name].to == s.prose.mentions[k.name].to // "the running time is 50 minutes, with a running time of 70"
			counted := l.quantity >= 0 && s.counted(&s.prose.quantities[l.quantity]) && s.names(top.variable, l.to) && !s.names(k.variable, l.to) && k.name >= 0 && s.prose.mentions[k.name].to <= l.from // "the book has 160 pages"
			if top.score <= k.score+s.weights.LeastContest && !same && !counted {
				break
			}
			j := slices.IndexFunc(best.picks, func(o candidate) bool { return o.variable == top.variable })
			if j >= 0 && j != i && (top.linked || k.evidence == 0 && l.quantity >= 0 && s.followed(&s.prose.quantities[l.quantity]) && top.name >= 0 && s.prose.mentions[top.name].from == l.to) {
				return s.twice(top.variable, &s.list[j], l)
			}
		}
	}
	return nil
}

// bound refuses an amount right behind the whole name of a variable that cannot take it: "box
// weight 3 metres" gives no other variable its value. The name of what is asked for binds as well
// where the prompt closes by asking for something else: "length 40 litres, width 20 m, area?"
func (s *search) bound(best *combination) *value.Error {
	p := s.prose
	closing := slices.ContainsFunc(p.mentions, func(m mention) bool {
		return m.variable != best.target && !gives(best.picks, m.variable) && s.headlined(m.variable) && p.closes(&m)
	})
	joined, _ := s.joinedNames(best)
	for i, k := range best.picks {
		l := &s.list[i]
		if k.variable >= 0 && l.quantity >= 0 && s.vocabulary.terms[k.variable].number() && s.names(k.variable, l.to) {
			continue // "they paint 3 lines"
		}
		if k.variable < 0 || l.quantity < 0 || l.change != nil || p.quantities[l.quantity].weak || k.linked && k.name >= 0 && p.mentions[k.name].from == l.to+1 && p.tokens[l.to].is("partitive") || bareOnly(p.quantities[l.quantity]) && p.tokens[l.to-1].is("multiplied") {
			continue
		}
		for at := range p.mentions {
			m := &p.mentions[at]
			if m.from > 0 && m.to == m.from+1 && p.tokens[m.from-1].is("subject") {
				continue // "we drill 48 metres"
			}
			if m.other || s.vocabulary.terms[m.variable].moment() && m.to == m.from+1 && !p.quantities[l.quantity].moment { // "pours 1,500 g"
				continue
			}
			if m.variable == best.target && !closing && !s.headsOther(m) || m.weight < s.weights.ExactName || m.to > l.from || p.tokens[m.to-1].is("grammar") || m.to-m.from == 1 && p.tables.said(p.tokens[m.from].fold) || gives(best.picks, m.variable) || !p.states(m.to, l.from) && !p.attached(m, l.from) || slices.Contains(joined, m.variable) && (p.heads(m) || p.tokens[m.to].fold == ":") {
				continue
			}
			rival := slices.ContainsFunc(p.mentions, func(o mention) bool {
				return o.variable == k.variable && o.weight >= s.weights.LeastWord && o.overlaps(m)
			})
			able := slices.ContainsFunc(l.candidates, func(c candidate) bool { return c.variable == m.variable })
			if !able && !rival {
				return notUnderstood(s.say("for", quoted(p.fragment(l.from, l.to)), s.title(m.variable)))
			}
		}
	}
	return nil
}

// misnamed refuses an amount of another kind than what it is said to be an amount of, behind "a" or
// where the prompt closes by asking for something else: "a volume of 4000 kg", "wing area of 40
// minutes, fluid per aircraft?" Who asks says "the cost of 300 miles".
func (s *search) misnamed(best *combination) *value.Error {
	p := s.prose
	closing := func(but int) bool { // another result is asked for
		return len(p.questions) == 0 && slices.ContainsFunc(p.mentions, func(o mention) bool {
			return o.variable != but && o.weight >= s.weights.ExactName && s.vocabulary.terms[o.variable].output && p.closes(&o)
		})
	}
	for i, k := range best.picks {
		l := &s.list[i]
		if k.variable < 0 || l.quantity < 0 || l.change != nil || l.from < 2 || !p.tokens[l.from-1].is("partitive") || len(p.quantities[l.quantity].readings) == 0 || p.quantities[l.quantity].readings[0].unit == nil {
			continue
		}
		for at := range p.mentions {
			m := &p.mentions[at]
			if m.to == l.from-1 && (m.from > 0 && p.tokens[m.from-1].is("indefinite") || m.variable == best.target && !s.vocabulary.terms[m.variable].output && closing(m.variable)) && m.weight >= s.weights.ExactName && !m.other && !p.tables.said(p.tokens[m.to-1].fold) &&
				!slices.ContainsFunc(p.mentions, func(o mention) bool {
					return o.variable == k.variable && o.to == m.to && o.weight >= s.weights.LeastWord
				}) &&
				!slices.ContainsFunc(l.candidates, func(c candidate) bool { return c.variable == m.variable }) {
				return notUnderstood(s.say("for", quoted(p.fragment(l.from, l.to)), s.title(m.variable)))
			}
		}
	}
	return nil
}

// headsOther reports whether a first prompt without a question opens with the whole name of another
// result than a name is of: "raw wool from 30 sheep, fleece weight 3 hours".
func (s *search) headsOther(m *mention) bool {
	p := s.prose
	return s.base == nil && len(p.questions) == 0 && p.asked == nil && slices.ContainsFunc(p.mentions, func(o mention) bool {
		return o.variable != m.variable && o.from == 0 && o.weight >= s.weights.ExactName && s.vocabulary.terms[o.variable].derived
	})
}

// states reports whether the words between a name and an amount say that the one is the other, or
// there are none.
func (p *prose) states(from, to int) bool {
	for _, t := range p.tokens[from:to] {
		if !t.is("stating") {
			return false
		}
	}
	return true
}

// attached reports whether "at", "with" or the like stand before a name and "of" between it and an
// amount: "at a portion size of 3 hours".
func (p *prose) attached(m *mention, amount int) bool {
	before := m.from - 1
	for before > 0 && p.tokens[before].is("article") {
		before--
	}
	return before >= 0 && p.tokens[before].is("attaches") && amount == m.to+1 && p.tokens[m.to].is("partitive")
}

// slid refuses two amounts of one kind, joined by "and" or "or", of which only one is named: both
// may be meant for its variable. A number without a noun has the unit of the amount that it is
// joined to: "40 and 90 euros".
func (s *search) slid(best *combination) *value.Error {
	p := s.prose
	for i := 1; i < len(best.picks); i++ {
		a, b := &best.picks[i-1], &best.picks[i]
		x, y := &s.list[i-1], &s.list[i]
		if x.quantity >= 0 && (s.sides(&p.quantities[x.quantity]) || p.quantities[x.quantity].labels()) || y.quantity >= 0 && p.quantities[y.quantity].labels() {
			continue // "8 metres by 4 and 1.4 metres deep"
		}
		if a.variable < 0 || b.variable < 0 || x.quantity < 0 || y.quantity < 0 || !p.pairs(x.to, y.from) {
			continue
		}
		t, u := &s.vocabulary.terms[a.variable], &s.vocabulary.terms[b.variable]
		if q := &p.quantities[y.quantity]; t.dimension != u.dimension && bareOnly(p.quantities[x.quantity]) && !q.weak && q.readings[0].unit != nil && a.evidence < s.weights.LeastNamed {
			return s.twice(b.variable, x, y)
		}
		if t.kind == u.kind && t.dimension == u.dimension && a.evidence < s.weights.LeastNamed && b.evidence < s.weights.LeastNamed {
			swapped := *best
			swapped.picks = slices.Clone(best.picks)
			swapped.picks[i-1].text, swapped.picks[i].text = b.text, a.text
			if one, ok := s.value(best); ok {
				if other, ok := s.value(&swapped); !ok || !one.Equal(other) {
					return ambiguous(s.say("two as one", s.title(a.variable), s.title(b.variable), quoted(p.fragment(x.from, y.to))))
				}
			}
		}
		if t.kind == u.kind && t.dimension == u.dimension && (a.evidence >= s.weights.LeastNamed) != (b.evidence >= s.weights.LeastNamed) {
			named := a
			if b.evidence > a.evidence {
				named = b
			}
			return s.twice(named.variable, x, y)
		}
	}
	return nil
}

// pairs reports whether nothing stands between two amounts but what joins them, and an article: "a
// 15 kg and a 3 kg".
func (p *prose) pairs(from, to int) bool {
	return from < to && p.tokens[from].is("pairs") && (to == from+1 || to == from+2 && p.tokens[from+1].is("article"))
}

// listedValues refuses several bare amounts in a row of which only the last is named: they are
// values of one variable, "for 40, 50 and 60 guests", "at 15 and at 18 francs".
func (s *search) listedValues(best *combination) *value.Error {
	p := s.prose
	for i := 1; i < len(best.picks); i++ {
		a, b := &best.picks[i-1], &best.picks[i]
		x, y := &s.list[i-1], &s.list[i]
		if a.variable < 0 || b.variable < 0 || x.quantity < 0 || y.quantity < 0 || x.change != nil || y.from <= x.to || y.from-x.to > 2 {
			continue
		}
		q := &p.quantities[x.quantity]
		if s.repeats(x, y) && (a.evidence < s.weights.LeastNamed || b.evidence < s.weights.LeastNamed) {
			return s.twice(b.variable, x, y)
		}
		joint := p.tokens[x.to]
		if !bareOnly(*q) || q.weak || joint.fold != "," && !joint.is("joining") || y.from-x.to == 2 && !p.tokens[x.to+1].is("attaches") {
			continue
		}
		if a.linked && a.name >= 0 && p.mentions[a.name].to <= x.from || x.from == 0 || !p.tokens[x.from-1].is("attaches") && !(i > 1 && s.list[i-2].to == x.from-1) || s.sides(q) {
			continue
		}
		if joint.fold == "," && (y.from-x.to > 1 || !bareOnly(p.quantities[y.quantity]) || p.tokens[x.from-1].is("at rate")) {
			continue
		}
		return s.twice(b.variable, x, y)
	}
	return nil
}

// repeats reports whether two amounts in one unit are joined with the same preposition before each:
// "for $10,000 and for $12,000".
func (s *search) repeats(x, y *slot) bool {
	p := s.prose
	a, b := &p.quantities[x.quantity], &p.quantities[y.quantity]
	if x.from == 0 || y.from-x.to != 2 || !p.tokens[x.to].is("joining") || !p.tokens[x.to+1].is("attaches") || p.tokens[x.to+1].fold != p.tokens[x.from-1].fold {
		return false
	}
	return len(a.readings) > 0 && len(b.readings) > 0 && a.readings[0].unit != nil && sameUnit(a.readings[0].unit, b.readings[0].unit)
}

// eitherResult refuses money that no words name where it may be one of several results of
// equations: "for 100 euros", net or with tax.
func (s *search) eitherResult(best *combination) *value.Error {
	unnamed := func(k *candidate) bool {
		t := &s.vocabulary.terms[k.variable]
		return t.output && t.money() && k.evidence < s.weights.LeastWord && !k.relative && !s.inBase(k.variable)
	}
	for i := range best.picks {
		k := &best.picks[i]
		if k.variable < 0 || !unnamed(k) {
			continue
		}
		for c := range s.list[i].candidates {
			other := &s.list[i].candidates[c]
			if other.variable < 0 || other.variable == k.variable || other.variable == best.target || !unnamed(other) ||
				gives(best.picks, other.variable) {
				continue
			}
			t, u := &s.vocabulary.terms[k.variable], &s.vocabulary.terms[other.variable]
			if t.kind != u.kind || t.dimension != u.dimension {
				continue
			}
			swapped := best.with(i, other)
			one, ok := s.value(best)
			two, also := s.value(&swapped)
			if ok && also && !one.Equal(two) || ok && s.base == nil && s.pending == nil && s.sums(other.variable, k.variable) && !s.earned(other.variable) {
				return s.choose([]combination{*best, swapped})
			}
		}
	}
	return nil
}

// sums reports whether an equation yields a variable from another one.
func (s *search) sums(variable, part int) bool {
	d := s.vocabulary.domain
	for a, activity := range d.Activities {
		if !activity.Disabled && d.Output(a) == variable && slices.Contains(d.References(a), part) {
			return true
		}
	}
	return false
}

// eitherVariable refuses an amount where another variable could take it as well, as far as words
// tell, and gives another result.
func (s *search) eitherVariable(best *combination) *value.Error {
	p := s.prose
	for i := range best.picks {
		k := &best.picks[i]
		if k.variable < 0 || k.relative || s.list[i].quantity < 0 || s.inBase(k.variable) || p.quantities[s.list[i].quantity].weak {
			continue
		}
		for c := range s.list[i].candidates {
			o := &s.list[i].candidates[c]
			if !best.leaves(k, o) || s.inBase(o.variable) {
				continue
			}
			t, u := &s.vocabulary.terms[k.variable], &s.vocabulary.terms[o.variable]
			if t.kind != u.kind || t.dimension != u.dimension || u.output != t.output || k.evidence-o.evidence > s.weights.MostWords || k.linked != o.linked {
				continue
			}
			swapped := best.with(i, o)
			if d := s.derive(swapped.picks, best.target); !d.ok || d.used < d.stated || d.steps > best.plan.steps || d.defaults > best.plan.defaults {
				continue
			}
			one, ok := s.value(best)
			two, also := s.value(&swapped)
			if ok && also && !one.Equal(two) {
				return s.choose([]combination{*best, swapped})
			}
		}
	}
	return nil
}

// alikeNamed refuses an amount that one loose word names, where it is as much a part of the name of
// another input that would take part in the answer: "the price is 3 dollars", of slices or of bags.
func (s *search) alikeNamed(best *combination) *value.Error {
	p := s.prose
	if s.pending != nil || best.target < 0 {
		return nil
	}
	for i := range best.picks {
		k := &best.picks[i]
		if k.variable < 0 || k.relative || s.list[i].quantity < 0 || k.name < 0 || p.quantities[s.list[i].quantity].weak {
			continue
		}
		if p.mentions[k.name].weight >= s.weights.ExactName {
			continue
		}
		for c := range s.list[i].candidates {
			o := &s.list[i].candidates[c]
			if !best.leaves(k, o) || o.name < 0 || o.evidence < s.weights.LeastNamed || !s.alike(k, o) || s.base != nil && !s.keptAlike(k.variable, o.variable) {
				continue
			}
			if t, u := &s.vocabulary.terms[k.variable], &s.vocabulary.terms[o.variable]; t.output || u.output {
				other := best.with(i, o)
				if d, m := s.derive(other.picks, best.target), &p.mentions[k.name]; t.output != u.output && m.to <= s.list[i].from && p.states(m.to, s.list[i].from) && d.ok && d.used == d.stated {
					return s.choose([]combination{*best, other}) // "the time is 4 minutes", of a set or of a match
				}
				continue
			}
			both := append(slices.Clone(best.picks), *o)
			helps := func(target int) bool {
				d := s.derive(both, target)
				return d.ok && d.used > s.derive(best.picks, target).used
			}
			if slices.ContainsFunc(append([]int{best.target}, best.together...), helps) {
				return s.choose([]combination{*best, best.with(i, o)})
			}
		}
	}
	return nil
}

// keptAlike reports whether two variables have values in a scenario that were told, both of them or
// neither, and not just now.
func (s *search) keptAlike(one, other int) bool {
	a, b := s.baseValue(one), s.baseValue(other)
	return a != nil && b != nil && a.Source == b.Source && a.Source != engine.Calculated && s.justSaid(a) == s.justSaid(b)
}

// ratherOther refuses an amount that a first turn leaves to a result of equations although, by its
// words, it would rather be another variable's, with which nothing that is asked for follows:
// "what's the profit if a jar costs 15 francs?"
func (s *search) ratherOther(best *combination) *value.Error {
	if s.base != nil || s.pending != nil || best.target < 0 || !s.vocabulary.terms[best.target].output || best.plan.defaults < 2 {
		return nil
	}
	for i := range best.picks {
		k := &best.picks[i]
		if k.variable < 0 || k.relative || !s.vocabulary.terms[k.variable].output {
			continue
		}
		for c := range s.list[i].candidates {
			o := &s.list[i].candidates[c]
			if best.leaves(k, o) && o.score > k.score && o.evidence >= s.weights.LeastNamed && !s.vocabulary.terms[o.variable].output {
				return s.choose([]combination{best.with(i, o), *best})
			}
		}
	}
	return nil
}

// alike reports whether one word names two variables of a kind about as surely, and is the head of
// a name of both.
func (s *search) alike(k, o *candidate) bool {
	m, n := &s.prose.mentions[k.name], &s.prose.mentions[o.name]
	t, u := &s.vocabulary.terms[k.variable], &s.vocabulary.terms[o.variable]
	return n.from == m.from && n.to == m.to && max(m.weight, n.weight)-min(m.weight, n.weight) <= s.weights.MostExplained &&
		t.kind == u.kind && (t.dimension == u.dimension || t.priced && u.priced) && s.headed(k.variable, m.to-1) && s.headed(o.variable, m.to-1)
}

// headed reports whether a word is the head of a name of a variable: that of the price in "Slice
// price" and "Price per night".
func (s *search) headed(variable, at int) bool {
	of := s.vocabulary.tables
	return slices.ContainsFunc(names(&s.vocabulary.domain.Variables[variable]), func(text string) bool {
		words := splitWords(text)
		i := slices.IndexFunc(words, func(w string) bool { return of.stem(w) == s.prose.stems[at] })
		return i >= 0 && (i+1 == len(words) || of.said(words[i+1])) && !slices.ContainsFunc(words[:i], func(w string) bool { return of.wordIs(w, "partitive") })
	})
}

// twice is the doubt about two amounts for one variable.
func (s *search) twice(variable int, a, b *slot) *value.Error {
	p := s.prose
	return ambiguous(s.say("one of two", s.title(variable), quoted(p.fragment(a.from, a.to)), quoted(p.fragment(b.from, b.to))))
}
