package solve

import (
	"reckon/engine/formula"
)

// Bounds of what is squared.
const (
	maxRadicals     = 3   // square roots that hold the unknown
	maxRadicalNodes = 600 // of what they lead to
)

// radicals solves an equation in which the unknown stands below square roots by squaring until
// none is left: a + b × r, with r² = u, is 0 where a² = b² × u is, but for the roots of
// a - b × r, which go when the equation itself is evaluated. ok is false where no polynomial comes
// of it, or where none of its roots is one of the equation.
func (s *Solver) radicals(e *formula.Equation, v int) (p formula.Preimage, ok bool) {
	x := e.Unknown(v)
	left := formula.Combined(formula.OpSub, e.Left, e.Right)
	squared := 0
	for r := radical(left, x); r != nil; r = radical(left, x) {
		q, ok := surds(left, r)
		if squared++; !ok || squared > maxRadicals {
			return p, false
		}
		a, b := q.num.rest, q.num.factor
		left = formula.Combined(formula.OpSub, multiplied(a, a), multiplied(multiplied(b, b), r.Args[0]))
		if nodeCount(left) > maxRadicalNodes || !s.Context.Spend(1+nodeCount(left)/eliminatedNodes) {
			return p, false
		}
	}
	if squared == 0 || !left.Has(x) {
		return p, false
	}
	p, ok = s.collected(left, formula.Integer(0), x, 0)
	if s.TryErr() != nil || !ok || p.Infinite {
		return formula.Preimage{}, false
	}
	p.Roots, p.More = s.keep(e, v, p.Roots), s.keep(e, v, p.More)
	return p, len(p.Roots)+len(p.More) > 0
}

// radical is a square root that holds the unknown and stands in no other one, nil for none.
func radical(n *formula.Node, x formula.Unknown) *formula.Node {
	if !n.Has(x) {
		return nil
	}
	if n.Op == formula.OpCall && n.Function == formula.SquareRoot {
		return n
	}
	for _, a := range n.Args {
		if r := radical(a, x); r != nil {
			return r
		}
	}
	return nil
}

// surd is rest + factor × r for a square root r.
type surd struct{ rest, factor *formula.Node }

// surdRatio is a quotient of surds.
type surdRatio struct{ num, den surd }

// surds writes an expression as a quotient of surds of r; false where it is none.
func surds(n, r *formula.Node) (surdRatio, bool) {
	plain := func(rest *formula.Node) surd { return surd{rest, formula.Integer(0)} }
	one := plain(formula.Integer(1))
	if n.Equal(r) {
		return surdRatio{surd{formula.Integer(0), formula.Integer(1)}, one}, true
	}
	holds := false
	n.Walk(func(o *formula.Node) { holds = holds || o.Equal(r) })
	if !holds {
		return surdRatio{plain(n), one}, true
	}
	times := func(a, b surd) surd {
		return surd{
			summed(multiplied(a.rest, b.rest), multiplied(multiplied(a.factor, b.factor), r.Args[0])),
			summed(multiplied(a.rest, b.factor), multiplied(a.factor, b.rest)),
		}
	}
	switch n.Op {
	case formula.OpNeg, formula.OpPercent:
		a, ok := surds(n.Args[0], r)
		if !ok {
			return surdRatio{}, false
		}
		a.num = surd{formula.Combined(n.Op, a.num.rest), formula.Combined(n.Op, a.num.factor)}
		return a, true
	case formula.OpAdd, formula.OpSub, formula.OpMul, formula.OpDiv:
		a, ok1 := surds(n.Args[0], r)
		b, ok2 := surds(n.Args[1], r)
		if !ok1 || !ok2 {
			return surdRatio{}, false
		}
		switch n.Op {
		case formula.OpMul:
			return surdRatio{times(a.num, b.num), times(a.den, b.den)}, true
		case formula.OpDiv:
			return surdRatio{times(a.num, b.den), times(a.den, b.num)}, true
		}
		up, down := times(a.num, b.den), times(b.num, a.den)
		return surdRatio{surd{formula.Combined(n.Op, up.rest, down.rest), formula.Combined(n.Op, up.factor, down.factor)}, times(a.den, b.den)}, true
	case formula.OpPow:
		power, whole := n.Args[1].Value.Int64()
		a, ok := surds(n.Args[0], r)
		if !ok || n.Args[1].Op != formula.OpNumber || !whole || power < 1 || power > maxRadicals {
			return surdRatio{}, false
		}
		product := a
		for range power - 1 {
			product = surdRatio{times(product.num, a.num), times(product.den, a.den)}
		}
		return product, true
	}
	return surdRatio{}, false
}

func multiplied(a, b *formula.Node) *formula.Node { return formula.Combined(formula.OpMul, a, b) }

func summed(a, b *formula.Node) *formula.Node { return formula.Combined(formula.OpAdd, a, b) }
