package language

import (
	"strings"
	"testing"

	"reckon/engine"
	"reckon/engine/value"
)

// Prose neither gives a value to what is hidden nor asks for it, and answers do not list it.
func TestHiddenIsNotSpokenOf(t *testing.T) {
	domain := func(hidden bool) *engine.Domain {
		d, issues := engine.Compile(engine.Definition{
			Title: "Commute", Description: "What driving to work costs.",
			Variables: []value.Variable{
				{Key: "way", Title: "Way to work", Unit: "km"},
				{Key: "distance", Title: "Yearly distance", Unit: "km", Hidden: hidden},
				{Key: "reserve", Title: "Reserve", Default: value.Scalar("1.1"), Hidden: hidden},
				{Key: "rate", Title: "Rate", Unit: "EUR/km", Default: value.Scalar("0.3 EUR/km")},
				{Key: "cost", Title: "Cost", Unit: "EUR"},
			},
			Activities: []engine.Activity{{Equation: "distance = 440 * way"}, {Equation: "cost = distance * rate * reserve"}},
		})
		if d == nil {
			t.Fatal(issues)
		}
		return d
	}
	read := func(d *engine.Domain, prompt string) string {
		request, _, errs := New(d).Interpret(prompt, empty(), tripEnv)
		if len(errs) > 0 {
			return errs[0].Code
		}
		got := d.Variables[request.Targets[0].Variable].Key
		for _, in := range request.Inputs {
			got += " " + d.Variables[in.Variable].Key + " " + in.Normal.Scalar()
		}
		return got
	}
	for _, c := range []struct{ prompt, shown, hidden string }{
		{"what is the cost for 10 km?", "language.ambiguous", "cost way 10 km"},
		{"what is the yearly distance for a way to work of 10 km?", "distance way 10 km", "language.not_understood"},
		{"what is the cost with a way to work of 10 km and a reserve of 2?", "cost way 10 km reserve 2", "language.not_understood"},
		{"what is the cost with a way to work of 10 km, without the reserve?", "cost way 10 km", "language.not_understood"},
		{"what is the reserve cost with a way to work of 10 km?", "cost way 10 km", "cost way 10 km"},
	} {
		if got := read(domain(false), c.prompt); got != c.shown {
			t.Errorf("shown: %s: %s, want %s", c.prompt, got, c.shown)
		}
		if got := read(domain(true), c.prompt); got != c.hidden {
			t.Errorf("hidden: %s: %s, want %s", c.prompt, got, c.hidden)
		}
	}
	d := domain(true)
	request, _, _ := New(d).Interpret("what is the cost for 10 km?", empty(), tripEnv)
	result, errs := d.Calculate(nil, 0, request, tripEnv)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if answer := Answer(d, result, ""); strings.Contains(answer, "Reserve") || !strings.Contains(answer, "Assumed: Rate") {
		t.Error(answer)
	}
}
