package language

import (
	"slices"
	"strings"

	"reckon/engine/units"
)

// findChanges finds amounts that tell a difference, and words that multiply.
func (p *prose) findChanges(tables *tables) {
	p.replaced, p.void = make([]bool, len(p.quantities)), make([]bool, len(p.tokens))
	for i := range p.quantities {
		if c, ok := p.changeAt(i); ok {
			p.changes = append(p.changes, c)
			for k := c.from; k < c.to; k++ {
				if base := p.tokens[k].lex.row("adjectives"); base != nil && p.within[k] < 0 {
					p.stems[k], p.meaning[k], p.known[k] = tables.stem(base[1]), content, asChange
					continue
				}
				named := p.known[k] == asName || p.known[k] == asSynonym || p.known[k] == asDescription || p.known[k] == asTypo
				if p.within[k] < 0 && p.known[k] != asIdiom && !(named && k > c.from && k < c.to-1) {
					p.meaning[k], p.known[k] = plainly, asChange
				}
			}
		}
		p.replaced[i] = p.isReplaced(i) || p.corrected(i) || p.leaves(i)
	}
	for i := range p.quantities {
		p.findMoved(i)
	}
	for at := range p.tokens {
		if p.used[at] || p.void[at] || p.within[at] >= 0 && p.quantities[p.within[at]].from != at {
			continue
		}
		for _, r := range tables.patterns("factors") {
			n, _ := r.pattern.match(p.tokens, p.used, at)
			if n == 0 || p.spellsName(at) || p.beforeTime(at+n) {
				continue
			}
			if p.within[at] >= 0 && p.quantities[p.within[at]].to > at+n {
				continue // "half a mile", "half an hour"
			}
			c := change{quantity: -1, from: at, to: at + n, sign: 0, factor: factor(r.row[1]), sure: true}
			for k := at; k < at+n; k++ {
				if q := p.within[k]; q >= 0 {
					c.quantity = q
				}
				p.meaning[k], p.known[k] = plainly, asChange
			}
			if next := at + n; next+1 < len(p.tokens) && p.tokens[next].is("equating") { // "twice as fast"
				if degree := p.tokens[next+1].lex.row("degrees"); degree != nil {
					c.hint, c.to = want(degree[1]), next+2
					p.meaning[next], p.known[next] = plainly, asChange
					p.stems[next+1], p.meaning[next+1], p.known[next+1] = p.tokens[next+1].stem, content, asChange
				}
			}
			if !p.changed(c) {
				p.changes = append(p.changes, c)
			}
			break
		}
	}
}

// beforeTime reports whether "a", "per" or "each" and a unit of time stand at a token, so that a
// factor before them multiplies nothing: "in half an hour".
func (p *prose) beforeTime(at int) bool {
	if at+1 >= len(p.tokens) || !p.tokens[at].is("indefinite") && !p.tokens[at].is("per") && !p.tokens[at].is("each") {
		return false
	}
	unit, n := p.tables.scanUnit(p.tokens, at+1, units.Standard())
	return n > 0 && unit.Dimension() == units.Time
}

// spellsName reports whether words from one on are the name of a variable, such as "twice the
// root".
func (p *prose) spellsName(at int) bool {
	return slices.ContainsFunc(p.terms, func(t term) bool {
		return !t.hidden && slices.ContainsFunc(t.names, func(n name) bool { return len(n.spoken) > 1 && p.says(at, n.spoken) })
	})
}

// changed reports whether another change is told by the same words.
func (p *prose) changed(c change) bool {
	return slices.ContainsFunc(p.changes, func(o change) bool {
		return c.from < o.to && o.from < c.to || c.quantity >= 0 && c.quantity == o.quantity
	})
}

// changeAt reads the words around an amount that make it a difference.
func (p *prose) changeAt(i int) (change, bool) {
	if p.quantities[i].labels() {
		return change{}, false // "add a lid"
	}
	if c, ok := p.happening(i); ok {
		return c, true
	}
	if c, ok := p.changeBehind(i); ok {
		return c, true
	}
	return p.changeBefore(i)
}

// happening reads what has become of a number of things: "4 hens died", "three get out". It is no
// change where there is nothing to change.
func (p *prose) happening(i int) (change, bool) {
	q := &p.quantities[i]
	if !bareOnly(*q) || q.weak && (!p.tokens[q.from].is("one") || q.to-q.from != 1 || q.from > 0 && p.tokens[q.from-1].is("one of")) { // "the last one went home"
		return change{}, false
	}
	for at := q.to; at <= q.to+1; at++ {
		for _, r := range p.tables.patterns("happenings") {
			if n, _ := r.pattern.match(p.tokens, p.used, at); n > 0 {
				return change{quantity: i, from: at, to: at + n, sign: int(r.row.number(1)), sure: true, happened: true}, true
			}
		}
		if at >= len(p.tokens) || p.tokens[at].kind != word || p.meaning[at] != content || p.within[at] >= 0 {
			break
		}
	}
	return change{}, false
}

// onlyBy says of a word of comparison that it is one only behind the amount of a change: "um 10 %
// steigt".
const onlyBy = "by"

// changeBehind reads the words behind an amount: "10 mph faster", "a 10% rise", "3 times as far",
// "5 on top".
func (p *prose) changeBehind(i int) (change, bool) {
	q := &p.quantities[i]
	c := change{quantity: i, from: q.from, to: q.to}
	at := p.beforeComparison(q.to)
	if at >= len(p.tokens) || p.used[at] || p.within[at] >= 0 {
		return c, false
	}
	w, next := p.tokens[at], token{}
	if at+1 < len(p.tokens) {
		next = p.tokens[at+1]
	}
	row, noun := w.lex.row("comparatives"), w.lex.row("change nouns")
	percent := len(q.readings) > 0 && q.readings[0].kind == kindPercent
	switch {
	case row != nil && row[3] == onlyBy && !(q.from > 0 && p.tokens[q.from-1].is("amount by")):
		return c, false // "auf 70 steigt"
	case row != nil && !(w.is("less") && at+1 < len(p.tokens) && p.within[at+1] >= 0):
		c.sign, c.hint, c.sure, c.to = int(row.number(1)), want(row[2]), row[3] != "" || next.is("determiner"), at+1 // "5% off the price"
		if degree := next.lex.row("degrees"); degree != nil && w.is("more or less") {                                // "10% more expensive"
			c.hint, c.degree, c.to = want(degree[1]), true, at+2
		} else if next.is("comparing") {
			c.to++
		}
	case noun != nil && (percent || next.is("change of")):
		c.sign, c.to, c.sure = int(noun.number(1)), at+1, true
	case w.is("multiplied") && next.is("equating") && at+2 < len(p.tokens) && len(q.readings) > 0:
		c.factor, c.to, c.sure = q.readings[0].number, at+3, true
	case row == nil && w.is("upon") && next.is("top"):
		c.sign, c.to, c.sure = 1, at+2, true
	default:
		return c, false
	}
	return c, true
}

// beforeComparison skips what may stand between an amount and its word of comparison: "a bit", "a
// head", "parcels".
func (p *prose) beforeComparison(at int) int {
	for at < len(p.tokens) && p.tokens[at].is("softener") {
		at++
	}
	for at+1 < len(p.tokens) && (p.known[at] == asIdiom && p.tokens[at].lex.row("comparatives") == nil || p.within[at] >= 0 && p.quantities[p.within[at]].weak) { // "5 dollars a head less"
		at++
	}
	if at+1 < len(p.tokens) && p.tokens[at].kind == word && p.meaning[at] == content && p.within[at] < 0 && p.known[at] != asIdiom &&
		(p.tokens[at+1].is("more or less") || (p.tables.plural(&p.tokens[at]) || p.tokens[at-1].is("one")) && p.tokens[at+1].lex.row("comparatives") != nil && (at+2 == len(p.tokens) || p.tokens[at+2].kind == mark)) {
		at++ // "ten parcels more", "two nights longer"
	}
	return at
}

// verbReach is how many tokens before an amount its verb may stand.
const verbReach = 8

// changeBefore reads the verb before an amount: "raise the price by 10%", "add 5 km".
func (p *prose) changeBefore(i int) (change, bool) {
	q := &p.quantities[i]
	c := change{quantity: i, from: q.from, to: q.to}
	if noun := q.from - 2; noun >= 0 && p.tokens[noun+1].is("partitive") && p.known[noun] != asName && p.tokens[noun].lex.row("change nouns") != nil { // "a rise of 5% in the price"
		c.sign, c.from, c.sure = int(p.tokens[noun].lex.row("change nouns").number(1)), noun, true
		if q.to < len(p.tokens) && p.tokens[q.to].is("change of") {
			c.to++
		}
		return c, true
	}
	by := false
	for k := q.from - 1; k >= max(0, q.from-verbReach); k-- {
		t := &p.tokens[k]
		if p.used[k] || p.within[k] >= 0 || t.kind == mark && strings.Contains(".,;?!", t.fold) {
			break
		}
		near := k == q.from-1 || k == q.from-2 && p.meaning[q.from-1] != content
		if near && t.is("amount by") {
			by, c.from = true, k
			continue
		}
		if row := t.lex.row("comparatives"); by && k == q.from-2 && row != nil { // "faster by 4 km/h"
			c.sign, c.hint, c.sure, c.from = int(row.number(1)), want(row[2]), true, k
			return c, true
		}
		if near && t.is("states") {
			break
		}
		if k == q.from-1 && p.callsAmount(k, q) {
			break // "drop 2.6 m" of a curtain
		}
		if row := t.lex.row("change verbs"); t.kind == word && row != nil && !(k > 0 && p.within[k-1] >= 0 && p.known[k] == asName) { // no "60 lifts"
			near = k == q.from-1 || k == q.from-2 && p.meaning[k+1] != content && p.meaning[k+1] != other
			c.sign, c.sure, c.from = int(row.number(1)), by || row[2] != "" || anyIs(p.tokens[q.from:q.to], "whole"), k
			return c, by || near
		}
	}
	return c, false
}

// callsAmount reports whether a word is the whole name of a variable that can take the amount
// behind it, by its unit or as all that a clause says: "width 6, rise 3".
func (p *prose) callsAmount(at int, q *quantity) bool {
	alone := (at == 0 || p.tokens[at-1].kind == mark) && (q.to == len(p.tokens) || p.tokens[q.to].kind == mark)
	return (alone || !bareOnly(*q)) && slices.ContainsFunc(p.terms, func(t term) bool {
		return !t.hidden && t.dimensional && t.takes(q) && slices.ContainsFunc(t.names, func(n name) bool { return len(n.spoken) == 1 && p.says(at, n.spoken[:1]) })
	})
}

// takes reports whether an amount is of the dimension of a variable, or a bare number.
func (t *term) takes(q *quantity) bool {
	return !t.dimensional || slices.ContainsFunc(q.readings, func(r reading) bool { return r.unit == nil || r.unit.Dimension() == t.dimension })
}

// findMoved takes the first of two amounts for what something was before, where a verb moves it
// from the one to the other and the domain has no variable for either end: "is doubled from 3 cm to
// 6 cm".
func (p *prose) findMoved(i int) {
	if i+1 == len(p.quantities) {
		return
	}
	a, b := &p.quantities[i], &p.quantities[i+1]
	if a.from == 0 || b.from != a.to+1 || !p.tokens[a.from-1].is("origin") || !p.tokens[a.to].is("goal") || !alike(*a, *b) ||
		slices.ContainsFunc(p.terms, func(t term) bool { return !t.hidden && (t.start || t.end) && t.takes(b) }) {
		return
	}
	for k := a.from - 2; k >= max(0, a.from-verbReach) && p.within[k] < 0 && p.tokens[k].kind == word; k-- {
		if p.tokens[k].lex.row("change verbs") == nil && !p.tokens[k].is("turning") && !slices.ContainsFunc(p.tables.patterns("factors"), func(r *rule) bool {
			n, _ := r.pattern.match(p.tokens, p.used, k)
			return n > 0
		}) {
			continue
		}
		p.replaced[i] = true
		for at := k; at < b.from; at++ {
			p.void[at] = true
		}
		p.changes = slices.DeleteFunc(p.changes, func(c change) bool { return c.quantity == i || c.quantity == i+1 })
		return
	}
}

// corrected reports whether an amount is taken back right behind it for another one: "80 kg, no, 82
// kg", "12 pots, sorry 14 pots". What stands up to that says nothing then.
func (p *prose) corrected(i int) bool {
	if i+1 == len(p.quantities) {
		return false
	}
	a, b := &p.quantities[i], &p.quantities[i+1]
	money := func(q *quantity) bool {
		return slices.ContainsFunc(q.readings, func(r reading) bool { return r.kind == kindMoney })
	}
	at := a.to
	moved := slices.IndexFunc(p.changes, func(c change) bool { return c.quantity == i })
	if moved >= 0 { // "a third fewer, no wait, 40"
		at = max(at, p.changes[moved].to)
	}
	if (a.weak || !alike(*a, *b) && !(money(a) && money(b))) && moved < 0 || b.weak {
		return false
	}
	same := bareOnly(*a) && bareOnly(*b) && a.readings[0].text == b.readings[0].text // "55 people on tour, I mean 55 players"
	noun := -1
	if p.tokens[at].kind == word && p.meaning[at] == content {
		noun, at = at, at+1
	}
	taken := false
	for at < b.from {
		n := 0
		for _, r := range p.tables.patterns("correcting") {
			if n, _ = r.pattern.match(p.tokens, p.used, at); n > 0 && at+n <= b.from {
				break
			}
			n = 0
		}
		switch {
		case n > 0:
			taken, at = true, at+n
		case p.tokens[at].kind == mark, same && !taken && p.tokens[at].border() != stopBorder:
			at++
		default:
			return false
		}
	}
	if other := b.to; noun >= 0 && !same && other < len(p.tokens) && p.tokens[other].kind == word && p.meaning[other] == content && p.stems[other] != p.stems[noun] {
		return false // "5 hens, actually 3 cocks"
	}
	if taken {
		for k := a.from; k < b.from; k++ {
			p.void[k] = true
		}
	}
	return taken
}

// ledTo reports whether an amount only tells how it came to the one that the sentence ends with:
// "one is ill, so only three come", "30 t came in, so the stock is 120 t".
func (p *prose) ledTo(i int) bool {
	q, last := &p.quantities[i], &p.quantities[len(p.quantities)-1]
	if q == last || len(p.questions) > 0 || len(q.readings) == 0 || len(last.readings) == 0 || q.labels() {
		return false
	}
	so := q.to
	for so < last.from && !(p.tokens[so].is("concluding") && (p.tokens[so-1].kind == mark || p.tokens[so-1].is("joining"))) {
		so++
	}
	alike := bareOnly(*q) && bareOnly(*last) || !bareOnly(*q) && !bareOnly(*last) && alike(*q, *last)
	if so == last.from || !alike || slices.ContainsFunc(p.quantities, func(o quantity) bool { return so < o.from && o.from < last.from }) {
		return false
	}
	for at := q.to; at < so; at++ {
		if strings.Contains(".!?;", p.tokens[at].fold) {
			return false
		}
	}
	named := func(m mention, from, to int) bool {
		return m.weight >= p.weights.ExactName && from <= m.from && m.to <= to
	}
	for _, m := range p.mentions { // "20 boxes, so 2 trips"
		if named(m, so, len(p.tokens)) && slices.ContainsFunc(p.mentions, func(o mention) bool { return named(o, 0, so) }) {
			return slices.ContainsFunc(p.mentions, func(o mention) bool { return named(o, 0, so) && o.variable == m.variable })
		}
	}
	return true
}

// isReplaced reports whether an amount is only named to say what is not any more: "instead of 60",
// "rather than 60", "not 60".
func (p *prose) isReplaced(i int) bool {
	q := &p.quantities[i]
	if q.labels() && q.readings[0].of >= 0 {
		return false // "not a night bus" says that it is none
	}
	return p.ruledOut(q.from) || q.labels() && p.toldAgain(i) || p.lessLiked(i)
}

// ruledOut reports whether the words before a token say that what stands there is not so: "not a
// night bus", "instead of 60".
func (p *prose) ruledOut(at int) bool {
	for at > 0 && p.tokens[at-1].is("article") {
		at--
	}
	return slices.ContainsFunc(p.tables.patterns("replacing"), func(r *rule) bool {
		from := at - len(r.pattern)
		if from < 0 {
			return false
		}
		n, _ := r.pattern.match(p.tokens, p.used, from)
		return n > 0
	})
}

// toldAgain reports whether a choice was told before: "they hire a van. How often does the van go?"
func (p *prose) toldAgain(i int) bool {
	for k, q := range p.quantities[:i] {
		if q.labels() && !q.weak && !p.replaced[k] && q.readings[0].text == p.quantities[i].readings[0].text {
			return true
		}
	}
	return false
}

// lessLiked reports whether an amount stands behind "than" where another one is wanted rather: "we
// would rather have a band than a choir".
func (p *prose) lessLiked(i int) bool {
	at := p.quantities[i].from
	for at > 0 && p.tokens[at-1].is("article") {
		at--
	}
	return i > 0 && p.tokens[at-1].is("comparing") && anyIs(p.tokens[:p.quantities[i-1].from], "preferring")
}

// leaves reports whether an amount is only told to say how what is left came about: the first of "2
// broke down, so 2 are left".
func (p *prose) leaves(i int) bool {
	if i+2 != len(p.quantities) || !bareOnly(p.quantities[i]) || !bareOnly(p.quantities[i+1]) {
		return false
	}
	at := p.quantities[i+1].to
	return at+1 < len(p.tokens) && p.tokens[at].is("stating") && p.tokens[at+1].is("remaining") && (at+2 == len(p.tokens) || p.meaning[at+2] == border) &&
		p.quantities[i+1].from > 0 && p.tokens[p.quantities[i+1].from-1].border() != noBorder
}
