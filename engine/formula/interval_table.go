package formula

import (
	"fmt"
	"math"
	"slices"

	"reckon/engine/decimal"
)

// IntervalTable is a table of which each cell lies in an interval, or a single one of these.
type IntervalTable struct {
	Rank int // as of a Grid
	Rows [][]IntervalCell
}

// IntervalCell is where a cell lies, or one that is empty.
type IntervalCell struct {
	Interval
	Blank bool
}

// SingleInterval is an interval as a table.
func SingleInterval(s Interval) IntervalTable {
	return IntervalTable{Rows: [][]IntervalCell{{{Interval: s}}}}
}

// unknownInterval is what nothing is told of.
var unknownInterval = Interval{Lo: math.Inf(-1), Hi: math.Inf(1), Jumps: true, Partial: true}

// Single is the interval of a single number; a table is nowhere.
func (t IntervalTable) Single() Interval {
	if t.Rank != 0 || len(t.Rows) != 1 || len(t.Rows[0]) != 1 || t.Rows[0][0].Blank {
		return unknownInterval
	}
	return t.Rows[0][0].Interval
}

// list are the cells that are not empty.
func (t IntervalTable) list() []Interval {
	var all []Interval
	for _, row := range t.Rows {
		for _, c := range row {
			if !c.Blank {
				all = append(all, c.Interval)
			}
		}
	}
	return all
}

// isPoint reports whether all cells are single numbers.
func (t IntervalTable) isPoint() bool {
	return !slices.ContainsFunc(t.list(), func(s Interval) bool { return !s.isPoint() || s.Jumps || s.Partial })
}

func (t IntervalTable) fits(o IntervalTable) bool {
	return len(t.Rows) == len(o.Rows) && slices.EqualFunc(t.Rows, o.Rows, func(a, b []IntervalCell) bool { return len(a) == len(b) })
}

// EncloseTable encloses the cells of a table.
func EncloseTable(g Grid) IntervalTable {
	t := IntervalTable{Rank: g.Rank}
	for _, row := range g.Rows {
		cells := make([]IntervalCell, len(row))
		for i, c := range row {
			if cells[i].Blank = c.Empty; !c.Empty {
				cells[i].Interval = Enclose(c.Number)
			}
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// end is a table of the lower or the upper ends, or of numbers beyond them; false where one is not
// finite.
func (t IntervalTable) end(upper bool) (Grid, bool) {
	g := Grid{Rank: t.Rank}
	for _, row := range t.Rows {
		cells := make([]GridCell, len(row))
		for i, c := range row {
			x := c.Lo
			if upper {
				x = c.Hi
			}
			switch {
			case c.Blank:
				cells[i].Empty = true
				continue
			case math.IsInf(x, 0) || math.IsNaN(x):
				return g, false
			}
			cells[i].Number = Beyond(x, upper)
		}
		g.Rows = append(g.Rows, cells)
	}
	return g, true
}

// Beyond is a float64 as a decimal, the next one outwards where the shortest decimal for it may be
// another number.
func Beyond(x float64, upper bool) decimal.Decimal {
	if d := decimal.FromFloat(x); math.Abs(x) < 1e15 && x*1024 == math.Trunc(x*1024) {
		return d
	}
	if upper {
		return decimal.FromFloat(math.Nextafter(x, math.Inf(1)))
	}
	return decimal.FromFloat(math.Nextafter(x, math.Inf(-1)))
}

// IntervalMachine evaluates expressions over tables of intervals: the natural interval extension
// cell by cell (Moore, Interval Analysis, 1966, chapter 3), and for functions over tables what
// their entries say. Values that it does not know have no bounds.
type IntervalMachine struct {
	*Machine
	Box    []Interval       // by variable
	Tables []*IntervalTable // by variable, nil for a single number
	Moves  func(variable int) bool
	Cost   int    // operations so far
	Reason string // why nothing is told of some value, the first one

	locals   []Interval
	past     [][]Interval
	fixed    map[*Node]*IntervalTable // what does not move
	programs map[*Node]*IntervalProgram
}

// unknown is a value of which nothing is told.
func (m *IntervalMachine) unknown(n *Node, why string) IntervalTable {
	if m.Reason == "" {
		name := "an operation"
		if n.Op == OpCall {
			name = n.Function.Name
		}
		m.Reason = fmt.Sprintf("%s %s", name, why)
	}
	return SingleInterval(unknownInterval)
}

// open reports whether an expression has something that moves, or an index or a column that is
// bound outside of it.
func (m *IntervalMachine) open(n *Node) bool {
	least := math.MaxInt
	var walk func(n *Node, bound int) bool
	walk = func(n *Node, bound int) bool {
		switch n.Op {
		case OpVariable:
			if m.Moves(n.Variable) {
				return true
			}
		case opLocal, OpPrevious:
			if n.Variable < bound {
				return true
			}
		}
		inner := bound
		if n.Op == OpCall && n.Function.Binds {
			inner = min(inner, n.Variable)
		}
		return slices.ContainsFunc(n.Args, func(a *Node) bool { return walk(a, inner) })
	}
	return walk(n, least)
}

// Of is where an expression lies.
func (m *IntervalMachine) Of(n *Node) IntervalTable {
	if m.Cost++; m.fixed == nil {
		m.fixed, m.programs = map[*Node]*IntervalTable{}, map[*Node]*IntervalProgram{}
	}
	if t, seen := m.fixed[n]; !seen {
		m.fixed[n] = nil
		if !m.open(n) {
			fixed := EncloseTable(m.Grid(n))
			if m.TryErr() != nil {
				fixed = m.unknown(n, "has no value")
			}
			m.fixed[n] = &fixed
			return fixed
		}
	} else if t != nil {
		return *t
	}
	switch {
	case n.Op == OpVariable:
		if m.Tables != nil && m.Tables[n.Variable] != nil {
			return *m.Tables[n.Variable]
		}
		return SingleInterval(m.Box[n.Variable])
	case n.Op == opLocal:
		return SingleInterval(m.locals[n.Variable])
	case n.Op == OpPrevious:
		return m.before(n)
	case n.Op == OpList:
		return m.cells(n)
	case n.Op == OpDefined:
		locals := m.locals
		m.locals = nil
		t := m.Of(n.Args[0])
		m.locals = locals
		return t
	case n.IsSchedule():
		return m.schedule(n)
	case n.Op == OpCall && n.Function.Binds:
		return m.each(n)
	}
	args := make([]IntervalTable, len(n.Args))
	for i, a := range n.Args {
		if i == 1 && n.Op == OpCall && n.Function.Lazy && args[0].Rank == 0 {
			switch condition := args[0].Single(); {
			case condition.Empty() || condition.Jumps || condition.Partial:
			case !condition.Has(0):
				return m.Of(n.Args[1])
			case condition.isZero():
				return m.Of(n.Args[2])
			}
		}
		args[i] = m.Of(a)
	}
	if n.TakesTable() {
		return m.called(n, args)
	}
	return m.cellByCell(n, args)
}

// called is a call of a function over tables.
func (m *IntervalMachine) called(n *Node, args []IntervalTable) IntervalTable {
	f := n.Function
	for _, a := range args {
		m.Cost += len(a.Rows)
	}
	switch {
	case f.reduces && f.Grid == nil:
		list := args[0].list()
		if len(list) == 0 {
			return m.unknown(n, "has nothing to choose from")
		}
		best := list[0]
		for _, s := range list[1:] {
			best = f.Interval(best, s)
		}
		return SingleInterval(best)
	case f.copies:
		return m.copied(n, args)
	case f.Over != nil:
		if t, ok := f.Over(m, f, args); ok {
			return t
		}
	}
	return m.unknown(n, "is not followed over such a range")
}

// copied is what a function makes of cells that it only hands on.
func (m *IntervalMachine) copied(n *Node, args []IntervalTable) IntervalTable {
	var all []IntervalCell
	grids := make([]Grid, len(args))
	hull := EmptyInterval
	for i, a := range args {
		if n.Function.Param(i).single {
			if !a.isPoint() {
				for _, cell := range all { // the place is not known, so that it may be any cell
					hull = hull.union(cell.Interval)
				}
				if n.Function.shape == shapeTable || hull.Empty() {
					return m.unknown(n, "takes cells of which the place is uncertain")
				}
				hull.Jumps, hull.Partial = true, true
				return SingleInterval(hull)
			}
			grids[i], _ = a.end(false)
			continue
		}
		grids[i] = Grid{Rank: a.Rank}
		for _, row := range a.Rows {
			cells := make([]GridCell, len(row))
			for c, cell := range row {
				cells[c].Number, cells[c].Empty = decimal.Int(int64(len(all))), cell.Blank
				all = append(all, cell)
			}
			grids[i].Rows = append(grids[i].Rows, cells)
		}
	}
	g := n.Function.Grid(m.Context, grids)
	if m.TryErr() != nil {
		return m.unknown(n, "has no value")
	}
	t := EncloseTable(g)
	for r, row := range g.Rows {
		for c, cell := range row {
			if !cell.Empty {
				at, _ := cell.Number.Int64()
				t.Rows[r][c] = all[at]
			}
		}
	}
	return t
}

// cellByCell is an operation over the cells of tables of one size, a number spread over all of
// them.
func (m *IntervalMachine) cellByCell(n *Node, args []IntervalTable) IntervalTable {
	like := IntervalTable{Rows: [][]IntervalCell{{{}}}}
	for i, a := range args {
		switch {
		case a.Rank == 0 && i > 0:
		case like.Rank == 0:
			like = a
		}
		if a.Rank > 0 && !a.fits(like) {
			return m.unknown(n, "has tables of different sizes")
		}
	}
	t := IntervalTable{Rank: like.Rank}
	for r, row := range like.Rows {
		cells := make([]IntervalCell, len(row))
		for c := range row {
			of := make([]Interval, len(args))
			for i, a := range args {
				cell := a.Rows[0][0]
				if a.Rank > 0 {
					cell = a.Rows[r][c]
				}
				of[i], cells[c].Blank = cell.Interval, cells[c].Blank || cell.Blank
			}
			if !cells[c].Blank {
				cells[c].Interval = m.apply(n, of)
			}
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// apply is an operation, or a function of numbers.
func (m *IntervalMachine) apply(n *Node, args []Interval) Interval {
	m.Cost++
	p, seen := m.programs[n]
	if !seen {
		p = argumentProgram(n, len(args))
		m.programs[n] = p
	}
	if p == nil {
		if s, ok := m.between(n, args); ok {
			return s
		}
		return m.unknown(n, "is not followed over such a range").Single()
	}
	copy(p.Box, args)
	value, _ := p.Over(Interval{})
	return value
}

// argumentProgram is an operation over its arguments as a program, nil where it has none.
func argumentProgram(n *Node, arguments int) *IntervalProgram {
	list := make([]*Node, arguments)
	for i := range list {
		list[i] = &Node{Op: OpVariable, Variable: i, Mask: MaskOf(i)}
	}
	over := &Node{Op: n.Op, Function: n.Function, Args: list}
	over.gather()
	p := &IntervalProgram{Seen: map[*Node]int{}, Slope: -1, Box: make([]Interval, arguments)}
	slot, ok := p.Add(over, Unknown{})
	if !ok {
		return nil
	}
	p.Value, p.Slots = slot, make([]Interval, len(p.Steps))
	return p
}

func (m *IntervalMachine) cells(n *Node) IntervalTable {
	t := IntervalTable{Rank: 1}
	for _, a := range n.Args {
		items := []*Node{a}
		if a.Op == OpList {
			t.Rank, items = 2, a.Args
		}
		row := make([]IntervalCell, len(items))
		for i, item := range items {
			row[i].Interval = m.Of(item).Single()
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// counted are the integers that a function counts from and up to; false where they move, or are
// none.
func (m *IntervalMachine) counted(n *Node) (from, to int64, ok bool) {
	var ends [2]int64
	for i := range ends {
		s := m.Of(n.Args[i]).Single()
		if !s.isPoint() || s.Lo != math.Trunc(s.Lo) || math.Abs(s.Lo) > 1e9 {
			return 0, 0, false
		}
		ends[i] = int64(s.Lo)
	}
	return ends[0], ends[1], ends[1] >= ends[0] && ends[1]-ends[0] < maxIntervalRows
}

// maxIntervalRows is how many rows of a table are followed.
const maxIntervalRows = 20_000

func (m *IntervalMachine) reserve(depth int) {
	for len(m.locals) <= depth {
		m.locals = append(m.locals, Interval{})
	}
	for len(m.past) <= depth {
		m.past = append(m.past, nil)
	}
}

func (m *IntervalMachine) each(n *Node) IntervalTable {
	from, to, ok := m.counted(n)
	if !ok {
		return m.unknown(n, "has an uncertain number of rows")
	}
	t := IntervalTable{Rank: 1}
	for i := from; i <= to; i++ {
		m.reserve(n.Variable)
		m.locals[n.Variable] = Interval{Lo: float64(i), Hi: float64(i)}
		t.Rows = append(t.Rows, []IntervalCell{{Interval: m.Of(n.Args[2]).Single()}})
	}
	return t
}

func (m *IntervalMachine) schedule(n *Node) IntervalTable {
	from, to, ok := m.counted(n)
	if !ok {
		return m.unknown(n, "has an uncertain number of rows")
	}
	first, width := n.Variable+1, len(n.Columns)
	m.reserve(first + width)
	for k := range width {
		m.past[first+k] = nil
	}
	t := IntervalTable{Rank: 2}
	for i := from; i <= to; i++ {
		m.locals[n.Variable] = Interval{Lo: float64(i), Hi: float64(i)}
		row := make([]IntervalCell, width)
		for k, x := range n.Args[2:] {
			row[k].Interval = m.Of(x).Single()
			m.locals[first+k] = row[k].Interval
		}
		for k := range row {
			m.past[first+k] = append(m.past[first+k], row[k].Interval)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (m *IntervalMachine) before(n *Node) IntervalTable {
	back := 1
	if len(n.Args) > 1 {
		s := m.Of(n.Args[1]).Single()
		if !s.isPoint() || s.Lo != math.Trunc(s.Lo) || s.Lo < 1 || s.Lo > maxIntervalRows {
			return m.unknown(n, "goes back an uncertain number of rows")
		}
		back = int(s.Lo)
	}
	if past := m.past[n.Variable]; back <= len(past) {
		return SingleInterval(past[len(past)-back])
	}
	return m.Of(n.Args[0])
}
