package engine

import (
	"maps"
	"slices"

	"reckon/engine/solve"
	"reckon/engine/value"
)

// Calculate answers a request on a base scenario (nil for a new one) as CONTRACT.md section 1 lays
// down: it merges what is stated with what is carried, chooses the target, finds the values of the
// scenario, and says which action that was. last is the index of the scenario created last in the
// conversation. Errors are those of CONTRACT.md section 6.
func (d *Domain) Calculate(base *Scenario, last int, req Request, env value.Env) (Result, []value.Error) {
	named := req.Selector.Kind == Current || req.Selector.Kind == Last || req.Selector.Kind == Numbered
	if base != nil && named && len(req.Inputs) == 0 && req.Target == nil {
		return Result{
			Action: "fetch", Original: base.Index, Current: base.Index, Calculated: -1,
			Selector: Selector{Kind: Numbered, Number: base.Index},
			Cleared:  base.Cleared, Targets: base.Targets,
		}, nil
	}
	req.Inputs = slices.Clone(req.Inputs)
	c := calculation{domain: d, base: base, fresh: base == nil, req: req, env: env.Metered(), target: Target{Variable: -1}}
	if c.fresh {
		c.base = &Scenario{}
	}
	if errs := c.check(); len(errs) > 0 {
		return Result{}, errs
	}
	if err := c.chooseTarget(); err != nil {
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
	target  Target    // Variable -1 until it is chosen
	dropped []int     // carried inputs that stated ones contradict
	inputs  positions // of req.Inputs
	based   positions // of base.Values

	superseded bool // adding to the base would change or lose one of its values

	found      map[int]ScenarioValue // calculated values, and the defaults and remembered values that were used
	activities []int                 // in evaluation order
	solved     Solution              // the steps that all of this comes from
}

// yielded lists the variables that some active activity can be solved for.
func (d *Domain) yielded() []int {
	var list []int
	for v := range d.Variables {
		if slices.ContainsFunc(d.users[v], func(a int) bool { return !d.Activities[a].Disabled && d.Calculable(a, v) }) {
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
		if !in.Cleared && !c.domain.withinBounds(m.Context, in.Variable, in.Value) {
			errs = append(errs, *value.Problem("input.invalid_value", c.key(in.Variable), plain(in.Value.Text())))
		}
	}
	if t := c.req.Target; t != nil && t.Unit == nil && c.stated(t.Variable) != nil {
		errs = append(errs, *value.Problem("input.target_has_value", c.key(t.Variable)))
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

// decided reports whether this request says what becomes of a variable: a value, none, or that it
// is the target.
func (c *calculation) decided(variable int) bool {
	return variable == c.target.Variable || slices.Contains(c.dropped, variable) || c.input(variable) != nil
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
// a calculated value that it was branched off with) is replaced, cleared, dropped, or becomes the
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
	taken := map[int]bool{c.target.Variable: true}
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

// chooseTarget takes the target of the request, else the last one of the base unless this request
// gives that a value, else the only variable that becomes solvable and feeds no other solvable one.
func (c *calculation) chooseTarget() *value.Error {
	if c.req.Target != nil {
		c.target = *c.req.Target
		return nil
	}
	if n := len(c.base.Targets); n > 0 {
		last := c.base.Targets[n-1]
		if c.stated(last.Variable) == nil {
			c.target = last
			return nil
		}
	}
	facts := c.facts()
	without := slices.DeleteFunc(slices.Clone(facts), func(f Fact) bool { return c.stated(f.Variable) != nil })
	before := c.domain.solvable(c.env.Meter, without)
	solvable := c.domain.solvable(c.env.Meter, facts)
	becomes := slices.DeleteFunc(slices.Clone(solvable), func(v int) bool {
		_, was := slices.BinarySearch(before, v)
		return was
	})
	if len(c.req.Inputs) == 0 {
		becomes = nil
	}
	ends := slices.DeleteFunc(slices.Clone(becomes), func(from int) bool {
		return slices.ContainsFunc(becomes, func(to int) bool { return to != from && c.domain.feeds(c.env.Meter, facts, from, to) })
	})
	if c.env.Meter.Over() {
		return solve.Exceeded(c.env)
	}
	if len(ends) == 1 {
		c.target = Target{Variable: ends[0]}
		return nil
	}
	candidates := ends
	if len(candidates) == 0 {
		candidates = solvable
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
	return d.missingCalculate(slices.DeleteFunc(d.yielded(), func(v int) bool {
		return slices.ContainsFunc(inputs, func(in Given) bool { return in.Variable == v && !in.Cleared })
	}))
}

// missingCalculate is input.missing_calculate, with the first 10 of the variables that may be
// meant.
func (d *Domain) missingCalculate(candidates []int) *value.Error {
	err := value.Problem("input.missing_calculate")
	for _, v := range candidates[:min(len(candidates), 10)] {
		err.Missing = append(err.Missing, value.Alternative{Variables: []value.VariableName{d.name(v)}})
	}
	return err
}

// solve finds the target, and then again what was asked before in the scenario. Values once found
// are given to what follows, so that all values of a scenario agree. Where the target's values
// disagree with an activity that they do not come from, and one carried input is behind that, it is
// dropped: again says that there is another try to make. Else it is a conflict when this request
// states all that is behind it, or when nothing but the domain's order chose between the ways to
// the target. An earlier target is left out when its value would disagree with others that the
// scenario now has.
func (c *calculation) solve(facts []Fact) (again bool, errs []value.Error) {
	c.found, c.activities, c.solved = map[int]ScenarioValue{}, nil, Solution{}
	given := facts
	if in := c.stated(c.target.Variable); in != nil {
		shown, err := convert(in.Value, c.target.Unit)
		if err != nil {
			return false, []value.Error{*err}
		}
		in.Value = shown
	} else {
		solution, errs := c.domain.Derive(c.env, facts, c.target.Variable, c.target.Unit, c.previous(c.target.Variable), false)
		if len(errs) > 0 {
			return false, errs
		}
		before := facts
		facts = c.take(facts, solution)
		found := c.domain.contradictions(c.env, facts, c.solved)
		if len(found) > 0 {
			other, errs := c.domain.Derive(c.env, before, c.target.Variable, c.target.Unit, c.previous(c.target.Variable), true)
			if len(errs) == 0 {
				c.found, c.activities, c.solved = map[int]ScenarioValue{}, nil, Solution{}
				facts = c.take(before, other)
				found = c.domain.contradictions(c.env, facts, c.solved)
			}
		}
		if len(found) > 0 {
			behind := c.behind(found[0], before, solution)
			if old := c.carriedAmong(behind); len(old) == 1 {
				c.dropped = append(c.dropped, old[0])
				return true, nil
			}
			if c.env.Meter.Over() {
				return false, []value.Error{*solve.Exceeded(c.env)}
			}
			return false, []value.Error{*c.conflict(behind, found[0].Activity)}
		}
	}
	facts = slices.DeleteFunc(facts, func(f Fact) bool { return f.Tier == Remembered && !c.keptInBase(f.Variable) })
	for _, t := range c.base.Targets {
		if t.Variable == c.target.Variable || slices.ContainsFunc(facts, func(f Fact) bool { return f.Variable == t.Variable && f.Tier <= Carried }) {
			continue
		}
		solution, errs := c.domain.Derive(c.env, facts, t.Variable, t.Unit, c.previous(t.Variable), false)
		if solution.rounded {
			// The values found so far have too few digits for it; what they come from has them.
			solution, errs = c.domain.Derive(c.env, given, t.Variable, t.Unit, c.previous(t.Variable), false)
		}
		if len(errs) > 0 {
			continue
		}
		found, activities, solved := maps.Clone(c.found), c.activities, c.solved
		next := c.take(facts, solution)
		if n := len(c.domain.contradictions(c.env, next, c.solved)); n > 0 && n > len(c.domain.contradictions(c.env, facts, solved)) {
			c.found, c.activities, c.solved = found, activities, solved
			continue
		}
		facts = next
	}
	return false, nil
}

// keptInBase reports whether the base was branched off with a calculated value of a variable.
func (c *calculation) keptInBase(variable int) bool {
	v := c.inBase(variable)
	return v != nil && v.Historical
}

// previous is the value that a variable had in the base, or nil.
func (c *calculation) previous(variable int) *value.Value {
	if v := c.inBase(variable); v != nil {
		return &v.Value
	}
	return nil
}

// take notes what a solution found and rests on, and returns the facts with all of that as given.
func (c *calculation) take(facts []Fact, s Solution) []Fact {
	next := slices.Clone(facts)
	found, noted := map[int]bool{}, map[int]bool{}
	for _, a := range c.activities {
		noted[a] = true
	}
	for _, i := range s.Used {
		f := facts[i]
		next[i].Tier = min(f.Tier, Carried)
		switch f.Tier {
		case Remembered:
			c.found[f.Variable] = ScenarioValue{f.Variable, Calculated, c.branches(), f.Value}
		case Defaulted:
			c.found[f.Variable] = ScenarioValue{f.Variable, DefaultValue, false, f.Value}
		}
	}
	c.solved.Steps = slices.Concat(c.solved.Steps, s.Steps)
	for i, step := range s.Steps {
		c.found[step.Variable] = ScenarioValue{step.Variable, Calculated, false, step.Value}
		found[step.Variable] = true
		if i > 0 && &step.Activities[0] == &s.Steps[i-1].Activities[0] {
			continue // it is of the same system
		}
		for _, a := range step.Activities {
			if !noted[a] {
				noted[a] = true
				c.activities = append(c.activities, a)
			}
		}
	}
	next = slices.DeleteFunc(next, func(f Fact) bool { return found[f.Variable] })
	for _, step := range s.Steps {
		next = append(next, Fact{step.Variable, Carried, step.Value})
	}
	return next
}

// name names a variable to a person and a program.
func (d *Domain) name(variable int) value.VariableName {
	v := d.Variables[variable]
	return value.VariableName{ID: v.ID, Key: v.Key, Title: v.Title}
}
