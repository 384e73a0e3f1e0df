package engine

import (
	"strings"
	"testing"

	"reckon/engine/input"
	"reckon/engine/value"
)

// TestCalculateColdInput gives temperatures below 0 K to a variable that is a point on a scale and
// to one that is a difference, which may be as negative as it likes.
func TestCalculateColdInput(t *testing.T) {
	d, issues := Compile(Definition{
		Title: "Cold",
		Variables: []value.Variable{
			{Key: "t", Unit: "degC"}, {Key: "rise", Unit: "K"}, {Key: "end", Unit: "degF"},
		},
		Activities: []Activity{{Equation: "end = t + rise"}},
	})
	if d == nil {
		t.Fatal(issues)
	}
	for _, c := range []struct{ t, rise, want string }{
		{"-280 degC", "400 K", "input.invalid_value t | -280 degC | it is below absolute zero"},
		{"-500 degF", "400 K", "input.invalid_value t | -500 degF | it is below absolute zero"},
		{"-1 K", "400 K", "input.invalid_value t | -1 K | it is below absolute zero"},
		{"-273.15 degC", "0 K", "-459.67 degF"},
		{"20 degC", "-290 K", "-454 degF"},
		{"20 degC", "-300 K", "calculation.no_solution end"},
	} {
		req := Request{Targets: []Target{{Variable: d.Index("end")}}}
		for key, text := range map[string]string{"t": c.t, "rise": c.rise} {
			v, _, errs := input.ParseValue(&d.Scope, d.Index(key), value.Scalar(text), testEnv)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			req.Inputs = append(req.Inputs, Given{Variable: d.Index(key), Value: v})
		}
		r, errs := d.Calculate(nil, 0, req, testEnv)
		got := ""
		if len(errs) > 0 {
			got = errs[0].Code + " " + strings.Join(errs[0].Args, " | ")
		} else {
			got = r.Values[0].Value.Text().Scalar()
		}
		if got != c.want {
			t.Errorf("%s and %s: %s, not %s", c.t, c.rise, got, c.want)
		}
	}
}
