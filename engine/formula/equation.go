package formula

import "slices"

// Equation is a parsed activity.
type Equation struct {
	Title       string // for messages: the activity's title, else its equation
	Source      []rune
	Left, Right *Node
	Refs        []int  // variables it names, in domain order
	Order       []int  // the same in the order of the text
	Count       []int  // by position in refs: how often it is named
	Calculable  []bool // by position in refs
	Tried       []int  // positions of those that can only be solved for by trying whole numbers
	Active      bool
	Tables      bool        // it calls a function over tables
	Whole       bool        // a side is a table
	Copies      bool        // a side is a variable with a table, the other hands cells on to it without arithmetic
	Mixes       bool        // those cells may be of several dimensions, as nothing is computed with them
	computed    []int       // variables whose dimension matters to it
	Literals    []*Node     // numbers with units
	Schedules   []*Node     // tables whose columns have dimensions of their own
	Deferred    []roundable // checks that wait for the dimensions of values
	CheckPoints bool        // a variable or constant in it may be a point on a scale
	Open        bool        // checkPoints, and what the variables are shows only in a calculation
	Angle       bool        // a function in it yields an angle
	slots       int         // parts whose value an evaluation keeps
	flat        *flat       // in float64, nil where there is no such form
}

// Position is the place of a variable in refs, or -1.
func (e *Equation) Position(variable int) int { return slices.Index(e.Refs, variable) }

func (e *Equation) Solves(variable int) bool {
	i := e.Position(variable)
	return i >= 0 && e.Calculable[i]
}

// Angles reports for each of so many variables whether it stands in equations only as the whole
// argument of functions of an angle, which read a bare number as radians: there, and nowhere else,
// an angle in any unit means the same as its bare default.
func Angles(equations []*Equation, variables int) []bool {
	angles, others := make([]bool, variables), make([]bool, variables)
	for _, e := range equations {
		if e.Left == nil {
			continue
		}
		for _, side := range []*Node{e.Left, e.Right} {
			side.Walk(func(n *Node) {
				for i, a := range n.Args {
					switch {
					case a.Op != OpVariable:
					case n.Op == OpCall && n.Function.rule == nil && n.Function.Param(i).dimension == "angle":
						angles[a.Variable] = true
					default:
						others[a.Variable] = true
					}
				}
			})
			if side.Op == OpVariable {
				others[side.Variable] = true
			}
		}
	}
	for v, other := range others {
		angles[v] = angles[v] && !other
	}
	return angles
}

func (e *Equation) GivesAngle() bool {
	found := false
	look := func(n *Node) { found = found || n.Op == OpCall && n.Function.Result == "angle" }
	e.Left.Walk(look)
	e.Right.Walk(look)
	return found
}

// Repeats reports whether an unknown stands under a function with a period.
func (e *Equation) Repeats(x Unknown) (repeats bool) {
	for _, side := range []*Node{e.Left, e.Right} {
		side.Walk(func(n *Node) {
			repeats = repeats || n.Op == OpCall && n.Function.Period != 0 && n.Has(x)
		})
	}
	return repeats
}
