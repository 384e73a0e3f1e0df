package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/commands/history"
)

type replayCommand struct {
	directory
	Conversation string `help:"Only this conversation." placeholder:"ID"`
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
	var r history.Selection
	var err error
	if c.Conversation == "" && c.Since == "" && !c.All {
		return errors.New("say what to replay: --all, --since 7d, or --conversation ID")
	}
	if c.All && (c.Conversation != "" || c.Since != "") {
		return errors.New("--all goes with neither --since nor --conversation: leave it out to replay less")
	}
	if c.Conversation != "" {
		if r.Conversation, err = parseID("--conversation", c.Conversation); err != nil {
			return err
		}
	}
	if r.Since, err = parseSince(c.Since); err != nil {
		return err
	}
	out := newListing(t, c.JSON, "differences")
	var done history.Replayed
	began := time.Now()
	err = c.administer(t, func(a commands.Admin) error {
		shown := newProgressLine(t, false, "events")
		defer shown.end()
		done, err = history.Replay(t, a.Log, r, func(d history.Difference) error {
			shown.end()
			return out.add(d, func(w io.Writer) { showDifference(w, d) })
		}, func(done history.Replayed) { shown.count(done.Read, done.Total) })
		return err
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

// oneLine is a text without line breaks, cut behind a number of characters.
func oneLine(text string, length int) string {
	text = strings.Join(strings.Fields(text), " ")
	if short := []rune(text); len(short) > length {
		return string(short[:length]) + "…"
	}
	return text
}

// stamp is a time to the second. parseTime reads it.
func stamp(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05 UTC") }

// parseID reads an id that a flag gives.
func parseID(flag, text string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil || id == uuid.Nil { // which stands for none
		return id, fmt.Errorf("%s %q is no id: give one such as 0199c0de-0000-7000-8000-000000000000, as answers have them", flag, text)
	}
	return id, nil
}

// parseTime reads a time, or a date, whose day begins in UTC.
func parseTime(text string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05", "2006-01-02 15:04:05 UTC", "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// parseSince reads a time or how long ago it was; "" is for ever.
func parseSince(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if at, ok := parseTime(text); ok {
		return at, nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 && n <= 100_000 {
			return time.Now().AddDate(0, 0, -n), nil
		}
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return time.Now().Add(-ago), nil
	}
	return time.Time{}, fmt.Errorf("--since %q: give how long ago (30d, 12h, 90m), a date (2026-03-05) or a time (2026-03-05T14:07:00Z)", text)
}

// listing writes entries as they come: as text, or as one JSON document with an array of them.
type listing struct {
	t       terminal
	json    bool
	name    string
	entries int
}

func newListing(t terminal, asJSON bool, name string) *listing {
	t.out = visible{t.out}
	return &listing{t: t, json: asJSON, name: name}
}

func (l *listing) add(entry any, text func(io.Writer)) error {
	if !l.json {
		text(l.t.out)
		return nil
	}
	if err := l.open(); err != nil {
		return err
	}
	if l.entries > 0 {
		fmt.Fprint(l.t.out, ",")
	}
	l.entries++
	return l.write("\n    ", "    ", entry)
}

// open begins the document.
func (l *listing) open() error {
	if l.entries > 0 {
		return nil
	}
	_, err := fmt.Fprintf(l.t.out, "{\n  %q: [", l.name)
	return err
}

func (l *listing) write(before, prefix string, v any) error {
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent(prefix, "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := fmt.Fprint(l.t.out, before, strings.TrimSpace(text.String()))
	return err
}

// end writes what all entries come to.
func (l *listing) end(name string, v any, text func(io.Writer)) error {
	if !l.json {
		text(l.t.out)
		return nil
	}
	if err := l.open(); err != nil {
		return err
	}
	if l.entries > 0 {
		fmt.Fprint(l.t.out, "\n  ")
	}
	if err := l.write(fmt.Sprintf("],\n  %q: ", name), "  ", v); err != nil {
		return err
	}
	_, err := fmt.Fprintln(l.t.out, "\n}")
	return err
}
