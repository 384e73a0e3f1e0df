package engine

import (
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
	const noWay = "the calculation cannot be followed over intervals"
	one.Unbounded = noWay
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
	var edges [2]decimal.Decimal
	middle, known := p.value(t, p.at)
	if !known {
		return
	}
	each := p.env.Meter.Left / (3 * shares)
	for side, sign := range []float64{1, -1} {
		end := p.env.Meter.Left - each
		m := &solve.Minimum{Extension: x.Extension, Objective: t, Sign: sign, Axes: p.axes()}
		m.Spend = func(n int) bool { return p.env.Meter.Look(n*value.LooksPerUnit) && p.env.Meter.Left > end }
		m.Run()
		one.Intervals += m.Boxes
		one.Complete = one.Complete && !m.Partial
		if m.Unbounded || math.IsInf(m.Lower, 0) || math.IsNaN(m.Lower) {
			one.Unbounded = "it has no bound within the limits, or none was found in the budget"
			return
		}
		if edges[side] = decimal.FromFloat(sign * m.Lower); m.Corner != nil {
			if exact, ok := p.corner(t, m.Corner); ok {
				if sign*exact.Float64() < m.Lower-1e-9*math.Abs(m.Lower) {
					return // intervals leave out a value: they do not tell
				}
				edges[side] = exact
			}
		}
	}
	if slack := 1e-12 * math.Abs(middle.Float64()); middle.Float64() < edges[0].Float64()-slack || middle.Float64() > edges[1].Float64()+slack {
		return
	}
	one.Unbounded, one.Local = "", x.Local
	low, high := outward(p.ctx, edges[0], edges[1], d.asDeclared(p.ctx, t, one.Value).Unit)
	one.Low, one.High = &low, &high
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

// corner is the value of a target where each input is at one of its limits.
func (p *propagation) corner(target int, corner []float64) (decimal.Decimal, bool) {
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

// outward shows bounds in a unit, rounded away from each other.
func outward(c *decimal.Context, low, high decimal.Decimal, unit *units.Unit) (from, to units.Quantity) {
	a, b := units.FromSI(c, low, unit), units.FromSI(c, high, unit)
	if a.Number.Cmp(b.Number) > 0 {
		a, b = b, a
	}
	width := c.Sub(b.Number, a.Number)
	if width.IsZero() {
		width = c.Mul(a.Number.Abs(), decimal.MustParse("1e-9"))
	}
	if width.IsZero() {
		return a, b
	}
	first, _ := width.Extent()
	unitOf := decimal.Int(1).Shifted(first - boundDigits + 1)
	a.Number = c.Mul(c.Floor(c.Quo(a.Number, unitOf)), unitOf)
	b.Number = c.Mul(c.Ceil(c.Quo(b.Number, unitOf)), unitOf)
	return a, b
}
