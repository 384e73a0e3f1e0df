package engine

import (
	"errors"
	"math"
	"sync"

	"reckon/engine/decimal"
	"reckon/engine/units"
)

// machine evaluates expressions over the values that a calculation has so far, in coherent SI.
type machine struct {
	c      *decimal.Context
	values []decimal.Decimal // by variable
	units  []*units.Unit     // by variable: for the derivation that uses the machine
	floats []float64         // by variable, for root search
	tables []*grid           // by variable, nil for numbers; nil where there are none
	env    Env
	locals []decimal.Decimal
	kept   []keptValue // by slot
	clock  uint64      // counts up whenever values may have changed
	since  uint64      // when the variables changed last
	inner  uint64      // when the index of each changed last
}

// machines keeps the memory of machines that nothing uses any more, all for as many variables.
type machines struct {
	pool      sync.Pool // of *machine
	variables int
}

// take makes a machine, from the memory of one that was released.
func (s *machines) take(env Env) *machine {
	budget := env.budget()
	if env.meter != nil {
		budget = env.meter.left
	}
	if m, ok := s.pool.Get().(*machine); ok {
		m.c.Restart(budget)
		m.c.Rest = env.Rest
		clear(m.values)
		clear(m.units)
		*m = machine{c: m.c, values: m.values, units: m.units, floats: m.floats, kept: m.kept, clock: m.clock, env: env}
		return m
	}
	return &machine{
		c: env.context(budget), values: make([]decimal.Decimal, s.variables), units: make([]*units.Unit, s.variables), env: env,
	}
}

// release gives back the memory of a machine that nothing uses any more.
func (s *machines) release(m *machine) {
	m.settle()
	s.pool.Put(m)
}

var (
	hundred = decimal.Int(100)
	// hair is the relative difference below which numbers count as equal: 40 digits.
	hair = decimal.MustParse("1e-40")
)

func truth(b bool) decimal.Decimal {
	if b {
		return decimal.Int(1)
	}
	return decimal.Decimal{}
}

// compare is -1, 0 or 1; numbers that agree to 40 digits are equal.
func compare(c *decimal.Context, a, b decimal.Decimal) int {
	r := a.Cmp(b)
	if r == 0 || a.Sign() != b.Sign() {
		return r
	}
	size := a.Abs()
	if other := b.Abs(); other.Cmp(size) > 0 {
		size = other
	}
	if c.Sub(a, b).Abs().Cmp(c.Mul(size, hair)) <= 0 {
		return 0
	}
	return r
}

// settled is the integer next to x where x differs from it by less than 40 digits show, else x.
func settled(c *decimal.Context, x decimal.Decimal) decimal.Decimal {
	near := c.Round(x, 0)
	if compareNear(c, x, near) {
		return near
	}
	return x
}

// settledAt is x, or the tie of rounding to places that x is next to.
func settledAt(c *decimal.Context, x decimal.Decimal, places int) decimal.Decimal {
	near := c.Round(x, places+1)
	if compareNear(c, x, near) {
		return near
	}
	return x
}

func compareNear(c *decimal.Context, x, near decimal.Decimal) bool {
	size := near.Abs()
	if one := decimal.Int(1); size.Cmp(one) < 0 {
		size = one
	}
	return c.Sub(x, near).Abs().Cmp(c.Mul(size, hair)) <= 0
}

// keptValue is the value of a part of an equation and when it was found.
type keptValue struct {
	at    uint64
	value decimal.Decimal
}

// eval is the value of an expression over scalars. Errors stay in the context.
func (m *machine) eval(n *node) decimal.Decimal {
	m.renew()
	return m.value(n)
}

// renew forgets the values of parts, since variables may have changed.
func (m *machine) renew() {
	m.clock++
	m.since, m.inner = m.clock, m.clock
}

// value is eval while no variable changes: what occurs more than once is evaluated once.
func (m *machine) value(n *node) decimal.Decimal {
	if n.slot == 0 || n.self != n {
		return m.compute(n)
	}
	for len(m.kept) <= n.slot {
		m.kept = append(m.kept, keptValue{})
	}
	oldest := m.since
	if n.local {
		oldest = m.inner
	}
	if k := &m.kept[n.slot]; k.at >= oldest {
		return k.value
	}
	d := m.compute(n)
	if m.c.Err() == nil {
		m.kept[n.slot] = keptValue{m.clock, d}
	}
	return d
}

// compute is the value of a node from those of its arguments.
func (m *machine) compute(n *node) decimal.Decimal {
	c := m.c
	switch n.op {
	case opNumber:
		return n.value
	case opVariable:
		return m.values[n.variable]
	case opToday:
		return decimal.Int(m.env.Today())
	case opNow:
		return decimal.Int(m.env.Moment())
	case opLocal:
		return m.locals[n.variable]
	case opAdd:
		return m.sum(n, m.value(n.args[0]), m.value(n.args[1]))
	case opSub:
		return m.sum(n, m.value(n.args[0]), m.value(n.args[1]).Neg())
	case opMul:
		return c.Mul(m.value(n.args[0]), m.value(n.args[1]))
	case opDiv:
		return c.Quo(m.value(n.args[0]), m.value(n.args[1]))
	case opPow:
		return m.pow(m.value(n.args[0]), m.value(n.args[1]))
	case opNeg:
		return m.value(n.args[0]).Neg()
	case opPercent:
		return c.Quo(m.value(n.args[0]), hundred)
	case opNot:
		return truth(m.value(n.args[0]).IsZero())
	case opAnd:
		return truth(!m.value(n.args[0]).IsZero() && !m.value(n.args[1]).IsZero())
	case opOr:
		return truth(!m.value(n.args[0]).IsZero() || !m.value(n.args[1]).IsZero())
	case opEq, opNe, opLt, opLe, opGt, opGe:
		return truth(m.holds(n))
	case opCall:
		f := n.function
		if f.lazy {
			if m.value(n.args[0]).IsZero() {
				return m.value(n.args[2])
			}
			if c.Err() != nil {
				return decimal.Decimal{}
			}
			return m.value(n.args[1])
		}
		if n.takesTable() {
			return m.scalarOf(n)
		}
		var buffer [6]decimal.Decimal
		args := buffer[:0]
		for _, a := range n.args {
			args = append(args, m.value(a))
		}
		if c.Err() != nil || !c.Spend(1) {
			return decimal.Decimal{}
		}
		return f.eval(c, args)
	case opList:
		return m.scalarOf(n)
	}
	return decimal.Decimal{}
}

// holds decides a comparison.
func (m *machine) holds(n *node) bool {
	r := compare(m.c, m.value(n.args[0]), m.value(n.args[1]))
	switch n.op {
	case opEq:
		return r == 0
	case opNe:
		return r != 0
	case opLt:
		return r < 0
	case opLe:
		return r <= 0
	case opGt:
		return r > 0
	}
	return r >= 0
}

// pow is a ^ b. An exponent that division left next to an integer is that integer.
func (m *machine) pow(a, b decimal.Decimal) decimal.Decimal {
	if a.IsZero() && b.Sign() < 0 {
		return m.c.Fail(decimal.ErrDivisionByZero)
	}
	if !b.IsInteger() {
		b = settled(m.c, b)
	}
	return m.c.Pow(a, b)
}

// float is eval in float64, for root search only.
func (m *machine) float(n *node) float64 {
	switch n.op {
	case opNumber:
		return n.float
	case opVariable:
		return m.floats[n.variable]
	case opToday:
		return float64(m.env.Today())
	case opNow:
		return float64(m.env.Moment())
	case opAdd:
		return m.float(n.args[0]) + m.float(n.args[1])
	case opSub:
		return m.float(n.args[0]) - m.float(n.args[1])
	case opMul:
		return m.float(n.args[0]) * m.float(n.args[1])
	case opDiv:
		return m.float(n.args[0]) / m.float(n.args[1])
	case opPow:
		return math.Pow(m.float(n.args[0]), m.float(n.args[1]))
	case opNeg:
		return -m.float(n.args[0])
	case opPercent:
		return m.float(n.args[0]) / 100
	case opNot:
		return floatTruth(m.float(n.args[0]) == 0)
	case opAnd:
		return floatTruth(m.float(n.args[0]) != 0 && m.float(n.args[1]) != 0)
	case opOr:
		return floatTruth(m.float(n.args[0]) != 0 || m.float(n.args[1]) != 0)
	case opEq, opNe, opLt, opLe, opGt, opGe:
		return floatCompare(n.op, m.float(n.args[0]), m.float(n.args[1]))
	case opCall:
		f := n.function
		if f.lazy {
			if m.float(n.args[0]) == 0 {
				return m.float(n.args[2])
			}
			return m.float(n.args[1])
		}
		if f.float == nil || n.takesTable() {
			// Only parts without the unknown get here: their value is exact.
			return m.eval(n).Float64()
		}
		var buffer [6]float64
		args := buffer[:0]
		for _, a := range n.args {
			args = append(args, m.float(a))
		}
		return f.float(args)
	}
	return math.NaN()
}

func floatTruth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// residual tells how far the two sides of an equation are apart, and on what scale. The scale is that of the numbers
// that are added up, so that a difference of nearly equal numbers is not held to more digits than they have.
func (m *machine) residual(e *equation) (miss, scale decimal.Decimal) {
	m.renew()
	left, right := m.value(e.left), m.value(e.right)
	miss = m.c.Sub(left, right).Abs()
	if miss.IsZero() || m.c.Err() != nil {
		return miss, decimal.Int(1)
	}
	scale = extreme(decimals{left.Abs(), right.Abs()}, 1)
	return miss, scale
}

// size is the scale of the numbers that are added up in an expression.
func (m *machine) size(n *node) decimal.Decimal {
	switch n.op {
	case opAdd, opSub:
		return m.c.Add(m.size(n.args[0]), m.size(n.args[1]))
	case opMul:
		return m.c.Mul(m.size(n.args[0]), m.size(n.args[1]))
	case opDiv:
		if d := m.eval(n.args[1]).Abs(); !d.IsZero() {
			return m.c.Quo(m.size(n.args[0]), d)
		}
	case opNeg:
		return m.size(n.args[0])
	case opPow:
		// A power is small enough to be zero where its base is.
		if times, whole := m.eval(n.args[1]).Int64(); whole && times > 1 && times <= maxDegree {
			base := m.size(n.args[0])
			least := m.c.Mul(base, m.pow(m.c.Mul(base, tolerance), decimal.Int(times-1)))
			return extreme(decimals{least, m.eval(n).Abs()}, 1)
		}
	}
	return m.eval(n).Abs()
}

// tolerance is the relative residual above which a solution is none.
var tolerance = decimal.MustParse("1e-20")

// satisfied reports whether an equation holds with the values found. An expression that has no value does not hold; the
// context keeps only errors that end the calculation.
func (m *machine) satisfied(e *equation) bool {
	miss, scale := m.residual(e)
	if m.c.Err() == nil && miss.Cmp(m.c.Mul(scale, tolerance)) > 0 {
		scale = m.c.Add(m.size(e.left), m.size(e.right))
	}
	return m.tryErr() == nil && miss.Cmp(m.c.Mul(scale, tolerance)) <= 0
}

// tryErr takes an error of a branch out of the context, unless it is one that ends the calculation.
func (m *machine) tryErr() error {
	err := m.c.Err()
	if err != nil && !errors.Is(err, decimal.ErrLimit) {
		m.c.Reset()
	}
	return err
}

// limited reports whether the budget is used up.
func (m *machine) limited() bool { return errors.Is(m.c.Err(), decimal.ErrLimit) }

// floatCompare is a comparison, 1 for true and 0 for false.
func floatCompare(o op, a, b float64) float64 {
	switch o {
	case opEq:
		return floatTruth(a == b)
	case opNe:
		return floatTruth(a != b)
	case opLt:
		return floatTruth(a < b)
	case opLe:
		return floatTruth(a <= b)
	case opGt:
		return floatTruth(a > b)
	}
	return floatTruth(a >= b)
}

// settle takes what the machine has spent from the calculation's budget, and gives the machine what is left.
func (m *machine) settle() {
	if m.env.meter == nil {
		return
	}
	m.env.meter.left = max(0, m.env.meter.left-m.c.Cost())
	m.c.Restart(m.env.meter.left)
}

// within lets work spend no more than a part of what is left; work that needs more ends there, and the calculation goes on.
func (m *machine) within(most int, work func()) {
	if m.settle(); m.env.meter == nil || m.env.meter.left <= most {
		work()
		return
	}
	m.c.Restart(most)
	work()
	m.settle()
}

// maxDegree bounds the whole powers that are taken apart: those of polynomials while terms are collected, too.
const maxDegree = 12
