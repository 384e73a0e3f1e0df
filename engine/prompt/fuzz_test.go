package prompt

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"reckon/engine"
	"reckon/engine/value"
)

// addSeeds gives the prompts of a case file to a fuzz target.
func addSeeds(f *testing.F, files ...string) {
	for _, file := range files {
		data, err := os.ReadFile("testdata/" + file)
		if err != nil {
			f.Fatal(err)
		}
		for _, block := range strings.Split(string(data), "\n== ")[1:] {
			_, body, _ := strings.Cut(block, "\n")
			prompt, _, _ := strings.Cut(body, "\n--\n")
			f.Add(prompt)
		}
	}
}

// checkParsed holds for every text: problems or a request, never both; at most 20 problems, each of
// a known code with all its arguments; and a request means the same when its parsed_json is posted.
func checkParsed(t *testing.T, d *engine.Domain, req engine.Request, problems []value.Error) {
	if len(problems) > maxProblems {
		t.Fatalf("%d problems", len(problems))
	}
	for _, p := range problems {
		if strings.Contains(p.Message, "%arg0%") && len(p.Args) == 0 {
			t.Errorf("%s has no arguments", p.Code)
		}
	}
	if len(problems) > 0 {
		if len(req.Inputs) > 0 || req.Asks() || req.Selector.Kind != engine.Unselected {
			t.Error("a request comes with problems")
		}
		return
	}
	res := engine.Result{Calculated: -1, Selector: req.Selector}
	if len(req.Targets) > 0 {
		res.Calculated, res.Unit, res.Also = req.Targets[0].Variable, req.Targets[0].Unit, req.Targets[1:]
	}
	if res.Everything = req.Everything; res.Everything {
		res.Calculated = 0
	}
	parsed := Normal(d, req, res)
	if parsed.Scenario == "" {
		parsed.Scenario = "new"
		req.Selector = engine.Selector{Kind: engine.New}
	}
	data, err := json.Marshal(parsed)
	if err != nil {
		t.Fatal(err)
	}
	again, problems := ParseJSON(d, string(data), testEnv)
	if len(problems) > 0 {
		t.Fatalf("%s: %v", data, problems)
	}
	if err := same(req, again); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
}

func FuzzStructured(f *testing.F) {
	addSeeds(f, "structured.txt", "detect.txt")
	d := testDomain(f)
	f.Fuzz(func(t *testing.T, text string) {
		req, problems := ParseStructured(d, text, testEnv)
		checkParsed(t, d, req, problems)
	})
}

func FuzzJSON(f *testing.F) {
	addSeeds(f, "json.txt")
	d := testDomain(f)
	f.Fuzz(func(t *testing.T, text string) {
		req, problems := ParseJSON(d, text, testEnv)
		if len(problems) == 0 && !ValidJSON(text) {
			t.Error("a request comes from what is not JSON")
		}
		checkParsed(t, d, req, problems)
	})
}

func FuzzDetect(f *testing.F) {
	addSeeds(f, "structured.txt", "json.txt", "detect.txt")
	d := testDomain(f)
	f.Fuzz(func(t *testing.T, text string) {
		format, err := Detect(d, text)
		switch {
		case (format == JSON) != ValidJSON(text):
			t.Errorf("%s, and valid JSON is %t", format, ValidJSON(text))
		case err != nil && (err != ErrInvalidJSON || format != "" || !strings.Contains(text, "{")):
			t.Errorf("%q, %v", format, err)
		case format == Structured:
			_, problems := ParseStructured(d, text, testEnv)
			for _, problem := range problems {
				if problem.Code == "input.invalid_structured_text" && !strings.Contains(text, "|") && strings.Count(fold(text), scenarioName) < 2 && len(text) <= maxCalculate {
					t.Errorf("structured text is not understood: %v", problem)
				}
			}
		}
	})
}
