package engine

// assemble orders the values (target, inputs in the order given, carried ones before those of this
// request, the others in domain order) and names the action.
func (c *calculation) assemble(last int) Result {
	branches := c.branches()
	r := Result{
		Calculated: c.target.Variable, Unit: c.target.Unit,
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
	for _, t := range c.base.Targets {
		if t.Variable != c.target.Variable && c.stated(t.Variable) == nil {
			r.Targets = append(r.Targets, t)
		}
	}
	r.Targets = append(r.Targets, c.target)

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
	if in := c.stated(c.target.Variable); in != nil {
		place(ScenarioValue{in.Variable, UserInput, false, in.Value}, true)
	} else {
		place(c.found[c.target.Variable], false)
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
