package engine

import (
	"cmp"
	"math/bits"
	"slices"
	"sync/atomic"

	"reckon/engine/solve"
)

// plan is how a target follows from facts.
type plan struct {
	steps  []solve.Step // in evaluation order
	leaves []leaf       // the facts it rests on, in order of use

	kept atomic.Pointer[keptUnits] // nil before the first calculation
}

// leaf is a fact that a plan rests on.
type leaf struct {
	variable int
	tier     Tier
}

// rests lists the facts that a plan rests on by their position, in order of use.
func (p *plan) rests(facts []Fact) []int {
	used := make([]int, 0, len(p.leaves))
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

// maxPlanSteps bounds the search for the cheapest plan; the cheapest found by then is taken.
const maxPlanSteps = 20_000

// planner searches plans backwards from a target: every open variable is taken as a fact or derived
// by an activity or a system of them, its options.
type planner struct {
	d          *Domain
	g          given
	target     int
	remembered bool
	disabled   bool
	known      []bool   // all that follows from the facts
	blocks     []*block // systems that may be solved together
	bans       []solve.Step
	options    [][]*block // by variable: what yields it, single activities before systems
	statedBit  []uint64   // by variable: its own bit when it is stated
	potential  []uint64   // by variable: the stated facts that its value may rest on
	exact      bool       // there are few enough stated facts for the bits
	via        []*block   // by variable: how it is derived, asLeaf, or nil where that is open
	usedBy     []bool     // by activity
	steps      int
	best       *plan
	bestCost   cost
	mark       []int
	round      int
}

// asLeaf stands for the option that takes a variable as a fact.
var asLeaf = &block{}

// findPlan is the cheapest plan for a target without some steps, or nil.
func (d *Domain) findPlan(g given, target int, disabled bool, bans []solve.Step) *plan {
	for _, remembered := range []bool{false, true} {
		p := &planner{d: d, bans: bans, g: g, target: target, remembered: remembered, disabled: disabled}
		p.blocks = slices.DeleteFunc(d.findBlocks(g, target, remembered, disabled), func(b *block) bool {
			return slices.ContainsFunc(bans, func(s solve.Step) bool { return slices.Equal(s.Activities, b.activities) })
		})
		p.known = g.leaves(remembered)
		p.known[target] = false
		d.closure(p.known, disabled)
		if len(p.blocks) > 0 {
			d.closeBlocks(p.known, disabled)
		}
		if !p.known[target] {
			continue
		}
		p.prepare()
		p.search([]int{target})
		if p.best != nil {
			return p.best
		}
	}
	return nil
}

func (p *planner) prepare() {
	d, n := p.d, len(p.d.Profiles)
	p.options, p.via = make([][]*block, n), make([]*block, n)
	p.statedBit, p.potential = make([]uint64, n), make([]uint64, n)
	p.usedBy, p.mark = make([]bool, len(d.equations)), make([]int, n)
	stated := 0
	for v := range n {
		if p.g.has(v, Stated) {
			p.statedBit[v] = 1 << (stated % 64)
			p.potential[v] = p.statedBit[v]
			stated++
		}
	}
	p.exact = stated <= 64
	for a, e := range d.equations {
		if !e.Active && !p.disabled || slices.ContainsFunc(e.Refs, func(v int) bool { return !p.known[v] }) {
			continue
		}
		for i, v := range e.Refs {
			if e.Calculable[i] && !p.g.fixed(v) && !p.banned(a, v) {
				p.options[v] = append(p.options[v], &block{activities: []int{a}, outputs: []int{v}, inputs: e.Refs})
			}
		}
	}
	for _, b := range p.blocks {
		for _, v := range b.outputs {
			p.options[v] = append(p.options[v], b)
		}
	}
	// Activities whose other variables are given come first, so that good plans are found early.
	open := func(o *block) (count int) {
		for _, r := range o.inputs {
			if !p.g.fixed(r) {
				count++
			}
		}
		return count
	}
	for v := range p.options {
		slices.SortStableFunc(p.options[v], func(a, b *block) int { return cmp.Compare(open(a), open(b)) })
	}
	for changed := true; changed; {
		changed = false
		for v, options := range p.options {
			all := p.potential[v]
			for _, o := range options {
				for _, r := range o.inputs {
					all |= p.potential[r]
				}
			}
			if all != p.potential[v] {
				p.potential[v], changed = all, true
			}
		}
	}
}

// banned reports whether an activity must not yield a variable.
func (p *planner) banned(a, v int) bool {
	return slices.ContainsFunc(p.bans, func(s solve.Step) bool { return !s.IsBlock() && s.Activity == a && s.Variable == v })
}

// search goes on with the last of the open variables.
func (p *planner) search(open []int) {
	p.steps++
	if p.steps > maxPlanSteps && p.best != nil || p.steps > 10*maxPlanSteps {
		return
	}
	for len(open) > 0 && p.via[open[len(open)-1]] != nil {
		open = open[:len(open)-1]
	}
	if p.best != nil && !p.promising(open) {
		return
	}
	if len(open) == 0 {
		p.record()
		return
	}
	v, rest := open[len(open)-1], open[:len(open)-1]
	_, usable := p.g.leafTier(v, p.remembered)
	usable = usable && v != p.target
	if !usable || !p.g.fixed(v) {
		for _, o := range p.options[v] {
			p.derive(v, o, rest)
		}
	}
	if usable {
		p.via[v] = asLeaf
		p.search(rest)
		p.via[v] = nil
	}
}

// derive tries an option for v.
func (p *planner) derive(v int, option *block, rest []int) {
	if slices.ContainsFunc(option.activities, func(a int) bool { return p.usedBy[a] }) ||
		slices.ContainsFunc(option.outputs, func(o int) bool { return p.via[o] != nil }) {
		return
	}
	for _, o := range option.outputs {
		p.via[o] = option
	}
	if !p.cyclic(option) {
		for _, a := range option.activities {
			p.usedBy[a] = true
		}
		next := slices.Clip(rest)
		for _, r := range slices.Backward(option.inputs) {
			if p.via[r] == nil {
				next = append(next, r)
			}
		}
		p.search(next)
		for _, a := range option.activities {
			p.usedBy[a] = false
		}
	}
	for _, o := range option.outputs {
		p.via[o] = nil
	}
}

// cyclic reports whether what an option yields would rest on itself.
func (p *planner) cyclic(option *block) bool {
	p.round++
	var rests func(o *block) bool
	rests = func(o *block) bool {
		return slices.ContainsFunc(o.inputs, func(r int) bool {
			switch {
			case slices.Contains(o.outputs, r):
				return false
			case slices.Contains(option.outputs, r):
				return true
			case p.mark[r] == p.round || p.via[r] == nil:
				return false
			}
			p.mark[r] = p.round
			return rests(p.via[r])
		})
	}
	return rests(option)
}

// promising reports whether what is chosen so far can still lead to a better plan than the best.
func (p *planner) promising(open []int) bool {
	if !p.exact {
		return true
	}
	c, stated := p.partial()
	for i, v := range open {
		stated |= p.potential[v]
		if _, leaf := p.g.leafTier(v, p.remembered); !leaf && p.via[v] == nil && !slices.Contains(open[:i], v) && len(p.blocks) == 0 {
			c.activities++
		}
	}
	c.unstated = -bits.OnesCount64(stated)
	return c.compare(p.bestCost) <= 0
}

// partial is the cost of what is chosen so far, and the stated facts in it.
func (p *planner) partial() (cost, uint64) {
	var c cost
	var stated uint64
	for v, via := range p.via {
		if via != asLeaf {
			continue
		}
		switch tier, _ := p.g.leafTier(v, p.remembered); tier {
		case Stated:
			stated |= p.statedBit[v]
			c.unstated--
		case Remembered:
			c.remembered++
		case Defaulted:
			c.defaulted++
		}
	}
	for _, used := range p.usedBy {
		if used {
			c.activities++
		}
	}
	return c, stated
}

// record keeps a finished plan when it is the best so far.
func (p *planner) record() {
	c, _ := p.partial()
	for a, used := range p.usedBy {
		if used {
			c.order = append(c.order, a)
		}
	}
	if p.best != nil && c.compare(p.bestCost) >= 0 {
		return
	}
	found := &plan{}
	done := make([]bool, len(p.d.Profiles))
	var visit func(v int)
	visit = func(v int) {
		if done[v] {
			return
		}
		done[v] = true
		via := p.via[v]
		if via == asLeaf {
			tier, _ := p.g.leafTier(v, p.remembered)
			found.leaves = append(found.leaves, leaf{v, tier})
			return
		}
		for _, o := range via.outputs {
			done[o] = true
		}
		step := solve.Step{Variable: v, Activity: via.activities[0], Activities: via.activities, Outputs: via.outputs}
		inputs := via.inputs
		if !step.IsBlock() {
			inputs = p.d.equations[step.Activity].Order
		}
		for _, r := range inputs {
			if !slices.Contains(via.outputs, r) {
				visit(r)
			}
		}
		found.steps = append(found.steps, step)
	}
	visit(p.target)
	p.best, p.bestCost = found, c
}
