package solve

import (
	"math"
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/value"
)

// maxLooseCost bounds the cost of looking at what solutions leave open.
const maxLooseCost = 60_000

// nearby are the parts of their size by which unknowns are moved to see whether the equations hold
// beside a solution, too.
var nearby = formula.Decimals{decimal.MustParse("0.015625"), decimal.MustParse("-0.015625")}

// fixture is the equations and the unknowns, by position, that are left out where the slopes at a
// place do not fix all unknowns: the other equations fix the other unknowns.
type fixture struct{ rows, columns []int }

// fixture finds what the slopes at x leave, by elimination with the greatest pivot of all rows and
// columns. It is empty where they fix all unknowns, or are not known.
func (z *system) fixture(x []float64) (left fixture) {
	logs, forms := make([]bool, len(x)), make([]bool, len(z.rows))
	for j := range x {
		logs[j] = x[j] != 0
	}
	n := len(x)
	if _, ok := z.misses(x, false, forms, false); !ok || !z.solver.spendEntries(n*n) {
		return left
	}
	sparse := z.slopes(x, logs, forms)
	row, column := scales(sparse, floats(nil))
	matrix := make([][]float64, n)
	for i, entries := range sparse {
		matrix[i] = make([]float64, n)
		for _, e := range entries {
			if math.IsNaN(e.value) || math.IsInf(e.value, 0) {
				return left
			}
			matrix[i][e.at] = e.value * math.Exp2(row[i]+column[e.at])
		}
		left.rows, left.columns = append(left.rows, i), append(left.columns, i)
	}
	for len(left.rows) > 0 {
		most, r, c := 0.0, 0, 0
		for k, i := range left.rows {
			for l, j := range left.columns {
				if size := math.Abs(matrix[i][j]); size > most {
					most, r, c = size, k, l
				}
			}
		}
		if most < leastPivot {
			break
		}
		p, q := left.rows[r], left.columns[c]
		left.rows, left.columns = slices.Delete(left.rows, r, r+1), slices.Delete(left.columns, c, c+1)
		for _, i := range left.rows {
			by := matrix[i][q] / matrix[p][q]
			for _, j := range left.columns {
				matrix[i][j] -= float64(by * matrix[p][j])
			}
		}
		if !z.solver.spendEntries(len(left.rows) * len(left.columns)) {
			return fixture{}
		}
	}
	return left
}

// loose lists the unknowns, by position, that a solution leaves open: with other values of them,
// beside it, all equations hold as well. At an isolated solution where slopes are missing, such as
// a double root, they do not.
func (z *system) loose(step Step, equations []*formula.Equation, values formula.Decimals) (open []int) {
	s := z.solver
	x := make([]float64, len(values))
	for j := range values {
		x[j] = values[j].Float64()
	}
	left := z.fixture(x)
	for _, j := range left.columns {
		size := values[j].Abs()
		if size.IsZero() {
			size = decimal.FromFloat(z.ranges[j].scale)
		}
		for _, part := range nearby {
			start := slices.Clone(values)
			start[j] = s.Context.Add(values[j], s.Context.Mul(size, part)).Exactly()
			moved, ok := z.corrected(start, left)
			if !ok || !s.fits(step, equations, moved) {
				continue
			}
			for k := range moved {
				if formula.Compare(s.Context, moved[k], values[k]) != 0 && !slices.Contains(open, k) {
					open = append(open, k)
				}
			}
			break
		}
	}
	return open
}

// chooseAmong is chooseValues where equations may leave unknowns open: of those any value would be
// one of infinitely many. The error says that the one which the block is solved for is among them;
// others are noted.
func (s *Solver) chooseAmong(step Step, equations []*formula.Equation, found []formula.Decimals) (*value.Error, error) {
	found = s.preferred(step, found)
	z := s.system(step, equations)
	if z == nil {
		return s.chooseValues(step, found), nil
	}
	var single []formula.Decimals // those that differ by more than what they leave open
	var open [][]int
	many, unsure := false, s.Unsure
	differs := func(a, b formula.Decimals, but []int) bool {
		for j := range a {
			if !slices.Contains(but, j) && formula.Compare(s.Context, a[j], b[j]) != 0 {
				return true
			}
		}
		return false
	}
	s.Within(maxLooseCost, func() {
		for _, values := range found {
			known := false
			for k := range single {
				known = known || len(open[k]) > 0 && !differs(single[k], values, open[k])
			}
			if known {
				continue
			}
			free := z.loose(step, equations, values)
			if slices.Contains(free, slices.Index(step.Outputs, step.Variable)) {
				many = true
				s.leaveOpen(step, free)
				return
			}
			single, open = append(single, values), append(open, free)
		}
	})
	s.TryErr()
	if s.Unsure = unsure; many {
		return nil, ErrManySolutions
	}
	s.noteSolutions(step, single)
	if len(single) == 0 || s.Limited() {
		single, open = found, make([][]int, len(found))
	}
	if problem := s.chooseValues(step, single); problem != nil {
		return problem, nil
	}
	taken := make(formula.Decimals, len(step.Outputs))
	for j, o := range step.Outputs {
		taken[j] = s.Values[o]
	}
	for k, values := range single {
		if !differs(values, taken, nil) {
			s.leaveOpen(step, open[k])
		}
	}
	return nil, nil
}

// leaveOpen notes outputs of a step, by position, as open.
func (s *Solver) leaveOpen(step Step, open []int) {
	s.Loose = nil
	for _, j := range open {
		s.Loose = append(s.Loose, step.Outputs[j])
	}
}
