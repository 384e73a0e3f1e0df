package solve

import (
	"math"

	"reckon/engine/formula"
)

// Bounds of the enclosure of a system.
const (
	maxSystem    = 12 // equations of a system that is followed over intervals
	maxInflation = 10
	maxCentering = 25
)

// enclose encloses the solution of the equations of a link near the one that is at hand, by
// Krawczyk's operator (Moore, Kearfott and Cloud, Introduction to Interval Analysis, 2009, chapter
// 8): where it maps a box into itself, there is one and only one solution in it for all that moves.
// Whether there are others elsewhere is shown where the slopes over all values that the unknowns
// may have tell it; else the extension is local from then on, unless it is strict. Without an
// enclosure nothing is told.
func (l *extended) enclose(x *Extension, slopes bool) bool {
	n := len(l.outputs)
	box := make([]formula.Interval, n)
	center, inverse, ok := l.center(x)
	if !ok {
		return false
	}
	at := func(y []formula.Interval) (values []formula.Interval, ok bool) {
		for i, v := range l.outputs {
			x.box[v] = y[i]
		}
		values, ok = make([]formula.Interval, n), true
		for i, e := range l.system {
			values[i] = x.run(e.sloped)
			ok = ok && !values[i].Empty() && !values[i].Jumps && !values[i].Partial
		}
		return values, ok
	}
	points := make([]formula.Interval, n)
	for i, c := range center {
		points[i] = formula.Interval{Lo: c, Hi: c}
	}
	residual, ok := at(points)
	if !ok {
		return false
	}
	newton := times(inverse, residual) // the step of Newton's method, over all that moves
	for i, c := range center {
		r := 1.1*size(newton[i]) + 1e-14*math.Abs(c) + 1e-300
		box[i] = formula.Interval{Lo: c - r, Hi: c + r}
	}
	var rest [][]formula.Interval
	inside := false
	for range maxInflation {
		if _, ok := at(box); !ok {
			return false
		}
		if rest, ok = l.rest(inverse); !ok {
			return false
		}
		next := make([]formula.Interval, n)
		inside = true
		for i, c := range center {
			sum := formula.IntervalAdd(points[i], negative(newton[i]))
			for k := range n {
				off := formula.IntervalAdd(box[k], formula.Interval{Lo: -center[k], Hi: -center[k]})
				sum = formula.IntervalAdd(sum, formula.IntervalMul(rest[i][k], off))
			}
			next[i] = sum
			inside = inside && sum.Lo > box[i].Lo && sum.Hi < box[i].Hi
			if math.IsNaN(sum.Lo) || math.IsNaN(sum.Hi) || math.IsInf(sum.Lo, 0) || math.IsInf(sum.Hi, 0) {
				return false
			}
			if !inside {
				r := 1.3*math.Max(math.Abs(sum.Lo-c), math.Abs(sum.Hi-c)) + 1e-14*math.Abs(c)
				next[i] = formula.Interval{Lo: c - r, Hi: c + r}
			}
		}
		if box = next; inside {
			break
		}
	}
	if !inside {
		return false
	}
	for i, v := range l.outputs {
		if s := l.ranges[i]; box[i].Lo < s.Lo || box[i].Hi > s.Hi {
			return false
		}
		x.box[v] = box[i]
	}
	if slopes && !l.steer(x, center, inverse) {
		return false
	}
	if !x.Local {
		alone := l.alone(at, center, inverse)
		for i, v := range l.outputs {
			x.box[v] = box[i]
		}
		if x.Local = !alone && !x.Strict; !alone && x.Strict {
			return false
		}
	}
	return true
}

// center solves the equations in the middle of what moves, and inverts their slopes there.
func (l *extended) center(x *Extension) (center []float64, inverse [][]float64, ok bool) {
	n := len(l.outputs)
	saved := map[int]formula.Interval{}
	for _, e := range l.system {
		for _, u := range e.refs {
			if _, seen := saved[u]; !seen {
				b := x.box[u]
				saved[u] = b
				if b.Empty() || math.IsInf(b.Lo, 0) || math.IsInf(b.Hi, 0) {
					continue
				}
				mid := b.Lo + (b.Hi-b.Lo)/2
				x.box[u] = formula.Interval{Lo: mid, Hi: mid}
			}
		}
	}
	defer func() {
		for u, b := range saved {
			x.box[u] = b
		}
	}()
	center = append(center, l.start...)
	for range maxCentering {
		for i, v := range l.outputs {
			x.box[v] = formula.Interval{Lo: center[i], Hi: center[i]}
		}
		matrix := make([][]float64, n)
		for i, e := range l.system {
			value := x.run(e.sloped)
			if value.Empty() {
				return nil, nil, false
			}
			matrix[i] = make([]float64, n, 2*n+1)
			for k := range n {
				s := e.sloped.Slots[e.ownsAt[k]]
				matrix[i][k] = s.Lo/2 + s.Hi/2
			}
			matrix[i] = append(matrix[i], -(value.Lo/2 + value.Hi/2))
		}
		inverse = inverted(matrix, n)
		step, solved := eliminated(matrix)
		if inverse == nil || !solved {
			return nil, nil, false
		}
		moved := 0.0
		for i := range center {
			center[i] += step[i]
			moved = math.Max(moved, math.Abs(step[i])/math.Max(math.Abs(center[i]), 1e-300))
		}
		if moved < 1e-13 {
			return center, inverse, true
		}
		if math.IsNaN(moved) || math.IsInf(moved, 0) {
			return nil, nil, false
		}
	}
	return center, inverse, true
}

// inverted is the inverse of the square part of rows; nil where there is none.
func inverted(rows [][]float64, n int) [][]float64 {
	inverse := make([][]float64, n)
	for i := range inverse {
		inverse[i] = make([]float64, n)
	}
	for k := range n {
		m := make([][]float64, n)
		for i := range m {
			m[i] = append(append([]float64(nil), rows[i][:n]...), 0)
			if i == k {
				m[i][n] = 1
			}
		}
		column, ok := eliminated(m)
		if !ok {
			return nil
		}
		for i := range n {
			inverse[i][k] = column[i]
		}
	}
	return inverse
}

// rest is the unit matrix less the inverse times the slopes that were evaluated last; false where
// they are not known.
func (l *extended) rest(inverse [][]float64) ([][]formula.Interval, bool) {
	n := len(l.outputs)
	rest := make([][]formula.Interval, n)
	column := make([]formula.Interval, n)
	for i := range rest {
		rest[i] = make([]formula.Interval, n)
	}
	for k := range n {
		for i, e := range l.system {
			s := e.sloped.Slots[e.ownsAt[k]]
			if s.Empty() || math.IsInf(s.Lo, 0) || math.IsInf(s.Hi, 0) {
				return nil, false
			}
			column[i] = s
		}
		for i, p := range times(inverse, column) {
			p = negative(p)
			if i == k {
				p = formula.IntervalAdd(p, formula.Interval{Lo: 1, Hi: 1})
			}
			rest[i][k] = p
		}
	}
	return rest, true
}

// alone reports whether the slopes over all values that the unknowns may have show that there is no
// other solution.
func (l *extended) alone(at func([]formula.Interval) ([]formula.Interval, bool), center []float64, inverse [][]float64) bool {
	if !l.whole {
		return false
	}
	if _, ok := at(l.ranges); !ok {
		return false
	}
	rest, ok := l.rest(inverse)
	return ok && norm(rest, center) < 1
}

// steer finds the slopes of the unknowns by all that moves: the system of their equations is solved
// by its inverse in the middle, whose error is a part of them.
func (l *extended) steer(x *Extension, center []float64, inverse [][]float64) bool {
	for _, e := range l.system {
		x.run(e.sloped)
	}
	rest, ok := l.rest(inverse)
	if !ok {
		return false
	}
	q := norm(rest, center)
	if !(q < 1) {
		return false
	}
	n := len(l.outputs)
	for k := range x.Moving {
		right := make([]formula.Interval, n)
		for i, e := range l.system {
			var sum formula.Interval
			for r, u := range e.refs {
				if by := x.slopes[u][k]; by.Lo != 0 || by.Hi != 0 {
					sum = formula.IntervalAdd(sum, slopeOf(formula.IntervalMul, e.sloped.Slots[e.slopeAt[r]], by))
				}
			}
			right[i] = negative(sum)
		}
		d := times(inverse, right)
		most := 0.0
		for i, s := range d {
			most = math.Max(most, size(s)/weight(center[i]))
		}
		most = most / (1 - q) * (1 + 1e-12)
		slope := make([]formula.Interval, n)
		for i := range slope {
			sum := d[i]
			for j := range n {
				r := most * weight(center[j])
				sum = formula.IntervalAdd(sum, formula.IntervalMul(rest[i][j], formula.Interval{Lo: -r, Hi: r}))
			}
			slope[i] = sum
		}
		for i, v := range l.outputs {
			x.slopes[v][k] = slope[i]
		}
	}
	return true
}

// times is a matrix times a column.
func times(matrix [][]float64, column []formula.Interval) []formula.Interval {
	product := make([]formula.Interval, len(matrix))
	for i, row := range matrix {
		var sum formula.Interval
		for k, f := range row {
			sum = formula.IntervalAdd(sum, formula.IntervalMul(formula.Interval{Lo: f, Hi: f}, column[k]))
		}
		product[i] = sum
	}
	return product
}

// weight is what a variable's numbers are compared with.
func weight(center float64) float64 { return math.Max(math.Abs(center), 1e-9) }

// norm is the greatest sum of the sizes of a row, each variable in numbers of its own size.
func norm(matrix [][]formula.Interval, center []float64) (most float64) {
	for i, row := range matrix {
		sum := 0.0
		for k, s := range row {
			sum += size(s) * weight(center[k]) / weight(center[i])
		}
		most = math.Max(most, sum)
		if math.IsNaN(sum) {
			return math.Inf(1)
		}
	}
	return most
}

// size is the greatest size of a number in an interval.
func size(s formula.Interval) float64 { return math.Max(math.Abs(s.Lo), math.Abs(s.Hi)) }
