package main

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"reckon/events"
	"reckon/events/log"
)

// plantScript copies the events of a data directory, on which no server runs, to a new one, where a message has got another
// value for a variable than was calculated: plant FROM TO MESSAGE KEY VALUE.
func plantScript(ts *testscript.TestScript, neg bool, args []string) {
	ctx := context.Background()
	from, err := log.Open(ctx, log.Options{Dir: ts.MkAbs(args[0])})
	ts.Check(err)
	defer from.Close()
	to, err := log.Open(ctx, log.Options{Dir: ts.MkAbs(args[1])})
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
