package input

import (
	"reckon/engine/decimal"
	"reckon/engine/units"
)

// operand is a quantity; a bare one has been written without any unit.
type operand struct {
	units.Quantity
	bare bool
	from int // where it starts, in bytes
}

// add gives x + y, or x - y. A point on a scale and a difference give a point, two points
// subtracted a difference.
func (a *arithmetic) add(x, y operand, subtract bool) operand {
	signed := func(n decimal.Decimal) decimal.Decimal {
		if subtract {
			return n.Neg()
		}
		return n
	}
	from, to := x.Unit.IsPoint(), y.Unit.IsPoint()
	switch {
	case x.Unit.Dimension() != y.Unit.Dimension(), from && to && !subtract:
		a.fail(incompatible(x.Unit, y.Unit))
	case from || to:
		si := a.ctx.Add(x.SI(a.ctx), signed(y.SI(a.ctx)))
		unit := x.Unit
		if to && subtract {
			unit = y.Unit.Difference()
		} else if to {
			unit = y.Unit
		}
		x.Quantity = units.FromSI(a.ctx, si, unit)
	default:
		q, err := units.Convert(a.ctx, y.Quantity, x.Unit)
		if err != nil {
			a.fail(incompatible(x.Unit, y.Unit))
			return x
		}
		x.Number = a.ctx.Add(x.Number, signed(q.Number))
	}
	x.bare = x.bare && y.bare
	return x
}

// multiply gives x × y, or x ÷ y. Percents and the like count as the plain number they are, points
// on a scale as absolute temperatures.
func (a *arithmetic) multiply(x, y operand, divide bool) operand {
	calculate, combine := a.ctx.Mul, (*units.Unit).Mul
	if divide {
		calculate, combine = a.ctx.Quo, (*units.Unit).Div
	}
	bare := x.bare && y.bare
	p, q := x.Quantity, y.Quantity
	if !y.bare {
		p = a.factor(p)
	}
	if !x.bare {
		q = a.factor(q)
	}
	p, q = a.absolute(p), a.absolute(q)
	out := units.Quantity{Number: calculate(p.Number, q.Number), Unit: combine(p.Unit, q.Unit)}
	return operand{Quantity: a.factorless(out), bare: bare, from: x.from}
}

// factor is a quantity without dimension as a plain number; others stay.
func (a *arithmetic) factor(q units.Quantity) units.Quantity {
	if q.Unit.Dimension().IsNone() && q.Unit.Symbol() != "" {
		return units.Quantity{Number: q.SI(a.ctx), Unit: units.One}
	}
	return q
}

// factorless is a quantity whose unit is a mere ratio, such as m/cm, as a plain number; others
// stay.
func (a *arithmetic) factorless(q units.Quantity) units.Quantity {
	if len(q.Unit.Terms()) > 1 {
		return a.factor(q)
	}
	return q
}

// absolute is a point on a scale as an absolute temperature; others stay.
func (a *arithmetic) absolute(q units.Quantity) units.Quantity {
	if !q.Unit.IsPoint() {
		return q
	}
	if q.Unit.Level() != nil {
		a.fail(incompatible(q.Unit, units.One))
		return q
	}
	return units.FromSI(a.ctx, q.SI(a.ctx), a.scope.Table.ForResult(q.Unit.Dimension(), nil, false))
}

// raise gives x to the power of y, a plain number: a whole one where x has a unit.
func (a *arithmetic) raise(x, y operand) operand {
	if !y.Unit.Dimension().IsNone() {
		a.fail(a.syntax(y.from))
		return x
	}
	exponent := a.factor(y.Quantity).Number
	if x.bare {
		x.Number = a.ctx.Pow(x.Number, exponent)
		return x
	}
	q := a.absolute(a.factor(x.Quantity))
	n, whole := exponent.Int64()
	if whole && -60 <= n && n <= 60 {
		if unit, ok := q.Unit.Pow(int(n), 1); ok {
			x.Quantity = units.Quantity{Number: a.ctx.Pow(q.Number, exponent), Unit: unit}
			return x
		}
	}
	a.fail(a.syntax(y.from))
	return x
}
