// Package engine turns domains into answers. A Domain is compiled once from its definition:
// equations are parsed, their dimensions checked, and a graph of variables and activities is built.
// Calculate takes a base scenario and a request and finds values. It is pure and deterministic: the
// same input gives the same bytes.
//
// Its parts stand below each other, and none refers back up:
//
//	value ← format ← input        what values are, how they are shown, how they are read
//	value ← formula ← solve       equations, their functions and evaluation; unknowns of them
//
// The engine itself plans which equations lead to a target, derives it, and keeps scenarios.
package engine

import (
	"cmp"
	"encoding/json"
	"fmt"

	"reckon/engine/format"
	"reckon/engine/formula"
	"reckon/engine/units"
	"reckon/engine/value"
)

// Definition is what an author publishes.
type Definition struct {
	Title       string
	Description string
	Language    string   // tag of the language of its titles, "" for English
	Units       []string // counting units declared by the domain
	StrictRoots bool
	Variables   []value.Variable
	Activities  []Activity
	Constraints []Constraint
}

// Activity is one equation.
type Activity struct {
	ID                 string
	Title, Description string
	Equation           string
	Calculable         []string // keys it may be solved for; nil for all that can be
	Disabled           bool
}

// Issue is a finding of Compile.
type Issue struct {
	Warning bool   // a warning does not stop a publish
	Path    string // place in the definition: "activities[2].equation", "variables[0].key", "" for the whole
	Message string // complete sentence, with the caret offset in words where there is one
	Offset  int    // caret offset in code points within the text at Path, -1 when there is none
}

// Domain is a compiled definition. It is immutable and safe for concurrent use.
type Domain struct {
	Definition
	value.Scope
	equations []*formula.Equation // by activity; behind those the constraints, which yield nothing
	through   []*throughTables    // by activity: nil where no table in it is defined by another one
	users     [][]int             // by variable: the activities whose equation names it, in domain order
	ids       []int               // 0, 1, 2 and so on, which lists of one are cut from
	solver    formula.Unifier     // dimensions of the variables, as far as the equations tell them
	plans     planCache
	slopes    keptTangent
	machines  formula.Machines
	prepared  []prepared // by variable, nil until Compile has found no mistake
}

// Units is the unit table of the domain: the standard one with its counting units.
func (d *Domain) Units() *units.Table { return d.Table }

// Calculable reports whether an activity can be solved for a variable (both by index).
func (d *Domain) Calculable(activity, variable int) bool {
	return d.equations[activity].Solves(variable)
}

// Output is the variable that stands alone on the left of an activity's equation, -1 for none.
func (d *Domain) Output(activity int) int {
	if left := d.equations[activity].Left; left.Op == formula.OpVariable {
		return left.Variable
	}
	return -1
}

// References lists the variables an activity's equation names, by index, in domain order.
func (d *Domain) References(activity int) []int {
	return d.equations[activity].Refs
}

// Display is the display object of a variable's value in a result (schemas/openapi.yaml); asked
// tells that the value is shown in another unit than its kind's own.
func (d *Domain) Display(variable int, v value.Value, asked bool) json.RawMessage {
	p := &d.Profiles[variable]
	return format.DisplayOf(&d.Variables[variable], v, asked, p.Names, func(column int) bool {
		c := p.Column(column)
		return p.Moment || c != nil && c.Moment
	})
}

// Rendered is a value of a variable as its display object says, with labels in the place of
// choices. It fails where the display object does not fit the value.
func (d *Domain) Rendered(variable int, text value.Text, display json.RawMessage) (value.Text, error) {
	shown, err := format.RenderText(text, display)
	if err != nil {
		return text, fmt.Errorf("show %s: %w", d.Variables[variable].Key, err)
	}
	for i, row := range d.Labelled(variable, text).Cells {
		for j, cell := range row {
			if cell != text.Cells[i][j] {
				shown.Cells[i][j] = cell
			}
		}
	}
	return shown, nil
}

// ReadableDefault is a variable's default as people read it, empty for none; the words today and
// now as they are.
func (d *Domain) ReadableDefault(variable int) value.Text {
	text := d.DefaultText(variable)
	v, ok := d.defaultValue(variable, value.Env{})
	switch {
	case !ok || d.defaultMoves(variable):
	case v.Rank == 0:
		return value.Scalar(cmp.Or(d.Readable(variable, v), text.Scalar()))
	default:
		if shown, err := d.Rendered(variable, text, d.Display(variable, v, false)); err == nil {
			return shown
		}
	}
	return text
}

// ChartScale is the chart scaling of a variable's value; the zero Scale where it has none.
func (d *Domain) ChartScale(variable int, v value.Value) format.Scale {
	return format.ChartScale(&d.Variables[variable], v)
}
