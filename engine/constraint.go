package engine

import (
	"fmt"
	"slices"
	"strings"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/syntax"
	"reckon/engine/value"
)

// Constraint is a condition that all values of a scenario together must meet.
type Constraint struct {
	Condition string // such as order <= stock
	Message   string // what people are told where it is broken
}

// isConstraint tells a constraint from the activities that it stands behind.
func (d *Domain) isConstraint(activity int) bool { return activity >= len(d.Activities) }

// constraint parses the condition of a constraint; left stays nil when it cannot be read.
func (c *compiler) constraint(i int) *formula.Equation {
	def := c.d.Constraints[i]
	path := fmt.Sprintf("constraints[%d]", i)
	if strings.TrimSpace(def.Message) == "" {
		c.fail(path+".message", -1, "A constraint needs a message that says to people what is wrong.")
	}
	e := &formula.Equation{Title: syntax.OneLine(def.Condition), Source: []rune(def.Condition), Active: true}
	formula.ParseCondition(&c.d.Scope, e, c.functions, func(at int, format string, args ...any) { c.fail(path+".condition", at, format, args...) })
	return e
}

// reason says what a constraint demands, as errors tell it.
func (d *Domain) reason(constraint int) string {
	def := d.Constraints[constraint-len(d.Activities)]
	return fmt.Sprintf("%s (%s)", strings.TrimRight(strings.TrimSpace(def.Message), "."), syntax.OneLine(def.Condition))
}

// derivedOf lists the variables of a constraint that are calculated.
func (v *agreement) derivedOf(e *formula.Equation) []int {
	return slices.DeleteFunc(slices.Clone(e.Order), func(r int) bool {
		return v.origins[r] == nil && !slices.ContainsFunc(v.found, func(s Step) bool { return s.Variable == r })
	})
}

// broken is the error of a constraint that the values of the scenario break: of a calculated value
// that there is none, else that the first value in it which this request states is not valid.
func (c *calculation) broken(found contradiction) *value.Error {
	d := c.domain
	reason := d.reason(found.Activity)
	if len(found.Derived) > 0 {
		return value.Problem("calculation.no_solution", c.key(found.Derived[0]), reason)
	}
	named := d.equations[found.Activity].Order
	at := max(0, slices.IndexFunc(named, func(v int) bool { return c.stated(v) != nil }))
	key, text := c.key(named[at]), ""
	if in := c.stated(named[at]); in != nil {
		text = plain(in.Value.Text())
	} else if was := c.inBase(named[at]); was != nil {
		text = plain(was.Value.Text())
	} else if v, ok := d.defaultValue(named[at], c.env); ok {
		text = plain(v.Text())
	}
	return value.Problem("input.invalid_value", key, text, reason)
}

// lookOn loads the values beside the plan that constraints name, and has the solver refuse what is
// against a constraint whose other variables are known.
func (v *derivation) lookOn() *value.Error {
	d := v.domain
	if len(d.Constraints) == 0 {
		return nil
	}
	beside := make([]bool, len(d.Profiles))
	for _, e := range d.equations[len(d.Activities):] {
		for _, r := range e.Refs {
			beside[r] = true
		}
	}
	for _, s := range v.plan.steps {
		for _, o := range s.Outputs {
			beside[o] = false
		}
	}
	known := make([]bool, len(d.Profiles))
	for _, i := range v.used {
		known[v.facts[i].Variable], beside[v.facts[i].Variable] = true, false
	}
	for _, tier := range []Tier{Stated, Carried, Defaulted} {
		for _, f := range v.facts {
			if _, single := f.Value.Single(); f.Tier != tier || !beside[f.Variable] || !single {
				continue
			}
			if err := v.load(f); err != nil {
				return err
			}
			known[f.Variable], beside[f.Variable] = true, false
		}
	}
	v.Refuses = func(variable int, t decimal.Decimal) string {
		for _, a := range d.users[variable] {
			if d.isConstraint(a) && v.breaks(a, variable, t, known) {
				return d.reason(a)
			}
		}
		return ""
	}
	return nil
}

// breaks reports whether a constraint whose other variables are known would be broken by a value.
func (v *derivation) breaks(constraint, variable int, t decimal.Decimal, known []bool) bool {
	e := v.domain.equations[constraint]
	for _, r := range e.Refs {
		found := slices.ContainsFunc(v.solution.Steps, func(s Step) bool { return s.Variable == r })
		if r != variable && !known[r] && !found || v.domain.Profiles[r].Table {
			return false
		}
	}
	before := v.Machine.Values[variable]
	v.Machine.Values[variable] = t
	broken := v.Machine.Breaks(e)
	v.Machine.Values[variable] = before
	v.Machine.Renew()
	return broken
}
