package engine

import (
	"slices"
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
// disabled activities take part.
func (d *Domain) closure(known []bool, disabled bool) { d.closureWithout(known, disabled, -1) }

// closureWithout is closure through everything but one variable, which is not derived.
func (d *Domain) closureWithout(known []bool, disabled bool, barred int) {
	missing := make([]int, len(d.equations))
	var queue []int
	for a, e := range d.equations {
		for _, v := range e.Refs {
			if !known[v] {
				missing[a]++
			}
		}
		if missing[a] == 1 {
			queue = append(queue, a)
		}
	}
	for len(queue) > 0 {
		a := queue[0]
		queue = queue[1:]
		e := d.equations[a]
		if missing[a] != 1 || !e.Active && !disabled {
			continue
		}
		for i, v := range e.Refs {
			if known[v] || v == barred || !e.Calculable[i] {
				continue
			}
			known[v] = true
			for _, b := range d.users[v] {
				if missing[b]--; missing[b] == 1 {
					queue = append(queue, b)
				}
			}
		}
	}
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
func (d *Domain) reachable(known []bool, target int, disabled bool) bool {
	known = slices.Clone(known)
	known[target] = false
	d.closure(known, disabled)
	if !known[target] {
		d.closeBlocks(known, disabled)
	}
	return known[target]
}
