package decimal

import (
	"math/big"
	"math/bits"
)

// pow10 returns 10^n for n >= 0. It must not be written to.
func pow10(n int) *big.Int {
	if n < len(powersOf10) {
		return &powersOf10[n]
	}
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// powersOf10 holds 10^0 to 10^199. It is never written to again.
var powersOf10 = func() (powers [200]big.Int) {
	powers[0].SetInt64(1)
	ten := big.NewInt(10)
	for i := 1; i < len(powers); i++ {
		powers[i].Mul(&powers[i-1], ten)
	}
	return powers
}()

// Powers of ten by the words they fit.
const (
	mostOneWord   = 19  // 10^19 < 2^64
	mostFourWords = 77  // 10^77 < 2^256
	mostDigits    = 154 // 10^154 < 2^512
)

// wordPowers holds 10^0 to 10^154. It is never written to again.
var wordPowers = func() (powers [mostDigits + 1][longWords]uint64) {
	powers[0][0] = 1
	for i := 1; i < len(powers); i++ {
		var carry uint64
		for k, w := range powers[i-1] {
			high, low := bits.Mul64(w, 10)
			powers[i][k], carry = bits.Add64(low, carry, 0)
			carry += high
		}
	}
	return powers
}()

// fewerDigits returns the number of decimal digits of a number of that many bits, or one less.
func fewerDigits(bits int) int {
	// 30103/100000 is hardly above log10(2), so that 10^n is no more than a tenth above the number and
	// at most one power below.
	return bits * 30103 / 100000
}

// countDigits returns the number of decimal digits of x > 0.
func countDigits(x *big.Int) int {
	n := fewerDigits(x.BitLen())
	if x.CmpAbs(pow10(n)) >= 0 {
		n++
	}
	return n
}
