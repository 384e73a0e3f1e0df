package engine

import (
	"slices"
	"testing"

	"reckon/engine/input"
	"reckon/engine/value"
)

// stated makes facts of keys and values.
func stated(t *testing.T, d *Domain, tier Tier, pairs ...string) []Fact {
	t.Helper()
	var facts []Fact
	for i := 0; i < len(pairs); i += 2 {
		v := d.Index(pairs[i])
		value, _, errs := input.ParseValue(&d.Scope, v, value.Scalar(pairs[i+1]), testEnv)
		if v < 0 || len(errs) > 0 {
			t.Fatal(pairs[i], errs)
		}
		facts = append(facts, Fact{v, tier, value})
	}
	return facts
}

func TestDeriveContradictions(t *testing.T) {
	d := compiledGraph(t, []string{"time = distance / speed", "cost = distance * price"})
	cases := []struct {
		facts []Fact
		want  int
	}{
		{stated(t, d, Stated, "distance", "150 mi", "speed", "60 mi/h", "time", "2.5 h"), 0},
		{stated(t, d, Stated, "distance", "150 mi", "speed", "60 mi/h", "time", "2.51 h"), 0}, // misses by 0.4%
		{stated(t, d, Stated, "distance", "150 mi", "speed", "60 mi/h", "time", "3 h"), 1},
		{stated(t, d, Carried, "distance", "150 mi", "speed", "60 mi/h", "time", "3 h"), 1},
		{stated(t, d, Defaulted, "distance", "150 mi", "speed", "60 mi/h", "time", "3 h"), 0},
		{stated(t, d, Stated, "distance", "150 mi", "speed", "0 mi/h", "time", "3 h"), 0},
		{stated(t, d, Stated, "distance", "10", "price", "2", "cost", "30", "speed", "5"), 1},
	}
	for i, c := range cases {
		if got := d.contradictions(testEnv, c.facts, Solution{}, false); len(got) != c.want {
			t.Errorf("case %d: %v", i, got)
		}
	}
}

func TestDeriveSolvable(t *testing.T) {
	d := compiledGraph(t, []string{"b = a + 1", "c = b * 2", "f = g - c", "h = k * k"})
	keys := func(list []int) string {
		text := ""
		for _, v := range list {
			text += d.Variables[v].Key
		}
		return text
	}
	facts := stated(t, d, Stated, "a", "1")
	if got := keys(d.solvable(nil, facts)); got != "bc" {
		t.Error(got)
	}
	facts = append(facts, stated(t, d, Defaulted, "g", "9")...)
	if got := keys(d.solvable(nil, facts)); got != "bcf" {
		t.Error(got)
	}
	solvable := d.solvable(nil, facts)
	feeding := d.feeding(nil, facts, solvable)
	if got := keys(slices.DeleteFunc(solvable, func(v int) bool { return !feeding[v] })); got != "bc" {
		t.Errorf("%s feed others", got)
	}
}

func TestDeriveSteps(t *testing.T) {
	d := compiledGraph(t, []string{"c = b * 2", "b = a + 1"})
	facts := stated(t, d, Stated, "a", "1")
	s, errs := d.Derive(testEnv, facts, d.Index("c"), nil, nil, false, nil)
	if len(errs) > 0 || len(s.Steps) != 2 || s.Steps[0].Activities[0] != 1 || s.Steps[1].Variable != d.Index("c") || !slices.Equal(s.Used, []int{0}) {
		t.Error(s, errs)
	}
}

func TestDerivePrevious(t *testing.T) {
	d := compiledGraph(t, []string{"y = (x - 5) * (x - 5)"})
	facts := stated(t, d, Stated, "y", "4")
	previous := stated(t, d, Stated, "x", "8")[0].Value
	if s, errs := d.Derive(testEnv, facts, d.Index("x"), nil, func(int) *value.Value { return &previous }, false, nil); len(errs) > 0 || s.Value.Text().Scalar() != "7" {
		t.Error(s, errs)
	}
	if s, errs := d.Derive(testEnv, facts, d.Index("x"), nil, nil, false, nil); len(errs) > 0 || s.Value.Text().Scalar() != "3" {
		t.Error(s, errs)
	}
}

func TestDeriveBudget(t *testing.T) {
	d, issues := Compile(Definition{Title: "Transcendental", Variables: []value.Variable{{Key: "x"}, {Key: "y"}},
		Activities: []Activity{{Equation: "y = x^x + exp(x)"}}})
	if d == nil {
		t.Fatal(issues)
	}
	env := testEnv
	env.Budget = 50
	_, errs := d.Derive(env, stated(t, d, Stated, "y", "40"), d.Index("x"), nil, nil, false, nil)
	if len(errs) != 1 || errs[0].Code != "calculation.limit_exceeded" || errs[0].Args[0] != "50 steps" {
		t.Error(errs)
	}
}
