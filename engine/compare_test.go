package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reckon/engine/decimal"
	"reckon/engine/input"
	"reckon/engine/value"
)

// scenarioOf is what a result leaves of its scenario, with values as they are shown.
func scenarioOf(t interface{ Fatal(...any) }, d *Domain, r Result) *Scenario {
	s := &Scenario{Index: r.Current, Cleared: r.Cleared, Targets: r.Targets, Also: len(r.Also), Everything: r.Everything}
	for _, v := range r.Values {
		shown, _, errs := input.ParseValue(&d.Scope, v.Variable, v.Value.Text(), testEnv)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		v.Value = shown
		s.Values = append(s.Values, v.ScenarioValue)
	}
	return s
}

// scenariosOf calculates requests of asking, each on the scenario before; one that begins with "new"
// on none.
func scenariosOf(t *testing.T, d *Domain, texts ...string) []*Scenario {
	t.Helper()
	var list []*Scenario
	for i, text := range texts {
		rest, fresh := strings.CutPrefix(text, "new ")
		var base *Scenario
		if !fresh && i > 0 {
			base = list[i-1]
		}
		r, errs := d.Calculate(base, i, asking(t, d, rest), testEnv)
		if len(errs) > 0 {
			t.Fatalf("%s: %v", text, errs)
		}
		list = append(list, scenarioOf(t, d, r))
	}
	return list
}

// compared is a comparison as "first -> second: difference; share of variables, …", or why there
// are no shares.
func compared(d *Domain, c Comparison, errs []value.Error) string {
	if len(errs) > 0 {
		return errs[0].Code
	}
	text := fmt.Sprintf("%s -> %s", plain(c.First.Text()), plain(c.Second.Text()))
	if c.Reason == "" || c.Reason == "given" {
		text += ": " + c.Difference.String()
	}
	if c.Reason != "" && c.Says() == "" {
		text += " says nothing"
	}
	if c.Reason != "" {
		text += "! " + c.Reason
	}
	for _, u := range c.Undefined {
		text += "; " + keysOf(d, u.Changed) + " " + u.Errors[0].Code
	}
	for _, s := range c.Shares {
		text += fmt.Sprintf("; %s %s", keysOf(d, s.Variables), s.Value)
	}
	return text
}

func keysOf(d *Domain, variables []int) string {
	keys := []string{}
	for _, v := range variables {
		keys = append(keys, d.Variables[v].Key)
	}
	return strings.Join(keys, "+")
}

func TestCompare(t *testing.T) {
	bill := []string{
		"var used [kWh]", `var price [EUR/kWh] default="0.30 EUR/kWh"`, `var standing [EUR] default="10 EUR"`, "var bill [EUR]",
		"eq bill = used * price + standing",
	}
	trip := []string{
		"var distance [km]", "var speed [km/h]", "var time [h]", `var wage [EUR/h] default="30 EUR/h"`, "var cost [EUR]",
		"eq time = distance / speed", "eq cost = time * wage",
	}
	revenue := []string{"var price", "var quantity", "var revenue", "eq revenue = price * quantity"}
	gloves := []string{"var one", "var two", "var left", "var pairs", "eq pairs = min(one + two, left)"}
	airport := []string{"var a", "var b", "var c", "var d", "var runway", "eq runway = max(a, b, c, d)"}
	meter := []string{
		"var power [kW]", `var hours [h] default="720 h"`, "var used [kWh]", "var price [EUR/kWh]", "var bill [EUR]",
		"eq used = power * hours", "eq bill = used * price",
	}
	root := []string{"var x", "var y", "eq y = 1 / (x - 2)", "var n", "eq y = n - n"}
	warm := []string{"var inside [degC]", "var gain [K]", "var outside [degC]", "eq inside = outside + gain"}
	for _, c := range []struct {
		lines     []string
		scenarios []string
		of        string
		want      string
	}{
		{bill, []string{"used 300 kWh -> bill", "used 400 kWh; price 0.32 EUR/kWh"}, "", "100 EUR -> 138 EUR: 38 EUR; used 31 EUR; price 7 EUR"},
		{bill, []string{"used 300 kWh -> bill", "standing 50 EUR"}, "", "100 EUR -> 140 EUR: 40 EUR; standing 40 EUR"},
		// The differences of prices and quantities, each at the mean of the other (Bennet, The Theory of
		// Measurement of Changes in Cost of Living, 1920).
		{revenue, []string{"price 10; quantity 100 -> revenue", "price 12; quantity 110"}, "", "1000 -> 1320: 320; price 210; quantity 110"},
		// The glove game (Shapley, Cores of Convex Games, 1971): 1/6, 1/6 and 2/3.
		{gloves, []string{"one 0; two 0; left 0 -> pairs", "one 1; two 1; left 1"}, "", "0 -> 1: 1; left 0.666666666666666666666666666666666; one 0.166666666666666666666666666666667; two 0.166666666666666666666666666666667"},
		// The airport game (Littlechild and Owen, A Simple Expression for the Shapley Value in a Special
		// Case, 1973).
		{airport, []string{"a 0; b 0; c 0; d 0 -> runway", "a 8; b 11; c 13; d 18"}, "", "0 -> 18: 18; d 9; c 4; b 3; a 2"},
		{trip, []string{"distance 120 km; speed 60 km/h -> cost", "speed 80 km/h"}, "", "60 EUR -> 45 EUR: -15 EUR; speed -15 EUR"},
		{trip, []string{"distance 120 km; speed 60 km/h -> cost", "speed 80 km/h"}, "time", "2 h -> 1.5 h: -0.5 h; speed -0.5 h"},
		{trip, []string{"distance 120 km; speed 60 km/h -> cost", "speed 80 km/h"}, "time in min", "120 min -> 90 min: -30 min; speed -30 min"},
		{trip, []string{"distance 120 km; speed 60 km/h -> time", "new distance 120000 m; speed 60 km/h -> time"}, "cost", "60 EUR -> 60 EUR: 0 EUR"},
		// What is given instead of something else changes together with it.
		{trip, []string{"distance 120 km; speed 60 km/h -> cost", "new distance 150 km; time 2 h -> cost"}, "", "60 EUR -> 60 EUR: 0 EUR; distance 7.5 EUR; time+speed -7.5 EUR"},
		{trip, []string{"distance 120 km; speed 60 km/h -> cost", "new distance 120 km; time 3 h -> speed"}, "speed", "60 km/h -> 40 km/h: -20 km/h! given"},
		// A default that neither scenario rests on takes no part.
		{meter, []string{"used 250 kWh; price 0.32 EUR/kWh -> bill", "new power 2 kW; hours 120 h; price 0.35 EUR/kWh -> bill"}, "", "80 EUR -> 84 EUR: 4 EUR; price 7.35 EUR; power+hours+used -3.35 EUR"},
		// One that only the target needs is the same in both.
		{trip, []string{"distance 120 km; speed 60 km/h -> time", "speed 80 km/h -> cost"}, "", "60 EUR -> 45 EUR: -15 EUR; speed -15 EUR"},
		{warm, []string{"outside 10 degC; gain 5 K -> inside", "gain 8 K; outside 50 degF"}, "", "15 degC -> 18 degC: 3 delta_degC; gain 3 delta_degC"},
		{root, []string{"x 1 -> y", "x 3"}, "", "-1 -> 1: 2; x 2"},
	} {
		d := targetsDomain(t, c.lines...)
		list := scenariosOf(t, d, c.scenarios...)
		var of *Target
		if c.of != "" {
			of = &asking(t, d, "-> "+c.of).Targets[0]
		}
		got, errs := d.Compare(list[0], list[1], of, testEnv)
		if text := compared(d, got, errs); text != c.want {
			t.Errorf("%v of %q:\n%s\n%s", c.scenarios, c.of, text, c.want)
		}
	}
}

// TestShow renders differences and shares of several kinds.
func TestShow(t *testing.T) {
	thirds := []string{"var a", "var b", "var c", "var n", "var y", "eq y = n * min(a, b, c)"}
	for _, c := range []struct {
		lines     []string
		scenarios []string
		want      string
	}{
		{[]string{"var tax", "var pay", "var part kind=percent", "eq part = tax / pay"}, []string{"tax 10; pay 100 -> part", "tax 16.5"}, "+6.5 pp: +6.5 pp"},
		{[]string{"var day kind=date", "var rest [d]", "var due kind=date", "eq due = day + rest"}, []string{"day 2026-01-05; rest 10 d -> due", "rest 30 d; day 2026-01-01"}, "+16 days: +20 days, -4 days"},
		{[]string{"var from kind=time", "var rest [min]", "var to kind=time", "eq to = from + rest"}, []string{"from 08:00; rest 10 min -> to", "rest 5 min"}, "-0:05:00: -0:05:00"},
		{thirds, []string{"n 1; a 0; b 0; c 0 -> y", "a 1; b 1; c 1"}, "+1: +0.33334, +0.33333, +0.33333"},
		{thirds, []string{"n 1; a 0; b 0; c 0 -> y", "a 0"}, "0: "},
	} {
		d := targetsDomain(t, c.lines...)
		list := scenariosOf(t, d, c.scenarios...)
		found, errs := d.Compare(list[0], list[len(list)-1], nil, testEnv)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		if shown := d.Show(found); shown.Difference+": "+strings.Join(shown.Shares, ", ") != c.want {
			t.Errorf("%v: got %s: %v, want %s", c.scenarios, shown.Difference, shown.Shares, c.want)
		}
	}
}

// TestCompareUndefined compares scenarios between which there is a combination that has no value.
func TestCompareUndefined(t *testing.T) {
	d := targetsDomain(t, "var a", "var b", "var y", "eq y = sqrt(a - b)")
	list := scenariosOf(t, d, "a 5; b 1 -> y", "a 25; b 9")
	got, errs := d.Compare(list[0], list[1], nil, testEnv)
	if text := compared(d, got, errs); text != "2 -> 4! undefined; b calculation.domain_error" {
		t.Error(text)
	}
}

// TestCompareSampled compares two scenarios with more changes than all combinations are calculated
// of: in a sum each has its own difference, whatever the order, and nothing is in doubt.
func TestCompareSampled(t *testing.T) {
	lines, first, second, terms := []string{"var y"}, "", "", []string{}
	const n = 24
	for i := range n {
		lines = append(lines, fmt.Sprintf("var v%d", i))
		first += fmt.Sprintf("v%d %d; ", i, i)
		second += fmt.Sprintf("v%d %d; ", i, 3*i+1)
		terms = append(terms, fmt.Sprintf("v%d", i))
	}
	for _, c := range []struct {
		equation string
		exact    bool
	}{{"eq y = " + strings.Join(terms, " + "), true}, {"eq y = " + strings.Join(terms[:12], " * (1 + 1 / ") + strings.Repeat(")", 11) + " + max(" + strings.Join(terms[12:], ", ") + ")", false}} {
		d := targetsDomain(t, append(slices.Clone(lines), c.equation)...)
		list := scenariosOf(t, d, strings.ReplaceAll(first, " 0;", " 0.5;")+"-> y", second)
		got, errs := d.Compare(list[0], list[1], nil, testEnv)
		if len(errs) > 0 || got.Reason != "" || got.Orders == 0 {
			t.Fatal(compared(d, got, errs))
		}
		again, _ := d.Compare(list[0], list[1], nil, testEnv)
		if compared(d, got, nil) != compared(d, again, nil) {
			t.Error("another sample")
		}
		adds(t, got)
		doubted := 0
		for _, s := range got.Shares {
			if s.Error == nil {
				t.Errorf("%s has no error", keysOf(d, s.Variables))
			} else if !s.Error.Number.IsZero() {
				doubted++
			}
		}
		if (doubted == 0) != c.exact {
			t.Errorf("%s: %d shares are in doubt", c.equation, doubted)
		}
	}
}

// adds holds the sum of shares against the difference.
func adds(t interface{ Errorf(string, ...any) }, c Comparison) {
	x := decimal.NewContext(value.ParseBudget)
	var sum decimal.Decimal
	for _, s := range c.Shares {
		sum = x.Add(sum, s.Value.Number)
	}
	if sum.Cmp(c.Difference.Number) != 0 || x.Err() != nil {
		t.Errorf("the shares add up to %s, the difference is %s", sum, c.Difference)
	}
}

// reads holds the sum of shares as people read them against the difference as they read it.
func reads(t interface{ Fatalf(string, ...any) }, d *Domain, c Comparison) {
	x := decimal.NewContext(value.ParseBudget)
	number := func(text string) decimal.Decimal {
		n, err := decimal.Parse(strings.NewReplacer(",", "", "+", "").Replace(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return n
	}
	shown := d.Show(c)
	var sum decimal.Decimal
	for _, text := range shown.Shares {
		sum = x.Add(sum, number(text))
	}
	if len(shown.Shares) > 0 && sum.Cmp(number(shown.Difference)) != 0 {
		t.Fatalf("%v are not %s", shown.Shares, shown.Difference)
	}
}

// TestCompareAddsUp compares scenarios of random equations: the shares add up to the difference to
// the last digit, and an input that did not change has none.
func TestCompareAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := []string{"a", "b", "c", "d", "f"}[:rapid.IntRange(1, 5).Draw(t, "n")]
		def := Definition{Title: "Random", Description: "One equation.", Activities: []Activity{{Equation: "y = " + expressionOf(t, names)}}}
		for _, n := range append(slices.Clone(names), "y") {
			def.Variables = append(def.Variables, value.Variable{Key: n})
		}
		d, issues := Compile(def)
		if d == nil {
			t.Fatal(issues)
		}
		var list []*Scenario
		same := rapid.SampledFrom(names).Draw(t, "same")
		kept := ""
		for range 2 {
			var r Request
			for _, n := range names {
				text := fmt.Sprint(rapid.IntRange(1, 2000).Draw(t, n)) + "e-2"
				if n == same && kept != "" {
					text = kept
				} else if n == same {
					kept = text
				}
				v, normal, errs := input.ParseValue(&d.Scope, d.Index(n), value.Scalar(text), testEnv)
				if len(errs) > 0 {
					t.Fatal(errs)
				}
				r.Inputs = append(r.Inputs, Given{Variable: d.Index(n), Value: v, Normal: normal})
			}
			r.Targets = []Target{{Variable: d.Index("y")}}
			found, errs := d.Calculate(nil, 0, r, testEnv)
			if len(errs) > 0 {
				return // outside of a function's domain
			}
			list = append(list, scenarioOf(t, d, found))
		}
		got, errs := d.Compare(list[0], list[1], nil, testEnv)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		if got.Reason == "undefined" {
			return
		}
		adds(t, got)
		reads(t, d, got)
		for _, s := range got.Shares {
			if slices.Contains(s.Variables, d.Index(same)) {
				t.Errorf("%s has not changed and has a share", same)
			}
		}
	})
}

// TestCompareBudget compares what a budget does not last for.
func TestCompareBudget(t *testing.T) {
	var lines []string
	first, second, sum := "", "", "0"
	for i := range 40 {
		lines = append(lines, fmt.Sprintf("var v%d", i))
		first += fmt.Sprintf("v%d %d; ", i, i+1)
		second += fmt.Sprintf("v%d %d; ", i, i+2)
		sum += fmt.Sprintf(" + v%d^2", i)
	}
	d := targetsDomain(t, append(lines, "var y", "eq y = "+sum)...)
	list := scenariosOf(t, d, first+"-> y", second)
	for _, c := range []struct {
		budget int
		want   string
	}{{10, "calculation.limit_exceeded"}, {5_000, "22140 -> 23820! too_many"}} {
		env := testEnv
		env.Budget = c.budget
		got, errs := d.Compare(list[0], list[1], nil, env)
		if text := compared(d, got, errs); text != c.want {
			t.Errorf("with %d: got %s, want %s", c.budget, text, c.want)
		}
	}
	env := testEnv
	env.Budget = 100_000
	got, errs := d.Compare(list[0], list[1], nil, env)
	if len(errs) > 0 || got.Orders == 0 || got.Orders >= 2*maxOrderPairs {
		t.Errorf("%d orders, %v", got.Orders, errs)
	}
	adds(t, got)
}
