package solve

import (
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/formula"
)

// maxLimitCost is what looking for a place where a block holds in the limit may take.
const maxLimitCost = 100_000

// coarseShift is how far, as a part of them, unknowns are moved for float64 to see a quotient
// whose dividend and divisor are both 0 where the other equations of a block hold.
var coarseShift = decimal.MustParse("1e-5")

// fineShift is the same in decimal: it takes a quarter of the digits away.
var fineShift = decimal.MustParse("1e-15")

// atLimits lists the places where a block holds in the limit: one equation has a quotient there
// that is 0 ÷ 0, as the logarithmic mean of two temperature differences is where the other
// equations make these equal. That equation is taken a little beside the others, on both sides;
// what they lead to must come together. Where a divisor is made by arithmetic alone there is no
// value.
func (s *Solver) atLimits(step Step, equations []*formula.Equation) (found []formula.Decimals) {
	for i, e := range equations {
		if len(divisors(e, step.Outputs)) == 0 {
			continue
		}
		at := func(shift decimal.Decimal) []*formula.Equation {
			beside := slices.Clone(equations)
			beside[i] = s.shifted(e, step.Outputs, shift)
			return beside
		}
		coarse, _ := s.newton(step, at(coarseShift))
		for _, values := range coarse {
			if place, ok := s.limitOf(step, at, values); ok && s.allAllowed(step, place) && s.holdsAround(step, equations, i, place) {
				found = append(found, place)
			}
		}
		if len(found) > 0 || s.Limited() {
			return found
		}
	}
	return nil
}

// inHoles reports whether some equation of a block divides by what cannot be told from 0 at each
// of the solutions that were found, or whether there are none.
func (s *Solver) inHoles(step Step, equations []*formula.Equation, found []formula.Decimals) bool {
	for _, values := range found {
		for j, o := range step.Outputs {
			s.Values[o] = values[j]
		}
		if !slices.ContainsFunc(equations, func(e *formula.Equation) bool {
			return slices.ContainsFunc(divisors(e, step.Outputs), func(n *formula.Node) bool {
				d := s.Eval(n)
				return s.TryErr() == nil && (d.IsZero() || d.Vague())
			})
		}) {
			return false
		}
	}
	return true
}

// divisors lists what an equation divides by and calls a function of an unknown for.
func divisors(e *formula.Equation, unknowns []int) (list []*formula.Node) {
	for _, side := range []*formula.Node{e.Left, e.Right} {
		side.Walk(func(n *formula.Node) {
			if n.Op == formula.OpDiv && n.Args[1].Calls() && slices.ContainsFunc(unknowns, func(v int) bool { return n.Args[1].Occurrences(v) > 0 }) {
				list = append(list, n.Args[1])
			}
		})
	}
	return list
}

// shifted is an equation whose unknowns are each moved by about a part of them, each by another.
func (s *Solver) shifted(e *formula.Equation, unknowns []int, part decimal.Decimal) *formula.Equation {
	out := &formula.Equation{Title: e.Title, Source: e.Source, Left: e.Left, Right: e.Right, Refs: e.Refs, Order: e.Order, Count: e.Count, Active: true}
	for j, v := range unknowns {
		if e.Position(v) < 0 {
			continue
		}
		x := e.Unknown(v)
		by := s.Context.Add(decimal.Int(1), s.Context.Mul(part, decimal.FromFloat(0.5+spread(1, j))))
		moved := formula.Combined(formula.OpMul, &formula.Node{Op: formula.OpVariable, Variable: v, Mask: x.Mask}, formula.Number(by.Exactly()))
		out.Left, out.Right = substituted(out.Left, x, moved), substituted(out.Right, x, moved)
	}
	return out
}

// limitOf is the place that solutions beside it on both sides come to, from values near to it:
// their mean is off by the square of the shift, and by its fourth power where those of two shifts
// are taken together (Richardson, The approximate arithmetical solution by finite differences,
// 1911).
func (s *Solver) limitOf(step Step, at func(shift decimal.Decimal) []*formula.Equation, values formula.Decimals) (formula.Decimals, bool) {
	c := s.Context
	start := make(formula.Decimals, len(values))
	for j := range values {
		start[j] = decimal.FromFloat(values[j].Float64())
	}
	var sides [4]formula.Decimals
	for k, times := range []int64{1, -1, 2, -2} {
		z := s.system(step, at(c.Mul(fineShift, decimal.Int(times))))
		if z == nil {
			return nil, false
		}
		var ok bool
		if sides[k], ok = z.corrected(start, fixture{}); !ok {
			return nil, false
		}
	}
	place := make(formula.Decimals, len(values))
	for j := range place {
		near, far := c.Add(sides[0][j], sides[1][j]), c.Add(sides[2][j], sides[3][j])
		if c.Sub(sides[2][j], sides[3][j]).Abs().Cmp(c.Mul(near.Abs(), coarseShift)) > 0 {
			return nil, false
		}
		place[j] = c.Quo(c.Sub(c.Mul(decimal.Int(4), near), far), decimal.Int(6)).As(formula.RightDigits + 2)
	}
	return place, c.Err() == nil
}

// holdsAround reports whether all equations of a block but one hold at a place, and that one has no
// value there that its digits tell.
func (s *Solver) holdsAround(step Step, equations []*formula.Equation, but int, place formula.Decimals) bool {
	for j, o := range step.Outputs {
		s.Values[o] = place[j]
	}
	if !s.allHold(slices.Delete(slices.Clone(equations), but, but+1)) {
		return false
	}
	left, right := s.Eval(equations[but].Left), s.Eval(equations[but].Right)
	miss := s.Context.Sub(left, right)
	return s.TryErr() != nil || miss.Vague() || miss.IsZero()
}
