package engine

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"reckon/engine/value"
)

func TestCertain(t *testing.T) {
	for condition, want := range map[string]string{
		"if(listed, 2, 1)":                                  `This always holds, as no choice of listed is 0: write listed == "yes".`,
		"if(a > 1 and not listed, 2, 1)":                    `This always holds, as no choice of listed is 0: write listed == "yes".`,
		"if(listed or zone, 2, 1)":                          `This always holds, as no choice of listed is 0: write listed == "yes". This always holds, as no choice of zone is 0: write zone == "EU".`,
		`countif(column(t, "Zone"))`:                        `This always holds, as no choice of zone is 0: write column(t, "Zone") == "EU".`,
		`if(cell(t, 1, "Zone"), 2, 1)`:                      `This always holds, as no choice of zone is 0: write cell(t, 1, "Zone") == "EU".`,
		"if(told, 2, 1)":                                    "",
		"if(listed == yes, 2, 1)":                           "",
		"if(a, 2, 1)":                                       "",
		"if(a > 1, listed, zone)":                           "",
		`sumif(column(t, "Zone") == EU, column(t, "Rate"))`: "",
	} {
		one, two := choice("no=1", "yes=2"), choice("EU=1", "World=2")
		d, issues := Compile(Definition{
			Title: "Conditions", Description: "Conditions.",
			Variables: []value.Variable{
				{Key: "listed", Choices: one}, {Key: "told", Choices: choice("no=0", "yes=1")}, {Key: "zone", Choices: two}, {Key: "a"}, {Key: "b"},
				{Key: "t", Kind: "table", Display: json.RawMessage(`{"table": {"columns": [{"name": "Zone", "choices": "zone"}, {"name": "Rate"}]}}`)},
			},
			Activities:  []Activity{{Equation: "b = " + condition}},
			Constraints: []Constraint{{Condition: "a > 0 or listed", Message: "Too little."}},
		})
		if d == nil {
			t.Fatal(issues)
		}
		var got []string
		for _, i := range d.Certain() {
			if i.Warning || i.Offset < 0 {
				t.Errorf("%s: %+v", condition, i)
			}
			if i.Path == "activities[0].equation" {
				got = append(got, i.Message)
			} else if place := fmt.Sprintf("%s %d", i.Path, i.Offset); place != "constraints[0].condition 9" {
				t.Error(place)
			}
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s: %s\nwant %s", condition, text, want)
		}
	}
}
