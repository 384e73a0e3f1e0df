package formula

import (
	"errors"
	"math"
	"sync"

	"reckon/engine/decimal"
	"reckon/engine/units"
	"reckon/engine/value"
)

// Machine evaluates expressions over the values that a calculation has so far, in coherent SI.
type Machine struct {
	Context *decimal.Context
	Values  []decimal.Decimal // by variable
	Units   []*units.Unit     // by variable: for the derivation that uses the machine
	Floats  []float64         // by variable, for root search
	Tables  []*Grid           // by variable, nil for numbers; nil where there are none
	Env     value.Env
	locals  []decimal.Decimal
	kept    []keptValue // by slot
	clock   uint64      // counts up whenever values may have changed
	since   uint64      // when the variables changed last
	inner   uint64      // when the index of each changed last
}

// Machines keeps the memory of machines that nothing uses any more, all for as many variables.
type Machines struct {
	pool      sync.Pool // of *machine
	Variables int
}

// Take makes a machine, from the memory of one that was released.
func (s *Machines) Take(env value.Env) *Machine {
	budget := env.Limit()
	if env.Meter != nil {
		budget = env.Meter.Left
	}
	if m, ok := s.pool.Get().(*Machine); ok {
		m.Context.Restart(budget)
		m.Context.Rest = env.Rest
		clear(m.Values)
		clear(m.Units)
		*m = Machine{Context: m.Context, Values: m.Values, Units: m.Units, Floats: m.Floats, kept: m.kept, clock: m.clock, Env: env}
		return m
	}
	return &Machine{
		Context: env.Context(budget), Values: make([]decimal.Decimal, s.Variables), Units: make([]*units.Unit, s.Variables), Env: env,
	}
}

// Release gives back the memory of a machine that nothing uses any more.
func (s *Machines) Release(m *Machine) {
	m.Settle()
	s.pool.Put(m)
}

var (
	Hundred = decimal.Int(100)
	// hair is the relative difference below which numbers count as equal: 40 digits.
	hair = decimal.MustParse("1e-40")
)

func truth(b bool) decimal.Decimal {
	if b {
		return decimal.Int(1)
	}
	return decimal.Decimal{}
}

// Compare is -1, 0 or 1; numbers that agree to 40 digits are equal.
func Compare(c *decimal.Context, a, b decimal.Decimal) int {
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

// Settled is the integer next to x where x differs from it by less than 40 digits show, else x.
func Settled(c *decimal.Context, x decimal.Decimal) decimal.Decimal {
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

// Eval is the value of an expression over scalars. Errors stay in the context.
func (m *Machine) Eval(n *Node) decimal.Decimal {
	m.Renew()
	return m.Value(n)
}

// Renew forgets the values of parts, since variables may have changed.
func (m *Machine) Renew() {
	m.clock++
	m.since, m.inner = m.clock, m.clock
}

// Value is eval while no variable changes: what occurs more than once is evaluated once.
func (m *Machine) Value(n *Node) decimal.Decimal {
	if n.Slot == 0 || n.self != n {
		return m.compute(n)
	}
	for len(m.kept) <= n.Slot {
		m.kept = append(m.kept, keptValue{})
	}
	oldest := m.since
	if n.local {
		oldest = m.inner
	}
	if k := &m.kept[n.Slot]; k.at >= oldest {
		return k.value
	}
	d := m.compute(n)
	if m.Context.Err() == nil {
		m.kept[n.Slot] = keptValue{m.clock, d}
	}
	return d
}

// compute is the value of a node from those of its arguments.
func (m *Machine) compute(n *Node) decimal.Decimal {
	c := m.Context
	switch n.Op {
	case OpNumber:
		return n.Value
	case OpVariable:
		return m.Values[n.Variable]
	case opToday:
		return decimal.Int(m.Env.Today())
	case opNow:
		return decimal.Int(m.Env.Moment())
	case opLocal:
		return m.locals[n.Variable]
	case OpAdd:
		return m.sum(n, m.Value(n.Args[0]), m.Value(n.Args[1]))
	case OpSub:
		return m.sum(n, m.Value(n.Args[0]), m.Value(n.Args[1]).Neg())
	case OpMul:
		return c.Mul(m.Value(n.Args[0]), m.Value(n.Args[1]))
	case OpDiv:
		return c.Quo(m.Value(n.Args[0]), m.Value(n.Args[1]))
	case OpPow:
		return m.Pow(m.Value(n.Args[0]), m.Value(n.Args[1]))
	case OpNeg:
		return m.Value(n.Args[0]).Neg()
	case OpPercent:
		return c.Quo(m.Value(n.Args[0]), Hundred)
	case opNot:
		return truth(m.Value(n.Args[0]).IsZero())
	case opAnd:
		return truth(!m.Value(n.Args[0]).IsZero() && !m.Value(n.Args[1]).IsZero())
	case opOr:
		return truth(!m.Value(n.Args[0]).IsZero() || !m.Value(n.Args[1]).IsZero())
	case OpEq, OpNe, OpLt, OpLe, OpGt, OpGe:
		return truth(m.holds(n))
	case OpCall:
		f := n.Function
		if f.Lazy {
			if m.Value(n.Args[0]).IsZero() {
				return m.Value(n.Args[2])
			}
			if c.Err() != nil {
				return decimal.Decimal{}
			}
			return m.Value(n.Args[1])
		}
		if n.TakesTable() {
			return m.scalarOf(n)
		}
		var buffer [6]decimal.Decimal
		args := buffer[:0]
		for _, a := range n.Args {
			args = append(args, m.Value(a))
		}
		if c.Err() != nil || !c.Spend(1) {
			return decimal.Decimal{}
		}
		return f.Eval(c, args)
	case OpList:
		return m.scalarOf(n)
	}
	return decimal.Decimal{}
}

// holds decides a comparison.
func (m *Machine) holds(n *Node) bool {
	r := Compare(m.Context, m.Value(n.Args[0]), m.Value(n.Args[1]))
	switch n.Op {
	case OpEq:
		return r == 0
	case OpNe:
		return r != 0
	case OpLt:
		return r < 0
	case OpLe:
		return r <= 0
	case OpGt:
		return r > 0
	}
	return r >= 0
}

// Pow is a ^ b. An exponent that division left next to an integer is that integer.
func (m *Machine) Pow(a, b decimal.Decimal) decimal.Decimal {
	if a.IsZero() && b.Sign() < 0 {
		return m.Context.Fail(decimal.ErrDivisionByZero)
	}
	if !b.IsInteger() {
		b = Settled(m.Context, b)
	}
	return m.Context.Pow(a, b)
}

// Float is eval in float64, for root search only.
func (m *Machine) Float(n *Node) float64 {
	switch n.Op {
	case OpNumber:
		return n.float
	case OpVariable:
		return m.Floats[n.Variable]
	case opToday:
		return float64(m.Env.Today())
	case opNow:
		return float64(m.Env.Moment())
	case OpAdd:
		return m.Float(n.Args[0]) + m.Float(n.Args[1])
	case OpSub:
		return m.Float(n.Args[0]) - m.Float(n.Args[1])
	case OpMul:
		return m.Float(n.Args[0]) * m.Float(n.Args[1])
	case OpDiv:
		return m.Float(n.Args[0]) / m.Float(n.Args[1])
	case OpPow:
		return math.Pow(m.Float(n.Args[0]), m.Float(n.Args[1]))
	case OpNeg:
		return -m.Float(n.Args[0])
	case OpPercent:
		return m.Float(n.Args[0]) / 100
	case opNot:
		return floatTruth(m.Float(n.Args[0]) == 0)
	case opAnd:
		return floatTruth(m.Float(n.Args[0]) != 0 && m.Float(n.Args[1]) != 0)
	case opOr:
		return floatTruth(m.Float(n.Args[0]) != 0 || m.Float(n.Args[1]) != 0)
	case OpEq, OpNe, OpLt, OpLe, OpGt, OpGe:
		return floatCompare(n.Op, m.Float(n.Args[0]), m.Float(n.Args[1]))
	case OpCall:
		f := n.Function
		if f.Lazy {
			if m.Float(n.Args[0]) == 0 {
				return m.Float(n.Args[2])
			}
			return m.Float(n.Args[1])
		}
		if f.Float == nil || n.TakesTable() {
			// Only parts without the unknown get here: their value is exact.
			return m.Eval(n).Float64()
		}
		var buffer [6]float64
		args := buffer[:0]
		for _, a := range n.Args {
			args = append(args, m.Float(a))
		}
		return f.Float(args)
	}
	return math.NaN()
}

func floatTruth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Residual tells how far the two sides of an equation are apart, and on what scale. The scale is that of the numbers
// that are added up, so that a difference of nearly equal numbers is not held to more digits than they have.
func (m *Machine) Residual(e *Equation) (miss, scale decimal.Decimal) {
	m.Renew()
	left, right := m.Value(e.Left), m.Value(e.Right)
	miss = m.Context.Sub(left, right).Abs()
	if miss.IsZero() || m.Context.Err() != nil {
		return miss, decimal.Int(1)
	}
	scale = Extreme(Decimals{left.Abs(), right.Abs()}, 1)
	return miss, scale
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
			least := m.Context.Mul(base, m.Pow(m.Context.Mul(base, Tolerance), decimal.Int(times-1)))
			return Extreme(Decimals{least, m.Eval(n).Abs()}, 1)
		}
	}
	return m.Eval(n).Abs()
}

// Tolerance is the relative residual above which a solution is none.
var Tolerance = decimal.MustParse("1e-20")

// Satisfied reports whether an equation holds with the values found. An expression that has no value does not hold; the
// context keeps only errors that end the calculation.
func (m *Machine) Satisfied(e *Equation) bool {
	miss, scale := m.Residual(e)
	if m.Context.Err() == nil && miss.Cmp(m.Context.Mul(scale, Tolerance)) > 0 {
		scale = m.Context.Add(m.Size(e.Left), m.Size(e.Right))
	}
	return m.TryErr() == nil && miss.Cmp(m.Context.Mul(scale, Tolerance)) <= 0
}

// TryErr takes an error of a branch out of the context, unless it is one that ends the calculation.
func (m *Machine) TryErr() error {
	err := m.Context.Err()
	if err != nil && !errors.Is(err, decimal.ErrLimit) {
		m.Context.Reset()
	}
	return err
}

// Limited reports whether the budget is used up.
func (m *Machine) Limited() bool { return errors.Is(m.Context.Err(), decimal.ErrLimit) }

// floatCompare is a comparison, 1 for true and 0 for false.
func floatCompare(o Op, a, b float64) float64 {
	switch o {
	case OpEq:
		return floatTruth(a == b)
	case OpNe:
		return floatTruth(a != b)
	case OpLt:
		return floatTruth(a < b)
	case OpLe:
		return floatTruth(a <= b)
	case OpGt:
		return floatTruth(a > b)
	}
	return floatTruth(a >= b)
}

// Settle takes what the machine has spent from the calculation's budget, and gives the machine what is left.
func (m *Machine) Settle() {
	if m.Env.Meter == nil {
		return
	}
	m.Env.Meter.Left = max(0, m.Env.Meter.Left-m.Context.Cost())
	m.Context.Restart(m.Env.Meter.Left)
}

// Within lets work spend no more than a part of what is left; work that needs more ends there, and the calculation goes on.
func (m *Machine) Within(most int, work func()) {
	if m.Settle(); m.Env.Meter == nil || m.Env.Meter.Left <= most {
		work()
		return
	}
	m.Context.Restart(most)
	work()
	m.Settle()
}

// MaxDegree bounds the whole powers that are taken apart: those of polynomials while terms are collected, too.
const MaxDegree = 12
