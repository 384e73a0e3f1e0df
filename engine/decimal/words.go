package decimal

import (
	"math/big"
	"math/bits"
)

// Most coefficients have up to four words, and most roundings cut up to 19 digits: those are done in words, without
// passing through big.Int. Every function here reports whether it could; where not, nothing has happened.

// words is a coefficient, its lowest word first. The words from n on are 0.
type words struct {
	w [6]uint64
	n int
}

const (
	wordBits    = 64
	mostWords   = 4  // of an operand: a product with one word and a sum of two of those fit
	mostOneWord = 19 // the largest power of ten in one word
)

// load sets z to the coefficient of d.
func (z *words) load(d *Decimal) bool {
	list := d.v.Coeff.Bits()
	if bits.UintSize != wordBits || len(list) > mostWords {
		return false
	}
	for i, w := range list {
		z.w[i] = uint64(w)
	}
	z.n = len(list)
	return true
}

// multiply sets z to z × y.
func (z *words) multiply(y uint64) {
	var carry uint64
	for i := range z.n {
		high, low := bits.Mul64(z.w[i], y)
		sum, c := bits.Add64(low, carry, 0)
		z.w[i], carry = sum, high+c
	}
	if carry != 0 {
		z.w[z.n] = carry
		z.n++
	}
}

// add sets z to z + y.
func (z *words) add(y *words) {
	z.n = max(z.n, y.n)
	var carry uint64
	for i := range z.n {
		z.w[i], carry = bits.Add64(z.w[i], y.w[i], carry)
	}
	if carry != 0 {
		z.w[z.n] = carry
		z.n++
	}
}

// subtract sets z to |z - y| and reports whether y is the larger one.
func (z *words) subtract(y *words) (negative bool) {
	n := max(z.n, y.n)
	var borrow uint64
	for i := range n {
		z.w[i], borrow = bits.Sub64(z.w[i], y.w[i], borrow)
	}
	if borrow != 0 {
		carry := uint64(1)
		for i := range n {
			z.w[i], carry = bits.Add64(^z.w[i], 0, carry)
		}
	}
	for n > 0 && z.w[n-1] == 0 {
		n--
	}
	z.n = n
	return borrow != 0
}

func (z *words) bitLen() int {
	if z.n == 0 {
		return 0
	}
	return (z.n-1)*wordBits + bits.Len64(z.w[z.n-1])
}

// digits is countDigits for z > 0.
func (z *words) digits() int {
	n := z.bitLen() * 30103 / 100000
	power := powersOf10[n].Bits()
	if len(power) != z.n {
		if z.n > len(power) {
			n++
		}
		return n
	}
	for i := z.n - 1; i >= 0; i-- {
		if p := uint64(power[i]); z.w[i] != p {
			if z.w[i] > p {
				n++
			}
			return n
		}
	}
	return n + 1
}

// round is registers.round.
func (z *words) round(exponent int, negative bool, digits int) (r Decimal, ok bool) {
	if z.bitLen() > 3*digits {
		if cut := z.digits() - digits; cut > mostOneWord {
			return r, false
		} else if cut > 0 {
			unit := powersOf10[cut].Uint64()
			var rest uint64
			for i := z.n - 1; i >= 0; i-- {
				z.w[i], rest = bits.Div64(rest, z.w[i], unit)
			}
			if z.w[z.n-1] == 0 {
				z.n--
			}
			if half := unit / 2; rest > half || rest == half && z.w[0]&1 == 1 {
				one := words{n: 1}
				one.w[0] = 1
				z.add(&one)
			}
			exponent += cut
		}
	}
	z.store(&r)
	r.v.Exponent = int32(exponent)
	r.v.Negative = negative && z.n > 0
	return r, true
}

// store makes z the coefficient of r, which is 0.
func (z *words) store(r *Decimal) {
	switch {
	case z.n == 0:
	case z.n == 1:
		r.v.Coeff.SetUint64(z.w[0])
	case z.n == 2:
		var list [2]big.Word
		var x big.Int
		list[0], list[1] = big.Word(z.w[0]), big.Word(z.w[1])
		r.v.Coeff.SetMathBigInt(x.SetBits(list[:]))
	default:
		list := make([]big.Word, z.n)
		for i := range list {
			list[i] = big.Word(z.w[i])
		}
		r.v.Coeff.SetBits(list)
	}
}

// plusWords returns a + b, whose exponents are a gap apart, rounded once to the given digits.
func plusWords(a, b *Decimal, gap, digits int) (r Decimal, ok bool) {
	if gap < -mostOneWord || gap > mostOneWord {
		return r, false
	}
	var x, y words
	if !x.load(a) || !y.load(b) {
		return r, false
	}
	exponent := int(b.v.Exponent)
	if gap > 0 {
		x.multiply(powersOf10[gap].Uint64())
	} else if gap < 0 {
		y.multiply(powersOf10[-gap].Uint64())
		exponent = int(a.v.Exponent)
	}
	negative := a.v.Negative
	if a.v.Negative == b.v.Negative {
		x.add(&y)
	} else if x.subtract(&y) {
		negative = !negative
	}
	return x.round(exponent, negative, digits)
}

// timesWords returns a × b, one of which has one word, rounded once to the given digits.
func timesWords(a, b *Decimal, digits int) (r Decimal, ok bool) {
	if short(a) {
		a, b = b, a
	} else if !short(b) {
		return r, false
	}
	var x words
	if !x.load(a) {
		return r, false
	}
	x.multiply(b.v.Coeff.Uint64())
	return x.round(int(a.v.Exponent)+int(b.v.Exponent), a.v.Negative != b.v.Negative, digits)
}
