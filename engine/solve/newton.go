package solve

import (
	"math"
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/units"
)

// Bounds of Newton's method for systems.
const (
	maxNewtonSize  = 12 // unknowns
	maxNewtonNodes = 4000
	maxNewtonSteps = 40
	maxHalvings    = 8
	maxRepeats     = 10 // starts in a row that lead to no new solution end a phase that has some
	maxUnsettled   = 8  // solutions that are taken for all where that many starts were not reached
	maxCorrections = 12 // steps in decimal
	leastPivot     = 1e-10
	poorPivot      = 1e-7 // a step is the least one from here down
	leastLoose     = 3    // places where the equations do not fix the unknowns show that there are very many
)

// phase is a part of the starts of Newton's method.
type phase struct {
	starts  int
	decades float64 // how far the starts lie from the scale of an unknown, on both sides
	signed  bool    // of all signs
}

// phases are the starts in order: near the scales of the unknowns, far from them, and those of all
// signs.
var phases = []phase{{30, 2, false}, {40, 8, false}, {40, 3, true}}

// newton finds solutions of a block by damped Newton steps from many fixed starts in float64, each
// refined in decimal. The list holds the different solutions that pass all equations and are within
// bounds, in the order of the block's outputs. Angles are looked for within one turn first, since
// every turn repeats it. The error says that there are infinitely many, or more than can be told
// apart.
func (s *Solver) newton(step Step, equations []*formula.Equation) ([]formula.Decimals, error) {
	z := s.zeros(step, equations)
	if z == nil {
		return nil, nil
	}
	anywhere, turned := slices.Clone(z.ranges), false
	for j, r := range z.ranges {
		if r.angle && math.IsInf(r.low, 0) && math.IsInf(r.high, 0) {
			z.ranges[j].low, z.ranges[j].high, turned = -math.Pi, math.Pi, true
		}
	}
	found, err := s.approached(z, step, equations)
	if len(found) == 0 && err == nil && turned && !s.Limited() {
		z.ranges = anywhere
		return s.approached(z, step, equations)
	}
	return found, err
}

// approached lists the solutions that some start leads to. Those with a negative number are looked
// for where there is none without.
func (s *Solver) approached(z *zeros, step Step, equations []*formula.Equation) ([]formula.Decimals, error) {
	var found []formula.Decimals
	var seen [][]float64 // places in float64, those that were refused among them
	at, loose := 0, 0
	for _, p := range phases {
		repeats := 0
		for range p.starts {
			at++
			x := z.start(p, at)
			arrived := z.approach(x, !p.signed, at%2 == 1)
			if z.m.Limited() {
				return nil, nil
			}
			if !arrived {
				continue
			}
			if slices.ContainsFunc(seen, func(o []float64) bool { return alike(o, x) }) {
				if repeats++; repeats >= maxRepeats && len(found) > 0 {
					break
				}
				continue
			}
			seen, repeats = append(seen, x), 0
			if weakest := z.weakestPivot(x); weakest.size < leastPivot {
				// With any value of one unknown all equations hold.
				if values, ok := z.refine(x, &weakest); ok && len(found) == 0 && s.fits(step, equations, values) {
					if loose++; loose >= leastLoose {
						return nil, errManySolutions
					}
				}
				continue
			}
			values, ok := z.refine(x, nil)
			if ok && s.fits(step, equations, values) && !slices.ContainsFunc(found, func(o formula.Decimals) bool { return z.m.sameValues(o, values) }) {
				found = append(found, values)
			}
		}
		if slices.ContainsFunc(found, func(values formula.Decimals) bool { return s.natural(step, values) }) {
			// Where new solutions keep coming, those that were found are a chance choice.
			if repeats < maxRepeats && len(found) >= maxUnsettled {
				return nil, errCrowded
			}
			break
		}
	}
	return found, nil
}

// fits reports whether values of a block's outputs, which it sets, are within bounds and satisfy
// all its equations.
func (s *Solver) fits(step Step, equations []*formula.Equation, values formula.Decimals) bool {
	for j, o := range step.Outputs {
		s.Values[o] = values[j]
	}
	return s.allAllowed(step, values) && s.allHold(equations)
}

// allHold reports whether equations hold with the values that the machine has.
func (s *Solver) allHold(equations []*formula.Equation) bool {
	return !slices.ContainsFunc(equations, func(e *formula.Equation) bool { return !s.Satisfied(e) })
}

// allAllowed reports whether values of a block's outputs are within bounds.
func (s *Solver) allAllowed(step Step, values formula.Decimals) bool {
	for j, o := range step.Outputs {
		if !s.Allowed(o, values[j]) {
			return false
		}
	}
	return true
}

// natural reports whether no value that has a natural sign is negative.
func (s *Solver) natural(step Step, values formula.Decimals) bool {
	for j, o := range step.Outputs {
		if values[j].Sign() < 0 && !s.IsScale(o) {
			return false
		}
	}
	return true
}

// sameValues reports whether two solutions agree.
func (s *Solver) sameValues(a, b formula.Decimals) bool {
	return slices.EqualFunc(a, b, func(x, y decimal.Decimal) bool { return formula.Compare(s.Context, x, y) == 0 })
}

// alike reports whether two solutions in float64 are the same but for rounding, that of double
// roots included.
func alike(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= 1e-5*(math.Abs(x)+math.Abs(y)) })
}

// zeros is a system of equations in as many unknowns.
type zeros struct {
	m       *Solver
	outputs []int
	rows    []zeroRow
	code    []formula.Instruction // all sides and slopes, in the order of evaluation
	run     formula.Run
	at      [][]int32 // by unknown: the places in the code where it stands
	ranges  []zeroRange
}

// zeroRow is one equation with the slopes of its sides by unknown, as expressions and as places in
// the code.
type zeroRow struct {
	relation
	columns     []int // positions of the unknowns that it has slopes by
	slopes      [][2]*formula.Node
	sides       [2]int32
	slopePlaces [][2]int32
}

// zeroRange says where an unknown is looked for.
type zeroRange struct {
	scale     float64
	low, high float64 // infinite where there is no bound
	angle     bool
	free      bool // its numbers have no natural sign
}

// zeros prepares a block for Newton's method, nil where its equations have no slopes.
func (s *Solver) zeros(step Step, equations []*formula.Equation) *zeros {
	n := len(step.Outputs)
	if n > maxNewtonSize {
		return nil
	}
	shared := &formula.Equation{Refs: step.Outputs, Order: step.Outputs}
	relations, ok := s.relations(equations, shared)
	if !ok {
		return nil
	}
	z := &zeros{m: s, outputs: step.Outputs}
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
		r := zeroRange{scale: s.searchScale(o), free: s.IsScale(o)}
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
func numbered(r relation, unknowns []int, shared *formula.Equation, t *formula.Numbering) (zeroRow, bool) {
	row := zeroRow{relation: r}
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
func (z *zeros) take(t *formula.Numbering, unknowns []int) bool {
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

// start is a place to start from: powers of ten around the scales, spread evenly; of an unknown
// with bounds on both sides, and of angles, a value between them.
func (z *zeros) start(p phase, k int) []float64 {
	x := make([]float64, len(z.ranges))
	for j, r := range z.ranges {
		share := spread(k, j)
		if k == 1 && !r.angle && r.scale > r.low && r.scale < r.high {
			x[j] = r.scale
			continue
		}
		low, high := r.low, r.high
		if r.angle {
			low, high = math.Max(low, -math.Pi), math.Min(high, math.Pi)
			if k%4 < 2 && !p.signed {
				low = math.Max(low, 0)
			}
		}
		even := !math.IsInf(low, 0) && !math.IsInf(high, 0) && low < high
		if even && (r.angle || low < 0 || high <= 1e3*math.Max(low, r.scale) || k%2 == 0) {
			x[j] = low + share*(high-low)
			continue
		}
		x[j] = r.scale * math.Pow(10, (2*share-1)*p.decades)
		if p.signed && math.Mod(float64(k)*math.Cbrt(float64(2+j)), 1) < 0.5 {
			x[j] = -x[j]
		}
		if x[j] <= low {
			x[j] = low + math.Abs(x[j])
		}
		if x[j] >= high {
			x[j] = high - (high-math.Max(low, 0))*share
		}
	}
	return x
}

// evaluate runs the code at x.
func (z *zeros) evaluate(x []float64) {
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
func (z *zeros) miss(x []float64, ratios bool) float64 {
	if !z.m.Context.Spend(4 + len(z.code)/4) {
		return math.NaN()
	}
	z.m.steps++
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
func (z *zeros) gap(row *zeroRow, ratios bool) float64 {
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
func (z *zeros) matrix(x []float64, logs []bool, ratios bool) [][]float64 {
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

// approach moves x to a solution; false where it comes to none. Unknowns of a natural sign move by
// factors where positive says that they stay positive.
func (z *zeros) approach(x []float64, positive, ratios bool) bool {
	logs := make([]bool, len(x))
	for j, r := range z.ranges {
		logs[j] = x[j] > 0 && !r.angle && (positive && !r.free || r.low == 0)
	}
	miss := z.miss(x, ratios)
	next := make([]float64, len(x))
	for range maxNewtonSteps {
		if math.IsNaN(miss) {
			return false
		}
		if miss < 1e-24 {
			return true
		}
		step, weakest := gauss(z.matrix(x, logs, ratios))
		if weakest.size < poorPivot {
			if step, weakest = gauss(normalEquations(z.matrix(x, logs, ratios))); weakest.size == 0 {
				return false
			}
		}
		// No number moves by more than a factor of a hundred at once, no angle by more than one radian.
		most := 1.0
		for j := range x {
			switch {
			case logs[j]:
				most = math.Max(most, math.Abs(step[j])/4.6)
			case z.ranges[j].angle:
				most = math.Max(most, math.Abs(step[j]))
			}
		}
		better := false
		for h := range maxHalvings {
			part := math.Pow(0.5, float64(h)) / most
			for j := range x {
				next[j] = z.moved(j, x[j], -part*step[j], logs[j])
			}
			if less := z.miss(next, ratios); less < miss {
				copy(x, next)
				miss, better = less, true
				break
			}
			if z.m.Limited() {
				return false
			}
		}
		if !better {
			return miss < 1e-16
		}
	}
	return miss < 1e-16
}

// moved is an unknown a step further, kept within its bounds.
func (z *zeros) moved(j int, x, step float64, log bool) float64 {
	next := x + step
	if log {
		next = x * math.Exp(step)
	}
	r := &z.ranges[j]
	switch {
	case next < r.low:
		return x + 0.9*(r.low-x)
	case next > r.high:
		return x + 0.9*(r.high-x)
	}
	return next
}

// weakestPivot is the weakest pivot at x: one of almost no size says that the equations do not fix
// the unknowns there.
func (z *zeros) weakestPivot(x []float64) pivot {
	logs := make([]bool, len(x))
	for j := range x {
		logs[j] = x[j] != 0
	}
	z.evaluate(x)
	_, weakest := gauss(z.matrix(x, logs, false))
	return weakest
}

// refine goes on in decimal; false where it comes to no solution. Without an equation and an
// unknown, that unknown stays as it is: fixed is nil for all of them.
func (z *zeros) refine(start []float64, fixed *pivot) (formula.Decimals, bool) {
	m := z.m
	x := make(formula.Decimals, len(start))
	for j := range start {
		x[j] = decimal.FromFloat(start[j])
	}
	for range maxCorrections {
		for j, o := range z.outputs {
			m.Suppose(o, x[j])
		}
		m.Renew()
		var rows []linear
		for i := range z.rows {
			if fixed != nil && i == fixed.row {
				continue
			}
			r := &z.rows[i]
			value := m.Context.Sub(m.Value(r.left), m.Value(r.right))
			var row linear
			for j, slope := range r.slopes {
				if fixed == nil || j != fixed.column {
					by := m.Context.Sub(m.Value(slope[0]), m.Value(slope[1]))
					row = append(row, term{by, by.Abs()})
				}
			}
			rows = append(rows, append(row, term{value, value.Abs()}))
		}
		if m.TryErr() != nil {
			return nil, false
		}
		step, err := m.eliminate(rows, m.isNoise)
		if err != nil || m.TryErr() != nil {
			return nil, false
		}
		rest := true
		for j := range x {
			if fixed != nil && j == fixed.column {
				continue
			}
			move := step[0]
			step = step[1:]
			// What is next to nothing is 0; whether the equations hold with that is checked.
			if x[j] = m.Context.Add(x[j].Exactly(), move); x[j].Abs().Cmp(m.Context.Epsilon(-30)) < 0 {
				x[j] = decimal.Decimal{}
				continue
			}
			rest = rest && move.Abs().Cmp(m.Context.Mul(x[j].Abs(), m.Context.Epsilon(22))) <= 0
		}
		if rest {
			return x, m.TryErr() == nil
		}
	}
	return nil, false
}
