package engine

import (
	"strings"
	"testing"

	"reckon/engine/input"
	"reckon/engine/value"
)

// TestCalculateOverdetermined asks for a target that follows in two ways, of which the rules prefer
// the one with more inputs.
func TestCalculateOverdetermined(t *testing.T) {
	def := withFunctions("d = v * t", "d = a + b + c")
	def.Activities[0].Title, def.Activities[1].Title = "Motion", "Stages"
	def.Variables[2].Default = value.Scalar("2")
	d, issues := Compile(def)
	if d == nil {
		t.Fatal(issues)
	}
	calculate := func(base *Scenario, text string) (Result, string) {
		givens, target, _ := strings.Cut(text, " -> ")
		req := Request{Targets: []Target{{Variable: d.Index(target)}}}
		for _, g := range strings.Split(givens, "; ") {
			key, val, _ := strings.Cut(g, " ")
			v, _, errs := input.ParseValue(&d.Scope, d.Index(key), value.Scalar(val), testEnv)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			req.Inputs = append(req.Inputs, Given{Variable: d.Index(key), Value: v})
		}
		r, errs := d.Calculate(base, 1, req, testEnv)
		if len(errs) > 0 {
			return r, errs[0].Code + " " + strings.Join(errs[0].Args, " | ")
		}
		return r, r.Values[0].Value.Text().Scalar()
	}
	for _, c := range []struct{ text, want string }{
		{"v 3; t 2; a 1; b 2; c 3 -> d", "6"},
		{"v 3.01; t 2; a 1; b 2; c 3 -> d", "calculation.conflicting_inputs v, t, a, b, c | Stages"},
		{"v 3; t 3; a 1; b 2; c 3 -> d", "calculation.conflicting_inputs v, t, a, b, c | Stages"},
		{"t 3; d 6; a 1; b 2 -> c", "3"},
		{"a 1; b 2; c 3 -> v", "3"},
	} {
		if _, got := calculate(nil, c.text); got != c.want {
			t.Errorf("%s: %s, not %s", c.text, got, c.want)
		}
	}
	// A default gives way to what is stated.
	if _, got := calculate(nil, "v 3; a 1; b 2; c 4 -> d"); got != "7" {
		t.Error(got)
	}
}
