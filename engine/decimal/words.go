package decimal

import "math/bits"

// Coefficients of up to 256 bits are worked on in words, the lowest one first, in arrays of three
// sizes: four words hold an operand and every rounded result, five a sum of neighbours or a product
// with a single word, eight every product of two operands. Nothing here needs memory of its own.

const (
	wordBits  = 64
	fewWords  = 4
	longWords = 8
)

type (
	few  = [fewWords]uint64
	five = [fewWords + 1]uint64
	long = [longWords]uint64
)

func bitLen(list []uint64) int {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i] != 0 {
			return i*wordBits + bits.Len64(list[i])
		}
	}
	return 0
}

// less reports whether x < y, which have as many words.
func less(x, y []uint64) bool {
	for i := len(x) - 1; i >= 0; i-- {
		if x[i] != y[i] {
			return x[i] < y[i]
		}
	}
	return false
}

// digitsOf returns the number of decimal digits of x > 0.
func digitsOf(x []uint64) int {
	n := fewerDigits(bitLen(x))
	if !less(x, wordPowers[n][:len(x)]) {
		n++
	}
	return n
}

// digitsOfFive is digitsOf, and quicker for numbers of four words.
func digitsOfFive(x *five) int {
	if x[4] != 0 || x[3] == 0 {
		return digitsOf(x[:])
	}
	n := int(fullDigits[bits.LeadingZeros64(x[3])&63])
	if power := &wordPowers[n]; x[3] > power[3] || x[3] == power[3] && !less(x[:3], power[:3]) {
		n++
	}
	return n
}

func scale(z *five, x *few, y uint64) {
	h0, l0 := bits.Mul64(x[0], y)
	h1, l1 := bits.Mul64(x[1], y)
	h2, l2 := bits.Mul64(x[2], y)
	h3, l3 := bits.Mul64(x[3], y)
	var carry uint64
	z[0] = l0
	z[1], carry = bits.Add64(l1, h0, 0)
	z[2], carry = bits.Add64(l2, h1, carry)
	z[3], carry = bits.Add64(l3, h2, carry)
	z[4] = h3 + carry
}

// add sets z to x + y, which is below 2^320.
func add(z, x, y *five) {
	var carry uint64
	z[0], carry = bits.Add64(x[0], y[0], 0)
	z[1], carry = bits.Add64(x[1], y[1], carry)
	z[2], carry = bits.Add64(x[2], y[2], carry)
	z[3], carry = bits.Add64(x[3], y[3], carry)
	z[4], _ = bits.Add64(x[4], y[4], carry)
}

// subtract sets z to |x - y| and reports whether y is the larger one.
func subtract(z, x, y *five) (negative bool) {
	var borrow uint64
	z[0], borrow = bits.Sub64(x[0], y[0], 0)
	z[1], borrow = bits.Sub64(x[1], y[1], borrow)
	z[2], borrow = bits.Sub64(x[2], y[2], borrow)
	z[3], borrow = bits.Sub64(x[3], y[3], borrow)
	z[4], borrow = bits.Sub64(x[4], y[4], borrow)
	if borrow == 0 {
		return false
	}
	z[0], borrow = bits.Sub64(0, z[0], 0)
	z[1], borrow = bits.Sub64(0, z[1], borrow)
	z[2], borrow = bits.Sub64(0, z[2], borrow)
	z[3], borrow = bits.Sub64(0, z[3], borrow)
	z[4], _ = bits.Sub64(0, z[4], borrow)
	return true
}

func multiply(z *long, x, y *few) {
	*z = long{}
	for j, w := range y {
		if w == 0 {
			continue
		}
		var carry uint64
		for i, v := range x {
			high, low := bits.Mul64(v, w)
			sum, c := bits.Add64(low, carry, 0)
			high += c
			z[i+j], c = bits.Add64(z[i+j], sum, 0)
			carry = high + c
		}
		z[j+fewWords] = carry
	}
}

// divideShort divides x by y > 0 in place and returns the remainder.
func divideShort(x []uint64, y uint64) (rest uint64) {
	i := len(x) - 1
	for i > 0 && x[i] == 0 {
		i--
	}
	for ; i >= 0; i-- {
		x[i], rest = bits.Div64(rest, x[i], y)
	}
	return rest
}

// divide sets q to x / y, for y > 0, and returns how the remainder compares with 0 and with half of
// y.
//
// Method: schoolbook division (D. E. Knuth, The Art of Computer Programming, volume 2, section
// 4.3.1, algorithm D).
func divide(q, x *long, y *few) (exact bool, half int) {
	*q = long{}
	size := fewWords
	for y[size-1] == 0 {
		size--
	}
	if size == 1 {
		*q = *x
		rest := divideShort(q[:], y[0])
		return rest == 0, compareHalf(rest, y[0])
	}
	// Both are shifted until the first bit of the divisor is set.
	shift := uint(bits.LeadingZeros64(y[size-1]))
	var v few
	var u [longWords + 1]uint64
	for i := size - 1; i > 0; i-- {
		v[i] = y[i]<<shift | y[i-1]>>(wordBits-shift)
	}
	v[0] = y[0] << shift
	top := longWords
	for top > 0 && x[top-1] == 0 {
		top--
	}
	for i := top; i > 0; i-- {
		u[i] = x[i-1] >> (wordBits - shift)
		if i < top {
			u[i] |= x[i] << shift
		}
	}
	u[0] = x[0] << shift

	first, second := v[size-1], v[size-2]
	for j := top - size; j >= 0; j-- {
		part := u[j : j+size+1]
		digit := ^uint64(0)
		if head := part[size]; head < first {
			var rest uint64
			digit, rest = bits.Div64(head, part[size-1], first)
			high, low := bits.Mul64(digit, second)
			for high > rest || high == rest && low > part[size-2] {
				digit--
				if rest += first; rest < first {
					break
				}
				high, low = bits.Mul64(digit, second)
			}
		}
		var carry, borrow uint64
		for i := range size {
			high, low := bits.Mul64(digit, v[i])
			low, c := bits.Add64(low, carry, 0)
			carry = high + c
			part[i], borrow = bits.Sub64(part[i], low, borrow)
		}
		if part[size], borrow = bits.Sub64(part[size], carry, borrow); borrow != 0 {
			digit--
			carry = 0
			for i := range size {
				part[i], carry = bits.Add64(part[i], v[i], carry)
			}
			part[size] += carry
		}
		q[j] = digit
	}
	exact = true
	for i := range size {
		exact = exact && u[i] == 0
	}
	// The remainder against the divisor less the remainder.
	var other few
	var borrow uint64
	for i := range size {
		other[i], borrow = bits.Sub64(v[i], u[i], borrow)
	}
	switch {
	case less(u[:size], other[:size]):
		return exact, -1
	case less(other[:size], u[:size]):
		return exact, 1
	}
	return exact, 0
}

// compareHalf compares a remainder with half of an divisor.
func compareHalf(rest, divisor uint64) int {
	switch other := divisor - rest; {
	case rest < other:
		return -1
	case rest > other:
		return 1
	}
	return 0
}

// shorten divides x by 10^cut in place, for cut > 0, and returns whether the digits cut off are all
// 0 and how they compare with a half.
func shorten(x []uint64, cut int) (exact bool, half int) {
	exact = true
	for ; cut > mostOneWord; cut -= mostOneWord {
		exact = divideShort(x, wordPowers[mostOneWord][0]) == 0 && exact
	}
	unit := wordPowers[cut][0]
	rest := divideShort(x, unit)
	if half = compareHalf(rest, unit); half == 0 && !exact {
		half = 1
	}
	return exact && rest == 0, half
}

// cutZeros divides x > 0 by ten while that leaves no remainder, and returns how often.
func cutZeros(x *five) int {
	zeros := 0
	for n := 16; n > 0; n /= 2 {
		// A multiple of 10^n is one of 2^n.
		for x[0]&(1<<n-1) == 0 {
			z := *x
			if divideShort(z[:], wordPowers[n][0]) != 0 {
				break
			}
			*x = z
			zeros += n
		}
	}
	return zeros
}
