package engine

import (
	"slices"

	"reckon/engine/value"
)

// Calculate answers a request on a base scenario (nil for a new one) as CONTRACT.md section 1 lays
// down: it merges what is stated with what is carried, chooses the targets, finds the values of the
// scenario, and says which action that was. last is the index of the scenario created last in the
// conversation. Errors are those of CONTRACT.md section 6.
func (d *Domain) Calculate(base *Scenario, last int, req Request, env value.Env) (Result, []value.Error) {
	named := req.Selector.Kind == Current || req.Selector.Kind == Last || req.Selector.Kind == Numbered
	if base != nil && named && len(req.Inputs) == 0 && !req.Asks() {
		return Result{
			Action: "fetch", Original: base.Index, Current: base.Index, Calculated: -1,
			Selector: Selector{Kind: Numbered, Number: base.Index},
			Cleared:  base.Cleared, Targets: base.Targets,
		}, nil
	}
	req.Inputs = slices.Clone(req.Inputs)
	c := calculation{domain: d, base: base, fresh: base == nil, req: req, env: env.Metered()}
	if c.fresh {
		c.base = &Scenario{}
	}
	if errs := c.check(); len(errs) > 0 {
		return Result{}, errs
	}
	if err := c.chooseTargets(); err != nil {
		return Result{}, []value.Error{*err}
	}
	errs := c.attempt()
	if !c.fresh && !c.replaces() && (len(errs) > 0 && c.rests() || len(errs) == 0 && !c.keeps()) {
		c.superseded = true
		errs = c.attempt()
	}
	if len(errs) > 0 {
		return Result{}, errs
	}
	return c.assemble(last), nil
}

// calculation is the work of one Calculate.
type calculation struct {
	domain  *Domain
	base    *Scenario // empty for a new scenario
	fresh   bool      // it is a new scenario
	req     Request
	env     value.Env
	targets []Target  // in the order asked; where everything is asked for, what was found, the target first
	all     bool      // everything is asked for
	dropped []int     // carried inputs that stated ones contradict
	inputs  positions // of req.Inputs
	based   positions // of base.Values

	anew       bool // the values of the base have no say in which root is taken
	superseded bool // adding to the base would change or lose one of its values

	given      []Fact                // what the values are found from
	found      map[int]ScenarioValue // calculated values, and the defaults and remembered values that were used
	activities []int                 // in evaluation order
	noted      map[int]bool          // those of them
	solved     Solution              // the steps that all of this comes from
	assumed    bool                  // defaults are among found
}

// yielded lists the variables that some active activity can be solved for.
func (d *Domain) yielded() []int {
	var list []int
	for v := range d.Variables {
		if slices.ContainsFunc(d.users[v], func(a int) bool { return d.equations[a].Active && d.Calculable(a, v) }) {
			list = append(list, v)
		}
	}
	return list
}

// attempt drops what is contradicted and finds the values.
func (c *calculation) attempt() []value.Error {
	c.dropped = nil
	for {
		facts, err := c.dropContradicted()
		if err != nil {
			return []value.Error{*err}
		}
		again, errs := c.solve(facts)
		if !again {
			return errs
		}
	}
}

// check refuses inputs outside their declared bounds, and a target that has a value too but no unit
// to show it in.
func (c *calculation) check() []value.Error {
	var errs []value.Error
	m := c.domain.machines.Take(value.Env{})
	defer c.domain.machines.Release(m)
	for _, in := range c.req.Inputs {
		if !in.Cleared && c.domain.isSeveral(in.Variable, in.Value) {
			return []value.Error{*c.domain.OneOf(severalOf(in.Variable, in.Value))}
		}
		limit := ""
		if !in.Cleared {
			limit = c.domain.brokenLimit(m.Context, in.Variable, in.Value)
		}
		switch {
		case in.Cleared:
		case c.domain.notWhole(m.Context, in.Variable, in.Value):
			errs = append(errs, *value.Problem("input.invalid_value", c.key(in.Variable), plain(in.Value.Text()), "it takes whole numbers only"))
		case limit != "":
			errs = append(errs, *value.Problem("input.invalid_value", c.key(in.Variable), plain(in.Value.Text()), limit))
		}
	}
	if carried := c.domain.SeveralOf(c.base); carried != nil && !c.req.settles(carried.Variable) {
		errs = append(errs, *c.domain.OneOf(carried))
	}
	for _, t := range c.req.Targets {
		if t.Unit == nil && c.stated(t.Variable) != nil {
			errs = append(errs, *value.Problem("input.target_has_value", c.key(t.Variable)))
		}
	}
	return errs
}

func (c *calculation) key(variable int) string { return c.domain.Variables[variable].Key }

// stated is the input that gives a variable a value in this request, or nil.
func (c *calculation) stated(variable int) *Given {
	if in := c.input(variable); in != nil && !in.Cleared {
		return in
	}
	return nil
}

// input is what this request says of a variable, or nil.
func (c *calculation) input(variable int) *Given {
	i := c.inputs.position(len(c.req.Inputs), variable, func(i int) int { return c.req.Inputs[i].Variable })
	if i < 0 {
		return nil
	}
	return &c.req.Inputs[i]
}

// inBase is the value that a variable has in the base, or nil.
func (c *calculation) inBase(variable int) *ScenarioValue {
	i := c.based.position(len(c.base.Values), variable, func(i int) int { return c.base.Values[i].Variable })
	if i < 0 {
		return nil
	}
	return &c.base.Values[i]
}

// positions finds variables in a list that has each once at most; in long lists by a map.
type positions struct{ at map[int]int }

// position is where a variable stands among n entries, whose variables of tells, or -1.
func (p *positions) position(n, variable int, of func(i int) int) int {
	if n <= 16 {
		for i := range n {
			if of(i) == variable {
				return i
			}
		}
		return -1
	}
	if p.at == nil {
		p.at = make(map[int]int, n)
		for i := range n {
			p.at[of(i)] = i
		}
	}
	if i, ok := p.at[variable]; ok {
		return i
	}
	return -1
}

// asked reports whether a variable is asked for by name.
func (c *calculation) asked(variable int) bool {
	return !c.all && slices.ContainsFunc(c.targets, func(t Target) bool { return t.Variable == variable })
}

// decided reports whether this request says what becomes of a variable: a value, none, or that it
// is asked for.
func (c *calculation) decided(variable int) bool {
	return c.asked(variable) || slices.Contains(c.dropped, variable) || c.input(variable) != nil
}

// carried lists the user inputs of the base that stay. A scenario that is added to also keeps the
// calculated values that it was branched off with.
func (c *calculation) carried() []ScenarioValue {
	var list []ScenarioValue
	adds := !c.replaces()
	for _, v := range c.base.Values {
		if (v.Source == UserInput || adds && v.Source == Calculated && v.Historical) && !c.decided(v.Variable) {
			list = append(list, v)
		}
	}
	return list
}

// rests reports whether the base rests on a calculated value that it was branched off with.
func (c *calculation) rests() bool {
	return slices.ContainsFunc(c.base.Values, func(v ScenarioValue) bool { return v.Source == Calculated && v.Historical })
}

// cleared lists the variables that are stated to have no value, in this request or still from the
// base.
func (c *calculation) cleared() []int {
	var list []int
	for _, in := range c.req.Inputs {
		if in.Cleared {
			list = append(list, in.Variable)
		}
	}
	for _, v := range c.base.Cleared {
		if !c.decided(v) {
			list = append(list, v)
		}
	}
	return list
}

// repeats reports whether an input is a user input of the base too, with an equal value.
func (c *calculation) repeats(in Given) bool {
	v := c.inBase(in.Variable)
	return v != nil && v.Source == UserInput && in.Value.Near(v.Value, value.Restated)
}

// replaces reports whether something that the base rests on (a user input, a default that it used,
// a calculated value that it was branched off with) is replaced, cleared, dropped, or becomes a
// target, or is one that the domain no longer has.
func (c *calculation) replaces() bool {
	if c.base.Incomplete || c.superseded {
		return true
	}
	for _, v := range c.base.Values {
		if v.Source == Calculated && !v.Historical || !c.decided(v.Variable) {
			continue
		}
		if in := c.stated(v.Variable); in == nil || !in.Value.Near(v.Value, value.Restated) {
			return true
		}
	}
	return false
}

// keeps reports whether all values of the base are among those found, unchanged. What is calculated
// again may differ in digits that are not shown.
func (c *calculation) keeps() bool {
	carried := map[int]bool{}
	for _, v := range c.carried() {
		carried[v.Variable] = true
	}
	for _, v := range c.base.Values {
		var now value.Value
		if in := c.stated(v.Variable); in != nil {
			now = in.Value
		} else if found, ok := c.found[v.Variable]; ok && (v.Source != DefaultValue || found.Source == DefaultValue) {
			now = found.Value
		} else if carried[v.Variable] {
			continue
		} else {
			return false
		}
		if !now.Near(v.Value, value.Recalculated) {
			return false
		}
	}
	return true
}

// branches reports whether the values go into a new scenario.
func (c *calculation) branches() bool {
	return c.fresh || c.req.Selector.Kind == NewFrom || c.replaces()
}

// facts lists what may be used: inputs of the request, user inputs carried, values calculated in
// the base, and defaults. A default of today or now keeps the value that its scenario resolved
// first, in a copy of the scenario too. Where the request adds to a scenario, all inputs of the
// scenario count alike, so that what was asked before is found in the same way again. An input that
// repeats one of the base counts as carried, so that a result's structured text, which states what
// was carried, gives that result again.
func (c *calculation) facts() []Fact {
	var facts []Fact
	taken := map[int]bool{}
	for _, t := range c.targets {
		taken[t.Variable] = c.asked(t.Variable)
	}
	carriedTier := Carried
	if !c.replaces() {
		carriedTier = Stated
	}
	for _, in := range c.req.Inputs {
		if !in.Cleared {
			tier := Stated
			if c.repeats(in) {
				tier = carriedTier
			}
			facts = append(facts, Fact{in.Variable, tier, in.Value})
			taken[in.Variable] = true
		}
	}
	for _, v := range c.carried() {
		facts = append(facts, Fact{v.Variable, carriedTier, v.Value})
		taken[v.Variable] = true
	}
	for _, v := range c.cleared() {
		taken[v] = true
	}
	resolved := map[int]value.Value{}
	for _, v := range c.base.Values {
		switch {
		case v.Source == Calculated && !taken[v.Variable]:
			facts = append(facts, Fact{v.Variable, Remembered, v.Value})
		case v.Source == DefaultValue:
			resolved[v.Variable] = v.Value
		}
	}
	replaces := c.replaces()
	for i := range c.domain.Variables {
		if taken[i] {
			continue
		}
		if value, ok := c.domain.defaultValue(i, c.env); ok {
			if first, used := resolved[i]; used && !replaces && c.domain.defaultMoves(i) {
				value = first
			}
			facts = append(facts, Fact{i, Defaulted, value})
		}
	}
	return facts
}

// name names a variable to a person and a program.
func (d *Domain) name(variable int) value.VariableName {
	v := d.Variables[variable]
	return value.VariableName{ID: v.ID, Key: v.Key, Title: v.Title}
}
