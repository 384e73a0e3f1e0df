package engine

import (
	"slices"

	"reckon/engine/units"
)

// needsTables reports whether a step calls functions over tables.
func (d *Domain) needsTables(s planStep) bool {
	for _, a := range s.activities() {
		if d.equations[a].tables {
			return true
		}
	}
	return false
}

// runTables is run where facts are tables or equations call functions over tables.
func (v *derivation) runTables() *Error {
	m := v.machine
	m.tables = make([]*grid, len(v.domain.profiles))
	for _, i := range v.used {
		if err := v.loadTable(v.facts[i]); err != nil {
			return err
		}
	}
	if err := v.failure(v.domain.equations[v.plan.steps[0].activity], v.target); err != nil {
		return err
	}
	if err := v.checkDimensions(); err != nil {
		return err
	}
	for i, s := range v.plan.steps {
		if err := v.tableStep(s, i == len(v.plan.steps)-1); err != nil {
			return err
		}
	}
	return nil
}

// loadTable puts a fact's cells into the machine.
func (v *derivation) loadTable(f Fact) *Error {
	if f.Value.Rank == 0 {
		cell := f.Value.Cells[0][0]
		if cell.Empty {
			return v.emptyFact(f)
		}
		v.machine.values[f.Variable], v.units[f.Variable] = v.fromFact(f.Variable, cell.Quantity)
		return nil
	}
	g := grid{rank: f.Value.Rank}
	var first *units.Unit
	seen := false
	for _, row := range f.Value.Cells {
		cells := make([]gridCell, len(row))
		for i, c := range row {
			if c.Empty {
				cells[i].empty = true
				continue
			}
			number, unit := v.fromFact(f.Variable, c.Quantity)
			if seen && !sameButAngle(first.Dimension(), unit.Dimension()) && !v.isCounted(f.Variable) {
				problem := Problem("input.incompatible_units", symbol(v.rewrite.outward(first)), symbol(v.rewrite.outward(unit)))
				return &problem
			}
			if !seen {
				first, seen = unit, true
			}
			cells[i].number = number
		}
		g.rows = append(g.rows, cells)
	}
	if !seen {
		return v.emptyFact(f)
	}
	v.units[f.Variable] = first
	v.machine.tables[f.Variable] = &g
	return nil
}

// isCounted reports whether the plan only counts cells or rows of a table, whatever their dimensions.
func (v *derivation) isCounted(variable int) bool {
	for _, s := range v.plan.steps {
		for _, a := range s.activities() {
			e := v.domain.equations[a]
			if !e.left.isCounted(variable) || !e.right.isCounted(variable) {
				return false
			}
		}
	}
	return true
}

func (v *derivation) emptyFact(f Fact) *Error {
	err := Problem("calculation.missing_inputs", v.key(v.target))
	err.Missing = []Alternative{{Variables: []VariableName{v.domain.name(f.Variable)}}}
	return &err
}

// tableStep finds the value of one step: directly where the variable stands alone on a side, else cell by cell.
func (v *derivation) tableStep(s planStep, last bool) *Error {
	m, e := v.machine, v.domain.equations[s.activity]
	var result grid
	x := e.unknown(s.variable)
	switch {
	case s.block != nil:
		for _, a := range s.block {
			if len(m.cellwise(v.domain.equations[a].left, m.cellwise(v.domain.equations[a].right, nil))) > 0 {
				problem := Problem("calculation.not_converged", v.key(s.variable), "1")
				return &problem
			}
		}
		if err := v.step(s); err != nil {
			return err
		}
		return v.emit(s, last)
	case e.left.op == opVariable && e.left.variable == s.variable && !e.right.has(x):
		result = m.grid(e.right)
	case e.right.op == opVariable && e.right.variable == s.variable && !e.left.has(x):
		result = m.grid(e.left)
	default:
		var err *Error
		if result, err = v.cells(s, e); err != nil {
			return err
		}
	}
	if err := v.failure(e, s.variable); err != nil {
		return err
	}
	if result.rank > 0 && !v.domain.profiles[s.variable].table {
		result = result.single(m.c)
	}
	if result.rank == 0 {
		if len(result.rows) == 0 || result.rows[0][0].empty {
			problem := Problem("calculation.no_solution", v.key(s.variable))
			return &problem
		}
		root, err := v.choose(s.variable, s.activity, one(result.rows[0][0].number))
		if err != nil {
			return err
		}
		m.values[s.variable] = root
		return v.emit(s, last)
	}
	unit, err := v.stepUnit(s.variable, s.activity)
	if err != nil {
		return err
	}
	v.units[s.variable] = unit
	value, problem := v.tableValue(s, result, unit)
	if problem != nil {
		return problem
	}
	m.tables[s.variable] = &result
	if last {
		v.solution.Value = value
	}
	v.solution.Steps = append(v.solution.Steps, Step{Variable: s.variable, Activity: s.activity, Value: value})
	return nil
}

// tableValue shows the cells of a table, all of them in one unit.
func (v *derivation) tableValue(s planStep, g grid, unit *units.Unit) (Value, *Error) {
	m := v.machine
	show := v.showing(s.variable, unit)
	w := &v.domain.profiles[s.variable]
	// Most tables are in coherent SI and without bounds: nothing is to be done for a cell.
	asIs := w.min == nil && w.max == nil && !v.absolute(s.variable) && show.natural == nil && show.unit.IsSI()
	count := 0
	for _, row := range g.rows {
		count += len(row)
	}
	all := make([]Cell, count)
	value := Value{Rank: g.rank, Cells: make([][]Cell, len(g.rows))}
	for r, row := range g.rows {
		cells := all[:len(row):len(row)]
		all = all[len(row):]
		value.Cells[r] = cells
		for i := range row {
			if row[i].empty {
				cells[i].Empty = true
				continue
			}
			if asIs {
				cells[i].Quantity.Number, cells[i].Quantity.Unit = row[i].number, show.unit
				continue
			}
			number := row[i].number
			if !v.allowed(s.variable, number) {
				problem := Problem("calculation.no_solution", v.key(s.variable))
				return Value{}, &problem
			}
			q, err := show.quantity(m.c, number)
			if err == nil {
				err = m.c.Err()
			}
			if err != nil {
				problem := v.problem(err, v.domain.equations[s.activity], s.variable)
				return Value{}, &problem
			}
			cells[i].Quantity = q
		}
	}
	return value, nil
}

// cells solves an equation cell by cell of the tables in it.
func (v *derivation) cells(s planStep, e *equation) (grid, *Error) {
	m := v.machine
	tables := m.cellwise(e.left, m.cellwise(e.right, nil))
	tables = slices.DeleteFunc(tables, func(r int) bool { return r == s.variable })
	slices.Sort(tables)
	solve := func() (gridCell, *Error) {
		if err := v.step(s); err != nil {
			return gridCell{}, err
		}
		if !m.satisfied(e) && !m.limited() {
			problem := Problem("calculation.no_solution", v.key(s.variable))
			return gridCell{}, &problem
		}
		return gridCell{number: m.values[s.variable]}, nil
	}
	if len(tables) == 0 {
		cell, err := solve()
		return grid{rows: [][]gridCell{{cell}}}, err
	}
	shape := m.tables[tables[0]]
	for _, r := range tables[1:] {
		if !m.tables[r].fits(*shape) {
			problem := Problem("calculation.table_mismatch", v.key(tables[0]), v.key(r))
			return grid{}, &problem
		}
	}
	result := grid{rank: shape.rank}
	for r, row := range shape.rows {
		cells := make([]gridCell, len(row))
		for c := range row {
			for _, t := range tables {
				cell := m.tables[t].rows[r][c]
				cells[c].empty = cells[c].empty || cell.empty
				m.values[t] = cell.number
			}
			if cells[c].empty {
				continue
			}
			var err *Error
			if cells[c], err = solve(); err != nil {
				return grid{}, err
			}
		}
		result.rows = append(result.rows, cells)
	}
	return result, nil
}
