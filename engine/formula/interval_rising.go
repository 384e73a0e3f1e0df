package formula

import (
	"math"
	"slices"

	"reckon/engine/decimal"
)

// rising says whether a function never falls with an argument (+), never rises (-), never falls
// with whole numbers and has no value at others (#), or tells nothing unless it is a number (.),
// and whether it does so without steps. It may depend on where the arguments are; "" tells
// nothing.
type rising func(args []Interval) (signs string, smooth bool)

// inSteps is how a function goes that has steps.
func inSteps(signs string) rising { return func([]Interval) (string, bool) { return signs, false } }

// smoothly is how a function goes that has none.
func smoothly(signs string) rising { return func([]Interval) (string, bool) { return signs, true } }

// rises is an entry with how it goes.
func (e *Entry) rises(by rising) *Entry {
	e.Rising = by
	return e
}

// between encloses a function of numbers that rises or falls with its arguments by its values at
// two corners; false where it has none there.
func (m *IntervalMachine) between(n *Node, args []Interval) (Interval, bool) {
	if n.Op != OpCall || n.Function.Rising == nil {
		return Interval{}, false
	}
	args = slices.Clone(args)
	for _, a := range n.Arguments()[len(args):] {
		args = append(args, Enclose(a.Value))
	}
	signs, smooth := n.Function.Rising(args)
	if signs == "" {
		return Interval{}, false
	}
	tables := make([]IntervalTable, len(args))
	for i, s := range args {
		if signs[min(i, len(signs)-1)] == '#' {
			s.Partial = s.Partial || !s.isPoint()
			if s.Lo, s.Hi = math.Ceil(s.Lo), math.Floor(s.Hi); s.Lo > s.Hi {
				return EmptyInterval, true
			}
		}
		tables[i] = SingleInterval(s)
	}
	over := &Entry{Grid: func(c *decimal.Context, grids []Grid) Grid {
		numbers := make([]decimal.Decimal, len(grids))
		for i, g := range grids {
			numbers[i] = g.Rows[0][0].Number
		}
		return scalarGrid(n.Function.Eval(c, numbers))
	}}
	t, ok := m.corners(over, signs, tables)
	s := t.Single()
	s.Jumps = s.Jumps || !smooth && s.Lo != s.Hi
	return s, ok
}
