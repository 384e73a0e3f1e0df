package solve

import (
	"cmp"
	"math"
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/value"
)

// Combination is a sum of multiples of linear equations in which no unknown is left, the target
// perhaps aside.
type Combination struct {
	Activities []int             // those that have part in it, ascending
	Times      []decimal.Decimal // how many times each is in it
	Rest       decimal.Decimal   // what is left of their constants where nothing is left of the unknowns
}

// Span is what linear equations say about one of their unknowns, whether or not they determine the
// others: the target is determined where its unit vector lies in the row space of the matrix.
type Span struct {
	Tells   *Combination  // the shortest that tells the target, nil where none does
	Against []Combination // those in which not even the target is left: their rest has to be 0

	Determined []int // the other unknowns that the equations determine, where nothing tells the target
}

// spanning is an elimination of all unknowns but the target.
type spanning struct {
	solver *Solver
	rows   []linear // of all unknowns, the target last
	which  []int    // by row: the activity
	lu     *factors[decimal.Decimal]
	target []decimal.Decimal // by row: what elimination leaves of the factors of the target
	known  []decimal.Decimal // and of the constants
}

// Span looks at those of some activities that are linear in the unknowns with the values that the
// machine has; unknowns must not hold the target. It leaves the unknowns a solution of them all
// where there is one.
func (s *Solver) Span(activities, unknowns []int, target int) Span {
	var found Span
	z := s.spanning(activities, unknowns, target)
	if z == nil {
		return found
	}
	best := -1
	var times []decimal.Decimal
	for _, i := range z.lu.rows {
		if i >= len(z.rows) || s.isRounding(z.target[i]) {
			continue
		}
		y := z.combined(i)
		if best < 0 || shorter(y, times) {
			best, times = i, y
		}
	}
	if s.Context.Err() != nil {
		return Span{}
	}
	c := s.Context
	if best >= 0 {
		tells := z.combination(times, decimal.Decimal{})
		found.Tells = &tells
		s.Values[target] = c.Quo(z.known[best].Neg(), z.target[best])
	}
	z.settle(unknowns, s.Values[target])
	for _, i := range z.lu.rows {
		if i >= len(z.rows) || i == best {
			continue
		}
		rest, y := z.known[i], z.combined(i)
		if !s.isRounding(z.target[i]) {
			by := c.Quo(z.target[i], z.target[best])
			rest = c.Sub(rest, c.Mul(by, z.known[best]))
			for k := range y {
				y[k] = c.Sub(y[k], c.Mul(by, times[k]))
			}
		}
		if !s.isRounding(rest) {
			found.Against = append(found.Against, z.combination(y, rest))
		}
	}
	if best < 0 {
		found.Determined = z.determined(unknowns)
	}
	if s.Context.Err() != nil {
		return Span{}
	}
	return found
}

// determined lists the unknowns that are 0 in a solution of the equations without their constants,
// in which those without a pivot, and the target, have values that no others add up to.
func (z *spanning) determined(unknowns []int) (list []int) {
	c := z.solver.Context
	x := make([]decimal.Decimal, len(z.known))
	open := func(j int) decimal.Decimal { return c.Sqrt(decimal.Int(int64(2 + 3*j + j*j))) }
	for _, j := range z.lu.columns {
		x[j] = open(j)
	}
	for k := len(z.lu.steps) - 1; k >= 0; k-- {
		p := &z.lu.steps[k]
		sum := c.Mul(z.target[p.row], open(len(unknowns))).Neg()
		for _, e := range p.upper {
			sum = c.Sub(sum, c.Mul(e.value, x[e.at]))
		}
		x[p.column] = c.Quo(sum, p.value)
	}
	for j, v := range unknowns {
		if z.solver.isRounding(x[j]) {
			list = append(list, v)
		}
	}
	return list
}

// spanning eliminates the unknowns, nil where no equation is linear, and at the end of the budget.
func (s *Solver) spanning(activities, unknowns []int, target int) *spanning {
	z := &spanning{solver: s}
	all := append(slices.Clone(unknowns), target)
	collect := s.collector(all)
	for _, a := range activities {
		e := s.Equations[a]
		if spread := s.Spread(e, func(variable int) bool { return slices.Contains(all, variable) }); spread != nil {
			e = spread
		}
		if row, ok := collect.row(e); ok {
			z.rows, z.which = append(z.rows, row), append(z.which, a)
		} else if s.TryErr(); s.Limited() {
			return nil
		}
	}
	size := max(len(z.rows), len(unknowns))
	matrix := make([][]entry[decimal.Decimal], size)
	z.target, z.known = make([]decimal.Decimal, size), make([]decimal.Decimal, size)
	for i, row := range z.rows {
		z.known[i] = row.constant
		for _, t := range row.terms {
			if t.at == len(unknowns) {
				z.target[i] = t.value
			} else {
				matrix[i] = append(matrix[i], t)
			}
		}
	}
	var ok bool
	if z.lu, ok = factor(matrix, s.decimals()); !ok || !z.lu.forward(z.target) || !z.lu.forward(z.known) {
		return nil
	}
	return z
}

// combined is how many times each row is in one that elimination has left without a pivot.
func (z *spanning) combined(i int) []decimal.Decimal {
	c := z.solver.Context
	times := make([]decimal.Decimal, len(z.target))
	times[i] = decimal.Int(1)
	for k := len(z.lu.steps) - 1; k >= 0; k-- {
		p := &z.lu.steps[k]
		for _, e := range p.lower {
			if !times[e.at].IsZero() {
				times[p.row] = c.Sub(times[p.row], c.Mul(e.value, times[e.at]))
			}
		}
	}
	return times
}

// shorter reports whether a combination has fewer rows than another one, or as many of which the
// first ones come earlier.
func shorter(a, b []decimal.Decimal) bool {
	rows := func(times []decimal.Decimal) (list []int) {
		for k, t := range times {
			if !t.IsZero() {
				list = append(list, k)
			}
		}
		return list
	}
	first, second := rows(a), rows(b)
	return cmp.Or(cmp.Compare(len(first), len(second)), slices.Compare(first, second)) < 0
}

func (z *spanning) combination(times []decimal.Decimal, rest decimal.Decimal) Combination {
	found := Combination{Rest: rest}
	for k, a := range z.which {
		if !z.solver.isRounding(times[k]) {
			found.Activities, found.Times = append(found.Activities, a), append(found.Times, times[k])
		}
	}
	return found
}

// settle gives the unknowns values with which all equations hold that have a pivot: 0 where they
// leave the choice.
func (z *spanning) settle(unknowns []int, target decimal.Decimal) {
	c := z.solver.Context
	right := make([]decimal.Decimal, len(z.known))
	for i := range right {
		right[i] = c.Add(z.known[i], c.Mul(z.target[i], target)).Neg()
	}
	for j, x := range z.lu.backward(right)[:len(unknowns)] {
		z.solver.Values[unknowns[j]] = x
	}
}

// spanStep finds the one variable that a step determines though some others stay open.
func (s *Solver) spanStep(step Step) *value.Error {
	s.note(Linear)
	first := s.Equations[step.Activity]
	found := s.Span(step.Activities, step.Open, step.Variable)
	if s.Context.Err() != nil {
		return s.Failure(first, step.Variable)
	}
	if found.Tells == nil || len(found.Against) > 0 {
		return s.Problem(ErrManySolutions, first, step.Variable)
	}
	for _, a := range step.Activities {
		if !s.roomy(s.Equations[a], step.Open) || !s.Satisfied(s.Equations[a]) {
			return s.Problem(errNoSolution, first, step.Variable)
		}
	}
	s.Checked = append(s.Checked, step.Activities...) // other steps may leave the same variables open
	root, problem := s.Choose(step.Variable, step.Activity, formula.OneRoot(s.Values[step.Variable]))
	if problem == nil {
		root, problem = s.Whole(step.Variable, root)
	}
	s.Values[step.Variable] = root
	return problem
}

// roomy reports whether the bounds of open variables let an equation hold that is linear in them.
func (s *Solver) roomy(e *formula.Equation, open []int) bool {
	row, ok := s.collector(open).row(e)
	if !ok {
		return true
	}
	low, high := row.constant.Float64(), row.constant.Float64()
	size := math.Abs(low)
	for _, t := range row.terms {
		by := t.value.Float64()
		from, to := s.Scope.Profiles[open[t.at]].Range()
		if s.Absolute(open[t.at]) {
			from = math.Max(from, 0)
		}
		if by < 0 {
			from, to = to, from
		}
		low, high = low+float64(by*from), high+float64(by*to)
		for _, end := range []float64{from, to} {
			if !math.IsInf(end, 0) {
				size += math.Abs(by * end)
			}
		}
	}
	return !(low > 1e-12*size || high < -1e-12*size)
}
