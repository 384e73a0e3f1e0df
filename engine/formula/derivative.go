package formula

import (
	"slices"

	"reckon/engine/decimal"
)

// Number is a constant expression.
func Number(value decimal.Decimal) *Node {
	return &Node{Op: OpNumber, Value: value, float: value.Float64()}
}

func Integer(i int64) *Node { return Number(decimal.Int(i)) }

func (n *Node) isInteger(i int64) bool {
	return n.Op == OpNumber && n.Value.Cmp(decimal.Int(i)) == 0
}

// Combined is an operation over expressions, simplified where an operand is 0 or 1.
func Combined(o Op, args ...*Node) *Node {
	a, b := args[0], args[len(args)-1]
	switch {
	case o == OpAdd && a.isInteger(0):
		return b
	case (o == OpAdd || o == OpSub) && b.isInteger(0):
		return a
	case o == OpSub && a.isInteger(0):
		return Combined(OpNeg, b)
	case o == OpMul && (a.isInteger(0) || b.isInteger(0)), o == OpDiv && a.isInteger(0):
		return Integer(0)
	case o == OpMul && a.isInteger(1):
		return b
	case (o == OpMul || o == OpDiv || o == OpPow) && b.isInteger(1):
		return a
	case o == OpNeg && a.Op == OpNumber:
		return Number(a.Value.Neg())
	case o == OpNeg && a.Op == OpNeg:
		return a.Args[0]
	}
	n := &Node{Op: o, Args: args}
	n.gather()
	return n
}

func Called(f *Entry, args ...*Node) *Node {
	n := &Node{Op: OpCall, Function: f, Args: args, Choices: f.Choice != NoChoice}
	n.gather()
	return n
}

// gather adds what the arguments say to mask and choices.
func (n *Node) gather() {
	for _, a := range n.Args {
		n.Mask |= a.Mask
		n.Choices = n.Choices || a.Choices
	}
}

// With is the operation of n over other expressions.
func (n *Node) With(args []*Node) *Node {
	if n.Op == OpCall {
		return Called(n.Function, args...)
	}
	return Combined(n.Op, args...)
}

// Applied is a template with expressions in the place of its locals. A call of the function that
// the template belongs to, with all its parameters, becomes the call that it is about.
func (n *Node) Applied(args []*Node, self *Node) *Node {
	switch {
	case n.Op == opLocal:
		return args[n.Variable]
	case len(n.Args) == 0:
		return n
	}
	list := make([]*Node, len(n.Args))
	for i, a := range n.Args {
		list[i] = a.Applied(args, self)
	}
	if n.Op == OpCall && n.Function == self.Function && slices.Equal(list, self.Args) {
		return self
	}
	return n.With(list)
}

// Arguments are the arguments of a call, those that were left out included.
func (n *Node) Arguments() []*Node {
	if given, all := n.Args, n.Function.defaults; len(given) < len(all) {
		return append(slices.Clip(given), all[len(given):]...)
	}
	return n.Args
}

// Defined is what a call stands for by the formula of its function, nil where it has none.
func (n *Node) Defined() *Node {
	f, args := n.Function, n.Args
	if f.Definition == nil || n.TakesTable() {
		return nil
	}
	if !f.Variadic {
		return f.Definition.Applied(n.Arguments(), n)
	}
	last := len(args) - 1
	before := args[0]
	if last > 1 {
		before = Called(f, args[:last]...)
	}
	return f.Definition.Applied([]*Node{before, args[last]}, n)
}

// Derivative is the derivative of n with respect to the unknown, nil where the engine knows none.
// It shares the parts of n that it uses. At a jump of an if it is that of both sides.
func (n *Node) Derivative(x Unknown) *Node {
	if !n.Has(x) {
		return Integer(0)
	}
	args := make([]*Node, len(n.Args))
	for i, a := range n.Args {
		if n.Op == OpCall && n.Function.Lazy && i == 0 {
			continue
		}
		if args[i] = a.Derivative(x); args[i] == nil {
			return nil
		}
	}
	switch n.Op {
	case OpVariable:
		return Integer(1)
	case OpAdd, OpSub:
		return Combined(n.Op, args...)
	case OpNeg, OpPercent:
		return Combined(n.Op, args...)
	case OpMul:
		return Combined(OpAdd, cancelled(args[0], n.Args[1]), cancelled(n.Args[0], args[1]))
	case OpDiv:
		if args[1].isInteger(0) {
			return Combined(OpDiv, args[0], n.Args[1])
		}
		return Combined(OpDiv, Combined(OpSub, args[0], Combined(OpMul, n, args[1])), n.Args[1])
	case OpPow:
		return n.powerDerivative(args[0], args[1])
	case OpCall:
		return n.callDerivative(x, args)
	}
	return nil
}

// cancelled is a product in a derivative: a quotient times what it is divided by is what is
// divided. Both have the same values but where the divisor is 0, where the function itself has
// none either.
func cancelled(a, b *Node) *Node {
	for _, pair := range [][2]*Node{{a, b}, {b, a}} {
		by, quotient := pair[0], pair[1]
		if quotient.Op != OpDiv {
			continue
		}
		switch divisor := quotient.Args[1]; {
		case by.Equal(divisor):
			return quotient.Args[0]
		case by.Op == OpPow && by.Args[0].Equal(divisor) && by.Args[1].Op == OpNumber:
			if i, whole := by.Args[1].Value.Int64(); whole && i > 1 {
				return Combined(OpMul, quotient.Args[0], Combined(OpPow, divisor, Integer(i-1)))
			}
		}
	}
	return Combined(OpMul, a, b)
}

func (n *Node) powerDerivative(base, exponent *Node) *Node {
	u, w := n.Args[0], n.Args[1]
	var byBase, byExponent *Node = Integer(0), Integer(0)
	if !base.isInteger(0) {
		less := Combined(OpSub, w, Integer(1))
		if i, ok := w.Value.Int64(); ok && w.Op == OpNumber {
			less = Integer(i - 1)
		}
		byBase = Combined(OpMul, Combined(OpMul, w, Combined(OpPow, u, less)), base)
	}
	if !exponent.isInteger(0) {
		byExponent = Combined(OpMul, Combined(OpMul, n, Called(NaturalLogarithm, u)), exponent)
	}
	return Combined(OpAdd, byBase, byExponent)
}

func (n *Node) callDerivative(x Unknown, args []*Node) *Node {
	f := n.Function
	switch {
	case f.Lazy:
		return Called(f, n.Args[0], args[1], args[2])
	case f.Slope == nil:
		if definition := n.Defined(); definition != nil {
			return definition.Derivative(x)
		}
		return nil
	}
	total := Integer(0)
	for i, a := range args {
		if a.isInteger(0) {
			continue
		}
		if f.Slope[i] == nil {
			return nil
		}
		total = Combined(OpAdd, total, Combined(OpMul, f.Slope[i].Applied(n.Arguments(), n), a))
	}
	return total
}
