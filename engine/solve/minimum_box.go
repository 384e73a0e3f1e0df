package solve

import (
	"container/heap"
	"math"
	"slices"

	"reckon/engine/formula"
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
		if math.IsInf(b.lower, -1) && m.open(b.box) {
			leave(b.lower) // nothing is shown of these values without a bound
			continue
		}
		axis, at, ok := m.divide(b.box)
		if !ok {
			if !m.refused(b) {
				leave(b.lower)
				m.noteOpen(b.box)
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

// noteOpen notes the ends that a box does not have.
func (m *Minimum) noteOpen(box []formula.Interval) {
	if m.Open == nil {
		m.Open = make([]OpenAxis, len(box))
	}
	for i, x := range box {
		m.Open[i].Below = m.Open[i].Below || math.IsInf(x.Lo, 0)
		m.Open[i].Above = m.Open[i].Above || math.IsInf(x.Hi, 0)
	}
}

// open reports whether a box has no end, only where the search is known to come to none already.
func (m *Minimum) open(box []formula.Interval) (some bool) {
	if m.Open == nil {
		return false
	}
	for i, x := range box {
		low, high := math.IsInf(x.Lo, 0), math.IsInf(x.Hi, 0)
		if low && !m.Open[i].Below || high && !m.Open[i].Above {
			return false
		}
		some = some || low || high
	}
	return some
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
		now := searched{slices.Clone(box), math.Max(objective.value.Lo, m.Floor), moved}
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
