package solve

import "math/bits"

// modulus is the prime that linear systems are taken apart by: remainders of products by a Mersenne
// prime take two additions.
const modulus = 1<<61 - 1

func residue(x int64) uint64 {
	if r := x % modulus; r < 0 {
		return uint64(r + modulus)
	} else {
		return uint64(r)
	}
}

func mulMod(x, y uint64) uint64 {
	high, low := bits.Mul64(x, y)
	r := low&modulus + (high<<3 | low>>61)
	if r >= modulus {
		r -= modulus
	}
	return r
}

func subMod(x, y uint64) uint64 {
	if x < y {
		x += modulus
	}
	return x - y
}

// inverseMod is x^(p-2), by Fermat's theorem: p - 2 is 59 ones, a zero and a one in binary.
func inverseMod(x uint64) uint64 {
	r := uint64(1)
	for bit := 60; bit >= 0; bit-- {
		if r = mulMod(r, r); bit != 1 {
			r = mulMod(r, x)
		}
	}
	return r
}

// residues is the arithmetic of remainders.
func residues(spend func(entries int) bool) field[uint64] {
	return field[uint64]{
		less:   func(x, by, y uint64) uint64 { return subMod(x, mulMod(by, y)) },
		over:   func(x, _, inverse uint64) uint64 { return mulMod(x, inverse) },
		invert: inverseMod,
		isZero: func(x uint64) bool { return x == 0 },
		size:   func(x uint64) (float64, bool) { return 0, x != 0 },
		spend:  spend,
	}
}
