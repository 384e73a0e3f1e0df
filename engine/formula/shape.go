package formula

import (
	"slices"

	"reckon/engine/value"
)

// shape is what the value of a function over tables is.
type shape int

const (
	shapeNumber shape = iota // a number
	shapeTable               // a table
	shapeFirst               // what the first argument is
)

// IsTable reports whether the value of an expression is a table.
func isTable(s *value.Scope, n *Node) bool {
	if n.Op == OpVariable {
		return s.Profiles[n.Variable].Table
	}
	return makesTable(s, n) || !n.TakesTable() && slices.ContainsFunc(n.Args, func(a *Node) bool { return isTable(s, a) })
}

// makesTable reports whether an expression is a list or the call of a function whose value is a
// table.
func makesTable(s *value.Scope, n *Node) bool {
	switch {
	case n.Op == OpList || n.Op == OpDefined:
		return true
	case n.Op != OpCall:
		return false
	}
	return n.Function.shape == shapeTable || n.Function.shape == shapeFirst && isTable(s, n.Args[0])
}

// TakesTable reports whether an expression is the call of a function that takes tables as a whole,
// not cell by cell.
func (n *Node) TakesTable() bool {
	return n.Op == OpCall && (n.Function.Grid != nil || n.Function.Binds || n.Function.reduces && len(n.Args) == 1)
}

// Counts reports whether the i-th argument of a call decides which cells there are or which one is
// taken, so that the value does not move with it, or is a table whose cells are only counted.
func (n *Node) Counts(i int) bool {
	f := n.Function
	switch {
	case f.Binds:
		return i < 2
	case f.Grid == nil:
		return false
	}
	p := f.Param(i)
	return p.single && f.shape == shapeTable && !p.moves || p.single && f.copies || p.dimension == "any"
}

// ThroughTables reports whether the unknown stands in the argument of a function over tables.
func (n *Node) ThroughTables(x Unknown) bool {
	return n.Has(x) && (n.TakesTable() || n.Op == OpList || n.Op == OpDefined || slices.ContainsFunc(n.Args, func(a *Node) bool { return a.ThroughTables(x) }))
}

// HasMadeTable reports whether a table that is made in an expression takes part cell by cell.
func HasMadeTable(s *value.Scope, n *Node) bool {
	return makesTable(s, n) || !n.TakesTable() && slices.ContainsFunc(n.Args, func(a *Node) bool { return HasMadeTable(s, a) })
}

// StandsAlone reports whether a variable is all of one side of an equation and not in the other.
func (e *Equation) StandsAlone(v int) bool {
	return e.Count[e.Position(v)] == 1 && (e.Left.Op == OpVariable && e.Left.Variable == v || e.Right.Op == OpVariable && e.Right.Variable == v)
}

// StandsOutside reports whether a variable stands somewhere in the equation in no function, so that
// the sides differ more with every number.
func (e *Equation) StandsOutside(v int) bool {
	var outside func(n *Node) bool
	outside = func(n *Node) bool {
		return n.Op == OpVariable && n.Variable == v || n.Op != OpCall && slices.ContainsFunc(n.Args, outside)
	}
	return outside(e.Left) || outside(e.Right)
}

// shapes reports the places of an equation where a table stands for a number.
func shapes(s *value.Scope, e *Equation, fail func(at int, format string, args ...any)) {
	type place struct{ start, end int }
	seen := map[place]bool{} // functions written out repeat their arguments
	number := func(n *Node, format string, args ...any) {
		if at := (place{n.Start, n.End}); isTable(s, n) && !seen[at] {
			seen[at] = true
			fail(n.Start, format, append(args, e.Text(n))...)
		}
	}
	check := func(n *Node) {
		switch {
		case n.Op == OpList:
			for _, item := range n.Args {
				if item.Op != OpList {
					number(item, "A list holds numbers, but %q is a table: put tables side by side with table(…).")
					continue
				}
				for _, cell := range item.Args {
					number(cell, "A row of a list holds numbers, but %q is a table.")
				}
			}
		case n.Op == OpCall && n.Function.Binds:
			number(n.Args[0], "The start of %s must be a number, but %q is a table: take one of its cells with cell(…).", n.Function.Name)
			number(n.Args[1], "The end of %s must be a number, but %q is a table: count its rows with rows(…).", n.Function.Name)
			for _, a := range n.Args[2:] {
				number(a, "%s yields one value per step, but %q is a table: take one of its cells with cell(…), or make it a number with a"+
					" function such as sum.", n.Function.Name)
			}
		case n.Op == OpCall && n.Function.Grid != nil:
			for i, a := range n.Args {
				if p := n.Function.Param(i); p.single {
					number(a, "Argument %q of %s must be a number, but %q is a table.", p.name, n.Function.Name)
				}
			}
		}
	}
	e.Left.Walk(check)
	e.Right.Walk(check)
}
