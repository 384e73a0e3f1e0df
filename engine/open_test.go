package engine

import (
	"slices"
	"testing"
)

// TestOpenVariables says that what equations leave open has no value: not where something else is
// asked for, and not for what rests on it.
func TestOpenVariables(t *testing.T) {
	d := declared(t, "var a", "var b", "var c", "var f", "var g",
		"eq a + b = 4", "eq a - b = 0 * c", "eq c * ln(a / b) = a - b", "eq g = 2 * a", "eq f = c + 1")()
	for question, want := range map[string][]string{
		"-> a": {"b", "a"}, "-> g": {"a", "b", "g"}, "-> f": nil, "-> c": nil, "c 3 -> f": {"f"},
	} {
		s, errs := ask(d, question)
		var found []string
		for _, step := range s.Steps {
			found = append(found, d.Variables[step.Variable].Key)
		}
		if !slices.Equal(found, want) || (want == nil) != (len(errs) > 0) {
			t.Errorf("%s: found %v %v, want %v", question, found, errs, want)
		}
	}
}
