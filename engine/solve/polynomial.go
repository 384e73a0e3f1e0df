package solve

import (
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/formula"
)

// at is the value of a polynomial at x and the size of what is added up in it.
func (s *Solver) at(p polynomial, x decimal.Decimal) (sum, size decimal.Decimal) {
	for i := len(p) - 1; i >= 0; i-- {
		sum = s.Context.Add(s.Context.Mul(sum, x), p[i].value)
		size = s.Context.Add(s.Context.Mul(size, x.Abs()), p[i].size)
	}
	return sum, size
}

// isRoot reports whether a polynomial is zero at x, rounding aside.
func (s *Solver) isRoot(p polynomial, x decimal.Decimal) bool {
	sum, size := s.at(p, x)
	return sum.Abs().Cmp(s.Context.Mul(size, s.Context.Epsilon(15))) <= 0
}

// realRoots lists the real roots of a polynomial, ascending. Between the roots of the derivative
// the polynomial only rises or only falls, so that every change of sign there is one root; a root
// that the derivative shares is a multiple one.
func (s *Solver) realRoots(p polynomial) formula.Decimals {
	c := s.Context
	if len(p) < 2 || c.Err() != nil {
		return nil
	}
	if len(p) == 2 {
		return formula.Decimals{c.Quo(p[0].value, p[1].value).Neg()}
	}
	slope := make(polynomial, len(p)-1)
	for i := range slope {
		by := decimal.Int(int64(i + 1))
		slope[i] = term{c.Mul(p[i+1].value, by), c.Mul(p[i+1].size, by)}
	}
	// Cauchy's bound: no root is larger than 1 and the largest ratio of a coefficient to the leading
	// one.
	var bound decimal.Decimal
	for _, t := range p[:len(p)-1] {
		bound = formula.Extreme(formula.Decimals{bound, c.Quo(t.value, p[len(p)-1].value).Abs()}, 1)
	}
	bound = c.Add(bound, decimal.Int(1))
	ends := slices.Concat(formula.Decimals{bound.Neg()}, s.realRoots(slope), formula.Decimals{bound})
	signs := make([]int, len(ends))
	for i, x := range ends {
		v, size := s.at(p, x)
		if v.Abs().Cmp(c.Mul(size, c.Epsilon(15))) > 0 || v.IsExact() {
			signs[i] = v.Sign()
		}
		// A value that is not surely 0 may be that of two roots, or of none.
		s.Unsure = s.Unsure || signs[i] == 0 && !v.IsExact()
	}
	var roots formula.Decimals
	for i, x := range ends {
		switch {
		case signs[i] == 0:
			roots = append(roots, x)
		case i > 0 && signs[i]*signs[i-1] < 0:
			roots = append(roots, s.bracketed(p, slope, ends[i-1], x, signs[i-1]))
		}
	}
	slices.SortFunc(roots, func(a, b decimal.Decimal) int { return a.Cmp(b) })
	return roots
}

// bracketed refines the only root of a polynomial between two numbers by Newton's method, halving
// where that leaves them.
func (s *Solver) bracketed(p, slope polynomial, low, high decimal.Decimal, first int) decimal.Decimal {
	c := s.Context
	x := c.Mul(c.Add(low, high), oneHalf).Exactly()
	var last decimal.Decimal
	for range 600 {
		f, _ := s.at(p, x)
		d, _ := s.at(slope, x)
		switch {
		case f.IsZero() && f.IsExact() || c.Err() != nil:
			return x
		case f.IsZero() && !d.IsZero():
			return c.Sub(x, c.Quo(f, d)) // x, and what the error of f leaves open of it
		case f.IsZero():
			return x.As(c.Digits() / 2)
		case f.Sign() == first:
			low = x
		default:
			high = x
		}
		var next decimal.Decimal
		newton := !d.IsZero()
		if newton {
			next = c.Sub(x, c.Quo(f, d))
			newton = next.Cmp(low) > 0 && next.Cmp(high) < 0
		}
		move := c.Sub(next, x).Abs()
		// Far from a root Newton's method leaves about the same part of the way at each step.
		if slow := c.Mul(last, oneHalf).Cmp(move) <= 0; !newton || slow && !last.IsZero() {
			next = s.middle(low, high).As(c.Digits() - 10)
			move = decimal.Decimal{}
		}
		last = move
		moved := c.Sub(next, x).Abs()
		x = next.Exactly()
		if moved.Cmp(c.Mul(x.Abs(), c.Epsilon(10))) <= 0 {
			return next
		}
	}
	return x
}

// middle is a number between two, by decades where they span several.
func (s *Solver) middle(low, high decimal.Decimal) decimal.Decimal {
	c := s.Context
	near, far := low, high
	if near.Abs().Cmp(far.Abs()) > 0 {
		near, far = far, near
	}
	top, _ := far.Extent()
	bottom := top - 2*max(4, -top) // of a bracket that begins at 0
	if !near.IsZero() {
		bottom, _ = near.Extent()
	}
	if low.Sign()*high.Sign() < 0 || top-bottom < 2 {
		return c.Mul(c.Add(low, high), oneHalf)
	}
	return c.Mul(far, c.Epsilon(c.Digits()-(top-bottom)/2))
}
