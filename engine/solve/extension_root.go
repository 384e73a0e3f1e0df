package solve

import (
	"math"

	"reckon/engine/formula"
)

// Bounds of the search for where a root may be.
const (
	maxEdge       = 160   // intervals looked at from one side
	farthestRoot  = 1e100 // sizes beyond, and below its inverse, are not told apart
	coarseWidth   = 1e-3  // relative width at which Newton's method goes on
	maxNewton     = 12
	leastProgress = 0.9
)

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
