package decimal

import (
	"math"
	"math/big"
)

// Sqrt returns the square root, rounded once and exact for squares. It fails with an UndefinedError
// for a < 0.
func (c *Context) Sqrt(a Decimal) Decimal {
	if !c.spend(costRoot, &a) {
		return Decimal{}
	}
	if a.Sign() < 0 {
		return c.Refuse(&UndefinedError{Function: "sqrt", Argument: a}, a)
	}
	return c.finish(c.kernel().root(a, 2, c.digits)).from(&a, 0)
}

// Cbrt returns the real cube root, which has the sign of a, rounded once and exact for cubes.
func (c *Context) Cbrt(a Decimal) Decimal {
	if !c.spend(costRoot, &a) {
		return Decimal{}
	}
	return c.finish(c.kernel().root(a, 3, c.digits)).from(&a, 0)
}

func (g *registers) wideSqrt(a Decimal) Decimal { return g.root(a, 2, g.wide) }

// root returns the root of degree 2 or 3 to some more than the given digits: the integer root of
// the scaled coefficient, with one more digit that is not 0 when the root is not exact, so that one
// later rounding is right.
func (g *registers) root(a Decimal, degree, digits int) Decimal {
	if a.IsZero() {
		return Decimal{}
	}
	// The coefficient needs degree × digits digits, and the exponent must be a multiple of the degree.
	up := max(0, degree*digits-a.digits()+degree)
	exponent := int(a.exponent) - up
	if odd := exponent - floorDiv(exponent, degree)*degree; odd > 0 {
		up += odd
		exponent -= odd
	}
	x, r, power := &g.x, &g.y, &g.z
	a.coefficient(x)
	if up > 0 {
		g.product.Mul(x, pow10(up))
		x = &g.product
	}
	g.integerRoot(r, x, degree)
	power.Mul(r, r)
	if degree == 3 {
		g.a.Mul(power, r)
		power = &g.a
	}
	exponent /= degree
	if power.Cmp(x) != 0 {
		g.a.Mul(r, pow10(1))
		r.SetBit(&g.a, 0, 1)
		exponent--
	}
	var d Decimal
	d.setCoefficient(r)
	d.exponent = int32(exponent)
	d.negative = a.negative
	return d
}

// integerRoot sets r to the integer root of degree 2 or 3 of x > 0 by Newton's iteration (Brent and
// Zimmermann, Modern Computer Arithmetic, algorithm 1.14), which falls to the root from any start
// that is not below it.
func (g *registers) integerRoot(r, x *big.Int, degree int) {
	// The start has about 50 right bits and is a little too large. Its last bits may differ between
	// machines, the root does not.
	shift := max(0, x.BitLen()-60)
	shift -= shift % degree
	start := float64(g.rest.Rsh(x, uint(shift)).Uint64()) + 1
	if degree == 2 {
		start = math.Sqrt(start)
	} else {
		start = math.Cbrt(start)
	}
	const scale = 24 // roots of 2^63 have less than 40 bits
	r.SetUint64(uint64(start*(1+1.0/(1<<49))*(1<<scale)) + 1)
	if up := shift/degree - scale; up >= 0 {
		r.Lsh(r, uint(up))
	} else {
		r.Rsh(r, uint(-up))
		r.Add(r, pow10(0))
	}
	for {
		// (x / r^(degree − 1) + (degree − 1) r) / degree
		divisor := r
		g.b.Set(r)
		if degree == 3 {
			divisor = g.a.Mul(r, r)
			g.b.Lsh(r, 1)
		}
		g.quotient.QuoRem(x, divisor, &g.rest)
		g.b.Add(&g.b, &g.quotient)
		if degree == 2 {
			g.quotient.Rsh(&g.b, 1)
		} else {
			g.divide(&g.quotient, &g.b, 3)
		}
		if g.quotient.Cmp(r) >= 0 {
			return
		}
		r.Set(&g.quotient)
	}
}
