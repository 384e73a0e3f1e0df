package language

import (
	"strings"
	"testing"

	"reckon/engine"
	"reckon/engine/value"
)

// TestSeveral says to prompts that list values of one amount, or ask how much more something is,
// in one conversation after the other.
func TestSeveral(t *testing.T) {
	v := trip(t)
	answered := "how long for 150 miles at 60 mph?"
	const two = "language.not_understood: The request was not understood: "
	for _, c := range []struct{ prompts, want string }{
		{"how long for 100, 150 and 200 miles at 50 mph?", "distance=100 mi|150 mi|200 mi speed=50 mi/h -> time @new"},
		{"how long for 150 miles at 50 or 60 mph, in minutes?", "distance=150 mi speed=50 mi/h|60 mi/h -> time in 60 of time @new"},
		{"time for 50 km or 100 miles at 50 mph", "distance=31.06855961186669848087170921816591 mi|100 mi speed=50 mi/h -> time @new"},
		{"time for 100 to 200 miles in steps of 50 at 50 mph", "distance=100 mi|150 mi|200 mi speed=50 mi/h -> time @new"},
		{"time and fuel for 100 and 200 miles at 50 mph and 25 mpg", "distance=100 mi|200 mi speed=50 mi/h economy=25 mi/gal -> time, fuel @new"},
		{"how long for 150 miles at a speed of 50, 60 and 70 mph?", "distance=150 mi speed=50 mi/h|60 mi/h|70 mi/h -> time @new"},
		{"fuel over 100, 150 and 200 miles at an economy of 25 mpg", "distance=100 mi|150 mi|200 mi economy=25 mi/gal -> fuel @new"},
		{"how long for 100, 150 and 200 miles? > 50 mph", "speed=50 mi/h -> time @new"},
		{answered + " > what if 10, 20 or 30 km?", "distance=6.213711922373339696174341843633182 mi|12.42742384474667939234868368726636 mi|18.64113576712001908852302553089955 mi -> time @1"},
		{answered + " > at 50, 55 and 70 mph > 10 mph faster", "speed=60 mi/h|65 mi/h|80 mi/h -> time @2"},
		{answered + " > at 50, 55 and 70 mph > in minutes", "-> time in 60 of time @2"},
		{answered + " > at 50 and 55 mph > undo that, at 70 or 80 mph", "speed=70 mi/h|80 mi/h -> time @1"},
		{answered + " > at 50 and 55 mph > and at 75", "speed=75 mi/h -> time @2"},
		{answered + " > at 50 and 55 mph > for 100 or 200 miles", "distance=100 mi|200 mi -> time @2 input.several_values"},
		{"time for 100 and 200 miles at 50 or 60 mph", two + `"100 and 200 miles" and "50 or 60 mph" are several values each: ask for one of these at a time.`},
		{"time for 1 to 100 miles in steps of 1 at 50 mph", two + `"1 to 100 miles in steps of 1" are more than 20 values.`},
		{"time for 100 and 150 miles together at 50 mph", two + `"100".`},
		{"how long for 10, 20 or 30 kg at 50 mph", two + `"30 kg" fits no variable.`},

		{answered + " > how much longer would it take at 50 mph?", "speed=50 mi/h -> time @1"},
		{answered + " > how much less is that than with 100 miles?", "distance=100 mi -> time @1"},
		{answered + " > what's the difference if I go at 75?", "speed=75 mi/h -> time @1"},
		{answered + " > 75 mph > what's the difference to the first one?", "-> fetch @2"},
		{answered + " > how much cheaper is it at 50 mph?", two + `"how much cheaper is it": ask for each of the two, or compare their scenarios.`},
		{answered + " > how much longer is that?", two + `"how much longer is that": ask for each of the two, or compare their scenarios.`},
		{answered + " > how much worse off are we at 50 mph?", "speed=50 mi/h -> time @1"},
		{answered + " > and how much less if it is 100 miles?", "distance=100 mi -> time @1"},
		{"time and fuel for 100 miles at 50 mph and 25 mpg > how much quicker are we at 60 mph?", "speed=60 mi/h -> time @1"},
		{"time and fuel for 100 miles at 50 mph and 25 mpg > how much more is it at 60 mph?", two + `"how much more is it": ask for each of the two, or compare their scenarios.`},
		{answered + " > what does it add if we go at 50 mph?", "speed=50 mi/h -> time @1"},
		{answered + " > how much quicker are we at 75 mph?", "speed=75 mi/h -> time @1"},
		{answered + " > how many more minutes would it take at 50 mph?", "speed=50 mi/h -> time @1"},
		{answered + " > why so long?", "-> fetch @1"},
		{"For 100 miles at 50 mph and 25 mpg: what is the driving time, and how many gallons of fuel?", "distance=100 mi speed=50 mi/h economy=25 mi/gal -> time, fuel @new"},
		{"I need two figures: time and fuel for 100 miles at 50 mph and 25 mpg", "distance=100 mi speed=50 mi/h economy=25 mi/gal -> time, fuel @new"},
		{"how much more is that than with 20 miles?", two + "how much more is that than, before anything was answered."},
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
}

// TestListOrTable holds that a list is a table where a table leads to what is asked for.
func TestListOrTable(t *testing.T) {
	d, issues := engine.Compile(engine.Definition{
		Title: "Party", Description: "What a party costs.",
		Variables: []value.Variable{
			{Key: "guests", Title: "Guests"}, {Key: "price", Title: "Price per guest", Unit: "EUR"}, {Key: "cost", Title: "Total cost", Unit: "EUR"},
			{Key: "bills", Title: "Bills", Kind: "table"}, {Key: "total", Title: "Total of bills"},
		},
		Activities: []engine.Activity{
			{Title: "Cost", Equation: "cost = guests * price"}, {Title: "Total", Equation: "total = sum(bills)"},
		},
	})
	if len(issues) > 0 {
		t.Fatal(issues)
	}
	for prompt, want := range map[string]string{
		"cost for 40, 50 and 60 guests at 20 euros each":                                       "guests=40|50|60 price=20 EUR -> cost @new",
		"total of bills of 40, 50 and 60":                                                      "bills=40|50|60 -> total @new",
		"cost for 30 guests at 20 euros each > cost for 40, 50 and 60 guests at 10 euros each": "guests=40|50|60 price=10 EUR -> cost @1",
	} {
		var talk Dialogue
		for _, prompt := range strings.Split(prompt, " > ") {
			talk.Turns = append(talk.Turns, Turn{Prompt: prompt})
		}
		outcomes := New(d).Evaluate(talk, false, tripEnv)
		if got := outcomes[len(outcomes)-1].Got; got != want {
			t.Errorf("%s:\n got %s\nwant %s", prompt, got, want)
		}
	}
}

// TestAmountsOfSeveral holds that amounts which may be those of several variables are no list.
func TestAmountsOfSeveral(t *testing.T) {
	d, issues := engine.Compile(engine.Definition{
		Variables: []value.Variable{
			{Key: "length", Title: "Length", Unit: "m"}, {Key: "width", Title: "Width", Unit: "m", Default: value.Scalar("3 m")},
			{Key: "height", Title: "Height", Unit: "m", Default: value.Scalar("2 m")}, {Key: "volume", Title: "Volume", Unit: "m^3"},
		},
		Activities: []engine.Activity{{Title: "Volume", Equation: "volume = length * width * height"}},
	})
	if d == nil {
		t.Fatal(issues)
	}
	v := New(d)
	for prompt, want := range map[string]string{
		"volume for 12, 6 and 2 m":                         "language.ambiguous",
		"length, width and height of 12, 6 and 2 m":        "language.ambiguous",
		"volume for a length of 12, 6 and 2 m":             "language.ambiguous",
		"volume for a length and a width of 2, 6 and 12 m": "language.ambiguous",
		"volume for a length of 2, 6 and 12 m":             "length: [2 m, 6 m, 12 m]",
		"volume for a height of 6 or 2 m, the length 12 m": "height: [6 m, 2 m]",
	} {
		r, _, errs := v.Interpret(prompt, empty(), tripEnv)
		got := ""
		if len(errs) > 0 {
			got = errs[0].Code
		} else if over, _ := d.SeveralIn(r); over != nil {
			got = d.Variables[over.Variable].Key + ": ["
			for i, one := range over.Values {
				got += []string{"", ", "}[min(i, 1)] + one.Text().Scalar()
			}
			got += "]"
		}
		if got != want {
			t.Errorf("%s: %s %v, want %s", prompt, got, errs, want)
		}
	}
}
