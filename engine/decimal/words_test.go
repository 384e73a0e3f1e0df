package decimal

import (
	"testing"

	"github.com/cockroachdb/apd/v3"
	"pgregory.net/rapid"
)

// TestWords runs sums and products of numbers so near each other that they are done in words, at both precisions.
func TestWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := number(-9, 9).Draw(t, "a"), number(-9, 9).Draw(t, "b")
		digits := rapid.SampledFrom([]int{5, 30, precision, wideDigits}).Draw(t, "digits")
		at := apart
		at.Precision = uint32(digits)
		g := new(registers)
		var sum, product apd.Decimal
		_, _ = at.Add(&sum, &a.v, &b.v)
		_, _ = at.Mul(&product, &a.v, &b.v)
		gap := int(a.v.Exponent) - int(b.v.Exponent)
		if got, ok := plusWords(&a, &b, gap, digits); ok && got.v.Cmp(&sum) != 0 {
			t.Errorf("%s + %s = %s, want %s", a, b, got, Decimal{sum})
		}
		if got, ok := timesWords(&a, &b, digits); ok && got.v.Cmp(&product) != 0 {
			t.Errorf("%s × %s = %s, want %s", a, b, got, Decimal{product})
		}
		if got := g.wideMul(a, b); digits == wideDigits && !short(&a) && !short(&b) && got.v.Cmp(&product) != 0 {
			t.Errorf("%s × %s = %s, want %s", a, b, got, Decimal{product})
		}
	})
	for _, c := range []struct{ a, b, sum string }{
		{"123456789012345678901234567890", "-123456789012345678901234567890", "0"},
		{"-123456789012345678901234567890", "123456789012345678901234567891", "1"},
		{"18446744073709551616.5", "-18446744073709551615.5", "1"},
		{"999999999999999999999999999999999999999999999999999999999999", "0.5", "1e60"},
		{"999999999999999999999999999999999999999999999999999999999998", "0.5", "999999999999999999999999999999999999999999999999999999999998"},
	} {
		a, b := mustParse(c.a), mustParse(c.b)
		got, ok := plusWords(&a, &b, int(a.v.Exponent)-int(b.v.Exponent), precision)
		if want := mustParse(c.sum); !ok || got.Cmp(want) != 0 {
			t.Errorf("%s + %s = %s, want %s", a, b, got, want)
		}
	}
}
