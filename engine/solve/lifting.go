package solve

import (
	"math/big"
	"math/bits"
)

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
