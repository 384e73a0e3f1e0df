package formula

import (
	"math"

	"reckon/engine/decimal"
)

// roundoff is what one operation may change in the last places, relative.
const roundoff = 1e-59

// What is left of a sum of rounded numbers is rounding where it lies more than sumDigits below the largest of them.
const (
	sumDigits     = 56
	roundedDigits = 59 // a number with as many may be rounded
	doubtDigits   = 24 // what cancels fewer digits of its two parts is no rounding
)

// sum is the value of a sum or difference n whose parts come to a and b: zero where rounding alone may have kept numbers
// from cancelling, as in 10 - 3 * (10 / 3). Exact numbers cancel exactly.
func (m *Machine) sum(n *Node, a, b decimal.Decimal) decimal.Decimal {
	r := m.Context.Add(a, b)
	if cancelled(r, a, doubtDigits) || cancelled(r, b, doubtDigits) {
		var t terms
		m.add(&t, n)
		if t.cancel(r) {
			return decimal.Decimal{}
		}
	}
	return r
}

// Difference is a - b, zero where that may be the work of rounding.
func (m *Machine) Difference(a, b decimal.Decimal) decimal.Decimal {
	r := m.Context.Sub(a, b)
	if (isRounded(a) || isRounded(b)) && cancelled(r, a, sumDigits) {
		return decimal.Decimal{}
	}
	return r
}

// cancelled reports whether a sum lies so many digits below one of its terms.
func cancelled(sum, term decimal.Decimal, digits int) bool {
	if sum.IsZero() || term.IsZero() {
		return false
	}
	small, _ := sum.Extent()
	large, _ := term.Extent()
	return small < large-digits
}

// isRounded reports whether a number has so many digits that it may be rounded.
func isRounded(d decimal.Decimal) bool {
	first, last := d.Extent()
	return first-last+1 >= roundedDigits
}

// terms are the numbers that make up a sum.
type terms struct {
	largest decimal.Decimal // its magnitude
	rounded bool            // one of them may be
}

// add goes through what is added up in n.
func (m *Machine) add(t *terms, n *Node) {
	switch n.Op {
	case OpAdd, OpSub, OpNeg:
		for _, a := range n.Args {
			m.add(t, a)
		}
		return
	}
	t.take(m.Value(n))
}

func (t *terms) take(d decimal.Decimal) {
	t.rounded = t.rounded || isRounded(d)
	if d.Abs().Cmp(t.largest) > 0 {
		t.largest = d.Abs()
	}
}

// cancel reports whether what the terms add up to may be the work of rounding.
func (t *terms) cancel(sum decimal.Decimal) bool {
	return t.rounded && cancelled(sum, t.largest, sumDigits)
}

// rounded is a value in float64 and a bound of what rounding in decimal has changed in it.
type rounded struct{ value, Error float64 }

// Noise follows the errors of rounding through an expression (Higham, Accuracy and Stability of Numerical Algorithms,
// 2002, section 3.3).
func (m *Machine) Noise(n *Node) rounded {
	value := m.Float(n)
	own := roundoff * math.Abs(value)
	var a, b rounded
	switch n.Op {
	case OpAdd, OpSub, OpMul, OpDiv, OpPow:
		a, b = m.Noise(n.Args[0]), m.Noise(n.Args[1])
	}
	switch n.Op {
	case OpAdd, OpSub:
		return rounded{value, own + a.Error + b.Error}
	case OpMul:
		return rounded{value, own + a.Error*math.Abs(b.value) + b.Error*math.Abs(a.value)}
	case OpDiv:
		return rounded{value, own + (a.Error+b.Error*math.Abs(value))/math.Abs(b.value)}
	case OpPow:
		relative := 0.0
		if a.Error > 0 {
			relative += math.Abs(b.value) * a.Error / math.Abs(a.value)
		}
		if b.Error > 0 {
			relative += math.Abs(math.Log(math.Abs(a.value))) * b.Error
		}
		return rounded{value, own + relative*math.Abs(value)}
	case OpNeg, OpPercent:
		return rounded{value, m.Noise(n.Args[0]).Error}
	case OpCall:
		if n.Function.Lazy {
			if m.Float(n.Args[0]) == 0 {
				return m.Noise(n.Args[2])
			}
			return m.Noise(n.Args[1])
		}
		if n.Function.Float == nil {
			return rounded{value, own}
		}
		args := make([]float64, len(n.Args))
		errs := make([]float64, len(n.Args))
		for i, arg := range n.Args {
			r := m.Noise(arg)
			args[i], errs[i] = r.value, r.Error
		}
		for i, x := range args {
			h := 1e-6 * math.Abs(x)
			if errs[i] == 0 || h == 0 {
				continue
			}
			args[i] = x + h
			up := n.Function.Float(args)
			args[i] = x - h
			if slope := (up - n.Function.Float(args)) / (2 * h); !math.IsNaN(slope) {
				own += math.Abs(slope) * errs[i]
			}
			args[i] = x
		}
		return rounded{value, own}
	}
	return rounded{value: value}
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
