package solve

import "math"

// pivot is an entry of a matrix, relative to the others in its row.
type pivot struct {
	row, column int
	size        float64
}

// gauss solves a system, given with its right side as the last column. weakest is the least pivot;
// its size is 0 where there is no solution.
func gauss(a [][]float64) (x []float64, weakest pivot) {
	n := len(a)
	order := make([]int, n)
	for i, row := range a {
		order[i] = i
		most := 0.0
		for _, f := range row[:n] {
			most = math.Max(most, math.Abs(f))
		}
		if most == 0 || math.IsNaN(most) || math.IsInf(most, 0) {
			return nil, pivot{row: i}
		}
		for j := range row {
			row[j] /= most
		}
	}
	weakest.size = 1
	for k := range n {
		best := k
		for i := k; i < n; i++ {
			if math.Abs(a[i][k]) > math.Abs(a[best][k]) {
				best = i
			}
		}
		a[k], a[best] = a[best], a[k]
		order[k], order[best] = order[best], order[k]
		p := math.Abs(a[k][k])
		if math.IsNaN(p) || math.IsInf(p, 0) {
			p = 0
		}
		if p <= weakest.size {
			weakest = pivot{order[k], k, p}
		}
		if p == 0 {
			return nil, weakest
		}
		for i := k + 1; i < n; i++ {
			by := a[i][k] / a[k][k]
			for j := k; j <= n; j++ {
				a[i][j] -= float64(by * a[k][j])
			}
		}
	}
	x = make([]float64, n)
	for k := n - 1; k >= 0; k-- {
		x[k] = a[k][n]
		for j := k + 1; j < n; j++ {
			x[k] -= float64(a[k][j] * x[j])
		}
		x[k] /= a[k][k]
	}
	return x, weakest
}

// leastStep is the smallest step that solves a system of fewer equations than unknowns, given as
// gauss takes it; nil where that fails.
func leastStep(a [][]float64) []float64 {
	if len(a) == 0 {
		return nil
	}
	n, last := len(a), len(a[0])-1
	if n > manyRows*last {
		return leastStepOfMany(a)
	}
	normal, most := make([][]float64, n), 0.0
	for i := range n {
		normal[i] = make([]float64, n+1)
		for j := range n {
			for k := range last {
				normal[i][j] += float64(a[i][k] * a[j][k])
			}
		}
		normal[i][n] = a[i][last]
		most = math.Max(most, normal[i][i])
	}
	for i := range n {
		normal[i][i] += 1e-12 * most
	}
	y, weakest := gauss(normal)
	if weakest.size == 0 {
		return nil
	}
	step := make([]float64, last)
	for i := range y {
		for k := range step {
			step[k] += float64(a[i][k] * y[i])
		}
	}
	return step
}

// manyRows is how many times more rows than columns there are where the normal equations of the
// columns are solved in place of those of the rows.
const manyRows = 2

// leastStepCost is the cost of a step for so many rows and columns.
func leastStepCost(rows, columns int) int {
	if rows > manyRows*columns {
		return columns * columns * rows / 100
	}
	return rows * rows * max(1, rows/100)
}

// leastStepOfMany is leastStep by the other side of the identity Aᵀ(AAᵀ + cI)⁻¹ = (AᵀA + cI)⁻¹Aᵀ.
func leastStepOfMany(a [][]float64) []float64 {
	n, most := len(a[0])-1, 0.0
	normal := make([][]float64, n)
	for i := range normal {
		normal[i] = make([]float64, n+1)
	}
	for _, row := range a {
		size := 0.0
		for i, x := range row[:n] {
			if x == 0 {
				continue
			}
			size += float64(x * x)
			for j, y := range row {
				normal[i][j] += float64(x * y)
			}
		}
		most = math.Max(most, size)
	}
	for i := range normal {
		normal[i][i] += 1e-12 * most
	}
	step, weakest := gauss(normal)
	if weakest.size == 0 {
		return nil
	}
	return step
}
