package engine

import (
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/units"
	"reckon/engine/value"
)

// gradient is the derivatives of a target by the variables that it is calculated from, in coherent
// SI. They come from one pass over the steps of the calculation, the last one first, with what the
// target moves by with each value that a step found (the reverse mode of Griewank and Walther,
// Evaluating Derivatives, 2008, chapters 3 and 15): its work does not grow with the number of
// inputs.
type gradient struct {
	by      []decimal.Decimal // by variable
	reached []bool            // the target depends on it
	unknown []bool            // an equation on the way has no derivative
	rough   []bool            // an equation on the way may have a jump or a kink
	unlike  []bool            // its value is not in the unit that the equations have
}

// of is the derivative by a variable, nil where the equations do not tell it.
func (g *gradient) of(variable int) *decimal.Decimal {
	if g.unknown == nil || g.unknown[variable] {
		return nil
	}
	return &g.by[variable]
}

// mostSolved is how many equations may be solved together for derivatives.
const mostSolved = 40

// derivatives finds the gradient of the target.
func (s *sensing) derivatives() gradient {
	d, target := s.domain, s.req.Targets[0]
	base := *s.base
	base.Targets = nil
	calc := calculation{domain: d, base: &base, env: s.env, targets: s.req.Targets, req: s.req}
	if errs := calc.attempt(); len(errs) > 0 {
		return gradient{}
	}
	m := d.machines.Take(s.env)
	defer d.machines.Release(m)
	n := len(d.Profiles)
	g := gradient{make([]decimal.Decimal, n), make([]bool, n), make([]bool, n), make([]bool, n), make([]bool, n)}
	for _, f := range calc.given {
		g.unlike[f.Variable] = !d.loadSI(m, f.Variable, f.Value)
	}
	steps := calc.solved.Steps
	for _, step := range steps {
		g.unlike[step.Variable] = !d.loadSI(m, step.Variable, step.Value)
	}
	g.by[target.Variable], g.reached[target.Variable] = decimal.Int(1), true
	for end := len(steps); end > 0; {
		begin := end - 1
		for begin > 0 && &steps[begin-1].Activities[0] == &steps[begin].Activities[0] {
			begin--
		}
		var outputs []int
		for _, step := range steps[begin:end] {
			outputs = append(outputs, step.Variable)
		}
		g.through(d, m, steps[begin].Activities, outputs)
		end = begin
	}
	return g
}

// loadSI gives a machine a value in coherent SI; false where its unit does not tell that.
func (d *Domain) loadSI(m *formula.Machine, variable int, v value.Value) bool {
	if q, single := v.Single(); single && v.Rank == 0 {
		declared := d.Profiles[variable].Unit
		if declared != nil && !sameButAngle(q.Unit.Dimension(), declared.Dimension()) && units.Compatible(q.Unit, declared) {
			return false // such as a consumption where a fuel economy is declared
		}
		m.Values[variable] = q.SI(m.Context)
		return true
	}
	table := formula.Grid{Rank: v.Rank}
	for _, row := range v.Cells {
		cells := make([]formula.GridCell, len(row))
		for i, c := range row {
			if cells[i].Empty = c.Empty; !c.Empty {
				cells[i].Number = c.Quantity.SI(m.Context)
			}
		}
		table.Rows = append(table.Rows, cells)
	}
	if m.Tables == nil {
		m.Tables = make([]*formula.Grid, len(d.Profiles))
	}
	m.Tables[variable] = &table
	return true
}

// through goes back over activities that were solved for some variables, by the implicit function
// theorem: with the derivatives of their differences J by those and K by a variable before, and
// what the target moves by with those, a, the target moves with that variable by -K b, where b
// solves the transposed equations of J for a.
func (g *gradient) through(d *Domain, m *formula.Machine, activities, outputs []int) {
	reached, unknown, rough := false, len(activities) != len(outputs) || len(outputs) > mostSolved, false
	for _, o := range outputs {
		reached, unknown, rough = reached || g.reached[o], unknown || g.unknown[o], rough || g.rough[o]
	}
	if !reached {
		return
	}
	equations := make([]*formula.Equation, len(activities))
	for k, a := range activities {
		equations[k] = d.equations[a]
		if spread := m.Spread(equations[k], func(v int) bool { return m.Tables == nil || m.Tables[v] == nil }); spread != nil {
			equations[k] = spread
		}
		m.TryErr()
		e := equations[k]
		if e.Left == nil || e.Whole {
			unknown = true
			continue
		}
		rough = rough || e.Left.Choices || e.Right.Choices
		unknown = unknown || slices.ContainsFunc(e.Refs, func(r int) bool { return g.unlike[r] })
	}
	var weights []decimal.Decimal
	if !unknown {
		weights = g.transposed(m, equations, outputs)
	}
	for k, a := range activities {
		for _, r := range d.equations[a].Refs {
			if slices.Contains(outputs, r) {
				continue
			}
			g.reached[r], g.rough[r] = true, g.rough[r] || rough
			var by decimal.Decimal
			known := weights != nil
			if known {
				by, known = slopeAt(m, equations[k], r)
			}
			if !known {
				g.unknown[r] = true
				continue
			}
			g.by[r] = m.Context.Sub(g.by[r], m.Context.Mul(weights[k], by))
		}
	}
	if m.TryErr() != nil {
		for _, a := range activities {
			for _, r := range d.equations[a].Refs {
				g.unknown[r] = true
			}
		}
	}
}

// slopeAt is the derivative of the difference of the sides of an equation by a variable; false
// where there is none.
func slopeAt(m *formula.Machine, e *formula.Equation, variable int) (decimal.Decimal, bool) {
	x := e.Unknown(variable)
	left, right := e.Left.Derivative(x), e.Right.Derivative(x)
	if left == nil || right == nil {
		return decimal.Decimal{}, false
	}
	by := m.Context.Sub(m.Eval(left), m.Eval(right))
	return by, m.TryErr() == nil
}

// transposed solves the transposed equations by Gauss and Jordan, with partial pivoting; nil where
// they have no single solution.
func (g *gradient) transposed(m *formula.Machine, equations []*formula.Equation, outputs []int) []decimal.Decimal {
	n, c := len(outputs), m.Context
	matrix := make([][]decimal.Decimal, n)
	for i, o := range outputs {
		matrix[i] = make([]decimal.Decimal, n+1)
		matrix[i][n] = g.by[o]
		for k, e := range equations {
			if !slices.Contains(e.Refs, o) {
				continue
			}
			by, ok := slopeAt(m, e, o)
			if !ok {
				return nil
			}
			matrix[i][k] = by
		}
	}
	for column := range n {
		pivot := column
		for k := column + 1; k < n; k++ {
			if matrix[k][column].Abs().Cmp(matrix[pivot][column].Abs()) > 0 {
				pivot = k
			}
		}
		matrix[column], matrix[pivot] = matrix[pivot], matrix[column]
		by := matrix[column][column]
		if by.IsZero() || by.Vague() {
			return nil
		}
		for j := range matrix[column] {
			matrix[column][j] = c.Quo(matrix[column][j], by)
		}
		for k := range n {
			by := matrix[k][column]
			if k == column || by.IsZero() {
				continue
			}
			for j := range matrix[k] {
				matrix[k][j] = c.Sub(matrix[k][j], c.Mul(by, matrix[column][j]))
			}
		}
	}
	if m.TryErr() != nil {
		return nil
	}
	weights := make([]decimal.Decimal, n)
	for k := range weights {
		weights[k] = matrix[k][n]
	}
	return weights
}
