package engine

import (
	"iter"
	"math"
	"slices"
	"strconv"
	"sync"

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
	m.toFloats(e)
	s := &seeker{m: m, v: v}
	run := m.flatRun(e, e.unknown(v))
	s.run = run
	s.value = func(x float64) (float64, float64) {
		var left, right float64
		if run != nil {
			left, right = run.sides(x)
		} else {
			m.floats[v] = x
			left, right = m.float(e.left), m.float(e.right)
		}
		return left - right, math.Abs(left) + math.Abs(right)
	}
	s.difference = func(x decimal.Decimal) (decimal.Decimal, bool) {
		m.values[v] = x
		m.renew()
		f := m.c.Sub(m.value(e.left), m.value(e.right))
		return f, m.tryErr() == nil
	}
	scale := d.searchScale(m, v)
	if root, ok := s.quick(d, e, v, scale, m.aim); ok {
		if m.proven {
			return one(root), nil
		}
		if roots := s.exact(e, scale, decimals{root}); len(roots) > 0 {
			return preimage{roots: roots}, nil
		}
	}
	if h := m.hunt(d, e, v, s, scale, m.aim); h != nil {
		if p, ok := h.preimage(d, v); ok {
			found := len(p.roots)
			if p.roots = s.exact(e, scale, p.roots); len(p.roots) > 0 || found == 0 {
				return p, nil
			}
		}
	}
	roots := s.exact(e, scale, s.roots(d, func(values decimals) decimals { return m.keep(e, v, values) }))
	if m.limited() || len(roots) > 0 {
		// Where roots crowd, those that were found are a chance choice.
		return preimage{roots: roots, infinite: s.crowded}, nil
	}
	return preimage{}, errNotConverged
}

// toFloats gives the machine the values of an equation's variables in float64.
func (m *machine) toFloats(e *equation) {
	if m.floats == nil {
		m.floats = make([]float64, len(m.values))
	}
	for _, r := range e.refs {
		m.floats[r] = m.values[r].Float64()
	}
}

// exact puts the places where the equation holds in the limit for the roots next to them, and leaves out what may be the
// work of rounding.
func (s *seeker) exact(e *equation, scale float64, roots decimals) decimals {
	kept := roots[:0]
	for _, t := range roots {
		if !s.m.isLimit(t) {
			if place, ok := s.limit(e, t, scale); ok {
				t = place
			} else if s.masked || s.noisy(e, t.Float64()) {
				continue
			}
		}
		kept = append(kept, t)
	}
	return kept
}

// seeker looks for the roots of a function of one variable.
type seeker struct {
	m          *machine
	v          int
	run        *flatRun                                             // nil where the equation has no flat form
	value      func(x float64) (f, size float64)                    // the function, and the size of what is subtracted in it
	difference func(x decimal.Decimal) (f decimal.Decimal, ok bool) // the same in decimal, false where it has no value
	found      decimals
	crowded    bool // there were more roots than are looked at
	masked     bool // limit found that what seems to be a root may be the work of rounding
}

// roots scans one set of samples after the other until some roots pass a check.
func (s *seeker) roots(d *Domain, check func(decimals) decimals) decimals {
	for grid := range s.grids(d) {
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
func (s *seeker) grids(d *Domain) iter.Seq[[]float64] {
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
	return func(yield func([]float64) bool) {
		if w.hint != nil {
			if h := w.hint.Float64(); h != 0 && !math.IsInf(h, 0) {
				if !yield(within(evenly(h-math.Abs(h)/2, h+math.Abs(h), searchLinear))) {
					return
				}
			}
		}
		if known && dim == units.Angle {
			// Every turn repeats the first one.
			for _, n := range []int{searchLinear, 8 * searchLinear} {
				if !yield(within(evenly(max(low, -math.Pi), min(high, math.Pi), n))) || !yield(within(evenly(low, high, n))) {
					return
				}
			}
			return
		}
		for _, density := range []int{searchDensity, 8 * searchDensity} {
			up := decades(scale, density)
			up = append(up, evenly(low, high, density*searchLinear/searchDensity)...)
			mirrored := func() []float64 {
				down := []float64{0}
				for _, x := range up {
					down = append(down, -x)
				}
				return down
			}
			if w.point.isPoint() {
				if !yield(within(slices.Concat(up, mirrored()))) {
					return
				}
				continue
			}
			positive := slices.DeleteFunc(slices.Clone(up), func(x float64) bool { return x <= 0 })
			if !yield(within(positive)) {
				return
			}
			negative := slices.DeleteFunc(slices.Concat(up, mirrored()), func(x float64) bool { return x > 0 })
			if !yield(within(append(negative, scale*math.Pow(10, -searchDecades)))) {
				return
			}
		}
	}
}

func decades(scale float64, density int) []float64 {
	powers := coarse()
	if density != searchDensity {
		powers = powersOfTen(searchDecades, density)
	}
	grid := make([]float64, 0, len(powers)+2)
	for _, p := range powers {
		grid = append(grid, scale*p)
	}
	return grid
}

// coarse is what the first samples are made of.
var coarse = sync.OnceValue(func() []float64 { return powersOfTen(searchDecades, searchDensity) })

// powersOfTen are the numbers whose logarithms are a density-th apart, over a count of decades on both sides of 1.
func powersOfTen(count, density int) []float64 {
	list := make([]float64, 0, 2*count*density+1)
	for i := -count * density; i <= count*density; i++ {
		list = append(list, math.Pow(10, float64(i)/float64(density)))
	}
	return list
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
	// settledMove is the last relative move of a search that came to rest.
	settledMove = mustParse("1e-38")
	// muchCloser is the factor by which a step with a good slope reduces the difference at least.
	muchCloser = mustParse("1e-4")
)

// polish refines a root in decimal by secants.
func (s *seeker) polish(start float64) {
	text := decimalOf(start)
	x, ok := s.newton(start, text)
	if !ok {
		x, ok = s.secant(text, s.difference)
	}
	if ok {
		s.found = append(s.found, x)
	}
}

// newton is secant with a first step by the slope in float64. It reports false where that step does not come much closer.
func (s *seeker) newton(start float64, x decimal.Decimal) (decimal.Decimal, bool) {
	h := 1e-6 * math.Abs(start)
	up, _ := s.value(start + h)
	down, _ := s.value(start - h)
	slope := (up - down) / (2 * h)
	if h == 0 || slope == 0 || math.IsNaN(slope) || math.IsInf(slope, 0) {
		return x, false
	}
	c := s.m.c
	fx, ok := s.difference(x)
	if !ok || fx.IsZero() {
		return x, ok
	}
	next := c.Sub(x, c.Quo(fx, decimalOf(slope)))
	fn, ok := s.difference(next)
	if !ok || c.Err() != nil || fn.Abs().Cmp(c.Mul(fx.Abs(), muchCloser)) > 0 {
		s.m.tryErr()
		return x, false
	}
	return s.secants(next, fn, x, fx, s.difference)
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
	return s.secants(x, fx, previous, fp, f)
}

// secants goes on from two points and the values of f there. It ends where the next move, if it shrinks as much as this
// one did, would be too small to matter.
func (s *seeker) secants(x, fx, previous, fp decimal.Decimal, f func(decimal.Decimal) (decimal.Decimal, bool)) (decimal.Decimal, bool) {
	c := s.m.c
	move := x
	for range 40 {
		slope := c.Sub(fx, fp)
		if slope.IsZero() || c.Err() != nil {
			break
		}
		gap := c.Sub(x, previous)
		move := c.Quo(c.Mul(fx, gap), slope)
		next := c.Sub(x, move)
		if c.Err() == nil && c.Mul(move, move).Cmp(c.Mul(c.Mul(gap, next).Abs(), converged)) <= 0 {
			return next, true
		}
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
	return x, move.Abs().Cmp(c.Mul(x.Abs(), settledMove)) <= 0
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
