package engine

import (
	"cmp"
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/solve"
	"reckon/engine/units"
	"reckon/engine/value"
)

// Tier says where a fact comes from; a plan prefers lower ones.
type Tier int

const (
	Stated     Tier = iota // input of this request
	Carried                // user input carried from the base scenario
	Remembered             // calculated in the base scenario, used only where the target cannot be reached without
	Defaulted              // the variable's default
)

// Fact is a value that a calculation may use.
type Fact struct {
	Variable int
	Tier     Tier
	Value    value.Value
}

// Step is one value that a plan found.
type Step struct {
	Variable   int
	Activities []int // solved for it, several of them together
	Value      value.Value
}

// Solution is a target's value and how it was found.
type Solution struct {
	Value value.Value
	Steps []Step // in evaluation order; the last one yields the target
	Used  []int  // positions in the facts given, ascending: those that the value rests on

	rounded bool            // facts that are rounded themselves leave too few digits right
	against []contradiction // activities that exclude one another, though not all of their variables are known
}

// Derive finds the target from facts by the cheapest plan (CONTRACT.md section 1, README.md
// "Planning") and checks every equation used with the values found. Several facts may stand for one
// variable in different tiers. asked is the unit wanted, nil for none, and also has those of other
// variables that are asked for and may be found on the way. previous is the value that a variable
// had in the base, nil for none that counts: of several roots the nearest to it is taken. agreeing
// asks for roots with which all activities agree whose values are known then. Errors are
// calculation.*, domain.activity_disabled or input.* of CONTRACT.md section 6.
func (d *Domain) Derive(env value.Env, facts []Fact, target int, asked *units.Unit, previous func(variable int) *value.Value, agreeing bool, also map[int]*units.Unit) (Solution, []value.Error) {
	return d.deriveBy(env, facts, target, nil, asked, previous, agreeing, also)
}

// deriveBy is Derive by a plan, nil for the cheapest one.
func (d *Domain) deriveBy(env value.Env, facts []Fact, target int, p *plan, asked *units.Unit, previous func(variable int) *value.Value, agreeing bool, also map[int]*units.Unit) (Solution, []value.Error) {
	env = env.Metered()
	g := d.givenOf(facts, target)
	if p == nil {
		p = d.plan(env.Meter, g, target)
	}
	var against []contradiction
	spans := p == nil // no plan leads there, whether or not some linear equations do
	if spans {
		if p, against = d.findSpan(env, facts, target, nil); p == nil {
			return Solution{}, []value.Error{*d.unreached(env, g, facts, target)}
		}
	}
	var failed solve.Step
	// What may be the work of rounding is derived again from the facts with more digits.
	run := func(p *plan) (solution Solution, err *value.Error) {
		var first *value.Error
		var starts map[int]float64
		enough := 0
		for _, digits := range decimal.Precisions {
			if digits < enough {
				continue
			}
			v := derivation{
				Solver: solve.Solver{Machine: d.machines.TakeWide(env, digits), Scope: &d.Scope, Equations: d.equations, Starts: starts},
				domain: d, facts: facts, plan: p, previous: previous, agreeing: agreeing,
			}
			v.Question = solve.Question{
				Target: target, Asked: asked, Also: also, Strict: d.StrictRoots,
				Near: v.before, Dimension: v.dimensionOf, Shown: v.inItsUnit,
			}
			if err = v.run(); err == nil {
				v.keep()
			}
			v.Settle()
			solution, starts = v.solution, v.Starts
			unsure := v.Unsure
			if digits >= formula.MostDigits {
				enough = formula.Enough(v.Context)
				unsure = unsure && err != nil && digits < enough
			}
			d.machines.Release(v.Machine)
			if first == nil {
				failed = v.Failed
				failed.Loose = v.Loose
			}
			if !unsure {
				break
			}
			if first == nil && !v.short {
				first = err
			}
		}
		if err != nil && first != nil && (err.Code == first.Code || err.Code == "calculation.limit_exceeded") {
			err = first // nothing more is known with more digits
		}
		return solution, err
	}
	solution, err := run(p)
	if err == nil {
		solution.against = against
		return solution, nil
	}
	// Activities that depend on one another look like a system and are none, and an activity may say
	// nothing about a variable with the values given: the next best plan does without what failed.
	var bans []solve.Step
	for last := err; len(bans) < maxReplans && degenerate(last, failed); {
		bans = append(bans, failed)
		if p = d.findPlan(env.Meter, g, target, false, bans); p == nil && !env.Meter.Over() {
			p, against = d.findSpan(env, facts, target, bans)
		}
		if p == nil {
			if env.Meter.Over() {
				return Solution{}, []value.Error{*solve.Exceeded(env)}
			}
			// A system whose equations follow from one another lacks a value.
			if lacking := d.unreached(env, g, facts, target); (failed.Dependent || spans) && lacking.Code == "calculation.missing_inputs" && d.fixes(lacking, failed.Loose) {
				return Solution{}, []value.Error{*lacking}
			}
			break
		}
		if solution, last = run(p); last == nil {
			solution.against = against
			return solution, nil
		}
	}
	return Solution{rounded: solution.rounded}, []value.Error{*err}
}

// fixes leaves of what would be missing the alternatives with a variable that equations were found
// to leave open, where they are known: any other is determined, and so is no help. It reports
// whether there are any.
func (d *Domain) fixes(lacking *value.Error, open []int) bool {
	lacking.Missing = slices.DeleteFunc(lacking.Missing, func(a value.Alternative) bool {
		return len(open) > 0 && !slices.ContainsFunc(a.Variables, func(name value.VariableName) bool {
			return slices.ContainsFunc(open, func(v int) bool { return d.Variables[v].Key == name.Key })
		})
	})
	return len(lacking.Missing) > 0
}

// maxReplans bounds the plans that are tried after one that failed.
const maxReplans = 8

// degenerate reports whether a step failed since its activities do not determine what it is to
// find.
func degenerate(err *value.Error, failed solve.Step) bool {
	switch err.Code {
	case "calculation.multiple_solutions":
		return len(err.Args) > 1 && err.Args[1] == "infinitely many"
	case "calculation.no_solution", "calculation.no_whole_number", "calculation.not_converged":
		return failed.IsBlock()
	case "calculation.division_by_zero":
		return failed.Activity >= 0 && failed.Variable >= 0
	}
	return false
}

// unreached says why no plan leads to the target, or that the budget did not last to tell.
func (d *Domain) unreached(env value.Env, g given, facts []Fact, target int) *value.Error {
	key := d.Definition.Variables[target].Key
	active, off := false, -1
	for _, a := range d.users[target] {
		if !d.equations[a].Solves(target) {
			continue
		}
		if d.equations[a].Active {
			active = true
		} else if off < 0 {
			off = a
		}
	}
	for a := range d.equations {
		active = active || d.solvesThrough(a, target)
	}
	if !active && off < 0 {
		return d.notCalculable(target)
	}
	if p := d.findPlan(env.Meter, g, target, true, nil); p != nil {
		for _, s := range p.steps {
			for _, a := range s.Activities {
				if !d.equations[a].Active {
					return value.Problem("domain.activity_disabled", d.equations[a].Title)
				}
			}
		}
	}
	if env.Meter.Over() {
		return solve.Exceeded(env)
	}
	if !active {
		return value.Problem("domain.activity_disabled", d.equations[off].Title)
	}
	err := cmp.Or(d.forwards(env.Meter, g, target), value.Problem("calculation.missing_inputs", key))
	err.Missing = d.alternatives(env, facts, target)
	if env.Meter.Over() {
		return solve.Exceeded(env)
	}
	return err
}

// solvable lists the variables without a Stated or Carried fact that some plan yields from the
// facts, in domain order.
func (d *Domain) solvable(m *value.Meter, facts []Fact) []int {
	g := d.givenOf(facts, -1)
	known := g.leaves(true)
	d.closeBlocks(m, known, false)
	var list []int
	for v := range d.Profiles {
		if !known[v] || g.fixed(v) {
			continue
		}
		// Where a variable can be taken as it is, what follows without that counts.
		if _, leaf := g.leafTier(v, true); !leaf || d.reachable(m, g.leaves(true), v, false) {
			list = append(list, v)
		}
	}
	return list
}

// feeding marks those of some variables that others of them are derived from, where what follows
// from the facts is followed once, forwards. None of the variables counts as given.
func (d *Domain) feeding(m *value.Meter, facts []Fact, variables []int) []bool {
	known := d.givenOf(facts, -1).leaves(true)
	needed := make([]bool, len(known))
	for _, v := range variables {
		known[v], needed[v] = false, true
	}
	var found []*block
	r := d.reach(m, known, false)
	r.follow = func(o *block) { found = append(found, o) }
	r.all()
	feeds := make([]bool, len(known))
	looks := 0
	for _, o := range slices.Backward(found) {
		if !slices.ContainsFunc(o.outputs, func(v int) bool { return needed[v] }) {
			continue
		}
		looks += len(o.inputs)
		for _, v := range o.inputs {
			if !slices.Contains(o.outputs, v) {
				feeds[v], needed[v] = true, true
			}
		}
	}
	m.Look(looks)
	return feeds
}
