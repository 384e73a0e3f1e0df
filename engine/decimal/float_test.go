package decimal

import (
	"math/big"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

func TestFloat64(t *testing.T) {
	for text, want := range map[string]float64{
		"0": 0, "1.1": 1.1, "-0.3": -0.3, "123456789012345678": 123456789012345678, "1e22": 1e22, "1e23": 1e23,
		"4.9e-324": 5e-324, "2.2250738585072011e-308": 2.2250738585072011e-308,
	} {
		if got := mustParse(text).Float64(); got != want {
			t.Errorf("%s: %g, want %g", text, got, want)
		}
	}
}

// sameFloat holds Float64 against the reader of the standard library.
func sameFloat(t rapid.TB, d Decimal) {
	t.Helper()
	want, _ := strconv.ParseFloat(d.String(), 64) // an error comes with the infinity
	if got := d.Float64(); got != want {
		t.Fatalf("%s is %g, want %g", d, got, want)
	}
}

func TestFloat64IsNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { sameFloat(t, number(-400, 400).Draw(t, "x")) })
	rapid.Check(t, func(t *rapid.T) {
		x := Decimal{exponent: int32(rapid.IntRange(-mostFives-1, mostFives+1).Draw(t, "exponent")), negative: rapid.Bool().Draw(t, "negative")}
		used := rapid.IntRange(1, fewWords).Draw(t, "words")
		for i := range used {
			x.w[i] = rapid.Uint64().Draw(t, "word")
		}
		if x.zero() {
			x.negative, x.exponent = false, 0
		}
		sameFloat(t, x)
	})
}

// TestFloat64AtTies takes numbers half-way between two floats, and those next to them: odd numbers
// of 54 bits times a power of two, and a unit in one of the digits behind.
func TestFloat64AtTies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		odd := rapid.Uint64Range(1<<53, 1<<54-1).Draw(t, "odd") | 1
		power := rapid.IntRange(-70, 70).Draw(t, "power")
		behind := rapid.IntRange(0, 12).Draw(t, "digits behind")
		x, exponent := new(big.Int).SetUint64(odd), 0
		if power >= 0 {
			x.Lsh(x, uint(power))
		} else {
			x.Mul(x, new(big.Int).Exp(big.NewInt(5), big.NewInt(int64(-power)), nil))
			exponent = power
		}
		x.Mul(x, pow10(behind))
		for _, change := range []int64{-1, 0, 1} {
			d := Decimal{exponent: int32(exponent - behind)}
			d.setCoefficient(new(big.Int).Add(x, big.NewInt(change)))
			sameFloat(t, d)
		}
	})
}

// TestFloat64OfPowers takes the shortest and the longest coefficient of four words with every power
// of ten that words hold, and with the first ones that they do not.
func TestFloat64OfPowers(t *testing.T) {
	for e := -mostFives - 2; e <= mostFives+2; e++ {
		sameFloat(t, Decimal{w: few{1}, exponent: int32(e)})
		sameFloat(t, Decimal{w: few{1, 0, 0, 1}, exponent: int32(e)})
		sameFloat(t, Decimal{w: few{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}, exponent: int32(e)})
		sameFloat(t, Decimal{w: few{0, 0, 0, 1 << 63}, exponent: int32(e), negative: true})
	}
}
