package engine

import (
	"encoding/binary"
	"math"
)

// flat is an equation in float64, for root search: operations in the order of evaluation, those that are written alike
// only once. Both sides of an if are evaluated and one is taken. It is nil where an equation cannot be evaluated so.
type flat struct {
	code        []flatOp
	left, right int32 // places of the two sides
}

// flatOp sets the place at its position in the code from earlier ones.
type flatOp struct {
	node *node
	args []int32
}

// numbering finds the parts of an equation that are written alike.
type numbering struct {
	seen   map[*node]int32
	ids    map[numberingKey]int32
	parts  []*node // by number: the first node of it
	args   [][]int32
	uses   []int  // by number: in how many places it stands
	local  []bool // by number: it depends on the index of each
	within []bool // by number: it is all of an expression that stays the same while each counts
}

// numberingKey is what two nodes of one number have in common.
type numberingKey struct {
	op       op
	variable int
	function *function
	rest     string // the number of a literal, else the numbers of the arguments
}

func (t *numbering) number(n *node) int32 {
	if id, ok := t.seen[n]; ok {
		return id
	}
	args := make([]int32, len(n.args))
	local := n.op == opLocal
	var rest []byte
	for i, a := range n.args {
		args[i] = t.number(a)
		rest = binary.LittleEndian.AppendUint32(rest, uint32(args[i]))
		local = local || t.local[args[i]]
	}
	key := numberingKey{op: n.op, rest: string(rest)}
	switch n.op {
	case opNumber:
		key.rest = n.value.String()
	case opVariable, opLocal:
		key.variable = n.variable
	case opCall:
		key.function = n.function
	}
	id, ok := t.ids[key]
	if !ok || n.op == opCall && n.function.binds {
		id = int32(len(t.parts))
		t.ids[key] = id
		t.parts, t.args = append(t.parts, n), append(t.args, args)
		t.uses, t.local, t.within = append(t.uses, 0), append(t.local, local), append(t.within, false)
	}
	for _, a := range args {
		t.uses[a]++
		t.within[a] = t.within[a] || local && !t.local[a]
	}
	t.seen[n] = id
	return id
}

// share gives the parts of an equation that occur more than once, and those that stay the same while each counts, a
// place where an evaluation keeps their value, and makes the equation's flat form.
func (e *equation) share() {
	if e.left == nil {
		return
	}
	t := numbering{seen: map[*node]int32{}, ids: map[numberingKey]int32{}}
	left, right := t.number(e.left), t.number(e.right)
	slots := make([]int, len(t.parts))
	for id, n := range t.parts {
		if len(n.args) > 0 && n.op != opList && (t.uses[id] > 1 || t.within[id]) {
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
func (t *numbering) flat(left, right int32) *flat {
	f := &flat{}
	place := make([]int32, len(t.parts)) // one more than the place in the code, 0 for none
	lazy, foreign := false, false
	var visit func(id int32) int32
	visit = func(id int32) int32 {
		if place[id] > 0 {
			return place[id] - 1
		}
		n := t.parts[id]
		o := flatOp{node: n}
		lazy = lazy || n.op == opCall && n.function.lazy
		if isForeign := n.op == opCall && (n.function.float == nil || n.takesTable()) || n.op == opList || n.op == opLocal; isForeign {
			foreign = true
		} else {
			o.args = make([]int32, len(n.args))
			for i, a := range t.args[id] {
				o.args[i] = visit(a)
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

// flatRun is a flat form with the values of one calculation, ready to be evaluated for many values of an unknown.
type flatRun struct {
	flat     *flat
	unknown  int
	values   []float64 // by place
	unsteady []int32   // the places that depend on the unknown, in order
	args     []float64
	jets     []jet // by place, nil before the first one
}

// flatRun evaluates all of an equation that does not depend on the unknown. It is nil where the equation has no flat form
// for it.
func (m *machine) flatRun(e *equation, x unknown) *flatRun {
	if e.flat == nil {
		return nil
	}
	r := &flatRun{flat: e.flat, unknown: x.variable, values: make([]float64, len(e.flat.code)), args: make([]float64, 0, 6)}
	r.unsteady = make([]int32, 0, len(e.flat.code))
	for i := range e.flat.code {
		switch o := &e.flat.code[i]; {
		case o.node.has(x):
			if o.node.op == opCall && o.args == nil {
				return nil
			}
			r.unsteady = append(r.unsteady, int32(i))
		case o.node.op == opVariable:
			r.values[i] = m.floats[o.node.variable]
		case o.node.op == opToday:
			r.values[i] = float64(m.env.Today())
		case o.node.op == opNow:
			r.values[i] = float64(m.env.Moment())
		case len(o.args) == 0 && o.node.op != opNumber:
			r.values[i] = m.eval(o.node).Float64()
		default:
			r.values[i] = r.apply(o, 0)
		}
	}
	return r
}

// sides are the values of both sides at x.
func (r *flatRun) sides(x float64) (left, right float64) {
	for _, i := range r.unsteady {
		r.values[i] = r.apply(&r.flat.code[i], x)
	}
	return r.values[r.flat.left], r.values[r.flat.right]
}

// apply does one operation. Conversions keep products apart from the sums they go into: fused, their last digit would
// depend on the machine.
func (r *flatRun) apply(o *flatOp, x float64) float64 {
	n := o.node
	var a, b float64
	if len(o.args) > 0 {
		a = r.values[o.args[0]]
		b = r.values[o.args[len(o.args)-1]]
	}
	switch n.op {
	case opNumber:
		return n.float
	case opVariable:
		return x
	case opAdd:
		return a + b
	case opSub:
		return a - b
	case opMul:
		return float64(a * b)
	case opDiv:
		return a / b
	case opPow:
		return floatPower(a, b)
	case opNeg:
		return -a
	case opPercent:
		return a / 100
	case opNot:
		return floatTruth(a == 0)
	case opAnd:
		return floatTruth(a != 0 && b != 0)
	case opOr:
		return floatTruth(a != 0 || b != 0)
	case opEq, opNe, opLt, opLe, opGt, opGe:
		return floatCompare(n.op, a, b)
	case opCall:
		if n.function.lazy {
			if a == 0 {
				return b
			}
			return r.values[o.args[1]]
		}
		r.args = r.args[:0]
		for _, i := range o.args {
			r.args = append(r.args, r.values[i])
		}
		return n.function.float(r.args)
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
