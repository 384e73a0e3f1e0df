package solve

import (
	"cmp"
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/formula"
)

// Bounds of elimination.
const (
	maxEliminations = 300  // substitutions that are tried
	maxSubstituted  = 1500 // nodes of an equation
	maxBranches     = 16   // equations that roots of both signs lead to
	maxReductions   = 2    // unknowns whose equations are solved
	maxVanished     = 4    // equations where a factor is 0

	eliminatedNodes = 40 // of an expression that are built anew at the cost of one unit

	maxEliminationCost = 150_000 // what is not found by then is given up
)

// relation is an equation among the unknowns of a block, everything known in it evaluated.
type relation struct{ left, right *formula.Node }

// substitution says what an eliminated unknown is in terms of the others.
type substitution struct {
	variable int
	by       *formula.Node
}

// reduced is one equation in one unknown, and how the other unknowns follow from it.
type reduced struct {
	relation
	variable int
	steps    []substitution // in the order of elimination, so that the last one is evaluated first
	vanished bool           // a factor that was divided by is 0
	lost     bool           // nothing is known of where such a factor is 0, and there is no equation
}

// eliminator turns a block into equations of one unknown by solving one equation after the other
// for an unknown and putting that into the rest.
type eliminator struct {
	solver *Solver
	shared *formula.Equation // its refs are the unknowns; masks of all nodes are by position in it
	tries  int
}

// relations are the equations of a block with all that is known evaluated; false where one cannot
// be evaluated.
func (s *Solver) relations(equations []*formula.Equation, shared *formula.Equation) ([]relation, bool) {
	var list []relation
	for _, e := range equations {
		left, ok1 := s.closed(e.Left, shared)
		right, ok2 := s.closed(e.Right, shared)
		if !ok1 || !ok2 {
			return nil, false
		}
		list = append(list, relation{left, right})
	}
	return list, true
}

// closed is a copy of n in which every part without an unknown is evaluated.
func (s *Solver) closed(n *formula.Node, shared *formula.Equation) (*formula.Node, bool) {
	if !slices.ContainsFunc(shared.Refs, func(v int) bool { return n.Occurrences(v) > 0 }) {
		value := s.Eval(n)
		return formula.Number(value), s.TryErr() == nil
	}
	if n.Op == formula.OpVariable {
		return &formula.Node{Op: formula.OpVariable, Variable: n.Variable, Mask: formula.MaskOf(shared.Position(n.Variable))}, true
	}
	if n.Op == formula.OpList || n.Op == formula.OpCall && (n.Function.Grid != nil || n.Function.Binds) {
		return nil, false
	}
	args := make([]*formula.Node, len(n.Args))
	for i, a := range n.Args {
		var ok bool
		if args[i], ok = s.closed(a, shared); !ok {
			return nil, false
		}
	}
	return n.With(args), true
}

// linearIn writes n as slope × x + rest, both free of x; false where it is not linear in it.
func linearIn(n *formula.Node, x formula.Unknown) (slope, rest *formula.Node, ok bool) {
	if !n.Has(x) {
		return formula.Integer(0), n, true
	}
	switch n.Op {
	case formula.OpVariable:
		return formula.Integer(1), formula.Integer(0), true
	case formula.OpNeg, formula.OpPercent:
		slope, rest, ok = linearIn(n.Args[0], x)
		if !ok {
			return nil, nil, false
		}
		return formula.Combined(n.Op, slope), formula.Combined(n.Op, rest), true
	case formula.OpAdd, formula.OpSub:
		s1, r1, ok1 := linearIn(n.Args[0], x)
		s2, r2, ok2 := linearIn(n.Args[1], x)
		if !ok1 || !ok2 {
			return nil, nil, false
		}
		return formula.Combined(n.Op, s1, s2), formula.Combined(n.Op, r1, r2), true
	case formula.OpMul, formula.OpDiv:
		k := 0
		if n.Args[1].Has(x) {
			if n.Args[0].Has(x) || n.Op == formula.OpDiv {
				return nil, nil, false
			}
			k = 1
		}
		s, r, ok := linearIn(n.Args[k], x)
		if !ok {
			return nil, nil, false
		}
		other := n.Args[1-k]
		return formula.Combined(n.Op, s, other), formula.Combined(n.Op, r, other), true
	}
	return nil, nil, false
}

// isolated lists what x is where n has the value t, in terms of the rest: several expressions where
// a root has two signs. It is nil where the engine does not know.
func isolated(n *formula.Node, x formula.Unknown, t *formula.Node) []*formula.Node {
	if n.Op == formula.OpVariable {
		return []*formula.Node{t}
	}
	if n.Occurrences(x.Variable) != 1 {
		return nil
	}
	k := slices.IndexFunc(n.Args, func(a *formula.Node) bool { return a.Has(x) })
	inner := n.Args[k]
	switch n.Op {
	case formula.OpNeg:
		return isolated(inner, x, formula.Combined(formula.OpNeg, t))
	case formula.OpPercent:
		return isolated(inner, x, formula.Combined(formula.OpMul, t, formula.Integer(100)))
	case formula.OpCall:
		f := n.Function
		if f.Isolations == nil && f.Definition != nil {
			return isolated(n.Defined(), x, t)
		}
		var list []*formula.Node
		for _, by := range f.Isolations {
			if k == 0 && f.Period == 0 {
				list = append(list, isolated(inner, x, by.Applied(slices.Concat(n.Arguments(), []*formula.Node{t}), n))...)
			}
		}
		return list
	}
	if len(n.Args) != 2 {
		return nil
	}
	// What undoes an operation on its first operand; on the second one only a sum or product is undone
	// alike.
	other, undo := n.Args[1-k], map[formula.Op]formula.Op{
		formula.OpAdd: formula.OpSub, formula.OpSub: formula.OpAdd, formula.OpMul: formula.OpDiv, formula.OpDiv: formula.OpMul,
	}[n.Op]
	switch {
	case k == 1 && (n.Op == formula.OpSub || n.Op == formula.OpDiv):
		return isolated(inner, x, formula.Combined(n.Op, other, t))
	case n.Op != formula.OpPow && undo != 0:
		return isolated(inner, x, formula.Combined(undo, t, other))
	case n.Op == formula.OpPow && k == 1:
		return isolated(inner, x, formula.Combined(formula.OpDiv, formula.Called(formula.NaturalLogarithm, t), formula.Called(formula.NaturalLogarithm, other)))
	case n.Op == formula.OpPow && other.Op == formula.OpNumber:
		return rooted(inner, x, t, other.Value)
	}
	return nil
}

// rooted lists what x is where the power of n to an exponent is t.
func rooted(n *formula.Node, x formula.Unknown, t *formula.Node, exponent decimal.Decimal) []*formula.Node {
	i, whole := exponent.Int64()
	if exponent.IsZero() {
		return nil
	}
	if whole && i < 0 {
		return rooted(n, x, formula.Combined(formula.OpDiv, formula.Integer(1), t), exponent.Neg())
	}
	root := formula.Called(formula.AnyRoot, t, formula.Number(exponent))
	switch {
	case whole && i == 2:
		root = formula.Called(formula.SquareRoot, t)
	case whole && i == 3:
		root = formula.Called(formula.CubeRoot, t)
	}
	list := isolated(n, x, root)
	if whole && i%2 == 0 && list != nil {
		list = append(list, isolated(n, x, formula.Combined(formula.OpNeg, root))...)
	}
	return list
}

// substituted is n with an expression in the place of a variable.
func substituted(n *formula.Node, x formula.Unknown, by *formula.Node) *formula.Node {
	if !n.Has(x) {
		return n
	}
	if n.Op == formula.OpVariable {
		return by
	}
	args := make([]*formula.Node, len(n.Args))
	for i, a := range n.Args {
		args[i] = substituted(a, x, by)
	}
	return n.With(args)
}

// way is how an unknown is eliminated: by which relation, and what it is in terms of the others.
type way struct {
	at, variable int
	by           []*formula.Node
	size         int           // of what it leads to
	factor       *formula.Node // what is divided by and may be 0, nil for none
}

// reduce eliminates all unknowns but one. The list has an equation for each choice of signs on the
// way; it is nil where no way was found.
func (l *eliminator) reduce(relations []relation, unknowns []int, keep int) []reduced {
	if len(relations) == 1 {
		return []reduced{{relation: relations[0], variable: keep}}
	}
	var ways []way
	relations = slices.Clone(relations)
	for at := range relations {
		r := &relations[at]
		for _, v := range unknowns {
			x := l.shared.Unknown(v)
			if v == keep || !r.left.Has(x) && !r.right.Has(x) {
				continue
			}
			if !l.solver.Context.Spend(1 + (nodeCount(r.left)+nodeCount(r.right))/eliminatedNodes) {
				return nil
			}
			var by []*formula.Node
			var factor *formula.Node
			if slope, rest, ok := linearIn(formula.Combined(formula.OpSub, r.left, r.right), x); ok {
				if l.vanishes(slope) {
					*r = relation{rest, formula.Integer(0)}
					continue
				}
				by = []*formula.Node{formula.Combined(formula.OpDiv, formula.Combined(formula.OpNeg, rest), slope)}
				if slope.Mask != 0 && (rest.Mask != 0 || l.vanishes(rest)) {
					factor = slope
				}
			} else if r.left.Has(x) != r.right.Has(x) {
				side, other := apart(r.left, r.right, x)
				by = isolated(side, x, other)
			}
			if len(by) == 0 || len(by) > 2 {
				continue
			}
			// A quotient with unknowns below is undefined somewhere, a root has two signs: plain ways first.
			size := 1000 * (len(by) - 1)
			for _, n := range by {
				size += nodeCount(n)
				n.Walk(func(o *formula.Node) {
					if o.Op == formula.OpDiv && o.Args[1].Mask != 0 {
						size += 100
					}
				})
			}
			ways = append(ways, way{at, v, by, size, factor})
		}
	}
	slices.SortStableFunc(ways, func(a, b way) int { return cmp.Compare(a.size, b.size) })
	for _, w := range ways {
		if l.tries++; l.tries > maxEliminations {
			return nil
		}
		if all := l.along(relations, unknowns, keep, w); all != nil {
			return all
		}
	}
	return nil
}

// vanishes reports whether a slope without unknowns is zero, rounding aside: the terms of an
// unknown cancel out.
func (l *eliminator) vanishes(slope *formula.Node) bool {
	if slope.Mask != 0 {
		return false
	}
	solver := l.solver
	value, size := solver.Eval(slope), solver.Size(slope)
	return solver.TryErr() == nil && solver.isNoise(term{value, size})
}

// along eliminates one unknown in one way and goes on with the rest.
func (l *eliminator) along(relations []relation, unknowns []int, keep int, w way) []reduced {
	x := l.shared.Unknown(w.variable)
	left := slices.DeleteFunc(slices.Clone(unknowns), func(v int) bool { return v == w.variable })
	var all []reduced
	for _, n := range w.by {
		var rest []relation
		for _, r := range slices.Delete(slices.Clone(relations), w.at, w.at+1) {
			next := relation{substituted(r.left, x, n), substituted(r.right, x, n)}
			nodes := nodeCount(next.left) + nodeCount(next.right)
			if nodes > maxSubstituted || !l.solver.Context.Spend(1+nodes/eliminatedNodes) {
				return nil
			}
			rest = append(rest, next)
		}
		further := l.reduce(rest, left, keep)
		if further == nil || len(all)+len(further) > maxBranches {
			return nil
		}
		for _, f := range further {
			f.steps = append([]substitution{{w.variable, n}}, f.steps...)
			all = append(all, f)
		}
	}
	return append(all, l.without(relations, unknowns, keep, w)...)
}

// without lists the equations that are left where the factor that a way divides by is 0, in the
// place of the relation that it stands in: what satisfies them need not satisfy that. Where no way
// was found that is told.
func (l *eliminator) without(relations []relation, unknowns []int, keep int, w way) []reduced {
	if w.factor == nil {
		return nil
	}
	relations = slices.Clone(relations)
	relations[w.at] = relation{w.factor, formula.Integer(0)}
	list := l.reduce(relations, unknowns, keep)
	if len(list) == 0 || len(list) > maxVanished {
		return []reduced{{lost: true}}
	}
	for i := range list {
		list[i].vanished = true
	}
	return list
}

// eliminated finds the values of a block's unknowns by elimination, each a list in the order of the
// block's outputs. infinite says that there are infinitely many, sure that all solutions were
// looked for.
func (s *Solver) eliminated(step Step, equations []*formula.Equation) (found []formula.Decimals, infinite, sure bool) {
	shared := &formula.Equation{Refs: step.Outputs, Order: step.Outputs}
	relations, ok := s.relations(equations, shared)
	if !ok {
		return nil, false, false
	}
	var ways [][]reduced
	for _, keep := range step.targetFirst() {
		l := &eliminator{solver: s, shared: shared}
		if list := l.reduce(relations, step.Outputs, keep); list != nil {
			ways = append(ways, list)
		}
	}
	size := func(list []reduced) (nodes int) {
		for _, r := range list {
			if r.lost {
				continue
			}
			nodes += nodeCount(r.left) + nodeCount(r.right)
		}
		return nodes
	}
	// The shortest equations are the soonest solved.
	slices.SortStableFunc(ways, func(a, b []reduced) int { return cmp.Compare(size(a), size(b)) })
	for _, list := range ways[:min(len(ways), maxReductions)] {
		found, infinite, sure = s.finish(step, equations, shared, list)
		if s.Limited() {
			return nil, false, false
		}
		if len(found) > 0 || infinite || sure {
			return found, infinite, sure
		}
	}
	return nil, false, false
}

// finish solves the equations that elimination left and lets the other unknowns follow. sure says
// that all roots of all of them were looked at.
func (s *Solver) finish(step Step, equations []*formula.Equation, shared *formula.Equation, list []reduced) (found []formula.Decimals, infinite, sure bool) {
	// A function stands for one of its inverses in what was eliminated, so that the others were not
	// looked at.
	sure = !slices.ContainsFunc(equations, func(e *formula.Equation) bool { return e.Left.Calls() || e.Right.Calls() })
	defer func() { s.aim = aim{} }()
	for _, r := range list {
		if r.lost {
			sure = false
			continue
		}
		e := &formula.Equation{Title: equations[0].Title, Left: r.left, Right: r.right, Refs: step.Outputs, Order: step.Outputs, Count: make([]int, len(step.Outputs)), Active: true}
		x := shared.Unknown(r.variable)
		if !r.left.Has(x) && !r.right.Has(x) {
			// The equations depend on one another, or exclude one another.
			infinite = infinite || !r.vanished && s.Satisfied(e)
			continue
		}
		e.Count[e.Position(r.variable)] = r.left.Occurrences(r.variable) + r.right.Occurrences(r.variable)
		s.aim = aim{preferred: true, all: true}
		p, err := s.solutions(e, r.variable)
		if s.TryErr() != nil && s.Limited() {
			return nil, false, false
		}
		if err != nil {
			sure = false
			continue
		}
		if p.Infinite {
			infinite = infinite || !r.vanished
			continue
		}
		for _, t := range slices.Concat(p.Roots, p.More) {
			s.Values[r.variable] = t
			fits := true
			for i := len(r.steps) - 1; i >= 0 && fits; i-- {
				s.Values[r.steps[i].variable] = s.Eval(r.steps[i].by)
				fits = s.TryErr() == nil
			}
			if fits && s.allHold(equations) {
				values := make(formula.Decimals, len(step.Outputs))
				for i, o := range step.Outputs {
					values[i] = s.Values[o]
				}
				found = append(found, values)
			}
		}
	}
	return found, infinite, sure
}
