package commandstest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// stories are what may be said of the trip. What is true of one trip agrees, so that every way to a
// target gives the same; what else is said replaces and contradicts it, or is refused.
var stories = []struct {
	key   string
	truth []string
	other []string
	units []string // it may be asked in
}{
	{"distance", []string{"150 mi", "241.4016 km", "(100 + 50) mi"}, []string{"300 mi"}, []string{"km"}},
	{"speed", []string{"60 mi/h", "60 mph"}, []string{"75 mi/h", "60 kg"}, []string{"km/h"}},
	{"time", []string{"2.5 h", "2 h 30 min"}, []string{"5 h"}, []string{"min", "h"}},
	{"consumption", []string{"0.05 gal/mi"}, []string{"0.1 gal/mi"}, nil},
	{"fuel", []string{"7.5 gal"}, []string{"15 gal"}, []string{"L"}},
	{"price", []string{"$4/gal"}, []string{"2 USD/gal"}, nil},
	{"cost", []string{"30 USD"}, []string{"60 USD"}, nil},
	{"start", []string{"2026-03-05T12:00"}, []string{"now"}, nil},
	{"arrival", []string{"5 March 2026 14:30"}, []string{"2026-03-05T17:00"}, nil},
	{"arival", []string{"14:30"}, []string{"14:30"}, nil},
}

// Utterance is a request of a conversation.
type Utterance struct {
	Text     string
	Selector string
	Inputs   []string // keys that are stated, cleared ones included
	Target   bool     // one is asked for
}

// DrawUtterance makes a request in structured text or JSON, for a conversation whose last scenario
// has the index last. What is truthful agrees with all that is.
func DrawUtterance(t *rapid.T, last int, truthful bool) Utterance {
	var u Utterance
	n := rapid.IntRange(1, last+1).Draw(t, "number")
	u.Selector = rapid.SampledFrom([]string{"", "", "", "", "new", "current", "last", fmt.Sprint(n), fmt.Sprintf("new from %d", n)}).Draw(t, "selector")
	p := map[string]any{"inputs": []any{}}
	var lines []string
	if u.Selector != "" {
		p["scenario"] = u.Selector
		lines = append(lines, "scenario: "+u.Selector)
	}
	inputs := []any{}
	known := len(stories) - 1
	if truthful {
		known-- // where start is its default, now, the arrival is another one
	}
	if rapid.IntRange(0, 15).Draw(t, "misspelt") == 0 && !truthful {
		known = len(stories)
	}
	for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, known-1), 0, rapid.SampledFrom([]int{0, 2, 4}).Draw(t, "most"), rapid.ID[int]).Draw(t, "stated") {
		values := stories[i].truth
		if !truthful {
			values = slices.Concat(values, stories[i].other)
		}
		value := rapid.SampledFrom(values).Draw(t, "value")
		if rapid.IntRange(0, 9).Draw(t, "cleared") == 0 {
			value = ""
		}
		u.Inputs = append(u.Inputs, stories[i].key)
		inputs = append(inputs, map[string]string{"key": stories[i].key, "value": value})
		lines = append(lines, stories[i].key+": "+value)
	}
	p["inputs"] = inputs
	if rapid.Bool().Draw(t, "targeted") {
		u.Target = true
		s := stories[rapid.IntRange(0, len(stories)-2).Draw(t, "target")]
		unit := rapid.SampledFrom(append([]string{""}, s.units...)).Draw(t, "unit")
		p["calculate"] = map[string]string{"key": s.key, "unit": unit}
		lines = append(lines, "calculate: "+strings.TrimSuffix(s.key+" in "+unit, " in "))
	}
	u.Text = strings.Join(lines, "\n")
	if rapid.IntRange(0, 3).Draw(t, "json") == 0 {
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		u.Text = string(text)
	}
	return u
}
