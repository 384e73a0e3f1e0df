package engine

import (
	"encoding/json"
	"os"
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

func TestRenderText(t *testing.T) {
	for _, c := range []struct{ value, display, want string }{
		{"1234.5 USD", `{"data_type":"number","kind":"number","format":"decimals_2"}`, "1,234.50 USD"},
		{"9000 s", `{"data_type":"number","kind":"duration","format":null}`, "2:30:00"},
		{"", `{"data_type":"number","kind":"percent","format":"decimals_0"}`, ""},
		{`["0.25","","0.75"]`, `{"data_type":"pie_chart","kind":"percent","format":"decimals_0","slices":{}}`, `["25%","","75%"]`},
		{
			`[["0 s","0.5","1234"],["86400 s","","-1"]]`,
			`{"data_type":"table","start_row_index":1,"columns":[{"name":"a","kind":"date","format":"date_iso"},{"name":"b","kind":"percent","format":null}],"rows":{}}`,
			`[["1970-01-01","50%","1,234"],["1970-01-02","","-1"]]`,
		},
		{
			`[["2026","2027"],["1500 EUR","2500 EUR"]]`,
			`{"data_type":"bar_chart","series_by":"rows","stacked":false,"x_axis":{},"labels":{"source":"first_series"},"series":[{"name":"a","kind":"no_separator","format":null},{"name":"b","kind":"number","format":"decimals_0"}]}`,
			`[["2026","2027"],["1,500 EUR","2,500 EUR"]]`,
		},
		{
			`["1500","2500"]`,
			`{"data_type":"bar_chart","series_by":"columns","series":[{"name":"a","kind":"number","format":"decimals_1"}]}`,
			`["1,500.0","2,500.0"]`,
		},
	} {
		text, err := format.RenderText(textOf(t, c.value), json.RawMessage(c.display))
		if got := lineOf(text); err != nil || got != c.want {
			t.Errorf("%s as %s: %s, %v", c.value, c.display, got, err)
		}
	}
	for _, c := range []struct{ value, display string }{
		{"1", `[]`}, {"1", ``}, {"1", `{"kind":"table"}`}, {"one", `{"kind":"number"}`},
	} {
		if text, err := format.RenderText(value.Scalar(c.value), json.RawMessage(c.display)); err == nil {
			t.Errorf("%s as %s: %s", c.value, c.display, lineOf(text))
		}
	}
}

// TestRenderedDisplays holds that what the engine makes of a value can be rendered, in each kind
// and format that has a case in testdata/formats.txt.
func TestRenderedDisplays(t *testing.T) {
	cases, err := os.ReadFile("testdata/formats.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(cases)) {
		columns := strings.Split(line, "|")
		if len(columns) != 4 || line[0] == '#' {
			continue
		}
		kind, layout := strings.TrimSpace(columns[1]), strings.TrimSpace(columns[2])
		d := textDomain(t, value.Variable{Key: "x", Kind: kind, Format: layout})
		v := plainValue(t, d, value.Scalar("90000 s"), value.Env{})
		text, err := format.RenderText(v.Text(), d.Display(0, v, false))
		want, wantErr := format.Render("90000 s", kind, layout)
		if err != nil || wantErr != nil || lineOf(text) != want {
			t.Errorf("%s %s: %s, %v, not %s, %v", kind, layout, lineOf(text), err, want, wantErr)
		}
	}
}
