package engine

import (
	"math"
	"strings"
	"testing"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/value"
)

// secants are entries of the secant that say more and more of it.
func secants() []*formula.Entry {
	entry := func() *formula.Entry {
		return &formula.Entry{
			Name: "sec", Params: formula.Unary("x", "angle"), Result: "1", Doc: "The secant of an angle.",
			Eval: func(c *decimal.Context, a formula.Decimals) decimal.Decimal {
				return c.Quo(decimal.Int(1), c.Cos(a[0]))
			},
		}
	}
	alone, both, facets := entry(), entry(), entry()
	alone.Formula, alone.Eval = "1 / cos(x)", nil
	both.Formula = "1 / cos(x)"
	facets.Float = func(a []float64) float64 { return 1 / math.Cos(a[0]) }
	facets.Interval = func(a, b formula.Interval) formula.Interval {
		return formula.IntervalDiv(formula.Interval{Lo: 1, Hi: 1}, formula.StandardFunctions.ByName["cos"].Interval(a, b))
	}
	facets.Slopes, facets.Isolated, facets.Period = []string{"sec(x)^2 * sin(x)"}, []string{"acos(1 / t)", "-acos(1 / t)"}, 2
	return []*formula.Entry{alone, both, facets}
}

// TestNewFunction adds a function by one entry and nothing else.
func TestNewFunction(t *testing.T) {
	for i, sec := range secants() {
		functions := formula.StandardFunctions.With(formula.FunctionGroup{Title: "More", Entries: []*formula.Entry{sec}})
		for _, c := range []struct{ question, want string }{
			{"y 0.5 -> x", "! calculation.no_solution"},
			{"y 2 -> x", "1.047197551196597746154214461093168 rad"},
			{"x 60 deg -> y", "2"},
			{"w 3 -> x", "1.047197551196597746154214461093168 rad"},
		} {
			d, issues := compile(Definition{
				Title:      "Secants",
				Variables:  []value.Variable{{Key: "x", Unit: "rad"}, {Key: "y"}, {Key: "w"}},
				Activities: []Activity{{Equation: "y = sec(x)"}, {Equation: "w = sec(x) * (2 + cos(2 * x))"}},
			}, functions)
			if d == nil {
				t.Fatal(issues)
			}
			if got := answer(d, c.question); !strings.HasPrefix(got, c.want) {
				t.Errorf("entry %d: %s is %s, want %s", i, c.question, got, c.want)
			}
		}
	}
	if formula.StandardFunctions.ByName["sec"] != nil {
		t.Error("the table of all domains has changed")
	}
}

// TestProofs asks what only interval extensions can answer.
func TestProofs(t *testing.T) {
	for _, c := range []struct{ equation, question, want string }{
		{"y = atan2(x, x + 1)", "y 3 -> x", "! calculation.no_solution"},
		{"y = atan2(x, x + 1)", "y 0.5 -> x", "1.204111721167913924"},
		{"y = hypot(x, exp(x))", "y 0.1 -> x", "! calculation.no_solution"},
		{"y = root(-8, x) - x", "y -5 -> x", "3"},
		{"y = (-2)^x - x", "y -11 -> x", "3"},
		{"y = (-2)^x - x", "y -12 -> x", "! calculation.not_converged"},
		{"y = (1 - x)^x", "y -8 -> x", "3"},
		{"y = (1 - x)^x", "y 4 -> x", "! calculation.not_converged"},
		{"y = x^x", "y 0.5 -> x", "! calculation.no_solution"},
	} {
		d, issues := Compile(Definition{
			Title: "Proofs", Variables: []value.Variable{{Key: "x", Min: "1"}, {Key: "y"}}, Activities: []Activity{{Equation: c.equation}},
		})
		if d == nil {
			t.Fatal(issues)
		}
		if got := answer(d, c.question); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s is %s, want %s", c.equation, c.question, got, c.want)
		}
	}
}
