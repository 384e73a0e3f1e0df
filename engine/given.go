package engine

import (
	"slices"

	"reckon/engine/value"
)

// given says which facts there are: for each variable a set of tiers.
type given []uint8

func (g given) has(v int, t Tier) bool { return g[v]&(1<<t) != 0 }

// fixed reports whether a variable has a value that is never recomputed.
func (g given) fixed(v int) bool { return g.has(v, Stated) || g.has(v, Carried) }

// leafTier is the tier in which a variable may be used as it is, and whether there is one. A
// variable that was calculated in the base is never taken from its default.
func (g given) leafTier(v int, remembered bool) (Tier, bool) {
	switch {
	case g.has(v, Stated):
		return Stated, true
	case g.has(v, Carried):
		return Carried, true
	case g.has(v, Remembered):
		return Remembered, remembered
	case g.has(v, Defaulted):
		return Defaulted, true
	}
	return 0, false
}

// givenOf sorts facts by variable; those of the target do not count.
func (d *Domain) givenOf(facts []Fact, target int) given {
	g := make(given, len(d.Profiles))
	for _, f := range facts {
		if f.Variable != target {
			g[f.Variable] |= 1 << f.Tier
		}
	}
	return g
}

// closure adds to known all variables that follow from it, one activity at a time. disabled lets
// disabled activities take part. It looks at each edge of the graph twice at most.
func (d *Domain) closure(m *value.Meter, known []bool, disabled bool) {
	d.closureWithout(m, known, disabled, -1)
}

// closureWithout is closure through everything but one variable, which is not derived.
func (d *Domain) closureWithout(m *value.Meter, known []bool, disabled bool, barred int) {
	missing := make([]int, len(d.equations))
	var queue []int
	looks := 0
	for a, e := range d.equations {
		looks += 1 + len(e.Refs)
		for _, v := range e.Refs {
			if !known[v] {
				missing[a]++
			}
		}
		if missing[a] == 1 {
			queue = append(queue, a)
		}
	}
	if !m.Look(looks) {
		return
	}
	looks = 0
	for len(queue) > 0 {
		a := queue[0]
		queue = queue[1:]
		e := d.equations[a]
		if missing[a] != 1 || !e.Active && !disabled {
			continue
		}
		looks += len(e.Refs)
		for i, v := range e.Refs {
			if known[v] || v == barred || !e.Calculable[i] {
				continue
			}
			known[v] = true
			looks += len(d.users[v])
			for _, b := range d.users[v] {
				if missing[b]--; missing[b] == 1 {
					queue = append(queue, b)
				}
			}
		}
	}
	m.Look(looks)
}

// leaves marks the variables that can be used as they are.
func (g given) leaves(remembered bool) []bool {
	known := make([]bool, len(g))
	for v := range g {
		_, known[v] = g.leafTier(v, remembered)
	}
	return known
}

// reachable reports whether a target follows from what is known, which excludes the target itself.
func (d *Domain) reachable(m *value.Meter, known []bool, target int, disabled bool) bool {
	known = slices.Clone(known)
	known[target] = false
	d.closure(m, known, disabled)
	if !known[target] {
		d.closeBlocks(m, known, disabled)
	}
	return known[target]
}
