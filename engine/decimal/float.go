package decimal

import (
	"math"
	"math/bits"
	"strconv"
)

// mostFives is the greatest power of five that fits four words: 5^110 < 2^256.
const mostFives = 110

// Float64 returns the nearest float64, of two as near the even one, for plotting and searching,
// never for results. Magnitudes beyond its range give 0 or an infinity.
func (d Decimal) Float64() float64 {
	f := 0.0
	switch e := int(d.exponent); {
	case d.zero():
	case d.short() && d.w[0] < 1<<53 && e >= -22 && e <= 22:
		// Both operands are exact, so that the one rounding is right.
		if f = float64(d.w[0]); e < 0 {
			f /= math.Pow10(-e)
		} else {
			f *= math.Pow10(e)
		}
	case d.large == nil && e >= 0 && e <= mostFives:
		var product long
		power := fives(e)
		multiply(&product, &d.w, &power)
		f = nearest(product[:], false, e)
	case d.large == nil && e < 0 && e >= -mostFives:
		power := fives(-e)
		// The quotient has no less than 64 bits.
		up := max(bitLen(power[:])+2*wordBits-1-bitLen(d.w[:]), 0) / wordBits
		var dividend, quotient long
		copy(dividend[up:], d.w[:])
		exact, _ := divide(&quotient, &dividend, &power)
		f = nearest(quotient[:], !exact, e-up*wordBits)
	default:
		f, _ = strconv.ParseFloat(d.String(), 64) // out of range it returns the infinity along with its error
		return f
	}
	if d.negative {
		f = -f
	}
	return f
}

// fives returns 5^n for 0 <= n <= mostFives.
func fives(n int) (power few) {
	tens := &wordPowers[n] // 5^n × 2^n
	words, rest := n/wordBits, uint(n%wordBits)
	for i := range power {
		power[i] = tens[i+words]>>rest | tens[i+words+1]<<(wordBits-rest)
	}
	return power
}

// nearest returns the float64 nearest to x × 2^exponent, which is neither too large nor too small
// for one with 53 bits. more says that there is something below x: it counts where x, which then
// has at least 64 bits, is next to a tie.
func nearest(x []uint64, more bool, exponent int) float64 {
	top := len(x) - 1
	for x[top] == 0 {
		top--
	}
	zeros := uint(bits.LeadingZeros64(x[top]))
	head := x[top] << zeros
	if top > 0 {
		head |= x[top-1] >> (wordBits - zeros)
		more = more || x[top-1]<<zeros != 0
		for _, w := range x[:top-1] {
			more = more || w != 0
		}
	}
	if more {
		head |= 1 // far below the last of 53 bits
	}
	return math.Ldexp(float64(head), exponent+top*wordBits-int(zeros))
}
