package engine

import (
	"cmp"
	"slices"

	"reckon/engine/solve"
	"reckon/engine/units"
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

// everything finds all that follows: first from what is given and carried, then with defaults for
// what that did not tell, and then the defaults that nothing needed and that follow from what was
// found. Values that were calculated in the base are left aside, but for those that it was branched
// off with. It returns the facts with all that was found, and why others were not.
func (c *calculation) everything(facts []Fact) (all []Fact, again bool, failed map[int][]value.Error, errs []value.Error) {
	aside := func(f Fact) bool { return f.Tier == Remembered && !c.keptInBase(f.Variable) }
	facts = slices.DeleteFunc(slices.Clone(facts), aside)
	assumed := func(f Fact) bool { return f.Tier > Carried }
	failed = map[int][]value.Error{}
	for _, with := range []bool{false, true, false} {
		given := slices.DeleteFunc(slices.Clone(facts), assumed)
		known := c.domain.givenOf(given, -1)
		more := slices.DeleteFunc(slices.Clone(facts), func(f Fact) bool { return !assumed(f) || known.fixed(f.Variable) })
		if with {
			given, more = append(given, more...), nil
		}
		given = c.atOnce(given)
		for before := -1; before != len(c.solved.Steps); {
			for _, list := range []func([]Fact) []Target{c.follows, c.spanned} {
				before = len(c.solved.Steps)
				for _, t := range list(given) {
					var problems []value.Error
					if given, again, problems = c.answer(given, t); again || fatal(problems) {
						return nil, again, nil, problems
					}
					failed[t.Variable] = problems
				}
			}
		}
		facts = append(given, more...)
	}
	return facts, false, failed, nil
}

// fatal reports whether problems of one target are those of the whole request.
func fatal(problems []value.Error) bool {
	return len(problems) > 0 && (problems[0].Code == "calculation.limit_exceeded" || problems[0].Code == "calculation.conflicting_inputs")
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

// solve finds what is asked for, and then again what was asked before in the scenario. Values once
// found are given to what follows, so that all values of a scenario agree. Where the values of a
// target disagree with an activity that they do not come from, and one carried input is behind
// that, it is dropped: again says that there is another try to make. Else it is a conflict when
// this request states all that is behind it, or when nothing but the domain's order chose between
// the ways to the target. An earlier target is left out when its value would disagree with others
// that the scenario now has, and so is one that only everything asks for and that defaults are
// behind.
func (c *calculation) solve(facts []Fact) (again bool, errs []value.Error) {
	c.found, c.activities, c.noted, c.solved, c.assumed = map[int]ScenarioValue{}, nil, map[int]bool{}, Solution{}, false
	c.given = facts
	failed := map[int][]value.Error{}
	if c.all {
		c.targets = nil
		if facts, again, failed, errs = c.everything(facts); again || len(errs) > 0 {
			return again, errs
		}
		errs = c.settle(facts, failed)
	} else {
		for _, t := range c.lastFirst(facts) {
			var problems []value.Error
			if facts, again, problems = c.answer(facts, t); again || fatal(problems) {
				return again, problems
			}
			failed[t.Variable] = problems
		}
		for _, t := range c.targets {
			errs = append(errs, failed[t.Variable]...)
		}
	}
	if len(errs) > 0 {
		return false, errs
	}
	c.askAgain(slices.DeleteFunc(facts, func(f Fact) bool { return f.Tier == Remembered && !c.keptInBase(f.Variable) }))
	return false, nil
}

// answer finds a target, unless it was found on the way to another one. It returns the facts with
// all that was found as given.
func (c *calculation) answer(facts []Fact, t Target) (next []Fact, again bool, errs []value.Error) {
	if in := c.stated(t.Variable); in != nil {
		shown, err := convert(in.Value, t.Unit)
		if err != nil {
			return facts, false, []value.Error{*err}
		}
		in.Value = shown
		for _, broken := range c.domain.contradictions(c.env, facts, Solution{}, true) {
			if c.domain.isConstraint(broken.Activity) {
				return facts, false, []value.Error{*c.broken(broken)}
			}
		}
		return facts, false, nil
	}
	if c.found[t.Variable].Source == Calculated {
		return facts, false, nil
	}
	solution, from, errs := c.derive(facts, t, false)
	if len(errs) > 0 {
		return facts, false, errs
	}
	next = after(facts, from, solution)
	found := append(c.domain.contradictions(c.env, next, c.with(solution), true), solution.against...)
	if len(found) > 0 {
		if other, origin, errs := c.derive(facts, t, true); len(errs) == 0 {
			next = after(facts, origin, other)
			if found = append(c.domain.contradictions(c.env, next, c.with(other), true), other.against...); len(found) == 0 {
				solution, from = other, origin
			}
		}
	}
	switch {
	case len(found) == 0:
		c.note(from, solution)
		return next, false, nil
	case c.domain.isConstraint(found[0].Activity):
		return facts, false, []value.Error{*c.broken(found[0])}
	case c.all && (c.assumed || slices.ContainsFunc(solution.Used, func(i int) bool { return from[i].Tier > Carried })):
		return facts, false, nil
	}
	behind := c.behind(found[0], from, solution)
	if old := c.carriedAmong(behind); len(old) == 1 {
		c.dropped = append(c.dropped, old[0])
		return facts, true, nil
	}
	if c.env.Meter.Over() {
		return facts, false, []value.Error{*solve.Exceeded(c.env)}
	}
	return facts, false, []value.Error{*c.conflict(behind, found[0].Activity)}
}

// derive finds a target that this request or an earlier one asks for, and says from which facts:
// where the values found so far have too few digits for it, from what they come from.
func (c *calculation) derive(facts []Fact, t Target, agreeing bool) (s Solution, from []Fact, errs []value.Error) {
	var also map[int]*units.Unit
	if !c.all {
		for _, o := range c.targets {
			if o.Unit != nil && o.Variable != t.Variable {
				if also == nil {
					also = map[int]*units.Unit{}
				}
				also[o.Variable] = o.Unit
			}
		}
	}
	previous := func(variable int) *value.Value {
		if v := c.inBase(variable); v != nil && !c.anew && (variable == t.Variable || c.all || c.asked(variable)) {
			return &v.Value
		}
		return nil
	}
	s, errs = c.domain.Derive(c.env, facts, t.Variable, t.Unit, previous, agreeing, also)
	if from = facts; s.rounded && len(c.solved.Steps) > 0 {
		from = c.given
		s, errs = c.domain.Derive(c.env, from, t.Variable, t.Unit, previous, agreeing, also)
	}
	return s, from, errs
}

// settle names the target of a request for everything: the first variable, in the order of the
// domain, that leads to no other one that was found. Where nothing was found it says why.
func (c *calculation) settle(facts []Fact, failed map[int][]value.Error) []value.Error {
	by := map[int][]int{} // the activities that a variable was found from
	for _, s := range c.solved.Steps {
		by[s.Variable] = s.Activities
	}
	feeds := map[int]bool{}
	for _, a := range c.activities {
		for _, v := range c.domain.equations[a].Refs {
			feeds[v] = feeds[v] || !slices.Contains(by[v], a)
		}
	}
	final := -1
	for v := range c.domain.Variables {
		if by[v] == nil || c.domain.Variables[v].Hidden {
			continue
		}
		if c.targets = append(c.targets, Target{Variable: v}); final < 0 && !feeds[v] {
			final = len(c.targets) - 1
		}
	}
	if len(c.targets) > 0 {
		t := c.targets[max(final, 0)]
		c.targets = slices.Insert(slices.Delete(c.targets, max(final, 0), max(final, 0)+1), 0, t)
		return nil
	}
	for v := range c.domain.Variables {
		if len(failed[v]) > 0 {
			return failed[v]
		}
	}
	return []value.Error{*c.nothingFollows(facts)}
}

// nothingFollows is the problem of a request for everything where the facts lead to nothing: what
// would lead on, as far as a few variables tell.
func (c *calculation) nothingFollows(facts []Fact) *value.Error {
	err := value.Problem("calculation.missing_inputs", Everything)
	known, open := c.domain.givenOf(facts, -1).leaves(true), 0
	var sets []value.Alternative
	for _, v := range c.domain.yielded() {
		if !known[v] && open < maxAlternatives {
			open++
			sets = append(sets, c.domain.alternatives(c.env, facts, v)...)
		}
	}
	if c.env.Meter.Over() {
		return solve.Exceeded(c.env)
	}
	if open == 0 {
		return value.Problem("input.target_has_value", Everything)
	}
	slices.SortStableFunc(sets, func(a, b value.Alternative) int { return cmp.Compare(len(a.Variables), len(b.Variables)) })
	for _, set := range sets {
		within := func(o value.Alternative) bool {
			return !slices.ContainsFunc(o.Variables, func(v value.VariableName) bool { return !slices.Contains(set.Variables, v) })
		}
		if len(err.Missing) < maxAlternatives && !slices.ContainsFunc(err.Missing, within) {
			err.Missing = append(err.Missing, set)
		}
	}
	return err
}

// askAgain finds what was asked before in the scenario, as far as it agrees with what was found.
func (c *calculation) askAgain(facts []Fact) {
	for _, t := range c.base.Targets {
		if c.asked(t.Variable) || slices.ContainsFunc(facts, func(f Fact) bool { return f.Variable == t.Variable && f.Tier <= Carried }) {
			continue
		}
		solution, from, errs := c.derive(facts, t, false)
		if len(errs) > 0 {
			continue
		}
		next := after(facts, from, solution)
		if n := len(c.domain.contradictions(c.env, next, c.with(solution), true)); n == 0 || n <= len(c.domain.contradictions(c.env, facts, c.solved, true)) {
			c.note(from, solution)
			facts = next
		}
	}
}

// with is all that was found, and a further solution.
func (c *calculation) with(s Solution) Solution {
	return Solution{Steps: append(c.solved.Steps, s.Steps...)}
}

// note keeps what a solution found and rests on.
func (c *calculation) note(facts []Fact, s Solution) {
	for _, i := range s.Used {
		switch f := facts[i]; f.Tier {
		case Remembered:
			c.found[f.Variable] = ScenarioValue{f.Variable, Calculated, c.branches(), f.Value}
		case Defaulted:
			c.found[f.Variable] = ScenarioValue{f.Variable, DefaultValue, false, f.Value}
			c.assumed = true
		}
	}
	c.solved = c.with(s)
	for i, step := range s.Steps {
		c.found[step.Variable] = ScenarioValue{step.Variable, Calculated, false, step.Value}
		if i > 0 && &step.Activities[0] == &s.Steps[i-1].Activities[0] {
			continue // it is of the same system
		}
		for _, a := range step.Activities {
			if !c.noted[a] {
				c.noted[a] = true
				c.activities = append(c.activities, a)
			}
		}
	}
}

// after is facts with all as given that a solution found and rests on, be it from other facts.
func after(facts, from []Fact, s Solution) []Fact {
	next := slices.Clone(facts)
	for _, i := range s.Used {
		at := i
		if used := from[i]; i >= len(next) || next[i].Variable != used.Variable || next[i].Tier != used.Tier {
			at = slices.IndexFunc(next, func(f Fact) bool { return f.Variable == used.Variable && f.Tier == used.Tier })
		}
		if at >= 0 {
			next[at].Tier = min(next[at].Tier, Carried)
		}
	}
	found := map[int]bool{}
	for _, step := range s.Steps {
		found[step.Variable] = true
	}
	next = slices.DeleteFunc(next, func(f Fact) bool { return found[f.Variable] })
	for _, step := range s.Steps {
		next = append(next, Fact{step.Variable, Carried, step.Value})
	}
	return next
}

// keptInBase reports whether the base was branched off with a calculated value of a variable.
func (c *calculation) keptInBase(variable int) bool {
	v := c.inBase(variable)
	return v != nil && v.Historical
}
