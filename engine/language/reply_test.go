package language

import (
	"strings"
	"testing"
)

// TestReplies says to answers what asks for no calculation, in one conversation after the other.
func TestReplies(t *testing.T) {
	v := trip(t)
	answered := "how long for 150 miles at 60 mph?"
	for _, c := range []struct{ prompts, want string }{
		{answered + " > why?", "-> fetch @1"},
		{answered + " > how did you get that?", "-> fetch @1"},
		{answered + " > 75 mph > compare with the first one", "-> fetch @2"},
		{answered + " > 75 mph > how does that compare to scenario 1?", "-> fetch @2"},
		{answered + " > 75 mph > compare with the second one", `language.not_understood: The request was not understood: compare with the second one, which is scenario 2 itself.`},
		{answered + " > compare with scenario 7", `scenario.not_found: Scenario 7 does not exist.`},
		{"compare with the first one", `language.not_understood: The request was not understood: compare with the first one, before anything was answered.`},
		{"why?", `language.not_understood: The request was not understood: why?, before anything was answered.`},
		{"thanks!", "language.nothing_asked: There is nothing to calculate: you are welcome."},
		{answered + " > thanks > and at 75 mph?", "speed=75 mi/h -> time @1"},
		{"150 miles > start over > 60 mph > fuel cost?", "-> cost @2 calculation.missing_inputs"},
		{answered + " > start over", "language.nothing_asked: There is nothing to calculate: the next question begins a new scenario."},
		{answered + " > start over > 100 miles", "distance=100 mi -> fetch @new"},
		{answered + " > when do we arrive? > never mind > why?", "-> fetch @1"},
		{"when do we arrive? > never mind > 150 miles", "distance=150 mi -> fetch @new"},
		{"why is the sky blue?", `language.not_understood: The request was not understood: "sky".`},
	} {
		var d Dialogue
		for _, prompt := range strings.Split(c.prompts, " > ") {
			d.Turns = append(d.Turns, Turn{Prompt: prompt})
		}
		outcomes := v.Evaluate(d, false, tripEnv)
		if got := outcomes[len(outcomes)-1].Got; got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.prompts, got, c.want)
		}
	}
	c := empty()
	c.Examples = []string{"how long for 150 miles?"}
	_, _, errs := v.Interpret("what can I ask?", c, tripEnv)
	if len(errs) != 1 || errs[0].Code != "language.can_ask" || !strings.Contains(errs[0].Filled(), `Driving time`) || !strings.Contains(errs[0].Filled(), `for example "how long for 150 miles?"`) {
		t.Errorf("what can I ask: %v", errs)
	}
}
