package formula

import (
	"errors"
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/syntax"
	"reckon/engine/value"
)

// ParseCondition reads the source of a condition as an equation that says that it is true, and that
// is solved for nothing; left stays nil when it cannot be read. What is wrong is reported with its
// place in code points, -1 for none.
func ParseCondition(s *value.Scope, e *Equation, functions *FunctionTable, problem func(at int, format string, args ...any)) {
	tree, err := syntax.ParseExpression(string(e.Source))
	if err != nil {
		parseProblem(s, functions, err, problem)
		return
	}
	b := builder{scope: s, functions: functions, problem: problem}
	condition := b.build(tree)
	switch {
	case b.failed:
		return
	case !condition.tellsTruth():
		problem(-1, "A constraint is a condition that is true or false, such as order <= stock.")
		return
	case len(b.order) == 0:
		problem(-1, "The condition names no variable, so that it says nothing of any value.")
		return
	}
	e.take(s, &b, condition, Number(decimal.Int(1)), problem)
	e.Calculable = make([]bool, len(e.Refs))
}

// tellsTruth reports whether an expression is a comparison, or made of such.
func (n *Node) tellsTruth() bool {
	switch n.Op {
	case OpEq, OpNe, OpLt, OpLe, OpGt, OpGe:
		return true
	case opAnd, opOr, opNot:
		return !slices.ContainsFunc(n.Args, func(a *Node) bool { return !a.tellsTruth() && a.Op != OpVariable })
	case OpCall:
		return n.Function.Lazy && n.Args[1].tellsTruth() && n.Args[2].tellsTruth()
	}
	return false
}

// Differences lists expressions all of which are 0 or more where a condition holds: those of its
// comparisons, where it is made of these by and alone. What says more than that is left out, and so
// is where a difference is just 0.
func Differences(n *Node) []*Node {
	switch n.Op {
	case opAnd:
		return append(Differences(n.Args[0]), Differences(n.Args[1])...)
	case OpGe, OpGt:
		return []*Node{Combined(OpSub, n.Args[0], n.Args[1])}
	case OpLe, OpLt:
		return []*Node{Combined(OpSub, n.Args[1], n.Args[0])}
	}
	return nil
}

// Breaks reports whether a condition does not hold with the values at hand: in a cell, where it is
// one of tables. A condition that has no value does not say so.
func (m *Machine) Breaks(e *Equation) bool {
	if m.Tables == nil {
		holds := m.Eval(e.Left)
		return m.TryErr() == nil && holds.IsZero()
	}
	m.Renew()
	result := m.Grid(e.Left)
	if m.TryErr() != nil {
		return false
	}
	return slices.ContainsFunc(result.Rows, func(row []GridCell) bool {
		return slices.ContainsFunc(row, func(c GridCell) bool { return !c.Empty && c.Number.IsZero() })
	})
}

// parseProblem reports why a text cannot be read.
func parseProblem(s *value.Scope, functions *FunctionTable, err error, problem func(at int, format string, args ...any)) {
	var wrong *syntax.Error
	if errors.As(err, &wrong) {
		problem(wrong.Offset, "%s", besideMessage(s, functions, wrong))
	} else {
		problem(-1, "%v", err)
	}
}
