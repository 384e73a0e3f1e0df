package solve

import (
	"math"

	"reckon/engine/decimal"
	"reckon/engine/formula"
)

// maxFoundRoots bounds the roots that a search finds.
const maxFoundRoots = 24

// How often the way to where the sides have no value is halved.
const (
	edgeHalvings  = 60
	tableHalvings = 10
)

// search finds roots numerically: it samples the difference of both sides over the declared bounds,
// else over decades around the scale of the unknown's unit, brackets changes of sign and minima,
// refines in float64 by Brent's method (Brent, Algorithms for Minimization without Derivatives,
// 1973, chapter 4) and then by secants in decimal. A pole also changes the sign; the check of the
// equation refuses it.
func (s *Solver) search(e *formula.Equation, v int) (formula.Preimage, error) {
	if spread := s.Spread(e, func(variable int) bool { return variable == v }); spread != nil {
		e = spread
	}
	s.toFloats(e)
	seek := &seeker{solver: s, variable: v}
	run := s.Run(e, e.Unknown(v))
	seek.run = run
	seek.tables = e.Left.ThroughTables(e.Unknown(v)) || e.Right.ThroughTables(e.Unknown(v))
	seek.value = func(x float64) (float64, float64) {
		var left, right float64
		switch {
		case seek.tables:
			s.Suppose(v, decimal.FromFloat(x))
			s.Renew()
			a, b := s.Value(e.Left), s.Value(e.Right)
			d := s.Context.Sub(a, b)
			f := d.Float64()
			if s.TryErr() != nil {
				return math.NaN(), 0
			}
			if d.Vague() {
				// Next to nothing beside the differences elsewhere is nothing; what a doubtful condition
				// chose has no value to search by.
				if f = 0; d.Error().Float64() > 1e-20*seek.largest {
					f = math.NaN()
				}
			}
			if size := math.Abs(f); size > seek.largest {
				seek.largest = size
			}
			return f, math.Abs(a.Float64()) + math.Abs(b.Float64())
		case run != nil:
			left, right = run.Sides(x)
		default:
			s.Floats[v] = x
			left, right = s.Float(e.Left), s.Float(e.Right)
		}
		return left - right, math.Abs(left) + math.Abs(right)
	}
	seek.difference = func(x decimal.Decimal) (decimal.Decimal, bool) {
		s.Suppose(v, x)
		s.Renew()
		f := s.Context.Sub(s.Value(e.Left), s.Value(e.Right))
		return f, s.TryErr() == nil
	}
	scale := s.searchScale(v)
	if root, ok := seek.quick(e, v, scale, s.aim); ok {
		if s.proven {
			return formula.OneRoot(root), nil
		}
		if roots := seek.exact(e, scale, formula.Decimals{root}); len(roots) > 0 {
			return formula.Preimage{Roots: roots}, nil
		}
	}
	check := func(values formula.Decimals) formula.Decimals { return s.keep(e, v, values) }
	if seek.wantsSmallest() {
		if start, ok := s.Starts[v]; ok {
			seek.polish(start)
			if roots := seek.exact(e, scale, check(seek.found)); len(roots) > 0 {
				return formula.Preimage{Roots: roots}, nil
			}
			seek.found = nil
		}
		seek.smallest = check
	}
	if seek.identical(scale) {
		return formula.Preimage{Infinite: true}, nil
	}
	if p, ok, err := seek.monotone(e, scale); ok {
		return p, err
	}
	if bb := s.branchAndBound(e, v, seek, scale, s.aim); bb != nil {
		if p, ok := bb.preimage(); ok {
			found := len(p.Roots)
			if p.Roots = seek.exact(e, scale, p.Roots); len(p.Roots) > 0 || found == 0 {
				p.Infinite = p.Infinite || seek.everywhere(e, p.Roots)
				return p, nil
			}
			if s.Unsure && s.Context.Digits() < touchDigits {
				return formula.Preimage{}, formula.ErrNotConverged // more digits tell
			}
		}
	}
	found := seek.roots(check)
	if seek.smallest != nil && len(found) > 0 {
		if s.Starts == nil {
			s.Starts = map[int]float64{}
		}
		s.Starts[v] = found[0].Float64()
	}
	roots := seek.exact(e, scale, found)
	if s.Limited() || len(roots) > 0 {
		// Where roots crowd, those that were found are a chance choice.
		if seek.crowded && !e.Repeats(e.Unknown(v)) {
			return formula.Preimage{}, formula.ErrNotConverged
		}
		return formula.Preimage{Roots: roots, Infinite: seek.crowded || seek.everywhere(e, roots)}, nil
	}
	return formula.Preimage{}, formula.ErrNotConverged
}

// wantsSmallest reports whether the smallest positive root is wanted alone, and looking for others
// takes all the cells of tables at each sample.
func (s *seeker) wantsSmallest() bool {
	v, a := s.variable, s.solver.aim
	return s.tables && a.preferred && !a.all && !s.solver.IsScale(v) && s.solver.Near(v) == nil
}

// identical reports whether the sides are the same at numbers far from one another, as far as their
// digits tell.
func (s *seeker) identical(scale float64) bool {
	for _, x := range []float64{0.37, 5.1, 1.83} {
		if f, ok := s.difference(decimal.FromFloat(x * scale)); !ok || !f.IsZero() && !f.Vague() {
			return false
		}
	}
	return true
}

// everywhere reports whether an equation holds on both sides of a root as well as there: all
// numbers around are roots, as of sqrt(x^2) = x.
func (s *seeker) everywhere(e *formula.Equation, roots formula.Decimals) bool {
	if len(roots) == 0 || roots[0].IsZero() || s.solver.isLimit(roots[0]) {
		return false
	}
	solver := s.solver
	for _, part := range beside {
		solver.Suppose(s.variable, solver.Context.Mul(roots[0], part))
		if !solver.Satisfied(e) {
			return false
		}
	}
	return true
}

// beside are parts of a root that lie on both sides of it.
var beside = formula.Decimals{decimal.MustParse("0.83"), decimal.MustParse("1.37")}

// toFloats gives the machine the values of an equation's variables in float64.
func (s *Solver) toFloats(e *formula.Equation) {
	if s.Floats == nil {
		s.Floats = make([]float64, len(s.Values))
	}
	for _, r := range e.Refs {
		s.Floats[r] = s.Values[r].Float64()
	}
}

// exact puts the places where the equation holds in the limit for the roots next to them, leaves
// out what may be the work of rounding, and vouches for the rest.
func (s *seeker) exact(e *formula.Equation, scale float64, roots formula.Decimals) formula.Decimals {
	var sure formula.Decimals
	for _, t := range roots {
		if !s.solver.isLimit(t) {
			if place, ok := s.limit(e, t, scale); ok {
				t = place
			} else if s.solver.Values[s.variable] = t; s.masked {
				continue
			} else if s.solver.Noisy(e, s.variable) {
				s.solver.Unsure = true
				continue
			} else {
				sure = append(sure, s.vouched(e, t)...)
				continue
			}
		}
		sure = append(sure, t)
	}
	return s.solver.distinct(sure)
}

// seeker looks for the roots of a function of one variable.
type seeker struct {
	solver     *Solver
	variable   int
	run        *formula.Run                                         // nil where the equation has no flat form
	value      func(x float64) (f, size float64)                    // the function, and the size of what is subtracted in it
	difference func(x decimal.Decimal) (f decimal.Decimal, ok bool) // the same in decimal, false where it has no value
	cost       int                                                  // units of an evaluation in float64, less than 1 for one
	found      formula.Decimals
	ladder     []rung                                  // the difference and its derivatives, as far as they were asked for
	largest    float64                                 // of the differences over tables so far
	smallest   func(formula.Decimals) formula.Decimals // leaves the roots that count; the first one ends the scan; nil where all are wanted
	tables     bool                                    // the unknown stands in functions over tables, which are evaluated in decimal alone
	crowded    bool                                    // there were more roots than are looked at
	masked     bool                                    // limit found that what seems to be a root may be the work of rounding
}

// roots scans one set of samples after the other until some roots pass a check.
func (s *seeker) roots(check func(formula.Decimals) formula.Decimals) formula.Decimals {
	for grid := range s.grids() {
		s.scan(grid)
		if s.solver.Limited() {
			return nil
		}
		if roots := check(s.found); len(roots) > 0 {
			return roots
		}
		s.found, s.crowded = nil, false
	}
	s.solver.TryErr()
	return nil
}

// at is the function in float64, NaN where it has no value.
func (s *seeker) at(x float64) float64 {
	if !s.solver.Context.Spend(max(1, s.cost)) {
		return math.NaN()
	}
	s.solver.steps++
	f, _ := s.value(x)
	if math.IsInf(f, 0) {
		return math.NaN()
	}
	return f
}

// scan brackets and refines the roots among samples.
func (s *seeker) scan(grid []float64) {
	values := make([]float64, 0, len(grid))
	for i := range grid {
		for len(values) < min(i+2, len(grid)) { // with the one behind
			values = append(values, s.at(grid[len(values)]))
		}
		if s.smallest != nil && len(s.found) > 0 {
			if len(s.smallest(s.found)) > 0 {
				return
			}
			s.found = nil
		}
		if len(s.found) >= maxFoundRoots {
			// Where float64 is all rounding, one root is found many times.
			if s.found = s.solver.distinct(s.found); len(s.found) >= maxFoundRoots {
				s.crowded = true
				return
			}
		}
		if s.solver.Limited() {
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
			s.crowded = s.crowded || s.oscillates(a, b)
			s.polish(s.brent(a, b, fa, fb))
		case i+1 < len(grid) && math.Abs(fb) < math.Abs(fa) && math.Abs(fb) <= math.Abs(values[i+1]) && fb*values[i+1] > 0:
			s.touch(a, grid[i+1])
		}
	}
}

// oscillates reports whether the sign changes so often between two samples that a root between them
// is one of very many.
func (s *seeker) oscillates(a, b float64) bool {
	// What oscillates in float64 may only be its own rounding.
	grid := evenly(a, b, 16)
	return changes(grid, s.at) > 4 && changes(grid, s.wide) > 4
}

// wide is the function in decimal, NaN where it has no value or its digits do not tell it from 0.
func (s *seeker) wide(x float64) float64 {
	f, ok := s.difference(decimal.FromFloat(x))
	if !ok || !f.IsExact() && (f.IsZero() || f.Vague()) {
		return math.NaN()
	}
	return f.Float64()
}

// changes counts how often a function changes its sign from sample to sample.
func changes(grid []float64, f func(x float64) float64) (changes int) {
	last := 0.0
	for _, x := range grid {
		y := f(x)
		if y*last < 0 {
			changes++
		}
		if y != 0 && !math.IsNaN(y) {
			last = y
		}
	}
	return changes
}

// edge moves the undefined end of an interval to where the sides still have a value.
func (s *seeker) edge(a, b, fa, fb float64) (float64, float64, float64, float64) {
	in, out, inner, fin := a, b, a, fa
	if math.IsNaN(fa) {
		in, out, inner, fin = b, a, b, fb
	}
	start, fstart := in, fin
	halvings := edgeHalvings
	if s.tables {
		halvings = tableHalvings
	}
	for range halvings {
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
	if account := s.solver.Account; account != nil {
		within, before := Bracket{Low: min(a, b), High: max(a, b)}, s.solver.steps
		defer func() {
			within.Steps = s.solver.steps - before
			account.Brackets = append(account.Brackets, within)
		}()
	}
	c, fc := a, fa
	step := b - a
	last := step
	for range formula.MaxRefinements {
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

// touch looks for a double root, where the difference touches zero without changing sign: the zero
// of its slope.
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
		c := s.solver.Context
		spacing := c.Epsilon(c.Digits() * 7 / 10)
		h := c.Mul(x.Abs(), spacing)
		if h.IsZero() {
			h = spacing
		}
		up, ok1 := s.difference(c.Add(x, h))
		down, ok2 := s.difference(c.Sub(x, h))
		return c.Quo(c.Sub(up, down), h), ok1 && ok2
	}
	if x, ok := s.secant(decimal.FromFloat(x1), slope); ok {
		s.found = append(s.found, x)
	}
}
