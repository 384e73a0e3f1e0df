package language

import (
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/units"
)

// settle reads what a number without unit may be, and tells the weak from the sure.
func (s *scanner) settle(q quantity, a amount) quantity {
	bareEnd := q.from + a.n
	next := s.tok(q.to)
	part, _ := s.numeral(q.from)
	switch {
	case a.article:
		return q
	case len(q.readings) > 0 && q.to > bareEnd:
		return q
	case s.among(next, q.to+1, a) > 0: // "one in ten"
		of := s.number(q.to + 1)
		percent := s.ctx.Quo(s.ctx.Mul(a.value, decimal.Int(100)), of.value)
		return quantity{from: q.from, to: q.to + 1 + of.n, share: true, readings: []reading{{kind: kindPercent, number: percent, text: a.text() + "/" + of.text()}}}
	case a.pronoun && a.n > 1 && s.shareAt(q, a):
		q.share, q.weak = true, true
		percent := s.ctx.Mul(a.value, decimal.Int(100))
		q.readings = []reading{{kind: kindPercent, number: percent, text: a.text()}, s.bare(a, 0)}
		return q
	case a.pronoun && s.tok(q.from-1).is("one of"):
		return none(q.to)
	case a.pronoun && a.n == 1 && part == partFraction && next.is("partitive") && s.tok(q.to+1).is("these things"):
		q.share = true // half of them
		q.readings = []reading{{kind: kindPercent, number: s.ctx.Mul(a.value, decimal.Int(100)), text: a.text()}}
		return q
	case a.pronoun && a.n == 1 && part == partFraction:
		return none(q.to) // half the distance
	case a.pronoun && a.n == 1 && next.is("partitive"):
		return none(q.to) // one of them
	case a.pronoun && a.n == 2 && s.tok(q.from).is("indefinite") && s.nounAt(q.to):
		return none(q.to) // a half marathon
	case a.n == 1 && s.tok(q.from).is("zero") && (s.nounAt(q.to) || s.hyphened(q.to) > q.to):
		return s.noneOf(q.from)
	case s.timesAt(q.to) || part == partTimes:
		if part != partTimes {
			q.to++
		}
		n := q.to - bareEnd
		q.readings = nil
		for _, f := range s.over(q.to, found{unit: units.One, part: 1}) {
			f.share = false
			q.readings = append(q.readings, s.reading(a, f, n+f.n))
		}
		if len(q.readings) > 0 {
			q.to += q.readings[0].unitTokens - n
		}
		q.readings = append(q.readings, s.bare(a, q.to-bareEnd))
		return q
	case s.tok(q.to-1).kind == number && next.kind == word && !next.spaced && !next.own && !next.is("cross") && !next.is("ish"):
		if len(next.text) <= 2 || next.text != next.fold {
			return none(q.to + 1) // 3D, 4WD
		}
		q.readings = nil
		q.to++
		return q
	}
	if a.words {
		end := q.to
		for part, _ := s.numeral(s.hyphened(end)); part == partDigit || part == partTen; part, _ = s.numeral(s.hyphened(end)) {
			end = s.hyphened(end) + 1
		}
		if end > q.to {
			return quantity{from: q.from, to: end} // one-fifty, nineteen eighty
		}
	}
	q.readings = []reading{s.bare(a, 0)}
	next = s.tok(s.hyphened(q.to))
	q.weak = a.pronoun && !s.oneMore(q.to) || next.start > s.tok(q.to).start && !next.is("ish") // one, 6-pack
	q.readings[0].weak = q.weak
	if clock, ok := s.hourAlone(q, a); ok {
		q.readings = append(q.readings, clock)
	}
	return q
}

// among counts the tokens of a number that one in words is said to be so many of: the ten of "one
// in ten". It is 0 where it is none.
func (s *scanner) among(joint token, at int, a amount) int {
	of := s.number(at)
	if !joint.is("among") || !a.words || !of.words || a.article || of.n == 0 || of.pronoun || a.value.Sign() <= 0 || a.value.Cmp(of.value) >= 0 || s.unitStarts(at+of.n) {
		return 0
	}
	return of.n
}

// shareAt is true of a fraction in words that is no ordinal and no part of a unit: "a quarter
// dies", "two thirds", "a third of them", "a fifth fewer". A third person is none.
func (s *scanner) shareAt(q quantity, a amount) bool {
	part, den := s.numeral(q.to - 1)
	if part != partFraction {
		return false
	}
	return !s.tok(q.from).is("indefinite") || s.tok(q.to).lex.row("comparatives") != nil || den == 2 && !s.nounAt(q.to) || den == 4 || !s.nounAt(q.to)
}

// oneMore is true of what makes "one" an amount: one more coat.
func (s *scanner) oneMore(at int) bool {
	return s.tok(at).is("added") && s.nounAt(at+1) && !s.unitStarts(at+1) && !s.tok(at+1).is("again")
}

// absentAt reads "no", "without" and "zero" before a noun.
func (s *scanner) absentAt(at int) (quantity, bool) {
	t := s.tok(at)
	if t.kind != word || !t.is("absent") {
		return quantity{}, false
	}
	next := at + 1
	if t.is("without") && s.tok(next).is("any of") {
		next++
	}
	if t.is("zero") || !s.nounAt(next) || t.is("no") && s.tok(next).is("not absent") {
		return quantity{}, false
	}
	return s.noneOf(at), true
}

func (s *scanner) noneOf(at int) quantity {
	return quantity{from: at, to: at + 1, weak: true, none: true, readings: []reading{{kind: kindNumber, text: "0"}}}
}

// standstill is the unit in which something does not move.
const standstill = "m/s"

// stillAt reads "from rest" and "to a stop" as a speed of 0. The preposition is not part of it.
func (s *scanner) stillAt(at int) (quantity, bool) {
	if !s.tok(at - 1).is("from to") {
		return quantity{}, false
	}
	n, _ := s.tables.patterns("standstill")[0].pattern.match(s.tokens, nil, at)
	if n == 0 {
		return quantity{}, false
	}
	r := s.reading(amount{}, s.parsed(standstill, 1)[0], 0)
	return quantity{from: at, to: at + n, weak: true, readings: []reading{r}}, true
}

// timesAt is true of "times" and "x" behind a number that no other number follows.
func (s *scanner) timesAt(at int) bool {
	if !s.tok(at).is("multiplied") {
		return false
	}
	next := s.tok(at + 1)
	return next.kind != number && (next.kind != word || next.lex.row("numbers") == nil) && !isCurrencySign(next.text)
}

// readArticle reads "an hour", "a mile a minute": the amount 1, weakly, or surely where a part is
// added.
func (s *scanner) readArticle(q *quantity, a amount) {
	at := q.to
	if s.tok(at).is("whole") {
		at++
	}
	name := s.tok(at)
	if name.lex.row("ordinals") != nil && s.nounAt(at+1) {
		q.to, q.readings = q.from, nil // "a second pump"
		return
	}
	if name.kind != word || !name.is("common unit") && !(at > q.to && name.lex.row("money") != nil) || s.tok(q.from-1).is("per") {
		q.to, q.readings = q.from, nil
		return
	}
	if q2, ok := s.compound(*q, a, at); ok && s.tok(at+1).fold != "," { // "calls an hour, ten minutes each"
		*q = q2
		return
	}
	whole := at > q.to // "a whole week"
	q.readings, q.weak = nil, !whole
	for _, f := range s.unitsAt(at, true) {
		if !f.share && f.unit != units.One {
			one := s.reading(a, f, f.n)
			one.weak = !whole
			q.readings = append(q.readings, one)
			q.to = at + f.n
		}
	}
	if len(q.readings) == 0 {
		q.to = q.from
	}
}

// compound reads what is added to a first amount with its unit: 4 hours 20 minutes, 6'2", 12 stone
// 4, an hour and a half, 5 dollars and 20 cents.
func (s *scanner) compound(q quantity, a amount, unitAt int) (quantity, bool) {
	t := s.tok(unitAt)
	firsts := s.named(unitAt, true)
	if t.is("minute letter") && t.kind == word {
		firsts = append(firsts, s.parsed(minute, 1)...)
	}
	var best []reading
	end := 0
	for _, f := range firsts {
		if f.part != 1 || f.unit == units.One || !s.accepts(f, unitAt) {
			continue
		}
		r, to := s.withParts(a, f, unitAt+f.n)
		if f.unit.Dimension() == units.Angle {
			r, to = s.directed(a, f, unitAt+f.n, r, to)
		}
		if to == 0 || to < end {
			continue
		}
		r.unitTokens = 1
		list := []reading{r}
		if isCurrency(f.unit) || f.unit.Dimension() == units.Time {
			for _, o := range s.over(to, found{unit: r.unit, part: 1}) { // 6 pounds 50 a litre, an hour and a half a day
				list = []reading{s.reading(amount{value: r.number}, o, o.n), r}
				to += o.n
				break
			}
		}
		if to > end {
			best, end = nil, to
		}
		if to == end {
			best = append(best, list...)
		}
	}
	if end == 0 {
		return q, false
	}
	q.readings, q.to = best, end
	return q, true
}

// directed is an angle with the point of the compass behind it: S and W make it negative.
func (s *scanner) directed(a amount, f found, at int, r reading, to int) (reading, int) {
	t := s.tok(max(at, to))
	south := t.is("south west")
	if t.kind != word || !south && !t.is("north east") || t.text == t.fold || a.exact != "" {
		return r, to
	}
	if to == 0 {
		r, to = s.reading(a, f, 0), at
	}
	if south {
		r.number, r.text = r.number.Neg(), "-"+r.text
	}
	return r, to + 1
}

// joinsWord reports whether a hyphen joins a word to what stands before it: half-life.
func (s *scanner) joinsWord(at int) bool {
	return s.tok(at).fold == "-" && !s.tok(at).spaced && s.tok(at+1).kind == word
}

// withParts adds the parts behind a first amount; to is 0 where there are none.
func (s *scanner) withParts(a amount, f found, at int) (r reading, to int) {
	if num, den, n := s.andPart(at); n > 0 && a.whole() && !s.unitStarts(at+n) && !s.nounAt(at+n) && !s.joinsWord(at+n) {
		if part, _ := s.numeral(at + n); part == "" {
			whole, _ := a.value.Int64()
			return s.reading(s.fraction(0, whole, num, den), f, 0), at + n
		}
	}
	if a.exact != "" {
		return r, 0
	}
	total, unit, text := a.value, f.unit, a.text()+" "+f.unit.Symbol()
	negative := a.value.Sign() < 0
	for range 3 {
		b, u, end := s.part(at, unit)
		if end == 0 || end == at+b.n && !a.whole() {
			break // 1.5 m 20
		}
		if isCurrency(unit) {
			total = s.ctx.Add(total, s.ctx.Quo(b.value, decimal.Int(100)))
			text = total.String() + " " + unit.Symbol()
			at, to = end, end
			break
		}
		c, err := units.Convert(s.ctx, units.Quantity{Number: total, Unit: unit}, u)
		if err != nil || s.ctx.Err() != nil {
			break
		}
		added := b.value
		if negative {
			added = added.Neg()
		}
		total, unit = s.ctx.Add(c.Number, added), u
		text += " " + b.text() + " " + u.Symbol()
		at, to = end, end
	}
	if to == 0 {
		return r, 0
	}
	if negative {
		text = total.String() + " " + unit.Symbol()
	}
	r = s.reading(amount{value: total}, found{unit: unit, part: 1}, 0)
	r.text = text
	return r, to
}

// between reads "between 5 and 10 km". Two moments are no range: they are where something starts
// and ends.
func (s *scanner) between(at int) (quantity, bool) {
	if at+1 >= len(s.tokens) {
		return quantity{}, false
	}
	if _, moment := s.momentAt(at + 1); moment {
		return quantity{}, false
	}
	first := s.amountAt(at + 1)
	if first.from < 0 || first.to <= at+1 || !s.tok(first.to).is("joining") {
		return quantity{}, false
	}
	second := s.amountAt(min(first.to+1, len(s.tokens)-1))
	if second.from < 0 || second.to <= first.to+1 || second.weak {
		return quantity{}, false
	}
	return quantity{from: at, to: second.to, rng: true}, true
}

// ranged extends an amount to a range or a choice: 5-10 km, 5 to 10 km, 5 or 6. "from 50 to 60"
// names two amounts.
func (s *scanner) ranged(q quantity) quantity {
	joint := s.tok(q.to)
	joined := false
	switch {
	case joint.fold == "-":
		joined = joint.spaced == s.tok(q.to+1).spaced || joint.spaced
	case joint.is("goal"):
		joined = !s.fromBefore(q)
	case joint.is("either"):
		joined = true
	}
	next := q.to + 1
	if !joined || q.weak && !s.tok(q.from).is("one") || next >= len(s.tokens) || joint.end == 0 {
		return q
	}
	if joint.fold == "-" && s.tok(next).kind != number && !isCurrencySign(s.tok(next).text) {
		return q
	}
	if _, moment := s.momentAt(next); moment {
		return q
	}
	second := s.amountAt(next)
	if second.from < 0 || second.to <= next || second.weak || len(second.readings) == 0 || !alike(q, second) {
		return q
	}
	if joint.is("goal") && !bareOnly(q) && bareOnly(second) {
		return q
	}
	return quantity{from: q.from, to: second.to, rng: true}
}

// fromBefore tells two amounts from a range: from about 10k to 20k, turn $5 into $10.
func (s *scanner) fromBefore(q quantity) bool {
	if s.tok(q.from - 1).is("amount by") {
		return false
	}
	large := len(q.readings) > 0 && (q.readings[0].kind == kindMoney || bareOnly(q) && q.readings[0].number.Cmp(decimal.Int(1000)) >= 0)
	for at := q.from - 1; at >= q.from-5; at-- {
		t := s.tok(at)
		switch {
		case t.kind == mark || t.kind == number:
			return false
		case t.is("origin") && s.tok(at-1).is("ranging"):
			return false
		case t.is("origin") || t.is("turning") || large && t.is("growing"):
			return true
		}
	}
	return false
}

func bareOnly(q quantity) bool { return len(q.readings) > 0 && q.readings[0].kind == kindNumber }

// alike is true of two amounts that can be the ends of one range.
func alike(a, b quantity) bool {
	if len(a.readings) == 0 || bareOnly(a) || bareOnly(b) {
		return true
	}
	for _, x := range a.readings {
		for _, y := range b.readings {
			if x.kind == y.kind && (x.unit == nil || y.unit == nil || x.unit.Dimension() == y.unit.Dimension()) {
				return true
			}
		}
	}
	return false
}

// inheritUnits gives a bare number before "by" or "x", and one of "from 50 to 60 mph", the unit of
// the number behind it as a further reading, the first one: a room of 12 by 15 feet. A length
// before "by" or "x" gives its unit on in the same way.
func (s *scanner) inheritUnits(list []quantity) {
	give := func(first int, to, of *quantity) {
		a, b := &list[first], &list[first+1]
		joint := s.tok(a.to)
		ends := joint.is("goal") && s.tok(a.from-1).is("origin") // from 50 km/h to 0
		if b.from == a.to+1 && (ends || joint.is("crossing")) && bareOnly(*to) && len(of.readings) > 0 && !bareOnly(*of) {
			s.inherit(to, *of, ends)
		}
	}
	for i := len(list) - 2; i >= 0; i-- {
		give(i, &list[i], &list[i+1])
	}
	for i := range len(list) - 1 {
		give(i, &list[i+1], &list[i])
	}
}

// inherit gives a bare number the units of another one: any, or lengths only.
func (s *scanner) inherit(q *quantity, other quantity, any bool) {
	of := amount{value: q.readings[0].number}
	for _, r := range slices.Backward(other.readings) {
		switch {
		case r.weak:
		case r.kind == kindPercent && any:
			q.readings = append([]reading{{kind: kindPercent, number: of.value, text: of.text() + "%"}}, q.readings...)
		case r.unit != nil && (any || r.unit.Dimension() == units.Length):
			q.readings = append([]reading{s.reading(of, found{unit: r.unit, part: 1}, 0)}, q.readings...)
		}
	}
}
