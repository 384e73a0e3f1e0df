package engine

import (
	"cmp"
	"slices"

	"reckon/engine/solve"
	"reckon/engine/units"
	"reckon/engine/value"
)

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
