package engine

import (
	"cmp"
	"slices"

	"reckon/engine/solve"
	"reckon/engine/value"
)

// planner finds a plan forwards from the facts, and searches cheaper ones backwards from the
// target: every open variable is taken as a fact or derived by an activity or a system of them, its
// options.
type planner struct {
	d          *Domain
	meter      *value.Meter
	g          given
	target     int
	remembered bool
	disabled   bool
	bans       []solve.Step
	known      []bool     // all that follows from the facts
	blocks     []*block   // systems that may be solved together
	options    [][]*block // by variable: what yields it, single activities before systems
	ways       *ways      // what is known of all plans, nil where that is too much to find
	via        []*block   // by variable: how it is derived, asLeaf, or nil where that is open
	order      []int      // what follows from the facts, in order
	usedBy     []bool     // by activity
	steps      int
	looks      int    // at the end of which the best plan is good enough
	now        cost   // of what is chosen so far, without the order
	stated     bitset // the stated facts in it, by their position in ways
	best       *plan
	bestCost   cost
	mark       []int
	round      int
}

// asLeaf stands for the option that takes a variable as a fact.
var asLeaf = &block{}

// maxPlanSteps and maxPlanLooks bound the search for the cheapest plan; the cheapest found by then
// is taken.
const (
	maxPlanSteps = 20_000
	maxPlanLooks = 2_000_000
)

// forward goes from the facts to all that follows from them, and reports whether the target does:
// then that is the plan to begin with. It is linear in the activities that are looked at.
func (p *planner) forward() bool {
	n := len(p.d.Profiles)
	p.via, p.usedBy = make([]*block, n), make([]bool, len(p.d.equations))
	p.known = p.g.leaves(p.remembered)
	p.known[p.target] = false
	for v, known := range p.known {
		if known {
			p.via[v] = asLeaf
		}
	}
	p.follow(true)
	if !p.known[p.target] || p.meter.Over() {
		return false
	}
	p.begin()
	return true
}

// follow goes on from what is known to all that follows from it, by systems too or by one activity
// after the other alone.
func (p *planner) follow(systems bool) {
	r := p.d.reach(p.meter, p.known, p.disabled)
	if len(p.bans) > 0 {
		r.banned = p.banned
	}
	r.follow = func(o *block) {
		for _, v := range o.outputs {
			p.via[v] = o
			p.order = append(p.order, v)
		}
	}
	if !systems {
		r.singly()
		return
	}
	p.blocks = append(p.blocks, r.all()...)
}

// banned reports whether activities must not be solved together, or a single one for a variable.
func (p *planner) banned(activities []int, v int) bool {
	return slices.ContainsFunc(p.bans, func(s solve.Step) bool {
		return slices.Equal(s.Activities, activities) && (s.IsBlock() || s.Variable == v)
	})
}

// begin keeps the plan that has been found forwards, and forgets the choices.
func (p *planner) begin() {
	chosen := slices.Clone(p.via)
	clear(p.via)
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
			p.usedBy[a] = true
		}
		p.now.activities += len(o.activities)
		for _, r := range o.inputs {
			need(r)
		}
	}
	need(p.target)
	p.record()
	clear(p.via)
	clear(p.usedBy)
	p.now = cost{}
}

// improve searches a cheaper plan than the best.
func (p *planner) improve() {
	limit := min(maxPlanLooks, p.meter.Looks()/2)
	p.looks = p.meter.Looks() - limit
	p.prepare()
	if p.ways = p.findWays(limit / 2); p.ways == nil || p.only() {
		return
	}
	p.mark = make([]int, len(p.via))
	p.stated = make(bitset, len(p.ways.usable))
	p.search([]int{p.target})
}

// prepare lists the options of all variables.
func (p *planner) prepare() {
	d := p.d
	// Systems that follow without defaults and remembered values may use more of what is stated.
	fixed, all := make([]bool, len(p.g)), true
	for v := range p.g {
		fixed[v] = v != p.target && p.g.fixed(v)
		_, leaf := p.g.leafTier(v, p.remembered)
		all = all && (fixed[v] || !leaf || v == p.target)
	}
	if !all {
		r := d.reach(p.meter, fixed, p.disabled)
		if len(p.bans) > 0 {
			r.banned = p.banned
		}
		blocks := r.all()
		for _, b := range p.blocks {
			if !slices.ContainsFunc(blocks, func(o *block) bool {
				return slices.Equal(o.activities, b.activities) && slices.Equal(o.outputs, b.outputs)
			}) {
				blocks = append(blocks, b)
			}
		}
		p.blocks = blocks
	}
	p.options = make([][]*block, len(d.Profiles))
	looks := 0
	for a, e := range d.equations {
		looks += len(e.Refs)
		if !e.Active && !p.disabled || slices.ContainsFunc(e.Refs, func(v int) bool { return !p.known[v] }) {
			continue
		}
		for i, v := range e.Refs {
			if e.Calculable[i] && !p.g.fixed(v) && (len(p.bans) == 0 || !p.banned(d.ids[a:a+1], v)) {
				p.options[v] = append(p.options[v], d.option(a, v))
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
		if len(p.options[v]) > 1 {
			slices.SortStableFunc(p.options[v], func(a, b *block) int { return cmp.Compare(open(a), open(b)) })
		}
	}
	p.meter.Look(4 * (looks + len(p.options)))
}

// isLeaf reports whether a variable may be taken as a fact.
func (p *planner) isLeaf(v int) bool {
	_, leaf := p.g.leafTier(v, p.remembered)
	return leaf && v != p.target
}

// only reports whether the best plan is the only one.
func (p *planner) only() bool {
	for _, s := range p.best.steps {
		for _, v := range s.Outputs {
			if len(p.options[v]) > 1 || p.isLeaf(v) {
				return false
			}
		}
	}
	return !slices.ContainsFunc(p.best.leaves, func(l leaf) bool { return len(p.options[l.variable]) > 0 })
}

// search goes on with the last of the open variables.
func (p *planner) search(open []int) {
	p.steps++
	if !p.meter.Look(4) || p.steps > maxPlanSteps || p.meter.Looks() < p.looks {
		return
	}
	for len(open) > 0 && p.via[open[len(open)-1]] != nil {
		open = open[:len(open)-1]
	}
	if !p.promising(open) {
		return
	}
	if len(open) == 0 {
		p.record()
		return
	}
	v, rest := open[len(open)-1], open[:len(open)-1]
	for _, o := range p.options[v] {
		p.derive(v, o, rest)
	}
	if p.isLeaf(v) {
		now := p.now
		p.takeLeaf(v)
		p.search(rest)
		p.leave(v, now)
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

// cyclic reports whether what an option, which is chosen, yields would rest on itself.
func (p *planner) cyclic(option *block) bool {
	p.round++
	var rests func(o *block) bool
	rests = func(o *block) bool {
		p.meter.Look(4 * len(o.inputs))
		return slices.ContainsFunc(o.inputs, func(r int) bool {
			via := p.via[r]
			switch {
			case via == o || via == nil || p.mark[r] == p.round:
				return false
			case via == option:
				return true
			}
			p.mark[r] = p.round
			return rests(via)
		})
	}
	return rests(option)
}

// promising reports whether what is chosen so far can still lead to a better plan than the best.
func (p *planner) promising(open []int) bool {
	c := p.now
	needed := p.ways.least(p, open, &c)
	c.order = p.bestCost.order
	if r := c.compare(p.bestCost); r != 0 {
		return r < 0
	}
	// Only the order of the domain can still make it better.
	p.meter.Look(len(p.usedBy)/8 + 4*len(needed))
	order := make([]int, 0, c.activities)
	for a, used := range p.usedBy {
		if used {
			order = append(order, a)
		}
	}
	for _, v := range needed {
		least := -1
		for _, o := range p.options[v] {
			for _, a := range o.activities {
				if !p.usedBy[a] && (least < 0 || a < least) {
					least = a
				}
			}
		}
		if least < 0 {
			return false
		}
		order = append(order, least)
	}
	slices.Sort(order)
	return slices.Compare(order, p.bestCost.order) < 0
}

// takeLeaf takes a variable as a fact.
func (p *planner) takeLeaf(v int) {
	p.via[v] = asLeaf
	switch tier, _ := p.g.leafTier(v, p.remembered); tier {
	case Stated:
		p.now.unstated--
		if p.ways != nil {
			p.stated.add(p.ways.fact[v])
		}
	case Remembered:
		p.now.remembered++
	case Defaulted:
		p.now.defaulted++
	}
}

// leave takes back that a variable is taken as a fact.
func (p *planner) leave(v int, before cost) {
	p.via[v], p.now = nil, before
	if at := p.ways.fact[v]; at >= 0 {
		p.stated.remove(at)
	}
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
	if p.best != nil && c.compare(p.bestCost) >= 0 {
		return
	}
	p.meter.Look(len(p.via) + c.activities)
	found := &plan{steps: make([]solve.Step, 0, c.activities)}
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
		step := solve.Step{Variable: v, Activity: via.activities[0], Activities: via.activities, Outputs: via.outputs, Open: via.open}
		inputs := via.inputs
		if !step.IsBlock() {
			inputs = p.d.equations[step.Activity].Order
		}
		for _, r := range inputs {
			if p.via[r] != via {
				visit(r)
			}
		}
		found.steps = append(found.steps, step)
		found.tables = found.tables || p.d.needsTables(step)
	}
	visit(p.target)
	p.best, p.bestCost = found, c
}
