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

	ColumnUnits map[*Node][]*units.Unit // by schedule: the units of its columns

	locals  []decimal.Decimal
	runs    map[*Node]*scheduleRun
	defined map[int]keptGrid  // by variable: tables that are defined within an equation
	past    []Decimals        // by depth of a schedule's column: its values in the rows before
	args    []decimal.Decimal // of the calls that are under way, those of inner ones last
	kept    []keptValue       // by slot
	clock   uint64            // counts up whenever values may have changed
	since   uint64            // when the variables changed last
	inner   uint64            // when the index of each changed last

	wide   bool // it has more than 60 digits
	Unsure bool // what was found, or was not, may be the work of rounding
}

// Machines keeps the memory of machines that nothing uses any more, all for as many variables.
type Machines struct {
	pool      sync.Pool // of *machine
	Variables int
}

// Take makes a machine of 60 digits, from the memory of one that was released.
func (s *Machines) Take(env value.Env) *Machine { return s.TakeWide(env, decimal.Precisions[0]) }

// TakeWide makes a machine of one of the precisions. Those of more than 60 digits are seldom.
func (s *Machines) TakeWide(env value.Env, digits int) *Machine {
	budget := env.Limit()
	if env.Meter != nil {
		budget = env.Meter.Left
	}
	if digits > decimal.Precisions[0] {
		c := decimal.NewWide(budget, digits)
		c.Rest = env.Rest
		return s.make(c, env)
	}
	if m, ok := s.pool.Get().(*Machine); ok {
		m.Context.Restart(budget)
		m.Context.Rest = env.Rest
		clear(m.Values)
		clear(m.Units)
		*m = Machine{Context: m.Context, Values: m.Values, Units: m.Units, Floats: m.Floats, args: m.args, kept: m.kept, clock: m.clock, Env: env}
		return m
	}
	return s.make(env.Context(budget), env)
}

func (s *Machines) make(c *decimal.Context, env value.Env) *Machine {
	return &Machine{
		Context: c, Values: make([]decimal.Decimal, s.Variables), Units: make([]*units.Unit, s.Variables), Env: env,
		wide: c.Digits() > decimal.Precisions[0],
	}
}

// Release gives back the memory of a machine that nothing uses any more.
func (s *Machines) Release(m *Machine) {
	if m.Settle(); m.Context.Digits() == decimal.Precisions[0] {
		s.pool.Put(m)
	}
}

var (
	Hundred = decimal.Int(100)
	// hair is the relative difference below which numbers count as equal: 40 digits.
	hair = decimal.MustParse("1e-40")
)

// Compare is -1, 0 or 1; numbers that agree to 40 digits are equal.
func Compare(c *decimal.Context, a, b decimal.Decimal) int {
	r := a.Cmp(b)
	if r == 0 || a.Sign() != b.Sign() {
		return r
	}
	size := Extreme(Decimals{a.Abs(), b.Abs()}, 1)
	if c.Sub(a, b).Abs().Cmp(c.Mul(size, hair)) <= 0 {
		return 0
	}
	return r
}

// Settled is the integer next to x where x differs from it by less than 40 digits show, else x.
func Settled(c *decimal.Context, x decimal.Decimal) decimal.Decimal { return settledAt(c, x, -1) }

// settledAt is x, or the tie of rounding to places that x is next to.
func settledAt(c *decimal.Context, x decimal.Decimal, places int) decimal.Decimal {
	near := c.Round(x, places+1)
	size := Extreme(Decimals{near.Abs(), decimal.Int(1)}, 1)
	if c.Sub(x, near).Abs().Cmp(c.Mul(size, hair)) <= 0 {
		return near
	}
	return x
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

// Suppose gives a variable a value that is tried, and is exact as that.
func (m *Machine) Suppose(variable int, x decimal.Decimal) { m.Values[variable] = x.Exactly() }

// Value is eval while no variable changes: what occurs more than once is evaluated once.
func (m *Machine) Value(n *Node) decimal.Decimal {
	if n.Op == OpVariable && !m.wide {
		return m.Values[n.Variable]
	}
	if n.slot == 0 || n.self != n {
		d := m.compute(n)
		if m.wide {
			m.Context.Note(d)
		}
		return d
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
	if m.wide {
		m.Context.Note(d)
	}
	if m.Context.Err() == nil {
		m.kept[n.slot] = keptValue{m.clock, d}
	}
	return d
}

func (m *Machine) compute(n *Node) decimal.Decimal {
	if n.Op < OpAdd || n.Op > OpDiv {
		return m.other(n)
	}
	c := m.Context
	a, b := m.Value(n.Args[0]), m.Value(n.Args[1])
	switch n.Op {
	case OpMul:
		return c.Mul(a, b)
	case OpDiv:
		return c.Quo(a, b)
	case OpSub:
		b = b.Neg()
	}
	sum := c.Add(a, b)
	if sum.Vague() {
		return Certain(c, sum, a, b)
	}
	return sum
}

// other computes what is none of the four operations.
func (m *Machine) other(n *Node) decimal.Decimal {
	c := m.Context
	switch n.Op {
	case OpNumber:
		if n.wide != nil && c.Digits() > n.Value.Right() {
			return n.wide(c)
		}
		return n.Value
	case OpVariable:
		return m.Values[n.Variable]
	case opToday:
		return decimal.Int(m.Env.Today())
	case opNow:
		return decimal.Int(m.Env.Moment())
	case opLocal:
		if n.Variable >= len(m.locals) {
			return c.Fail(&decimal.UndefinedError{Function: "each"})
		}
		return m.locals[n.Variable]
	case OpPrevious:
		return m.before(n)
	case OpPow:
		return m.Pow(m.Value(n.Args[0]), m.Value(n.Args[1]))
	case OpNeg:
		return m.Value(n.Args[0]).Neg()
	case OpPercent:
		return c.Quo(m.Value(n.Args[0]), Hundred)
	case opNot:
		a := Certain(c, m.Value(n.Args[0]))
		return whether(a.IsZero(), a)
	case opAnd, opOr:
		a := Certain(c, m.Value(n.Args[0]))
		if a.IsZero() == (n.Op == opAnd) {
			return whether(n.Op == opOr, a)
		}
		b := Certain(c, m.Value(n.Args[1]))
		return whether(!b.IsZero(), a, b)
	case OpEq, OpNe, OpLt, OpLe, OpGt, OpGe:
		return m.holds(n)
	case OpCall:
		f := n.Function
		if f.Lazy {
			condition, chosen, other := Certain(c, m.Value(n.Args[0])), n.Args[1], n.Args[2]
			if condition.IsZero() {
				chosen, other = other, chosen
			}
			if c.Err() != nil {
				return decimal.Decimal{}
			}
			r := m.Value(chosen)
			if condition.Vague() {
				r = m.either(r, other)
			}
			return r
		}
		if n.TakesTable() {
			return m.scalarOf(n)
		}
		from := len(m.args)
		for _, a := range n.Args {
			value := m.Value(a)
			m.args = append(m.args, value)
		}
		args := m.args[from:len(m.args):len(m.args)]
		m.args = m.args[:from]
		if c.Err() != nil || !c.Spend(1) {
			return decimal.Decimal{}
		}
		return f.Eval(c, args)
	case OpList, OpDefined:
		return m.scalarOf(n)
	}
	return decimal.Decimal{}
}

// holds decides a comparison. Numbers of which fewer digits are right than count as equal are equal
// where their difference has none.
func (m *Machine) holds(n *Node) decimal.Decimal {
	a, b := m.Value(n.Args[0]), m.Value(n.Args[1])
	r, doubt := Compare(m.Context, a, b), decimal.Decimal{}
	if a.Right() <= RightDigits || b.Right() <= RightDigits {
		if doubt = Certain(m.Context, m.Context.Sub(a, b), a, b); doubt.IsZero() {
			r = 0
		}
	}
	return whether(floatCompare(n.Op, float64(r), 0) != 0, doubt)
}

// Pow is a ^ b. An exponent that division left next to an integer is that integer.
func (m *Machine) Pow(a, b decimal.Decimal) decimal.Decimal {
	if a.IsZero() && b.Sign() < 0 {
		return m.Context.Refuse(decimal.ErrDivisionByZero, a)
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
	if len(n.Args) == 0 {
		return math.NaN()
	}
	a := m.Float(n.Args[0])
	b := a
	if len(n.Args) > 1 {
		b = m.Float(n.Args[1])
	}
	return floatOperation(n.Op, a, b)
}

func floatTruth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// TryErr takes an error of a branch out of the context, unless it is one that ends the calculation.
func (m *Machine) TryErr() error {
	err := m.Context.Err()
	if err != nil && !errors.Is(err, decimal.ErrLimit) {
		m.Context.Reset()
	}
	return err
}

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

// Settle takes what the machine has spent from the calculation's budget, and gives the machine what
// is left.
func (m *Machine) Settle() {
	m.Unsure = m.Unsure || m.Context.Doubted()
	if m.Env.Meter == nil {
		return
	}
	m.Env.Meter.Left = max(0, m.Env.Meter.Left-m.Context.Cost())
	m.Context.Restart(m.Env.Meter.Left)
}

// Within lets work spend no more than a part of what is left; work that needs more ends there, and
// the calculation goes on.
func (m *Machine) Within(most int, work func()) {
	if m.Settle(); m.Env.Meter == nil || m.Env.Meter.Left <= most {
		work()
		return
	}
	m.Context.Restart(most)
	work()
	m.Settle()
}

// MaxDegree bounds the whole powers that are taken apart: those of polynomials while terms are
// collected, too.
const MaxDegree = 12
