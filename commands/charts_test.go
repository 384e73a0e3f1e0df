package commands

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"reckon/commands/commandstest"
	"reckon/projections"
)

// drawn is the target of an answer with its value and its chart scaling, or the error.
func drawn(h *history, m projections.Message) string {
	if m.Failed != nil {
		return strings.TrimSpace(h.told(m))
	}
	res := m.Completed.Results
	for _, v := range res.Variables {
		if v.Key != res.Target() {
			continue
		}
		line := fmt.Sprintf("%s %d -> %d, %s %s", res.Action, res.Scenario.Original, res.Scenario.Current, v.Key, v.Value)
		switch {
		case v.ScaleIncompatible && (v.Scale != nil || v.ScaleUnit != ""), (v.Scale == nil) != (v.ScaleUnit == ""), v.ScaleIncompatible != (len(v.ScaleTypes) > 1):
			return line + ", in more than one condition"
		case v.ScaleIncompatible:
			return line + ", incompatible: " + strings.Join(v.ScaleTypes, ", ")
		case v.Scale != nil:
			return line + ", scale " + string(v.Scale) + " " + v.ScaleUnit
		}
		return line
	}
	return "no target"
}

// TestCalculatedCharts calculates charts in each of the three conditions of their scaling, by each
// form that hands cells on, and goes on from them. What an answer says of itself gives it again.
func TestCalculatedCharts(t *testing.T) {
	d, issues := CheckFile(commandstest.Charts())
	if d == nil {
		t.Fatal(issues)
	}
	d.Key, d.Version, d.ID = "dm_00000000", 1, uuid.NewSHA1(names, []byte("charts"))
	for _, conversation := range [][][2]string{
		{
			{"levels: [1 m, 2 m] / calculate: bars", `new 0 -> 1, bars ["1 m","2 m"]`},
			{"levels: [1 m, 250 cm]", `discard 1 -> 2, bars ["1 m","250 cm"], scale [1,2.5] m`},
			{"levels: [1 m, 2 kg]", `discard 2 -> 3, bars ["1 m","2 kg"], incompatible: length, mass`},
			{"scenario: 2 / calculate: bars in cm", `extend 2 -> 2, bars ["100 cm","250 cm"]`},
			{"scenario: new from 2 / levels: [1 USD, 2 EUR]", `input.incompatible_units: The units USD and EUR are not compatible.`},
			{"scenario: 1 / calculate: bars", `extend 1 -> 1, bars ["1 m","2 m"]`},
		},
		{
			{"bars: [1 m, 2 m] / calculate: levels", `new 0 -> 1, levels ["1 m","2 m"]`},
			{"bars: [1 m, 250 cm]", `discard 1 -> 2, levels ["1 m","250 cm"], scale [1,2.5] m`},
			{"bars: [1 m, 2 kg]", `discard 2 -> 3, levels ["1 m","2 kg"], incompatible: length, mass`},
			{"bars: [1 m, , 2 kg, 3]", `discard 3 -> 4, levels ["1 m","","2 kg","3"], incompatible: length, mass, number`},
			{"calculate: levels in cm", `input.incompatible_units: The units m and kg are not compatible.`},
		},
		{
			{"lengths: [1, 2] / others: [3 m, 4 m] / calculate: sides", `new 0 -> 1, sides [["1 m","3 m"],["2 m","4 m"]]`},
			{"calculate: slices", `extend 1 -> 1, slices ["3 m","4 m"]`},
			{"calculate: first", `extend 1 -> 1, first ["1 m","3 m"]`},
			{"calculate: turned", `extend 1 -> 1, turned [["1 m","2 m"],["3 m","4 m"]]`},
			{"others: [3 cm, 4 m]", `discard 1 -> 2, turned [["1 m","2 m"],["3 cm","4 m"]], scale [[1,2],[0.03,4]] m`},
			{"calculate: slices", `extend 2 -> 2, slices ["3 cm","4 m"], scale [3,400] cm`},
			{"calculate: first", `extend 2 -> 2, first ["1 m","3 cm"], scale [1,0.03] m`},
			{"calculate: sides", `extend 2 -> 2, sides [["1 m","3 cm"],["2 m","4 m"]], scale [[1,0.03],[2,4]] m`},
			{"others: [3 kg, 4 g]", `discard 2 -> 3, sides [["1 m","3 kg"],["2 m","4 g"]], incompatible: length, mass`},
			{"calculate: slices", `extend 3 -> 3, slices ["3 kg","4 g"], scale [3,0.004] kg`},
			{"calculate: first", `extend 3 -> 3, first ["1 m","3 kg"], incompatible: length, mass`},
			{"calculate: turned", `extend 3 -> 3, turned [["1 m","2 m"],["3 kg","4 g"]], incompatible: length, mass`},
			{"others: [3 kg, 4 s] / calculate: slices", `discard 3 -> 4, slices ["3 kg","4 s"], incompatible: mass, time`},
		},
		{
			{"width: 1 m / height: 2 m / calculate: sizes", `new 0 -> 1, sizes ["1 m","2 m","3 m"]`},
			{"height: 250 cm", `discard 1 -> 2, sizes ["1 m","250 cm","3 m"], scale [1,2.5,3] m`},
			{"height: 2 kg", `discard 2 -> 3, sizes ["1 m","2 kg","3 m"], incompatible: length, mass`},
			{"scenario: 2 / width: 4 ft", `discard 2 -> 4, sizes ["4 ft","250 cm","3 m"], scale [4,8.202099737532808398950131233595801,9.842519685039370078740157480314961] ft`},
		},
	} {
		h := newHistory()
		for _, c := range conversation {
			m := h.say(d, strings.ReplaceAll(c[0], " / ", "\n"))
			got := drawn(h, m)
			if got != c[1] {
				t.Errorf("%s: got\n%s\nwant\n%s", c[0], got, c[1])
			}
			if m.Completed == nil || m.Completed.Results.Action == "fetch" {
				continue
			}
			again := newHistory().say(d, "scenario: new\n"+strings.Join(strings.Split(*m.Completed.StructuredText, "\n")[1:], "\n"))
			if a, b := target(t, m), target(t, again); a != b {
				t.Errorf("%s: %s, and said again %s", c[0], a, b)
			}
		}
	}
}

func target(t *testing.T, m projections.Message) string {
	t.Helper()
	if m.Completed == nil {
		return string(m.Failed.Errors)
	}
	res := m.Completed.Results
	for _, v := range res.Variables {
		if v.Key == res.Target() {
			data, err := json.Marshal([]any{v.Value, v.Scale, v.ScaleUnit, v.ScaleTypes})
			if err != nil {
				t.Fatal(err)
			}
			return string(data)
		}
	}
	return ""
}
