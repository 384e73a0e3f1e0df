package units

import "reckon/engine/decimal"

// scale is a factor to coherent SI, num / den × pi^pi. Numerator and denominator are whole or
// terminating decimals, so that a factor such as 5/9 is exact, and pi stays a symbol, so that it
// cancels. A factor out of range has num 0.
type scale struct {
	num, den decimal.Decimal
	pi       int
	whole    bool // den is 1
	plain    bool // the factor is 1
}

var (
	one      = decimal.Int(1)
	unscaled = scale{num: one, den: one, whole: true, plain: true}
)

// scaleCost is more than all the arithmetic on factors of one unit can cost.
const scaleCost = 1 << 20

func newScale(num, den decimal.Decimal, pi int) scale {
	whole := den.Cmp(one) == 0
	return scale{num, den, pi, whole, whole && pi == 0 && num.Cmp(one) == 0}
}

// outOfRange marks a factor that no decimal can hold.
var outOfRange = scale{den: one, whole: true}

// valid is false of a factor out of range.
func (s scale) valid() bool { return !s.num.IsZero() }

func (s scale) mul(o scale) scale {
	switch {
	case o.plain:
		return s
	case s.plain:
		return o
	}
	c := decimal.NewContext(scaleCost)
	return checkScale(c, c.Mul(s.num, o.num), product(c, s.den, s.whole, o.den, o.whole), s.pi+o.pi)
}

// equal reports whether two factors are the same.
func (s scale) equal(o scale) bool {
	return s.pi == o.pi && s.num.Cmp(o.num) == 0 && s.den.Cmp(o.den) == 0
}

// product multiplies, leaving out a factor known to be 1.
func product(c *decimal.Context, a decimal.Decimal, aIsOne bool, b decimal.Decimal, bIsOne bool) decimal.Decimal {
	switch {
	case bIsOne:
		return a
	case aIsOne:
		return b
	}
	return c.Mul(a, b)
}

// pow raises a factor; whole powers keep it exact while it fits 60 digits.
func (s scale) pow(num, den int) scale {
	if s.plain || num == 1 && den == 1 {
		return s
	}
	if !s.valid() {
		return outOfRange
	}
	c := decimal.NewContext(scaleCost)
	n := decimal.Int(int64(max(num, -num)))
	a, b, pi := s.num, s.den, s.pi
	if den != 1 {
		if s.pi*num%den != 0 {
			a = c.Mul(a, c.Pow(c.Pi(), decimal.Int(int64(pi))))
			pi = 0
		}
		n = c.Quo(n, decimal.Int(int64(den)))
	}
	pi = pi * num / den
	a, b = c.Pow(a, n), c.Pow(b, n)
	if num < 0 {
		a, b = b, a
	}
	return checkScale(c, a, b, pi)
}

func checkScale(c *decimal.Context, num, den decimal.Decimal, pi int) scale {
	if c.Err() != nil || num.IsZero() || den.IsZero() {
		return outOfRange
	}
	return newScale(num, den, pi)
}

// apply multiplies v by the factor from/to of two units, dividing once. Either may be unscaled.
func apply(c *decimal.Context, v decimal.Decimal, from, to scale) decimal.Decimal {
	if !from.valid() || !to.valid() {
		return c.Fail(decimal.ErrTooLarge)
	}
	if !from.plain {
		v = c.Mul(v, from.num)
	}
	divisor, divides := one, false
	sameDenominator := from.whole && to.whole || !from.whole && !to.whole && from.den.Cmp(to.den) == 0
	if !sameDenominator {
		if !to.whole {
			v = c.Mul(v, to.den)
		}
		if !from.whole {
			divisor, divides = from.den, true
		}
	}
	if !to.plain {
		divisor, divides = product(c, divisor, !divides, to.num, false), true
	}
	switch pi := from.pi - to.pi; {
	case pi > 0:
		v = c.Mul(v, c.Pow(c.Pi(), decimal.Int(int64(pi))))
	case pi < 0:
		divisor = product(c, divisor, !divides, c.Pow(c.Pi(), decimal.Int(int64(-pi))), false)
		divides = true
	}
	if !divides {
		return v
	}
	return c.Quo(v, divisor)
}
