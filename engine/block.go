package engine

import (
	"slices"
)

// block is a set of activities solved together for as many variables.
type block struct {
	activities []int
	outputs    []int // in domain order
	inputs     []int // the other variables of the activities, in domain order
}

// maxBlock bounds the activities that are solved together.
const maxBlock = 50

// squareBlocks finds the smallest sets of activities that determine as many unknown variables: a maximum matching of
// activities and unknowns, less what hangs on unmatched unknowns (Dulmage and Mendelsohn, 1958), cut into strongly
// connected components (Tarjan, 1972). Domain order decides between equal choices.
func (d *Domain) squareBlocks(known []bool, disabled bool) []*block {
	unknowns := make([][]int, len(d.equations)) // of each activity
	for a, e := range d.equations {
		if !e.Active && !disabled || e.Tables {
			continue
		}
		for i, v := range e.Refs {
			if !known[v] {
				if !e.Calculable[i] || d.Profiles[v].Table {
					unknowns[a] = nil
					break
				}
				unknowns[a] = append(unknowns[a], v)
			}
		}
	}
	owner := make([]int, len(d.Profiles))  // the activity matched to a variable
	match := make([]int, len(d.equations)) // the variable matched to an activity
	for v := range owner {
		owner[v] = -1
	}
	seen, round := make([]int, len(d.Profiles)), 0
	var augment func(a int) bool
	augment = func(a int) bool {
		for _, v := range unknowns[a] {
			if seen[v] == round {
				continue
			}
			seen[v] = round
			if owner[v] < 0 || augment(owner[v]) {
				owner[v], match[a] = a, v
				return true
			}
		}
		return false
	}
	matched := make([]bool, len(d.equations))
	for a := range d.equations {
		if len(unknowns[a]) > 0 {
			round++
			matched[a] = augment(a)
		}
	}
	// An activity is underdetermined when one of its unknowns is free, or is owned by an underdetermined one.
	for changed := true; changed; {
		changed = false
		for a := range d.equations {
			if matched[a] && slices.ContainsFunc(unknowns[a], func(v int) bool { return owner[v] < 0 || !matched[owner[v]] }) {
				matched[a], changed = false, true
			}
		}
	}
	var blocks []*block
	t := components{next: func(a int) []int {
		var list []int
		for _, v := range unknowns[a] {
			if owner[v] != a {
				list = append(list, owner[v])
			}
		}
		return list
	}, index: make([]int, len(d.equations)), low: make([]int, len(d.equations)), on: make([]bool, len(d.equations))}
	for a := range d.equations {
		if matched[a] && t.index[a] == 0 {
			t.visit(a)
		}
	}
	for _, set := range t.found {
		slices.Sort(set)
		b := &block{activities: set}
		for _, a := range set {
			b.outputs = append(b.outputs, match[a])
		}
		slices.Sort(b.outputs)
		whole := true
		for _, a := range set {
			for _, v := range d.equations[a].Refs {
				if slices.Contains(b.outputs, v) || slices.Contains(b.inputs, v) {
					continue
				}
				whole = whole && known[v]
				b.inputs = append(b.inputs, v)
			}
		}
		slices.Sort(b.inputs)
		if whole && len(set) > 1 && len(set) <= maxBlock {
			blocks = append(blocks, b)
		}
	}
	return blocks
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

// closeBlocks goes on with what is known by blocks and single activities until nothing more follows. It returns the blocks.
func (d *Domain) closeBlocks(known []bool, disabled bool) []*block {
	var all []*block
	for range maxBlock {
		blocks := d.squareBlocks(known, disabled)
		if len(blocks) == 0 {
			break
		}
		for _, b := range blocks {
			for _, v := range b.outputs {
				known[v] = true
			}
		}
		all = append(all, blocks...)
		d.closure(known, disabled)
	}
	return all
}

// findBlocks lists the blocks that a plan may use: those that follow from what is given alone, and those that follow with
// defaults, and with remembered values, too.
func (d *Domain) findBlocks(g given, target int, remembered, disabled bool) []*block {
	var all []*block
	add := func(known []bool) {
		known[target] = false
		d.closure(known, disabled)
		for _, b := range d.closeBlocks(known, disabled) {
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
