package http

import (
	"testing"
	"time"

	"reckon/commands"
	"reckon/events"
)

// TestExplanationConforms holds explanations of every kind of step to their schema.
func TestExplanationConforms(t *testing.T) {
	def := events.Definition{
		Title: "Kinds of steps", Description: "One of each.",
		Variables: []events.Variable{
			{Key: "a", Title: "A", Kind: "number", DefaultValue: []byte(`"2"`)}, {Key: "b", Title: "B", Kind: "number"},
			{Key: "c", Title: "C", Kind: "number"}, {Key: "root", Title: "Root", Kind: "number"},
			{Key: "u", Title: "U", Kind: "number"}, {Key: "v", Title: "V", Kind: "number", Hidden: true},
			{Key: "list", Title: "List", Kind: "table"}, {Key: "pick", Title: "Pick", Kind: "number", Choices: []events.Choice{{Label: "low", Value: "1"}, {Label: "high", Value: "2"}}},
			{Key: "fee", Title: "Fee", Kind: "number"},
		},
		Activities: []events.Activity{
			{Title: "Isolated", Equation: "a = b + 1", State: "active"},
			{Title: "Collected", Equation: "c * c - 5 * c + 6 = b - 1", State: "active"},
			{Title: "Searched", Equation: "root + exp(root) = a * 5", State: "active"},
			{Title: "One", Equation: "u + v = a + 5", State: "active"}, {Title: "Other", Equation: "u - v = b", State: "active"},
			{Title: "Table", Equation: "list = each(i, 1, 20, i * a)", State: "active"},
			{Title: "Tried", Equation: `fee = if(pick == "high", 20, 10)`, State: "active"},
		},
		Constraints: []events.Constraint{{Condition: "b <= 10", Message: "B is small."}},
	}
	d, issues := commands.CompileFile(def)
	if d == nil {
		t.Fatal(issues)
	}
	methods := map[string]bool{}
	for _, prompt := range []string{"fee: 20\ncalculate: everything", "calculate: c, root, u, list", "fee: 20\ncalculate: pick", "c: 7", "calculate: nothing", "b: 5\nc: 9\nroot: 3\ncalculate: fee"} {
		m, err := d.Offline(prompt, "structured", "UTC", time.Unix(0, 0))
		if err != nil {
			t.Fatal(err)
		}
		e := d.Kept(m).Explain()
		conforms(t, "Explanation", encode(e))
		for _, s := range e.Steps {
			methods[string(s.Method)] = true
		}
	}
	for _, method := range []string{"stated", "isolated", "collected", "searched", "tried", "linear"} {
		if !methods[method] {
			t.Errorf("no step was %s", method)
		}
	}
}
