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
	summed  []int32 // the places of the sides and of all that they are made of, in order
	defined []definition
	slack   *slack    // nil for none
	sizes   []float64 // by place, of those: the size of what is added up in it
	values  []float64 // by row: what it misses by
	closest nearest
	began   int  // what had been spent before
	allowed int  // cost of one approach
	current bool // misses was run last at where it is run next
}

// nearest is where the equations held best so far.
type nearest struct {
	miss float64 // of the equation that was furthest off, as part of the size of its terms
	row  int     // which that was
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
	z := &system{solver: s, outputs: step.Outputs, closest: nearest{miss: math.Inf(1), row: -1}, began: s.Context.Cost()}
	var t formula.Numbering
	for i, r := range relations {
		var own []int
		for _, v := range step.Outputs {
			if equations[i].Position(v) >= 0 {
				own = append(own, v)
			}
		}
		row, ok := numbered(r, own, shared, &t)
		if !ok {
			return nil
		}
		z.rows = append(z.rows, row)
	}
	if len(t.Parts) > maxNewtonNodes || !z.take(&t, step.Outputs) {
		return nil
	}
	z.sum()
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
	z.defined = z.definitions()
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
		value := x[j]
		if z.slack != nil && j == z.slack.unknown {
			value = z.slack.guess
		}
		for _, i := range places {
			z.run.Values[i] = value
		}
	}
	for i := range z.code {
		if o := &z.code[i]; o.Node.Op != formula.OpVariable {
			z.run.Values[i] = z.run.Apply(o, 0)
		}
	}
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

// sum lists the places whose sizes miss needs.
func (z *system) sum() {
	needed := make([]bool, len(z.code))
	for i := range z.rows {
		for _, side := range z.rows[i].sides {
			needed[side] = true
		}
	}
	for i := len(z.code) - 1; i >= 0; i-- {
		switch z.code[i].Node.Op {
		case formula.OpAdd, formula.OpSub, formula.OpMul, formula.OpDiv, formula.OpNeg, formula.OpPow:
			for _, a := range z.code[i].Args {
				needed[a] = needed[a] || needed[i]
			}
		}
	}
	for i, is := range needed {
		if is {
			z.summed = append(z.summed, int32(i))
		}
	}
	z.sizes, z.values = make([]float64, len(z.code)), make([]float64, len(z.rows))
}

// misses finds what each equation misses by at x, with ratios the logarithm of the quotient of its
// sides where these are of one sign. worst is the largest difference as a part of the size of the
// terms that are added up in its equation: what is written as … = 0 is no harder than what has two
// sides. ok is false where an equation has no value, or none that can be compared with those under
// the forms that are given, which are written to where they are not kept.
func (z *system) misses(x []float64, ratios bool, forms []bool, keep bool) (worst float64, ok bool) {
	if !z.current {
		if !z.solver.Context.Spend(4 + len(z.code)/4) {
			return 0, false
		}
		z.solver.steps++
		z.evaluate(x)
		z.measure()
	}
	z.current = false
	at := 0
	for i := range z.rows {
		sides := z.rows[i].sides
		left, right := z.run.Values[sides[0]], z.run.Values[sides[1]]
		form := ratios && left*right > 0
		if keep && forms[i] && !form {
			return 0, false
		}
		if !keep {
			forms[i] = form
		}
		if z.values[i] = left - right; forms[i] {
			z.values[i] = math.Log(left / right)
		}
		miss := left - right
		if z.slack != nil {
			miss += float64(z.slack.weights[i] * x[z.slack.unknown])
			z.values[i] = miss
		}
		if math.IsNaN(z.values[i]) || math.IsInf(z.values[i], 0) {
			return 0, false
		}
		if miss == 0 {
			continue
		}
		if part := math.Abs(miss) / (z.sizes[sides[0]] + z.sizes[sides[1]]); !(part <= worst) {
			worst, at = part, i
		}
	}
	if worst < z.closest.miss {
		z.closest = nearest{worst, at}
	}
	return worst, true
}

// measure finds the sizes of what is added up where the code was run last.
func (z *system) measure() {
	for _, i := range z.summed {
		o := &z.code[i]
		size := math.Abs(z.run.Values[i])
		if len(o.Args) == 2 {
			a, b := z.sizes[o.Args[0]], z.sizes[o.Args[1]]
			switch o.Node.Op {
			case formula.OpAdd, formula.OpSub:
				size = a + b
			case formula.OpMul:
				size = float64(a * b)
			case formula.OpDiv:
				size = a / math.Abs(z.run.Values[o.Args[1]])
			case formula.OpPow:
				if n := z.run.Values[o.Args[1]]; n > 0 && o.Node.Args[1].Op == formula.OpNumber {
					size = math.Pow(a, n)
				}
			}
		} else if o.Node.Op == formula.OpNeg {
			size = z.sizes[o.Args[0]]
		}
		z.sizes[i] = size
	}
}

// slopes is the matrix of a Newton step where misses was run last. logs says which unknowns move by
// factors.
func (z *system) slopes(x []float64, logs, forms []bool) [][]entry[float64] {
	all := make([][]entry[float64], len(z.rows))
	for i := range z.rows {
		row := &z.rows[i]
		byLeft, byRight := 1.0, 1.0
		if forms[i] {
			byLeft, byRight = z.run.Values[row.sides[0]], z.run.Values[row.sides[1]]
		}
		all[i] = make([]entry[float64], 0, len(row.columns))
		if z.slack != nil {
			all[i] = append(all[i], entry[float64]{z.slack.unknown, z.slack.weights[i]})
		}
		for k, j := range row.columns {
			if z.slack != nil && j == z.slack.unknown {
				continue
			}
			p := row.slopePlaces[k]
			slope := z.run.Values[p[0]]/byLeft - z.run.Values[p[1]]/byRight
			if logs[j] {
				slope *= x[j]
			}
			if slope != 0 {
				all[i] = append(all[i], entry[float64]{j, slope})
			}
		}
		slices.SortFunc(all[i], func(a, b entry[float64]) int { return a.at - b.at })
	}
	return all
}

// floats is the arithmetic of float64.
func floats(spend func(entries int) bool) field[float64] {
	return field[float64]{
		less:   func(x, by, y float64) float64 { return x - float64(by*y) },
		over:   func(x, y, _ float64) float64 { return x / y },
		invert: func(float64) float64 { return 0 },
		isZero: func(x float64) bool { return x == 0 },
		size: func(x float64) (float64, bool) {
			if math.IsNaN(x) || math.IsInf(x, 0) || x == 0 {
				return 0, false
			}
			f, e := math.Frexp(math.Abs(x))
			return float64(e) + 2*f - 2, true // within a tenth
		},
		spend: spend,
	}
}

// weakestPivot is the weakest pivot at x: one of almost no size says that the equations do not fix
// the unknowns there.
func (z *system) weakestPivot(x []float64) pivot {
	logs, forms := make([]bool, len(x)), make([]bool, len(z.rows))
	for j := range x {
		logs[j] = x[j] != 0
	}
	z.misses(x, false, forms, false)
	lu, ok := factor(z.slopes(x, logs, forms), floats(z.solver.spendEntries))
	if !ok {
		return pivot{}
	}
	return lu.weakest()
}
