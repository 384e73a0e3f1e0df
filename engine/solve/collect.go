package solve

import (
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/formula"
)

// term is a coefficient and the size of the numbers that it was added up from: what is small next
// to that is rounding.
type term struct{ value, size decimal.Decimal }

// polynomial holds coefficients, the constant one first.
type polynomial []term

// ratio is a quotient of polynomials in one expression.
type ratio struct{ num, den polynomial }

func constant(d decimal.Decimal) polynomial { return polynomial{{d, d.Abs()}} }

// addPolynomials is a + b or a - b.
func (s *Solver) addPolynomials(a, b polynomial, o formula.Op) polynomial {
	sum := make(polynomial, max(len(a), len(b)))
	copy(sum, a)
	for i, t := range b {
		if o == formula.OpSub {
			t.value = t.value.Neg()
		}
		sum[i] = term{s.Context.Add(sum[i].value, t.value), s.Context.Add(sum[i].size, t.size)}
	}
	return sum
}

func (s *Solver) multiply(a, b polynomial) (polynomial, bool) {
	if len(a)+len(b) > formula.MaxDegree+2 {
		return nil, false
	}
	product := make(polynomial, len(a)+len(b)-1)
	for i, u := range a {
		for j, t := range b {
			p := &product[i+j]
			p.value = s.Context.Add(p.value, s.Context.Mul(u.value, t.value))
			p.size = s.Context.Add(p.size, s.Context.Mul(u.size, t.size))
		}
	}
	return product, true
}

// isNoise reports whether a term is 0, or no more than such a part of its size as rounding may
// leave. Then more digits may tell.
func (s *Solver) isNoise(t term) bool {
	small := t.value.Abs().Cmp(s.Context.Mul(t.size, s.Context.Epsilon(10))) <= 0
	if t.value.IsExact() {
		return t.value.IsZero()
	}
	s.Unsure = s.Unsure || small
	return small
}

// trim cuts leading coefficients that are nothing but rounding.
func (s *Solver) trim(p polynomial) polynomial {
	for i := range p {
		if s.isNoise(p[i]) {
			p[i].value = decimal.Decimal{}
		}
	}
	for len(p) > 0 && p[len(p)-1].value.IsZero() {
		p = p[:len(p)-1]
	}
	return p
}

// collect writes n as a quotient of polynomials in an expression, the atom. It reports false where
// n is none.
func (s *Solver) collect(n *formula.Node, x formula.Unknown, atom *formula.Node) (ratio, bool) {
	unit := constant(decimal.Int(1))
	if !n.Has(x) {
		return ratio{constant(s.Eval(n)), unit}, s.Context.Err() == nil
	}
	if n.Equal(atom) {
		return ratio{polynomial{{}, {decimal.Int(1), decimal.Int(1)}}, unit}, true
	}
	switch n.Op {
	case formula.OpNeg, formula.OpPercent:
		r, ok := s.collect(n.Args[0], x, atom)
		factor := decimal.Int(-1)
		if n.Op == formula.OpPercent {
			factor = decimal.MustParse("0.01")
		}
		num, fits := s.multiply(r.num, constant(factor))
		return ratio{num, r.den}, ok && fits
	case formula.OpAdd, formula.OpSub, formula.OpMul, formula.OpDiv:
		a, ok1 := s.collect(n.Args[0], x, atom)
		if !ok1 {
			return ratio{}, false
		}
		b, ok2 := s.collect(n.Args[1], x, atom)
		if !ok2 {
			return ratio{}, false
		}
		return s.combine(n.Op, a, b)
	case formula.OpPow:
		if n.Args[1].Has(x) {
			return ratio{}, false
		}
		exponent, ok := s.Eval(n.Args[1]).Int64()
		if !ok || exponent > formula.MaxDegree || exponent < -formula.MaxDegree {
			return ratio{}, false
		}
		base, ok := s.collect(n.Args[0], x, atom)
		if !ok {
			return ratio{}, false
		}
		if exponent < 0 {
			base.num, base.den = base.den, base.num
			exponent = -exponent
		}
		result := ratio{unit, unit}
		for range exponent {
			if result, ok = s.combine(formula.OpMul, result, base); !ok {
				return ratio{}, false
			}
		}
		return result, true
	}
	return ratio{}, false
}

// collects reports whether collect can go through all of n, the degree of products aside.
func (s *Solver) collects(n *formula.Node, x formula.Unknown, atom *formula.Node) bool {
	if !n.Has(x) || n.Equal(atom) {
		return true
	}
	switch n.Op {
	case formula.OpNeg, formula.OpPercent:
		return s.collects(n.Args[0], x, atom)
	case formula.OpAdd, formula.OpSub, formula.OpMul, formula.OpDiv:
		return s.collects(n.Args[0], x, atom) && s.collects(n.Args[1], x, atom)
	case formula.OpPow:
		if n.Args[1].Has(x) || !s.collects(n.Args[0], x, atom) {
			return false
		}
		exponent, ok := s.Eval(n.Args[1]).Int64()
		return ok && exponent <= formula.MaxDegree && exponent >= -formula.MaxDegree
	}
	return false
}

func (s *Solver) combine(o formula.Op, a, b ratio) (ratio, bool) {
	switch o {
	case formula.OpMul, formula.OpDiv:
		if o == formula.OpDiv {
			b.num, b.den = b.den, b.num
		}
		num, ok1 := s.multiply(a.num, b.num)
		den, ok2 := s.multiply(a.den, b.den)
		return ratio{num, den}, ok1 && ok2
	}
	if slices.EqualFunc(a.den, b.den, func(u, t term) bool { return u.value.Cmp(t.value) == 0 }) {
		return ratio{s.addPolynomials(a.num, b.num, o), a.den}, true
	}
	left, ok1 := s.multiply(a.num, b.den)
	right, ok2 := s.multiply(b.num, a.den)
	den, ok3 := s.multiply(a.den, b.den)
	if !ok1 || !ok2 || !ok3 {
		return ratio{}, false
	}
	return ratio{s.addPolynomials(left, right, o), den}, true
}

// polynomialRoots solves left = right where both are quotients of polynomials of an atom. ok is
// false where they are not.
func (s *Solver) polynomialRoots(left, right *formula.Node, x formula.Unknown, atom *formula.Node) (p formula.Preimage, ok bool) {
	if !s.collects(left, x, atom) || !s.collects(right, x, atom) {
		return formula.Preimage{}, false
	}
	a, ok := s.collect(left, x, atom)
	if !ok {
		return formula.Preimage{}, false
	}
	b, ok := s.collect(right, x, atom)
	if !ok {
		return formula.Preimage{}, false
	}
	all, ok := s.combine(formula.OpSub, a, b)
	if !ok || s.Context.Err() != nil {
		return formula.Preimage{}, false
	}
	num := s.trim(all.num)
	switch len(num) {
	case 0:
		return formula.Preimage{Infinite: true}, true
	case 1:
		return formula.Preimage{}, true
	}
	// x^a(c0 + c1 x^k + c2 x^2k): zero, and the k-th roots of a quadratic's roots.
	low := 0
	for num[low].value.IsZero() {
		low++
	}
	var values formula.Decimals
	if low > 0 {
		values = append(values, decimal.Decimal{})
	}
	num = num[low:]
	step := 0
	for i := 1; i < len(num); i++ {
		if !num[i].value.IsZero() {
			step = gcdInt(step, i)
		}
	}
	if step > 0 {
		var inner polynomial
		for i := 0; i < len(num); i += step {
			inner = append(inner, num[i])
		}
		var roots formula.Decimals
		if len(inner) == 3 {
			roots = s.quadratic(inner[2].value, inner[1].value, inner[0].value)
		} else {
			roots = s.realRoots(inner)
		}
		for _, r := range roots {
			values = append(values, s.invertPower(decimal.Int(int64(step)), 0, r).Roots...)
		}
	}
	for _, v := range values {
		// Where the denominator vanishes too, the expression has no value there.
		if !s.isRoot(all.den, v) {
			p.Roots = append(p.Roots, v)
		} else if atom.Op == formula.OpVariable {
			s.holes = append(s.holes, v)
		}
	}
	return p, s.Context.Err() == nil
}

func gcdInt(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// quadratic solves ax² + bx + c = 0, a not 0, without cancellation (Press et al., Numerical
// Recipes, 5.6).
func (s *Solver) quadratic(a, b, c decimal.Decimal) formula.Decimals {
	ctx := s.Context
	square := ctx.Mul(b, b)
	product := ctx.Mul(decimal.Int(4), ctx.Mul(a, c))
	discriminant := ctx.Sub(square, product)
	if s.isNoise(term{discriminant, ctx.Add(square, product.Abs())}) {
		return formula.Decimals{ctx.Quo(b.Neg(), ctx.Mul(decimal.Int(2), a))}
	}
	if discriminant.Sign() < 0 {
		return nil
	}
	root := ctx.Sqrt(discriminant)
	if b.Sign() < 0 {
		root = root.Neg()
	}
	q := ctx.Quo(ctx.Add(b, root), decimal.Int(-2))
	if q.IsZero() {
		return formula.Decimals{q}
	}
	return formula.Decimals{ctx.Quo(q, a), ctx.Quo(c, q)}
}

// atoms lists the expressions that terms may be collected in: the unknown itself, and the smallest
// ones around its first occurrence that are no quotient of polynomials.
func atoms(n *formula.Node, x formula.Unknown) []*formula.Node {
	var path []*formula.Node
	for m := n; ; {
		path = append(path, m)
		if m.Op == formula.OpVariable || len(m.Args) == 0 {
			break
		}
		m = m.Args[slices.IndexFunc(m.Args, func(a *formula.Node) bool { return a.Has(x) })]
	}
	list := []*formula.Node{path[len(path)-1]}
	for i := len(path) - 2; i >= 0; i-- {
		if op := path[i].Op; op == formula.OpPow || op == formula.OpCall {
			list = append(list, path[i])
		}
	}
	return list
}
