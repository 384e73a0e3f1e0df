package solve

import (
	"math"
	"slices"
)

// Bounds of sparse elimination.
const (
	pivotRows  = 4   // shortest rows that a pivot is looked for in, once one was found
	pivotShare = 1.5 // how many powers of two a pivot may be smaller than the greatest of its row
)

// entry is a coefficient in a row of a sparse matrix, or a multiplier in a column of one.
type entry[T any] struct {
	at    int // the column, or the row
	value T
}

// field is the arithmetic of the numbers that elimination works on.
type field[T any] struct {
	less   func(x, by, y T) T                    // x - by × y
	over   func(x, y, inverse T) T               // x ÷ y, with what invert says of y
	invert func(y T) T                           // what many divisions by y need once
	isZero func(x T) bool                        // x needs no place in a row
	size   func(x T) (log float64, nonzero bool) // log2 of x; false where x may be 0
	spend  func(entries int) (mayGoOn bool)      // of rows that were worked on
}

// pivotStep is one step of elimination.
type pivotStep[T any] struct {
	row, column    int
	value, inverse T
	log            float64    // log2 of the pivot, beside the rows and columns of the matrix
	upper          []entry[T] // the rest of the row
	lower          []entry[T] // by row: how many times this row was subtracted from it
}

// factors is a matrix taken apart into triangular ones: PAQ = LU.
type factors[T any] struct {
	field[T]
	steps   []pivotStep[T]
	rows    []int // those without a pivot, which are 0 then
	columns []int // those without a pivot
	entries int   // of both triangular matrices
}

// factor takes a square matrix, which it overwrites, apart. A pivot is one that fills in least
// (Markowitz, The elimination form of the inverse, 1957) among those not much smaller than the
// greatest of their row, both relative to the rows and columns of the matrix. It reports false
// where spend ends it.
func factor[T any](rows [][]entry[T], f field[T]) (*factors[T], bool) {
	n := len(rows)
	z := &factors[T]{field: f, steps: make([]pivotStep[T], 0, n)}
	rowScale, columnScale := scales(rows, f)
	holders := make([][]int, n) // by column: the rows that have, or had, an entry there
	counts := make([]int, n)
	for i, row := range rows {
		for _, e := range row {
			holders[e.at] = append(holders[e.at], i)
			counts[e.at]++
		}
	}
	open := make([]int, n) // rows without a pivot
	for i := range open {
		open[i] = i
	}
	taken := make([]bool, n)
	var logs []float64
	// best is the place of a pivot in a row and what it fills in, -1 where the row has none.
	best := func(i int) (at, fill int) {
		most := math.Inf(-1)
		logs = append(logs[:0], make([]float64, len(rows[i]))...)
		for k, e := range rows[i] {
			logs[k] = math.Inf(-1)
			if log, nonzero := f.size(e.value); nonzero {
				logs[k] = log + rowScale[i] + columnScale[e.at]
				most = math.Max(most, logs[k])
			}
		}
		at = -1
		for k, e := range rows[i] {
			if logs[k] < most-pivotShare || math.IsInf(logs[k], -1) {
				continue
			}
			if cost := (len(rows[i]) - 1) * (counts[e.at] - 1); at < 0 || cost < fill || cost == fill && logs[k] > logs[at] {
				at, fill = k, cost
			}
		}
		return at, fill
	}
	for len(open) > 0 {
		place, at, fill := -1, 0, 0
		look := func(k int) {
			if j, cost := best(open[k]); j >= 0 && (place < 0 || cost < fill) {
				place, at, fill = k, j, cost
			}
		}
		for _, k := range shortestRows(rows, open) {
			look(k)
		}
		for k := 0; place < 0 && k < len(open); k++ {
			look(k)
		}
		if place < 0 {
			break
		}
		i := open[place]
		open = slices.Delete(open, place, place+1)
		p := pivotStep[T]{row: i, column: rows[i][at].at, value: rows[i][at].value}
		p.inverse = f.invert(p.value)
		p.log, _ = f.size(p.value)
		p.log += rowScale[i] + columnScale[p.column]
		for _, e := range rows[i] {
			counts[e.at]--
		}
		p.upper = slices.Delete(rows[i], at, at+1)
		rows[i], taken[p.column] = nil, true
		for _, k := range holders[p.column] {
			from, ok := slices.BinarySearchFunc(rows[k], p.column, func(e entry[T], c int) int { return e.at - c })
			if !ok {
				continue
			}
			by := f.over(rows[k][from].value, p.value, p.inverse)
			p.lower = append(p.lower, entry[T]{k, by})
			rows[k] = z.reduce(slices.Delete(rows[k], from, from+1), p.upper, by, k, holders, counts)
			if !f.spend(len(rows[k]) + len(p.upper)) {
				return nil, false
			}
		}
		holders[p.column] = nil
		z.entries += 1 + len(p.upper) + len(p.lower)
		z.steps = append(z.steps, p)
	}
	z.rows = open
	slices.Sort(z.rows)
	for j, is := range taken {
		if !is {
			z.columns = append(z.columns, j)
		}
	}
	return z, true
}

// weakest is the least pivot, of no size where the matrix has none in some rows.
func (z *factors[T]) weakest() pivot {
	if len(z.rows) > 0 {
		return pivot{row: z.rows[0], column: z.columns[0]}
	}
	w := pivot{size: 1}
	for _, p := range z.steps {
		if size := math.Exp2(p.log); size <= w.size {
			w = pivot{p.row, p.column, size}
		}
	}
	return w
}

// shortestRows lists the places of the shortest of some rows.
func shortestRows[T any](rows [][]entry[T], open []int) []int {
	var list [pivotRows + 1]int
	found := list[:0]
	for k, i := range open {
		at := len(found)
		for at > 0 && len(rows[open[found[at-1]]]) > len(rows[i]) {
			at--
		}
		if at < pivotRows {
			found = slices.Insert(found, at, k)
			found = found[:min(len(found), pivotRows)]
		}
	}
	return found
}

// reduce is row - by × other. It keeps the books about which rows have an entry in a column.
func (z *factors[T]) reduce(row, other []entry[T], by T, i int, holders [][]int, counts []int) []entry[T] {
	var zero T
	sum := make([]entry[T], 0, len(row)+len(other))
	for len(row) > 0 || len(other) > 0 {
		switch {
		case len(other) == 0 || len(row) > 0 && row[0].at < other[0].at:
			sum = append(sum, row[0])
			row = row[1:]
			continue
		case len(row) == 0 || other[0].at < row[0].at:
			if v := z.less(zero, by, other[0].value); !z.isZero(v) {
				sum = append(sum, entry[T]{other[0].at, v})
				holders[other[0].at] = append(holders[other[0].at], i)
				counts[other[0].at]++
			}
		default:
			if v := z.less(row[0].value, by, other[0].value); !z.isZero(v) {
				sum = append(sum, entry[T]{row[0].at, v})
			} else {
				counts[row[0].at]--
			}
			row = row[1:]
		}
		other = other[1:]
	}
	return sum
}

// scales are logarithms of what rows and columns are multiplied by, so that the greatest entries of
// all are about 1.
func scales[T any](rows [][]entry[T], f field[T]) (row, column []float64) {
	row, column = make([]float64, len(rows)), make([]float64, len(rows))
	least := make([]float64, len(rows))
	for j := range least {
		least[j] = math.Inf(-1)
	}
	for _, r := range rows {
		for _, e := range r {
			if log, nonzero := f.size(e.value); nonzero {
				least[e.at] = math.Max(least[e.at], log)
			}
		}
	}
	for j, most := range least {
		if !math.IsInf(most, -1) {
			column[j] = -most
		}
	}
	for i, r := range rows {
		most := math.Inf(-1)
		for _, e := range r {
			if log, nonzero := f.size(e.value); nonzero {
				most = math.Max(most, log+column[e.at])
			}
		}
		if !math.IsInf(most, -1) {
			row[i] = -most
		}
	}
	return row, column
}

// forward subtracts from the right side, which it overwrites, what elimination subtracted from the
// rows.
func (z *factors[T]) forward(right []T) bool {
	for k := range z.steps {
		p := &z.steps[k]
		if z.isZero(right[p.row]) {
			continue
		}
		for _, e := range p.lower {
			right[e.at] = z.less(right[e.at], e.value, right[p.row])
		}
	}
	return z.spend(z.entries)
}

// backward is the solution for a right side that forward has been at, 0 in the columns without a
// pivot.
func (z *factors[T]) backward(right []T) []T {
	x := make([]T, len(right))
	for k := len(z.steps) - 1; k >= 0; k-- {
		p := &z.steps[k]
		sum := right[p.row]
		for _, e := range p.upper {
			sum = z.less(sum, e.value, x[e.at])
		}
		x[p.column] = z.over(sum, p.value, p.inverse)
	}
	return x
}
