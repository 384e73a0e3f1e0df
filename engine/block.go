package engine

import (
	"slices"

	"reckon/engine/value"
)

// block is a set of activities solved together for as many variables.
type block struct {
	activities []int
	outputs    []int // in domain order
	inputs     []int // the other variables of the activities, in domain order
}

// maxBlock bounds the activities that are solved together.
const maxBlock = 500

// squareBlocks finds the smallest sets of activities that determine as many unknown variables: a
// maximum matching of activities and unknowns, less what hangs on unmatched unknowns (Dulmage and
// Mendelsohn, 1958), cut into strongly connected components (Tarjan, 1972). Domain order decides
// between equal choices.
func (d *Domain) squareBlocks(meter *value.Meter, known []bool, disabled bool) []*block {
	unknowns := d.unknowns(known, disabled)
	meter.Look(4 * len(unknowns))
	m := newMatching(meter, unknowns, len(d.Profiles))
	if meter.Over() {
		return nil
	}
	t := components{next: func(a int) []int {
		var list []int
		for _, v := range unknowns[a] {
			if m.owner[v] != a {
				list = append(list, m.owner[v])
			}
		}
		return list
	}, index: make([]int, len(d.equations)), low: make([]int, len(d.equations)), on: make([]bool, len(d.equations))}
	for a := range d.equations {
		if m.matched[a] && t.index[a] == 0 {
			t.visit(a)
		}
	}
	var blocks []*block
	for _, set := range t.found {
		if len(set) < 2 || len(set) > maxBlock {
			continue
		}
		b := &block{activities: set}
		for _, a := range set {
			b.outputs = append(b.outputs, m.variable[a])
		}
		whole := true
		for _, a := range set {
			for _, v := range d.equations[a].Refs {
				if !slices.Contains(b.outputs, v) && !slices.Contains(b.inputs, v) {
					whole = whole && known[v]
					b.inputs = append(b.inputs, v)
				}
			}
		}
		slices.Sort(set)
		slices.Sort(b.outputs)
		slices.Sort(b.inputs)
		if whole {
			blocks = append(blocks, b)
		}
	}
	return blocks
}

// unknowns lists what is not known of each activity, nothing of one that cannot be solved for all
// of it.
func (d *Domain) unknowns(known []bool, disabled bool) [][]int {
	all := make([][]int, len(d.equations))
	for a, e := range d.equations {
		if !e.Active && !disabled || e.Tables {
			continue
		}
		for i, v := range e.Refs {
			if known[v] {
				continue
			}
			if !e.Calculable[i] || d.Profiles[v].Table {
				all[a] = nil
				break
			}
			all[a] = append(all[a], v)
		}
	}
	return all
}

// matching gives as many activities as possible an unknown of their own.
type matching struct {
	owner    []int  // the activity of a variable, -1 for none
	variable []int  // of an activity
	matched  []bool // by activity; those that hang on an unmatched unknown are not
}

func newMatching(meter *value.Meter, unknowns [][]int, variables int) matching {
	m := matching{make([]int, variables), make([]int, len(unknowns)), make([]bool, len(unknowns))}
	for v := range m.owner {
		m.owner[v] = -1
	}
	seen, round := make([]int, variables), 0
	var augment func(a int) bool
	augment = func(a int) bool {
		if !meter.Look(1 + len(unknowns[a])) {
			return false
		}
		for _, v := range unknowns[a] {
			if seen[v] == round {
				continue
			}
			seen[v] = round
			if m.owner[v] < 0 || augment(m.owner[v]) {
				m.owner[v], m.variable[a] = a, v
				return true
			}
		}
		return false
	}
	for a := range unknowns {
		round++
		m.matched[a] = augment(a)
	}
	// An activity is underdetermined when one of its unknowns is free, or is owned by an
	// underdetermined one.
	for changed := true; changed && meter.Look(3*len(unknowns)); {
		changed = false
		for a := range unknowns {
			if m.matched[a] && slices.ContainsFunc(unknowns[a], func(v int) bool { return m.owner[v] < 0 || !m.matched[m.owner[v]] }) {
				m.matched[a], changed = false, true
			}
		}
	}
	return m
}

// components is Tarjan's algorithm over activities.
type components struct {
	next       func(a int) []int
	index, low []int
	on         []bool
	stack      []int
	count      int
	found      [][]int
}

func (t *components) visit(a int) {
	t.count++
	t.index[a], t.low[a], t.on[a] = t.count, t.count, true
	t.stack = append(t.stack, a)
	for _, b := range t.next(a) {
		if t.index[b] == 0 {
			t.visit(b)
			t.low[a] = min(t.low[a], t.low[b])
		} else if t.on[b] {
			t.low[a] = min(t.low[a], t.index[b])
		}
	}
	if t.low[a] == t.index[a] {
		k := slices.Index(t.stack, a)
		set := slices.Clone(t.stack[k:])
		t.stack = t.stack[:k]
		for _, b := range set {
			t.on[b] = false
		}
		t.found = append(t.found, set)
	}
}

// closeBlocks goes on with what is known by blocks and single activities until nothing more
// follows. It returns the blocks.
func (d *Domain) closeBlocks(m *value.Meter, known []bool, disabled bool) []*block {
	var all []*block
	for range maxBlock {
		blocks := d.squareBlocks(m, known, disabled)
		if len(blocks) == 0 {
			break
		}
		for _, b := range blocks {
			for _, v := range b.outputs {
				known[v] = true
			}
		}
		all = append(all, blocks...)
		d.closure(m, known, disabled)
	}
	return all
}

// findBlocks lists the blocks that a plan may use: those that follow from what is given alone, and
// those that follow with defaults, and with remembered values, too.
func (d *Domain) findBlocks(m *value.Meter, g given, target int, remembered, disabled bool) []*block {
	var all []*block
	add := func(known []bool) {
		known[target] = false
		d.closure(m, known, disabled)
		for _, b := range d.closeBlocks(m, known, disabled) {
			if !slices.ContainsFunc(all, func(o *block) bool {
				return slices.Equal(o.activities, b.activities) && slices.Equal(o.outputs, b.outputs)
			}) {
				all = append(all, b)
			}
		}
	}
	fixed := make([]bool, len(g))
	for v := range g {
		fixed[v] = g.fixed(v)
	}
	add(fixed)
	add(g.leaves(remembered))
	return all
}
