package solve

import (
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/formula"
)

// invert finds the values of an unknown that occurs once in n, such that n has the value t. The
// other parts of n are evaluated; what cannot be evaluated stays as an error in the context.
func (s *Solver) invert(n *formula.Node, x formula.Unknown, t decimal.Decimal) formula.Preimage {
	c := s.Context
	for {
		if c.Err() != nil {
			return formula.Preimage{}
		}
		switch n.Op {
		case formula.OpVariable:
			return formula.OneRoot(t)
		case formula.OpNeg:
			n, t = n.Args[0], t.Neg()
			continue
		case formula.OpPercent:
			n, t = n.Args[0], c.Mul(t, formula.Hundred)
			continue
		case formula.OpCall:
			return s.invertCall(n, x, t)
		}
		if len(n.Args) != 2 {
			return formula.Preimage{}
		}
		k := 0
		if !n.Args[0].Has(x) {
			k = 1
		}
		other := s.Eval(n.Args[1-k])
		if c.Err() != nil {
			return formula.Preimage{}
		}
		next := n.Args[k]
		switch {
		case n.Op == formula.OpAdd:
			t = formula.Certain(c, c.Sub(t, other), t, other)
		case n.Op == formula.OpSub && k == 0:
			t = formula.Certain(c, c.Add(t, other), t, other)
		case n.Op == formula.OpSub:
			t = formula.Certain(c, c.Sub(other, t), t, other)
		case n.Op == formula.OpMul:
			if other.IsZero() {
				return formula.Preimage{Infinite: t.IsZero()}
			}
			t = c.Quo(t, other)
		case n.Op == formula.OpDiv && k == 0:
			if other.IsZero() {
				c.Fail(decimal.ErrDivisionByZero)
				return formula.Preimage{}
			}
			t = c.Mul(t, other)
		case n.Op == formula.OpDiv:
			if t.IsZero() || other.IsZero() {
				return formula.Preimage{Infinite: t.IsZero() && other.IsZero()}
			}
			t = c.Quo(other, t)
		case n.Op == formula.OpPow:
			p := s.invertPower(other, k, t)
			return s.through(next, x, p)
		default:
			return formula.Preimage{}
		}
		n = next
	}
}

// through inverts n for each of several values.
func (s *Solver) through(n *formula.Node, x formula.Unknown, p formula.Preimage) formula.Preimage {
	if s.TryErr() != nil {
		return formula.Preimage{}
	}
	if p.Infinite || n.Op == formula.OpVariable {
		return p
	}
	var all formula.Preimage
	for _, t := range p.Roots {
		all.Add(s.invert(n, x, t))
	}
	for _, t := range p.More {
		q := s.invert(n, x, t)
		all.Add(formula.Preimage{More: append(q.Roots, q.More...), Infinite: q.Infinite})
	}
	return all
}

// invertPower finds the base (k 0) or the exponent (k 1) of a power from its value.
func (s *Solver) invertPower(other decimal.Decimal, k int, t decimal.Decimal) formula.Preimage {
	c := s.Context
	if k == 1 {
		return s.exponent(other, t)
	}
	if !other.IsInteger() {
		other = formula.Settled(c, other)
	}
	if other.IsZero() {
		return formula.Preimage{Infinite: formula.IsOne(t)}
	}
	n, integer := other.Int64()
	if t.IsZero() {
		if other.Sign() < 0 {
			return formula.Preimage{}
		}
		return formula.OneRoot(t)
	}
	if integer && n%2 == 0 {
		if t.Sign() < 0 {
			return formula.Preimage{}
		}
		return formula.PlusMinus(formula.NthRoot(c, t, other))
	}
	if integer {
		return formula.OneRoot(formula.NthRoot(c, t, other))
	}
	if t.Sign() < 0 {
		return formula.Preimage{}
	}
	return formula.OneRoot(s.Pow(t, c.Quo(decimal.Int(1), other)))
}

// exponent solves base^x = t.
func (s *Solver) exponent(base, t decimal.Decimal) formula.Preimage {
	c := s.Context
	switch {
	case formula.IsOne(base):
		return formula.Preimage{Infinite: formula.IsOne(t)}
	case base.IsZero():
		if formula.IsOne(t) {
			return formula.OneRoot(decimal.Decimal{})
		}
		return formula.Preimage{Infinite: t.IsZero()}
	case base.Sign() < 0:
		// Only integers are exponents of negative numbers; the check of the equation decides on the
		// sign.
		if t.IsZero() || formula.IsOne(base.Neg()) {
			return formula.Preimage{Infinite: formula.IsOne(t.Abs()) && formula.IsOne(base.Neg())}
		}
		return formula.OneRoot(c.Round(c.Quo(c.Ln(t.Abs()), c.Ln(base.Neg())), 0))
	case t.Sign() <= 0:
		return formula.Preimage{}
	}
	return formula.OneRoot(c.Quo(c.Ln(t), c.Ln(base)))
}

// invertCall goes through a function to the argument with the unknown.
func (s *Solver) invertCall(n *formula.Node, x formula.Unknown, t decimal.Decimal) formula.Preimage {
	k := slices.IndexFunc(n.Args, func(a *formula.Node) bool { return a.Has(x) })
	if n.Function.Lazy {
		if k == 0 {
			return formula.Preimage{}
		}
		chosen := 1
		if s.Eval(n.Args[0]).IsZero() {
			chosen = 2
		}
		if s.Context.Err() != nil {
			return formula.Preimage{}
		}
		if chosen != k {
			return formula.Preimage{Infinite: s.equal(s.Eval(n.Args[chosen]), t)}
		}
		return s.invert(n.Args[k], x, t)
	}
	f := n.Function
	if n.TakesTable() {
		return s.invertOver(n, x, k, t)
	}
	if f.Inverse == nil && f.Isolations == nil {
		if definition := n.Defined(); definition != nil {
			return s.invert(definition, x, t)
		}
		return formula.Preimage{}
	}
	args := make([]decimal.Decimal, len(n.Args))
	for i, a := range n.Args {
		if i != k {
			args[i] = s.Eval(a)
		}
	}
	switch {
	case s.Context.Err() != nil:
		return formula.Preimage{}
	case f.Inverse == nil:
		return s.through(n.Args[k], x, s.isolations(n, args, t))
	}
	return s.through(n.Args[k], x, f.Inverse(s.Context, args, k, t))
}

// invertOver goes through a function over tables to the argument with the unknown.
func (s *Solver) invertOver(n *formula.Node, x formula.Unknown, k int, t decimal.Decimal) formula.Preimage {
	if !n.Function.Inverts(k) {
		return formula.Preimage{}
	}
	args := make([]formula.Grid, len(n.Args))
	for i, a := range n.Args {
		if i != k {
			args[i] = s.Grid(a)
		}
	}
	if s.Context.Err() != nil {
		return formula.Preimage{}
	}
	return s.through(n.Args[k], x, n.Function.InverseOver(s.Context, args, k, t))
}

// isolations is what the first argument of a call with the value t may be, from the others.
func (s *Solver) isolations(n *formula.Node, args formula.Decimals, t decimal.Decimal) (p formula.Preimage) {
	f, given := n.Function, make([]*formula.Node, len(args))
	if len(args) == 1 && f.Interval != nil && !f.Interval(formula.AllNumbers, formula.AllNumbers).Has(t.Float64()) {
		return formula.Preimage{}
	}
	for i, a := range args {
		given[i] = formula.Number(a)
	}
	given = append((&formula.Node{Function: f, Args: given}).Arguments(), formula.Number(t))
	for _, by := range f.Isolations {
		value := s.Eval(by.Applied(given, n))
		if s.TryErr() == nil && !slices.ContainsFunc(p.Roots, func(r decimal.Decimal) bool { return r.Cmp(value) == 0 }) {
			p.Roots = append(p.Roots, value)
		}
	}
	if f.Period > 0 {
		return formula.Turned(s.Context, p.Roots, f.Period)
	}
	return p
}

// invertible reports whether an unknown that occurs once in n can be isolated exactly.
func invertible(n *formula.Node, x formula.Unknown) bool {
	switch {
	case n.Op == formula.OpVariable:
		return true
	case isArithmetic(n.Op):
	case n.Op == formula.OpCall:
		f := n.Function
		switch {
		case n.TakesTable():
			if at := slices.IndexFunc(n.Args, func(a *formula.Node) bool { return a.Has(x) }); at < 0 || !f.Inverts(at) {
				return false
			}
		case f.Inverse != nil, f.Lazy:
		case f.Isolations != nil:
			if !n.Args[0].Has(x) {
				return false
			}
		case f.Definition != nil:
			definition := n.Defined()
			return definition.Occurrences(x.Variable) == 1 && invertible(definition, x)
		default:
			return false
		}
		for i, a := range n.Args {
			if f.Param(i).Lost && a.Has(x) {
				return false
			}
		}
	default:
		return false
	}
	at := slices.IndexFunc(n.Args, func(a *formula.Node) bool { return a.Has(x) })
	return at >= 0 && invertible(n.Args[at], x)
}

// isArithmetic reports whether an operation is one over numbers, and no comparison.
func isArithmetic(o formula.Op) bool { return o >= formula.OpAdd && o <= formula.OpPercent }

// Reachable reports for each variable of an equation, by its position in refs, whether the equation
// can be solved for it, by isolation or by root search. A root may be searched where every
// occurrence stands below arithmetic, functions with a slope and functions over tables alone, or in
// the condition of an if, and one of them in no condition. Of the cells of a table no function over
// tables leads back to.
func Reachable(e *formula.Equation, isTable func(variable int) bool) []bool {
	r := reach{e.Refs, make([]place, len(e.Refs))}
	r.look(e.Left, place{})
	r.look(e.Right, place{})
	reachable := make([]bool, len(e.Refs))
	for k, v := range e.Refs {
		p := r.at[k]
		switch {
		case !p.moves:
		case !p.broken && !(p.tabled && isTable(v)):
			reachable[k] = true
		case e.Count[k] == 1 && !p.lost && !(p.tabled && isTable(v)):
			x := e.Unknown(v)
			side, _ := apart(e.Left, e.Right, x)
			reachable[k] = !p.defined || invertible(side, x)
		}
	}
	return reachable
}

// reach is what is known of the places where the variables of an equation stand. All of them are
// looked at in one walk, since an equation can name a thousand.
type reach struct {
	refs []int
	at   []place // by position in refs, of all occurrences together
}

// place is what lies above a part of an equation.
type place struct {
	moves     bool // a variable stands there, in no condition
	condition bool // it is in the condition of an if
	broken    bool // there is no slope
	lost      bool // it cannot be isolated
	tabled    bool // it is in the argument of a function over tables
	defined   bool // whether it can be isolated is told by what a function is written out as
}

func (r *reach) look(n *formula.Node, p place) {
	switch {
	case n.Op == formula.OpVariable:
		k, _ := slices.BinarySearch(r.refs, n.Variable)
		at := &r.at[k]
		at.moves = at.moves || !p.condition
		at.broken, at.lost, at.defined = at.broken || p.broken, at.lost || p.lost, at.defined || p.defined
		at.tabled = at.tabled || p.tabled
		return
	case isArithmetic(n.Op):
	case n.Op == formula.OpList, n.Op == formula.OpPrevious, n.Op == formula.OpDefined:
		p.lost = true
	case n.Op != formula.OpCall:
		p.broken, p.lost = p.broken || !p.condition, true
	default:
		f := n.Function
		p.broken = p.broken || !p.condition && f.Float == nil && !n.TakesTable()
		p.tabled = p.tabled || n.TakesTable()
		switch {
		case n.TakesTable():
			p.lost = p.lost || f.InverseOver == nil
		case f.Inverse != nil, f.Lazy, f.Isolations != nil:
		case f.Definition != nil:
			p.defined = true
		default:
			p.lost = true
		}
	}
	for i, a := range n.Args {
		below := p
		if n.Op == formula.OpCall {
			f := n.Function
			below.condition = p.condition || (f.Lazy || f.Steps) && i == 0
			below.broken = p.broken || n.Counts(i) && !p.condition
			isolated := f.Inverse != nil || f.Lazy
			below.lost = p.lost || n.TakesTable() && !f.Inverts(i) || !p.defined && f.Param(i).Lost || !isolated && f.Isolations != nil && i > 0
		}
		r.look(a, below)
	}
}
