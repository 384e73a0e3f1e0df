package engine

import (
	"slices"

	"reckon/engine/syntax"
)

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
