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
	at     int // of the first condition in box
}

// extended is a variable as intervals tell it from others.
type extended struct {
	variable int
	refs     []int // those that move
	value    *formula.IntervalProgram
	valueAt  int
	sloped   *formula.IntervalProgram // the value and its slopes, nil where some slope is not known
	slopeAt  []int                    // by refs

	implicit bool  // the value is the difference of the sides of an equation
	ownsAt   []int // of the slopes by the unknowns

	// Of a system, and of an equation by itself: its equations, their unknowns, where these may be,
	// and where they are in the calculation at hand.
	system  []*extended
	outputs []int
	ranges  []formula.Interval
	start   []float64
	whole   bool // the ranges leave out no values that the unknowns are allowed to have
}

// Extend makes the extension of steps whose values the machine has. Conditions are expressions
// over the same variables, of which Condition tells the intervals. It is nil where a step cannot be
// followed over intervals: a system, or a function over tables that moves.
func (s *Solver) Extend(steps []Step, moving []int, conditions []*formula.Node) *Extension {
	n := len(s.Values)
	x := &Extension{
		Moving: moving, at: n,
		box: make([]formula.Interval, n+len(conditions)), slopes: make([][]formula.Interval, n+len(conditions)),
	}
	for i, v := range moving {
		x.slopes[v] = make([]formula.Interval, len(moving))
		x.slopes[v][i] = formula.Interval{Lo: 1, Hi: 1}
	}
	for _, step := range steps {
		if slices.Contains(moving, step.Variable) || x.slopes[step.Variable] != nil {
			continue
		}
		if !x.moves(s, step) {
			continue
		}
		l := s.extended(x, step)
		if l == nil {
			return nil
		}
		for _, o := range step.Outputs {
			x.slopes[o] = make([]formula.Interval, len(moving))
		}
		x.links = append(x.links, *l)
	}
	for i, c := range conditions {
		l := s.extendedBy(x, n+i, c, nil)
		if l == nil {
			return nil
		}
		x.slopes[n+i] = make([]formula.Interval, len(moving))
		x.links = append(x.links, *l)
	}
	for v := range x.box[:n] {
		if x.slopes[v] == nil {
			x.box[v] = formula.Enclose(s.Values[v])
		}
	}
	return x
}

// moves reports whether a step rests on something that moves.
func (x *Extension) moves(s *Solver, step Step) bool {
	return slices.ContainsFunc(step.Activities, func(a int) bool {
		return slices.ContainsFunc(s.Equations[a].Refs, func(v int) bool { return x.slopes[v] != nil })
	})
}

// extended is what a step finds as its equations tell it.
func (s *Solver) extended(x *Extension, step Step) *extended {
	for _, o := range step.Outputs {
		if s.Scope.Profiles[o].Table {
			return nil
		}
	}
	if !step.IsBlock() {
		if expression := solvedFor(s.Equations[step.Activity], step.Variable); expression != nil {
			return s.extendedBy(x, step.Variable, expression, nil)
		}
	}
	if len(step.Open) > 0 || len(step.Outputs) != len(step.Activities) || len(step.Outputs) > maxSystem {
		return nil
	}
	group := &extended{implicit: true, outputs: step.Outputs, whole: true}
	for _, a := range step.Activities {
		e := s.Equations[a]
		l := s.extendedBy(x, step.Variable, formula.Combined(formula.OpSub, e.Left, e.Right), step.Outputs)
		if l == nil || l.sloped == nil {
			return nil
		}
		group.system = append(group.system, l)
	}
	for _, o := range step.Outputs {
		within, whole := s.reaches(o)
		group.ranges, group.whole = append(group.ranges, within), group.whole && whole
		group.start = append(group.start, s.Values[o].Float64())
	}
	return group
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
func (s *Solver) extendedBy(x *Extension, v int, n *formula.Node, own []int) *extended {
	l := &extended{variable: v}
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
		return nil
	}
	compile := func(list ...*formula.Node) (*formula.IntervalProgram, []int) {
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
	var at []int
	if l.value, at = compile(n); l.value == nil {
		return nil
	}
	l.valueAt = at[0]
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
	if l.sloped, at = compile(slopes...); l.sloped != nil {
		l.slopeAt, l.ownsAt = at[1:1+len(l.refs)], at[1+len(l.refs):]
	}
	return l
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
			x.box[l.variable] = x.run(l.value)
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
		x.box[l.variable] = x.run(l.sloped)
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

// Bounds of the search for where a root may be.
const (
	maxEdge       = 160   // intervals looked at from one side
	farthestRoot  = 1e100 // sizes beyond, and below its inverse, are not told apart
	coarseWidth   = 1e-3  // relative width at which Newton's method goes on
	maxNewton     = 12
	leastProgress = 0.9
)

// solved finds the unknowns of the equations of a link: of a single one all its roots are looked
// for, of others the solution at hand is enclosed.
func (l *extended) solved(x *Extension, slopes bool) {
	if len(l.outputs) == 1 {
		e, v := l.system[0], l.outputs[0]
		if r := l.root(x); !r.Jumps {
			x.box[v] = r
			if !slopes {
				return
			}
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
			return
		}
	}
	if l.enclose(x, slopes) {
		return
	}
	for _, o := range l.outputs {
		x.box[o] = unknown
		for k := range x.Moving {
			x.slopes[o][k] = formula.AllNumbers
		}
	}
}

// unknown is what nothing is told of.
var unknown = formula.Interval{Lo: math.Inf(-1), Hi: math.Inf(1), Jumps: true, Partial: true}

// root encloses the root of a link: where interval arithmetic shows that both sides differ there is
// none; from both ends of what is left Newton's method goes on, which also shows that there is
// always one and only one (Moore, Kearfott and Cloud, Introduction to Interval Analysis, 2009,
// chapter 8). Where that is not shown, nothing is told.
func (l *extended) root(x *Extension) formula.Interval {
	e, v, within := l.system[0], l.outputs[0], l.ranges[0]
	at := func(low, high float64) formula.Interval {
		x.box[v] = formula.Interval{Lo: low, Hi: high}
		return x.run(e.value)
	}
	hull, ok := edges(within, at)
	if !ok {
		return unknown
	}
	if hull.Empty() {
		if l.whole {
			return formula.EmptyInterval
		}
		return unknown
	}
	exists := false
	for range maxNewton {
		x.box[v] = hull
		value := x.run(e.sloped)
		slope := e.sloped.Slots[e.ownsAt[0]]
		if value.Empty() || value.Jumps || value.Partial || slope.Empty() || slope.Has(0) || math.IsInf(hull.Lo, 0) || math.IsInf(hull.Hi, 0) {
			return unknown
		}
		if !exists {
			low, high := at(hull.Lo, hull.Lo), at(hull.Hi, hull.Hi)
			exists = low.Hi < 0 && high.Lo > 0 || low.Lo > 0 && high.Hi < 0
		}
		mid := hull.Lo + (hull.Hi-hull.Lo)/2
		middle := at(mid, mid)
		if middle.Empty() {
			return unknown
		}
		next := formula.IntervalAdd(formula.Interval{Lo: mid, Hi: mid}, negative(formula.IntervalDiv(middle, slope)))
		if next.Empty() || math.IsNaN(next.Lo) || math.IsNaN(next.Hi) {
			return unknown
		}
		exists = exists || next.Lo > hull.Lo && next.Hi < hull.Hi
		narrowed := formula.Interval{Lo: math.Max(next.Lo, hull.Lo), Hi: math.Min(next.Hi, hull.Hi)}
		if narrowed.Lo > narrowed.Hi {
			if l.whole {
				return formula.EmptyInterval
			}
			return unknown
		}
		done := narrowed.Hi-narrowed.Lo > leastProgress*(hull.Hi-hull.Lo)
		if hull = narrowed; done && exists {
			break
		}
	}
	if !exists {
		if !l.whole {
			return unknown
		}
		hull.Partial = true
	}
	return hull
}

func negative(a formula.Interval) formula.Interval {
	a.Lo, a.Hi = -a.Hi, -a.Lo
	return a
}

// edges narrows an interval from both ends to where a function may be 0; ok is false where it has
// not been possible to tell.
func edges(from formula.Interval, at func(low, high float64) formula.Interval) (hull formula.Interval, ok bool) {
	low, found := edge(from, at, false)
	if !found {
		return formula.EmptyInterval, true
	}
	from.Lo = low
	high, _ := edge(from, at, true)
	return formula.Interval{Lo: low, Hi: math.Max(high, low)}, !math.IsNaN(high)
}

// edge is the end of the first part of an interval, from one side, where a function may be 0; false
// where it is nowhere.
func edge(from formula.Interval, at func(low, high float64) formula.Interval, backwards bool) (float64, bool) {
	stack := []formula.Interval{from}
	for looked := 0; len(stack) > 0; looked++ {
		box := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if value := at(box.Lo, box.Hi); value.Empty() || !value.Has(0) {
			continue
		}
		mid, divided := halfway(box)
		if !divided || looked > maxEdge {
			if backwards {
				return box.Hi, true
			}
			return box.Lo, true
		}
		low, high := formula.Interval{Lo: box.Lo, Hi: mid}, formula.Interval{Lo: mid, Hi: box.Hi}
		if backwards {
			stack = append(stack, low, high)
		} else {
			stack = append(stack, high, low)
		}
	}
	return 0, false
}

// halfway is where an interval is divided: by decades while it spans several; false where it is
// narrow.
func halfway(b formula.Interval) (float64, bool) {
	switch {
	case b.Lo < 0 && b.Hi > 0:
		return 0, true
	case b.Hi <= 0:
		mid, ok := halfway(formula.Interval{Lo: -b.Hi, Hi: -b.Lo})
		return -mid, ok
	}
	low, high := math.Max(b.Lo, 1/farthestRoot), math.Min(b.Hi, farthestRoot)
	switch {
	case low >= high:
		return 0, false
	case b.Lo < low && high > 2*low, b.Hi > high && high > 2*low, high > 4*low:
		if mid := math.Sqrt(low) * math.Sqrt(high); mid > b.Lo && mid < b.Hi {
			return mid, true
		}
		return 0, false
	case high-low <= coarseWidth*high:
		return 0, false
	}
	return low + (high-low)/2, true
}
