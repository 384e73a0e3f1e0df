package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"reckon/events"
)

// plantScript copies the events of a data directory, on which no server runs, to a new one, where a message has got another
// value for a variable than was calculated: plant FROM TO MESSAGE KEY VALUE.
func plantScript(ts *testscript.TestScript, neg bool, args []string) {
	ctx := context.Background()
	from, err := events.Open(ctx, events.Options{Dir: ts.MkAbs(args[0])})
	ts.Check(err)
	defer from.Close()
	to, err := events.Open(ctx, events.Options{Dir: ts.MkAbs(args[1])})
	ts.Check(err)
	defer to.Close()
	last, err := from.Last(ctx)
	ts.Check(err)
	newest := map[events.Subject]uint64{}
	planted := false
	ts.Check(from.Scan(ctx, 0, last, nil, func(_ uint64, list []events.Event) error {
		for _, e := range list {
			if data, ok := e.Data.(*events.MessageCompleted); ok && data.MessageID.String() == args[2] {
				for i := range data.Results.Variables {
					if v := &data.Results.Variables[i]; v.Key == args[3] {
						v.Value, planted = json.RawMessage(`"`+args[4]+`"`), true
					}
				}
			}
			sequence, err := to.Append(ctx, e, newest[e.Subject])
			if err != nil {
				return err
			}
			newest[e.Subject] = sequence
		}
		return nil
	}))
	if !planted {
		ts.Fatalf("message %s has no value for %s", args[2], args[3])
	}
}

// TestTestsArePutIntoFiles puts a test into each file of testdata/testadd, compares the whole text that this gives, and puts tests
// of every form and with every kind of text behind it.
func TestTestsArePutIntoFiles(t *testing.T) {
	test := events.Test{
		Prompt: "distance: 150 mi\nspeed: 60 mi/h\nstops: [1 h, \"\"]\ncalculate: time",
		Expect: map[string]json.RawMessage{"time": json.RawMessage(`"2.5 h"`), "stops": json.RawMessage(`["1 h",""]`)},
	}
	now := time.Date(2026, 3, 5, 14, 7, 0, 0, time.UTC)
	others := []events.Test{
		test,
		{Prompt: "and at 75?", Expect: map[string]json.RawMessage{"time": json.RawMessage(`"2 h"`)}, After: []events.Turn{
			{Prompt: "distance: 150 mi\nspeed: 60 mi/h\ncalculate: time"}, {OtherDomain: 2}, {Prompt: "today", Now: &now, TimeZone: "Europe/Berlin"},
		}, Now: &now, TimeZone: "Asia/Tokyo", InputFormat: "natural_language"},
	}
	for _, text := range []string{
		"12", "true", "- a", "a: b", "# a", "''", "\"", " a", "a ", "a\n b", "a\n\n\nb", "a\n  \nb", "a\tb", "\ta", "a\r\nb", "a\u0000b", "a\u2028b", "\ufeffa", "a\u00a0b", "{",
		`{"inputs": [{"key": "a", "value": "<\"1\">"}]}`, "how long?", "2026-03-05", "é\U0001f600", "a\n---\nb", "%a", "\x1b[2J", "a\x7fb", "a\u0085b", "a\\nb", "~", "!a", "&a *b", "a\n# b", "|\n>",
	} {
		others = append(others, events.Test{
			Prompt: text, Expect: map[string]json.RawMessage{}, Errors: []string{"language.not_understood", "input.unknown_variable"}, After: []events.Turn{{Prompt: text}},
		})
	}
	files, err := filepath.Glob("testdata/testadd/*")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, ".out") {
			continue
		}
		before, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		after, err := withTest(before, test)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !holdsMore(parseDomainFile(name, before), parseDomainFile(name, after), test) {
			t.Errorf("%s: something else is changed too:\n%s", name, after)
		}
		golden := name + ".out"
		if *update {
			if err := os.WriteFile(golden, after, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if string(want) != string(after) {
			t.Errorf("%s gives\n%s\nwant\n%s", name, after, want)
		}
		again := after
		for _, other := range others {
			before := again
			again, err = withTest(before, other)
			if err != nil || !holdsMore(parseDomainFile(name, before), parseDomainFile(name, again), other) {
				t.Errorf("%s: %s: %v\n%s", name, fileTest(other, ""), err, again)
			}
		}
	}
}

func TestSinceIsATimeOrHowLongAgo(t *testing.T) {
	for _, text := range []string{"30d", "12h", "90m", "0d", "2026-03-05", "2026-03-05T14:07:00Z", "2026-03-05T14:07:00+02:00", "2026-03-05 14:07:00"} {
		if at, err := parseSince(text); err != nil || at.IsZero() {
			t.Errorf("%s: %v, %v", text, at, err)
		}
	}
	for _, text := range []string{"yesterday", "30", "-1d", "-5h", "99999999d", "2026-13-01", "d"} {
		if at, err := parseSince(text); err == nil {
			t.Errorf("%s is %v", text, at)
		}
	}
}
