package units

import (
	"cmp"
	"fmt"

	"reckon/engine/decimal"
)

// Convert gives q in unit to, multiplying first and dividing once. It fails where the dimensions
// differ. Fuel economy converts reciprocally between volume or energy per distance and distance per
// volume or energy. A point converts to a point; K and psi serve as either. A level converts to
// what it is a level of, and back. rad/s and Hz are incompatible here. Errors of arithmetic stay in
// c: a number out of range, or a fuel economy of 0 as consumption, which divides by 0.
func Convert(c *decimal.Context, q Quantity, to *Unit) (Quantity, error) {
	if q.Unit == to {
		return q, nil
	}
	from, target := q.Unit.orOne(), to.orOne()
	switch {
	case reciprocal(from, target):
		if q.Number.IsZero() {
			return Quantity{c.Fail(decimal.ErrDivisionByZero), to}, nil
		}
		both := from.scale.mul(target.scale)
		below := newScale(c.Mul(q.Number, both.num), both.den, both.pi)
		return Quantity{apply(c, one, unscaled, below), to}, nil
	case from.levelOf(target):
		return FromSI(c, from.level.amount(c, q.SI(c)), to), nil
	case target.levelOf(from):
		return FromSI(c, target.level.of(c, q.SI(c)), to), nil
	case from.dimension != target.dimension, !pointsAgree(from, target):
		return Quantity{}, fmt.Errorf("the units %s and %s are not compatible", from, target)
	}
	v := q.Number
	if from.symbol == target.symbol {
		return Quantity{v, to}, nil
	}
	if from.point {
		v = c.Add(v, from.offset)
	}
	v = apply(c, v, from.scale, target.scale)
	if from.point || target.point {
		v = c.Add(v, apply(c, c.Sub(from.zero, target.zero), unscaled, target.scale))
	}
	if target.point {
		v = c.Sub(v, target.offset)
	}
	return Quantity{v, to}, nil
}

// Compatible reports whether Convert can give quantities of unit from in unit to.
func Compatible(from, to *Unit) bool {
	from, to = from.orOne(), to.orOne()
	return reciprocal(from, to) || from.levelOf(to) || to.levelOf(from) || from.dimension == to.dimension && pointsAgree(from, to)
}

func (u *Unit) orOne() *Unit { return cmp.Or(u, One) }

// pointsAgree refuses a point as a difference, and the other way round, and a level of one thing as
// that of another.
func pointsAgree(from, to *Unit) bool {
	if from.dimension == levels {
		return from.level == to.level
	}
	return from.origin == nil && to.origin == nil || !from.point && !to.point
}

// reciprocal reports whether one unit is a fuel consumption and the other one a fuel economy of the
// same kind.
func reciprocal(from, to *Unit) bool {
	return from.dimension != to.dimension && from.dimension == to.dimension.inverse() && fuel(from)*fuel(to) == -1
}

// fuel is 1 for a distance per volume or energy (mpg, km/L, mi/kWh), -1 for the inverse (L/100km),
// else 0.
func fuel(u *Unit) int {
	terms := u.terms
	if u.entry != nil && u.entry.parts != nil {
		terms = u.entry.parts.terms
	}
	if len(terms) != 2 {
		return 0
	}
	a, b := terms[0], terms[1]
	if a.Num*b.Num != -1 || a.Den != 1 || b.Den != 1 {
		return 0
	}
	if a.Unit.dimension == Length && isFuel(b.Unit) {
		return a.Num
	}
	if b.Unit.dimension == Length && isFuel(a.Unit) {
		return b.Num
	}
	return 0
}

// isFuel is true of units that fuel is measured in.
func isFuel(u *Unit) bool { return u.dimension == volume || u.dimension == energy }
