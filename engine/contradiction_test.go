package engine

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reckon/engine/input"
	"reckon/engine/value"
)

// answered asks a domain of plain numbers for a target. It gives the code of an error, or the
// value.
func answered(t rapid.TB, equations []string, given map[string]string, target string) string {
	d, issues := Compile(withFunctions(equations...))
	if d == nil {
		t.Fatal(issues)
	}
	req := Request{Targets: []Target{{Variable: d.Index(target)}}}
	for i := range d.Variables {
		text, ok := given[d.Variables[i].Key]
		if !ok {
			continue
		}
		v, _, errs := input.ParseValue(&d.Scope, i, value.Scalar(text), testEnv)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		req.Inputs = append(req.Inputs, Given{Variable: i, Value: v})
	}
	r, errs := d.Calculate(nil, 0, req, testEnv)
	if len(errs) > 0 {
		return errs[0].Code
	}
	for _, v := range r.Values {
		if v.Variable == d.Index(target) {
			return v.Value.Text().Scalar()
		}
	}
	return ""
}

func TestContradictions(t *testing.T) {
	const conflict = "calculation.conflicting_inputs"
	for _, c := range []struct{ equations, given, target, want string }{
		// Over several steps that nobody asked for.
		{"b = a + 1; c = a * 2; t = b * 2; t = c + 1", "a 1", "t", conflict},
		{"b = a + 1; c = a * 2; t = b * 2; t = c + 2", "a 1", "t", "4"},
		{"b = a + 1; c / 2 = a; f = c - 1; f + 2 = t; t = b * 2", "a 1", "t", conflict},
		{"b = a + 1; c / 2 = a; f = c - 1; f + 3 = t; t = b * 2", "a 1", "t", "4"},
		// What was written down leaves half of the last of three and more digits open.
		{"d = v * t; f = d * 2", "v 3.33; t 3; d 10", "f", "20"},
		{"d = v * t; f = d * 2", "v 3.32; t 3; d 10", "f", conflict},
		{"d = v * t; f = d * 2", "v 60; t 16.7; d 1000", "f", "2000"},
		{"d = v * t; f = d * 2", "v 60; t 16.6; d 1000", "f", conflict},
		{"d = v * t; f = d * 2", "v 0.33; t 3; d 1", "f", conflict},
		{"y = x^2; z = 3 * x", "y 4; z 6.03", "x", conflict},
		{"y = x^2; z = 3 * x", "y 4.02; z 6.01", "x", "2.004993765576342135075873850245161"},
		{"g = n + x; x = n * r", "x 19; g 119.9; r 0.19", "n", conflict},
		{"g = n + x; x = n * r", "x 19; g 119; r 0.19", "n", "100"},
		{"g = n + x; x = n * r", "x 19.2; g 120; r 0.19", "n", "100.8"},
		// So does one that has all the digits of a result.
		{"c = a / b; d = a + b", "a 7.1; b 6; c 1.183333333333333333333333333333333", "d", "13.1"},
		{"c = a / b; d = a + b", "a 7.1; b 6; c 1.183333333333333333333333333333334", "d", conflict},
		// A further equation chooses between roots, as closely.
		{"y = x^2; z = 3 * x", "y 4; z -6", "x", "-2"},
		{"y = x^2; z = 3 * x", "y 4.02; z -6.01", "x", "-2.004993765576342135075873850245161"},
		{"y = x^2; z = 3 * x", "y 4; z -6.03", "x", conflict},
		{"y = x^2; w = x + 1; z = 3 * w", "y 4; z -3", "x", "-2"},
		{"x^2 + y^2 = r; x + y = s; x * y = p", "r 25; s 7; p 12", "x", "3"},
		{"x^2 + y^2 = r; x + y = s; x * y = p", "r 25; s 7; p 11", "x", conflict},
		// A root that was not among those of a system is one of another system.
		{"k * y / (x + 2) + ln(x) = p; k * y / (x + 6) = q; exp(x / 10) + y^2 = r",
			"k 7.2; p 14.17490051901155192073231882070105; q 6.923076923076923076923076923076923; r 65.26111972882832942647692045550936", "x", "2.32"},
		{"k * y / (x + 2) + ln(x) = p; k * y / (x + 6) = q; exp(x / 10) + y^2 = r",
			"k 7.2; p 14.17490051901155192073231882070105; q 6.923076923076923076923076923076923; r 65.36111972882832942647692045550936", "x", conflict},
		// A variable with several values says nothing.
		{"y = x^2; z = 3 * x; t = y + 1", "y 4; z -6", "t", "5"},
		{"y = x^2; z = 3 * x; t = y + 1", "y 4; z 7", "t", conflict},
	} {
		given := map[string]string{}
		for _, g := range strings.Split(c.given, "; ") {
			key, text, _ := strings.Cut(g, " ")
			given[key] = text
		}
		if got := answered(t, strings.Split(c.equations, "; "), given, c.target); got != c.want {
			t.Errorf("%s with %s: %s is %s, want %s", c.equations, c.given, c.target, got, c.want)
		}
	}
}

// Activities with functions over tables, and tables that are given, are checked like others.
func TestContradictionsThroughTables(t *testing.T) {
	const conflict = "calculation.conflicting_inputs"
	def := withFunctions("total = sum(prices)", "mean = avg(prices)", "mean * n = total", "t = n + 1", "growth = sum(each(k, 1, 3, r^k))", "s = r + 1")
	for i := range def.Variables {
		if def.Variables[i].Key == "prices" {
			def.Variables[i].Kind = "table"
		}
	}
	d, issues := Compile(def)
	if d == nil {
		t.Fatal(issues)
	}
	prices := func(cells ...string) value.Text {
		text := value.Text{Rank: 1}
		for _, c := range cells {
			text.Cells = append(text.Cells, []string{c})
		}
		return text
	}
	for _, c := range []struct {
		prices       value.Text
		given        map[string]string
		target, want string
	}{
		{prices("1", "2", "3"), map[string]string{"n": "3"}, "t", "4"},
		{prices("1", "2", "3"), map[string]string{"n": "3", "total": "6"}, "t", "4"},
		{prices("1", "2", "3"), map[string]string{"n": "3", "total": "7"}, "t", conflict},
		{prices("1", "2", "3"), map[string]string{"n": "4"}, "t", conflict}, // two steps away
		{prices("1.23", "2.34"), map[string]string{"n": "2", "total": "3.56"}, "t", "3"},
		{prices("1.23", "2.34"), map[string]string{"n": "2", "total": "3.60"}, "t", conflict},
		{prices("1.23", "-2.34"), map[string]string{"n": "2", "total": "-1.10"}, "t", "3"},
		{prices("1"), map[string]string{"r": "2", "growth": "14"}, "s", "3"},
		{prices("1"), map[string]string{"r": "2", "growth": "15"}, "s", conflict},
	} {
		req := Request{Targets: []Target{{Variable: d.Index(c.target)}}}
		for i := range d.Variables {
			text, ok := value.Scalar(c.given[d.Variables[i].Key]), c.given[d.Variables[i].Key] != ""
			if d.Variables[i].Key == "prices" {
				text, ok = c.prices, true
			}
			if ok {
				v, _, errs := input.ParseValue(&d.Scope, i, text, testEnv)
				if len(errs) > 0 {
					t.Fatal(errs)
				}
				req.Inputs = append(req.Inputs, Given{Variable: i, Value: v})
			}
		}
		got := ""
		if r, errs := d.Calculate(nil, 0, req, testEnv); len(errs) > 0 {
			got = errs[0].Code
		} else {
			for _, v := range r.Values {
				if v.Variable == d.Index(c.target) {
					got = v.Value.Text().Scalar()
				}
			}
		}
		if got != c.want {
			t.Errorf("%v with %v: %s is %s, want %s", c.prices.Cells, c.given, c.target, got, c.want)
		}
	}
}

// Two chains of up to six steps from one value to the target agree, or end apart by as little as a
// thousandth.
func TestChainsThatDisagree(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		start := rapid.Int64Range(1, 20).Draw(r, "start")
		var equations []string
		chain := func(name string) (last string, at *big.Rat) {
			last, at = "a", big.NewRat(start, 1)
			for i := range rapid.IntRange(1, 6).Draw(r, "steps of "+name) {
				next := fmt.Sprintf("%s%d", name, i)
				k := rapid.Int64Range(2, 9).Draw(r, "k")
				switch rapid.SampledFrom([]string{"+", "-", "*", "/", "inverse"}).Draw(r, "op") {
				case "+":
					equations = append(equations, fmt.Sprintf("%s = %s + %d", next, last, k))
					at = new(big.Rat).Add(at, big.NewRat(k, 1))
				case "-":
					equations = append(equations, fmt.Sprintf("%s + %d = %s", next, k, last))
					at = new(big.Rat).Sub(at, big.NewRat(k, 1))
				case "*":
					equations = append(equations, fmt.Sprintf("%s = %d * %s", next, k, last))
					at = new(big.Rat).Mul(at, big.NewRat(k, 1))
				case "/":
					equations = append(equations, fmt.Sprintf("%s = %s / %d", next, last, k))
					at = new(big.Rat).Quo(at, big.NewRat(k, 1))
				default:
					equations = append(equations, fmt.Sprintf("%s = %s - %d * %s", last, next, k, next))
					at = new(big.Rat).Quo(at, big.NewRat(1-k, 1))
				}
				last = next
			}
			return last, at
		}
		b, left := chain("b")
		c, right := chain("c")
		gap := new(big.Rat).Sub(left, right)
		wrong := rapid.Bool().Draw(r, "wrong")
		if wrong {
			gap.Add(gap, big.NewRat(1, 1000))
		}
		equations = append(equations, "t = "+b, fmt.Sprintf("t = %s + (%s) / %s", c, gap.Num(), gap.Denom()))
		got := answered(r, equations, map[string]string{"a": fmt.Sprint(start)}, "t")
		if refused := got == "calculation.conflicting_inputs"; refused != wrong {
			r.Fatalf("%v: %s", equations, got)
		}
	})
}
