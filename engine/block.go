package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"reckon/engine/decimal"
)

// block is a set of activities solved together for as many variables.
type block struct {
	activities []int
	outputs    []int // in domain order
	inputs     []int // the other variables of the activities, in domain order
}

// maxBlock bounds the activities that are solved together.
const maxBlock = 50

// squareBlocks finds the smallest sets of activities that determine as many unknown variables: a maximum matching of
// activities and unknowns, less what hangs on unmatched unknowns (Dulmage and Mendelsohn, 1958), cut into strongly
// connected components (Tarjan, 1972). Domain order decides between equal choices.
func (d *Domain) squareBlocks(known []bool, disabled bool) []*block {
	unknowns := make([][]int, len(d.equations)) // of each activity
	for a, e := range d.equations {
		if !e.active && !disabled || e.tables {
			continue
		}
		for i, v := range e.refs {
			if !known[v] {
				if !e.calculable[i] || d.profiles[v].table {
					unknowns[a] = nil
					break
				}
				unknowns[a] = append(unknowns[a], v)
			}
		}
	}
	owner := make([]int, len(d.profiles))  // the activity matched to a variable
	match := make([]int, len(d.equations)) // the variable matched to an activity
	for v := range owner {
		owner[v] = -1
	}
	seen, round := make([]int, len(d.profiles)), 0
	var augment func(a int) bool
	augment = func(a int) bool {
		for _, v := range unknowns[a] {
			if seen[v] == round {
				continue
			}
			seen[v] = round
			if owner[v] < 0 || augment(owner[v]) {
				owner[v], match[a] = a, v
				return true
			}
		}
		return false
	}
	matched := make([]bool, len(d.equations))
	for a := range d.equations {
		if len(unknowns[a]) > 0 {
			round++
			matched[a] = augment(a)
		}
	}
	// An activity is underdetermined when one of its unknowns is free, or is owned by an underdetermined one.
	for changed := true; changed; {
		changed = false
		for a := range d.equations {
			if matched[a] && slices.ContainsFunc(unknowns[a], func(v int) bool { return owner[v] < 0 || !matched[owner[v]] }) {
				matched[a], changed = false, true
			}
		}
	}
	var blocks []*block
	t := components{next: func(a int) []int {
		var list []int
		for _, v := range unknowns[a] {
			if owner[v] != a {
				list = append(list, owner[v])
			}
		}
		return list
	}, index: make([]int, len(d.equations)), low: make([]int, len(d.equations)), on: make([]bool, len(d.equations))}
	for a := range d.equations {
		if matched[a] && t.index[a] == 0 {
			t.visit(a)
		}
	}
	for _, set := range t.found {
		slices.Sort(set)
		b := &block{activities: set}
		for _, a := range set {
			b.outputs = append(b.outputs, match[a])
		}
		slices.Sort(b.outputs)
		whole := true
		for _, a := range set {
			for _, v := range d.equations[a].refs {
				if slices.Contains(b.outputs, v) || slices.Contains(b.inputs, v) {
					continue
				}
				whole = whole && known[v]
				b.inputs = append(b.inputs, v)
			}
		}
		slices.Sort(b.inputs)
		if whole && len(set) > 1 && len(set) <= maxBlock {
			blocks = append(blocks, b)
		}
	}
	return blocks
}

// components is Tarjan's algorithm over activities.
type components struct {
	next       func(a int) []int
	index, low []int
	on         []bool
	stack      []int
	count      int
	found      [][]int
}

func (t *components) visit(a int) {
	t.count++
	t.index[a], t.low[a], t.on[a] = t.count, t.count, true
	t.stack = append(t.stack, a)
	for _, b := range t.next(a) {
		if t.index[b] == 0 {
			t.visit(b)
			t.low[a] = min(t.low[a], t.low[b])
		} else if t.on[b] {
			t.low[a] = min(t.low[a], t.index[b])
		}
	}
	if t.low[a] == t.index[a] {
		k := slices.Index(t.stack, a)
		set := slices.Clone(t.stack[k:])
		t.stack = t.stack[:k]
		for _, b := range set {
			t.on[b] = false
		}
		t.found = append(t.found, set)
	}
}

// closeBlocks goes on with what is known by blocks and single activities until nothing more follows. It returns the blocks.
func (d *Domain) closeBlocks(known []bool, disabled bool) []*block {
	var all []*block
	for range maxBlock {
		blocks := d.squareBlocks(known, disabled)
		if len(blocks) == 0 {
			break
		}
		for _, b := range blocks {
			for _, v := range b.outputs {
				known[v] = true
			}
		}
		all = append(all, blocks...)
		d.closure(known, disabled)
	}
	return all
}

// findBlocks lists the blocks that a plan may use: those that follow from what is given alone, and those that follow with
// defaults, and with remembered values, too.
func (d *Domain) findBlocks(g given, target int, remembered, disabled bool) []*block {
	var all []*block
	add := func(known []bool) {
		known[target] = false
		d.closure(known, disabled)
		for _, b := range d.closeBlocks(known, disabled) {
			if !slices.ContainsFunc(all, func(o *block) bool {
				return slices.Equal(o.activities, b.activities) && slices.Equal(o.outputs, b.outputs)
			}) {
				all = append(all, b)
			}
		}
	}
	fixed := make([]bool, len(g))
	for v := range g {
		fixed[v] = g.fixed(v)
	}
	add(fixed)
	add(g.leaves(remembered))
	return all
}

// linear is an expression as a constant and factors of the unknowns of a block.
type linear struct {
	constant term
	factors  []term
}

// linearForm writes n as a linear expression in unknowns; false where it is none.
func (m *machine) linearForm(n *node, unknowns []int) (linear, bool) {
	zero := func() linear { return linear{factors: make([]term, len(unknowns))} }
	if n.op == opVariable {
		if i := slices.Index(unknowns, n.variable); i >= 0 {
			l := zero()
			l.factors[i] = term{decimal.Int(1), decimal.Int(1)}
			return l, true
		}
	}
	if !slices.ContainsFunc(unknowns, func(v int) bool { return n.occurrences(v) > 0 }) {
		l := zero()
		v := m.eval(n)
		l.constant = term{v, v.Abs()}
		return l, m.c.Err() == nil
	}
	scale := func(l linear, by decimal.Decimal) linear {
		times := func(t term) term { return term{m.c.Mul(t.value, by), m.c.Mul(t.size, by.Abs())} }
		l.constant = times(l.constant)
		for i := range l.factors {
			l.factors[i] = times(l.factors[i])
		}
		return l
	}
	isConstant := func(l linear) bool {
		return !slices.ContainsFunc(l.factors, func(t term) bool { return !t.value.IsZero() })
	}
	switch n.op {
	case opNeg, opPercent:
		l, ok := m.linearForm(n.args[0], unknowns)
		if n.op == opPercent {
			return scale(l, decimal.MustParse("0.01")), ok
		}
		return scale(l, decimal.Int(-1)), ok
	case opAdd, opSub, opMul, opDiv:
		a, ok1 := m.linearForm(n.args[0], unknowns)
		if !ok1 {
			return linear{}, false
		}
		b, ok2 := m.linearForm(n.args[1], unknowns)
		if !ok2 {
			return linear{}, false
		}
		switch {
		case n.op == opMul && isConstant(b):
			return scale(a, b.constant.value), true
		case n.op == opMul && isConstant(a):
			return scale(b, a.constant.value), true
		case n.op == opMul:
			return linear{}, false
		case n.op == opDiv:
			if !isConstant(b) || b.constant.value.IsZero() {
				return linear{}, false
			}
			return scale(a, m.c.Quo(decimal.Int(1), b.constant.value)), true
		case n.op == opSub:
			b = scale(b, decimal.Int(-1))
		}
		plus := func(s, t term) term { return term{m.c.Add(s.value, t.value), m.c.Add(s.size, t.size)} }
		a.constant = plus(a.constant, b.constant)
		for i := range a.factors {
			a.factors[i] = plus(a.factors[i], b.factors[i])
		}
		return a, true
	}
	return linear{}, false
}

// errManySolutions says that equations leave a whole range of values.
var errManySolutions = errors.New("infinitely many solutions")

// errCrowded says that equations have so many single solutions that those which are found are a chance choice.
var errCrowded = fmt.Errorf("%w, apart from one another", errManySolutions)

// errNoSolution says that equations exclude one another.
var errNoSolution = errors.New("no solution")

// linearSystem solves linear equations. ok is false where one is not linear.
func (m *machine) linearSystem(equations []*equation, unknowns []int) (ok bool, err error) {
	n := len(unknowns)
	rows := make([]linear, n)
	for i, e := range equations {
		row, ok := m.linearForm(&node{op: opSub, args: []*node{e.left, e.right}}, unknowns)
		if !ok {
			return false, nil
		}
		rows[i] = row
	}
	if m.proportional(equations, unknowns, rows) {
		return true, errManySolutions
	}
	values, err := m.eliminate(rows, noise)
	if err != nil {
		return true, err
	}
	for i, v := range unknowns {
		m.values[v] = values[i]
	}
	return true, m.c.Err()
}

// proportional reports whether linear equations say nothing about the unknowns but how they relate to one another, and all of
// them say the same about that, within the 1% that given values may disagree by. Then rounding in the given values would leave
// zero for every unknown as the only solution.
func (m *machine) proportional(equations []*equation, unknowns []int, rows []linear) bool {
	for i, row := range rows {
		if !row.constant.value.IsZero() || slices.ContainsFunc(equations[i].refs, func(v int) bool {
			return !slices.Contains(unknowns, v) && m.values[v].IsZero()
		}) {
			return false
		}
	}
	copied := make([]linear, len(rows))
	for i, row := range rows {
		copied[i] = linear{row.constant, slices.Clone(row.factors)}
	}
	_, err := m.eliminate(copied, decimal.MustParse("0.01"))
	return errors.Is(err, errManySolutions)
}

// eliminate finds where as many linear expressions as unknowns are zero, by elimination with scaled partial pivoting. What is
// below a part of the size of what it was added up from counts as zero.
func (m *machine) eliminate(rows []linear, part decimal.Decimal) (decimals, error) {
	n := len(rows)
	c := m.c
	isNoise := func(t term) bool { return t.value.Abs().Cmp(c.Mul(t.size, part)) <= 0 }
	for k := range n {
		best := -1
		var most decimal.Decimal
		for i := k; i < n; i++ {
			if isNoise(rows[i].factors[k]) {
				continue
			}
			var size decimal.Decimal
			for _, f := range rows[i].factors[k:] {
				size = extreme(decimals{size, f.value.Abs()}, 1)
			}
			if share := c.Quo(rows[i].factors[k].value.Abs(), size); best < 0 || share.Cmp(most) > 0 {
				best, most = i, share
			}
		}
		if best < 0 {
			return nil, m.singular(rows, k, isNoise)
		}
		rows[k], rows[best] = rows[best], rows[k]
		for i := k + 1; i < n; i++ {
			if rows[i].factors[k].value.IsZero() {
				continue
			}
			by := c.Quo(rows[i].factors[k].value, rows[k].factors[k].value)
			less := func(s, t term) term {
				return term{c.Sub(s.value, c.Mul(t.value, by)), c.Add(s.size, c.Mul(t.size, by.Abs()))}
			}
			rows[i].constant = less(rows[i].constant, rows[k].constant)
			for j := k + 1; j < n; j++ {
				rows[i].factors[j] = less(rows[i].factors[j], rows[k].factors[j])
			}
			rows[i].factors[k] = term{}
		}
	}
	values := make(decimals, n)
	for k := n - 1; k >= 0; k-- {
		sum := rows[k].constant.value
		for j := k + 1; j < n; j++ {
			sum = c.Add(sum, c.Mul(rows[k].factors[j].value, values[j]))
		}
		values[k] = c.Quo(sum, rows[k].factors[k].value).Neg()
	}
	return values, c.Err()
}

// singular tells equations that exclude one another from those that say too little.
func (m *machine) singular(rows []linear, from int, isNoise func(term) bool) error {
	for _, r := range rows[from:] {
		if !slices.ContainsFunc(r.factors[from:], func(t term) bool { return !isNoise(t) }) && !isNoise(r.constant) {
			return errNoSolution
		}
	}
	return errManySolutions
}

// solveBlock finds the values of a block's variables: exactly where all its equations are linear, else by a search over
// one of them from which the others follow.
func (v *derivation) solveBlock(s planStep) *Error {
	m := v.machine
	// The order in which the domain lists things decides nothing.
	s.outputs, s.block = slices.Clone(s.outputs), slices.Clone(s.block)
	slices.SortStableFunc(s.outputs, func(a, b int) int { return cmp.Compare(v.key(a), v.key(b)) })
	slices.SortStableFunc(s.block, func(a, b int) int {
		return slices.Compare(v.domain.equations[a].source, v.domain.equations[b].source)
	})
	equations := make([]*equation, len(s.block))
	for i, a := range s.block {
		equations[i] = v.domain.equations[a]
	}
	fail := func(err error) *Error {
		var problem Error
		switch {
		case errors.Is(err, errNoSolution):
			problem = Problem("calculation.no_solution", v.key(s.variable))
		case errors.Is(err, errManySolutions):
			problem = Problem("calculation.multiple_solutions", v.key(s.variable), "infinitely many")
		default:
			problem = v.problem(err, equations[0], s.variable)
		}
		return &problem
	}
	ok, err := m.linearSystem(equations, s.outputs)
	if err != nil {
		return fail(err)
	}
	if !ok {
		if m.tryErr(); m.limited() {
			return fail(m.c.Err())
		}
		found, err := v.blockSolutions(s, equations)
		v.failed.dependent = errors.Is(err, errManySolutions) && !errors.Is(err, errCrowded)
		if m.limited() {
			return fail(m.c.Err())
		}
		if len(found) > 0 {
			return v.chooseValues(s, found)
		}
		if err != nil {
			return fail(err)
		}
		v.guessing = true
		defer func() { v.guessing = false }()
		var problem *Error
		m.within(maxTearCost, func() { problem, err = v.tear(s) })
		if m.limited() {
			return fail(m.c.Err())
		}
		if err != nil {
			return fail(err)
		}
		if problem != nil {
			return problem
		}
	}
	for _, o := range s.outputs {
		root, problem := v.choose(o, s.activity, one(m.values[o]))
		if problem != nil {
			return problem
		}
		m.values[o] = root
	}
	return nil
}

// blockSolutions lists the solutions of a block that is not linear, each in the order of the block's outputs. Arithmetic
// alone is eliminated, which can show that there are no others; what may have others is searched from many starts too. An
// error says that there are none, or infinitely many; without one and without a solution nothing is known.
func (v *derivation) blockSolutions(s planStep, equations []*equation) ([]decimals, error) {
	m := v.machine
	var found []decimals
	eliminate := func() (sure bool, err error) {
		var all []decimals
		var infinite bool
		m.within(maxEliminationCost, func() { all, infinite, sure = v.eliminated(s, equations) })
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
	arithmetic := !slices.ContainsFunc(equations, func(e *equation) bool { return e.left.calls() || e.right.calls() })
	if arithmetic {
		if sure, err := eliminate(); sure || m.limited() {
			return found, err
		}
	}
	more, err := v.newton(s, equations)
	for _, values := range more {
		if !slices.ContainsFunc(found, func(o decimals) bool { return m.sameValues(o, values) }) {
			found = append(found, values)
		}
	}
	if len(found) > 0 || err != nil || arithmetic || m.limited() {
		return found, err
	}
	_, err = eliminate()
	return found, err
}
