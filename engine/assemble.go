package engine

import "slices"

// assemble orders the values (what is asked for by name, inputs in the order given, carried ones
// before those of this request, the others in domain order) and names the action.
func (c *calculation) assemble(last int) Result {
	branches := c.branches()
	r := Result{
		Calculated: c.targets[0].Variable, Unit: c.targets[0].Unit, Also: c.targets[1:], Everything: c.all,
		Activities: c.activities, Cleared: c.cleared(),
	}
	switch {
	case c.fresh:
		r.Action, r.Current, r.Selector = "new", last+1, Selector{Kind: New}
	case c.replaces():
		r.Action, r.Original, r.Current = "discard", c.base.Index, last+1
	case branches:
		r.Action, r.Original, r.Current = "extend", c.base.Index, last+1
	default:
		r.Action, r.Original, r.Current = "extend", c.base.Index, c.base.Index
	}
	if !c.fresh {
		r.Selector = Selector{Kind: Numbered, Number: c.base.Index}
		if c.req.Selector.Kind == NewFrom {
			r.Selector.Kind = NewFrom
		}
	}
	named := c.targets
	if c.all {
		named = c.targets[:1]
	}
	now := map[int]bool{}
	for _, t := range c.targets {
		now[t.Variable] = true
	}
	for _, t := range c.base.Targets {
		if !now[t.Variable] && c.stated(t.Variable) == nil {
			r.Targets = append(r.Targets, t)
		}
	}
	for _, t := range slices.Backward(c.targets) {
		r.Targets = append(r.Targets, t)
	}

	asked := map[int]bool{}
	for _, t := range r.Targets {
		asked[t.Variable] = t.Unit != nil
	}
	placed := map[int]bool{}
	place := func(v ScenarioValue, stated bool) {
		if !placed[v.Variable] {
			placed[v.Variable] = true
			r.Values = append(r.Values, ResultValue{ScenarioValue: v, Asked: asked[v.Variable], Stated: stated})
		}
	}
	for _, t := range named {
		if in := c.stated(t.Variable); in != nil {
			place(ScenarioValue{in.Variable, UserInput, false, in.Value}, true)
		} else {
			place(c.found[t.Variable], false)
		}
	}
	for _, v := range c.carried() {
		v.Historical = v.Historical || branches
		if v.Source == UserInput {
			place(v, false)
		} else {
			c.found[v.Variable] = v
		}
	}
	for _, in := range c.req.Inputs {
		if !in.Cleared {
			place(ScenarioValue{in.Variable, UserInput, false, in.Value}, true)
		}
	}
	for i := range c.domain.Variables {
		if v, ok := c.found[i]; ok {
			place(v, false)
		}
	}
	return r
}
