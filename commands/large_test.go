package commands

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/projections"
)

// TestLargeModels answers models of thousands of equations with all their values, also with what
// was left out of the question, and says where results are too heavy for an event.
func TestLargeModels(t *testing.T) {
	model := func(months int) *Domain {
		var def events.Definition
		def.Title, def.Description = "Savings", "By month."
		add := func(key, equation string) {
			def.Variables = append(def.Variables, events.Variable{Key: key, Title: key})
			if equation != "" {
				def.Activities = append(def.Activities, events.Activity{Title: key, Equation: equation})
			}
		}
		add("b_0", "")
		add("rate", "")
		add("paid", "")
		for m := 1; m <= months; m++ {
			add(fmt.Sprintf("i_%d", m), fmt.Sprintf("i_%d = b_%d * rate", m, m-1))
			add(fmt.Sprintf("b_%d", m), fmt.Sprintf("b_%d = b_%d + i_%d + paid", m, m-1, m))
		}
		d, issues := CheckFile(def)
		if d == nil {
			t.Fatal(issues)
		}
		d.Key, d.Version, d.ID = "dm_00000000", 1, uuid.NewSHA1(names, []byte("savings"))
		return d
	}
	say := func(r *DryRun, prompt string) projections.Message {
		m, err := r.Say(prompt, "structured", "UTC", time.Unix(0, 0))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	r := model(1000).DryRun()
	m := say(r, "b_0: 1000\nrate: 0\npaid: 2\ncalculate: b_1000")
	if m.Completed == nil || len(m.Completed.Results.Variables) != 2003 || len(m.Completed.Results.Activities) != 2000 {
		t.Fatalf("2,000 equations: %+v", m.Failed)
	}
	if m = say(r, "b_1000: 5000\npaid:\ncalculate: paid"); m.Completed == nil {
		t.Fatalf("2,000 equations, turned round: %+v", m.Failed)
	}
	m = say(model(4900).DryRun(), "b_0: 1000\nrate: 0\npaid: 2\ncalculate: b_4900")
	if m.Completed == nil || len(m.Completed.Results.Variables) != 9803 {
		t.Errorf("9,800 equations: %+v", m.Failed)
	}
}

// TestLargeTables answers with tables of 100,000 cells, and says where they are too heavy for an
// event: digits that nothing is known of take almost half a byte each, however they are kept.
func TestLargeTables(t *testing.T) {
	def := events.Definition{
		Title: "Tables", Description: "Two columns.",
		Variables: []events.Variable{
			{Key: "n", Title: "Rows"}, {Key: "squares", Title: "Squares", Kind: "table"}, {Key: "roots", Title: "Roots", Kind: "table"},
			{Key: "both", Title: "Both", Kind: "table"}, {Key: "fit", Title: "Fit"},
		},
		Activities: []events.Activity{
			{Title: "Squares", Equation: "squares = each(i, 1, n, i^2)"},
			{Title: "Roots", Equation: "roots = each(i, 1, n, sqrt(i))"},
			{Title: "Both", Equation: "both = table(squares, each(i, 1, n, i))"},
			{Title: "Fit", Equation: "fit = r_squared(squares, each(i, 1, n, i))"},
		},
	}
	d, issues := CheckFile(def)
	if d == nil {
		t.Fatal(issues)
	}
	d.Key, d.Version, d.ID = "dm_00000000", 1, uuid.NewSHA1(names, []byte("tables"))
	for _, c := range []struct{ prompt, refused string }{
		{"n: 100000\ncalculate: squares", ""},
		{"n: 50000\ncalculate: both", ""},
		{"n: 50000\ncalculate: fit", ""},
		{"n: 50000\ncalculate: roots", ""},
		{"n: 100001\ncalculate: squares", "calculation.limit_exceeded"},
		{"n: 50001\ncalculate: both", "calculation.limit_exceeded"},
	} {
		m, err := d.DryRun().Say(c.prompt, "structured", "UTC", time.Unix(0, 0))
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case c.refused == "" && m.Completed == nil:
			t.Errorf("%s: %s", c.prompt, m.Failed.Errors)
		case c.refused != "" && (m.Failed == nil || !strings.Contains(string(m.Failed.Errors), c.refused)):
			t.Errorf("%s is answered", c.prompt)
		}
	}
}
