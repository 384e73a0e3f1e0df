package commands

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/commands/commandstest"
	"reckon/engine/prompt"
	"reckon/engine/value"
	"reckon/events"
	"reckon/projections"
)

var update = flag.Bool("update", false, "write the expected outputs anew")

// golden compares what was done with a file, and names the first line that differs; with -update it
// writes the file.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(string(data), "\n")
	for i, line := range strings.Split(got, "\n") {
		if i >= len(want) || want[i] != line {
			t.Fatalf("%s:%d: %s\nrun the test with -update and look at the diff", file, i+1, line)
		}
	}
	if len(got) != len(data) {
		t.Fatalf("%s is longer than what was done", file)
	}
}

// trip is the domain of the scenario table.
func trip(t testing.TB) *Domain {
	def := commandstest.Trip()
	d, issues := CheckFile(def)
	if d == nil {
		t.Fatal(issues)
	}
	d.Key, d.Version = "dm_00000000", 1
	d.ID = uuid.NewSHA1(names, []byte(def.Title))
	return d
}

// history is a conversation kept in memory, as the log and the views would keep it.
type history struct {
	head      projections.Conversation
	messages  []projections.Message
	events    []events.Event // of the messages
	scenarios map[int]projections.Message
	now       time.Time
	zone      string
}

func newHistory() *history {
	return &history{zone: "UTC", scenarios: map[int]projections.Message{}, now: time.Date(2026, 3, 5, 12, 0, 0, 0, time.UTC)}
}

// say decides one prompt in JSON or structured text, and folds its event.
func (h *history) say(d *Domain, text string) projections.Message {
	if strings.HasPrefix(text, "{") {
		return h.sayAs(d, prompt.JSON, text)
	}
	return h.sayAs(d, prompt.Structured, text)
}

// sayAs is say with the format of the prompt.
func (h *history) sayAs(d *Domain, format, text string) projections.Message {
	h.now = h.now.Add(time.Hour)
	c := Calculate{
		ConversationID: uuid.NewSHA1(names, []byte("c")), MessageID: uuid.NewSHA1(names, fmt.Append(nil, len(h.messages))),
		DomainID: d.ID, DomainVersion: d.Version, InputFormat: format, Prompt: text,
		Now: h.now, ReceivedAt: h.now, TimeZone: h.zone,
	}
	e, err := Decide(c, d, h.source())
	if err != nil {
		panic(err)
	}
	e.Time, e.Sequence = h.now, uint64(len(h.messages)+1)
	var m projections.Message
	h.head, m = projections.ApplyConversation(h.head, nil, e)
	h.messages, h.events = append(h.messages, m), append(h.events, e)
	if m.Completed != nil && m.Completed.Results.Action != "fetch" {
		h.scenarios[m.Completed.Results.Scenario.Current] = m
	}
	return m
}

// source is the conversation as deciding sees it.
func (h *history) source() Source {
	from := Source{
		Head: h.head,
		Scenario: func(index int) (*projections.Message, error) {
			m := h.scenarios[index]
			return &m, nil
		},
		Origin: func(index int) (int, error) {
			for _, m := range h.messages {
				if m.Completed != nil && m.Completed.Results.Scenario.Current == index {
					return m.Completed.Results.Scenario.Original, nil
				}
			}
			return 0, nil
		},
	}
	if n := h.head.Pending; n > 0 {
		from.Pending = &h.messages[n-1]
	}
	return from
}

// told is what a message did, in one line a fact.
func (h *history) told(m projections.Message) string {
	var b strings.Builder
	if m.Failed != nil {
		var errs []value.Error
		if err := json.Unmarshal(m.Failed.Errors, &errs); err != nil {
			return err.Error()
		}
		for _, e := range errs {
			fmt.Fprintf(&b, "%s: %s", e.Code, e.Filled())
			for _, a := range e.Missing {
				b.WriteString(" [")
				for i, v := range a.Variables {
					if i > 0 {
						b.WriteString(" ")
					}
					b.WriteString(v.Key)
				}
				b.WriteString("]")
			}
			b.WriteString("\n")
		}
		return b.String()
	}
	res := m.Completed.Results
	fmt.Fprintf(&b, "%s %d -> %d, focus %d, last %d\n", res.Action, res.Scenario.Original, res.Scenario.Current, h.head.Current, h.head.Last)
	for _, v := range res.Variables {
		historical := ""
		if v.Historical {
			historical = ", historical"
		}
		fmt.Fprintf(&b, "  %s: %s (%s%s)\n", v.Key, v.Value, v.Source, historical)
	}
	return b.String()
}

// TestGoldenScenarios runs the conversations of testdata/scenarios.txt: a line "= NAME" begins one,
// a line "> PROMPT" is what is said (with " / " between the lines of a prompt), and what stands
// below is what it did.
func TestGoldenScenarios(t *testing.T) {
	const file = "testdata/scenarios.txt"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	d := trip(t)
	other := *d
	other.ID = uuid.NewSHA1(names, []byte("another domain"))
	var got strings.Builder
	var h *history
	for _, line := range strings.Split(string(data), "\n") {
		switch {
		case strings.HasPrefix(line, "= "):
			h = newHistory()
			got.WriteString("\n" + line + "\n")
		case strings.HasPrefix(line, "> "):
			text, domain := line[2:], d
			if rest, ok := strings.CutPrefix(text, "(other domain) "); ok {
				text, domain = rest, &other
			}
			got.WriteString(line + "\n" + h.told(h.say(domain, strings.ReplaceAll(text, " / ", "\n"))))
		case strings.HasPrefix(line, "# "):
			got.WriteString(line + "\n")
		}
	}
	golden(t, file, got.String())
}

// TestAScenarioWhoseVariableIsGoneBranches publishes a version without a variable that a scenario
// rests on: nothing of the scenario is lost, since the next calculation goes into a new one.
func TestAScenarioWhoseVariableIsGoneBranches(t *testing.T) {
	d := trip(t)
	h := newHistory()
	h.say(d, "distance: 150 mi\nspeed: 60 mi/h\nprice: 4 USD/gal\ncalculate: time")
	def := d.Definition
	def.Variables = append(def.Variables[:5:5], def.Variables[7:]...)
	def.Activities = append(def.Activities[:2:2], def.Activities[3:]...)
	newer, issues := Check(d.ID, def)
	if newer == nil {
		t.Fatal(issues)
	}
	newer.Version = 2
	m := h.say(newer, "calculate: fuel")
	if m.Completed == nil || m.Completed.Results.Action != "discard" || m.Completed.Results.Scenario.Current != 2 {
		t.Errorf("%s", h.told(m))
	}
}
