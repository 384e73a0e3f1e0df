package formula

import (
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/units"
	"reckon/engine/value"
)

// Month is how long a month is as a duration, in seconds: a twelfth of a Julian year.
const Month = 2629800

// StepMonths lets whole months and years that are written beside a date step the calendar: a date
// + 3 [mo] is add_months(date, 3). As durations they would lead to half past seven in the morning.
// It comes behind the checks of dimensions.
func (e *Equation) StepMonths(s *value.Scope, functions *FunctionTable) {
	if slices.ContainsFunc(e.Literals, func(n *Node) bool { _, whole := n.months(); return whole }) {
		scales := &Scales{Equation: e, Of: func(v int) value.Weight { return s.Profiles[v].Point }}
		step := functions.ByName["add_months"]
		left, right := scales.Weight(e.Left), scales.Weight(e.Right)
		e.Left, e.Right = e.stepped(e.Left, right.IsPoint(), scales, step), e.stepped(e.Right, left.IsPoint(), scales, step)
	}
}

// stepped is n with its months as steps. Of what may be a date or a duration, such as a cell, it is
// known where the sum is a date.
func (e *Equation) stepped(n *Node, isDate bool, scales *Scales, step *Entry) *Node {
	sum := n.Op == OpAdd || n.Op == OpSub
	for i, a := range n.Args {
		n.Args[i] = e.stepped(a, isDate && sum && i == 0, scales, step)
	}
	if !sum {
		return n
	}
	for k, literal := range n.Args {
		months, whole := literal.months()
		date := n.Args[1-k]
		if w := scales.Weight(date); whole && (n.Op == OpAdd || k == 1) && (w.IsPoint() || w.Any && isDate) {
			if n.Op == OpSub {
				months = -months
			}
			e.Literals = slices.DeleteFunc(e.Literals, func(l *Node) bool { return l == literal || slices.Contains(literal.Args, l) })
			count := Integer(months)
			count.Start, count.End, count.size = literal.Start, literal.End, 1
			call := *n
			call.Op, call.Function, call.Args = OpCall, step, []*Node{date, count}
			return &call
		}
	}
	return n
}

// months is how many months a literal is that is written in months or years, false where they are
// not whole ones.
func (n *Node) months() (int64, bool) {
	if n.Op == OpNeg {
		months, whole := n.Args[0].months()
		return -months, whole
	}
	if n.Op != OpNumber || !InMonths(n.Unit) {
		return 0, false
	}
	c := decimal.NewContext(value.ParseBudget)
	months, whole := c.Quo(n.Value, decimal.Int(Month)).Int64()
	return months, whole && c.Err() == nil
}

// InMonths is true of months, years and their multiples, standing alone.
func InMonths(u *units.Unit) bool {
	return u != nil && u.Dimension() == units.Time && WholeMonths(units.Quantity{Number: decimal.Int(1), Unit: u})
}

// WholeMonths is true of a month, a year and the like.
func WholeMonths(q units.Quantity) bool {
	c := decimal.NewContext(value.ParseBudget)
	n := c.Quo(q.SI(c), decimal.Int(Month))
	return n.IsInteger() && !n.IsZero() && c.Err() == nil
}

// Durations lists what may be a duration or a date in an equation: its variables, each once, and
// its numbers with units. What a function takes as a plain number is none, nor is what is divided
// by months.
func (e *Equation) Durations() (variables []int, literals []*Node) {
	var look func(n *Node)
	look = func(n *Node) {
		switch {
		case n.Op == OpVariable:
			if !slices.Contains(variables, n.Variable) {
				variables = append(variables, n.Variable)
			}
		case n.Op == OpNumber:
			literals = append(literals, n)
		case n.Op == OpDiv && n.Args[1].Op == OpNumber && InMonths(n.Args[1].Unit):
		default:
			for i, a := range n.Args {
				if n.Op != OpCall || n.Function.Param(i).dimension != "1" {
					look(a)
				}
			}
		}
	}
	look(e.Left)
	look(e.Right)
	return variables, literals
}
