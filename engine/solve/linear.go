package solve

import (
	"cmp"
	"math"
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/formula"
)

// linear is an expression as factors of the unknowns of a block, in ascending order, and a
// constant. It stands for what is to be 0, so that a common factor does not matter.
type linear struct {
	terms    []entry[decimal.Decimal]
	constant decimal.Decimal
}

// collector adds up the terms of one equation.
type collector struct {
	solver  *Solver
	place   []int             // by variable: one more than its column, 0 for what is known
	factors []decimal.Decimal // by column
	used    []int             // the columns that stand in it
	stands  []bool            // by column: whether it is one of them
	known   decimal.Decimal   // the constant
	divisor int64             // what all of them have been multiplied by
	bits    uint64            // masks of unknowns in the equation
}

// linearRows writes equations as what is to be 0; false where one is not linear.
func (s *Solver) linearRows(equations []*formula.Equation, unknowns []int) ([]linear, bool) {
	c := s.collector(unknowns)
	rows := make([]linear, len(equations))
	for i, e := range equations {
		var ok bool
		if rows[i], ok = c.row(e); !ok {
			return nil, false
		}
	}
	return rows, true
}

// collector is one for equations in some unknowns.
func (s *Solver) collector(unknowns []int) *collector {
	c := &collector{solver: s, place: make([]int, len(s.Values)), factors: make([]decimal.Decimal, len(unknowns)), stands: make([]bool, len(unknowns))}
	for j, v := range unknowns {
		c.place[v] = j + 1
	}
	return c
}

// row writes an equation as what is to be 0; false where it is not linear.
func (c *collector) row(e *formula.Equation) (linear, bool) {
	s := c.solver
	c.bits = 0
	for k, v := range e.Refs {
		if c.place[v] > 0 {
			c.bits |= formula.MaskOf(k)
		}
	}
	s.Renew()
	c.known, c.divisor = decimal.Decimal{}, 1
	ok := c.add(e.Left, decimal.Int(1), 1) && c.add(e.Right, decimal.Int(-1), 1) && s.Context.Err() == nil
	slices.Sort(c.used)
	row := linear{make([]entry[decimal.Decimal], 0, len(c.used)), c.known}
	for _, j := range c.used {
		if f := c.factors[j]; !f.IsZero() || !f.IsExact() {
			row.terms = append(row.terms, entry[decimal.Decimal]{j, f})
		}
		c.factors[j], c.stands[j] = decimal.Decimal{}, false
	}
	c.used = c.used[:0]
	return row, ok
}

// has reports whether an unknown stands in n.
func (c *collector) has(n *formula.Node) bool {
	switch in := n.Mask & c.bits; {
	case in == 0:
		return false
	case in&^formula.ManyMask != 0:
		return true
	}
	return n.Op == formula.OpVariable && c.place[n.Variable] > 0 || slices.ContainsFunc(n.Args, c.has)
}

// add adds n × by ÷ divisor; false where that is not linear.
func (c *collector) add(n *formula.Node, by decimal.Decimal, divisor int64) bool {
	context := c.solver.Context
	switch {
	case n.Op == formula.OpVariable && c.place[n.Variable] > 0:
		j := c.place[n.Variable] - 1
		by = c.over(by, divisor)
		if c.stands[j] {
			c.factors[j] = context.Add(c.factors[j], by)
		} else {
			c.factors[j] = by
			c.used, c.stands[j] = append(c.used, j), true
		}
		return true
	case !c.has(n):
		by = c.over(context.Mul(by, c.solver.Value(n)), divisor) // which may change what is known
		c.known = context.Add(c.known, by)
		return context.Err() == nil
	}
	switch n.Op {
	case formula.OpNeg:
		return c.add(n.Args[0], by.Neg(), divisor)
	case formula.OpPercent:
		return c.add(n.Args[0], context.Mul(by, decimal.MustParse("0.01")), divisor)
	case formula.OpAdd:
		return c.add(n.Args[0], by, divisor) && c.add(n.Args[1], by, divisor)
	case formula.OpSub:
		return c.add(n.Args[0], by, divisor) && c.add(n.Args[1], by.Neg(), divisor)
	case formula.OpMul:
		a, b := n.Args[0], n.Args[1]
		if c.has(a) && c.has(b) {
			return false
		}
		if c.has(a) {
			a, b = b, a
		}
		return c.add(b, context.Mul(by, c.solver.Value(a)), divisor)
	case formula.OpDiv:
		if c.has(n.Args[1]) {
			return false
		}
		d := c.solver.Value(n.Args[1])
		if d.IsZero() || context.Err() != nil {
			return false
		}
		if i, exponent, ok := d.Integral(); ok {
			if i < 0 {
				i, by = -i, by.Neg()
			}
			if product, fits := multiple(divisor, i); fits && exponent > -100 && exponent < 100 {
				return c.add(n.Args[0], context.Mul(by, power(-exponent)), product)
			}
		}
		return c.add(n.Args[0], context.Quo(by, d), divisor)
	}
	return false
}

// power is 10^n for n of at most a hundred or so.
func power(n int) decimal.Decimal {
	one := decimal.Int(1)
	return one.Shifted(n)
}

// over is d ÷ divisor, times the divisor of all terms, which it makes a multiple of this one.
func (c *collector) over(d decimal.Decimal, divisor int64) decimal.Decimal {
	context := c.solver.Context
	if divisor == c.divisor {
		return d
	}
	common, fits := multiple(c.divisor, divisor/divisorOf(c.divisor, divisor))
	if !fits {
		return context.Quo(context.Mul(d, decimal.Int(c.divisor)), decimal.Int(divisor))
	}
	if up := common / c.divisor; up != 1 {
		c.divisor = common
		c.known = context.Mul(c.known, decimal.Int(up))
		for _, j := range c.used {
			c.factors[j] = context.Mul(c.factors[j], decimal.Int(up))
		}
	}
	return context.Mul(d, decimal.Int(common/divisor))
}

// multiple is a product of positive integers, false where it is large.
func multiple(a, b int64) (int64, bool) { return a * b, a <= maxRowSum/b }

func divisorOf(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// linearSystem solves linear equations, and says whether the solution is proven. ok is false where
// one is not linear.
func (s *Solver) linearSystem(equations []*formula.Equation, unknowns []int) (ok bool, err error) {
	rows, ok := s.linearRows(equations, unknowns)
	if !ok {
		return false, nil
	}
	if s.proportional(equations, unknowns, rows) {
		return true, ErrManySolutions
	}
	values, err, exact := s.exactLinear(rows)
	s.proven = exact && err == nil
	if !exact && !s.Limited() {
		values, err = s.eliminate(rows)
	}
	if err != nil || s.Context.Err() != nil {
		return true, cmp.Or(err, s.Context.Err())
	}
	for i, v := range unknowns {
		s.Values[v] = values[i]
	}
	return true, nil
}

// proportional reports whether linear equations say nothing about the unknowns but how they relate
// to one another, and all of them say the same about that, within the 1% that given values may
// disagree by. Then rounding in the given values would leave zero for every unknown as the only
// solution.
func (s *Solver) proportional(equations []*formula.Equation, unknowns []int, rows []linear) bool {
	for i, row := range rows {
		if !row.constant.IsZero() || slices.ContainsFunc(equations[i].Refs, func(v int) bool {
			return !slices.Contains(unknowns, v) && s.Values[v].IsZero()
		}) {
			return false
		}
	}
	c := s.Context
	percent := decimal.MustParse("0.01")
	sized := field[term]{
		less: func(x, by, y term) term {
			return term{c.Sub(x.value, c.Mul(by.value, y.value)), c.Add(x.size, c.Mul(by.size, y.size))}
		},
		over:   func(x, y, _ term) term { return term{c.Quo(x.value, y.value), c.Quo(x.size, y.value.Abs())} },
		invert: func(term) term { return term{} },
		isZero: func(x term) bool { return x.value.IsZero() && x.size.IsZero() },
		size: func(x term) (float64, bool) {
			return logOf(x.value), x.value.Abs().Cmp(c.Mul(x.size, percent)) > 0
		},
		spend: func(int) bool { return c.Err() == nil },
	}
	matrix := make([][]entry[term], len(rows))
	for i, row := range rows {
		for _, t := range row.terms {
			matrix[i] = append(matrix[i], entry[term]{t.at, term{t.value, t.value.Abs()}})
		}
	}
	lu, ok := factor(matrix, sized)
	return ok && len(lu.rows) > 0
}

// logOf is about the logarithm of the size of a number to base 2.
func logOf(d decimal.Decimal) float64 {
	if d.IsZero() {
		return math.Inf(-1)
	}
	first, _ := d.Extent()
	return float64(first) * math.Log2(10)
}

// decimals is the arithmetic of numbers that know how many of their digits are right. What hardly
// has one may as well be zero, and more digits may tell.
func (s *Solver) decimals() field[decimal.Decimal] {
	c := s.Context
	return field[decimal.Decimal]{
		less:   func(x, by, y decimal.Decimal) decimal.Decimal { return c.Sub(x, c.Mul(by, y)) },
		over:   func(x, y, _ decimal.Decimal) decimal.Decimal { return c.Quo(x, y) },
		invert: func(decimal.Decimal) decimal.Decimal { return decimal.Decimal{} },
		isZero: func(x decimal.Decimal) bool { return x.IsZero() && x.IsExact() },
		size:   func(x decimal.Decimal) (float64, bool) { return logOf(x), !s.isRounding(x) },
		spend:  func(int) bool { return c.Err() == nil },
	}
}

// isRounding reports whether a number is 0, or may be no more than what rounding has left.
func (s *Solver) isRounding(x decimal.Decimal) bool {
	if x.IsExact() {
		return x.IsZero()
	}
	small := x.IsZero() || x.Right() <= noiseDigits
	s.Unsure = s.Unsure || small
	return small
}

// noiseDigits are so few right digits that a number may be the work of rounding.
const noiseDigits = 10

// eliminate finds where as many linear expressions as unknowns are zero.
func (s *Solver) eliminate(rows []linear) (formula.Decimals, error) {
	matrix, right := make([][]entry[decimal.Decimal], len(rows)), make([]decimal.Decimal, len(rows))
	for i, row := range rows {
		matrix[i], right[i] = slices.Clone(row.terms), row.constant.Neg()
	}
	lu, ok := factor(matrix, s.decimals())
	if !ok || !lu.forward(right) {
		return nil, s.Context.Err()
	}
	if len(lu.rows) > 0 {
		// What is left are equations that exclude one another, or those that say too little.
		if slices.ContainsFunc(lu.rows, func(i int) bool { return !s.isRounding(right[i]) }) {
			return nil, errNoSolution
		}
		return nil, ErrManySolutions
	}
	return lu.backward(right), s.Context.Err()
}
