package engine

import (
	"slices"

	"reckon/engine/formula"
	"reckon/engine/solve"
	"reckon/engine/value"
)

// throughTables is an activity as an equation over what the tables in it are made of, which other
// activities say.
type throughTables struct {
	equation   *formula.Equation
	activities []int // that define the tables, those first that others rest on
	tables     []int // in the same order
}

// findThrough finds the activities that can be solved for unknowns behind tables.
func (c *compiler) findThrough() {
	d := c.d
	d.through = make([]*throughTables, len(d.equations))
	defining := map[int]int{} // by table: the only active activity that defines it, -1 for several
	for a, e := range d.equations {
		for _, v := range e.Refs {
			if !d.Profiles[v].Table || !e.Defines(v) {
				continue
			}
			by := a
			if _, taken := defining[v]; taken {
				by = -1
			}
			defining[v] = by
		}
	}
	if len(defining) == 0 {
		return
	}
	for a, e := range d.equations {
		if e.Left == nil || !e.Active || e.Whole || d.isConstraint(a) {
			continue
		}
		t := throughTables{}
		if !d.define(e, defining, map[int]bool{}, &t) || len(t.tables) == 0 {
			continue
		}
		var definitions []formula.Definition
		for i, v := range t.tables {
			definitions = append(definitions, formula.Definition{Variable: v, Equation: d.equations[t.activities[i]]})
		}
		if t.equation = e.Through(definitions); t.equation != nil {
			c.reaches(t.equation, false)
			d.through[a] = &t
		}
	}
}

// define lists how the tables in an equation are defined, and false where they are in a circle.
func (d *Domain) define(e *formula.Equation, defining map[int]int, open map[int]bool, t *throughTables) bool {
	for _, v := range e.Refs {
		a, ok := defining[v]
		switch {
		case !ok || a < 0 || d.equations[a] == e || slices.Contains(t.tables, v):
			continue
		case open[v]:
			return false
		}
		open[v] = true
		if !d.define(d.equations[a], defining, open, t) {
			return false
		}
		open[v] = false
		t.tables, t.activities = append(t.tables, v), append(t.activities, a)
	}
	return true
}

// behind is an activity as it can be solved where all tables that it is written through are
// unknown; nil for another one.
func (d *Domain) behind(activity int, known []bool) *throughTables {
	t := d.through[activity]
	if t == nil || slices.ContainsFunc(t.tables, func(v int) bool { return known[v] }) {
		return nil
	}
	return t
}

// solvesThrough reports whether an activity can be solved for a variable behind its tables.
func (d *Domain) solvesThrough(activity, variable int) bool {
	t := d.through[activity]
	return t != nil && t.equation.Solves(variable)
}

// throughStep finds the unknowns of a block behind tables, and the tables.
func (v *derivation) throughStep(s solve.Step) *value.Error {
	d := v.domain
	equations := slices.Clone(v.Equations)
	rest := solve.Step{Variable: s.Variable, Activities: slices.Clone(s.Activities)}
	var tables []int
	define := map[int]int{}
	for _, a := range s.Activities {
		t := d.through[a]
		if t == nil || !slices.ContainsFunc(t.tables, func(o int) bool { return slices.Contains(s.Outputs, o) }) {
			continue
		}
		equations[a] = t.equation
		for i, table := range t.tables {
			if _, seen := define[table]; !seen {
				tables = append(tables, table)
			}
			define[table] = t.activities[i]
		}
	}
	for _, table := range tables {
		rest.Activities = slices.DeleteFunc(rest.Activities, func(a int) bool { return a == define[table] })
	}
	rest.Outputs = slices.DeleteFunc(slices.Clone(s.Outputs), func(o int) bool { return d.Profiles[o].Table })
	if !slices.Contains(rest.Outputs, rest.Variable) {
		rest.Variable = rest.Outputs[0]
	}
	rest.Activity = rest.Activities[0]
	own := v.Equations
	v.Equations = equations
	err := v.Step(rest)
	v.Equations = own
	if err != nil {
		return err
	}
	rest.Activities = s.Activities // all of them have part in it
	if err := v.emit(&rest, false); err != nil {
		return err
	}
	for _, table := range tables {
		step := solve.Step{Variable: table, Activity: define[table], Activities: s.Activities, Outputs: []int{table}}
		if err := v.directly(step, d.equations[define[table]], false); err != nil {
			return err
		}
	}
	return nil
}
