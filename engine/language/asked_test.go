package language

import (
	"strings"
	"testing"

	"reckon/engine"
	"reckon/engine/value"
)

// office is a subject with what questions are easily taken for: things that are no lengths, a year
// and a month of one income, what is asked for in a day.
func office(t *testing.T) *Vocabulary {
	t.Helper()
	return compiled(t, engine.Definition{
		Title: "Office", Description: "Lamps, money and a cat of an office.",
		Variables: []value.Variable{
			{Key: "lamps", Title: "Lamps"},
			{Key: "lamp_power", Title: "Power per lamp", Unit: "W"},
			{Key: "load", Title: "Total power", Unit: "kW"},
			{Key: "heat", Title: "Heat output", Unit: "W"},
			{Key: "boxes", Title: "Boxes"},
			{Key: "cord", Title: "Cord", Unit: "m"},
			{Key: "net", Title: "Yearly net income", Unit: "EUR", Aliases: []string{"net income"}},
			{Key: "monthly_net", Title: "Monthly net income", Unit: "EUR"},
			{Key: "gross", Title: "Yearly gross income", Unit: "EUR", Aliases: []string{"gross income"}},
			{Key: "net_bill", Title: "Bill before tax", Unit: "EUR"},
			{Key: "tax", Title: "Tax", Kind: "percent", Default: value.Scalar("20%")},
			{Key: "bill", Title: "Total bill", Unit: "EUR"},
			{Key: "hours", Title: "Hours", Unit: "h"},
			{Key: "rate", Title: "Hourly rate", Unit: "EUR/h"},
			{Key: "cats", Title: "Cats"},
			{Key: "feed", Title: "Feed per day", Unit: "g/day"},
		},
		Activities: []engine.Activity{
			{Title: "Load", Equation: "load = lamps * lamp_power"},
			{Title: "Heat", Equation: "heat = load"},
			{Title: "Boxes", Equation: "boxes = ceil(lamps / 4)"},
			{Title: "Cord", Equation: "cord = lamps * 2 [m]"},
			{Title: "Month", Equation: "monthly_net = net / 12"},
			{Title: "Gross", Equation: "net = gross * 0.8"},
			{Title: "Work", Equation: "net_bill = hours * rate"},
			{Title: "Bill", Equation: "bill = net_bill * (1 + tax)"},
			{Title: "Feed", Equation: "feed = cats * 60 [g/day]"},
		},
	})
}

// TestAsked reads prompts by what they ask for: a question is not answered by what is only near.
func TestAsked(t *testing.T) {
	v := office(t)
	for _, c := range []struct{ prompts, want string }{
		{"how high should I hang the cord for 5 lamps?", "language.not_understood"},
		{"how long is the cord for 5 lamps?", "lamps=5 -> cord @new"},
		{"how much do the boxes of 40 lamps weigh?", "language.not_understood"},
		{"restart lamp 12", "language.not_understood"},
		{"5 lamps of 60 W, 3 litres, boxes?", "language.not_understood"},
		{"what gross income for 3,000 a month net income?", "monthly_net=3000 EUR -> gross @new"},
		{"3000 net income a month, gross income?", "language.ambiguous"},
		{"heat output of 12 kW of total power", "load=12 kW -> heat @new"},
		{"20 hours at 50 EUR/h, total bill? > and the bill before tax? > tax 10%", "tax=10 % -> bill @1"},
		{"20 hours at 50 EUR/h, total bill? > and the bill before tax? > 30 hours", "hours=30 h -> net_bill @1"},
		{"3 cats, feed per day in pounds?", "cats=3 -> feed in 0.000005249911689814814814814814814814815 of mass flow @new"},
		{"3 cats, lb/day?", "cats=3 -> feed in 0.000005249911689814814814814814814814815 of mass flow @new"},
		{"3 cats, feed a day?", "cats=3 -> feed @new"},
		{"5 lamps, cord? > next customer: 7 lamps, cord?", "lamps=7 -> cord @new"},
	} {
		got, trace := interpreted(t, v, c.prompts)
		if got != c.want {
			t.Errorf("%q means %s, not %s\n%s", c.prompts, got, c.want, strings.TrimSpace(trace))
		}
	}
}
