package engine

import (
	"slices"
	"strconv"

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

// decided is n with the branch that is taken in the place of an if that holds the unknown.
func (x isolation) decided(n syntax.Node) syntax.Node {
	if x.count(n) == 0 {
		return n
	}
	switch n := n.(type) {
	case *syntax.Unary:
		return &syntax.Unary{Op: n.Op, X: x.decided(n.X)}
	case *syntax.Binary:
		return &syntax.Binary{Op: n.Op, X: x.decided(n.X), Y: x.decided(n.Y)}
	case *syntax.Call:
		if f := functions.ByName[n.Function]; f != nil && f.Lazy && len(n.Args) == 3 {
			holds, ok := x.eval(n.Args[0])
			if !ok {
				return n
			}
			if holds.IsZero() {
				return x.decided(n.Args[2])
			}
			return x.decided(n.Args[1])
		}
		if names, _ := functions.BoundNames(n); names != nil {
			return n
		}
		call := &syntax.Call{Function: n.Function}
		for _, a := range n.Args {
			call.Args = append(call.Args, x.decided(a))
		}
		return call
	}
	return n
}

// writtenOut is n with the formulas of functions in the place of their calls that hold the unknown.
func (x isolation) writtenOut(n syntax.Node) syntax.Node {
	if x.count(n) == 0 {
		return n
	}
	switch n := n.(type) {
	case *syntax.Unary:
		return &syntax.Unary{Op: n.Op, X: x.writtenOut(n.X)}
	case *syntax.Binary:
		return &syntax.Binary{Op: n.Op, X: x.writtenOut(n.X), Y: x.writtenOut(n.Y)}
	case *syntax.Call:
		if by := functions.WrittenOut(n); by != nil {
			return simpler(by)
		}
	}
	return n
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

// collected solves an equation that is a quotient of polynomials in the unknown, of the first or
// second degree.
func (x isolation) collected(left, right syntax.Node) syntax.Node {
	a, ok := x.terms(left, 0)
	if !ok {
		return nil
	}
	b, ok := x.terms(right, 0)
	if !ok {
		return nil
	}
	p := subtractTerms(multiplyTerms(a.top, b.bottom), multiplyTerms(b.top, a.bottom))
	if n := len(p); n > 0 {
		if _, signed := unsigned(p[n-1]); signed {
			p = subtractTerms(nil, p)
		}
	}
	if len(p) > 3 {
		return nil
	}
	p = append(p, make(terms, 3-len(p))...)
	if p[2] == nil {
		if p[1] == nil {
			return nil
		}
		return quotientOf(negativeOf(orZero(p[0])), p[1])
	}
	if p[1] == nil {
		return x.fitting(&syntax.Name{Text: x.key}, basesOf(quotientOf(negativeOf(orZero(p[0])), p[2]), numberNode("2")), nil)
	}
	root := callNode("sqrt", differenceOf(&syntax.Binary{Op: "^", X: p[1], Y: numberNode("2")}, productOf(productOf(numberNode("4"), p[2]), orZero(p[0]))))
	twice := productOf(numberNode("2"), p[2])
	return x.fitting(&syntax.Name{Text: x.key}, []syntax.Node{
		quotientOf(sumOf(negativeOf(p[1]), root), twice), quotientOf(differenceOf(negativeOf(p[1]), root), twice),
	}, nil)
}

// terms are the coefficients of a polynomial, the constant one first, nil for 0.
type terms []syntax.Node

// fraction is a quotient of polynomials.
type fraction struct{ top, bottom terms }

// maxTerms bounds the degree of what is collected, and maxCollected how deep it is looked for.
const (
	maxTerms     = 4
	maxCollected = 200
)

func (x isolation) terms(n syntax.Node, depth int) (f fraction, ok bool) {
	one := terms{numberNode("1")}
	if x.count(n) == 0 {
		return fraction{terms{n}, one}, true
	}
	if depth > maxCollected {
		return f, false
	}
	var a, b fraction
	pair := func(n *syntax.Binary) bool {
		if a, ok = x.terms(n.X, depth+1); ok {
			b, ok = x.terms(n.Y, depth+1)
		}
		return ok
	}
	switch n := n.(type) {
	case *syntax.Name:
		return fraction{terms{nil, numberNode("1")}, one}, true
	case *syntax.Unary:
		a, ok = x.terms(n.X, depth+1)
		switch n.Op {
		case "-":
			a.top = subtractTerms(nil, a.top)
		case "%":
			a.bottom = multiplyTerms(a.bottom, terms{numberNode("100")})
		case "not":
			return f, false
		}
		return a, ok
	case *syntax.Binary:
		if n.Op == "/" && x.count(n.Y) == 0 {
			a, ok = x.terms(n.X, depth+1)
			for _, t := range a.top {
				if t != nil {
					t = quotientOf(t, n.Y)
				}
				f.top = append(f.top, t)
			}
			f.bottom = a.bottom
			return f, ok
		}
		if n.Op == "^" {
			two, whole := n.Y.(*syntax.Number)
			if !whole || two.Text != "2" || two.Unit != "" {
				return f, false
			}
			a, ok = x.terms(n.X, depth+1)
			f = fraction{multiplyTerms(a.top, a.top), multiplyTerms(a.bottom, a.bottom)}
			return f, ok && f.fits()
		}
		if !pair(n) {
			return f, false
		}
		switch n.Op {
		case "*":
			f = fraction{multiplyTerms(a.top, b.top), multiplyTerms(a.bottom, b.bottom)}
		case "/":
			f = fraction{multiplyTerms(a.top, b.bottom), multiplyTerms(a.bottom, b.top)}
		case "+", "-":
			join := addTerms
			if n.Op == "-" {
				join = subtractTerms
			}
			if sameTerms(a.bottom, b.bottom) {
				f = fraction{join(a.top, b.top), a.bottom}
			} else {
				f = fraction{join(multiplyTerms(a.top, b.bottom), multiplyTerms(b.top, a.bottom)), multiplyTerms(a.bottom, b.bottom)}
			}
		default:
			return f, false
		}
		return f, f.fits()
	}
	return f, false
}

func (f fraction) fits() bool { return len(f.top) <= maxTerms && len(f.bottom) <= maxTerms }

func sameTerms(a, b terms) bool {
	return slices.EqualFunc(a, b, func(m, n syntax.Node) bool {
		return m == nil && n == nil || m != nil && n != nil && syntax.String(m) == syntax.String(n)
	})
}

func addTerms(a, b terms) terms      { return joinTerms(a, b, sumOf) }
func subtractTerms(a, b terms) terms { return joinTerms(a, b, differenceOf) }

func joinTerms(a, b terms, join func(a, b syntax.Node) syntax.Node) terms {
	list := make(terms, max(len(a), len(b)))
	at := func(t terms, i int) syntax.Node {
		if i < len(t) {
			return t[i]
		}
		return nil
	}
	for i := range list {
		list[i] = join(at(a, i), at(b, i))
	}
	for len(list) > 0 && list[len(list)-1] == nil {
		list = list[:len(list)-1]
	}
	return list
}

func multiplyTerms(a, b terms) terms {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	list := make(terms, len(a)+len(b)-1)
	for i, m := range a {
		for j, n := range b {
			list[i+j] = sumOf(list[i+j], productOf(m, n))
		}
	}
	return list
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
