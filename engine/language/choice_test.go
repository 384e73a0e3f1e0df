package language

import (
	"testing"

	"reckon/engine"
	"reckon/engine/value"
)

// TestChoices asks what may mean several things, in domains of several subjects, and names one of
// the readings that the doubt offers.
func TestChoices(t *testing.T) {
	garden := engine.Definition{
		Title: "Garden",
		Variables: []value.Variable{
			{Key: "fence", Title: "Fence length", Unit: "m"}, {Key: "bed", Title: "Bed length", Unit: "m"},
			{Key: "posts", Title: "Posts"}, {Key: "compost", Title: "Compost", Unit: "m^3"},
		},
		Activities: []engine.Activity{{Equation: "posts = fence / 2 [m]"}, {Equation: "compost = bed * 0.1 [m^2]"}},
	}
	for _, c := range []struct {
		def          engine.Definition
		prompt, says string
		doubt, want  string
	}{
		{garden, "12 metres", "the second one", "language.ambiguous: It could mean: (1) Fence length 12 m or (2) Bed length 12 m.", "bed=12 m -> fetch @new"},
		{garden, "12 metres", "1", "", "fence=12 m -> fetch @new"},
		{garden, "12 metres", "option two please", "", "bed=12 m -> fetch @new"},
		{garden, "12 metres", "the last one", "", "bed=12 m -> fetch @new"},
		{garden, "12 metres", "the bed length", "", "bed=12 m -> fetch @new"},
		{garden, "12 metres", "how many posts for a fence length of 8 m?", "", "fence=8 m -> posts @new"},
		{garden, "12 metres", "3", "", `language.not_understood: The request was not understood: 3.`},
	} {
		d, issues := engine.Compile(c.def)
		if d == nil {
			t.Fatal(issues)
		}
		v := New(d)
		outcomes := v.Evaluate(Dialogue{Turns: []Turn{{Prompt: c.prompt}, {Prompt: c.says}}}, false, tripEnv)
		if got := outcomes[0].Got; c.doubt != "" && got != c.doubt {
			t.Errorf("%s: %s", c.prompt, got)
		}
		if got := outcomes[1].Got; got != c.want {
			t.Errorf("%s, %s: %s, not %s", c.prompt, c.says, got, c.want)
		}
	}
}

// TestChoiceByUnit names a reading by the unit that it alone has.
func TestChoiceByUnit(t *testing.T) {
	d, issues := engine.Compile(engine.Definition{
		Title:     "Brewery",
		Variables: []value.Variable{{Key: "boil", Title: "Boil", Unit: "min"}, {Key: "chill", Title: "Chill", Unit: "h"}},
	})
	if d == nil {
		t.Fatal(issues)
	}
	v := New(d)
	var choices []engine.Request
	for i, text := range []string{"8 min", "8 h"} {
		in, errs := v.given(i, text, tripEnv)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		choices = append(choices, engine.Request{Inputs: []engine.Given{in}})
	}
	for says, want := range map[string]int{"hours": 1, "minutes!": 0, "the minutes": 0, "kg": -1, "8 hours": -1} {
		if got := v.settled(tokenize(says), choices); got != want {
			t.Errorf("%s: %d, not %d", says, got, want)
		}
	}
}
