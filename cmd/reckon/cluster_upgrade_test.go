package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/events/log"
)

// The next release in the eyes of a test: it writes another version of an event, and reads the first.
const (
	currentEvent = `	{name: "reckon.message.completed.v1", data: of[MessageCompleted]()},`
	nextEvent    = `	{name: "reckon.message.completed.v1", data: of[completedV1](), raise: func(old any) any {
		raised := MessageCompleted(*old.(*completedV1))
		return &raised
	}},
	{name: "reckon.message.completed.v3", data: of[MessageCompleted]()},`
	nextType = `
// completedV1 is the event as the release before wrote it.
type completedV1 MessageCompleted
`
)

// TestRollingUpgrade gives one node after the other the next release while callers work, who go on to another node when one
// is not ready. The nodes of the release before read none of the new events: from the first one on they must not be ready,
// and answer nothing.
func TestRollingUpgrade(t *testing.T) {
	if !soaking {
		fmt.Fprintf(os.Stderr, "NOT RUN: %s: it builds another release; make soak runs it\n", t.Name())
		return
	}
	table := filepath.Join("..", "..", "events", "table.go")
	next := overlaid(t, map[string]string{table: replaced(t, table, currentEvent, nextEvent) + nextType})
	c := newCluster(t, t.TempDir())
	seed := seedOf(t, 17)
	c.startAll(t)
	c.settleTenants(t, 2)
	w := c.run(seed, 50*time.Millisecond)
	defer w.stop()
	w.goesOn(t, 50)
	for i, n := range c.nodes {
		began := time.Now()
		if !n.end(syscall.SIGTERM) {
			t.Errorf("%s does not end when it is asked to", n.name)
		}
		n.install(next)
		c.start(t, n)
		ready := c.awaitReady(t, n)
		w.goesOn(t, 20)
		for _, old := range c.nodes[i+1:] {
			await(t, old.name+", which is older, is not ready", patienceReady, func() bool { return !old.ready() })
			if text := old.lastWords(1000); !strings.Contains(text, "reckon.message.completed.v3") || !strings.Contains(text, "upgrade") {
				t.Errorf("%s does not say what it cannot read: %s", old.name, old.lastWords(10))
			}
		}
		t.Logf("%s upgraded: ready after %.2f s, a caller waited for %s", n.name, ready.Seconds(), c.longest(began))
	}
	w.stop()
	c.settle(t, seed)
	var versions map[string]int
	err := c.nodes[0].withLog(func(ctx context.Context, log *log.Log) (err error) {
		c.history.events, versions, err = recordedRaw(ctx, log)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if versions["reckon.message.completed.v1"] == 0 || versions["reckon.message.completed.v3"] == 0 {
		t.Errorf("the log holds %v", versions)
	}
	c.judge(t)
}

// recordedRaw reads final events whose version this release does not know, and counts the types.
func recordedRaw(ctx context.Context, log *log.Log) (final []recorded, types map[string]int, err error) {
	stream, err := log.JetStream().Stream(ctx, "EVENTS")
	if err != nil {
		return nil, nil, err
	}
	names, prompts, types := map[string]string{}, map[uuid.UUID]string{}, map[string]int{}
	for sequence := uint64(1); sequence <= stream.CachedInfo().State.LastSeq; sequence++ {
		m, err := stream.GetMsg(ctx, sequence)
		if err != nil {
			return nil, nil, fmt.Errorf("read event %d: %w", sequence, err)
		}
		account := strings.Split(m.Subject, ".")[1]
		kind := m.Header.Get("ce-type")
		types[kind]++
		switch typ, version, _ := strings.Cut(kind, ".v"); typ {
		case "reckon.prompt.stored":
			var e events.PromptStored
			if m.Data, err = events.Expand(m.Data); err == nil {
				err = json.Unmarshal(m.Data, &e)
			}
			if err != nil {
				return nil, nil, err
			}
			prompts[e.MessageID] = e.Prompt
		case "reckon.account.created":
			var e events.AccountCreated
			if err := json.Unmarshal(m.Data, &e); err != nil {
				return nil, nil, err
			}
			names[account] = e.Name
		case "reckon.message.completed", "reckon.message.failed":
			var e struct {
				events.Message
				Results *events.Results `json:"results"`
				Errors  json.RawMessage `json:"errors"`
			}
			if err := json.Unmarshal(m.Data, &e); err != nil {
				return nil, nil, err
			}
			if version == "2" {
				e.Prompt = prompts[e.MessageID]
			}
			r := recorded{account: names[account], conversation: e.ConversationID.String(), prompt: e.Prompt}
			if e.IdempotencyKey != nil {
				r.key = *e.IdempotencyKey
			}
			r.answer = messageBody{MessageID: e.MessageID.String(), Results: e.Results, Errors: e.Errors}.answered()
			final = append(final, r)
		}
	}
	return final, types, nil
}
