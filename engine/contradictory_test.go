package engine

import (
	"fmt"
	"strings"
	"testing"

	"reckon/engine/value"
)

func TestContradictory(t *testing.T) {
	for equations, want := range map[string]string{
		"a = b * 2; a = b * 3":                                   `warning activities[1].equation "a" can only be 0, as these equations hold together nowhere else: "a = b * 2" and "a = b * 3".`,
		"a = b * 2; b = c; d = a + c; a = c * 3":                 `warning activities[3].equation "a" can only be 0, as these equations hold together nowhere else: "a = b * 2", "b = c" and "a = c * 3".`,
		"a = b + 1; a = b + 2":                                   `error activities[1].equation Whatever the values are, these equations cannot hold together: "a = b + 1" and "a = b + 2".`,
		"a = b + 1; b = c * 2; a = 2 * c + 5":                    `error activities[2].equation Whatever the values are, these equations cannot hold together: "a = b + 1", "b = c * 2" and "a = 2 * c + 5".`,
		"a = 5; a = 6":                                           `error activities[1].equation Whatever the values are, these equations cannot hold together: "a = 5" and "a = 6".`,
		"a = b / 4; b = a * 4":                                   "",
		"a = b / 3; b = a * 3; c = a + b; c = b * 4 / 3":         "",
		"a + b = 10; a - b = 2":                                  "",
		"a + b = 10; b = 10":                                     "",
		"a = 0; b = a":                                           "",
		"a = b^2; a = b * 3":                                     "",
		"a = b * c; a = b * d":                                   "",
		"a = if(b > 0, b * 2, b * 3); a = b * 2":                 "",
		"a = b * 1.19; c = b * 19%; a = b + c; d = a - b; d = c": "",
		"a = b * 1.19; c = b * 0.2; a = b + c":                   `warning activities[2].equation "a" can only be 0, as these equations hold together nowhere else: "a = b * 1.19", "c = b * 0.2" and "a = b + c".`,
	} {
		def := Definition{Title: "Equations", Description: "Equations."}
		for _, key := range []string{"a", "b", "c", "d"} {
			def.Variables = append(def.Variables, value.Variable{Key: key})
		}
		for e := range strings.SplitSeq(equations, "; ") {
			def.Activities = append(def.Activities, Activity{Equation: e})
		}
		d, issues := Compile(def)
		if d == nil {
			t.Fatal(issues)
		}
		var got []string
		for _, i := range d.Contradictory() {
			level := "error"
			if i.Warning {
				level = "warning"
			}
			got = append(got, fmt.Sprintf("%s %s %s", level, i.Path, i.Message))
		}
		if text := strings.Join(got, "\n"); text != want {
			t.Errorf("%s:\n%s\nwant\n%s", equations, text, want)
		}
	}
}
