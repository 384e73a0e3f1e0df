package solve

import (
	"math"
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/units"
)

// Bounds of the search over intervals.
const (
	maxIntervals   = 4000 // intervals looked at in one region
	maxCell        = 240  // of those within one cell
	unresolvedCell = 16   // the same after many cells that stayed undecided
	narrowest      = 1e-6 // relative width at which an interval is not divided any more
	maxInteger     = 24   // integers that are tried on each side of 0 where intervals leave out single places
	leastScale     = 1e-40
	mostScale      = 1e150
	farthest       = 1e300 // no unknown is larger
)

// aim says which root of several is wanted.
type aim struct {
	preferred bool // the rule of choice takes one: the value before, or the default, counts
	all       bool // every root is wanted, not only the first one that the rule of choice would take
}

// branchAndBound finds the roots of an equation of one unknown over whole intervals: where interval
// arithmetic shows that both sides differ there is no root, where it shows that their difference
// rises or falls throughout there is at most one, and what is neither is divided (Hansen and
// Walster, Global Optimization Using Interval Analysis, 2004, chapter 9). So a root that is found
// first is the first one, and an empty list can be a proof.
type branchAndBound struct {
	solver      *Solver
	e           *formula.Equation
	x           formula.Unknown
	aim         aim
	left, right *formula.Node // with everything but the unknown evaluated
	program     *formula.IntervalProgram
	seek        *seeker
	scale       float64
	looked      int
	unresolved  int
	low         float64 // least size that is looked at
	open        bool    // somewhere it is not known whether there is a root
	sparse      bool    // at single places that intervals leave out there may be one
	crowded     float64 // distance from where roots crowd, +Inf for none
}

// searchBox is an interval of the unknown and its least distance from where the search starts.
type searchBox struct {
	low, high float64
	distance  float64
}

// branchAndBound prepares a search; nil where intervals cannot go through the equation.
func (s *Solver) branchAndBound(e *formula.Equation, v int, seek *seeker, scale float64, a aim) *branchAndBound {
	x := e.Unknown(v)
	bb := &branchAndBound{solver: s, e: e, x: x, aim: a, seek: seek, scale: scale, crowded: math.Inf(1)}
	bb.left, bb.right = s.fold(e.Left, x), s.fold(e.Right, x)
	difference := formula.Combined(formula.OpSub, bb.left, bb.right)
	p := &formula.IntervalProgram{Seen: map[*formula.Node]int{}, Slope: -1}
	var ok bool
	if p.Value, ok = p.Add(difference, x); !ok || s.Limited() {
		return nil
	}
	if slope := difference.Derivative(x); slope != nil {
		if at, ok := p.Add(slope, x); ok {
			p.Slope = at
		}
	}
	p.Slots = make([]formula.Interval, len(p.Steps))
	bb.program = p
	return bb
}

// fold is n with every part that does not depend on the unknown evaluated. What has no value stays
// as it is.
func (s *Solver) fold(n *formula.Node, x formula.Unknown) *formula.Node {
	if !n.Has(x) {
		if n.Op == formula.OpNumber {
			return n
		}
		value := s.Eval(n)
		if s.TryErr() != nil {
			return n
		}
		return formula.Number(value)
	}
	if n.Op == formula.OpVariable {
		return n
	}
	args := make([]*formula.Node, len(n.Args))
	for i, a := range n.Args {
		args[i] = s.fold(a, x)
	}
	if n.Op == formula.OpCall && n.Function.Lazy && args[0].Op == formula.OpNumber {
		if args[0].Value.IsZero() {
			return args[2]
		}
		return args[1]
	}
	copied := *n
	copied.Args = args
	return &copied
}

// searchScale is the size in coherent SI of one unit of a variable.
func (s *Solver) searchScale(v int) float64 {
	scale := 1.0
	if u := s.Scope.Profiles[v].Unit; u != nil {
		scale = units.Quantity{Number: decimal.Int(1), Unit: u}.SI(s.Context).Float64()
	}
	if !(scale > 1e-100 && scale < 1e100) {
		return 1
	}
	return scale
}

// preimage is what the search finds, the roots of the first region that has some unless all are
// wanted; ok is false where it ends without a root and without a proof that there is none.
func (bb *branchAndBound) preimage() (p formula.Preimage, ok bool) {
	v := bb.x.Variable
	// Next to a root at zero nothing can be told from it.
	zero := bb.solver.keep(bb.e, v, formula.Decimals{{}})
	if len(zero) == 0 {
		if place, ok := bb.seek.limit(bb.e, decimal.Decimal{}, bb.scale); ok {
			zero = formula.Decimals{place}
		}
	}
	switch {
	case len(zero) > 0 && bb.solver.isLimit(decimal.Decimal{}):
		bb.low = 1e-6 * bb.scale // as far as the limit has shown the difference to be straight
	case len(zero) > 0:
		bb.low = 1e-9 * bb.scale
	}
	for _, r := range bb.regions() {
		found := bb.search(r)
		if bb.solver.Limited() {
			return formula.Preimage{}, true
		}
		p.Roots = append(p.Roots, found...)
		if math.IsInf(bb.crowded, 1) && (len(p.Roots) == 0 || bb.aim.all) && r.low <= 0 && r.high >= 0 {
			p.Roots = append(p.Roots, zero...)
		}
		if len(p.Roots) > 0 && !bb.aim.all || !math.IsInf(bb.crowded, 1) {
			break
		}
	}
	if bb.sparse && (len(p.Roots) == 0 || bb.aim.all) {
		var list formula.Decimals
		for i := int64(1); i <= maxInteger; i++ {
			list = append(list, decimal.Int(i), decimal.Int(-i))
		}
		p.Roots = append(p.Roots, bb.solver.keep(bb.e, v, list)...)
	}
	if !math.IsInf(bb.crowded, 1) && (len(p.Roots) == 0 || bb.aim.all) {
		return formula.Preimage{Infinite: bb.e.Repeats(bb.x)}, bb.e.Repeats(bb.x)
	}
	proof := !bb.open && !bb.sparse
	p.Roots = bb.solver.distinct(p.Roots)
	return p, proof || len(p.Roots) > 0 || bb.solver.Limited()
}

// search finds the roots in a region, from its start outwards.
func (bb *branchAndBound) search(r region) formula.Decimals {
	var found formula.Decimals
	best := math.Inf(1)
	queue := []searchBox{}
	push := func(low, high float64) {
		b := searchBox{low, high, 0}
		if r.from < low {
			b.distance = low - r.from
		} else if r.from > high {
			b.distance = r.from - high
		}
		i, _ := slices.BinarySearchFunc(queue, b, func(o, t searchBox) int {
			// The nearest last; of two alike the positive one last.
			if o.distance > t.distance || o.distance == t.distance && o.low < t.low {
				return -1
			}
			return 1
		})
		queue = slices.Insert(queue, i, b)
	}
	push(r.low, r.high)
	bb.looked = 0
	for len(queue) > 0 {
		b := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if b.distance >= bb.crowded || !bb.aim.all && len(found) > 0 && b.distance > best {
			break
		}
		if len(found) > maxFoundRoots {
			bb.open = true
			break
		}
		if bb.looked > maxIntervals {
			bb.open = true
			if len(found) == 0 || bb.aim.all {
				found = append(found, bb.sample(r)...)
			}
			break
		}
		if b.low >= -bb.low && b.high <= bb.low {
			continue
		}
		value, slope := bb.over(b.low, b.high)
		if bb.solver.Limited() {
			return nil
		}
		if value.Empty() || !value.Has(0) {
			bb.sparse = bb.sparse || value.Sparse
			continue
		}
		roots, done := bb.rising(b, value, slope)
		if !done && bb.outlying(b) {
			if calm, flat := bb.monotone(b); calm {
				flat = flat || value.Partial && bb.valueless(b)
				bb.open, bb.sparse = bb.open || !flat, bb.sparse || value.Sparse
				continue
			}
		}
		if !done {
			if mid, ok := bb.middle(b); ok {
				push(b.low, mid)
				push(mid, b.high)
				continue
			}
			roots = bb.cell(b)
		}
		for _, t := range roots {
			found = append(found, t)
			best = math.Min(best, math.Abs(t.Float64()-r.from))
		}
	}
	if best > bb.crowded {
		// Nearer than this root there may be any number of others.
		return nil
	}
	if !bb.aim.all {
		bb.crowded = math.Inf(1)
	}
	return found
}

func (bb *branchAndBound) over(low, high float64) (value, slope formula.Interval) {
	bb.looked++
	bb.solver.steps++
	if !bb.solver.Context.Spend(1 + len(bb.program.Steps)/4) {
		return formula.EmptyInterval, formula.EmptyInterval
	}
	value, slope = bb.program.Over(formula.Interval{Lo: low, Hi: high})
	if mid := low + (high-low)/2; !value.Jumps && !value.Partial && value.Has(0) && high-low < 1e100 && low < high && !slope.Empty() && !math.IsInf(slope.Lo, 0) && !math.IsInf(slope.Hi, 0) {
		// The mean value form is narrower where the interval is.
		center, _ := bb.program.Over(formula.Interval{Lo: mid, Hi: mid})
		if !center.Empty() {
			half := (high - low) / 2 * (1 + 4*formula.Ulps)
			around := formula.IntervalAdd(center, formula.IntervalMul(slope, formula.Interval{Lo: -half, Hi: half}))
			value.Lo, value.Hi = math.Max(value.Lo, around.Lo), math.Min(value.Hi, around.Hi)
			if value.Lo > value.Hi {
				value = formula.EmptyInterval
			}
		}
	}
	return value, slope
}

// sign is the sign of the difference of the sides at x, in decimal where float64 leaves it open;
// false where it has none.
func (bb *branchAndBound) sign(x float64) (int, bool) {
	s, _ := bb.program.Over(formula.Interval{Lo: x, Hi: x})
	switch {
	case s.Lo > 0:
		return 1, true
	case s.Hi < 0:
		return -1, true
	}
	f, ok := bb.seek.difference(decimal.FromFloat(x))
	return f.Sign(), ok
}

// rising decides a box over which the difference of the sides only rises or only falls.
func (bb *branchAndBound) rising(b searchBox, value, slope formula.Interval) (formula.Decimals, bool) {
	if value.Jumps || value.Partial || slope.Empty() || slope.Has(0) || math.IsInf(b.low, 0) || math.IsInf(b.high, 0) {
		return nil, false
	}
	first, ok1 := bb.sign(b.low)
	last, ok2 := bb.sign(b.high)
	switch {
	case !ok1 || !ok2:
		return nil, false
	case first*last > 0:
		return nil, true
	case first*last == 0:
		edge := b.low
		if first != 0 {
			edge = b.high
		}
		if edge == 0 {
			return nil, true // zero itself is looked at apart
		}
		return bb.solver.keep(bb.e, bb.x.Variable, formula.Decimals{decimal.FromFloat(edge)}), true
	case b.low <= 0 && b.high >= 0, b.low > 0 && b.high > 16*b.low, b.high < 0 && b.low < 16*b.high:
		if math.Max(math.Abs(b.low), math.Abs(b.high)) > leastScale*bb.scale {
			return nil, false
		}
	}
	start := bb.seek.brent(b.low, b.high, bb.seek.at(b.low), bb.seek.at(b.high))
	x, ok := bb.seek.secant(decimal.FromFloat(start), bb.seek.difference)
	if f := x.Float64(); !ok || f < b.low || f > b.high {
		x, ok = bb.seek.between(decimal.FromFloat(b.low), decimal.FromFloat(b.high), first, bb.seek.difference)
	}
	if !ok {
		return nil, false
	}
	kept := bb.solver.keep(bb.e, bb.x.Variable, formula.Decimals{x})
	return kept, len(kept) > 0
}

// outlying reports whether a box reaches from ordinary sizes to the least or the greatest.
func (bb *branchAndBound) outlying(b searchBox) bool {
	low, high := math.Abs(b.low), math.Abs(b.high)
	if low > high {
		low, high = high, low
	}
	return b.low*b.high >= 0 && (low == 0 && high <= 1e-8*bb.scale || low >= 1e8*bb.scale && high > mostScale*bb.scale)
}

// monotone reports whether the difference of the sides has one sign and only rises or only falls at
// numbers of very different size in a box, by which what float64 cannot tell is told from what
// oscillates; flat, that it hardly changes there.
func (bb *branchAndBound) monotone(b searchBox) (calm, flat bool) {
	inner := math.Min(math.Abs(b.low), math.Abs(b.high))
	outer := math.Max(math.Abs(b.low), math.Abs(b.high))
	outer = math.Min(outer, 1e2*mostScale*bb.scale)
	inner = math.Max(inner, leastScale*bb.scale)
	var first, last decimal.Decimal
	sign, direction := 0, 0
	valued := 0
	for i := range 9 {
		x := decimal.FromFloat(math.Copysign(inner*math.Pow(outer/inner, float64(i)/8), b.low+b.high))
		f, ok := bb.seek.difference(x)
		if !ok {
			continue
		}
		if valued++; f.IsZero() || sign != 0 && f.Sign() != sign {
			return false, false
		}
		sign = f.Sign()
		if valued > 1 {
			turn := formula.Compare(bb.solver.Context, f, last)
			if turn*direction < 0 {
				return false, false
			}
			if turn != 0 {
				direction = turn
			}
		} else {
			first = f
		}
		last = f
	}
	if valued < 9 {
		// Numbers too large or too small are evidence only where there is nothing else.
		return valued == 0, false
	}
	c := bb.solver.Context
	return true, c.Sub(last, first).Abs().Cmp(c.Quo(formula.Extreme(formula.Decimals{first.Abs(), last.Abs()}, -1), formula.Hundred)) < 0
}

// valueless reports whether the sides have no value at either end of a box or between.
func (bb *branchAndBound) valueless(b searchBox) bool {
	for _, x := range []float64{b.low, b.low + (b.high-b.low)/2, b.high} {
		if s, _ := bb.program.Over(formula.Interval{Lo: x, Hi: x}); x != 0 && !s.Empty() {
			return false
		}
	}
	return true
}

// middle is where a box is divided, by decades as long as it spans several; false where it is a
// cell.
func (bb *branchAndBound) middle(b searchBox) (float64, bool) {
	if b.low < 0 && b.high > 0 {
		return 0, true
	}
	if b.high <= 0 {
		mid, ok := bb.middle(searchBox{low: -b.high, high: -b.low})
		return -mid, ok
	}
	least, most := math.Max(leastScale*bb.scale, bb.low), mostScale*bb.scale
	switch {
	case b.low == 0 && b.high > bb.scale:
		return bb.scale, true
	case b.low == 0 && b.high > least*1.01:
		return math.Max(b.high*1e-4, least), true
	case b.low == 0:
		return 0, false
	case b.high > most && b.low < bb.scale:
		return bb.scale, true
	case b.high > most && b.low < most:
		return math.Min(b.low*1e4, most), true
	case b.high > most:
		return 0, false
	case b.high > 2*b.low:
		return math.Sqrt(b.low) * math.Sqrt(b.high), true
	}
	return 0, false
}
