package engine

import (
	"cmp"
	"math/bits"
	"slices"
	"sync/atomic"

	"reckon/engine/solve"
	"reckon/engine/value"
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

// maxPlanSteps and maxPlanLooks bound the search for the cheapest plan; the cheapest found by then
// is taken.
const (
	maxPlanSteps = 20_000
	maxPlanLooks = 8_000_000
)

// planner searches plans backwards from a target: every open variable is taken as a fact or derived
// by an activity or a system of them, its options.
type planner struct {
	d          *Domain
	meter      *value.Meter
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
	looks      int    // at the end of which the best plan is good enough
	now        cost   // of what is chosen so far, without the order
	stated     uint64 // the stated facts in it
	reach      int    // how many stated facts there are that a plan may use
	best       *plan
	bestCost   cost
	first      bool // best is not from the search, which finds it again
	mark       []int
	round      int
}

// asLeaf stands for the option that takes a variable as a fact.
var asLeaf = &block{}

// findPlan is the cheapest plan for a target without some steps; nil where there is none, and at
// the end of the budget.
func (d *Domain) findPlan(m *value.Meter, g given, target int, disabled bool, bans []solve.Step) *plan {
	for _, remembered := range []bool{false, true} {
		p := &planner{d: d, meter: m, bans: bans, g: g, target: target, remembered: remembered, disabled: disabled}
		p.blocks = slices.DeleteFunc(d.findBlocks(m, g, target, remembered, disabled), func(b *block) bool {
			return slices.ContainsFunc(bans, func(s solve.Step) bool { return slices.Equal(s.Activities, b.activities) })
		})
		p.known = g.leaves(remembered)
		p.known[target] = false
		d.closure(m, p.known, disabled)
		if len(p.blocks) > 0 {
			d.closeBlocks(m, p.known, disabled)
		}
		if m.Over() {
			return nil
		}
		if !p.known[target] {
			continue
		}
		p.prepare()
		if !p.forward() {
			continue
		}
		p.looks = m.Looks() - maxPlanLooks
		p.search([]int{target})
		if m.Over() {
			return nil
		}
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
	p.exact, p.reach = stated <= 64, stated
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
	p.meter.Look(8 * (len(d.equations) + n))
	for changed := true; changed && p.meter.Look(4*len(d.equations)); {
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
	if !p.meter.Look(4) || (p.steps > maxPlanSteps || p.meter.Looks() < p.looks) && p.best != nil {
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
		now, stated := p.now, p.stated
		p.takeLeaf(v)
		p.search(rest)
		p.via[v], p.now, p.stated = nil, now, stated
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
		p.now.activities += len(option.activities)
		next := slices.Clip(rest)
		for _, r := range slices.Backward(option.inputs) {
			if p.via[r] == nil {
				next = append(next, r)
			}
		}
		p.search(next)
		p.now.activities -= len(option.activities)
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
		p.meter.Look(4 * len(o.inputs))
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
	c, stated := p.now, p.stated
	p.meter.Look(2 * len(open))
	var needed []int // variables that take an activity each
	for i, v := range open {
		stated |= p.potential[v]
		if _, leaf := p.g.leafTier(v, p.remembered); !leaf && p.via[v] == nil && len(p.blocks) == 0 && !slices.Contains(open[:i], v) {
			c.activities++
			needed = append(needed, v)
		}
	}
	c.unstated = -p.reach
	if p.exact {
		c.unstated = -bits.OnesCount64(stated)
	}
	if r := c.compare(p.bestCost); r > 0 || len(p.blocks) > 0 {
		return r <= 0
	}
	if c.order = p.bestCost.order; c.compare(p.bestCost) < 0 {
		return true
	}
	// Only the order of the domain can still make it better.
	p.meter.Look(len(p.usedBy)/2 + 8*c.activities)
	order := make([]int, 0, c.activities)
	for a, used := range p.usedBy {
		if used {
			order = append(order, a)
		}
	}
	for _, v := range needed {
		least := -1
		for _, o := range p.options[v] {
			if a := o.activities[0]; !p.usedBy[a] && (least < 0 || a < least) {
				least = a
			}
		}
		if least < 0 {
			return false
		}
		order = append(order, least)
	}
	slices.Sort(order)
	r := slices.Compare(order, p.bestCost.order)
	return r < 0 || r == 0 && p.first
}

// takeLeaf takes a variable as a fact.
func (p *planner) takeLeaf(v int) {
	p.via[v] = asLeaf
	switch tier, _ := p.g.leafTier(v, p.remembered); tier {
	case Stated:
		p.stated |= p.statedBit[v]
		p.now.unstated--
	case Remembered:
		p.now.remembered++
	case Defaulted:
		p.now.defaulted++
	}
}

// forward goes from the facts to the target by whatever follows first. It reports whether it comes
// there: nothing else does where it does not. What it finds is the plan to begin with.
func (p *planner) forward() bool {
	var options []*block
	waits := make([][]int, len(p.via)) // by variable: the options that wait for it
	var missing, queue []int
	for v, list := range p.options {
		for _, o := range list {
			if len(o.outputs) > 1 && o.outputs[0] != v {
				continue // it stands with each of its outputs
			}
			at, open := len(options), 0
			for _, r := range o.inputs {
				if !slices.Contains(o.outputs, r) {
					waits[r] = append(waits[r], at)
					open++
				}
			}
			options, missing = append(options, o), append(missing, open)
			if open == 0 {
				queue = append(queue, at)
			}
		}
	}
	have := make([]bool, len(p.via))
	arrive := func(v int) {
		have[v] = true
		p.meter.Look(1 + len(waits[v]))
		for _, at := range waits[v] {
			if missing[at]--; missing[at] == 0 {
				queue = append(queue, at)
			}
		}
	}
	for v := range p.via {
		if _, leaf := p.g.leafTier(v, p.remembered); leaf && v != p.target {
			arrive(v)
			p.via[v] = asLeaf
		}
	}
	for len(queue) > 0 && !have[p.target] {
		o := options[queue[0]]
		queue = queue[1:]
		if slices.ContainsFunc(o.outputs, func(v int) bool { return have[v] }) {
			continue
		}
		for _, v := range o.outputs {
			p.via[v] = o
		}
		for _, v := range o.outputs {
			arrive(v)
		}
	}
	p.begin(have[p.target])
	return have[p.target]
}

// begin keeps the plan that has been found forwards, and forgets the choices.
func (p *planner) begin(found bool) {
	chosen := slices.Clone(p.via)
	clear(p.via)
	whole := found
	var need func(v int)
	need = func(v int) {
		if p.via[v] != nil {
			return
		}
		o := chosen[v]
		if o == asLeaf {
			p.takeLeaf(v)
			return
		}
		for _, v := range o.outputs {
			p.via[v] = o
		}
		for _, a := range o.activities {
			whole = whole && !p.usedBy[a]
			p.usedBy[a] = true
		}
		p.now.activities += len(o.activities)
		for _, r := range o.inputs {
			need(r)
		}
	}
	if found {
		need(p.target)
	}
	if whole {
		p.record()
		p.first = true
	}
	clear(p.via)
	clear(p.usedBy)
	p.now, p.stated = cost{}, 0
}

// record keeps a finished plan when it is the best so far.
func (p *planner) record() {
	c := p.now
	p.meter.Look(len(p.usedBy) / 8)
	for a, used := range p.usedBy {
		if used {
			c.order = append(c.order, a)
		}
	}
	if p.best != nil {
		if r := c.compare(p.bestCost); r > 0 || r == 0 && !p.first {
			return
		}
	}
	p.meter.Look(len(p.via) + c.activities)
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
	p.best, p.bestCost, p.first = found, c, false
}
