package engine

import (
	"cmp"
	"math"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/solve"
	"reckon/engine/units"
	"reckon/engine/value"
)

// bounds encloses a target by intervals, with a share of the budget.
func (p *propagation) bounds(one *Propagated, shares int) {
	t, d := one.Target.Variable, p.domain
	request := p.request(p.at)
	request.Targets, request.Everything = []Target{one.Target}, false
	c := calculation{domain: d, base: p.base, fresh: p.base == nil, req: request, env: p.env}
	if c.fresh {
		c.base = &Scenario{}
	}
	one.Unbounded = "the calculation cannot be followed over intervals"
	if c.chooseTargets() != nil || len(c.attempt()) > 0 {
		return
	}
	moving := make([]int, len(p.of))
	for i, u := range p.of {
		moving[i] = u.Variable
	}
	x := d.extend(p.env, &c, moving, nil)
	if x == nil {
		return
	}
	defer d.machines.Release(x.machine)
	middle, known := p.value(t, p.at)
	if !known {
		return
	}
	var edges [2]*decimal.Decimal
	reason := ""
	each := p.env.Meter.Left / (3 * shares)
	for side, sign := range []float64{1, -1} {
		end := p.env.Meter.Left - each
		m := &solve.Minimum{Extension: x.Extension, Objective: t, Sign: sign, Axes: p.axes(), Floor: math.Inf(-1)}
		m.Spend = func(n int) bool { return p.env.Meter.Look(n*value.LooksPerUnit) && p.env.Meter.Left > end }
		m.Run()
		one.Intervals += m.Boxes
		one.Complete = one.Complete && !m.Partial
		if m.Unbounded || math.IsInf(m.Lower, 0) || math.IsNaN(m.Lower) {
			one.pole = x.Reason() == ""
			reason = cmp.Or(x.Reason(), "it may grow beyond any bound within the limits: a pole lies there, or is not excluded")
			continue
		}
		edge := formula.Beyond(sign*m.Lower, sign < 0)
		if exact, ok := p.corner(t, m.Corner); ok {
			if sign*exact.Float64() < m.Lower-1e-9*math.Abs(m.Lower) {
				return // intervals leave out a value: they do not tell
			}
			edge = exact
		}
		if slack := 1e-12 * math.Abs(middle.Float64()); sign*middle.Float64() < sign*edge.Float64()-slack {
			return
		}
		edges[side] = &edge
	}
	one.Unbounded, one.Local = reason, x.Local
	one.Low, one.High = outward(p.ctx, edges[0], edges[1], d.asDeclared(p.ctx, t, one.Value).Unit)
}

// axes are the limits of the inputs in coherent SI, rounded outwards.
func (p *propagation) axes() []solve.Axis {
	list := make([]solve.Axis, len(p.of))
	for i, u := range p.of {
		list[i] = solve.Axis{Lo: formula.Enclose(p.from[i]).Lo, Hi: formula.Enclose(p.to[i]).Hi, Scale: 1, Start: p.at[i].Float64()}
		profile := &p.domain.Profiles[u.Variable]
		list[i].Whole = profile.Counts != nil && profile.Counts.IsSI()
	}
	return list
}

// corner is the value of a target where each input is at one of its limits; false where it is
// elsewhere.
func (p *propagation) corner(target int, corner []float64) (decimal.Decimal, bool) {
	if corner == nil {
		return decimal.Decimal{}, false
	}
	at := make([]decimal.Decimal, len(corner))
	for i, x := range corner {
		switch x {
		case formula.Enclose(p.from[i]).Lo:
			at[i] = p.from[i]
		case formula.Enclose(p.to[i]).Hi:
			at[i] = p.to[i]
		default:
			return decimal.Decimal{}, false
		}
	}
	return p.value(target, at)
}

// boundDigits is how many digits of the distance of two bounds are shown.
const boundDigits = 6

// outward shows bounds in a unit, rounded away from each other; one that is not known is nil.
func outward(c *decimal.Context, low, high *decimal.Decimal, unit *units.Unit) (from, to *units.Quantity) {
	ends := [2]*units.Quantity{}
	for i, edge := range []*decimal.Decimal{low, high} {
		if edge != nil {
			q := units.FromSI(c, *edge, unit)
			ends[i] = &q
		}
	}
	var width decimal.Decimal
	switch {
	case ends[0] != nil && ends[1] != nil:
		if ends[0].Number.Cmp(ends[1].Number) > 0 {
			ends[0], ends[1] = ends[1], ends[0]
		}
		width = c.Sub(ends[1].Number, ends[0].Number)
	case ends[0] != nil:
		width = ends[0].Number.Abs()
	case ends[1] != nil:
		width = ends[1].Number.Abs()
	}
	if width.IsZero() && ends[0] != nil {
		width = c.Mul(ends[0].Number.Abs(), decimal.MustParse("1e-9"))
	}
	if width.IsZero() {
		return ends[0], ends[1]
	}
	first, _ := width.Extent()
	unitOf := decimal.Int(1).Shifted(first - boundDigits + 1)
	if ends[0] != nil {
		ends[0].Number = c.Mul(c.Floor(c.Quo(ends[0].Number, unitOf)), unitOf)
	}
	if ends[1] != nil {
		ends[1].Number = c.Mul(c.Ceil(c.Quo(ends[1].Number, unitOf)), unitOf)
	}
	return ends[0], ends[1]
}
