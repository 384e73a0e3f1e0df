package solve

import (
	"math"
	"slices"

	"reckon/engine/formula"
)

// Together goes on with the values that all steps of a plan have found, as those of one system:
// what is wrong with each tells through the inverse of the slopes of all of them. Step by step it
// would be the sum of what may be wrong in every step before, by which a hundred implicit steps in
// time lose more digits than there are. It reports whether it came to values with which all
// equations hold.
func (s *Solver) Together(steps []Step) bool {
	all := Step{Variable: s.Target}
	for _, step := range steps {
		all.Activities = append(all.Activities, step.Activities...)
		all.Outputs = append(all.Outputs, step.Outputs...)
	}
	equations := make([]*formula.Equation, len(all.Activities))
	for i, a := range all.Activities {
		equations[i] = s.Equations[a]
		if spread := s.Spread(equations[i], func(v int) bool { return slices.Contains(all.Outputs, v) }); spread != nil {
			equations[i] = spread
		}
	}
	z := s.system(all, equations)
	if z == nil {
		return false
	}
	start := make([]float64, len(all.Outputs))
	for j, o := range all.Outputs {
		if start[j] = s.Values[o].Float64(); math.IsInf(start[j], 0) {
			return false
		}
	}
	values, ok := z.refined(start)
	if !ok {
		return false
	}
	for j, o := range all.Outputs {
		s.Values[o] = values[j]
	}
	s.Checked = all.Activities
	return s.allAllowed(all, values) && s.allHold(equations)
}
