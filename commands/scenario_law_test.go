package commands

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"reckon/commands/commandstest"
	"reckon/engine/decimal"
	"reckon/engine/input"
	"reckon/engine/prompt"
	"reckon/engine/value"
	"reckon/events"
	"reckon/projections"
)

// fork is a history that goes its own way from here.
func (h *history) fork() *history {
	other := *h
	other.messages, other.events = slices.Clone(h.messages), slices.Clone(h.events)
	other.scenarios = maps.Clone(h.scenarios)
	return &other
}

// base is the index of the scenario that a selector means, as the contract says, 0 for none.
func (h *history) base(d *Domain, selector string) int {
	n := 0
	switch selector {
	case "":
		return h.head.Focus[d.ID]
	case "new":
		return 0
	case "current":
		return h.head.Current
	case "last":
		return h.head.Last
	}
	_, _ = fmt.Sscan(strings.TrimPrefix(selector, "new from "), &n) // what it is made of is a number
	return n
}

// variables are the values of a scenario by key.
func variables(m projections.Message) map[string]events.ResultVariable {
	byKey := map[string]events.ResultVariable{}
	for _, v := range m.Completed.Results.Variables {
		byKey[v.Key] = v
	}
	return byKey
}

// sameQuantity compares two values of a variable as physical quantities, to the last digits that
// are shown.
func sameQuantity(t *rapid.T, d *Domain, a, b events.ResultVariable) bool {
	c := decimal.NewContext(1_000_000)
	si := func(v events.ResultVariable) decimal.Decimal {
		var text value.Text
		if err := json.Unmarshal(v.Value, &text); err != nil {
			t.Fatal(err)
		}
		value, _, errs := input.ParseValue(&d.compiled.Scope, d.compiled.Index(v.Key), text, value.Env{})
		if len(errs) > 0 {
			t.Fatalf("%s %s cannot be read back: %v", v.Key, v.Value, errs)
		}
		return value.Quantity().SI(c)
	}
	x, y := si(a), si(b)
	tolerance := c.Mul(x.Abs(), c.Pow(decimal.Int(10), decimal.Int(-30)))
	return c.Sub(x, y).Abs().Cmp(tolerance) <= 0 && c.Err() == nil
}

// with is a request as it is read: without a selector it states what is pending too, on the
// scenario that was asked for then.
func with(u commandstest.Utterance, t *rapid.T, h *history, d *Domain) commandstest.Utterance {
	if u.Selector != "" || h.head.Pending == 0 || h.messages[h.head.Pending-1].Domain.ID != d.ID {
		return u
	}
	var p prompt.Parsed
	if err := json.Unmarshal(h.messages[h.head.Pending-1].Failed.Pending, &p); err != nil {
		t.Fatal(err)
	}
	u.Inputs = slices.Clone(u.Inputs)
	for _, in := range p.Inputs {
		u.Inputs = append(u.Inputs, in.Key)
	}
	u.Selector, u.Target = p.Scenario, u.Target || p.Calculate != nil
	return u
}

// TestNoRequestLosesAScenario says what holds for every sequence of requests: indexes are 1 to last
// without holes and never taken twice, focus and last move as the table of actions says, a scenario
// changes only when it is extended, and then keeps all its values, historical is what was copied,
// and what fails moves nothing.
func TestNoRequestLosesAScenario(t *testing.T) {
	d := trip(t)
	rapid.Check(t, func(t *rapid.T) { converse(t, d) })
}

// TestTheLawSeesEveryOutcome holds the conversations that are drawn against what the law speaks of:
// with these seeds every kind of outcome comes up.
func TestTheLawSeesEveryOutcome(t *testing.T) {
	d := trip(t)
	conversations := rapid.Custom(func(t *rapid.T) map[string]int { return converse(t, d) })
	seen := map[string]int{}
	for seed := range 300 {
		for outcome, n := range conversations.Example(seed) {
			seen[outcome] += n
		}
	}
	for _, outcome := range []string{"new", "extend", "discard", "fetch", "pending", "scenario.not_found", "scenario.domain_mismatch", "error"} {
		if seen[outcome] == 0 {
			t.Errorf("no request ended in %s: %v", outcome, seen)
		}
	}
}

// converse draws a conversation, checks what each request did, and counts the outcomes.
func converse(t *rapid.T, d *Domain) map[string]int {
	other := *d
	other.ID = uuid.NewSHA1(names, []byte("another domain"))
	seen := map[string]int{}
	h := newHistory()
	truthful := rapid.Bool().Draw(t, "truthful")
	if rapid.Bool().Draw(t, "opened") {
		h.say(d, "distance: 150 mi\nspeed: 60 mi/h\ncalculate: time")
	}
	for range rapid.IntRange(1, 12).Draw(t, "requests") {
		domain := d
		if rapid.IntRange(0, 3).Draw(t, "other domain") == 0 {
			domain = &other
		}
		u := commandstest.DrawUtterance(t, h.head.Last, truthful)
		before := h.fork()
		u = with(u, t, before, domain)
		m := h.say(domain, u.Text)
		fail := func(format string, args ...any) {
			t.Helper()
			var said strings.Builder
			for _, m := range h.messages {
				fmt.Fprintf(&said, "(%s) %s\n", m.Domain.ID, strings.ReplaceAll(m.Prompt, "\n", " / "))
			}
			t.Fatalf("%s\n%s\n%s", fmt.Sprintf(format, args...), said.String(), h.told(m))
		}
		if len(h.scenarios) != h.head.Last {
			fail("there are %d scenarios, the last one is %d", len(h.scenarios), h.head.Last)
		}
		for i := 1; i <= h.head.Last; i++ {
			if _, ok := h.scenarios[i]; !ok {
				fail("there is no scenario %d", i)
			}
		}
		if m.Failed != nil {
			seen[checkFailure(before, h, m, domain, u, fail)]++
			continue
		}
		seen[m.Completed.Results.Action]++
		checkCompletion(t, before, h, m, domain, u, fail)
		if m.Completed.Results.Action != "fetch" {
			checkPostedBack(t, before, m, domain, fail)
		}
	}
	return seen
}

// checkFailure says what a failed request leaves alone: everything but the pending inputs. It
// returns the kind of failure.
func checkFailure(before, h *history, m projections.Message, d *Domain, u commandstest.Utterance, fail func(string, ...any)) string {
	if h.head.Current != before.head.Current || h.head.Last != before.head.Last || !maps.Equal(h.head.Focus, before.head.Focus) {
		fail("a failure moved an index")
	}
	var errs []value.Error
	if err := json.Unmarshal(m.Failed.Errors, &errs); err != nil || len(errs) == 0 {
		fail("there are no errors: %v", err)
	}
	base := before.base(d, u.Selector)
	_, exists := h.scenarios[base]
	kind := "error"
	switch code := errs[0].Code; code {
	case "scenario.not_found":
		if exists || base == 0 {
			fail("scenario %d is there", base)
		}
		kind = code
	case "scenario.domain_mismatch":
		if !exists || h.scenarios[base].Domain.ID == d.ID {
			fail("scenario %d belongs to this domain", base)
		}
		kind = code
	case "calculation.missing_inputs":
		if h.head.Pending != m.Number {
			fail("its inputs are not pending")
		}
		return "pending"
	}
	if h.head.Pending != before.head.Pending {
		fail("pending inputs changed")
	}
	return kind
}

// checkCompletion holds a completed request against the table of actions.
func checkCompletion(t *rapid.T, before, h *history, m projections.Message, d *Domain, u commandstest.Utterance, fail func(string, ...any)) {
	r := m.Completed.Results
	base, last := before.base(d, u.Selector), before.head.Last
	branch := strings.HasPrefix(u.Selector, "new from ")
	current := map[string]int{"new": last + 1, "discard": last + 1, "extend": base, "fetch": base}[r.Action]
	if branch && r.Action == "extend" {
		current = last + 1
	}
	if r.Scenario.Original != base || r.Scenario.Current != current || (r.Action == "new") != (base == 0) {
		fail("%s %d -> %d, where %d was asked for and %d is the last one", r.Action, r.Scenario.Original, r.Scenario.Current, base, last)
	}
	if h.head.Current != current || h.head.Last != max(last, current) || h.head.Focus[d.ID] != current || h.head.Pending != 0 {
		fail("focus %d, last %d, pending %d", h.head.Current, h.head.Last, h.head.Pending)
	}
	named := u.Selector != "" && u.Selector != "new" && !branch && base > 0
	if (r.Action == "fetch") != (named && len(u.Inputs) == 0 && !u.Target) {
		fail("a fetch names a scenario and nothing else")
	}
	for i, was := range before.scenarios {
		if (i != current || r.Action == "fetch") && h.scenarios[i].MessageID != was.MessageID {
			fail("scenario %d changed", i)
		}
	}
	if r.Action == "fetch" {
		if len(r.Variables) > 0 || len(r.Activities) > 0 || r.Calculated != nil {
			fail("a fetch has results")
		}
		return
	}
	var old map[string]events.ResultVariable
	if base > 0 {
		old = variables(before.scenarios[base])
	}
	now := variables(m)
	for key, was := range old {
		is, ok := now[key]
		if r.Action == "extend" && (!ok || !sameQuantity(t, d, was, is)) {
			fail("%s was %s", key, was.Value)
		}
		if r.Action == "extend" && was.Source != is.Source && !slices.Contains(u.Inputs, key) && (was.Source == "user_input" || is.Source == "user_input") {
			fail("%s was %s", key, was.Source)
		}
	}
	for key, is := range now {
		was, copied := old[key]
		copied = copied && !slices.Contains(u.Inputs, key) && is.Source != "default_value" &&
			was.Source == is.Source && (is.Source == "user_input" || is.Historical)
		if want := copied && (current != base || was.Historical); is.Historical != want {
			fail("%s is historical: %v", key, is.Historical)
		}
	}
}

// checkPostedBack posts the structured text and parsed_json of a message in the place of its
// prompt: the same is done, in the same scenarios, and gives the same values.
func checkPostedBack(t *rapid.T, before *history, m projections.Message, d *Domain, fail func(string, ...any)) {
	texts := []string{string(m.Completed.Parsed)}
	if text := m.Completed.StructuredText; text != nil {
		texts = append(texts, *text)
	}
	for _, text := range texts {
		again := before.fork()
		repeated := again.say(d, text)
		if repeated.Completed == nil {
			fail("%s\nposted back gave %s", text, again.told(repeated))
		}
		want, got := m.Completed.Results, repeated.Completed.Results
		if *want.Calculated != *got.Calculated || want.Action != got.Action || want.Scenario != got.Scenario {
			fail("%s\nposted back gave %s", text, again.told(repeated))
		}
		second := variables(repeated)
		for key, v := range variables(m) {
			if w, ok := second[key]; !ok || !sameQuantity(t, d, v, w) {
				fail("%s\nposted back gave %s", text, again.told(repeated))
			}
		}
	}
}
