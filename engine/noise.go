package engine

import "math"

// roundoff is what one operation may change in the last places, relative.
const roundoff = 1e-59

// noisy reports whether rounding alone may have made the sides of an equation equal at x: where sums and powers carry the
// last digits of their operands to the front, as in (1 + 1/x)^x for an x of sixty digits, a residual says nothing.
func (s *seeker) noisy(e *equation, x float64) bool {
	m := s.m
	m.floats[s.v] = x
	left, right := m.noise(e.left), m.noise(e.right)
	_, size := m.sized(e.left)
	_, other := m.sized(e.right)
	return left.error+right.error > 1e-20*(size+other)
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
