package prompt

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"reckon/engine"
	"reckon/engine/value"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata")

// testDomain has one variable of each form that prompts treat apart.
func testDomain(tb testing.TB) *engine.Domain {
	tb.Helper()
	def := engine.Definition{
		Title: "Trips",
		Units: []string{"widget"},
		Variables: []value.Variable{
			{Key: "distance", Title: "Distance", Unit: "km"},
			{Key: "speed", Title: "Average speed", Unit: "mi/h"},
			{Key: "time", Title: "Travel time", Unit: "h"},
			{Key: "speed_shown", Title: "Speed in km/h", Unit: "km/h"},
			{Key: "tolls", Title: "Tolls", Unit: "USD", Default: value.Scalar("10 USD")},
			{Key: "tax", Title: "Tax rate", Kind: "percent"},
			{Key: "total", Title: "Total cost", Unit: "USD"},
			{Key: "day", Title: "Day", Kind: "date"},
			{Key: "leaving", Title: "Leaving at", Kind: "time"},
			{Key: "wait", Title: "Waiting", Kind: "duration"},
			{Key: "torque", Title: "Torque", Unit: "N·m"},
			{Key: "parts", Title: "Scenario", Unit: "widget"},
			{Key: "count", Title: "Item #: sum"},
			{Key: "prices", Title: "Prices", Kind: "table", Unit: "USD"},
			{Key: "costs", Title: "Costs", Kind: "table", Display: json.RawMessage(
				`{"table": {"columns": [{"name": "Year"}, {"name": "Yearly_cost"}]}}`)},
		},
		Activities: []engine.Activity{
			{Title: "Motion", Equation: "distance = speed * time"},
			{Title: "Cost", Equation: "total = tolls * (1 + tax)"},
		},
	}
	for i := range def.Variables {
		def.Variables[i].ID = fmt.Sprintf("00000000-0000-4000-8000-%012d", i)
	}
	for i := range def.Activities {
		def.Activities[i].ID = fmt.Sprintf("00000000-0000-4000-9000-%012d", i)
	}
	d, issues := engine.Compile(def)
	if d == nil {
		tb.Fatalf("compile the test domain: %v", issues)
	}
	return d
}

var testEnv = value.Env{Now: time.Date(2026, 3, 5, 14, 7, 9, 0, time.UTC), Zone: time.UTC}

// show writes a request, or its errors, in words.
func show(d *engine.Domain, req engine.Request, problems []value.Error) string {
	var b strings.Builder
	for _, p := range problems {
		message := p.Message
		for i, arg := range p.Args {
			message = strings.ReplaceAll(message, "%arg"+strconv.Itoa(i)+"%", arg)
		}
		at := ""
		if p.Offset != nil {
			at = fmt.Sprintf(" at %d", *p.Offset)
		}
		fmt.Fprintf(&b, "%s%s: %s\n", p.Code, at, message)
	}
	if len(problems) > 0 {
		return b.String()
	}
	if req.Selector.Kind != engine.Unselected {
		fmt.Fprintf(&b, "scenario %s\n", req.Selector)
	}
	for _, in := range req.Inputs {
		key := d.Variables[in.Variable].Key
		if in.Cleared {
			fmt.Fprintf(&b, "cleared %s\n", key)
			continue
		}
		fmt.Fprintf(&b, "given %s = %s", key, inline(in.Value.Text()))
		if normal := inline(in.Normal); normal != inline(in.Value.Text()) {
			fmt.Fprintf(&b, " (%s)", normal)
		}
		b.WriteByte('\n')
	}
	if req.Everything {
		b.WriteString("calculate everything\n")
	}
	for _, t := range req.Targets {
		fmt.Fprintf(&b, "calculate %s", d.Variables[t.Variable].Key)
		if t.Unit != nil {
			fmt.Fprintf(&b, " in %s", t.Unit)
		}
		b.WriteByte('\n')
	}
	if b.Len() == 0 {
		return "nothing\n"
	}
	return b.String()
}

// runCases runs the cases of a file: a line "== title", the prompt, a line "--", the expected
// output.
func runCases(t *testing.T, file string, output func(prompt string) string) {
	t.Helper()
	path := filepath.Join("testdata", file)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut("\n"+string(data), "\n== ")
	if !found {
		t.Fatalf("%s has no cases", path)
	}
	var written strings.Builder
	written.WriteString(strings.TrimPrefix(head+"\n", "\n"))
	for _, block := range strings.Split(rest, "\n== ") {
		title, body, _ := strings.Cut(strings.TrimRight(block, "\n")+"\n", "\n")
		prompt, want, _ := strings.Cut("\n"+body, "\n--\n")
		prompt = strings.TrimPrefix(prompt, "\n")
		got := output(prompt)
		fmt.Fprintf(&written, "== %s\n%s\n--\n%s\n", title, prompt, got)
		if !*update && got != want {
			t.Errorf("%s: %s\ngot:\n%swant:\n%s", path, title, got, want)
		}
	}
	if *update {
		if err := os.WriteFile(path, []byte(strings.TrimRight(written.String(), "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestStructured(t *testing.T) {
	d := testDomain(t)
	runCases(t, "structured.txt", func(prompt string) string {
		req, problems := ParseStructured(d, prompt, testEnv)
		return show(d, req, problems)
	})
}

func TestJSON(t *testing.T) {
	d := testDomain(t)
	runCases(t, "json.txt", func(prompt string) string {
		if !ValidJSON(prompt) {
			return "not valid JSON\n"
		}
		req, problems := ParseJSON(d, prompt, testEnv)
		return show(d, req, problems)
	})
}

func TestDetect(t *testing.T) {
	d := testDomain(t)
	runCases(t, "detect.txt", func(prompt string) string {
		format, err := Detect(d, prompt)
		if err != nil {
			return err.Error() + "\n"
		}
		return format + "\n"
	})
}

func isAmbiguous(problem *value.Error) bool { return problem.Code == "input.ambiguous_variable" }

// TestAmbiguous has a definition that Compile refuses: names that fit two variables are reported
// all the same.
func TestAmbiguous(t *testing.T) {
	d := &engine.Domain{Definition: engine.Definition{Variables: []value.Variable{{Key: "net", Title: "Cost"}, {Key: "gross", Title: "cost"}}}}
	const text = "COST: 5\ncalculate: cost\n"
	for _, text := range []string{text, "cost: 5\ncalculate: Cost -> USD", "Cost: 5\nCOST: ? in USD", "Cost: 5\ncalculate: cost in full"} {
		_, problems := ParseStructured(d, text, testEnv)
		if len(problems) != 2 || !isAmbiguous(&problems[0]) || !isAmbiguous(&problems[1]) {
			t.Errorf("%s: %v", text, problems)
		}
	}
	if format, err := Detect(d, "cost: 5"); format != Structured || err != nil {
		t.Errorf("an ambiguous name makes %s, %v", format, err)
	}
}

// TestLineEnds covers what the case files cannot hold.
func TestLineEnds(t *testing.T) {
	d := testDomain(t)
	want, _ := ParseStructured(d, "speed: 60 mi/h\ntime: 2 h\ncalculate: distance", testEnv)
	for _, text := range []string{
		"\uFEFFspeed: 60 mi/h\r\ntime: 2 h\r\ncalculate: distance\r\n",
		"\r\n\r\nspeed : 60 mi/h \r\n\ttime:\t2 h\t# why not\r\ncalculate:distance",
		"speed\u00A0:\u00A060 mi/h\u00A0# narrow\n\n\ntime: 2 h\ncalculate: \"distance\"",
	} {
		if format, err := Detect(d, text); format != Structured || err != nil {
			t.Errorf("%q is %s, %v", text, format, err)
		}
		got, problems := ParseStructured(d, text, testEnv)
		if len(problems) > 0 || show(d, got, nil) != show(d, want, nil) {
			t.Errorf("%q: %v\n%s", text, problems, show(d, got, nil))
		}
	}
	_, problems := ParseStructured(d, "\uFEFF\r\nspeed: 60 mi/h\r\nwhat\r\n", testEnv)
	if len(problems) != 1 || problems[0].Args[0] != "3" || problems[0].Args[1] != "what" {
		t.Errorf("the third line is reported as %v", problems)
	}
	const marked = "\uFEFF {\"inputs\": []}"
	if format, err := Detect(d, marked); format != JSON || err != nil {
		t.Errorf("%q is %s, %v", marked, format, err)
	}
	if _, problems := ParseJSON(d, marked, testEnv); len(problems) > 0 {
		t.Errorf("%q: %v", marked, problems)
	}
	if ValidJSON("\"\xff\"") {
		t.Error("invalid UTF-8 is valid JSON")
	}
}

func TestLimits(t *testing.T) {
	d := testDomain(t)
	lines := strings.Repeat("speed: 1 km/h\n", maxInputs)
	entries := strings.Repeat(`{"key": "speed", "value": "1 km/h"},`, maxInputs)
	for _, test := range []struct {
		name  string
		parse func(*engine.Domain, string, value.Env) (engine.Request, []value.Error)
		text  string
		codes []string
	}{
		{"1,000 lines", ParseStructured, lines, []string{"input.duplicate_variable"}},
		{"1,001 lines", ParseStructured, lines + "time: 2 h\ncalculate:", []string{"input.duplicate_variable", "input.limit_exceeded"}},
		{"1,000 entries", ParseJSON, `{"inputs": [` + strings.TrimSuffix(entries, ",") + `]}`, []string{"input.duplicate_variable"}},
		{"1,001 entries", ParseJSON, `{"inputs": [` + entries + `{"key": "x", "value": ""}], "scenario": "?"}`,
			[]string{"input.duplicate_variable", "input.limit_exceeded"}},
	} {
		req, problems := test.parse(d, test.text, testEnv)
		var codes []string
		for _, p := range problems {
			codes = append(codes, p.Code)
		}
		if strings.Join(codes, " ") != strings.Join(test.codes, " ") || len(req.Inputs) > 0 {
			t.Errorf("%s: %v", test.name, problems)
		}
	}

	unknown := make([]string, 19, 20)
	for i := range unknown {
		unknown[i] = "input.unknown_variable"
	}
	unknown = append(unknown, "input.limit_exceeded")
	for name, problems := range map[string][]value.Error{
		"1,001 unknown lines":   problemsOf(ParseStructured(d, strings.Repeat("nothing: 5\n", maxInputs+1), testEnv)),
		"1,001 unknown entries": problemsOf(ParseJSON(d, `{"inputs": [`+strings.Repeat(`{"key": "nothing", "value": "5"},`, maxInputs)+`{"key": "x", "value": ""}]}`, testEnv)),
	} {
		var codes []string
		for _, p := range problems {
			codes = append(codes, p.Code)
		}
		if !slices.Equal(codes, unknown) {
			t.Errorf("%s: %v", name, codes)
		}
	}

	var many, nested strings.Builder
	for i := range 30 {
		fmt.Fprintf(&many, "line %d\n", i)
		fmt.Fprintf(&nested, `"unknown %d": 1,`, i)
	}
	_, problems := ParseStructured(d, many.String(), testEnv)
	if len(problems) != maxProblems || problems[19].Args[0] != "20" {
		t.Errorf("30 bad lines: %d problems, %v", len(problems), problems)
	}
	if _, problems = ParseJSON(d, "{"+nested.String()+`"inputs": []}`, testEnv); len(problems) != maxProblems {
		t.Errorf("30 bad members: %d problems", len(problems))
	}
}

func problemsOf(_ engine.Request, problems []value.Error) []value.Error { return problems }

// TestHugePrompts has prompts of 256 KiB of which each part could cost more than its length.
func TestHugePrompts(t *testing.T) {
	d := testDomain(t)
	const size = 256 << 10
	for _, part := range []string{
		"[", "]", "{", `"`, "|", ":", "#", " ", "\n", "a:1\n", "|a", `{"a":`, "calculate: ", " in ", "x:[", "speed:\n", "| |\n",
		"1,000,", `["",`, "#\n", "ſ", "\"a\" ", "calculate:\n",
	} {
		for _, head := range []string{"", "prices: [", "calculate: ", `{"inputs": [`, "prices:\n", "prices: 1,"} {
			text := head + strings.Repeat(part, size/len(part))
			begin := time.Now()
			if _, err := Detect(d, text); err != nil && err != ErrInvalidJSON {
				t.Errorf("%s%s…: %v", head, part, err)
			}
			ParseStructured(d, text, testEnv)
			ParseJSON(d, text, testEnv)
			if spent := time.Since(begin); spent > 3*time.Second {
				t.Errorf("%s%s… took %v", head, part, spent)
			}
		}
	}
}

// TestText shows the structured text and parsed_json of results. The prompts of a case, told apart
// by lines of "then", are posted one after the other in one conversation; the last answer is shown.
func TestText(t *testing.T) {
	d := testDomain(t)
	runCases(t, "text.txt", func(prompts string) string {
		c := &conversation{domain: d, scenarios: map[int]*engine.Scenario{}}
		shown := ""
		for prompt := range strings.SplitSeq(prompts, "\nthen\n") {
			req, problems := ParseStructured(d, prompt, testEnv)
			if len(problems) > 0 {
				return show(d, req, problems)
			}
			res, problems := c.calculate(req)
			if len(problems) > 0 {
				return show(d, req, problems)
			}
			c.keep(res)
			parsed, err := json.Marshal(Normal(d, req, res))
			if err != nil {
				return err.Error() + "\n"
			}
			shown = Text(d, res) + string(parsed) + "\n"
		}
		return shown
	})
}
