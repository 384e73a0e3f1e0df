package engine

import (
	"testing"

	"reckon/engine/value"
)

// TestDimensionsOfFacts derives by one plan from facts of changing dimensions.
func TestDimensionsOfFacts(t *testing.T) {
	d := compiledGraph(t, []string{"c = a * b", "f = c + g"})
	for _, step := range []struct {
		a, b, g, want string
	}{
		{"60 mi/h", "2.5 h", "1 mi", "151 mi"},
		{"60 mi/h", "2.5 h", "1 km", "242.4016 km"},
		{"2", "3", "4", "10"},
		{"60 mi/h", "2.5 h", "1 kg", "input.incompatible_units"},
		{"60 mi/h", "2.5 h", "1 mi", "151 mi"},
		{"2 kg", "3", "1 kg", "7 kg"},
		{"2", "3 kg", "1 kg", "7 kg"},
	} {
		solution, errs := d.Derive(testEnv, stated(t, d, Stated, "a", step.a, "b", step.b, "g", step.g), d.Index("f"), nil, nil, false, nil)
		got := plain(solution.Value.Text())
		if len(errs) > 0 {
			got = errs[0].Code
		}
		if got != step.want {
			t.Errorf("%s × %s + %s: got %s, want %s", step.a, step.b, step.g, got, step.want)
		}
	}
}

// declared compiles what lines declare, as often as it is called.
func declared(t *testing.T, lines ...string) (compile func() *Domain) {
	t.Helper()
	var def Definition
	for _, line := range lines {
		if err := declare(&def, line); err != nil {
			t.Fatal(err)
		}
	}
	return func() *Domain {
		d, issues := Compile(def)
		if d == nil {
			t.Fatal(issues)
		}
		return d
	}
}

// TestKeptUnits asks one domain question after question, in changing units, and holds its answers
// against those of a domain that has kept nothing.
func TestKeptUnits(t *testing.T) {
	compile := declared(t,
		"var a", "var b", "var c", "var g", "var p", "var q", "var list kind=table", "var all",
		"eq c = a * b", "eq p + q = c", "eq q - p = g", "eq all = sum(list) + c",
	)
	d := compile()
	units := [][3]string{
		{"60 mi/h", "2.5 h", "1 mi"}, {"60 mi/h", "2.5 h", "1 km"}, {"60 mi/h", "2.5 h", "1 km"}, {"100 km/h", "90 min", "3 ft"},
		{"2", "3", "1"}, {"2 kg", "3", "1 lb"}, {"2", "3 kg", "1 lb"}, {"3 USD/h", "2 h", "1 USD"}, {"3 EUR/h", "2 h", "1 USD"}, {"3 EUR/h", "2 h", "1 EUR"}, {"60 mi/h", "2.5 h", "1 mi"},
	}
	for _, u := range units {
		for _, target := range []string{"p", "q", "c", "p", "q in km", "p in m", "q", "all", "all"} {
			question := "a " + u[0] + "; b " + u[1] + "; g " + u[2] + "; list [" + u[2] + ", " + u[2] + "] -> " + target
			if got, want := answer(d, question), answer(compile(), question); got != want {
				t.Errorf("%s: got %s, want %s", question, got, want)
			}
		}
	}
}

// TestKeptCurrencies changes the currency of the facts of a domain in a single one.
func TestKeptCurrencies(t *testing.T) {
	d, issues := Compile(Definition{
		Variables:  []value.Variable{{Key: "price", Unit: "USD"}, {Key: "fee"}, {Key: "total"}, {Key: "n"}},
		Activities: []Activity{{Equation: "total = price * n + fee"}},
	})
	if d == nil {
		t.Fatal(issues)
	}
	for _, c := range []struct{ price, fee, want string }{
		{"2 USD", "1 USD", "7 USD"}, {"2 EUR", "1 EUR", "7 EUR"}, {"2 USD", "1 USD", "7 USD"}, {"2 EUR", "1 USD", "! input.incompatible_units EUR | USD"},
		{"2 USD", "1 EUR", "! input.incompatible_units USD | EUR"}, {"2 EUR", "1 EUR", "7 EUR"}, {"2 USD", "1 USD", "7 USD"},
	} {
		if got := answer(d, "price "+c.price+"; fee "+c.fee+"; n 3 -> total"); got != c.want {
			t.Errorf("%s and %s: got %s, want %s", c.price, c.fee, got, c.want)
		}
	}
}

// TestKeptCells hands cells on by one plan, whose units change with the cell that is taken.
func TestKeptCells(t *testing.T) {
	compile := declared(t,
		"var cells kind=table", "var k", "var part kind=bar_chart", "var least", "var total", "var again kind=bar_chart",
		"eq part = column(cells, k)", "eq least = cell(part, 1)", "eq total = sum(column(cells, k)) + k * least", "eq again = [least, total]",
	)
	d := compile()
	for _, cells := range []string{"[[1 m, 2 ft], [3 cm, 4 in]]", "[[1 m, 2 cm], [3 ft, 4 in]]", "[[1 m, 2 ft], [3 kg, 4 lb]]", "[[1 m, 2 ft], [3 cm, 4 in]]"} {
		for _, k := range []string{"1", "2", "1"} {
			for _, target := range []string{"part", "least", "total", "again", "part in m", "again"} {
				question := "cells " + cells + "; k " + k + " -> " + target
				if got, want := answer(d, question), answer(compile(), question); got != want {
					t.Errorf("%s: got %s, want %s", question, got, want)
				}
			}
		}
	}
}
