package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/events"
	"reckon/projections"
)

func compare(t *testing.T, h *recording, def events.Definition, since time.Time) (Compared, []Shift) {
	t.Helper()
	var list []Shift
	done, err := Compare(t.Context(), commands.Admin{Log: h.log}, Comparison{
		Publication: commands.Publication{Account: "ACME", Definition: def}, Since: since,
	}, func(s Shift) error {
		list = append(list, s)
		return nil
	}, func(Compared) {})
	if err != nil {
		t.Fatal(err)
	}
	if done.Shifted() != len(list) || done.Same+len(list) != done.Messages {
		t.Errorf("%+v, %d reported", done, len(list))
	}
	return done, list
}

// questions asks the prompts, each in a conversation of its own.
func questions(t *testing.T, prompts ...string) *recording {
	t.Helper()
	h := &recording{node: start(t, commands.Model{})}
	for _, text := range prompts {
		h.messages = append(h.messages, h.answered(t, h.request(text)))
	}
	return h
}

func TestCompareTellsWhatADraftChanges(t *testing.T) {
	h := questions(t, drive, "distance: 100 mi\ncalculate: fuel", "cost: ?", "time: 2 h\nspeed: 10 mi/h\ncalculate: distance", "distance: 3 kg\ncalculate: time")
	standing := trip(t).Definition
	if done, list := compare(t, h, standing, time.Time{}); done.Messages != 5 || len(list) != 0 {
		t.Errorf("the definition that stands: %+v\n%s", done, commands.Encode(list))
	}
	renamed := standing
	renamed.Title, renamed.Description = "TRIP", "Otherwise described."
	if _, list := compare(t, h, renamed, time.Time{}); len(list) != 0 {
		t.Errorf("other words change answers:\n%s", commands.Encode(list))
	}
	draft := standing
	draft.Variables = append([]events.Variable{}, standing.Variables...)
	draft.Variables[3].DefaultValue = commands.Encode("0.06 gal/mi") // fuel of 100 mi is 6 gal, not 5
	draft.Variables[5].DefaultValue = commands.Encode("1 USD/gal")
	draft.Variables[0].DefaultValue = commands.Encode("200 mi") // cost can be told
	draft.Activities = append([]events.Activity{}, standing.Activities...)
	draft.Activities[0].Calculable = []string{"time"} // distance cannot
	done, list := compare(t, h, draft, time.Time{})
	if want := map[Effect]int{Changes: 1, Fails: 1, Succeeds: 1}; !maps.Equal(done.Effects, want) || done.Same != 2 {
		t.Fatalf("%+v, want %v\n%s", done, want, commands.Encode(list))
	}
	changed, succeeds, fails := list[0], list[1], list[2]
	if v := changed.Values[0]; changed.Target != "fuel" || v.Describe() != "fuel: 5 gal → 6 gal (+20%)" || v.Relative == nil || math.Abs(*v.Relative-0.2) > 1e-15 {
		t.Errorf("changes: %s", commands.Encode(changed))
	}
	if changed.Values[1].Key != "consumption" || len(changed.Values) != 2 {
		t.Errorf("changes: %s", commands.Encode(changed))
	}
	if fails.Effect != Fails || fails.IsErrors[0].Code != "calculation.forwards_only" || fails.Values[0].Describe() != "distance: 20 mi → nothing" {
		t.Errorf("fails: %s", commands.Encode(fails))
	}
	if succeeds.Effect != Succeeds || succeeds.WasErrors[0].Code != "calculation.missing_inputs" || succeeds.Values[0].Describe() != "cost: nothing → 12 USD" {
		t.Errorf("succeeds: %s", commands.Encode(succeeds))
	}
	// Messages that were answered in the millisecond of the last one are since then too.
	since, later := h.messages[4].UpdatedAt, 0
	for _, m := range h.messages {
		if !m.UpdatedAt.Before(since) {
			later++
		}
	}
	if done, list := compare(t, h, draft, since); done.Messages != later || later == 1 && len(list) != 0 {
		t.Errorf("since the last message, with %d of its millisecond: %+v", later, done)
	}
	draft = standing
	draft.Activities = standing.Activities[:2]
	done, list = compare(t, h, draft, time.Time{})
	if len(list) != 1 || list[0].Effect != FailsOtherwise || list[0].IsErrors[0].Code != "input.not_calculable" {
		t.Errorf("other errors: %+v\n%s", done, commands.Encode(list))
	}
}

// TestCompareWithTheNewestVersion: what an earlier version answered otherwise is no effect of the
// draft.
func TestCompareWithTheNewestVersion(t *testing.T) {
	h := questions(t, "distance: 100 mi\ncalculate: fuel")
	def := trip(t).Definition
	def.Variables[3].DefaultValue = commands.Encode("0.1 gal/mi")
	h.publish(t, def)
	if done, list := compare(t, h, def, time.Time{}); done.Messages != 1 || done.Version != 2 || len(list) != 0 {
		t.Errorf("%+v\n%s", done, commands.Encode(list))
	}
}

func TestCompareRefuses(t *testing.T) {
	h := questions(t)
	none := func(Shift) error { return nil }
	progress := func(Compared) {}
	admin := commands.Admin{Log: h.log}
	def := trip(t).Definition
	if _, err := Compare(t.Context(), admin, Comparison{Publication: commands.Publication{Account: "nobody", Definition: def}}, none, progress); !errors.Is(err, commands.ErrNone) {
		t.Errorf("an unknown account: %v", err)
	}
	var invalid *commands.InvalidError
	def.Activities = []events.Activity{{Title: "a", Equation: "time =", State: "active"}}
	if _, err := Compare(t.Context(), admin, Comparison{Publication: commands.Publication{Account: "acme", Definition: def}}, none, progress); !errors.As(err, &invalid) {
		t.Errorf("no definition: %v", err)
	}
	def = trip(t).Definition
	def.Title = "Another one"
	if done, err := Compare(t.Context(), admin, Comparison{Publication: commands.Publication{Account: "acme", Definition: def}}, none, progress); err != nil || done.Version != 0 || done.Messages != 0 {
		t.Errorf("a new domain: %+v, %v", done, err)
	}
}

func TestRelative(t *testing.T) {
	d := trip(t)
	def := d.Definition
	def.Variables = slices.Clone(def.Variables)
	for _, kind := range []string{"date", "datetime", "time", "duration"} {
		def.Variables = append(def.Variables, events.Variable{ID: uuid.New(), Key: "of_" + kind, Title: "Of " + kind, Kind: kind, DefaultValue: json.RawMessage(`""`)})
	}
	d, issues := commands.Compile(d.ID, d.Key, d.Version, def)
	if d == nil {
		t.Fatal(issues)
	}
	for _, c := range []struct{ key, was, is, want string }{
		{"time", `"2 h"`, `"3 h"`, "0.5"},
		{"time", `"2 h"`, `"90 min"`, "-0.25"},
		{"time", `"2 h"`, `"120 min"`, "0"},
		{"distance", `"-2 mi"`, `"-1 mi"`, "0.5"},
		{"time", `"0 h"`, `"1 h"`, "none"},
		{"time", `"0 h"`, `"0 h"`, "0"},
		{"time", `"2 h"`, `"2 kg"`, "none"},
		{"time", `"2 h"`, `["2 h"]`, "none"},
		{"nothing", `"2 h"`, `"3 h"`, "none"},
		{"of_date", `"1795305600 s"`, `"1795392000 s"`, "none"},
		{"of_datetime", `"1795305600 s"`, `"1795392000 s"`, "none"},
		{"of_time", `"3600 s"`, `"7200 s"`, "none"},
		{"of_duration", `"3600 s"`, `"7200 s"`, "1"},
	} {
		got := "none"
		if r := relative(d, c.key, json.RawMessage(c.was), json.RawMessage(c.is)); r != nil {
			got = fmt.Sprint(*r)
		}
		if got != c.want {
			t.Errorf("%s from %s to %s: %s, want %s", c.key, c.was, c.is, got, c.want)
		}
	}
}

func TestBisectFindsTheVersion(t *testing.T) {
	h := questions(t, "distance: 100 mi\ncalculate: fuel", drive)
	admin := commands.Admin{Log: h.log}
	def := trip(t).Definition
	for n, change := range []func(){
		func() { def.Description = "Otherwise described." },
		func() { def.Variables[3].DefaultValue = commands.Encode("0.06 gal/mi") },
		func() { def.Activities[0].Calculable = []string{"speed"} },
	} {
		change()
		if p, err := admin.Publish(t.Context(), commands.Publication{Account: "acme", Definition: def}); err != nil || p.Version != n+2 {
			t.Fatal(p, err)
		}
	}
	b, err := Bisect(t.Context(), h.log, h.messages[0].MessageID)
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Versions) != 4 || b.Answered != 1 {
		t.Fatalf("%s", commands.Encode(b))
	}
	for i, v := range b.Versions {
		if (v.Shift != nil) != (i == 2) || v.Target != "fuel" {
			t.Errorf("version %d: %s", v.Version, commands.Encode(v))
		}
	}
	if v := b.Versions[2]; v.Shift.Values[0].Describe() != "fuel: 5 gal → 6 gal (+20%)" || len(v.Definition) != 1 || v.Definition[0].Path != "variables.consumption.default_value" {
		t.Errorf("%s", commands.Encode(v))
	}
	b, err = Bisect(t.Context(), h.log, h.messages[1].MessageID)
	if err != nil {
		t.Fatal(err)
	}
	if v := b.Versions[3]; v.Shift == nil || v.Shift.Effect != Fails || v.Definition[0].Path != "activities.Driving time.calculable" {
		t.Errorf("%s", commands.Encode(b))
	}
	for _, id := range []string{"0199c0de-0000-7000-8000-000000000000", "f47ac10b-58cc-4372-a567-0e02b2c3d479", "ffffffff-ffff-7fff-8000-000000000000"} {
		if _, err := Bisect(t.Context(), h.log, uuid.MustParse(id)); !errors.Is(err, commands.ErrNone) {
			t.Errorf("message %s: %v", id, err)
		}
	}
}

// TestHistoryShowsEachMoment compares each moment with what the views showed then.
func TestHistoryShowsEachMoment(t *testing.T) {
	c := start(t, commands.Model{})
	var id *uuid.UUID
	var heads []projections.Conversation
	var messages []projections.Message
	for _, text := range []string{drive, "speed: 75 mi/h", "cost: ?", "scenario: 1", "price: 4 USD/gal"} {
		r := c.request(text)
		r.Conversation = id
		m := c.answered(t, r)
		id = &m.ConversationID
		head, ok, err := c.views.Conversation(t.Context(), c.account.ID, *id)
		if err != nil || !ok {
			t.Fatal(err)
		}
		heads, messages = append(heads, head), append(messages, m)
	}
	for i, m := range messages {
		s, err := At(t.Context(), c.log, *id, Moment{Message: m.MessageID})
		if err != nil {
			t.Fatal(err)
		}
		if string(commands.Encode(s.Head)) != string(commands.Encode(heads[i])) || len(s.Messages) != i+1 || len(s.Scenarios) != heads[i].Last {
			t.Errorf("after message %d: %s, want %s", i+1, commands.Encode(s.Head), commands.Encode(heads[i]))
		}
		if byTime, err := At(t.Context(), c.log, *id, Moment{Time: m.UpdatedAt}); err != nil || len(byTime.Messages) < i+1 {
			t.Errorf("at %s: %d messages, %v", m.UpdatedAt, len(byTime.Messages), err)
		}
	}
	s, err := At(t.Context(), c.log, *id, Moment{})
	if err != nil || len(s.Messages) != 5 || s.Scenarios[1].Original != 1 || s.Scenarios[0].Message.MessageID == messages[3].MessageID {
		t.Errorf("now: %s, %v", commands.Encode(s), err)
	}
	for _, at := range []Moment{{Message: uuid.New()}, {Time: messages[0].UpdatedAt.Add(-time.Hour)}} {
		if _, err := At(t.Context(), c.log, *id, at); !errors.Is(err, commands.ErrNone) {
			t.Errorf("%+v: %v", at, err)
		}
	}
	if _, err := At(t.Context(), c.log, uuid.New(), Moment{}); !errors.Is(err, commands.ErrNone) {
		t.Errorf("an unknown conversation: %v", err)
	}
}

// TestChangesHaveLabels: choices are described by their labels, and have no relative change.
func TestChangesHaveLabels(t *testing.T) {
	d, issues := commands.CompileFile(events.Definition{
		Title: "Parcel", Description: "Where a parcel goes.",
		Variables: []events.Variable{
			{Key: "zone", Kind: "number", DefaultValue: commands.Encode(""), Choices: []events.Choice{{Label: "National", Value: "1"}, {Label: "EU", Value: "2"}}},
			{Key: "stops", Kind: "table", DefaultValue: commands.Encode(""), DisplayMetadata: []byte(`{"table":{"columns":[{"name":"Zone","choices":"zone"},{"name":"Days"}]}}`)},
		},
		Activities: []events.Activity{{Title: "Zone", Equation: `zone = cell(stops, 1, "Zone")`, State: "active"}},
	})
	if d == nil {
		t.Fatal(issues)
	}
	results := func(zone string, stops [][]string) events.Results {
		return events.Results{Variables: []events.ResultVariable{{Key: "zone", Value: commands.Encode(zone)}, {Key: "stops", Value: commands.Encode(stops)}}}
	}
	list := valueChanges(results("1", [][]string{{"1", "3"}}), results("2", [][]string{{"2", "3"}}), d)
	var got []string
	for _, v := range list {
		got = append(got, v.Describe())
	}
	want := []string{"zone: National → EU", `stops: [["National","3"]] → [["EU","3"]]`}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
