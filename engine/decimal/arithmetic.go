package decimal

import "math/big"

// plus sets r to a + b rounded once to the given digits, without writing out the digits between numbers far apart.
func (g *registers) plus(r, a, b *Decimal, digits int) {
	if !r.plusWords(a, b, digits) {
		*r = g.plusLarge(*a, *b, digits)
	}
}

// plusLarge is plus by big.Int.
func (g *registers) plusLarge(a, b Decimal, digits int) Decimal {
	switch {
	case a.zero():
		return g.rounded(b, digits)
	case b.zero():
		return g.rounded(a, digits)
	}
	gap := int(a.exponent) - int(b.exponent)
	if gap < 0 {
		a, b = b, a
	}
	if gap > digits || -gap > digits {
		nearer(&a, &b, digits)
		nearer(&b, &a, digits)
		if a.exponent < b.exponent {
			a, b = b, a
		}
	}
	a.coefficient(&g.a)
	b.coefficient(&g.b)
	if up := int(a.exponent) - int(b.exponent); up > 0 {
		g.product.Mul(&g.a, pow10(up))
		g.a, g.product = g.product, g.a
	}
	negative := a.negative
	if a.negative == b.negative {
		g.a.Add(&g.a, &g.b)
	} else {
		g.a.Sub(&g.a, &g.b)
		if g.a.Sign() < 0 {
			g.a.Neg(&g.a)
			negative = !negative
		}
	}
	return g.round(&g.a, int(b.exponent), negative, digits)
}

// nearer replaces b by a number of the same sign closer to a when b is so small that only its sign matters to the
// rounding of a + b to the given digits.
func nearer(a, b *Decimal, digits int) {
	below := min(int(a.exponent), a.adjusted()-digits-2) - 1
	if b.adjusted() < below {
		tiny := Int(1)
		tiny.negative = b.negative
		tiny.exponent = int32(below - 1)
		*b = tiny
	}
}

// times sets r to a × b rounded once to the given digits.
func (g *registers) times(r, a, b *Decimal, digits int) {
	if !r.timesWords(a, b, digits) {
		*r = g.timesLarge(a, b, digits)
	}
}

// timesLarge is times by big.Int.
func (g *registers) timesLarge(a, b *Decimal, digits int) Decimal {
	if a.zero() || b.zero() {
		return Decimal{}
	}
	a.coefficient(&g.a)
	b.coefficient(&g.b)
	g.product.Mul(&g.a, &g.b)
	return g.round(&g.product, int(a.exponent)+int(b.exponent), a.negative != b.negative, digits)
}

// over sets r to a ÷ b rounded once to the given digits, for b other than 0. Exact quotients have no trailing zeros.
func (g *registers) over(r, a, b *Decimal, digits int) {
	if !r.overWords(a, b, digits) {
		*r = g.overLarge(a, b, digits)
	}
}

// overLarge is over by big.Int.
func (g *registers) overLarge(a, b *Decimal, digits int) (r Decimal) {
	if a.zero() {
		return r
	}
	r.negative = a.negative != b.negative
	exponent := int(a.exponent) - int(b.exponent)
	a.coefficient(&g.a)
	b.coefficient(&g.b)
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
		r.exponent = int32(exponent + g.cutZeros(&g.quotient))
		r.setCoefficient(&g.quotient)
		return g.rounded(r, digits)
	}
	g.a.Mul(&g.quotient, pow10(1))
	g.a.SetBit(&g.a, 0, 1)
	return g.round(&g.a, exponent-1, r.negative, digits)
}

// rounded returns d rounded half-even to the given digits.
func (g *registers) rounded(d Decimal, digits int) Decimal {
	if d.bitLen() <= 3*digits { // fewer digits than that, as 2^3 < 10
		return d
	}
	if d.large == nil {
		z := five{d.w[0], d.w[1], d.w[2], d.w[3]}
		d.roundFive(&z, int(d.exponent), d.negative, digits)
		return d
	}
	return g.round(d.coefficient(&g.a), int(d.exponent), d.negative, digits)
}

// cut returns d without the digits after the given ones.
func (g *registers) cut(d Decimal, digits int) Decimal {
	cut := max(0, d.digits()-digits)
	g.quotient.Quo(d.coefficient(&g.a), pow10(cut))
	d.setCoefficient(&g.quotient)
	d.exponent += int32(cut)
	return d
}

// round returns the number of coefficient x >= 0 rounded half-even to the given digits.
func (g *registers) round(x *big.Int, exponent int, negative bool, digits int) Decimal {
	x, cut := g.shorten(x, digits)
	var r Decimal
	r.setCoefficient(x)
	r.exponent = int32(exponent + cut)
	r.negative = negative && x.Sign() != 0
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

// Add returns a + b.
func (c *Context) Add(a, b Decimal) (r Decimal) {
	if c.pay(&a, &b) {
		if !r.plusWords(&a, &b, precision) {
			r = c.kernel().plusLarge(a, b, precision)
		}
		c.check(&r)
	}
	return r
}

// Sub returns a - b.
func (c *Context) Sub(a, b Decimal) (r Decimal) {
	if c.pay(&a, &b) {
		b.negative = !b.negative // of 0 the sign does not matter here
		if !r.plusWords(&a, &b, precision) {
			r = c.kernel().plusLarge(a, b, precision)
		}
		c.check(&r)
	}
	return r
}

// Mul returns a × b.
func (c *Context) Mul(a, b Decimal) (r Decimal) {
	if c.pay(&a, &b) {
		c.kernel().times(&r, &a, &b, precision)
		c.check(&r)
	}
	return r
}

// Quo returns a ÷ b. It fails with ErrDivisionByZero, for 0 ÷ 0 too.
func (c *Context) Quo(a, b Decimal) (r Decimal) {
	if c.pay(&a, &b) {
		if b.zero() {
			return c.Fail(ErrDivisionByZero)
		}
		c.kernel().over(&r, &a, &b, precision)
		c.check(&r)
	}
	return r
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
	if !r.IsZero() && a.negative != b.negative {
		var sum Decimal
		g.plus(&sum, &r, &b, precision)
		return c.result(sum)
	}
	return c.result(g.rounded(r, precision))
}

// Floor returns the largest integer not above a.
func (c *Context) Floor(a Decimal) Decimal { return c.integer(a, floor) }

// Ceil returns the smallest integer not below a.
func (c *Context) Ceil(a Decimal) Decimal { return c.integer(a, ceiling) }

// Trunc cuts the fraction of a.
func (c *Context) Trunc(a Decimal) Decimal { return c.integer(a, down) }

func (c *Context) integer(a Decimal, mode rounding) Decimal {
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
	return c.result(c.kernel().quantize(a, exponent, halfUp))
}

// rounding is what becomes of digits that are cut off, not all of them 0.
type rounding int

const (
	down    rounding = iota // they are dropped
	floor                   // a negative number goes to the next multiple
	ceiling                 // a positive one does
	halfUp                  // a half and more do
)

// away reports whether a number goes to the next multiple from 0, given how the digits cut off compare with a half.
func (mode rounding) away(negative bool, half int) bool {
	switch mode {
	case floor:
		return negative
	case ceiling:
		return !negative
	case halfUp:
		return half >= 0
	}
	return false
}

// quantize returns the multiple of 10^exponent that a rounds to.
func (g *registers) quantize(a Decimal, exponent int, mode rounding) Decimal {
	cut := exponent - int(a.exponent)
	if cut <= 0 || a.zero() {
		return a
	}
	r := Decimal{negative: a.negative, exponent: int32(exponent)}
	if a.large == nil && cut <= mostFourWords {
		z := five{a.w[0], a.w[1], a.w[2], a.w[3]}
		exact, half := shorten(z[:], cut)
		if !exact && mode.away(a.negative, half) {
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
			mode = down
		}
	}
	if mode.away(a.negative, half) {
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
