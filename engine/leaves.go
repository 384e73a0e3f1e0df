package engine

import (
	"slices"

	"reckon/engine/formula"
	"reckon/engine/input"
	"reckon/engine/units"
	"reckon/engine/value"
)

// Leaves lists the facts that the cheapest plan for a target would rest on, by their position among
// the facts, with the number of steps it would take, and reports whether there is a plan. The
// values of the facts do not matter.
func (d *Domain) Leaves(m *value.Meter, facts []Fact, target int) (used []int, steps int, ok bool) {
	p := d.plan(m, d.givenOf(facts, target), target)
	if p == nil {
		return nil, 0, false
	}
	used = p.rests(facts, len(d.Profiles))
	slices.Sort(used)
	return used, len(p.steps), true
}

// Dimension is the dimension of a variable as declared, or as the equations tell; false where
// neither does.
func (d *Domain) Dimension(variable int) (units.Dimension, bool) {
	if p := &d.Profiles[variable]; p.Whole {
		return p.Resolved, p.Known
	}
	r := d.solver.Resolve(formula.VariableDimension(&d.Scope, variable))
	return r.Known, r.IsKnown()
}

// BareUnit is the unit that a bare number for a variable takes: the declared one, else that of its
// default; nil where neither says anything.
func (d *Domain) BareUnit(variable int) *units.Unit { return input.UnitOf(&d.Scope, variable) }
