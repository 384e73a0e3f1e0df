package engine

import (
	"cmp"
	"slices"
	"sync/atomic"

	"reckon/engine/solve"
	"reckon/engine/value"
)

// plan is how a target follows from facts.
type plan struct {
	steps  []solve.Step // in evaluation order
	leaves []leaf       // the facts it rests on, in order of use
	tables bool         // some step calls functions over tables

	kept atomic.Pointer[keptUnits] // nil before the first calculation
}

// leaf is a fact that a plan rests on.
type leaf struct {
	variable int
	tier     Tier
}

// rests lists the facts that a plan rests on by their position, in order of use. The domain has so
// many variables.
func (p *plan) rests(facts []Fact, variables int) []int {
	used := make([]int, 0, len(p.leaves))
	if len(p.leaves)*len(facts) > 400 {
		at := make([][Defaulted + 1]int32, variables) // one more than the position, 0 for none
		for i := range slices.Backward(facts) {
			at[facts[i].Variable][facts[i].Tier] = int32(i + 1)
		}
		for _, l := range p.leaves {
			if i := at[l.variable][l.tier]; i > 0 {
				used = append(used, int(i-1))
			}
		}
		return used
	}
	for _, l := range p.leaves {
		if i := slices.IndexFunc(facts, func(f Fact) bool { return f.Variable == l.variable && f.Tier == l.tier }); i >= 0 {
			used = append(used, i)
		}
	}
	return used
}

// cost orders plans; less is better.
type cost struct {
	unstated   int // minus the number of stated facts used
	remembered int
	defaulted  int
	activities int
	order      []int // activities, ascending
}

func (c cost) compare(o cost) int {
	return cmp.Or(cmp.Compare(c.unstated, o.unstated), cmp.Compare(c.remembered, o.remembered), cmp.Compare(c.defaulted, o.defaulted),
		cmp.Compare(c.activities, o.activities), slices.Compare(c.order, o.order))
}

// findPlan is the cheapest plan for a target without some steps, as far as it is found in time; nil
// where there is none, and at the end of the budget. What follows is followed forwards first, which
// is a plan; the search for a cheaper one has a budget of its own.
func (d *Domain) findPlan(m *value.Meter, g given, target int, disabled bool, bans []solve.Step) *plan {
	for _, remembered := range []bool{false, true} {
		p := &planner{d: d, meter: m, bans: bans, g: g, target: target, remembered: remembered, disabled: disabled}
		found := p.forward()
		if m.Over() {
			return nil
		}
		if found {
			p.improve()
			return p.best
		}
	}
	return nil
}
