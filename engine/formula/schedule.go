package formula

import (
	"slices"
	"strings"

	"reckon/engine/decimal"
	"reckon/engine/syntax"
	"reckon/engine/value"
)

// schedules are the functions of tables whose rows follow from the rows before them.
var schedules = []*Entry{
	{
		Name: "schedule", Params: []param{{name: "i", dimension: "a new name"}, {name: "from", dimension: "1"}, {name: "to", dimension: "1"}, {name: "column = expression", dimension: "any"}},
		Variadic: true, tables: true, shape: shapeTable, Binds: true, Result: "any",
		Doc: "A table with a row for each integer from one up to another, and named columns with a dimension each. An expression may use i," +
			" the columns in front of its own, and previous(column, first).",
		Examples: []example{
			{"schedule(year, 1, 3, interest = previous(balance, 100 [EUR]) * 10%, balance = previous(balance, 100 [EUR]) + interest)",
				`[["10 EUR","110 EUR"],["11 EUR","121 EUR"],["12.1 EUR","133.1 EUR"]]`},
			{"last(column(schedule(n, 1, 10, a = previous(b, 0), b = previous(a, 0) + previous(b, 1)), \"b\"))", "55"},
			{"schedule(n, 1, 0, a = n)", "! calculation.domain_error"}},
		rule: func(c *checker, n *Node) Dimension {
			c.columns(n)
			return c.alike(n)
		},
	},
	{
		Name: "previous", Params: []param{{name: "column", dimension: "a column of the schedule"}, {name: "first", dimension: "a"}, {name: "rows", dimension: "1", value: "1"}},
		Before: true, Result: "a",
		Doc: "Within a schedule the value of a column in the row before, or a number of rows before; where there is no such row, the value of first.",
		Examples: []example{{"sum(schedule(n, 1, 4, a = 2 * previous(a, 1)))", "30"},
			{"schedule(n, 1, 4, a = n^2, b = previous(a, 0, 2))", `[["1","0"],["4","0"],["9","1"],["16","4"]]`},
			{"schedule(n, 1, 2, a = previous(a, 1, 0))", "! calculation.domain_error"}},
	},
}

// local is a name that a function binds.
type local struct {
	name   string
	column bool // of a schedule
	ready  bool // its value in this row stands before
}

// IsSchedule tells whether a node is a table whose columns have dimensions of their own.
func (n *Node) IsSchedule() bool { return n.Op == OpCall && n.Columns != nil }

// schedule builds a call that defines columns.
func (b *builder) schedule(f *Entry, s *syntax.Call) *Node {
	n := &Node{Op: OpCall, Start: s.Start, End: s.Stop, Function: f, Variable: len(b.locals)}
	index, ok := s.Args[0].(*syntax.Name)
	if !ok {
		return b.fail(s.Args[0].Offset(), "The first argument of %s is the name that it counts with.", f.Name)
	}
	for _, a := range s.Args[1:3] {
		if _, ok := a.(*syntax.Definition); ok {
			return b.fail(a.Offset(), "%s counts from one number up to another before its columns: %s.", f.Name, f.usage())
		}
		n.Args = append(n.Args, b.build(a))
	}
	names := []local{{name: index.Text, ready: true}}
	b.bindable(index.Text, index.Start, names[:0])
	for _, a := range s.Args[3:] {
		d, ok := a.(*syntax.Definition)
		if !ok {
			return b.fail(a.Offset(), "A column of %s has a name: %s.", f.Name, f.usage())
		}
		b.bindable(d.Name, d.Start, names)
		names = append(names, local{name: d.Name, column: true})
		n.Columns = append(n.Columns, d.Name)
	}
	before := b.locals
	b.locals = append(slices.Clip(b.locals), names...)
	for i, a := range s.Args[3:] {
		n.Args = append(n.Args, b.build(a.(*syntax.Definition).X))
		b.locals[n.Variable+1+i].ready = true
	}
	b.locals = before
	return n
}

// bindable reports what a column, or what a schedule counts with, cannot be called: a name means
// one thing in an equation.
func (b *builder) bindable(name string, at int, taken []local) {
	_, constant := Constants[name]
	switch {
	case constant:
		b.fail(at, "%q is a reserved word and cannot be a column.", name)
	case b.scope != nil && b.scope.Index(name) >= 0:
		b.fail(at, "%q is a variable: give the column of the schedule another name.", name)
	case slices.ContainsFunc(slices.Concat(b.locals, taken), func(l local) bool { return l.name == name }):
		b.fail(at, "%q has a meaning here already: give the column another name.", name)
	}
}

// bound is the name that a function binds, nil for another one.
func (b *builder) bound(s *syntax.Name) *Node {
	for i := len(b.locals) - 1; i >= 0; i-- {
		l := b.locals[i]
		switch {
		case l.name != s.Text:
		case !l.ready:
			return b.fail(s.Start, "The column %q is defined here or further on: its value in the row before is previous(%[1]s, first).", s.Text)
		default:
			return &Node{Op: opLocal, Start: s.Start, End: s.End(), Variable: i}
		}
	}
	return nil
}

// previous builds the value of a column some rows before.
func (b *builder) previous(f *Entry, s *syntax.Call) *Node {
	n := &Node{Op: OpPrevious, Start: s.Start, End: s.Stop, Variable: -1}
	var columns []string
	name, _ := s.Args[0].(*syntax.Name)
	for i, l := range b.locals {
		if l.column {
			columns = append(columns, l.name)
		}
		if l.column && name != nil && l.name == name.Text {
			n.Variable = i
		}
	}
	switch {
	case len(columns) == 0:
		return b.fail(s.Start, "%s stands within a schedule, whose columns it is about.", f.usage())
	case n.Variable < 0 && name != nil:
		return b.fail(s.Args[0].Offset(), "The schedule has no column %q: it has %s.%s", name.Text, strings.Join(columns, ", "), value.DidYouMean(name.Text, columns))
	case n.Variable < 0:
		return b.fail(s.Args[0].Offset(), "The first argument of %s is a column of the schedule: %s.", f.Name, strings.Join(columns, ", "))
	}
	for _, a := range s.Args[1:] {
		n.Args = append(n.Args, b.build(a))
	}
	return n
}

// columnsOf are the names of the columns of a call: those that it defines, or its function has.
func columnsOf(s *syntax.Call, functions *FunctionTable) []string {
	if f := functions.ByName[s.Function]; f != nil && !syntax.DefinesColumns(s.Function) {
		return f.Columns
	}
	var names []string
	for _, a := range s.Args {
		if d, ok := a.(*syntax.Definition); ok {
			names = append(names, d.Name)
		}
	}
	return names
}

// columns states what the expressions of a schedule must satisfy, and notes their dimensions.
func (c *checker) columns(n *Node) {
	c.plain(n.Args[0], "The start of "+n.Function.Name)
	c.plain(n.Args[1], "The end of "+n.Function.Name)
	n.Dimensions = nil
	for len(c.locals) <= n.Variable+len(n.Columns) {
		c.locals = append(c.locals, Dimension{})
	}
	c.locals[n.Variable] = Dimension{}
	for i := range n.Columns {
		c.locals[n.Variable+1+i] = c.solver.fresh()
		n.Dimensions = append(n.Dimensions, c.locals[n.Variable+1+i])
	}
	for i, a := range n.Args[2:] {
		d := c.of(a)
		if c.err == nil && !a.isZero() && !c.solver.Equate(c.locals[n.Variable+1+i], d) {
			c.fail(a.Start, "The column %q has different dimensions from row to row: %s is used elsewhere, but %s.", n.Columns[i],
				DimensionText(c.scope, c.solver.Resolve(c.locals[n.Variable+1+i])), c.describe(a, d))
		}
	}
}

// alike states that the columns of a schedule have one dimension, which they must where its table
// is computed with as a whole.
func (c *checker) alike(n *Node) Dimension {
	for i, d := range n.Dimensions[1:] {
		if c.err == nil && !c.solver.Equate(n.Dimensions[0], d) {
			c.fail(n.Args[3+i].Start, "The columns %q and %q have different dimensions, so that nothing can be computed with the table as a whole:"+
				" take one with column(…).", n.Columns[0], n.Columns[i+1])
		}
	}
	return n.Dimensions[0]
}

// before is the dimension of a column some rows before.
func (c *checker) before(n *Node) Dimension {
	d := c.locals[n.Variable]
	if first := c.of(n.Args[0]); c.err == nil && !n.Args[0].isZero() && !c.solver.Equate(d, first) {
		c.fail(n.Args[0].Start, "The first value must be %s like the column, but %s.", DimensionText(c.scope, c.solver.Resolve(d)), c.describe(n.Args[0], first))
	}
	if len(n.Args) > 1 {
		c.plain(n.Args[1], "The number of rows")
	}
	return c.solver.Resolve(d)
}

// isMoment tells whether a column of a schedule holds dates, as far as its expression shows.
func (n *Node) isMoment(s *value.Scope, expression *Node) bool {
	switch x := expression; {
	case x.isDate() || x.Op == opToday || x.Op == opNow:
		return true
	case x.Op == OpVariable:
		return s.Profiles[x.Variable].Moment
	case x.Op == OpPrevious:
		return n.isMoment(s, x.Args[0])
	case x.Op == opLocal && x.Variable > n.Variable && x.Variable <= n.Variable+len(n.Columns):
		return n.isMoment(s, n.Args[1+x.Variable-n.Variable])
	case x.Op == OpCall && x.Function.Lazy:
		return n.isMoment(s, x.Args[1])
	case x.Op == OpAdd:
		return n.isMoment(s, x.Args[0]) || n.isMoment(s, x.Args[1])
	case x.Op == OpSub:
		return n.isMoment(s, x.Args[0]) && !n.isMoment(s, x.Args[1])
	}
	return false
}

// weigh notes what the columns of a schedule are on a scale.
func (s *Scales) weigh(n *Node) value.Weight {
	s.settleAll(n.Args[:2])
	for len(s.locals) <= n.Variable+len(n.Columns) {
		s.locals = append(s.locals, value.Difference)
	}
	s.locals[n.Variable] = value.Difference
	for i, a := range n.Args[2:] {
		w := s.Weight(a)
		s.settle(a, w)
		s.locals[n.Variable+1+i] = w
	}
	for i, a := range n.Args[2:] {
		a.Walk(func(p *Node) {
			if k := p.Variable - n.Variable - 1; p.Op == OpPrevious && k >= 0 && k < len(n.Columns) {
				if w, first := s.locals[p.Variable], s.Weight(p.Args[0]); !first.Any && first.IsPoint() != w.IsPoint() && !w.Any {
					s.fail(p.Args[0], "The column %q and its first value, in column %q, must both be points on a scale (a date, 20 degC) or both be"+
						" differences: %s.", n.Columns[k], n.Columns[i], s.describe(p.Args[0], first))
				}
			}
		})
	}
	return value.EitherWay
}

// schedule is the table of a call that defines columns. Cells are in the units that were found for
// the columns.
func (m *Machine) schedule(n *Node) Grid {
	result := Grid{Rank: 2}
	from, to := m.counted(n)
	width := len(n.Columns)
	if m.Context.Err() == nil && (to-from+1)*int64(width) > value.MaxCells {
		m.Context.Fail(decimal.ErrLimit)
	}
	if m.Context.Err() != nil {
		return result
	}
	first := n.Variable + 1
	for len(m.locals) < first+width {
		m.locals = append(m.locals, decimal.Decimal{})
	}
	for len(m.past) < first+width {
		m.past = append(m.past, nil)
	}
	own := m.ColumnUnits[n]
	run := m.begun(n, from)
	result.Rows = run.rows[:min(int64(len(run.rows)), to-from+1)]
	for k := range width {
		m.past[first+k] = run.past[k]
	}
	m.Renew()
	for i := from + int64(len(run.rows)); i <= to && m.Context.Spend(width); i++ {
		m.locals[n.Variable] = decimal.Int(i)
		m.clock++
		m.inner = m.clock
		row := make([]GridCell, width)
		for k, x := range n.Args[2:] {
			row[k].Number = m.Value(x)
			if m.locals[first+k] = row[k].Number; own != nil {
				row[k].Unit = own[k]
			}
		}
		if m.Context.Err() != nil {
			break
		}
		for k := range row {
			m.past[first+k] = append(m.past[first+k], row[k].Number)
		}
		result.Rows = append(result.Rows, row)
	}
	if m.Context.Err() == nil && len(result.Rows) > len(run.rows) {
		run.rows, run.past = result.Rows, slices.Clone(m.past[first:first+width])
	}
	m.Context.Spend(1 + len(result.Rows)/cellsPerUnit)
	return result
}

// cellsPerUnit is how many rows are handed on in the time of one unit of evaluation.
const cellsPerUnit = 16

// scheduleRun is the rows of a schedule as they were found last: with the same values a longer one
// goes on from there.
type scheduleRun struct {
	from   int64
	values Decimals // of the variables in its columns
	tables []*Grid
	rows   [][]GridCell
	past   []Decimals
}

// begun is the run of a schedule that can be gone on with, or a new one. One within another, or
// whose cells have units, is always begun anew.
func (m *Machine) begun(n *Node, from int64) *scheduleRun {
	fresh := &scheduleRun{from: from, past: make([]Decimals, len(n.Columns))}
	if n.Variable > 0 || m.ColumnUnits[n] != nil {
		return fresh
	}
	for _, a := range n.Args[2:] {
		a.Walk(func(p *Node) {
			if p.Op == OpVariable {
				fresh.values = append(fresh.values, m.Values[p.Variable])
				if m.Tables != nil {
					fresh.tables = append(fresh.tables, m.Tables[p.Variable])
				}
			}
		})
	}
	same := func(a, b decimal.Decimal) bool { return a.Cmp(b) == 0 && a.Right() == b.Right() }
	if last := m.runs[n]; last != nil && last.from == from && slices.EqualFunc(last.values, fresh.values, same) && slices.Equal(last.tables, fresh.tables) {
		return last
	}
	if m.runs == nil {
		m.runs = map[*Node]*scheduleRun{}
	}
	m.runs[n] = fresh
	return fresh
}

// before is the value of a column some rows before.
func (m *Machine) before(n *Node) decimal.Decimal {
	back := int64(1)
	if len(n.Args) > 1 {
		given, whole := m.Value(n.Args[1]), false
		back, whole = Settled(m.Context, given).Int64()
		switch {
		case m.Context.Err() != nil:
			return decimal.Decimal{} // what was given is no number
		case !whole || back < 1:
			return m.Context.Fail(&decimal.UndefinedError{Function: "previous", Argument: given})
		}
	}
	if n.Variable >= len(m.past) {
		return m.Context.Fail(&decimal.UndefinedError{Function: "previous"})
	}
	if past := m.past[n.Variable]; back <= int64(len(past)) {
		return past[int64(len(past))-back]
	}
	return m.Value(n.Args[0])
}

// schedules lists the schedules in an equation.
func (e *Equation) schedules() (list []*Node) {
	look := func(n *Node) {
		if n.IsSchedule() {
			list = append(list, n)
		}
	}
	e.Left.Walk(look)
	e.Right.Walk(look)
	return list
}

// Hands reports whether a schedule is all of a side of an equation.
func (e *Equation) Hands(schedule *Node) bool { return e.Left == schedule || e.Right == schedule }
