package engine

import (
	"slices"
	"strings"

	"reckon/engine/decimal"
	"reckon/engine/units"
)

// op is what a node does with its arguments.
type op uint8

const (
	opNumber op = iota
	opVariable
	opToday
	opNow
	opLocal // the index variable of each
	opAdd
	opSub
	opMul
	opDiv
	opPow
	opNeg
	opPercent
	opNot
	opAnd
	opOr
	opEq
	opNe
	opLt
	opLe
	opGt
	opGe
	opCall
	opList
)

// node is an expression ready to be evaluated: names resolved, unit factors of literals folded in.
type node struct {
	op       op
	start    int // code points in the equation
	end      int
	args     []*node
	value    decimal.Decimal // of opNumber, in coherent SI
	float    float64         // the same for root search
	unit     *units.Unit     // of a literal that carries one, else nil
	variable int             // of opVariable; the depth of opLocal
	function *function       // of opCall
	mask     uint64          // variables below, by position in the equation's refs; bit 63 stands for all from there on
	size     int             // nodes below and itself, counted once for each place they stand in
	choices  bool            // an if, min, max, abs or clamp is below
	slot     int             // where an evaluation keeps the value, for what occurs more than once; 0 for nowhere
	self     *node           // the node itself where slot counts, so that a changed copy has none
	local    bool            // with a slot: it depends on the index of each
}

// maskOf is the bit of a position in refs.
func maskOf(position int) uint64 {
	if position > 63 {
		position = 63
	}
	return 1 << position
}

// unknown is the variable that an equation is being solved for.
type unknown struct {
	variable int
	mask     uint64
}

func (e *equation) unknown(variable int) unknown {
	return unknown{variable, maskOf(e.position(variable))}
}

// has reports whether the unknown occurs in n.
func (n *node) has(x unknown) bool {
	if n.mask&x.mask == 0 {
		return false
	}
	return x.mask != 1<<63 || n.occurrences(x.variable) > 0
}

// occurrences counts how often a variable occurs in n.
func (n *node) occurrences(variable int) int {
	if n.op == opVariable && n.variable == variable {
		return 1
	}
	count := 0
	for _, a := range n.args {
		count += a.occurrences(variable)
	}
	return count
}

// walk calls f on n and all nodes below it, in the order of the text.
func (n *node) walk(f func(*node)) {
	f(n)
	for _, a := range n.args {
		a.walk(f)
	}
}

// equal reports whether two expressions are written alike.
func (n *node) equal(o *node) bool {
	if n.op != o.op || n.variable != o.variable || n.function != o.function || len(n.args) != len(o.args) || n.mask != o.mask {
		return false
	}
	if n.op == opNumber && n.value.Cmp(o.value) != 0 {
		return false
	}
	for i := range n.args {
		if !n.args[i].equal(o.args[i]) {
			return false
		}
	}
	return true
}

// isZero is true of a literal 0 without a unit, which is zero in every dimension.
func (n *node) isZero() bool {
	return n.op == opNumber && n.unit == nil && n.value.IsZero()
}

// summarize fills mask and choices from below.
func (n *node) summarize(e *equation) {
	n.mask, n.choices = 0, false
	if n.op == opVariable {
		n.mask = maskOf(e.position(n.variable))
	}
	for _, a := range n.args {
		a.summarize(e)
		n.mask |= a.mask
		n.choices = n.choices || a.choices
	}
	if n.op == opCall && n.function.choice != noChoice {
		n.choices = true
	}
}

// text is how a part of the equation is written.
func (e *equation) text(n *node) string {
	return strings.TrimSpace(string(e.source[n.start:min(n.end, len(e.source))]))
}

// calls reports whether a function is applied anywhere in n.
func (n *node) calls() bool { return n.op == opCall || slices.ContainsFunc(n.args, (*node).calls) }
