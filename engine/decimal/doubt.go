package decimal

import (
	"math"
	"math/bits"
)

// A Decimal knows how many of its leading digits are right. Exact numbers, literals among them, are
// right in all. A result that is rounded is right to the precision, and each operation passes on
// what its operands lack: a product has as many right digits as the worse of its factors, a
// difference of nearly equal numbers has lost those that cancelled, a function as many as its
// condition number has digits. The small constants by which rounding errors add up are left out:
// they cost a digit in ten to a million operations. (Higham, Accuracy and Stability of Numerical
// Algorithms, 2002, chapters 1 to 3.)
//
// The field doubt holds allDigits less the number of right digits, 0 for exact numbers, so that the
// doubt of a product is the greatest of three. A number may have fewer than no right digits: its
// error is larger than itself. A 0 that is left of rounded numbers has doubt allDigits, and its
// exponent is that of the error: 0 ± 10^exponent.
const (
	allDigits = 1 << 15
	mostDoubt = 1<<16 - 1
)

func doubtAt(digits int) uint16 { return uint16(allDigits - digits) }

func limited(doubt int) uint16 { return uint16(max(1, min(mostDoubt, doubt))) }

// Right is the number of leading digits that are right: very many of an exact number, and below 0
// where the error is larger than the number.
func (d *Decimal) Right() int { return allDigits - int(d.doubt) }

// IsExact reports whether a number was never rounded.
func (d *Decimal) IsExact() bool { return d.doubt == 0 }

// vagueDigits are so few right digits that those of a rounded number may be none.
const vagueDigits = 4

// Vague reports whether hardly a digit is right, so that the number may as well be 0.
func (d *Decimal) Vague() bool { return d.doubt >= allDigits-vagueDigits }

// Error is the power of ten that the error of d is about, 0 for an exact number.
func (d Decimal) Error() Decimal {
	if d.doubt == 0 {
		return Decimal{}
	}
	return Decimal{w: few{1}, exponent: int32(max(-maxExponent, min(maxExponent, d.error())))}
}

// ErrorExponent is the exponent of the error of a number that is not exact.
func (d Decimal) ErrorExponent() int { return d.error() }

// Narrow rounds d to 60 digits, to one that is shown as d is: what is half way between two numbers
// of 34 digits only once it is rounded goes to the side that d is on.
func (d Decimal) Narrow() Decimal {
	if d.large == nil && d.bitLen() <= 3*precision {
		return d
	}
	g := new(registers)
	r := g.rounded(d, precision)
	if shown := d.Shown(); r.Shown().Cmp(shown) != 0 {
		last := Decimal{w: few{1}, exponent: int32(r.adjusted() - precision + 1), negative: d.Cmp(r) < 0}
		g.plus(&r, &r, &last, precision)
	}
	r.doubt = max(r.doubt, d.doubt)
	return r
}

// Tied reports whether d is so near to half way between two numbers of 34 digits that what is wrong
// with it decides which of them is shown.
func (d *Decimal) Tied() bool {
	if d.doubt == 0 || d.zero() {
		return false
	}
	// Half way the last bits are those of 5 × 10^(cut - 1), whose odd part is 5^cut.
	cut, wrong := d.digits()-shownDigits, max(0, d.error()+1-int(d.exponent))
	if d.large == nil && cut > 0 && cut < wordBits && wrong < mostOneWord {
		off := int64(d.w[0]&(1<<cut-1)) - 1<<(cut-1)
		if uint64(max(off, -off)) > wordPowers[wrong][0] {
			return false
		}
	}
	by := Decimal{w: few{1}, exponent: int32(d.error() + 1)}
	var up, down Decimal
	g := new(registers)
	g.plus(&up, d, &by, wideDigits)
	by.negative = true
	g.plus(&down, d, &by, wideDigits)
	return up.Shown().Cmp(down.Shown()) != 0
}

// As returns d with no more right digits than the given ones.
func (d Decimal) As(digits int) Decimal {
	d.doubt = max(d.doubt, limited(allDigits-digits))
	return d
}

// Exactly returns d as a number that nothing is known to be wrong with.
func (d Decimal) Exactly() Decimal {
	if d.doubt = 0; d.zero() {
		return Decimal{}
	}
	return d
}

// Lost returns 0 with the error of d, which is not exact: what d is when none of its digits is
// right.
func (d Decimal) Lost() Decimal { return around(d.error()) }

func around(exponent int) Decimal {
	return Decimal{exponent: int32(max(-8*maxExponent, min(8*maxExponent, exponent))), doubt: allDigits}
}

// first is the exponent of the first digit, or one more; it is quicker than adjusted.
func (d *Decimal) first() int {
	if d.full() {
		return d.firstOfFull()
	}
	return int(d.exponent) + fewerDigits(d.bitLen())
}

// full reports whether the coefficient needs the last of its words, as nearly all that were rounded
// do.
func (d *Decimal) full() bool { return d.w[fewWords-1] != 0 }

func (d *Decimal) firstOfFull() int {
	return int(d.exponent) + int(fullDigits[bits.LeadingZeros64(d.w[fewWords-1])&63])
}

// fullDigits are the digits of four words, or one less, by the zeros in front. It is never written
// to again.
var fullDigits = func() (digits [wordBits]uint8) {
	for zeros := range digits {
		digits[zeros] = uint8(fewerDigits(fewWords*wordBits - zeros))
	}
	return digits
}()

// error is the exponent of the error of a number that is not exact.
func (d *Decimal) error() int { return d.first() - allDigits + int(d.doubt) }

// doubtProduct passes the doubt of factors on to a product or quotient r.
func (r *Decimal) doubtProduct(a, b *Decimal, sign int) {
	switch {
	case !r.zero():
		r.doubt = max(r.doubt, a.doubt, b.doubt)
	case a.zero() && a.doubt != 0:
		*r = around(a.error() + sign*b.first())
	case b.zero() && b.doubt != 0 && !a.zero():
		*r = around(b.error() + a.first())
	}
}

// doubtSum passes the doubt of terms on to their sum r: the greater of their errors is that of r.
func (r *Decimal) doubtSum(a, b *Decimal) {
	if a.full() && b.full() && r.full() {
		// The first digit of an exact term stands far below where the error of the other one counts.
		worst := max(a.firstOfFull()+int(a.doubt), b.firstOfFull()+int(b.doubt)) - r.firstOfFull()
		r.doubt = uint16(max(1, int(r.doubt), min(mostDoubt, worst)))
		return
	}
	worst := math.MinInt // allDigits above the exponent of the error
	if a.doubt != 0 {
		worst = a.first() + int(a.doubt)
	}
	if b.doubt != 0 {
		worst = max(worst, b.first()+int(b.doubt))
	}
	if r.zero() {
		*r = around(worst - allDigits)
		return
	}
	r.doubt = max(r.doubt, limited(worst-r.first()))
}

// approximate finishes a function of a whose value is rounded, and has lost that many of the right
// digits of a.
func (c *Context) approximate(r Decimal, a *Decimal, lost int) Decimal {
	r = c.finish(r)
	if !r.zero() {
		r.doubt = max(r.doubt, doubtAt(c.digits))
	}
	return r.from(a, lost)
}

// from is a value r of a function of a that has lost that many of the right digits of a.
func (r Decimal) from(a *Decimal, lost int) Decimal {
	switch {
	case a.doubt == 0:
	case r.zero():
		// Near its zeros a function is no steeper than a cube root.
		return around(max(a.error(), a.error()/3))
	default:
		r.doubt = max(r.doubt, limited(int(a.doubt)+lost))
	}
	return r
}

// Refuse is Fail where operands, or what they are compared with, decide that there is no result. It
// notes where their right digits do not tell.
func (c *Context) Refuse(err error, operands ...Decimal) Decimal {
	for _, a := range operands {
		c.doubted = c.doubted || c.err == nil && a.Vague()
	}
	return c.Fail(err)
}

// Doubted reports whether an error rested on numbers whose right digits do not tell, since the
// context is in use.
func (c *Context) Doubted() bool { return c.doubted }

// beyondOne is how far |a| is beyond 1.
func (c *Context) beyondOne(a Decimal) (r Decimal) {
	x, y := a.Abs(), Int(-1)
	c.kernel().plus(&r, &x, &y, c.digits)
	r.doubtSum(&x, &y)
	return r
}

// Epsilon is 10^(digits - precision): what rounding may leave of 1, and that many digits more. It
// is no smaller than numbers can be multiplied with.
func (c *Context) Epsilon(digits int) Decimal {
	return Decimal{w: few{1}, exponent: int32(max(digits-c.digits, -maxExponent/2))}
}
