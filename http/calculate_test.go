package http

import (
	"encoding/json"
	"errors"
	"log/slog"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/events"
	"reckon/events/log"
	"reckon/projections"
)

// node is a server on a log of its own. Nothing works through its queue: a test appends the events
// of its commands.
type node struct {
	t       testing.TB
	server  *Server
	log     *log.Log
	account uuid.UUID
	secret  string
	domain  events.DomainRef
}

func startNode(t testing.TB) *node {
	t.Helper()
	ctx, logger := t.Context(), slog.New(slog.DiscardHandler)
	log, err := log.Open(ctx, log.Options{Dir: t.TempDir(), Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := log.Close(); err != nil {
			t.Error(err)
		}
	})
	admin := commands.Admin{Log: log}
	account, err := admin.CreateAccount(ctx, commands.CreateAccount{Name: "acme"})
	if err != nil {
		t.Fatal(err)
	}
	_, secret, err := admin.CreateKey(ctx, "acme", commands.KeyTerms{})
	if err != nil {
		t.Fatal(err)
	}
	variable := func(key string) events.Variable {
		return events.Variable{Key: key, Title: key, Kind: "number", DefaultValue: json.RawMessage(`""`)}
	}
	published, err := admin.Publish(ctx, commands.Publication{Account: "acme", Definition: events.Definition{
		Title: "Sum", Description: "One more.", Variables: []events.Variable{variable("a"), variable("b")},
		Activities: []events.Activity{{Title: "One more", Equation: "b = a + 1", State: "active"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	views, err := projections.Open(ctx, log, t.TempDir(), logger)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := views.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := views.Fresh(ctx); err != nil {
		t.Fatal(err)
	}
	server := New(logger, "v0")
	server.Open(views, commands.New(log, views, logger))
	return &node{
		t: t, log: log, account: account.ID, secret: secret, server: server,
		domain: events.DomainRef{ID: published.DomainID, Key: published.Key, Version: 1, Title: "Sum", Description: "One more."},
	}
}

// ask sends a request; header are names and values.
func (n *node) ask(method, path, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+n.secret)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	n.server.Handler().ServeHTTP(w, r)
	return w
}

// request waits for the command of an idempotency key, and is what its events say of it.
func (n *node) request(key string) events.Message {
	n.t.Helper()
	for {
		data, err := n.log.Command(n.t.Context(), events.CommandSubject(n.account, "key "+key))
		if errors.Is(err, log.ErrNotFound) {
			continue
		}
		if err != nil {
			n.t.Fatal(err)
		}
		var c commands.Calculate
		if err := json.Unmarshal(data, &c); err != nil {
			n.t.Fatal(err)
		}
		return events.Message{
			ConversationID: c.ConversationID, MessageID: c.MessageID, IdempotencyKey: c.IdempotencyKey, Source: "api",
			InputFormat: c.InputFormat, Prompt: c.Prompt, Domain: n.domain, ReceivedAt: c.ReceivedAt, Now: c.Now, TimeZone: c.TimeZone, Engine: "1",
		}
	}
}

// happen appends an event of a message, behind another one of the conversation.
func (n *node) happen(m events.Message, data any, after uint64) uint64 {
	n.t.Helper()
	sequence, err := n.log.Append(n.t.Context(), events.Event{
		ID: uuid.New(), Time: m.ReceivedAt.Add(time.Second), Subject: events.ConversationSubject(n.account, m.ConversationID), Data: data,
	}, after)
	if err != nil {
		n.t.Fatal(err)
	}
	return sequence
}

// TestProseInProgress asks for a message in prose from when it is begun until it is answered.
func TestProseInProgress(t *testing.T) {
	n := startNode(t)
	body := `{"domain_id":"` + n.domain.ID.String() + `","input_format":"natural_language","prompt":"what is b for a of 1?"}`
	ask := func(header ...string) chan *httptest.ResponseRecorder {
		answered := make(chan *httptest.ResponseRecorder, 1)
		go func() { answered <- n.ask("POST", "/v1/calculate", body, append(header, "Idempotency-Key", "k")...) }()
		return answered
	}
	check := func(name string, w *httptest.ResponseRecorder, status int, replayed, applied, schema string) {
		t.Helper()
		for header, want := range map[string]string{
			"Idempotent-Replayed": replayed, "Preference-Applied": applied,
			"Retry-After": map[int]string{202: "1"}[status],
			"Location":    map[int]string{202: "/v1/conversations/" + n.request("k").ConversationID.String()}[status],
		} {
			if got := w.Header().Get(header); got != want {
				t.Errorf("%s: %s is %q, want %q", name, header, got, want)
			}
		}
		var m map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		_, results := m["results"]
		_, errs := m["errors"]
		if w.Code != status || results || errs != (status == 200) || m["status"] != map[int]string{200: "error", 202: "in_progress"}[status] {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
		conforms(t, schema, w.Body.Bytes())
	}

	first := ask()
	m := n.request("k")
	begun := n.happen(m, &events.MessageStarted{Message: m}, 0)
	check("first", <-first, 202, "", "", "Message")
	check("again, in version 1", <-ask("Body-Version", "1"), 202, "true", "", "MessageV1")
	check("a preference that is none", <-ask("Prefer", "wait=soon"), 202, "true", "", "Message")
	check("a second", <-ask("Prefer", "respond-async, wait=1"), 202, "true", "wait=1", "Message")
	check("at once", <-ask("Prefer", "respond-async"), 202, "true", "respond-async", "Message")

	w := n.ask("GET", "/v1/conversations/"+m.ConversationID.String(), "")
	if w.Code != 200 {
		t.Errorf("the conversation: %d %s", w.Code, w.Body)
	}
	conforms(t, "Conversation", w.Body.Bytes())
	conforms(t, "ConversationV1", n.ask("GET", "/v1/conversations/"+m.ConversationID.String(), "", "Body-Version", "1").Body.Bytes())
	var c struct {
		Title        string
		LastActivity time.Time `json:"last_activity_at"`
		Current      *int      `json:"current_scenario_index"`
		Messages     []map[string]any
	}
	if err := json.Unmarshal(w.Body.Bytes(), &c); err != nil {
		t.Fatal(err)
	}
	if c.Title != m.Prompt || !c.LastActivity.Equal(m.ReceivedAt.Add(time.Second)) || c.Current != nil || len(c.Messages) != 1 || c.Messages[0]["status"] != "in_progress" {
		t.Errorf("the conversation: %s", w.Body)
	}
	if list := n.ask("GET", "/v1/conversations", ""); !strings.Contains(list.Body.String(), m.ConversationID.String()) {
		t.Errorf("the list of conversations: %s", list.Body)
	}

	waiting := ask("Prefer", "wait=99")
	n.happen(m, &events.MessageFailed{Message: m, Errors: json.RawMessage(`[{"code":"language.timeout","message":"Language processing took too long."}]`)}, begun)
	check("until it is answered", <-waiting, 200, "true", "wait=30", "Message")
	check("when it is answered", <-ask(), 200, "true", "", "Message")
}

// TestAServerThatStopsHoldsNobody stops a server while a caller waits for prose.
func TestAServerThatStopsHoldsNobody(t *testing.T) {
	n := startNode(t)
	answered := make(chan *httptest.ResponseRecorder, 1)
	go func() {
		answered <- n.ask("POST", "/v1/calculate", `{"domain_id":"`+n.domain.ID.String()+`","prompt":"what is b for a of 1?"}`, "Idempotency-Key", "k", "Prefer", "wait=30")
	}()
	m := n.request("k")
	n.server.stop()
	n.happen(m, &events.MessageStarted{Message: m}, 0)
	if w := <-answered; w.Code != nethttp.StatusAccepted {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
