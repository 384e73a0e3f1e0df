package formula

import "slices"

// Bounds of what is written out as a sum of products.
const (
	maxProducts = 24
	maxFactors  = 24
	maxPower    = 4 // of a sum
)

// factor is a power of an expression.
type factor struct {
	of       *Node
	exponent int64
}

// Expanded is n as a sum of products in which each factor stands once, so that what n multiplies by
// and divides by again is gone: over an interval from 0 on x * (a / x^2) may be anything above 0,
// and a / x may not. It is nil where nothing is gone. Where it has a value n may have none.
func (n *Node) Expanded() *Node {
	e := &expansion{}
	products := e.of(n)
	if products == nil || !e.cancelled {
		return nil
	}
	sum := Integer(0)
	for _, p := range products {
		above, below := Integer(1), Integer(1)
		for _, f := range p {
			power := func(k int64) *Node { return Combined(OpPow, f.of, Integer(k)) }
			if f.exponent > 0 {
				above = Combined(OpMul, above, power(f.exponent))
			} else {
				below = Combined(OpMul, below, power(-f.exponent))
			}
		}
		sum = Combined(OpAdd, sum, Combined(OpDiv, above, below))
	}
	return sum
}

// expansion is the work of one Expanded.
type expansion struct{ cancelled bool }

// of lists the products of a sum, nil where they are too many.
func (e *expansion) of(n *Node) [][]factor {
	switch n.Op {
	case OpAdd, OpSub:
		a, b := e.of(n.Args[0]), e.of(n.Args[1])
		if n.Op == OpSub {
			b = e.times(b, [][]factor{{{Integer(-1), 1}}})
		}
		if a == nil || b == nil || len(a)+len(b) > maxProducts {
			return nil
		}
		return slices.Concat(a, b)
	case OpNeg:
		return e.times(e.of(n.Args[0]), [][]factor{{{Integer(-1), 1}}})
	case OpMul:
		return e.times(e.of(n.Args[0]), e.of(n.Args[1]))
	case OpDiv:
		return e.times(e.of(n.Args[0]), e.raised(n.Args[1], -1))
	case OpPow:
		if k, whole := n.Args[1].Value.Int64(); whole && n.Args[1].Op == OpNumber && k != 0 && k >= -maxPower && k <= maxPower {
			return e.raised(n.Args[0], k)
		}
	}
	return [][]factor{{{n, 1}}}
}

// raised is a power: of a product that of its factors, of a sum with an exponent below 0 it is a
// factor by itself.
func (e *expansion) raised(n *Node, k int64) [][]factor {
	products := e.of(n)
	switch {
	case len(products) == 1:
		p := slices.Clone(products[0])
		for i := range p {
			p[i].exponent *= k
		}
		return [][]factor{p}
	case k < 0:
		return [][]factor{{{n, k}}}
	}
	power := products
	for range k - 1 {
		power = e.times(power, products)
	}
	return power
}

// times multiplies each product of one sum by each of the other.
func (e *expansion) times(a, b [][]factor) [][]factor {
	if a == nil || b == nil || len(a)*len(b) > maxProducts {
		return nil
	}
	var all [][]factor
	for _, p := range a {
		for _, q := range b {
			product := slices.Clone(p)
			for _, f := range q {
				product = e.with(product, f)
			}
			if len(product) > maxFactors {
				return nil
			}
			all = append(all, product)
		}
	}
	return all
}

// with is a product with one more factor.
func (e *expansion) with(product []factor, f factor) []factor {
	for i, g := range product {
		if g.of != f.of && !g.of.Equal(f.of) {
			continue
		}
		if variable := g.of.Op != OpNumber; variable && g.exponent > 0 != (f.exponent > 0) {
			e.cancelled = true
		}
		if product[i].exponent += f.exponent; product[i].exponent == 0 {
			product = slices.Delete(product, i, i+1)
		}
		return product
	}
	return append(product, f)
}
