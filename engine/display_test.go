package engine

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"reckon/engine/format"
	"reckon/engine/input"
	"reckon/engine/value"
)

// TestDisplays shows values of the variable in the heading. "asked" in front of a value means that
// its unit was asked for.
func TestDisplays(t *testing.T) {
	env := textEnv(t)
	runText(t, "display_results.txt", func(t *testing.T, heading, input string) string {
		d := textDomain(t, textVariable(t, heading))
		format.CheckDisplay(d.Variables[0], func(path, message string) { t.Errorf("%s: %s: %s", heading, path, message) })
		input, asked := strings.CutPrefix(input, "asked ")
		v := plainValue(t, d, textOf(t, input), env)
		data := d.Display(0, v, asked)
		if !json.Valid(data) {
			t.Errorf("%s is no JSON", data)
		}
		if again := d.Display(0, v, asked); string(again) != string(data) {
			t.Errorf("shown differently the second time: %s, then %s", data, again)
		}
		return string(data)
	})
}

// plainValue reads cells in the units that they are written in, whatever the variable says.
func plainValue(t *testing.T, d *Domain, text value.Text, env value.Env) value.Value {
	t.Helper()
	kind := ""
	if text.Rank > 0 {
		kind = "table"
	}
	plain := &value.Scope{Declared: []value.Variable{{Key: "x", Kind: kind}}, Profiles: make([]value.Profile, 1), Table: d.Table}
	v, _, errs := input.ParseValue(plain, 0, text, env)
	if len(errs) > 0 {
		t.Fatalf("%s: %v", lineOf(text), errs)
	}
	return v
}

func TestChartScales(t *testing.T) {
	env := textEnv(t)
	runText(t, "display_scales.txt", func(t *testing.T, heading, input string) string {
		d := textDomain(t, textVariable(t, heading))
		s := d.ChartScale(0, plainValue(t, d, textOf(t, input), env))
		switch {
		case s.Incompatible:
			if s.Scale != nil || s.Unit != "" {
				t.Errorf("%s is scaled and incompatible", input)
			}
			return "incompatible: " + strings.Join(s.Types, ", ")
		case s.Scale != nil:
			if !json.Valid(s.Scale) {
				t.Errorf("%s is no JSON", s.Scale)
			}
			return string(s.Scale) + " " + s.Unit
		}
		return "none"
	})
}

// TestDisplayIssues has variables as inputs.
func TestDisplayIssues(t *testing.T) {
	runText(t, "display_issues.txt", func(t *testing.T, _, input string) string {
		d := textDomain(t, textVariable(t, input))
		var lines []string
		format.CheckDisplay(d.Variables[0], func(path, message string) { lines = append(lines, path+": "+message) })
		d.Display(0, value.Value{}, false)
		d.Display(0, value.Value{}, true)
		d.ChartScale(0, value.Value{})
		if len(lines) > 0 {
			return strings.Join(lines, "\n")
		}
		return "fine"
	})
}

// TestFormats names what the tables of kinds miss.
func TestFormats(t *testing.T) {
	for _, f := range format.Formatted {
		if f.Structure == "number" && len(f.Formats) == 0 {
			t.Errorf("kind %s has no format", f.Kind)
		}
		seen := map[string]bool{}
		for _, format := range f.Formats {
			if seen[format] {
				t.Errorf("kind %s has the format %s twice", f.Kind, format)
			}
			seen[format] = true
		}
		if !slices.Contains([]string{"number", "table", "bar_chart", "pie_chart"}, f.Structure) {
			t.Errorf("kind %s has the structure %s", f.Kind, f.Structure)
		}
	}
}
