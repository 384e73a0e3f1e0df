package engine

import (
	"cmp"
	"slices"

	"reckon/engine/solve"
	"reckon/engine/value"
)

// chooseTargets takes what the request asks for, else what was asked last in the base unless this
// request gives that a value, else the only variable that becomes solvable and feeds no other
// solvable one.
func (c *calculation) chooseTargets() *value.Error {
	if c.all = c.req.Everything || !c.req.Asks() && c.base.Everything; c.all {
		return nil
	}
	if c.targets = c.req.Targets; len(c.targets) > 0 {
		return nil
	}
	c.targets = slices.DeleteFunc(c.base.Last(), func(t Target) bool { return c.stated(t.Variable) != nil })
	if len(c.targets) > 0 {
		return nil
	}
	facts := c.facts()
	without := slices.DeleteFunc(slices.Clone(facts), func(f Fact) bool { return c.stated(f.Variable) != nil })
	before := c.domain.solvable(c.env.Meter, without)
	solvable := c.domain.solvable(c.env.Meter, facts)
	becomes := slices.DeleteFunc(slices.Clone(solvable), func(v int) bool {
		_, was := slices.BinarySearch(before, v)
		return was || c.domain.Variables[v].Hidden
	})
	if len(c.req.Inputs) == 0 {
		becomes = nil
	}
	feeding := c.domain.feeding(c.env.Meter, facts, becomes)
	ends := slices.DeleteFunc(slices.Clone(becomes), func(v int) bool { return feeding[v] })
	if c.env.Meter.Over() {
		return solve.Exceeded(c.env)
	}
	if len(ends) == 1 {
		c.targets = []Target{{Variable: ends[0]}}
		return nil
	}
	candidates := ends
	if len(candidates) == 0 {
		candidates = c.domain.shown(solvable)
	}
	if len(candidates) == 0 {
		return c.domain.MissingCalculate(c.req.Inputs)
	}
	return c.domain.missingCalculate(candidates)
}

// MissingCalculate is the problem of a request that names no target where it should, and whose
// inputs alone are known: any other variable that an active activity can be solved for may be
// meant.
func (d *Domain) MissingCalculate(inputs []Given) *value.Error {
	return d.missingCalculate(slices.DeleteFunc(d.shown(d.yielded()), func(v int) bool {
		return slices.ContainsFunc(inputs, func(in Given) bool { return in.Variable == v && !in.Cleared })
	}))
}

// shown leaves out the variables that are hidden.
func (d *Domain) shown(variables []int) []int {
	return slices.DeleteFunc(variables, func(v int) bool { return d.Variables[v].Hidden })
}

// missingCalculate is input.missing_calculate, with the first 10 of the variables that may be
// meant.
func (d *Domain) missingCalculate(candidates []int) *value.Error {
	err := value.Problem("input.missing_calculate")
	for _, v := range candidates[:min(len(candidates), maxAlternatives)] {
		err.Missing = append(err.Missing, value.Alternative{Variables: []value.VariableName{d.name(v)}})
	}
	return err
}

// Everything stands for the name of a variable where all that follows is asked for, in a domain
// without a variable of that name.
const Everything = "everything"

// follows lists what follows from facts, the last to follow first.
func (c *calculation) follows(facts []Fact) []Target {
	var targets []Target
	r := c.domain.reach(c.env.Meter, c.domain.givenOf(facts, -1).leaves(true), false)
	r.follow = func(o *block) {
		for _, v := range o.outputs {
			targets = append(targets, Target{Variable: v})
		}
	}
	r.all()
	slices.Reverse(targets)
	return targets
}

// atOnce finds what follows from facts in one way only, all by one plan: a plan for each takes a
// look at the whole domain. It returns the facts with all that was found as given; where there is a
// problem they are as before.
func (c *calculation) atOnce(facts []Fact) []Fact {
	p, count := c.domain.onlyPlan(c.env.Meter, facts)
	if count < 2 {
		return facts
	}
	previous := func(variable int) *value.Value {
		if v := c.inBase(variable); v != nil {
			return &v.Value
		}
		return nil
	}
	target := p.steps[len(p.steps)-1].Variable
	s, errs := c.domain.deriveBy(c.env, facts, target, p, nil, previous, false, nil)
	if len(errs) > 0 || len(s.Steps) != count {
		return facts
	}
	next := after(facts, facts, s)
	if len(c.domain.contradictions(c.env, next, c.with(s), true)) > 0 || c.env.Meter.Over() {
		return facts
	}
	c.note(facts, s)
	return next
}

// onlyPlan is the plan of all variables that follow from facts by single activities and in no other
// way, and of how many.
func (d *Domain) onlyPlan(m *value.Meter, facts []Fact) (p *plan, count int) {
	g := d.givenOf(facts, -1)
	known := g.leaves(true)
	given := slices.Clone(known)
	var found []*block
	r := d.reach(m, known, false)
	r.follow = func(o *block) { found = append(found, o) }
	r.all()
	looks := 0
	ways := func(v int) (count int) {
		for _, a := range d.users[v] {
			e := d.equations[a]
			looks += len(e.Refs)
			if e.Active && !d.isConstraint(a) && d.Calculable(a, v) && !slices.ContainsFunc(e.Refs, func(r int) bool { return !known[r] }) {
				count++
			}
		}
		return count
	}
	p = &plan{}
	certain := make([]bool, len(known)) // it is found in one way, or given and found in none
	noted := make([]bool, len(known))
	for v, is := range given {
		certain[v] = is && (g.fixed(v) || ways(v) == 0)
	}
	for _, o := range found {
		v := o.outputs[0]
		if len(o.activities) != 1 || ways(v) != 1 || slices.ContainsFunc(o.inputs, func(r int) bool { return r != v && !certain[r] }) {
			continue
		}
		for _, r := range o.inputs {
			if given[r] && !noted[r] {
				noted[r] = true
				tier, _ := g.leafTier(r, true)
				p.leaves = append(p.leaves, leaf{r, tier})
			}
		}
		step := solve.Step{Variable: v, Activity: o.activities[0], Activities: o.activities, Outputs: o.outputs, Open: o.open}
		p.steps, p.tables = append(p.steps, step), p.tables || d.needsTables(step)
		certain[v] = true
	}
	m.Look(looks)
	return p, len(p.steps)
}

// spanned lists what linear equations determine though they leave others of their unknowns open:
// slopes tell which may be, as far as that is found at the cost of one search.
func (c *calculation) spanned(facts []Fact) []Target {
	d, meter := c.domain, c.env.Meter
	known := d.givenOf(facts, -1).leaves(true)
	d.closeBlocks(meter, known, false)
	open := slices.DeleteFunc(d.yielded(), func(v int) bool { return known[v] })
	if len(open) < 2 || meter.Left < 4*maxSpanCost {
		return nil
	}
	tangent := d.tangent(meter)
	if tangent == nil {
		return nil
	}
	var targets []Target
	least, cost := meter.Left-maxSpanCost, tangent.Cost(known)
	for n, v := range open {
		if n*cost > maxSlopeLooks || !meter.Look(cost) || meter.Left <= least {
			break
		}
		if tangent.Fixes(known, v) {
			if p, _ := d.findSpanWith(c.env, meter.Left-least, facts, nil, v, nil); p != nil {
				targets = append(targets, Target{Variable: v})
			}
		}
	}
	return targets
}

// lastFirst orders targets so that what is found on the way to another one stands behind it: then
// its value is the one that fits. What does not follow comes last.
func (c *calculation) lastFirst(facts []Fact) []Target {
	if len(c.targets) == 1 {
		return c.targets
	}
	known := c.domain.givenOf(facts, -1).leaves(true)
	for _, t := range c.targets {
		known[t.Variable] = false
	}
	at, count := make([]int, len(known)), 0
	r := c.domain.reach(c.env.Meter, known, false)
	r.follow = func(o *block) {
		for _, v := range o.outputs {
			count++
			at[v] = count
		}
	}
	r.all()
	return slices.SortedStableFunc(slices.Values(c.targets), func(a, b Target) int { return cmp.Compare(at[b.Variable], at[a.Variable]) })
}

// keptInBase reports whether the base was branched off with a calculated value of a variable.
func (c *calculation) keptInBase(variable int) bool {
	v := c.inBase(variable)
	return v != nil && v.Historical
}
