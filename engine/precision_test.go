package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/apd/v3"
	"pgregory.net/rapid"

	"reckon/engine/decimal"
	"reckon/engine/input"
	"reckon/engine/value"
)

// TestEarlierTargetsKeepTheirDigits asks for a value of which nearly all digits cancel, and then
// for the one that it comes from, in one scenario.
func TestEarlierTargetsKeepTheirDigits(t *testing.T) {
	d, issues := Compile(Definition{
		Title:      "Chain",
		Variables:  []value.Variable{{ID: "x", Key: "x"}, {ID: "a", Key: "a"}, {ID: "b", Key: "b"}},
		Activities: []Activity{{Equation: "a = sqrt(x^2 + 1)"}, {Equation: "b = a - x"}},
	})
	if d == nil {
		t.Fatal(issues)
	}
	for _, digits := range []string{"1e20", "1e30", "1e60"} {
		want := answer(d, "x "+digits+" -> b")
		x, _, errs := input.ParseValue(&d.Scope, d.Index("x"), value.Scalar(digits), testEnv)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		var base *Scenario
		for _, key := range []string{"b", "a"} {
			req := Request{Targets: []Target{{Variable: d.Index(key)}}}
			if base == nil {
				req.Inputs = []Given{{Variable: d.Index("x"), Value: x}}
			}
			r, errs := d.Calculate(base, 1, req, testEnv)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			base = &Scenario{Index: 1, Targets: r.Targets}
			for _, v := range r.Values {
				base.Values = append(base.Values, v.ScenarioValue)
				if got := v.Value.Text().Scalar(); v.Variable == d.Index("b") && got != want {
					t.Errorf("x %s, asked for %s: b is %s, want %s", digits, key, got, want)
				}
			}
		}
	}
}

// calculated is an expression that apd can calculate too.
type calculated struct {
	text  string
	value func(c *apd.Context) *apd.Decimal
}

func drawCalculated(t *rapid.T, depth int) calculated {
	if depth == 0 {
		text := rapid.StringMatching(`[1-9](\.[0-9]{0,6}[1-9])?(e-?[1-4]?[0-9])?`).Draw(t, "number")
		return calculated{text, func(*apd.Context) *apd.Decimal {
			d, _, err := apd.NewFromString(text)
			if err != nil {
				panic(err)
			}
			return d
		}}
	}
	a := drawCalculated(t, depth-1)
	if rapid.IntRange(0, 3).Draw(t, "one operand") == 0 {
		name := rapid.SampledFrom([]string{"sqrt", "cbrt", "exp"}).Draw(t, "function")
		return calculated{name + "(" + a.text + ")", func(c *apd.Context) *apd.Decimal {
			x := a.value(c)
			f := map[string]func(d, x *apd.Decimal) (apd.Condition, error){"sqrt": c.Sqrt, "cbrt": c.Cbrt, "exp": c.Exp}[name]
			if size, err := x.Float64(); name == "exp" && (err != nil || size > 200 || size < -200) {
				return &apd.Decimal{Form: apd.NaN} // takes apd too long
			}
			_, _ = f(x, x)
			return x
		}}
	}
	b := drawCalculated(t, rapid.IntRange(0, depth-1).Draw(t, "depth"))
	if rapid.Bool().Draw(t, "alike") {
		first, off := a, b
		b = calculated{"(" + first.text + " + " + off.text + ")", func(c *apd.Context) *apd.Decimal {
			x := first.value(c)
			_, _ = c.Add(x, x, off.value(c))
			return x
		}}
	}
	sign := rapid.SampledFrom([]string{"+", "-", "-", "*", "/"}).Draw(t, "operation")
	return calculated{"(" + a.text + " " + sign + " " + b.text + ")", func(c *apd.Context) *apd.Decimal {
		x, y := a.value(c), b.value(c)
		f := map[string]func(d, x, y *apd.Decimal) (apd.Condition, error){"+": c.Add, "-": c.Sub, "*": c.Mul, "/": c.Quo}[sign]
		_, _ = f(x, x, y)
		return x
	}}
}

// TestRightOrAnError holds expressions in which digits cancel to apd at 600 digits: what is given
// out is right to 34 digits.
func TestRightOrAnError(t *testing.T) {
	reference := apd.Context{Precision: 600, MaxExponent: apd.MaxExponent, MinExponent: apd.MinExponent, Rounding: apd.RoundHalfEven}
	rapid.Check(t, func(t *rapid.T) {
		e := drawCalculated(t, 3)
		d, issues := Compile(Definition{
			Title:      "Expression",
			Variables:  []value.Variable{{Key: "r"}, {Key: "given", Default: value.Scalar("1")}},
			Activities: []Activity{{Equation: "r = (" + e.text + ") * given"}},
		})
		if d == nil {
			t.Fatal(issues)
		}
		got := answer(d, "-> r")
		if strings.HasPrefix(got, "!") {
			return
		}
		want := e.value(&reference)
		if size := want.Exponent + int32(want.NumDigits()); want.Form != apd.Finite || size < -400 {
			return // what is left next to nothing at 500 digits is 0
		}
		shown, err := decimal.Parse(want.Text('E'))
		if err == nil && shown.Shown().String() != got {
			t.Errorf("%s is %s, want %s", e.text, got, shown.Shown())
		}
	})
}

// TestNothingIsLeft calculates differences that 500 digits do not tell from 0, beside such as are 0.
func TestNothingIsLeft(t *testing.T) {
	for _, c := range []struct{ expression, want string }{
		{"sqrt(x^2 + 1) - x; 1e300", "5e-301"},
		{"sqrt(x^2 + 1) - x; 1e3000", "5e-3001"},
		{"sqrt(x^2 + 1) - x; 1e30", "5e-31"},
		{"cbrt(x^3 + 1) - x; 1e300", "3.333333333333333333333333333333333e-601"},
		{"(x^5 + 1)^0.2 - x; 1e200", "2e-801"},
		{"sqrt(x + 1) - sqrt(x); 1e1000", "5e-501"},
		{"1 / (sqrt(x^2 + 1) - x); 1e300", "2e300"},
		{"sinh(x) - cosh(x); 100", "-3.720075976020835962959695803863118e-44"},
		{"sinh(x) - cosh(x); 1000", "-5.075958897549456765291809479574337e-435"},
		{"sinh(x) - cosh(x); 3000", "-1.307839018921250437879859181451002e-1303"},
		{"sinh(x) - cosh(x); 6000", "! calculation.limit_exceeded 1,000,000 steps"},
		{"exp(x) - sinh(x) - cosh(x); 1000", "0"},
		{"cosh(x)^2 - sinh(x)^2 - 1; 1000", "0"},
		{"exp(x) - 1 - x; 1e-300", "5e-601"},
		{"ln(1 + x) - x; 1e-600", "-5e-1201"},
		{"ln(x + 1) - ln(x); 1e1000", "1e-1000"},
		{"cos(x) - 1; 1e-400", "-5e-801"},
		{"sin(x) - x; 1e-400", "-1.666666666666666666666666666666667e-1201"},
		{"atan(x) - pi / 2; 1e600", "-1e-600 rad"},
		{"tanh(x) - 1; 600", "-1.4049203776354265109058645516736e-521"},
		{"tanh(x) - 1; 5000", "! calculation.limit_exceeded 1,000,000 steps"},
		{"tanh(x) - 1; 1e9", "! calculation.not_converged r | 1"},
		{"1 - 1 / (1 + exp(x)); -2000", "2.576535872961149652190150499507353e-869"},
		{"ln(1 + exp(x)); -2000", "2.576535872961149652190150499507353e-869"},
		{"hypot(x, 1) - x; 1e300", "5e-301"},
		{"root(x^7 + 1, 7) - x; 1e150", "1.428571428571428571428571428571429e-901"},
		{"asinh(x) - ln(2 * x); 1e400", "2.5e-801"},
		{"acosh(x) - ln(2 * x); 1e400", "-2.5e-801"},
		{"asin(1 - x) - pi / 2; 1e-1000", "-1.414213562373095048801688724209698e-500 rad"},
		{"2^x - 2^x * (1 + exp(-x)); 2000", "-2.958199923221943078175873428758827e-267"},
		{"sum([x, 1, -x]); 1e2000", "1"},
		{"avg([x, 1, -x]) - 1 / 3; 1e2000", "0"},
		{"x - x; 1e3000", "0"},
		{"sqrt(x)^2 - x; 2e3001", "0"},
		{"x - 3 * (x / 3); 1e5000", "0"},
		{"ln(exp(x)) - x; 1000", "0"},
		{"sin(x * pi); 1e50", "0"},
	} {
		expression, x, _ := strings.Cut(c.expression, "; ")
		d, issues := Compile(Definition{
			Title:      "Expression",
			Variables:  []value.Variable{{Key: "r"}, {Key: "x"}},
			Activities: []Activity{{Equation: "r = " + expression}},
		})
		if d == nil {
			t.Fatal(issues)
		}
		if got := answer(d, "x "+x+" -> r"); got != c.want {
			t.Errorf("%s at %s is %s, want %s", expression, x, got, c.want)
		}
	}
}

// TestSmallDifferences holds differences of numbers far from 1 to apd with as many digits as they take.
func TestSmallDifferences(t *testing.T) {
	two, three := apd.New(2, 0), apd.New(3, 0)
	pow := func(c *apd.Context, x, n *apd.Decimal) *apd.Decimal {
		r := new(apd.Decimal)
		_, _ = c.Pow(r, x, n)
		return r
	}
	forms := []struct {
		text string
		most int // digits of the exponent of x
		big  bool
		left func(c *apd.Context, x, k *apd.Decimal) (d, less *apd.Decimal)
	}{
		{"sqrt(x^2 + k) - x", 900, true, func(c *apd.Context, x, k *apd.Decimal) (*apd.Decimal, *apd.Decimal) {
			r := pow(c, x, two)
			_, _ = c.Add(r, r, k)
			_, _ = c.Sqrt(r, r)
			return r, x
		}},
		{"cbrt(x^3 + k) - x", 300, true, func(c *apd.Context, x, k *apd.Decimal) (*apd.Decimal, *apd.Decimal) {
			r := pow(c, x, three)
			_, _ = c.Add(r, r, k)
			_, _ = c.Cbrt(r, r)
			return r, x
		}},
		{"sqrt(x + k) - sqrt(x)", 1500, true, func(c *apd.Context, x, k *apd.Decimal) (*apd.Decimal, *apd.Decimal) {
			r, less := new(apd.Decimal), new(apd.Decimal)
			_, _ = c.Add(r, x, k)
			_, _ = c.Sqrt(r, r)
			_, _ = c.Sqrt(less, x)
			return r, less
		}},
		{"exp(x) - 1 - x", 450, false, func(c *apd.Context, x, _ *apd.Decimal) (*apd.Decimal, *apd.Decimal) {
			// x²/2 + x³/6 + …, as apd takes e^x for 1 where x is below 1e-306.
			sum, term := new(apd.Decimal), new(apd.Decimal).Set(x)
			for n := int64(2); n < 40; n++ {
				_, _ = c.Mul(term, term, x)
				_, _ = c.Quo(term, term, apd.New(n, 0))
				_, _ = c.Add(sum, sum, term)
			}
			return sum, new(apd.Decimal)
		}},
	}
	rapid.Check(t, func(t *rapid.T) {
		form := rapid.SampledFrom(forms).Draw(t, "form")
		n := rapid.IntRange(0, form.most).Draw(t, "exponent")
		if !form.big {
			n = -n - 5
		}
		text := fmt.Sprintf("%de%d", rapid.IntRange(1, 9999).Draw(t, "x"), n)
		k := rapid.IntRange(1, 99).Draw(t, "k")
		d, issues := Compile(Definition{
			Title:      "Difference",
			Variables:  []value.Variable{{Key: "r"}, {Key: "x"}},
			Activities: []Activity{{Equation: "r = " + strings.ReplaceAll(form.text, "k", fmt.Sprint(k))}},
		})
		if d == nil {
			t.Fatal(issues)
		}
		c := apd.Context{Precision: uint32(4*max(n, -n) + 80), MaxExponent: apd.MaxExponent, MinExponent: apd.MinExponent, Rounding: apd.RoundHalfEven}
		x, _, err := apd.NewFromString(text)
		if err != nil {
			t.Fatal(err)
		}
		want, less := form.left(&c, x, apd.New(int64(k), 0))
		_, _ = c.Sub(want, want, less)
		shown, err := decimal.Parse(want.Text('E'))
		if c.Precision = 40; err != nil {
			_, _ = c.Round(want, want)
			shown, err = decimal.Parse(want.Text('E'))
		}
		if got := answer(d, "x "+text+" -> r"); err != nil || got != shown.Shown().String() {
			t.Errorf("%s at %s is %s, want %s (%v)", form.text, text, got, shown.Shown(), err)
		}
	})
}

// TestTies shows what only looks half way between two numbers of 34 digits once it is rounded to 60.
func TestTies(t *testing.T) {
	for question, want := range map[string]string{
		"x 3e-33 -> r": "4.500000000000000000000000000000005e-66",
		"x 3e-34 -> r": "4.5e-68",
		"x 5e-33 -> r": "1.250000000000000000000000000000002e-65",
	} {
		d, issues := Compile(Definition{
			Title:      "Ties",
			Variables:  []value.Variable{{Key: "r"}, {Key: "x"}},
			Activities: []Activity{{Equation: "r = exp(x) - 1 - x"}},
		})
		if d == nil {
			t.Fatal(issues)
		}
		if got := answer(d, question); got != want {
			t.Errorf("%s is %s, want %s", question, got, want)
		}
	}
}
