package formula

import (
	"reckon/engine/decimal"
)

// Residual is what the two sides of an equation come to, and how far they are apart.
func (m *Machine) Residual(e *Equation) (left, right, miss decimal.Decimal) {
	m.Renew()
	left, right = m.Value(e.Left), m.Value(e.Right)
	return left, right, m.Context.Sub(left, right).Abs()
}

// Size is the scale of the numbers that are added up in an expression.
func (m *Machine) Size(n *Node) decimal.Decimal {
	switch n.Op {
	case OpAdd, OpSub:
		return m.Context.Add(m.Size(n.Args[0]), m.Size(n.Args[1]))
	case OpMul:
		return m.Context.Mul(m.Size(n.Args[0]), m.Size(n.Args[1]))
	case OpDiv:
		if d := m.Eval(n.Args[1]).Abs(); !d.IsZero() {
			return m.Context.Quo(m.Size(n.Args[0]), d)
		}
	case OpNeg:
		return m.Size(n.Args[0])
	case OpPow:
		// A power is small enough to be zero where its base is.
		if times, whole := m.Eval(n.Args[1]).Int64(); whole && times > 1 && times <= MaxDegree {
			base := m.Size(n.Args[0])
			least := m.Context.Mul(base, m.Pow(m.Context.Mul(base, m.Tolerance()), decimal.Int(times-1)))
			return Extreme(Decimals{least, m.Eval(n).Abs()}, 1)
		}
	case OpCall:
		return m.sizeOfCall(n)
	}
	return m.Eval(n).Abs()
}

// sizeOfCall is the Size of a call: of a choice that of what is chosen, of a sum over tables that
// of its cells, of one cell that of its column: the last balance of a loan is what is left of sums
// of larger ones.
func (m *Machine) sizeOfCall(n *Node) decimal.Decimal {
	value := m.Eval(n)
	size := value.Abs()
	switch f := n.Function; {
	case f.Lazy:
		chosen := n.Args[1]
		if m.Eval(n.Args[0]).IsZero() {
			chosen = n.Args[2]
		}
		return m.Size(chosen)
	case f.terms != nil || f.adds:
		args := make([]Grid, len(n.Args))
		for i, a := range n.Args {
			if args[i] = m.Grid(a); !f.Param(i).single && f.Param(i).dimension != "date" {
				args[i] = args[i].mapped(decimal.Decimal.Abs)
			}
		}
		if m.Context.Err() != nil {
			return size
		}
		return Extreme(Decimals{size, f.Grid(m.Context, args).at(0, 0).Number.Abs()}, 1)
	case f.Choice != NoChoice && !n.TakesTable():
		for _, a := range n.Args {
			if m.Eval(a).Abs().Cmp(value.Abs()) == 0 {
				size = Extreme(Decimals{size, m.Size(a)}, 1)
			}
		}
	case n.TakesTable() && !f.Binds && len(n.Args) > 0:
		for _, beside := range m.Grid(n.Args[0]).besides(value) {
			size = Extreme(Decimals{size, beside.Abs()}, 1)
		}
	}
	return size
}

// Tolerance is the relative residual above which a solution is none: 1e-20 at 60 digits.
func (m *Machine) Tolerance() decimal.Decimal { return m.Context.Epsilon(RightDigits) }

// Satisfied reports whether an equation holds with the values found: what its sides are apart is no
// more than what may be wrong with them. An expression that has no value does not hold; the context
// keeps only errors that end the calculation. A residual that cannot be told from rounding is one
// to look at with more digits.
func (m *Machine) Satisfied(e *Equation) bool {
	nearly, apart := m.balance(e)
	return nearly && !apart
}

// Nearly reports whether the sides of an equation differ by no more than the tolerance, be that
// more than what may be wrong with them.
func (m *Machine) Nearly(e *Equation) bool {
	nearly, _ := m.balance(e)
	return nearly
}

// either is a side of an if whose condition rounding decides. Where the other side is the same but
// for rounding, as at the bounds of brackets, the condition makes no difference; else no digit is
// right.
func (m *Machine) either(r decimal.Decimal, other *Node) decimal.Decimal {
	c := m.Context
	if c.Err() != nil {
		return r
	}
	b := m.Value(other)
	apart := c.Sub(r, b)
	if m.TryErr() != nil || !apart.IsZero() && !apart.Vague() {
		return r.As(0)
	}
	if r.IsExact() && b.IsExact() {
		return r
	}
	return r.As(min(r.Right(), b.Right()))
}

// differentDigits are the right digits of a difference that is none of rounding, and more: errors
// add up.
const differentDigits = 5

func (m *Machine) balance(e *Equation) (nearly, apart bool) {
	left, right, miss := m.Residual(e)
	enough := m.Context.Digits() - RightDigits + 1
	clear := left.Right() >= enough && right.Right() >= enough
	scale := decimal.Int(1)
	if !miss.IsZero() {
		scale = Extreme(Decimals{left.Abs(), right.Abs()}, 1)
	}
	if m.Context.Err() == nil && (miss.Cmp(m.Context.Mul(scale, m.Tolerance())) > 0 || !clear) {
		scale = m.scale(e)
	}
	limit := m.Context.Mul(scale, m.Tolerance())
	apart = !miss.IsZero() && miss.Right() > differentDigits
	if m.TryErr() != nil || miss.Cmp(limit) > 0 && apart {
		return false, true
	}
	if apart {
		return true, true
	}
	if miss.Cmp(limit) > 0 || !clear && (left.Error().Cmp(limit) > 0 || right.Error().Cmp(limit) > 0) {
		m.Unsure = true
	}
	return true, false
}

// HoldsFor is Satisfied for an equation that was solved for a variable. Where the error of its
// value hides the residual, the value as it stands may yet tell it from rounding.
func (m *Machine) HoldsFor(e *Equation, variable int) bool {
	before := m.Unsure
	holds := m.Satisfied(e)
	if m.Unsure && !before {
		m.Unsure = holds && m.Noisy(e, variable)
	}
	return holds
}

// Noisy reports whether rounding alone may make the sides of an equation equal with a value as it
// stands: where sums and powers carry the last digits of their operands to the front, as in
// (1 + 1/x)^x for an x of sixty digits, a residual says nothing.
func (m *Machine) Noisy(e *Equation, variable int) bool {
	x := m.Values[variable]
	m.Suppose(variable, x)
	left, right, miss := m.Residual(e)
	noise := Extreme(Decimals{left.Error(), right.Error()}, 1)
	known := noise.IsZero() || m.Context.Mul(noise, Hundred).Cmp(miss) <= 0 ||
		noise.Cmp(m.Context.Mul(m.scale(e), m.Tolerance())) <= 0
	m.Values[variable] = x
	return m.TryErr() == nil && !known
}

// scale is that of the numbers that are added up in an equation, so that a difference of nearly
// equal numbers is not held to more digits than they have.
func (m *Machine) scale(e *Equation) decimal.Decimal {
	return m.Context.Add(m.Size(e.Left), m.Size(e.Right))
}
