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
	switch {
	case a.article:
		return q
	case len(q.readings) > 0 && q.to > bareEnd:
		return q
	case a.pronoun && oneOf[s.tok(q.from-1).fold]:
		return none(q.to)
	case a.pronoun && a.n == 1 && s.numbers[s.tok(q.from).fold].role == roleFraction:
		return none(q.to) // half the distance
	case a.pronoun && a.n == 1 && next.fold == "of":
		return none(q.to) // one of them
	case a.pronoun && a.n == 2 && s.tok(q.from).fold == "a" && s.nounAt(q.to):
		return none(q.to) // a half marathon
	case a.n == 1 && s.tok(q.from).fold == "zero" && (s.nounAt(q.to) || s.hyphened(q.to) > q.to):
		return s.noneOf(q.from)
	case s.timesAt(q.to):
		n := q.to + 1 - bareEnd
		q.to++
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
	case s.tok(q.to-1).kind == number && next.kind == word && !next.spaced && next.fold != "x" && next.fold != "ish":
		if len(next.text) <= 2 || next.text != next.fold {
			return none(q.to + 1) // 3D, 4WD
		}
		q.readings = nil
		q.to++
		return q
	}
	if a.words {
		end := q.to
		for role, _ := s.role(s.hyphened(end)); role == roleDigit || role == roleTen; role, _ = s.role(s.hyphened(end)) {
			end = s.hyphened(end) + 1
		}
		if end > q.to {
			return quantity{from: q.from, to: end} // one-fifty, nineteen eighty
		}
	}
	q.readings = []reading{s.bare(a, 0)}
	next = s.tok(s.hyphened(q.to))
	q.weak = a.pronoun && !s.oneMore(q.to) || next.start > s.tok(q.to).start && next.fold != "ish" // one, 6-pack
	q.readings[0].weak = q.weak
	if clock, ok := s.hourAlone(q, a); ok {
		q.readings = append(q.readings, clock)
	}
	return q
}

// added stand between "one" and what there is one more of.
var added = words("more extra additional further fewer less")

// againWords stand behind "one more" where it states no amount.
var againWords = words("time thing question go try scenario example case")

// oneMore is true of what makes "one" an amount: one more coat.
func (s *scanner) oneMore(at int) bool {
	return added()[s.tok(at).fold] && s.nounAt(at+1) && !s.unitStarts(at+1) && !againWords()[s.tok(at+1).fold]
}

// absent are the words that say that there is none of what follows.
var absent = words("no without zero")

// notAbsent stand behind "no" where it denies something else, or only answers.
var notAbsent = words(`matter need doubt problem problems idea way longer sooner better worse fewer higher lower wonder chance thank worries rush hurry
 use set change put keep sorry wait actually try let add take give show go going`)

// absentAt reads "no", "without" and "zero" before a noun.
func (s *scanner) absentAt(at int) (quantity, bool) {
	t := s.tok(at)
	if t.kind != word || !absent()[t.fold] {
		return quantity{}, false
	}
	next := at + 1
	if w := s.tok(next).fold; t.fold == "without" && (w == "any" || w == "a" || w == "an") {
		next++
	}
	if t.fold == "zero" || !s.nounAt(next) || t.fold == "no" && notAbsent()[s.tok(next).fold] {
		return quantity{}, false
	}
	return s.noneOf(at), true
}

func (s *scanner) noneOf(at int) quantity {
	return quantity{from: at, to: at + 1, weak: true, none: true, readings: []reading{{kind: kindNumber, text: "0"}}}
}

// stillWords say, behind "from" and "to", that something does not move there.
var stillWords = words("rest standstill standing stationary stop halt")

// stillAt reads "from rest" and "to a stop" as a speed of 0. The preposition is not part of it.
func (s *scanner) stillAt(at int) (quantity, bool) {
	if before := s.tok(at - 1).fold; before != "from" && before != "to" {
		return quantity{}, false
	}
	next := at
	if w := s.tok(next).fold; w == "a" || w == "the" || w == "full" || w == "complete" {
		next++
	}
	if w := s.tok(next).fold; w == "full" || w == "complete" || w == "dead" {
		next++
	}
	if !stillWords()[s.tok(next).fold] {
		return quantity{}, false
	}
	next++
	if s.tok(next).fold == "start" || s.tok(next).fold == "still" {
		next++
	}
	r := s.reading(amount{}, s.parsed("m/s", 1)[0], 0)
	return quantity{from: at, to: next, weak: true, readings: []reading{r}}, true
}

// timesAt is true of "times" and "x" behind a number that no other number follows.
func (s *scanner) timesAt(at int) bool {
	t := s.tok(at)
	if t.fold != "times" && t.fold != "x" {
		return false
	}
	next := s.tok(at + 1)
	return next.kind != number && (next.kind != word || s.numbers[next.fold] == nil) && !isCurrencySign(next.text)
}

// readArticle reads "an hour", "a mile a minute": the amount 1, weakly, or surely where a part is added.
func (s *scanner) readArticle(q *quantity, a amount) {
	at := q.to
	switch s.tok(at).fold {
	case "whole", "full", "entire":
		at++
	}
	name := s.tok(at)
	if name.kind != word || !commonUnits()[name.fold] || s.tok(q.from-1).fold == "per" {
		q.to, q.readings = q.from, nil
		return
	}
	if q2, ok := s.compound(*q, a, at); ok {
		*q = q2
		return
	}
	q.readings, q.weak = nil, true
	for _, f := range s.unitsAt(at, true) {
		if !f.share && f.unit != units.One {
			q.readings = append(q.readings, s.weakly(s.reading(a, f, f.n)))
			q.to = at + f.n
		}
	}
	if len(q.readings) == 0 {
		q.to = q.from
	}
}

// compound reads what is added to a first amount with its unit: 4 hours 20 minutes, 6'2", 12 stone 4, an hour and a half,
// 5 dollars and 20 cents.
func (s *scanner) compound(q quantity, a amount, unitAt int) (quantity, bool) {
	t := s.tok(unitAt)
	firsts := s.named(unitAt, true)
	if t.fold == "m" && t.kind == word {
		firsts = append(firsts, s.parsed("min", 1)...)
	}
	var best []reading
	end := 0
	for _, f := range firsts {
		if f.part != 1 || f.unit == units.One || !s.accepts(f, unitAt) {
			continue
		}
		r, to := s.withParts(a, f, unitAt+f.n)
		if to == 0 || to < end {
			continue
		}
		r.unitTokens = 1
		list := []reading{r}
		if isCurrency(f.unit) {
			for _, o := range s.over(to, found{unit: f.unit, part: 1}) { // 6 pounds 50 a litre
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

// withParts adds the parts behind a first amount; to is 0 where there are none.
func (s *scanner) withParts(a amount, f found, at int) (r reading, to int) {
	if num, den, n := s.andPart(at); n > 0 && a.whole() && !s.unitStarts(at+n) {
		if role, _ := s.role(at + n); role == 0 {
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

// bareParts are the units whose next smaller one need not be said. Money is one of them.
var bareParts = []struct {
	unit, part     string
	two            bool // the part is said with two digits, and no noun stands behind it
	example, means string
}{
	{"ft", "in", false, "6 ft 2", "6 ft 2 in"},
	{"st", "lb", false, "12 stone 4", "12 st 4 lb"},
	{"h", "min", false, "4h20", "4 h 20 min"},
	{"m", "cm", true, "one metre eighty-five", "1 m 85 cm"},
	{"lb", "oz", true, "8 pounds 12", "8 lb 12 oz, 8.12 GBP"},
}

// thickness is a measure of its own behind a comma: 10 feet by 12 feet, 4 inches deep.
var thickness = words("deep thick high wide")

// part reads a smaller amount of the same dimension behind an amount in a unit; end is 0 for none.
func (s *scanner) part(at int, unit *units.Unit) (b amount, u *units.Unit, end int) {
	joint := s.tok(at).fold
	if joint == "and" || joint == "," || joint == "&" {
		at++
	} else {
		joint = ""
	}
	if t := s.tok(at); t.kind == mark || t.fold == "minus" {
		return b, nil, 0
	}
	b = s.unsigned(at)
	if b.n == 0 || b.invalid || b.article || b.exact != "" {
		return b, nil, 0
	}
	at += b.n
	t := s.tok(at)
	senses := s.single(at, true)
	switch {
	case t.fold == "m" && unit.Dimension() == units.Time:
		senses = s.parsed("min", 1)
	case t.fold == "in" && unit.Dimension() == units.Length && s.smaller(s.parsed("in", 1)[0].unit, unit):
		senses = s.parsed("in", 1)
	}
	for _, f := range senses {
		if !s.accepts(f, at) {
			continue
		}
		if isCurrency(unit) {
			if f.unit == unit && f.part == 100 && (joint == "" && s.tok(at-b.n-1).kind == word || !s.rated(at+f.n)) {
				return b, unit, at + f.n
			}
			continue
		}
		if joint == "," && thickness()[s.tok(at+f.n).fold] {
			continue
		}
		if f.part == 1 && f.unit.Dimension() == unit.Dimension() && !f.unit.IsPoint() && s.smaller(f.unit, unit) && !s.rated(at+f.n) {
			return b, f.unit, at + f.n
		}
	}
	if joint != "" || len(senses) > 0 || !b.whole() {
		return b, nil, 0
	}
	if t.kind == word && !t.spaced || t.fold == "%" || t.fold == "x" || t.fold == "times" || t.fold == ":" || t.fold == "/" {
		return b, nil, 0
	}
	two := b.n > 0 && t.kind != number && !s.nounAt(at) && s.twoDigits(b, at)
	if isCurrency(unit) {
		if name := s.tok(at - b.n - 1); two && name.kind == word && (s.moneyWords[name.fold] != nil || name.fold == "pound" || name.fold == "pounds") {
			return b, unit, at
		}
		return b, nil, 0
	}
	for _, p := range bareParts {
		if unit.Symbol() != p.unit || p.two && !two {
			continue
		}
		smaller := s.parsed(p.part, 1)[0].unit
		if p.unit == "h" && (s.tok(at-1).spaced || len(s.tok(at-1).text) != 2) {
			break
		}
		in, err := units.Convert(s.ctx, units.Quantity{Number: decimal.Int(1), Unit: unit}, smaller)
		if err == nil && b.value.Cmp(in.Number) < 0 && b.value.Sign() >= 0 {
			return b, smaller, at
		}
	}
	return b, nil, 0
}

// twoDigits is true of an amount before a token that is said with two digits, which 5 is not and 05 is.
func (s *scanner) twoDigits(b amount, end int) bool {
	if t := s.tok(end - 1); b.n == 1 && t.kind == number {
		return len(t.text) == 2
	}
	return b.words && b.value.Cmp(decimal.Int(9)) > 0 && b.value.Cmp(decimal.Int(100)) < 0
}

// rated reports whether a unit at the tokens in front is that of a rate: 8 hours a day.
func (s *scanner) rated(at int) bool {
	row, n := s.overWord(at)
	return row != nil && (row.unit != "" || len(s.single(at+n, false)) > 0)
}

// smaller reports whether one of a unit is less than one of another of its dimension.
func (s *scanner) smaller(a, than *units.Unit) bool {
	q, err := units.Convert(s.ctx, units.Quantity{Number: decimal.Int(1), Unit: a}, than)
	return err == nil && q.Number.Cmp(decimal.Int(1)) < 0
}

// between reads "between 5 and 10 km". Two moments are no range: they are where something starts and ends.
func (s *scanner) between(at int) (quantity, bool) {
	if at+1 >= len(s.tokens) {
		return quantity{}, false
	}
	if _, moment := s.momentAt(at + 1); moment {
		return quantity{}, false
	}
	first := s.amountAt(at + 1)
	if first.from < 0 || first.to <= at+1 || s.tok(first.to).fold != "and" {
		return quantity{}, false
	}
	second := s.amountAt(min(first.to+1, len(s.tokens)-1))
	if second.from < 0 || second.to <= first.to+1 || second.weak {
		return quantity{}, false
	}
	return quantity{from: at, to: second.to, rng: true}, true
}

// ranged extends an amount to a range or a choice: 5-10 km, 5 to 10 km, 5 or 6. "from 50 to 60" names two amounts.
func (s *scanner) ranged(q quantity) quantity {
	joint := s.tok(q.to)
	joined := false
	switch joint.fold {
	case "-":
		joined = joint.spaced == s.tok(q.to+1).spaced || joint.spaced
	case "to":
		joined = !s.fromBefore(q)
	case "or":
		joined = true
	}
	next := q.to + 1
	if !joined || q.weak && s.tok(q.from).fold != "one" || next >= len(s.tokens) || joint.end == 0 {
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
	if joint.fold == "to" && !bareOnly(q) && bareOnly(second) {
		return q
	}
	return quantity{from: q.from, to: second.to, rng: true}
}

// turning are the verbs that lead from one amount to another; growing are those that may as well have a range behind them;
// behind ranging "from" starts a range.
var (
	turning = words("turn turns turned turning become becomes became change changes changed raise raises raised")
	ranging = words("range ranges ranged ranging anything anywhere somewhere everything varies vary varying")
	growing = words("grow grows grew growing go goes went going")
)

// fromBefore tells two amounts from a range: from about 10k to 20k, turn $5 into $10.
func (s *scanner) fromBefore(q quantity) bool {
	if s.tok(q.from-1).fold == "by" {
		return false
	}
	large := len(q.readings) > 0 && (q.readings[0].kind == kindMoney || bareOnly(q) && q.readings[0].number.Cmp(decimal.Int(1000)) >= 0)
	for at := q.from - 1; at >= q.from-5; at-- {
		t := s.tok(at)
		switch {
		case t.kind == mark || t.kind == number:
			return false
		case t.fold == "from" && ranging()[s.tok(at-1).fold]:
			return false
		case t.fold == "from" || turning()[t.fold] || large && growing()[t.fold]:
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

// inheritUnits gives a bare number before "by" or "x", and one of "from 50 to 60 mph", the unit of the number behind it as
// a further reading, the first one: a room of 12 by 15 feet. A length before "by" or "x" gives its unit on in the same way.
func (s *scanner) inheritUnits(list []quantity) {
	for i := len(list) - 2; i >= 0; i-- {
		q, next := &list[i], list[i+1]
		joint := s.tok(q.to).fold
		if joint != "x" && joint != "by" && (joint != "to" || s.tok(q.from-1).fold != "from") || next.from != q.to+1 {
			continue
		}
		if bareOnly(*q) && len(next.readings) > 0 && !bareOnly(next) {
			s.inherit(q, next, joint == "to")
		}
	}
	for i := 1; i < len(list); i++ {
		q, before := &list[i], list[i-1]
		joint := s.tok(before.to).fold
		if joint == "to" && s.tok(before.from-1).fold == "from" && q.from == before.to+1 && bareOnly(*q) && len(before.readings) > 0 && !bareOnly(before) {
			s.inherit(q, before, true) // from 50 km/h to 0
		}
		if (joint == "x" || joint == "by") && q.from == before.to+1 && bareOnly(*q) && len(before.readings) > 0 && !bareOnly(before) {
			s.inherit(q, before, false)
		}
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
