package engine

import (
	"math"
)

// stretchStep puts one stretch into the slot of its own number.
type stretchStep struct {
	apply   func(a, b stretch) stretch // nil for a constant, the unknown and an if
	a, b, c int                        // slots
	value   stretch                    // of a constant
	kind    stretchKind
}

type stretchKind uint8

const (
	stretchApply stretchKind = iota
	stretchConstant
	stretchUnknown
	stretchIf
)

// stretchProgram evaluates an expression of one unknown, and its derivative, over intervals.
type stretchProgram struct {
	steps        []stretchStep
	slots        []stretch
	value, slope int // slots; slope is -1 where there is no derivative
	seen         map[*node]int
	ignored      bool // powers of negative numbers to exponents that vary are left out
}

// add compiles n and returns its slot; false where a part of it cannot be evaluated over intervals.
func (p *stretchProgram) add(n *node, x unknown) (int, bool) {
	if slot, ok := p.seen[n]; ok {
		return slot, true
	}
	step := stretchStep{}
	if n.op == opPow && n.args[1].has(x) && (n.args[0].op != opNumber || n.args[0].value.Sign() < 0) {
		p.ignored = true
	}
	switch {
	case n.op == opNumber:
		step.kind, step.value = stretchConstant, stretchOf(n)
	case n.op == opVariable && n.variable == x.variable:
		step.kind = stretchUnknown
	case !n.has(x) && n.op != opCall && len(n.args) == 0:
		return 0, false
	case n.op == opCall:
		name := n.function.name
		if name == "clamp" && len(n.args) == 3 {
			return p.add(called("min", called("max", n.args[0], n.args[1]), n.args[2]), x)
		}
		if name == "log" && len(n.args) == 1 {
			return p.add(called("log10", n.args[0]), x)
		}
		step.apply = stretchFunctions[name]
		if n.function.lazy {
			step.kind = stretchIf
		} else if step.apply == nil || n.takesTable() {
			return 0, false
		}
		if n.function.reduces && len(n.args) > 2 {
			rest := called(name, n.args[1:]...)
			n = &node{op: opCall, function: n.function, args: []*node{n.args[0], rest}, mask: n.mask}
		}
	default:
		if step.apply = stretchOperators[n.op]; step.apply == nil {
			return 0, false
		}
	}
	for i, a := range n.args {
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

// stretchOf is a constant: a point where float64 has it exactly.
func stretchOf(n *node) stretch {
	f := n.float
	if n.value.Cmp(decimalOf(f)) == 0 && math.Abs(f) < 1e15 && (f == math.Trunc(f) || f*1024 == math.Trunc(f*1024)) {
		return stretch{lo: f, hi: f}
	}
	return stretch{lo: f, hi: f}.wider(1).off(true)
}

// over evaluates the program; the derivative is allNumbers where there is none.
func (p *stretchProgram) over(x stretch) (value, slope stretch) {
	for i := range p.steps {
		s := &p.steps[i]
		switch s.kind {
		case stretchConstant:
			p.slots[i] = s.value
		case stretchUnknown:
			p.slots[i] = x
		case stretchIf:
			p.slots[i] = stretchChoice(p.slots[s.a], p.slots[s.b], p.slots[s.c])
		default:
			a, b := p.slots[s.a], p.slots[s.b]
			if a.empty() || b.empty() {
				p.slots[i] = noStretch
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
