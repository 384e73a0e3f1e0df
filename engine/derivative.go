package engine

import "reckon/engine/decimal"

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
func called(name string, args ...*node) *node {
	n := &node{op: opCall, function: findFunction(name), args: args}
	for _, a := range args {
		n.mask |= a.mask
		n.choices = n.choices || a.choices
	}
	n.choices = n.choices || n.function.choice
	return n
}

// outer are the derivatives of functions of one argument, as expressions in that argument; self is the call.
var outer = map[string]func(u, self *node) *node{
	"exp": func(_, self *node) *node { return self },
	"ln":  func(u, _ *node) *node { return combined(opDiv, integer(1), u) },
	"log10": func(u, _ *node) *node {
		return combined(opDiv, integer(1), combined(opMul, u, called("ln", integer(10))))
	},
	"log2": func(u, _ *node) *node {
		return combined(opDiv, integer(1), combined(opMul, u, called("ln", integer(2))))
	},
	"sqrt": func(_, self *node) *node { return combined(opDiv, integer(1), combined(opMul, integer(2), self)) },
	"cbrt": func(_, self *node) *node {
		return combined(opDiv, integer(1), combined(opMul, integer(3), square(self)))
	},
	"sin":  func(u, _ *node) *node { return called("cos", u) },
	"cos":  func(u, _ *node) *node { return combined(opNeg, called("sin", u)) },
	"tan":  func(_, self *node) *node { return combined(opAdd, integer(1), square(self)) },
	"asin": func(u, _ *node) *node { return combined(opDiv, integer(1), called("sqrt", lessSquare(u))) },
	"acos": func(u, _ *node) *node { return combined(opDiv, integer(-1), called("sqrt", lessSquare(u))) },
	"atan": func(u, _ *node) *node { return combined(opDiv, integer(1), combined(opAdd, integer(1), square(u))) },
	"sinh": func(u, _ *node) *node { return called("cosh", u) },
	"cosh": func(u, _ *node) *node { return called("sinh", u) },
	"tanh": func(_, self *node) *node { return lessSquare(self) },
	"asinh": func(u, _ *node) *node {
		return combined(opDiv, integer(1), called("sqrt", combined(opAdd, square(u), integer(1))))
	},
	"acosh": func(u, _ *node) *node {
		return combined(opDiv, integer(1), called("sqrt", combined(opSub, square(u), integer(1))))
	},
	"atanh": func(u, _ *node) *node { return combined(opDiv, integer(1), lessSquare(u)) },
}

func square(n *node) *node { return combined(opPow, n, integer(2)) }

// lessSquare is 1 - n².
func lessSquare(n *node) *node { return combined(opSub, integer(1), square(n)) }

// derivative is the derivative of n with respect to the unknown, nil where the engine knows none. It shares the parts of n
// that it uses. At a jump of an if it is that of both sides.
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
		byExponent = combined(opMul, combined(opMul, n, called("ln", u)), exponent)
	}
	return combined(opAdd, byBase, byExponent)
}

// callDerivative is the derivative of a call from those of its arguments.
func (n *node) callDerivative(x unknown, args []*node) *node {
	if rule := outer[n.function.name]; rule != nil {
		return combined(opMul, rule(n.args[0], n), args[0])
	}
	choose := func(o op, a, b, da, db *node) *node {
		return called("if", combined(o, a, b), da, db)
	}
	switch n.function.name {
	case "abs":
		return choose(opLt, n.args[0], integer(0), combined(opNeg, args[0]), args[0])
	case "if":
		return called("if", n.args[0], args[1], args[2])
	case "min", "max":
		o := opLe
		if n.function.name == "max" {
			o = opGe
		}
		best, slope := n.args[0], args[0]
		for i := 1; i < len(args); i++ {
			slope = choose(o, best, n.args[i], slope, args[i])
			best = called(n.function.name, best, n.args[i])
		}
		return slope
	case "clamp":
		if len(n.args) == 3 {
			return called("min", called("max", n.args[0], n.args[1]), n.args[2]).derivative(x)
		}
	case "hypot":
		sum := combined(opAdd, combined(opMul, n.args[0], args[0]), combined(opMul, n.args[1], args[1]))
		return combined(opDiv, sum, n)
	case "log":
		base := integer(10)
		if len(n.args) == 2 {
			base = n.args[1]
		}
		return combined(opDiv, called("ln", n.args[0]), called("ln", base)).derivative(x)
	case "root":
		if args[1].isInteger(0) {
			return combined(opMul, combined(opDiv, n, combined(opMul, n.args[1], n.args[0])), args[0])
		}
	case "atan2":
		y, z := n.args[0], n.args[1]
		top := combined(opSub, combined(opMul, z, args[0]), combined(opMul, y, args[1]))
		return combined(opDiv, top, combined(opAdd, square(y), square(z)))
	}
	return nil
}
