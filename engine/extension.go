package engine

import (
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/solve"
	"reckon/engine/units"
	"reckon/engine/value"
)

// extension is how some variables follow from inputs that move within a box, over intervals.
type extension struct {
	*solve.Extension
	conditions int // how many conditions there are
	machine    *formula.Machine
}

// extend makes the extension of a calculation of targets that has been made with some values of
// what moves, with the conditions that everything in it has to meet: those asked for, the bounds of
// what is found, and the constraints of the domain. It is nil where the calculation cannot be
// followed over intervals, and what it says is checked against calculations by who uses it.
func (d *Domain) extend(env value.Env, c *calculation, moving []int, wanted []Condition) *extension {
	m := d.machines.Take(env)
	x := &extension{machine: m}
	fixed := false
	defer func() {
		if !fixed {
			d.machines.Release(m)
		}
	}()
	facts := c.given
	known := make([]bool, len(d.Profiles))
	var steps []solve.Step
	var last *derivation
	for _, t := range c.lastFirst(facts) {
		if c.stated(t.Variable) != nil || slices.ContainsFunc(steps, func(s solve.Step) bool { return slices.Contains(s.Outputs, t.Variable) }) {
			continue
		}
		p := d.plan(env.Meter, d.givenOf(facts, t.Variable), t.Variable)
		if p == nil {
			return nil
		}
		v := &derivation{
			Solver: solve.Solver{Machine: d.machines.Take(env), Scope: &d.Scope, Equations: d.equations},
			domain: d, facts: facts, plan: p, previous: func(int) *value.Value { return nil },
		}
		v.Question = solve.Question{Target: t.Variable, Asked: t.Unit, Strict: d.StrictRoots, Near: v.before, Dimension: v.dimensionOf, Shown: v.inItsUnit}
		if v.run() != nil || len(v.Sizes) > 0 && v.negative(t.Variable) {
			v.Settle()
			d.machines.Release(v.Machine)
			return nil
		}
		for _, i := range v.used {
			d.hand(m, v.Machine, facts[i].Variable, known)
		}
		for _, s := range p.steps {
			steps = append(steps, s)
			for _, o := range s.Outputs {
				d.hand(m, v.Machine, o, known)
			}
		}
		facts = after(facts, facts, v.solution)
		v.Settle()
		if last != nil {
			d.machines.Release(last.Machine)
		}
		last = v
	}
	if last == nil {
		return nil
	}
	defer d.machines.Release(last.Machine)
	for _, f := range c.given {
		if q, single := f.Value.Single(); single && f.Value.Rank == 0 && !known[f.Variable] {
			m.Values[f.Variable], _ = last.fromFact(f.Variable, q)
			known[f.Variable] = true
		}
	}
	s := &solve.Solver{Machine: m, Question: last.Question, Scope: &d.Scope, Equations: d.equations}
	if m.TryErr() != nil {
		return nil
	}
	conditions := d.conditionsOf(m.Context, wanted, steps, moving, known)
	x.Extension, x.conditions = s.Extend(steps, moving, conditions), len(conditions)
	m.Settle()
	fixed = true
	return x
}

// hand takes a value from one machine to another.
func (d *Domain) hand(to, from *formula.Machine, variable int, known []bool) {
	known[variable] = true
	to.Values[variable] = from.Values[variable]
	if from.Tables != nil && from.Tables[variable] != nil {
		if to.Tables == nil {
			to.Tables = make([]*formula.Grid, len(d.Profiles))
		}
		to.Tables[variable] = from.Tables[variable]
	}
}

// conditionsOf writes conditions as expressions that are 0 or more where they hold. What has no
// such form is left out: the calculation itself holds to it.
func (d *Domain) conditionsOf(c *decimal.Context, wanted []Condition, steps []solve.Step, moving []int, known []bool) (list []*formula.Node) {
	at := func(v int) *formula.Node { return &formula.Node{Op: formula.OpVariable, Variable: v} }
	atLeast := func(more, less *formula.Node) { list = append(list, formula.Combined(formula.OpSub, more, less)) }
	for _, w := range wanted {
		left, right := at(w.Left), (*formula.Node)(nil)
		if w.Right >= 0 {
			right = at(w.Right)
		} else {
			right = formula.Number(d.asDeclared(c, w.Left, w.Value).SI(c))
		}
		if w.atMost() {
			left, right = right, left
		}
		atLeast(left, right)
	}
	for _, s := range steps {
		for _, o := range s.Outputs {
			if p := &d.Profiles[o]; !p.Table && !slices.Contains(moving, o) {
				if p.Min != nil {
					atLeast(at(o), formula.Number(*p.Min))
				}
				if p.Max != nil {
					atLeast(formula.Number(*p.Max), at(o))
				}
			}
		}
	}
	for _, e := range d.equations[len(d.Activities):] {
		if e.Tables || slices.ContainsFunc(e.Refs, func(v int) bool { return !known[v] || d.Profiles[v].Table }) {
			continue
		}
		list = append(list, formula.Differences(e.Left)...)
	}
	return list
}

// asGiven is a value as what a request states.
func asGiven(variable int, q units.Quantity) Given {
	v := value.ScalarValue(q)
	return Given{Variable: variable, Value: v, Normal: value.Scalar(q.Exact())}
}
