package engine

import (
	"cmp"
	"slices"

	"reckon/engine/decimal"
)

// Bounds of elimination.
const (
	maxEliminations = 300  // substitutions that are tried
	maxSubstituted  = 1500 // nodes of an equation
	maxBranches     = 16   // equations that roots of both signs lead to
	maxReductions   = 2    // unknowns whose equations are solved

	maxEliminationCost = 150_000 // what is not found by then is given up
)

// relation is an equation among the unknowns of a block, everything known in it evaluated.
type relation struct{ left, right *node }

// substitution says what an eliminated unknown is in terms of the others.
type substitution struct {
	variable int
	by       *node
}

// reduced is one equation in one unknown, and how the other unknowns follow from it.
type reduced struct {
	relation
	variable int
	steps    []substitution // in the order of elimination, so that the last one is evaluated first
}

// eliminator turns a block into equations of one unknown by solving one equation after the other for an unknown and
// putting that into the rest.
type eliminator struct {
	m      *solver
	shared *equation // its refs are the unknowns; masks of all nodes are by position in it
	tries  int
}

// relations are the equations of a block with all that is known evaluated; false where one cannot be evaluated.
func (m *solver) relations(equations []*equation, shared *equation) ([]relation, bool) {
	var list []relation
	for _, e := range equations {
		left, ok1 := m.closed(e.left, shared)
		right, ok2 := m.closed(e.right, shared)
		if !ok1 || !ok2 {
			return nil, false
		}
		list = append(list, relation{left, right})
	}
	return list, true
}

// closed is a copy of n in which every part without an unknown is evaluated.
func (m *solver) closed(n *node, shared *equation) (*node, bool) {
	if !slices.ContainsFunc(shared.refs, func(v int) bool { return n.occurrences(v) > 0 }) {
		value := m.eval(n)
		return number(value), m.tryErr() == nil
	}
	if n.op == opVariable {
		return &node{op: opVariable, variable: n.variable, mask: maskOf(shared.position(n.variable))}, true
	}
	if n.op == opList || n.op == opCall && (n.function.grid != nil || n.function.binds) {
		return nil, false
	}
	args := make([]*node, len(n.args))
	for i, a := range n.args {
		var ok bool
		if args[i], ok = m.closed(a, shared); !ok {
			return nil, false
		}
	}
	if n.op == opCall {
		return called(n.function, args...), true
	}
	return combined(n.op, args...), true
}

// linearIn writes n as slope × x + rest, both free of x; false where it is not linear in it.
func (n *node) linearIn(x unknown) (slope, rest *node, ok bool) {
	if !n.has(x) {
		return integer(0), n, true
	}
	switch n.op {
	case opVariable:
		return integer(1), integer(0), true
	case opNeg, opPercent:
		slope, rest, ok = n.args[0].linearIn(x)
		if !ok {
			return nil, nil, false
		}
		return combined(n.op, slope), combined(n.op, rest), true
	case opAdd, opSub:
		s1, r1, ok1 := n.args[0].linearIn(x)
		s2, r2, ok2 := n.args[1].linearIn(x)
		if !ok1 || !ok2 {
			return nil, nil, false
		}
		return combined(n.op, s1, s2), combined(n.op, r1, r2), true
	case opMul, opDiv:
		k := 0
		if n.args[1].has(x) {
			if n.args[0].has(x) || n.op == opDiv {
				return nil, nil, false
			}
			k = 1
		}
		s, r, ok := n.args[k].linearIn(x)
		if !ok {
			return nil, nil, false
		}
		other := n.args[1-k]
		return combined(n.op, s, other), combined(n.op, r, other), true
	}
	return nil, nil, false
}

// isolated lists what x is where n has the value t, in terms of the rest: several expressions where a root has two signs.
// It is nil where the engine does not know.
func (n *node) isolated(x unknown, t *node) []*node {
	if n.op == opVariable {
		return []*node{t}
	}
	if n.occurrences(x.variable) != 1 {
		return nil
	}
	k := 0
	for i, a := range n.args {
		if a.has(x) {
			k = i
		}
	}
	inner := n.args[k]
	switch n.op {
	case opNeg:
		return inner.isolated(x, combined(opNeg, t))
	case opPercent:
		return inner.isolated(x, combined(opMul, t, integer(100)))
	case opCall:
		f := n.function
		if f.isolations == nil && f.definition != nil {
			return n.defined().isolated(x, t)
		}
		var list []*node
		for _, by := range f.isolations {
			if k == 0 && f.period == 0 {
				list = append(list, inner.isolated(x, by.applied(slices.Concat(n.arguments(), []*node{t}), n))...)
			}
		}
		return list
	}
	if len(n.args) != 2 {
		return nil
	}
	other := n.args[1-k]
	switch {
	case n.op == opAdd:
		return inner.isolated(x, combined(opSub, t, other))
	case n.op == opSub && k == 0:
		return inner.isolated(x, combined(opAdd, t, other))
	case n.op == opSub:
		return inner.isolated(x, combined(opSub, other, t))
	case n.op == opMul:
		return inner.isolated(x, combined(opDiv, t, other))
	case n.op == opDiv && k == 0:
		return inner.isolated(x, combined(opMul, t, other))
	case n.op == opDiv:
		return inner.isolated(x, combined(opDiv, other, t))
	case n.op == opPow && k == 1:
		return inner.isolated(x, combined(opDiv, called(naturalLogarithm, t), called(naturalLogarithm, other)))
	case n.op == opPow && other.op == opNumber:
		return inner.rooted(x, t, other.value)
	}
	return nil
}

// rooted lists what x is where the power of n to an exponent is t.
func (n *node) rooted(x unknown, t *node, exponent decimal.Decimal) []*node {
	i, whole := exponent.Int64()
	if exponent.IsZero() {
		return nil
	}
	if whole && i < 0 {
		return n.rooted(x, combined(opDiv, integer(1), t), exponent.Neg())
	}
	root := called(anyRoot, t, number(exponent))
	switch {
	case whole && i == 2:
		root = called(squareRoot, t)
	case whole && i == 3:
		root = called(cubeRoot, t)
	}
	list := n.isolated(x, root)
	if whole && i%2 == 0 && list != nil {
		list = append(list, n.isolated(x, combined(opNeg, root))...)
	}
	return list
}

// substituted is n with an expression in the place of a variable.
func (n *node) substituted(x unknown, by *node) *node {
	if !n.has(x) {
		return n
	}
	if n.op == opVariable {
		return by
	}
	args := make([]*node, len(n.args))
	for i, a := range n.args {
		args[i] = a.substituted(x, by)
	}
	if n.op == opCall {
		return called(n.function, args...)
	}
	return combined(n.op, args...)
}

// reduce eliminates all unknowns but one. The list has an equation for each choice of signs on the way; it is nil where
// no way was found.
func (l *eliminator) reduce(relations []relation, unknowns []int, keep int) []reduced {
	if len(relations) == 1 {
		return []reduced{{relation: relations[0], variable: keep}}
	}
	type way struct {
		at, variable int
		by           []*node
		size         int
	}
	var ways []way
	relations = slices.Clone(relations)
	for at := range relations {
		r := &relations[at]
		for _, v := range unknowns {
			x := l.shared.unknown(v)
			if v == keep || !r.left.has(x) && !r.right.has(x) {
				continue
			}
			var by []*node
			if slope, rest, ok := combined(opSub, r.left, r.right).linearIn(x); ok {
				if l.vanishes(slope) {
					*r = relation{rest, integer(0)}
					continue
				}
				by = []*node{combined(opDiv, combined(opNeg, rest), slope)}
			} else if r.left.has(x) != r.right.has(x) {
				side, other := r.left, r.right
				if r.right.has(x) {
					side, other = other, side
				}
				by = side.isolated(x, other)
			}
			if len(by) == 0 || len(by) > 2 {
				continue
			}
			// A quotient with unknowns below is undefined somewhere, a root has two signs: plain ways first.
			size := 1000 * (len(by) - 1)
			for _, n := range by {
				size += n.nodes()
				n.walk(func(o *node) {
					if o.op == opDiv && o.args[1].mask != 0 {
						size += 100
					}
				})
			}
			ways = append(ways, way{at, v, by, size})
		}
	}
	slices.SortStableFunc(ways, func(a, b way) int { return cmp.Compare(a.size, b.size) })
	for _, w := range ways {
		if l.tries++; l.tries > maxEliminations {
			return nil
		}
		if all := l.along(relations, unknowns, keep, w.at, w.variable, w.by); all != nil {
			return all
		}
	}
	return nil
}

// vanishes reports whether a slope without unknowns is zero, rounding aside: the terms of an unknown cancel out.
func (l *eliminator) vanishes(slope *node) bool {
	if slope.mask != 0 {
		return false
	}
	m := l.m
	value, size := m.eval(slope), m.size(slope)
	return m.tryErr() == nil && value.Abs().Cmp(m.c.Mul(size, noise)) <= 0
}

// along eliminates one unknown in one way and goes on with the rest.
func (l *eliminator) along(relations []relation, unknowns []int, keep, at, variable int, by []*node) []reduced {
	x := l.shared.unknown(variable)
	left := slices.DeleteFunc(slices.Clone(unknowns), func(v int) bool { return v == variable })
	var all []reduced
	for _, n := range by {
		var rest []relation
		for i, r := range relations {
			if i == at {
				continue
			}
			next := relation{r.left.substituted(x, n), r.right.substituted(x, n)}
			if next.left.nodes()+next.right.nodes() > maxSubstituted {
				return nil
			}
			rest = append(rest, next)
		}
		further := l.reduce(rest, left, keep)
		if further == nil || len(all)+len(further) > maxBranches {
			return nil
		}
		for _, f := range further {
			f.steps = append([]substitution{{variable, n}}, f.steps...)
			all = append(all, f)
		}
	}
	return all
}

// eliminated finds the values of a block's unknowns by elimination, each a list in the order of the block's outputs.
// infinite says that there are infinitely many, sure that all solutions were looked for.
func (v *solver) eliminated(s planStep, equations []*equation) (found []decimals, infinite, sure bool) {
	m := v
	shared := &equation{refs: s.outputs, order: s.outputs}
	relations, ok := m.relations(equations, shared)
	if !ok {
		return nil, false, false
	}
	keeps := slices.Clone(s.outputs)
	slices.SortStableFunc(keeps, func(a, b int) int { return btoi(b == s.variable) - btoi(a == s.variable) })
	var ways [][]reduced
	for _, keep := range keeps {
		l := &eliminator{m: m, shared: shared}
		if list := l.reduce(relations, s.outputs, keep); list != nil {
			ways = append(ways, list)
		}
	}
	size := func(list []reduced) (nodes int) {
		for _, r := range list {
			nodes += r.left.nodes() + r.right.nodes()
		}
		return nodes
	}
	// The shortest equations are the soonest solved.
	slices.SortStableFunc(ways, func(a, b []reduced) int { return cmp.Compare(size(a), size(b)) })
	for _, list := range ways[:min(len(ways), maxReductions)] {
		found, infinite, sure = v.finish(s, equations, shared, list)
		if m.limited() {
			return nil, false, false
		}
		if len(found) > 0 || infinite || sure {
			return found, infinite, sure
		}
	}
	return nil, false, false
}

// finish solves the equations that elimination left and lets the other unknowns follow. sure says that all roots of all of
// them were looked at.
func (v *solver) finish(s planStep, equations []*equation, shared *equation, list []reduced) (found []decimals, infinite, sure bool) {
	m := v
	// A function stands for one of its inverses in what was eliminated, so that the others were not looked at.
	sure = !slices.ContainsFunc(equations, func(e *equation) bool { return e.left.calls() || e.right.calls() })
	defer func() { m.aim = aim{} }()
	for _, r := range list {
		e := &equation{title: equations[0].title, left: r.left, right: r.right, refs: s.outputs, order: s.outputs, count: make([]int, len(s.outputs)), active: true}
		x := shared.unknown(r.variable)
		if !r.left.has(x) && !r.right.has(x) {
			// The equations depend on one another, or exclude one another.
			infinite = infinite || m.satisfied(e)
			continue
		}
		e.count[e.position(r.variable)] = r.left.occurrences(r.variable) + r.right.occurrences(r.variable)
		m.aim = aim{preferred: true, all: true}
		p, err := m.solutions(e, r.variable)
		if m.tryErr() != nil && m.limited() {
			return nil, false, false
		}
		if err != nil {
			sure = false
			continue
		}
		if p.infinite {
			infinite = true
			continue
		}
		for _, t := range slices.Concat(p.roots, p.more) {
			m.values[r.variable] = t
			fits := true
			for i := len(r.steps) - 1; i >= 0 && fits; i-- {
				m.values[r.steps[i].variable] = m.eval(r.steps[i].by)
				fits = m.tryErr() == nil
			}
			for _, e := range equations {
				fits = fits && m.satisfied(e)
			}
			if fits {
				values := make(decimals, len(s.outputs))
				for i, o := range s.outputs {
					values[i] = m.values[o]
				}
				found = append(found, values)
			}
		}
	}
	return found, infinite, sure
}

// chooseValues takes one of several solutions of a block by the rule of choice: that within bounds, with positive numbers,
// and then what choose says of the target and of the other variables in domain order.
func (v *solver) chooseValues(s planStep, found []decimals) *Error {
	m := v
	better := func(keep func(i int, t decimal.Decimal) bool) {
		var kept []decimals
		for _, values := range found {
			fits := true
			for i, t := range values {
				fits = fits && keep(s.outputs[i], t)
			}
			if fits {
				kept = append(kept, values)
			}
		}
		if len(kept) > 0 {
			found = kept
		}
	}
	better(func(o int, t decimal.Decimal) bool { return v.allowed(o, t) })
	better(func(o int, t decimal.Decimal) bool { return v.isScale(o) || t.Sign() >= 0 })
	order := slices.Clone(s.outputs)
	slices.SortStableFunc(order, func(a, b int) int { return btoi(b == s.variable) - btoi(a == s.variable) })
	for _, o := range order {
		at := slices.Index(s.outputs, o)
		var p preimage
		for _, values := range found {
			p.roots = append(p.roots, values[at])
		}
		t, problem := v.choose(o, s.activity, p)
		if problem != nil {
			return problem
		}
		found = slices.DeleteFunc(slices.Clone(found), func(values decimals) bool { return compare(m.c, values[at], t) != 0 })
		m.values[o] = t
	}
	return nil
}
