package decimal

import "math/big"

// maxExpArgument is past the logarithm of every number within the limits, in both directions.
const maxExpArgument = 14_200

// Exp returns e^a. It fails with ErrTooLarge when the result is out of range, before computing it.
func (c *Context) Exp(a Decimal) Decimal {
	if !c.spend(costExp, &a) {
		return Decimal{}
	}
	if a.IsZero() {
		return Int(1).from(&a, a.first())
	}
	if expOutOfRange(&a) {
		return c.Refuse(ErrTooLarge, a)
	}
	return c.approximate(c.kernel().exp(a, c.digits), &a, a.first()-1)
}

func expOutOfRange(a *Decimal) bool {
	limit := Int(maxExpArgument)
	limit.negative = a.negative
	return a.Cmp(limit)*limit.Sign() > 0
}

// exp returns e^a to the given digits, for |a| <= maxExpArgument.
//
// Method: e^a = 10^n × e^r with 0 <= r < ln 10, e^r from two tables and a Taylor series for a rest
// below 2^-13 (Brent and Zimmermann, Modern Computer Arithmetic, section 4.3; P. T. P. Tang,
// Table-driven implementation of the exponential function, ACM TOMS 15, 1989). The power of ten
// goes straight into the exponent.
func (g *registers) exp(a Decimal, digits int) Decimal {
	ln10 := g.ln10
	g.setDecimal(&g.x, &a)
	g.other.QuoRem(&g.x, ln10, &g.y)
	n := int(g.other.Int64())
	if g.y.Sign() < 0 {
		n--
		g.y.Add(&g.y, ln10)
	}
	g.expFixed(&g.z, &g.y)
	return g.decimal(&g.z, n, digits)
}

// expFixed sets z to e^r for 0 <= r < 3. It writes to r.
func (g *registers) expFixed(z, r *big.Int) {
	if g.start != nil {
		// Without tables: the argument is halved until its series is short, and the sum squared.
		r.Rsh(r, halvings)
		g.expSeries(r)
		for range halvings {
			g.mul(&g.sum, &g.sum, &g.sum)
		}
		z.Set(&g.sum)
		return
	}
	t := tables()
	g.other.Rsh(r, fractionBits-expLowBits)
	index := int(g.other.Uint64())
	g.other.Lsh(&g.other, fractionBits-expLowBits)
	r.Sub(r, &g.other)
	g.expSeries(r)

	const low = expLowBits - expHighBits
	g.mul(z, &g.sum, &t.expLow[index&(1<<low-1)])
	g.mul(z, z, &t.expHigh[index>>low])
}

// halvings of an argument cost as many bits.
const halvings = 20

// expSeries sets sum to e^r for a small r by its Taylor series.
func (g *registers) expSeries(r *big.Int) {
	g.sum.Set(g.one)
	g.term.Set(g.one)
	for k := int64(1); ; k++ {
		g.mul(&g.term, &g.term, r)
		g.divide(&g.term, &g.term, k)
		if g.term.Sign() == 0 {
			break
		}
		g.sum.Add(&g.sum, &g.term)
	}
}

func (c *Context) Sinh(a Decimal) Decimal {
	if c.atZero(costCompound, &a) {
		return a
	}
	if expOutOfRange(&a) {
		return c.Refuse(ErrTooLarge, a)
	}
	return c.approximate(c.kernel().sinh(a), &a, max(0, a.first()-1))
}

// sinh takes a power series near 0, where e^a − e^-a would lose digits.
func (g *registers) sinh(a Decimal) Decimal {
	if a.adjusted() <= seriesExponent {
		return g.wideMul(a, g.sineRatio(a, 1))
	}
	e := g.exp(a.Abs(), g.wide)
	r := g.wideMul(g.wideAdd(e, g.wideQuo(Int(1), e).Neg()), oneHalf)
	if a.negative {
		return r.Neg()
	}
	return r
}

func (c *Context) Cosh(a Decimal) Decimal {
	if !c.spend(costCompound, &a) {
		return Decimal{}
	}
	if expOutOfRange(&a) {
		return c.Refuse(ErrTooLarge, a)
	}
	if a.zero() {
		return Int(1).from(&a, a.first())
	}
	return c.approximate(c.kernel().cosh(a), &a, max(0, a.first()-1))
}

func (g *registers) cosh(a Decimal) Decimal {
	e := g.exp(a.Abs(), g.wide)
	return g.wideMul(g.wideAdd(e, g.wideQuo(Int(1), e)), oneHalf)
}

// tanhOne is a magnitude from which on tanh is 1 to a precision: 2e^-2x is below 10^-(digits + 9).
func tanhOne(digits int) int64 { return int64(116*(digits+9)/100 + 1) }

func (c *Context) Tanh(a Decimal) Decimal {
	if c.atZero(costCompound, &a) {
		return a
	}
	if a.Abs().Cmp(Int(tanhOne(c.digits))) >= 0 {
		// From 1 it differs by 2e^-2|a|, above 10^-|a|, of which nothing is left to see.
		c.reach = max(c.reach, int(min(a.Abs().Float64(), maxExpArgument)))
		return Int(int64(a.Sign())).As(c.digits).from(&a, 0)
	}
	g := c.kernel()
	return c.approximate(g.wideQuo(g.sinh(a), g.cosh(a)), &a, 0)
}
