package language

import (
	"testing"

	"reckon/engine"
	"reckon/engine/value"
)

// The words "a minute" are no amount in the name of a variable, however like a change its other
// words are.
func TestNamesWithUnits(t *testing.T) {
	d, issues := engine.Compile(engine.Definition{
		Title: "Infusion", Description: "How fast a bag runs, and boxes of bags.", Units: []string{"bag", "box", "lesson", "class"},
		Variables: []value.Variable{
			{Key: "volume", Title: "Infusion", Unit: "mL"},
			{Key: "over", Title: "Infusion time", Unit: "min"},
			{Key: "drops", Title: "Drops a minute", Unit: "drop/min"},
			{Key: "bags", Title: "Bags", Unit: "bag"},
			{Key: "per_box", Title: "Bags a box", Unit: "bag/box", Default: value.Scalar("10 bag/box")},
			{Key: "boxes", Title: "Boxes", Unit: "box"},
			{Key: "lessons", Title: "Lessons a week", Unit: "lesson"},
			{Key: "classes", Title: "Classes", Unit: "class"},
		},
		Activities: []engine.Activity{
			{Title: "Drops", Equation: "drops = volume * 20 [drop/mL] / over"},
			{Title: "Boxes", Equation: "boxes = ceil(bags / per_box / 1 [box]) * 1 [box]"},
			{Title: "Lessons", Equation: "lessons = classes * 30 [lesson/class]"},
		},
	})
	if d == nil {
		t.Fatal(issues)
	}
	v := New(d)
	for prompt, want := range map[string]string{
		"1 litre in 30 minutes: how many drops a minute?":  "volume: 1 L; over: 30 min; drops",
		"how long does 1 litre take at 30 drops a minute?": "volume: 1 L; drops: 30 drop/min; over",
		"how many lessons a week for 20 classes?":          "classes: 20 class; lessons",
		"how many boxes for 140 bags with 14 bags a box?":  "bags: 140 bag; per_box: 14 bag/box; boxes",
		"how many bags a box if 140 bags need 14 boxes?":   `It could mean: Bags a box as what "how many bags a box" asks for, or as given.`,
	} {
		request, trace, errs := v.Interpret(prompt, empty(), tripEnv)
		got := ""
		for _, in := range request.Inputs {
			got += d.Variables[in.Variable].Key + ": " + in.Normal.Scalar() + "; "
		}
		switch {
		case len(errs) > 0:
			got = errs[0].Filled()
		case len(request.Targets) > 0:
			got += d.Variables[request.Targets[0].Variable].Key
		}
		if got != want {
			t.Errorf("%s\n%s, want %s\n%s", prompt, got, want, trace)
		}
	}
}
