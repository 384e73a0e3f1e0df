package engine

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"reckon/engine/value"
)

var calledName = regexp.MustCompile(`[a-z][a-z0-9]*\(?`)

// withFunctions makes a domain of undeclared variables from equations that call functions.
func withFunctions(equations ...string) Definition {
	def := Definition{Title: "Cost", Description: "Generated."}
	for _, e := range equations {
		def.Activities = append(def.Activities, Activity{Equation: e})
		for _, name := range calledName.FindAllString(e, -1) {
			if !strings.HasSuffix(name, "(") && !slices.ContainsFunc(def.Variables, func(v value.Variable) bool { return v.Key == name }) {
				def.Variables = append(def.Variables, value.Variable{Key: name})
			}
		}
	}
	return def
}

// spent is the cost of answering a question, from the facts on.
func spent(t *testing.T, def Definition, question string) (cost int, got string) {
	t.Helper()
	d, issues := Compile(def)
	if d == nil {
		t.Fatal(issues)
	}
	env := testEnv.Metered()
	s, errs := askIn(d, env, question)
	got = "!"
	if len(errs) > 0 {
		got += " " + errs[0].Code
	} else {
		got = s.Value.Text().Scalar()
	}
	return value.DefaultBudget - env.Meter.Left, got
}

// TestCost holds the cost of answers, which every machine counts alike: ordinary questions cost
// little, and none more than its bound however often another plan, another root or another way is
// tried.
func TestCost(t *testing.T) {
	dependent := make([]string, 12)
	for i := range dependent {
		dependent[i] = fmt.Sprintf("(x%d + y%d) ^ 2 + sin(x%d + y%d) = k%d + exp(x%d + y%d)", 1, 1, 1, 1, i, 1, 1)
	}
	nested := strings.Repeat("sin(x + ", 20) + "y" + strings.Repeat(")", 20)
	for _, c := range []struct {
		equations []string
		question  string
		most      int
	}{
		{[]string{"c = a * b"}, "a 3; b 4 -> c", 10},
		{[]string{"c = a * b"}, "c 12; b 4 -> a", 10},
		{[]string{"s = x + y", "d = x - y"}, "s 10; d 4 -> x", 100},
		{[]string{"p = x * y", "s = x + y"}, "p 12; s 7 -> x", 400},
		{[]string{"v = r^2 * h", "s = r * (r + sqrt(r^2 + h^2))"}, "v 36; s 24 -> r", 8_000},
		{[]string{"c^2 = a^2 + b^2 - 2*a*b*cos(g)", "k = a * b * sin(g) / 2", "h = a + b + c"}, "h 15; k 9.9; g 1.4 -> c", 8_000},
		{[]string{"u = x * cos(w)", "v = x * sin(w)"}, "u 3; v 4 -> x", 8_000},
		// Blocks that have no solution, or infinitely many, and that look as if they had one.
		{[]string{"u = x * cos(w)", "v = (x * cos(w))^2"}, "u 3; v 4 -> x", 500_000},
		{[]string{"u = x * cos(w)", "v = (x * cos(w))^2"}, "u 3; v 9 -> x", 5_000},
		{[]string{"x + exp(y) = 0 - exp(x + y^2)", "y = exp(x) + k"}, "k 1 -> x", 80_000},
		{[]string{"p = " + nested, "q = y * " + nested}, "p 5; q 7 -> x", 500_000},
		{dependent, "k0 1; k1 2; k2 3 -> x1", 300_000},
	} {
		cost, got := spent(t, withFunctions(c.equations...), c.question)
		if cost > c.most || cost <= 0 {
			t.Errorf("%v %s costs %d: %s", c.equations, c.question, cost, got)
		}
	}
}

// TestCostOfSeveralPlans counts all plans of a question against one budget.
func TestCostOfSeveralPlans(t *testing.T) {
	equations := []string{"u = x * cos(w)", "v = (x * cos(w))^2", "v = (x * cos(w))^3 / 3", "v = u + sin(x * cos(w)) * 0.1"}
	d, issues := Compile(withFunctions(equations...))
	if d == nil {
		t.Fatal(issues)
	}
	env := testEnv
	env.Budget = 3_000
	_, errs := askIn(d, env, "u 3; v 4 -> x")
	if len(errs) != 1 || errs[0].Code != "calculation.limit_exceeded" || errs[0].Args[0] != "3,000 steps" {
		t.Error(errs)
	}
}

// TestLongCalculationsRest has a search that spends all it may, and one step that is soon done.
func TestLongCalculationsRest(t *testing.T) {
	nested := strings.Repeat("sin(x + ", 20) + "y" + strings.Repeat(")", 20)
	d, issues := Compile(Definition{Title: "Rest", Description: "Generated.", Variables: []value.Variable{{Key: "p"}, {Key: "q"}, {Key: "r"}, {Key: "x"}, {Key: "y"}}, Activities: []Activity{
		{Equation: "p = " + nested}, {Equation: "q = y * " + nested}, {Equation: "r = p + q"},
	}})
	if d == nil {
		t.Fatal(issues)
	}
	for question, long := range map[string]bool{"p 5; q 7 -> x": true, "p 5; q 7 -> r": false} {
		env := testEnv
		_, want := askIn(d, env, question)
		rests := 0
		env.Rest = func() { rests++ }
		if _, got := askIn(d, env, question); fmt.Sprint(got) != fmt.Sprint(want) || (rests > 50) != long || !long && rests > 0 {
			t.Errorf("%q: %d rests, %v, without %v", question, rests, got, want)
		}
	}
}
