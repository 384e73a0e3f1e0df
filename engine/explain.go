package engine

import (
	"cmp"
	"fmt"
	"strings"

	"reckon/engine/solve"
	"reckon/engine/syntax"
	"reckon/engine/value"
)

// Explanation is how the values of a scenario come about, so that a person can follow it on paper.
// Text, TeX and MathML write it for people; as JSON it is data, in which every formula is written
// as in a domain file and can be evaluated as one.
type Explanation struct {
	Targets   []string            `json:"targets"`   // keys of what was asked last, the target first
	Given     []ExplainedValue    `json:"given"`     // what the values rest on
	Steps     []ExplainedStep     `json:"steps"`     // in the order of evaluation
	Checks    []ExplainedCheck    `json:"checks"`    // that no step makes
	Functions []ExplainedFunction `json:"functions"` // that the equations call, but for those of every school
	Unlike    []ExplainedValue    `json:"unlike"`    // kept values that are found otherwise now, as they were kept: another version of Reckon found them
}

// Origin says where a value comes from.
type Origin string

const (
	OriginStated     Origin = "stated"     // by the message that is explained
	OriginCarried    Origin = "carried"    // stated by an earlier message
	OriginDefault    Origin = "default"    // of the variable
	OriginRemembered Origin = "remembered" // calculated in the scenario that this one branched off from
	OriginCalculated Origin = "calculated" // by a step
)

// ExplainedValue is the value of a variable. Of a table with many rows it has the first ones and
// the last one; Rows and Columns are the size of the whole.
type ExplainedValue struct {
	Key      string     `json:"key"`
	Title    string     `json:"title"`
	Value    value.Text `json:"value"`
	Shown    string     `json:"shown,omitempty"` // as people read it, where that is another text: a date, a percentage, a label
	Rows     int        `json:"rows,omitempty"`
	Columns  int        `json:"columns,omitempty"`
	Names    []string   `json:"column_names,omitempty"`
	Origin   Origin     `json:"origin"`
	Step     int        `json:"step,omitempty"`      // that found it, from 1
	StatedAs string     `json:"stated_as,omitempty"` // where it was stated in another way
	Hidden   bool       `json:"hidden,omitempty"`    // nobody is shown or asked for it

	node  syntax.Node // in a formula
	cells [][]string  // of a table, as people read them
}

// ExplainedStep finds the value of a variable from one equation, or the values of several from as
// many equations together.
type ExplainedStep struct {
	Number    int                 `json:"number"`
	Found     []ExplainedValue    `json:"found"`
	Equations []ExplainedEquation `json:"equations"`
	Inputs    []ExplainedValue    `json:"inputs"`
	Method    solve.Method        `json:"method"`
	Solved    *Written            `json:"solved,omitempty"`  // an equation with the unknown alone on the left
	Numbers   *Written            `json:"numbers,omitempty"` // the same with the numbers put in
	Between   string              `json:"between,omitempty"` // the value in the units of the numbers, where it is shown in another one
	Search    *ExplainedSearch    `json:"search,omitempty"`
	Chosen    string              `json:"chosen,omitempty"` // why this one of several roots
	Others    []ExplainedRoot     `json:"others,omitempty"` // the other roots
	Open      []string            `json:"open,omitempty"`   // keys of variables that the equations leave open
}

// ExplainedEquation is an activity of a step.
type ExplainedEquation struct {
	ID       string  `json:"id"`
	Title    string  `json:"title"`
	Equation Written `json:"equation"`
	Numbers  Written `json:"numbers"`  // with all values put in
	Residual string  `json:"residual"` // how far the sides are apart then, as a part of their size
}

// ExplainedSearch is a search for a root.
type ExplainedSearch struct {
	Low         string `json:"low,omitempty"` // the sides change places between two values
	High        string `json:"high,omitempty"`
	Iterations  int    `json:"iterations,omitempty"` // that narrowed these down
	Evaluations int    `json:"evaluations"`          // of the equation, in all
}

// ExplainedRoot is a root that was not taken.
type ExplainedRoot struct {
	Value  string `json:"value"`
	Reason string `json:"reason"`
}

// ExplainedFunction says what a function does.
type ExplainedFunction struct {
	Signature     string `json:"signature"`
	Documentation string `json:"documentation"`
	Formula       string `json:"formula,omitempty"` // in the parameters
}

// ExplainedCheck is an equation or a constraint that the values agree with, though none of them was
// found from it.
type ExplainedCheck struct {
	Title     string  `json:"title"` // of a constraint its message
	Condition Written `json:"condition"`
	Numbers   Written `json:"numbers"`
	Holds     bool    `json:"holds"`
}

// Written is an equation, or a condition, which has no right side.
type Written struct{ Left, Right syntax.Node }

// MarshalText writes it as in a domain file.
func (w Written) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

func (w Written) String() string {
	if w.Right == nil {
		return syntax.String(w.Left)
	}
	return syntax.String(w.Left) + " = " + syntax.String(w.Right)
}

// maxExplanation is how many bytes the formulas of an explanation have at most.
const maxExplanation = 4 << 20

// Explain finds the values of a scenario again and says how. stated are the variables that the
// message stated which is explained, as it stated them; the other user inputs count as carried.
// The explanation may spend as much again as the calculation. Errors are those of Calculate, and
// calculation.limit_exceeded of an explanation that is too long.
func (d *Domain) Explain(s *Scenario, stated map[int]value.Text, env value.Env) (Explanation, []value.Error) {
	if errs := d.Single(s); len(errs) > 0 {
		return Explanation{}, errs
	}
	env = env.Metered()
	found := func(anew bool) (c calculation, errs []value.Error) {
		c = calculation{domain: d, base: s, req: s.Again(), env: env, anew: anew}
		if err := c.chooseTargets(); err != nil {
			return c, []value.Error{*err}
		}
		return c, c.attempt()
	}
	c, errs := found(false)
	// A root may have been found before there was one to be near to.
	if len(errs) > 0 || !c.keeps() {
		if other, problems := found(true); len(problems) == 0 && (len(errs) > 0 || other.keeps()) {
			c, errs = other, nil
		}
	}
	if len(errs) > 0 {
		return Explanation{}, errs
	}
	// What a calculation may spend, its explanation may spend again.
	c.env.Meter = nil
	c.env = c.env.Metered()
	m := d.machines.Take(c.env)
	defer d.machines.Release(m)
	x := explainer{agreement: d.newAgreement(m), c: &c, stated: stated, now: map[int]ExplainedValue{}, values: map[int]value.Value{}}
	x.explain()
	switch {
	case m.Limited() || c.env.Meter.Over():
		return Explanation{}, []value.Error{*solve.Exceeded(c.env)}
	case x.size > maxExplanation:
		return Explanation{}, value.Problems("calculation.limit_exceeded", fmt.Sprintf("%d MiB of explanation", maxExplanation>>20))
	}
	return x.out, nil
}

// explainer is the work of one Explain: the values as far as its steps have come.
type explainer struct {
	agreement
	c      *calculation
	stated map[int]value.Text
	now    map[int]ExplainedValue
	values map[int]value.Value
	used   map[int]bool // activities that steps have checked
	called []string     // functions that have been explained
	size   int          // of the formulas
	out    Explanation
}

func (x *explainer) explain() {
	d, c := x.domain, x.c
	x.used = map[int]bool{}
	x.out = Explanation{Targets: []string{}, Given: []ExplainedValue{}, Steps: []ExplainedStep{}, Checks: []ExplainedCheck{}, Functions: []ExplainedFunction{}, Unlike: []ExplainedValue{}}
	for _, t := range c.targets {
		x.out.Targets = append(x.out.Targets, d.Variables[t.Variable].Key)
	}
	for _, v := range c.base.Values {
		switch {
		case v.Source == UserInput:
			origin := OriginCarried
			if _, is := x.stated[v.Variable]; is {
				origin = OriginStated
			}
			x.give(v.Variable, v.Value, origin)
		case v.Source == DefaultValue:
			x.give(v.Variable, v.Value, OriginDefault)
		case v.Historical:
			x.give(v.Variable, v.Value, OriginRemembered)
		}
	}
	for v := range d.Variables {
		if found, is := c.found[v]; is && found.Source == DefaultValue && x.now[v].Key == "" {
			x.give(v, found.Value, OriginDefault)
		}
	}
	steps := c.solved.Steps
	for len(steps) > 0 && x.size <= maxExplanation && !x.Limited() {
		n := 1
		for n < len(steps) && len(steps[n].Activities) > 0 && &steps[n].Activities[0] == &steps[0].Activities[0] {
			n++
		}
		x.step(steps[:n])
		steps = steps[n:]
	}
	for _, v := range c.base.Values {
		if found, is := c.found[v.Variable]; is && v.Source == Calculated && !found.Value.Near(v.Value, value.Recalculated) {
			x.out.Unlike = append(x.out.Unlike, x.value(v.Variable, v.Value, OriginCalculated))
		}
	}
	x.checks()
}

// give takes in a value that the others rest on.
func (x *explainer) give(variable int, v value.Value, origin Origin) {
	shown := x.value(variable, v, origin)
	if text, is := x.stated[variable]; is && origin == OriginStated && text.Rank == 0 {
		if as := text.Scalar(); as != shown.Value.Scalar() && as != shown.Shown {
			shown.StatedAs = as
		}
	}
	x.learn(variable, v, shown)
	x.out.Given = append(x.out.Given, shown)
}

// learn makes a value one that is known.
func (x *explainer) learn(variable int, v value.Value, shown ExplainedValue) {
	x.now[variable], x.values[variable] = shown, v
	x.load([]Fact{{variable, Stated, v}})
}

// checks lists the equations and constraints whose variables are known and that no step has used.
func (x *explainer) checks() {
	d := x.domain
	for a, e := range d.equations {
		x.c.env.Meter.Look(1 + len(e.Refs))
		if x.size > maxExplanation || x.Limited() {
			return
		}
		constraint := d.isConstraint(a)
		if x.used[a] || !e.Active || len(e.Refs) == 0 || e.Whole && !constraint || !x.isKnown(e) {
			continue
		}
		tree, ok := x.parsed(a)
		if !ok {
			continue
		}
		check := ExplainedCheck{Condition: x.written(tree)}
		if constraint {
			check.Title, check.Holds = strings.TrimSpace(d.Constraints[a-len(d.Activities)].Message), !x.Breaks(e)
			check.Numbers = x.written(Written{Left: x.put(tree.Left)})
		} else {
			check.Title, check.Holds = cmp.Or(d.Activities[a].Title, d.Activities[a].Equation), !x.misses(e)
			check.Numbers = x.written(Written{x.put(tree.Left), x.put(tree.Right)})
		}
		x.TryErr()
		x.out.Checks = append(x.out.Checks, check)
	}
}
