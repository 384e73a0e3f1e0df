package projections

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/events/log"
)

// patience is how long a test waits for what must happen.
const patience = 20 * time.Second

// start is the time of the first event of a test.
var start = time.Date(2026, 3, 5, 14, 7, 9, 123e6, time.UTC)

// openLog runs a log on a directory for the length of a test.
func openLog(t testing.TB, dir string) *log.Log {
	t.Helper()
	log, err := log.Open(t.Context(), log.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := log.Close(); err != nil {
			t.Error(err)
		}
	})
	return log
}

// openViews opens the views of a directory for the length of a test and waits until they have
// caught up.
func openViews(t testing.TB, log *log.Log, dir string) *Views {
	t.Helper()
	v, err := Open(t.Context(), log, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := v.CaughtUp(ctx); err != nil {
		t.Fatal(err)
	}
	if err := v.Ready(); err != nil {
		t.Fatal(err)
	}
	return v
}

// openIdle starts views that do not fold, so that a test can hand them batches.
func openIdle(t testing.TB, log *log.Log, dir string) *Views {
	t.Helper()
	v := newViews(log, nil)
	if _, err := v.start(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
	return v
}

// history appends events to a log, or counts for one.
type history struct {
	t    testing.TB
	log  *log.Log
	last map[string]uint64
	next uint64
}

func newHistory(t testing.TB, log *log.Log) *history {
	return &history{t: t, log: log, last: map[string]uint64{}}
}

// append adds an event at the end of its subject.
func (h *history) append(e events.Event) events.Event {
	h.t.Helper()
	sequence, err := h.log.Append(h.t.Context(), e, h.last[e.Subject.String()])
	if err != nil {
		h.t.Fatal(err)
	}
	h.last[e.Subject.String()] = sequence
	h.next = sequence
	e.Sequence = sequence
	return e
}

// number gives an event the next sequence without a log.
func (h *history) number(e events.Event) events.Event {
	h.next++
	e.Sequence = h.next
	return e
}

// event is an event of this second.
func event(s events.Subject, data any) events.Event {
	return events.Event{ID: uuid.New(), Time: start, Subject: s, Data: data}
}

// request is a message of a conversation.
func request(conversation uuid.UUID, prompt string) events.Message {
	return events.Message{
		ConversationID: conversation, MessageID: uuid.New(), KeyID: uuid.New(),
		Source: "api", InputFormat: "structured", Prompt: prompt,
		Domain:     events.DomainRef{ID: uuid.MustParse("6f0c1f5e-9a4b-4d57-8f3e-2a7b6a1d0c11"), Key: "dm_1", Version: 1, Title: "Road trip"},
		ReceivedAt: start, Now: start.Truncate(time.Second), TimeZone: "UTC", Engine: "1",
	}
}

// completed is a calculation of a scenario.
func completed(account uuid.UUID, m events.Message, action string, original, current int) events.Event {
	text := m.Prompt
	variables := make([]events.ResultVariable, 3)
	for i := range variables {
		variables[i] = events.ResultVariable{
			ID: uuid.New(), Key: fmt.Sprint("variable", i), Title: "A variable", Source: "user_input",
			Value: json.RawMessage(`"150 mi"`), Display: json.RawMessage(`{"data_type":"number","kind":"number","format":"decimals_1"}`),
		}
	}
	return event(events.ConversationSubject(account, m.ConversationID), &events.MessageCompleted{
		Message: m, Parsed: json.RawMessage(`{"version":2,"inputs":[],"calculate":{"key":"time","unit":null},"scenario":"new"}`),
		StructuredText: &text,
		Results: events.Results{
			Action: action, Scenario: events.ScenarioRef{Original: original, Current: current},
			Activities: []events.ResultActivity{{
				ID: uuid.New(), Title: "Driving time", Equation: "time = distance / speed", State: "active",
				Variables: []events.ResultActivityVariable{{ID: variables[0].ID, Calculable: true}},
			}},
			Variables: variables, Calculated: &variables[0].ID,
		},
		Targets: []events.Target{{Key: "time"}},
	})
}

// failed is a calculation that ended in an error, with pending inputs or "" for none.
func failed(account uuid.UUID, m events.Message, pending string) events.Event {
	data := &events.MessageFailed{Message: m, Errors: json.RawMessage(`[{"code":"calculation.missing_inputs","message":"…"}]`)}
	if pending != "" {
		data.Pending = json.RawMessage(pending)
	}
	return event(events.ConversationSubject(account, m.ConversationID), data)
}

// started says that a message is being worked on.
func started(account uuid.UUID, m events.Message) events.Event {
	return event(events.ConversationSubject(account, m.ConversationID), &events.MessageStarted{Message: m})
}

// interpreted is what a model made of a message.
func interpreted(account uuid.UUID, m events.Message) events.Event {
	return event(events.ConversationSubject(account, m.ConversationID), &events.MessageInterpreted{
		Message: m, Parsed: json.RawMessage(`{"version":2,"inputs":[],"calculate":{"key":"time","unit":null}}`), Proposer: "a model",
	})
}

// first is the first message of a new conversation.
func first(account uuid.UUID) events.Event {
	return completed(account, request(uuid.New(), "distance: 150 mi\ncalculate: time"), "new", 0, 1)
}

// after is a further message of the conversation of another event, which must be a message's.
func after(e events.Event, scenario int) events.Event {
	return completed(e.Subject.Account(), request(e.Message().ConversationID, "speed: 60 mi/h"), "extend", scenario, scenario)
}

// recorder is a log that a test reads. It may be written to from several goroutines.
type recorder struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (r *recorder) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(p)
}

func (r *recorder) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

func (r *recorder) logger() *slog.Logger { return slog.New(slog.NewTextHandler(r, nil)) }

// eventually asks until a condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(patience)
	ask := time.NewTicker(5 * time.Millisecond)
	defer ask.Stop()
	for !holds() {
		select {
		case <-ask.C:
		case <-deadline:
			t.Fatalf("still not true after %s: %s", patience, what)
		}
	}
}
