package decimal

import (
	"math/bits"
	"strconv"
)

// maxSquaringPower is the largest integer power that is multiplied out.
const maxSquaringPower = 10_000

// Pow returns a^b: integer powers up to 10,000 by squaring, exact while they fit, ½ as Sqrt, others
// as e^(b ln |a|); 0^0 is 1. It fails with ErrDivisionByZero for a negative power of 0, with an
// UndefinedError for a power of a negative number that is not an integer (a cube root is Cbrt), and
// with ErrTooLarge before computing a result out of range.
func (c *Context) Pow(a, b Decimal) Decimal {
	if n, ok := b.Int64(); ok && n >= -maxSquaringPower && n <= maxSquaringPower {
		return c.powInteger(a, int(n)).from(&b, logDigits(&a, &b))
	}
	if b.Cmp(oneHalf) == 0 && a.Sign() >= 0 {
		return c.Sqrt(a).from(&b, logDigits(&a, &b))
	}
	if !c.spend(costPow, &a, &b) {
		return Decimal{}
	}
	if a.IsZero() {
		if b.Sign() < 0 {
			return c.Refuse(ErrDivisionByZero, a)
		}
		return Decimal{}.from(&a, 0)
	}
	negative := false
	if a.Sign() < 0 {
		if !b.IsInteger() {
			return c.Refuse(&UndefinedError{Function: "pow", Argument: a}, a, b)
		}
		negative = c.kernel().isOdd(b)
		a = a.Abs()
	}
	g := c.kernel()
	r := Int(1)
	exponent := g.wideMul(b, g.ln(a, g.wide))
	if !exponent.IsZero() {
		if expOutOfRange(&exponent) {
			return c.Refuse(ErrTooLarge, a, b)
		}
		r = g.exp(exponent, c.digits)
	}
	if negative {
		r = r.Neg()
	}
	return c.approximate(r, &a, b.first()-1).from(&b, exponent.first()-1)
}

// logDigits is the number of digits of b ln a at most.
func logDigits(a, b *Decimal) int {
	size := Int(int64(3 * (1 + max(a.first(), -a.first()))))
	return b.first() + size.first()
}

// isOdd reports whether an integer is odd.
func (g *registers) isOdd(a Decimal) bool {
	a = g.reduced(a)
	return a.exponent == 0 && a.trailingZeroBits() == 0
}

// powInteger multiplies a^n out, from the first bit of n on. Each product keeps guard digits, of
// which 10,000 multiplications cost four.
func (c *Context) powInteger(a Decimal, n int) Decimal {
	m := n
	if n < 0 {
		m = -n
	}
	if !c.spend(costArithmetic+bits.Len(uint(m)), &a) {
		return Decimal{}
	}
	switch {
	case n == 0:
		return Int(1)
	case a.IsZero():
		if n < 0 {
			return c.Refuse(ErrDivisionByZero, a)
		}
		if a.IsExact() {
			return Decimal{}
		}
		return around(m * a.error())
	case n == 1:
		return c.finish(a).from(&a, 0)
	}
	g := c.kernel()
	given := a
	a = g.reduced(a)
	// |a|^m lies between 10^(first × m) and 10^((first + 1) × m).
	if first := a.adjusted(); first*m > maxExponent+1 || (first+1)*m < -maxExponent-1 {
		return c.Fail(ErrTooLarge)
	}
	x, rounded := a, false
	for bit := bits.Len(uint(m)) - 2; bit >= 0; bit-- {
		x = g.wideMul(x, x)
		rounded = rounded || x.doubt != 0
		if m>>bit&1 == 1 {
			x = g.wideMul(x, a)
			rounded = rounded || x.doubt != 0
		}
	}
	if n < 0 {
		x = g.wideQuo(Int(1), g.rounded(x, g.wide))
		rounded = rounded || x.doubt != 0
	}
	x = c.finish(x)
	if rounded {
		x.doubt = doubtAt(c.digits)
	}
	return x.from(&given, len(strconv.Itoa(m))-1)
}
