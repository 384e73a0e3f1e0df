package solve

import (
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
