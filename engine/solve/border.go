package solve

import (
	"math"
	"slices"

	"reckon/engine/formula"
)

// leastBordered is the size from which on a block is looked at as linear but for one unknown.
// Smaller ones are left to what finds all of their solutions.
const leastBordered = leastChain

const (
	clearPart       = 1e-11   // of the unknowns, from which on the one that is added has a sign
	maxBorderedCost = 400_000 // what is not found by then is searched otherwise
)

// coarselyBordered is the size from which on a few samples come first, since each takes so long.
const coarselyBordered = 100

// coarsely are a few samples over decades around the scale of a variable, within its bounds.
func (s *Solver) coarsely(v int) []float64 {
	low, high := s.Scope.Profiles[v].Range()
	grid := powersOfTen(3, 2)
	for i := range grid {
		grid[i] *= s.searchScale(v)
	}
	return slices.DeleteFunc(grid, func(x float64) bool { return x < low || x > high })
}

// bordered lists the solutions of a block that is linear but for one unknown, such as a network of
// which one conductance is wanted: with a guess of that unknown the equations are linear in the
// others, and one too many. An unknown that is added to all of them makes up for that (a bordered
// system; Govaerts, Numerical Methods for Bifurcations of Dynamical Equilibria, 2000, chapter 3).
// It is 0 at the solutions, which lie where it changes its sign among samples of the guess. Nothing
// is listed where the block is of another kind or no sample shows a solution.
func (s *Solver) bordered(step Step, equations []*formula.Equation) []formula.Decimals {
	if len(equations) < leastBordered {
		return nil
	}
	z := s.system(step, equations)
	if z == nil {
		return nil
	}
	guess := z.bends()
	if guess < 0 {
		return nil
	}
	seek := &seeker{solver: s, variable: z.outputs[guess]}
	seek.value = func(g float64) (float64, float64) {
		x := z.border(guess, g)
		if x == nil {
			return math.NaN(), 0
		}
		size := 0.0
		for j, value := range x {
			if j != guess {
				size = math.Max(size, math.Abs(value))
			}
		}
		return x[guess], size
	}
	// Where even the greater of two is as small as rounding makes them, signs say nothing.
	hasSign := func(g, f float64) bool {
		_, size := seek.value(g)
		return math.Abs(f) > clearPart*size
	}
	var found []formula.Decimals
	grids := func(yield func([]float64) bool) {
		if len(equations) < coarselyBordered || yield(s.coarsely(seek.variable)) {
			seek.grids()(yield)
		}
	}
	for grid := range grids {
		last, before := math.NaN(), math.NaN()
		for _, g := range grid {
			f := seek.at(g)
			if f*last <= 0 && (hasSign(g, f) || hasSign(before, last)) {
				unsure := s.Unsure
				at := seek.brent(before, g, last, f)
				if x := z.border(guess, at); x != nil {
					x[guess] = at
					if values, ok := z.refine(x); ok && s.fits(step, equations, values) && !slices.ContainsFunc(found, func(o formula.Decimals) bool { return s.sameValues(o, values) }) {
						found, unsure = append(found, values), s.Unsure
					}
				}
				s.Unsure = unsure
			}
			last, before = f, g
			if s.Limited() {
				return nil
			}
		}
		if len(found) > 0 {
			break
		}
	}
	s.TryErr()
	return found
}

// bends is an unknown without which the equations are linear: each slope by another one depends on
// it alone. It is -1 where there is none.
func (z *system) bends() int {
	var either []int // those that all slopes so far leave
	bent := false
	for i := range z.rows {
		for k, j := range z.rows[i].columns {
			for _, slope := range z.rows[i].slopes[k] {
				slope.Walk(func(n *formula.Node) {
					at := -1
					if n.Op == formula.OpVariable {
						at = slices.Index(z.outputs, n.Variable)
					}
					switch {
					case at < 0:
					case !bent:
						either, bent = []int{at, j}, true
					default:
						either = slices.DeleteFunc(either, func(c int) bool { return c != at && c != j })
					}
				})
			}
			if bent && len(either) == 0 {
				return -1
			}
		}
	}
	if !bent {
		return -1
	}
	return either[0]
}

// border solves for the other unknowns with a guess of one, in whose place it puts what all
// equations miss by alike; nil where that is not possible.
func (z *system) border(guess int, g float64) []float64 {
	x := make([]float64, len(z.outputs))
	x[guess] = g
	if !z.solver.Context.Spend(4 + len(z.code)/4) {
		return nil
	}
	z.evaluate(x)
	z.current = false
	matrix, right := make([][]entry[float64], len(z.rows)), make([]float64, len(z.rows))
	for i := range z.rows {
		row := &z.rows[i]
		right[i] = z.run.Values[row.sides[1]] - z.run.Values[row.sides[0]]
		most := 0.0
		for k, j := range row.columns {
			if j == guess {
				continue
			}
			p := row.slopePlaces[k]
			slope := z.run.Values[p[0]] - z.run.Values[p[1]]
			if math.IsNaN(slope) || math.IsInf(slope, 0) {
				return nil
			}
			if slope != 0 {
				matrix[i] = append(matrix[i], entry[float64]{j, slope})
				most = math.Max(most, math.Abs(slope))
			}
		}
		if math.IsNaN(right[i]) || math.IsInf(right[i], 0) {
			return nil
		}
		// Different parts, since the same one could be what the equations leave open.
		matrix[i] = append(matrix[i], entry[float64]{guess, (0.5 + spread(i+1, 0)) * most})
		slices.SortFunc(matrix[i], func(a, b entry[float64]) int { return a.at - b.at })
	}
	lu, ok := factor(matrix, floats(z.solver.spendEntries))
	if !ok || len(lu.rows) > 0 || !lu.forward(right) {
		return nil
	}
	return lu.backward(right)
}
