package prompt

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reckon/engine"
	"reckon/engine/value"
)

// conversation is the scenarios of a conversation as a caller's requests make them.
type conversation struct {
	domain    *engine.Domain
	scenarios map[int]*engine.Scenario
	focus     int
	last      int
}

// calculate answers a request. A selector that names no scenario stands for none.
func (c *conversation) calculate(req engine.Request) (engine.Result, []value.Error) {
	index := c.focus
	switch req.Selector.Kind {
	case engine.New:
		index = 0
	case engine.Last:
		index = c.last
	case engine.Numbered, engine.NewFrom:
		index = req.Selector.Number
	}
	return c.domain.Calculate(c.scenarios[index], c.last, req, testEnv)
}

func (c *conversation) keep(res engine.Result) {
	c.focus, c.last = res.Current, max(c.last, res.Current)
	if res.Calculated < 0 {
		return
	}
	s := &engine.Scenario{Index: res.Current, Cleared: res.Cleared, Targets: res.Targets, Also: len(res.Also), Everything: res.Everything}
	for _, v := range res.Values {
		s.Values = append(s.Values, v.ScenarioValue)
	}
	c.scenarios[res.Current] = s
}

// answer is what a repeated request must give again.
func answer(d *engine.Domain, res engine.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d %d %s\n", res.Action, res.Original, res.Current, res.Selector)
	if res.Calculated >= 0 {
		v := res.Values[0]
		fmt.Fprintf(&b, "%s = %s\n", d.Variables[v.Variable].Key, inline(v.Value.Text()))
	}
	return b.String()
}

// TestPostedBack says that the structured text and the parsed_json of every result, posted where
// the request was, give the same answer.
func TestPostedBack(t *testing.T) {
	d := testDomain(t)
	answered := 0
	rapid.Check(t, func(t *rapid.T) {
		c := &conversation{domain: d, scenarios: map[int]*engine.Scenario{}}
		for range rapid.IntRange(1, 5).Draw(t, "requests") {
			var b strings.Builder
			selector := rapid.SampledFrom([]string{"", "", "new", "current", "last", "1", "2", "new from 1"}).Draw(t, "selector")
			if selector != "" {
				fmt.Fprintf(&b, "scenario: %s\n", selector)
			}
			keys := []string{"distance", "speed", "time", "tolls", "tax", "total"}
			for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom(keys), 0, 3, rapid.ID[string]).Draw(t, "given") {
				value := ""
				if rapid.IntRange(0, 4).Draw(t, "cleared") > 0 {
					value = rapid.SampledFrom(scalars[key]).Draw(t, "value")
				}
				fmt.Fprintf(&b, "%s: %s\n", key, value)
			}
			if rapid.Bool().Draw(t, "targeted") {
				key := rapid.SampledFrom(keys).Draw(t, "target")
				unit := rapid.SampledFrom(append(targetUnits[key], "")).Draw(t, "unit")
				fmt.Fprintf(&b, "calculate: %s\n", strings.TrimSuffix(key+" in "+unit, " in "))
			}
			req, problems := ParseStructured(d, b.String(), testEnv)
			if len(problems) > 0 {
				continue
			}
			if req.Selector.Number > c.last {
				continue
			}
			res, problems := c.calculate(req)
			if len(problems) > 0 {
				continue
			}
			answered++
			for form, text := range map[string]string{Structured: Text(d, res), JSON: marshal(t, Normal(d, req, res))} {
				parse := ParseStructured
				if form == JSON {
					parse = ParseJSON
				}
				again, problems := parse(d, text, testEnv)
				if len(problems) > 0 {
					t.Fatalf("%s%s\n%v", b.String(), text, problems)
				}
				repeated, problems := c.calculate(again)
				if len(problems) > 0 {
					t.Fatalf("%s---\n%s\n%v", b.String(), text, problems)
				}
				if want, got := answer(d, res), answer(d, repeated); want != got {
					t.Fatalf("%s---\n%s\ngave %s\nnot %s", b.String(), text, got, want)
				}
			}
			c.keep(res)
		}
	})
	if answered == 0 {
		t.Error("no request was answered")
	}
}
