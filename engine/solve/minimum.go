package solve

import (
	"container/heap"
	"math"
	"slices"

	"reckon/engine/formula"
)

// Axis is one of the inputs over which an optimum is sought. Its numbers are in a unit; in coherent
// SI they are Scale times as large, plus Offset.
type Axis struct {
	Lo, Hi        float64 // infinite for no bound
	Scale, Offset float64
	Whole         bool      // whole numbers only
	Choices       []float64 // the only values, ascending; nil for any
	Start         float64   // where to begin, NaN for nowhere
}

// Minimum finds where an objective is least: best-first branch and bound over the boxes of its
// inputs, with the mean value form and a test for monotony (Hansen and Walster, Global Optimization
// Using Interval Analysis, 2004, chapters 7 and 12). Samples are improved by compass search (Kolda,
// Lewis and Torczon, SIAM Review 45, 2003), along the surface of a condition where one holds them
// back, and by Newton's method on the slopes. Without an extension it only samples.
type Minimum struct {
	Extension  *Extension // nil for none
	Objective  int        // variable
	Sign       float64    // 1, or -1 for the greatest value
	Conditions int        // of the extension: each must be 0 or more
	Axes       []Axis
	Try        func(at []float64) (objective float64, ok bool) // the ordinary calculation, with the sign; nil for none
	Spend      func(units int) bool

	At        []float64 // the best found, nil for none
	Upper     float64   // the objective there, with the sign; +Inf for none
	Lower     float64   // no value is below, with the sign
	Boxes     int       // intervals looked at
	Points    int       // values of the objective found
	Unbounded bool      // it falls without end
	Open      []int     // axes without a bound on which the search has not come to an end
	Over      bool      // the budget was used up
	Unsound   bool      // a calculation gave a value that intervals leave out
	Partial   bool      // somewhere in the box there may be no value, or the value may jump
	Corner    []float64 // where the slopes show that the least value is, nil where they do not

	scale float64
	tries int
	given map[string]float64 // of points tried already; NaN for no value
}

// Tolerance is the relative gap at which an optimum counts as proved.
const Tolerance = 1e-9

const (
	maxTries      = 400  // ordinary calculations for points that may break a condition
	maxCompass    = 4000 // values of the objective that compass search takes
	narrowestAxis = 1e-13
	maxDistance   = 1e15 // from where decades of an axis without a bound are not sampled any more
)

// searched is a box with the least that the objective may be in it.
type searched struct {
	box   []formula.Interval
	lower float64
	moved bool // the box is an end of a larger one
}

type frontier []searched

func (f frontier) Len() int           { return len(f) }
func (f frontier) Less(i, j int) bool { return f[i].lower < f[j].lower }
func (f frontier) Swap(i, j int)      { f[i], f[j] = f[j], f[i] }
func (f *frontier) Push(x any)        { *f = append(*f, x.(searched)) }
func (f *frontier) Pop() any {
	last := len(*f) - 1
	x := (*f)[last]
	*f = (*f)[:last]
	return x
}

// Run searches. It ends at an optimum that is proved, or at the end of the budget.
func (m *Minimum) Run() {
	m.Upper, m.Lower, m.given = math.Inf(1), math.Inf(-1), map[string]float64{}
	for _, x := range m.Starts() {
		if m.Over {
			return
		}
		m.offer(x)
	}
	if m.At != nil {
		m.improve()
	}
	if m.Extension != nil {
		m.branch()
	}
	if m.At != nil && !m.Unbounded {
		m.improve()
	}
}

// spend counts work; it is false at the end of the budget.
func (m *Minimum) spend(units int) bool {
	if !m.Over && !m.Spend(units) {
		m.Over = true
	}
	return !m.Over
}

// snap moves a number to the nearest one that the axis has.
func (a *Axis) snap(x float64) float64 {
	switch {
	case a.Choices != nil:
		best := a.Choices[0]
		for _, c := range a.Choices {
			if math.Abs(c-x) < math.Abs(best-x) {
				best = c
			}
		}
		return best
	case a.Whole:
		x = math.Round(x)
	}
	low, high := a.Lo, a.Hi
	if math.IsInf(low, 0) {
		low = math.Min(-maxDistance, high)
	}
	if math.IsInf(high, 0) {
		high = math.Max(maxDistance, low)
	}
	return math.Min(math.Max(x, low), high)
}

// discrete reports whether the axis has single values only.
func (a *Axis) discrete() bool { return a.Whole || a.Choices != nil }

// si is an interval of the axis in coherent SI.
func (a *Axis) si(x formula.Interval) formula.Interval {
	if a.Scale == 1 && a.Offset == 0 {
		return x
	}
	around := formula.Interval{Lo: a.Scale, Hi: a.Scale}
	if a.Scale != math.Trunc(a.Scale) {
		around = formula.IntervalMul(around, formula.Interval{Lo: 1 - formula.Ulps, Hi: 1 + formula.Ulps})
	}
	r := formula.IntervalMul(x, around)
	if a.Offset != 0 {
		o := math.Abs(a.Offset) * formula.Ulps
		r = formula.IntervalAdd(r, formula.Interval{Lo: a.Offset - o, Hi: a.Offset + o})
	}
	return r
}

// Starts are points to begin with: where the inputs are now, the corners, and places between.
func (m *Minimum) Starts() [][]float64 {
	per := make([][]float64, len(m.Axes))
	mid := make([]float64, len(m.Axes))
	for i := range m.Axes {
		a := &m.Axes[i]
		list := a.places()
		per[i], mid[i] = list, list[len(list)/2]
		if !math.IsNaN(a.Start) {
			mid[i] = a.snap(a.Start)
		}
	}
	points := [][]float64{slices.Clone(mid)}
	all := 1
	for _, list := range per {
		all *= len(list)
	}
	if all <= 256 {
		for n := range all {
			x := make([]float64, len(per))
			for i, list := range per {
				x[i] = list[n%len(list)]
				n /= len(list)
			}
			points = append(points, x)
		}
		return points
	}
	for i, list := range per {
		for _, place := range list {
			x := slices.Clone(mid)
			x[i] = place
			points = append(points, x)
		}
	}
	return points
}

// places are numbers of an axis to begin with.
func (a *Axis) places() (list []float64) {
	add := func(x float64) {
		if x = a.snap(x); !slices.Contains(list, x) && !math.IsInf(x, 0) {
			list = append(list, x)
		}
	}
	switch {
	case a.Choices != nil:
		return a.Choices
	case !math.IsInf(a.Lo, 0) && !math.IsInf(a.Hi, 0):
		for i := range 9 {
			add(a.Lo + (a.Hi-a.Lo)*float64(i)/8)
		}
		if a.Lo >= 0 && a.Hi > 100*a.Lo {
			for f := a.Hi / 10; f > a.Lo && f > a.Hi*1e-6; f /= 10 {
				add(f)
			}
		}
	default:
		from := a.Lo
		if math.IsInf(from, -1) {
			from = math.Min(0, a.Hi)
		}
		add(from)
		for f := 1e-3; f < 1e9; f *= 10 {
			add(from + f)
			if math.IsInf(a.Lo, -1) {
				add(from - f)
			}
		}
	}
	slices.Sort(list)
	return list
}

// view is what a box tells of the objective or of a condition.
type view struct {
	value formula.Interval
	slope []formula.Interval
}

func copied(value formula.Interval, slope []formula.Interval, sign float64) view {
	v := view{value: value, slope: slices.Clone(slope)}
	if sign < 0 {
		v.value = negative(v.value)
		for i := range v.slope {
			v.slope[i] = negative(v.slope[i])
		}
	}
	return v
}

// over evaluates the extension over a box of the axes.
func (m *Minimum) over(box []formula.Interval, slopes bool) bool {
	si := make([]formula.Interval, len(box))
	for i := range box {
		si[i] = m.Axes[i].si(box[i])
	}
	before := m.Extension.Cost
	m.Extension.Over(si, slopes)
	return m.spend(1 + (m.Extension.Cost-before)/4)
}

func pointBox(at []float64) []formula.Interval {
	box := make([]formula.Interval, len(at))
	for i, x := range at {
		box[i] = formula.Interval{Lo: x, Hi: x}
	}
	return box
}

// value is the objective at a point and whether its conditions may hold; the most is what it is at
// most.
func (m *Minimum) value(at []float64) (middle, most float64, ok bool) {
	m.Points++
	if m.Extension == nil {
		y, ok := m.tried(at)
		return y, y, ok
	}
	if !m.over(pointBox(at), false) {
		return math.Inf(1), math.Inf(1), false
	}
	y, _ := m.Extension.Of(m.Objective)
	if m.Sign < 0 {
		y = negative(y)
	}
	if y.Empty() || math.IsInf(y.Hi, 0) || math.IsInf(y.Lo, 0) {
		if y.Empty() || m.Try == nil || m.tries > maxTries {
			return math.Inf(1), math.Inf(1), false
		}
		m.tries++
		z, ok := m.tried(at)
		return z, z, ok
	}
	for i := range m.Conditions {
		if c, _ := m.Extension.Condition(i); c.Empty() || c.Hi < 0 {
			return math.Inf(1), math.Inf(1), false
		}
	}
	return y.Lo + (y.Hi-y.Lo)/2, y.Hi, true
}

// tried is Try, once for each point.
func (m *Minimum) tried(at []float64) (float64, bool) {
	key := string(pointKey(at))
	if y, seen := m.given[key]; seen {
		return y, !math.IsNaN(y)
	}
	if m.Over {
		return math.Inf(1), false
	}
	y, ok := m.Try(at)
	if !ok || math.IsNaN(y) {
		m.given[key] = math.NaN()
		return math.Inf(1), false
	}
	m.given[key] = y
	if m.Extension != nil && m.over(pointBox(at), false) {
		v := viewOf(m.Extension, m.Objective, m.Sign).value
		slack := 1e-12 * math.Abs(y)
		m.Unsound = m.Unsound || v.Empty() || y < v.Lo-slack || y > v.Hi+slack
	}
	return y, true
}

func pointKey(at []float64) []byte {
	key := make([]byte, 0, 8*len(at))
	for _, x := range at {
		b := math.Float64bits(x)
		for i := range 8 {
			key = append(key, byte(b>>(8*i)))
		}
	}
	return key
}

// offer takes a point as the best one where it is that, and the ordinary calculation agrees.
func (m *Minimum) offer(at []float64) bool {
	middle, most, ok := m.value(at)
	if !ok || middle >= m.Upper {
		return false
	}
	return m.take(at, most)
}

func (m *Minimum) take(at []float64, most float64) bool {
	if m.Try != nil && m.Extension != nil {
		if m.tries++; m.tries > maxTries {
			return false
		}
		y, ok := m.tried(at)
		if !ok || y >= m.Upper {
			return false
		}
		most = y
	}
	if most >= m.Upper {
		return false
	}
	if math.IsInf(m.Upper, 1) {
		m.scale = math.Abs(most)
	}
	m.At, m.Upper = slices.Clone(at), most
	return true
}

// Gap is how much of a difference counts as none.
func (m *Minimum) Gap() float64 {
	if math.IsInf(m.Upper, 1) {
		return 0
	}
	return Tolerance * math.Max(math.Abs(m.Upper), 1e-9*m.scale)
}

// branch divides boxes, the one with the least bound first, until none can have a better value.
func (m *Minimum) branch() {
	first := make([]formula.Interval, len(m.Axes))
	for i := range m.Axes {
		first[i] = formula.Interval{Lo: m.Axes[i].Lo, Hi: m.Axes[i].Hi}
	}
	open := &frontier{}
	least := math.Inf(1) // of the boxes that were left
	leave := func(lower float64) { least = math.Min(least, lower) }
	b, ok := m.look(first)
	switch {
	case ok:
		heap.Push(open, b)
		m.Corner = cornerOf(b.box)
	case m.Over:
		leave(math.Inf(-1))
	}
	for open.Len() > 0 && !m.Over && !m.Unbounded {
		b := heap.Pop(open).(searched)
		if b.lower >= m.Upper-m.Gap() {
			leave(b.lower)
			break // the others are not below
		}
		axis, at, ok := m.divide(b.box)
		if !ok {
			if !m.refused(b) {
				leave(b.lower)
				m.noteOpen(b.box)
			}
			if math.IsInf(b.lower, -1) && len(m.Open) > 0 {
				break // nothing will be shown without a bound
			}
			continue
		}
		for side := range 2 {
			part := slices.Clone(b.box)
			if side == 0 {
				part[axis].Hi = at
			} else {
				part[axis].Lo = at
			}
			if next, ok := m.look(part); ok {
				next.lower = math.Max(next.lower, b.lower)
				if next.lower >= m.Upper-m.Gap() {
					leave(next.lower)
				} else {
					heap.Push(open, next)
				}
			} else if m.Over {
				leave(b.lower)
			}
		}
	}
	for _, b := range *open {
		leave(b.lower)
		if b.lower >= m.Upper-m.Gap() {
			continue
		}
		m.noteOpen(b.box)
	}
	m.Lower = least
	if m.Upper < m.Lower {
		m.Lower = m.Upper
	}
}

// noteOpen notes the axes on which a box has no end.
func (m *Minimum) noteOpen(box []formula.Interval) {
	for i, x := range box {
		if (math.IsInf(x.Lo, 0) || math.IsInf(x.Hi, 0)) && !slices.Contains(m.Open, i) {
			m.Open = append(m.Open, i)
		}
	}
}

// look bounds the objective in a box, which it narrows; false where nothing in it counts.
func (m *Minimum) look(box []formula.Interval) (b searched, ok bool) {
	m.Boxes++
	for i := range box {
		if !m.Axes[i].narrow(&box[i]) {
			return b, false
		}
	}
	for moved := false; ; moved = true {
		if !m.over(box, true) {
			return b, false
		}
		objective := viewOf(m.Extension, m.Objective, m.Sign)
		conditions := make([]view, m.Conditions)
		for i := range conditions {
			value, slope := m.Extension.Condition(i)
			conditions[i] = copied(value, slope, 1)
		}
		center := m.center(box)
		finite := true
		for _, x := range box {
			finite = finite && !math.IsInf(x.Lo, 0) && !math.IsInf(x.Hi, 0)
		}
		if finite {
			if !m.over(pointBox(center), false) {
				return b, false
			}
			middle, _ := m.Extension.Of(m.Objective)
			if m.Sign < 0 {
				middle = negative(middle)
			}
			m.meanValue(&objective, middle, box, center)
			for i := range conditions {
				middle, _ := m.Extension.Condition(i)
				m.meanValue(&conditions[i], middle, box, center)
			}
		}
		sure := true
		for _, c := range conditions {
			if c.value.Empty() || c.value.Hi < 0 {
				return b, false
			}
			sure = sure && c.value.Lo > 0 && !c.value.Partial
		}
		if objective.value.Empty() {
			return b, false
		}
		m.Partial = m.Partial || m.Boxes == 1 && (objective.value.Partial || objective.value.Jumps)
		if m.slopesApart(box, objective, conditions) {
			return b, false
		}
		now := searched{slices.Clone(box), objective.value.Lo, moved}
		if now.lower < m.Upper {
			m.offer(center)
		}
		if moved && m.Try != nil && cornerOf(box) != nil && now.lower < m.Upper-m.Gap() {
			return b, true // the calculation refuses the end: what the larger box has is open
		}
		if b = now; !sure || objective.value.Jumps || objective.value.Partial || !m.collapse(box, objective.slope) {
			return b, true
		}
		if m.Unbounded {
			return b, false
		}
	}
}

// refused reports whether a box is a single point at which the ordinary calculation has no value
// that counts.
func (m *Minimum) refused(b searched) bool {
	at := cornerOf(b.box)
	if b.moved || at == nil || m.Try == nil || slices.ContainsFunc(m.Axes, func(a Axis) bool { return !a.discrete() }) {
		return false
	}
	_, ok := m.tried(at)
	return !ok && !m.Over
}

// slopesApart reports whether only one condition may hold just so in a box within the bounds, and
// its slopes are nowhere parallel to those of the objective, so that the least value is elsewhere
// (the conditions of Fritz John).
func (m *Minimum) slopesApart(box []formula.Interval, objective view, conditions []view) bool {
	var edge *view
	for i := range conditions {
		if c := &conditions[i]; c.value.Lo <= 0 {
			if edge != nil {
				return false
			}
			edge = c
		}
	}
	if edge == nil || edge.slope == nil || objective.slope == nil {
		return false
	}
	for _, v := range []*view{edge, &objective} {
		if v.value.Jumps || v.value.Partial {
			return false
		}
	}
	within := func(i int) bool {
		return box[i].Lo < box[i].Hi && box[i].Lo > m.Axes[i].Lo && box[i].Hi < m.Axes[i].Hi && !m.Axes[i].discrete()
	}
	for i := range box {
		for j := range i {
			if within(i) && within(j) {
				f, g := objective.slope, edge.slope
				both := slopeOf(formula.IntervalMul, f[i], g[j])
				other := slopeOf(formula.IntervalMul, f[j], g[i])
				if d := slopeOf(formula.IntervalAdd, both, negative(other)); d.Lo > 0 || d.Hi < 0 {
					return true
				}
			}
		}
	}
	return false
}

// cornerOf is a box that is a point.
func cornerOf(box []formula.Interval) []float64 {
	at := make([]float64, len(box))
	for i, x := range box {
		if at[i] = x.Lo; x.Lo != x.Hi {
			return nil
		}
	}
	return at
}

// viewOf is what the box at hand tells of a variable.
func viewOf(x *Extension, variable int, sign float64) view {
	value, slope := x.Of(variable)
	return copied(value, slope, sign)
}

// narrow cuts an interval to the values of a discrete axis; false where it has none.
func (a *Axis) narrow(x *formula.Interval) bool {
	switch {
	case a.Choices != nil:
		low, high := math.Inf(1), math.Inf(-1)
		for _, c := range a.Choices {
			if x.Has(c) {
				low, high = math.Min(low, c), math.Max(high, c)
			}
		}
		x.Lo, x.Hi = low, high
	case a.Whole:
		x.Lo, x.Hi = math.Ceil(x.Lo), math.Floor(x.Hi)
	}
	return x.Lo <= x.Hi
}

// center is a point in a box.
func (m *Minimum) center(box []formula.Interval) []float64 {
	at := make([]float64, len(box))
	for i, x := range box {
		a := &m.Axes[i]
		switch low, high := math.IsInf(x.Lo, 0), math.IsInf(x.Hi, 0); {
		case low && high:
			at[i] = 0
		case high:
			at[i] = math.Max(2*x.Lo, x.Lo+1)
		case low:
			at[i] = math.Min(2*x.Hi, x.Hi-1)
		default:
			at[i] = x.Lo + (x.Hi-x.Lo)/2
		}
		at[i] = a.snap(at[i])
		at[i] = math.Min(math.Max(at[i], x.Lo), x.Hi)
	}
	return at
}

// meanValue narrows a view by its value at a point and the slopes in the box.
func (m *Minimum) meanValue(v *view, middle formula.Interval, box []formula.Interval, center []float64) {
	if v.value.Empty() || v.value.Jumps || v.value.Partial || v.slope == nil || middle.Empty() {
		return
	}
	for i, x := range box {
		if x.Lo == x.Hi {
			continue
		}
		s := v.slope[i]
		if s.Empty() || math.IsInf(s.Lo, 0) || math.IsInf(s.Hi, 0) {
			return
		}
		a := &m.Axes[i]
		off := formula.Interval{Lo: (x.Lo - center[i]) * a.Scale, Hi: (x.Hi - center[i]) * a.Scale}
		wide := 8 * formula.Ulps * (math.Abs(x.Lo) + math.Abs(x.Hi)) * math.Abs(a.Scale)
		off.Lo, off.Hi = off.Lo-wide, off.Hi+wide
		middle = formula.IntervalAdd(middle, formula.IntervalMul(s, off))
	}
	v.value.Lo, v.value.Hi = math.Max(v.value.Lo, middle.Lo), math.Min(v.value.Hi, middle.Hi)
	if v.value.Lo > v.value.Hi {
		v.value = middle
	}
}

// collapse moves a box on whose inputs the objective depends one way to the end where it is least,
// and reports whether it changed one.
func (m *Minimum) collapse(box []formula.Interval, slope []formula.Interval) (changed bool) {
	for i := range box {
		x, s := &box[i], formula.Interval{}
		if slope != nil {
			s = slope[i]
		}
		if x.Lo == x.Hi || s.Empty() {
			continue
		}
		switch {
		case s.Lo > 0 && !math.IsInf(x.Lo, 0):
			x.Hi, changed = x.Lo, true
		case s.Hi < 0 && !math.IsInf(x.Hi, 0):
			x.Lo, changed = x.Hi, true
		case s.Lo > 0 || s.Hi < 0:
			m.Unbounded = true // it falls at least as steeply as that, without end
			return true
		case s.Lo == 0 && s.Hi == 0:
			at := m.center(box)[i]
			x.Lo, x.Hi, changed = at, at, true
		}
	}
	return changed
}

// divide is the axis along which a box is divided, and where; false where it is a point.
func (m *Minimum) divide(box []formula.Interval) (axis int, at float64, ok bool) {
	widest := 0.0
	for i, x := range box {
		a := &m.Axes[i]
		if x.Lo == x.Hi {
			continue
		}
		share := 0.0
		switch low, high := math.IsInf(x.Lo, 0), math.IsInf(x.Hi, 0); {
		case low || high:
			share = math.Inf(1)
		default:
			size := a.size()
			share = (x.Hi - x.Lo) / size
			least := narrowestAxis * math.Max(math.Abs(x.Lo), math.Abs(x.Hi))
			if m.At != nil {
				least = math.Max(least, 10*narrowestAxis*math.Abs(m.At[i]))
			}
			if !a.discrete() && x.Hi-x.Lo <= least {
				continue
			}
		}
		if share > widest {
			widest, axis, ok = share, i, true
		}
	}
	if !ok {
		return 0, 0, false
	}
	x, a := box[axis], &m.Axes[axis]
	switch low, high := math.IsInf(x.Lo, 0), math.IsInf(x.Hi, 0); {
	case low && high:
		at = 0
	case high && math.Abs(x.Lo) > maxDistance:
		return 0, 0, false
	case low && math.Abs(x.Hi) > maxDistance:
		return 0, 0, false
	case high:
		at = math.Max(x.Lo*8, x.Lo+1)
		if x.Lo < 0 {
			at = math.Max(1, x.Lo/8)
		}
	case low:
		at = math.Min(x.Hi*8, x.Hi-1)
		if x.Hi > 0 {
			at = math.Min(-1, x.Hi/8)
		}
	default:
		at = x.Lo + (x.Hi-x.Lo)/2
		if x.Lo >= 0 && x.Hi > 64*math.Max(x.Lo, 1e-9*a.size()) {
			at = math.Max(x.Hi/8, 2*x.Lo)
		}
	}
	if a.discrete() { // halves without a value between them
		at = math.Floor(at) + 0.5
		if a.Choices != nil {
			at = between(a.Choices, x)
		}
	}
	return axis, at, at > x.Lo && at < x.Hi
}

// between halves the choices in an interval.
func between(choices []float64, x formula.Interval) float64 {
	var in []float64
	for _, c := range choices {
		if x.Has(c) {
			in = append(in, c)
		}
	}
	if len(in) < 2 {
		return x.Lo
	}
	k := len(in) / 2
	return in[k-1] + (in[k]-in[k-1])/2
}

// size is what is a large step of an axis.
func (a *Axis) size() float64 {
	if w := a.Hi - a.Lo; !math.IsInf(w, 0) && w > 0 {
		return w
	}
	if !math.IsNaN(a.Start) && a.Start != 0 {
		return math.Abs(a.Start)
	}
	return 1
}
