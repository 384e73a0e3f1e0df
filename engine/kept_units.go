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
	results []resultUnit        // of all steps, in their order; nil where the target was asked in a unit
}

// resultUnit is the unit of a value that a plan finds.
type resultUnit struct {
	variable int
	unit     *units.Unit
}

// recall takes what the plan has kept, if that was found from facts in the same units.
func (v *derivation) recall() bool {
	kept := v.plan.kept.Load()
	if kept == nil || !slices.EqualFunc(kept.facts, v.used, func(u *units.Unit, i int) bool { return u == v.Units[v.facts[i].Variable] }) {
		return false
	}
	v.kept, v.found = kept, kept.found
	return true
}

// inKeptUnits reports whether all facts are numbers in the units that the plan has kept: their
// currencies fit then, and none stands for another.
func (v *derivation) inKeptUnits() bool {
	kept := v.plan.kept.Load()
	return kept != nil && kept.results != nil && v.Asked == nil && slices.EqualFunc(kept.facts, v.used, func(u *units.Unit, i int) bool {
		q, ok := v.facts[i].Value.Single()
		return ok && u == q.Unit
	})
}

// stepUnit is resultUnit for what is found next. A block may find its variables in another order
// than the steps have at last: then one that is behind is worked out.
func (v *derivation) stepUnit(variable, activity int) (*units.Unit, *value.Error) {
	if v.kept != nil && (v.Asked == nil || variable != v.Target) {
		for _, r := range v.kept.results[min(len(v.solution.Steps), len(v.kept.results)):] {
			if r.variable == variable {
				return r.unit, nil
			}
		}
	}
	return v.resultUnit(variable, activity)
}

// keep notes for the plan what a calculation has found from the units of its facts, unless a
// currency stands for another in it, or cells are handed on, each with a unit of its own.
func (v *derivation) keep() {
	if slices.ContainsFunc(v.plan.steps, func(s solve.Step) bool { return v.domain.equations[s.Activity].Copies }) {
		return
	}
	if v.rewrite.declared != "" || v.kept != nil && (v.kept.results != nil || v.Asked != nil) {
		return
	}
	kept := keptUnits{found: v.found, facts: make([]*units.Unit, 0, len(v.used))}
	for _, i := range v.used {
		kept.facts = append(kept.facts, v.Units[v.facts[i].Variable])
	}
	if v.Asked == nil {
		for _, s := range v.solution.Steps {
			kept.results = append(kept.results, resultUnit{s.Variable, v.Units[s.Variable]})
		}
	}
	v.plan.kept.Store(&kept)
}
