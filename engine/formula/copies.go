package formula

import (
	"slices"

	"reckon/engine/units"
	"reckon/engine/value"
)

// isLiteral is true of a number as it is written, with its sign.
func (n *Node) isLiteral() bool {
	return n.Op == OpNumber || n.Op == OpNeg && n.Args[0].Op == OpNumber
}

// isDate is true of the call of a function whose value is a date.
func (n *Node) isDate() bool { return n.Op == OpCall && n.Function.Points == PointResult }

// copies reports whether the value of an expression is made of cells, values, dates and literals as
// they are, without arithmetic, or of the cells of a schedule.
func (n *Node) copies() bool {
	switch {
	case n.Op == OpVariable || n.isLiteral() || n.isDate() || n.IsSchedule():
		return true
	case n.Op == OpList:
		return !slices.ContainsFunc(n.Args, func(a *Node) bool { return !a.copies() })
	case n.Op != OpCall || !n.Function.copies:
		return false
	}
	for i, a := range n.Args {
		if !n.Function.Param(i).single && !a.copies() {
			return false
		}
	}
	return true
}

// receivers are the variables that an equation hands cells on to: both of a = b, where both are
// tables.
func (e *Equation) receivers(s *value.Scope) []int {
	var list []int
	for _, sides := range [2][2]*Node{{e.Left, e.Right}, {e.Right, e.Left}} {
		if n := sides[0]; n.Op == OpVariable && isTable(s, n) && e.StandsAlone(n.Variable) && isTable(s, sides[1]) && sides[1].copies() {
			list = append(list, n.Variable)
		}
	}
	return list
}

// dimensional adds to a list the variables below whose dimension matters: not those that are handed
// on, not those that are the argument of count or rows, and not those of which a column is taken
// that has a dimension of its own.
func (n *Node) dimensional(handedOn bool, list []int) []int {
	if n.Op == OpVariable {
		if !handedOn && !slices.Contains(list, n.Variable) {
			list = append(list, n.Variable)
		}
		return list
	}
	if n.Column != nil {
		return list
	}
	for i, a := range n.Args {
		on := handedOn && n.Op == OpList
		if n.Op == OpCall {
			p := n.Function.Param(i)
			on = handedOn && n.Function.copies && !p.single
			on = on || a.Op == OpVariable && n.Function.rule == nil && n.Function.Grid != nil && p.dimension == "any"
		}
		list = a.dimensional(on, list)
	}
	return list
}

// FindMixes finds the equations that may hand on cells of several dimensions: those whose receiver
// has no unit declared, and stands in active equations only where its dimension does not matter.
func FindMixes(s *value.Scope, equations []*Equation) {
	free := make([]bool, len(s.Profiles))
	for v, p := range s.Profiles {
		free[v] = p.Table && !p.Declared
	}
	receivers := make([][]int, len(equations))
	for i, e := range equations {
		if e.Left == nil {
			continue
		}
		if e.Mixes = e.Copies; e.Copies {
			receivers[i] = e.receivers(s)
		}
		e.compute(e.Copies)
		for _, v := range e.computed {
			free[v] = free[v] && !e.Active
		}
	}
	for again := true; again; {
		again = false
		for i, e := range equations {
			mixes := slices.ContainsFunc(receivers[i], func(v int) bool { return free[v] })
			if !e.Copies || mixes || !e.Mixes {
				continue
			}
			e.Mixes = false
			e.compute(false)
			for _, v := range e.computed {
				again = again || free[v] && e.Active
				free[v] = free[v] && !e.Active
			}
		}
	}
}

func (e *Equation) compute(handedOn bool) {
	e.computed = e.Right.dimensional(handedOn, e.Left.dimensional(handedOn, nil))
}

// source is the side of an equation whose cells a receiver gets.
func (e *Equation) source(receiver int) *Node {
	if e.Left.Op == OpVariable && e.Left.Variable == receiver {
		return e.Right
	}
	return e.Left
}

// HandOn gives the receiver of cells the dimension of all that are handed on to it; nothing where
// they have several, or where it cannot be of theirs.
func (e *Equation) HandOn(s *value.Scope, receiver int, solver *Unifier) {
	source := e.source(receiver)
	var list []Dimension
	source.handed(func(part *Node) {
		d := Dimension{}
		switch {
		case part.isZero():
			return
		case part.IsSchedule():
			d = solver.fresh() // it is not told which of its columns
		case part.isDate():
			d = KnownDimension(units.Time)
		case part.Op == OpVariable:
			d = solver.Resolve(VariableDimension(s, part.Variable))
		case part.Unit != nil:
			d = KnownDimension(part.Unit.Dimension())
		}
		list = append(list, d)
	})
	several := slices.ContainsFunc(list, func(d Dimension) bool {
		return !d.IsKnown() || d.Known.WithoutAngle() != list[0].Known.WithoutAngle()
	})
	if len(list) > 0 && !several {
		solver.Equate(VariableDimension(s, receiver), list[0])
	}
}

// handed calls f on the variables, dates and numbers whose cells and values an expression hands on.
func (n *Node) handed(f func(part *Node)) {
	if len(n.Args) == 0 || n.isDate() || n.IsSchedule() {
		f(n)
		return
	}
	for i, a := range n.Args {
		if n.Op != OpCall || !n.Function.Param(i).single {
			a.handed(f)
		}
	}
}

// Computes reports whether the dimension of a variable matters to an equation.
func (e *Equation) Computes(variable int) bool { return slices.Contains(e.computed, variable) }

// item is the value of a part of an equation that is a number, in its own unit where it is one that
// has been given, found or written.
func (m *Machine) item(n *Node) GridCell {
	if n.Op == OpCall && n.Function.copies {
		return m.Grid(n).at(0, 0)
	}
	cell := NumberCell(m.Eval(n))
	switch literal := n; {
	case n.isDate():
		cell.Unit = n.Unit
	case n.Op == OpVariable:
		cell.Unit = m.Units[n.Variable]
	case n.isLiteral() && !cell.Number.IsZero():
		if n.Op == OpNeg {
			literal = n.Args[0]
		}
		if cell.Unit = literal.Unit; cell.Unit == nil {
			cell.Unit = units.One
		}
	}
	return cell
}

// In is a table whose cells are all written in one unit.
func (g Grid) In(unit *units.Unit) Grid {
	result := Grid{g.Rank, make([][]GridCell, len(g.Rows))}
	for r, row := range g.Rows {
		result.Rows[r] = slices.Clone(row)
		for i := range row {
			result.Rows[r][i].Unit = unit
		}
	}
	return result
}
