package solve

import (
	"math"
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/formula"
)

// Bounds of what counts as a limit.
const (
	limitReach = 1e-5 // how near to a number, relative, a place is that it may stand for
	limitDepth = 4    // scales at which a limit is taken
)

// A limit is taken from numbers at these distances on both sides, parts of the size of the place.
var (
	limitFar  = decimal.MustParse("1e-6")
	limitNear = decimal.MustParse("1e-8")
	limitStep = decimal.MustParse("1e-2")  // from one scale to the next smaller one
	limitMiss = decimal.MustParse("1e-30") // how far the limits of the sides may be apart
	limitBend = decimal.MustParse("1e-4")  // how far from straight the odd part may be
)

// limit finds the place next to x where the sides of an equation have no value, since a quotient is
// 0 ÷ 0 there, but where their limits are equal: what the rate of a loan without interest is to
// payment = principal × rate / (1 - (1 + rate)^-n). Next to such a place quotients lose their
// digits, so that any number there seems to be a root. scale is the size of the unknown next to
// zero.
func (s *seeker) limit(e *formula.Equation, x decimal.Decimal, scale float64) (place decimal.Decimal, ok bool) {
	at := x.Float64()
	if math.Abs(at) <= limitReach*scale {
		return s.limitWithin(e, x, 0, scale)
	}
	return s.limitWithin(e, x, limitReach*math.Abs(at), math.Abs(at))
}

// limitWithin is limit for a place in reach of x, at zero itself for a reach of 0, for numbers of a
// size. It sets masked where there is a place without a limit that makes x seem to be a root.
func (s *seeker) limitWithin(e *formula.Equation, x decimal.Decimal, reach, size float64) (place decimal.Decimal, ok bool) {
	solver, u := s.solver, e.Unknown(s.variable)
	s.masked = false
	if s.tables {
		return place, false
	}
	for _, side := range []*formula.Node{e.Left, e.Right} {
		side.Walk(func(n *formula.Node) {
			if ok || !solver.divides(n, u) {
				return
			}
			divisor := n.Args[len(n.Args)-1]
			if n.Op == formula.OpPow {
				divisor = n.Args[0]
			}
			if reach > 0 && !s.vanishes(divisor, x.Float64(), reach) {
				return
			}
			zero := func(x decimal.Decimal) (decimal.Decimal, bool) {
				solver.Suppose(s.variable, x)
				f := solver.Eval(divisor)
				return f, solver.TryErr() == nil
			}
			var c decimal.Decimal
			var found bool
			if reach > 0 {
				c, found = s.secant(x, zero)
				if round := c.Shown(); formula.Compare(solver.Context, round, c) == 0 {
					// What the divisor is 0 at has few digits as a rule.
					if f, defined := zero(round); defined && f.IsZero() {
						c = round
					}
				}
				found = found && math.Abs(c.Float64()-x.Float64()) <= reach
			} else {
				f, defined := zero(c)
				found = defined && f.IsZero()
			}
			if found && solver.tends(e, s.variable, c, size) {
				if s.holdsBeside(e, c, size) {
					return // the equation says nothing of the unknown, which has no value here
				}
				place, ok = c, true
			} else if found {
				// A root is one that twice as far from the place is none.
				solver.Suppose(s.variable, solver.Context.Add(x, solver.Context.Sub(x, c)))
				s.masked = s.masked || solver.Nearly(e)
			}
		})
	}
	if ok {
		solver.limits = append(solver.limits, place)
	}
	return place, ok
}

// holdsBeside reports whether an equation holds at numbers on both sides of a place, far from it.
func (s *seeker) holdsBeside(e *formula.Equation, place decimal.Decimal, size float64) bool {
	c := s.solver.Context
	for _, part := range []float64{0.83, -0.37} {
		s.solver.Suppose(s.variable, c.Add(place, decimal.FromFloat(part*size)))
		if !s.solver.Nearly(e) {
			return false
		}
	}
	return true
}

// vanishes reports whether an expression may be 0 in reach of x: it is next to 0 somewhere there,
// or changes its sign.
func (s *seeker) vanishes(n *formula.Node, x, reach float64) bool {
	first, flat := 0.0, 1e-12
	if reach <= limitReach*math.Abs(x)*1.01 {
		flat = limitReach
	}
	for _, at := range []float64{x - reach, x, x + reach} {
		s.solver.Floats[s.variable] = at
		value, size := s.solver.Sized(n)
		if math.Abs(value) <= flat*size && size < farthest || value*first < 0 {
			return true
		}
		first = value
	}
	return false
}

// divides reports whether n is a quotient, or a power that is one, whose divisor depends on the
// unknown.
func (s *Solver) divides(n *formula.Node, x formula.Unknown) bool {
	switch n.Op {
	case formula.OpDiv:
		return n.Args[1].Has(x)
	case formula.OpPow:
		return n.Args[0].Has(x) && !n.Args[1].Has(x) && s.Float(n.Args[1]) < 0
	}
	return false
}

// tends reports whether the sides of an equation come to be equal on both sides of a place. The
// half sum of their differences on the left and on the right is even in the distance and
// extrapolates to its limit, the half difference is odd and shrinks with the distance.
func (s *Solver) tends(e *formula.Equation, v int, place decimal.Decimal, size float64) bool {
	c := s.Context
	h := decimal.FromFloat(size)
	for range limitDepth {
		var even, odd, mean [2]decimal.Decimal
		var sides decimal.Decimal
		defined := true
		for i, part := range []decimal.Decimal{limitFar, limitNear} {
			distance := c.Mul(h, part)
			var f [2]decimal.Decimal
			for k, x := range []decimal.Decimal{c.Add(place, distance), c.Sub(place, distance)} {
				s.Suppose(v, x)
				s.Renew()
				left, right := s.Value(e.Left), s.Value(e.Right)
				f[k] = c.Sub(left, right)
				sides = formula.Extreme(formula.Decimals{sides, left.Abs(), right.Abs()}, 1)
				mean[i] = c.Add(mean[i], c.Mul(left, oneHalf))
				defined = s.TryErr() == nil && defined
			}
			even[i] = c.Mul(c.Add(f[0], f[1]), oneHalf)
			odd[i] = c.Mul(c.Sub(f[0], f[1]), oneHalf)
		}
		if defined {
			ratio := c.Quo(limitNear, limitFar)
			close := formula.Extreme(formula.Decimals{c.Mul(mean[1].Abs(), limitMiss), c.Mul(sides, c.Epsilon(15))}, 1)
			square := c.Mul(ratio, ratio)
			limit := c.Sub(even[1], c.Quo(c.Mul(c.Sub(even[0], even[1]), square), c.Sub(decimal.Int(1), square)))
			bend := c.Sub(odd[1], c.Mul(odd[0], ratio)).Abs()
			straight := bend.Cmp(c.Mul(odd[1].Abs(), limitBend)) <= 0 || bend.Cmp(close) <= 0
			if s.TryErr() == nil && straight && limit.Abs().Cmp(close) <= 0 {
				return true
			}
		}
		if s.Limited() {
			return false
		}
		h = c.Mul(h, limitStep)
	}
	return false
}

var oneHalf = decimal.MustParse("0.5")

// isLimit reports whether a root that was found is a place where the equation holds in the limit
// only.
func (s *Solver) isLimit(t decimal.Decimal) bool {
	return slices.ContainsFunc(s.limits, func(l decimal.Decimal) bool { return l.Cmp(t) == 0 })
}
