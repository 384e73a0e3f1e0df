package domainfile

import (
	"strings"
	"testing"
)

// What a message says to write is written, and the finding is gone.
func TestFix(t *testing.T) {
	const text = `title: Trip
description: Time.
variables:
  - {key: distance, unit: km}
  - {key: speed, unit: km/h}
  - {key: time, unit: h}
activities:
  - equation: |
      time =
        distance / speed
tests:
  - {prompt: "distance: 1 km\nspeed: 1 km/h\ncalculate: time", expect: {time: 1 h}}
`
	for wrong, label := range map[string]string{
		"distance / 3 km":                    "Write 3 [km]",
		"distance / 3  km * 1":               "Write 3 [km]",
		"distance / 3 [kmm]":                 "Write km",
		"distance / sped":                    "Write speed",
		"distance / speed * sqtr(1)":         "Write sqrt",
		"distance / speed * 2 speed / speed": "Write * ",
	} {
		f := Parse("trip.yaml", []byte(strings.Replace(text, "distance / speed", wrong, 1)))
		_, report := f.Compile()
		if report.Valid {
			t.Errorf("%s is valid", wrong)
			continue
		}
		finding := report.Findings[0]
		fix, ok := f.Fix(finding)
		if !ok || fix.Label != label {
			t.Errorf("%s: %d:%d %s: %q, want %q", wrong, finding.Line, finding.Column, finding.Message, fix.Label, label)
			continue
		}
		after := f.again(f.edited([]Edit{fix.Edit}))
		_, report = after.Compile()
		for _, left := range report.Findings {
			if left.Message == finding.Message {
				t.Errorf("%s: %q is left in\n%s", wrong, left.Message, after.Bytes())
			}
		}
	}
	f := Parse("trip.yaml", []byte(strings.Replace(text, "distance / speed", "distance /", 1)))
	_, report := f.Compile()
	if fix, ok := f.Fix(report.Findings[0]); ok {
		t.Errorf("%s: %v", report.Findings[0].Message, fix)
	}
	for _, finding := range []Finding{{Line: 99, Column: 9, Message: report.Findings[0].Message}, {Message: `"a" Did you mean "b"?`}, {Line: 1, Column: 1, File: "x"}} {
		if fix, ok := f.Fix(finding); ok {
			t.Errorf("%v: %v", finding, fix)
		}
	}
}
