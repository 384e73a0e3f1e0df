package engine

import (
	"slices"

	"reckon/engine/decimal"
)

// maxChoices bounds the branches of if, min, max, abs and clamp that are tried one by one.
const maxChoices = 64

// solutions finds the values of a variable that satisfy an equation, given the others. The context holds what went
// wrong; errNotConverged is returned when a search ended without showing that there is no root.
func (m *solver) solutions(e *equation, v int) (preimage, error) {
	x := e.unknown(v)
	m.proven, m.limits, m.holes = false, nil, nil
	if e.count[e.position(v)] == 1 {
		side, other := e.left, e.right
		if !side.has(x) {
			side, other = other, side
		}
		if side.op == opVariable || side.invertible(x) {
			t := m.eval(other)
			if m.c.Err() != nil {
				return preimage{}, nil
			}
			p := m.invert(side, x, t)
			m.proven = side.op == opVariable
			if len(p.roots)+len(p.more) > 1 {
				p.roots, p.more = m.keep(e, v, p.roots), m.keep(e, v, p.more)
				m.proven = true
			}
			return p, nil
		}
	}
	if p, ok := m.exactly(e, v, x); ok || m.c.Err() != nil {
		if len(m.holes) > 0 && (e.left.powersVary(x) || e.right.powersVary(x)) {
			p.roots = append(p.roots, m.filled(e, v)...)
		}
		return p, nil
	}
	return m.search(e, v)
}

// filled lists the holes that are limits of the equation. Those of an equation whose powers are all written as numbers
// stay holes: (x^2 - 1) / (x - 1) = 2 has no solution. A number of periods makes no difference to what an equation means,
// be it small enough for terms to be collected or not.
func (m *solver) filled(e *equation, v int) decimals {
	m.toFloats(e)
	s := &seeker{m: m, v: v}
	scale := m.searchScale(v)
	for _, t := range m.holes {
		s.limit(e, t, scale)
	}
	return m.limits
}

// powersVary reports whether n has a power of the unknown to an exponent that is no plain number.
func (n *node) powersVary(x unknown) bool {
	if n.op == opPow && n.args[0].has(x) {
		constant := true
		n.args[1].walk(func(part *node) { constant = constant && part.op != opVariable })
		if !constant {
			return true
		}
	}
	return slices.ContainsFunc(n.args, func(a *node) bool { return a.powersVary(x) })
}

// keep leaves the values that satisfy the equation.
func (m *solver) keep(e *equation, v int, values decimals) decimals {
	kept := make(decimals, 0, len(values))
	for _, t := range values {
		if slices.ContainsFunc(kept, func(k decimal.Decimal) bool { return compare(m.c, k, t) == 0 }) {
			continue
		}
		m.values[v] = t
		if m.satisfied(e) {
			kept = append(kept, t)
		}
	}
	return kept
}

// exactly solves an equation in which the unknown occurs more than once by collecting terms, branch by branch of the
// choices in it. ok is false where that is not possible.
func (m *solver) exactly(e *equation, v int, x unknown) (all preimage, ok bool) {
	pairs := [][2]*node{{e.left, e.right}}
	if e.left.choices || e.right.choices {
		lefts, ok1 := branches(e.left, x)
		rights, ok2 := branches(e.right, x)
		if !ok1 || !ok2 || len(lefts)*len(rights) > maxChoices {
			return preimage{}, false
		}
		pairs = nil
		for _, l := range lefts {
			for _, r := range rights {
				pairs = append(pairs, [2]*node{l, r})
			}
		}
	}
	for _, p := range pairs {
		if (p[0].has(x) || p[1].has(x)) && !m.collectable(p[0], p[1], x) {
			return preimage{}, false
		}
	}
	single := len(pairs) == 1
	infinite := false
	for _, p := range pairs {
		if !p[0].has(x) && !p[1].has(x) {
			// A branch without the unknown holds for none of its values, or for a whole range of them.
			same := compare(m.c, m.eval(p[0]), m.eval(p[1])) == 0
			if m.tryErr() != nil && m.limited() {
				return preimage{}, false
			}
			infinite = infinite || same
			continue
		}
		roots, ok := m.collected(p[0], p[1], x, 0)
		if m.tryErr() != nil {
			if m.limited() || single {
				return preimage{}, false
			}
			continue
		}
		if !ok {
			return preimage{}, false
		}
		infinite = infinite || roots.infinite
		all.roots = append(all.roots, roots.roots...)
		all.more = append(all.more, roots.more...)
	}
	if !single {
		// Which branch an angle of another turn belongs to shows only now.
		all.roots, all.more = append(all.roots, all.more...), nil
	}
	all.roots, all.more = m.keep(e, v, all.roots), m.keep(e, v, all.more)
	if infinite {
		if single {
			return preimage{infinite: true}, true
		}
		// Whether the range in which a branch holds is empty is not known: an isolated root cannot be told apart.
		all.infinite = m.somewhere(e, v, all)
	}
	return all, true
}

// somewhere reports whether the equation holds at one of a few spread values of v, or between two places where the choice
// of a branch may change, which shows a range of solutions.
func (m *solver) somewhere(e *equation, v int, roots preimage) bool {
	places := slices.Concat(roots.roots, roots.more)
	isolated := slices.Clone(places)
	for _, side := range []*node{e.left, e.right} {
		side.walk(func(n *node) { places = append(places, m.switches(n, e.unknown(v))...) })
	}
	slices.SortFunc(places, func(a, b decimal.Decimal) int { return a.Cmp(b) })
	var probes decimals
	for i := 1; i < len(places); i++ {
		probes = append(probes, m.c.Mul(m.c.Add(places[i-1], places[i]), oneHalf))
	}
	for _, text := range []string{"0", "1", "-1", "1e-6", "1e6", "-1e6", "1e12", "37.3", "1234.5"} {
		probes = append(probes, decimal.MustParse(text))
	}
	return slices.ContainsFunc(probes, func(probe decimal.Decimal) bool {
		m.values[v] = probe
		return !slices.ContainsFunc(isolated, func(root decimal.Decimal) bool { return compare(m.c, root, probe) == 0 }) && m.satisfied(e)
	})
}

// switches lists where the condition of an if changes, or which argument a min, max, clamp or abs takes, as far as
// collecting terms shows it.
func (m *solver) switches(n *node, x unknown) (places decimals) {
	if n.op != opCall || n.function.choice == noChoice || !n.has(x) {
		return nil
	}
	meet := func(a, b *node) {
		if !a.has(x) && !b.has(x) || !m.collectable(a, b, x) {
			return
		}
		p, _ := m.collected(a, b, x, 0)
		if m.tryErr() == nil {
			places = append(places, p.roots...)
		}
	}
	switch {
	case n.function.lazy:
		n.args[0].walk(func(c *node) {
			switch c.op {
			case opEq, opNe, opLt, opLe, opGt, opGe:
				meet(c.args[0], c.args[1])
			}
		})
	case n.function.choice == eitherSign:
		meet(n.args[0], &node{op: opNumber})
	default:
		for i, a := range n.args {
			for _, b := range n.args[:i] {
				meet(a, b)
			}
		}
	}
	return places
}

// collectable reports whether it is worth while to collect terms.
func (m *solver) collectable(left, right *node, x unknown) bool {
	first := left
	if !first.has(x) {
		first = right
	}
	if left.occurrences(x.variable)+right.occurrences(x.variable) == 1 && first.invertible(x) {
		return true
	}
	defer m.tryErr()
	return slices.ContainsFunc(atoms(first, x), func(atom *node) bool {
		return m.collects(left, x, atom) && m.collects(right, x, atom)
	})
}

// collected solves left = right by collecting terms in the unknown, or in an expression that holds all its occurrences.
func (m *solver) collected(left, right *node, x unknown, depth int) (preimage, bool) {
	first := left
	if !first.has(x) {
		first = right
	}
	if left.occurrences(x.variable)+right.occurrences(x.variable) == 1 {
		other := right
		if first == right {
			other = left
		}
		if first.invertible(x) {
			return m.invert(first, x, m.eval(other)), true
		}
	}
	for _, atom := range atoms(first, x) {
		p, ok := m.polynomialRoots(left, right, x, atom)
		if m.limited() {
			return preimage{}, false
		}
		if !ok {
			m.c.Reset()
			continue
		}
		if atom.op == opVariable || p.infinite {
			return p, true
		}
		var all preimage
		for _, t := range p.roots {
			var q preimage
			if atom.invertible(x) && atom.occurrences(x.variable) == 1 {
				q = m.invert(atom, x, t)
			} else if depth < 4 {
				if q, ok = m.collected(atom, &node{op: opNumber, value: t}, x, depth+1); !ok {
					return preimage{}, false
				}
			} else {
				return preimage{}, false
			}
			all.roots = append(all.roots, q.roots...)
			all.more = append(all.more, q.more...)
			all.infinite = all.infinite || q.infinite
		}
		return all, true
	}
	return preimage{}, false
}

// branches lists what an expression is when each choice above the unknown is made one way: an if is one of its sides, an
// abs its argument or the negative of that, min, max and clamp one of their arguments.
func branches(n *node, x unknown) ([]*node, bool) {
	if !n.choices || !n.has(x) {
		return []*node{n}, true
	}
	var list []*node
	if n.op == opCall && n.function.choice != noChoice {
		args := n.args
		if n.function.lazy {
			args = args[1:]
		}
		for _, a := range args {
			inner, ok := branches(a, x)
			if !ok {
				return nil, false
			}
			list = append(list, inner...)
			if n.function.choice == eitherSign {
				for _, b := range inner {
					list = append(list, &node{op: opNeg, start: n.start, end: n.end, args: []*node{b}, mask: b.mask})
				}
			}
		}
		return list, len(list) <= maxChoices
	}
	list = []*node{{}}
	for _, a := range n.args {
		inner, ok := branches(a, x)
		if !ok || len(list)*len(inner) > maxChoices {
			return nil, false
		}
		var next []*node
		for _, l := range list {
			for _, b := range inner {
				copied := *n
				copied.args = append(slices.Clone(l.args), b)
				copied.choices = false
				copied.mask = l.mask | b.mask
				next = append(next, &copied)
			}
		}
		list = next
	}
	return list, true
}
