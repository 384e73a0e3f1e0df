package engine

import (
	"cmp"
	"slices"
	"strings"

	"reckon/engine/solve"
	"reckon/engine/value"
)

// dropContradicted drops carried inputs that an activity shows to disagree with stated ones, where
// exactly one of the activity's values is carried. It returns the facts that are left.
func (c *calculation) dropContradicted() ([]Fact, *value.Error) {
	for {
		facts := c.facts()
		found := c.domain.contradictions(c.env, facts, Solution{})
		if len(found) == 0 {
			return facts, nil
		}
		old := c.carriedAmong(found[0].Variables)
		if len(old) != 1 {
			return nil, c.conflict(found[0].Variables, found[0].Activity)
		}
		c.dropped = append(c.dropped, old[0])
	}
}

// behind lists the given values that an activity's disagreement comes from: those in it, and those
// that the solution used.
func (c *calculation) behind(found contradiction, facts []Fact, s Solution) []int {
	var list []int
	add := func(f Fact) {
		if f.Tier <= Carried && !slices.Contains(list, f.Variable) {
			list = append(list, f.Variable)
		}
	}
	for _, f := range facts {
		if slices.Contains(found.Variables, f.Variable) {
			add(f)
		}
	}
	for _, i := range s.Used {
		add(facts[i])
	}
	slices.Sort(list)
	return list
}

// insisted reports whether this request states all the values behind a disagreement anew, so that
// no answer fits what it says. A default that was used may be what is wrong.
func (c *calculation) insisted(behind []int, facts []Fact, s Solution) bool {
	if slices.ContainsFunc(s.Used, func(i int) bool { return facts[i].Tier > Carried }) {
		return false
	}
	for _, v := range behind {
		if in := c.stated(v); in == nil || c.repeats(*in) {
			return false
		}
	}
	return len(behind) > 0
}

// carriedAmong lists those of some variables whose values are carried.
func (c *calculation) carriedAmong(variables []int) []int {
	var list []int
	for _, v := range c.carried() {
		if slices.Contains(variables, v.Variable) {
			list = append(list, v.Variable)
		}
	}
	return list
}

func (c *calculation) conflict(variables []int, activity int) *value.Error {
	keys := make([]string, len(variables))
	for i, v := range variables {
		keys[i] = c.key(v)
	}
	a := &c.domain.Activities[activity]
	return value.Problem("calculation.conflicting_inputs", strings.Join(keys, ", "), cmp.Or(a.Title, a.Equation))
}

// undecided reports whether a target follows in another way that is as good by every rule but the
// order of the domain.
func (d *Domain) undecided(m *value.Meter, facts []Fact, target int) bool {
	g := d.givenOf(facts, target)
	p := d.plan(m, g, target)
	if p == nil {
		return false
	}
	weigh := func(p *plan) (tiers [Defaulted + 1]int, activities int) {
		for _, l := range p.leaves {
			tiers[l.tier]++
		}
		for _, s := range p.steps {
			activities += len(s.Activities)
		}
		tiers[Carried] = 0 // does not count in the choice of a plan
		return tiers, activities
	}
	tiers, activities := weigh(p)
	return slices.ContainsFunc(p.steps, func(s solve.Step) bool {
		other := d.findPlan(m, g, target, false, []solve.Step{s})
		if other == nil {
			return false
		}
		t, a := weigh(other)
		return t == tiers && a == activities
	})
}
