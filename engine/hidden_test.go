package engine

import (
	"strings"
	"testing"

	"reckon/engine/input"
	"reckon/engine/value"
)

// Nobody is asked for what is hidden, neither as a value nor as a target, while other values do.
func TestHiddenIsNotAskedFor(t *testing.T) {
	d, issues := Compile(Definition{
		Title: "Commute", Description: "What driving costs.",
		Variables: []value.Variable{
			{Key: "way"}, {Key: "distance", Hidden: true}, {Key: "cost"}, {Key: "log", Hidden: true}, {Key: "lost", Hidden: true}, {Key: "end"},
		},
		Activities: []Activity{{Equation: "distance = 2 * way"}, {Equation: "cost = distance * 3"}, {Equation: "log = ln(cost)"}, {Equation: "end = ceil(lost) + cost", Calculable: []string{"end"}}},
	})
	if d == nil {
		t.Fatal(issues)
	}
	if len(issues) != 1 || issues[0].Path != "variables[4].hidden" {
		t.Errorf("findings: %v", issues)
	}
	ask := func(target string, given ...string) string {
		var req Request
		if target != "" {
			req.Targets = []Target{{Variable: d.Index(target)}}
		}
		for _, key := range given {
			v, _, errs := input.ParseValue(&d.Scope, d.Index(key), value.Scalar("4"), testEnv)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			req.Inputs = append(req.Inputs, Given{Variable: d.Index(key), Value: v})
		}
		r, errs := d.Calculate(nil, 0, req, testEnv)
		if len(errs) == 0 {
			return d.Variables[r.Calculated].Key + " = " + r.Values[0].Value.Text().Scalar()
		}
		parts := []string{errs[0].Code}
		for _, a := range errs[0].Missing {
			var keys []string
			for _, v := range a.Variables {
				keys = append(keys, v.Key)
			}
			parts = append(parts, strings.Join(keys, "+"))
		}
		return strings.Join(parts, " ")
	}
	for _, c := range []struct{ got, want string }{
		{ask("cost"), "calculation.missing_inputs way"},
		{ask("", "way"), "cost = 24"},
		{ask(""), "input.missing_calculate way cost end"},
		{ask("distance", "way"), "distance = 8"},
		{ask("cost", "distance"), "cost = 12"},
		{ask("end", "cost"), "calculation.missing_inputs lost"},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
}
