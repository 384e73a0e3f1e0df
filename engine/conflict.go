package engine

import (
	"slices"
	"strings"

	"reckon/engine/value"
)

// dropContradicted drops carried inputs that an activity shows to disagree with stated ones, where
// exactly one of the activity's values is carried. It returns the facts that are left.
func (c *calculation) dropContradicted() ([]Fact, *value.Error) {
	for {
		facts := c.facts()
		found := c.domain.contradictions(c.env, facts, Solution{}, false)
		if len(found) == 0 {
			return facts, nil
		}
		if c.domain.isConstraint(found[0].Activity) {
			return nil, c.broken(found[0])
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
	return value.Problem("calculation.conflicting_inputs", strings.Join(keys, ", "), c.domain.activityName(activity))
}
