package solve

import (
	"math"
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/formula"
)

// Bounds of refinement.
const (
	leastGain  = 1e-3 // the part that a step leaves of the one before, at most
	leastMove  = 1e-290
	leastRight = 4   // digits of an unknown that is not 0
	maxSlow    = 200 // steps that may gain less where a choice changes at the solution
)

// refined goes on in decimal with the slopes of float64: each step leaves about as small a part of
// the error as float64 and the distance from the solution make it, and takes one evaluation. What
// the last residuals may be wrong by, through the inverse of the matrix, tells how many digits are
// right. ok is false where the steps do not shrink.
func (z *system) refined(start []float64) (x formula.Decimals, ok bool) {
	n, solver, c := len(start), z.solver, z.solver.Context
	none := make([]bool, n)
	if _, ok := z.misses(start, false, none, false); !ok {
		return nil, false
	}
	lu, ok := factor(z.slopes(start, none, none), floats(solver.spendEntries))
	if !ok || len(lu.rows) > 0 {
		return nil, false
	}
	x = make(formula.Decimals, n)
	for j := range start {
		x[j] = decimal.FromFloat(start[j])
	}
	last, slow := math.Inf(1), 0
	if z.chooses() {
		slow = maxSlow
	}
	for {
		rest, doubts, ok := z.residuals(x)
		if !ok || !lu.forward(rest) {
			return nil, false
		}
		step, size := lu.backward(rest), 0.0
		for j := range x {
			if size = math.Max(size, math.Abs(step[j])/(x[j].Abs().Float64()+1e-3*z.ranges[j].scale)); math.IsNaN(size) {
				return nil, false
			}
		}
		if size == 0 || !(size <= leastGain*last) {
			// Rounding is all that is left, or the steps never shrank. At the bound of a bracket the slopes
			// of the other side lead there, but slowly.
			judged, ok := z.judged(slices.Clone(x), lu, step, doubts)
			if slow--; slow < 0 || size == 0 || ok && !slices.ContainsFunc(judged, func(t decimal.Decimal) bool { return t.Right() < formula.RightDigits }) {
				return judged, ok
			}
		}
		for j := range x {
			if math.Abs(step[j]) > leastMove {
				x[j] = c.Sub(x[j], decimal.FromFloat(step[j])).Exactly()
			}
		}
		last = size
	}
}

// chooses reports whether an equation has a choice in it, such as an if or a min.
func (z *system) chooses() bool {
	return slices.ContainsFunc(z.rows, func(r systemRow) bool { return r.left.Choices || r.right.Choices })
}

// residuals are what the equations miss by at x, and what that may be wrong by.
func (z *system) residuals(x formula.Decimals) (rest, doubts []float64, ok bool) {
	solver := z.solver
	for j, o := range z.outputs {
		solver.Suppose(o, x[j])
	}
	solver.Renew()
	rest, doubts = make([]float64, len(z.rows)), make([]float64, len(z.rows))
	for i := range z.rows {
		left, right := solver.Value(z.rows[i].left), solver.Value(z.rows[i].right)
		miss := solver.Context.Sub(left, right)
		rest[i] = miss.Float64()
		doubts[i] = left.Error().Float64() + right.Error().Float64() + miss.Error().Float64()
		if math.IsInf(rest[i], 0) || math.IsInf(doubts[i], 0) {
			return nil, nil, false
		}
	}
	return rest, doubts, solver.TryErr() == nil
}

// judged gives a solution as many right digits as it has. ok is false where that is hardly one of
// any unknown that is not 0.
func (z *system) judged(x formula.Decimals, lu *factors[float64], step, doubts []float64) (formula.Decimals, bool) {
	wrong := make([]float64, len(x))
	for j := range wrong {
		wrong[j] = math.Abs(step[j])
	}
	for i, doubt := range doubts {
		if doubt == 0 {
			continue
		}
		unit := make([]float64, len(x))
		unit[i] = doubt
		if !lu.forward(unit) {
			return nil, false
		}
		for j, by := range lu.backward(unit) {
			wrong[j] += math.Abs(by)
		}
	}
	for j := range x {
		if wrong[j] == 0 || x[j].IsZero() {
			continue
		}
		size := x[j].Abs().Float64()
		if digits := math.Log10(size / wrong[j]); digits >= leastRight {
			x[j] = x[j].As(int(digits))
			continue
		}
		if size <= 1e-20*z.ranges[j].scale {
			// No more than what rounding has left of the terms of the equations: whether they hold with 0 is
			// checked.
			x[j] = decimal.Decimal{}
			continue
		}
		return nil, false
	}
	return x, true
}
