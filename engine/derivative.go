package engine

import (
	"slices"

	"reckon/engine/decimal"
)

// number is a constant expression.
func number(value decimal.Decimal) *node {
	return &node{op: opNumber, value: value, float: value.Float64()}
}

func integer(i int64) *node { return number(decimal.Int(i)) }

// isInteger reports whether n is the constant i.
func (n *node) isInteger(i int64) bool {
	return n.op == opNumber && n.value.Cmp(decimal.Int(i)) == 0
}

// combined is an operation over expressions, simplified where an operand is 0 or 1.
func combined(o op, args ...*node) *node {
	a, b := args[0], args[len(args)-1]
	switch {
	case o == opAdd && a.isInteger(0):
		return b
	case (o == opAdd || o == opSub) && b.isInteger(0):
		return a
	case o == opSub && a.isInteger(0):
		return combined(opNeg, b)
	case o == opMul && (a.isInteger(0) || b.isInteger(0)), o == opDiv && a.isInteger(0):
		return integer(0)
	case o == opMul && a.isInteger(1):
		return b
	case (o == opMul || o == opDiv || o == opPow) && b.isInteger(1):
		return a
	case o == opNeg && a.op == opNumber:
		return number(a.value.Neg())
	case o == opNeg && a.op == opNeg:
		return a.args[0]
	}
	n := &node{op: o, args: args}
	for _, a := range args {
		n.mask |= a.mask
		n.choices = n.choices || a.choices
	}
	return n
}

// called is a function of expressions.
func called(f *function, args ...*node) *node {
	n := &node{op: opCall, function: f, args: args, choices: f.choice != noChoice}
	for _, a := range args {
		n.mask |= a.mask
		n.choices = n.choices || a.choices
	}
	return n
}

// applied is a template with expressions in the place of its locals. A call of the function that
// the template belongs to, with all its parameters, becomes the call that it is about.
func (n *node) applied(args []*node, self *node) *node {
	switch {
	case n.op == opLocal:
		return args[n.variable]
	case len(n.args) == 0:
		return n
	}
	list := make([]*node, len(n.args))
	for i, a := range n.args {
		list[i] = a.applied(args, self)
	}
	switch {
	case n.op != opCall:
		return combined(n.op, list...)
	case n.function == self.function && slices.Equal(list, self.args):
		return self
	}
	return called(n.function, list...)
}

// arguments are the arguments of a call, those that were left out included.
func (n *node) arguments() []*node {
	if given, all := n.args, n.function.defaults; len(given) < len(all) {
		return append(slices.Clip(given), all[len(given):]...)
	}
	return n.args
}

// defined is what a call stands for by the formula of its function, nil where it has none.
func (n *node) defined() *node {
	f, args := n.function, n.args
	if f.definition == nil || n.takesTable() {
		return nil
	}
	if !f.variadic {
		return f.definition.applied(n.arguments(), n)
	}
	last := len(args) - 1
	before := args[0]
	if last > 1 {
		before = called(f, args[:last]...)
	}
	return f.definition.applied([]*node{before, args[last]}, n)
}

// derivative is the derivative of n with respect to the unknown, nil where the engine knows none.
// It shares the parts of n that it uses. At a jump of an if it is that of both sides.
func (n *node) derivative(x unknown) *node {
	if !n.has(x) {
		return integer(0)
	}
	args := make([]*node, len(n.args))
	for i, a := range n.args {
		if n.op == opCall && n.function.lazy && i == 0 {
			continue
		}
		if args[i] = a.derivative(x); args[i] == nil {
			return nil
		}
	}
	switch n.op {
	case opVariable:
		return integer(1)
	case opAdd, opSub:
		return combined(n.op, args...)
	case opNeg, opPercent:
		return combined(n.op, args...)
	case opMul:
		return combined(opAdd, combined(opMul, args[0], n.args[1]), combined(opMul, n.args[0], args[1]))
	case opDiv:
		if args[1].isInteger(0) {
			return combined(opDiv, args[0], n.args[1])
		}
		return combined(opDiv, combined(opSub, args[0], combined(opMul, n, args[1])), n.args[1])
	case opPow:
		return n.powerDerivative(args[0], args[1])
	case opCall:
		return n.callDerivative(x, args)
	}
	return nil
}

// powerDerivative is the derivative of a power from those of base and exponent.
func (n *node) powerDerivative(base, exponent *node) *node {
	u, w := n.args[0], n.args[1]
	var byBase, byExponent *node = integer(0), integer(0)
	if !base.isInteger(0) {
		less := combined(opSub, w, integer(1))
		if i, ok := w.value.Int64(); ok && w.op == opNumber {
			less = integer(i - 1)
		}
		byBase = combined(opMul, combined(opMul, w, combined(opPow, u, less)), base)
	}
	if !exponent.isInteger(0) {
		byExponent = combined(opMul, combined(opMul, n, called(naturalLogarithm, u)), exponent)
	}
	return combined(opAdd, byBase, byExponent)
}

// callDerivative is the derivative of a call from those of its arguments.
func (n *node) callDerivative(x unknown, args []*node) *node {
	f := n.function
	switch {
	case f.lazy:
		return called(f, n.args[0], args[1], args[2])
	case f.slope == nil:
		if definition := n.defined(); definition != nil {
			return definition.derivative(x)
		}
		return nil
	}
	total := integer(0)
	for i, a := range args {
		if a.isInteger(0) {
			continue
		}
		if f.slope[i] == nil {
			return nil
		}
		total = combined(opAdd, total, combined(opMul, f.slope[i].applied(n.arguments(), n), a))
	}
	return total
}
