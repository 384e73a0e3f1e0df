package solve

import (
	"math"

	"reckon/engine/formula"
)

// maxScanned is how many boxes of unknowns are looked at for where equations may hold.
const maxScanned = 1500

// scanned is the hull of all values of the unknowns at which the equations of a link may hold:
// boxes are halved, and left out where interval arithmetic shows that a side is greater than the
// other one (Hansen and Walster, Global Optimization Using Interval Analysis, 2004, chapter 11).
// What is not looked at any more belongs to it.
func (l *extended) scanned(x *Extension) []formula.Interval {
	n := len(l.outputs)
	hull := make([]formula.Interval, n)
	none := true
	add := func(box []formula.Interval) {
		for i, s := range box {
			if none {
				hull[i] = s
			} else {
				hull[i].Lo, hull[i].Hi = math.Min(hull[i].Lo, s.Lo), math.Max(hull[i].Hi, s.Hi)
			}
		}
		none = false
	}
	known := func(box []formula.Interval) bool {
		for i, s := range box {
			if none || s.Lo < hull[i].Lo || s.Hi > hull[i].Hi {
				return false
			}
		}
		return true
	}
	open := [][]formula.Interval{l.bounds}
	for looked := 0; len(open) > 0; looked++ {
		box := open[0]
		if open = open[1:]; known(box) || l.excluded(x, box) {
			continue
		}
		axis, at := widest(box)
		if axis < 0 || looked > maxScanned {
			add(box)
			continue
		}
		for side := range 2 {
			part := append([]formula.Interval(nil), box...)
			if side == 0 {
				part[axis].Hi = at
			} else {
				part[axis].Lo = at
			}
			open = append(open, part)
		}
	}
	for i := range hull {
		if none {
			hull[i] = formula.EmptyInterval
			continue
		}
		hull[i].Jumps, hull[i].Partial = true, true
	}
	return hull
}

// excluded reports whether an equation is shown not to hold anywhere in a box of the unknowns.
func (l *extended) excluded(x *Extension, box []formula.Interval) bool {
	for i, o := range l.outputs {
		x.box[o] = box[i]
	}
	for _, e := range l.system {
		own := x.box[e.variable] // which the difference of the sides does not overwrite
		value := e.evaluate(x)
		if x.box[e.variable] = own; value.Empty() || !value.Has(0) {
			return true
		}
	}
	return false
}

// widest is the axis along which a box of unknowns is halved, and where; -1 for a narrow box.
func widest(box []formula.Interval) (axis int, at float64) {
	axis, most := -1, 0.0
	for i, s := range box {
		mid, ok := halfway(s)
		if !ok {
			continue
		}
		size := math.Inf(1)
		if low, high := math.Abs(s.Lo), math.Abs(s.Hi); !math.IsInf(low, 0) && !math.IsInf(high, 0) {
			size = (s.Hi - s.Lo) / math.Max(low, high)
		}
		if size > most {
			axis, at, most = i, mid, size
		}
	}
	return axis, at
}
