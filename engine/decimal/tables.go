package decimal

import (
	"math/big"
	"sync"
)

// Tables and constants are computed with some more fraction bits than they keep.
const (
	extraBits = 64
	tableBits = fractionBits + extraBits
)

// bitsPerDigit is a little more than the logarithm of 10 to base 2.
const bitsPerDigit = 3.33

// Steps of the tables, as powers of two: an argument is split into multiples of the steps and a
// short rest.
const (
	expHighBits = 6 // e^(i/2^6)
	expLowBits  = 13
	lnHighBits  = 7 // argument 1 + i/2^7
	lnLowBits   = 14
	angleBits   = 8 // sine, cosine and arc tangent of i/2^8
)

// Denominators of the factors that bring an argument of ln close to 1.
const (
	lnHighShift = 9
	lnLowShift  = 17
)

// logFactor is a rational close to the reciprocal of an argument, as numerator of a power of two,
// and minus its logarithm.
type logFactor struct {
	numerator big.Int
	minusLn   big.Int
}

// constants are what the kernels know at a precision, in fixed point and as decimals with guard
// digits.
type constants struct {
	digits int  // of results
	wide   int  // of the steps within a compound function
	bits   uint // fraction bits of fixed-point numbers

	// π/2 × 10^halfPiPlaces, for angles of hundreds of digits or very near a multiple of π/2.
	halfPiPlaces int
	halfPiLong   func() *big.Int

	one, half, ten, ln10, quarterPi *big.Int

	pi, halfPi, e       Decimal
	ln2Wide, ln10Wide   Decimal
	piRounded, eRounded Decimal
}

// constantsOf returns the constants at one of the precisions of a Context, computed on first use.
func constantsOf(digits int) *constants { return allConstants[digits]() }

// allConstants is never written to.
var allConstants = func() map[int]func() *constants {
	all := map[int]func() *constants{}
	for _, digits := range Precisions {
		all[digits] = sync.OnceValue(func() *constants { return newConstants(digits) })
	}
	return all
}()

func newConstants(digits int) *constants {
	k := &constants{digits: digits, wide: digits + guardDigits, bits: fractionBits}
	k.halfPiPlaces = max(halfPiLongPlaces, 3*digits+halfPiShortPlaces)
	k.halfPiLong = sync.OnceValue(func() *big.Int { return halfPi(k.halfPiPlaces) })
	if digits > precision {
		k.bits = uint(float64(k.wide)*bitsPerDigit) + 80
	}
	bits := k.bits + extraBits
	scale := new(big.Int).Lsh(big.NewInt(1), bits)
	cut := func(x *big.Int) *big.Int { return new(big.Int).Rsh(x, extraBits) }
	ln2, ln10 := logarithms(scale)
	k.one = cut(scale)
	k.half = new(big.Int).Rsh(k.one, 1)
	k.ten = new(big.Int).Mul(k.one, big.NewInt(10))
	k.ln10 = cut(ln10)

	g := &registers{constants: k}
	places := k.wide + 10
	quarter := halfPi(places)
	k.halfPi.setCoefficient(quarter)
	k.halfPi.exponent = int32(-places)
	k.pi = g.wideMul(k.halfPi, Int(2))
	k.halfPi = g.rounded(k.halfPi, k.wide)
	quarter.Mul(quarter, scale)
	quarter.Rsh(quarter, 1)
	k.quarterPi = cut(quarter.Quo(quarter, pow10(places)))
	wide := func(x *big.Int) (d Decimal) {
		x = new(big.Int).Mul(x, pow10(places))
		d.setCoefficient(x.Rsh(x, bits))
		d.exponent = int32(-places)
		return g.rounded(d, k.wide)
	}
	k.ln2Wide, k.ln10Wide = wide(ln2), wide(ln10)
	odd, even := series(scale, 0, 1)
	k.e = wide(odd.Add(odd, even))
	k.piRounded, k.eRounded = g.rounded(k.pi, digits), g.rounded(k.e, digits)
	return k
}

// tableSet holds the fixed-point tables of the kernels at 60 digits.
type tableSet struct {
	ln2, ln10 big.Int

	expHigh [3 << expHighBits]big.Int                // e^(i/2^6), past ln 10
	expLow  [1 << (expLowBits - expHighBits)]big.Int // e^(i/2^13)
	lnHigh  [1 << lnHighBits]logFactor
	lnLow   [2 << (lnLowBits - lnHighBits)]logFactor // centred on 1
	sin     [1 << angleBits]big.Int                  // past π/4
	cos     [1 << angleBits]big.Int
	atan    [1<<angleBits + 1]big.Int

	halfPiShort big.Int // π/2 × 10^halfPiShortPlaces
}

// Decimal places of the integers that stand for π/2 in the reduction of angles.
const (
	halfPiShortPlaces = 160
	halfPiLongPlaces  = 1700 // or more for more than 500 digits
)

// halfPi returns π/2 × 10^places by Machin's formula π/4 = 4 atan(1/5) − atan(1/239).
func halfPi(places int) *big.Int {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places+10)), nil)
	sum := ratioSeries(scale, 1, 5, -1)
	sum.Mul(sum, big.NewInt(4))
	sum.Sub(sum, ratioSeries(scale, 1, 239, -1))
	sum.Mul(sum, big.NewInt(2))
	return sum.Quo(sum, big.NewInt(1e10))
}

// ratioSeries returns scale × atan(p/q) for sign -1 and scale × atanh(p/q) for sign 1 from their
// power series, for 0 <= p < q < 2^31.
func ratioSeries(scale *big.Int, p, q, sign int64) *big.Int {
	power := new(big.Int).Mul(scale, big.NewInt(p))
	power.Quo(power, big.NewInt(q))
	sum := new(big.Int).Set(power)
	p2, q2 := big.NewInt(p*p*sign), big.NewInt(q*q)
	var term, n big.Int
	for k := int64(3); ; k += 2 {
		power.Mul(power, p2)
		power.Quo(power, q2)
		if power.Sign() == 0 {
			return sum
		}
		sum.Add(sum, term.Quo(power, n.SetInt64(k)))
	}
}

// lnRatio returns scale × ln(p/q) = 2 scale × atanh((p − q)/(p + q)) for p, q > 0 with p + q <
// 2^31.
func lnRatio(scale *big.Int, p, q int64) *big.Int {
	negative := p < q
	if negative {
		p, q = q, p
	}
	sum := ratioSeries(scale, p-q, p+q, 1)
	sum.Lsh(sum, 1)
	if negative {
		sum.Neg(sum)
	}
	return sum
}

// logarithms returns scale × ln 2 and scale × ln 10.
func logarithms(scale *big.Int) (ln2, ln10 *big.Int) {
	ln2, ln10 = lnRatio(scale, 2, 1), lnRatio(scale, 10, 8)
	return ln2, ln10.Add(ln10, new(big.Int).Mul(ln2, big.NewInt(3)))
}

// tables builds the tables on first use, which takes a few milliseconds.
var tables = sync.OnceValue(buildTables)

func buildTables() *tableSet {
	t := new(tableSet)
	scale := new(big.Int).Lsh(big.NewInt(1), tableBits)
	cut := func(z, x *big.Int) { z.Rsh(x, tableBits-fractionBits) }
	mul := func(x, y *big.Int) *big.Int {
		z := new(big.Int).Mul(x, y)
		return z.Rsh(z, tableBits)
	}

	ln2, ln10 := logarithms(scale)
	cut(&t.ln2, ln2)
	cut(&t.ln10, ln10)

	powers := func(table []big.Int, stepBits uint) {
		sine, cosine := series(scale, stepBits, 1)
		step := new(big.Int).Add(sine, cosine)
		x := scale
		for i := range table {
			cut(&table[i], x)
			x = mul(x, step)
		}
	}
	powers(t.expHigh[:], expHighBits)
	powers(t.expLow[:], expLowBits)

	factor := func(f *logFactor, shift uint, argument, denominator int64) {
		numerator := (denominator<<shift + argument/2) / argument
		f.numerator.SetInt64(numerator)
		cut(&f.minusLn, lnRatio(scale, 1<<shift, numerator))
	}
	for i := range t.lnHigh {
		const denominator = 2 << lnHighBits
		factor(&t.lnHigh[i], lnHighShift, denominator+2*int64(i)+1, denominator)
	}
	for i := range t.lnLow {
		const denominator = 2 << lnLowBits
		factor(&t.lnLow[i], lnLowShift, denominator+2*int64(i-len(t.lnLow)/2)+1, denominator)
	}

	stepSin, stepCos := series(scale, angleBits, -1)
	sin, cos := new(big.Int), scale
	for i := range t.sin {
		cut(&t.sin[i], sin)
		cut(&t.cos[i], cos)
		sin, cos = new(big.Int).Add(mul(sin, stepCos), mul(cos, stepSin)), new(big.Int).Sub(mul(cos, stepCos), mul(sin, stepSin))
	}

	// atan(i/n) − atan((i−1)/n) = atan(n/(n² + i(i−1)))
	sum := new(big.Int)
	for i := int64(1); i < int64(len(t.atan)); i++ {
		const n = 1 << angleBits
		sum.Add(sum, ratioSeries(scale, n, n*n+i*(i-1), -1))
		cut(&t.atan[i], sum)
	}

	t.halfPiShort.Set(halfPi(halfPiShortPlaces))
	return t
}

// series returns the sums of the odd and of the even terms of the power series of e^x at x =
// 2^-stepBits, times scale, with every second term of each subtracted for sign -1: sinh and cosh,
// or sin and cos.
func series(scale *big.Int, stepBits uint, sign int) (odd, even *big.Int) {
	odd, even = new(big.Int), new(big.Int)
	term := new(big.Int).Set(scale)
	var n big.Int
	for k := int64(0); term.Sign() != 0; {
		sum := even
		if k&1 == 1 {
			sum = odd
		}
		if sign < 0 && k&2 != 0 {
			sum.Sub(sum, term)
		} else {
			sum.Add(sum, term)
		}
		k++
		term.Rsh(term, stepBits)
		term.Quo(term, n.SetInt64(k))
	}
	return odd, even
}

// Pi returns π to 60 digits.
func Pi() Decimal { return constantsOf(precision).piRounded }

// E returns e to 60 digits.
func E() Decimal { return constantsOf(precision).eRounded }

// Pi returns π to the precision of the context.
func (c *Context) Pi() Decimal { return c.kernel().piRounded }

// E returns e to the precision of the context.
func (c *Context) E() Decimal { return c.kernel().eRounded }
