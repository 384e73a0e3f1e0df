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

// currencies finds the currency of this calculation. Two of them in one are incompatible unless a rate, a single unit that
// names both (USD/EUR), joins them. Amounts written in equations in a domain's single currency follow that of the scenario.
func (v *derivation) currencies() *Error {
	d := v.domain
	seen := make([]string, 0, 4)
	group := make([]int, 0, 4) // by position in seen: equal where rates join them
	note := func(dim units.Dimension) {
		first := -1
		for c := range dim.EachCurrency() {
			at := slices.Index(seen, c)
			if at < 0 {
				at = len(seen)
				seen, group = append(seen, c), append(group, at)
			}
			if first < 0 {
				first = at
			}
			for i, joined := 0, group[at]; i < len(group); i++ {
				if group[i] == joined {
					group[i] = group[first]
				}
			}
		}
	}
	for _, i := range v.solution.Used {
		for _, row := range v.facts[i].Value.Cells {
			for _, cell := range row {
				if !cell.Empty {
					note(cell.Quantity.Unit.Dimension())
				}
			}
		}
	}
	rate := func(dim units.Dimension) {
		count := 0
		for range dim.EachCurrency() {
			count++
		}
		if count > 1 {
			note(dim)
		}
	}
	for _, s := range v.plan.steps {
		for i := range len(s.block) + 1 {
			a := s.activity
			if i > 0 {
				a = s.block[i-1]
			}
			for _, n := range d.equations[a].literals {
				if c := n.unit.Dimension().Currencies(); len(c) != 1 || c[0] != d.currency {
					note(n.unit.Dimension())
				}
			}
			for _, r := range d.equations[a].refs {
				if dim, ok := d.knownDimensionOf(r); ok {
					rate(dim)
				}
			}
		}
	}
	rate(v.asked.Dimension())
	for i := range group {
		if group[i] != group[0] {
			problem := Problem("input.incompatible_units", seen[0], seen[i])
			return &problem
		}
	}
	if d.currency != "" && len(seen) == 1 && seen[0] != d.currency {
		v.rewrite = exchange{d.table, d.currency, seen[0]}
	}
	return nil
}

// checkDimensions finds the dimensions of this calculation from those of its facts, and checks them against what the
// domain declares and what its equations need.
func (v *derivation) checkDimensions() *Error {
	d := v.domain
	var solver *unifier
	if !v.recall() {
		var err *Error
		if solver, err = v.tell(); err != nil {
			return err
		}
	}
	for _, s := range v.plan.steps {
		for _, a := range s.activities() {
			e := d.equations[a]
			if solver != nil {
				if err := e.checkRounding(&d.scope, solver); err != nil {
					problem := Problem("calculation.domain_error", e.title, v.domain.roundingName(e, err), "a number with a unit")
					return &problem
				}
			}
			if e.open {
				if err := d.checkPoints(e, v.weightOf); err != nil {
					return v.pointProblem(e)
				}
			}
		}
	}
	if solver != nil {
		v.keep(solver)
	}
	return nil
}

// tell gives the dimensions of the facts to a unifier, nil where all of them are declared.
func (v *derivation) tell() (solver *unifier, err *Error) {
	d := v.domain
	for _, i := range v.used {
		f := v.facts[i].Variable
		have := v.units[f].Dimension()
		if want, known := d.knownDimensionOf(f); known {
			if have != want && have.WithoutAngle() != want.WithoutAngle() {
				return nil, v.incompatible(v.units[f], want, f)
			}
			continue
		}
		if solver == nil {
			own := d.solver.clone()
			solver = &own
		}
		want := solver.resolve(d.variableDimension(f))
		if !solver.equate(want, knownDimension(have)) {
			return nil, v.incompatible(v.units[f], want.known, f)
		}
	}
	return solver, nil
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
	if u := v.domain.profiles[variable].unit; u != nil {
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
	w := &v.domain.profiles[variable]
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
	if v.open == nil {
		return units.None, false
	}
	r := &v.open.found[variable]
	return r.known, r.isKnown()
}

// resultUnit is the unit of a computed value: the asked one for the target, that of the kind, the declared one, else one
// made of the units that went into it.
func (v *derivation) resultUnit(variable, activity int) (*units.Unit, *Error) {
	d := v.domain
	w, def := &d.profiles[variable], &d.Definition.Variables[variable]
	dim, _ := v.dimensionOf(variable)
	e := d.equations[activity]
	if variable == v.target && v.asked != nil {
		asked := v.rewrite.inward(v.asked)
		if err := v.askable(asked, dim, variable, e); err != nil {
			return nil, err
		}
		return asked, nil
	}
	switch def.Kind {
	case "percent":
		return units.One, nil
	case "duration", "time", "date", "datetime":
		return d.second(), nil
	}
	if w.unit != nil {
		return w.unit, nil
	}
	var used []*units.Unit
	angles := e.angle
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
	if hasAngle(dim) && (!angles || dim != units.Angle && dim.Mul(units.Time) != units.Angle || d.isPlain(variable)) {
		dim = dim.WithoutAngle()
	}
	// A difference of temperatures must not be shown as a point on a scale.
	point := dim == units.Temperature && e.checkPoints && pointnessOf(e, variable, v.weightOf) == isPoint
	if point {
		slices.SortStableFunc(used, func(a, b *units.Unit) int { return btoi(b.IsPoint()) - btoi(a.IsPoint()) })
	}
	return d.table.ForResult(dim, used, point), nil
}

// isPlain reports whether the default or a bound of a variable, 0 aside, is a plain number and not an angle.
func (d *Domain) isPlain(variable int) bool {
	w, p := &d.profiles[variable], &d.prepared[variable]
	if w.hint != nil && !w.hint.IsZero() && w.bare != nil && w.bare.Dimension().IsNone() {
		return true
	}
	for _, edge := range p.limits {
		if edge != nil && !edge.si.IsZero() && edge.dimension.IsNone() {
			return true
		}
	}
	return false
}

func hasAngle(d units.Dimension) bool { return d.WithoutAngle() != d }

// askable checks that a value of some dimension can be shown in a unit that was asked for.
func (v *derivation) askable(asked *units.Unit, dim units.Dimension, variable int, e *equation) *Error {
	want := asked.Dimension()
	ok := want == dim
	if !ok && sameButAngle(want, dim) {
		switch common := want.WithoutAngle(); {
		case common.IsNone():
			ok = true // a plain number is an angle in radians
		case common != units.None.Div(units.Time):
			ok = true // energy is torque times angle
		case hasAngle(dim):
			ok = hasAngle(want) // rad/s are not Hz
		default:
			ok = radiansOnly(asked) || v.turns(variable, e)
		}
	}
	if ok && asked.IsPoint() && pointnessOf(e, variable, v.weightOf) == isDifference {
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

// turns reports whether a rate that an equation yields can only be one of radians: a power by a torque, a speed by a radius,
// but neither 1/period nor a frequency times a number.
func (v *derivation) turns(variable int, e *equation) bool {
	found := false
	for _, r := range e.refs {
		dim, _ := v.dimensionOf(r)
		if r == variable || dim.IsNone() {
			continue
		}
		if sameButAngle(dim, units.Time) || sameButAngle(dim, units.None.Div(units.Time)) {
			return false
		}
		found = found || !dim.WithoutAngle().IsNone()
	}
	return found
}

func sameButAngle(a, b units.Dimension) bool { return a.WithoutAngle() == b.WithoutAngle() }

// naturalUnit is the declared unit of a variable, else one of its dimension.
func (v *derivation) naturalUnit(variable int, dim units.Dimension) *units.Unit {
	if u := v.domain.profiles[variable].unit; u != nil {
		return u
	}
	return v.domain.table.ForResult(dim, nil, false)
}

// inUnit shows a number in coherent SI as a quantity.
func (v *derivation) inUnit(variable int, si decimal.Decimal, unit *units.Unit) (units.Quantity, error) {
	return v.showing(variable, unit).quantity(v.machine.c, si)
}

// showing is how the numbers of a variable become quantities. Fuel economy may be asked as consumption, and the other way
// round.
type showing struct{ natural, unit *units.Unit } // natural is the unit to convert from, nil for none

func (v *derivation) showing(variable int, unit *units.Unit) showing {
	if dim, known := v.dimensionOf(variable); known && dim != unit.Dimension() && !sameButAngle(dim, unit.Dimension()) {
		return showing{v.naturalUnit(variable, dim), unit}
	}
	return showing{nil, v.rewrite.outward(unit)}
}

func (s showing) quantity(c *decimal.Context, si decimal.Decimal) (units.Quantity, error) {
	if s.natural == nil {
		return units.FromSI(c, si, s.unit), nil
	}
	return units.Convert(c, units.FromSI(c, si, s.natural), s.unit)
}

// fromFact is the number of a fact in coherent SI and its unit.
func (v *derivation) fromFact(variable int, q units.Quantity) (decimal.Decimal, *units.Unit) {
	q = v.domain.asDeclared(v.machine.c, variable, q)
	return q.SI(v.machine.c), v.rewrite.inward(q.Unit)
}

// asDeclared turns a consumption into the fuel economy that a variable is declared as, and the other way round.
func (d *Domain) asDeclared(c *decimal.Context, variable int, q units.Quantity) units.Quantity {
	declared := d.profiles[variable].unit
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
