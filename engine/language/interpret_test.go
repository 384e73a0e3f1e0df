package language

import (
	"strings"
	"testing"
	"time"

	"reckon/engine"
	"reckon/engine/input"
	"reckon/engine/value"
)

// trip is a domain with variables of most kinds.
func trip(t testing.TB) *Vocabulary {
	t.Helper()
	d, issues := engine.Compile(engine.Definition{
		Title: "Trip", Description: "Time and fuel of a journey by car.",
		Variables: []value.Variable{
			{Key: "distance", Title: "Distance", Unit: "mi", Aliases: []string{"trip length"}},
			{Key: "speed", Title: "Average speed", Unit: "mi/h"},
			{Key: "time", Title: "Driving time", Kind: "duration"},
			{Key: "departure", Title: "Departure", Kind: "time"},
			{Key: "arrival", Title: "Arrival", Kind: "time"},
			{Key: "economy", Title: "Fuel economy", Unit: "mi/gal", Default: value.Scalar("30 mi/gal")},
			{Key: "fuel", Title: "Fuel needed", Unit: "gal"},
			{Key: "price", Title: "Fuel price", Unit: "USD/gal", Default: value.Scalar("4 USD/gal")},
			{Key: "cost", Title: "Fuel cost", Unit: "USD"},
			{Key: "people", Title: "People"},
			{Key: "each", Title: "Cost per person", Unit: "USD"},
			{Key: "toll_share", Title: "Toll share", Kind: "percent", Default: value.Scalar("0")},
		},
		Activities: []engine.Activity{
			{Title: "Driving time", Equation: "time = distance / speed"},
			{Title: "Arrival", Equation: "arrival = departure + time"},
			{Title: "Fuel", Equation: "fuel = distance / economy"},
			{Title: "Cost", Equation: "cost = fuel * price * (1 + toll_share)"},
			{Title: "Share", Equation: "each = cost / people"},
		},
	})
	if d == nil {
		t.Fatal(issues)
	}
	return New(d)
}

var tripEnv = value.Env{Now: time.Date(2026, 3, 5, 12, 0, 0, 0, time.UTC), Zone: time.UTC}

func empty() Conversation {
	return Conversation{Scenario: func(int) *engine.Scenario { return nil }, Origin: func(int) int { return 0 }}
}

// after is the conversation that a prompt leads to.
func after(t testing.TB, v *Vocabulary, prompt string) Conversation {
	t.Helper()
	h := holding{vocabulary: v, env: tripEnv, origin: map[int]int{}, scenarios: map[int]*engine.Scenario{}}
	if o := h.turn(Turn{Prompt: prompt}); h.current != 1 {
		t.Fatalf("%q: %s", prompt, o.Got)
	}
	return Conversation{
		Current: 1, Last: 1, Focus: 1,
		Scenario: func(i int) *engine.Scenario { return h.scenarios[i] },
		Origin:   func(int) int { return 0 },
	}
}

// FuzzInterpret holds what is true of every reading: variables stand once, the target is not given,
// values are read back as the same, and an error names a code of the table.
func FuzzInterpret(f *testing.F) {
	v := trip(f)
	for _, seed := range []string{
		"how long for 150 miles at 60 mph?", "what does it cost to drive 300 miles at 28 mpg and $3.50 a gallon",
		"we leave at 8:15, 200 miles, 55 mph, when do we get there?", "10 mph faster", "undo", "show me the first one", "in hours please",
		"split between four people, 120 miles", "5 to 10 miles", "a\x00b", "½ of ¾", strings.Repeat("cost of the fuel ", 60), strings.Repeat("12 ", 200),
		strings.Repeat("0 miles and ", 40), "what's the price of the price of the price", "20% more", "double the distance", "half as fast", "no toll", "raise the price by 50 cents", "10 mph faster than that", "1e999 miles", "-5 people",
	} {
		f.Add(seed)
	}
	conversations := []Conversation{after(f, v, "how long for 150 miles at 60 mph in minutes?"), after(f, v, "fuel cost for 300 miles at 28 mpg and $3.50 a gallon for 3 people")}
	f.Fuzz(func(t *testing.T, prompt string) {
		for _, held := range conversations {
			v.Interpret(prompt, held, tripEnv)
		}
		r, trace, errs := v.Interpret(prompt, empty(), tripEnv)
		if trace == nil || trace.String() == "" {
			t.Fatal("no trace")
		}
		if len(errs) > 0 {
			if errs[0].Filled() == "" {
				t.Fatalf("empty error for %q", prompt)
			}
			return
		}
		seen := map[int]bool{}
		for _, in := range r.Inputs {
			if seen[in.Variable] {
				t.Fatalf("%q: variable %d twice", prompt, in.Variable)
			}
			seen[in.Variable] = true
			value, _, errs := input.ParseValue(&v.domain.Scope, in.Variable, in.Normal, tripEnv)
			if len(errs) > 0 || !value.Equal(in.Value) {
				t.Fatalf("%q: %v is not read back", prompt, in.Normal)
			}
		}
		for _, target := range r.Targets {
			if seen[target.Variable] && !OnlyNotes(v.domain, r) {
				t.Fatalf("%q: a target is given, or asked twice", prompt)
			}
			seen[target.Variable] = true
		}
	})
}

func BenchmarkInterpret(b *testing.B) {
	v := trip(b)
	for _, c := range []struct{ name, prompt string }{
		{"short", "how long for 150 miles at 60 mph?"},
		{"long", "Hi, we are planning a weekend by the sea with four people in the car, it is 260 miles there, the car does 42 miles to the gallon and petrol is $4.10 a gallon at the moment. What is each person's share of the fuel?"},
		{"hostile", strings.Repeat("cost of fuel 12 miles ", 80)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				v.Interpret(c.prompt, empty(), tripEnv)
			}
		})
	}
}

// TestDoubtWithoutReadings reads prompts whose amounts have no reading, or may state nothing at
// all.
func TestDoubtWithoutReadings(t *testing.T) {
	v := trip(t)
	for _, c := range []struct{ prompt, want string }{
		{"time for 8-10 increase cut miles at 60 mph", `It could mean: "8-10" is a range or a choice, not one value.`},
		{"a mile there an hour", "The request was not understood: a mile there an hour."},
	} {
		if _, _, errs := v.Interpret(c.prompt, empty(), tripEnv); len(errs) == 0 || errs[0].Filled() != c.want {
			t.Errorf("%q: %v, want %s", c.prompt, errs, c.want)
		}
	}
}

// Tables stand in prose as structured text has them, and belong to variables that take tables.
func TestTablesInProse(t *testing.T) {
	d, issues := engine.Compile(engine.Definition{
		Title: "Investment", Description: "The return of payments on dates.",
		Variables: []value.Variable{
			{Key: "flows", Title: "Payments", Kind: "table"},
			{Key: "return", Title: "Yearly return", Kind: "percent"},
			{Key: "scale", Title: "Scale"},
			{Key: "scaled", Title: "Scaled return", Kind: "percent"},
		},
		Activities: []engine.Activity{
			{Title: "Return", Equation: "return = xirr(column(flows, 2), column(flows, 1))"},
			{Title: "Scaled", Equation: "scaled = return * scale"},
		},
	})
	if d == nil {
		t.Fatal(issues)
	}
	v := New(d)
	for prompt, want := range map[string]string{
		"what is the yearly return for flows = [[2025-01-01, -1000], [2026-01-01, 1100]]?":        `flows: [["2025-01-01","-1000"],["2026-01-01","1100"]]; return`,
		"Payments of [[1 Jan 2025, -1000 EUR], [2026-01-01, 1100 EUR]]. What is the return?":      `flows: [["2025-01-01","-1000 EUR"],["2026-01-01","1100 EUR"]]; return`,
		"scaled return with a scale of 3 if payments are [[2025-01-01, -1], [2026-01-01, 2 EUR]]": `scale: "3"; flows: [["2025-01-01","-1"],["2026-01-01","2 EUR"]]; scaled`,
		"what is the return for payments [[2025-02-30, -1000], [2026-01-01, 1100]]":               "language.not_understood",
		"what is the return for payments [[2025-02-03, -1000], [2026-01-01]]":                     "language.not_understood",
		"what is the return for payments [[2025-02-03, -1000], [2026-01-01, 1":                    "language.not_understood",
	} {
		request, trace, errs := v.Interpret(prompt, empty(), tripEnv)
		got := ""
		for _, in := range request.Inputs {
			text, err := in.Normal.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			got += d.Variables[in.Variable].Key + ": " + string(text) + "; "
		}
		switch {
		case len(errs) > 0:
			got = errs[0].Code
		case len(request.Targets) > 0:
			got += d.Variables[request.Targets[0].Variable].Key
		}
		if got != want {
			t.Errorf("%s: %s, want %s\n%s", prompt, got, want, trace.String())
		}
	}
}
