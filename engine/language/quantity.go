package language

import (
	"strings"

	"reckon/engine/decimal"
	"reckon/engine/units"
)

// quantity is a stretch of tokens that states an amount or a moment, with every way to read it, the
// best first. Without readings it states something that cannot be expressed: a range, "next
// Friday", "1,23".
type quantity struct {
	from, to int // tokens[from:to]
	readings []reading
	approx   bool // "about", "roughly" and the like stand before it, outside from:to, or "or so" behind
	rng      bool // a range or a choice, from its first word ("between") to its last: no single amount, no readings
	weak     bool // the words may well state no amount: "a month", "one", "now". Such a quantity need not be used.
	none     bool // "no", "without" or "zero" before a noun: 0, if the noun is one that has an amount
	moment   bool // it states a date or a time of day, also where it has no readings
	share    bool // a fraction in words, which may be a share
	per      int  // behind the one of a unit that it is told for, of "a litre covers 6 m2"; 0 for none
	over     int  // behind what its thing is counted by, of "80 lines an hour" as of "80 lines per hour"; 0 for none
}

type readingKind int

const (
	kindNumber   readingKind = iota // bare
	kindMeasure                     // with a unit, none of those below
	kindPercent                     // number 6 for 6%
	kindMoney                       // with the unit of one currency
	kindDate                        // without clock time
	kindDatetime                    // a date with clock time
	kindClock                       // a time of day
	kindDuration                    // with a unit of time, the last one of a compound
	kindTable                       // cells in brackets
	kindLabel                       // a choice by its label
)

// reading is one way to read a quantity.
type reading struct {
	kind       readingKind
	number     decimal.Decimal
	unit       *units.Unit // nil for bare numbers, percent and moments
	text       string      // the value in the grammar of structured text
	unitTokens int         // how many tokens at the end (of money before its number: at the start) are its unit words
	weak       bool        // a reading for want of a better one
	of         int         // of a label, the only variable that is meant, -1 for any
}

// scanner finds the quantities among the tokens of one prompt.
type scanner struct {
	tokens   []token
	table    *units.Table
	currency string
	today    int64 // seconds since 1970
	since    day   // the last day that the prompt has named so far
	ctx      *decimal.Context
	tables   *tables
}

// arithmeticBudget bounds what one prompt may spend on arithmetic.
const arithmeticBudget = 1_000_000

func (t *tables) newScanner(tokens []token, table *units.Table, currency string) *scanner {
	return &scanner{tokens: tokens, table: table, currency: currency, ctx: decimal.NewContext(arithmeticBudget), tables: t}
}

// tok is a token, or none outside of the prompt.
func (s *scanner) tok(i int) token {
	if i < 0 || i >= len(s.tokens) {
		return token{kind: mark, spaced: true}
	}
	return s.tokens[i]
}

// scan lists the quantities of a prompt from left to right, the longest at each place; they do not
// overlap. currency is the ISO code of the domain's only currency, "" for none: "dollars" and "$"
// are its own where it is one of that name. today is the midnight of the present day in seconds
// since 1970 on the clock of whoever asks.
func (t *tables) scan(tokens []token, table *units.Table, currency string, today int64) []quantity {
	s := t.newScanner(tokens, table, currency)
	s.today = today
	var list []quantity
	for at := 0; at < len(tokens); {
		q := s.quantityAt(at)
		if q.to <= at {
			at++
			continue
		}
		at = q.to
		if q.from < 0 {
			continue // numbers that are no quantity
		}
		list = append(list, q)
		if q.moment && len(q.readings) > 0 {
			s.since = dayOfText(q.readings[0].text, s.since)
		}
	}
	s.inheritUnits(list)
	s.inheritDays(list)
	return list
}

// none is a stretch of tokens that states no quantity, though it has a number in it.
func none(to int) quantity { return quantity{from: -1, to: to} }

// quantityAt reads the quantity that starts at a token; to is 0 for none.
func (s *scanner) quantityAt(at int) quantity {
	t := s.tokens[at]
	if t.kind == cells {
		return quantity{from: at, to: at + 1, readings: []reading{{kind: kindTable, text: t.text}}}
	}
	if t.is("between") {
		q, _ := s.between(at)
		return q
	}
	if q, ok := s.absentAt(at); ok {
		return q
	}
	if q, ok := s.stillAt(at); ok {
		return q
	}
	if q, ok := s.momentAt(at); ok {
		q.approx = s.approxAt(q)
		return q
	}
	q := s.amountAt(at)
	if q.to <= at || q.from < 0 {
		return q
	}
	q = s.ranged(q)
	q = s.shiftedAt(q)
	q.approx = s.approxAt(q)
	return q
}

// approxAt reports whether the words around an amount say that it is not exact.
func (s *scanner) approxAt(q quantity) bool {
	before := s.tok(q.from - 1)
	if before.fold == "." {
		before = s.tok(q.from - 2)
	}
	if anyIs(s.tokens[q.from:q.to], "ish so") {
		return true
	}
	if before.is("approximate") {
		return !before.is("about") || !s.tok(q.from-2).is("asking")
	}
	next, further := s.tok(q.to), s.tok(q.to+1)
	return next.is("either") && further.is("so") || next.is("ish") || next.fold == "-" && further.is("ish")
}

// amountAt reads an amount: money with its sign in front, or a number with the unit behind it.
func (s *scanner) amountAt(at int) quantity {
	t := s.tokens[at]
	if t.kind == mark && t.fold != "-" || t.kind == sign && !isCurrencySign(t.text) {
		return quantity{}
	}
	if q, ok := s.moneyBefore(at); ok {
		return q
	}
	a := s.number(at)
	if a.n == 0 {
		return quantity{}
	}
	end := at + a.n
	if t.text == "24" && s.tok(end).fold == "/" && s.tok(end+1).text == "7" {
		return none(end + 2)
	}
	if s.ordinal(end) {
		return none(end + 1)
	}
	if s.inName(at) {
		return none(end)
	}
	if decade := s.tok(end); decade.is("decade") && !decade.spaced && t.kind == number && len(t.text) == 4 && strings.HasSuffix(t.text, "0") && !s.tok(end+1).is("per") {
		if year, ok := small(t.text, 2199); ok && year >= 1500 {
			return none(end + 1) // "a 1930s house"
		}
	}
	if decimals, ok := s.otherPoint(at); a.invalid && ok {
		a = decimals
	}
	if a.invalid {
		q := quantity{from: at, to: end}
		if list := s.unitsAt(end, true); len(list) > 0 {
			q.to += list[0].n
		}
		return q
	}
	q := quantity{from: at, to: end}
	s.readAmount(&q, a)
	return s.settle(q, a)
}

// inName is true of a number joined to a word by a hyphen or a sign for numbers: covid-19, #5.
func (s *scanner) inName(at int) bool {
	t := s.tokens[at]
	if t.kind != number || t.spaced {
		return false
	}
	before := s.tok(at - 1)
	if before.fold == "." && !before.spaced {
		version := s.tok(at - 2)
		return version.kind == word && isDigit(version.text[len(version.text)-1]) // v2.5
	}
	if before.fold == "-" && !s.tok(at-2).spaced && s.tok(at-3).kind == number {
		return false // 9am-5pm
	}
	return before.fold == "-" && !before.spaced && s.tok(at-2).kind == word || before.fold == "#"
}

// ordinal is true of the ending of "2nd".
func (s *scanner) ordinal(end int) bool {
	t := s.tok(end)
	return s.tok(end-1).kind == number && !t.spaced && t.kind == word && t.is("ordinal ending")
}

// readAmount collects the readings of a number with what stands behind it, and the tokens they
// take.
func (s *scanner) readAmount(q *quantity, a amount) {
	end := q.to
	unitAt := s.hyphened(end) // a 150-mile trip
	if a.article {
		s.readArticle(q, a)
		return
	}
	if t := s.tok(unitAt); t.is("ish") && (!t.spaced || unitAt > end) {
		unitAt++
	} else if t.is("either") && s.tok(unitAt+1).is("so") {
		unitAt += 2
	}
	if q2, ok := s.compound(*q, a, unitAt); ok {
		*q = q2
		for _, f := range s.unitsAt(unitAt, true) {
			if unitAt+f.n == q.to && !f.share && f.unit.Dimension() != units.Length { // 6ft2 may be an area
				q.readings = append(q.readings, s.reading(a, f, f.n))
			}
		}
		return
	}
	r := longestReadings{end: end, to: end}
	x, xAt := s.suffixAt(unitAt, false)
	plainUnits := s.plainUnits(unitAt)
	if x != nil && x[3] != "" && len(s.tok(unitAt).text) > 1 {
		plainUnits = nil // a suffix that is a rare unit in another case
	}
	if x != nil {
		s.readSuffix(&r, a, x, xAt, unitAt, plainUnits)
	} else {
		s.takeUnits(&r, a, unitAt, plainUnits)
	}
	for _, f := range plainUnits {
		if f.share && len(r.list) > 0 && r.to > unitAt+f.n {
			if one := s.reading(a, f, r.to-end); percentUnit(f.unit) {
				r.list = append([]reading{one}, r.list...)
			} else {
				r.list = append(r.list, one)
			}
		}
		if last := plainUnits[len(plainUnits)-1]; f.typo && !(last.share && last.unit == units.One) && len(r.list) > 0 && r.list[len(r.list)-1].unit != nil {
			r.list = append(r.list, s.weakly(s.bare(a, r.to-end)))
		}
	}
	q.readings, q.to = r.list, r.to
	if before := s.tok(q.from - 1); a.words && s.tok(q.from).is("one") && q.to == q.from+2 && (before.is("holding") || before.is("goal") || before.is("any of")) && len(q.readings) > 0 && s.tables.isCalendar(q.readings[0].unit) {
		q.weak = true // "in one day"
	}
}

// longestReadings are the readings of a number that take the most tokens.
type longestReadings struct {
	end, to int // behind the number, and behind what belongs to it
	list    []reading
}

func (r *longestReadings) take(to int, one reading) {
	if to > r.to {
		r.to, r.list = to, nil
	}
	if to == r.to {
		r.list = append(r.list, one)
	}
}

func (s *scanner) takeUnits(r *longestReadings, a amount, at int, list []found) {
	for _, f := range list {
		if !f.share && s.accepts(f, at) {
			r.take(at+f.n, s.reading(a, f, at+f.n-r.end))
		}
	}
}

// readSuffix reads a number with a suffix and the units behind that, and the suffix as a unit.
func (s *scanner) readSuffix(r *longestReadings, a amount, x row, xAt, unitAt int, plainUnits []found) {
	times := s.times(a, decimal.Int(x.number(1)))
	further := s.plainUnits(xAt)
	if x[3] == "" && len(further) > 0 && further[len(further)-1].unit == units.One {
		further = nil // the m of 10 m/s
	}
	if x[3] == "" {
		s.takeUnits(r, a, unitAt, plainUnits)
	}
	s.takeUnits(r, times, xAt, further)
	r.take(xAt, reading{kind: kindNumber, number: times.value, text: times.text(), unitTokens: xAt - r.end})
	if x[3] != "" {
		s.takeUnits(r, a, unitAt, plainUnits)
		if t := s.tok(unitAt); len(r.list) == 2 && t.text == kelvin && t.spaced && r.list[1].unit != nil {
			r.list[0], r.list[1] = r.list[1], r.list[0] // 300 K is a temperature before it is a count
		}
	}
	if r.to == xAt && strings.EqualFold(s.tok(xAt-1).text, kelvin) {
		if km := s.reading(a, s.parsed(kilometre, 1)[0], 1); s.tok(s.hyphened(xAt)).is("running") {
			r.list = append([]reading{km}, r.list...) // a 10k run
		} else {
			r.take(xAt, s.weakly(km))
		}
	}
	for _, f := range further {
		if f.share {
			r.list = append(r.list, s.reading(times, f, r.to-r.end))
		}
	}
}

// Units that the scanner knows by their symbols.
const (
	inch      = "in"
	kilometre = "km"
	kelvin    = "K"
	minute    = "min"
	second    = "s"
	hour      = "h"
	week      = "wk"
	arcminute = "arcmin"
	arcsecond = "arcsec"
)

// plainUnits are the units behind a number, in both senses of what may be the word "in".
func (s *scanner) plainUnits(at int) []found {
	t := s.tok(at)
	if t.is("inside") && t.kind == word {
		if t.spaced && !s.inchesAt(at) {
			return nil
		}
		list := s.parsed(inch, 1)
		if t.spaced {
			list = append(list, found{unit: units.One, n: 1, part: 1})
		}
		return list
	}
	return s.unitsAt(at, true)
}

// inchesAt tells the inches of "5 in wide" from the word in "5 in total": behind the former there
// is nothing more.
func (s *scanner) inchesAt(at int) bool {
	next := s.tok(at + 1)
	return next.end == 0 || next.kind == mark || next.is("behind inches")
}

// accepts refuses a spaced word that is joined to something else: the unit must end at the border
// of a word.
func (s *scanner) accepts(f found, at int) bool {
	next := s.tok(at + f.n)
	return next.spaced || next.kind != word && next.kind != number || s.tok(at+f.n-1).kind == sign || next.kind == number
}

func (s *scanner) weakly(r reading) reading {
	r.weak = true
	return r
}

func (s *scanner) bare(a amount, n int) reading {
	return reading{kind: kindNumber, number: a.value, text: a.text(), unitTokens: n}
}

// reading gives an amount one sense of its unit words.
func (s *scanner) reading(a amount, f found, n int) reading {
	switch {
	case f.part == -1:
		a.value, a.exact = a.value.Neg(), ""
	case f.part > 1:
		a.value, a.exact = s.ctx.Quo(a.value, decimal.Int(f.part)), ""
	}
	r := reading{number: a.value, unit: f.unit, unitTokens: n, weak: f.share && f.unit.Dimension() == units.Time}
	symbol := f.unit.Symbol()
	switch {
	case f.unit == units.One:
		return reading{kind: kindNumber, number: a.value, text: a.text(), unitTokens: n}
	case percentUnit(f.unit):
		return reading{kind: kindPercent, number: a.value, text: a.text() + "%", unitTokens: n}
	case isCurrency(f.unit):
		r.kind = kindMoney
	case f.unit.Dimension() == units.Time:
		r.kind = kindDuration
	default:
		r.kind = kindMeasure
	}
	r.text = a.text() + " " + symbol
	return r
}

// suffixAt reads what multiplies the number in front of a token: k, m, bn, grand.
func (s *scanner) suffixAt(at int, money bool) (row, int) {
	t := s.tok(at)
	x := s.tables.exactly("suffixes", t.text)
	if x == nil && len(t.fold) > 2 {
		x = s.tables.exactly("suffixes", t.fold)
	}
	if t.kind != word || x == nil || x[2] != "" && !money {
		return nil, 0
	}
	return x, at + 1
}
