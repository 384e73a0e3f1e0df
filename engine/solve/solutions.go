package solve

import (
	"errors"
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/formula"
)

// maxChoices bounds the branches of if, min, max, abs and clamp that are tried one by one.
const maxChoices = 64

// solutions finds the values of a variable that satisfy an equation, given the others. The context
// holds what went wrong; errNotConverged is returned when a search ended without showing that there
// is no root.
func (s *Solver) solutions(e *formula.Equation, v int) (formula.Preimage, error) {
	x := e.Unknown(v)
	s.proven, s.limits, s.holes = false, nil, nil
	if e.Count[e.Position(v)] == 1 {
		side, other := apart(e.Left, e.Right, x)
		if side.Op == formula.OpVariable || invertible(side, x) {
			t := s.Eval(other)
			if s.Context.Err() != nil {
				return formula.Preimage{}, nil
			}
			s.note(Isolated)
			p := s.invert(side, x, t)
			s.proven = side.Op == formula.OpVariable
			if len(p.Roots)+len(p.More) > 1 {
				p.Roots, p.More = s.keep(e, v, p.Roots), s.keep(e, v, p.More)
				s.proven = true
			}
			return p, nil
		}
	}
	s.note(Collected)
	if p, ok := s.exactly(e, v, x); ok || s.Context.Err() != nil {
		if len(s.holes) > 0 && (powersVary(e.Left, x) || powersVary(e.Right, x)) {
			p.Roots = append(p.Roots, s.filled(e, v)...)
		}
		return p, nil
	}
	s.note(Searched)
	p, err := s.search(e, v)
	if errors.Is(err, formula.ErrNotConverged) && !s.Limited() {
		if q, ok := s.radicals(e, v); ok {
			s.note(Collected)
			return q, nil
		}
	}
	return p, err
}

// filled lists the holes that are limits of the equation. Those of an equation whose powers are all
// written as numbers stay holes: (x^2 - 1) / (x - 1) = 2 has no solution. A number of periods makes
// no difference to what an equation means, be it small enough for terms to be collected or not.
func (s *Solver) filled(e *formula.Equation, v int) formula.Decimals {
	s.toFloats(e)
	seek := &seeker{solver: s, variable: v}
	scale := s.searchScale(v)
	for _, t := range s.holes {
		seek.limit(e, t, scale)
	}
	return s.limits
}

// powersVary reports whether n has a power of the unknown to an exponent that is no plain number.
func powersVary(n *formula.Node, x formula.Unknown) bool {
	return n.Op == formula.OpPow && n.Args[0].Has(x) && n.Args[1].Mask != 0 ||
		slices.ContainsFunc(n.Args, func(a *formula.Node) bool { return powersVary(a, x) })
}

// keep leaves the values that satisfy the equation.
func (s *Solver) keep(e *formula.Equation, v int, values formula.Decimals) formula.Decimals {
	kept := make(formula.Decimals, 0, len(values))
	for _, t := range values {
		if s.contains(kept, t) {
			continue
		}
		if s.Values[v] = t; s.HoldsFor(e, v) && (s.Refuses == nil || s.Allowed(v, t)) {
			kept = append(kept, t)
		}
	}
	return kept
}

// exactly solves an equation in which the unknown occurs more than once by collecting terms, branch
// by branch of the choices in it. ok is false where that is not possible.
func (s *Solver) exactly(e *formula.Equation, v int, x formula.Unknown) (all formula.Preimage, ok bool) {
	lefts, ok1 := branches(e.Left, x)
	rights, ok2 := branches(e.Right, x)
	if !ok1 || !ok2 || len(lefts)*len(rights) > maxChoices {
		return formula.Preimage{}, false
	}
	var pairs []relation
	for _, l := range lefts {
		for _, r := range rights {
			pairs = append(pairs, relation{l, r})
		}
	}
	for _, p := range pairs {
		if (p.left.Has(x) || p.right.Has(x)) && !s.collectable(p.left, p.right, x) {
			return formula.Preimage{}, false
		}
	}
	single := len(pairs) == 1
	for _, p := range pairs {
		if !p.left.Has(x) && !p.right.Has(x) {
			// A branch without the unknown holds for none of its values, or for a whole range of them.
			same := s.equal(s.Eval(p.left), s.Eval(p.right))
			if s.TryErr() != nil && s.Limited() {
				return formula.Preimage{}, false
			}
			all.Infinite = all.Infinite || same
			continue
		}
		roots, ok := s.collected(p.left, p.right, x, 0)
		if s.TryErr() != nil {
			if s.Limited() || single {
				return formula.Preimage{}, false
			}
			continue
		}
		if !ok {
			return formula.Preimage{}, false
		}
		all.Add(roots)
	}
	if !single {
		// Which branch an angle of another turn belongs to shows only now.
		all.Roots, all.More = append(all.Roots, all.More...), nil
	}
	all.Roots, all.More = s.keep(e, v, all.Roots), s.keep(e, v, all.More)
	if all.Infinite {
		if single {
			return formula.Preimage{Infinite: true}, true
		}
		var points formula.Decimals
		if points, all.Infinite = s.somewhere(e, v, all); !all.Infinite {
			all.Roots = append(all.Roots, points...)
		}
	}
	return all, true
}

// equal reports whether two numbers are no further apart than what may be wrong with them.
func (s *Solver) equal(a, b decimal.Decimal) bool {
	miss := s.Context.Sub(a, b)
	return miss.IsZero() || miss.Vague()
}

// somewhere reports whether the equation holds at one of a few spread values of v, or beside or
// between places where the choice of a branch may change, which shows a range of solutions. Without
// one it lists the places themselves where it holds: a branch may be chosen at a single value.
func (s *Solver) somewhere(e *formula.Equation, v int, roots formula.Preimage) (single formula.Decimals, ranges bool) {
	isolated := slices.Concat(roots.Roots, roots.More)
	places := slices.Clone(isolated)
	for _, side := range []*formula.Node{e.Left, e.Right} {
		side.Walk(func(n *formula.Node) { places = append(places, s.switches(n, e.Unknown(v))...) })
	}
	slices.SortFunc(places, func(a, b decimal.Decimal) int { return a.Cmp(b) })
	var probes formula.Decimals
	for i, place := range places {
		beyond := s.Context.Add(place.Abs(), decimal.Int(1))
		if i > 0 {
			probes = append(probes, s.Context.Mul(s.Context.Add(places[i-1], place), oneHalf))
		} else {
			probes = append(probes, s.Context.Sub(place, beyond))
		}
		if i == len(places)-1 {
			probes = append(probes, s.Context.Add(place, beyond))
		}
	}
	for _, text := range []string{"0", "1", "-1", "1e-6", "1e6", "-1e6", "1e12", "37.3", "1234.5"} {
		probes = append(probes, decimal.MustParse(text))
	}
	holds := func(x decimal.Decimal) bool {
		s.Suppose(v, x)
		return s.Satisfied(e)
	}
	if slices.ContainsFunc(probes, func(probe decimal.Decimal) bool { return !s.contains(places, probe) && holds(probe) }) {
		return nil, true
	}
	return slices.DeleteFunc(places, func(place decimal.Decimal) bool { return s.contains(isolated, place) || !holds(place) }), false
}

// switches lists where the condition of an if changes, or which argument a min, max, clamp or abs
// takes, as far as collecting terms shows it.
func (s *Solver) switches(n *formula.Node, x formula.Unknown) (places formula.Decimals) {
	if n.Op != formula.OpCall || n.Function.Choice == formula.NoChoice || !n.Has(x) {
		return nil
	}
	meet := func(a, b *formula.Node) {
		if !a.Has(x) && !b.Has(x) || !s.collectable(a, b, x) {
			return
		}
		p, _ := s.collected(a, b, x, 0)
		if s.TryErr() == nil {
			places = append(places, p.Roots...)
		}
	}
	switch {
	case n.Function.Lazy:
		n.Args[0].Walk(func(c *formula.Node) {
			switch c.Op {
			case formula.OpEq, formula.OpNe, formula.OpLt, formula.OpLe, formula.OpGt, formula.OpGe:
				meet(c.Args[0], c.Args[1])
			}
		})
	case n.Function.Choice == formula.EitherSign:
		meet(n.Args[0], &formula.Node{Op: formula.OpNumber})
	default:
		for i, a := range n.Args {
			for _, b := range n.Args[:i] {
				meet(a, b)
			}
		}
	}
	return places
}

// apart is the sides of an equation, first one with the unknown.
func apart(left, right *formula.Node, x formula.Unknown) (first, other *formula.Node) {
	if left.Has(x) {
		return left, right
	}
	return right, left
}

// collectable reports whether it is worth while to collect terms.
func (s *Solver) collectable(left, right *formula.Node, x formula.Unknown) bool {
	first, other := apart(left, right, x)
	if first.Occurrences(x.Variable) == 1 && !other.Has(x) && invertible(first, x) {
		return true
	}
	defer s.TryErr()
	return slices.ContainsFunc(atoms(first, x), func(atom *formula.Node) bool {
		return s.collects(left, x, atom) && s.collects(right, x, atom)
	})
}

// collected solves left = right by collecting terms in the unknown, or in an expression that holds
// all its occurrences.
func (s *Solver) collected(left, right *formula.Node, x formula.Unknown, depth int) (formula.Preimage, bool) {
	first, other := apart(left, right, x)
	if first.Occurrences(x.Variable) == 1 && !other.Has(x) && invertible(first, x) {
		return s.invert(first, x, s.Eval(other)), true
	}
	if depth > 4 {
		return formula.Preimage{}, false
	}
	for _, atom := range atoms(first, x) {
		p, ok := s.polynomialRoots(left, right, x, atom)
		if s.Limited() {
			return formula.Preimage{}, false
		}
		if !ok {
			s.Context.Reset()
			continue
		}
		if atom.Op == formula.OpVariable || p.Infinite {
			return p, true
		}
		var all formula.Preimage
		for _, t := range p.Roots {
			q, ok := s.collected(atom, &formula.Node{Op: formula.OpNumber, Value: t}, x, depth+1)
			if !ok {
				return formula.Preimage{}, false
			}
			all.Add(q)
		}
		return all, true
	}
	return formula.Preimage{}, false
}

// branches lists what an expression is when each choice above the unknown is made one way: an if is
// one of its sides, an abs its argument or the negative of that, min, max and clamp one of their
// arguments.
func branches(n *formula.Node, x formula.Unknown) ([]*formula.Node, bool) {
	if !n.Choices || !n.Has(x) {
		return []*formula.Node{n}, true
	}
	var list []*formula.Node
	if n.Op == formula.OpCall && n.Function.Choice != formula.NoChoice {
		args := n.Args
		if n.Function.Lazy {
			args = args[1:]
		}
		for _, a := range args {
			inner, ok := branches(a, x)
			if !ok {
				return nil, false
			}
			list = append(list, inner...)
			if n.Function.Choice == formula.EitherSign {
				for _, b := range inner {
					list = append(list, &formula.Node{Op: formula.OpNeg, Start: n.Start, End: n.End, Args: []*formula.Node{b}, Mask: b.Mask})
				}
			}
		}
		return list, len(list) <= maxChoices
	}
	if n.TakesTable() {
		return nil, false // each cell makes its choice
	}
	list = []*formula.Node{{}}
	for _, a := range n.Args {
		inner, ok := branches(a, x)
		if !ok || len(list)*len(inner) > maxChoices {
			return nil, false
		}
		var next []*formula.Node
		for _, l := range list {
			for _, b := range inner {
				copied := *n
				copied.Args = append(slices.Clone(l.Args), b)
				copied.Choices = false
				copied.Mask = l.Mask | b.Mask
				next = append(next, &copied)
			}
		}
		list = next
	}
	return list, true
}
