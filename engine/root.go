package engine

import (
	"math"
	"slices"
	"strconv"

	"reckon/engine/decimal"
	"reckon/engine/units"
)

// Bounds of the search for roots.
const (
	searchDecades  = 16 // on both sides of the scale of the unknown
	searchDensity  = 6  // samples a decade, and eight times as many when they show nothing
	searchLinear   = 400
	maxFoundRoots  = 24
	maxRefinements = 200
)

// search finds roots numerically: it samples the difference of both sides over the declared bounds, else over decades
// around the scale of the unknown's unit, brackets changes of sign and minima, refines in float64 by Brent's method
// (Brent, Algorithms for Minimization without Derivatives, 1973, chapter 4) and then by secants in decimal. A pole also
// changes the sign; the check of the equation refuses it.
func (m *machine) search(d *Domain, e *equation, v int) (preimage, error) {
	if m.floats == nil {
		m.floats = make([]float64, len(m.values))
	}
	for _, r := range e.refs {
		m.floats[r] = m.values[r].Float64()
	}
	s := &seeker{m: m, v: v}
	s.value = func(x float64) (float64, float64) {
		m.floats[v] = x
		left, right := m.float(e.left), m.float(e.right)
		return left - right, math.Abs(left) + math.Abs(right)
	}
	s.difference = func(x decimal.Decimal) (decimal.Decimal, bool) {
		m.values[v] = x
		f := m.c.Sub(m.eval(e.left), m.eval(e.right))
		return f, m.tryErr() == nil
	}
	roots := s.roots(d, func(values decimals) decimals { return m.keep(e, v, values) })
	if m.limited() || len(roots) > 0 {
		// Where roots crowd, those that were found are a chance choice.
		return preimage{roots: roots, infinite: s.crowded}, nil
	}
	return preimage{}, errNotConverged
}

// seeker looks for the roots of a function of one variable.
type seeker struct {
	m          *machine
	v          int
	value      func(x float64) (f, size float64)                    // the function, and the size of what is subtracted in it
	difference func(x decimal.Decimal) (f decimal.Decimal, ok bool) // the same in decimal, false where it has no value
	found      decimals
	crowded    bool // there were more roots than are looked at
}

// roots scans one set of samples after the other until some roots pass a check.
func (s *seeker) roots(d *Domain, check func(decimals) decimals) decimals {
	for _, grid := range s.grids(d) {
		s.scan(grid)
		if s.m.limited() {
			return nil
		}
		if roots := check(s.found); len(roots) > 0 {
			return roots
		}
		s.found, s.crowded = nil, false
	}
	s.m.tryErr()
	return nil
}

// at is the function in float64, NaN where it has no value.
func (s *seeker) at(x float64) float64 {
	if !s.m.c.Spend(1) {
		return math.NaN()
	}
	s.m.steps++
	f, _ := s.value(x)
	if math.IsInf(f, 0) {
		return math.NaN()
	}
	return f
}

// grids are the samples to look at, the likeliest first.
func (s *seeker) grids(d *Domain) [][]float64 {
	w := &d.variables[s.v]
	low, high := math.Inf(-1), math.Inf(1)
	if w.min != nil {
		low = w.min.Float64()
	}
	if w.max != nil {
		high = w.max.Float64()
	}
	scale := 1.0
	if w.unit != nil {
		scale = units.Quantity{Number: decimal.Int(1), Unit: w.unit}.SI(s.m.c).Float64()
	}
	if !(scale > 1e-100 && scale < 1e100) {
		scale = 1
	}
	dim, known := d.knownDimensionOf(s.v)
	within := func(grid []float64) []float64 {
		grid = slices.DeleteFunc(grid, func(x float64) bool { return x < low || x > high })
		for _, edge := range []float64{low, high} {
			if !math.IsInf(edge, 0) {
				grid = append(grid, edge)
			}
		}
		slices.Sort(grid)
		return slices.Compact(grid)
	}
	var grids [][]float64
	if w.hint != nil {
		if h := w.hint.Float64(); h != 0 && !math.IsInf(h, 0) {
			grids = append(grids, within(evenly(h-math.Abs(h)/2, h+math.Abs(h), searchLinear)))
		}
	}
	if known && dim == units.Angle {
		// Every turn repeats the first one.
		for _, n := range []int{searchLinear, 8 * searchLinear} {
			grids = append(grids, within(evenly(max(low, -math.Pi), min(high, math.Pi), n)), within(evenly(low, high, n)))
		}
		return grids
	}
	for _, density := range []int{searchDensity, 8 * searchDensity} {
		up := decades(scale, density)
		up = append(up, evenly(low, high, density*searchLinear/searchDensity)...)
		down := []float64{0}
		for _, x := range up {
			down = append(down, -x)
		}
		if w.point.isPoint() {
			grids = append(grids, within(slices.Concat(up, down)))
			continue
		}
		positive := slices.DeleteFunc(slices.Clone(up), func(x float64) bool { return x <= 0 })
		grids = append(grids, within(positive))
		negative := slices.DeleteFunc(slices.Concat(up, down), func(x float64) bool { return x > 0 })
		grids = append(grids, within(append(negative, scale*math.Pow(10, -searchDecades))))
	}
	return grids
}

func decades(scale float64, density int) []float64 {
	var grid []float64
	for i := -searchDecades * density; i <= searchDecades*density; i++ {
		grid = append(grid, scale*math.Pow(10, float64(i)/float64(density)))
	}
	return grid
}

func evenly(low, high float64, n int) []float64 {
	if math.IsInf(low, 0) || math.IsInf(high, 0) || low >= high {
		return nil
	}
	grid := make([]float64, 0, n+1)
	for i := 0; i <= n; i++ {
		grid = append(grid, low+(high-low)*float64(i)/float64(n))
	}
	return grid
}

// scan brackets and refines the roots among samples.
func (s *seeker) scan(grid []float64) {
	values := make([]float64, len(grid))
	for i, x := range grid {
		values[i] = s.at(x)
	}
	for i := range grid {
		if len(s.found) >= maxFoundRoots {
			s.crowded = true
			return
		}
		if s.m.limited() {
			return
		}
		if values[i] == 0 {
			s.polish(grid[i])
			continue
		}
		if i == 0 {
			continue
		}
		a, b, fa, fb := grid[i-1], grid[i], values[i-1], values[i]
		if math.IsNaN(fa) != math.IsNaN(fb) {
			// The edge of where the sides have a value: a root may lie between it and the next sample.
			a, b, fa, fb = s.edge(a, b, fa, fb)
		}
		switch {
		case math.IsNaN(fa) || math.IsNaN(fb):
		case fa < 0 && fb > 0 || fa > 0 && fb < 0:
			s.crowded = s.crowded || s.oscillates(a, b, fa)
			s.polish(s.brent(a, b, fa, fb))
		case i+1 < len(grid) && math.Abs(fb) < math.Abs(fa) && math.Abs(fb) <= math.Abs(values[i+1]) && fb*values[i+1] > 0:
			s.touch(a, grid[i+1])
		}
	}
}

// oscillates reports whether the sign changes so often between two samples that a root between them is one of very many.
func (s *seeker) oscillates(a, b, fa float64) bool {
	changes, last := 0, fa
	for i := 1; i < 16; i++ {
		f := s.at(a + (b-a)*float64(i)/16)
		if f*last < 0 {
			changes++
			last = f
		}
	}
	return changes > 4
}

// edge moves the undefined end of an interval to where the sides still have a value.
func (s *seeker) edge(a, b, fa, fb float64) (float64, float64, float64, float64) {
	in, out, inner, fin := a, b, a, fa
	if math.IsNaN(fa) {
		in, out, inner, fin = b, a, b, fb
	}
	start, fstart := in, fin
	for range 60 {
		mid := in + (out-in)/2
		if f := s.at(mid); math.IsNaN(f) {
			out = mid
		} else {
			in, inner, fin = mid, mid, f
		}
	}
	return start, inner, fstart, fin
}

// brent refines a bracketed root.
func (s *seeker) brent(a, b, fa, fb float64) float64 {
	c, fc := a, fa
	step := b - a
	last := step
	for range maxRefinements {
		if fb*fc > 0 {
			c, fc = a, fa
			step = b - a
			last = step
		}
		if math.Abs(fc) < math.Abs(fb) {
			a, b, c = b, c, b
			fa, fb, fc = fb, fc, fb
		}
		least := 2 * 2.3e-16 * math.Abs(b)
		half := (c - b) / 2
		if math.Abs(half) <= least || fb == 0 {
			return b
		}
		if math.Abs(last) >= least && math.Abs(fa) > math.Abs(fb) {
			r := fb / fa
			var p, q float64
			if a == c {
				p, q = 2*half*r, 1-r
			} else {
				u, w := fa/fc, fb/fc
				p = r * (2*half*u*(u-w) - (b-a)*(w-1))
				q = (u - 1) * (w - 1) * (r - 1)
			}
			if p > 0 {
				q = -q
			}
			p = math.Abs(p)
			if 2*p < min(3*half*q-math.Abs(least*q), math.Abs(last*q)) {
				last, step = step, p/q
			} else {
				step = half
				last = step
			}
		} else {
			step = half
			last = step
		}
		a, fa = b, fb
		if math.Abs(step) > least {
			b += step
		} else {
			b += math.Copysign(least, half)
		}
		if fb = s.at(b); math.IsNaN(fb) {
			return b
		}
	}
	return b
}

var (
	nearby    = mustParse("1e-12")
	converged = mustParse("1e-50")
	spacing   = mustParse("1e-18")
)

// polish refines a root in decimal by secants.
func (s *seeker) polish(start float64) {
	text := decimalOf(start)
	if x, ok := s.secant(text, s.difference); ok {
		s.found = append(s.found, x)
	}
}

// secant finds a zero of f near x.
func (s *seeker) secant(x decimal.Decimal, f func(decimal.Decimal) (decimal.Decimal, bool)) (decimal.Decimal, bool) {
	c := s.m.c
	fx, ok := f(x)
	if !ok {
		return x, false
	}
	if fx.IsZero() {
		return x, true
	}
	previous := c.Mul(x, c.Add(decimal.Int(1), nearby))
	if x.IsZero() {
		previous = nearby
	}
	fp, ok := f(previous)
	if !ok {
		return x, false
	}
	for range 40 {
		slope := c.Sub(fx, fp)
		if slope.IsZero() || c.Err() != nil {
			break
		}
		move := c.Quo(c.Mul(fx, c.Sub(x, previous)), slope)
		next := c.Sub(x, move)
		fn, ok := f(next)
		if !ok || c.Err() != nil {
			s.m.tryErr()
			return x, false
		}
		previous, fp = x, fx
		x, fx = next, fn
		if fx.IsZero() || move.Abs().Cmp(c.Mul(x.Abs(), converged)) <= 0 {
			return x, true
		}
	}
	s.m.tryErr()
	return x, true
}

// touch looks for a double root, where the difference touches zero without changing sign: the zero of its slope.
func (s *seeker) touch(a, b float64) {
	const golden = 0.3819660112501051
	x1, x2 := a+golden*(b-a), b-golden*(b-a)
	f1, f2 := math.Abs(s.at(x1)), math.Abs(s.at(x2))
	for range 60 {
		if math.IsNaN(f1) || math.IsNaN(f2) {
			return
		}
		if f1 < f2 {
			b, x2, f2 = x2, x1, f1
			x1 = a + golden*(b-a)
			f1 = math.Abs(s.at(x1))
		} else {
			a, x1, f1 = x1, x2, f2
			x2 = b - golden*(b-a)
			f2 = math.Abs(s.at(x2))
		}
	}
	if _, size := s.value(x1); !(f1 <= 1e-9*size) {
		return
	}
	slope := func(x decimal.Decimal) (decimal.Decimal, bool) {
		c := s.m.c
		h := c.Mul(x.Abs(), spacing)
		if h.IsZero() {
			h = spacing
		}
		up, ok1 := s.difference(c.Add(x, h))
		down, ok2 := s.difference(c.Sub(x, h))
		return c.Quo(c.Sub(up, down), h), ok1 && ok2
	}
	if x, ok := s.secant(decimalOf(x1), slope); ok {
		s.found = append(s.found, x)
	}
}

// decimalOf is the shortest decimal that reads as a float64. Root search starts from it; results never are floats.
func decimalOf(x float64) decimal.Decimal {
	d, err := decimal.Parse(strconv.FormatFloat(x, 'g', -1, 64))
	if err != nil {
		return decimal.Decimal{}
	}
	return d
}
