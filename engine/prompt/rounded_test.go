package prompt

import (
	"fmt"
	"strings"
	"testing"

	"reckon/engine"
	"reckon/engine/value"
)

// TestRoundedValuesPosted says that a result which is posted gives what it gives where it is
// carried: what cancels but for its rounding is 0.
func TestRoundedValuesPosted(t *testing.T) {
	d, issues := engine.Compile(engine.Definition{
		Title:     "Shares",
		Variables: []value.Variable{{Key: "part", Title: "Part"}, {Key: "whole", Title: "Whole"}, {Key: "n", Title: "Number"}, {Key: "rest", Title: "Rest"}},
		Activities: []engine.Activity{
			{ID: "00000000-0000-4000-9000-000000000001", Title: "Part", Equation: "part = whole / n", Calculable: []string{"part"}},
			{ID: "00000000-0000-4000-9000-000000000002", Title: "Rest", Equation: "rest = whole - part * n", Calculable: []string{"rest"}},
		},
	})
	if d == nil {
		t.Fatal(issues)
	}
	for n := 2; n < 400; n++ {
		c := &conversation{domain: d, scenarios: map[int]*engine.Scenario{}}
		answer := func(text string) (engine.Result, string) {
			req, problems := ParseStructured(d, text, testEnv)
			if len(problems) > 0 {
				t.Fatal(text, problems)
			}
			res, problems := c.calculate(req)
			if len(problems) > 0 {
				return res, fmt.Sprint(problems)
			}
			for _, v := range res.Values {
				if v.Variable == res.Calculated {
					return res, inline(allDigits(v.Value))
				}
			}
			return res, ""
		}
		_, part := answer(fmt.Sprintf("whole: 1.7\nn: %d\ncalculate: part", n))
		if _, rest := answer(fmt.Sprintf("scenario: new\nwhole: 1.7\nn: %d\npart: %s\ncalculate: rest", n, part)); rest != "0" {
			t.Errorf("1.7 / %d = %s leaves %s", n, part, rest)
		}
		if digits := len(strings.TrimLeft(strings.ReplaceAll(part, ".", ""), "0")); digits > 34 && digits != 60 && !strings.Contains(part, "e") {
			t.Errorf("1.7 / %d is written with %d digits: %s", n, digits, part)
		}
	}
}
