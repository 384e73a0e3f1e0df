package language

import (
	"slices"
	"strings"
	"sync"

	"reckon/engine/decimal"
	"reckon/engine/units"
)

// quantity is a stretch of tokens that states an amount or a moment, with every way to read it, the best first. Without
// readings it states something that cannot be expressed: a range, "next Friday", "1,23".
type quantity struct {
	from, to int // tokens[from:to]
	readings []reading
	approx   bool // "about", "roughly" and the like stand before it, outside from:to, or "or so" behind
	rng      bool // a range or a choice, from its first word ("between") to its last: no single amount, no readings
	weak     bool // the words may well state no amount: "a month", "one", "now". Such a quantity need not be used.
	none     bool // "no", "without" or "zero" before a noun: 0, if the noun is one that has an amount
	moment   bool // it states a date or a time of day, also where it has no readings
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
)

// reading is one way to read a quantity.
type reading struct {
	kind       readingKind
	number     decimal.Decimal
	unit       *units.Unit // nil for bare numbers, percent and moments
	text       string      // the value in the grammar of structured text (CONTRACT.md section 2)
	unitTokens int         // how many tokens at the end (of money before its number: at the start) are its unit words
	weak       bool        // a reading for want of a better one
}

// scanner finds the quantities among the tokens of one prompt.
type scanner struct {
	tokens   []token
	table    *units.Table
	currency string
	today    int64 // seconds since 1970
	since    day   // the last day that the prompt has named so far
	ctx      *decimal.Context
	*phraseIndex
}

// arithmeticBudget bounds what one prompt may spend on arithmetic.
const arithmeticBudget = 1_000_000

func newScanner(tokens []token, table *units.Table, currency string) *scanner {
	return &scanner{tokens: tokens, table: table, currency: currency, ctx: decimal.NewContext(arithmeticBudget), phraseIndex: phrases()}
}

// phraseIndex finds the rows of the tables by their first word, the longest phrases first.
type phraseIndex struct {
	numbers     map[string]*numberWord
	moneyWords  map[string]*moneyWord
	unitPhrases map[string][]phraseOf[spokenUnit]
	overPhrases map[string][]phraseOf[overWord]
	dayPhrases  map[string][]phraseOf[dayPart]

	spokenDayPhrases map[string][]phraseOf[spokenDay]
	leadPhrases      [][][]string // by row of weekdayLeads
	weekdays         map[string]weekdayName
}

type weekdayName struct {
	name  int // Monday is 0
	short bool
}

type phraseOf[R any] struct {
	words []string
	row   *R
}

var phrases = sync.OnceValue(func() *phraseIndex {
	x := &phraseIndex{
		numbers:     numberWordIndex(),
		moneyWords:  map[string]*moneyWord{},
		unitPhrases: indexed(spokenUnits, func(r *spokenUnit) string { return r.words }),
		overPhrases: indexed(overWords, func(r *overWord) string { return r.words }),
		dayPhrases:  indexed(dayParts, func(r *dayPart) string { return r.words }),

		spokenDayPhrases: indexed(spokenDays, func(r *spokenDay) string { return r.words }),
		weekdays:         map[string]weekdayName{},
	}
	for i := range weekdayLeads {
		var list [][]string
		for spelling := range strings.SplitSeq(weekdayLeads[i].words, ", ") {
			list = append(list, strings.Fields(spelling))
		}
		x.leadPhrases = append(x.leadPhrases, list)
	}
	for i := range weekdays {
		for w := range fields(weekdays[i].words) {
			x.weekdays[w] = weekdayName{i, false}
		}
		for w := range fields(weekdays[i].short) {
			x.weekdays[w] = weekdayName{i, true}
		}
	}
	for i := range moneyWords {
		for w := range fields(moneyWords[i].words) {
			x.moneyWords[w] = &moneyWords[i]
		}
	}
	return x
})

func indexed[R any](rows []R, spellings func(*R) string) map[string][]phraseOf[R] {
	index := map[string][]phraseOf[R]{}
	for i := range rows {
		for spelling := range strings.SplitSeq(spellings(&rows[i]), ", ") {
			var words []string
			for _, t := range tokenize(spelling) {
				words = append(words, t.fold)
			}
			index[words[0]] = append(index[words[0]], phraseOf[R]{words, &rows[i]})
		}
	}
	for _, list := range index {
		slices.SortStableFunc(list, func(a, b phraseOf[R]) int { return len(b.words) - len(a.words) })
	}
	return index
}

// tok is a token, or none outside of the prompt.
func (s *scanner) tok(i int) token {
	if i < 0 || i >= len(s.tokens) {
		return token{kind: mark, spaced: true}
	}
	return s.tokens[i]
}

// scan lists the quantities of a prompt from left to right, the longest at each place; they do not overlap. currency is
// the ISO code of the domain's only currency, "" for none: "dollars" and "$" are its own where it is one of that name.
// today is the midnight of the present day in seconds since 1970 on the clock of whoever asks.
func scan(tokens []token, table *units.Table, currency string, today int64) []quantity {
	s := newScanner(tokens, table, currency)
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
	if t.fold == "between" {
		if q, ok := s.between(at); ok {
			return q
		}
		return quantity{}
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

// approximations stand before an amount that is not exact.
var approximations = words("about around roughly approximately approx circa nearly almost ~ ≈ some")

func (s *scanner) approxAt(q quantity) bool {
	before := s.tok(q.from - 1).fold
	if before == "." {
		before = s.tok(q.from - 2).fold
	}
	for i := q.from; i < q.to; i++ {
		if t := s.tokens[i].fold; t == "ish" || t == "so" {
			return true
		}
	}
	if approximations()[before] {
		asked := s.tok(q.from - 2).fold
		return before != "about" || asked != "what" && asked != "how"
	}
	return s.tok(q.to).fold == "or" && s.tok(q.to+1).fold == "so" || s.tok(q.to).fold == "ish" || s.tok(q.to).fold == "-" && s.tok(q.to+1).fold == "ish"
}

// amountAt reads an amount: money with its sign in front, or a number with the unit behind it.
func (s *scanner) amountAt(at int) quantity {
	t := s.tokens[at]
	switch t.kind {
	case word, number:
	case mark:
		if t.fold != "-" {
			return quantity{}
		}
	case sign:
		if !isCurrencySign(t.text) && t.kind != number {
			return quantity{}
		}
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
	if s.inName(at) || s.ordinal(end) {
		return none(max(end, s.endOfOrdinal(end)))
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

var ordinalEndings = words("st nd rd th")

// ordinal is true of the ending of "2nd".
func (s *scanner) ordinal(end int) bool {
	t := s.tok(end)
	return s.tok(end-1).kind == number && !t.spaced && t.kind == word && ordinalEndings()[t.fold]
}

func (s *scanner) endOfOrdinal(end int) int {
	if s.ordinal(end) {
		return end + 1
	}
	return end
}

// readAmount collects the readings of a number with what stands behind it, and the tokens they take.
func (s *scanner) readAmount(q *quantity, a amount) {
	end := q.to
	unitAt := s.hyphened(end) // a 150-mile trip
	if a.article {
		s.readArticle(q, a)
		return
	}
	if t := s.tok(unitAt); t.fold == "ish" && (!t.spaced || unitAt > end) {
		unitAt++
	} else if t.fold == "or" && s.tok(unitAt+1).fold == "so" {
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
	var list []reading
	longest := end
	take := func(to int, r ...reading) {
		if to > longest {
			longest, list = to, nil
		}
		if to == longest {
			list = append(list, r...)
		}
	}
	x, xAt := s.suffixAt(unitAt, false)
	plainUnits := s.plainUnits(unitAt)
	if x != nil && x.first && len(s.tok(unitAt).text) > 1 {
		plainUnits = nil // a suffix that is a rare unit in another case
	}
	takeUnits := func(a amount, at int, list []found) {
		for _, f := range list {
			if !f.share && s.accepts(f, at) {
				take(at+f.n, s.reading(a, f, at+f.n-end))
			}
		}
	}
	if x != nil {
		times := s.times(a, decimal.Int(x.value))
		further := s.plainUnits(xAt)
		if !x.first && len(further) > 0 && further[len(further)-1].unit == units.One {
			further = nil // the m of 10 m/s
		}
		if !x.first {
			takeUnits(a, unitAt, plainUnits)
		}
		takeUnits(times, xAt, further)
		take(xAt, reading{kind: kindNumber, number: times.value, text: times.text(), unitTokens: xAt - end})
		if x.first {
			takeUnits(a, unitAt, plainUnits)
			if n := len(list); n == 2 && s.tok(unitAt).text == "K" && s.tok(unitAt).spaced && list[1].unit != nil {
				list[0], list[1] = list[1], list[0] // 300 K is a temperature before it is a count
			}
		}
		if longest == xAt && x.value == 1e3 && s.tok(xAt-1).fold == "k" {
			if km := s.reading(a, s.parsed("km", 1)[0], 1); runWords()[s.tok(s.hyphened(xAt)).fold] {
				list = append([]reading{km}, list...) // a 10k run
			} else {
				take(xAt, s.weakly(km))
			}
		}
		for _, f := range further {
			if f.share {
				list = append(list, s.reading(times, f, longest-end))
			}
		}
	} else {
		takeUnits(a, unitAt, plainUnits)
	}
	for _, f := range plainUnits {
		if f.share && len(list) > 0 && longest > unitAt+f.n {
			if r := s.reading(a, f, longest-end); percentUnit(f.unit) {
				list = append([]reading{r}, list...)
			} else {
				list = append(list, r)
			}
		}
		if last := plainUnits[len(plainUnits)-1]; f.typo && !(last.share && last.unit == units.One) && len(list) > 0 && list[len(list)-1].unit != nil {
			list = append(list, s.weakly(s.bare(a, longest-end)))
		}
	}
	q.readings, q.to = list, longest
}

// plainUnits are the units behind a number, in both senses of what may be the word "in".
func (s *scanner) plainUnits(at int) []found {
	t := s.tok(at)
	if t.fold == "in" && t.kind == word {
		if t.spaced && !s.inchesAt(at) {
			return nil
		}
		list := s.parsed("in", 1)
		if t.spaced {
			list = append(list, found{unit: units.One, n: 1, part: 1})
		}
		return list
	}
	return s.unitsAt(at, true)
}

// behindInches stand behind a measure in inches.
var behindInches = words("wide long tall high deep thick across by x and diameter of")

// inchesAt tells the inches of "5 in wide" from the word in "5 in total": behind the former there is nothing more.
func (s *scanner) inchesAt(at int) bool {
	next := s.tok(at + 1)
	return next.end == 0 || next.kind == mark || behindInches()[next.fold]
}

// accepts refuses a spaced word that is joined to something else: the unit must end at the border of a word.
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
func (s *scanner) suffixAt(at int, money bool) (*suffix, int) {
	t := s.tok(at)
	if t.kind != word || len(t.text) > 5 {
		return nil, 0
	}
	for i := range suffixes {
		x := &suffixes[i]
		if x.money && !money {
			continue
		}
		for w := range fields(x.words) {
			if w == t.text || len(w) > 2 && w == t.fold {
				return x, at + 1
			}
		}
	}
	return nil, 0
}
