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
	m           *Solver
	e           *formula.Equation
	x           formula.Unknown
	aim         aim
	left, right *formula.Node   // with everything but the unknown evaluated
	slopes      []*formula.Node // derivatives of left - right, from the first on
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
	h := &branchAndBound{m: s, e: e, x: x, aim: a, seek: seek, scale: scale, crowded: math.Inf(1)}
	h.left, h.right = s.fold(e.Left, x), s.fold(e.Right, x)
	difference := formula.Combined(formula.OpSub, h.left, h.right)
	p := &formula.IntervalProgram{Seen: map[*formula.Node]int{}, Slope: -1}
	var ok bool
	if p.Value, ok = p.Add(difference, x); !ok || s.Limited() {
		return nil
	}
	if slope := difference.Derivative(x); slope != nil {
		h.slopes = append(h.slopes, slope)
		if at, ok := p.Add(slope, x); ok {
			p.Slope = at
		}
	}
	p.Slots = make([]formula.Interval, len(p.Steps))
	h.program = p
	return h
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
func (h *branchAndBound) preimage() (p formula.Preimage, ok bool) {
	v := h.x.Variable
	// Next to a root at zero nothing can be told from it.
	zero := h.m.keep(h.e, v, formula.Decimals{{}})
	if len(zero) == 0 {
		if place, ok := h.seek.limit(h.e, decimal.Decimal{}, h.scale); ok {
			zero = formula.Decimals{place}
		}
	}
	switch {
	case len(zero) > 0 && h.m.isLimit(decimal.Decimal{}):
		h.low = 1e-6 * h.scale // as far as the limit has shown the difference to be straight
	case len(zero) > 0:
		h.low = 1e-9 * h.scale
	}
	for _, r := range h.regions() {
		found := h.search(r)
		if h.m.Limited() {
			return formula.Preimage{}, true
		}
		p.Roots = append(p.Roots, found...)
		if math.IsInf(h.crowded, 1) && (len(p.Roots) == 0 || h.aim.all) && r.low <= 0 && r.high >= 0 {
			p.Roots = append(p.Roots, zero...)
		}
		if len(p.Roots) > 0 && !h.aim.all || !math.IsInf(h.crowded, 1) {
			break
		}
	}
	if h.sparse && (len(p.Roots) == 0 || h.aim.all) {
		var list formula.Decimals
		for i := int64(1); i <= maxInteger; i++ {
			list = append(list, decimal.Int(i), decimal.Int(-i))
		}
		p.Roots = append(p.Roots, h.m.keep(h.e, v, list)...)
	}
	if !math.IsInf(h.crowded, 1) && (len(p.Roots) == 0 || h.aim.all) {
		return formula.Preimage{Infinite: true}, true
	}
	proof := !h.open && !h.sparse
	p.Roots = h.m.distinct(p.Roots)
	return p, proof || len(p.Roots) > 0 || h.m.Limited()
}

// search finds the roots in a region, from its start outwards.
func (h *branchAndBound) search(r region) formula.Decimals {
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
	h.looked = 0
	for len(queue) > 0 {
		b := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if b.distance >= h.crowded || !h.aim.all && len(found) > 0 && b.distance > best {
			break
		}
		if len(found) > maxFoundRoots {
			h.open = true
			break
		}
		if h.looked > maxIntervals {
			h.open = true
			if len(found) == 0 || h.aim.all {
				found = append(found, h.sample(r)...)
			}
			break
		}
		if b.low >= -h.low && b.high <= h.low {
			continue
		}
		value, slope := h.over(b.low, b.high)
		if h.m.Limited() {
			return nil
		}
		if value.Empty() || !value.Has(0) {
			h.sparse = h.sparse || value.Sparse
			continue
		}
		roots, done := h.rising(b, value, slope)
		if !done && h.outlying(b) {
			if calm, flat := h.monotone(b); calm {
				flat = flat || value.Partial && h.valueless(b)
				h.open, h.sparse = h.open || !flat, h.sparse || value.Sparse
				continue
			}
		}
		if !done {
			if mid, ok := h.middle(b); ok {
				push(b.low, mid)
				push(mid, b.high)
				continue
			}
			roots = h.cell(b)
		}
		for _, t := range roots {
			found = append(found, t)
			best = math.Min(best, math.Abs(t.Float64()-r.from))
		}
	}
	if best > h.crowded {
		// Nearer than this root there may be any number of others.
		return nil
	}
	if !h.aim.all {
		h.crowded = math.Inf(1)
	}
	return found
}

func (h *branchAndBound) over(low, high float64) (value, slope formula.Interval) {
	h.looked++
	h.m.steps++
	if !h.m.Context.Spend(1 + len(h.program.Steps)/4) {
		return formula.EmptyInterval, formula.EmptyInterval
	}
	value, slope = h.program.Over(formula.Interval{Lo: low, Hi: high})
	if mid := low + (high-low)/2; !value.Jumps && !value.Partial && value.Has(0) && high-low < 1e100 && low < high && !slope.Empty() && !math.IsInf(slope.Lo, 0) && !math.IsInf(slope.Hi, 0) {
		// The mean value form is narrower where the interval is.
		center, _ := h.program.Over(formula.Interval{Lo: mid, Hi: mid})
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
func (h *branchAndBound) sign(x float64) (int, bool) {
	s, _ := h.program.Over(formula.Interval{Lo: x, Hi: x})
	switch {
	case s.Lo > 0:
		return 1, true
	case s.Hi < 0:
		return -1, true
	}
	f, ok := h.seek.difference(decimal.FromFloat(x))
	return f.Sign(), ok
}

// rising decides a box over which the difference of the sides only rises or only falls.
func (h *branchAndBound) rising(b searchBox, value, slope formula.Interval) (formula.Decimals, bool) {
	if value.Jumps || value.Partial || slope.Empty() || slope.Has(0) || math.IsInf(b.low, 0) || math.IsInf(b.high, 0) {
		return nil, false
	}
	first, ok1 := h.sign(b.low)
	last, ok2 := h.sign(b.high)
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
		return h.m.keep(h.e, h.x.Variable, formula.Decimals{decimal.FromFloat(edge)}), true
	case b.low <= 0 && b.high >= 0, b.low > 0 && b.high > 16*b.low, b.high < 0 && b.low < 16*b.high:
		if math.Max(math.Abs(b.low), math.Abs(b.high)) > leastScale*h.scale {
			return nil, false
		}
	}
	start := h.seek.brent(b.low, b.high, h.seek.at(b.low), h.seek.at(b.high))
	x, ok := h.seek.secant(decimal.FromFloat(start), h.seek.difference)
	if f := x.Float64(); !ok || f < b.low || f > b.high {
		x, ok = h.bisected(b, first)
	}
	if !ok {
		return nil, false
	}
	kept := h.m.keep(h.e, h.x.Variable, formula.Decimals{x})
	return kept, len(kept) > 0
}

// bisected halves a box in decimal until secants find the root in it.
func (h *branchAndBound) bisected(b searchBox, first int) (decimal.Decimal, bool) {
	c := h.m.Context
	low, high := decimal.FromFloat(b.low), decimal.FromFloat(b.high)
	for i := range 160 {
		mid := c.Mul(c.Add(low, high), oneHalf)
		f, ok := h.seek.difference(mid)
		if !ok {
			return mid, false
		}
		if f.IsZero() {
			return mid, true
		}
		if f.Sign() == first {
			low = mid
		} else {
			high = mid
		}
		if i%8 == 7 {
			if x, ok := h.seek.secant(mid, h.seek.difference); ok && x.Cmp(low) >= 0 && x.Cmp(high) <= 0 {
				return x, true
			}
		}
	}
	return low, true
}

// outlying reports whether a box reaches from ordinary sizes to the least or the greatest.
func (h *branchAndBound) outlying(b searchBox) bool {
	low, high := math.Abs(b.low), math.Abs(b.high)
	if low > high {
		low, high = high, low
	}
	return b.low*b.high >= 0 && (low == 0 && high <= 1e-8*h.scale || low >= 1e8*h.scale && high > mostScale*h.scale)
}

// monotone reports whether the difference of the sides has one sign and only rises or only falls at
// numbers of very different size in a box, by which what float64 cannot tell is told from what
// oscillates; flat, that it hardly changes there.
func (h *branchAndBound) monotone(b searchBox) (calm, flat bool) {
	inner := math.Min(math.Abs(b.low), math.Abs(b.high))
	outer := math.Max(math.Abs(b.low), math.Abs(b.high))
	outer = math.Min(outer, 1e2*mostScale*h.scale)
	inner = math.Max(inner, leastScale*h.scale)
	var first, last decimal.Decimal
	sign, direction := 0, 0
	valued := 0
	for i := range 9 {
		x := decimal.FromFloat(math.Copysign(inner*math.Pow(outer/inner, float64(i)/8), b.low+b.high))
		f, ok := h.seek.difference(x)
		if !ok {
			continue
		}
		if valued++; f.IsZero() || sign != 0 && f.Sign() != sign {
			return false, false
		}
		sign = f.Sign()
		if valued > 1 {
			turn := formula.Compare(h.m.Context, f, last)
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
	c := h.m.Context
	return true, c.Sub(last, first).Abs().Cmp(c.Quo(formula.Extreme(formula.Decimals{first.Abs(), last.Abs()}, -1), formula.Hundred)) < 0
}

// valueless reports whether the sides have no value at either end of a box or between.
func (h *branchAndBound) valueless(b searchBox) bool {
	for _, x := range []float64{b.low, b.low + (b.high-b.low)/2, b.high} {
		if s, _ := h.program.Over(formula.Interval{Lo: x, Hi: x}); x != 0 && !s.Empty() {
			return false
		}
	}
	return true
}

// middle is where a box is divided, by decades as long as it spans several; false where it is a
// cell.
func (h *branchAndBound) middle(b searchBox) (float64, bool) {
	if b.low < 0 && b.high > 0 {
		return 0, true
	}
	if b.high <= 0 {
		mid, ok := h.middle(searchBox{low: -b.high, high: -b.low})
		return -mid, ok
	}
	least, most := math.Max(leastScale*h.scale, h.low), mostScale*h.scale
	switch {
	case b.low == 0 && b.high > h.scale:
		return h.scale, true
	case b.low == 0 && b.high > least*1.01:
		return math.Max(b.high*1e-4, least), true
	case b.low == 0:
		return 0, false
	case b.high > most && b.low < h.scale:
		return h.scale, true
	case b.high > most && b.low < most:
		return math.Min(b.low*1e4, most), true
	case b.high > most:
		return 0, false
	case b.high > 2*b.low:
		return math.Sqrt(b.low) * math.Sqrt(b.high), true
	}
	return 0, false
}
