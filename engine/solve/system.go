package solve

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/value"
)

// linear is an expression as factors of the unknowns of a block, with its constant behind them.
type linear []term

// linearForm writes n as a linear expression in unknowns; false where it is none.
func (s *Solver) linearForm(n *formula.Node, unknowns []int) (linear, bool) {
	last := len(unknowns)
	if n.Op == formula.OpVariable {
		if i := slices.Index(unknowns, n.Variable); i >= 0 {
			l := make(linear, last+1)
			l[i] = term{decimal.Int(1), decimal.Int(1)}
			return l, true
		}
	}
	if !slices.ContainsFunc(unknowns, func(v int) bool { return n.Occurrences(v) > 0 }) {
		l := make(linear, last+1)
		v := s.Eval(n)
		l[last] = term{v, v.Abs()}
		return l, s.Context.Err() == nil
	}
	scale := func(l linear, by decimal.Decimal) linear {
		for i, t := range l {
			l[i] = term{s.Context.Mul(t.value, by), s.Context.Mul(t.size, by.Abs())}
		}
		return l
	}
	isConstant := func(l linear) bool {
		return !slices.ContainsFunc(l[:last], func(t term) bool { return !t.value.IsZero() })
	}
	switch n.Op {
	case formula.OpNeg, formula.OpPercent:
		l, ok := s.linearForm(n.Args[0], unknowns)
		if n.Op == formula.OpPercent {
			return scale(l, decimal.MustParse("0.01")), ok
		}
		return scale(l, decimal.Int(-1)), ok
	case formula.OpAdd, formula.OpSub, formula.OpMul, formula.OpDiv:
		a, ok := s.linearForm(n.Args[0], unknowns)
		if !ok {
			return nil, false
		}
		b, ok := s.linearForm(n.Args[1], unknowns)
		switch {
		case !ok:
		case n.Op == formula.OpAdd, n.Op == formula.OpSub:
			return linear(s.addPolynomials(polynomial(a), polynomial(b), n.Op)), true
		case n.Op == formula.OpMul && isConstant(b):
			return scale(a, b[last].value), true
		case n.Op == formula.OpMul && isConstant(a):
			return scale(b, a[last].value), true
		case n.Op == formula.OpDiv && isConstant(b) && !b[last].value.IsZero():
			return scale(a, s.Context.Quo(decimal.Int(1), b[last].value)), true
		}
	}
	return nil, false
}

// errManySolutions says that equations leave a whole range of values.
var errManySolutions = errors.New("infinitely many solutions")

// errCrowded says that equations have so many single solutions that those which are found are a
// chance choice.
var errCrowded = fmt.Errorf("%w, apart from one another", errManySolutions)

// errNoSolution says that equations exclude one another.
var errNoSolution = errors.New("no solution")

// linearSystem solves linear equations. ok is false where one is not linear.
func (s *Solver) linearSystem(equations []*formula.Equation, unknowns []int) (ok bool, err error) {
	n := len(unknowns)
	rows := make([]linear, n)
	for i, e := range equations {
		row, ok := s.linearForm(&formula.Node{Op: formula.OpSub, Args: []*formula.Node{e.Left, e.Right}}, unknowns)
		if !ok {
			return false, nil
		}
		rows[i] = row
	}
	if s.proportional(equations, unknowns, rows) {
		return true, errManySolutions
	}
	values, err := s.eliminate(rows, s.isNoise)
	if err != nil {
		return true, err
	}
	for i, v := range unknowns {
		s.Values[v] = values[i]
	}
	return true, s.Context.Err()
}

// proportional reports whether linear equations say nothing about the unknowns but how they relate
// to one another, and all of them say the same about that, within the 1% that given values may
// disagree by. Then rounding in the given values would leave zero for every unknown as the only
// solution.
func (s *Solver) proportional(equations []*formula.Equation, unknowns []int, rows []linear) bool {
	for i, row := range rows {
		if !row[len(unknowns)].value.IsZero() || slices.ContainsFunc(equations[i].Refs, func(v int) bool {
			return !slices.Contains(unknowns, v) && s.Values[v].IsZero()
		}) {
			return false
		}
	}
	copied := make([]linear, len(rows))
	for i, row := range rows {
		copied[i] = slices.Clone(row)
	}
	percent := decimal.MustParse("0.01")
	_, err := s.eliminate(copied, func(t term) bool { return t.value.Abs().Cmp(s.Context.Mul(t.size, percent)) <= 0 })
	return errors.Is(err, errManySolutions)
}

// eliminate finds where as many linear expressions as unknowns are zero, by elimination with scaled
// partial pivoting. What is noise beside what it was added up from counts as zero.
func (s *Solver) eliminate(rows []linear, isNoise func(term) bool) (formula.Decimals, error) {
	n := len(rows)
	c := s.Context
	for k := range n {
		best := -1
		var most decimal.Decimal
		for i := k; i < n; i++ {
			if isNoise(rows[i][k]) {
				continue
			}
			var size decimal.Decimal
			for _, f := range rows[i][k:n] {
				size = formula.Extreme(formula.Decimals{size, f.value.Abs()}, 1)
			}
			if share := c.Quo(rows[i][k].value.Abs(), size); best < 0 || share.Cmp(most) > 0 {
				best, most = i, share
			}
		}
		if best < 0 {
			return nil, s.singular(rows, k, isNoise)
		}
		rows[k], rows[best] = rows[best], rows[k]
		for i := k + 1; i < n; i++ {
			if rows[i][k].value.IsZero() {
				continue
			}
			by := c.Quo(rows[i][k].value, rows[k][k].value)
			for j := k + 1; j <= n; j++ {
				u, t := rows[i][j], rows[k][j]
				rows[i][j] = term{c.Sub(u.value, c.Mul(t.value, by)), c.Add(u.size, c.Mul(t.size, by.Abs()))}
			}
			rows[i][k] = term{}
		}
	}
	values := make(formula.Decimals, n)
	for k := n - 1; k >= 0; k-- {
		sum := rows[k][n].value
		for j := k + 1; j < n; j++ {
			sum = c.Add(sum, c.Mul(rows[k][j].value, values[j]))
		}
		values[k] = c.Quo(sum, rows[k][k].value).Neg()
	}
	return values, c.Err()
}

// singular tells equations that exclude one another from those that say too little.
func (s *Solver) singular(rows []linear, from int, isNoise func(term) bool) error {
	for _, r := range rows[from:] {
		if first := slices.IndexFunc(r[from:], func(t term) bool { return !isNoise(t) }); first == len(rows)-from {
			return errNoSolution
		}
	}
	return errManySolutions
}

// solveBlock finds the values of a block's variables: exactly where all its equations are linear,
// else by a search over one of them from which the others follow.
func (s *Solver) solveBlock(step Step) *value.Error {
	// The order in which the domain lists things decides nothing.
	step.Outputs, step.Activities = slices.Clone(step.Outputs), slices.Clone(step.Activities)
	slices.SortStableFunc(step.Outputs, func(a, b int) int { return cmp.Compare(s.Key(a), s.Key(b)) })
	slices.SortStableFunc(step.Activities, func(a, b int) int {
		return slices.Compare(s.Equations[a].Source, s.Equations[b].Source)
	})
	equations := make([]*formula.Equation, len(step.Activities))
	for i, a := range step.Activities {
		equations[i] = s.Equations[a]
	}
	isLinear, err := s.linearSystem(equations, step.Outputs)
	if !isLinear {
		var found []formula.Decimals
		if s.TryErr(); !s.Limited() {
			found, err = s.blockSolutions(step, equations)
			s.Failed.Dependent = errors.Is(err, errManySolutions) && !errors.Is(err, errCrowded)
		}
		if len(found) > 0 && !s.Limited() {
			return s.chooseValues(step, found)
		}
		if err == nil && !s.Limited() {
			s.guessing = true
			defer func() { s.guessing = false }()
			var problem *value.Error
			s.Within(maxTearCost, func() { problem, err = s.tear(step) })
			if err == nil && problem != nil && !s.Limited() {
				return problem
			}
		}
		if s.Limited() {
			err = s.Context.Err()
		}
	}
	if err != nil {
		return s.Problem(err, equations[0], step.Variable)
	}
	for _, o := range step.Outputs {
		root, problem := s.Choose(o, step.Activity, formula.OneRoot(s.Values[o]))
		if problem != nil {
			return problem
		}
		s.Values[o] = root
	}
	return nil
}

// blockSolutions lists the solutions of a block that is not linear, each in the order of the
// block's outputs. Arithmetic alone is eliminated, which can show that there are no others; what
// may have others is searched from many starts too. An error says that there are none, or
// infinitely many; without one and without a solution nothing is known.
func (s *Solver) blockSolutions(step Step, equations []*formula.Equation) ([]formula.Decimals, error) {
	var found []formula.Decimals
	eliminate := func() (sure bool, err error) {
		var all []formula.Decimals
		var infinite bool
		s.Within(maxEliminationCost, func() { all, infinite, sure = s.eliminated(step, equations) })
		switch {
		case len(all) > 0:
			found = all
		case infinite:
			return true, errManySolutions
		case sure:
			return true, errNoSolution
		}
		return sure, nil
	}
	arithmetic := !slices.ContainsFunc(equations, func(e *formula.Equation) bool { return e.Left.Calls() || e.Right.Calls() })
	if arithmetic {
		if sure, err := eliminate(); sure || s.Limited() {
			return found, err
		}
	}
	more, err := s.newton(step, equations)
	for _, values := range more {
		if !slices.ContainsFunc(found, func(o formula.Decimals) bool { return s.sameValues(o, values) }) {
			found = append(found, values)
		}
	}
	if len(found) > 0 || err != nil || arithmetic || s.Limited() {
		return found, err
	}
	_, err = eliminate()
	return found, err
}
