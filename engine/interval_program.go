package engine

import (
	"math"

	"reckon/engine/decimal"
)

// intervalStep puts one interval into the slot of its own number.
type intervalStep struct {
	apply   func(a, b interval) interval // nil for a constant, the unknown and an if
	a, b, c int                          // slots
	value   interval                     // of a constant
	kind    intervalKind
}

type intervalKind uint8

const (
	intervalApply intervalKind = iota
	intervalConstant
	intervalUnknown
	intervalIf
)

// intervalProgram evaluates an expression of one unknown, and its derivative, over intervals.
type intervalProgram struct {
	steps        []intervalStep
	slots        []interval
	value, slope int // slots; slope is -1 where there is no derivative
	seen         map[*node]int
}

// add compiles n and returns its slot; false where a part of it cannot be evaluated over intervals.
func (p *intervalProgram) add(n *node, x unknown) (int, bool) {
	if slot, ok := p.seen[n]; ok {
		return slot, true
	}
	step := intervalStep{}
	switch {
	case n.op == opNumber:
		step.kind, step.value = intervalConstant, intervalOf(n)
	case n.op == opVariable && n.variable == x.variable:
		step.kind = intervalUnknown
	case !n.has(x) && n.op != opCall && len(n.args) == 0:
		return 0, false
	case n.op == opCall:
		f := n.function
		step.apply = f.interval
		switch {
		case n.takesTable():
			return 0, false
		case f.lazy:
			step.kind = intervalIf
		case f.interval == nil:
			definition := n.defined()
			if definition == nil {
				return 0, false
			}
			slot, ok := p.add(definition, x)
			p.seen[n] = slot
			return slot, ok
		case len(n.args) > 2:
			n = &node{op: opCall, function: f, args: []*node{n.args[0], called(f, n.args[1:]...)}, mask: n.mask}
		}
	default:
		if step.apply = intervalOperators[n.op]; step.apply == nil {
			return 0, false
		}
	}
	args := n.args
	if n.op == opCall {
		args = n.arguments()
	}
	for i, a := range args {
		slot, ok := p.add(a, x)
		if !ok {
			return 0, false
		}
		switch i {
		case 0:
			step.a, step.b = slot, slot
		case 1:
			step.b = slot
		default:
			step.c = slot
		}
	}
	p.steps = append(p.steps, step)
	slot := len(p.steps) - 1
	p.seen[n] = slot
	return slot, true
}

// intervalOf is a constant: a point where float64 has it exactly.
func intervalOf(n *node) interval {
	f := n.float
	if n.value.Cmp(decimal.FromFloat(f)) == 0 && math.Abs(f) < 1e15 && (f == math.Trunc(f) || f*1024 == math.Trunc(f*1024)) {
		return interval{lo: f, hi: f}
	}
	return interval{lo: f, hi: f}.wider(1).off(true)
}

// over evaluates the program; the derivative is allNumbers where there is none.
func (p *intervalProgram) over(x interval) (value, slope interval) {
	for i := range p.steps {
		s := &p.steps[i]
		switch s.kind {
		case intervalConstant:
			p.slots[i] = s.value
		case intervalUnknown:
			p.slots[i] = x
		case intervalIf:
			p.slots[i] = intervalChoice(p.slots[s.a], p.slots[s.b], p.slots[s.c])
		default:
			a, b := p.slots[s.a], p.slots[s.b]
			if a.empty() || b.empty() {
				p.slots[i] = emptyInterval.marked(a, b)
				continue
			}
			p.slots[i] = s.apply(a, b)
		}
	}
	slope = allNumbers
	if p.slope >= 0 {
		slope = p.slots[p.slope]
	}
	return p.slots[p.value], slope
}
