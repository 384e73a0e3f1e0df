package engine

import (
	"math"
	"slices"
)

// Bounds of Newton's method for systems.
const (
	maxStarts      = 60 // of which those with positive numbers come first
	maxNewtonSteps = 60
	maxHalvings    = 12
	maxNewtonSize  = 12 // unknowns
)

// newton finds solutions of a block by damped Newton steps from several fixed starts in float64, each refined in decimal.
// The list holds the different solutions that pass all equations, in the order of the block's outputs.
func (v *derivation) newton(s planStep, equations []*equation) []decimals {
	m, n := v.machine, len(s.outputs)
	if n > maxNewtonSize {
		return nil
	}
	shared := &equation{refs: s.outputs, order: s.outputs}
	relations, ok := m.relations(equations, shared)
	if !ok {
		return nil
	}
	z := &zeros{m: m, outputs: s.outputs}
	for _, r := range relations {
		f := combined(opSub, r.left, r.right)
		row := make([]*node, n)
		for j, o := range s.outputs {
			if row[j] = f.derivative(shared.unknown(o)); row[j] == nil {
				return nil
			}
		}
		z.sides, z.functions, z.slopes = append(z.sides, r), append(z.functions, f), append(z.slopes, row)
	}
	if m.floats == nil {
		m.floats = make([]float64, len(m.values))
	}
	scales := make([]float64, n)
	z.bounds = make([][2]float64, n)
	for j, o := range s.outputs {
		if w := &v.domain.variables[o]; w.min != nil && w.max != nil {
			z.bounds[j] = [2]float64{w.min.Float64(), w.max.Float64()}
		}
		scales[j] = v.domain.searchScale(m, o)
		if near := v.near(o); near != nil && !near.IsZero() {
			scales[j] = math.Abs(near.Float64())
		}
	}
	var found []decimals
	for k := range maxStarts {
		x := z.start(scales, k)
		if !z.approach(x) {
			if m.limited() {
				return nil
			}
			continue
		}
		values, ok := z.refine(x)
		if !ok {
			if m.limited() {
				return nil
			}
			continue
		}
		for j, o := range s.outputs {
			m.values[o] = values[j]
		}
		if slices.ContainsFunc(equations, func(e *equation) bool { return !m.satisfied(e) }) {
			continue
		}
		within := true
		for j, o := range s.outputs {
			within = within && v.allowed(o, values[j])
		}
		if !within {
			continue
		}
		same := func(o decimals) bool {
			for j := range o {
				if compare(m.c, o[j], values[j]) != 0 {
					return false
				}
			}
			return true
		}
		if !slices.ContainsFunc(found, same) {
			found = append(found, values)
		}
	}
	return found
}

// zeros is a system of functions of as many unknowns.
type zeros struct {
	m         *machine
	outputs   []int
	sides     []relation
	functions []*node
	slopes    [][]*node // by function and unknown

	bounds [][2]float64 // by unknown: the least and the greatest value, equal where it has not both
}

// start is the k-th start: powers of ten around the scales, spread evenly, first of positive numbers and then of all signs; of an
// unknown with bounds the values between them.
func (z *zeros) start(scales []float64, k int) []float64 {
	x := make([]float64, len(scales))
	for j := range x {
		if k == 0 {
			x[j] = scales[j]
			continue
		}
		// Multiples of roots of a number that has no pattern with small integers (Weyl's sequences).
		share := math.Mod(float64(k)*math.Sqrt(float64(2+3*j+j*j)), 1)
		if b := z.bounds[j]; b[0] < b[1] {
			x[j] = b[0] + share*(b[1]-b[0])
			continue
		}
		x[j] = scales[j] * math.Pow(10, 4*share-2)
		if k >= maxStarts/2 && math.Mod(float64(k)*math.Cbrt(float64(2+j)), 1) < 0.5 {
			x[j] = -x[j]
		}
	}
	return x
}

// values are the functions at x, and the sum of their squares relative to the sizes of their sides.
func (z *zeros) values(x []float64) (f []float64, miss float64) {
	m := z.m
	for j, o := range z.outputs {
		m.floats[o] = x[j]
	}
	f = make([]float64, len(z.functions))
	for i, r := range z.sides {
		if !m.c.Spend(10) {
			return nil, math.NaN()
		}
		m.steps++
		left, right := m.float(r.left), m.float(r.right)
		f[i] = left - right
		size := math.Abs(left) + math.Abs(right)
		if size > 0 {
			miss += (f[i] / size) * (f[i] / size)
		}
	}
	return f, miss
}

// approach moves x to a solution; false where it comes to none.
func (z *zeros) approach(x []float64) bool {
	f, miss := z.values(x)
	for range maxNewtonSteps {
		if math.IsNaN(miss) || math.IsInf(miss, 0) || z.m.limited() {
			return false
		}
		if miss < 1e-24 {
			return true
		}
		matrix := make([][]float64, len(f))
		for i := range f {
			matrix[i] = make([]float64, len(x)+1)
			for j := range x {
				if !z.m.c.Spend(5) {
					return false
				}
				matrix[i][j] = z.m.float(z.slopes[i][j])
			}
			matrix[i][len(x)] = f[i]
		}
		step, ok := gauss(matrix)
		if !ok {
			return false
		}
		better := false
		for h := range maxHalvings {
			next := make([]float64, len(x))
			for j := range x {
				next[j] = x[j] - step[j]*math.Pow(0.5, float64(h))
			}
			g, less := z.values(next)
			if less < miss {
				copy(x, next)
				f, miss, better = g, less, true
				break
			}
		}
		if !better {
			z.values(x)
			return miss < 1e-16
		}
	}
	return miss < 1e-16
}

// gauss solves a system, given with its right side as the last column.
func gauss(a [][]float64) ([]float64, bool) {
	n := len(a)
	for k := range n {
		best := k
		for i := k; i < n; i++ {
			if math.Abs(a[i][k]) > math.Abs(a[best][k]) {
				best = i
			}
		}
		if p := a[best][k]; p == 0 || math.IsNaN(p) || math.IsInf(p, 0) {
			return nil, false
		}
		a[k], a[best] = a[best], a[k]
		for i := k + 1; i < n; i++ {
			by := a[i][k] / a[k][k]
			for j := k; j <= n; j++ {
				a[i][j] -= float64(by * a[k][j])
			}
		}
	}
	x := make([]float64, n)
	for k := n - 1; k >= 0; k-- {
		x[k] = a[k][n]
		for j := k + 1; j < n; j++ {
			x[k] -= float64(a[k][j] * x[j])
		}
		x[k] /= a[k][k]
	}
	return x, true
}

// refine goes on in decimal.
func (z *zeros) refine(start []float64) (decimals, bool) {
	m := z.m
	x := make(decimals, len(start))
	for j := range start {
		x[j] = decimalOf(start[j])
	}
	for range 12 {
		for j, o := range z.outputs {
			m.values[o] = x[j]
		}
		rows := make([]linear, len(x))
		for i, f := range z.functions {
			value := m.eval(f)
			rows[i] = linear{constant: term{value, value.Abs()}}
			for _, slope := range z.slopes[i] {
				by := m.eval(slope)
				rows[i].factors = append(rows[i].factors, term{by, by.Abs()})
			}
		}
		if m.tryErr() != nil {
			return nil, false
		}
		step, err := m.eliminate(rows)
		if err != nil || m.tryErr() != nil {
			return nil, false
		}
		rest := true
		for j := range x {
			x[j] = m.c.Add(x[j], step[j])
			rest = rest && step[j].Abs().Cmp(m.c.Mul(x[j].Abs(), settledMove)) <= 0
		}
		if rest {
			return x, m.tryErr() == nil
		}
	}
	return nil, false
}
