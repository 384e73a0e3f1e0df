package formula

import (
	"slices"

	"reckon/engine/value"
)

// mostColumns is how many columns of a table may have a dimension each.
const mostColumns = 1000

// FindColumns finds the columns of tables that equations take by their numbers, as in
// column(flows, 2), and gives each of them a dimension of its own: a table may have a column of
// dates beside one of money. Which tables hold dates shows where functions of dates take them.
//
// A table that is found by an equation has one dimension, unless it is a list written out or its
// author says more of its columns: what an equation hands on may come from anywhere.
func FindColumns(s *value.Scope, equations []*Equation, solver *Unifier) {
	found := make([]bool, len(s.Profiles))
	for _, e := range equations {
		if e.Left == nil {
			continue
		}
		for _, v := range e.receivers(s) {
			source := e.source(v)
			found[v] = found[v] || source.Op != OpList && !source.IsSchedule()
		}
	}
	each := func(do func(n *Node)) {
		for _, e := range equations {
			if e.Left != nil {
				e.Left.Walk(do)
				e.Right.Walk(do)
			}
		}
	}
	each(func(n *Node) {
		if n.isDate() {
			n.Unit = s.Table.Lookup("s")
		}
		variable, number, ok := n.takesColumn(s)
		if !ok {
			return
		}
		p := &s.Profiles[variable]
		column := p.Column(number)
		if column == nil && !found[variable] {
			column = &value.Column{Unknown: solver.fresh().unknown[0].id}
			p.SetColumn(number, column)
		}
		n.Column = column
	})
	dateColumns(s, equations, solver)
	each(func(n *Node) {
		for i, a := range n.Args {
			if n.Op != OpCall || n.Function.rule != nil || n.Function.Param(i).dimension != "date" {
				continue
			}
			switch {
			case a.Column != nil:
				a.Column.Moment = a.Column.Moment || !a.Column.Declared
			case a.Op == OpVariable && s.Profiles[a.Variable].Table && !s.Profiles[a.Variable].Declared:
				p := &s.Profiles[a.Variable]
				p.Moment, p.Point = true, value.OnePoint
			}
		}
	})
}

// dateColumns finds the columns of schedules that hold dates.
func dateColumns(s *value.Scope, equations []*Equation, solver *Unifier) {
	for _, e := range equations {
		if e.Left == nil {
			continue
		}
		for _, v := range e.receivers(s) {
			source := e.source(v)
			for i := range source.Columns {
				if !source.isMoment(s, source.Args[2+i]) {
					continue
				}
				if s.Profiles[v].Column(i) == nil {
					s.Profiles[v].SetColumn(i, &value.Column{Unknown: solver.fresh().unknown[0].id})
				}
				column := s.Profiles[v].Columns[i]
				column.Moment = column.Moment || !column.Declared
			}
		}
	}
}

// JoinColumns gives the columns of a table the dimension of the table, where that is declared or an
// equation computes with the table as a whole. It comes behind FindMixes.
func JoinColumns(s *value.Scope, equations []*Equation, solver *Unifier) {
	for v := range s.Profiles {
		p := &s.Profiles[v]
		if len(p.Columns) == 0 {
			continue
		}
		whole := p.Declared || slices.ContainsFunc(equations, func(e *Equation) bool { return e.Active && e.Computes(v) })
		for _, column := range p.Columns {
			if whole && column != nil && !column.Declared {
				solver.Equate(ColumnDimension(column), VariableDimension(s, v))
			}
		}
	}
}

// ColumnDimension is the dimension of a column that has one of its own.
func ColumnDimension(c *value.Column) Dimension {
	if c.Declared {
		return KnownDimension(c.Dimension)
	}
	return Dimension{unknown: []power{{c.Unknown, 1, 1}}}
}

// takesColumn is the table and the number of its column, counted from 0, that a call takes by a
// number as it is written.
func (n *Node) takesColumn(s *value.Scope) (variable, number int, ok bool) {
	number, ok = n.columnNumber()
	if !ok || n.Args[0].Op != OpVariable || !s.Profiles[n.Args[0].Variable].Table {
		return 0, 0, false
	}
	return n.Args[0].Variable, number, true
}

// columnNumber is the number of a column, counted from 0, as it is written in a call that takes
// one.
func (n *Node) columnNumber() (int, bool) {
	if n.Op != OpCall || n.Function.column == 0 {
		return 0, false
	}
	if len(n.Args) <= n.Function.column {
		return 0, true
	}
	index := n.Args[n.Function.column]
	if index.Op != OpNumber || index.Unit != nil {
		return 0, false
	}
	i, whole := index.Value.Int64()
	return int(i) - 1, whole && i >= 1 && i <= mostColumns
}

// cells are those of a row of a list.
func (n *Node) cells() []*Node {
	if n.Op == OpList {
		return n.Args
	}
	return []*Node{n}
}
