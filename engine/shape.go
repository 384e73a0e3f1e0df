package engine

import "slices"

// shape is what the value of a function over tables is.
type shape int

const (
	shapeNumber shape = iota // a number
	shapeTable               // a table
	shapeFirst               // what the first argument is
)

// isTable reports whether the value of an expression is a table.
func (s *scope) isTable(n *node) bool {
	if n.op == opVariable {
		return s.profiles[n.variable].table
	}
	return s.makesTable(n) || !n.takesTable() && slices.ContainsFunc(n.args, func(a *node) bool { return s.isTable(a) })
}

// makesTable reports whether an expression is a list or the call of a function whose value is a table.
func (s *scope) makesTable(n *node) bool {
	switch {
	case n.op == opList:
		return true
	case n.op != opCall:
		return false
	}
	return n.function.shape == shapeTable || n.function.shape == shapeFirst && s.isTable(n.args[0])
}

// takesTable reports whether an expression is the call of a function that takes tables as a whole, not cell by cell.
func (n *node) takesTable() bool {
	return n.op == opCall && (n.function.grid != nil || n.function.binds || n.function.reduces && len(n.args) == 1)
}

// hasMadeTable reports whether a table that is made in an expression takes part cell by cell.
func (s *scope) hasMadeTable(n *node) bool {
	return s.makesTable(n) || !n.takesTable() && slices.ContainsFunc(n.args, func(a *node) bool { return s.hasMadeTable(a) })
}

// standsAlone reports whether a variable is all of one side of an equation and not in the other.
func (e *equation) standsAlone(v int) bool {
	return e.count[e.position(v)] == 1 && (e.left.op == opVariable && e.left.variable == v || e.right.op == opVariable && e.right.variable == v)
}

// shapes reports the places of an equation where a table stands for a number.
func (s *scope) shapes(e *equation, fail func(at int, format string, args ...any)) {
	type place struct{ start, end int }
	seen := map[place]bool{} // functions written out repeat their arguments
	number := func(n *node, format string, args ...any) {
		if at := (place{n.start, n.end}); s.isTable(n) && !seen[at] {
			seen[at] = true
			fail(n.start, format, append(args, e.text(n))...)
		}
	}
	check := func(n *node) {
		switch {
		case n.op == opList:
			for _, item := range n.args {
				if item.op != opList {
					number(item, "A list holds numbers, but %q is a table: put tables side by side with table(…).")
					continue
				}
				for _, cell := range item.args {
					number(cell, "A row of a list holds numbers, but %q is a table.")
				}
			}
		case n.op == opCall && n.function.binds:
			number(n.args[0], "The start of %s must be a number, but %q is a table: take one of its cells with cell(…).", n.function.name)
			number(n.args[1], "The end of %s must be a number, but %q is a table: count its rows with rows(…).", n.function.name)
			number(n.args[2], "%s yields one value per step, but %q is a table: take one of its cells with cell(…), or make it a number with a"+
				" function such as sum.", n.function.name)
		case n.op == opCall && n.function.grid != nil:
			for i, a := range n.args {
				if p := n.function.param(i); p.single {
					number(a, "Argument %q of %s must be a number, but %q is a table.", p.name, n.function.name)
				}
			}
		}
	}
	e.left.walk(check)
	e.right.walk(check)
}
