package engine

import (
	"errors"
	"slices"

	"reckon/engine/decimal"
)

// grid is a table of numbers in coherent SI, or a single number.
type grid struct {
	rank int // 0 number, 1 column, 2 rows
	rows [][]gridCell
}

// gridCell is a number, or nothing.
type gridCell struct {
	number decimal.Decimal
	empty  bool
}

// gridError names two variables whose tables have different sizes.
type gridError struct{ first, second int }

func (e *gridError) Error() string { return "tables have different sizes" }

func scalarGrid(d decimal.Decimal) grid { return grid{rows: [][]gridCell{{{number: d}}}} }

func columnGrid(numbers decimals) grid {
	g := grid{rank: 1}
	for _, d := range numbers {
		g.rows = append(g.rows, []gridCell{{number: d}})
	}
	return g
}

// numbers are the cells that are not empty, row by row.
func (g grid) numbers() decimals {
	var list decimals
	for _, row := range g.rows {
		for _, cell := range row {
			if !cell.empty {
				list = append(list, cell.number)
			}
		}
	}
	return list
}

func (g grid) fits(o grid) bool {
	return len(g.rows) == len(o.rows) && slices.EqualFunc(g.rows, o.rows, func(a, b []gridCell) bool { return len(a) == len(b) })
}

// flatten are the cells of several tables that are not empty.
func flatten(list []grid) decimals {
	if len(list) == 1 {
		return list[0].numbers()
	}
	var all decimals
	for _, g := range list {
		all = append(all, g.numbers()...)
	}
	return all
}

// scalar is the number where a function needs a single one; false where there is a table, which fails the context.
func (g grid) scalar(c *decimal.Context) (decimal.Decimal, bool) {
	if g.rank != 0 || g.at(0, 0).empty {
		c.Fail(&gridError{-1, -1})
		return decimal.Decimal{}, false
	}
	return g.rows[0][0].number, true
}

// single is the number that all cells of a table are, for a variable that holds no tables. It has no rows where they differ:
// no one number satisfies the equation for all of them then.
func (g grid) single(c *decimal.Context) grid {
	all := g.numbers()
	for _, n := range all {
		if c.Sub(n, all[0]).Abs().Cmp(c.Mul(all[0].Abs(), recalculated)) > 0 {
			return grid{}
		}
	}
	if len(all) == 0 || c.Err() != nil {
		return grid{}
	}
	return scalarGrid(all[0])
}

// choice is the argument that an if chooses by this condition; false for a table, whose cells may choose differently.
func (g grid) choice() (argument int, ok bool) {
	if g.rank != 0 || g.at(0, 0).empty {
		return 0, false
	}
	if g.rows[0][0].number.IsZero() {
		return 2, true
	}
	return 1, true
}

// index is the position, from 0, that a function's argument from 1 to count names.
func (g grid) index(c *decimal.Context, function string, count int) (int, bool) {
	d, ok := g.scalar(c)
	if !ok {
		return 0, false
	}
	i, whole := settled(c, d).Int64()
	if !whole || i < 1 || i > int64(count) {
		c.Fail(&decimal.UndefinedError{Function: function, Argument: d})
		return 0, false
	}
	return int(i) - 1, true
}

// mapped is a function of each cell.
func (g grid) mapped(f func(decimal.Decimal) decimal.Decimal) grid {
	result := grid{g.rank, make([][]gridCell, len(g.rows))}
	for r, row := range g.rows {
		cells := slices.Clone(row)
		for i := range cells {
			if !cells[i].empty {
				cells[i].number = f(cells[i].number)
			}
		}
		result.rows[r] = cells
	}
	return result
}

// width is the number of columns of the widest row.
func (g grid) width() int {
	width := 0
	for _, row := range g.rows {
		width = max(width, len(row))
	}
	return width
}

// at is a cell; outside of the table it is empty.
func (g grid) at(row, column int) gridCell {
	if row < 0 || column < 0 || row >= len(g.rows) || column >= len(g.rows[row]) {
		return gridCell{empty: true}
	}
	return g.rows[row][column]
}

// firstVariable is the first variable that an expression names, or -1.
func firstVariable(n *node) int {
	found := -1
	n.walk(func(m *node) {
		if found < 0 && m.op == opVariable {
			found = m.variable
		}
	})
	return found
}

// grid is the value of an expression over tables: cell by cell, a number spread over all cells.
func (m *machine) grid(n *node) grid {
	switch {
	case n.op == opVariable:
		if m.tables != nil && m.tables[n.variable] != nil {
			return *m.tables[n.variable]
		}
		return scalarGrid(m.values[n.variable])
	case n.op == opList:
		return m.list(n)
	case n.op == opCall && n.function.binds:
		return m.each(n)
	case len(n.args) == 0:
		return scalarGrid(m.eval(n))
	}
	args := make([]grid, len(n.args))
	for i, a := range n.args {
		if i == 1 && n.op == opCall && n.function.lazy {
			if chosen, ok := args[0].choice(); ok && m.c.Err() == nil {
				return m.grid(n.args[chosen])
			}
		}
		args[i] = m.grid(a)
	}
	if m.c.Err() != nil {
		return grid{}
	}
	if n.op == opCall && n.function.grid != nil {
		result := n.function.grid(m.c, args)
		m.nameTables(n)
		return result
	}
	if n.op == opCall && n.function.reduces && len(args) == 1 {
		if list := args[0].numbers(); len(list) > 0 {
			return scalarGrid(n.function.eval(m.c, list))
		}
		return scalarGrid(m.c.Fail(&decimal.UndefinedError{Function: n.function.name}))
	}
	shape := -1
	for i, a := range args {
		if a.rank == 0 {
			continue
		}
		if shape >= 0 && !a.fits(args[shape]) {
			m.c.Fail(&gridError{firstVariable(n.args[shape]), firstVariable(n.args[i])})
			return grid{}
		}
		if shape < 0 {
			shape = i
		}
	}
	single := *n
	single.args = make([]*node, len(args))
	cell := func(row, column int) gridCell {
		for i, a := range args {
			c := a.rows[0][0]
			if a.rank > 0 {
				c = a.rows[row][column]
			}
			if c.empty {
				return gridCell{empty: true}
			}
			single.args[i] = &node{op: opNumber, value: c.number}
		}
		return gridCell{number: m.eval(&single)}
	}
	if shape < 0 {
		return grid{rows: [][]gridCell{{cell(0, 0)}}}
	}
	result := grid{rank: args[shape].rank}
	for r, row := range args[shape].rows {
		cells := make([]gridCell, len(row))
		for c := range row {
			cells[c] = cell(r, c)
		}
		result.rows = append(result.rows, cells)
	}
	return result
}

// nameTables names the variables of a call that found its tables of different sizes.
func (m *machine) nameTables(n *node) {
	var mismatch *gridError
	if !errors.As(m.c.Err(), &mismatch) || mismatch.first >= 0 {
		return
	}
	for _, a := range n.args {
		switch v := firstVariable(a); {
		case v < 0 || v == mismatch.first:
		case mismatch.first < 0:
			mismatch.first = v
		case mismatch.second < 0:
			mismatch.second = v
		}
	}
}

// each is a column of the values of an expression for an index that counts from one integer to another.
func (m *machine) each(n *node) grid {
	result := grid{rank: 1}
	start, end := m.eval(n.args[0]), m.eval(n.args[1])
	from, ok1 := settled(m.c, start).Int64()
	to, ok2 := settled(m.c, end).Int64()
	switch {
	case !ok1:
		m.c.Fail(&decimal.UndefinedError{Function: n.function.name, Argument: start})
	case !ok2 || to < from:
		m.c.Fail(&decimal.UndefinedError{Function: n.function.name, Argument: end})
	case uint64(to)-uint64(from) >= maxCells:
		m.c.Fail(decimal.ErrLimit)
	}
	if m.c.Err() != nil {
		return result
	}
	for len(m.locals) <= n.variable {
		m.locals = append(m.locals, decimal.Decimal{})
	}
	m.renew()
	for i := from; i <= to && m.c.Err() == nil; i++ {
		m.locals[n.variable] = decimal.Int(i)
		m.clock++
		m.inner = m.clock
		result.rows = append(result.rows, []gridCell{{number: m.value(n.args[2])}})
	}
	return result
}

// list is a column of numbers, or rows of a list each.
func (m *machine) list(n *node) grid {
	nested := slices.ContainsFunc(n.args, func(a *node) bool { return a.op == opList })
	result := grid{rank: 1}
	if nested {
		result.rank = 2
	}
	for _, a := range n.args {
		if a.op != opList {
			result.rows = append(result.rows, []gridCell{{number: m.eval(a)}})
			continue
		}
		var row []gridCell
		for _, item := range a.args {
			row = append(row, gridCell{number: m.eval(item)})
		}
		result.rows = append(result.rows, row)
	}
	return result
}

// scalarOf is the value of a list or of a call over tables where a number is needed.
func (m *machine) scalarOf(n *node) decimal.Decimal {
	g := m.grid(n)
	if m.c.Err() != nil {
		return decimal.Decimal{}
	}
	if g.rank != 0 || len(g.rows) == 0 || len(g.rows[0]) == 0 || g.rows[0][0].empty {
		name := "a list"
		if n.op == opCall {
			name = n.function.name
		}
		return m.c.Fail(&decimal.UndefinedError{Function: name})
	}
	return g.rows[0][0].number
}

// cellwise lists the variables with tables that occur in n outside of functions over tables.
func (m *machine) cellwise(n *node, list []int) []int {
	if n.op == opVariable && m.tables[n.variable] != nil && !slices.Contains(list, n.variable) {
		return append(list, n.variable)
	}
	if n.takesTable() {
		return list
	}
	for _, a := range n.args {
		list = m.cellwise(a, list)
	}
	return list
}

// isCounted reports whether a variable stands only where its dimension does not matter: as the argument of count or rows.
func (n *node) isCounted(variable int) bool {
	if n.op == opVariable {
		return n.variable != variable
	}
	for i, a := range n.args {
		free := n.op == opCall && n.function.rule == nil && n.function.grid != nil && n.function.param(i).dimension == "any"
		if !(free && a.op == opVariable) && !a.isCounted(variable) {
			return false
		}
	}
	return true
}
