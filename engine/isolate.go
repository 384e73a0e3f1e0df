package engine

import (
	"slices"

	"reckon/engine/decimal"
)

// invert finds the values of an unknown that occurs once in n, such that n has the value t. The
// other parts of n are evaluated; what cannot be evaluated stays as an error in the context.
func (m *solver) invert(n *node, x unknown, t decimal.Decimal) preimage {
	c := m.c
	for {
		if c.Err() != nil {
			return preimage{}
		}
		switch n.op {
		case opVariable:
			return one(t)
		case opNeg:
			n, t = n.args[0], t.Neg()
			continue
		case opPercent:
			n, t = n.args[0], c.Mul(t, hundred)
			continue
		case opCall:
			return m.invertCall(n, x, t)
		}
		if len(n.args) != 2 {
			return preimage{}
		}
		k := 0
		if !n.args[0].has(x) {
			k = 1
		}
		other := m.eval(n.args[1-k])
		if c.Err() != nil {
			return preimage{}
		}
		next := n.args[k]
		switch {
		case n.op == opAdd:
			t = m.difference(t, other)
		case n.op == opSub && k == 0:
			t = m.difference(t, other.Neg())
		case n.op == opSub:
			t = m.difference(other, t)
		case n.op == opMul:
			if other.IsZero() {
				return preimage{infinite: t.IsZero()}
			}
			t = c.Quo(t, other)
		case n.op == opDiv && k == 0:
			if other.IsZero() {
				c.Fail(decimal.ErrDivisionByZero)
				return preimage{}
			}
			t = c.Mul(t, other)
		case n.op == opDiv:
			if t.IsZero() || other.IsZero() {
				return preimage{infinite: t.IsZero() && other.IsZero()}
			}
			t = c.Quo(other, t)
		case n.op == opPow:
			p := m.invertPower(other, k, t)
			return m.through(next, x, p)
		default:
			return preimage{}
		}
		n = next
	}
}

// through inverts n for each of several values.
func (m *solver) through(n *node, x unknown, p preimage) preimage {
	if m.tryErr() != nil {
		return preimage{}
	}
	if p.infinite || n.op == opVariable {
		return p
	}
	var all preimage
	take := func(t decimal.Decimal, first bool) {
		q := m.invert(n, x, t)
		if first {
			all.roots = append(all.roots, q.roots...)
		} else {
			all.more = append(all.more, q.roots...)
		}
		all.more = append(all.more, q.more...)
		all.infinite = all.infinite || q.infinite
	}
	for _, t := range p.roots {
		take(t, true)
	}
	for _, t := range p.more {
		take(t, false)
	}
	return all
}

// invertPower finds the base (k 0) or the exponent (k 1) of a power from its value.
func (m *solver) invertPower(other decimal.Decimal, k int, t decimal.Decimal) preimage {
	c := m.c
	if k == 1 {
		return m.exponent(other, t)
	}
	if !other.IsInteger() {
		other = settled(c, other)
	}
	if other.IsZero() {
		return preimage{infinite: isOne(t)}
	}
	n, integer := other.Int64()
	if t.IsZero() {
		if other.Sign() < 0 {
			return preimage{}
		}
		return one(t)
	}
	if integer && n%2 == 0 {
		if t.Sign() < 0 {
			return preimage{}
		}
		return plusMinus(nthRoot(c, t, other))
	}
	if integer {
		return one(nthRoot(c, t, other))
	}
	if t.Sign() < 0 {
		return preimage{}
	}
	return one(m.pow(t, c.Quo(decimal.Int(1), other)))
}

// exponent solves base^x = t.
func (m *solver) exponent(base, t decimal.Decimal) preimage {
	c := m.c
	switch {
	case isOne(base):
		return preimage{infinite: isOne(t)}
	case base.IsZero():
		if isOne(t) {
			return one(decimal.Decimal{})
		}
		return preimage{infinite: t.IsZero()}
	case base.Sign() < 0:
		// Only integers are exponents of negative numbers; the check of the equation decides on the
		// sign.
		if t.IsZero() || isOne(base.Neg()) {
			return preimage{infinite: isOne(t.Abs()) && isOne(base.Neg())}
		}
		return one(c.Round(c.Quo(c.Ln(t.Abs()), c.Ln(base.Neg())), 0))
	case t.Sign() <= 0:
		return preimage{}
	}
	return one(c.Quo(c.Ln(t), c.Ln(base)))
}

// invertCall goes through a function to the argument with the unknown.
func (m *solver) invertCall(n *node, x unknown, t decimal.Decimal) preimage {
	k := 0
	for i, a := range n.args {
		if a.has(x) {
			k = i
		}
	}
	if n.function.lazy {
		if k == 0 {
			return preimage{}
		}
		chosen := 1
		if m.eval(n.args[0]).IsZero() {
			chosen = 2
		}
		if m.c.Err() != nil {
			return preimage{}
		}
		if chosen != k {
			return preimage{infinite: compare(m.c, m.eval(n.args[chosen]), t) == 0}
		}
		return m.invert(n.args[k], x, t)
	}
	f := n.function
	if f.inverse == nil && f.isolations == nil {
		if definition := n.defined(); definition != nil {
			return m.invert(definition, x, t)
		}
		return preimage{}
	}
	args := make([]decimal.Decimal, len(n.args))
	for i, a := range n.args {
		if i != k {
			args[i] = m.eval(a)
		}
	}
	switch {
	case m.c.Err() != nil:
		return preimage{}
	case f.inverse == nil:
		return m.through(n.args[k], x, m.isolations(n, args, t))
	}
	return m.through(n.args[k], x, f.inverse(m.c, args, k, t))
}

// isolations is what the first argument of a call with the value t may be, from the others.
func (m *solver) isolations(n *node, args decimals, t decimal.Decimal) (p preimage) {
	f, given := n.function, make([]*node, len(args))
	if len(args) == 1 && f.interval != nil && !f.interval(allNumbers, allNumbers).has(t.Float64()) {
		return preimage{}
	}
	for i, a := range args {
		given[i] = number(a)
	}
	given = append((&node{function: f, args: given}).arguments(), number(t))
	for _, by := range f.isolations {
		value := m.eval(by.applied(given, n))
		if m.tryErr() == nil && !slices.ContainsFunc(p.roots, func(r decimal.Decimal) bool { return r.Cmp(value) == 0 }) {
			p.roots = append(p.roots, value)
		}
	}
	if f.period > 0 {
		return turned(m.c, p.roots, f.period)
	}
	return p
}

// invertible reports whether an unknown that occurs once in n can be isolated exactly.
func (n *node) invertible(x unknown) bool {
	switch n.op {
	case opVariable:
		return true
	case opAdd, opSub, opMul, opDiv, opPow, opNeg, opPercent:
	case opCall:
		f := n.function
		switch {
		case n.takesTable():
			return false
		case f.inverse != nil, f.lazy:
		case f.isolations != nil:
			if !n.args[0].has(x) {
				return false
			}
		case f.definition != nil:
			definition := n.defined()
			return definition.occurrences(x.variable) == 1 && definition.invertible(x)
		default:
			return false
		}
		for i, a := range n.args {
			if f.param(i).lost && a.has(x) {
				return false
			}
		}
	default:
		return false
	}
	for _, a := range n.args {
		if a.has(x) {
			return a.invertible(x)
		}
	}
	return false
}

// continuous reports whether a root may be searched through every occurrence of the unknown in n.
// The condition of an if may depend on it too.
func (n *node) continuous(x unknown) bool {
	if !n.has(x) {
		return true
	}
	args := n.args
	switch n.op {
	case opVariable:
		return true
	case opAdd, opSub, opMul, opDiv, opPow, opNeg, opPercent:
	case opCall:
		if n.function.float == nil || n.takesTable() {
			return false
		}
		if n.function.lazy {
			args = args[1:]
		}
	default:
		return false
	}
	for _, a := range args {
		if !a.continuous(x) {
			return false
		}
	}
	return true
}

// moves reports whether the unknown stands in n elsewhere than in conditions of an if.
func (n *node) moves(x unknown) bool {
	args := n.args
	if n.op == opCall && n.function.lazy {
		args = args[1:]
	}
	return n.op == opVariable && n.has(x) || slices.ContainsFunc(args, func(a *node) bool { return a.moves(x) })
}

// reaches reports whether the equation can be solved for a variable, by isolation or by root
// search.
func (e *equation) reaches(v int) bool {
	x := e.unknown(v)
	left, right := e.left.has(x), e.right.has(x)
	switch {
	case !e.left.moves(x) && !e.right.moves(x):
		return false
	case left && right:
		return e.left.continuous(x) && e.right.continuous(x)
	case left:
		return e.left.op == opVariable || e.left.continuous(x) || e.count[e.position(v)] == 1 && e.left.invertible(x)
	default:
		return e.right.op == opVariable || e.right.continuous(x) || e.count[e.position(v)] == 1 && e.right.invertible(x)
	}
}
