package decimal

import (
	"math/big"

	"github.com/cockroachdb/apd/v3"
)

// What does not fit four words, coefficients of more than 256 bits and results of more than 60
// digits, is added, multiplied, divided and rounded by apd.

func apdContext(digits int) apd.Context {
	return apd.Context{Precision: uint32(digits), MaxExponent: apd.MaxExponent, MinExponent: apd.MinExponent, Rounding: apd.RoundHalfEven}
}

// apd sets z to d and returns it.
func (d *Decimal) apd(z *apd.Decimal) *apd.Decimal {
	if d.large != nil {
		z.Coeff.SetMathBigInt(d.large)
	} else {
		z.Coeff.SetMathBigInt(d.coefficient(new(big.Int)))
	}
	z.Form, z.Exponent, z.Negative = apd.Finite, d.exponent, d.negative
	return z
}

// ofApd is a result of apd that was rounded to the given digits.
func ofApd(z *apd.Decimal, flags apd.Condition, digits int) Decimal {
	d := Decimal{exponent: z.Exponent, negative: z.Negative && z.Coeff.Sign() != 0}
	d.setCoefficient(z.Coeff.MathBigInt())
	if flags.Inexact() {
		d.doubt = doubtAt(digits)
	}
	return d
}

// large does an operation of apd, rounded half-even once. The limits keep apd far from its own.
func (g *registers) large(op func(c *apd.Context, d, x, y *apd.Decimal) (apd.Condition, error), a, b *Decimal, digits int) Decimal {
	at := apdContext(digits)
	flags, _ := op(&at, &g.result, a.apd(&g.left), b.apd(&g.right))
	return ofApd(&g.result, flags, digits)
}
