package formula

import (
	"fmt"

	"reckon/engine/value"
)

// Scales checks that points on a scale are not added to one another.
type Scales struct {
	Equation *Equation
	Of       func(variable int) value.Weight
	err      *DimensionError
}

// CheckPoints checks an equation; of overrides the weights of variables, nil for the declared ones.
func CheckPoints(s *value.Scope, e *Equation, of func(variable int) value.Weight) *DimensionError {
	if !e.CheckPoints {
		return nil
	}
	if of == nil {
		of = func(v int) value.Weight { return s.Profiles[v].Point }
	}
	p := Scales{Equation: e, Of: of}
	left, right := p.Weight(e.Left), p.Weight(e.Right)
	switch {
	case p.err != nil:
	case e.Left.isZero() || e.Right.isZero():
		if !left.Any && !right.Any && left != right {
			p.fail(e.Left, "A 0 that is compared with a point on a scale needs a unit, such as 0 [degC].")
		}
	case left.Any:
		p.settle(e.Right, right)
	case right.Any:
		p.settle(e.Left, left)
	case left != right:
		p.fail(e.Left, "%s, but %s: a point on a scale (a date, 20 degC) and a difference are not the same.",
			p.describe(e.Left, left), p.describe(e.Right, right))
	}
	return p.err
}

func (s *Scales) fail(n *Node, format string, args ...any) {
	if s.err == nil {
		s.err = &DimensionError{At: n.Start, Message: fmt.Sprintf(format, args...)}
	}
}

func (s *Scales) describe(n *Node, w value.Weight) string {
	what := "a sum of points on a scale"
	switch w {
	case value.OnePoint:
		what = "a point on a scale"
	case value.Difference:
		what = "a difference"
	}
	return fmt.Sprintf("%q is %s", s.Equation.text(n), what)
}

// settle refuses a sum of points that is neither a point nor a difference.
func (s *Scales) settle(n *Node, w value.Weight) {
	if w.Any || w == value.OnePoint || w == value.Difference {
		return
	}
	sum := false
	n.Walk(func(m *Node) { sum = sum || m.Op == OpAdd || m.Op == OpSub })
	if sum {
		s.fail(n, "Points on a scale (dates, 20 degC) cannot be added: %s.", s.describe(n, w))
	}
}

func (s *Scales) Weight(n *Node) value.Weight {
	switch n.Op {
	case OpNumber:
		if n.Unit == nil {
			return value.Difference
		}
		return value.PointOf(n.Unit, false)
	case OpVariable:
		return s.Of(n.Variable)
	case opToday, opNow:
		return value.OnePoint
	case OpAdd:
		return s.Weight(n.Args[0]).Plus(s.Weight(n.Args[1]), 1)
	case OpSub:
		return s.Weight(n.Args[0]).Plus(s.Weight(n.Args[1]), -1)
	case OpNeg:
		return s.Weight(n.Args[0]).Scale(-1, 1)
	case OpPercent:
		return s.Weight(n.Args[0]).Scale(1, 100)
	case OpMul:
		if num, den, ok := smallFraction(n.Args[0]); ok {
			return s.Weight(n.Args[1]).Scale(num, den)
		}
		if num, den, ok := smallFraction(n.Args[1]); ok {
			return s.Weight(n.Args[0]).Scale(num, den)
		}
	case OpDiv:
		if num, den, ok := smallFraction(n.Args[1]); ok && num != 0 {
			return s.Weight(n.Args[0]).Scale(den, num)
		}
	case OpEq, OpNe, OpLt, OpLe, OpGt, OpGe:
		s.alike(n, n.Args)
		return value.Difference
	case OpCall:
		switch n.Function.Points {
		case PointResult:
			s.settleAll(n.Args)
			return value.OnePoint
		case alikeResult:
			args := n.Args
			if n.Function.Lazy {
				s.settleAll(args[:1])
				args = args[1:]
			}
			return s.alike(n, args)
		}
	}
	return s.settleAll(n.Args)
}

// settleAll is the weight of a product or a function: points count as absolute in it.
func (s *Scales) settleAll(args []*Node) value.Weight {
	result := value.Difference
	for _, a := range args {
		w := s.Weight(a)
		s.settle(a, w)
		if w != value.Difference {
			result = value.EitherWay
		}
	}
	return result
}

// alike is the weight that all of some expressions have.
func (s *Scales) alike(n *Node, args []*Node) value.Weight {
	result := value.EitherWay
	for _, a := range args {
		w := s.Weight(a)
		switch {
		case w.Any:
		case result.Any:
			result = w
		case result != w:
			s.fail(a, "A point on a scale (a date, 20 degC) and a difference do not compare: %s.", s.describe(a, w))
		}
	}
	return result
}

// pointness is what an equation says about a variable.
type pointness int

const (
	unclear pointness = iota
	IsPoint
	IsDifference
)

// PointnessOf finds out whether an equation makes a variable a point or a difference, given the
// others. Values that can serve as either (kelvins) are differences beside a definite point where
// that fits, else points.
func PointnessOf(e *Equation, variable int, of func(int) value.Weight) pointness {
	definite := false
	for _, r := range e.Refs {
		definite = definite || r != variable && of(r).IsPoint()
	}
	for _, n := range e.Literals {
		definite = definite || n.Unit.IsPoint()
	}
	if !definite {
		return unclear
	}
	for _, either := range []value.Weight{value.Difference, value.OnePoint} {
		fits := func(w value.Weight) bool {
			s := Scales{Equation: e, Of: func(v int) value.Weight {
				if v == variable {
					return w
				}
				if o := of(v); !o.Any {
					return o
				}
				return either
			}}
			left, right := s.Weight(e.Left), s.Weight(e.Right)
			return s.err == nil && (left.Any || right.Any || left == right)
		}
		point, gap := fits(value.OnePoint), fits(value.Difference)
		switch {
		case point && !gap:
			return IsPoint
		case gap && !point:
			return IsDifference
		}
	}
	return unclear
}
