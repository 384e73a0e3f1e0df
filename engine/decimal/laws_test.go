package decimal

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/cockroachdb/apd/v3"
	"pgregory.net/rapid"
)

// number draws a decimal of up to 60 digits whose first digit stands between 10^low and 10^high.
func number(low, high int) *rapid.Generator[Decimal] {
	return rapid.Custom(func(t *rapid.T) Decimal {
		digits := rapid.StringMatching(`[1-9][0-9]{0,59}`).Draw(t, "digits")
		first := rapid.IntRange(low, high).Draw(t, "first")
		sign := rapid.SampledFrom([]string{"", "-"}).Draw(t, "sign")
		return mustParse(fmt.Sprintf("%s%s.%se%d", sign, digits[:1], digits[1:], first))
	})
}

func mustParse(text string) Decimal {
	d, err := Parse(text)
	if err != nil {
		panic(text + ": " + err.Error())
	}
	return d
}

// reference works at twice the precision.
var reference = apd.Context{Precision: 2 * precision, MaxExponent: apd.MaxExponent, MinExponent: apd.MinExponent, Rounding: apd.RoundHalfEven}

// apart is apd at the precision of a Context.
var apart = apd.Context{Precision: precision, MaxExponent: apd.MaxExponent, MinExponent: apd.MinExponent, Rounding: apd.RoundHalfEven}

// inApd is d as a number of apd.
func inApd(d Decimal) *apd.Decimal { return d.apd(new(apd.Decimal)) }

// closeTo fails unless got is want, given at twice the precision, rounded to 60 digits with an
// error of hardly more than half a unit in the last place.
func closeTo(t *rapid.T, what string, got Decimal, want apd.Decimal) {
	t.Helper()
	if want.IsZero() {
		if !got.IsZero() {
			t.Fatalf("%s = %s, want 0", what, got)
		}
		return
	}
	var diff, unit apd.Decimal
	_, _ = reference.Sub(&diff, inApd(got), &want)
	diff.Abs(&diff)
	unit.SetFinite(501, want.Exponent+int32(want.NumDigits())-1-precision+1-3)
	if diff.Cmp(&unit) > 0 {
		t.Fatalf("%s = %s, want %s", what, got, ofApd(&want, 0, 0))
	}
}

func TestFourOperationsAgainstReference(t *testing.T) {
	operations := map[string]struct {
		run       func(*Context, Decimal, Decimal) Decimal
		reference func(d, x, y *apd.Decimal) (apd.Condition, error)
	}{
		"add": {(*Context).Add, apart.Add},
		"sub": {(*Context).Sub, apart.Sub},
		"mul": {(*Context).Mul, apart.Mul},
		"quo": {(*Context).Quo, apart.Quo},
	}
	for name, o := range operations {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			a, b := number(-200, 200).Draw(t, "a"), number(-200, 200).Draw(t, "b")
			c := NewContext(10)
			got := o.run(c, a, b)
			var want apd.Decimal
			if _, err := o.reference(&want, inApd(a), inApd(b)); err != nil {
				t.Fatal(err)
			}
			if c.Err() != nil || inApd(got).Cmp(&want) != 0 {
				t.Fatalf("%s %s %s = %s (%v), want %s", name, a, b, got, c.Err(), ofApd(&want, 0, 0))
			}
		}))
	}
}

func TestShownHidesTheLastDigits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Int(rapid.Int64Range(1, 1_000_000).Draw(t, "a"))
		b := mustParse(rapid.StringMatching(`[1-9][0-9]{0,9}\.[0-9]{1,9}`).Draw(t, "b"))
		c := NewContext(10)
		if got := c.Mul(c.Quo(a, b), b).Shown(); got.Cmp(a) != 0 {
			t.Fatalf("%s / %s × %s = %s", a, b, b, got)
		}
	})
}

func TestModIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := number(-40, 300).Draw(t, "a"), number(-300, 40).Draw(t, "b")
		low := min(a.exponent, b.exponent)
		x, y := integerAt(a, low), integerAt(b, low)
		want := new(big.Int)
		new(big.Int).DivMod(x, y, want) // Euclidean: not negative
		if want.Sign() != 0 && y.Sign() < 0 {
			want.Add(want, y)
		}
		c := NewContext(10)
		got := c.Mod(a, b)
		var exact Decimal
		exact.setCoefficient(want)
		exact.negative = want.Sign() < 0
		exact.exponent = low
		if rounded := new(registers).rounded(exact, precision); c.Err() != nil || got.Cmp(rounded) != 0 {
			t.Fatalf("%s mod %s = %s (%v), want %s", a, b, got, c.Err(), rounded)
		}
	})
}

// integerAt returns d × 10^-exponent.
func integerAt(d Decimal, exponent int32) *big.Int {
	x := d.coefficient(new(big.Int))
	x.Mul(x, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d.exponent-exponent)), nil))
	if d.negative {
		x.Neg(x)
	}
	return x
}

func TestFunctionsAgainstReference(t *testing.T) {
	functions := map[string]struct {
		reference func(d, x *apd.Decimal) (apd.Condition, error)
		arguments *rapid.Generator[Decimal]
		positive  bool
	}{
		"exp":   {reference.Exp, number(-70, 3), false},
		"ln":    {reference.Ln, number(-300, 300), true},
		"log10": {reference.Log10, number(-300, 300), true},
		"sqrt":  {reference.Sqrt, number(-300, 300), true},
		"cbrt":  {reference.Cbrt, number(-300, 300), false},
	}
	for name, f := range functions {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			a := f.arguments.Draw(t, "a")
			if f.positive {
				a = a.Abs()
			}
			c := NewContext(100)
			got := unary[name](c, a)
			var want apd.Decimal
			if _, err := f.reference(&want, inApd(a)); err != nil {
				t.Fatal(err)
			}
			if c.Err() != nil {
				t.Fatal(c.Err())
			}
			closeTo(t, name+" "+a.String(), got, want)
		}))
	}
}

func TestLnNearOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// ln(1 + d) by its own series, for which a few terms do.
		d := number(-59, -21).Draw(t, "d")
		c := NewContext(100)
		a := c.Add(Int(1), d)
		var x, want, power, term apd.Decimal
		_, _ = reference.Sub(&x, inApd(a), apd.New(1, 0))
		power.SetInt64(-1)
		for n := int64(1); n <= 6; n++ {
			_, _ = reference.Mul(&power, &power, &x)
			power.Negative = !power.Negative
			_, _ = reference.Quo(&term, &power, apd.New(n, 0))
			_, _ = reference.Add(&want, &want, &term)
		}
		closeTo(t, "ln "+a.String(), c.Ln(a), want)
	})
}

func TestPowAgainstReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := number(-20, 20).Draw(t, "a").Abs(), number(-10, 1).Draw(t, "b")
		c := NewContext(100)
		got := c.Pow(a, b)
		// At twice the precision e^(b ln a) has digits to spare.
		var want apd.Decimal
		_, _ = reference.Ln(&want, inApd(a))
		_, _ = reference.Mul(&want, &want, inApd(b))
		if _, err := reference.Exp(&want, &want); err != nil || c.Err() != nil {
			t.Fatal(err, c.Err())
		}
		closeTo(t, a.String()+"^"+b.String(), got, want)
	})
}

func TestIntegerPowersAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := rapid.Int64Range(-1000, 1000).Draw(t, "base")
		n := rapid.Int64Range(0, 19).Draw(t, "n")
		want := new(big.Int).Exp(big.NewInt(base), big.NewInt(n), nil)
		c := NewContext(100)
		if got := c.Pow(Int(base), Int(n)); got.Cmp(mustParse(want.String())) != 0 {
			t.Fatalf("%d^%d = %s, want %s", base, n, got, want)
		}
	})
}

func TestRootsOfPowersAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := mustParse(rapid.StringMatching(`[1-9][0-9]{0,9}(\.[0-9]{1,9})?`).Draw(t, "a"))
		c := NewContext(100)
		if r := c.Sqrt(c.Mul(a, a)); r.Cmp(a) != 0 {
			t.Fatalf("sqrt(%s²) = %s", a, r)
		}
		if r := c.Cbrt(c.Mul(c.Mul(a, a), a).Neg()); r.Cmp(a.Neg()) != 0 {
			t.Fatalf("cbrt(-%s³) = %s", a, r)
		}
	})
}

// slowSinCos sums the Taylor series at 200 digits, of which arguments up to 100 cost fewer than 90.
func slowSinCos(a Decimal) (sin, cos apd.Decimal) {
	ctx := reference
	ctx.Precision = 200
	var term apd.Decimal
	term.SetInt64(1)
	for n := int64(0); n < 500; n++ {
		switch n % 4 {
		case 0:
			_, _ = ctx.Add(&cos, &cos, &term)
		case 1:
			_, _ = ctx.Add(&sin, &sin, &term)
		case 2:
			_, _ = ctx.Sub(&cos, &cos, &term)
		case 3:
			_, _ = ctx.Sub(&sin, &sin, &term)
		}
		_, _ = ctx.Mul(&term, &term, inApd(a))
		_, _ = ctx.Quo(&term, &term, apd.New(n+1, 0))
	}
	return sin, cos
}

func TestAnglesAgainstSeries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := number(-30, 1).Draw(t, "a")
		if rapid.Bool().Draw(t, "near a multiple of π/2") {
			c := NewContext(100)
			k := rapid.Int64Range(-60, 60).Draw(t, "k")
			a = c.Add(c.Quo(c.Mul(Pi(), Int(k)), Int(2)), number(-59, -2).Draw(t, "off"))
		}
		c := NewContext(100)
		sin, cos := slowSinCos(a)
		closeTo(t, "sin "+a.String(), c.Sin(a), sin)
		closeTo(t, "cos "+a.String(), c.Cos(a), cos)
		_, _ = reference.Quo(&sin, &sin, &cos)
		closeTo(t, "tan "+a.String(), c.Tan(a), sin)
	})
}

// relative fails unless a and b agree to the given digits.
func relative(t *rapid.T, what string, a, b Decimal, digits int) {
	t.Helper()
	if a.Cmp(b) == 0 {
		return
	}
	c := NewContext(100)
	if diff := c.Sub(a, b); a.IsZero() || diff.adjusted()-a.adjusted() > -digits {
		t.Fatalf("%s: %s and %s differ", what, a, b)
	}
}

func TestIdentities(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := NewContext(10_000)
		x := number(-20, 0).Draw(t, "x")
		relative(t, "atan tan", c.Atan2(c.Sin(x), c.Cos(x)), wrapped(c, x), 57)
		relative(t, "asinh sinh", c.Asinh(c.Sinh(x)), x, 57)
		relative(t, "sinh = cosh tanh", c.Mul(c.Cosh(x), c.Tanh(x)), c.Sinh(x), 58)
		if x.Sign() > 0 {
			// cosh is flat near 0, so that its inverse knows half the digits there.
			square := c.Sub(c.Mul(c.Cosh(x), c.Cosh(x)), Int(1))
			if x.adjusted() >= -1 {
				relative(t, "sinh² = cosh² − 1", c.Mul(c.Sinh(x), c.Sinh(x)), square, 55)
				relative(t, "acosh cosh", c.Acosh(c.Cosh(x)), x, 55)
			}
			relative(t, "exp ln", c.Exp(c.Ln(x)), x, 57)
			relative(t, "log2", c.Mul(c.Log2(x), c.Ln(Int(2))), c.Ln(x), 58)
		}
		if x.adjusted() < 0 {
			relative(t, "sin asin", c.Sin(c.Asin(x)), x, 58)
			relative(t, "asin + acos", c.Add(c.Asin(x), c.Acos(x)), c.Quo(Pi(), Int(2)), 58)
			relative(t, "tanh atanh", c.Tanh(c.Atanh(x)), x, 57)
			relative(t, "atanh", c.Mul(Int(2), c.Atanh(x)), c.Ln(c.Quo(c.Add(Int(1), x), c.Sub(Int(1), x))), 59+min(0, x.adjusted())-1)
		}
		if c.Err() != nil {
			t.Fatal(c.Err())
		}
	})
}

// wrapped returns x in (-π, π].
func wrapped(c *Context, x Decimal) Decimal {
	turns := c.Ceil(c.Quo(c.Sub(x, Pi()), c.Mul(Int(2), Pi())))
	return c.Sub(x, c.Mul(turns, c.Mul(Int(2), Pi())))
}

func TestLongLiterals(t *testing.T) {
	pi := Decimal{}
	pi.setCoefficient(halfPi(990))
	pi.exponent = -990
	c := NewContext(1000)
	// The next digits of π/2 are the first of the cosine of the cut π/2.
	next := new(big.Int).Rem(halfPi(1100), pow10(110))
	if got := c.Cos(pi); got.Shown().Cmp(mustParse(next.String()+"e-1100").Shown()) != 0 {
		t.Errorf("cos of 991 digits of π/2 = %s", got)
	}
	nines := mustParse("0." + strings.Repeat("9", 999))
	if got := c.Ln(nines); got.Cmp(mustParse("-1e-999")) != 0 {
		t.Errorf("ln of 999 nines = %s", got)
	}
	if _, err := Parse("1" + strings.Repeat("0", 1000)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("1,001 digits: %v", err)
	}
}

func TestFirstErrorSticks(t *testing.T) {
	c := NewContext(1000)
	c.Quo(Int(1), Int(0))
	if r := c.Ln(Int(-1)); !r.IsZero() {
		t.Errorf("result after an error: %s", r)
	}
	if r := c.Cos(Int(0)); !r.IsZero() {
		t.Errorf("result after an error: %s", r)
	}
	if c.Spend(1) {
		t.Error("Spend goes on after an error")
	}
	if !errors.Is(c.Err(), ErrDivisionByZero) {
		t.Errorf("got %v", c.Err())
	}
	c.Reset()
	if r := c.Add(Int(1), Int(2)); r.Cmp(Int(3)) != 0 || c.Err() != nil {
		t.Errorf("after Reset: %s, %v", r, c.Err())
	}
	c.Ln(Int(-1))
	var undefined *UndefinedError
	if !errors.As(c.Err(), &undefined) || undefined.Function != "ln" || undefined.Argument.Cmp(Int(-1)) != 0 {
		t.Errorf("got %v", c.Err())
	}
}

func TestBudget(t *testing.T) {
	c := NewContext(3)
	for range 3 {
		c.Add(Int(1), Int(1))
	}
	if c.Err() != nil {
		t.Fatal(c.Err())
	}
	c.Add(Int(1), Int(1))
	if !errors.Is(c.Err(), ErrLimit) {
		t.Errorf("got %v", c.Err())
	}
	c.Reset()
	if c.Spend(1) || !errors.Is(c.Err(), ErrLimit) {
		t.Error("Reset must not give the cost back")
	}
	if c := NewContext(1 << 40); c.Spend(1 << 62) {
		t.Error("a cost above the budget was spent")
	}
	// Long literals cost by their digits.
	c = NewContext(50)
	if c.Add(mustParse(strings.Repeat("9", 1000)), Int(1)); !errors.Is(c.Err(), ErrLimit) {
		t.Errorf("a sum with 1,000 digits: %v", c.Err())
	}
	// Every operation costs something, whatever its arguments.
	for name, f := range unary {
		c := NewContext(0)
		if f(c, Decimal{}); !errors.Is(c.Err(), ErrLimit) {
			t.Errorf("%s of 0 is free", name)
		}
	}
	for name, f := range binary {
		c := NewContext(0)
		if f(c, Decimal{}, Decimal{}); !errors.Is(c.Err(), ErrLimit) {
			t.Errorf("%s of 0 and 0 is free", name)
		}
	}
}

// TestExtremes runs every operation on the hardest arguments. Each result must be within the
// limits, so that it can be written and read back, and operands must not change.
func TestExtremes(t *testing.T) {
	var arguments []Decimal
	for _, text := range []string{
		"0", "1", "-1", "0.5", "2", "3", "1e6144", "9.999e6144", "-1e6144", "1e-6144", "-1e-6144", "1e3072", "1e-3072",
		"14147", "-14147", "14150", "10000", "10001", "1e18", "1e59", "9e59", "0.785398", "1.5707963267948966192313",
		"0.99999999999999999999", "1.00000000000000000001", "9223372036854775807", "1e-60",
		strings.Repeat("9", 1000), "0." + strings.Repeat("3", 999), "-1." + strings.Repeat("0", 998) + "1",
		strings.Repeat("7", 500) + "." + strings.Repeat("1", 500), strings.Repeat("1", 1000) + "e-7000",
	} {
		arguments = append(arguments, mustParse(text))
	}
	check := func(name string, c *Context, r Decimal, args ...Decimal) {
		if c.Err() != nil {
			if !r.IsZero() {
				t.Errorf("%s of %v: result %s with error %v", name, args, r, c.Err())
			}
			return
		}
		if back, err := Parse(r.String()); err != nil || back.Cmp(r) != 0 {
			t.Errorf("%s of %v: %s does not read back: %v", name, args, r, err)
		}
		if shown, err := Parse(r.Shown().String()); err != nil || shown.Cmp(r.Shown()) != 0 {
			t.Errorf("%s of %v: shown %s does not read back: %v", name, args, r.Shown(), err)
		}
	}
	before := fmt.Sprint(arguments)
	for _, a := range arguments {
		for name, f := range unary {
			c := NewContext(1000)
			check(name, c, f(c, a), a)
		}
		for _, places := range []int{0, 1, -1, 1000, -1000, 6143, -6144, 1 << 40, -1 << 40} {
			c := NewContext(1000)
			check("round", c, c.Round(a, places), a)
		}
		for _, b := range arguments {
			for name, f := range binary {
				c := NewContext(1000)
				check(name, c, f(c, a, b), a, b)
			}
		}
	}
	if after := fmt.Sprint(arguments); after != before {
		t.Errorf("arguments changed:\n%s\n%s", before, after)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"0", "-0", "1.5", ".5", "5.", "1e21", "1.5e-7", "1e6144", "1e-6144", "1e999999999", "NaN", "0x10", "", "-", "1e+", "00012.3400e-5"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := Parse(text)
		if err != nil {
			if !errors.Is(err, ErrSyntax) && !errors.Is(err, ErrTooLarge) || !d.IsZero() {
				t.Fatalf("%q: %s, %v", text, d, err)
			}
			return
		}
		written := d.String()
		back, err := Parse(written)
		if err != nil || back.Cmp(d) != 0 || back.String() != written {
			t.Fatalf("%q: written %s, read back %s, %v", text, written, back, err)
		}
		if want, _, err := apd.NewFromString(text); err == nil && want.Cmp(inApd(d)) != 0 {
			t.Fatalf("%q: %s, apd reads %s", text, d, want)
		}
	})
}
