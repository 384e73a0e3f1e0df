package language

import (
	"slices"

	"reckon/engine/units"
	"reckon/engine/value"
)

// anyThing stands for a thing that is not named: "each", "apiece".
const anyThing = ""

// eachOf tells, by stem, for one of which things a variable is told, and how surely: its name says
// so ("Price of a ball", "Honey per hive"), its description does ("in one jar"), or its name is
// that of a measure of a kind of thing ("Jar price").
func (t *tables) eachOf(def *value.Variable, measure bool) map[string]float64 {
	each := map[string]float64{}
	add := func(stem string, surely float64) { each[stem] = max(each[stem], surely) }
	w := committed()
	for _, name := range names(def) {
		list := splitWords(name)
		for i := range list {
			switch {
			case t.wordIs(list[i], "per word") && i+1 < len(list):
				add(t.stem(list[i+1]), 1)
			case t.wordIs(list[i], "each"):
				add(anyThing, 1)
			case measure && i+1 < len(list) && !t.said(list[i]):
				add(t.stem(list[i]), w.EachKind)
			}
		}
	}
	list := splitWords(def.Description)
	for i := 0; i+1 < len(list); i++ {
		if t.wordIs(list[i], "per word") {
			add(t.stem(list[i+1]), w.EachOne)
		}
	}
	return each
}

// fitsEach says how surely a variable is told for one of some things.
func (w *weights) fitsEach(t *term, things []string) (fit float64) {
	for _, thing := range things {
		if thing != anyThing {
			fit = max(fit, t.each[thing])
			continue
		}
		for _, surely := range t.each {
			if !t.output || surely > w.EachKind { // a "gel cost" that an equation yields is that of all gels
				fit = max(fit, w.EachOther*surely)
			}
		}
	}
	return fit
}

// scoreEach prefers, for an amount that is told for each of a thing, the variables that are.
func (s *search) scoreEach(q *quantity, list []candidate) {
	things := s.prose.things(q)
	if len(things) == 0 || s.valued(q, list) {
		return
	}
	fits := make([]float64, len(list))
	fit := func(things []string) (best float64) {
		for i := range list {
			fits[i] = s.weights.fitsEach(&s.vocabulary.terms[list[i].variable], things)
			best = max(best, fits[i])
		}
		for i := range list { // a "lesson cost" that an equation yields is that of all lessons
			if t := &s.vocabulary.terms[list[i].variable]; t.output && fits[i] > 0 && fits[i] <= s.weights.EachKind && slices.ContainsFunc(list, func(k candidate) bool {
				u := &s.vocabulary.terms[k.variable]
				return !u.output && u.dimension == t.dimension && s.weights.fitsEach(u, things) >= fits[i]
			}) {
				fits[i] = 0
			}
		}
		return best
	}
	named := slices.DeleteFunc(slices.Clone(things), func(thing string) bool { return thing == anyThing })
	if fit(named) < 1 && s.content(q, list) {
		return
	}
	if fit(named) < s.weights.EachOther && (len(named) == len(things) || fit(things) < s.weights.EachOther*s.weights.EachKind) {
		return
	}
	for i := range list {
		if fits[i] > 0 {
			list[i].score += s.weights.ForEach * fits[i]
		} else {
			list[i].score += s.weights.AgainstEach
		}
	}
}

// valued reports whether an amount is the value of what the words before "of" name, "orders of 12",
// or of what those right behind it name: "a $350,000 mortgage".
func (s *search) valued(q *quantity, list []candidate) bool {
	of := q.from > 0 && s.prose.tokens[q.from-1].is("partitive")
	return slices.ContainsFunc(list, func(k candidate) bool {
		if !k.linked || k.name < 0 || s.prose.mentions[k.name].weight < s.weights.ExactName || bareOnly(*q) && s.counted(q) {
			return false // "seven guests sit at each table"
		}
		name := s.prose.mentions[k.name]
		return of && name.to == q.from-1 || name.from == q.to
	})
}

// content reports whether an amount is that of what the words behind "of" name, within one thing:
// "4 kg of water in a dough".
func (s *search) content(q *quantity, list []candidate) bool {
	p := s.prose
	if q.to >= len(p.tokens) || !p.tokens[q.to].is("partitive") || anyIs(p.tokens[max(0, q.from-eachBefore):min(len(p.tokens), q.to+eachBehind)], "each") {
		return false
	}
	return slices.ContainsFunc(list, func(k candidate) bool {
		return k.linked && k.name >= 0 && p.mentions[k.name].weight >= s.weights.ExactName && p.mentions[k.name].from == q.to+1
	})
}

// How far from an amount the words stand that tell what it is for each of.
const (
	eachBefore = 8
	eachBehind = 6
)

// things are the stems of those of which each has an amount: "18 kg per hive", "each box weighs
// 12 kg", "jars of 400 g", "a 10 mm eyepiece"; anyThing of "7 each".
func (p *prose) things(q *quantity) []string {
	if list := p.thingsBehind(q); list != nil {
		return list
	}
	return p.thingsBefore(q)
}

func (p *prose) thingsBehind(q *quantity) []string {
	at := q.to
	for n := 0; n < eachBehind && at < len(p.tokens) && p.tokens[at].kind == word; n++ {
		t := &p.tokens[at]
		if k := p.within[at]; k >= 0 {
			if t.is("one") && p.quantities[k].weak && p.quantities[k].to == at+1 && n > 0 {
				return p.thingAt(at + 1) // "60 guests share one toilet"
			}
			break
		}
		switch {
		case t.is("each"):
			if thing := p.thingAt(at + 1); thing != nil {
				return thing
			}
			return append(p.thingsCounted(q), anyThing)
		case t.is("indefinite") && (n == 0 || p.meaning[at-1] == content || p.tokens[at-1].is("holding")):
			if p.headsAmount(at + 1) {
				return nil
			}
			return p.thingAt(at + 1)
		case t.border() == conjunctionBorder || t.border() == clauseBorder || t.border() == contrastBorder:
			return nil
		}
		at++
	}
	if len(q.readings) > 0 && q.readings[0].unit != nil {
		return p.thingAt(q.to) // "100 mg tablets"
	}
	return nil
}

// headsAmount reports whether the whole name of a variable starts at a token and has an amount of
// its own behind it: "tax of 9,000 on a taxable pay of 36,000".
func (p *prose) headsAmount(at int) bool {
	return slices.ContainsFunc(p.mentions, func(m mention) bool {
		if m.from != at || m.weight < p.weights.ExactName {
			return false
		}
		to := m.to
		for to < len(p.tokens) && (p.tokens[to].is("partitive") || p.tokens[to].is("stating")) {
			to++
		}
		return to < len(p.tokens) && p.within[to] >= 0 && !p.quantities[p.within[to]].weak
	})
}

// thingsCounted are those that stand between the amount before and this one: the adults of "80
// adults at 7 each".
func (p *prose) thingsCounted(q *quantity) (things []string) {
	for at := q.from - 1; at >= 0 && p.within[at] < 0 && p.tokens[at].border() != stopBorder; at-- {
		if thing := p.thingAt(at); thing != nil {
			return thing
		}
	}
	return nil
}

// findCounts notes which words say what an amount before them is for each of.
func (p *prose) findCounts() {
	for i := range p.quantities {
		q := &p.quantities[i]
		at := q.to
		for n := 0; n < eachBehind && at+1 < len(p.tokens) && p.within[at] < 0 && p.tokens[at].kind == word && (p.tokens[at].border() == noBorder || p.tokens[at].border() > conjunctionBorder); n++ {
			if p.tokens[at].is("each") && p.thingAt(at+1) != nil {
				p.counts[at], p.counts[at+1] = i, i
				break
			}
			at++
		}
	}
}

func (p *prose) thingsBefore(q *quantity) []string {
	if q.from > 1 && p.tokens[q.from-1].is("partitive") && p.tables.plural(&p.tokens[q.from-2]) {
		return p.thingAt(q.from - 2) // "jars of 400 g"
	}
	for at := q.from - 1; at >= 0 && at >= q.from-eachBefore; at-- {
		t := &p.tokens[at]
		if p.within[at] >= 0 && !p.quantities[p.within[at]].weak || t.border() != noBorder && t.border() <= clauseBorder {
			return nil
		}
		switch {
		case t.is("per"):
			return nil // it is that of another amount
		case t.is("each"):
			if p.tokens[at+1].is("common unit") {
				return nil // "how much each month to reach 50,000"
			}
			if thing := p.thingAt(at + 1); thing != nil {
				return thing
			}
			return []string{anyThing}
		case t.is("indefinite") && (at == 0 || p.tokens[at-1].kind == mark || p.tokens[at-1].is("opener") || p.tokens[at-1].is("that one")):
			if at+2 < q.from && p.tokens[at+2].is("partitive") {
				return nil // "a discount of 10%"
			}
			return p.thingAt(at + 1)
		}
	}
	return nil
}

// thingAt is the stem of the noun at a token, nil for none.
func (p *prose) thingAt(at int) []string {
	if at >= len(p.tokens) || p.tokens[at].kind != word || p.within[at] >= 0 || p.meaning[at] != content || p.tokens[at].is("common unit") {
		return nil
	}
	if p.meant[at] != "" {
		return []string{p.meant[at]}
	}
	return []string{p.stems[at]}
}

// behindEach is the token behind "per hive" at one, of "18 kg of honey per hive a year"; at where
// nothing such stands there.
func (p *prose) behindEach(s *scanner, at int) int {
	if at+1 < len(p.tokens) && p.tokens[at].is("per") && p.within[at] < 0 && !s.unitStarts(at+1) && p.thingAt(at+1) != nil {
		return at + 2
	}
	return at
}

// findRateOf reads an amount as a rate as well where what has it is one of a unit, and the domain
// has rates of that kind: "each hectare bears 5500 kg", "a litre covers 6 m2".
func (v *Vocabulary) findRateOf(p *prose, s *scanner, i int) {
	q := &p.quantities[i]
	if len(q.readings) == 0 || q.weak || q.none || q.labels() || q.moment || q.readings[0].kind == kindTable || q.readings[0].unit != nil && isRate(q.readings[0].unit) {
		return
	}
	one, per := (*units.Unit)(nil), 0
	for at := q.from - 1; at >= max(0, q.from-eachBefore) && one == nil; at-- {
		t := &p.tokens[at]
		if b := t.border(); b != noBorder && b <= conjunctionBorder {
			return
		}
		switch k := p.within[at]; {
		case k >= 0:
			of := &p.quantities[k]
			n, whole := int64(0), false
			if len(of.readings) > 0 && of.readings[0].unit != nil {
				n, whole = of.readings[0].number.Int64()
			}
			if !whole || n != 1 || of.to-of.from != 2 || !p.opens(of.from) {
				return
			}
			one, per = of.readings[0].unit, of.to
		case t.is("each"):
			unit, n := v.tables.scanUnit(p.tokens, at+1, v.domain.Units())
			if n == 0 || t.is("per") { // "appointments per day for 2 therapists"
				return
			}
			one = unit
		}
	}
	for at := q.to; one == nil && at < min(q.to+eachBehind, len(p.tokens)) && p.within[at] < 0 && p.tokens[at].kind == word && !p.tokens[at].is("per"); at++ {
		if b := p.tokens[at].border(); b != noBorder && b <= conjunctionBorder {
			break
		}
		if p.tokens[at].is("each") { // "16 litres of diesel on every hectare"
			if unit, n := v.tables.scanUnit(p.tokens, at+1, v.domain.Units()); n > 0 {
				one = unit
			}
			break
		}
	}
	left := q.readings[0].unit
	if left == nil {
		left = units.One
	}
	if one == nil || one.Dimension().IsNone() {
		return
	}
	rate := left.Div(one)
	if slices.ContainsFunc(v.terms, func(t term) bool { return !t.hidden && t.dimensional && t.dimension == rate.Dimension() }) {
		q.per = per
		q.readings = append([]reading{s.reading(amount{value: q.readings[0].number}, found{unit: rate, part: 1}, 0)}, q.readings...)
	}
}

// findRates reads a number of things by a unit as a rate as well: "80 lines per hour" is 80 an hour
// where the domain has rates of that kind.
func (v *Vocabulary) findRates(p *prose) {
	s := v.tables.newScanner(p.tokens, v.domain.Units(), v.currency)
	for i := range p.quantities {
		v.findRateOf(p, s, i)
		q := &p.quantities[i]
		if len(q.readings) == 0 || q.weak || q.none || q.readings[0].kind != kindNumber && (q.readings[0].kind != kindMeasure || isRate(q.readings[0].unit)) {
			continue
		}
		left, at := units.One, q.to
		if q.readings[0].unit != nil { // "25 cubic metres of snow an hour"
			if left = q.readings[0].unit; at+1 < len(p.tokens) && p.tokens[at].is("partitive") {
				at++
			} else if at = p.behindEach(s, at); at == q.to && !(at+1 < len(p.tokens) && p.tokens[at].is("holding") && p.tokens[at+1].is("indefinite")) {
				continue
			}
		}
		from := at
		for at < min(from+2, len(p.tokens)) && p.meaning[at] == content && p.within[at] < 0 {
			at++
		}
		if at == from && p.behindEach(s, q.to) != at {
			continue
		}
		at = p.behindEach(s, at)
		if at+1 < len(p.tokens) && p.tokens[at].is("holding") && p.tokens[at+1].is("indefinite") {
			at++ // "1200 words in an hour", "36 m2 in an hour"
		}
		for _, f := range s.over(at, found{unit: left, part: 1}) {
			one := s.reading(amount{value: q.readings[0].number}, f, 0)
			q.over = at + f.n
			if slices.ContainsFunc(v.terms, func(t term) bool { return t.dimensional && t.dimension == f.unit.Dimension() }) {
				q.readings = append([]reading{one}, q.readings...)
			}
			break
		}
	}
}
