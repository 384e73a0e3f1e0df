package engine

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"reckon/engine/decimal"
	"reckon/engine/format"
	"reckon/engine/formula"
	"reckon/engine/input"
	"reckon/engine/solve"
	"reckon/engine/units"
	"reckon/engine/value"
)

// Limits of a definition.
const (
	maxVariables   = 10_000
	maxActivities  = 10_000
	maxConstraints = 1000
)

// Compile checks a definition. The domain is nil when any issue is an error.
func Compile(def Definition) (*Domain, []Issue) { return compile(def, formula.StandardFunctions) }

func compile(def Definition, functions *formula.FunctionTable) (*Domain, []Issue) {
	c := compiler{functions: functions, d: &Domain{
		Definition: def,
		Scope:      value.Scope{Declared: def.Variables, Counting: def.Units, Positions: map[string]int{}},
	}}
	c.run()
	for _, i := range c.issues {
		if !i.Warning {
			return nil, c.issues
		}
	}
	c.d.prepare()
	return c.d, c.issues
}

// compiler collects what Compile finds.
type compiler struct {
	d         *Domain
	functions *formula.FunctionTable
	issues    []Issue
}

func (c *compiler) fail(path string, offset int, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	if offset >= 0 {
		message = fmt.Sprintf("At character %d: %s", offset, message)
	}
	c.issues = append(c.issues, Issue{Path: path, Message: message, Offset: offset})
}

func (c *compiler) warn(path, format string, args ...any) {
	c.issues = append(c.issues, Issue{Warning: true, Path: path, Message: fmt.Sprintf(format, args...), Offset: -1})
}

func (c *compiler) run() {
	d := c.d
	if len(d.Definition.Variables) > maxVariables {
		c.fail("variables", -1, "A domain has at most %d variables, this one has %d.", maxVariables, len(d.Definition.Variables))
		return
	}
	if len(d.Activities) > maxActivities {
		c.fail("activities", -1, "A domain has at most %d activities, this one has %d.", maxActivities, len(d.Activities))
		return
	}
	if len(d.Constraints) > maxConstraints {
		c.fail("constraints", -1, "A domain has at most %d constraints, this one has %d.", maxConstraints, len(d.Constraints))
		return
	}
	d.Table = units.Standard()
	if len(d.Definition.Units) > 0 {
		table, err := d.Table.With(d.Definition.Units...)
		if err != nil {
			c.fail("units", -1, "The counting units cannot be declared: %v.", err)
		} else {
			d.Table = table
		}
	}
	c.names()
	c.declarations()
	c.currency()
	c.activities()
	c.values()
	c.defaults()
	c.remarks()
}

// currency finds the only currency that declared units name.
func (c *compiler) currency() {
	var all []string
	for _, v := range c.d.Profiles {
		if v.Unit != nil {
			all = append(all, v.Dimension.Currencies()...)
		}
	}
	slices.Sort(all)
	if all = slices.Compact(all); len(all) == 1 {
		c.d.Currency = all[0]
	}
}

// activities parses the equations and checks their dimensions.
func (c *compiler) activities() {
	d := c.d
	d.users = make([][]int, len(d.Profiles))
	d.ids = make([]int, max(len(d.Profiles), len(d.Activities)+len(d.Constraints)))
	for i := range d.ids {
		d.ids[i] = i
	}
	d.equations = make([]*formula.Equation, len(d.Activities))
	d.solver = formula.NewUnifier(len(d.Profiles))
	c.pinDefaults()
	c.integers()
	c.columnNames()
	for i, a := range d.Activities {
		d.equations[i] = c.parse(i, a)
	}
	for i := range d.Constraints {
		d.equations = append(d.equations, c.constraint(i))
	}
	formula.FindColumns(&d.Scope, d.equations, &d.solver)
	formula.FindMixes(&d.Scope, d.equations)
	formula.JoinColumns(&d.Scope, d.equations, &d.solver)
	// Equations that take part come first: what a disabled one says about dimensions must not reach
	// the others.
	for i, e := range d.equations {
		if e.Left != nil && e.Active {
			c.fits(i, formula.CheckDimensions(&d.Scope, e, &d.solver))
		}
	}
	for i, e := range d.equations {
		if e.Left == nil {
			continue
		}
		solver := &d.solver
		if !e.Active {
			own := d.solver.Clone()
			solver = &own
			if !c.fits(i, formula.CheckDimensions(&d.Scope, e, solver)) {
				continue
			}
		}
		c.fits(i, e.CheckRounding(&d.Scope, solver))
		c.fits(i, formula.CheckPoints(&d.Scope, e, nil))
	}
	for i, e := range d.equations {
		if e.Left != nil && !d.isConstraint(i) {
			e.StepMonths(&d.Scope, c.functions)
			c.calculable(i, e)
		}
		for _, v := range e.Refs {
			d.users[v] = append(d.users[v], i)
		}
	}
	c.findThrough()
	for v, angle := range formula.Angles(d.equations, len(d.Profiles)) {
		d.Profiles[v].Angle = angle
	}
}

// fits reports what is wrong with the dimensions of an activity, and whether nothing is.
func (c *compiler) fits(activity int, err *formula.DimensionError) bool {
	if err != nil {
		path := fmt.Sprintf("activities[%d].equation", activity)
		if c.d.isConstraint(activity) {
			path = fmt.Sprintf("constraints[%d].condition", activity-len(c.d.Activities))
		}
		c.fail(path, err.At, "%s", err.Message)
	}
	return err == nil
}

// calculable decides for each variable whether the equation can be solved for it, and checks what
// the author says.
func (c *compiler) calculable(i int, e *formula.Equation) {
	made := e.Tables && (formula.HasMadeTable(&c.d.Scope, e.Left) || formula.HasMadeTable(&c.d.Scope, e.Right))
	c.reaches(e, made)
	named := c.d.Activities[i].Calculable
	if named == nil {
		return
	}
	allowed := make([]bool, len(e.Refs))
	for n, key := range named {
		path := fmt.Sprintf("activities[%d].calculable[%d]", i, n)
		v, ok := c.d.Positions[key]
		k := -1
		if ok {
			k = e.Position(v)
		}
		switch {
		case !ok:
			c.fail(path, -1, "There is no variable %q.%s", key, formula.NearestKey(&c.d.Scope, key))
		case k < 0:
			c.fail(path, -1, "The equation does not name %q.", key)
		case !e.Calculable[k]:
			c.fail(path, -1, "The equation cannot be solved for %q.", key)
		default:
			allowed[k] = true
		}
	}
	e.Calculable = allowed
}

// reaches notes which variables an equation can be solved for; one that makes tables, to be
// computed with cell by cell, only for what stands alone.
func (c *compiler) reaches(e *formula.Equation, made bool) {
	e.Calculable = solve.Reachable(e, func(v int) bool { return c.d.Profiles[v].Table })
	for k, v := range e.Refs {
		e.Calculable[k] = e.Calculable[k] && (!made || e.StandsAlone(v))
	}
	for k, v := range e.Refs {
		if w := &c.d.Profiles[v]; w.Discrete() && !w.Table && !e.Calculable[k] && !made {
			e.Calculable[k], e.Tried = true, append(e.Tried, k)
		}
	}
}

// compileEnv resolves today and now while defaults are checked.
var compileEnv = value.Env{Now: time.Unix(0, 0).UTC(), Zone: time.UTC}

// pinDefaults takes the dimension of undeclared variables from defaults that carry a unit. A
// default that is a bare number says nothing: the equations may.
func (c *compiler) pinDefaults() {
	d := c.d
	for i, def := range d.Definition.Variables {
		v := &d.Profiles[i]
		if v.Declared || def.Default.IsEmpty() || v.Table {
			continue
		}
		parsed, _, errs := input.ParseValue(&d.Scope, i, def.Default, compileEnv)
		if q, ok := parsed.Single(); ok && len(errs) == 0 && !q.Unit.IsOne() {
			v.Dimension, v.Declared = q.Unit.Dimension(), true
			v.Point = value.PointOf(q.Unit, false)
		}
	}
}

// values checks defaults and bounds through the same reader as prompts.
func (c *compiler) values() {
	d := c.d
	for i, def := range d.Definition.Variables {
		v := &d.Profiles[i]
		read := func(field, text string) *decimal.Decimal {
			if text == "" {
				return nil
			}
			si, problem := d.readBound(i, text)
			if problem != "" {
				c.fail(fmt.Sprintf("variables[%d].%s", i, field), -1, "The bound %q of %s cannot be used: %s", text, def.Key, problem)
			}
			return si
		}
		v.Min, v.Max = read("min", def.Min), read("max", def.Max)
		c.countedIn(i)
		if v.Min != nil && v.Max != nil && v.Min.Cmp(*v.Max) > 0 {
			c.fail(fmt.Sprintf("variables[%d].min", i), -1, "The lower bound of %s is above its upper bound.", def.Key)
		}
		c.countable(i)
		c.choosable(i)
		format.CheckDisplay(def, func(path, message string) {
			if path != "kind" {
				c.fail(fmt.Sprintf("variables[%d].%s", i, path), -1, "%s", message)
			}
		})
	}
}

// readBound is a bound in coherent SI, or a sentence that says what is wrong with it.
func (d *Domain) readBound(variable int, text string) (*decimal.Decimal, string) {
	q, err := input.ParseBound(&d.Scope, variable, text, compileEnv)
	if err != nil {
		return nil, err.Filled()
	}
	if dim, ok := d.Dimension(variable); ok && dim.WithoutAngle() != q.Unit.Dimension().WithoutAngle() {
		return nil, fmt.Sprintf("%s is expected.", formula.DimensionText(&d.Scope, formula.KnownDimension(dim)))
	}
	ctx := decimal.NewContext(value.DefaultBudget)
	si := q.SI(ctx)
	if ctx.Err() != nil {
		return nil, "the number is too large."
	}
	return &si, ""
}

// defaults checks default values.
func (c *compiler) defaults() {
	d := c.d
	for i, def := range d.Definition.Variables {
		if def.Default.IsEmpty() {
			continue
		}
		v := &d.Profiles[i]
		path := fmt.Sprintf("variables[%d].default_value", i)
		parsed, _, errs := input.ParseValue(&d.Scope, i, def.Default, compileEnv)
		if len(errs) > 0 {
			c.fail(path, -1, "The default of %s cannot be used%s: %s", def.Key, d.badCell(i, def.Default), errs[0].Filled())
			continue
		}
		q, ok := parsed.Single()
		if !ok {
			continue
		}
		if dim, ok := d.Dimension(i); ok && dim.WithoutAngle() != q.Unit.Dimension().WithoutAngle() {
			c.warn(path, "The default of %s has no unit, but the equations need %s: declare its unit.", def.Key, formula.DimensionText(&d.Scope, formula.KnownDimension(dim)))
			continue
		}
		ctx := decimal.NewContext(value.DefaultBudget)
		si := q.SI(ctx)
		if ctx.Err() != nil {
			c.fail(path, -1, "The default of %s is too large.", def.Key)
			continue
		}
		if d.defaultMoves(i) {
			continue
		}
		v.Hint = &si
		if v.Counts != nil && d.notWhole(ctx, i, parsed) {
			c.fail(path, -1, "The default of %s is not a whole number.", def.Key)
		}
		if v.Min != nil && si.Cmp(*v.Min) < 0 || v.Max != nil && si.Cmp(*v.Max) > 0 {
			c.fail(path, -1, "The default of %s is outside its bounds.", def.Key)
		}
	}
}

// badCell says which cell of a table cannot be read, "" where that is not one cell.
func (d *Domain) badCell(variable int, text value.Text) string {
	if text.Rank == 0 {
		return ""
	}
	for r, row := range text.Cells {
		for k, cell := range row {
			alone := value.Text{Rank: text.Rank, Cells: [][]string{make([]string, len(row))}}
			if alone.Cells[0][k] = cell; cell == "" {
				continue
			}
			if _, _, errs := input.ParseValue(&d.Scope, variable, alone, compileEnv); len(errs) > 0 {
				return fmt.Sprintf(" in row %d, column %d", r+1, k+1)
			}
		}
	}
	return ""
}

// remarks warns of what does not stop a publish.
func (c *compiler) remarks() {
	d := c.d
	if strings.TrimSpace(d.Description) == "" {
		c.warn("description", "The domain has no description.")
	}
	c.lookAlikes()
	if len(d.Activities) == 0 {
		c.warn("activities", "The domain has no activities, so that nothing can be calculated.")
		return
	}
	if slices.ContainsFunc(d.equations, func(e *formula.Equation) bool { return e.Left == nil }) {
		return // what an equation that cannot be read names is not known
	}
	chosen := map[int]bool{} // their choices are cells of a column
	for _, p := range d.Profiles {
		for _, column := range p.Columns {
			if column != nil && column.Chosen {
				chosen[column.Choices] = true
			}
		}
	}
	for i, def := range d.Definition.Variables {
		used := slices.ContainsFunc(d.users[i], func(a int) bool { return d.equations[a].Active })
		if !used && !chosen[i] {
			c.warn(fmt.Sprintf("variables[%d]", i), "No active equation names %q.", def.Key)
		}
		if def.Hidden && def.Default.IsEmpty() && !slices.ContainsFunc(d.users[i], func(a int) bool { return d.equations[a].Active && d.equations[a].Solves(i) }) {
			c.warn(fmt.Sprintf("variables[%d].hidden", i), "Nobody is asked for %q, and it has neither a default nor an equation that says what it is.", def.Key)
		}
	}
}

// parse reads one equation; left stays nil when it cannot be read.
func (c *compiler) parse(i int, a Activity) *formula.Equation {
	path := fmt.Sprintf("activities[%d].equation", i)
	e := &formula.Equation{Title: a.Title, Source: []rune(a.Equation), Active: !a.Disabled}
	if strings.TrimSpace(e.Title) == "" {
		e.Title = a.Equation
	}
	formula.ParseEquation(&c.d.Scope, e, c.functions, func(at int, format string, args ...any) { c.fail(path, at, format, args...) })
	return e
}
