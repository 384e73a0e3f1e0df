package formula

import (
	"math"

	"reckon/engine/decimal"
)

// intervalStep puts one interval into the slot of its own number.
type intervalStep struct {
	apply   func(a, b Interval) Interval // nil for a constant, the unknown and an if
	a, b, c int                          // slots
	over    func(args []Interval) Interval
	args    []Interval // what over gets
	slots   []int      // of what over gets
	value   Interval   // of a constant
	kind    intervalKind
}

type intervalKind uint8

const (
	intervalApply intervalKind = iota
	intervalConstant
	intervalUnknown
	intervalIf
	intervalOver
)

// IntervalProgram evaluates an expression of one unknown, and its derivative, over intervals; or,
// with a box, one of any number of them.
type IntervalProgram struct {
	Steps        []intervalStep
	Slots        []Interval
	Value, Slope int // slots; slope is -1 where there is no derivative
	Seen         map[*Node]int
	Box          []Interval // by variable, of a program of several unknowns; else nil
}

// Add compiles n and returns its slot; false where a part of it cannot be evaluated over intervals.
func (p *IntervalProgram) Add(n *Node, x Unknown) (int, bool) {
	if slot, ok := p.Seen[n]; ok {
		return slot, true
	}
	step := intervalStep{}
	switch {
	case n.Op == OpNumber:
		step.kind, step.value = intervalConstant, intervalOf(n)
	case n.Op == OpVariable && p.Box != nil:
		step.kind, step.a = intervalUnknown, n.Variable
	case n.Op == OpVariable && n.Variable == x.Variable:
		step.kind = intervalUnknown
	case !n.Has(x) && n.Op != OpCall && len(n.Args) == 0:
		return 0, false
	case n.Op == OpCall:
		f := n.Function
		step.apply = f.Interval
		switch {
		case n.TakesTable():
			return 0, false
		case f.Lazy:
			step.kind = intervalIf
		case f.Intervals != nil:
			step.kind, step.over = intervalOver, f.Intervals
		case f.Interval == nil:
			definition := n.Defined()
			if definition == nil {
				return 0, false
			}
			slot, ok := p.Add(definition, x)
			p.Seen[n] = slot
			return slot, ok
		case len(n.Args) > 2:
			n = &Node{Op: OpCall, Function: f, Args: []*Node{n.Args[0], Called(f, n.Args[1:]...)}, Mask: n.Mask}
		}
	default:
		if step.apply = intervalOperators[n.Op]; step.apply == nil {
			return 0, false
		}
	}
	args := n.Args
	if n.Op == OpCall {
		args = n.Arguments()
	}
	for i, a := range args {
		slot, ok := p.Add(a, x)
		if !ok {
			return 0, false
		}
		if step.over != nil {
			step.slots = append(step.slots, slot)
			continue
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
	step.args = make([]Interval, len(step.slots))
	p.Steps = append(p.Steps, step)
	slot := len(p.Steps) - 1
	p.Seen[n] = slot
	return slot, true
}

// intervalOf is a constant: a point where float64 has it exactly.
func intervalOf(n *Node) Interval {
	f := n.float
	if n.Value.Cmp(decimal.FromFloat(f)) == 0 && math.Abs(f) < 1e15 && (f == math.Trunc(f) || f*1024 == math.Trunc(f*1024)) {
		return Interval{Lo: f, Hi: f}
	}
	return Interval{Lo: f, Hi: f}.wider(1).off(true)
}

// Over evaluates the program; the derivative is allNumbers where there is none.
func (p *IntervalProgram) Over(x Interval) (value, slope Interval) {
	for i := range p.Steps {
		s := &p.Steps[i]
		switch s.kind {
		case intervalConstant:
			p.Slots[i] = s.value
		case intervalUnknown:
			p.Slots[i] = x
			if p.Box != nil {
				p.Slots[i] = p.Box[s.a]
			}
		case intervalIf:
			p.Slots[i] = intervalChoice(p.Slots[s.a], p.Slots[s.b], p.Slots[s.c])
		case intervalOver:
			p.Slots[i] = s.overAll(p.Slots)
		default:
			a, b := p.Slots[s.a], p.Slots[s.b]
			if a.Empty() || b.Empty() {
				p.Slots[i] = EmptyInterval.marked(a, b)
				continue
			}
			p.Slots[i] = s.apply(a, b)
		}
	}
	slope = AllNumbers
	if p.Slope >= 0 {
		slope = p.Slots[p.Slope]
	}
	return p.Slots[p.Value], slope
}

// overAll applies a function of several arguments.
func (s *intervalStep) overAll(slots []Interval) Interval {
	for i, slot := range s.slots {
		if s.args[i] = slots[slot]; s.args[i].Empty() {
			return EmptyInterval.marked(s.args[i], s.args[i])
		}
	}
	return s.over(s.args)
}
