package engine

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
func (m *machine) sum(n *node, a, b decimal.Decimal) decimal.Decimal {
	r := m.c.Add(a, b)
	if cancelled(r, a, doubtDigits) || cancelled(r, b, doubtDigits) {
		var t terms
		m.add(&t, n)
		if t.cancel(r) {
			return decimal.Decimal{}
		}
	}
	return r
}

// difference is a - b, zero where that may be the work of rounding.
func (m *machine) difference(a, b decimal.Decimal) decimal.Decimal {
	r := m.c.Sub(a, b)
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
func (m *machine) add(t *terms, n *node) {
	switch n.op {
	case opAdd, opSub, opNeg:
		for _, a := range n.args {
			m.add(t, a)
		}
		return
	}
	t.take(m.value(n))
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
type rounded struct{ value, error float64 }

// noise follows the errors of rounding through an expression (Higham, Accuracy and Stability of Numerical Algorithms,
// 2002, section 3.3).
func (m *machine) noise(n *node) rounded {
	value := m.float(n)
	own := roundoff * math.Abs(value)
	var a, b rounded
	switch n.op {
	case opAdd, opSub, opMul, opDiv, opPow:
		a, b = m.noise(n.args[0]), m.noise(n.args[1])
	}
	switch n.op {
	case opAdd, opSub:
		return rounded{value, own + a.error + b.error}
	case opMul:
		return rounded{value, own + a.error*math.Abs(b.value) + b.error*math.Abs(a.value)}
	case opDiv:
		return rounded{value, own + (a.error+b.error*math.Abs(value))/math.Abs(b.value)}
	case opPow:
		relative := 0.0
		if a.error > 0 {
			relative += math.Abs(b.value) * a.error / math.Abs(a.value)
		}
		if b.error > 0 {
			relative += math.Abs(math.Log(math.Abs(a.value))) * b.error
		}
		return rounded{value, own + relative*math.Abs(value)}
	case opNeg, opPercent:
		return rounded{value, m.noise(n.args[0]).error}
	case opCall:
		if n.function.lazy {
			if m.float(n.args[0]) == 0 {
				return m.noise(n.args[2])
			}
			return m.noise(n.args[1])
		}
		if n.function.float == nil {
			return rounded{value, own}
		}
		args := make([]float64, len(n.args))
		errs := make([]float64, len(n.args))
		for i, arg := range n.args {
			r := m.noise(arg)
			args[i], errs[i] = r.value, r.error
		}
		for i, x := range args {
			h := 1e-6 * math.Abs(x)
			if errs[i] == 0 || h == 0 {
				continue
			}
			args[i] = x + h
			up := n.function.float(args)
			args[i] = x - h
			if slope := (up - n.function.float(args)) / (2 * h); !math.IsNaN(slope) {
				own += math.Abs(slope) * errs[i]
			}
			args[i] = x
		}
		return rounded{value, own}
	}
	return rounded{value: value}
}

// sized is an expression in float64 and the size of what is added up in it.
func (m *machine) sized(n *node) (value, size float64) {
	switch n.op {
	case opAdd, opSub:
		a, sa := m.sized(n.args[0])
		b, sb := m.sized(n.args[1])
		if n.op == opSub {
			b = -b
		}
		return a + b, sa + sb
	case opMul:
		a, sa := m.sized(n.args[0])
		b, sb := m.sized(n.args[1])
		return float64(a * b), float64(sa * sb)
	case opNeg:
		value, size = m.sized(n.args[0])
		return -value, size
	}
	value = m.float(n)
	size = math.Abs(value)
	if n.op == opCall || n.op == opPow {
		size = math.Max(size, 1) // a function may be 0 as well as a sum
	}
	return value, size
}
