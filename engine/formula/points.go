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
	locals   []value.Weight // of what functions bind, by depth
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
	case left.Level != nil && right.Level != nil && left.Level != right.Level:
		p.fail(e.Left, "%s, but %s: levels of different things are not the same.", p.describe(e.Left, left), p.describe(e.Right, right))
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
	switch {
	case w.Level != nil && !w.Any && !w.IsPoint():
		what = "a sum of levels of " + w.Level.Of()
	case w.Level != nil:
		what = "a level of " + w.Level.Of()
	case w.IsPoint():
		what = "a point on a scale"
	case w == value.Difference:
		what = "a difference"
	}
	return fmt.Sprintf("%q is %s", s.Equation.Text(n), what)
}

// settle refuses a sum of points that is neither a point nor a difference.
func (s *Scales) settle(n *Node, w value.Weight) {
	if w.Any || w.IsPoint() || w == value.Difference {
		return
	}
	sum := false
	n.Walk(func(m *Node) { sum = sum || m.Op == OpAdd || m.Op == OpSub })
	if sum || w.Level != nil {
		s.fail(n, "Points on a scale (dates, 20 degC, 30 dBm) cannot be added: %s.", s.describe(n, w))
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
	case opLocal:
		if n.Variable < len(s.locals) {
			return s.locals[n.Variable]
		}
		return value.Difference
	case OpPrevious:
		s.settleAll(n.Args[1:])
		return s.Weight(n.Args[0])
	case OpAdd:
		return s.sum(n, 1)
	case OpSub:
		return s.sum(n, -1)
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
		if n.IsSchedule() {
			return s.weigh(n)
		}
		if n.Column != nil {
			s.settleAll(n.Args[1:])
			return n.Column.Weight()
		}
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
			w := s.alike(n, args)
			if w.Level != nil && n.Function.Choice != anArgument {
				s.fail(n, "A level (30 dBm) is not an argument of %s: %q.", n.Function.Name, s.Equation.Text(n))
			}
			return w
		}
	}
	return s.settleAll(n.Args)
}

// sum is the weight of a sum or a difference.
func (s *Scales) sum(n *Node, sign int) value.Weight {
	a, b := s.Weight(n.Args[0]), s.Weight(n.Args[1])
	if a.Level != nil && b.Level != nil && a.Level != b.Level {
		s.fail(n, "%q adds or compares levels of different things.", s.Equation.Text(n))
	}
	return a.Plus(b, sign)
}

// settleAll is the weight of a product or a function: points count as absolute in it. A level has
// no absolute value.
func (s *Scales) settleAll(args []*Node) value.Weight {
	result := value.Difference
	for _, a := range args {
		w := s.Weight(a)
		s.settle(a, w)
		if w.Level != nil {
			s.fail(a, "A level (30 dBm) is not a factor or an argument: %q. Subtract a level from it, such as 0 [dBm].", s.Equation.Text(a))
		}
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
	Unclear pointness = iota
	IsPoint
	IsDifference
)

// PointnessOf finds out whether an equation makes a variable a point or a difference, given the
// others. Values that can serve as either (kelvins) are differences beside a definite point where
// that fits, else points.
func PointnessOf(e *Equation, variable int, of func(int) value.Weight) pointness {
	definite, onePoint := false, value.OnePoint
	note := func(w value.Weight) {
		if w.IsPoint() {
			definite, onePoint = true, w
		}
	}
	for _, r := range e.Refs {
		if r != variable {
			note(of(r))
		}
	}
	for _, n := range e.Literals {
		note(value.PointOf(n.Unit, false))
	}
	for _, side := range []*Node{e.Left, e.Right} {
		side.Walk(func(n *Node) {
			switch {
			case n.Op == opToday || n.Op == opNow || n.isDate():
				note(value.OnePoint)
			case n.Column != nil:
				note(n.Column.Weight())
			}
		})
	}
	if !definite {
		return Unclear
	}
	for _, either := range []value.Weight{value.Difference, onePoint} {
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
		point, gap := fits(onePoint), fits(value.Difference)
		switch {
		case point && !gap:
			return IsPoint
		case gap && !point:
			return IsDifference
		}
	}
	return Unclear
}
