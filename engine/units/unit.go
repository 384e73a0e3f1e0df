package units

import (
	"slices"
	"strings"

	"reckon/engine/decimal"
)

// Unit is a parsed unit expression: an ordered product of named units, each with prefix and power.
// It is immutable. The nil *Unit and One are the unit of plain numbers.
type Unit struct {
	symbol    string // normalised: "mi/h", "m^2"; "W" is never expanded
	dimension Dimension
	scale     scale
	offset    decimal.Decimal // of a point: SI = (value + offset) × scale + zero
	zero      decimal.Decimal
	point     bool   // a point on an affine scale (degC, psig, dBm alone)
	level     *Level // of a point that is a level of something (dBm), else nil
	terms     []Term // of a compound; nil for a named unit and for One

	entry  *entry  // of a named unit: its line in the table
	prefix *prefix // of a named unit: nil for none

	self   [1]Term // of a named unit: itself
	degree *Unit   // of a point: the unit of its differences
	origin *Unit   // of a unit of differences: the point scale that it belongs to
}

// Term is one factor of a Unit.
type Term struct {
	Unit     *Unit // a named, prefixed unit such as "km"
	Num, Den int   // the power, in lowest terms, Den > 0
}

// One is the unit of plain numbers, with an empty symbol.
var One = &Unit{scale: unscaled}

// newNamed makes a named unit of an entry.
func newNamed(symbol string, d Dimension, s scale, e *entry, p *prefix) *Unit {
	u := &Unit{symbol: symbol, dimension: d, scale: s, entry: e, prefix: p}
	u.self[0] = Term{u, 1, 1}
	return u
}

// Symbol is the one spelling that is emitted: factors joined by "·", powers as "^2", behind one "/"
// the factors with negative powers, in parentheses when there are several ("kg/(m·s^2)"). Without a
// factor above the line a 1 stands there ("1/s"), as people write rates. A table that knows its
// units parses it back to the same unit.
func (u *Unit) Symbol() string {
	if u == nil {
		return ""
	}
	return u.symbol
}

// String is the unit as messages name it: its symbol, "1" for none.
func (u *Unit) String() string {
	if u.IsOne() {
		return "1"
	}
	return u.symbol
}

// Dimension is the dimension of the unit; a point has that of its differences.
func (u *Unit) Dimension() Dimension {
	if u == nil {
		return None
	}
	return u.dimension
}

// IsPoint is true of degC, psig, dBm and the like standing alone: a number in them is a point on a
// scale.
func (u *Unit) IsPoint() bool { return u != nil && u.point }

// IsAbsolute is true of a point on a scale that has an end at 0 in coherent SI, as temperature and
// pressure have.
func (u *Unit) IsAbsolute() bool { return u.IsPoint() && u.level == nil }

// Level is what a point is a level of; nil for none.
func (u *Unit) Level() *Level {
	if u == nil {
		return nil
	}
	return u.level
}

// ServesAsPoint is true of units such as K and psi: a number in them is a point or a difference,
// whichever the place needs.
func (u *Unit) ServesAsPoint() bool {
	return u != nil && u.origin == nil && !u.point && (u.dimension == Temperature || u.dimension == pressure)
}

// IsOne is true of the unit of plain numbers. Percent is another unit of the same dimension.
func (u *Unit) IsOne() bool { return u == nil || u.symbol == "" }

// Terms lists the factors in the order in which they were written; a named unit is its own only
// term.
func (u *Unit) Terms() []Term {
	switch {
	case u.IsOne():
		return nil
	case u.terms == nil:
		return []Term{{u, 1, 1}}
	}
	return slices.Clone(u.terms)
}

// factors are the terms of u as part of a compound, where a point counts as its difference.
func (u *Unit) factors() []Term {
	switch {
	case u.IsOne():
		return nil
	case u.point:
		return u.degree.self[:]
	case u.terms == nil:
		return u.self[:]
	}
	return u.terms
}

// Difference is the unit of differences between points of u: delta_degC of degC, and u itself where
// u is no point.
func (u *Unit) Difference() *Unit {
	if u.IsPoint() {
		return u.degree
	}
	return u
}

// Point is the inverse of Difference: degC of delta_degC, and u itself where it belongs to no scale
// (K is point and difference).
func (u *Unit) Point() *Unit {
	if u != nil && u.origin != nil {
		return u.origin
	}
	return u
}

// Mul is the product; equal terms are merged and cancelled. In a compound degC counts as its
// difference.
func (u *Unit) Mul(o *Unit) *Unit {
	switch {
	case o.IsOne():
		return u
	case u.IsOne():
		return o
	}
	return compound(mergeTerms(slices.Clone(u.factors()), o.factors(), 1))
}

// Div is the quotient, with terms merged as Mul does.
func (u *Unit) Div(o *Unit) *Unit {
	if o.IsOne() {
		return u
	}
	return compound(mergeTerms(slices.Clone(u.factors()), o.factors(), -1))
}

// Pow raises u to num/den. It reports false when the exponent of a dimension is no multiple of 1/60
// or too large.
func (u *Unit) Pow(num, den int) (*Unit, bool) {
	if u.IsOne() {
		return One, den != 0
	}
	const most = 1_000_000
	if den == 0 || num > most || num < -most || den > most || den < -most {
		return nil, false
	}
	if _, ok := u.dimension.Pow(num, den); !ok {
		return nil, false
	}
	num, den = Lowest(num, den)
	if num == 1 && den == 1 {
		return u, true
	}
	terms := u.factors()
	raised := make([]Term, 0, len(terms))
	for _, t := range terms {
		t.Num, t.Den = Lowest(t.Num*num, t.Den*den)
		if !t.allowed() {
			return nil, false
		}
		if t.Num != 0 {
			raised = append(raised, t)
		}
	}
	return compound(raised), true
}

// maxPower is the largest power of a term.
const maxPower = 546

// allowed reports whether the power of a term can be represented.
func (t Term) allowed() bool {
	return t.Num <= maxPower*t.Den && t.Num >= -maxPower*t.Den && sixtieths%t.Den == 0
}

// mergeTerms appends terms, their powers multiplied by a sign, adding up those of the same named
// unit and dropping those that cancel. Powers stop at ±maxPower.
func mergeTerms(merged, terms []Term, sign int) []Term {
	for _, t := range terms {
		t.Num *= sign
		i := slices.IndexFunc(merged, func(m Term) bool { return m.Unit == t.Unit || m.Unit.symbol == t.Unit.symbol })
		if i < 0 {
			merged = append(merged, t)
			continue
		}
		m := &merged[i]
		m.Num, m.Den = Lowest(m.Num*t.Den+t.Num*m.Den, m.Den*t.Den)
		m.Num = max(-maxPower*m.Den, min(maxPower*m.Den, m.Num))
	}
	return slices.DeleteFunc(merged, func(t Term) bool { return t.Num == 0 })
}

// compound makes the unit of a product of merged terms. It keeps terms.
func compound(terms []Term) *Unit {
	if len(terms) == 0 {
		return One
	}
	if len(terms) == 1 && terms[0].Num == 1 && terms[0].Den == 1 {
		return terms[0].Unit
	}
	u := &Unit{symbol: spell(terms), scale: unscaled, terms: terms}
	for _, t := range terms {
		d, _ := t.Unit.dimension.Pow(t.Num, t.Den) // powers that Pow would refuse are not in terms
		u.dimension, u.scale = u.dimension.Mul(d), u.scale.mul(t.Unit.scale.pow(t.Num, t.Den))
	}
	return u
}

// spell writes terms as Symbol does.
func spell(terms []Term) string {
	var buf [64]byte
	text := buf[:0]
	above, below := 0, 0
	for _, t := range terms {
		if t.Num > 0 {
			above++
		} else {
			below++
		}
	}
	appendSide := func(sign int) {
		first := true
		for _, t := range terms {
			if t.Num*sign < 0 {
				continue
			}
			if !first {
				text = append(text, "·"...)
			}
			first = false
			text = append(text, t.Unit.symbolInCompound()...)
			if num := t.Num * sign; num != 1 || t.Den != 1 {
				text = append(text, powerSuffix(num, t.Den)...)
			}
		}
	}
	if above == 0 {
		text = append(text, '1')
	}
	appendSide(1)
	if below > 0 {
		text = append(text, '/')
		if below > 1 {
			text = append(text, '(')
		}
		appendSide(-1)
		if below > 1 {
			text = append(text, ')')
		}
	}
	return string(text)
}

// symbolInCompound is the symbol of a term: differences of temperature are written degC there.
func (u *Unit) symbolInCompound() string {
	if u.origin != nil && strings.HasPrefix(u.symbol, deltaPrefix) {
		return u.origin.symbol
	}
	return u.symbol
}

// deltaPrefix begins the symbols of differences that have no other name.
const deltaPrefix = "delta_"
