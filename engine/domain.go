// Package engine turns domains into answers. A Domain is compiled once from its definition: equations are parsed, their
// dimensions checked, and a graph of variables and activities is built. Calculate then takes a base scenario and a request
// and finds values, pure and deterministic: same input, same bytes.
package engine

import (
	"encoding/json"
	"sync"

	"reckon/engine/decimal"
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

// Variable is a named value of a domain.
type Variable struct {
	ID, Key            string
	Title, Description string
	Unit               string // declared unit, "" for none
	Kind               string // of SPEC.md's domain variable; "" means number
	Format             string // "" means the kind's default
	Default            Text
	Aliases            []string
	Min, Max           string          // bounds with units, "" for none
	Display            json.RawMessage // display_metadata as authored, nil for none
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
	table     *units.Table
	index     map[string]int // by key
	variables []variable
	equations []*equation // by activity
	users     [][]int     // by variable: the activities whose equation names it, in domain order
	solver    unifier     // dimensions of the variables, as far as the equations tell them
	currency  string      // the only currency that declared units name, "" for none or several
	plans     *planCache
	machines  sync.Pool  // of *machine, for their memory
	prepared  []prepared // by variable, nil until Compile has found no mistake
}

// variable is what Compile knows of a Variable.
type variable struct {
	unit      *units.Unit // declared, nil for none
	dimension units.Dimension
	declared  bool // the dimension is known from the unit, the kind or the default
	point     weight
	min, max  *decimal.Decimal // in coherent SI, nil for none
	hint      *decimal.Decimal // the default in coherent SI, nil for none
	table     bool             // of a kind whose values are tables
}

// equation is a parsed activity.
type equation struct {
	title       string // for messages: the activity's title, else its equation
	source      []rune
	left, right *node
	refs        []int  // variables it names, in domain order
	order       []int  // the same in the order of the text
	count       []int  // by position in refs: how often it is named
	calculable  []bool // by position in refs
	active      bool
	tables      bool        // it calls a function over tables
	literals    []*node     // numbers with units
	deferred    []roundable // checks that wait for the dimensions of values
	checkPoints bool        // a variable or constant in it may be a point on a scale
	open        bool        // checkPoints, and what the variables are shows only in a calculation
	angle       bool        // a function in it yields an angle
	slots       int         // parts whose value an evaluation keeps
	flat        *flat       // in float64, nil where there is no such form
}

// position is the place of a variable in refs, or -1.
func (e *equation) position(variable int) int {
	for i, r := range e.refs {
		if r == variable {
			return i
		}
	}
	return -1
}

// solves reports whether the equation can be solved for a variable.
func (e *equation) solves(variable int) bool {
	i := e.position(variable)
	return i >= 0 && e.calculable[i]
}

// Units is the unit table of the domain: the standard one with its counting units.
func (d *Domain) Units() *units.Table { return d.table }

// Index is the position of the variable with exactly this key, or -1.
func (d *Domain) Index(key string) int {
	if i, ok := d.index[key]; ok {
		return i
	}
	return -1
}

// Calculable reports whether an activity can be solved for a variable (both by index).
func (d *Domain) Calculable(activity, variable int) bool {
	return d.equations[activity].solves(variable)
}

// References lists the variables an activity's equation names, by index, in domain order.
func (d *Domain) References(activity int) []int {
	return d.equations[activity].refs
}
