package formula

import (
	"math"

	"reckon/engine/decimal"
)

// Numbers know how many of their digits are right. What hardly has one is 0 for a calculation, as
// 10 - 3 * (10 / 3) is, but a value that rests on it asks for more digits. Only what is left of
// rounding at the last precision is 0 for good: at Enough digits.
const (
	RightDigits = 40  // of a value that is given out
	LeastDigits = 34  // of one that more digits did not make better
	MostDigits  = 500 // of a calculation whose numbers are not very far from 1
)

// Enough is the number of digits of which one would be right in every result that is not 0. It is a
// rule of thumb: a difference of numbers made of those up to 10^n is 0 or hardly below 10^-2n, as
// sqrt(x^2 + 1) - x is above 1/(3 x), and it takes n digits more to reach from the numbers to
// there. (Bounds that are proved exist for roots, and for exponentials none at all.)
func Enough(c *decimal.Context) int { return max(MostDigits, 3*c.Reach()+200) }

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
	size := 0
	for _, p := range parts {
		c.Note(p)
		if first, _ := p.Extent(); !p.IsZero() {
			size = max(size, first)
		}
	}
	return c.Digits() >= Enough(c) && r.ErrorExponent() <= size-max(MostDigits/2, 2*c.Reach())
}

// nothingInDigits is how many digits smaller than its column a number without right digits is at
// least, where it is nothing.
const nothingInDigits = 2 * RightDigits

// IsNothingIn reports whether a number without right digits is next to nothing beside those of a
// column of a table: as the last balance of a loan whose payment was found so that nothing is left.
func IsNothingIn(g Grid, column int, r decimal.Decimal) bool {
	size := math.MinInt
	for _, row := range g.Rows {
		if column < len(row) && !row[column].Empty && !row[column].Number.IsZero() && !row[column].Number.Vague() {
			first, _ := row[column].Number.Extent()
			size = max(size, first)
		}
	}
	return size > math.MinInt && r.ErrorExponent() <= size-nothingInDigits
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
