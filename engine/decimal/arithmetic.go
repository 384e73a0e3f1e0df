package decimal

import (
	"math/big"
	"math/bits"

	"github.com/cockroachdb/apd/v3"
)

// exact leaves the results of short operands unrounded: they have at most 40 digits. It is never written to.
var exact = apd.Context{MaxExponent: apd.MaxExponent, MinExponent: apd.MinExponent}

// short reports whether a coefficient has one word, which apd works on without memory of its own.
func short(d *Decimal) bool { return d.v.Coeff.BitLen() <= 64 }

// plus returns a + b rounded once to the given digits, without writing out the digits between numbers far apart.
func (g *registers) plus(a, b Decimal, digits int) Decimal {
	gap := int(a.v.Exponent) - int(b.v.Exponent)
	if short(&a) && short(&b) && gap >= -19 && gap <= 19 {
		if r, ok := plusShort(&a, &b, gap); ok {
			return r
		}
		var r Decimal
		_, _ = exact.Add(&r.v, &a.v, &b.v) // cannot fail within apd's exponents
		return r
	}
	if a.IsZero() {
		return g.rounded(b, digits)
	}
	if b.IsZero() {
		return g.rounded(a, digits)
	}
	if r, ok := plusWords(&a, &b, gap, digits); ok {
		return r
	}
	if gap < 0 {
		a, b = b, a
	}
	if gap > digits || -gap > digits {
		nearer(&a, &b, digits)
		nearer(&b, &a, digits)
		if a.v.Exponent < b.v.Exponent {
			a, b = b, a
		}
	}
	setCoefficient(&g.a, &a)
	setCoefficient(&g.b, &b)
	if up := int(a.v.Exponent) - int(b.v.Exponent); up > 0 {
		g.product.Mul(&g.a, pow10(up))
		g.a, g.product = g.product, g.a
	}
	negative := a.v.Negative
	if a.v.Negative == b.v.Negative {
		g.a.Add(&g.a, &g.b)
	} else {
		g.a.Sub(&g.a, &g.b)
		if g.a.Sign() < 0 {
			g.a.Neg(&g.a)
			negative = !negative
		}
	}
	return g.round(&g.a, int(b.v.Exponent), negative, digits)
}

// plusShort returns a + b, whose exponents are a gap apart, where all fits one word and the sum is not 0.
func plusShort(a, b *Decimal, gap int) (r Decimal, ok bool) {
	x, y := a.v.Coeff.Uint64(), b.v.Coeff.Uint64()
	r.v.Exponent = b.v.Exponent
	var high, carry uint64
	if gap > 0 {
		high, x = bits.Mul64(x, powersOf10[gap].Uint64())
	} else if gap < 0 {
		r.v.Exponent = a.v.Exponent
		high, y = bits.Mul64(y, powersOf10[-gap].Uint64())
	}
	if high != 0 {
		return r, false
	}
	r.v.Negative = a.v.Negative
	sum := x - y
	switch {
	case a.v.Negative == b.v.Negative:
		sum, carry = bits.Add64(x, y, 0)
	case y > x:
		sum = y - x
		r.v.Negative = b.v.Negative
	}
	r.v.Coeff.SetUint64(sum)
	return r, carry == 0 && sum != 0
}

// nearer replaces b by a number of the same sign closer to a when b is so small that only its sign matters to the
// rounding of a + b to the given digits.
func nearer(a, b *Decimal, digits int) {
	below := min(int(a.v.Exponent), a.adjusted()-digits-2) - 1
	if b.adjusted() < below {
		tiny := Int(1)
		tiny.v.Negative = b.v.Negative
		tiny.v.Exponent = int32(below - 1)
		*b = tiny
	}
}

// times returns a × b rounded once to the given digits.
func (g *registers) times(a, b Decimal, digits int) Decimal {
	if a.IsZero() || b.IsZero() {
		return Decimal{}
	}
	if short(&a) && short(&b) {
		var r Decimal
		if high, low := bits.Mul64(a.v.Coeff.Uint64(), b.v.Coeff.Uint64()); high == 0 {
			r.v.Coeff.SetUint64(low)
			r.v.Exponent = a.v.Exponent + b.v.Exponent
			r.v.Negative = a.v.Negative != b.v.Negative
			return r
		}
		_, _ = exact.Mul(&r.v, &a.v, &b.v) // cannot fail within apd's exponents
		return r
	}
	if r, ok := timesWords(&a, &b, digits); ok {
		return r
	}
	setCoefficient(&g.a, &a)
	setCoefficient(&g.b, &b)
	g.product.Mul(&g.a, &g.b)
	return g.round(&g.product, int(a.v.Exponent)+int(b.v.Exponent), a.v.Negative != b.v.Negative, digits)
}

// over returns a ÷ b rounded once to the given digits, for b other than 0. Exact quotients have no trailing zeros.
func (g *registers) over(a, b Decimal, digits int) Decimal {
	if a.IsZero() {
		return Decimal{}
	}
	var r Decimal
	r.v.Negative = a.v.Negative != b.v.Negative
	exponent := int(a.v.Exponent) - int(b.v.Exponent)
	if short(&a) && short(&b) {
		if x, y := a.v.Coeff.Uint64(), b.v.Coeff.Uint64(); x%y == 0 {
			r.v.Coeff.SetUint64(x / y)
			r.v.Exponent = int32(exponent)
			return r
		}
	}
	setCoefficient(&g.a, &a)
	setCoefficient(&g.b, &b)
	// One or two digits more than asked, and one that tells whether the quotient is exact.
	up := digits + 1 + countDigits(&g.b) - countDigits(&g.a)
	dividend, divisor := &g.a, &g.b
	if up > 0 {
		g.product.Mul(&g.a, pow10(up))
		dividend = &g.product
	} else if up < 0 {
		g.product.Mul(&g.b, pow10(-up))
		divisor = &g.product
	}
	g.quotient.QuoRem(dividend, divisor, &g.rest)
	exponent -= up
	if g.rest.Sign() == 0 {
		r.v.Exponent = int32(exponent + g.cutZeros(&g.quotient))
		setResult(&r, &g.quotient)
		return g.rounded(r, digits)
	}
	g.a.Mul(&g.quotient, pow10(1))
	g.a.SetBit(&g.a, 0, 1)
	return g.round(&g.a, exponent-1, r.v.Negative, digits)
}

// rounded returns d rounded half-even to the given digits.
func (g *registers) rounded(d Decimal, digits int) Decimal {
	if d.v.Coeff.BitLen() <= 3*digits { // fewer digits than that, as 2^3 < 10
		return d
	}
	setCoefficient(&g.a, &d)
	if countDigits(&g.a) <= digits {
		return d
	}
	return g.round(&g.a, int(d.v.Exponent), d.v.Negative, digits)
}

// round returns the number of coefficient x >= 0 rounded half-even to the given digits.
func (g *registers) round(x *big.Int, exponent int, negative bool, digits int) Decimal {
	x, cut := g.shorten(x, digits)
	var r Decimal
	setResult(&r, x)
	r.v.Exponent = int32(exponent + cut)
	r.v.Negative = negative && x.Sign() != 0
	return r
}

// shorten rounds x >= 0 half-even to the given digits and returns it without the cut ones, and their number. The result
// is x itself or quotient.
func (g *registers) shorten(x *big.Int, digits int) (short *big.Int, cut int) {
	if x.BitLen() <= 3*digits {
		return x, 0
	}
	if cut = countDigits(x) - digits; cut <= 0 {
		return x, 0
	}
	unit := pow10(cut)
	g.quotient.QuoRem(x, unit, &g.rest)
	g.rest.Lsh(&g.rest, 1)
	if half := g.rest.Cmp(unit); half > 0 || half == 0 && g.quotient.Bit(0) == 1 {
		g.quotient.Add(&g.quotient, pow10(0))
	}
	return &g.quotient, cut
}

// setResult makes a copy of x >= 0 the coefficient of r, which is 0.
func setResult(r *Decimal, x *big.Int) {
	if list := x.Bits(); len(list) > 2 {
		r.v.Coeff.SetBits(append(make([]big.Word, 0, len(list)), list...))
	} else {
		r.v.Coeff.SetMathBigInt(x)
	}
}

// countDigits returns the number of decimal digits of x > 0.
func countDigits(x *big.Int) int {
	// 30103/100000 is hardly above log10(2), so that 10^n is no more than a tenth above x and at most one power below.
	n := x.BitLen() * 30103 / 100000
	if x.CmpAbs(pow10(n)) >= 0 {
		n++
	}
	return n
}

// cutZeros divides x > 0 by ten while that leaves no remainder, and returns how often.
func (g *registers) cutZeros(x *big.Int) int {
	zeros := 0
	for _, n := range [...]int{32, 16, 8, 4, 2, 1} {
		// A multiple of 10^n is one of 2^n.
		for x.TrailingZeroBits() >= uint(n) {
			g.b.QuoRem(x, pow10(n), &g.rest)
			if g.rest.Sign() != 0 {
				break
			}
			x.Set(&g.b)
			zeros += n
		}
	}
	return zeros
}

// setCoefficient copies the coefficient of d into z.
func setCoefficient(z *big.Int, d *Decimal) {
	z.SetBits(append(z.Bits()[:0], d.v.Coeff.Bits()...))
}

// Add returns a + b.
func (c *Context) Add(a, b Decimal) Decimal {
	if !c.spend(costArithmetic, &a, &b) {
		return Decimal{}
	}
	return c.result(c.kernel().plus(a, b, precision))
}

// Sub returns a - b.
func (c *Context) Sub(a, b Decimal) Decimal {
	if !c.spend(costArithmetic, &a, &b) {
		return Decimal{}
	}
	return c.result(c.kernel().plus(a, b.Neg(), precision))
}

// Mul returns a × b.
func (c *Context) Mul(a, b Decimal) Decimal {
	if !c.spend(costArithmetic, &a, &b) {
		return Decimal{}
	}
	return c.result(c.kernel().times(a, b, precision))
}

// Quo returns a ÷ b. It fails with ErrDivisionByZero, for 0 ÷ 0 too.
func (c *Context) Quo(a, b Decimal) Decimal {
	if !c.spend(costArithmetic, &a, &b) {
		return Decimal{}
	}
	if b.IsZero() {
		return c.Fail(ErrDivisionByZero)
	}
	return c.result(c.kernel().over(a, b, precision))
}

// Mod returns a - b × floor(a / b), which has the sign of b, as spreadsheets have it. The remainder is exact before it is
// rounded, however far apart a and b are; an a next to nothing beside a b of the other sign can therefore round to b
// itself. It fails with ErrDivisionByZero.
func (c *Context) Mod(a, b Decimal) Decimal {
	if !c.spend(costMod, &a, &b) {
		return Decimal{}
	}
	if b.IsZero() {
		return c.Fail(ErrDivisionByZero)
	}
	if a.IsZero() {
		return Decimal{}
	}
	g := c.kernel()
	r := a
	if a.adjusted() >= b.adjusted() {
		setCoefficient(&g.a, &a)
		setCoefficient(&g.b, &b)
		r.v.Exponent = min(a.v.Exponent, b.v.Exponent)
		if up := int64(a.v.Exponent) - int64(b.v.Exponent); up > 0 {
			// (a × 10^up) mod b without writing 10^up out
			scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(up), &g.b)
			g.a.Mul(&g.a, scale)
		} else if up < 0 {
			g.b.Mul(&g.b, pow10(int(-up)))
		}
		g.a.Rem(&g.a, &g.b)
		r.v.Coeff = apd.BigInt{}
		r.v.Coeff.SetMathBigInt(&g.a)
	}
	if !r.IsZero() && a.v.Negative != b.v.Negative {
		return c.result(g.plus(r, b, precision))
	}
	return c.result(g.rounded(r, precision))
}

// Floor returns the largest integer not above a.
func (c *Context) Floor(a Decimal) Decimal { return c.integer(a, apd.RoundFloor) }

// Ceil returns the smallest integer not below a.
func (c *Context) Ceil(a Decimal) Decimal { return c.integer(a, apd.RoundCeiling) }

// Trunc cuts the fraction of a.
func (c *Context) Trunc(a Decimal) Decimal { return c.integer(a, apd.RoundDown) }

func (c *Context) integer(a Decimal, mode apd.Rounder) Decimal {
	if !c.spend(costArithmetic, &a) {
		return Decimal{}
	}
	return c.result(c.kernel().quantize(a, 0, mode))
}

// Round rounds to places decimals (negative: left of the point), ties away from zero.
func (c *Context) Round(a Decimal, places int) Decimal {
	if !c.spend(costArithmetic, &a) {
		return Decimal{}
	}
	exponent := -max(-2*maxExponent, min(2*maxExponent, places))
	return c.result(c.kernel().quantize(a, exponent, apd.RoundHalfUp))
}

// quantize returns the multiple of 10^exponent that a rounds to.
func (g *registers) quantize(a Decimal, exponent int, mode apd.Rounder) Decimal {
	cut := exponent - int(a.v.Exponent)
	if cut <= 0 || a.IsZero() {
		return a
	}
	half := -1 // how the cut digits compare with a half
	g.quotient.SetInt64(0)
	if a.adjusted() >= exponent-1 {
		setCoefficient(&g.a, &a)
		g.quotient.QuoRem(&g.a, pow10(cut), &g.rest)
		if g.rest.Sign() != 0 {
			g.rest.Lsh(&g.rest, 1)
			half = g.rest.Cmp(pow10(cut))
		} else {
			mode = apd.RoundDown
		}
	}
	var r Decimal
	r.v.Negative = a.v.Negative
	r.v.Exponent = int32(exponent)
	r.v.Coeff.SetMathBigInt(&g.quotient)
	if mode.ShouldAddOne(&r.v.Coeff, a.v.Negative, half) {
		var one apd.BigInt
		r.v.Coeff.Add(&r.v.Coeff, one.SetInt64(1))
	}
	return r
}

// reduced returns d without the trailing zeros of its coefficient, which is not 0.
func (g *registers) reduced(d Decimal) Decimal {
	setCoefficient(&g.a, &d)
	zeros := g.cutZeros(&g.a)
	if zeros == 0 {
		return d
	}
	var r Decimal
	r.v.Negative = d.v.Negative
	setResult(&r, &g.a)
	r.v.Exponent = d.v.Exponent + int32(zeros)
	return r
}
