package solve

import (
	"slices"
	"strconv"

	"reckon/engine/decimal"
	"reckon/engine/formula"
)

// Bounds of what is known of a root.
const (
	maxOrders     = 8   // derivatives that are looked at where the first one does not decide
	maxOrderNodes = 600 // of such a derivative
	ManyDigits    = 120 // with which an equation that holds everywhere is told from one that does not
	touchDigits   = 250 // with which a double root is told from two roots, and from none
	fewDigits     = 10  // of a double root that no slopes lead to
	maxBetween    = 400 // evaluations that narrow one root down
)

// vouchedPart is how far beside a root, as a part of it, the sides differ one way and the other.
var vouchedPart = decimal.MustParse("1e-40")

// vicinity is the part of a root in which what seems to be one is looked at as a whole.
var vicinity = decimal.MustParse("1e-6")

// vouched lists the roots that a number which was found stands for, each with as many digits as are
// right: itself where the difference of the sides changes its sign next to it, else all that the
// signs of the difference and of its derivatives show around it.
func (s *seeker) vouched(e *formula.Equation, x decimal.Decimal) formula.Decimals {
	if x, ok := s.certain(x); ok {
		return formula.Decimals{x}
	}
	c := s.solver.Context
	if x.IsZero() {
		// The difference is 0 there as far as its digits tell, or there is no root.
		return s.solver.keep(e, s.variable, formula.Decimals{x})
	}
	reach := c.Mul(x.Abs(), vicinity)
	near, _ := s.crossings(e, c.Sub(x, reach).Exactly(), c.Add(x, reach).Exactly())
	return s.solver.keep(e, s.variable, near)
}

// sure leaves the different ones of some roots that are certain, and those at which the difference
// cannot be told from 0, be it that they are multiple ones or that it takes more digits.
func (s *seeker) sure(roots formula.Decimals) (sure formula.Decimals) {
	for _, x := range s.solver.distinct(roots) {
		x, ok := s.certain(x)
		if !ok {
			f, valued := s.difference(x)
			if valued && !f.IsZero() && !f.Vague() {
				// To a double root the steps come too slowly to tell its digits.
				x, _ = decimal.Parse(strconv.FormatFloat(x.Float64(), 'e', fewDigits-1, 64))
				f, valued = s.difference(x)
				valued = valued && f.IsZero() && f.IsExact()
			}
			if !valued {
				continue
			}
			s.solver.Unsure = s.solver.Unsure || !f.IsExact() && s.solver.Context.Digits() < touchDigits
		}
		sure = append(sure, x)
	}
	return sure
}

// certain reports whether a number is a root beyond doubt: the sides are equal there in exact
// numbers, or differ one way below it and the other way above, no further off than its digits
// say. Where its own digits are more than that shows, it has no more of them afterwards.
func (s *seeker) certain(x decimal.Decimal) (decimal.Decimal, bool) {
	c := s.solver.Context
	f, ok := s.difference(x)
	if !ok || f.IsZero() && f.IsExact() && x.IsExact() {
		return x, ok
	}
	part := c.Epsilon(c.Digits() / 4)
	for _, part := range []decimal.Decimal{part, vouchedPart} {
		h := c.Mul(x.Abs(), part)
		down, ok1 := s.difference(c.Sub(x, h))
		up, ok2 := s.difference(c.Add(x, h))
		if !ok1 || !ok2 || h.IsZero() {
			return x, false
		}
		if down.Sign()*up.Sign() < 0 && !down.Vague() && !up.Vague() && f.Abs().Cmp(c.Add(down.Abs(), up.Abs())) < 0 {
			if part.Cmp(vouchedPart) == 0 {
				x = x.As(formula.RightDigits)
			}
			return x, true
		}
	}
	return x, false
}

// crossings lists the roots between two numbers. Between the roots of its derivative a function
// only rises or only falls, so that signs show where it has one; a root that the derivative shares
// is a multiple one. all is true where it is shown that there are no others: some derivative has
// one sign throughout.
func (s *seeker) crossings(e *formula.Equation, low, high decimal.Decimal) (roots formula.Decimals, all bool) {
	solver, x := s.solver, e.Unknown(s.variable)
	orders, all := s.orders(e, x, formula.Interval{Lo: low.Float64(), Hi: high.Float64()})
	ends := formula.Decimals{low, high}
	for k := len(orders) - 1; k >= 0 && !solver.Limited(); k-- {
		at := func(x decimal.Decimal) (decimal.Decimal, bool) {
			solver.Suppose(s.variable, x)
			f := solver.Eval(orders[k])
			return f, solver.TryErr() == nil
		}
		if k == 0 {
			at = s.difference
		}
		roots = nil
		last := 0
		for i, x := range ends {
			f, ok := at(x)
			sign := f.Sign()
			if !ok || f.Vague() || i > 0 && i < len(ends)-1 && s.touches(at, x, f) {
				sign = 0
			}
			switch {
			case i > 0 && sign*last < 0:
				if root, ok := s.between(ends[i-1], x, last, at); ok {
					roots = append(roots, root)
				} else {
					all = false
				}
			case sign == 0 && (i == 0 || i == len(ends)-1):
				// Where it has no value, more digits give it none.
				all = false
				s.solver.Unsure = s.solver.Unsure || k == 0 && ok
			case sign == 0:
				// As far as the digits tell the function only touches 0.
				roots = append(roots, x)
				s.solver.Unsure = s.solver.Unsure || k == 0 && !f.IsExact() && solver.Context.Digits() < touchDigits
			}
			last = sign
		}
		ends = slices.Concat(formula.Decimals{low}, roots, formula.Decimals{high})
	}
	return roots, all
}

// touches reports whether a function may be 0 where its derivative is: at x, as far as that is
// known, it has a value f that is small beside what the error of x makes of it.
func (s *seeker) touches(at func(decimal.Decimal) (decimal.Decimal, bool), x, f decimal.Decimal) bool {
	c := s.solver.Context
	off := c.Mul(x.Error(), decimal.Int(16))
	if off.IsZero() {
		return false
	}
	down, ok1 := at(c.Sub(x, off))
	up, ok2 := at(c.Add(x, off))
	most := formula.Extreme(formula.Decimals{down.Abs(), up.Abs()}, 1)
	return ok1 && ok2 && c.Mul(f.Abs(), decimal.Int(4)).Cmp(most) <= 0
}

// rung is the difference of the sides, or a derivative of it, and what it is over intervals, nil
// where they cannot go through it.
type rung struct {
	node    *formula.Node
	program *formula.IntervalProgram
}

// orders are the difference of the sides and its derivatives as far as the next one has a root over
// an interval; bounded is false where there are more of them than that.
func (s *seeker) orders(e *formula.Equation, x formula.Unknown, over formula.Interval) (list []*formula.Node, bounded bool) {
	if s.ladder == nil {
		s.ladder = []rung{{node: formula.Combined(formula.OpSub, s.solver.fold(e.Left, x), s.solver.fold(e.Right, x))}}
	}
	for k := 0; k < maxOrders; k++ {
		list = append(list, s.ladder[k].node)
		if k+1 == len(s.ladder) {
			n := s.ladder[k].node.Derivative(x)
			if n == nil || nodeCount(n) > maxOrderNodes {
				break
			}
			p := &formula.IntervalProgram{Seen: map[*formula.Node]int{}, Slope: -1}
			var ok bool
			if p.Value, ok = p.Add(n, x); ok {
				p.Slots = make([]formula.Interval, len(p.Steps))
			} else {
				p = nil
			}
			s.ladder = append(s.ladder, rung{n, p})
		}
		if p := s.ladder[k+1].program; p != nil && s.solver.Context.Spend(1+len(p.Steps)/4) {
			if v, _ := p.Over(over); !v.Empty() && !v.Has(0) && !v.Partial && !v.Jumps {
				return list, true
			}
		}
	}
	return list, false
}

// between narrows a change of the sign of f down: by the secant from end to end, the value at an
// end that stays is halved (Dowell and Jarratt, A modified regula falsi method, 1971), and by
// halving where that gains too little. first is the sign at low.
func (s *seeker) between(low, high decimal.Decimal, first int, f func(decimal.Decimal) (decimal.Decimal, bool)) (decimal.Decimal, bool) {
	c := s.solver.Context
	fl, ok1 := f(low)
	fh, ok2 := f(high)
	if !ok1 || !ok2 {
		return low, false
	}
	side, width, wl, wh := 0, c.Sub(high, low), fl, fh
	most := c.Mul(c.Add(fl.Abs(), fh.Abs()), formula.Hundred)
	for i := range maxBetween {
		x := c.Sub(high, c.Quo(c.Mul(wh, width), c.Sub(wh, wl)))
		if i%4 == 3 || !(x.Cmp(low) > 0 && x.Cmp(high) < 0) {
			x = c.Mul(c.Add(low, high), oneHalf)
		}
		x = x.Exactly()
		fx, ok := f(x)
		switch {
		case !ok || c.Err() != nil || fx.Abs().Cmp(most) > 0: // a pole
			s.solver.TryErr()
			return x, false
		case fx.IsZero() && fx.IsExact():
			return x, true
		case fx.Vague() || fx.IsZero():
			// What its error leaves open is where rounding ends.
			return c.Sub(x, c.Quo(fx.Lost(), c.Quo(c.Sub(fh, fl), width))), true
		case fx.Sign() == first:
			if low, fl, wl = x, fx, fx; side < 0 {
				wh = c.Mul(wh, oneHalf)
			}
			side = -1
		default:
			if high, fh, wh = x, fx, fx; side > 0 {
				wl = c.Mul(wl, oneHalf)
			}
			side = 1
		}
		if width = c.Sub(high, low); width.Cmp(c.Mul(x.Abs(), c.Epsilon(8))) <= 0 {
			return x.As(c.Digits() - 8), true
		}
	}
	return low, false
}
