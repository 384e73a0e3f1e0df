package decimal

import "math/bits"

// The four operations on coefficients of four words. Each reports whether it could: where not, the
// operation is one for big.Int, and the result is as it was.

// roundFive sets r to the number of coefficient z rounded half-even to the given digits, of which
// there are at most 76.
func (r *Decimal) roundFive(z *five, exponent int, negative bool, digits int) {
	limit := &wordPowers[digits]
	r.doubt = 0
	if z[4] != 0 || z[3] > limit[3] || z[3] == limit[3] && !less(z[:3], limit[:3]) {
		cut := digitsOfFive(z) - digits
		exponent += cut
		exact, half := shorten(z[:], cut)
		if half > 0 || half == 0 && z[0]&1 == 1 {
			increase(z)
		}
		if !exact {
			r.doubt = doubtAt(digits)
		}
	}
	// Word by word: a wider load right after the stores of these words would wait for them.
	r.w[0], r.w[1], r.w[2], r.w[3] = z[0], z[1], z[2], z[3]
	r.large = nil
	r.exponent = int32(exponent)
	r.negative = negative && z[0]|z[1]|z[2]|z[3] != 0
}

func increase(z *five) {
	for i := range z {
		if z[i]++; z[i] != 0 {
			return
		}
	}
}

// roundLong is roundFive for eight words.
func (r *Decimal) roundLong(z *long, exponent int, negative bool, digits int) bool {
	if z[5]|z[6]|z[7] != 0 {
		cut := digitsOf(z[:]) - digits
		if cut > mostFourWords {
			return false
		}
		power := few(wordPowers[cut][:fewWords])
		var q long
		exact, half := divide(&q, z, &power)
		z = &q
		exponent += cut
		if half > 0 || half == 0 && z[0]&1 == 1 {
			// A number of at most 76 digits and 1 more do not leave four words.
			x := five(z[:fewWords+1])
			increase(&x)
			copy(z[:], x[:])
		}
		r.w = few(z[:fewWords])
		r.large = nil
		r.exponent = int32(exponent)
		r.negative = negative
		if r.doubt = 0; !exact {
			r.doubt = doubtAt(digits)
		}
		return true
	}
	x := five(z[:fewWords+1])
	r.roundFive(&x, exponent, negative, digits)
	return true
}

// plusWords sets r to a + b rounded once to the given digits.
func (r *Decimal) plusWords(a, b *Decimal, digits int) bool {
	if a.large != nil || b.large != nil {
		return false
	}
	gap := int(a.exponent) - int(b.exponent)
	if gap < 0 {
		a, b, gap = b, a, -gap
	}
	if gap > 0 && (gap > mostOneWord || !a.short() || !b.short()) {
		if a.zero() || b.zero() { // 0 leaves the exponent of the other one
			if a.zero() {
				a = b
			}
			z := five{a.w[0], a.w[1], a.w[2], a.w[3]}
			r.roundFive(&z, int(a.exponent), a.negative, digits)
			return true
		}
		if gap > mostOneWord {
			return gap <= mostFourWords && r.plusLong(a, b, gap, digits)
		}
	}
	var x five
	y := five{b.w[0], b.w[1], b.w[2], b.w[3]}
	if gap == 0 {
		x = five{a.w[0], a.w[1], a.w[2], a.w[3]}
	} else {
		scale(&x, &a.w, wordPowers[gap][0])
	}
	negative := a.negative
	if a.negative == b.negative {
		add(&x, &x, &y)
	} else if subtract(&x, &x, &y) {
		negative = !negative
	}
	r.roundFive(&x, int(b.exponent), negative, digits)
	return true
}

// plusLong is plusWords for a × 10^gap of up to eight words.
func (r *Decimal) plusLong(a, b *Decimal, gap, digits int) bool {
	var x long
	power := few(wordPowers[gap][:fewWords])
	multiply(&x, &a.w, &power)
	negative := a.negative
	var carry uint64
	if a.negative == b.negative {
		for i := range x {
			var w uint64
			if i < fewWords {
				w = b.w[i]
			}
			x[i], carry = bits.Add64(x[i], w, carry)
		}
	} else {
		for i := range x {
			var w uint64
			if i < fewWords {
				w = b.w[i]
			}
			x[i], carry = bits.Sub64(x[i], w, carry)
		}
		if carry != 0 {
			negative = !negative
			carry = 0
			for i := range x {
				x[i], carry = bits.Sub64(0, x[i], carry)
			}
		}
	}
	return r.roundLong(&x, int(b.exponent), negative, digits)
}

// timesWords sets r to a × b rounded once to the given digits.
func (r *Decimal) timesWords(a, b *Decimal, digits int) bool {
	if a.large != nil || b.large != nil {
		return false
	}
	exponent, negative := int(a.exponent)+int(b.exponent), a.negative != b.negative
	if a.zero() || b.zero() {
		*r = Decimal{}
		return true
	}
	if a.short() {
		a, b = b, a
	}
	if b.short() {
		var x five
		scale(&x, &a.w, b.w[0])
		r.roundFive(&x, exponent, negative, digits)
		return true
	}
	var x long
	multiply(&x, &a.w, &b.w)
	return r.roundLong(&x, exponent, negative, digits)
}

// overWords sets r to a ÷ b rounded once to the given digits, for b other than 0, as overLarge
// does.
func (r *Decimal) overWords(a, b *Decimal, digits int) bool {
	if a.large != nil || b.large != nil {
		return false
	}
	exponent, negative := int(a.exponent)-int(b.exponent), a.negative != b.negative
	if a.zero() {
		*r = Decimal{}
		return true
	}
	if a.short() && b.short() && a.w[0]%b.w[0] == 0 {
		*r = Decimal{w: few{a.w[0] / b.w[0]}, exponent: int32(exponent), negative: negative}
		return true
	}
	// One or two digits more than asked, and one that tells whether the quotient is exact.
	divisor := digitsOf(b.w[:])
	up := digits + 1 + divisor - digitsOf(a.w[:])
	if up < 0 || digits+1+divisor > mostDigits {
		return false
	}
	var x, q long
	power := few(wordPowers[min(up, mostFourWords)][:fewWords])
	multiply(&x, &a.w, &power)
	if up > mostFourWords {
		for range up - mostFourWords {
			tenfold(&x)
		}
	}
	exact, _ := divide(&q, &x, &b.w)
	exponent -= up
	z := five(q[:fewWords+1]) // at most digits + 2 digits
	if exact {
		exponent += cutZeros(&z)
	} else {
		y := few(z[:fewWords])
		head := z[4]
		scale(&z, &y, 10)
		z[4] += head * 10
		z[0] |= 1
		exponent--
	}
	r.roundFive(&z, exponent, negative, digits)
	return true
}

func tenfold(x *long) {
	var carry uint64
	for i, w := range x {
		high, low := bits.Mul64(w, 10)
		x[i], carry = bits.Add64(low, carry, 0)
		carry += high
	}
}
