package engine

import (
	"cmp"
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/solve"
	"reckon/engine/units"
	"reckon/engine/value"
)

// needsTables reports whether a step calls functions over tables.
func (d *Domain) needsTables(s solve.Step) bool {
	return slices.ContainsFunc(s.Activities, func(a int) bool { return d.equations[a].Tables })
}

// tableSteps goes through a plan where facts are tables or equations call functions over tables.
func (v *derivation) tableSteps() *value.Error {
	v.open = solve.Step{}
	for i, s := range v.plan.steps {
		if err := v.tableStep(s, i == len(v.plan.steps)-1); err != nil {
			return err
		}
	}
	return nil
}

// load puts a fact's number or cells into the machine.
func (v *derivation) load(f Fact) *value.Error {
	if f.Value.Rank == 0 {
		q, ok := f.Value.Single()
		if !ok {
			return v.emptyFact(f)
		}
		v.Machine.Values[f.Variable], v.Units[f.Variable] = v.fromFact(f.Variable, q)
		return nil
	}
	g := formula.Grid{Rank: f.Value.Rank}
	_, known := v.domain.Dimension(f.Variable)
	alike := v.computes(f.Variable) || known && v.copied(f.Variable)
	var first *units.Unit
	seen := false
	for _, row := range f.Value.Cells {
		cells := make([]formula.GridCell, len(row))
		for i, c := range row {
			if c.Empty {
				cells[i].Empty = true
				continue
			}
			number, unit := v.fromFact(f.Variable, c.Quantity)
			if seen && alike && !sameButAngle(first.Dimension(), unit.Dimension()) {
				return value.Problem("input.incompatible_units", v.rewrite.outward(first).String(), v.rewrite.outward(unit).String())
			}
			if !seen {
				first, seen = unit, true
			}
			cells[i].Number, cells[i].Unit = number, unit
		}
		g.Rows = append(g.Rows, cells)
	}
	if !seen {
		return v.emptyFact(f)
	}
	if err := v.loadColumns(f.Variable, g); err != nil {
		return err
	}
	v.Units[f.Variable] = first
	v.Machine.Tables[f.Variable] = &g
	return nil
}

// loadColumns notes a unit of each column that has a dimension of its own. All cells of such a
// column are of that dimension.
func (v *derivation) loadColumns(variable int, g formula.Grid) *value.Error {
	profile := &v.domain.Profiles[variable]
	if len(profile.Columns) == 0 {
		return nil
	}
	list := make([]*units.Unit, len(profile.Columns))
	for _, row := range g.Rows {
		for i, cell := range row[:min(len(row), len(list))] {
			switch {
			case cell.Empty || profile.Columns[i] == nil:
			case list[i] == nil:
				list[i] = cell.Unit
			case !sameButAngle(list[i].Dimension(), cell.Unit.Dimension()):
				return value.Problem("input.incompatible_units", v.rewrite.outward(list[i]).String(), v.rewrite.outward(cell.Unit).String())
			}
		}
	}
	if v.columns == nil {
		v.columns = map[int][]*units.Unit{}
	}
	v.columns[variable] = list
	return nil
}

// computes reports whether the plan computes with a table, so that its cells must be of one
// dimension. What it only counts or hands on may be of several.
func (v *derivation) computes(variable int) bool {
	return slices.ContainsFunc(v.plan.steps, func(s solve.Step) bool {
		return slices.ContainsFunc(s.Activities, func(a int) bool { return v.domain.equations[a].Computes(variable) })
	})
}

func (v *derivation) emptyFact(f Fact) *value.Error {
	err := value.Problem("calculation.missing_inputs", v.Key(v.Target))
	err.Missing = []value.Alternative{{Variables: []value.VariableName{v.domain.name(f.Variable)}}}
	return err
}

// tableStep finds the value of one step, or the values of a block.
func (v *derivation) tableStep(s solve.Step, last bool) *value.Error {
	m, e := v.Machine, v.domain.equations[s.Activity]
	if err := v.calendarSteps(&s); err != nil {
		return err
	}
	if err := v.restsOnOpen(&s); err != nil {
		return err
	}
	if !s.IsBlock() {
		return v.directly(s, e, last)
	}
	for _, a := range s.Activities {
		if len(m.Cellwise(v.domain.equations[a].Left, m.Cellwise(v.domain.equations[a].Right, nil))) > 0 {
			return value.Problem("calculation.not_converged", v.Key(s.Variable), "1")
		}
	}
	if !slices.ContainsFunc(s.Outputs, func(o int) bool { return v.domain.Profiles[o].Table }) {
		return v.solved(&s, last)
	}
	err := v.throughStep(s)
	if err == nil && last {
		v.targetLast()
	}
	return err
}

// directly finds the value of a variable by one equation: as it is where the variable stands alone
// on a side, else cell by cell.
func (v *derivation) directly(s solve.Step, e *formula.Equation, last bool) *value.Error {
	m := v.Machine
	var result formula.Grid
	x := e.Unknown(s.Variable)
	v.columnUnits(s, e)
	switch {
	case e.Left.Op == formula.OpVariable && e.Left.Variable == s.Variable && !e.Right.Has(x):
		result = m.Grid(e.Right)
	case e.Right.Op == formula.OpVariable && e.Right.Variable == s.Variable && !e.Left.Has(x):
		result = m.Grid(e.Left)
	default:
		var err *value.Error
		if result, err = v.cells(s, e); err != nil {
			return err
		}
	}
	if err := v.Failure(e, s.Variable); err != nil {
		return err
	}
	if result.Rank > 0 && !v.domain.Profiles[s.Variable].Table {
		result = result.Single(m.Context)
	}
	if result.Rank == 0 {
		if len(result.Rows) == 0 || result.Rows[0][0].Empty {
			return value.Problem("calculation.no_solution", v.Key(s.Variable))
		}
		root, err := v.Choose(s.Variable, s.Activity, formula.OneRoot(result.Rows[0][0].Number))
		if err == nil {
			root, err = v.Whole(s.Variable, root)
		}
		if err != nil {
			return err
		}
		m.Values[s.Variable] = root
		return v.emit(&s, false)
	}
	own := e.Copies && v.domain.Profiles[s.Variable].Unit == nil && v.AskedIn(s.Variable) == nil
	first, err := v.handedOn(s, e, result)
	if err != nil {
		return err
	}
	unit := first
	if !own || first == nil {
		result, err := v.stepUnit(s.Variable, s.Activity)
		if err != nil {
			return err
		}
		unit, own = result.unit, false
	}
	if v.Units[s.Variable] = unit; !own && v.copied(s.Variable) {
		result = result.In(unit)
	}
	value, problem := v.tableValue(s, result, unit, own, last)
	if problem != nil {
		return problem
	}
	if err := v.loadColumns(s.Variable, result); own && err != nil {
		return err
	}
	m.Tables[s.Variable] = &result
	if s.Variable == v.Target {
		v.solution.Value = value
	}
	v.solution.Steps = append(v.solution.Steps, Step{Variable: s.Variable, Activities: s.Activities, Value: value})
	return nil
}

// handedOn is the unit of the first cell that has one of its own, of those that an equation hands
// on. Cells that are asked in a unit, that something is computed with, or whose variable has a
// dimension, must be of one.
func (v *derivation) handedOn(s solve.Step, e *formula.Equation, g formula.Grid) (first *units.Unit, err *value.Error) {
	if !e.Copies {
		return nil, nil
	}
	_, known := v.domain.Dimension(s.Variable)
	asked := v.AskedIn(s.Variable) != nil
	alike := e.Mixes && (known || asked || v.computes(s.Variable))
	for _, row := range g.Rows {
		for _, cell := range row {
			switch u := cell.Unit; {
			case u == nil:
			case first == nil:
				first = u
				want, known := v.dimensionOf(s.Variable)
				if alike && known && !sameButAngle(u.Dimension(), want) {
					return nil, v.incompatible(u, want, s.Variable)
				}
			case alike && !sameButAngle(u.Dimension(), first.Dimension()):
				return nil, value.Problem("input.incompatible_units", v.rewrite.outward(first).String(), v.rewrite.outward(u).String())
			}
		}
	}
	return first, nil
}

// copied reports whether the plan hands cells of a table on.
func (v *derivation) copied(variable int) bool {
	return slices.ContainsFunc(v.plan.steps, func(s solve.Step) bool {
		e := v.domain.equations[s.Activity]
		return e.Copies && s.Variable != variable && e.Position(variable) >= 0
	})
}

// tableValue shows the cells of a table, all of them in one unit or each in its own. Those of the
// last table, which no step looks at any more, become the cells of the value where they are what is
// shown.
func (v *derivation) tableValue(s solve.Step, g formula.Grid, unit *units.Unit, own, last bool) (value.Value, *value.Error) {
	m := v.Machine
	show := v.showing(s.Variable, unit)
	w := &v.domain.Profiles[s.Variable]
	// Most tables are in coherent SI and without bounds: nothing is to be done for a cell.
	asIs := !own && w.Min == nil && w.Max == nil && m.Context.Digits() == decimal.Precisions[0] && !v.Absolute(s.Variable) && show.natural == nil && show.unit.IsSI()
	if last && asIs && w.Counts == nil && writtenIn(g, show.unit) {
		return value.Value{Rank: g.Rank, Cells: g.Rows}, nil
	}
	count := 0
	for _, row := range g.Rows {
		count += len(row)
	}
	all := make([]value.Cell, count)
	table := value.Value{Rank: g.Rank, Cells: make([][]value.Cell, len(g.Rows))}
	for r, row := range g.Rows {
		cells := all[:len(row):len(row)]
		all = all[len(row):]
		table.Cells[r] = cells
		for i := range row {
			if row[i].Empty {
				cells[i].Empty = true
				continue
			}
			if asIs && row[i].Number.Right() >= formula.RightDigits {
				cells[i].Quantity.Number, cells[i].Quantity.Unit = row[i].Number, show.unit
				continue
			}
			number := row[i].Number
			if number.Vague() && v.Context.Digits() >= solve.ManyDigits && formula.IsNothingIn(g, i, number) {
				number = decimal.Decimal{}
			}
			if !own && !v.Allowed(s.Variable, number) {
				return value.Value{}, value.Problem("calculation.no_solution", v.Key(s.Variable))
			}
			if u := row[i].Unit; own && u != nil {
				show = showing{nil, v.rewrite.outward(u)}
			} else if own {
				show = showing{nil, v.rewrite.outward(unit)}
			}
			q := &cells[i].Quantity
			if err := cmp.Or(show.set(q, m.Context, &number), m.Context.Err()); err != nil {
				return value.Value{}, v.Problem(err, v.domain.equations[s.Activity], s.Variable)
			}
			if problem := v.trust(s.Variable, q); problem != nil {
				return value.Value{}, problem
			}
		}
	}
	if w.Counts != nil && v.domain.notWhole(decimal.NewContext(value.DefaultBudget), s.Variable, table) {
		return value.Value{}, value.Problem("calculation.no_whole_number", v.Key(s.Variable))
	}
	if own && v.domain.brokenLimit(decimal.NewContext(value.DefaultBudget), s.Variable, table) != "" {
		return value.Value{}, value.Problem("calculation.no_solution", v.Key(s.Variable))
	}
	return table, nil
}

// writtenIn gives all cells of a table a unit, if all of their digits are right that are given out.
func writtenIn(g formula.Grid, unit *units.Unit) bool {
	for _, row := range g.Rows {
		for i := range row {
			if c := &row[i]; !c.Empty && c.Number.Right() < formula.RightDigits {
				return false
			}
		}
	}
	for _, row := range g.Rows {
		for i := range row {
			if row[i].Unit = unit; row[i].Empty {
				row[i].Quantity = units.Quantity{}
			}
		}
	}
	return true
}

// cells solves an equation cell by cell of the tables in it.
func (v *derivation) cells(s solve.Step, e *formula.Equation) (formula.Grid, *value.Error) {
	m := v.Machine
	tables := m.Cellwise(e.Left, m.Cellwise(e.Right, nil))
	tables = slices.DeleteFunc(tables, func(r int) bool { return r == s.Variable })
	slices.Sort(tables)
	solve := func() (formula.GridCell, *value.Error) {
		checked := len(v.Checked)
		if err := v.Step(s); err != nil {
			return formula.GridCell{}, err
		}
		if len(v.Checked) == checked && !m.Satisfied(e) && !m.Limited() {
			return formula.GridCell{}, value.Problem("calculation.no_solution", v.Key(s.Variable))
		}
		return formula.NumberCell(m.Values[s.Variable]), nil
	}
	if len(tables) == 0 {
		cell, err := solve()
		return formula.Grid{Rows: [][]formula.GridCell{{cell}}}, err
	}
	shape := m.Tables[tables[0]]
	for _, r := range tables[1:] {
		if !m.Tables[r].Fits(*shape) {
			return formula.Grid{}, value.Problem("calculation.table_mismatch", v.Key(tables[0]), v.Key(r))
		}
	}
	result := formula.Grid{Rank: shape.Rank}
	for r, row := range shape.Rows {
		cells := make([]formula.GridCell, len(row))
		for c := range row {
			for _, t := range tables {
				cell := m.Tables[t].Rows[r][c]
				cells[c].Empty = cells[c].Empty || cell.Empty
				m.Values[t] = cell.Number
			}
			if cells[c].Empty {
				continue
			}
			var err *value.Error
			if cells[c], err = solve(); err != nil {
				return formula.Grid{}, err
			}
		}
		result.Rows = append(result.Rows, cells)
	}
	return result, nil
}
