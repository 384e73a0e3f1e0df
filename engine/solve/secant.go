package solve

import (
	"math"

	"reckon/engine/decimal"
	"reckon/engine/formula"
)

// muchCloser is the factor by which a step with a good slope reduces the difference at least.
var muchCloser = decimal.MustParse("1e-4")

// polish refines a root in decimal by secants.
func (s *seeker) polish(start float64) {
	text := decimal.FromFloat(start)
	x, ok := s.newton(start, text)
	if !ok {
		x, ok = s.secant(text, s.difference)
	}
	if ok {
		s.found = append(s.found, x)
	}
}

// newton is secant with a first step by the slope in float64. It reports false where that step does
// not come much closer.
func (s *seeker) newton(start float64, x decimal.Decimal) (decimal.Decimal, bool) {
	h := 1e-6 * math.Abs(start)
	up, _ := s.value(start + h)
	down, _ := s.value(start - h)
	slope := (up - down) / (2 * h)
	if h == 0 || slope == 0 || math.IsNaN(slope) || math.IsInf(slope, 0) {
		return x, false
	}
	c := s.solver.Context
	fx, ok := s.difference(x)
	if !ok {
		return x, false
	}
	root := c.Sub(x, c.Quo(fx, decimal.FromFloat(slope)))
	if fx.IsZero() {
		return root, true
	}
	next := root.Exactly()
	fn, ok := s.difference(next)
	if !ok || c.Err() != nil || fn.Abs().Cmp(c.Mul(fx.Abs(), muchCloser)) > 0 {
		s.solver.TryErr()
		return x, false
	}
	return s.secants(next, fn, x, fx, s.difference)
}

// secant finds a zero of f near x.
func (s *seeker) secant(x decimal.Decimal, f func(decimal.Decimal) (decimal.Decimal, bool)) (decimal.Decimal, bool) {
	c := s.solver.Context
	fx, ok := f(x)
	if !ok {
		return x, false
	}
	if fx.IsZero() && fx.IsExact() {
		return x, true
	}
	x = x.Exactly()
	previous := c.Mul(x, c.Add(decimal.Int(1), formula.Nearby)).Exactly()
	if x.IsZero() {
		previous = formula.Nearby
	}
	fp, ok := f(previous)
	if !ok {
		return x, false
	}
	return s.secants(x, fx, previous, fp, f)
}

// secants goes on from two points and the values of f there. It ends where the next move, if it
// shrinks as much as this one did, would be too small to matter.
func (s *seeker) secants(x, fx, previous, fp decimal.Decimal, f func(decimal.Decimal) (decimal.Decimal, bool)) (decimal.Decimal, bool) {
	c := s.solver.Context
	move := x
	for range 40 {
		slope := c.Sub(fx, fp)
		if fx.IsZero() && slope.IsZero() {
			return x, true
		}
		if slope.IsZero() || c.Err() != nil {
			break
		}
		gap := c.Sub(x, previous)
		move := c.Quo(c.Mul(fx, gap), slope)
		next := c.Sub(x, move)
		if c.Err() == nil && c.Mul(move, move).Cmp(c.Mul(c.Mul(gap, next).Abs(), c.Epsilon(10))) <= 0 {
			return settled(next, move, gap), true
		}
		// What is tried is a number as exact as any; the root is as right as the last move to it.
		root := next
		next = next.Exactly()
		fn, ok := f(next)
		if !ok || c.Err() != nil {
			s.solver.TryErr()
			return x, false
		}
		previous, fp = x, fx
		x, fx = next, fn
		if fx.IsZero() && fx.IsExact() {
			return x, true
		}
		if move.Abs().Cmp(c.Mul(x.Abs(), c.Epsilon(10))) <= 0 {
			return settled(root, move, gap), true
		}
	}
	s.solver.TryErr()
	return x, move.Abs().Cmp(c.Mul(x.Abs(), c.Epsilon(22))) <= 0
}

// settled is a root with the digits that are right after a move: it shrinks as much again as it
// did from the gap before.
func settled(root, move, gap decimal.Decimal) decimal.Decimal {
	if root.IsZero() || move.IsZero() || gap.IsZero() {
		return root
	}
	first, _ := root.Extent()
	last, _ := move.Extent()
	before, _ := gap.Extent()
	return root.As(first - last + max(0, before-last-2))
}
