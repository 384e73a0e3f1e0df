// Package engine turns domains into answers. A Domain is compiled once from its definition: equations are parsed, their
// dimensions checked, and a graph of variables and activities is built. Calculate then takes a base scenario and a request
// and finds values, pure and deterministic: same input, same bytes.
package engine

import (
	"encoding/json"

	"reckon/engine/units"
)

// Definition is what an author publishes.
type Definition struct {
	Title       string
	Description string
	Units       []string // counting units declared by the domain
	StrictRoots bool
	Variables   []Variable
	Activities  []Activity
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
	scope
	equations []*equation // by activity
	users     [][]int     // by variable: the activities whose equation names it, in domain order
	solver    unifier     // dimensions of the variables, as far as the equations tell them
	plans     *planCache
	machines  machines
	prepared  []prepared // by variable, nil until Compile has found no mistake
}

// Units is the unit table of the domain: the standard one with its counting units.
func (d *Domain) Units() *units.Table { return d.table }

// Calculable reports whether an activity can be solved for a variable (both by index).
func (d *Domain) Calculable(activity, variable int) bool {
	return d.equations[activity].solves(variable)
}

// References lists the variables an activity's equation names, by index, in domain order.
func (d *Domain) References(activity int) []int {
	return d.equations[activity].refs
}

// Display is SPEC.md's display object of a variable's value in a result; asked tells that the value is shown in another unit
// than its kind's own.
func (d *Domain) Display(variable int, v Value, asked bool) json.RawMessage {
	return displayOf(&d.Variables[variable], v, asked)
}

// ChartScale is the chart scaling of a variable's value; the zero Scale where it has none.
func (d *Domain) ChartScale(variable int, v Value) Scale {
	return chartScale(&d.Variables[variable], v)
}
