package engine

import (
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/syntax"
)

// isolation writes an equation so that an unknown stands alone, as a person would on paper. Where
// there is a choice, such as the sign of a root, it takes what the values say that are known.
type isolation struct {
	key  string
	eval func(syntax.Node) (decimal.Decimal, bool) // with the value of the unknown
}

// functions are those that equations are written with.
var functions = formula.StandardFunctions

// isolated is what the unknown is equal to by an equation, nil where that is not found.
func (x isolation) isolated(e syntax.Equation) syntax.Node {
	for range 2 {
		left, right := x.decided(e.Left), x.decided(e.Right)
		switch in := x.count(left) + x.count(right); {
		case in == 0:
			return nil
		case in == 1 && x.count(left) == 1:
			return x.undone(left, right)
		case in == 1:
			return x.undone(right, left)
		}
		if n := x.collected(left, right); n != nil {
			return n
		}
		e = syntax.Equation{Left: x.writtenOut(left), Right: x.writtenOut(right)}
	}
	return nil
}

// count is how often the unknown occurs.
func (x isolation) count(n syntax.Node) int {
	total := 0
	eachName(n, nil, func(name *syntax.Name) {
		if name.Text == x.key {
			total++
		}
	})
	return total
}

// decided is n with the branch that is taken in the place of an if that holds the unknown.
func (x isolation) decided(n syntax.Node) syntax.Node {
	return x.rewritten(n, func(call *syntax.Call) syntax.Node {
		if f := functions.ByName[call.Function]; f != nil && f.Lazy && len(call.Args) == 3 {
			holds, ok := x.eval(call.Args[0])
			if !ok {
				return call
			}
			if holds.IsZero() {
				return x.decided(call.Args[2])
			}
			return x.decided(call.Args[1])
		}
		if names, _ := functions.BoundNames(call); names != nil {
			return call
		}
		made := &syntax.Call{Function: call.Function}
		for _, a := range call.Args {
			made.Args = append(made.Args, x.decided(a))
		}
		return made
	})
}

// writtenOut is n with the formulas of functions in the place of their calls that hold the unknown.
func (x isolation) writtenOut(n syntax.Node) syntax.Node {
	return x.rewritten(n, func(call *syntax.Call) syntax.Node {
		if by := functions.WrittenOut(call); by != nil {
			return simpler(by)
		}
		return call
	})
}

// rewritten is n with what by makes of the outermost calls that hold the unknown.
func (x isolation) rewritten(n syntax.Node, by func(*syntax.Call) syntax.Node) syntax.Node {
	if x.count(n) == 0 {
		return n
	}
	switch n := n.(type) {
	case *syntax.Unary:
		return &syntax.Unary{Op: n.Op, X: x.rewritten(n.X, by)}
	case *syntax.Binary:
		return &syntax.Binary{Op: n.Op, X: x.rewritten(n.X, by), Y: x.rewritten(n.Y, by)}
	case *syntax.Call:
		return by(n)
	}
	return n
}

// undone moves what stands around the only occurrence of the unknown in n to the other side.
func (x isolation) undone(n, other syntax.Node) syntax.Node {
	for {
		switch at := n.(type) {
		case *syntax.Name:
			return other
		case *syntax.Unary:
			switch at.Op {
			case "-":
				other = negativeOf(other)
			case "%":
				other = productOf(other, numberNode("100"))
			case "not":
				return nil
			}
			n = at.X
		case *syntax.Binary:
			inX := x.count(at.X) > 0
			switch {
			case at.Op == "+" && inX:
				other = differenceOf(other, at.Y)
			case at.Op == "+":
				other = differenceOf(other, at.X)
			case at.Op == "-" && inX:
				other = sumOf(other, at.Y)
			case at.Op == "-":
				other = differenceOf(at.X, other)
			case at.Op == "*" && inX:
				other = quotientOf(other, at.Y)
			case at.Op == "*":
				other = quotientOf(other, at.X)
			case at.Op == "/" && inX:
				other = productOf(other, at.Y)
			case at.Op == "/":
				other = quotientOf(at.X, other)
			case at.Op == "^" && inX:
				if other = x.fitting(at.X, basesOf(other, at.Y), nil); other == nil {
					return nil
				}
			case at.Op == "^":
				other = quotientOf(callNode("ln", other), callNode("ln", at.X))
			default:
				return nil
			}
			if n = at.Y; inX {
				n = at.X
			}
		case *syntax.Call:
			k := slices.IndexFunc(at.Args, func(a syntax.Node) bool { return x.count(a) > 0 })
			if list, period := functions.Undone(at, k, other); len(list) > 0 {
				if other = x.fitting(at.Args[k], list, period); other == nil {
					return nil
				}
				n = at.Args[k]
				continue
			}
			by := functions.WrittenOut(at)
			if by == nil {
				return nil
			}
			if by = x.decided(simpler(by)); x.count(by) != 1 {
				return x.collected(by, other)
			}
			n = by
		default:
			return nil
		}
	}
}

// roots lists what the base of a power may be from the power's value.
func basesOf(value, exponent syntax.Node) []syntax.Node {
	both := func(n syntax.Node) []syntax.Node { return []syntax.Node{n, negativeOf(n)} }
	switch e := exponent.(type) {
	case *syntax.Number:
		switch e.Text {
		case "1":
			return []syntax.Node{value}
		case "2":
			return both(callNode("sqrt", value))
		case "3":
			return []syntax.Node{callNode("cbrt", value)}
		}
		if n, err := decimal.Parse(e.Text); err == nil && n.IsInteger() {
			return both(callNode("root", value, exponent))
		}
	case *syntax.Unary:
		if e.Op == "-" {
			return basesOf(quotientOf(numberNode("1"), value), e.X)
		}
	case *syntax.Binary:
		if one, ok := e.X.(*syntax.Number); ok && e.Op == "/" && one.Text == "1" && one.Unit == "" {
			return []syntax.Node{&syntax.Binary{Op: "^", X: value, Y: e.Y}}
		}
	}
	return []syntax.Node{&syntax.Binary{Op: "^", X: value, Y: quotientOf(numberNode("1"), exponent)}, callNode("root", value, exponent), negativeOf(callNode("root", value, exponent))}
}

// fitting is the one of several expressions that has the value of n, period times a whole number
// added where one does so with that; nil for none.
func (x isolation) fitting(n syntax.Node, list []syntax.Node, period syntax.Node) syntax.Node {
	value, ok := x.eval(n)
	if !ok {
		return nil
	}
	for _, candidate := range list {
		if v, ok := x.eval(candidate); ok && alike(v, value) {
			return candidate
		}
	}
	if period == nil {
		return nil
	}
	turn, ok := x.eval(period)
	if !ok {
		return nil
	}
	c := decimal.NewContext(1000)
	for _, candidate := range list {
		v, ok := x.eval(candidate)
		if !ok {
			continue
		}
		turns := c.Quo(c.Sub(value, v), turn)
		if whole := c.Round(turns, 0); c.Err() == nil && alike(turns, whole) && !whole.IsZero() {
			return sumOf(candidate, productOf(literalNode(whole), period))
		}
	}
	return nil
}

// agree reports whether two numbers are the same but for the digits that are never shown.
func alike(a, b decimal.Decimal) bool {
	c := decimal.NewContext(1000)
	size := formula.Extreme(formula.Decimals{a.Abs(), b.Abs()}, 1)
	return c.Sub(a, b).Abs().Cmp(c.Mul(size, samePart)) <= 0 && c.Err() == nil
}

// samePart is the part of its size that a number may be off and be the same.
var samePart = decimal.MustParse("1e-25")
