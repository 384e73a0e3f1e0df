// Package formula holds compiled equations and evaluates them: expressions whose names are resolved
// and whose unit factors are folded in, the table of functions, the dimensions that an equation
// demands, and its evaluation in decimals, in float64, over tables and over intervals, with
// derivatives.
package formula

import (
	"slices"
	"strings"

	"reckon/engine/decimal"
	"reckon/engine/units"
	"reckon/engine/value"
)

// Op is what a node does with its arguments.
type Op uint8

const (
	OpNumber Op = iota
	OpVariable
	opToday
	opNow
	opLocal    // the index variable of each, or a column of a schedule in the same row
	OpPrevious // a column of a schedule some rows before
	OpDefined  // a table, and what it is defined as
	OpAdd
	OpSub
	OpMul
	OpDiv
	OpPow
	OpNeg
	OpPercent
	opNot
	opAnd
	opOr
	OpEq
	OpNe
	OpLt
	OpLe
	OpGt
	OpGe
	OpCall
	OpList
)

// Node is an expression ready to be evaluated: names resolved, unit factors of literals folded in.
type Node struct {
	Op         Op
	Start      int // code points in the equation
	End        int
	Args       []*Node
	Value      decimal.Decimal                          // of opNumber, in coherent SI
	float      float64                                  // the same for root search
	wide       func(c *decimal.Context) decimal.Decimal // of a value that 60 digits do not hold: the value with more, else nil
	Unit       *units.Unit                              // of a literal that carries one, else nil
	Variable   int                                      // of opVariable; of OpDefined; the depth of opLocal and OpPrevious, and of what a function binds
	Function   *Entry                                   // of opCall
	Column     *value.Column                            // of a call that takes a column of a table: what is known of it, else nil
	Columns    []string                                 // of a schedule: the names that it defines
	Dimensions []Dimension                              // of those
	Mask       uint64                                   // variables below, by position in the equation's refs; bit 63 stands for all from there on
	size       int                                      // nodes below and itself, counted once for each place they stand in
	Choices    bool                                     // an if, min, max, abs or clamp is below
	slot       int                                      // where an evaluation keeps the value, for what occurs more than once; 0 for nowhere
	self       *Node                                    // the node itself where slot counts, so that a changed copy has none
	local      bool                                     // with a slot: it depends on the index of each
}

// ManyMask is the bit that stands for more than one variable.
const ManyMask = 1 << 63

// MaskOf is the bit of a position in refs.
func MaskOf(position int) uint64 {
	if position > 63 {
		position = 63
	}
	return 1 << position
}

// Unknown is the variable that an equation is being solved for.
type Unknown struct {
	Variable int
	Mask     uint64
}

func (e *Equation) Unknown(variable int) Unknown {
	return Unknown{variable, MaskOf(e.Position(variable))}
}

// Has reports whether the unknown occurs in n.
func (n *Node) Has(x Unknown) bool {
	if n.Mask&x.Mask == 0 {
		return false
	}
	return x.Mask != ManyMask || n.Occurrences(x.Variable) > 0
}

func (n *Node) Occurrences(variable int) int {
	if n.Op == OpVariable && n.Variable == variable {
		return 1
	}
	count := 0
	for _, a := range n.Args {
		count += a.Occurrences(variable)
	}
	return count
}

// Walk calls f on n and all nodes below it, in the order of the text.
func (n *Node) Walk(f func(*Node)) {
	f(n)
	for _, a := range n.Args {
		a.Walk(f)
	}
}

// Larger reports whether n has more than so many parts, counted once for each place they stand in.
func (n *Node) Larger(than int) bool {
	left := than
	return !n.within(&left)
}

func (n *Node) within(left *int) bool {
	if *left--; *left < 0 {
		return false
	}
	for _, a := range n.Args {
		if !a.within(left) {
			return false
		}
	}
	return true
}

// Equal reports whether two expressions are written alike.
func (n *Node) Equal(o *Node) bool {
	if n.Op != o.Op || n.Variable != o.Variable || n.Function != o.Function || len(n.Args) != len(o.Args) || n.Mask != o.Mask {
		return false
	}
	if n.Op == OpNumber && n.Value.Cmp(o.Value) != 0 {
		return false
	}
	for i := range n.Args {
		if !n.Args[i].Equal(o.Args[i]) {
			return false
		}
	}
	return true
}

// isZero is true of a literal 0 without a unit, which is zero in every dimension.
func (n *Node) isZero() bool {
	return n.Op == OpNumber && n.Unit == nil && n.Value.IsZero()
}

// summarize fills mask and choices from below.
func (n *Node) summarize(e *Equation) {
	n.Mask, n.Choices = 0, false
	if n.Op == OpVariable {
		n.Mask = MaskOf(e.Position(n.Variable))
	}
	for _, a := range n.Args {
		a.summarize(e)
		n.Mask |= a.Mask
		n.Choices = n.Choices || a.Choices
	}
	if n.Op == OpCall && n.Function.Choice != NoChoice {
		n.Choices = true
	}
}

// Text is how a part of the equation is written.
func (e *Equation) Text(n *Node) string {
	return strings.TrimSpace(string(e.Source[n.Start:min(n.End, len(e.Source))]))
}

func (n *Node) Calls() bool { return n.Op == OpCall || slices.ContainsFunc(n.Args, (*Node).Calls) }
