package solve

import (
	"math"
	"slices"

	"reckon/engine/formula"
	"reckon/engine/units"
)

// Bounds of the search for a place where all equations hold.
const (
	maxTangentSize   = 60 // variables
	maxTangentStarts = 6
	maxTangentSteps  = 60
	tangentStep      = 1.5  // of a logarithm, or of an angle
	tangentRank      = 1e-7 // below it an entry counts as zero
)

// TangentSpace is what the equations of a domain say about small changes of their variables, at a
// place where they all hold and that is like any other. What is fixed there by some variables is
// fixed by them nearly everywhere; counting equations and unknowns alone does not show which
// equations say the same.
type TangentSpace struct {
	rows [][]float64 // by equation and variable
}

// Tangent finds such a place, nil where it finds none. Equations without slopes count as
// independent of all others.
func (s *Solver) Tangent() *TangentSpace {
	n := len(s.Scope.Profiles)
	if n > maxTangentSize {
		return nil
	}
	shared := &formula.Equation{}
	for v := range s.Scope.Profiles {
		shared.Refs = append(shared.Refs, v)
	}
	shared.Order = shared.Refs
	var t formula.Numbering
	z, free := &system{solver: s}, &TangentSpace{}
	for i, e := range s.Equations {
		if !e.Active {
			continue
		}
		row, ok := s.tangentRow(e, shared, &t)
		if !ok || len(t.Parts) > maxNewtonNodes {
			slopes := make([]float64, n)
			for j, v := range e.Refs {
				slopes[v] = 0.5 + spread(i+1, j+v)
			}
			free.rows = append(free.rows, slopes)
			continue
		}
		z.rows = append(z.rows, row)
	}
	if !z.take(&t, shared.Refs) {
		return nil
	}
	for k := range maxTangentStarts {
		if slopes := z.settleOn(k); slopes != nil {
			return &TangentSpace{append(free.rows, slopes...)}
		}
	}
	return nil
}

// tangentRow numbers the sides and the slopes of an equation.
func (s *Solver) tangentRow(e, shared *formula.Equation, t *formula.Numbering) (systemRow, bool) {
	if e.Tables {
		return systemRow{}, false
	}
	relations, ok := s.relations([]*formula.Equation{e}, shared)
	if !ok {
		return systemRow{}, false
	}
	return numbered(relations[0], e.Refs, shared, t)
}

// spread is a number between 0 and 1 without a pattern: multiples of roots of a number that has
// none with small integers (Weyl's sequences).
func spread(i, j int) float64 {
	return math.Mod(float64(i)*math.Sqrt(float64(2+3*j+j*j)), 1)
}

// settleOn moves a start to a place where the equations hold by steps of least size, and returns
// the slopes there, by logarithms of the variables that have a natural sign; nil where it comes to
// none.
func (z *system) settleOn(k int) [][]float64 {
	n := len(z.solver.Scope.Profiles)
	x, logs := make([]float64, n), make([]bool, n)
	for j := range x {
		w, share := &z.solver.Scope.Profiles[j], spread(k+1, j)
		low, high := w.Range()
		scale := z.solver.searchScale(j)
		if w.Hint != nil && !w.Hint.IsZero() {
			scale = math.Abs(w.Hint.Float64())
		}
		switch {
		case w.Known && w.Resolved == units.Angle:
			x[j] = 0.3 + 0.9*share
		case !math.IsInf(low, 0) && !math.IsInf(high, 0):
			x[j] = low + (0.2+0.6*share)*(high-low)
		case w.Point.IsPoint():
			x[j] = 300 + 100*share
		default:
			x[j], logs[j] = scale*math.Exp(3*share-1), true
		}
	}
	for range maxTangentSteps {
		if !z.solver.Context.Spend(4 + len(z.code)/4 + leastStepCost(len(z.rows), n)) {
			return nil
		}
		z.evaluate(x)
		slopes, miss := z.matrix(x, logs, false), 0.0
		for _, row := range slopes {
			miss += row[n] * row[n]
		}
		if math.IsNaN(miss) || math.IsInf(miss, 0) {
			return nil
		}
		if miss < 1e-26 {
			return slopes
		}
		step := leastStep(slopes)
		if step == nil {
			return nil
		}
		most := 1.0
		for _, s := range step {
			most = math.Max(most, math.Abs(s)/tangentStep)
		}
		for j := range x {
			if s := step[j] / most; logs[j] {
				x[j] *= math.Exp(-s)
			} else {
				x[j] -= s
			}
		}
	}
	return nil
}

// Cost is how many numbers Fixes looks at.
func (t *TangentSpace) Cost(known []bool) int {
	open := 0
	for _, k := range known {
		if !k {
			open++
		}
	}
	return len(t.rows) * (open + 1) * (min(len(t.rows), open) + 1)
}

// Fixes reports whether the known variables fix a target: no change of the others that the
// equations allow changes it.
func (t *TangentSpace) Fixes(known []bool, target int) bool {
	var open []int // the target comes last
	for v := range known {
		if !known[v] && v != target {
			open = append(open, v)
		}
	}
	open = append(open, target)
	rows := make([][]float64, 0, len(t.rows))
	for _, r := range t.rows {
		row, most := make([]float64, len(open)), 0.0
		for j, v := range open {
			row[j] = r[v]
			most = math.Max(most, math.Abs(r[v]))
		}
		if most == 0 {
			continue
		}
		for j := range row {
			row[j] /= most
		}
		rows = append(rows, row)
	}
	// What is left of the rows when the other unknowns are eliminated speaks of the target alone.
	used := 0
	columns := make([]bool, len(open)-1)
	for used < len(rows) {
		best, at, most := -1, -1, tangentRank
		for i := used; i < len(rows); i++ {
			for j := range columns {
				if size := math.Abs(rows[i][j]); !columns[j] && size > most {
					best, at, most = i, j, size
				}
			}
		}
		if best < 0 {
			break
		}
		rows[used], rows[best] = rows[best], rows[used]
		columns[at] = true
		for i := used + 1; i < len(rows); i++ {
			if by := rows[i][at] / rows[used][at]; by != 0 {
				for j := range rows[i] {
					rows[i][j] -= float64(by * rows[used][j])
				}
				rows[i][at] = 0
			}
		}
		used++
	}
	return slices.ContainsFunc(rows[used:], func(row []float64) bool { return math.Abs(row[len(row)-1]) > tangentRank })
}
