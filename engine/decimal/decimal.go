// Package decimal holds the numbers of the engine: immutable finite decimals, a context that owns precision, limits and
// the first error of a calculation, elementary functions, and the one way numbers are read and written.
package decimal

import (
	"math"
	"math/big"
	"strconv"

	"github.com/cockroachdb/apd/v3"
)

const (
	precision   = 60   // significant digits of every result
	shownDigits = 34   // significant digits of every emitted value
	maxExponent = 6144 // largest magnitude of the adjusted exponent (that of the first digit) of a nonzero number
	maxDigits   = 1000 // most digits of a literal
)

// Decimal is a finite decimal number. It is a value: no method changes it, so that it may be copied and shared freely.
// The zero value is 0.
//
// Copies share the words of large coefficients. That is safe because every operation writes into a fresh coefficient.
// A nonzero number's first digit stands between 1e-6144 and 1e6144; zero always has the exponent 0 and no sign.
type Decimal struct{ v apd.Decimal }

// Int returns i.
func Int(i int64) Decimal {
	var d Decimal
	if i < 0 {
		d.v.Negative = true
		d.v.Coeff.SetUint64(-uint64(i))
	} else {
		d.v.Coeff.SetUint64(uint64(i))
	}
	return d
}

// adjusted is the exponent of the first digit. It has no meaning for 0.
func (d *Decimal) adjusted() int {
	var x big.Int
	x.SetBits(d.v.Coeff.Bits()) // shared, and only read
	return int(d.v.Exponent) + countDigits(&x) - 1
}

// Shown rounds half-even to 34 significant digits, the precision of every emitted value. The few numbers that would
// round up to 1e6145 are cut instead, so that everything shown can be read back.
func (d Decimal) Shown() Decimal {
	if d.v.Coeff.BitLen() <= 3*shownDigits { // fewer digits than that, as 2^3 < 10
		return d
	}
	ctx := apd.Context{
		Precision:   shownDigits,
		MaxExponent: apd.MaxExponent,
		MinExponent: apd.MinExponent,
		Rounding:    apd.RoundHalfEven,
	}
	var r Decimal
	_, _ = ctx.Round(&r.v, &d.v) // cannot fail within apd's exponents
	if r.adjusted() > maxExponent {
		ctx.Rounding = apd.RoundDown
		_, _ = ctx.Round(&r.v, &d.v)
	}
	return r
}

// Sign returns -1, 0 or 1.
func (d Decimal) Sign() int { return d.v.Sign() }

// IsZero reports whether d is 0.
func (d Decimal) IsZero() bool { return d.v.Coeff.Sign() == 0 }

// IsInteger reports whether d has no fraction, however it is written: 3.00 and 3e2 are integers.
func (d Decimal) IsInteger() bool {
	fraction := -int(d.v.Exponent)
	if fraction <= 0 || d.IsZero() {
		return true
	}
	// A multiple of 10^fraction is one of 2^fraction too, and has more digits than fraction.
	if d.v.Coeff.TrailingZeroBits() < uint(fraction) || d.adjusted() < 0 {
		return false
	}
	rest := d.v.Coeff.MathBigInt()
	return rest.Rem(rest, pow10(fraction)).Sign() == 0
}

// Int64 returns d as an int64. It reports false when d has a fraction or does not fit.
func (d Decimal) Int64() (int64, bool) {
	if d.v.Exponent == 0 && d.v.Coeff.BitLen() < 64 {
		i := int64(d.v.Coeff.Uint64())
		if d.v.Negative {
			i = -i
		}
		return i, true
	}
	if !d.IsInteger() || d.adjusted() > 18 {
		return 0, false
	}
	i := d.v.Coeff.MathBigInt()
	if d.v.Exponent >= 0 {
		i.Mul(i, pow10(int(d.v.Exponent)))
	} else {
		i.Quo(i, pow10(-int(d.v.Exponent)))
	}
	if d.v.Negative {
		i.Neg(i)
	}
	return i.Int64(), i.IsInt64()
}

// Cmp returns -1, 0 or 1 as d is less than, equal to or greater than o.
func (d Decimal) Cmp(o Decimal) int { return d.v.Cmp(&o.v) }

// Neg returns -d.
func (d Decimal) Neg() Decimal {
	if !d.IsZero() {
		d.v.Negative = !d.v.Negative
	}
	return d
}

// Abs returns d without its sign.
func (d Decimal) Abs() Decimal {
	d.v.Negative = false
	return d
}

// Float64 returns the nearest float64, for plotting and searching, never for results. Magnitudes beyond its range give
// 0 or an infinity.
func (d Decimal) Float64() float64 {
	if e := d.v.Exponent; e >= -22 && e <= 22 && d.v.Coeff.BitLen() <= 53 {
		// Both operands are exact, so that the one rounding is right.
		f := float64(d.v.Coeff.Uint64())
		if e < 0 {
			f /= math.Pow10(-int(e))
		} else {
			f *= math.Pow10(int(e))
		}
		if d.v.Negative {
			f = -f
		}
		return f
	}
	f, _ := strconv.ParseFloat(d.String(), 64) // out of range it returns the infinity along with its error
	return f
}

// pow10 returns 10^n for n >= 0. It must not be written to.
func pow10(n int) *big.Int {
	if n < len(powersOf10) {
		return &powersOf10[n]
	}
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// powersOf10 holds 10^0 to 10^199. It is never written to again.
var powersOf10 = func() (powers [200]big.Int) {
	powers[0].SetInt64(1)
	ten := big.NewInt(10)
	for i := 1; i < len(powers); i++ {
		powers[i].Mul(&powers[i-1], ten)
	}
	return powers
}()
