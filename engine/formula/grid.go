package formula

import (
	"errors"
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/value"
)

// Grid is a table of numbers in coherent SI, or a single number.
type Grid struct {
	Rank int // 0 number, 1 column, 2 rows
	Rows [][]GridCell
}

// GridCell is a number in coherent SI, or nothing. Its unit is the one that it is written in, for
// equations that hand it on; nil where it has none of its own.
type GridCell = value.Cell

// NumberCell is a cell without a unit of its own.
func NumberCell(d decimal.Decimal) (cell GridCell) {
	cell.Number = d
	return cell
}

// GridError names two variables whose tables have different sizes.
type GridError struct{ First, Second int }

func (e *GridError) Error() string { return "tables have different sizes" }

// besides are the numbers of the columns in which a number stands.
func (g Grid) besides(d decimal.Decimal) (list Decimals) {
	in := map[int]bool{}
	for _, row := range g.Rows {
		for c, cell := range row {
			in[c] = in[c] || !cell.Empty && cell.Number.Cmp(d) == 0
		}
	}
	for _, row := range g.Rows {
		for c, cell := range row {
			if in[c] && !cell.Empty {
				list = append(list, cell.Number)
			}
		}
	}
	return list
}

func scalarGrid(d decimal.Decimal) Grid { return Grid{Rows: [][]GridCell{{NumberCell(d)}}} }

func columnGrid(numbers Decimals) Grid {
	g := Grid{Rank: 1}
	for _, d := range numbers {
		g.Rows = append(g.Rows, []GridCell{NumberCell(d)})
	}
	return g
}

func failed(c *decimal.Context, err error) Grid {
	c.Fail(err)
	return Grid{}
}

// numbers are the cells that are not empty, row by row.
func (g Grid) numbers() Decimals {
	var list Decimals
	for _, row := range g.Rows {
		for _, cell := range row {
			if !cell.Empty {
				list = append(list, cell.Number)
			}
		}
	}
	return list
}

func (g Grid) Fits(o Grid) bool {
	return len(g.Rows) == len(o.Rows) && slices.EqualFunc(g.Rows, o.Rows, func(a, b []GridCell) bool { return len(a) == len(b) })
}

// flatten are the cells of several tables that are not empty.
func flatten(list []Grid) Decimals {
	if len(list) == 1 {
		return list[0].numbers()
	}
	var all Decimals
	for _, g := range list {
		all = append(all, g.numbers()...)
	}
	return all
}

// scalar is the number where a function needs a single one; false where there is a table, which
// fails the context.
func (g Grid) scalar(c *decimal.Context) (decimal.Decimal, bool) {
	if g.Rank != 0 || g.at(0, 0).Empty {
		c.Fail(&GridError{-1, -1})
		return decimal.Decimal{}, false
	}
	return g.Rows[0][0].Number, true
}

// scalars are the numbers of arguments that must be single ones; false where one is none.
func scalars(c *decimal.Context, args []Grid) (Decimals, bool) {
	list := make(Decimals, len(args))
	for i, g := range args {
		var ok bool
		if list[i], ok = g.scalar(c); !ok {
			return nil, false
		}
	}
	return list, true
}

// Single is the number that all cells of a table are, for a variable that holds no tables. It has
// no rows where they differ: no one number satisfies the equation for all of them then.
func (g Grid) Single(c *decimal.Context) Grid {
	all := g.numbers()
	for _, n := range all {
		if c.Sub(n, all[0]).Abs().Cmp(c.Mul(all[0].Abs(), value.Recalculated)) > 0 {
			return Grid{}
		}
	}
	if len(all) == 0 || c.Err() != nil {
		return Grid{}
	}
	return scalarGrid(all[0])
}

// choice is the argument that an if chooses by this condition; false for a table, whose cells may
// choose differently.
func (g Grid) choice() (argument int, ok bool) {
	if g.Rank != 0 || g.at(0, 0).Empty {
		return 0, false
	}
	if g.Rows[0][0].Number.IsZero() {
		return 2, true
	}
	return 1, true
}

// index is the position, from 0, that a function's argument from 1 to count names.
func (g Grid) index(c *decimal.Context, function string, count int) (int, bool) {
	d, ok := g.scalar(c)
	if !ok {
		return 0, false
	}
	i, whole := Settled(c, d).Int64()
	if !whole || i < 1 || i > int64(count) {
		c.Fail(&decimal.UndefinedError{Function: function, Argument: d})
		return 0, false
	}
	return int(i) - 1, true
}

func (g Grid) mapped(f func(decimal.Decimal) decimal.Decimal) Grid {
	result := Grid{g.Rank, make([][]GridCell, len(g.Rows))}
	for r, row := range g.Rows {
		cells := slices.Clone(row)
		for i := range cells {
			if !cells[i].Empty {
				cells[i].Number = f(cells[i].Number)
			}
		}
		result.Rows[r] = cells
	}
	return result
}

func (g Grid) width() int {
	width := 0
	for _, row := range g.Rows {
		width = max(width, len(row))
	}
	return width
}

// at is a cell; outside of the table it is empty.
func (g Grid) at(row, column int) GridCell {
	if row < 0 || column < 0 || row >= len(g.Rows) || column >= len(g.Rows[row]) {
		return GridCell{Empty: true}
	}
	return g.Rows[row][column]
}

func firstVariable(n *Node) int {
	found := -1
	n.Walk(func(m *Node) {
		if found < 0 && m.Op == OpVariable {
			found = m.Variable
		}
	})
	return found
}

// Grid is the value of an expression over tables: cell by cell, a number spread over all cells.
func (m *Machine) Grid(n *Node) Grid {
	switch {
	case n.Op == OpVariable:
		if m.Tables != nil && m.Tables[n.Variable] != nil {
			return *m.Tables[n.Variable]
		}
		return Grid{Rows: [][]GridCell{{m.item(n)}}}
	case n.Op == OpList:
		return m.list(n)
	case n.Op == OpDefined:
		return m.definedGrid(n)
	case n.IsSchedule():
		return m.schedule(n)
	case n.Op == OpCall && n.Function.Binds:
		return m.each(n)
	case len(n.Args) == 0 || n.isLiteral():
		return Grid{Rows: [][]GridCell{{m.item(n)}}}
	}
	args := make([]Grid, len(n.Args))
	for i, a := range n.Args {
		if i == 1 && n.Op == OpCall && n.Function.Lazy {
			if chosen, ok := args[0].choice(); ok && m.Context.Err() == nil {
				return m.Grid(n.Args[chosen])
			}
		}
		args[i] = m.Grid(a)
	}
	if m.Context.Err() != nil {
		return Grid{}
	}
	if n.Op == OpCall && n.Function.Grid != nil {
		result := n.Function.Grid(m.Context, args)
		m.nameTables(n)
		return result
	}
	if n.Op == OpCall && n.Function.reduces && len(args) == 1 {
		if list := args[0].numbers(); len(list) > 0 {
			return scalarGrid(n.Function.Eval(m.Context, list))
		}
		return scalarGrid(m.Context.Fail(&decimal.UndefinedError{Function: n.Function.Name}))
	}
	return m.cellByCell(n, args)
}

// cellByCell is an operation over the cells of tables of one size, a number spread over all of
// them.
func (m *Machine) cellByCell(n *Node, args []Grid) Grid {
	shape := -1
	for i, a := range args {
		if a.Rank == 0 {
			continue
		}
		if shape >= 0 && !a.Fits(args[shape]) {
			m.Context.Fail(&GridError{firstVariable(n.Args[shape]), firstVariable(n.Args[i])})
			return Grid{}
		}
		if shape < 0 {
			shape = i
		}
	}
	single := *n
	single.Args = make([]*Node, len(args))
	cell := func(row, column int) GridCell {
		for i, a := range args {
			c := a.Rows[0][0]
			if a.Rank > 0 {
				c = a.Rows[row][column]
			}
			if c.Empty {
				return GridCell{Empty: true}
			}
			single.Args[i] = &Node{Op: OpNumber, Value: c.Number}
		}
		return NumberCell(m.Eval(&single))
	}
	like := args[max(shape, 0)] // of numbers alone the first one
	result := Grid{Rank: like.Rank}
	for r, row := range like.Rows {
		cells := make([]GridCell, len(row))
		for c := range row {
			cells[c] = cell(r, c)
		}
		result.Rows = append(result.Rows, cells)
	}
	return result
}

// nameTables names the variables of a call that found its tables of different sizes.
func (m *Machine) nameTables(n *Node) {
	var mismatch *GridError
	if !errors.As(m.Context.Err(), &mismatch) || mismatch.First >= 0 {
		return
	}
	for _, a := range n.Args {
		switch v := firstVariable(a); {
		case v < 0 || v == mismatch.First:
		case mismatch.First < 0:
			mismatch.First = v
		case mismatch.Second < 0:
			mismatch.Second = v
		}
	}
}

// counted are the integers that a function counts from and up to; where they are none, the context
// fails.
func (m *Machine) counted(n *Node) (from, to int64) {
	start, end := m.Eval(n.Args[0]), m.Eval(n.Args[1])
	from, ok1 := Settled(m.Context, start).Int64()
	to, ok2 := Settled(m.Context, end).Int64()
	switch {
	case !ok1:
		m.Context.Fail(&decimal.UndefinedError{Function: n.Function.Name, Argument: start})
	case !ok2 || to < from:
		m.Context.Fail(&decimal.UndefinedError{Function: n.Function.Name, Argument: end})
	case uint64(to)-uint64(from) >= value.MaxCells:
		m.Context.Fail(decimal.ErrLimit)
	}
	return from, to
}

// each is a column of the values of an expression for an index that counts from one integer to
// another.
func (m *Machine) each(n *Node) Grid {
	result := Grid{Rank: 1}
	from, to := m.counted(n)
	if m.Context.Err() != nil {
		return result
	}
	for len(m.locals) <= n.Variable {
		m.locals = append(m.locals, decimal.Decimal{})
	}
	m.Renew()
	for i := from; i <= to && m.Context.Err() == nil; i++ {
		m.locals[n.Variable] = decimal.Int(i)
		m.clock++
		m.inner = m.clock
		result.Rows = append(result.Rows, []GridCell{NumberCell(m.Value(n.Args[2]))})
	}
	return result
}

// list is a column of numbers, or rows of a list each.
func (m *Machine) list(n *Node) Grid {
	nested := slices.ContainsFunc(n.Args, func(a *Node) bool { return a.Op == OpList })
	result := Grid{Rank: 1}
	if nested {
		result.Rank = 2
	}
	for _, a := range n.Args {
		if a.Op != OpList {
			result.Rows = append(result.Rows, []GridCell{m.item(a)})
			continue
		}
		var row []GridCell
		for _, item := range a.Args {
			row = append(row, m.item(item))
		}
		result.Rows = append(result.Rows, row)
	}
	return result
}

// scalarOf is the value of a list or of a call over tables where a number is needed.
func (m *Machine) scalarOf(n *Node) decimal.Decimal {
	g := m.Grid(n)
	if m.Context.Err() != nil {
		return decimal.Decimal{}
	}
	if g.Rank != 0 || len(g.Rows) == 0 || len(g.Rows[0]) == 0 || g.Rows[0][0].Empty {
		name := "a list"
		if n.Op == OpCall {
			name = n.Function.Name
		}
		return m.Context.Fail(&decimal.UndefinedError{Function: name})
	}
	return g.Rows[0][0].Number
}

// Cellwise lists the variables with tables that occur in n outside of functions over tables.
func (m *Machine) Cellwise(n *Node, list []int) []int {
	if n.Op == OpVariable && m.Tables[n.Variable] != nil && !slices.Contains(list, n.Variable) {
		return append(list, n.Variable)
	}
	if n.TakesTable() {
		return list
	}
	for _, a := range n.Args {
		list = m.Cellwise(a, list)
	}
	return list
}
