package units

import "reckon/engine/decimal"

// Quantity is a number in a unit.
type Quantity struct {
	Number decimal.Decimal
	Unit   *Unit
}

// SI returns the number in coherent SI (K for temperatures, an absolute one for points; seconds;
// bits; currency and counting units are their own base; a level is the dB above one coherent unit
// of what it is a level of).
func (q Quantity) SI(c *decimal.Context) decimal.Decimal {
	u := q.Unit
	if u.IsSI() {
		return q.Number
	}
	if !u.point {
		return apply(c, q.Number, u.scale, unscaled)
	}
	return c.Add(apply(c, c.Add(q.Number, u.offset), u.scale, unscaled), u.zero)
}

// FromSI is the inverse of SI.
func FromSI(c *decimal.Context, si decimal.Decimal, u *Unit) Quantity {
	if u.IsSI() {
		return Quantity{si, u}
	}
	if !u.point {
		return Quantity{apply(c, si, unscaled, u.scale), u}
	}
	return Quantity{c.Sub(apply(c, c.Sub(si, u.zero), unscaled, u.scale), u.offset), u}
}

// IsSI reports whether numbers in the unit are those in coherent SI.
func (u *Unit) IsSI() bool { return u == nil || u.scale.plain && !u.point }

// String is the quantity as emitted: 34 digits, one space, unit symbol.
func (q Quantity) String() string {
	return Quantity{q.Number.Shown(), q.Unit}.Exact()
}

// Exact is the quantity with all its digits.
func (q Quantity) Exact() string {
	if q.Unit.IsOne() {
		return q.Number.String()
	}
	return q.Number.String() + " " + q.Unit.symbol
}
