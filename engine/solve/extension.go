package solve

import (
	"math"
	"slices"

	"reckon/engine/formula"
)

// Extension is what the variables that a plan finds may be while some of what it rests on moves
// within a box: the interval extension of the plan, step by step, with the slopes by what moves.
// All is in coherent SI and rounded outwards, so that every value that the plan can yield in the
// box is enclosed.
type Extension struct {
	Moving []int
	Cost   int  // steps of programs that were run
	Strict bool // nothing is told of solutions that may not be the only ones
	Local  bool // what was told is of the solution at hand; there may be others that a calculation takes

	box    []formula.Interval   // by variable, and behind them by condition
	slopes [][]formula.Interval // the same: by place in Moving, nil of what does not move
	links  []extended
	at     int                      // of the first condition in box
	tables []*formula.IntervalTable // by variable, nil of what is none
	over   *formula.IntervalMachine
}

// extended is a variable as intervals tell it from others.
type extended struct {
	variable int
	refs     []int // those that move
	value    *formula.IntervalProgram
	valueAt  int
	sloped   *formula.IntervalProgram // the value and its slopes, nil where some slope is not known
	slopeAt  []int                    // by refs
	tight    *formula.IntervalProgram // the value by what moves alone, where that cancels something; else nil
	table    *formula.Node            // the value as an expression over tables, which has no program; else nil
	unknown  string                   // why nothing is told of the value

	implicit bool  // the value is the difference of the sides of an equation
	ownsAt   []int // of the slopes by the unknowns

	// Of a system, and of an equation by itself: its equations, their unknowns, where these may be,
	// and where they are in the calculation at hand.
	system  []*extended
	outputs []int
	ranges  []formula.Interval
	bounds  []formula.Interval // all values that they are allowed to have
	start   []float64
	whole   bool // the ranges leave out no values that the unknowns are allowed to have
}

// Extend makes the extension of steps whose values the machine has. Conditions are expressions
// over the same variables, of which Condition tells the intervals. Of a step that cannot be
// followed over intervals nothing is told, and Reason says why.
func (s *Solver) Extend(steps []Step, moving []int, conditions []*formula.Node) *Extension {
	n := len(s.Values)
	x := &Extension{
		Moving: moving, at: n,
		box: make([]formula.Interval, n+len(conditions)), slopes: make([][]formula.Interval, n+len(conditions)),
		tables: make([]*formula.IntervalTable, n),
	}
	x.over = &formula.IntervalMachine{
		Machine: s.Machine, Box: x.box, Tables: x.tables, Moves: func(v int) bool { return x.slopes[v] != nil },
	}
	by := map[int]*formula.Node{} // what moves, and the variables that are said by it alone
	for i, v := range moving {
		x.slopes[v] = make([]formula.Interval, len(moving))
		x.slopes[v][i] = formula.Interval{Lo: 1, Hi: 1}
		by[v] = &formula.Node{Op: formula.OpVariable, Variable: v, Mask: formula.MaskOf(i)}
	}
	for _, step := range steps {
		if slices.Contains(moving, step.Variable) || x.slopes[step.Variable] != nil {
			continue
		}
		if !x.moves(s, step) {
			continue
		}
		l := s.extended(x, step)
		for _, o := range step.Outputs {
			x.slopes[o] = make([]formula.Interval, len(moving))
		}
		if !l.implicit {
			s.tighten(x, l, solvedFor(s.Equations[step.Activity], step.Variable), by)
		}
		x.links = append(x.links, *l)
	}
	for i, c := range conditions {
		l := s.extendedBy(x, n+i, c, nil)
		s.tighten(x, l, c, by)
		x.slopes[n+i] = make([]formula.Interval, len(moving))
		x.links = append(x.links, *l)
	}
	for v := range x.box[:n] {
		if x.slopes[v] == nil {
			x.box[v] = formula.Enclose(s.Values[v])
		}
		if x.slopes[v] == nil && s.Tables != nil && s.Tables[v] != nil {
			table := formula.EncloseTable(*s.Tables[v])
			x.tables[v] = &table
		}
	}
	return x
}

// Reason is why nothing was told of some value, "" where there was none.
func (x *Extension) Reason() string { return x.over.Reason }

// moves reports whether a step rests on something that moves.
func (x *Extension) moves(s *Solver, step Step) bool {
	return slices.ContainsFunc(step.Activities, func(a int) bool {
		return slices.ContainsFunc(s.Equations[a].Refs, func(v int) bool { return x.slopes[v] != nil })
	})
}

// extended is what a step finds as its equations tell it.
func (s *Solver) extended(x *Extension, step Step) *extended {
	table := slices.ContainsFunc(step.Outputs, func(o int) bool { return s.Scope.Profiles[o].Table })
	if !step.IsBlock() {
		e := s.Equations[step.Activity]
		if spread := s.spread(x, e, step.Outputs); spread != nil && !table {
			if expression := solvedFor(spread, step.Variable); expression != nil {
				return s.extendedBy(x, step.Variable, expression, nil)
			}
		}
		if expression := solvedFor(e, step.Variable); expression != nil {
			if table {
				return &extended{variable: step.Variable, table: expression}
			}
			return s.extendedBy(x, step.Variable, expression, nil)
		}
	}
	group := &extended{variable: step.Variable, implicit: true, outputs: step.Outputs, whole: true}
	switch {
	case table:
		group.unknown = "a table is found from a system of equations"
	case len(step.Open) > 0 || len(step.Outputs) != len(step.Activities):
		group.unknown = "a part of a system of equations is solved, which leaves other unknowns open"
	case len(step.Outputs) > maxSystem:
		group.unknown = "too many equations are solved together"
	}
	if group.unknown != "" {
		return group
	}
	for _, a := range step.Activities {
		e := s.Equations[a]
		if spread := s.spread(x, e, step.Outputs); spread != nil {
			e = spread
		}
		group.system = append(group.system, s.extendedBy(x, step.Variable, formula.Combined(formula.OpSub, e.Left, e.Right), step.Outputs))
	}
	for _, o := range step.Outputs {
		within, whole := s.reaches(o)
		group.ranges, group.whole = append(group.ranges, within), group.whole && whole
		low, high := s.Scope.Profiles[o].Range()
		group.bounds = append(group.bounds, formula.Interval{Lo: low, Hi: high})
		group.start = append(group.start, s.Values[o].Float64())
	}
	return group
}

// spread is an equation with its functions over tables written out, so that it has slopes; nil
// where that is not possible.
func (s *Solver) spread(x *Extension, e *formula.Equation, own []int) *formula.Equation {
	out := s.Spread(e, func(v int) bool { return x.slopes[v] != nil || slices.Contains(own, v) })
	s.TryErr()
	return out
}

// reaches is where the roots of a variable are that the rule of choice takes: within its bounds,
// and above 0 where it has a root there and its numbers have a natural sign.
func (s *Solver) reaches(v int) (within formula.Interval, whole bool) {
	low, high := s.Scope.Profiles[v].Range()
	within, whole = formula.Interval{Lo: low, Hi: high}, true
	if low < 0 && s.Values[v].Sign() > 0 && !s.IsScale(v) {
		within.Lo, whole = 0, false
	}
	return within, whole
}

// extendedBy compiles an expression for a variable, or one that is 0 where its unknowns, own, are.
// What has no program, such as a function over tables, is evaluated as an expression.
func (s *Solver) extendedBy(x *Extension, v int, n *formula.Node, own []int) *extended {
	l := &extended{variable: v, table: n}
	of := map[int]*formula.Node{}
	n.Walk(func(part *formula.Node) {
		u := part.Variable
		if part.Op == formula.OpVariable && of[u] == nil && (x.slopes[u] != nil || slices.Contains(own, u)) {
			of[u] = &formula.Node{Op: formula.OpVariable, Variable: u, Mask: formula.MaskOf(len(of))}
			if !slices.Contains(own, u) {
				l.refs = append(l.refs, u)
			}
		}
	})
	if n = s.composed(n, of); n == nil {
		s.TryErr()
		return l
	}
	var at []int
	if l.value, at = compiled(x, n); l.value == nil {
		return l
	}
	l.valueAt, l.table = at[0], nil
	slopes := []*formula.Node{n}
	for _, u := range l.refs {
		slopes = append(slopes, n.Derivative(formula.Unknown{Variable: u, Mask: of[u].Mask}))
	}
	for _, u := range own {
		slope := formula.Integer(0)
		if of[u] != nil {
			slope = n.Derivative(formula.Unknown{Variable: u, Mask: of[u].Mask})
		}
		slopes = append(slopes, slope)
	}
	if l.sloped, at = compiled(x, slopes...); l.sloped != nil {
		l.slopeAt, l.ownsAt = at[1:1+len(l.refs)], at[1+len(l.refs):]
	}
	return l
}

// tighten adds what a link's expression comes to when all that it rests on is put in, where that
// cancels something.
func (s *Solver) tighten(x *Extension, l *extended, n *formula.Node, by map[int]*formula.Node) {
	if l.table != nil || n == nil || slices.ContainsFunc(l.refs, func(u int) bool { return by[u] == nil }) {
		return
	}
	n = s.composed(n, by)
	if s.TryErr() != nil || n == nil || n.Larger(maxComposed) {
		return
	}
	by[l.variable] = n
	if n = n.Expanded(); n != nil {
		l.tight, _ = compiled(x, n)
	}
}

// maxComposed is how many parts an expression may have after all that it rests on is put in.
const maxComposed = 400

// compiled makes a program of expressions over what moves, nil where one has no intervals.
func compiled(x *Extension, list ...*formula.Node) (*formula.IntervalProgram, []int) {
	p := &formula.IntervalProgram{Seen: map[*formula.Node]int{}, Slope: -1, Box: x.box}
	var at []int
	for _, part := range list {
		slot, ok := 0, part != nil
		if ok {
			slot, ok = p.Add(part, formula.Unknown{})
		}
		if !ok {
			return nil, nil
		}
		at = append(at, slot)
	}
	p.Value, p.Slots = at[0], make([]formula.Interval, len(p.Steps))
	return p, at
}

// narrowed is the value of a link as its expression tells it, and as it is with all put in.
func (l *extended) narrowed(x *Extension, value formula.Interval) formula.Interval {
	if l.tight == nil || value.Empty() {
		return value
	}
	if by := x.run(l.tight); !by.Empty() && by.Lo <= value.Hi && by.Hi >= value.Lo {
		value.Lo, value.Hi = math.Max(value.Lo, by.Lo), math.Min(value.Hi, by.Hi)
	}
	return value
}

// Over finds the intervals for a box, in the order of Moving, with the slopes where they are asked
// for.
func (x *Extension) Over(box []formula.Interval, slopes bool) {
	for i, v := range x.Moving {
		x.box[v] = box[i]
	}
	for i := range x.links {
		l := &x.links[i]
		if l.implicit {
			l.solved(x, slopes)
			continue
		}
		if !slopes || l.sloped == nil {
			l.evaluate(x)
		}
		if !slopes {
			continue
		}
		into := x.slopes[l.variable]
		if l.sloped == nil {
			for k := range into {
				into[k] = formula.AllNumbers
			}
			continue
		}
		x.box[l.variable] = l.narrowed(x, x.run(l.sloped))
		for k := range into {
			var sum formula.Interval
			for r, u := range l.refs {
				if by := x.slopes[u][k]; by.Lo != 0 || by.Hi != 0 {
					sum = formula.IntervalAdd(sum, slopeOf(formula.IntervalMul, l.sloped.Slots[l.slopeAt[r]], by))
				}
			}
			into[k] = sum
		}
	}
}

// slopeOf is an operation with slopes; what is not known stays so.
func slopeOf(apply func(a, b formula.Interval) formula.Interval, a, b formula.Interval) formula.Interval {
	if a.Empty() || b.Empty() {
		return formula.AllNumbers
	}
	if r := apply(a, b); !r.Empty() && !math.IsNaN(r.Hi) {
		return r
	}
	return formula.AllNumbers
}

// evaluate finds the value of a link without its slopes.
func (l *extended) evaluate(x *Extension) formula.Interval {
	if l.table == nil {
		value := l.narrowed(x, x.run(l.value))
		x.box[l.variable] = value
		return value
	}
	before := x.over.Cost
	table := x.over.Of(l.table)
	x.Cost += x.over.Cost - before
	if l.variable < len(x.tables) {
		if x.tables[l.variable] = nil; table.Rank > 0 {
			x.tables[l.variable] = &table
		}
	}
	value := table.Single()
	x.box[l.variable] = value
	return value
}

func (x *Extension) run(p *formula.IntervalProgram) formula.Interval {
	x.Cost += len(p.Steps)
	value, _ := p.Over(formula.Interval{})
	return value
}

// Of is what a variable was found to be, and its slopes, which the next Over changes.
func (x *Extension) Of(variable int) (formula.Interval, []formula.Interval) {
	return x.box[variable], x.slopes[variable]
}

// Condition is the same of a condition.
func (x *Extension) Condition(i int) (formula.Interval, []formula.Interval) { return x.Of(x.at + i) }

// solved finds the unknowns of the equations of a link: of a single one all its roots are looked
// for, of others the solution at hand is enclosed. Where that fails all values are left out at
// which the equations are shown not to hold.
func (l *extended) solved(x *Extension, slopes bool) {
	for _, o := range l.outputs {
		for k := range x.Moving {
			x.slopes[o][k] = formula.AllNumbers
		}
	}
	if l.unknown != "" {
		x.over.Reason = l.unknown
		for _, o := range l.outputs {
			x.box[o] = unknown
		}
		return
	}
	sloped := !slices.ContainsFunc(l.system, func(e *extended) bool { return e.sloped == nil })
	if len(l.outputs) == 1 && sloped {
		e, v := l.system[0], l.outputs[0]
		if r := l.root(x); !r.Jumps {
			x.box[v] = r
			if slopes {
				l.differentiate(x, e, v)
			}
			return
		}
	}
	if sloped && l.enclose(x, slopes) {
		return
	}
	for _, o := range l.outputs {
		for k := range x.Moving {
			x.slopes[o][k] = formula.AllNumbers
		}
	}
	for i, s := range l.scanned(x) {
		x.box[l.outputs[i]] = s
	}
}

// differentiate finds the slopes of the root of an equation by the implicit function theorem.
func (l *extended) differentiate(x *Extension, e *extended, v int) {
	x.run(e.sloped)
	own := e.sloped.Slots[e.ownsAt[0]]
	for k := range x.Moving {
		var sum formula.Interval
		for i, u := range e.refs {
			if by := x.slopes[u][k]; by.Lo != 0 || by.Hi != 0 {
				sum = formula.IntervalAdd(sum, slopeOf(formula.IntervalMul, e.sloped.Slots[e.slopeAt[i]], by))
			}
		}
		if sum.Lo != 0 || sum.Hi != 0 {
			sum = slopeOf(formula.IntervalDiv, negative(sum), own)
		}
		x.slopes[v][k] = sum
	}
}

// unknown is what nothing is told of.
var unknown = formula.Interval{Lo: math.Inf(-1), Hi: math.Inf(1), Jumps: true, Partial: true}
