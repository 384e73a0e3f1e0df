package decimal

import (
	"math/big"

	"github.com/cockroachdb/apd/v3"
)

// plus sets r to a + b rounded once to the given digits, without writing out the digits between
// numbers far apart.
func (g *registers) plus(r, a, b *Decimal, digits int) {
	if digits > wideDigits || !r.plusWords(a, b, digits) {
		*r = g.plusLarge(*a, *b, digits)
	}
}

// plusLarge is plus by apd, and by words where numbers are only far apart.
func (g *registers) plusLarge(a, b Decimal, digits int) (r Decimal) {
	if gap := int(a.exponent) - int(b.exponent); (gap > digits || -gap > digits) && !a.zero() && !b.zero() {
		nearer(&a, &b, digits)
		nearer(&b, &a, digits)
		if digits <= wideDigits && r.plusWords(&a, &b, digits) {
			return r
		}
	}
	return g.large((*apd.Context).Add, &a, &b, digits)
}

// nearer replaces b by a number of the same sign closer to a when b is so small that only its sign
// matters to the rounding of a + b to the given digits.
func nearer(a, b *Decimal, digits int) {
	below := min(int(a.exponent), a.adjusted()-digits-2) - 1
	if b.adjusted() < below {
		tiny := Int(1)
		tiny.negative = b.negative
		tiny.exponent = int32(below - 1)
		*b = tiny
	}
}

// overLarge returns a ÷ b rounded once to the given digits by apd, for b other than 0. Exact
// quotients have no trailing zeros.
func (g *registers) overLarge(a, b *Decimal, digits int) Decimal {
	r := g.large((*apd.Context).Quo, a, b, digits)
	if r.doubt == 0 && !r.zero() {
		return g.reduced(r)
	}
	return r
}

// rounded returns d rounded half-even to the given digits.
func (g *registers) rounded(d Decimal, digits int) Decimal {
	if d.bitLen() <= 3*digits { // fewer digits than that, as 2^3 < 10
		return d
	}
	if d.large == nil && digits <= wideDigits {
		z := five{d.w[0], d.w[1], d.w[2], d.w[3]}
		d.roundFive(&z, int(d.exponent), d.negative, digits)
		return d
	}
	at := apdContext(digits)
	flags, _ := at.Round(&g.result, d.apd(&g.left))
	return ofApd(&g.result, flags, digits)
}

// cut returns d without the digits after the given ones.
func (g *registers) cut(d Decimal, digits int) Decimal {
	at := apdContext(digits)
	at.Rounding = apd.RoundDown
	flags, _ := at.Round(&g.result, d.apd(&g.left))
	return ofApd(&g.result, flags, digits)
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

func (c *Context) Add(a, b Decimal) (r Decimal) {
	c.SetAdd(&r, &a, &b)
	return r
}

func (c *Context) Sub(a, b Decimal) (r Decimal) {
	c.SetSub(&r, &a, &b)
	return r
}

func (c *Context) Mul(a, b Decimal) (r Decimal) {
	c.SetMul(&r, &a, &b)
	return r
}

// Quo returns a ÷ b. It fails with ErrDivisionByZero, for 0 ÷ 0 too.
func (c *Context) Quo(a, b Decimal) (r Decimal) {
	c.SetQuo(&r, &a, &b)
	return r
}

// SetAdd sets r, which is neither a nor b, to a + b: loops that would copy numbers more than they
// calculate with them call the four operations so.
func (c *Context) SetAdd(r, a, b *Decimal) {
	if !c.pay(a, b) && !c.spend(costArithmetic, a, b) {
		*r = Decimal{}
		return
	}
	if c.digits > precision || !r.plusWords(a, b, precision) {
		*r = c.kernel().plusLarge(*a, *b, c.digits)
	}
	if a.doubt|b.doubt != 0 {
		r.doubtSum(a, b)
	}
	if !r.moderate() {
		c.check(r)
	}
}

// SetSub sets r, which is neither a nor b, to a - b.
func (c *Context) SetSub(r, a, b *Decimal) {
	minus := *b
	minus.negative = !minus.negative // of 0 the sign does not matter here
	c.SetAdd(r, a, &minus)
}

// SetMul sets r, which is neither a nor b, to a × b.
func (c *Context) SetMul(r, a, b *Decimal) {
	if !c.pay(a, b) && !c.spend(costArithmetic, a, b) {
		*r = Decimal{}
		return
	}
	if c.digits > precision || !r.timesWords(a, b, precision) {
		*r = c.kernel().large((*apd.Context).Mul, a, b, c.digits)
	}
	if max(a.doubt, b.doubt) > r.doubt {
		r.doubtProduct(a, b, 1)
	}
	if !r.moderate() {
		c.check(r)
	}
}

// SetQuo sets r, which is neither a nor b, to a ÷ b.
func (c *Context) SetQuo(r, a, b *Decimal) {
	if !c.pay(a, b) && !c.spend(costArithmetic, a, b) {
		*r = Decimal{}
		return
	}
	if b.zero() {
		*r = c.Refuse(ErrDivisionByZero, *b)
		return
	}
	if c.digits > precision || !r.overWords(a, b, precision) {
		*r = c.kernel().overLarge(a, b, c.digits)
	}
	if max(a.doubt, b.doubt) > r.doubt {
		r.doubtProduct(a, b, -1)
	}
	if !r.moderate() {
		c.check(r)
	}
}

// Mod returns a - b × floor(a / b), which has the sign of b, as spreadsheets have it. The remainder
// is exact before it is rounded, however far apart a and b are; an a next to nothing beside a b of
// the other sign can therefore round to b itself. It fails with ErrDivisionByZero.
func (c *Context) Mod(a, b Decimal) Decimal {
	if !c.spend(costMod, &a, &b) {
		return Decimal{}
	}
	if b.IsZero() {
		return c.Refuse(ErrDivisionByZero, b)
	}
	if a.IsZero() {
		return a
	}
	g := c.kernel()
	r := a
	if a.adjusted() >= b.adjusted() {
		a.coefficient(&g.a)
		b.coefficient(&g.b)
		r.exponent = min(a.exponent, b.exponent)
		if up := int64(a.exponent) - int64(b.exponent); up > 0 {
			// (a × 10^up) mod b without writing 10^up out
			scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(up), &g.b)
			g.a.Mul(&g.a, scale)
		} else if up < 0 {
			g.b.Mul(&g.b, pow10(int(-up)))
		}
		g.a.Rem(&g.a, &g.b)
		r.setCoefficient(&g.a)
	}
	r.doubt = 0
	if !r.IsZero() && a.negative != b.negative {
		var sum Decimal
		g.plus(&sum, &r, &b, c.digits)
		r = sum
	}
	r = g.rounded(r, c.digits)
	if a.doubt|b.doubt != 0 {
		// The error of b counts as often as b goes into a.
		least := b.As(allDigits - int(b.doubt))
		least.exponent += int32(a.first() - b.first())
		r.doubtSum(&a, &least)
	}
	return c.result(r)
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
	return c.quantized(a, 0, mode)
}

// quantized is a multiple of 10^exponent. It is exact where 40 digits of a are right and tell it
// from its neighbours; where fewer do, another multiple may be the right one.
func (c *Context) quantized(a Decimal, exponent int, mode apd.Rounder) Decimal {
	r := c.kernel().quantize(a, exponent, mode)
	switch r.doubt = 0; {
	case a.doubt == 0 || a.error() <= max(exponent, a.first())-multipleDigits:
	case r.zero():
		r = around(max(exponent, a.error()))
	default:
		r.doubt = limited(allDigits - r.first() + max(exponent, a.error()))
	}
	return c.result(r)
}

// multipleDigits are the right digits that a number needs to be rounded to a multiple.
const multipleDigits = 40

// Round rounds to places decimals (negative: left of the point), ties away from zero.
func (c *Context) Round(a Decimal, places int) Decimal {
	if !c.spend(costArithmetic, &a) {
		return Decimal{}
	}
	exponent := -max(-2*maxExponent, min(2*maxExponent, places))
	return c.quantized(a, exponent, apd.RoundHalfUp)
}

// quantize returns the multiple of 10^exponent that a rounds to.
func (g *registers) quantize(a Decimal, exponent int, mode apd.Rounder) Decimal {
	cut := exponent - int(a.exponent)
	if cut <= 0 || a.zero() {
		return a
	}
	r := Decimal{negative: a.negative, exponent: int32(exponent)}
	if a.large == nil && cut <= mostFourWords {
		z := five{a.w[0], a.w[1], a.w[2], a.w[3]}
		exact, half := shorten(z[:], cut)
		if !exact && mode.ShouldAddOne(nil, a.negative, half) {
			increase(&z)
		}
		r.w = few(z[:fewWords])
		return r
	}
	half := -1 // how the cut digits compare with a half
	g.quotient.SetInt64(0)
	if a.adjusted() >= exponent-1 {
		a.coefficient(&g.a)
		g.quotient.QuoRem(&g.a, pow10(cut), &g.rest)
		if g.rest.Sign() != 0 {
			g.rest.Lsh(&g.rest, 1)
			half = g.rest.Cmp(pow10(cut))
		} else {
			mode = apd.RoundDown
		}
	}
	if mode.ShouldAddOne(nil, a.negative, half) {
		g.quotient.Add(&g.quotient, pow10(0))
	}
	r.setCoefficient(&g.quotient)
	return r
}

// reduced returns d without the trailing zeros of its coefficient, which is not 0.
func (g *registers) reduced(d Decimal) Decimal {
	if d.large == nil {
		z := five{d.w[0], d.w[1], d.w[2], d.w[3]}
		d.exponent += int32(cutZeros(&z))
		d.w = few(z[:fewWords])
		return d
	}
	zeros := g.cutZeros(d.coefficient(&g.a))
	d.setCoefficient(&g.a)
	d.exponent += int32(zeros)
	return d
}
