package decimal

import (
	"math/big"

	"github.com/cockroachdb/apd/v3"
)

// The elementary functions work on fixed-point numbers: at 60 digits a big.Int x stands for x /
// 2^256, about 77 decimals. A result that may come near 0 is never computed as a fixed-point number
// alone, which would lose its leading digits, but as a decimal factor of known relative accuracy
// times a fixed-point number near 1.
//
// Between a kernel and its caller values travel as decimals with guard digits, so that compound
// functions such as asinh keep them until their last rounding.
const (
	fractionBits = 256 // at 60 digits
	guardDigits  = 16
	wideDigits   = precision + guardDigits
)

// seriesExponent bounds the arguments that count as small: below 1e-4, where a few terms of a power
// series do.
const seriesExponent = -5

// registers are the big.Ints in which a Context calculates. It keeps them, so that their memory is
// used again. Values pass from one operation or function to the next as decimals: none keeps
// anything in a register while another runs.
type registers struct {
	*constants            // shared, never written to
	start      *registers // at more than 60 digits: what finds first approximations, else nil

	left, right, result    apd.Decimal // of the four operations
	a, b, quotient, rest   big.Int
	product, remainder     big.Int // of single steps
	coefficient, scaled    big.Int // of conversions from and to decimals
	x, y, z, square, other big.Int // of the function at hand
	term, sum, odd         big.Int // of its series
	small                  big.Int // of divide
}

// The wide operations are the steps within a compound function.

func (g *registers) wideAdd(a, b Decimal) (r Decimal) {
	g.plus(&r, &a, &b, g.wide)
	return r
}

func (g *registers) wideMul(a, b Decimal) (r Decimal) {
	if g.wide > wideDigits || !r.timesWords(&a, &b, g.wide) {
		r = g.large((*apd.Context).Mul, &a, &b, g.wide)
	}
	return r
}

func (g *registers) wideQuo(a, b Decimal) (r Decimal) {
	if g.wide > wideDigits || !r.overWords(&a, &b, g.wide) {
		r = g.overLarge(&a, &b, g.wide)
	}
	return r
}

func (g *registers) mul(z, x, y *big.Int) {
	g.product.Mul(x, y)
	z.Rsh(&g.product, g.bits)
}

// divide sets z to x / k, cut towards 0.
func (g *registers) divide(z, x *big.Int, k int64) {
	z.QuoRem(x, g.small.SetInt64(k), &g.remainder)
}

// setDecimal sets z to d, cut towards 0. The magnitude of d must be moderate, as its integer part
// is written out.
func (g *registers) setDecimal(z *big.Int, d *Decimal) {
	exponent := int(d.exponent)
	if d.IsZero() || d.adjusted() < -g.wide-2 {
		z.SetInt64(0)
		return
	}
	d.coefficient(&g.coefficient)
	if exponent >= 0 {
		g.product.Mul(&g.coefficient, pow10(exponent))
		z.Lsh(&g.product, g.bits)
	} else {
		g.product.Lsh(&g.coefficient, g.bits)
		z.QuoRem(&g.product, pow10(-exponent), &g.remainder)
	}
	if d.negative {
		z.Neg(z)
	}
}

// decimal returns x × 10^exponent rounded to the given significant digits.
func (g *registers) decimal(x *big.Int, exponent, digits int) Decimal {
	bits := x.BitLen()
	if bits == 0 {
		return Decimal{}
	}
	// 30103/100000 is log10(2) closely enough for the bits of a fixed-point number: the first digit
	// of |x| stands at 10^first or one above.
	first := floorDiv((bits-1-int(g.bits))*30103, 100000)
	places := digits - 1 - first
	g.scale(x, places)
	if g.scaled.Cmp(pow10(digits)) > 0 {
		places--
		g.scale(x, places)
	}
	var r Decimal
	r.setCoefficient(&g.scaled)
	r.exponent = int32(exponent - places)
	r.negative = x.Sign() < 0
	return r
}

// scale sets scaled to |x| × 10^places, rounded to an integer.
func (g *registers) scale(x *big.Int, places int) {
	if places >= 0 {
		g.coefficient.Mul(x, pow10(places))
	} else {
		g.coefficient.QuoRem(x, pow10(-places), &g.remainder)
	}
	g.coefficient.Abs(&g.coefficient)
	g.coefficient.Add(&g.coefficient, g.half)
	g.scaled.Rsh(&g.coefficient, g.bits)
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// oneHalf is the decimal ½.
var oneHalf = func() Decimal {
	d := Int(5)
	d.exponent = -1
	return d
}()

// newRegisters makes the registers for results of a number of digits.
func newRegisters(digits int) *registers {
	g := &registers{constants: constantsOf(digits)}
	if digits > precision {
		g.start = newRegisters(precision)
	}
	return g
}
