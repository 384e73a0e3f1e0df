package engine

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/format"
	"reckon/engine/formula"
	"reckon/engine/input"
	"reckon/engine/units"
	"reckon/engine/value"
)

// declarations reads units and kinds.
func (c *compiler) declarations() {
	d := c.d
	d.Profiles = make([]value.Profile, len(d.Definition.Variables))
	d.machines.Variables = len(d.Profiles)
	for i, def := range d.Definition.Variables {
		v := &d.Profiles[i]
		v.Point = value.EitherWay
		path := func(field string) string { return fmt.Sprintf("variables[%d].%s", i, field) }
		if def.Unit != "" {
			u, err := d.Table.Parse(def.Unit)
			if err != nil {
				c.fail(path("unit"), formula.UnitOffset(err), "%s", formula.UnitProblem(err))
			} else {
				v.Unit, v.Dimension, v.Declared = u, u.Dimension(), true
			}
		}
		structure, _ := format.Shape(def.Kind)
		if structure == "" {
			c.fail(path("kind"), -1, "%q is not a kind; kinds are number, no_separator, percent, duration, date, datetime, time, table, bar_chart and pie_chart.", def.Kind)
			continue
		}
		v.Table, v.Moment = structure != "number", def.Kind == "date" || def.Kind == "datetime"
		switch {
		case format.IsTime(def.Kind):
			if v.Declared && v.Dimension != units.Time {
				c.fail(path("unit"), -1, "A variable of kind %s is a time; %q is not a unit of time.", def.Kind, def.Unit)
			}
			v.Dimension, v.Declared = units.Time, true
		case def.Kind == "percent":
			if v.Declared && !v.Dimension.IsNone() {
				c.fail(path("unit"), -1, "A variable of kind percent is a plain number; %q is not.", def.Unit)
			}
			v.Dimension, v.Declared = units.None, true
		}
		v.Point = value.PointOf(v.Unit, v.Moment)
		if format.IsTime(def.Kind) && !v.Moment {
			v.Point = value.Difference
		}
		c.columns(i)
		c.choices(i)
	}
}

// maxChoices is how many values a variable can be chosen from.
const maxChoices = 1000

// choices checks what a variable is chosen from.
func (c *compiler) choices(variable int) {
	v, def := &c.d.Profiles[variable], &c.d.Definition.Variables[variable]
	if !def.IsChoice() {
		return
	}
	path := fmt.Sprintf("variables[%d].choices", variable)
	switch {
	case def.Kind != "" && def.Kind != "number" && def.Kind != "no_separator":
		c.fail(path, -1, "A variable with choices is a number; one of kind %s has none.", def.Kind)
		return
	case def.Unit != "":
		c.fail(path, -1, "A variable with choices is a plain number: leave out its unit.")
		return
	case len(def.Choices) > maxChoices:
		c.fail(path, -1, "A variable has at most %d choices, this one has %d.", maxChoices, len(def.Choices))
		return
	}
	if n := len(def.ChoiceNames()) - len(def.Choices); n > maxChoices {
		c.fail(path, -1, "The choices of a variable have at most %d aliases, these have %d.", maxChoices, n)
		return
	}
	v.Dimension, v.Declared, v.Unit, v.Point = units.None, true, nil, value.Difference
	for _, choice := range def.Choices {
		v.Choices = append(v.Choices, choice.Value)
	}
	slices.SortFunc(v.Choices, decimal.Decimal.Cmp)
	said := map[string]bool{}
	for i, choice := range def.Choices {
		at := fmt.Sprintf("%s[%d]", path, i)
		if problem := value.LabelProblem(choice.Label); problem != "" {
			c.fail(at, -1, "%q cannot be a choice: %s", choice.Label, problem)
			continue
		}
		for k, name := range choice.Names() {
			if problem := value.LabelProblem(name); k > 0 && problem != "" {
				c.fail(at, -1, "%q cannot be an alias of %s: %s", name, choice.Label, problem)
			}
			if said[value.FoldLabel(name)] {
				c.fail(at, -1, "%q stands here a second time.", name)
			}
			said[value.FoldLabel(name)] = true
		}
		for _, other := range def.Choices[:i] {
			switch {
			case choice.Value.Cmp(other.Value) == 0:
				c.fail(at, -1, "%q and %q are both %s.", other.Label, choice.Label, choice.Value)
			}
		}
	}
}

// columns reads the kinds and units of a table's columns. Where all of them are of the kinds of
// time, so is the table.
func (c *compiler) columns(variable int) {
	v, def := &c.d.Profiles[variable], &c.d.Definition.Variables[variable]
	if !v.Table || len(def.Display) == 0 {
		return
	}
	list := format.Columns(def)
	times, moments := 0, 0
	for number, written := range list {
		column := value.Column{Declared: true, Moment: written.Kind == "date" || written.Kind == "datetime"}
		if written.Unit != "" {
			path := fmt.Sprintf("variables[%d].display_metadata.table.columns[%d].unit", variable, number)
			u, err := c.d.Table.Parse(written.Unit)
			switch {
			case err != nil:
				c.fail(path, formula.UnitOffset(err), "%s", formula.UnitProblem(err))
			case format.IsTime(written.Kind) && u.Dimension() != units.Time || written.Kind == "percent" && !u.Dimension().IsNone():
				c.fail(path, -1, "A column of kind %s cannot be in %q.", written.Kind, written.Unit)
			default:
				column.Unit, column.Dimension = u, u.Dimension()
			}
		}
		switch {
		case format.IsTime(written.Kind):
			column.Dimension = units.Time
			times++
			if column.Moment {
				moments++
			}
		case written.Choices != "":
			if column.Choices = c.columnChoices(variable, number, written); column.Choices < 0 {
				continue
			}
			column.Chosen = true
		case written.Unit == "" && written.Kind != "percent":
			continue
		}
		v.SetColumn(number, &column)
	}
	if n := len(list); n > 0 && times == n && !v.Declared {
		v.Dimension, v.Declared, v.Moment, v.Columns = units.Time, true, moments == n, nil
		v.Point = value.Difference
		if v.Moment {
			v.Point = value.OnePoint
		}
	}
}

// columnChoices is the variable whose choices the cells of a column are, -1 where there is a
// mistake.
func (c *compiler) columnChoices(variable, number int, written format.Column) int {
	path := fmt.Sprintf("variables[%d].display_metadata.table.columns[%d].choices", variable, number)
	i, ok := c.d.Positions[written.Choices]
	switch {
	case !ok:
		c.fail(path, -1, "There is no variable %q.%s", written.Choices, value.DidYouMean(written.Choices, slices.Sorted(maps.Keys(c.d.Positions))))
	case !c.d.Definition.Variables[i].IsChoice():
		c.fail(path, -1, "%s has no choices.", written.Choices)
	case written.Unit != "" || written.Kind != "" && written.Kind != "number" && written.Kind != "no_separator":
		c.fail(path, -1, "A column of choices is of plain numbers: leave out its unit and its kind.")
	default:
		return i
	}
	return -1
}

// columnNames finds what the columns of tables are called: as the author says, else as the function
// does that they come from.
func (c *compiler) columnNames() {
	d := c.d
	tables := false
	for i := range d.Profiles {
		if v := &d.Profiles[i]; v.Table {
			v.Names = format.ColumnNames(&d.Definition.Variables[i])
			tables = true
		}
	}
	for _, a := range d.Activities {
		if !tables || a.Disabled {
			continue
		}
		key, names := formula.ColumnsOf(a.Equation, c.functions)
		if v, ok := d.Positions[key]; ok && d.Profiles[v].Table && len(names) > 0 {
			p := &d.Profiles[v]
			p.Defined = names
			for i, name := range names {
				if i == len(p.Names) {
					p.Names = append(p.Names, "")
				}
				p.Names[i] = cmp.Or(p.Names[i], name)
			}
		}
	}
}

// integers finds the units that whole numbers are counted in.
func (c *compiler) integers() {
	for i, def := range c.d.Definition.Variables {
		if !def.Integer {
			continue
		}
		switch format.ScalarKind(def.Kind) {
		case "number", "no_separator", "duration":
		default:
			c.fail(fmt.Sprintf("variables[%d].integer", i), -1, "A variable of kind %s is not counted; only a number or a duration can be an integer.", def.Kind)
			continue
		}
		w := &c.d.Profiles[i]
		if w.Counts = cmp.Or(w.Unit, input.UnitOf(&c.d.Scope, i), units.One); format.IsTime(def.Kind) && w.Counts.IsOne() {
			w.Counts = input.Second(&c.d.Scope)
		}
	}
}

// countedIn checks that the unit of an integer is one of its dimension, now that the equations have
// told it.
func (c *compiler) countedIn(i int) {
	w := &c.d.Profiles[i]
	if dim, ok := c.d.Dimension(i); ok && w.Counts != nil && dim.WithoutAngle() != w.Counts.Dimension().WithoutAngle() {
		c.fail(fmt.Sprintf("variables[%d].integer", i), -1, "%s is an integer without a unit, but the equations need %s: declare the unit that it is counted in.",
			c.d.Definition.Variables[i].Key, formula.DimensionText(&c.d.Scope, formula.KnownDimension(dim)))
	}
}

// countable checks that there is a whole number within the bounds of an integer.
func (c *compiler) countable(i int) {
	w := &c.d.Profiles[i]
	if w.Counts == nil || w.Min == nil || w.Max == nil {
		return
	}
	ctx := decimal.NewContext(value.DefaultBudget)
	if ctx.Ceil(units.FromSI(ctx, *w.Min, w.Counts).Number).Cmp(units.FromSI(ctx, *w.Max, w.Counts).Number) > 0 && ctx.Err() == nil {
		c.fail(fmt.Sprintf("variables[%d].integer", i), -1, "There is no whole number between the bounds of %s.", c.d.Definition.Variables[i].Key)
	}
}

// choosable checks that all choices are values.
func (c *compiler) choosable(variable int) {
	v, def := &c.d.Profiles[variable], &c.d.Definition.Variables[variable]
	for i, choice := range def.Choices {
		path := fmt.Sprintf("variables[%d].choices[%d]", variable, i)
		switch {
		case v.Min != nil && choice.Value.Cmp(*v.Min) < 0, v.Max != nil && choice.Value.Cmp(*v.Max) > 0:
			c.fail(path, -1, "%q is outside the bounds of %s.", choice.Label, def.Key)
		case def.Integer && !choice.Value.IsInteger():
			c.fail(path, -1, "%q is not a whole number.", choice.Label)
		}
	}
}
