package formula

import (
	"encoding/binary"
	"math"
)

// flat is an equation in float64, for root search: operations in the order of evaluation, those
// that are written alike only once. Both sides of an if are evaluated and one is taken. It is nil
// where an equation cannot be evaluated so.
type flat struct {
	code        []Instruction
	left, right int32 // places of the two sides
}

// Instruction sets the place at its position in the code from earlier ones.
type Instruction struct {
	Node *Node
	Args []int32
}

// Numbering finds the parts of an equation that are written alike.
type Numbering struct {
	seen   map[*Node]int32
	places map[numberingKey]int32
	Parts  []*Node // by number: the first node of it
	Args   [][]int32
	uses   []int  // by number: in how many places it stands
	local  []bool // by number: it depends on the index of each
	within []bool // by number: it is all of an expression that stays the same while each counts
}

// numberingKey is what two nodes of one number have in common.
type numberingKey struct {
	op       Op
	variable int
	function *Entry
	rest     string // the number of a literal, else the numbers of the arguments
}

func (t *Numbering) Number(n *Node) int32 {
	if id, ok := t.seen[n]; ok {
		return id
	}
	if t.seen == nil {
		t.seen, t.places = map[*Node]int32{}, map[numberingKey]int32{}
	}
	args := make([]int32, len(n.Args))
	local := n.Op == opLocal || n.Op == OpPrevious
	var rest []byte
	for i, a := range n.Args {
		args[i] = t.Number(a)
		rest = binary.LittleEndian.AppendUint32(rest, uint32(args[i]))
		local = local || t.local[args[i]]
	}
	key := numberingKey{op: n.Op, rest: string(rest)}
	switch n.Op {
	case OpNumber:
		key.rest = n.Value.String()
	case OpVariable, opLocal, OpPrevious:
		key.variable = n.Variable
	case OpCall:
		key.function = n.Function
	}
	id, ok := t.places[key]
	if !ok || n.Op == OpCall && n.Function.Binds {
		id = int32(len(t.Parts))
		t.places[key] = id
		t.Parts, t.Args = append(t.Parts, n), append(t.Args, args)
		t.uses, t.local, t.within = append(t.uses, 0), append(t.local, local), append(t.within, false)
	}
	for _, a := range args {
		t.uses[a]++
		t.within[a] = t.within[a] || local && !t.local[a]
	}
	t.seen[n] = id
	return id
}

// Share gives the parts of an equation that occur more than once, and those that stay the same
// while each counts, a place where an evaluation keeps their value, and makes the equation's flat
// form.
func (e *Equation) Share() {
	if e.Left == nil {
		return
	}
	var t Numbering
	left, right := t.Number(e.Left), t.Number(e.Right)
	slots := make([]int, len(t.Parts))
	for id, n := range t.Parts {
		if len(n.Args) > 0 && n.Op != OpList && (t.uses[id] > 1 || t.within[id]) {
			e.slots++
			slots[id] = e.slots
		}
	}
	for n, id := range t.seen {
		if slots[id] > 0 {
			n.slot, n.self, n.local = slots[id], n, t.local[id]
		}
	}
	e.flat = t.flat(left, right)
}

// flat lists what both sides need.
func (t *Numbering) flat(left, right int32) *flat {
	f := &flat{}
	place := make([]int32, len(t.Parts)) // one more than the place in the code, 0 for none
	lazy, foreign := false, false
	var visit func(id int32) int32
	visit = func(id int32) int32 {
		if place[id] > 0 {
			return place[id] - 1
		}
		n := t.Parts[id]
		o := Instruction{Node: n}
		lazy = lazy || n.Op == OpCall && n.Function.Lazy
		if isForeign := n.Op == OpCall && (n.Function.Float == nil || n.TakesTable()) || n.Op == OpList || n.Op == opLocal || n.Op == OpPrevious || n.Op == OpDefined; isForeign {
			foreign = true
		} else {
			o.Args = make([]int32, len(n.Args))
			for i, a := range t.Args[id] {
				o.Args[i] = visit(a)
			}
		}
		f.code = append(f.code, o)
		place[id] = int32(len(f.code))
		return place[id] - 1
	}
	f.left, f.right = visit(left), visit(right)
	if lazy && foreign {
		// What is evaluated in decimal could fail in the side of an if that is not taken.
		return nil
	}
	return f
}

// Run is a flat form with the values of one calculation, ready to be evaluated for many values of
// an unknown.
type Run struct {
	flat     *flat
	unknown  int
	Values   []float64 // by place
	unsteady []int32   // the places that depend on the unknown, in order
	Args     []float64
	jets     []Jet // by place, nil before the first one
}

// Run evaluates all of an equation that does not depend on the unknown. It is nil where the
// equation has no flat form for it.
func (m *Machine) Run(e *Equation, x Unknown) *Run {
	if e.flat == nil {
		return nil
	}
	r := &Run{flat: e.flat, unknown: x.Variable, Values: make([]float64, len(e.flat.code)), Args: make([]float64, 0, 6)}
	r.unsteady = make([]int32, 0, len(e.flat.code))
	for i := range e.flat.code {
		switch o := &e.flat.code[i]; {
		case o.Node.Has(x):
			if o.Node.Op == OpCall && o.Args == nil {
				return nil
			}
			r.unsteady = append(r.unsteady, int32(i))
		case o.Node.Op == OpVariable:
			r.Values[i] = m.Floats[o.Node.Variable]
		case o.Node.Op == opToday:
			r.Values[i] = float64(m.Env.Today())
		case o.Node.Op == opNow:
			r.Values[i] = float64(m.Env.Moment())
		case len(o.Args) == 0 && o.Node.Op != OpNumber:
			r.Values[i] = m.Eval(o.Node).Float64()
		default:
			r.Values[i] = r.Apply(o, 0)
		}
	}
	return r
}

// Length is how many operations an evaluation takes.
func (r *Run) Length() int { return len(r.unsteady) }

func (r *Run) Sides(x float64) (left, right float64) {
	for _, i := range r.unsteady {
		r.Values[i] = r.Apply(&r.flat.code[i], x)
	}
	return r.Values[r.flat.left], r.Values[r.flat.right]
}

func (r *Run) Apply(o *Instruction, x float64) float64 {
	n := o.Node
	var a, b float64
	if len(o.Args) > 0 {
		a = r.Values[o.Args[0]]
		b = r.Values[o.Args[len(o.Args)-1]]
	}
	switch n.Op {
	case OpNumber:
		return n.float
	case OpVariable:
		return x
	case OpAdd: // the operations of most equations stand here, for speed
		return a + b
	case OpSub:
		return a - b
	case OpMul:
		return float64(a * b)
	case OpDiv:
		return a / b
	case OpPow:
		return floatPower(a, b)
	case OpCall:
		if n.Function.Lazy {
			if a == 0 {
				return b
			}
			return r.Values[o.Args[1]]
		}
		r.Args = r.Args[:0]
		for _, i := range o.Args {
			r.Args = append(r.Args, r.Values[i])
		}
		return n.Function.Float(r.Args)
	}
	return floatOperation(n.Op, a, b)
}

// floatOperation is the value of an operator. Conversions keep products apart from the sums they go
// into: fused, their last digit would depend on the machine.
func floatOperation(o Op, a, b float64) float64 {
	switch o {
	case OpAdd:
		return a + b
	case OpSub:
		return a - b
	case OpMul:
		return float64(a * b)
	case OpDiv:
		return a / b
	case OpPow:
		return floatPower(a, b)
	case OpNeg:
		return -a
	case OpPercent:
		return a / 100
	case opNot:
		return floatTruth(a == 0)
	case opAnd:
		return floatTruth(a != 0 && b != 0)
	case opOr:
		return floatTruth(a != 0 || b != 0)
	case OpEq, OpNe, OpLt, OpLe, OpGt, OpGe:
		return floatCompare(o, a, b)
	}
	return math.NaN()
}

// floatPower is math.Pow, by squaring where the exponent is a small integer.
func floatPower(a, b float64) float64 {
	n := int(b)
	if float64(n) != b || n < -1024 || n > 1024 {
		return math.Pow(a, b)
	}
	p := 1.0
	for i := max(n, -n); i > 0; i >>= 1 {
		if i&1 == 1 {
			p *= a
		}
		a *= a
	}
	if n < 0 {
		return 1 / p
	}
	return p
}
