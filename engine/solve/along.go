package solve

import (
	"math"
	"slices"

	"reckon/engine/formula"
)

// Bounds of a search along one unknown.
const (
	maxAlongCost  = 150_000
	maxAlongStart = 12 // starts at the first sample
	maxAlongAgain = 2  // and at each where what was found before leads nowhere
	maxAlongSteps = 12 // halvings of a bracket
)

// along lists solutions of a block that Newton's method does not come to by itself, sought along
// the unknown that is asked for, such as a load at which a network has a given angle. With a guess
// of it the equations are those of a model that goes forwards, and one too many. As in bordered, an
// unknown that is added to all of them makes up for that, and is 0 at the solutions. Each guess
// starts from what was found for the one beside it (continuation).
func (s *Solver) along(step Step, equations []*formula.Equation) (found []formula.Decimals) {
	z := s.system(step, equations)
	if z == nil {
		return nil
	}
	guess := slices.Index(z.outputs, step.Variable)
	b := *z
	b.ranges = slices.Clone(z.ranges)
	b.ranges[guess] = unknownRange{scale: 1, low: math.Inf(-1), high: math.Inf(1), free: true}
	b.slack = &slack{unknown: guess, weights: make([]float64, len(z.rows))}
	b.allowed = maxPhaseCost / 4
	z.allowed = maxPhaseCost / 4
	starts := 0
	at := func(g float64, near []float64) []float64 {
		b.slack.guess = g
		if near != nil {
			if x := slices.Clone(near); b.arrives(x) {
				return x
			}
		}
		for range map[bool]int{true: maxAlongStart, false: maxAlongAgain}[near == nil] {
			starts++
			x := z.start(phases[0], starts)
			x[guess] = g
			z.define(x)
			x[guess] = 0
			if b.arrives(x) {
				return x
			}
		}
		return nil
	}
	s.Within(maxAlongCost, func() {
		grid := s.coarsely(step.Variable)
		if len(grid) < 2 {
			low, high := s.Scope.Profiles[step.Variable].Range()
			grid = evenly(low, high, 12)
		}
		places := make([][]float64, len(grid))
		middle := -1
		for k := 0; k < len(grid) && middle < 0; k++ {
			// From the middle on, downwards and upwards in turns.
			i := (len(grid) + k*(2*(k%2)-1)) / 2
			if i = min(max(i, 0), len(grid)-1); places[i] == nil {
				if places[i] = at(grid[i], nil); places[i] != nil {
					middle = i
				}
			}
		}
		if middle < 0 {
			return
		}
		for i := middle + 1; i < len(grid); i++ {
			places[i] = at(grid[i], places[i-1])
		}
		for i := middle - 1; i >= 0; i-- {
			places[i] = at(grid[i], places[i+1])
		}
		for i := 1; i < len(grid) && !s.Limited(); i++ {
			low, high := places[i-1], places[i]
			if low == nil || high == nil || low[guess]*high[guess] > 0 {
				continue
			}
			for from, to, k := grid[i-1], grid[i], 0; k < maxAlongSteps; k++ {
				g := (from + to) / 2
				x := at(g, low)
				if x == nil {
					break
				}
				root := slices.Clone(x)
				if root[guess] = g; z.approach(root, false, false) {
					if values, ok := z.refine(root); ok && s.fits(step, equations, values) && !slices.ContainsFunc(found, func(o formula.Decimals) bool { return s.sameValues(o, values) }) {
						found = append(found, values)
						break
					}
				}
				if x[guess]*low[guess] > 0 {
					from, low = g, x
				} else {
					to = g
				}
			}
		}
	})
	s.TryErr()
	return found
}

// slack makes an unknown of a system one that is guessed: in its place among the unknowns stands
// what is added to what each equation misses by, as many times as its weight.
type slack struct {
	unknown int
	guess   float64
	weights []float64
}

// arrives moves x to a place where a bordered system holds.
func (z *system) arrives(x []float64) bool {
	clear(z.slack.weights)
	none := make([]bool, len(z.rows))
	if _, ok := z.misses(x, false, none, false); !ok {
		return false
	}
	for i := range z.rows {
		sides := z.rows[i].sides
		// Different parts, since the same one could be what the equations leave open.
		z.slack.weights[i] = (0.5 + spread(i+1, 0)) * (z.sizes[sides[0]] + z.sizes[sides[1]] + leastScale)
	}
	return z.approach(x, false, false)
}
