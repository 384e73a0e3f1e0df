package engine

import (
	"slices"
	"strconv"

	"reckon/engine/decimal"
	"reckon/engine/syntax"
)

// eachName calls f on the names in n that nothing binds.
func eachName(n syntax.Node, bound []string, f func(*syntax.Name)) {
	switch n := n.(type) {
	case *syntax.Name:
		if !slices.Contains(bound, n.Text) {
			f(n)
		}
	case *syntax.Unary:
		eachName(n.X, bound, f)
	case *syntax.Binary:
		eachName(n.X, bound, f)
		eachName(n.Y, bound, f)
	case *syntax.Definition:
		eachName(n.X, bound, f)
	case *syntax.Shown:
		eachName(n.X, bound, f)
	case *syntax.List:
		for _, item := range n.Items {
			eachName(item, bound, f)
		}
	case *syntax.Call:
		names, binds := functions.BoundNames(n)
		inner := append(slices.Clip(bound), names...)
		for i, a := range n.Args {
			if binds(i) {
				eachName(a, inner, f)
			} else {
				eachName(a, bound, f)
			}
		}
	}
}

// maxWritten is how many parts an expression may have that is written for people.
const maxWritten = 4000

// nodes counts the parts of an expression, which may share some, up to a limit.
func nodes(n syntax.Node, limit int) int {
	count := 1
	each := func(list ...syntax.Node) {
		for _, a := range list {
			if count < limit {
				count += nodes(a, limit-count)
			}
		}
	}
	switch n := n.(type) {
	case *syntax.Unary:
		each(n.X)
	case *syntax.Binary:
		each(n.X, n.Y)
	case *syntax.Definition:
		each(n.X)
	case *syntax.Shown:
		each(n.X)
	case *syntax.List:
		each(n.Items...)
	case *syntax.Call:
		each(n.Args...)
	}
	return count
}

// simpler is n without sums, products and powers that have no effect, such as those of arguments of
// 0 and 1.
func simpler(n syntax.Node) syntax.Node {
	switch n := n.(type) {
	case *syntax.Unary:
		if n.Op == "-" {
			return negativeOf(simpler(n.X))
		}
		return &syntax.Unary{Op: n.Op, X: simpler(n.X)}
	case *syntax.Binary:
		a, b := simpler(n.X), simpler(n.Y)
		switch {
		case n.Op == "+":
			return orZero(sumOf(a, b))
		case n.Op == "-":
			return orZero(differenceOf(a, b))
		case n.Op == "*":
			return productOf(a, b)
		case n.Op == "/":
			return quotientOf(a, b)
		case n.Op == "^" && isOne(b):
			return a
		}
		return &syntax.Binary{Op: n.Op, X: a, Y: b}
	case *syntax.Call:
		made := &syntax.Call{Function: n.Function}
		for _, a := range n.Args {
			made.Args = append(made.Args, simpler(a))
		}
		return made
	}
	return n
}

// The four operations leave out what has no effect; nil is 0. A sign stands in front of all else.

func sumOf(a, b syntax.Node) syntax.Node {
	switch {
	case isZero(a):
		return b
	case isZero(b):
		return a
	}
	if n, signed := unsigned(b); signed {
		return &syntax.Binary{Op: "-", X: a, Y: n}
	}
	return &syntax.Binary{Op: "+", X: a, Y: b}
}

func differenceOf(a, b syntax.Node) syntax.Node {
	switch {
	case isZero(b):
		return a
	case isZero(a):
		return negativeOf(b)
	}
	if n, signed := unsigned(b); signed {
		return &syntax.Binary{Op: "+", X: a, Y: n}
	}
	return &syntax.Binary{Op: "-", X: a, Y: b}
}

func productOf(a, b syntax.Node) syntax.Node {
	switch {
	case a == nil || b == nil:
		return nil
	case isOne(a), isZero(b):
		return b
	case isOne(b), isZero(a):
		return a
	}
	if n, signed := unsigned(a); signed {
		return negativeOf(productOf(n, b))
	}
	if n, signed := unsigned(b); signed {
		return negativeOf(productOf(a, n))
	}
	if m, ok := wholeNumber(a); ok {
		if by, ok := b.(*syntax.Binary); ok && by.Op == "/" {
			if n, ok := wholeNumber(by.Y); ok && n > 0 && m%n == 0 {
				return productOf(numberNode(strconv.Itoa(m/n)), by.X)
			}
		}
		if n, ok := wholeNumber(b); ok {
			return numberNode(strconv.Itoa(m * n))
		}
	}
	if by, ok := b.(*syntax.Binary); ok && by.Op == "*" {
		return &syntax.Binary{Op: "*", X: productOf(a, by.X), Y: by.Y}
	}
	return &syntax.Binary{Op: "*", X: a, Y: b}
}

func quotientOf(a, b syntax.Node) syntax.Node {
	if isZero(a) || isOne(b) {
		return orZero(a)
	}
	if n, signed := unsigned(a); signed {
		return negativeOf(quotientOf(n, b))
	}
	if n, signed := unsigned(b); signed {
		return negativeOf(quotientOf(a, n))
	}
	return &syntax.Binary{Op: "/", X: a, Y: b}
}

func negativeOf(a syntax.Node) syntax.Node {
	if isZero(a) {
		return a
	}
	if n, signed := unsigned(a); signed {
		return n
	}
	if n, ok := a.(*syntax.Binary); ok {
		switch n.Op {
		case "-":
			return &syntax.Binary{Op: "-", X: n.Y, Y: n.X}
		case "*", "/":
			return &syntax.Binary{Op: n.Op, X: negativeOf(n.X), Y: n.Y}
		}
	}
	return &syntax.Unary{Op: "-", X: a}
}

// unsigned is n without the sign in front of it; false where there is none.
func unsigned(n syntax.Node) (syntax.Node, bool) {
	switch n := n.(type) {
	case *syntax.Unary:
		return n.X, n.Op == "-"
	case *syntax.Binary:
		if n.Op == "*" || n.Op == "/" {
			if x, signed := unsigned(n.X); signed {
				if n.Op == "*" && isOne(x) {
					return n.Y, true
				}
				return &syntax.Binary{Op: n.Op, X: x, Y: n.Y}, true
			}
		}
	}
	return n, false
}

// wholeNumber is a small whole number without a unit.
func wholeNumber(n syntax.Node) (int, bool) {
	literal, ok := n.(*syntax.Number)
	if !ok || literal.Unit != "" || len(literal.Text) > 4 {
		return 0, false
	}
	whole, err := strconv.Atoi(literal.Text)
	return whole, err == nil
}

func orZero(n syntax.Node) syntax.Node {
	if n == nil {
		return numberNode("0")
	}
	return n
}

func isZero(n syntax.Node) bool {
	if n == nil {
		return true
	}
	literal, ok := n.(*syntax.Number)
	return ok && literal.Text == "0" && literal.Unit == ""
}

func isOne(n syntax.Node) bool {
	literal, ok := n.(*syntax.Number)
	return ok && literal.Text == "1" && literal.Unit == ""
}

func numberNode(text string) syntax.Node { return &syntax.Number{Text: text} }

// literal is a number of either sign.
func literalNode(d decimal.Decimal) syntax.Node {
	if d.Sign() < 0 {
		return &syntax.Unary{Op: "-", X: numberNode(d.Neg().String())}
	}
	return numberNode(d.String())
}

func callNode(function string, args ...syntax.Node) syntax.Node {
	return &syntax.Call{Function: function, Args: args}
}
