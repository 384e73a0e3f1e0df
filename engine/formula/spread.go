package formula

import (
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/value"
)

// maxTerms bounds what an equation is written out to.
const maxTerms = 20_000

// Spread is an equation with its functions over tables written out over their cells, such as
// sum(each(k, 1, 3, x^k)) as x + x^2 + x^3, so that an unknown below them is searched, and has
// slopes, as in any other expression. It is nil where there is nothing to write out, and where that
// is not possible: how many cells there are depends on an unknown, or a function has no such form.
func (m *Machine) Spread(e *Equation, unknown func(variable int) bool) *Equation {
	through := func(n *Node) bool {
		return slices.ContainsFunc(e.Refs, func(v int) bool { return unknown(v) && n.ThroughTables(e.Unknown(v)) })
	}
	if !e.Tables || !through(e.Left) && !through(e.Right) {
		return nil
	}
	s := &spreader{Machine: m, unknown: unknown}
	left, right := s.number(e.Left), s.number(e.Right)
	if m.TryErr() != nil || left == nil || right == nil {
		return nil
	}
	out := *e
	out.Left, out.Right, out.Tables, out.slots, out.flat = left, right, false, 0, nil
	out.Count = make([]int, len(e.Refs))
	for _, side := range []*Node{left, right} {
		side.Walk(func(n *Node) {
			if n.Op == OpVariable {
				out.Count[e.Position(n.Variable)]++
			}
		})
	}
	out.Share()
	return &out
}

// spreader writes expressions out.
type spreader struct {
	*Machine
	unknown func(variable int) bool
	indices []*Node // of each, by depth
	terms   int
}

// Terms is a table of expressions, or a single one: nil for cells that are empty, and as a whole
// where there is no such form.
type Terms struct {
	rank int // as of a Grid
	rows [][]*Node
}

func oneTerm(n *Node) *Terms { return &Terms{rows: [][]*Node{{n}}} }

// list are the cells that are not empty.
func (t *Terms) list() []*Node {
	var all []*Node
	for _, row := range t.rows {
		for _, n := range row {
			if n != nil {
				all = append(all, n)
			}
		}
	}
	return all
}

// number is the form of a single number, nil for none.
func (s *spreader) number(n *Node) *Node {
	t := s.of(n)
	if t == nil || t.rank != 0 || len(t.rows) != 1 || len(t.rows[0]) != 1 {
		return nil
	}
	return t.rows[0][0]
}

func (s *spreader) of(n *Node) *Terms {
	if s.terms++; s.terms > maxTerms || !s.Context.Spend(1) {
		return nil
	}
	switch {
	case n.Op == OpVariable && s.unknown(n.Variable):
		if s.Tables != nil && s.Tables[n.Variable] != nil {
			return nil
		}
		return oneTerm(n)
	case n.Op == OpVariable && s.Tables != nil && s.Tables[n.Variable] != nil:
		return constants(*s.Tables[n.Variable])
	case n.Op == opLocal:
		return oneTerm(s.indices[n.Variable])
	case n.Op == OpList:
		return s.cellsOf(n)
	case len(n.Args) == 0:
		return oneTerm(s.folded(n))
	case n.Op == OpDefined:
		indices := s.indices
		s.indices = nil
		t := s.of(n.Args[0])
		s.indices = indices
		return t
	case n.IsSchedule():
		return nil
	case n.Op == OpCall && n.Function.Binds:
		return s.column(n)
	}
	args := make([]*Terms, len(n.Args))
	for i, a := range n.Args {
		if i == 1 && n.Op == OpCall && n.Function.Lazy && args[0].rank == 0 {
			if c := args[0].rows[0][0]; c.Op == OpNumber {
				chosen := 1
				if c.Value.IsZero() {
					chosen = 2
				}
				return s.of(n.Args[chosen])
			}
		}
		if args[i] = s.of(a); args[i] == nil {
			return nil
		}
	}
	if n.TakesTable() {
		return s.called(n, args)
	}
	return s.cellByCell(n, args)
}

// folded is an expression, or its value where it has no unknown.
func (s *spreader) folded(n *Node) *Node {
	if n.Op == OpNumber && n.wide == nil || slices.ContainsFunc(n.Args, func(a *Node) bool { return a.Op != OpNumber }) ||
		n.Op == OpVariable && s.unknown(n.Variable) {
		return n
	}
	return Number(s.Eval(n))
}

func (s *spreader) cellsOf(n *Node) *Terms {
	t := &Terms{rank: 1}
	for _, a := range n.Args {
		row := []*Node{a}
		if a.Op == OpList {
			t.rank, row = 2, slices.Clone(a.Args)
		}
		for i := range row {
			if row[i] = s.number(row[i]); row[i] == nil {
				return nil
			}
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// column is an each.
func (s *spreader) column(n *Node) *Terms {
	var ends [2]int64
	for i := range ends {
		end := s.number(n.Args[i])
		if end == nil || end.Op != OpNumber {
			return nil
		}
		var whole bool
		if ends[i], whole = Settled(s.Context, end.Value).Int64(); !whole {
			return nil
		}
	}
	if ends[1] < ends[0] || ends[1]-ends[0] >= value.MaxCells {
		return nil
	}
	for len(s.indices) <= n.Variable {
		s.indices = append(s.indices, nil)
	}
	t := &Terms{rank: 1}
	for i := ends[0]; i <= ends[1]; i++ {
		s.indices[n.Variable] = Integer(i)
		cell := s.number(n.Args[2])
		if cell == nil {
			return nil
		}
		t.rows = append(t.rows, []*Node{cell})
	}
	return t
}

func (s *spreader) cellByCell(n *Node, args []*Terms) *Terms {
	like := args[0]
	for _, a := range args[1:] {
		if like.rank == 0 {
			like = a
		}
	}
	t := &Terms{rank: like.rank}
	for r, row := range like.rows {
		cells := make([]*Node, len(row))
		for c := range row {
			of := make([]*Node, len(args))
			empty := false
			for i, a := range args {
				switch {
				case a.rank == 0:
					of[i] = a.rows[0][0]
				case r < len(a.rows) && len(a.rows[r]) == len(row) && len(a.rows) == len(like.rows):
					of[i] = a.rows[r][c]
				default:
					return nil
				}
				empty = empty || of[i] == nil
			}
			if !empty {
				cells[c] = s.folded(n.With(of))
			}
		}
		t.rows = append(t.rows, cells)
	}
	return t
}

// called is a call of a function over tables.
func (s *spreader) called(n *Node, args []*Terms) *Terms {
	f := n.Function
	grids, known := make([]Grid, len(args)), true
	for i, a := range args {
		grids[i], known = a.grid(known)
	}
	switch {
	case known && f.Grid != nil:
		return constants(f.Grid(s.Context, grids))
	case f.copies:
		return s.copied(f, args)
	case f.reduces && len(args[0].list()) > 0:
		return oneTerm(s.folded(Called(f, args[0].list()...)))
	case f.terms != nil:
		return f.terms(args)
	}
	return nil
}

// copied is what a function makes of cells that it only hands on, each of them told by its number.
func (s *spreader) copied(f *Entry, args []*Terms) *Terms {
	var all []*Node
	grids := make([]Grid, len(args))
	for i, a := range args {
		if f.Param(i).single {
			var known bool
			if grids[i], known = a.grid(true); !known {
				return nil
			}
			continue
		}
		grids[i] = Grid{Rank: a.rank}
		for _, row := range a.rows {
			cells := make([]GridCell, len(row))
			for c, n := range row {
				cells[c].Number, cells[c].Empty = decimal.Int(int64(len(all))), n == nil
				all = append(all, n)
			}
			grids[i].Rows = append(grids[i].Rows, cells)
		}
	}
	t := constants(f.Grid(s.Context, grids))
	for _, row := range t.rows {
		for c, n := range row {
			if n != nil {
				at, _ := n.Value.Int64()
				row[c] = all[at]
			}
		}
	}
	return t
}

// constants are the cells of a table.
func constants(g Grid) *Terms {
	t := &Terms{rank: g.Rank}
	for _, row := range g.Rows {
		cells := make([]*Node, len(row))
		for i, c := range row {
			if !c.Empty {
				cells[i] = Number(c.Number)
			}
		}
		t.rows = append(t.rows, cells)
	}
	return t
}

// grid is a table of cells that are known; false where one is not, or known was false before.
func (t *Terms) grid(known bool) (Grid, bool) {
	g := Grid{Rank: t.rank}
	for _, row := range t.rows {
		cells := make([]GridCell, len(row))
		for i, n := range row {
			switch {
			case n == nil:
				cells[i].Empty = true
			case n.Op == OpNumber:
				cells[i].Number = n.Value
			default:
				known = false
			}
		}
		g.Rows = append(g.Rows, cells)
	}
	return g, known
}

// added is the sum of expressions, halved again and again so that it is not nested deeply.
func added(list []*Node) *Node {
	switch len(list) {
	case 0:
		return Integer(0)
	case 1:
		return list[0]
	}
	half := len(list) / 2
	return Combined(OpAdd, added(list[:half]), added(list[half:]))
}

// flattened are the cells of several tables that are not empty.
func flattened(args []*Terms) []*Node {
	var all []*Node
	for _, a := range args {
		all = append(all, a.list()...)
	}
	return all
}

func sumTerms(args []*Terms) *Terms { return oneTerm(added(flattened(args))) }

func averageTerms(args []*Terms) *Terms {
	list := flattened(args)
	if len(list) == 0 {
		return nil
	}
	return oneTerm(Combined(OpDiv, added(list), Integer(int64(len(list)))))
}

// conditionTerms is the sum of the values whose condition is known to hold.
func conditionTerms(args []*Terms) *Terms {
	condition, known := args[0].grid(true)
	if !known || len(condition.Rows) != len(args[1].rows) {
		return nil
	}
	var list []*Node
	for r, row := range args[1].rows {
		for i, n := range row {
			if met := condition.at(r, i); n != nil && !met.Empty && !met.Number.IsZero() {
				list = append(list, n)
			}
		}
	}
	return oneTerm(added(list))
}

func productTerms(args []*Terms) *Terms {
	product := Integer(1)
	for _, n := range flattened(args) {
		product = Combined(OpMul, product, n)
	}
	return oneTerm(product)
}

func sumproductTerms(args []*Terms) *Terms {
	a, b := args[0], args[1]
	if len(a.rows) != len(b.rows) {
		return nil
	}
	var products []*Node
	for r, row := range a.rows {
		if len(row) != len(b.rows[r]) {
			return nil
		}
		for c, n := range row {
			if o := b.rows[r][c]; n != nil && o != nil {
				products = append(products, Combined(OpMul, n, o))
			}
		}
	}
	return oneTerm(added(products))
}

// npvTerms is nested as it is evaluated: with a power of the growth for each term it would be as
// long again.
func npvTerms(args []*Terms) *Terms {
	growth := Combined(OpAdd, Integer(1), args[0].rows[0][0])
	sum := Integer(0)
	for _, n := range slices.Backward(flattened(args[1:])) {
		sum = Combined(OpDiv, Combined(OpAdd, sum, n), growth)
	}
	return oneTerm(sum)
}

func cumsumTerms(args []*Terms) *Terms {
	t := &Terms{rank: args[0].rank}
	var sums []*Node
	for _, row := range args[0].rows {
		cells := make([]*Node, len(row))
		for c, n := range row {
			for len(sums) <= c {
				sums = append(sums, Integer(0))
			}
			if n != nil {
				sums[c] = Combined(OpAdd, sums[c], n)
				cells[c] = sums[c]
			}
		}
		t.rows = append(t.rows, cells)
	}
	return t
}
