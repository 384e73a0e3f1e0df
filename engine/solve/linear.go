package solve

import (
	"errors"
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/formula"
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
