package solve

import (
	"maps"
	"math"
	"slices"
)

// Bounds of one approach to a solution.
const (
	maxNewtonSteps = 60
	maxHalvings    = 8
	poorPivot      = 1e-7  // a step is the least one from here down
	nearSolution   = 1e-12 // what equations miss by, as a part of the size of their terms
	slowSolution   = 1e-5  // the last step to where the slopes do not fix the solution
)

// dampings are what is added to the diagonal of normal equations, relative to it, one after the
// other while a step does not come closer.
var dampings = []float64{1e-9, 1e-3, 0.3}

// approach moves x to a solution by damped Newton steps; false where it comes to none. Unknowns of
// a natural sign move by factors where positive says that they stay positive. A step is taken where
// the one from its end by the same slopes would be smaller: that depends neither on the units of
// the unknowns nor on the form of the equations (Deuflhard, Newton Methods for Nonlinear Problems,
// 2004, section 3.3). Where no part of it is, the least squares of what the equations miss by, each
// relative to its terms, decide (Levenberg, A method for the solution of certain non-linear
// problems in least squares, 1944).
func (z *system) approach(x []float64, positive, ratios bool) bool {
	a := approach{system: z, logs: make([]bool, len(x)), forms: make([]bool, len(z.rows)), ratios: ratios, next: make([]float64, len(x))}
	for j, r := range z.ranges {
		a.logs[j] = x[j] > 0 && !r.angle && (positive && !r.free || r.low == 0)
	}
	began := z.solver.Context.Cost()
	for range maxNewtonSteps {
		if z.solver.Context.Cost()-began > z.allowed {
			z.current = false
			return false
		}
		worst, ok := z.misses(x, ratios, a.forms, false)
		if !ok {
			return false
		}
		if worst < nearSolution {
			return true
		}
		matrix := z.slopes(x, a.logs, a.forms)
		for _, row := range matrix {
			for _, e := range row {
				if math.IsNaN(e.value) || math.IsInf(e.value, 0) {
					return false
				}
			}
		}
		last, ok := a.step(x, matrix)
		if !ok || z.solver.Limited() {
			return worst < 1e-8 && !z.solver.Limited()
		}
		a.last = last
	}
	z.current = false
	return a.last < slowSolution
}

// approach is the work of one approach.
type approach struct {
	*system
	logs   []bool // by unknown: it moves by factors
	forms  []bool // by equation: it misses by a logarithm
	ratios bool
	next   []float64
	last   float64 // the size of the last step
}

// step moves x once; false where nothing near is better.
func (a *approach) step(x []float64, matrix [][]entry[float64]) (size float64, ok bool) {
	kept := make([][]entry[float64], len(matrix))
	for i, row := range matrix {
		kept[i] = append(kept[i], row...)
	}
	misses := append([]float64(nil), a.values...)
	scales := make([]float64, len(a.rows))
	for i := range a.rows {
		sides := a.rows[i].sides
		if scales[i] = a.sizes[sides[0]] + a.sizes[sides[1]]; a.forms[i] || scales[i] == 0 {
			scales[i] = 1
		}
	}
	lu, ok := factor(matrix, floats(a.solver.spendEntries))
	if !ok {
		return 0, false
	}
	if lu.weakest().size >= poorPivot {
		right := append([]float64(nil), misses...)
		lu.forward(right)
		step := lu.backward(right)
		size = a.length(x, step)
		for h := range maxHalvings {
			part := math.Pow(0.5, float64(h)) / a.reach(step)
			if !a.moves(x, step, part) {
				if a.solver.Limited() {
					return 0, false
				}
				continue
			}
			lu.forward(a.values)
			if then := a.length(x, lu.backward(a.values)); then <= (1-part/4)*size {
				copy(x, a.next)
				a.current = true
				return size * part, true
			}
		}
	}
	before := squares(misses, scales)
	for _, damping := range dampings {
		step, ok := a.least(kept, misses, scales, damping)
		if !ok {
			return 0, false
		}
		for h := range 2 {
			part := math.Pow(0.25, float64(h)) / a.reach(step)
			if a.moves(x, step, part) && squares(a.values, scales) < before*(1-1e-4*part) {
				size = a.length(x, step) * part
				copy(x, a.next)
				a.current = true
				return size, true
			}
			if a.solver.Limited() {
				return 0, false
			}
		}
	}
	return 0, false
}

// moves tries a part of a step, and reports whether the equations have values there.
func (a *approach) moves(x, step []float64, part float64) bool {
	for j := range x {
		a.next[j] = a.moved(j, x[j], -part*step[j], a.logs[j])
	}
	_, ok := a.misses(a.next, a.ratios, a.forms, true)
	return ok
}

// reach is what a step is divided by: no number moves by more than a factor of a hundred at once,
// no angle by more than one radian.
func (a *approach) reach(step []float64) float64 {
	most := 1.0
	for j := range step {
		switch {
		case a.logs[j]:
			most = math.Max(most, math.Abs(step[j])/4.6)
		case a.ranges[j].angle:
			most = math.Max(most, math.Abs(step[j]))
		}
	}
	return most
}

// length is the size of a step, relative to the unknowns.
func (a *approach) length(x, step []float64) float64 {
	sum := 0.0
	for j, s := range step {
		if !a.logs[j] {
			s /= math.Abs(x[j]) + 1e-3*a.ranges[j].scale
		}
		sum += float64(s * s)
	}
	if math.IsNaN(sum) {
		return math.Inf(1)
	}
	return math.Sqrt(sum)
}

func squares(misses, scales []float64) (sum float64) {
	for i, m := range misses {
		m /= scales[i]
		sum += float64(m * m)
	}
	if math.IsNaN(sum) {
		return math.Inf(1)
	}
	return sum
}

// least is the step of the normal equations, relative to the sizes of rows, with some damping.
func (a *approach) least(matrix [][]entry[float64], misses, scales []float64, damping float64) ([]float64, bool) {
	n := len(a.ranges)
	sums := make([]map[int]float64, n)
	right, most := make([]float64, n), make([]float64, n)
	for i, row := range matrix {
		by := 1 / (scales[i] * scales[i])
		for _, e := range row {
			right[e.at] += float64(e.value * misses[i] * by)
			if sums[e.at] == nil {
				sums[e.at] = map[int]float64{}
			}
			for _, f := range row {
				sums[e.at][f.at] += float64(e.value * f.value * by)
			}
			most[e.at] += float64(e.value * e.value * by)
		}
		if !a.solver.spendEntries(len(row) * len(row)) {
			return nil, false
		}
	}
	normal := make([][]entry[float64], n)
	for j := range n {
		if sums[j] == nil {
			sums[j], most[j] = map[int]float64{}, 1
		}
		sums[j][j] += damping * most[j]
		for _, k := range slices.Sorted(maps.Keys(sums[j])) {
			normal[j] = append(normal[j], entry[float64]{k, sums[j][k]})
		}
	}
	lu, ok := factor(normal, floats(a.solver.spendEntries))
	if !ok || len(lu.rows) > 0 || !lu.forward(right) {
		return nil, false
	}
	return lu.backward(right), true
}
