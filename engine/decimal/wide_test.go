package decimal

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/cockroachdb/apd/v3"
	"pgregory.net/rapid"
)

// unitsApart is how many units of the last of so many digits got is away from want.
func unitsApart(got Decimal, want *apd.Decimal, digits int) float64 {
	at := apdContext(40)
	var diff apd.Decimal
	exact := apdContext(20_000)
	_, _ = exact.Sub(&diff, inApd(got), want)
	_, _ = at.Quo(&diff, &diff, apd.New(1, want.Exponent+int32(want.NumDigits())-int32(digits)))
	f, _ := diff.Abs(&diff).Float64()
	return f
}

// TestWideAgainstReference holds functions of more than 60 digits to apd at twice the precision.
func TestWideAgainstReference(t *testing.T) {
	arguments := []string{
		"12.345678901234567890123456789", "0.00001234567891", "1." + fmt.Sprintf("%080d", 1), "0.99999999999",
		"7", "3e-70", "1.01", "1.0002", "9.9999", "55.5", "0.1", "2", "123456e-300",
	}
	for _, digits := range Precisions[:4] {
		reference := apdContext(2 * digits)
		for name, f := range map[string]func(d, x *apd.Decimal) (apd.Condition, error){
			"exp": reference.Exp, "ln": reference.Ln, "log10": reference.Log10, "sqrt": reference.Sqrt, "cbrt": reference.Cbrt,
		} {
			some := arguments
			if digits >= 250 && name != "sqrt" {
				some = arguments[:4] // apd takes tenths of seconds
			}
			for _, text := range some {
				a, c := mustParse(text), NewWide(1<<40, digits)
				got := unary[name](c, a)
				var want apd.Decimal
				if _, err := f(&want, inApd(a)); err != nil || c.Err() != nil {
					t.Fatal(err, c.Err())
				}
				if want.IsZero() != got.IsZero() || !want.IsZero() && unitsApart(got, &want, digits) > 0.501 {
					t.Errorf("%s %s to %d digits = %s", name, text, digits, got)
				}
			}
		}
	}
}

// TestWideLaws holds each precision to the next one, and functions to one another.
func TestWideLaws(t *testing.T) {
	for i, digits := range Precisions[:4] {
		more := Precisions[i+1]
		rapid.Check(t, func(t *rapid.T) {
			a := number(-3, 0).Draw(t, "a")
			c := NewWide(1<<40, digits)
			for name, f := range unary {
				want, got := NewWide(1<<40, more), NewWide(1<<40, digits)
				x, y := f(want, a), f(got, a)
				if (want.Err() == nil) != (got.Err() == nil) {
					t.Fatalf("%s %s: %v at %d digits, %v at %d", name, a, got.Err(), digits, want.Err(), more)
				}
				if got.Err() == nil && !x.IsZero() && unitsApart(y, inApd(x), digits) > 0.501 {
					t.Fatalf("%s %s = %s at %d digits, %s at %d", name, a, y, digits, x, more)
				}
			}
			x := a.Abs()
			near := func(law string, a, b Decimal, lost int) {
				if diff := c.Sub(a, b); !diff.IsZero() && diff.adjusted() > a.adjusted()-digits+lost || c.Err() != nil {
					t.Fatalf("%s at %s: %s and %s (%v)", law, x, a, b, c.Err())
				}
			}
			square := func(a Decimal) Decimal { return c.Mul(a, a) }
			near("exp ln", c.Exp(c.Ln(x)), x, 3)
			near("sin² + cos²", c.Add(square(c.Sin(x)), square(c.Cos(x))), Int(1), 2)
			near("tan atan", c.Tan(c.Atan(x)), x, 3)
			near("sinh asinh", c.Sinh(c.Asinh(x)), x, 3)
			near("sqrt", square(c.Sqrt(x)), x, 2)
			near("cbrt", c.Mul(square(c.Cbrt(x)), c.Cbrt(x)), x, 2)
			near("pow", c.Pow(x, mustParse("2.5")), c.Mul(square(x), c.Sqrt(x)), 2)
			near("sin π/6", c.Sin(c.Quo(c.Pi(), Int(6))), oneHalf, 2)
			near("e", c.E(), c.Exp(Int(1)), 1)
		})
	}
}

// TestMostDigits holds the precisions of thousands of digits to the next one.
func TestMostDigits(t *testing.T) {
	for i, digits := range Precisions[4:6] {
		for _, text := range []string{"0.7321", "1.0000001", "-0.1e-90", "22", "314159265358979323846264338327950288419716939937510582097e-50"} {
			for name, f := range unary {
				a := mustParse(text)
				got, want := NewWide(1<<40, digits), NewWide(1<<40, Precisions[5+i])
				x, y := f(want, a), f(got, a)
				if (want.Err() == nil) != (got.Err() == nil) || got.Err() == nil && !x.IsZero() && unitsApart(y, inApd(x), digits) > 0.501 {
					t.Fatalf("%s %s is not right to %d digits (%v, %v)", name, text, digits, got.Err(), want.Err())
				}
			}
		}
	}
}

func TestWideOperations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.SampledFrom(Precisions[1:5]).Draw(t, "digits")
		long := rapid.Custom(func(t *rapid.T) Decimal {
			x, _ := new(big.Int).SetString(rapid.StringMatching(`[1-9][0-9]{0,600}`).Draw(t, "digits"), 10)
			d := Decimal{exponent: int32(rapid.IntRange(-700, 300).Draw(t, "exponent")), negative: rapid.Bool().Draw(t, "negative")}
			d.setCoefficient(x)
			return d
		})
		a, b := long.Draw(t, "a"), long.Draw(t, "b")
		at := apdContext(digits)
		c := NewWide(1<<40, digits)
		for name, f := range map[string]func(d, x, y *apd.Decimal) (apd.Condition, error){"add": at.Add, "sub": at.Sub, "mul": at.Mul, "quo": at.Quo} {
			var want apd.Decimal
			flags, err := f(&want, inApd(a), inApd(b))
			got := binary[name](c, a, b)
			if err != nil || c.Err() != nil || inApd(got).Cmp(&want) != 0 || got.IsExact() == flags.Inexact() {
				t.Fatalf("%s of %s and %s to %d digits = %s (%v), want %s", name, a, b, digits, got, c.Err(), ofApd(&want, 0, 0))
			}
		}
	})
}

// formula is an expression over random numbers; eval calculates it in any context.
type formula struct {
	name string
	args []formula
	leaf Decimal
}

func (f formula) String() string {
	if f.args == nil {
		return f.leaf.String()
	}
	return fmt.Sprint(f.name, f.args)
}

func (f formula) eval(c *Context) Decimal {
	switch len(f.args) {
	case 0:
		return f.leaf
	case 1:
		return unary[f.name](c, f.args[0].eval(c))
	}
	return binary[f.name](c, f.args[0].eval(c), f.args[1].eval(c))
}

func drawFormula(t *rapid.T, depth int) formula {
	if depth == 0 || rapid.IntRange(0, 9).Draw(t, "leaf") == 0 {
		return formula{leaf: mustParse(rapid.StringMatching(`-?[1-9](\.[0-9]{0,5}[1-9])?(e-?[1-4]?[0-9])?`).Draw(t, "number"))}
	}
	if name := rapid.SampledFrom([]string{"", "", "", "sqrt", "cbrt", "exp", "ln", "log10", "sin", "cos", "tan", "asin", "acos", "atan",
		"sinh", "cosh", "tanh", "asinh", "acosh", "atanh"}).Draw(t, "function"); name != "" {
		return formula{name: name, args: []formula{drawFormula(t, depth-1)}}
	}
	a, b := drawFormula(t, depth-1), drawFormula(t, depth-1)
	if rapid.IntRange(0, 3).Draw(t, "alike") == 0 {
		b = a
		if rapid.Bool().Draw(t, "nearly") {
			b = formula{name: "add", args: []formula{a, drawFormula(t, 0)}}
		}
	}
	return formula{name: rapid.SampledFrom([]string{"add", "sub", "sub", "mul", "quo", "pow"}).Draw(t, "operation"), args: []formula{a, b}}
}

// TestRightDigits holds the digits that a number calls right to those that it has, six fewer or
// more.
func TestRightDigits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFormula(t, 4)
		for i, digits := range Precisions[:2] {
			c, exact := NewWide(1<<40, digits), NewWide(1<<40, 500)
			got, want := f.eval(c), f.eval(exact)
			if exact.Err() != nil || want.Right() < 2*digits {
				continue
			}
			if c.Err() != nil {
				if !c.Doubted() {
					t.Fatalf("%s at %d digits: %v", f, digits, c.Err())
				}
				continue
			}
			diff := exact.Sub(got, want)
			if diff.IsZero() {
				continue
			}
			if wrong := diff.adjusted(); got.IsExact() || wrong > got.error()+6 {
				t.Fatalf("%s at %d digits = %s with %d right digits, want %s", f, Precisions[i], got, got.Right(), want.Shown())
			}
		}
	})
}

// TestNarrowIsShownAlike rounds numbers of many digits to 60, most of them next to half way between
// two numbers of 34: they are shown as before.
func TestNarrowIsShownAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`-?[1-9]\.[0-9]{33}(5|49|50)(0{40}|9{40}|[0-9]{40})[0-9]?[1-9]`).Draw(t, "number")
		d := MustParse(text)
		if got, want := d.Narrow().Shown(), d.Shown(); got.Cmp(want) != 0 {
			t.Fatalf("%s is shown as %s, and narrow as %s", text, want, got)
		}
	})
}

// TestTied holds what decides between two numbers of 34 digits to the numbers on both sides.
func TestTied(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`-?[1-9]\.[0-9]{33}(5|49|50)(0{0,24}|9{0,24})[0-9]{1,2}`).Draw(t, "number")
		right := rapid.IntRange(36, 60).Draw(t, "right digits")
		d := MustParse(text).As(right)
		c := NewWide(1_000_000, 120)
		by := c.Mul(d.Error(), Int(10))
		if got, want := d.Tied(), c.Add(d, by).Shown().Cmp(c.Sub(d, by).Shown()) != 0; got != want {
			t.Fatalf("%s with %d right digits: %v, want %v", text, right, got, want)
		}
	})
}
