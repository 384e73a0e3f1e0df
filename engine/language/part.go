package language

import (
	"strings"

	"reckon/engine/decimal"
	"reckon/engine/units"
)

// How the amount of a part that need not be said stands, by its name in the table.
const (
	twoDigits  = "two digits" // and no noun behind it
	joinedPart = "joined"     // in two digits and without space: 4h20
)

// part reads a smaller amount of the same dimension behind an amount in a unit; end is 0 for none.
func (s *scanner) part(at int, unit *units.Unit) (b amount, u *units.Unit, end int) {
	joint := s.tok(at)
	joined := joint.is("adds")
	if joined {
		at++
	}
	if t := s.tok(at); t.kind == mark || t.is("minus") {
		return b, nil, 0
	}
	b = s.unsigned(at)
	if b.n == 0 || b.invalid || b.article || b.exact != "" {
		return b, nil, 0
	}
	at += b.n
	senses := s.partUnits(at, unit)
	for _, f := range senses {
		money := isCurrency(unit)
		cents := f.unit == unit && f.part == 100 && (!joined && s.tok(at-b.n-1).kind == word || !s.rated(at+f.n))
		less := f.part == 1 && s.parted(f.unit, unit) && f.unit.Dimension() == unit.Dimension() && !f.unit.IsPoint() && s.smaller(f.unit, unit) && !s.rated(at+f.n)
		own := joint.fold == "," && (s.tok(at+f.n).is("thickness") || !s.inParts(unit)) // a measure of its own: 10 feet by 12 feet, 4 inches deep; 60 m, 25 cm
		if s.accepts(f, at) && (money && cents || !money && less && !own) {
			return b, f.unit, at + f.n
		}
	}
	if t := s.tok(at); joined || len(senses) > 0 || !b.whole() || t.kind == word && !t.spaced || t.is("multiplied") || t.kind != word && strings.Contains("%:/", t.fold) && t.end > 0 {
		return b, nil, 0
	}
	if u := s.bareUnit(b, at, unit); u != nil {
		return b, u, at
	}
	return b, nil, 0
}

// inParts reports whether amounts in a unit are told in units of their own kind one after the
// other, as feet and inches, hours and minutes are.
func (s *scanner) inParts(unit *units.Unit) bool {
	r := s.tables.exactly("parts", unit.Symbol())
	return unit.Dimension() == units.Time || r != nil && r[2] != twoDigits
}

// mostParts is how many of a unit of time make one of another that it is a part of: the seconds of
// an hour. Minutes are no part of months.
const mostParts = 3600

// parted reports whether an amount in a unit can be a part of one in another, as far as both are of
// time.
func (s *scanner) parted(unit, of *units.Unit) bool {
	if unit.Dimension() != units.Time || of.Dimension() != units.Time {
		return true
	}
	q, err := units.Convert(s.ctx, units.Quantity{Number: decimal.Int(1), Unit: of}, unit)
	return err == nil && q.Number.Cmp(decimal.Int(mostParts)) <= 0
}

// partUnits are the units behind a smaller amount, where "m" and "in" mean minutes and inches.
func (s *scanner) partUnits(at int, unit *units.Unit) []found {
	switch t := s.tok(at); {
	case t.is("minute letter") && unit.Dimension() == units.Time:
		return s.parsed(minute, 1)
	case t.is("inside") && unit.Dimension() == units.Length && s.smaller(s.parsed(inch, 1)[0].unit, unit):
		return s.parsed(inch, 1)
	case unit.Dimension() == units.Angle:
		if u := s.anglePart(at); u.unit != nil {
			return []found{u}
		}
	}
	return s.single(at, true)
}

// anglePart is the unit of a mark or a word behind an angle, where they are minutes and seconds of
// it and neither feet and inches nor times; its unit is nil for none.
func (s *scanner) anglePart(at int) found {
	t := s.tok(at)
	symbol := ""
	switch {
	case t.is("arc minutes"):
		symbol = arcminute
	case t.is("arc seconds"):
		symbol = arcsecond
	default:
		return found{}
	}
	return found{unit: s.parsed(symbol, 1)[0].unit, n: 1, part: 1}
}

// bareUnit is the unit of a smaller amount that has none behind it, nil where it is no part.
func (s *scanner) bareUnit(b amount, at int, unit *units.Unit) *units.Unit {
	two := s.tok(at).kind != number && !s.nounAt(at) && s.twoDigits(b, at)
	if isCurrency(unit) {
		if name := s.tok(at - b.n - 1); two && name.kind == word && (name.lex.row("money") != nil || name.is("pound")) {
			return unit
		}
		return nil
	}
	r := s.tables.exactly("parts", unit.Symbol())
	spelt := two && (len(s.tok(at-b.n-1).fold) >= shortestOwn || s.tok(at).kind == mark) // 2 hours 20, 5 h 30.
	if r == nil || r[2] == twoDigits && !two || r[2] == joinedPart && !spelt && (s.tok(at-1).spaced || len(s.tok(at-1).text) != 2) {
		return nil
	}
	smaller := s.parsed(r[1], 1)[0].unit
	in, err := units.Convert(s.ctx, units.Quantity{Number: decimal.Int(1), Unit: unit}, smaller)
	if err != nil || b.value.Cmp(in.Number) >= 0 || b.value.Sign() < 0 {
		return nil
	}
	return smaller
}

// twoDigits is true of an amount before a token that is said with two digits, which 5 is not and 05
// is.
func (s *scanner) twoDigits(b amount, end int) bool {
	if t := s.tok(end - 1); b.n == 1 && t.kind == number {
		return len(t.text) == 2
	}
	return b.words && b.value.Cmp(decimal.Int(9)) > 0 && b.value.Cmp(decimal.Int(100)) < 0
}

// rated reports whether a unit at the tokens in front is that of a rate: 8 hours a day.
func (s *scanner) rated(at int) bool {
	row, n := s.rowAt("per", at)
	return row != nil && (row[1] != "" || len(s.single(at+n, false)) > 0)
}

// smaller reports whether one of a unit is less than one of another of its dimension.
func (s *scanner) smaller(a, than *units.Unit) bool {
	q, err := units.Convert(s.ctx, units.Quantity{Number: decimal.Int(1), Unit: a}, than)
	return err == nil && q.Number.Cmp(decimal.Int(1)) < 0
}
