package engine

import (
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
			req := Request{Target: &Target{Variable: d.Index(key)}}
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
