package solve

import (
	"math"
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/formula"
)

// leastChain is the size from which on a block is followed as a chain. Smaller ones are left to
// what finds all of their solutions.
const leastChain = 13

// chain is a block that follows from a guess of one variable, equation by equation, with one
// equation left as a check: a goal that is sought through a model which goes forwards.
type chain struct {
	guess int
	links []link
	check *formula.Equation

	forward bool // each link is what its equation says a variable is
}

// link is a variable of a chain as an expression in those before it.
type link struct {
	variable   int
	expression *formula.Node
}

// maxGuesses bounds the variables that are tried as the guess of a chain, by edges of the block.
const maxGuesses = 40

// chain finds a guess from which a block follows; nil where it finds none. The target is tried
// first, then what no equation gives by itself.
func (s *Solver) chain(step Step, equations []*formula.Equation) *chain {
	inBlock := make(map[int]bool, len(step.Outputs))
	users := make(map[int][]int, len(step.Outputs)) // by variable: positions of equations
	for _, o := range step.Outputs {
		inBlock[o] = true
	}
	edges := 0
	given := map[int]bool{} // variables that stand alone on a side
	open := make([]int, len(equations))
	for i, e := range equations {
		for _, v := range e.Refs {
			if inBlock[v] {
				users[v] = append(users[v], i)
				open[i]++
				edges++
			}
		}
		for _, side := range []*formula.Node{e.Left, e.Right} {
			if side.Op == formula.OpVariable {
				given[side.Variable] = true
			}
		}
	}
	var guesses, others []int
	for _, o := range step.targetFirst() {
		if o == step.Variable || !given[o] {
			guesses = append(guesses, o)
		} else {
			others = append(others, o)
		}
	}
	looks := maxGuesses * edges
	for _, guess := range append(guesses, others...) {
		if looks < 0 || !s.Context.Spend(1) {
			break
		}
		if c := followed(guess, equations, inBlock, users, slices.Clone(open), &looks); c != nil {
			return c
		}
	}
	return nil
}

// followed is the chain from a guess, nil where it breaks off. open counts the unknowns of each
// equation.
func followed(guess int, equations []*formula.Equation, inBlock map[int]bool, users map[int][]int, open []int, looks *int) *chain {
	c := &chain{guess: guess, forward: true}
	known := map[int]bool{guess: true}
	used := make([]bool, len(equations))
	*looks -= 1 + len(equations)/8
	var queue, later []int // later are equations that do not say themselves what their unknown is
	learn := func(v int) {
		*looks -= len(users[v])
		for _, i := range users[v] {
			if open[i]--; open[i] == 1 {
				queue = append(queue, i)
			}
		}
	}
	learn(guess)
	for len(queue)+len(later) > 0 {
		first := len(queue) > 0
		if !first {
			queue, later = []int{later[0]}, later[1:]
		}
		i := queue[0]
		queue = queue[1:]
		e := equations[i]
		if open[i] != 1 {
			continue
		}
		at := slices.IndexFunc(e.Refs, func(v int) bool { return inBlock[v] && !known[v] })
		v := e.Refs[at]
		forward := e.Left.Op == formula.OpVariable && e.Left.Variable == v || e.Right.Op == formula.OpVariable && e.Right.Variable == v
		if first && !forward {
			later = append(later, i)
			continue
		}
		if expression := solvedFor(e, v); expression != nil && e.Calculable[at] {
			known[v], used[i] = true, true
			c.links = append(c.links, link{v, expression})
			c.forward = c.forward && forward
			learn(v)
		}
	}
	if len(c.links) != len(equations)-1 {
		return nil
	}
	c.check = equations[slices.Index(used, false)]
	return c
}

// solvedFor is what an equation says a variable is, where it names it once and arithmetic alone
// leads to it; else nil.
func solvedFor(e *formula.Equation, v int) *formula.Node {
	if e.Count[e.Position(v)] != 1 {
		return nil
	}
	x := e.Unknown(v)
	side, other := apart(e.Left, e.Right, x)
	for side.Op != formula.OpVariable {
		if len(side.Args) == 0 {
			return nil
		}
		a, b := side.Args[0], side.Args[len(side.Args)-1]
		first := a.Has(x)
		switch {
		case side.Op == formula.OpAdd && first:
			other = formula.Combined(formula.OpSub, other, b)
		case side.Op == formula.OpAdd:
			other = formula.Combined(formula.OpSub, other, a)
		case side.Op == formula.OpSub && first:
			other = formula.Combined(formula.OpAdd, other, b)
		case side.Op == formula.OpSub:
			other = formula.Combined(formula.OpSub, a, other)
		case side.Op == formula.OpMul && first:
			other = formula.Combined(formula.OpDiv, other, b)
		case side.Op == formula.OpMul:
			other = formula.Combined(formula.OpDiv, other, a)
		case side.Op == formula.OpDiv && first:
			other = formula.Combined(formula.OpMul, other, b)
		case side.Op == formula.OpDiv:
			other = formula.Combined(formula.OpDiv, a, other)
		case side.Op == formula.OpNeg:
			other = formula.Combined(formula.OpNeg, other)
		case side.Op == formula.OpPercent:
			other = formula.Combined(formula.OpMul, other, formula.Number(formula.Hundred))
		default:
			return nil
		}
		if side = a; !first {
			side = b
		}
	}
	return other
}

// follow gives all variables of a chain their values for a guess.
func (s *Solver) follow(c *chain, x decimal.Decimal) bool {
	s.Values[c.guess] = x
	for _, l := range c.links {
		s.Values[l.variable] = s.Eval(l.expression)
	}
	return s.TryErr() == nil
}

// chained lists the solutions of a block that is a chain, each in the order of the block's outputs:
// roots of what the last equation misses by, as a function of the guess, among samples over
// decades, each refined in decimal through all equations. forward asks for chains of that kind or
// of the other, where rounding may grow from link to link. The error says that any guess does.
// Without either the block is no such chain, or no sample shows a root.
func (s *Solver) chained(step Step, equations []*formula.Equation, forward bool) ([]formula.Decimals, error) {
	c := s.chain(step, equations)
	if c == nil || c.forward != forward {
		return nil, nil
	}
	seek := &seeker{solver: s, variable: c.guess}
	if !s.compose(c, seek) {
		s.TryErr()
		return nil, nil
	}
	seek.difference = func(x decimal.Decimal) (decimal.Decimal, bool) {
		if !s.follow(c, x.Exactly()) {
			return decimal.Decimal{}, false
		}
		f := s.Context.Sub(s.Eval(c.check.Left), s.Eval(c.check.Right))
		return f, s.TryErr() == nil
	}
	var found []formula.Decimals
	var z *system
	var err error
	// at is the solution at a guess, with the digits that were lost from link to link.
	at := func(x decimal.Decimal) (values formula.Decimals, ok bool) {
		unsure := s.Unsure
		if !s.follow(c, x) {
			return nil, false
		}
		for _, o := range step.Outputs {
			values = append(values, s.Values[o])
		}
		if slices.ContainsFunc(values, lacksDigits) {
			if z == nil {
				z = s.system(step, equations)
			}
			values = s.sharpened(z, values)
		}
		if ok = s.fits(step, equations, values); !ok {
			s.Unsure = unsure
		}
		return values, ok
	}
	seek.roots(func(roots formula.Decimals) (kept formula.Decimals) {
		for _, x := range s.distinct(roots) {
			root, certain := seek.certain(x)
			values, ok := at(root)
			if !certain && (!ok || slices.ContainsFunc(values, lacksDigits)) {
				sure := seek.sure(formula.Decimals{x})
				if len(sure) == 0 {
					continue
				}
				root = sure[0]
				values, ok = at(root)
			}
			if !ok {
				continue
			}
			// A check that holds beside a root as well says nothing about the unknowns.
			if f, ok := seek.difference(s.Context.Mul(root, beside[0])); ok && !root.IsZero() && f.IsZero() {
				err = ErrManySolutions
				return roots
			}
			kept, found = append(kept, root), append(found, values)
		}
		return kept
	})
	return found, err
}

// sharpened is a solution with the digits that were lost from link to link: what is wrong with each
// value tells by the inverse of the slopes of all equations.
func (s *Solver) sharpened(z *system, values formula.Decimals) formula.Decimals {
	if z == nil {
		return values
	}
	start := make([]float64, len(values))
	for j := range values {
		start[j] = values[j].Float64()
	}
	if sharp, ok := z.refined(start); ok {
		return sharp
	}
	s.TryErr()
	return values
}

// lacksDigits reports whether a number has fewer right digits than are given out.
func lacksDigits(t decimal.Decimal) bool { return !t.IsZero() && t.Right() < formula.RightDigits }

// compose gives a seeker what the check of a chain misses by in float64, as one program from the
// guess on; false where a part has no form in float64.
func (s *Solver) compose(c *chain, seek *seeker) bool {
	unknown := &formula.Node{Op: formula.OpVariable, Variable: c.guess, Mask: 1}
	of := map[int]*formula.Node{c.guess: unknown}
	for _, l := range c.links {
		of[l.variable] = nil
	}
	for _, l := range c.links {
		if of[l.variable] = s.composed(l.expression, of); of[l.variable] == nil {
			return false
		}
	}
	e := &formula.Equation{
		Left: s.composed(c.check.Left, of), Right: s.composed(c.check.Right, of),
		Refs: []int{c.guess}, Order: []int{c.guess}, Count: []int{1}, Calculable: []bool{true},
	}
	if e.Left == nil || e.Right == nil {
		return false
	}
	e.Share()
	s.toFloats(e)
	run := s.Run(e, formula.Unknown{Variable: c.guess, Mask: 1})
	if run == nil {
		return false
	}
	seek.run, seek.cost = run, run.Length()/chainPerUnit
	seek.value = func(x float64) (float64, float64) {
		left, right := run.Sides(x)
		return left - right, math.Abs(left) + math.Abs(right)
	}
	return true
}

// chainPerUnit is how many operations in float64 count as one unit.
const chainPerUnit = 32

// composed is n with what the variables of a chain stand for in their places, and everything else
// evaluated; nil where that is not possible.
func (s *Solver) composed(n *formula.Node, of map[int]*formula.Node) *formula.Node {
	if n.Op == formula.OpVariable {
		if o, ok := of[n.Variable]; ok {
			return o
		}
		return formula.Number(s.Values[n.Variable])
	}
	open := false
	n.Walk(func(part *formula.Node) {
		if part.Op == formula.OpVariable {
			_, ok := of[part.Variable]
			open = open || ok
		}
	})
	switch {
	case !open && n.Op == formula.OpNumber:
		return n
	case !open:
		value := s.Eval(n)
		if s.TryErr() != nil {
			return nil
		}
		return formula.Number(value)
	case n.Op == formula.OpList, n.Op == formula.OpCall && n.TakesTable():
		return nil
	}
	args := make([]*formula.Node, len(n.Args))
	for i, a := range n.Args {
		if args[i] = s.composed(a, of); args[i] == nil {
			return nil
		}
		if i == 0 && n.Op == formula.OpCall && n.Function.Lazy && args[0].Op == formula.OpNumber {
			if args[0].Value.IsZero() {
				return s.composed(n.Args[2], of)
			}
			return s.composed(n.Args[1], of)
		}
	}
	return n.With(args)
}
