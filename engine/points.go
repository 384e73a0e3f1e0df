package engine

import (
	"fmt"
)

// scales checks that points on a scale are not added to one another.
type scales struct {
	e   *equation
	of  func(variable int) weight
	err *dimensionError
}

// checkPoints checks an equation; of overrides the weights of variables, nil for the declared ones.
func (s *scope) checkPoints(e *equation, of func(variable int) weight) *dimensionError {
	if !e.checkPoints {
		return nil
	}
	if of == nil {
		of = func(v int) weight { return s.profiles[v].point }
	}
	p := scales{e: e, of: of}
	left, right := p.weight(e.left), p.weight(e.right)
	switch {
	case p.err != nil:
	case e.left.isZero() || e.right.isZero():
		if !left.any && !right.any && left != right {
			p.fail(e.left, "A 0 that is compared with a point on a scale needs a unit, such as 0 [degC].")
		}
	case left.any:
		p.settle(e.right, right)
	case right.any:
		p.settle(e.left, left)
	case left != right:
		p.fail(e.left, "%s, but %s: a point on a scale (a date, 20 degC) and a difference are not the same.",
			p.describe(e.left, left), p.describe(e.right, right))
	}
	return p.err
}

func (s *scales) fail(n *node, format string, args ...any) {
	if s.err == nil {
		s.err = &dimensionError{n.start, fmt.Sprintf(format, args...)}
	}
}

func (s *scales) describe(n *node, w weight) string {
	what := "a sum of points on a scale"
	switch w {
	case onePoint:
		what = "a point on a scale"
	case difference:
		what = "a difference"
	}
	return fmt.Sprintf("%q is %s", s.e.text(n), what)
}

// settle refuses a sum of points that is neither a point nor a difference.
func (s *scales) settle(n *node, w weight) {
	if w.any || w == onePoint || w == difference {
		return
	}
	sum := false
	n.walk(func(m *node) { sum = sum || m.op == opAdd || m.op == opSub })
	if sum {
		s.fail(n, "Points on a scale (dates, 20 degC) cannot be added: %s.", s.describe(n, w))
	}
}

func (s *scales) weight(n *node) weight {
	switch n.op {
	case opNumber:
		if n.unit == nil {
			return difference
		}
		return pointOf(n.unit, false)
	case opVariable:
		return s.of(n.variable)
	case opToday, opNow:
		return onePoint
	case opAdd:
		return s.weight(n.args[0]).plus(s.weight(n.args[1]), 1)
	case opSub:
		return s.weight(n.args[0]).plus(s.weight(n.args[1]), -1)
	case opNeg:
		return s.weight(n.args[0]).scale(-1, 1)
	case opPercent:
		return s.weight(n.args[0]).scale(1, 100)
	case opMul:
		if num, den, ok := smallFraction(n.args[0]); ok {
			return s.weight(n.args[1]).scale(num, den)
		}
		if num, den, ok := smallFraction(n.args[1]); ok {
			return s.weight(n.args[0]).scale(num, den)
		}
	case opDiv:
		if num, den, ok := smallFraction(n.args[1]); ok && num != 0 {
			return s.weight(n.args[0]).scale(den, num)
		}
	case opEq, opNe, opLt, opLe, opGt, opGe:
		s.alike(n, n.args)
		return difference
	case opCall:
		switch n.function.points {
		case pointResult:
			s.settleAll(n.args)
			return onePoint
		case alikeResult:
			args := n.args
			if n.function.lazy {
				s.settleAll(args[:1])
				args = args[1:]
			}
			return s.alike(n, args)
		}
	}
	return s.settleAll(n.args)
}

// settleAll is the weight of a product or a function: points count as absolute in it.
func (s *scales) settleAll(args []*node) weight {
	result := difference
	for _, a := range args {
		w := s.weight(a)
		s.settle(a, w)
		if w != difference {
			result = eitherWay
		}
	}
	return result
}

// alike is the weight that all of some expressions have.
func (s *scales) alike(n *node, args []*node) weight {
	result := eitherWay
	for _, a := range args {
		w := s.weight(a)
		switch {
		case w.any:
		case result.any:
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
	isPoint
	isDifference
)

// pointnessOf finds out whether an equation makes a variable a point or a difference, given the others. Values that can
// serve as either (kelvins) are differences beside a definite point where that fits, else points.
func pointnessOf(e *equation, variable int, of func(int) weight) pointness {
	definite := false
	for _, r := range e.refs {
		definite = definite || r != variable && of(r).isPoint()
	}
	for _, n := range e.literals {
		definite = definite || n.unit.IsPoint()
	}
	if !definite {
		return unclear
	}
	for _, either := range []weight{difference, onePoint} {
		fits := func(w weight) bool {
			s := scales{e: e, of: func(v int) weight {
				if v == variable {
					return w
				}
				if o := of(v); !o.any {
					return o
				}
				return either
			}}
			left, right := s.weight(e.left), s.weight(e.right)
			return s.err == nil && (left.any || right.any || left == right)
		}
		point, gap := fits(onePoint), fits(difference)
		switch {
		case point && !gap:
			return isPoint
		case gap && !point:
			return isDifference
		}
	}
	return unclear
}
