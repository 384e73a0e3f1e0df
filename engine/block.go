package engine

import (
	"slices"

	"reckon/engine/value"
)

// block is a set of activities solved together for as many variables.
type block struct {
	activities []int
	outputs    []int // in domain order
	inputs     []int // the other variables of the activities, in domain order; of a single one all of its variables
	open       []int // those that stay open, in domain order: linear equations determine the outputs all the same
}

// squareBlocks finds the smallest sets of activities that determine as many unknown variables: a
// maximum matching of activities and unknowns, less what hangs on unmatched unknowns (Dulmage and
// Mendelsohn, 1958), cut into strongly connected components (Tarjan, 1972). What a set rests on is
// known or stands in an earlier set, one of a single activity perhaps, which is not listed. Domain
// order decides between equal choices. without is an activity that takes no part, -1 for none.
func (d *Domain) squareBlocks(meter *value.Meter, known []bool, disabled bool, without int) []*block {
	unknowns := d.unknowns(known, disabled)
	if without >= 0 {
		unknowns[without] = nil
	}
	meter.Look(4 * len(unknowns))
	m := d.newMatching(meter, unknowns, known)
	if meter.Over() {
		return nil
	}
	t := components{
		next: func(a int, visit func(b int)) {
			for _, v := range unknowns[a] {
				if m.owner[v] != a {
					visit(m.owner[v])
				}
			}
		},
		index: make([]int, len(d.equations)), low: make([]int, len(d.equations)), on: make([]bool, len(d.equations)),
	}
	for a := range d.equations {
		if m.matched[a] && t.index[a] == 0 {
			t.visit(a)
		}
	}
	var blocks []*block
	mark := make([]int, len(d.Profiles)) // the last set that a variable was noted for
	for k, set := range t.found {
		b := &block{}
		for _, a := range set {
			b.outputs = append(b.outputs, m.variable[a])
		}
		for _, a := range set {
			if t := d.behind(a, known); t != nil {
				set, b.outputs = append(set, t.activities...), append(b.outputs, t.tables...)
			}
		}
		slices.Sort(set)
		slices.Sort(b.outputs)
		b.activities, b.outputs = slices.Compact(set), slices.Compact(b.outputs)
		if len(b.activities) < 2 {
			continue
		}
		for _, v := range b.outputs {
			mark[v] = k + 1
		}
		for _, a := range b.activities {
			for _, v := range d.equations[a].Refs {
				if mark[v] != k+1 {
					mark[v] = k + 1
					b.inputs = append(b.inputs, v)
				}
			}
		}
		slices.Sort(b.inputs)
		blocks = append(blocks, b)
	}
	return blocks
}

// unknowns lists what is not known of each activity, behind the tables that others define; nothing
// of one with an unknown table that is not to be seen through.
func (d *Domain) unknowns(known []bool, disabled bool) [][]int {
	all := make([][]int, len(d.equations))
	for a, e := range d.equations {
		if !e.Active && !disabled {
			continue
		}
		refs := e.Refs
		if t := d.behind(a, known); t != nil {
			refs = t.equation.Refs
		}
		for _, v := range refs {
			if known[v] {
				continue
			}
			if d.Profiles[v].Table {
				all[a] = nil
				break
			}
			all[a] = append(all[a], v)
		}
	}
	return all
}

// matching gives as many activities as possible an unknown of their own, which they can be solved
// for.
type matching struct {
	owner    []int  // the activity of a variable, -1 for none
	variable []int  // of an activity
	matched  []bool // by activity; those that hang on an unmatched unknown are not
}

func (d *Domain) newMatching(meter *value.Meter, unknowns [][]int, known []bool) matching {
	var through []int // activities that are solved behind tables, of whose variables they are no users
	for a := range unknowns {
		if len(unknowns[a]) > 0 && d.behind(a, known) != nil {
			through = append(through, a)
		}
	}
	solves := func(a, v int) bool {
		if slices.Contains(through, a) {
			return d.solvesThrough(a, v)
		}
		return d.equations[a].Solves(v)
	}
	m := matching{make([]int, len(d.Profiles)), make([]int, len(unknowns)), make([]bool, len(unknowns))}
	for v := range m.owner {
		m.owner[v] = -1
	}
	seen, round := make([]int, len(d.Profiles)), 1
	take := func(a, v int) bool {
		m.owner[v], m.variable[a] = a, v
		return true
	}
	var augment func(a int) bool
	augment = func(a int) bool {
		if !meter.Look(1 + len(unknowns[a])) {
			return false
		}
		for _, v := range unknowns[a] {
			if m.owner[v] < 0 && solves(a, v) {
				return take(a, v)
			}
		}
		for _, v := range unknowns[a] {
			if seen[v] != round && m.owner[v] >= 0 && solves(a, v) {
				if seen[v] = round; augment(m.owner[v]) {
					return take(a, v)
				}
			}
		}
		return false
	}
	for a := range unknowns {
		// What was seen without success leads to no free variable later either.
		if m.matched[a] = augment(a); m.matched[a] {
			round++
		}
	}
	// An activity is underdetermined when one of its unknowns is free, or is owned by an
	// underdetermined one.
	var loose []int
	for v, owner := range m.owner {
		if owner < 0 {
			loose = append(loose, v)
		}
	}
	looks := 0
	for len(loose) > 0 {
		v := loose[len(loose)-1]
		loose = loose[:len(loose)-1]
		looks += len(d.users[v])
		for _, a := range slices.Concat(d.users[v], through) {
			if m.matched[a] && slices.Contains(unknowns[a], v) {
				m.matched[a] = false
				loose = append(loose, m.variable[a])
			}
		}
	}
	meter.Look(3*len(unknowns) + 2*looks)
	return m
}

// components is Tarjan's algorithm over activities.
type components struct {
	next       func(a int, visit func(b int))
	index, low []int
	on         []bool
	stack      []int
	count      int
	found      [][]int // each after those that it rests on
}

func (t *components) visit(a int) {
	t.count++
	t.index[a], t.low[a], t.on[a] = t.count, t.count, true
	t.stack = append(t.stack, a)
	t.next(a, func(b int) {
		if t.index[b] == 0 {
			t.visit(b)
			t.low[a] = min(t.low[a], t.low[b])
		} else if t.on[b] {
			t.low[a] = min(t.low[a], t.index[b])
		}
	})
	if t.low[a] == t.index[a] {
		k := len(t.stack) - 1
		for t.stack[k] != a {
			k--
		}
		set := slices.Clone(t.stack[k:])
		t.stack = t.stack[:k]
		for _, b := range set {
			t.on[b] = false
		}
		t.found = append(t.found, set)
	}
}
