package history

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/commands/commandstest"
	"reckon/engine/prompt"
	"reckon/engine/value"
	"reckon/events"
	"reckon/events/log"
	"reckon/projections"
)

const (
	drive   = commandstest.Drive
	howLong = commandstest.HowLong
)

// trip is the domain of the tests.
func trip(t testing.TB) *commands.Domain {
	t.Helper()
	d, issues := commands.CheckFile(commandstest.Trip())
	if d == nil {
		t.Fatal(issues)
	}
	d.Key, d.Version = "dm_00000000", 1
	return d
}

// node is a log with an account, its domain, and a service on it.
type node struct {
	log     *log.Log
	views   *projections.Views
	service *commands.Service
	account projections.Account
	domain  uuid.UUID
}

func openLog(t testing.TB) *log.Log {
	t.Helper()
	log, err := log.Open(t.Context(), log.Options{Dir: t.TempDir(), Logger: slog.New(slog.DiscardHandler)})
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

// start starts a node that has a model read prose.
func start(t *testing.T, m commands.Model) *node {
	t.Helper()
	n := &node{log: openLog(t)}
	admin := commands.Admin{Log: n.log}
	var err error
	if n.account, err = admin.CreateAccount(t.Context(), commands.CreateAccount{Name: "acme", TimeZone: "Europe/Berlin"}); err != nil {
		t.Fatal(err)
	}
	n.domain = n.publish(t, commandstest.Trip()).DomainID
	if n.views, err = projections.Open(t.Context(), n.log, t.TempDir(), slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.views.Close(); err != nil {
			t.Error(err)
		}
	})
	n.service = commands.New(n.log, n.views, slog.New(slog.DiscardHandler))
	n.service.UseModel(m)
	running, stop := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() { n.service.Run(running) })
	t.Cleanup(func() {
		stop()
		work.Wait()
	})
	return n
}

func (n *node) publish(t *testing.T, def events.Definition) commands.Published {
	t.Helper()
	published, err := commands.Admin{Log: n.log}.Publish(t.Context(), commands.Publication{Account: "acme", Definition: def})
	if err != nil {
		t.Fatal(err)
	}
	return published
}

func (n *node) request(text string) commands.Request {
	return commands.Request{Account: n.account, Domain: n.domain, Prompt: text, Fingerprint: strings.Repeat("0", 64)}
}

// prose is a request in natural language.
func (n *node) prose(text string) commands.Request {
	r := n.request(text)
	r.Format = prompt.NaturalLanguage
	return r
}

// answered asks and waits for the answer.
func (n *node) answered(t *testing.T, r commands.Request) projections.Message {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	a, err := n.service.Calculate(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	m, err := n.service.Await(ctx, n.account.ID, a.Message)
	if err != nil || m.Status == projections.InProgress {
		t.Fatalf("the message is %s: %v", m.Status, err)
	}
	return m
}

// code is that of the one error which a message ended in, "" of a completed one.
func code(t *testing.T, m projections.Message) string {
	t.Helper()
	if m.Failed == nil {
		return ""
	}
	errs := commands.ErrorsOf(m.Failed)
	if len(errs) != 1 {
		t.Fatalf("errors %s", m.Failed.Errors)
	}
	return errs[0].Code
}

// talk is a conversation kept in memory.
type talk struct {
	conversation
	messages []projections.Message
	events   []events.Event // of the messages
	now      time.Time
	zone     string
}

func newTalk() *talk {
	return &talk{zone: "UTC", now: time.Date(2026, 3, 5, 12, 0, 0, 0, time.UTC)}
}

// say decides one prompt in JSON or structured text, and folds its event.
func (h *talk) say(d *commands.Domain, text string) projections.Message {
	if strings.HasPrefix(text, "{") {
		return h.sayAs(d, prompt.JSON, text)
	}
	return h.sayAs(d, prompt.Structured, text)
}

// sayAs is say with the format of the prompt.
func (h *talk) sayAs(d *commands.Domain, format, text string) projections.Message {
	h.now = h.now.Add(time.Hour)
	from, err := h.source(nil, h.message)
	if err != nil {
		panic(err)
	}
	e, err := commands.Decide(commands.Calculate{
		ConversationID: uuid.NewSHA1(uuid.Nil, []byte("c")), MessageID: uuid.NewSHA1(uuid.Nil, fmt.Append(nil, len(h.messages))),
		DomainID: d.ID, DomainVersion: d.Version, InputFormat: format, Prompt: text,
		Now: h.now, ReceivedAt: h.now, TimeZone: h.zone,
	}, d, from)
	if err != nil {
		panic(err)
	}
	e.Time, e.Sequence = h.now, uint64(len(h.messages)+1)
	m := h.apply(e)
	h.messages, h.events = append(h.messages, m), append(h.events, e)
	return m
}

// message is the message with the sequence of its event.
func (h *talk) message(sequence uint64) (*projections.Message, error) {
	return &h.messages[sequence-1], nil
}

// fork is a conversation that goes its own way from here.
func (h *talk) fork() *talk {
	other := *h
	other.conversation = h.before()
	other.messages, other.events = slices.Clone(h.messages), slices.Clone(h.events)
	return &other
}

// told is what a message did.
func told(m projections.Message) string {
	if m.Failed != nil {
		return string(m.Failed.Errors)
	}
	return string(commands.Encode(m.Completed.Results))
}

// lastError is an answer of one error.
func lastError(code string, args ...string) json.RawMessage {
	return commands.Encode(value.Problems(code, args...))
}
