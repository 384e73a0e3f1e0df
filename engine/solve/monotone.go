package solve

import (
	"math"
	"slices"

	"reckon/engine/formula"
)

// Where samples of a function over tables lie, which takes long to evaluate.
const (
	monotoneDecades = 9 // on both sides of the scale of the unknown
	monotoneLinear  = 8 // between bounds
)

// monotone finds the root of an equation over tables whose sides differ by what only grows, or only
// falls, over samples of all positive numbers within the bounds: that is taken for the only
// positive one. Where they are equal from one sample to the next, they are so in between. ok is
// false where the samples do not show either.
func (s *seeker) monotone(e *formula.Equation, scale float64) (p formula.Preimage, ok bool, err error) {
	solver := s.solver
	if !s.tables || solver.Strict || solver.IsScale(s.variable) {
		return p, false, nil
	}
	low, high := solver.Scope.Profiles[s.variable].Range()
	low = max(low, 0)
	grid := evenly(low, high, monotoneLinear)
	if low == 0 {
		grid = append(grid, 0)
	}
	for _, power := range powersOfTen(monotoneDecades, 1) {
		grid = append(grid, scale*power)
	}
	grid = slices.DeleteFunc(grid, func(x float64) bool { return x < low || x > high })
	slices.Sort(grid)
	grid = slices.Compact(grid)
	direction, at := 0.0, -1
	var defined, values []float64
	for _, x := range grid {
		f := s.at(x)
		if solver.Limited() {
			return p, false, nil
		}
		if math.IsNaN(f) {
			continue
		}
		if n := len(values); n > 0 {
			move := f - values[n-1]
			if move*direction < 0 && math.Abs(move) > 1e-12*(math.Abs(f)+math.Abs(values[n-1])) {
				return p, false, nil
			}
			if direction == 0 {
				direction = move
			}
			if f == 0 && values[n-1] == 0 {
				return p, true, ErrManySolutions
			}
			if f*values[n-1] < 0 {
				at = n
			}
		}
		defined, values = append(defined, x), append(values, f)
	}
	if zero := slices.Index(values, 0); zero >= 0 {
		s.polish(defined[zero])
	} else if at > 0 {
		s.polish(s.brent(defined[at-1], defined[at], values[at-1], values[at]))
	}
	roots := solver.keep(e, s.variable, s.found)
	s.found = nil
	if p.Roots = s.exact(e, scale, roots); len(p.Roots) != 1 || solver.Limited() {
		return formula.Preimage{}, false, nil
	}
	return p, true, nil
}
