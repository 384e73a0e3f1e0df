package engine

import (
	"math"
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/format"
	"reckon/engine/input"
	"reckon/engine/solve"
	"reckon/engine/units"
	"reckon/engine/value"
)

// seekAxis is an input that moves, in its unit.
type seekAxis struct {
	solve.Axis
	variable int
	unit     *units.Unit
	step     int64 // of moments: the seconds of one step; else 0
	edges    [2]*units.Quantity
}

// axis is an input in the unit in which its numbers are tried.
func (s *seeking) axis(r Range) (seekAxis, *value.Error) {
	d, p := s.domain, &s.domain.Profiles[r.Variable]
	a := seekAxis{variable: r.Variable, Axis: solve.Axis{Lo: math.Inf(-1), Hi: math.Inf(1), Scale: 1, Start: math.NaN()}}
	start := s.carried(r.Variable)
	for _, q := range []*units.Quantity{r.From, r.To, start} {
		if q != nil && a.unit == nil {
			a.unit = q.Unit
		}
	}
	if a.unit == nil {
		a.unit = d.BareUnit(r.Variable)
	}
	if a.unit == nil {
		dim, _ := d.Dimension(r.Variable)
		a.unit = d.Table.ForResult(dim, nil, false)
	}
	if declared := p.Unit; declared != nil && !sameButAngle(declared.Dimension(), a.unit.Dimension()) && units.Compatible(a.unit, declared) {
		a.unit = declared
	}
	switch format.ScalarKind(d.Variables[r.Variable].Kind) {
	case "date":
		a.step = value.SecondsPerDay
	case "datetime", "time":
		a.step = 60
	}
	switch {
	case a.step > 0:
		a.unit, a.Scale, a.Whole = input.Second(&d.Scope), float64(a.step), true
	case p.Choices != nil:
		a.unit = units.One
		for _, c := range p.Choices {
			a.Choices = append(a.Choices, c.Float64())
		}
	case p.Counts != nil:
		a.unit, a.Whole = p.Counts, true
	}
	if a.step == 0 {
		zero := units.Quantity{Unit: a.unit}.SI(s.ctx).Float64()
		a.Scale, a.Offset = units.Quantity{Number: decimal.Int(1), Unit: a.unit}.SI(s.ctx).Float64()-zero, zero
		if a.unit.IsPoint() {
			a.Scale = units.Quantity{Number: decimal.Int(1), Unit: a.unit.Difference()}.SI(s.ctx).Float64()
		}
	}
	edge := func(i int, q *units.Quantity) *value.Error {
		converted, err := units.Convert(s.ctx, *q, a.unit)
		if err != nil {
			return value.Problem("input.incompatible_units", q.Unit.String(), a.unit.String())
		}
		x := a.number(s.ctx, converted)
		a.edges[i] = &converted
		if i == 0 {
			a.Lo = x
		} else {
			a.Hi = x
		}
		return nil
	}
	for i, q := range []*units.Quantity{r.From, r.To} {
		if q == nil {
			if l := d.prepared[r.Variable].limits[i]; l != nil && sameButAngle(l.dimension, a.unit.Dimension()) {
				bound := units.FromSI(s.ctx, l.si, a.unit)
				q = &bound
			} else if a.Choices != nil {
				bound := units.Quantity{Number: p.Choices[i*(len(p.Choices)-1)], Unit: units.One}
				q = &bound
			} else {
				continue
			}
		}
		if err := edge(i, q); err != nil {
			return a, err
		}
	}
	a.Choices = slices.DeleteFunc(a.Choices, func(x float64) bool { return x < a.Lo || x > a.Hi })
	if a.Lo > a.Hi || p.Choices != nil && len(a.Choices) == 0 {
		return a, value.Problem("input.invalid_value", d.Variables[r.Variable].Key, a.edges[1].String(), "it must be at least "+a.edges[0].String())
	}
	if start != nil {
		if q, err := units.Convert(s.ctx, *start, a.unit); err == nil {
			a.Start = math.Min(math.Max(a.number(s.ctx, q), a.Lo), a.Hi)
		}
	}
	if s.ctx.Err() != nil {
		return a, value.Problem("input.invalid_value", d.Variables[r.Variable].Key, a.unit.String())
	}
	return a, nil
}

// number is a quantity in the unit of the axis as a number of it.
func (a *seekAxis) number(c *decimal.Context, q units.Quantity) float64 {
	if a.step > 0 {
		return c.Quo(q.Number, decimal.Int(a.step)).Float64()
	}
	return q.Number.Float64()
}

// quantity is a number of the axis as a quantity: at an end just that of the end.
func (a *seekAxis) quantity(c *decimal.Context, x float64) units.Quantity {
	for i, edge := range []float64{a.Lo, a.Hi} {
		if x == edge && a.edges[i] != nil && !a.Whole {
			return *a.edges[i]
		}
	}
	n := decimal.FromFloat(x)
	if a.step > 0 {
		n = c.Mul(n, decimal.Int(a.step))
	}
	return units.Quantity{Number: n, Unit: a.unit}
}

func (s *seeking) quantities(at []float64) []units.Quantity {
	list := make([]units.Quantity, len(at))
	for i, x := range at {
		list[i] = s.axes[i].quantity(s.ctx, x)
	}
	return list
}

func (s *seeking) solveAxes() []solve.Axis {
	list := make([]solve.Axis, len(s.axes))
	for i, a := range s.axes {
		list[i] = a.Axis
	}
	return list
}

// missingBound is the problem of an input on which the search came to no end for want of a bound,
// nil where there is none.
func (s *seeking) missingBound(open []solve.OpenAxis) *value.Error {
	for i, o := range open {
		key := s.domain.Variables[s.axes[i].variable].Key
		switch {
		case o.Below && o.Above:
			return value.Problem("calculation.missing_bound", key, "a lower and an upper bound")
		case o.Below:
			return value.Problem("calculation.missing_bound", key, "a lower bound")
		case o.Above:
			return value.Problem("calculation.missing_bound", key, "an upper bound")
		}
	}
	return nil
}
