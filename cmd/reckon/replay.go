package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"reckon/commands/history"
	"reckon/events"
	"reckon/http/admin"
)

type replayCommand struct {
	installation
	Conversation string `help:"Only this conversation." placeholder:"ID"`
	Account      string `help:"Only what this account was answered." placeholder:"NAME"`
	Since        string `help:"Only what was answered since then: a time, a date, or how long ago (30d, 12h)." placeholder:"T"`
	All          bool   `help:"The whole history."`
	JSON         bool   `help:"Print JSON."`
}

func (*replayCommand) Help() string {
	return `Computes each answered message again from its event, on the scenario that it was based on then and with the version of the domain that answered, and compares the result with the recorded one, byte for byte. Differences are listed with the versions of the domain and of the engine; the exit status is 1 when there are any, and 2 when the command itself fails. Run it with a new version of Reckon before it serves.

Nothing is written. It works while a server runs on the data directory, and without one.

Examples:
  reckon replay --all
  reckon replay --since 7d
  reckon replay --conversation 0199c0de-0000-7000-8000-000000000000 --json`
}

func (c *replayCommand) Run(t terminal) error {
	if c.Conversation == "" && c.Since == "" && c.Account == "" && !c.All {
		return errors.New("say what to replay: --all, --since 7d, --account NAME, or --conversation ID")
	}
	if c.All && (c.Conversation != "" || c.Since != "" || c.Account != "") {
		return errors.New("--all goes with none of --since, --account and --conversation: leave it out to replay less")
	}
	path := []string{"replay"}
	if c.Account != "" {
		path = []string{"accounts", c.Account, "replay"}
	}
	if c.Conversation != "" {
		id, err := parseID("--conversation", c.Conversation)
		if err != nil {
			return err
		}
		path = []string{"accounts", cmp.Or(c.Account, admin.Whose), "conversations", id.String(), "replay"}
	}
	since, err := parseSince(c.Since)
	if err != nil {
		return err
	}
	var selected admin.Replay
	if !since.IsZero() {
		selected.Since = &since
	}
	out := newListing(t, c.JSON, "differences")
	var done history.Replayed
	began := time.Now()
	err = c.ask(t, func(a administration) error {
		shown := newProgressLine(t, false, "events")
		defer shown.end()
		return a.each(selected, "summary", func(name string, value json.RawMessage) error {
			switch name {
			case "difference":
				shown.end()
				var d history.Difference
				if err := events.Unmarshal(value, &d); err != nil {
					return err
				}
				return out.add(d, func(w io.Writer) { showDifference(w, d) })
			case "summary":
				return events.Unmarshal(value, &done)
			}
			return shown.heard(value)
		}, path...)
	})
	if err != nil {
		return err
	}
	summary := struct {
		history.Replayed
		Zones   string  `json:"zones_now"` // rules of time zones that it was computed with
		Seconds float64 `json:"seconds"`
	}{done, zones(), time.Since(began).Seconds()}
	if err := out.end("summary", summary, func(w io.Writer) { showReplayed(w, done, time.Since(began)) }); err != nil {
		return err
	}
	if done.Different > 0 {
		return exit(1)
	}
	return nil
}

// shownChanges is how many changes of one message are shown on a terminal.
const shownChanges = 8

func showDifference(w io.Writer, d history.Difference) {
	fmt.Fprintf(w, "message %s, answered %s\n  in conversation %s\n  %q version %d, engine %s (now %s): %s\n",
		d.MessageID, stamp(d.Time), d.ConversationID, d.Domain.Title, d.Domain.Version, d.Engine, d.EngineNow, oneLine(d.Prompt, 72))
	for i, change := range d.Changes {
		if i == shownChanges {
			fmt.Fprintf(w, "  and %s: see them with --json\n", count(len(d.Changes)-i, "other change"))
			break
		}
		fmt.Fprintf(w, "  %s\n", changeText(change, 60))
	}
	fmt.Fprintln(w)
}

// changeText is a change on one line; values are cut at a number of characters.
func changeText(c history.Change, length int) string {
	side := func(value json.RawMessage) string {
		if value == nil {
			return "nothing"
		}
		return oneLine(string(value), length)
	}
	return fmt.Sprintf("%s: was %s, is %s", c.Path, side(c.Was), side(c.Is))
}

func showReplayed(w io.Writer, done history.Replayed, took time.Duration) {
	fmt.Fprintf(w, "%s of %s: %d the same, %d different", count(done.Messages, "message"), count(int(done.Read), "event"), done.Same, done.Different)
	for _, code := range slices.Sorted(maps.Keys(done.Skipped)) {
		fmt.Fprintf(w, ", %d not repeated (%s)", done.Skipped[code], code)
	}
	fmt.Fprintf(w, ", in %s\n", took.Round(time.Millisecond))
	if done.Different > 0 {
		fmt.Fprintf(w, "Time zones follow the rules %s now; which they followed then is not recorded.\n", zones())
	}
}
