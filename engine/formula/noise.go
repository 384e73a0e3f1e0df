package formula

import (
	"math"

	"reckon/engine/decimal"
)

// Numbers know how many of their digits are right. What hardly has one is 0 for a calculation, as
// 10 - 3 * (10 / 3) is, but a value that rests on it asks for more digits. Only what is left of
// rounding at the last precision is 0 for good.
const (
	RightDigits = 40 // of a value that is given out
	LeastDigits = 34 // of one that more digits did not make better
	MostDigits  = 500
)

// Certain is a sum r of parts, or 0 with the error of r where hardly a digit of r is right.
func Certain(c *decimal.Context, r decimal.Decimal, parts ...decimal.Decimal) decimal.Decimal {
	if !r.Vague() {
		return r
	}
	if IsNothing(c, r, parts...) {
		return decimal.Decimal{}
	}
	return r.Lost()
}

// IsNothing reports whether a number without right digits is 0 for good: at the last precision,
// where its error is next to nothing beside 1 and the parts that it was added up from.
func IsNothing(c *decimal.Context, r decimal.Decimal, parts ...decimal.Decimal) bool {
	if c.Digits() < MostDigits {
		return false
	}
	size := decimal.Int(1)
	for _, p := range parts {
		size = Extreme(Decimals{size, p.Abs()}, 1)
	}
	return r.Error().Cmp(c.Mul(size, c.Epsilon(MostDigits/2))) <= 0
}

// whether is the truth of something that numbers decide, in doubt where one of them is.
func whether(b bool, by ...decimal.Decimal) decimal.Decimal {
	t := decimal.Decimal{}
	if b {
		t = decimal.Int(1)
	}
	for _, d := range by {
		if d.Vague() {
			return t.As(0)
		}
	}
	return t
}

// Sized is an expression in float64 and the size of what is added up in it.
func (m *Machine) Sized(n *Node) (value, size float64) {
	switch n.Op {
	case OpAdd, OpSub:
		a, sa := m.Sized(n.Args[0])
		b, sb := m.Sized(n.Args[1])
		if n.Op == OpSub {
			b = -b
		}
		return a + b, sa + sb
	case OpMul:
		a, sa := m.Sized(n.Args[0])
		b, sb := m.Sized(n.Args[1])
		return float64(a * b), float64(sa * sb)
	case OpNeg:
		value, size = m.Sized(n.Args[0])
		return -value, size
	}
	value = m.Float(n)
	size = math.Abs(value)
	if n.Op == OpCall || n.Op == OpPow {
		size = math.Max(size, 1) // a function may be 0 as well as a sum
	}
	return value, size
}
