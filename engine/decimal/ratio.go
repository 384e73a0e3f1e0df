package decimal

import (
	"math"
	"math/big"
)

// Integral returns the integer and the power of ten whose product d is, the integer without
// trailing zeros. It reports false where d is not exact or the integer is 2^61 or larger.
func (d Decimal) Integral() (integer int64, exponent int, ok bool) {
	if d.doubt != 0 || d.large != nil {
		return 0, 0, false
	}
	z := five{d.w[0], d.w[1], d.w[2], d.w[3]}
	if d.zero() {
		return 0, 0, true
	}
	exponent = int(d.exponent)
	if !d.short() || d.w[0]%10 == 0 {
		exponent += cutZeros(&z)
	}
	if z[1]|z[2]|z[3] != 0 || z[0] >= 1<<61 {
		return 0, 0, false
	}
	if integer = int64(z[0]); d.negative {
		integer = -integer
	}
	return integer, exponent, true
}

// Scaled returns d × 10^exponent as an integer; false where that is none, or d is not exact or
// 10^exponent far larger than numbers are.
func (d Decimal) Scaled(exponent int) (*big.Int, bool) {
	z := d.coefficient(new(big.Int))
	up := int(d.exponent) + exponent
	if d.doubt != 0 || up > precision || up < -precision {
		return nil, d.doubt == 0 && d.zero()
	}
	if up > 0 {
		z.Mul(z, pow10(up))
	} else if up < 0 {
		rest := new(big.Int)
		if z.QuoRem(z, pow10(-up), rest); rest.Sign() != 0 {
			return nil, false
		}
	}
	if d.negative {
		z.Neg(z)
	}
	return z, true
}

// Ratio returns num ÷ den × 10^exponent rounded once, exact where it fits. den is not 0.
func (c *Context) Ratio(num, den *big.Int, exponent int) Decimal {
	if !c.Spend(costArithmetic + (num.BitLen()+den.BitLen())/longBits) {
		return Decimal{}
	}
	if exponent < math.MinInt32/2 || exponent > math.MaxInt32/2 {
		return c.Fail(ErrTooLarge)
	}
	var a, b, r Decimal
	a.setCoefficient(num)
	b.setCoefficient(den)
	if a.zero() {
		return a
	}
	a.negative = num.Sign() != den.Sign()
	if c.digits > precision || !r.overWords(&a, &b, precision) {
		r = c.kernel().overLarge(&a, &b, c.digits)
	}
	r.exponent += int32(exponent)
	return c.result(r)
}

// Shifted returns d × 10^n, for an n that is small beside the exponents that numbers may have.
func (d Decimal) Shifted(n int) Decimal {
	if !d.zero() {
		d.exponent += int32(n)
	}
	return d
}
