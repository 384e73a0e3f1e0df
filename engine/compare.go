package engine

import (
	"cmp"
	"math"
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/solve"
	"reckon/engine/units"
	"reckon/engine/value"
)

// Bounds of a comparison.
const (
	maxExactPlayers = 10  // changes whose every combination is calculated
	maxOrderPairs   = 250 // orders that are sampled beyond, each with its reverse
	minOrderPairs   = 4
	maxUndefined    = 10 // combinations without a value that are told
)

// Comparison is what differs between two scenarios, and which part of the difference of a target
// each changed input has.
type Comparison struct {
	Changes       []Change // inputs first, in the order of the second scenario
	Of            Target
	First, Second value.Value // of the target, in one unit; of a scenario that has none it was calculated
	Difference    units.Quantity
	Shares        []Share     // they add up to Difference; nil where Reason says why there are none
	Reason        string      // a key of reasons, "" where there are shares
	Orders        int         // how many orders were sampled, 0 where the shares are exact
	Undefined     []Undefined // combinations of changes that cannot be calculated, the first of them
}

// reasons are why a difference has no shares.
var reasons = map[string]string{
	"not_a_number": "The target is a table or a choice, which have no difference.",
	"given":        "The target is an input of one of the scenarios: its difference is its own.",
	"undefined":    "Some of the changes cannot be calculated without the others.",
	"too_many":     "There are too many changes: the budget of a calculation does not last for their combinations.",
}

// Says is the reason in words, "" for none.
func (c Comparison) Says() string { return reasons[c.Reason] }

// Change is a variable that differs between two scenarios; nil is a scenario where it has no value.
type Change struct {
	Variable      int
	First, Second *ScenarioValue
	Input         bool // one of the scenarios rests on it
}

// Share is what changed inputs have to do with a difference: of one, or of several that only change
// together. Without variables it is what has another cause: the equations have changed since, or
// the first scenario was calculated in another way.
type Share struct {
	Variables []int
	Value     units.Quantity
	Error     *units.Quantity // the standard error of sampled orders, nil where the share is exact
}

// Undefined is what is said where some inputs are as in the second scenario and the others as in
// the first.
type Undefined struct {
	Changed []int // as in the second scenario
	Errors  []value.Error
}

// Compare tells what differs between two scenarios, and divides the difference of a target among
// the changed inputs by the Shapley value (Shapley, A Value for n-Person Games, 1953; applied to
// models by Owen, Sobol' Indices and Shapley Value, 2014): the value of some changes is the target
// calculated with these inputs as in the second scenario and the others as in the first, and a
// share is what a change adds on average over all orders in which the inputs may have changed. Up
// to 10 changes that is exact; beyond, or where the budget does not last for all combinations,
// orders are sampled, each with its reverse (Mitchell et al., Sampling Permutations for Shapley
// Value Estimation, 2022), for half of the budget, and a standard error is stated.
//
// Shares have up to 34 digits; what rounding leaves in the last of them is added to the largest
// share, so that the sum of the shares is the difference. of is nil for what was asked last in the
// second scenario. Errors are input.* and calculation.limit_exceeded.
func (d *Domain) Compare(first, second *Scenario, of *Target, env value.Env) (Comparison, []value.Error) {
	if errs := d.Single(first, second); len(errs) > 0 {
		return Comparison{}, errs
	}
	w := comparing{domain: d, first: first, second: second, env: env.Metered()}
	if of == nil {
		last := second.Last()
		if len(last) == 0 {
			return Comparison{}, []value.Error{*d.MissingCalculate(nil)}
		}
		of = &last[0]
	}
	w.Of = *of
	w.changes()
	if errs := w.divide(); len(errs) > 0 {
		return Comparison{}, errs
	}
	return w.Comparison, nil
}

// comparing is the work of one Compare.
type comparing struct {
	Comparison
	domain        *Domain
	first, second *Scenario
	env           value.Env
	players       [][]int // variables that change together
	unit          *units.Unit
	context       *decimal.Context
	cost          int // of the dearest calculation so far
}

// rests reports whether a scenario rests on one of its values.
func (v *ScenarioValue) rests() bool {
	return v != nil && (v.Source != Calculated || v.Historical)
}

// value finds a variable in a scenario, nil where it has no value.
func (s *Scenario) value(variable int) *ScenarioValue {
	if i := slices.IndexFunc(s.Values, func(v ScenarioValue) bool { return v.Variable == variable }); i >= 0 {
		return &s.Values[i]
	}
	return nil
}

// changes finds what differs.
func (w *comparing) changes() {
	at := map[int][2]*ScenarioValue{}
	var order []int
	for i, s := range []*Scenario{w.second, w.first} {
		for k := range s.Values {
			v := &s.Values[k]
			pair, seen := at[v.Variable]
			if !seen {
				order = append(order, v.Variable)
			}
			pair[1-i] = v
			at[v.Variable] = pair
		}
	}
	var results []Change
	for _, variable := range order {
		c := Change{Variable: variable, First: at[variable][0], Second: at[variable][1]}
		c.Input = c.First.rests() || c.Second.rests()
		switch {
		case w.assumes(c.First, c.Second, w.second) || w.assumes(c.Second, c.First, w.first):
		case c.Input && c.First.rests() && c.Second.rests() && c.First.Value.Near(c.Second.Value, value.Restated):
		case !c.Input && c.First != nil && c.Second != nil && c.First.Value.Near(c.Second.Value, value.Recalculated):
		case c.Input:
			w.Changes = append(w.Changes, c)
			w.players = append(w.players, []int{variable})
		default:
			results = append(results, c)
		}
	}
	w.Changes = append(w.Changes, results...)
}

// assumes reports whether a value is a default that nothing in the other scenario, where there is
// no value, keeps from being used too.
func (w *comparing) assumes(v, other *ScenarioValue, there *Scenario) bool {
	return v != nil && other == nil && v.Source == DefaultValue && !slices.Contains(there.Cleared, v.Variable) &&
		w.domain.defaults(v.Variable, v.Value, w.env)
}

// divide finds the difference of the target and its shares.
func (w *comparing) divide() []value.Error {
	d, target := w.domain, w.Of.Variable
	one, other := w.first.value(target), w.second.value(target)
	switch {
	case d.Profiles[target].Table || d.Variables[target].IsChoice():
		w.Reason = "not_a_number"
	case one.rests() || other.rests():
		w.Reason = "given"
	}
	if one != nil {
		w.First = one.Value
	}
	if other != nil {
		w.Second = other.Value
	}
	none := make([]bool, len(w.players))
	if w.Reason == "not_a_number" || w.Reason == "given" && (one == nil || other == nil) {
		return nil
	}
	w.context = w.env.Context(math.MaxInt) // the calculations have the budget
	var from, to value.Value
	if w.Reason == "" {
		all := slices.Repeat([]bool{true}, len(w.players))
		var errs []value.Error
		if from, errs = w.calculate(none, one); len(errs) > 0 {
			w.undefined(none, errs)
		}
		if to, errs = w.calculate(all, other); len(errs) > 0 {
			w.undefined(all, errs)
		}
		if w.env.Meter.Over() {
			return []value.Error{*solve.Exceeded(w.env)}
		}
		if one == nil {
			w.First = from
		}
		if other == nil {
			w.Second = to
		}
		if w.Reason != "" && (one == nil || other == nil) {
			return nil
		}
	}
	if err := w.differ(); err != nil || w.Reason != "" {
		return err
	}
	start, _ := w.number(from)
	end, ok := w.number(to)
	if !ok {
		return nil
	}
	w.join()
	parts, errors, errs := w.shapley(start, end)
	if len(errs) > 0 || w.Reason != "" {
		return errs
	}
	c := w.context
	rest := c.Sub(w.Difference.Number, c.Sub(end, start))
	if !rest.IsZero() {
		w.players, parts = append(w.players, nil), append(parts, rest)
	}
	apportion(c, parts, w.Difference.Number)
	for i, variables := range w.players {
		s := Share{Variables: variables, Value: units.Quantity{Number: parts[i], Unit: w.Difference.Unit}}
		if i < len(errors) {
			s.Error = &units.Quantity{Number: errors[i], Unit: w.Difference.Unit}
		}
		w.Shares = append(w.Shares, s)
	}
	slices.SortStableFunc(w.Shares, func(a, b Share) int { return b.Value.Number.Abs().Cmp(a.Value.Number.Abs()) })
	return nil
}

// differ finds the difference of the two values of the target.
func (w *comparing) differ() []value.Error {
	q, ok := w.Second.Single()
	if !ok {
		w.Reason = "not_a_number"
		return nil
	}
	if w.unit = w.Of.Unit; w.unit == nil {
		w.unit = q.Unit
	}
	for _, v := range []*value.Value{&w.First, &w.Second} {
		shown, err := convert(*v, w.unit)
		if err != nil {
			return []value.Error{*err}
		}
		*v = shown
	}
	start, _ := w.number(w.First)
	end, _ := w.number(w.Second)
	unit := w.unit
	if unit.IsPoint() {
		unit = unit.Difference()
	}
	w.Difference = units.Quantity{Number: w.context.Sub(end, start).Shown(), Unit: unit}
	return nil
}

// number is a value of the target as it is shown; false where it has none in the unit at hand.
func (w *comparing) number(v value.Value) (decimal.Decimal, bool) {
	shown, err := convert(v, w.unit)
	if err != nil {
		return decimal.Decimal{}, false
	}
	q, ok := shown.Single()
	return q.Number.Shown().Exactly(), ok
}

// calculate finds the target with some players as in the second scenario and the others as in the
// first; near is the value in one of them, to which the nearest of several roots is taken.
func (w *comparing) calculate(changed []bool, near *ScenarioValue) (value.Value, []value.Error) {
	d, target := w.domain, w.Of
	before := w.env.Meter.Left
	side := map[int]*Scenario{}
	for i, variables := range w.players {
		for _, v := range variables {
			if side[v] = w.first; changed[i] {
				side[v] = w.second
			}
		}
	}
	base := &Scenario{}
	c := calculation{domain: d, base: base, env: w.env, targets: []Target{target}, req: Request{Targets: []Target{target}}}
	state := func(s *Scenario, variable int) {
		v := s.value(variable)
		switch {
		case variable == target.Variable:
		// What is given in the other scenario alone has no default here: neither scenario has that value.
		case slices.Contains(s.Cleared, variable), !v.rests() && side[variable] != nil:
			c.req.Inputs = append(c.req.Inputs, Given{Variable: variable, Cleared: true})
		case !v.rests():
		case v.Source == DefaultValue && d.defaultMoves(variable):
			base.Values = append(base.Values, *v)
		case v.Source == DefaultValue && d.defaults(variable, v.Value, w.env):
		default:
			c.req.Inputs = append(c.req.Inputs, Given{Variable: variable, Value: v.Value})
		}
	}
	stated := map[int]bool{}
	for _, s := range []*Scenario{w.second, w.first} {
		variables := slices.Clone(s.Cleared)
		for i := range s.Values {
			variables = append(variables, s.Values[i].Variable)
		}
		for _, v := range variables {
			if stated[v] {
				continue
			}
			stated[v] = true
			state(cmp.Or(side[v], s), v)
		}
	}
	if near != nil {
		base.Values = append(base.Values, ScenarioValue{Variable: target.Variable, Source: Calculated, Value: near.Value})
	}
	errs := c.attempt()
	w.cost = max(w.cost, before-w.env.Meter.Left)
	if len(errs) > 0 {
		return value.Value{}, errs
	}
	return c.found[target.Variable].Value, nil
}

// defaults reports whether a value is that of a variable's default.
func (d *Domain) defaults(variable int, v value.Value, env value.Env) bool {
	own, ok := d.defaultValue(variable, env)
	return ok && own.Near(v, value.Restated)
}

// undefined notes that a combination of changes cannot be calculated.
func (w *comparing) undefined(changed []bool, errs []value.Error) {
	w.Reason = "undefined"
	if len(w.Undefined) == maxUndefined {
		return
	}
	u := Undefined{Changed: []int{}, Errors: errs}
	for i, is := range changed {
		if is {
			u.Changed = append(u.Changed, w.players[i]...)
		}
	}
	w.Undefined = append(w.Undefined, u)
}

// join lets inputs change together that one of the scenarios is without, where one of them alone
// cannot: what is given instead of something else.
func (w *comparing) join() {
	var together []int
	var rest [][]int
	for i, variables := range w.players {
		v := variables[0]
		if w.first.value(v).rests() && w.second.value(v).rests() {
			rest = append(rest, variables)
			continue
		}
		alone, others := make([]bool, len(w.players)), slices.Repeat([]bool{true}, len(w.players))
		alone[i], others[i] = true, false
		_, first := w.calculate(alone, w.first.value(w.Of.Variable))
		_, second := w.calculate(others, w.second.value(w.Of.Variable))
		if len(first) > 0 || len(second) > 0 {
			together = append(together, v)
		} else {
			rest = append(rest, variables)
		}
	}
	if len(together) > 0 {
		rest = append(rest, together)
	}
	w.players = rest
}
