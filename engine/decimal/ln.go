package decimal

import "math/big"

// Ln returns the natural logarithm. It fails with an UndefinedError for a <= 0.
func (c *Context) Ln(a Decimal) Decimal { return c.logarithm("ln", a, nil) }

// Log10 returns the logarithm to base 10, exact for powers of ten. It fails as Ln does.
func (c *Context) Log10(a Decimal) Decimal { return c.logarithm("log10", a, &c.kernel().ln10Wide) }

// Log2 returns the logarithm to base 2, exact for powers of two. It fails as Ln does.
func (c *Context) Log2(a Decimal) Decimal { return c.logarithm("log2", a, &c.kernel().ln2Wide) }

// logarithm returns ln a by the logarithm of a base, nil for the natural one. Its error is the
// relative error of a.
func (c *Context) logarithm(name string, a Decimal, base *Decimal) (r Decimal) {
	if !c.spend(costLn, &a) {
		return Decimal{}
	}
	if a.Sign() <= 0 {
		return c.Refuse(&UndefinedError{Function: name, Argument: a}, a)
	}
	if g := c.kernel(); base == nil {
		r = g.ln(a, c.digits)
	} else {
		r = g.wideQuo(g.ln(a, g.wide), *base)
	}
	return c.approximate(r, &a, -r.first())
}

// ln returns ln a to the given digits, for a > 0.
//
// Method: a = 10^n × 2^s × f with 1 <= f < 2; two tables hold factors that bring f within 2^-14 of
// 1 and their logarithms (P. T. P. Tang, Table-driven implementation of the logarithm function, ACM
// TOMS 16, 1990); the rest is 2 atanh(u/(2 + u)) by its power series (Brent and Zimmermann, Modern
// Computer Arithmetic, section 4.4). Near 1 the difference from 1 is exact and goes to ln1p.
func (g *registers) ln(a Decimal, digits int) Decimal {
	first := a.adjusted()
	m := a
	m.exponent -= int32(first)
	g.setDecimal(&g.x, &m)
	switch first {
	case 0:
		g.other.Sub(&g.x, g.one)
		if g.other.BitLen() < int(g.bits)-13 {
			return g.ln1p(g.wideAdd(a, Int(-1)))
		}
	case -1:
		g.other.Sub(&g.x, g.ten)
		if g.other.BitLen() < int(g.bits)-10 {
			return g.ln1p(g.wideAdd(a, Int(-1)))
		}
	}
	if g.start != nil {
		// A step of Newton's method: ln a = y + ln(a e^-y), whose last part is next to 0.
		y := g.start.ln(a, g.start.wide)
		return g.wideAdd(y, g.ln1p(g.wideAdd(g.wideQuo(a, g.exp(y, g.wide)), Int(-1))))
	}
	t := tables()
	s := g.x.BitLen() - 1 - fractionBits
	g.x.Rsh(&g.x, uint(s))
	g.lnFixed(&g.z, &g.x)
	g.other.SetInt64(int64(s))
	g.z.Add(&g.z, g.product.Mul(&g.other, &t.ln2))
	g.other.SetInt64(int64(first))
	g.z.Add(&g.z, g.product.Mul(&g.other, &t.ln10))
	return g.decimal(&g.z, 0, digits)
}

// lnFixed sets z to ln f for 1 <= f < 2. It writes to f.
func (g *registers) lnFixed(z, f *big.Int) {
	t := tables()
	g.other.Rsh(f, fractionBits-lnHighBits)
	high := &t.lnHigh[g.other.Uint64()&(1<<lnHighBits-1)]
	g.product.Mul(f, &high.numerator)
	f.Rsh(&g.product, lnHighShift)

	g.other.Rsh(f, fractionBits-lnLowBits)
	low := &t.lnLow[int(g.other.Uint64())-1<<lnLowBits+len(t.lnLow)/2]
	g.product.Mul(f, &low.numerator)
	f.Rsh(&g.product, lnLowShift)

	// y = u/(2 + u) for f = 1 + u
	g.other.Add(f, g.one)
	f.Sub(f, g.one)
	g.product.Lsh(f, fractionBits)
	g.y.QuoRem(&g.product, &g.other, &g.square)
	g.mul(&g.square, &g.y, &g.y)
	g.oddSeries(&g.square, 1)
	g.mul(z, &g.sum, &g.y)
	z.Lsh(z, 1)
	z.Add(z, &high.minusLn)
	z.Add(z, &low.minusLn)
}

// oddSeries sets sum to 1 ± square/3 + square²/5 ± …, the ratio of atanh (sign 1) or atan (sign -1)
// to its argument.
func (g *registers) oddSeries(square *big.Int, sign int) {
	g.sum.Set(g.one)
	g.term.Set(g.one)
	for k := int64(3); ; k += 2 {
		g.mul(&g.term, &g.term, square)
		if g.term.Sign() == 0 {
			return
		}
		g.divide(&g.other, &g.term, k)
		if sign < 0 && k&2 != 0 {
			g.sum.Sub(&g.sum, &g.other)
		} else {
			g.sum.Add(&g.sum, &g.other)
		}
	}
}

// ln1p returns ln(1 + d) for |d| < 2^-13 with full relative accuracy: d × 2/(2 + d) × the ratio of
// atanh to its argument.
func (g *registers) ln1p(d Decimal) Decimal {
	g.setDecimal(&g.x, &d)
	g.other.Lsh(g.one, 1)
	g.other.Add(&g.other, &g.x)
	g.product.Lsh(g.one, g.bits+1)
	g.y.QuoRem(&g.product, &g.other, &g.square) // 2/(2 + d)
	g.mul(&g.z, &g.x, &g.y)
	g.z.Rsh(&g.z, 1)
	g.mul(&g.square, &g.z, &g.z)
	g.oddSeries(&g.square, 1)
	g.mul(&g.z, &g.y, &g.sum)
	return g.wideMul(d, g.decimal(&g.z, 0, g.wide))
}

// lnOnePlus returns ln(1 + d) for d > -1 that is itself accurate to g.wide.
func (g *registers) lnOnePlus(d Decimal) Decimal {
	if d.IsZero() {
		return Decimal{}
	}
	if d.adjusted() <= seriesExponent {
		return g.ln1p(d)
	}
	return g.ln(g.wideAdd(d, Int(1)), g.wide)
}

func (c *Context) Asinh(a Decimal) Decimal {
	if c.atZero(costCompound, &a) {
		return a
	}
	g := c.kernel()
	// ln(x + √(x² + 1)) = ln(1 + x + x²/(1 + √(x² + 1)))
	x := a.Abs()
	square := g.wideMul(x, x)
	root := g.wideSqrt(g.wideAdd(square, Int(1)))
	d := g.wideAdd(x, g.wideQuo(square, g.wideAdd(root, Int(1))))
	r := g.lnOnePlus(d)
	if a.negative {
		r = r.Neg()
	}
	return c.approximate(r, &a, 0)
}

// Acosh returns the inverse hyperbolic cosine that is not negative. It fails with an UndefinedError
// for a < 1.
func (c *Context) Acosh(a Decimal) Decimal {
	if !c.spend(costCompound, &a) {
		return Decimal{}
	}
	if a.Cmp(Int(1)) < 0 {
		return c.Refuse(&UndefinedError{Function: "acosh", Argument: a}, c.beyondOne(a))
	}
	g := c.kernel()
	// ln(1 + t + √(t(t + 2))) with t = x − 1
	t := g.wideAdd(a, Int(-1))
	d := g.wideAdd(t, g.wideSqrt(g.wideMul(t, g.wideAdd(t, Int(2)))))
	r := g.lnOnePlus(d)
	return c.approximate(r, &a, max(0, -2*r.first()))
}

// Atanh returns the inverse hyperbolic tangent. It fails with an UndefinedError unless -1 < a < 1.
func (c *Context) Atanh(a Decimal) Decimal {
	if c.atZero(costCompound, &a) {
		return a
	}
	x := a.Abs()
	if x.Cmp(Int(1)) >= 0 {
		return c.Refuse(&UndefinedError{Function: "atanh", Argument: a}, c.beyondOne(a))
	}
	g := c.kernel()
	// ½ ln((1 + x)/(1 − x)) = ½ ln(1 + 2x/(1 − x))
	rest := g.wideAdd(Int(1), x.Neg())
	d := g.wideQuo(g.wideMul(x, Int(2)), rest)
	r := g.wideMul(g.lnOnePlus(d), oneHalf)
	if a.negative {
		r = r.Neg()
	}
	return c.approximate(r, &a, max(0, a.first()-r.first()-rest.first()))
}
