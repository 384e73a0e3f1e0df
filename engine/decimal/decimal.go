// Package decimal holds the numbers of the engine: immutable finite decimals, a context that owns
// precision, limits and the first error of a calculation, elementary functions, and the one way
// numbers are read and written.
package decimal

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"
)

const (
	precision   = 60   // significant digits of every result
	shownDigits = 34   // significant digits of every emitted value
	maxExponent = 6144 // largest magnitude of the adjusted exponent (that of the first digit) of a nonzero number
	maxDigits   = 1000 // most digits of a literal
)

// Decimal is a finite decimal number. It is a value: no method changes it, so that it may be copied
// and shared freely. The zero value is 0.
//
// A coefficient of up to 256 bits, which all results of at most 76 digits have, is held in the
// number itself. Copies share a larger one, which is never written to again. A nonzero number's
// first digit stands between 1e-6144 and 1e6144; zero always has the exponent 0 and no sign.
type Decimal struct {
	w        few      // the coefficient, unless large
	large    *big.Int // the coefficient if it has more than 256 bits, else nil
	exponent int32
	negative bool
	doubt    uint16 // 0 of an exact number, else as doubt.go says
}

func Int(i int64) Decimal {
	if i < 0 {
		return Decimal{w: few{-uint64(i)}, negative: true}
	}
	return Decimal{w: few{uint64(i)}}
}

func (d *Decimal) short() bool { return d.w[1]|d.w[2]|d.w[3] == 0 && d.large == nil }

func (d *Decimal) zero() bool { return d.w[0]|d.w[1]|d.w[2]|d.w[3] == 0 && d.large == nil }

func (d *Decimal) bitLen() int {
	if d.large != nil {
		return d.large.BitLen()
	}
	return bitLen(d.w[:])
}

// trailingZeroBits is the number of factors of two of the coefficient, which is not 0.
func (d *Decimal) trailingZeroBits() int {
	if d.large != nil {
		return int(d.large.TrailingZeroBits())
	}
	zeros := 0
	for _, w := range d.w {
		if w != 0 {
			return zeros + bits.TrailingZeros64(w)
		}
		zeros += wordBits
	}
	return zeros
}

// digits is the number of decimal digits of the coefficient, which is not 0.
func (d *Decimal) digits() int {
	if d.large != nil {
		return countDigits(d.large)
	}
	return digitsOf(d.w[:])
}

// adjusted is the exponent of the first digit. It has no meaning for 0.
func (d *Decimal) adjusted() int {
	if d.zero() {
		return int(d.exponent)
	}
	return int(d.exponent) + d.digits() - 1
}

// coefficient copies the coefficient into z and returns it.
func (d *Decimal) coefficient(z *big.Int) *big.Int {
	if d.large != nil {
		return z.Set(d.large)
	}
	list := z.Bits()[:0]
	for _, w := range d.w {
		list = append(list, big.Word(w))
		if bits.UintSize < wordBits {
			list = append(list, big.Word(w>>(wordBits/2)))
		}
	}
	return z.SetBits(list)
}

// setCoefficient makes a copy of |x| the coefficient.
func (d *Decimal) setCoefficient(x *big.Int) {
	d.w, d.large = few{}, nil
	if x.BitLen() > fewWords*wordBits {
		d.large = new(big.Int).Abs(x)
		return
	}
	for i, w := range x.Bits() {
		if bits.UintSize == wordBits {
			d.w[i] = uint64(w)
		} else {
			d.w[i/2] |= uint64(w) << (i % 2 * (wordBits / 2))
		}
	}
}

// Shown rounds half-even to 34 significant digits, the precision of every emitted value. The few
// numbers that would round up to 1e6145 are cut instead, so that everything shown can be read back.
func (d Decimal) Shown() Decimal {
	limit := &wordPowers[shownDigits]
	if d.large == nil && d.w[3]|d.w[2] == 0 && less(d.w[:2], limit[:2]) {
		return d
	}
	var r Decimal
	if d.large == nil {
		z := five{d.w[0], d.w[1], d.w[2], d.w[3]}
		r.roundFive(&z, int(d.exponent), d.negative, shownDigits)
	} else {
		r = new(registers).rounded(d, shownDigits)
	}
	if r.w == few(limit[:fewWords]) { // rounded up to one digit more
		r.w = few(wordPowers[shownDigits-1][:fewWords])
		r.exponent++
	}
	if int(r.exponent)+shownDigits-1 > maxExponent {
		return new(registers).cut(d, shownDigits)
	}
	return r
}

// Sign returns -1, 0 or 1.
func (d Decimal) Sign() int {
	switch {
	case d.zero():
		return 0
	case d.negative:
		return -1
	}
	return 1
}

func (d Decimal) IsZero() bool { return d.zero() }

// Extent returns the powers of ten that the first and the last digit stand at: 2 and -1 for 123.4.
// It has no meaning for 0.
func (d Decimal) Extent() (first, last int) { return d.adjusted(), int(d.exponent) }

// IsInteger reports whether d has no fraction, however it is written: 3.00 and 3e2 are integers.
func (d Decimal) IsInteger() bool {
	fraction := -int(d.exponent)
	if fraction <= 0 || d.zero() {
		return true
	}
	// A multiple of 10^fraction is one of 2^fraction too, and has more digits than fraction.
	if d.trailingZeroBits() < fraction || d.adjusted() < 0 {
		return false
	}
	if d.short() {
		return d.w[0]%wordPowers[fraction][0] == 0
	}
	rest := d.coefficient(new(big.Int))
	return rest.Rem(rest, pow10(fraction)).Sign() == 0
}

// Int64 returns d as an int64. It reports false when d has a fraction or does not fit.
func (d Decimal) Int64() (int64, bool) {
	if d.exponent == 0 && d.short() && d.w[0] <= math.MaxInt64 {
		i := int64(d.w[0])
		if d.negative {
			i = -i
		}
		return i, true
	}
	if !d.IsInteger() || d.adjusted() > 18 {
		return 0, false
	}
	i := d.coefficient(new(big.Int))
	if d.exponent >= 0 {
		i.Mul(i, pow10(int(d.exponent)))
	} else {
		i.Quo(i, pow10(-int(d.exponent)))
	}
	if d.negative {
		i.Neg(i)
	}
	return i.Int64(), i.IsInt64()
}

// Cmp returns -1, 0 or 1 as d is less than, equal to or greater than o.
func (d Decimal) Cmp(o Decimal) int {
	sign := d.Sign()
	if other := o.Sign(); sign != other {
		return cmp.Compare(sign, other)
	}
	if sign == 0 {
		return 0
	}
	return sign * compareMagnitude(&d, &o)
}

// compareMagnitude compares |a| with |b|, which are not 0.
func compareMagnitude(a, b *Decimal) int {
	gap := int(a.exponent) - int(b.exponent)
	if a.large == nil && b.large == nil && gap >= -mostOneWord && gap <= mostOneWord {
		x := five{a.w[0], a.w[1], a.w[2], a.w[3]}
		y := five{b.w[0], b.w[1], b.w[2], b.w[3]}
		if gap > 0 {
			scale(&x, &a.w, wordPowers[gap][0])
		} else if gap < 0 {
			scale(&y, &b.w, wordPowers[-gap][0])
		}
		for i := len(x) - 1; i >= 0; i-- {
			if x[i] != y[i] {
				return cmp.Compare(x[i], y[i])
			}
		}
		return 0
	}
	if first := cmp.Compare(a.adjusted(), b.adjusted()); first != 0 {
		return first
	}
	// The first digits stand at one place, so that the exponents are no further apart than the longer
	// one has digits.
	x, y := a.coefficient(new(big.Int)), b.coefficient(new(big.Int))
	if gap > 0 {
		x.Mul(x, pow10(gap))
	} else if gap < 0 {
		y.Mul(y, pow10(-gap))
	}
	return x.Cmp(y)
}

func (d Decimal) Neg() Decimal {
	if !d.IsZero() {
		d.negative = !d.negative
	}
	return d
}

func (d Decimal) Abs() Decimal {
	d.negative = false
	return d
}
