package engine

import (
	"reckon/engine/formula"
	"reckon/engine/units"
	"reckon/engine/value"
)

// factDimensions is what the dimensions of facts tell about those that are not declared, and the
// units that their results take. A plan keeps the last ones, as most calculations are with values
// of the dimensions and units of the one before.
type factDimensions struct {
	variables  []int // the facts without a declared dimension, in the order of derivation.used
	dimensions []units.Dimension
	found      []formula.Dimension // by variable, for those not known anyway: what the facts tell; nil where all facts have declared ones

	units   []*units.Unit // of all facts, in the order of derivation.used; nil where the results are not known
	results []resultUnit  // of all steps
}

// resultUnit is the unit of a value that a plan finds.
type resultUnit struct {
	variable int
	unit     *units.Unit
}

// recall takes what the plan has kept, if that was found from the same dimensions and the others
// are as declared.
func (v *derivation) recall() bool {
	kept := v.plan.dimensions.Load()
	if kept == nil {
		return false
	}
	if v.recallUnits(kept) {
		return true
	}
	n := 0
	for _, i := range v.used {
		f := v.facts[i].Variable
		have := v.Units[f].Dimension()
		if want, known := v.domain.Dimension(f); known {
			if have != want && have.WithoutAngle() != want.WithoutAngle() {
				return false
			}
			continue
		}
		if n >= len(kept.variables) || kept.variables[n] != f || kept.dimensions[n] != have {
			return false
		}
		n++
	}
	if n != len(kept.variables) {
		return false
	}
	v.take(kept)
	return true
}

func (v *derivation) take(kept *factDimensions) {
	if kept.found != nil {
		v.open = kept
	}
}

// recallUnits takes what the plan has kept, if that was found from facts in the same units.
func (v *derivation) recallUnits(kept *factDimensions) bool {
	if len(kept.units) != len(v.used) || len(kept.results) == 0 {
		return false
	}
	for n, i := range v.used {
		if kept.units[n] != v.Units[v.facts[i].Variable] {
			return false
		}
	}
	v.take(kept)
	v.results = kept.results
	return true
}

// inKeptUnits reports whether all facts are numbers in the units that the plan has kept: their
// currencies fit then, and none stands for another.
func (v *derivation) inKeptUnits() bool {
	kept := v.plan.dimensions.Load()
	if kept == nil || v.Asked != nil || len(kept.units) != len(v.used) || len(kept.results) == 0 {
		return false
	}
	for n, i := range v.used {
		if q, ok := v.facts[i].Value.Single(); !ok || q.Unit != kept.units[n] {
			return false
		}
	}
	return true
}

// stepUnit is resultUnit for what is found next. A block may find its variables in another order
// than the steps have at last: then one that is behind is worked out.
func (v *derivation) stepUnit(variable, activity int) (*units.Unit, *value.Error) {
	if v.Asked == nil || variable != v.Target {
		for _, r := range v.results[min(len(v.solution.Steps), len(v.results)):] {
			if r.variable == variable {
				return r.unit, nil
			}
		}
	}
	return v.resultUnit(variable, activity)
}

// keepUnits notes which units the results of a solution have, unless a unit was asked for or a
// currency stands for another.
func (v *derivation) keepUnits() {
	if v.results != nil || v.Asked != nil || v.rewrite.declared != "" {
		return
	}
	var kept factDimensions
	if v.open != nil {
		kept = *v.open
	}
	kept.units, kept.results = make([]*units.Unit, 0, len(v.used)), make([]resultUnit, 0, len(v.solution.Steps))
	for _, i := range v.used {
		kept.units = append(kept.units, v.Units[v.facts[i].Variable])
	}
	for _, s := range v.solution.Steps {
		kept.results = append(kept.results, resultUnit{s.Variable, v.Units[s.Variable]})
	}
	v.plan.dimensions.Store(&kept)
}

// keep notes what a unifier that was told the dimensions of the facts has found.
func (v *derivation) keep(solver *formula.Unifier) {
	d := v.domain
	v.open = &factDimensions{found: make([]formula.Dimension, len(d.Profiles))}
	for _, i := range v.used {
		f := v.facts[i].Variable
		if _, known := d.Dimension(f); !known {
			v.open.variables = append(v.open.variables, f)
			v.open.dimensions = append(v.open.dimensions, v.Units[f].Dimension())
		}
	}
	for f := range d.Profiles {
		if _, known := d.Dimension(f); !known {
			v.open.found[f] = solver.Resolve(formula.VariableDimension(&d.Scope, f))
		}
	}
	v.plan.dimensions.Store(v.open)
}
