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

	dimensions atomic.Pointer[factDimensions] // found in the calculation before, nil for none
}

// leaf is a fact that a plan rests on.
type leaf struct {
	variable int
	tier     Tier
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
// by an activity.
type planner struct {
	d          *Domain
	g          given
	target     int
	remembered bool
	disabled   bool
	known      []bool   // all that follows from the facts
	blocks     []*block // systems that may be solved together
	bans       []solve.Step
	options    [][]int  // by variable: activities that yield it, and behind those (from len(equations) on) blocks
	statedBit  []uint64 // by variable: its own bit when it is stated
	potential  []uint64 // by variable: the stated facts that its value may rest on
	exact      bool     // there are few enough stated facts for the bits
	via        []int    // by variable: how it is derived, notYet or asLeaf
	usedBy     []bool   // by activity
	steps      int
	best       *plan
	bestCost   cost
	mark       []int
	round      int
}

const (
	notYet = -1
	asLeaf = -2
)

// findPlan is the cheapest plan for a target, or nil.
func (d *Domain) findPlan(g given, target int, disabled bool) *plan {
	for _, remembered := range []bool{false, true} {
		if p := d.planWith(g, target, remembered, disabled); p != nil {
			return p
		}
	}
	return nil
}

func (d *Domain) planWith(g given, target int, remembered, disabled bool) *plan {
	return d.planOver(d.findBlocks(g, target, remembered, disabled), g, target, remembered, disabled, nil)
}

// planWithout is the cheapest plan without some steps, or nil.
func (d *Domain) planWithout(g given, target int, bans []solve.Step) *plan {
	for _, remembered := range []bool{false, true} {
		blocks := slices.DeleteFunc(d.findBlocks(g, target, remembered, false), func(b *block) bool {
			return slices.ContainsFunc(bans, func(s solve.Step) bool { return slices.Equal(s.Block, b.activities) })
		})
		if p := d.planOver(blocks, g, target, remembered, false, bans); p != nil {
			return p
		}
	}
	return nil
}

// planOver is the cheapest plan that uses single activities and the blocks given, or nil.
func (d *Domain) planOver(blocks []*block, g given, target int, remembered, disabled bool, bans []solve.Step) *plan {
	p := &planner{d: d, bans: bans, g: g, target: target, remembered: remembered, disabled: disabled, blocks: blocks}
	p.known = g.leaves(remembered)
	p.known[target] = false
	d.closure(p.known, disabled)
	if len(blocks) > 0 {
		d.closeBlocks(p.known, disabled)
	}
	if !p.known[target] {
		return nil
	}
	p.prepare()
	p.search([]int{target})
	return p.best
}

func (p *planner) prepare() {
	d, n := p.d, len(p.d.Profiles)
	p.options = make([][]int, n)
	p.statedBit, p.potential = make([]uint64, n), make([]uint64, n)
	p.via, p.usedBy = make([]int, n), make([]bool, len(d.equations))
	p.mark = make([]int, n)
	stated := 0
	for v := range n {
		p.via[v] = notYet
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
				p.options[v] = append(p.options[v], a)
			}
		}
	}
	for i, b := range p.blocks {
		for _, v := range b.outputs {
			p.options[v] = append(p.options[v], len(d.equations)+i)
		}
	}
	// Activities whose other variables are given come first, so that good plans are found early.
	for v := range p.options {
		open := func(a int) int {
			count := 0
			for _, r := range p.inputs(a, v) {
				if !p.g.fixed(r) {
					count++
				}
			}
			return count
		}
		slices.SortStableFunc(p.options[v], func(a, b int) int { return cmp.Compare(open(a), open(b)) })
	}
	for changed := true; changed; {
		changed = false
		for v, options := range p.options {
			all := p.potential[v]
			for _, a := range options {
				for _, r := range p.inputs(a, v) {
					if r != v {
						all |= p.potential[r]
					}
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
	return slices.ContainsFunc(p.bans, func(s solve.Step) bool { return s.Block == nil && s.Activity == a && s.Variable == v })
}

// inputs are the variables that an option needs to yield v.
func (p *planner) inputs(option, v int) []int {
	if option < len(p.d.equations) {
		return p.d.equations[option].Refs
	}
	return p.blocks[option-len(p.d.equations)].inputs
}

func (p *planner) outputs(option, v int) []int {
	if option < len(p.d.equations) {
		return []int{v}
	}
	return p.blocks[option-len(p.d.equations)].outputs
}

func (p *planner) activities(option int) []int {
	if option < len(p.d.equations) {
		return []int{option}
	}
	return p.blocks[option-len(p.d.equations)].activities
}

// search goes on with the last of the open variables.
func (p *planner) search(open []int) {
	p.steps++
	if p.steps > maxPlanSteps && p.best != nil || p.steps > 10*maxPlanSteps {
		return
	}
	for len(open) > 0 && p.via[open[len(open)-1]] != notYet {
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
	tier, usable := p.g.leafTier(v, p.remembered)
	usable = usable && v != p.target
	if usable && p.g.fixed(v) {
		p.via[v] = asLeaf
		p.search(rest)
		p.via[v] = notYet
		return
	}
	for _, a := range p.options[v] {
		p.derive(v, a, rest)
	}
	if usable && (tier == Defaulted || tier == Remembered) {
		p.via[v] = asLeaf
		p.search(rest)
		p.via[v] = notYet
	}
}

// derive tries an option for v.
func (p *planner) derive(v, option int, rest []int) {
	outputs := p.outputs(option, v)
	for _, a := range p.activities(option) {
		if p.usedBy[a] {
			return
		}
	}
	for _, o := range outputs {
		if p.via[o] != notYet {
			return
		}
	}
	for _, o := range outputs {
		p.via[o] = option
	}
	if !p.cyclic(v, option) {
		for _, a := range p.activities(option) {
			p.usedBy[a] = true
		}
		next := slices.Clip(rest)
		inputs := p.inputs(option, v)
		for i := len(inputs) - 1; i >= 0; i-- {
			if r := inputs[i]; p.via[r] == notYet {
				next = append(next, r)
			}
		}
		p.search(next)
		for _, a := range p.activities(option) {
			p.usedBy[a] = false
		}
	}
	for _, o := range outputs {
		p.via[o] = notYet
	}
}

// cyclic reports whether v would rest on itself.
func (p *planner) cyclic(v, option int) bool {
	outputs := p.outputs(option, v)
	p.round++
	var visit func(u int) bool
	visit = func(u int) bool {
		if slices.Contains(outputs, u) {
			return true
		}
		if p.mark[u] == p.round || p.via[u] < 0 {
			return false
		}
		p.mark[u] = p.round
		for _, r := range p.inputs(p.via[u], u) {
			if !slices.Contains(p.outputs(p.via[u], u), r) && visit(r) {
				return true
			}
		}
		return false
	}
	for _, r := range p.inputs(option, v) {
		if !slices.Contains(outputs, r) && visit(r) {
			return true
		}
	}
	return false
}

// promising reports whether what is chosen so far can still lead to a better plan than the best.
func (p *planner) promising(open []int) bool {
	c, stated := p.partial()
	if p.exact {
		for _, v := range open {
			stated |= p.potential[v]
		}
		c.unstated = -bits.OnesCount64(stated)
	} else {
		return true
	}
	for i, v := range open {
		if _, leaf := p.g.leafTier(v, p.remembered); !leaf && p.via[v] == notYet && !slices.Contains(open[:i], v) && len(p.blocks) == 0 {
			c.activities++
		}
	}
	b := p.bestCost
	if r := cmp.Or(cmp.Compare(c.unstated, b.unstated), cmp.Compare(c.remembered, b.remembered),
		cmp.Compare(c.defaulted, b.defaulted), cmp.Compare(c.activities, b.activities)); r > 0 {
		return false
	}
	return true
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
		outputs := p.outputs(via, v)
		for _, o := range outputs {
			done[o] = true
		}
		inputs := p.inputs(via, v)
		if via < len(p.d.equations) {
			inputs = p.d.equations[via].Order
		}
		for _, r := range inputs {
			if !slices.Contains(outputs, r) {
				visit(r)
			}
		}
		step := solve.Step{Variable: v, Activity: p.activities(via)[0]}
		if via >= len(p.d.equations) {
			step.Block, step.Outputs = p.activities(via), outputs
		}
		found.steps = append(found.steps, step)
	}
	visit(p.target)
	p.best, p.bestCost = found, c
}
