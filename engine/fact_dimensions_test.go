package engine

import "testing"

// TestFactDimensions derives by one plan from facts of changing dimensions.
func TestFactDimensions(t *testing.T) {
	d := compiledGraph(t, []string{"c = a * b", "f = c + g"})
	for _, step := range []struct {
		a, b, g, want string
	}{
		{"60 mi/h", "2.5 h", "1 mi", "151 mi"},
		{"60 mi/h", "2.5 h", "1 km", "242.4016 km"},
		{"2", "3", "4", "10"},
		{"60 mi/h", "2.5 h", "1 kg", "input.incompatible_units"},
		{"60 mi/h", "2.5 h", "1 mi", "151 mi"},
		{"2 kg", "3", "1 kg", "7 kg"},
		{"2", "3 kg", "1 kg", "7 kg"},
	} {
		solution, errs := d.Derive(testEnv, stated(t, d, Stated, "a", step.a, "b", step.b, "g", step.g), d.Index("f"), nil, nil)
		got := plain(solution.Value.Text())
		if len(errs) > 0 {
			got = errs[0].Code
		}
		if got != step.want {
			t.Errorf("%s × %s + %s: got %s, want %s", step.a, step.b, step.g, got, step.want)
		}
	}
}
