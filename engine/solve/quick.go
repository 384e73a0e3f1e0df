package solve

import (
	"math"
	"slices"
	"sync"

	"reckon/engine/decimal"
	"reckon/engine/formula"
)

// Bounds of the quick search.
const (
	quickDecades = 8 // below and above the scale of the unknown
	quickDensity = 5 // samples a decade
)

// quickPowers are what the samples are made of.
var quickPowers = sync.OnceValue(func() []float64 { return powersOfTen(quickDecades, quickDensity) })

// quick finds the root of an equation whose sides differ by what changes its sign once over all
// positive samples, and turns nowhere towards zero: of plain functions that is their only positive
// root. Where it never changes its sign, zero is the root if the sides are equal there in the
// limit. ok is false where this does not show one.
func (s *seeker) quick(e *formula.Equation, v int, scale float64, a aim) (root decimal.Decimal, ok bool) {
	x := e.Unknown(v)
	if a.all || !a.preferred || s.solver.IsScale(v) || !plain(e.Left, x) || !plain(e.Right, x) {
		return root, false
	}
	low, high := s.solver.Scope.Profiles[v].Range()
	low = max(low, 0)
	var bracket [4]float64
	changes, turns, direction := 0, 0, 0.0
	last, from := math.NaN(), 0.0
	for _, power := range quickPowers() {
		at := scale * power
		if at < low || at > high {
			continue
		}
		f := s.at(at)
		if f == 0 || math.IsNaN(f) && s.solver.Limited() {
			return root, false
		}
		if math.IsNaN(f) {
			if changes == 0 && !math.IsNaN(last) {
				return root, false
			}
			continue
		}
		if !math.IsNaN(last) {
			if move := f - last; math.Abs(move) > 1e-6*(math.Abs(f)+math.Abs(last)) {
				if direction == 0 && low == 0 && move*last > 0 {
					// It comes from zero, and may cross it before the first sample.
					return root, false
				}
				if move*direction < 0 {
					// Only a turn away from zero cannot hide two roots.
					if turns++; turns > 2 || direction*last < 0 {
						return root, false
					}
				}
				direction = move
			}
			if f*last < 0 {
				changes++
				bracket = [4]float64{from, at, last, f}
			}
		}
		last, from = f, at
	}
	if changes == 0 && low == 0 && s.solver.Near(v) == nil {
		// Without a positive root it is zero that is taken.
		return s.limit(e, root, scale)
	}
	if changes != 1 {
		return root, false
	}
	start := s.brent(bracket[0], bracket[1], bracket[2], bracket[3])
	within := func(x decimal.Decimal) bool {
		f := x.Float64()
		return f >= bracket[0] && f <= bracket[1]
	}
	if root, ok = s.curved(e, start); ok && within(root) {
		s.solver.proven = true
		return root, true
	}
	if root, ok = s.secant(decimal.FromFloat(start), s.difference); !ok || !within(root) {
		return root, false
	}
	return root, len(s.solver.keep(e, v, formula.Decimals{root})) > 0
}

// curved refines a root that float64 has found by one step along slope and bend in float64, which
// leaves an error that is the square of the first one, and one by the slope between the two
// numbers, corrected by the bend. It evaluates the equation in decimal before each step. ok says
// that the equation holds already before the second one, that a third step would be too small to
// matter, that root and slope are what float64 says (with 60 digits in place of 16 rounding cannot
// have made the root then, as it can next to where a quotient is 0 ÷ 0), and that the root
// satisfies the equation.
func (s *seeker) curved(e *formula.Equation, start float64) (root decimal.Decimal, ok bool) {
	solver, c := s.solver, s.solver.Context
	if s.run == nil || c.Digits() > decimal.Precisions[0] {
		return root, false
	}
	j, ok := s.run.Jet(start)
	if !ok {
		return root, false
	}
	x := decimal.FromFloat(start)
	first, ok := s.difference(x)
	if !ok {
		return root, false
	}
	step := -first.Float64() / j.Slope
	turn := step * j.Bend / j.Slope
	step -= step * turn / 2
	if !(math.Abs(step) < 1e-10*math.Abs(start)) || step == 0 {
		return root, false
	}
	move := decimal.FromFloat(step)
	x = c.Add(x, move).Exactly()
	solver.Suppose(s.variable, x)
	solver.Renew()
	left, right := solver.Value(e.Left), solver.Value(e.Right)
	second := c.Sub(left, right)
	between := c.Quo(c.Sub(second, first), move)
	last := c.Quo(second, c.Add(between, decimal.FromFloat(j.Bend*step/2)))
	root = c.Sub(x, last)
	if solver.TryErr() != nil {
		return root, false
	}
	holds := second.Abs().Cmp(c.Mul(formula.Extreme(formula.Decimals{left.Abs(), right.Abs()}, 1), solver.Tolerance())) <= 0
	expected := second.Abs().Cmp(c.Mul(first.Abs(), asExpected)) <= 0
	rest := math.Abs(last.Float64()/start) * (1e-6*math.Abs(turn) + turn*turn + 1e-30)
	if !holds || !expected || !(rest <= closeRoot) {
		return root, false
	}
	root = root.As(-int(math.Ceil(math.Log10(rest + 1e-70))))
	solver.Suppose(s.variable, root)
	return root, solver.Satisfied(e)
}

// asExpected is the part that a step with the right slope leaves of a difference at most.
var asExpected = decimal.MustParse("1e-6")

// closeRoot is the relative error that a root found in two steps may have.
const closeRoot = 1e-42

// plain reports whether n is made of the unknown by arithmetic, powers, roots, exponentials and
// logarithms only, aside from an if that asks for equality.
func plain(n *formula.Node, x formula.Unknown) bool {
	if !n.Has(x) {
		return true
	}
	args := n.Args
	switch {
	case n.Op == formula.OpVariable, isArithmetic(n.Op), n.Op == formula.OpCall && n.Function.Plain:
	case n.Op == formula.OpCall && n.Function.Lazy && args[0].Op == formula.OpEq:
		args = args[1:]
	default:
		return false
	}
	return !slices.ContainsFunc(args, func(a *formula.Node) bool { return !plain(a, x) })
}
