package engine

import "reckon/engine/units"

// factDimensions is what the dimensions of facts tell about those that are not declared. A plan keeps the last ones, as
// most calculations are with values of the dimensions of the one before.
type factDimensions struct {
	variables  []int // the facts without a declared dimension, in the order of derivation.used
	dimensions []units.Dimension
	found      []dimension // by variable, for those not known anyway: what the facts tell
}

// recall takes what the plan has kept, if that was found from the same dimensions and the others are as declared.
func (v *derivation) recall() bool {
	kept := v.plan.dimensions.Load()
	if kept == nil {
		return false
	}
	n := 0
	for _, i := range v.used {
		f := v.facts[i].Variable
		have := v.units[f].Dimension()
		if want, known := v.domain.knownDimensionOf(f); known {
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
	v.open = kept
	return true
}

// keep notes what a unifier that was told the dimensions of the facts has found.
func (v *derivation) keep(solver *unifier) {
	d := v.domain
	v.open = &factDimensions{found: make([]dimension, len(d.variables))}
	for _, i := range v.used {
		f := v.facts[i].Variable
		if _, known := d.knownDimensionOf(f); !known {
			v.open.variables = append(v.open.variables, f)
			v.open.dimensions = append(v.open.dimensions, v.units[f].Dimension())
		}
	}
	for f := range d.variables {
		if _, known := d.knownDimensionOf(f); !known {
			v.open.found[f] = solver.resolve(d.variableDimension(f))
		}
	}
	v.plan.dimensions.Store(v.open)
}
