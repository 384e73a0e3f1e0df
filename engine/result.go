package engine

import (
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/format"
	"reckon/engine/formula"
	"reckon/engine/input"
	"reckon/engine/solve"
	"reckon/engine/units"
	"reckon/engine/value"
)

// exchange lets one currency stand for another: in a domain whose declared units name a single
// currency, that one stands for whichever the scenario's inputs use.
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

// currencies finds the currency of this calculation. Two of them in one are incompatible unless a
// rate, a single unit that names both (USD/EUR), joins them. Amounts written in equations in a
// domain's single currency follow that of the scenario.
func (v *derivation) currencies() *value.Error {
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
		for q := range v.facts[i].Value.Quantities() {
			note(q.Unit.Dimension())
		}
	}
	rate := func(dim units.Dimension) {
		codes := 0
		for range dim.EachCurrency() {
			codes++
		}
		if codes > 1 {
			note(dim)
		}
	}
	for _, s := range v.plan.steps {
		for _, a := range s.Activities {
			for _, n := range d.equations[a].Literals {
				if c := n.Unit.Dimension().Currencies(); len(c) != 1 || c[0] != d.Currency {
					note(n.Unit.Dimension())
				}
			}
			for _, r := range d.equations[a].Refs {
				if dim, ok := d.Dimension(r); ok {
					rate(dim)
				}
			}
		}
	}
	for _, s := range v.plan.steps {
		for _, o := range s.Outputs {
			rate(v.AskedIn(o).Dimension())
		}
	}
	for i := range group {
		if group[i] != group[0] {
			if !slices.ContainsFunc(v.plan.steps, func(s solve.Step) bool {
				return slices.ContainsFunc(s.Activities, func(a int) bool { return !d.equations[a].Mixes })
			}) {
				return nil // they are only handed on
			}
			return value.Problem("input.incompatible_units", seen[0], seen[i])
		}
	}
	if d.Currency != "" && len(seen) == 1 && seen[0] != d.Currency {
		v.rewrite = exchange{d.Table, d.Currency, seen[0]}
	}
	return nil
}

// checkDimensions finds the dimensions of this calculation from those of its facts, and checks them
// against what the domain declares and what its equations need. Facts in the units that the plan
// has kept were found to fit.
func (v *derivation) checkDimensions() *value.Error {
	d := v.domain
	v.dimensions = &d.solver
	if v.recall() {
		return nil
	}
	solver, err := v.tell()
	if err != nil {
		return err
	}
	for _, s := range v.plan.steps {
		for _, a := range s.Activities {
			e := d.equations[a]
			if solver != nil {
				if err := e.CheckRounding(&d.Scope, solver); err != nil {
					return value.Problem("calculation.domain_error", e.Title, err.Function, "a number with a unit")
				}
			}
			if e.Open {
				if err := formula.CheckPoints(&d.Scope, e, v.weightOf); err != nil {
					return v.pointProblem(e)
				}
			}
		}
	}
	if solver != nil {
		v.dimensions = solver
		v.found = make([]formula.Dimension, len(d.Profiles))
		for f := range d.Profiles {
			if _, known := d.Dimension(f); !known {
				v.found[f] = solver.Resolve(formula.VariableDimension(&d.Scope, f))
			}
		}
	}
	return nil
}

// tell gives the dimensions of the facts to a unifier, nil where all of them are declared.
func (v *derivation) tell() (solver *formula.Unifier, err *value.Error) {
	d := v.domain
	for _, i := range v.used {
		f := v.facts[i].Variable
		for number, u := range v.columns[f] {
			column := d.Profiles[f].Column(number)
			switch {
			case u == nil || column == nil:
				continue
			case solver == nil:
				own := d.solver.Clone()
				solver = &own
			}
			want := solver.Resolve(formula.ColumnDimension(column))
			if !solver.Equate(want, formula.KnownDimension(u.Dimension())) {
				return nil, v.incompatible(u, want.Known, f)
			}
		}
		if v.columns[f] != nil && !v.computes(f) {
			continue
		}
		have := v.Units[f].Dimension()
		if want, known := d.Dimension(f); known {
			if have != want && have.WithoutAngle() != want.WithoutAngle() {
				return nil, v.incompatible(v.Units[f], want, f)
			}
			continue
		}
		if solver == nil {
			own := d.solver.Clone()
			solver = &own
		}
		want := solver.Resolve(formula.VariableDimension(&d.Scope, f))
		if !solver.Equate(want, formula.KnownDimension(have)) {
			return nil, v.incompatible(v.Units[f], want.Known, f)
		}
	}
	for _, s := range v.plan.steps {
		for _, a := range s.Activities {
			e := d.equations[a]
			if !e.Mixes {
				continue
			}
			if solver == nil {
				own := d.solver.Clone()
				solver = &own
			}
			for _, o := range s.Outputs {
				if !s.IsBlock() || d.Profiles[o].Table && e.Position(o) >= 0 && e.Defines(o) {
					e.HandOn(&d.Scope, o, solver)
				}
			}
		}
	}
	return solver, nil
}

func (v *derivation) incompatible(have *units.Unit, want units.Dimension, variable int) *value.Error {
	return value.Problem("input.incompatible_units", v.rewrite.outward(have).String(), v.naturalUnit(variable, want).String())
}

// pointProblem names the two units that an equation mixes up as point and difference.
func (v *derivation) pointProblem(e *formula.Equation) *value.Error {
	names := []string{"1", "delta_1"}
	for _, r := range e.Refs {
		switch u := v.Units[r]; {
		case names[0] == "1" && u.IsPoint():
			names = []string{u.String(), u.Difference().String()}
		case names[0] != "1" && u != nil:
			names = append(names, u.String())
		}
	}
	if len(names) > 2 {
		names[1] = names[2]
	}
	return value.Problem("input.incompatible_units", names[0], names[1])
}

// weightOf is what a variable's value in this calculation is on a scale.
func (v *derivation) weightOf(variable int) value.Weight {
	w := &v.domain.Profiles[variable]
	if w.Declared || w.Moment {
		return w.Point
	}
	u := v.Units[variable]
	if u == nil || w.Table && u.Dimension() == units.Time {
		return value.EitherWay // a table may hold dates as well as durations
	}
	return value.PointOf(u, false)
}

// dimensionOf is the dimension of a variable in this calculation.
func (v *derivation) dimensionOf(variable int) (units.Dimension, bool) {
	if dim, ok := v.domain.Dimension(variable); ok {
		return dim, true
	}
	if v.found == nil {
		return units.None, false
	}
	r := &v.found[variable]
	return r.Known, r.IsKnown()
}

// resultUnit is the unit of a computed value: the asked one for the target, that of the kind, the
// declared one, else one made of the units that went into it.
func (v *derivation) resultUnit(variable, activity int) (*units.Unit, *value.Error) {
	d := v.domain
	w, def := &d.Profiles[variable], &d.Definition.Variables[variable]
	dim, _ := v.dimensionOf(variable)
	e := d.equations[activity]
	if unit := v.AskedIn(variable); unit != nil {
		asked := v.rewrite.inward(unit)
		if err := v.askable(asked, dim, variable, e); err != nil {
			return nil, err
		}
		return asked, nil
	}
	switch {
	case def.Kind == "percent":
		return units.One, nil
	case format.IsTime(def.Kind):
		return input.Second(&d.Scope), nil
	case w.Unit != nil:
		return w.Unit, nil
	}
	used, angles := v.usedUnits(variable, e)
	if hasAngle(dim) && (!angles || dim != units.Angle && dim.Mul(units.Time) != units.Angle || d.isPlain(variable)) {
		dim = dim.WithoutAngle()
	}
	// A difference of temperatures must not be shown as a point on a scale.
	point := e.CheckPoints && formula.PointnessOf(e, variable, v.weightOf) == formula.IsPoint
	if point {
		others := slices.DeleteFunc(slices.Clone(used), (*units.Unit).IsPoint)
		used = append(slices.DeleteFunc(used, func(u *units.Unit) bool { return !u.IsPoint() }), others...)
	}
	return d.Table.ForResult(dim, used, point), nil
}

// usedUnits are the units that went into a value, and whether angles are among them.
func (v *derivation) usedUnits(variable int, e *formula.Equation) (used []*units.Unit, angles bool) {
	angles = e.Angle
	note := func(u *units.Unit) {
		if u != nil && u.Symbol() != "" {
			used = append(used, u)
			angles = angles || hasAngle(u.Dimension())
		}
	}
	for _, r := range e.Order {
		if r != variable {
			note(v.Units[r])
			for _, u := range v.columns[r] {
				note(u)
			}
		}
	}
	for _, n := range e.Literals {
		note(n.Unit)
	}
	for _, i := range v.used {
		note(v.Units[v.facts[i].Variable])
	}
	return used, angles
}

// columnUnits finds the unit of each column of the schedules in an equation, as its variable has it
// declared, else of the units that went into it.
func (v *derivation) columnUnits(s solve.Step, e *formula.Equation) {
	d := v.domain
	profile := &d.Profiles[s.Variable]
	for _, n := range e.Schedules {
		list := make([]*units.Unit, len(n.Columns))
		used, _ := v.usedUnits(s.Variable, e)
		for i, dimension := range n.Dimensions {
			column := profile.Column(i)
			switch r := v.dimensions.Resolve(dimension); {
			case !e.Hands(n):
				list[i] = d.Table.ForResult(r.Known.WithoutAngle(), used, false)
			case column != nil && column.Unit != nil:
				list[i] = column.Unit
			case column != nil && column.Moment:
				list[i] = input.Second(&d.Scope)
			default:
				list[i] = d.Table.ForResult(r.Known.WithoutAngle(), used, false)
			}
		}
		if v.ColumnUnits == nil {
			v.ColumnUnits = map[*formula.Node][]*units.Unit{}
		}
		v.ColumnUnits[n] = list
	}
}

// isPlain reports whether the default or a bound of a variable, 0 aside, is a plain number and not
// an angle.
func (d *Domain) isPlain(variable int) bool {
	w, p := &d.Profiles[variable], &d.prepared[variable]
	if w.Hint != nil && !w.Hint.IsZero() && w.Bare != nil && w.Bare.Dimension().IsNone() {
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
func (v *derivation) askable(asked *units.Unit, dim units.Dimension, variable int, e *formula.Equation) *value.Error {
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
	if ok && asked.IsPoint() && formula.PointnessOf(e, variable, v.weightOf) == formula.IsDifference {
		ok = false
	}
	from := v.naturalUnit(variable, dim)
	if v.rewrite.declared != "" && slices.Contains(v.AskedIn(variable).Dimension().Currencies(), v.rewrite.declared) {
		ok = false
	}
	if ok || !sameButAngle(want, dim) && units.Compatible(from, asked) {
		return nil
	}
	return value.Problem("input.incompatible_units", v.rewrite.outward(from).String(), v.AskedIn(variable).String())
}

// turns reports whether a rate that an equation yields can only be one of radians: a power by a
// torque, a speed by a radius, but neither 1/period nor a frequency times a number.
func (v *derivation) turns(variable int, e *formula.Equation) bool {
	found := false
	for _, r := range e.Refs {
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
	if u := v.domain.Profiles[variable].Unit; u != nil {
		return u
	}
	return v.domain.Table.ForResult(dim, nil, false)
}

// inUnit shows a number in coherent SI as a quantity.
func (v *derivation) inUnit(variable int, si decimal.Decimal, unit *units.Unit) (q units.Quantity, err error) {
	err = v.showing(variable, unit).set(&q, v.Machine.Context, &si)
	return q, err
}

// showing is how the numbers of a variable become quantities. Fuel economy may be asked as
// consumption, and the other way round.
type showing struct{ natural, unit *units.Unit } // natural is the unit to convert from, nil for none

func (v *derivation) showing(variable int, unit *units.Unit) showing {
	if dim, known := v.dimensionOf(variable); known && dim != unit.Dimension() && !sameButAngle(dim, unit.Dimension()) {
		return showing{v.naturalUnit(variable, dim), unit}
	}
	return showing{nil, v.rewrite.outward(unit)}
}

// set sets q to a number in coherent SI.
func (s showing) set(q *units.Quantity, c *decimal.Context, si *decimal.Decimal) (err error) {
	switch {
	case s.natural != nil:
		*q, err = units.Convert(c, units.FromSI(c, *si, s.natural), s.unit)
	case s.unit.IsSI():
		q.Number, q.Unit = *si, s.unit
	default:
		*q = units.FromSI(c, *si, s.unit)
	}
	return err
}

// fromFact is the number of a fact in coherent SI and its unit.
func (v *derivation) fromFact(variable int, q units.Quantity) (decimal.Decimal, *units.Unit) {
	v.rounded = v.rounded || !q.Number.IsExact()
	q = v.domain.asDeclared(v.Machine.Context, variable, q)
	return q.SI(v.Machine.Context), v.rewrite.inward(q.Unit)
}

// asDeclared turns a consumption into the fuel economy that a variable is declared as, and the
// other way round.
func (d *Domain) asDeclared(c *decimal.Context, variable int, q units.Quantity) units.Quantity {
	declared := d.Profiles[variable].Unit
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
