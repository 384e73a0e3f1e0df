package engine

import (
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/units"
)

// exchange lets one currency stand for another: in a domain whose declared units name a single currency, that one stands
// for whichever the scenario's inputs use.
type exchange struct {
	table            *units.Table
	declared, actual string // "" where nothing stands for anything
}

// swap replaces one currency in a unit by another.
func (x exchange) swap(u *units.Unit, from, to string) *units.Unit {
	if x.declared == "" {
		return u
	}
	return x.table.WithCurrency(u, from, to)
}

func (x exchange) inward(u *units.Unit) *units.Unit  { return x.swap(u, x.actual, x.declared) }
func (x exchange) outward(u *units.Unit) *units.Unit { return x.swap(u, x.declared, x.actual) }

// currencies finds the currency of this calculation. Two of them in one are incompatible where the domain has a single
// one; where it has several, dimensions tell them apart.
func (v *derivation) currencies() *Error {
	d := v.domain
	if d.currency == "" {
		return nil
	}
	var seen []string
	note := func(u *units.Unit) {
		if u == nil {
			return
		}
		for _, c := range u.Dimension().Currencies() {
			if !slices.Contains(seen, c) {
				seen = append(seen, c)
			}
		}
	}
	for _, i := range v.used {
		for _, row := range v.facts[i].Value.Cells {
			for _, cell := range row {
				if !cell.Empty {
					note(cell.Quantity.Unit)
				}
			}
		}
	}
	for _, s := range v.plan.steps {
		for _, a := range append([]int{s.activity}, s.block...) {
			for _, n := range d.equations[a].literals {
				note(n.unit)
			}
		}
	}
	if len(seen) > 1 {
		problem := Problem("input.incompatible_units", seen[0], seen[1])
		return &problem
	}
	if len(seen) == 1 && seen[0] != d.currency {
		v.rewrite = exchange{d.table, d.currency, seen[0]}
	}
	return nil
}

// checkDimensions finds the dimensions of this calculation from those of its facts, and checks them against what the
// domain declares and what its equations need.
func (v *derivation) checkDimensions() *Error {
	d := v.domain
	for _, i := range v.used {
		f := v.facts[i].Variable
		have := v.units[f].Dimension()
		if want, known := d.knownDimensionOf(f); known {
			if have.WithoutAngle() != want.WithoutAngle() {
				return v.incompatible(v.units[f], want, f)
			}
			continue
		}
		if v.solver == nil {
			own := d.solver.clone()
			v.solver = &own
		}
		want := v.solver.resolve(d.variableDimension(f))
		if !v.solver.equate(want, knownDimension(have)) {
			return v.incompatible(v.units[f], want.known, f)
		}
	}
	open := v.solver != nil
	for _, s := range v.plan.steps {
		for _, a := range append([]int{s.activity}, s.block...) {
			e := d.equations[a]
			if open {
				if err := e.checkRounding(d, v.solver); err != nil {
					problem := Problem("calculation.domain_error", e.title, v.domain.roundingName(e, err), "a number with a unit")
					return &problem
				}
			}
			if e.checkPoints {
				if err := d.checkPoints(e, v.weightOf); err != nil {
					return v.pointProblem(e)
				}
			}
		}
	}
	return nil
}

// roundingName is the function that a rounding error is about.
func (d *Domain) roundingName(e *equation, err *dimensionError) string {
	for _, r := range e.deferred {
		if r.at == err.at {
			return r.function
		}
	}
	return "round"
}

func (v *derivation) incompatible(have *units.Unit, want units.Dimension, variable int) *Error {
	wanted := v.domain.symbolOf(want)
	if u := v.domain.variables[variable].unit; u != nil {
		wanted = symbol(u)
	}
	problem := Problem("input.incompatible_units", symbol(v.rewrite.outward(have)), wanted)
	return &problem
}

// pointProblem names the two units that an equation mixes up as point and difference.
func (v *derivation) pointProblem(e *equation) *Error {
	first, second := "", ""
	for _, r := range e.refs {
		if u := v.units[r]; u != nil && u.IsPoint() {
			if first == "" {
				first = symbol(u)
			} else if second == "" {
				second = symbol(u)
			}
		} else if u != nil && second == "" && first != "" {
			second = symbol(u)
		}
	}
	if first == "" {
		first = "1"
	}
	if second == "" {
		second = "delta_" + first
	}
	problem := Problem("input.incompatible_units", first, second)
	return &problem
}

// symbol is a unit's symbol, "1" for none.
func symbol(u *units.Unit) string {
	if u == nil || u.Symbol() == "" {
		return "1"
	}
	return u.Symbol()
}

// weightOf is what a variable's value in this calculation is on a scale.
func (v *derivation) weightOf(variable int) weight {
	w := &v.domain.variables[variable]
	if w.declared {
		return w.point
	}
	if u := v.units[variable]; u != nil {
		return pointOf(u, false)
	}
	return eitherWay
}

// dimensionOf is the dimension of a variable in this calculation.
func (v *derivation) dimensionOf(variable int) (units.Dimension, bool) {
	if dim, ok := v.domain.knownDimensionOf(variable); ok {
		return dim, true
	}
	if v.solver == nil {
		return units.None, false
	}
	r := v.solver.resolve(v.domain.variableDimension(variable))
	return r.known, r.isKnown()
}

// resultUnit is the unit of a computed value: the asked one for the target, the declared one, that of the kind, else one
// made of the units that went into it.
func (v *derivation) resultUnit(variable, activity int) (*units.Unit, *Error) {
	d := v.domain
	w, def := &d.variables[variable], &d.Definition.Variables[variable]
	dim, _ := v.dimensionOf(variable)
	e := d.equations[activity]
	if variable == v.target && v.asked != nil {
		asked := v.rewrite.inward(v.asked)
		if err := v.askable(asked, dim, variable, e); err != nil {
			return nil, err
		}
		return asked, nil
	}
	if w.unit != nil {
		return w.unit, nil
	}
	switch def.Kind {
	case "percent":
		return units.One, nil
	case "duration", "time", "date", "datetime":
		if second, err := d.table.Parse("s"); err == nil {
			return second, nil
		}
	}
	var used []*units.Unit
	angles := e.givesAngle()
	note := func(u *units.Unit) {
		if u != nil && u.Symbol() != "" {
			used = append(used, u)
			angles = angles || hasAngle(u.Dimension())
		}
	}
	for _, r := range e.order {
		if r != variable {
			note(v.units[r])
		}
	}
	for _, n := range e.literals {
		note(n.unit)
	}
	for _, i := range v.used {
		note(v.units[v.facts[i].Variable])
	}
	if hasAngle(dim) && (!angles || dim != units.Angle && dim.Mul(units.Time) != units.Angle) {
		dim = dim.WithoutAngle()
	}
	// A difference of temperatures must not be shown as a point on a scale.
	point := dim == units.Temperature && e.checkPoints && d.pointnessOf(e, variable, v.weightOf) == isPoint
	if point {
		slices.SortStableFunc(used, func(a, b *units.Unit) int { return btoi(b.IsPoint()) - btoi(a.IsPoint()) })
	}
	return d.table.ForResult(dim, used, point), nil
}

func hasAngle(d units.Dimension) bool { return d.WithoutAngle() != d }

// givesAngle reports whether a function in the equation yields an angle.
func (e *equation) givesAngle() bool {
	found := false
	look := func(n *node) { found = found || n.op == opCall && n.function.result == "angle" }
	e.left.walk(look)
	e.right.walk(look)
	return found
}

// askable checks that a value of some dimension can be shown in a unit that was asked for.
func (v *derivation) askable(asked *units.Unit, dim units.Dimension, variable int, e *equation) *Error {
	want := asked.Dimension()
	ok := want == dim
	if !ok && want.WithoutAngle() == dim.WithoutAngle() {
		// A plain number is an angle in radians; of rates only those in radians are the same number.
		ok = want.WithoutAngle().IsNone() || radiansOnly(asked) && !hasAngle(dim)
	}
	if ok && asked.IsPoint() && v.domain.pointnessOf(e, variable, v.weightOf) == isDifference {
		ok = false
	}
	from := v.naturalUnit(variable, dim)
	if v.rewrite.declared != "" && slices.Contains(v.asked.Dimension().Currencies(), v.rewrite.declared) {
		ok = false
	}
	if ok || !sameButAngle(want, dim) && units.Compatible(from, asked) {
		return nil
	}
	problem := Problem("input.incompatible_units", symbol(v.rewrite.outward(from)), symbol(v.asked))
	return &problem
}

func sameButAngle(a, b units.Dimension) bool { return a.WithoutAngle() == b.WithoutAngle() }

// naturalUnit is the declared unit of a variable, else one of its dimension.
func (v *derivation) naturalUnit(variable int, dim units.Dimension) *units.Unit {
	if u := v.domain.variables[variable].unit; u != nil {
		return u
	}
	return v.domain.table.ForResult(dim, nil, false)
}

// inUnit shows a number in coherent SI as a quantity. Fuel economy may be asked as consumption, and the other way round.
func (v *derivation) inUnit(variable int, si decimal.Decimal, unit *units.Unit) (units.Quantity, error) {
	if dim, known := v.dimensionOf(variable); known && !sameButAngle(dim, unit.Dimension()) {
		return units.Convert(v.machine.c, units.FromSI(v.machine.c, si, v.naturalUnit(variable, dim)), unit)
	}
	return units.FromSI(v.machine.c, si, v.rewrite.outward(unit)), nil
}

// fromFact is the number of a fact in coherent SI and its unit.
func (v *derivation) fromFact(variable int, q units.Quantity) (decimal.Decimal, *units.Unit) {
	q = v.domain.asDeclared(v.machine.c, variable, q)
	return q.SI(v.machine.c), v.rewrite.inward(q.Unit)
}

// asDeclared turns a consumption into the fuel economy that a variable is declared as, and the other way round.
func (d *Domain) asDeclared(c *decimal.Context, variable int, q units.Quantity) units.Quantity {
	declared := d.variables[variable].unit
	if declared == nil || sameButAngle(q.Unit.Dimension(), declared.Dimension()) || !units.Compatible(q.Unit, declared) {
		return q
	}
	if converted, err := units.Convert(c, q, declared); err == nil {
		return converted
	}
	return q
}

// radiansOnly reports whether the only angle in a unit is the radian.
func radiansOnly(u *units.Unit) bool {
	for _, t := range u.Terms() {
		if hasAngle(t.Unit.Dimension()) && t.Unit.Symbol() != "rad" {
			return false
		}
	}
	return true
}
