package solve

import (
	"math"
	"math/big"
	"math/bits"
	"slices"

	"reckon/engine/formula"
)

// Bounds of exact solutions.
const (
	maxRationalCost = 150_000 // units that the digits of a solution may take
	maxRowSum       = 1 << 60 // of the integers in a row
	maxRightDigits  = 64      // of the right sides, to the base of the modulus
	entriesPerUnit  = 64      // that are multiplied at the cost of one unit
)

// integral is a linear system in integers: rows × x = right.
type integral struct {
	rows  [][]entry[int64]
	right []*big.Int
}

// rational is a solution with a common denominator.
type rational struct {
	nums []*big.Int // by column
	den  *big.Int
}

// spendEntries pays for entries that are worked on.
func (s *Solver) spendEntries(n int) bool { return s.Context.Spend(1 + n/entriesPerUnit) }

// exactly solves linear equations in exact numbers. The solution is right to the last digit, and
// exact where it fits; an error is proved. ok is false where that cannot be done, or would cost too
// much.
func (s *Solver) exactLinear(rows []linear) (values formula.Decimals, err error, ok bool) {
	z, exponents, ok := integers(rows)
	if !ok || !s.affordable(z) {
		return nil, nil, false
	}
	lu, ok := s.byResidues(z)
	if !ok {
		return nil, nil, false
	}
	if len(lu.rows) > 0 {
		err := s.dependent(z, lu.rows, lu.columns)
		return nil, err, err != nil
	}
	x, ok := s.lifted(z, lu)
	if !ok {
		return nil, nil, false
	}
	values = make(formula.Decimals, len(rows))
	for j := range values {
		values[j] = s.Context.Ratio(x.nums[j], x.den, exponents[j])
	}
	return values, nil, true
}

// byResidues takes the matrix of a system apart by the modulus.
func (s *Solver) byResidues(z integral) (*factors[uint64], bool) {
	n, entries := len(z.rows), 0
	for _, row := range z.rows {
		entries += len(row)
	}
	if n <= maxDense && 2*entries > n*n {
		return s.denselyByResidues(z)
	}
	residual := make([][]entry[uint64], n)
	for i, row := range z.rows {
		residual[i] = make([]entry[uint64], 0, len(row))
		for _, e := range row {
			if r := residue(e.value); r != 0 {
				residual[i] = append(residual[i], entry[uint64]{e.at, r})
			}
		}
	}
	return factor(residual, residues(s.spendEntries))
}

// maxDense is the size of a matrix up to which all of it is written out where half of it is filled.
const maxDense = 128

// denselyByResidues is byResidues for a small matrix with few zeros. Remainders need no choice
// among pivots.
func (s *Solver) denselyByResidues(z integral) (*factors[uint64], bool) {
	n := len(z.rows)
	f := &factors[uint64]{field: residues(s.spendEntries), steps: make([]pivotStep[uint64], 0, n)}
	memory, open := make([]uint64, n*n), make([]int, n)
	rows := make([][]uint64, n)
	for i, row := range z.rows {
		rows[i], open[i] = memory[i*n:(i+1)*n], i
		for _, e := range row {
			rows[i][e.at] = residue(e.value)
		}
	}
	room := make([]entry[uint64], 0, n*n) // of both triangular matrices
	for column := range n {
		at := slices.IndexFunc(open, func(i int) bool { return rows[i][column] != 0 })
		if at < 0 {
			f.columns = append(f.columns, column)
			continue
		}
		p := pivotStep[uint64]{row: open[at], column: column}
		open = slices.Delete(open, at, at+1)
		pivot := rows[p.row]
		p.value, p.inverse = pivot[column], inverseMod(pivot[column])
		from := len(room)
		for j := column + 1; j < n; j++ {
			if pivot[j] != 0 {
				room = append(room, entry[uint64]{j, pivot[j]})
			}
		}
		p.upper = room[from:]
		from = len(room)
		for _, i := range open {
			row := rows[i]
			if row[column] == 0 {
				continue
			}
			by := mulMod(row[column], p.inverse)
			room = append(room, entry[uint64]{i, by})
			for _, e := range p.upper {
				row[e.at] = subMod(row[e.at], mulMod(by, e.value))
			}
		}
		p.lower = room[from:]
		f.steps = append(f.steps, p)
		if !f.spend(len(p.lower) * (1 + len(p.upper))) {
			return nil, false
		}
	}
	f.entries = len(f.steps) + len(room)
	f.rows = open
	return f, true
}

// integers multiplies rows and columns by powers of ten so that all coefficients are integers.
// Column j of the solution is to be multiplied by 10 to its exponent.
func integers(rows []linear) (z integral, exponents []int, ok bool) {
	n := len(rows)
	mantissas := make([][]entry[int64], n)
	powers := make([][]int, n)
	least := make([]int, n)
	for j := range least {
		least[j] = math.MaxInt
	}
	entries := 0
	for _, row := range rows {
		entries += len(row.terms)
	}
	all, shifts := make([]entry[int64], entries), make([]int, entries)
	for i, row := range rows {
		mantissas[i], all = all[:len(row.terms)], all[len(row.terms):]
		powers[i], shifts = shifts[:len(row.terms)], shifts[len(row.terms):]
		for k := range row.terms {
			t := &row.terms[k]
			m, e, ok := t.value.Integral()
			if !ok {
				return z, nil, false
			}
			mantissas[i][k], powers[i][k] = entry[int64]{t.at, m}, e
			least[t.at] = min(least[t.at], e)
		}
	}
	rights := make([]int, n)
	common := 0 // the power of ten of all right sides
	for i, row := range mantissas {
		lowest := math.MaxInt
		for k, e := range row {
			powers[i][k] -= least[e.at]
			lowest = min(lowest, powers[i][k])
		}
		if len(row) == 0 {
			lowest = 0
		}
		sum := uint64(0)
		for k, e := range row {
			up := powers[i][k] - lowest
			if up > 18 {
				return z, nil, false
			}
			high, low := bits.Mul64(uint64(max(e.value, -e.value)), tens[up])
			if sum += low; high != 0 || low >= maxRowSum || sum >= maxRowSum {
				return z, nil, false
			}
			row[k].value *= int64(tens[up])
		}
		rights[i] = lowest
		if !rows[i].constant.IsZero() {
			_, last := rows[i].constant.Extent()
			common = min(common, last-lowest)
		}
	}
	z.rows, z.right = mantissas, make([]*big.Int, n)
	for i, row := range rows {
		right, ok := row.constant.Neg().Scaled(-rights[i] - common)
		if !ok {
			return z, nil, false
		}
		if right == nil {
			right = new(big.Int)
		}
		z.right[i] = right
	}
	for j := range least {
		if least[j] == math.MaxInt {
			least[j] = 0
		}
		exponents = append(exponents, common-least[j])
	}
	return z, exponents, true
}

var tens = func() (powers [19]uint64) {
	powers[0] = 1
	for i := 1; i < len(powers); i++ {
		powers[i] = 10 * powers[i-1]
	}
	return powers
}()

// affordable reports whether as many digits as a solution may have (Hadamard's bound of the
// determinants that Cramer's rule has) are worth their cost.
func (s *Solver) affordable(z integral) bool {
	size, entries, right := 0.0, 0, 0
	for i, row := range z.rows {
		sum := 0.0
		for _, e := range row {
			sum += float64(e.value) * float64(e.value)
		}
		size += math.Log2(sum+1) / 2
		entries += len(row)
		right = max(right, z.right[i].BitLen())
	}
	digits := int(2*size+float64(right))/61 + 2
	cost := digits * (4*entries + len(z.rows)*(1+digits/8)) / entriesPerUnit
	return cost < maxRationalCost
}

// dependent tells equations that exclude one another from those that say too little, by what
// proves it: a combination of the rows that is 0 on one side only, or a change of the unknowns that
// changes nothing beside a solution. rows and columns are those without a pivot by the modulus. It
// is nil where nothing is proved.
func (s *Solver) dependent(z integral, rows, columns []int) error {
	n := len(z.rows)
	place := make([]int, n) // of a column with a pivot among those
	var kept []int
	for j := range n {
		if place[j] = len(kept); !slices.Contains(columns, j) {
			kept = append(kept, j)
		}
	}
	within := func(list []entry[int64]) (part []entry[int64]) {
		for _, e := range list {
			if !slices.Contains(columns, e.at) {
				part = append(part, entry[int64]{place[e.at], e.value})
			}
		}
		return part
	}
	var square integral
	for i, row := range z.rows {
		if !slices.Contains(rows, i) {
			square.rows, square.right = append(square.rows, within(row)), append(square.right, z.right[i])
		}
	}
	x, ok := s.solved(square)
	if !ok {
		return nil
	}
	// off is a row without a pivot with which a solution of the others does not agree.
	off := slices.IndexFunc(rows, func(i int) bool {
		return dot(within(z.rows[i]), x.nums).Cmp(new(big.Int).Mul(z.right[i], x.den)) != 0
	})
	if off < 0 {
		square.right = columnOf(z, columns[0], rows)
		y, ok := s.solved(square)
		if ok && !slices.ContainsFunc(rows, func(i int) bool {
			return dot(within(z.rows[i]), y.nums).Cmp(new(big.Int).Mul(coefficient(z.rows[i], columns[0]), y.den)) != 0
		}) {
			return ErrManySolutions
		}
		return nil
	}
	turned := integral{rows: make([][]entry[int64], len(kept)), right: make([]*big.Int, len(kept))}
	for i, row := range square.rows {
		for _, e := range row {
			turned.rows[e.at] = append(turned.rows[e.at], entry[int64]{i, e.value})
		}
	}
	for j := range kept {
		turned.right[j] = coefficient(z.rows[rows[off]], kept[j])
	}
	if !summable(turned.rows) {
		return nil
	}
	w, ok := s.solved(turned)
	if ok && !slices.ContainsFunc(columns, func(j int) bool {
		var side []entry[int64]
		for i, c := range columnOf(z, j, rows) {
			side = append(side, entry[int64]{i, c.Int64()})
		}
		return dot(side, w.nums).Cmp(new(big.Int).Mul(coefficient(z.rows[rows[off]], j), w.den)) != 0
	}) {
		return errNoSolution
	}
	return nil
}

// summable reports whether rows stay below the bound of their sums.
func summable(rows [][]entry[int64]) bool {
	return !slices.ContainsFunc(rows, func(row []entry[int64]) bool {
		sum := int64(0)
		for _, e := range row {
			if sum += max(e.value, -e.value); sum >= maxRowSum {
				return true
			}
		}
		return false
	})
}

// solved is the solution of a system that has one.
func (s *Solver) solved(z integral) (rational, bool) {
	lu, ok := s.byResidues(z)
	if !ok || len(lu.rows) > 0 {
		return rational{}, false
	}
	return s.lifted(z, lu)
}

func dot(row []entry[int64], x []*big.Int) *big.Int {
	sum, part := new(big.Int), new(big.Int)
	for _, e := range row {
		sum.Add(sum, part.Mul(x[e.at], part.SetInt64(e.value)))
	}
	return sum
}

func coefficient(row []entry[int64], column int) *big.Int {
	if at, ok := slices.BinarySearchFunc(row, column, func(e entry[int64], c int) int { return e.at - c }); ok {
		return big.NewInt(row[at].value)
	}
	return new(big.Int)
}

// columnOf is a column of the matrix without some rows.
func columnOf(z integral, column int, without []int) (list []*big.Int) {
	for i, row := range z.rows {
		if !slices.Contains(without, i) {
			list = append(list, coefficient(row, column))
		}
	}
	return list
}
