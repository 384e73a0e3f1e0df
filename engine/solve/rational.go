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

// lifted is the solution of a system whose matrix was taken apart by the modulus, where it has no
// determinant of 0: one digit after the other to that base (Dixon, Exact solution of linear
// equations using p-adic expansions, 1982). ok is false where it would cost too much.
func (s *Solver) lifted(z integral, lu *factors[uint64]) (x rational, ok bool) {
	n := len(z.rows)
	right, ok := digitsOf(z.right)
	if !ok {
		return x, false
	}
	rest, residual := make([]int64, n), make([]uint64, n)
	power, base := big.NewInt(1), big.NewInt(modulus)
	sum := make([]big.Int, n) // the solution modulo the power
	var part big.Int
	next := 2
	for digits := 1; ; digits++ {
		for i := range rest {
			if digits <= len(right[i]) {
				rest[i] += right[i][digits-1]
			}
			residual[i] = residue(rest[i])
		}
		if !lu.forward(residual) || !s.Context.Spend(1+n*digits/entriesPerUnit) {
			return x, false
		}
		y := lu.backward(residual)
		for j := range sum {
			sum[j].Add(&sum[j], part.Mul(power, part.SetUint64(y[j])))
		}
		for i, row := range z.rows {
			rest[i] = carried(rest[i], row, y)
		}
		power.Mul(power, base)
		if digits < next {
			continue
		}
		if x, ok = s.recovered(z, sum, power); ok {
			return x, true
		}
		next = digits + 1 + digits/3
	}
}

// digitsOf writes integers to the base of the modulus, the lowest digit first; the last digit of a
// negative one is -1. It reports false where they are very many.
func digitsOf(list []*big.Int) (all [][]int64, ok bool) {
	all = make([][]int64, len(list))
	base := big.NewInt(modulus)
	for i, b := range list {
		if b.IsInt64() && b.Int64() > -maxRowSum && b.Int64() < maxRowSum {
			all[i] = []int64{b.Int64()}
			continue
		}
		rest, digit := new(big.Int).Set(b), new(big.Int)
		for rest.Sign() != 0 && len(all[i]) <= maxRightDigits {
			if rest.IsInt64() && rest.Int64() == -1 {
				all[i] = append(all[i], -1)
				break
			}
			rest.DivMod(rest, base, digit)
			all[i] = append(all[i], digit.Int64())
		}
		if len(all[i]) > maxRightDigits {
			return nil, false
		}
	}
	return all, true
}

// carried is what a digit of the solution leaves of the right side of a row, divided by the base,
// without a remainder.
func carried(rest int64, row []entry[int64], y []uint64) int64 {
	var high, low [2]uint64 // sums of the positive and of the negative products
	sign := 0
	if rest < 0 {
		sign = 1
	}
	low[sign] = uint64(max(rest, -rest))
	for _, e := range row {
		sign, size := 1, e.value // they are subtracted
		if size < 0 {
			sign, size = 0, -size
		}
		h, l := bits.Mul64(uint64(size), y[e.at])
		var carry uint64
		low[sign], carry = bits.Add64(low[sign], l, 0)
		high[sign] += h + carry
	}
	more := 0
	if high[1] > high[0] || high[1] == high[0] && low[1] > low[0] {
		more = 1
	}
	l, borrow := bits.Sub64(low[more], low[1-more], 0)
	h, _ := bits.Sub64(high[more], high[1-more], borrow)
	q, _ := bits.Div64(h, l, modulus)
	if more == 1 {
		return -int64(q)
	}
	return int64(q)
}

// recovered finds the fractions whose remainders are known, and reports whether they are the
// solution: what both sides of each row times the denominator come to is smaller than the power
// that they agree by.
func (s *Solver) recovered(z integral, sum []big.Int, power *big.Int) (x rational, ok bool) {
	half := new(big.Int).Rsh(power, 1)
	bound := new(big.Int).Sqrt(half)
	den := big.NewInt(1)
	nums := make([]*big.Int, len(sum))
	words := power.BitLen()/64 + 1
	for j := range sum {
		if !s.Context.Spend(1 + words*words/entriesPerUnit) {
			return x, false
		}
		t := new(big.Int).Mul(den, &sum[j])
		if nums[j] = balanced(t, power, half); nums[j].CmpAbs(bound) <= 0 {
			continue
		}
		if !s.Context.Spend(words * words / 2) {
			return x, false
		}
		num, by := fraction(nums[j], power, bound)
		if den.Mul(den, by); den.Cmp(bound) > 0 {
			return x, false
		}
		for k := range j {
			nums[k].Mul(nums[k], by)
		}
		nums[j] = num
	}
	largest := new(big.Int)
	for _, num := range nums {
		if num.CmpAbs(largest) > 0 {
			largest.Abs(num)
		}
	}
	most := new(big.Int)
	for i, row := range z.rows {
		sum := int64(1)
		for _, e := range row {
			sum += max(e.value, -e.value)
		}
		side := new(big.Int).Mul(largest, big.NewInt(sum))
		other := new(big.Int).Mul(den, z.right[i])
		if side.Add(side, other.Abs(other)); side.Cmp(most) > 0 {
			most = side
		}
	}
	return rational{nums, den}, most.Cmp(power) < 0
}

// balanced is the remainder of t that is nearest to 0, in t.
func balanced(t, power, half *big.Int) *big.Int {
	if t.Mod(t, power); t.Cmp(half) > 0 {
		t.Sub(t, power)
	}
	return t
}

// fraction is the one with a numerator of at most the bound that has a remainder by the power:
// Euclid's algorithm, ended half way (Wang, A p-adic algorithm for univariate partial fractions,
// 1981).
func fraction(remainder, power, bound *big.Int) (num, den *big.Int) {
	a, b := new(big.Int).Set(power), new(big.Int).Mod(remainder, power)
	u, v := new(big.Int), big.NewInt(1)
	q, t := new(big.Int), new(big.Int)
	for b.Cmp(bound) > 0 {
		q.QuoRem(a, b, t)
		a, b, t = b, t, a
		t.Mul(q, v)
		u.Sub(u, t)
		u, v = v, u
	}
	if v.Sign() < 0 {
		b.Neg(b)
		v.Neg(v)
	}
	return b, v
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
