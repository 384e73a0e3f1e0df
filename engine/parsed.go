package engine

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

// isAngle reports whether a variable stands in equations only as the whole argument of functions of an angle, which read a bare
// number as radians: there, and nowhere else, an angle in any unit means the same as its bare default.
func isAngle(equations []*equation, variable int) bool {
	found, only := false, true
	for _, e := range equations {
		if e.left == nil {
			continue
		}
		for _, side := range []*node{e.left, e.right} {
			side.walk(func(n *node) {
				for i, a := range n.args {
					if a.op == opVariable && a.variable == variable {
						found = true
						only = only && n.op == opCall && n.function.rule == nil && n.function.param(i).dimension == "angle"
					}
				}
			})
			only = only && !(side.op == opVariable && side.variable == variable)
		}
	}
	return found && only
}

// givesAngle reports whether a function in the equation yields an angle.
func (e *equation) givesAngle() bool {
	found := false
	look := func(n *node) { found = found || n.op == opCall && n.function.result == "angle" }
	e.left.walk(look)
	e.right.walk(look)
	return found
}
