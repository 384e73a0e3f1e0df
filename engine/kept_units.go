package engine

import (
	"slices"

	"reckon/engine/formula"
	"reckon/engine/solve"
	"reckon/engine/units"
	"reckon/engine/value"
)

// keptUnits is what a plan keeps of the calculation before, as most calculations are with values in
// the units of the one before: the dimensions and units that follow from those of the facts.
type keptUnits struct {
	facts   []*units.Unit       // in the order of derivation.used
	found   []formula.Dimension // by variable, for those not declared: what the facts tell; nil where all facts have declared ones
	results []resultUnit        // of all steps, in their order; nil where one was asked in a unit
}

// resultUnit is the unit of a value that a plan finds, and how it is shown.
type resultUnit struct {
	variable int
	unit     *units.Unit
	shown    showing
}

// recall takes what the plan has kept, if that was found from facts in the same units.
func (v *derivation) recall() bool {
	kept := v.plan.kept.Load()
	if kept == nil || v.columns != nil || !slices.EqualFunc(kept.facts, v.used, func(u *units.Unit, i int) bool { return u == v.Units[v.facts[i].Variable] }) {
		return false
	}
	v.kept, v.found = kept, kept.found
	return true
}

// inKeptUnits reports whether all facts are numbers in the units that the plan has kept: their
// currencies fit then, and none stands for another.
func (v *derivation) inKeptUnits() bool {
	kept := v.plan.kept.Load()
	return kept != nil && kept.results != nil && !v.asksUnits() && slices.EqualFunc(kept.facts, v.used, func(u *units.Unit, i int) bool {
		q, ok := v.facts[i].Value.Single()
		return ok && u == q.Unit
	})
}

// asksUnits reports whether a value that the plan finds is asked in a unit.
func (v *derivation) asksUnits() bool {
	return v.Asked != nil || len(v.Also) > 0 && slices.ContainsFunc(v.plan.steps, func(s solve.Step) bool {
		return slices.ContainsFunc(s.Outputs, func(o int) bool { return v.AskedIn(o) != nil })
	})
}

// stepUnit is resultUnit for what is found next. A block may find its variables in another order
// than the steps have at last, where the target stands behind the others.
func (v *derivation) stepUnit(variable, activity int) (resultUnit, *value.Error) {
	if v.kept != nil && v.AskedIn(variable) == nil {
		results := v.kept.results[min(max(0, len(v.solution.Steps)-1), len(v.kept.results)):]
		for i := range results {
			if r := results[i]; r.variable == variable {
				if v.rewrite.declared != "" {
					r.shown = v.showing(variable, r.unit)
				}
				return r, nil
			}
		}
	}
	unit, err := v.resultUnit(variable, activity)
	if err != nil {
		return resultUnit{}, err
	}
	return resultUnit{variable, unit, v.showing(variable, unit)}, nil
}

// keep notes for the plan what a calculation has found from the units of its facts, unless a
// currency stands for another in it, or cells are handed on or in columns, each with a unit of its
// own.
func (v *derivation) keep() {
	copies := func(activity int) bool { return v.domain.equations[activity].Copies }
	if v.columns != nil || slices.ContainsFunc(v.plan.steps, func(s solve.Step) bool { return slices.ContainsFunc(s.Activities, copies) }) {
		return
	}
	if v.rewrite.declared != "" || v.kept != nil && (v.kept.results != nil || v.asksUnits()) {
		return
	}
	kept := keptUnits{found: v.found, facts: make([]*units.Unit, 0, len(v.used))}
	for _, i := range v.used {
		kept.facts = append(kept.facts, v.Units[v.facts[i].Variable])
	}
	if !v.asksUnits() {
		kept.results = make([]resultUnit, 0, len(v.solution.Steps))
		for _, s := range v.solution.Steps {
			unit := v.Units[s.Variable]
			kept.results = append(kept.results, resultUnit{s.Variable, unit, v.showing(s.Variable, unit)})
		}
	}
	v.plan.kept.Store(&kept)
}
