package decimal

import (
	"math/big"
	"testing"

	"github.com/cockroachdb/apd/v3"
	"pgregory.net/rapid"
)

// operand draws numbers at which arithmetic in words could go wrong: words of ones and zeros,
// powers of two and ten and their neighbours, halves of a digit, trailing zeros, and coefficients
// on both sides of 256 bits.
var operand = rapid.Custom(func(t *rapid.T) Decimal {
	x := new(big.Int)
	digits := rapid.IntRange(1, 78).Draw(t, "digits")
	off := int64(rapid.IntRange(-1, 1).Draw(t, "off"))
	switch rapid.IntRange(0, 5).Draw(t, "kind") {
	case 0:
		for range rapid.IntRange(1, 4).Draw(t, "words") {
			w := rapid.SampledFrom([]uint64{0, 1, 1<<63 - 1, 1 << 63, 1<<64 - 1}).Draw(t, "word")
			x.Or(x.Lsh(x, 64), new(big.Int).SetUint64(w))
		}
	case 1:
		x.Lsh(big.NewInt(1), uint(rapid.IntRange(0, 258).Draw(t, "bits")))
		x.Add(x, big.NewInt(off))
	case 2:
		x.Add(pow10(digits), big.NewInt(off))
	case 3:
		x.SetString(rapid.StringMatching(`[1-9][0-9]{0,40}`).Draw(t, "head")+"5", 10)
		x.Mul(x, pow10(digits/2))
		x.Add(x, big.NewInt(off))
	case 4:
		x.SetInt64(rapid.Int64Range(0, 1000).Draw(t, "small"))
	default:
		x.SetString(rapid.StringMatching(`[1-9][0-9]{0,77}`).Draw(t, "all"), 10)
	}
	exponent := rapid.OneOf(rapid.IntRange(-3, 3), rapid.IntRange(-90, 90)).Draw(t, "exponent")
	d := Decimal{exponent: int32(exponent), negative: rapid.Bool().Draw(t, "negative")}
	d.setCoefficient(x)
	if d.zero() {
		return Decimal{}
	}
	return d
})

var precisions = rapid.SampledFrom([]int{20, shownDigits, precision, wideDigits})

// TestWordsAgainstApd holds sums, products and quotients in words, and what stands in for them, to
// apd.
func TestWordsAgainstApd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := operand.Draw(t, "a"), operand.Draw(t, "b")
		if rapid.IntRange(0, 9).Draw(t, "cancel") == 0 {
			b = a.Neg()
		}
		digits := precisions.Draw(t, "digits")
		at := apart
		at.Precision = uint32(digits)
		g := new(registers)
		check := func(sign string, got, large Decimal, done bool, reference func(d, x, y *apd.Decimal) (apd.Condition, error)) {
			var want apd.Decimal
			if _, err := reference(&want, inApd(a), inApd(b)); err != nil {
				t.Fatal(err)
			}
			if done && inApd(got).Cmp(&want) != 0 || inApd(large).Cmp(&want) != 0 {
				t.Errorf("%s %s %s = %s in words, %s by apd, want %s", a, sign, b, got, large, ofApd(&want, 0, 0))
			}
			if done && got.doubt != large.doubt {
				t.Errorf("%s %s %s has doubt %d in words, %d by apd", a, sign, b, got.doubt, large.doubt)
			}
			if !done && a.large == nil && b.large == nil && digits == precision && a.digits() <= precision && b.digits() <= precision && sign != "+" {
				t.Errorf("%s %s %s takes apd", a, sign, b)
			}
		}
		var r Decimal
		done := r.plusWords(&a, &b, digits)
		check("+", r, g.plusLarge(a, b, digits), done, at.Add)
		r = Decimal{}
		done = r.timesWords(&a, &b, digits)
		check("×", r, g.large((*apd.Context).Mul, &a, &b, digits), done, at.Mul)
		if !b.zero() {
			r = Decimal{}
			done = r.overWords(&a, &b, digits)
			check("÷", r, g.overLarge(&a, &b, digits), done, at.Quo)
		}
	})
}

// TestOneNumberAgainstApd holds comparison, rounding to digits and the cutting of zeros to apd.
func TestOneNumberAgainstApd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := operand.Draw(t, "a"), operand.Draw(t, "b")
		b.exponent = max(-95, min(95, b.exponent))
		if got, want := a.Cmp(b), inApd(a).Cmp(inApd(b)); got != want {
			t.Errorf("%s compared with %s: %d, want %d", a, b, got, want)
		}
		g := new(registers)
		at := apart
		at.Precision = uint32(precisions.Draw(t, "digits"))
		var want apd.Decimal
		_, _ = at.Round(&want, inApd(a))
		if got := g.rounded(a, int(at.Precision)); inApd(got).Cmp(&want) != 0 {
			t.Errorf("%s to %d digits = %s, want %s", a, at.Precision, got, ofApd(&want, 0, 0))
		}
		at.Precision = shownDigits
		_, _ = at.Round(&want, inApd(a))
		if got := a.Shown(); inApd(got).CmpTotal(&want) != 0 && !a.zero() {
			t.Errorf("%s shown = %+v, want %s", a, got, want.String())
		}
		if !a.zero() {
			want.Reduce(inApd(a))
			if got := g.reduced(a); inApd(got).CmpTotal(&want) != 0 {
				t.Errorf("%s reduced = %+v", a, got)
			}
		}
	})
}

// TestRoundingAgainstBigInt holds rounding to multiples of a power of ten to integer division.
func TestRoundingAgainstBigInt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := operand.Draw(t, "a")
		exponent := int(a.exponent) + rapid.IntRange(-5, 90).Draw(t, "cut")
		low := min(int(a.exponent), exponent)
		x, unit := integerAt(a, int32(low)), pow10(exponent-low)
		rest := new(big.Int)
		lower, _ := new(big.Int).DivMod(x, unit, rest) // rounded down, as unit is positive
		upper := new(big.Int).Set(lower)
		if rest.Sign() > 0 {
			upper.Add(upper, big.NewInt(1))
		}
		inner, outer := lower, upper
		if x.Sign() < 0 {
			inner, outer = upper, lower
		}
		nearest := inner
		if twice := new(big.Int).Lsh(new(big.Int).Sub(x, new(big.Int).Mul(inner, unit)), 1); twice.CmpAbs(unit) >= 0 {
			nearest = outer
		}
		for mode, want := range map[apd.Rounder]*big.Int{
			apd.RoundDown: inner, apd.RoundFloor: lower, apd.RoundCeiling: upper, apd.RoundHalfUp: nearest,
		} {
			got := new(registers).quantize(a, exponent, mode)
			if integerAt(got, int32(low)).Cmp(new(big.Int).Mul(want, unit)) != 0 {
				t.Errorf("%s to multiples of 1e%d in mode %s: %s", a, exponent, mode, got)
			}
		}
	})
}

// TestDivide holds long division in words to big.Int, for divisors at which a digit of the quotient
// is first estimated too large.
func TestDivide(t *testing.T) {
	word := rapid.OneOf(rapid.SampledFrom([]uint64{0, 1, 2, 1<<63 - 1, 1 << 63, 1<<63 + 1, 1<<64 - 2, 1<<64 - 1}), rapid.Uint64())
	rapid.Check(t, func(t *rapid.T) {
		var x, q long
		var y few
		for i := range rapid.IntRange(1, longWords).Draw(t, "dividend") {
			x[i] = word.Draw(t, "word")
		}
		for i := range rapid.IntRange(1, fewWords).Draw(t, "divisor") {
			y[i] = word.Draw(t, "word")
		}
		if y == (few{}) {
			y[0] = 1
		}
		divisor, rest := bigWords(y[:]), new(big.Int)
		want, _ := new(big.Int).QuoRem(bigWords(x[:]), divisor, rest)
		exact, half := divide(&q, &x, &y)
		if bigWords(q[:]).Cmp(want) != 0 || exact != (rest.Sign() == 0) || half != new(big.Int).Lsh(rest, 1).Cmp(divisor) {
			t.Errorf("%x / %x = %x (exact %v, half %d), want %x", x, y, q, exact, half, want)
		}
	})
}

func bigWords(list []uint64) *big.Int {
	x := new(big.Int)
	for i := len(list) - 1; i >= 0; i-- {
		x.Or(x.Lsh(x, wordBits), new(big.Int).SetUint64(list[i]))
	}
	return x
}

func TestSumsInWords(t *testing.T) {
	for _, c := range []struct{ a, b, sum string }{
		{"123456789012345678901234567890", "-123456789012345678901234567890", "0"},
		{"-123456789012345678901234567890", "123456789012345678901234567891", "1"},
		{"18446744073709551616.5", "-18446744073709551615.5", "1"},
		{"999999999999999999999999999999999999999999999999999999999999", "0.5", "1e60"},
		{"999999999999999999999999999999999999999999999999999999999998", "0.5", "999999999999999999999999999999999999999999999999999999999998"},
	} {
		a, b := mustParse(c.a), mustParse(c.b)
		var got Decimal
		if want := mustParse(c.sum); !got.plusWords(&a, &b, precision) || got.Cmp(want) != 0 {
			t.Errorf("%s + %s = %s, want %s", a, b, got, want)
		}
	}
}

// TestWordEdges runs through all coefficients of a few words at which carries run on and estimated
// digits are wrong.
func TestWordEdges(t *testing.T) {
	edges := []uint64{0, 1, 3, 1 << 61, 1 << 63, 1<<64 - 1}
	pick := func(list []uint64, choice int) {
		for i := range list {
			list[i] = edges[choice%len(edges)]
			choice /= len(edges)
		}
	}
	g := new(registers)
	for choice := range 6 * 6 * 6 * 6 {
		var x, q long
		pick(x[:4], choice)
		for other := 1; other < 6*6*6; other++ {
			var y few
			pick(y[:3], other)
			divisor, rest := bigWords(y[:]), new(big.Int)
			want, _ := new(big.Int).QuoRem(bigWords(x[:]), divisor, rest)
			exact, half := divide(&q, &x, &y)
			if bigWords(q[:]).Cmp(want) != 0 || exact != (rest.Sign() == 0) || half != rest.Lsh(rest, 1).Cmp(divisor) {
				t.Fatalf("%x / %x = %x (exact %v, half %d), want %x", x, y, q, exact, half, want)
			}
		}
		a := Decimal{w: few(x[:4])}
		for _, w := range edges {
			b := Decimal{w: few{w}}
			var product Decimal
			if want := g.large((*apd.Context).Mul, &a, &b, wideDigits); !product.timesWords(&a, &b, wideDigits) || product.Cmp(want) != 0 {
				t.Fatalf("%s × %s = %s, want %s", a, b, product, want)
			}
		}
	}
}

// TestTies rounds halves of the last digit and their neighbours, with all numbers of digits cut
// off.
func TestTies(t *testing.T) {
	even, _ := new(big.Int).SetString("1234567890123456789012345678901234", 10)
	for cut := 1; cut <= 60; cut++ {
		for off := int64(-1); off <= 1; off++ {
			for odd := range int64(2) {
				x := new(big.Int).Add(even, big.NewInt(odd))
				want := new(big.Int).Set(x)
				if off > 0 || off == 0 && odd == 1 {
					want.Add(want, big.NewInt(1))
				}
				x.Mul(x, big.NewInt(10)).Add(x, big.NewInt(5)).Mul(x, pow10(cut))
				x.Add(x, big.NewInt(off))
				var a, b Decimal
				a.setCoefficient(x)
				b.setCoefficient(want)
				b.exponent = int32(cut + 1)
				if got := a.Shown(); got.Cmp(b) != 0 {
					t.Errorf("%s shown as %s, want %s", x, got, b)
				}
			}
		}
	}
}
