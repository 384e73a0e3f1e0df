package engine

import (
	"cmp"
	"slices"
	"strings"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/input"
	"reckon/engine/units"
	"reckon/engine/value"
)

// Uncertain is an input that is known but for what stands behind ±.
type Uncertain struct {
	Variable int
	input.Spread
	Text string // as written
}

// Propagated is what uncertain inputs leave open of one value.
type Propagated struct {
	Target Target
	Value  units.Quantity // the ordinary calculation

	// The value is within these whatever the inputs are within their limits, rounded outwards. One is
	// nil where the value has no such bound, or none is shown, and Unbounded says why.
	Low, High *units.Quantity
	Unbounded string
	pole      bool // there is none because the value has none, as far as is known
	Complete  bool // it has a value wherever the inputs are
	Local     bool // they are those of the solution at hand; that there is no other one is not shown

	// The combined standard uncertainty to first order, for independent inputs (JCGM 100:2008, 5.1.2);
	// nil where the value does not change smoothly, and Rough says why.
	Standard *units.Quantity
	Relative *decimal.Decimal // over the value, nil of 0 and of points on a scale
	Rounded  units.Quantity   // the value to the last digit of Standard
	Places   int              // the decimals that both are rounded to
	Rough    string
	Parts    []Contribution // in the order of the inputs

	Intervals, Calculations int
}

// bounded reports whether a value has bounds on both sides.
func (p *Propagated) bounded() bool { return p.Low != nil && p.High != nil }

// Contribution is what one input adds to a standard uncertainty.
type Contribution struct {
	Variable    int
	Value       units.Quantity
	From, To    units.Quantity  // its limits
	Standard    units.Quantity  // its standard uncertainty
	Sensitivity *units.Quantity // how far the value moves with it
	Adds        *units.Quantity // the size of the product of both
	Share       decimal.Decimal // of the square of the combined one
}

// maxUncertain is how many inputs may be uncertain at once.
const maxUncertain = 12

// ParseUncertain reads an uncertain input: the name of a variable, and behind a colon, an equals
// sign or a space a value with ±, or only what stands from the ± on for the value that it has
// anyway. It fails with the errors of FindVariable and of input.ParseSpread.
func (d *Domain) ParseUncertain(text string, env value.Env) (Uncertain, *value.Error) {
	before, _, ok := input.SplitSpread(text)
	name, spread, head := strings.TrimSpace(text), "", text
	if ok {
		head = text[:strings.Index(text, before)+len(before)] // what is behind the ± may have (k=2)
	}
	if at := strings.IndexAny(head, ":="); at >= 0 {
		name, spread = strings.TrimSpace(text[:at]), text[at+1:]
	} else if ok {
		name, spread = before, text[strings.Index(text, before)+len(before):]
		words := strings.Fields(before)
		for n := len(words); n > 0; n-- {
			first := strings.Join(words[:n], " ")
			if v, err := d.NamedVariable(first); err == nil && v >= 0 && strings.HasPrefix(before, first) {
				name, spread = first, strings.TrimSpace(text)[len(first):]
				break
			}
		}
	}
	v, err := d.FindVariable(name)
	if err != nil {
		return Uncertain{}, err
	}
	u := Uncertain{Variable: v, Text: text}
	if d.Profiles[v].Table {
		return u, value.Problem("input.invalid_table", d.Variables[v].Key, "one value is expected, not a table")
	}
	u.Spread, err = input.ParseSpread(&d.Scope, v, spread, env)
	return u, err
}

// propagation is the work of one Propagate.
type propagation struct {
	domain *Domain
	base   *Scenario
	req    Request
	of     []Uncertain
	env    value.Env
	ctx    *decimal.Context

	at, half     []decimal.Decimal // of the inputs, in coherent SI
	from, to     []decimal.Decimal // their limits
	unit         []*units.Unit
	calculations int
}

// Propagate finds what uncertain inputs leave open of targets, in a scenario (nil for none) with
// what a request states, whose targets are those where none are given. The bounds enclose the value
// for all inputs within their limits, by intervals; limits that the domain does not allow are cut.
// Standard uncertainties are those of JCGM 100:2008 (GUM), 4.3.7 and 5.1: the limits a of an input
// are those of a rectangular distribution, a/√3, unless it says k. Errors are those of Calculate.
func (d *Domain) Propagate(base *Scenario, req Request, of []Uncertain, env value.Env) ([]Propagated, []value.Error) {
	p := &propagation{domain: d, base: base, req: req, of: of, env: env.Metered(), ctx: env.Context(env.Limit())}
	if err := p.prepare(); err != nil {
		return nil, []value.Error{*err}
	}
	r, errs := p.calculate(p.at)
	if len(errs) > 0 {
		return nil, errs
	}
	targets := p.req.Targets
	if len(targets) == 0 {
		for _, t := range append([]Target{{Variable: r.Calculated, Unit: r.Unit}}, r.Also...) {
			if !slices.ContainsFunc(of, func(u Uncertain) bool { return u.Variable == t.Variable }) {
				targets = append(targets, t)
			}
		}
		p.req.Targets, p.req.Everything = targets, false
	}
	var list []Propagated
	for _, t := range targets {
		i := slices.IndexFunc(r.Values, func(v ResultValue) bool { return v.Variable == t.Variable })
		if i < 0 {
			continue
		}
		q, single := r.Values[i].Value.Single()
		if !single {
			return nil, value.Problems("input.invalid_table", d.Variables[t.Variable].Key, "one value is expected, not a table")
		}
		one := Propagated{Target: t, Value: q, Rounded: q, Complete: true}
		before := p.calculations
		p.bounds(&one, len(targets))
		p.slopes(&one)
		one.Calculations = p.calculations - before
		list = append(list, one)
	}
	return list, nil
}

// prepare finds the values and limits of the inputs.
func (p *propagation) prepare() *value.Error {
	d, c := p.domain, p.ctx
	if len(p.of) > maxUncertain {
		return value.Problem("input.limit_exceeded", "uncertain inputs", "12")
	}
	carries := &seeking{domain: d, base: p.base, req: p.req, env: p.env}
	seen := map[int]bool{}
	for _, u := range p.of {
		key := d.Variables[u.Variable].Key
		if seen[u.Variable] {
			return value.Problem("input.duplicate_variable", key)
		}
		seen[u.Variable] = true
		q := u.Value
		if q == nil {
			q = carries.carried(u.Variable)
		}
		if q == nil {
			return value.Problem("input.invalid_value", key, u.Text, "it has no value yet: write it in front of the ±")
		}
		declared := d.asDeclared(c, u.Variable, *q)
		if u.Unit != nil && !sameButAngle(u.Unit.Dimension(), declared.Unit.Dimension()) && !input.SameButCurrency(u.Unit, declared.Unit) {
			return value.Problem("input.incompatible_units", u.Unit.String(), declared.Unit.String())
		}
		at, half := declared.SI(c), u.Half
		if u.Relative {
			half = c.Mul(q.Number.Abs(), u.Half)
		}
		if u.Relative || u.Bare {
			half = c.Sub(units.Quantity{Number: c.Add(q.Number, half), Unit: q.Unit}.SI(c), q.SI(c)).Abs()
		}
		from, to := c.Sub(at, half), c.Add(at, half)
		for i, l := range d.prepared[u.Variable].limits {
			switch {
			case l == nil || !sameButAngle(l.dimension, declared.Unit.Dimension()):
			case i == 0 && from.Cmp(l.si) < 0 && at.Cmp(l.si) >= 0:
				from = l.si
			case i == 1 && to.Cmp(l.si) > 0 && at.Cmp(l.si) <= 0:
				to = l.si
			}
		}
		if c.Err() != nil {
			return value.Problem("input.invalid_value", key, u.Text)
		}
		p.at, p.half = append(p.at, at), append(p.half, half)
		p.from, p.to = append(p.from, from), append(p.to, to)
		p.unit = append(p.unit, declared.Unit)
	}
	return nil
}

// request is the request where the inputs have other values, in coherent SI.
func (p *propagation) request(at []decimal.Decimal) Request {
	r := p.req
	r.Inputs = slices.DeleteFunc(slices.Clone(r.Inputs), func(in Given) bool {
		return slices.ContainsFunc(p.of, func(u Uncertain) bool { return u.Variable == in.Variable })
	})
	for i, u := range p.of {
		r.Inputs = append(r.Inputs, asGiven(u.Variable, units.FromSI(p.ctx, at[i], p.unit[i])))
	}
	return r
}

func (p *propagation) calculate(at []decimal.Decimal) (Result, []value.Error) {
	p.calculations++
	last := 0
	if p.base != nil {
		last = p.base.Index
	}
	p.ctx.Restart(value.DefaultBudget)
	return p.domain.Calculate(p.base, last, p.request(at), p.env)
}

// of is a target's value with other inputs, in coherent SI; false where it has none.
func (p *propagation) value(target int, at []decimal.Decimal) (decimal.Decimal, bool) {
	r, errs := p.calculate(at)
	if len(errs) > 0 {
		return decimal.Decimal{}, false
	}
	i := slices.IndexFunc(r.Values, func(v ResultValue) bool { return v.Variable == target })
	if i < 0 {
		return decimal.Decimal{}, false
	}
	q, single := r.Values[i].Value.Single()
	return p.domain.asDeclared(p.ctx, target, q).SI(p.ctx), single
}

var (
	slightly = decimal.MustParse("1e-9") // of a half width: the step of a difference quotient
	rootOf3  = decimal.NewContext(value.DefaultBudget).Sqrt(decimal.Int(3))
	kinked   = decimal.MustParse("1e-4") // by how much the slopes of both sides differ at a kink at least
)

// slopes finds the standard uncertainty from difference quotients of ordinary calculations, which
// have digits enough for that.
func (p *propagation) slopes(one *Propagated) {
	t, c := one.Target.Variable, p.ctx
	middle, ok := p.value(t, p.at)
	if !ok {
		one.Rough = "it has no value"
		return
	}
	shown := p.domain.asDeclared(c, t, one.Value).Unit.Difference()
	moment := p.domain.Profiles[t].Moment
	if moment {
		shown = p.domain.Table.Lookup("d")
	}
	var sum decimal.Decimal
	flat := "" // why a sum of 0 says nothing
	adds := make([]decimal.Decimal, len(p.of))
	for i, u := range p.of {
		k := rootOf3
		if !u.Coverage.IsZero() {
			k = u.Coverage
		}
		standard := c.Quo(p.half[i], k)
		own := p.unit[i].Difference()
		part := Contribution{
			Variable: u.Variable, Value: units.FromSI(c, p.at[i], p.unit[i]),
			From: units.FromSI(c, p.from[i], p.unit[i]), To: units.FromSI(c, p.to[i], p.unit[i]),
			Standard: digitsOf(c, units.FromSI(c, standard, own), 2),
		}
		slope, smooth := decimal.Decimal{}, true
		if !p.half[i].IsZero() {
			slope, smooth = p.slope(t, i, middle)
		}
		key := p.domain.Variables[u.Variable].Key
		switch {
		case !smooth:
			one.Rough = cmp.Or(one.Rough, "it does not change smoothly with "+key)
		case slope.IsZero() && !p.steady(t, i, middle):
			flat = cmp.Or(flat, "it does not change with "+key+" to first order, though it does within the limits")
			fallthrough
		default:
			adds[i] = c.Mul(slope, standard).Abs()
			sum = c.Add(sum, c.Mul(adds[i], adds[i]))
			per := digitsOf(c, units.FromSI(c, slope, shown.Div(own)), 6)
			size := digitsOf(c, units.FromSI(c, adds[i], shown), 2)
			part.Sensitivity, part.Adds = &per, &size
		}
		one.Parts = append(one.Parts, part)
	}
	if !one.Complete && (one.bounded() || one.pole) {
		one.Rough = cmp.Or(one.Rough, "it may jump, or have no value, within the limits")
	}
	if sum.IsZero() || !one.bounded() {
		one.Rough = cmp.Or(one.Rough, flat)
	}
	if one.Rough != "" {
		return
	}
	if !sum.IsZero() {
		for i := range one.Parts {
			one.Parts[i].Share = roundTo(c, c.Quo(c.Mul(adds[i], adds[i]), sum), 4)
		}
	}
	u := units.FromSI(c, c.Sqrt(sum), shown)
	standard := digitsOf(c, u, 2)
	one.Standard = &standard
	if !u.Number.IsZero() {
		first, _ := standard.Number.Extent()
		one.Places = 1 - first
		if moment {
			return
		}
		one.Rounded.Number = c.Round(one.Value.Number, one.Places)
		if !one.Value.Unit.IsPoint() && !one.Value.Number.IsZero() {
			relative := roundTo(c, c.Quo(u.Number, units.FromSI(c, middle, shown).Number).Abs(), 2)
			one.Relative = &relative
		}
	}
}

// Standing is a quantity with all decimals up to some, also where they are zeros.
func Standing(q units.Quantity, places int) string {
	text := q.String()
	number, unit, _ := strings.Cut(text, " ")
	if strings.ContainsAny(number, "eE") || places <= 0 {
		return text
	}
	_, decimals, point := strings.Cut(number, ".")
	if !point {
		number += "."
	}
	number += strings.Repeat("0", max(0, places-len(decimals)))
	if unit != "" {
		number += " " + unit
	}
	return number
}

// InPercent is a value and its standard uncertainty, both in percent and rounded.
func (p *Propagated) InPercent() string {
	c := decimal.NewContext(value.DefaultBudget)
	of := func(q units.Quantity) string {
		return Standing(units.Quantity{Number: c.Mul(q.Number, formula.Hundred), Unit: units.One}, p.Places-2)
	}
	return "(" + of(p.Rounded) + " ± " + of(*p.Standard) + ")%"
}

// steady reports whether a target has the same value at both limits of an input as between them.
func (p *propagation) steady(target, input int, middle decimal.Decimal) bool {
	for _, limit := range []decimal.Decimal{p.from[input], p.to[input]} {
		at := slices.Clone(p.at)
		at[input] = limit
		if v, ok := p.value(target, at); !ok || formula.Compare(p.ctx, v, middle) != 0 {
			return false
		}
	}
	return true
}

// slope is how a target changes with an input, and whether it does so alike on both sides.
func (p *propagation) slope(target, input int, middle decimal.Decimal) (decimal.Decimal, bool) {
	c := p.ctx
	step := c.Mul(p.half[input], slightly)
	moved := func(sign int64) (decimal.Decimal, bool) {
		at := slices.Clone(p.at)
		at[input] = c.Add(at[input], c.Mul(step, decimal.Int(sign)))
		v, ok := p.value(target, at)
		return c.Quo(c.Mul(c.Sub(v, middle), decimal.Int(sign)), step), ok
	}
	up, above := moved(1)
	down, below := moved(-1)
	if !above || !below || c.Err() != nil {
		return decimal.Decimal{}, false
	}
	size := formula.Extreme(formula.Decimals{up.Abs(), down.Abs()}, 1)
	for _, limit := range []decimal.Decimal{p.from[input], p.to[input]} { // at an extreme both are nearly 0
		at := slices.Clone(p.at)
		at[input] = limit
		if v, ok := p.value(target, at); ok {
			size = formula.Extreme(formula.Decimals{size, c.Quo(c.Sub(v, middle), p.half[input]).Abs()}, 1)
		}
	}
	if c.Sub(up, down).Abs().Cmp(c.Mul(size, kinked)) > 0 {
		return decimal.Decimal{}, false
	}
	return c.Quo(c.Add(up, down), decimal.Int(2)), true
}

// digitsOf rounds a quantity to significant digits.
func digitsOf(c *decimal.Context, q units.Quantity, digits int) units.Quantity {
	q.Number = roundTo(c, q.Number, digits)
	return q
}

func roundTo(c *decimal.Context, x decimal.Decimal, digits int) decimal.Decimal {
	if x.IsZero() {
		return x
	}
	first, _ := x.Extent()
	return c.Round(x, digits-1-first)
}
