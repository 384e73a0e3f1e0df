package prompt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"reckon/engine"
	"reckon/engine/input"
	"reckon/engine/value"
)

const schemaURL = "https://reckon.example/schemas/prompt.schema.json"

// schemas compiles the schema of JSON prompts and that of parsed_json.
func schemas(tb testing.TB) (prompt, parsed *jsonschema.Schema) {
	tb.Helper()
	data, err := os.ReadFile("../../schemas/prompt.schema.json")
	if err != nil {
		tb.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		tb.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(schemaURL, document); err != nil {
		tb.Fatal(err)
	}
	return c.MustCompile(schemaURL), c.MustCompile(schemaURL + "#/$defs/parsed_json")
}

func validate(schema *jsonschema.Schema, text string) error {
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// same compares two requests by meaning.
func same(a, b engine.Request) error {
	if a.Selector.String() != b.Selector.String() {
		return fmt.Errorf("scenario %q is not %q", a.Selector, b.Selector)
	}
	if len(a.Inputs) != len(b.Inputs) {
		return fmt.Errorf("%d inputs are not %d", len(a.Inputs), len(b.Inputs))
	}
	for i, x := range a.Inputs {
		y := b.Inputs[i]
		if x.Variable != y.Variable || x.Cleared != y.Cleared || x.Value.Rank != y.Value.Rank ||
			!x.Cleared && !x.Value.Equal(y.Value) {
			return fmt.Errorf("input %d: %s is not %s", i, inline(x.Value.Text()), inline(y.Value.Text()))
		}
	}
	if a.Everything != b.Everything || len(a.Targets) != len(b.Targets) {
		return errors.New("one has other targets")
	}
	for i, x := range a.Targets {
		if y := b.Targets[i]; x.Variable != y.Variable || (x.Unit == nil) != (y.Unit == nil) || x.Unit != nil && x.Unit.Symbol() != y.Unit.Symbol() {
			return errors.New("the targets differ")
		}
	}
	return nil
}

// scalars are values that each variable of the test domain takes, as people write them.
var scalars = map[string][]string{
	"distance":    {"5 km", "1,200 ft", "3/4 mi", "5 ft 11 in", "(2 + 3) km", "7", "1e-9 m", "1_000_000 km"},
	"speed":       {"60 mi/h", "100 km/h", "30", "1/3 m/s"},
	"time":        {"2 h 30 min", "90 min", "1.5", "2.25 d"},
	"speed_shown": {"100", "1/3 km/h"},
	"tolls":       {"$20", "20 USD", "1,234.56", "USD 3"},
	"tax":         {"6%", "0.06", "12.5 %"},
	"total":       {"0", "-5 USD"},
	"day":         {"2026-03-05", "today", "5 March 2026", "0 s"},
	"leaving":     {"14:07", "2:07 pm", "14:07:09"},
	"wait":        {"90 min", "1:30", "45 s", "1 h 5 min"},
	"torque":      {"5 N·m", "3 ft·lbf"},
	"parts":       {"3 widget", "4"},
	"count":       {"5", "1 1/2", "½"},
}

var targetUnits = map[string][]string{
	"distance": {"", "mi", "in", "ft"}, "speed": {"", "km/h", "m/s"}, "time": {"", "min"}, "tax": {"", "%"},
	"parts": {"", "widget"}, "total": {"", "USD"}, "torque": {"ft·lbf"}, "count": {"", "1"},
}

// statement is what a generated prompt says of one variable.
type statement struct {
	key  string
	text value.Text
}

func drawStatements(t *rapid.T) []statement {
	keys := rapid.SliceOfNDistinct(rapid.SampledFrom(append(sortedKeys(scalars), "prices", "costs")), 0, 6, rapid.ID[string]).Draw(t, "keys")
	var all []statement
	for _, key := range keys {
		text := value.Scalar("")
		switch {
		case rapid.IntRange(0, 9).Draw(t, "cleared") == 0:
		case key == "prices":
			cells := rapid.SliceOfN(rapid.SampledFrom([]string{"1 USD", "", "2.50", "1,000 USD", "(1 + 2) USD"}), 1, 20).Draw(t, "cells")
			text = value.Text{Rank: 1}
			for _, c := range cells {
				text.Cells = append(text.Cells, []string{c})
			}
		case key == "costs":
			width := rapid.IntRange(1, 3).Draw(t, "width")
			text = value.Text{Rank: 2}
			for range rapid.IntRange(1, 4).Draw(t, "height") {
				text.Cells = append(text.Cells, rapid.SliceOfN(rapid.SampledFrom([]string{"1", "", "2 m", "3/8 h", "6%"}), width, width).Draw(t, "row"))
			}
		default:
			text = value.Scalar(rapid.SampledFrom(scalars[key]).Draw(t, "value"))
		}
		all = append(all, statement{key, text})
	}
	return all
}

func sortedKeys(m map[string][]string) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// drawPrompts writes the same statements as structured text and as a JSON prompt.
func drawPrompts(t *rapid.T) (structured, jsonPrompt string) {
	var b strings.Builder
	object := map[string]any{}
	inputs := []any{}
	for _, s := range drawStatements(t) {
		inputs = append(inputs, map[string]any{"key": s.key, "value": s.text})
		name := s.key
		if rapid.Bool().Draw(t, "quoted") {
			name = `"` + s.key + `"`
		}
		quoted := s.text
		quoted.Cells = nil
		for _, row := range s.text.Cells {
			cells := slices.Clone(row)
			for i, c := range cells {
				if s.text.Rank > 0 && strings.Contains(c, ",") {
					cells[i] = `"` + c + `"`
				}
			}
			quoted.Cells = append(quoted.Cells, cells)
		}
		if fitsRows(s.text) && rapid.Bool().Draw(t, "rows") {
			w := writer{}
			w.rows(quoted, nil)
			fmt.Fprintf(&b, "%s: # a table\n\n%s", name, w.text.String())
		} else {
			fmt.Fprintf(&b, "%s: %s # text\n", name, inline(quoted))
		}
	}
	object["inputs"] = inputs
	if keys := rapid.SliceOfNDistinct(rapid.SampledFrom(sortedKeys(targetUnits)), 0, 3, rapid.ID[string]).Draw(t, "targets"); len(keys) > 0 {
		var asked []any
		between := "calculate: "
		for _, key := range keys {
			unit := rapid.SampledFrom(targetUnits[key]).Draw(t, "unit")
			asked = append(asked, map[string]any{"key": key, "unit": unit})
			b.WriteString(between + `"` + key + `"`)
			if unit != "" {
				b.WriteString(rapid.SampledFrom([]string{" in ", " to ", "  as ", "->", " -> "}).Draw(t, "separator") + unit)
			}
			between = rapid.SampledFrom([]string{", ", ",", " , ", "\ncalculate: "}).Draw(t, "between")
		}
		b.WriteByte('\n')
		object["calculate"] = asked
		if first := asked[0].(map[string]any); rapid.Bool().Draw(t, "also") {
			if object["calculate"] = first; len(asked) > 1 {
				first["also"] = asked[1:]
			}
		}
	} else if rapid.Bool().Draw(t, "everything") {
		object["calculate"] = map[string]any{"key": "Everything"}
		b.WriteString("calculate: everything\n")
	}
	if selector := rapid.SampledFrom([]string{"", "new", "current", "last", "7", "new from 2"}).Draw(t, "selector"); selector != "" {
		object["scenario"] = selector
		fmt.Fprintf(&b, "scenario: %s\n", selector)
	}
	data, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), string(data)
}

// TestFormatsAgree says that a prompt means the same as structured text and as JSON, and is
// detected as what it is.
func TestFormatsAgree(t *testing.T) {
	d := testDomain(t)
	schema, _ := schemas(t)
	rapid.Check(t, func(t *rapid.T) {
		structured, jsonPrompt := drawPrompts(t)
		a, problemsA := ParseStructured(d, structured, testEnv)
		b, problemsB := ParseJSON(d, jsonPrompt, testEnv)
		var codesA, codesB []string
		for _, p := range problemsA {
			codesA = append(codesA, p.Code)
		}
		for _, p := range problemsB {
			codesB = append(codesB, p.Code)
		}
		slices.Sort(codesA)
		slices.Sort(codesB)
		if !slices.Equal(codesA, codesB) || slices.ContainsFunc(codesA, func(c string) bool { return c != "input.target_has_value" }) {
			t.Fatalf("%s\n%s\n%v\n%v", structured, jsonPrompt, problemsA, problemsB)
		}
		if err := same(a, b); err != nil {
			t.Fatalf("%s\n%s\n%v", structured, jsonPrompt, err)
		}
		if err := validate(schema, jsonPrompt); err != nil {
			t.Fatalf("%s: %v", jsonPrompt, err)
		}
		if format, err := Detect(d, jsonPrompt); format != JSON || err != nil {
			t.Fatalf("%s is %s, %v", jsonPrompt, format, err)
		}
		reserved := strings.Contains(structured, "calculate:") || strings.Contains(structured, "scenario:")
		if format, err := Detect(d, structured); format != Structured && (reserved || len(a.Inputs) > 0) || err != nil {
			t.Fatalf("%s is %s, %v", structured, format, err)
		}
	})
}

// resultOf is a result in which a request's inputs are as given and its target has a value, if any.
func resultOf(t *rapid.T, d *engine.Domain, req engine.Request) engine.Result {
	res := engine.Result{Action: "new", Current: 1, Calculated: -1, Selector: req.Selector}
	switch req.Selector.Kind {
	case engine.Numbered, engine.NewFrom:
	default:
		res.Selector = engine.Selector{Kind: engine.New}
	}
	if len(req.Targets) > 0 {
		res.Calculated, res.Unit, res.Also = req.Targets[0].Variable, req.Targets[0].Unit, req.Targets[1:]
	}
	if res.Everything = req.Everything; res.Everything {
		res.Calculated = 0
	}
	for _, in := range req.Inputs {
		if in.Cleared {
			res.Cleared = append(res.Cleared, in.Variable)
			continue
		}
		v := engine.ResultValue{Stated: rapid.Bool().Draw(t, "stated")}
		v.Variable, v.Value, v.Source = in.Variable, in.Value, engine.UserInput
		if !v.Stated && rapid.Bool().Draw(t, "remembered") {
			v.Source, v.Historical = engine.Calculated, true
		}
		res.Values = append(res.Values, v)
	}
	stated := func(variable int) bool {
		return slices.ContainsFunc(req.Inputs, func(in engine.Given) bool { return in.Variable == variable })
	}
	for i := range d.Variables {
		value, _, problems := input.ParseValue(&d.Scope, i, value.Scalar("1"), testEnv)
		if stated(i) || len(problems) > 0 || rapid.IntRange(0, 3).Draw(t, "other") > 0 && i != res.Calculated {
			continue
		}
		v := engine.ResultValue{}
		v.Variable, v.Value, v.Source = i, value, engine.Calculated
		if i != res.Calculated && rapid.Bool().Draw(t, "default") {
			v.Source = engine.DefaultValue
		}
		res.Values = append(res.Values, v)
	}
	return res
}

// TestTextRoundTrip says that the structured text of a result states what the result rests on, and
// nothing else.
func TestTextRoundTrip(t *testing.T) {
	d := testDomain(t)
	rapid.Check(t, func(t *rapid.T) {
		_, jsonPrompt := drawPrompts(t)
		req, problems := ParseJSON(d, jsonPrompt, testEnv)
		if len(problems) > 0 {
			return
		}
		slices.SortStableFunc(req.Inputs, func(a, b engine.Given) int {
			switch {
			case a.Cleared == b.Cleared:
				return 0
			case a.Cleared:
				return 1
			}
			return -1
		})
		res := resultOf(t, d, req)
		req.Selector = res.Selector
		if res.Calculated < 0 {
			req.Inputs = nil
		}
		text := Text(d, res)
		again, problems := ParseStructured(d, text, testEnv)
		if len(problems) > 0 {
			t.Fatalf("%s\n%v", text, problems)
		}
		if err := same(req, again); err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
		if format, err := Detect(d, text); format != Structured || err != nil {
			t.Fatalf("%s is %s, %v", text, format, err)
		}
	})
}

// TestNormalRoundTrip says that parsed_json matches its schema, means the same as the request, and
// stays as it is when it is posted.
func TestNormalRoundTrip(t *testing.T) {
	d := testDomain(t)
	promptSchema, parsedSchema := schemas(t)
	rapid.Check(t, func(t *rapid.T) {
		_, jsonPrompt := drawPrompts(t)
		req, problems := ParseJSON(d, jsonPrompt, testEnv)
		if len(problems) > 0 {
			return
		}
		res := resultOf(t, d, req)
		req.Selector = res.Selector
		first := marshal(t, Normal(d, req, res))
		for _, schema := range []*jsonschema.Schema{promptSchema, parsedSchema} {
			if err := validate(schema, first); err != nil {
				t.Fatalf("%s: %v", first, err)
			}
		}
		again, problems := ParseJSON(d, first, testEnv)
		if len(problems) > 0 {
			t.Fatalf("%s: %v", first, problems)
		}
		if err := same(req, again); err != nil {
			t.Fatalf("%s\n%s\n%v", jsonPrompt, first, err)
		}
		if second := marshal(t, Normal(d, again, res)); second != first {
			t.Fatalf("%s\n%s", first, second)
		}
	})
}

func marshal(t *rapid.T, v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestSchema says that ParseJSON and the JSON Schema accept the same prompts. Member names stand
// once in each object here, since a schema cannot see repetitions.
func TestSchema(t *testing.T) {
	d := testDomain(t)
	schema, _ := schemas(t)
	rapid.Check(t, func(t *rapid.T) {
		text := marshal(t, drawPrompt(t))
		_, problems := ParseJSON(d, text, testEnv)
		refused := slices.ContainsFunc(problems, func(p value.Error) bool { return p.Code == "input.invalid_input_schema" })
		if err := validate(schema, text); refused != (err != nil) {
			t.Fatalf("%s\nschema: %v\nproblems: %v", text, err, problems)
		}
	})
}

// drawPrompt is a JSON value that often is a prompt.
func drawPrompt(t *rapid.T) any {
	mostly := func(right func() any) any {
		if rapid.IntRange(0, 11).Draw(t, "wrong") > 0 {
			return right()
		}
		return rapid.SampledFrom([]any{nil, true, 5, 2, "", "x", []any{}, []any{"x", 5}, []any{[]any{}}, map[string]any{},
			map[string]any{"key": "time", "value": []any{nil}}}).Draw(t, "other")
	}
	text := func() any { return rapid.SampledFrom([]any{"speed", "5 km/h", "", "new", "2"}).Draw(t, "text") }
	array := func(element func() any) any {
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			list = append(list, mostly(element))
		}
		return list
	}
	object := func(members map[string]func() any) any {
		m := map[string]any{}
		names := []string{}
		for name := range members {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			if rapid.IntRange(0, 5).Draw(t, "left out") > 0 {
				m[name] = mostly(members[name])
			}
		}
		if rapid.IntRange(0, 15).Draw(t, "extra") == 0 {
			m["Key"] = 5
		}
		return m
	}
	value := func() any {
		switch rapid.IntRange(0, 2).Draw(t, "rank") {
		case 0:
			return text()
		case 1:
			return array(text)
		}
		return array(func() any { return array(text) })
	}
	return mostly(func() any {
		return object(map[string]func() any{
			"inputs": func() any {
				return array(func() any { return object(map[string]func() any{"key": text, "value": value}) })
			},
			"calculate": func() any {
				asked := func() any { return object(map[string]func() any{"key": text, "unit": text}) }
				return mostly(func() any {
					if rapid.Bool().Draw(t, "several") {
						return array(asked)
					}
					return object(map[string]func() any{"key": text, "unit": text, "also": func() any { return array(asked) }})
				})
			},
			"scenario": text,
			"version":  func() any { return 2 },
		})
	})
}
