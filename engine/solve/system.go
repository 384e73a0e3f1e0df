package solve

import (
	"math"
	"slices"

	"reckon/engine/formula"
	"reckon/engine/units"
)

// system is a system of equations in as many unknowns.
type system struct {
	solver  *Solver
	outputs []int
	rows    []systemRow
	code    []formula.Instruction // all sides and slopes, in the order of evaluation
	run     formula.Run
	at      [][]int32 // by unknown: the places in the code where it stands
	ranges  []unknownRange
}

// systemRow is one equation with the slopes of its sides by unknown, as expressions and as places
// in the code.
type systemRow struct {
	relation
	columns     []int // positions of the unknowns that it has slopes by
	slopes      [][2]*formula.Node
	sides       [2]int32
	slopePlaces [][2]int32
}

// unknownRange says where an unknown is looked for.
type unknownRange struct {
	scale     float64
	low, high float64 // infinite where there is no bound
	angle     bool
	free      bool // its numbers have no natural sign
}

// system prepares a block for Newton's method, nil where its equations have no slopes.
func (s *Solver) system(step Step, equations []*formula.Equation) *system {
	n := len(step.Outputs)
	if n > maxNewtonSize {
		return nil
	}
	shared := &formula.Equation{Refs: step.Outputs, Order: step.Outputs}
	relations, ok := s.relations(equations, shared)
	if !ok {
		return nil
	}
	z := &system{solver: s, outputs: step.Outputs}
	var t formula.Numbering
	for _, r := range relations {
		row, ok := numbered(r, step.Outputs, shared, &t)
		if !ok {
			return nil
		}
		z.rows = append(z.rows, row)
	}
	if len(t.Parts) > maxNewtonNodes || !z.take(&t, step.Outputs) {
		return nil
	}
	for _, o := range step.Outputs {
		r := unknownRange{scale: s.searchScale(o), free: s.IsScale(o)}
		r.low, r.high = s.Scope.Profiles[o].Range()
		dim, _ := s.Dimension(o)
		r.angle = dim == units.Angle
		if near := s.Near(o); near != nil && !near.IsZero() {
			r.scale = math.Abs(near.Float64())
		}
		if s.Absolute(o) {
			r.low, r.scale = math.Max(r.low, 0), 300
		}
		z.ranges = append(z.ranges, r)
	}
	return z
}

// numbered gives a relation and its slopes by some unknowns their places; false where it has no
// slopes.
func numbered(r relation, unknowns []int, shared *formula.Equation, t *formula.Numbering) (systemRow, bool) {
	row := systemRow{relation: r}
	for _, v := range unknowns {
		row.columns = append(row.columns, shared.Position(v))
		left, right := r.left.Derivative(shared.Unknown(v)), r.right.Derivative(shared.Unknown(v))
		if left == nil || right == nil {
			return row, false
		}
		row.slopes = append(row.slopes, [2]*formula.Node{left, right})
	}
	row.sides = [2]int32{t.Number(r.left), t.Number(r.right)}
	for _, s := range row.slopes {
		row.slopePlaces = append(row.slopePlaces, [2]int32{t.Number(s[0]), t.Number(s[1])})
	}
	return row, true
}

// take makes the code of what has been numbered; false where a function has no form in float64.
func (z *system) take(t *formula.Numbering, unknowns []int) bool {
	z.at = make([][]int32, len(unknowns))
	for i, part := range t.Parts {
		if part.Op == formula.OpCall && part.Function.Float == nil && !part.Function.Lazy {
			return false
		}
		if part.Op == formula.OpVariable {
			j := slices.Index(unknowns, part.Variable)
			z.at[j] = append(z.at[j], int32(i))
		}
		z.code = append(z.code, formula.Instruction{Node: part, Args: t.Args[i]})
	}
	z.run = formula.Run{Values: make([]float64, len(z.code)), Args: make([]float64, 0, 6)}
	return true
}

// evaluate runs the code at x.
func (z *system) evaluate(x []float64) {
	for j, places := range z.at {
		for _, i := range places {
			z.run.Values[i] = x[j]
		}
	}
	for i := range z.code {
		if o := &z.code[i]; o.Node.Op != formula.OpVariable {
			z.run.Values[i] = z.run.Apply(o, 0)
		}
	}
}

// miss is the sum of the squares of what the equations miss by at x: the differences of their sides
// relative to the sizes of these, or with ratios the logarithms of their quotients. NaN says that
// there is none.
func (z *system) miss(x []float64, ratios bool) float64 {
	if !z.solver.Context.Spend(4 + len(z.code)/4) {
		return math.NaN()
	}
	z.solver.steps++
	z.evaluate(x)
	sum := 0.0
	for i := range z.rows {
		g := z.gap(&z.rows[i], ratios)
		sum += g * g
	}
	if math.IsInf(sum, 0) {
		return math.NaN()
	}
	return sum
}

// gap is what an equation misses by where the code was run last.
func (z *system) gap(row *systemRow, ratios bool) float64 {
	left, right := z.run.Values[row.sides[0]], z.run.Values[row.sides[1]]
	if left == right {
		return 0
	}
	if ratios && left*right > 0 {
		return math.Log(left / right)
	}
	return (left - right) / (math.Abs(left) + math.Abs(right))
}

// matrix is the system of a Newton step where the code was run last. logs says which unknowns move
// by factors.
func (z *system) matrix(x []float64, logs []bool, ratios bool) [][]float64 {
	a := make([][]float64, len(z.rows))
	for i := range z.rows {
		row := &z.rows[i]
		left, right := z.run.Values[row.sides[0]], z.run.Values[row.sides[1]]
		by := math.Abs(left) + math.Abs(right)
		byLeft, byRight := by, by
		if ratios && left*right > 0 {
			byLeft, byRight = left, right
		}
		if by == 0 {
			byLeft, byRight = 1, 1
		}
		a[i] = make([]float64, len(x)+1)
		for k, j := range row.columns {
			p := row.slopePlaces[k]
			a[i][j] = z.run.Values[p[0]]/byLeft - z.run.Values[p[1]]/byRight
			if logs[j] {
				a[i][j] *= x[j]
			}
		}
		a[i][len(x)] = z.gap(row, ratios)
	}
	return a
}

// weakestPivot is the weakest pivot at x: one of almost no size says that the equations do not fix
// the unknowns there.
func (z *system) weakestPivot(x []float64) pivot {
	logs := make([]bool, len(x))
	for j := range x {
		logs[j] = x[j] != 0
	}
	z.evaluate(x)
	_, weakest := gauss(z.matrix(x, logs, false))
	return weakest
}
