package webhooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	nethttp "net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/events"
	"reckon/events/log"
	"reckon/events/log/logtest"
	"reckon/projections"
)

// patience is how long what is to happen may take on a loaded machine.
const patience = 90 * time.Second

// node is a node with its service and what it sends.
type node struct {
	log     *log.Log
	views   *projections.Views
	service *commands.Service
	sender  *Sender
	admin   commands.Admin
}

// newNode is a node on a log of its own, whose Sender runs not yet.
func newNode(t *testing.T, dir string) *node {
	t.Helper()
	logger := slog.New(slog.DiscardHandler)
	l, err := log.Open(t.Context(), log.Options{Dir: dir, Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	views, err := projections.Open(t.Context(), l, dir, logger)
	if err != nil {
		t.Fatal(err)
	}
	n := &node{l, views, commands.New(l, views, logger), New(l, views, NewPost(true), logger), commands.Admin{Log: l, Views: views}}
	run(t, n.service.Run)
	t.Cleanup(func() {
		if err := views.Close(); err != nil {
			t.Error(err)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return n
}

// run runs something until the test ends, or stop is called.
func run(t *testing.T, do func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		do(ctx)
	}()
	stop = func() {
		cancel()
		<-ended
	}
	t.Cleanup(stop)
	return stop
}

func (n *node) send(t *testing.T) (stop func()) { return run(t, n.sender.Run) }

// account makes an account with a domain that doubles.
func (n *node) account(t *testing.T, name string) projections.Account {
	t.Helper()
	account, err := n.admin.CreateAccount(t.Context(), commands.CreateAccount{Name: name})
	must(t, err)
	_, err = n.admin.Publish(t.Context(), commands.Publication{Account: name, Definition: events.Definition{
		Title: "Double", Description: "Twice.",
		Variables:  []events.Variable{{Key: "x", Title: "x", Kind: "number", DefaultValue: []byte(`""`)}, {Key: "y", Title: "y", Kind: "number", DefaultValue: []byte(`""`)}},
		Activities: []events.Activity{{Title: "Twice", Equation: "y = 2*x", State: "active"}},
	}})
	must(t, err)
	must(t, n.views.Fresh(t.Context()))
	return account
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// hook gives an account a webhook.
func (n *node) hook(t *testing.T, account, url string, of ...string) (id uuid.UUID, secret string) {
	t.Helper()
	id, secret, err := n.admin.CreateWebhook(t.Context(), account, commands.WebhookTerms{URL: &url, Events: of}, true)
	must(t, err)
	must(t, n.views.Fresh(t.Context()))
	return id, secret
}

// ask has a prompt of an account answered.
func (n *node) ask(t *testing.T, account projections.Account, prompt string) projections.Message {
	t.Helper()
	answered, err := n.service.Calculate(t.Context(), commands.Request{
		Account: account, Domain: n.views.Domains(account.ID)[0].ID, Prompt: prompt, Format: "structured", Fingerprint: "f",
	})
	must(t, err)
	return answered.Message
}

const (
	good = "x: 21\ncalculate: y"
	bad  = "z: 21\ncalculate: y"
)

// until tries until it works.
func until(t *testing.T, what string, try func() bool) {
	t.Helper()
	logtest.Until(t, "webhooks", func(context.Context) error {
		if !try() {
			return errors.New(what)
		}
		return nil
	})
}

// outcomes waits until a webhook has so many outcomes, the newest first.
func (n *node) outcomes(t *testing.T, account, hook uuid.UUID, want int) (list []events.Outcome) {
	t.Helper()
	until(t, fmt.Sprintf("there are no %d outcomes", want), func() bool {
		var err error
		list, err = n.log.Outcomes(t.Context(), account, hook)
		must(t, err)
		return len(list) >= want
	})
	return list
}

// state is the webhook as the log has it.
func (n *node) state(t *testing.T, account string, hook uuid.UUID) projections.Webhook {
	t.Helper()
	a, err := n.admin.Account(t.Context(), account)
	must(t, err)
	w, _ := a.Webhook(hook)
	return w
}

// receiver keeps what it is sent.
type receiver struct {
	*httptest.Server
	mu   sync.Mutex
	list []received
}

type received struct {
	id, stamp, signatures string
	body                  string
}

// newReceiver answers the n-th request, from 0 on, as answer does.
func newReceiver(t *testing.T, answer func(w nethttp.ResponseWriter, r *nethttp.Request, n int)) *receiver {
	s := &receiver{}
	s.Server = httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		n := len(s.list)
		s.list = append(s.list, received{r.Header.Get("webhook-id"), r.Header.Get("webhook-timestamp"), r.Header.Get("webhook-signature"), string(body)})
		s.mu.Unlock()
		answer(w, r, n)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *receiver) got() []received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.list)
}

func status(code int) func(nethttp.ResponseWriter, *nethttp.Request, int) {
	return func(w nethttp.ResponseWriter, _ *nethttp.Request, _ int) { w.WriteHeader(code) }
}

// TestSent holds what a receiver gets of an answer and of a failure, and that it is signed.
func TestSent(t *testing.T) {
	n := newNode(t, t.TempDir())
	account := n.account(t, "acme")
	n.ask(t, account, good) // before there is a webhook
	both, failures := newReceiver(t, status(204)), newReceiver(t, status(200))
	id, secret := n.hook(t, "acme", both.URL)
	n.hook(t, "acme", failures.URL, events.CalculationFailed)
	n.send(t)
	answered, failed := n.ask(t, account, good), n.ask(t, account, bad)
	until(t, "not all is sent", func() bool { return len(both.got()) == 2 && len(failures.got()) == 1 })
	for _, m := range []projections.Message{answered, failed} {
		var body struct {
			Type      string    `json:"type"`
			Timestamp time.Time `json:"timestamp"`
			Data      struct {
				MessageID uuid.UUID       `json:"message_id"`
				Status    string          `json:"status"`
				Results   json.RawMessage `json:"results"`
			} `json:"data"`
		}
		at := slices.IndexFunc(both.got(), func(r received) bool { return r.id == "msg_"+events.DeliveryID(id, m.MessageID).String() })
		if at < 0 {
			t.Fatalf("message %s is not sent: %+v", m.MessageID, both.got())
		}
		r := both.got()[at]
		must(t, json.Unmarshal([]byte(r.body), &body))
		if body.Type != map[bool]string{true: events.CalculationCompleted, false: events.CalculationFailed}[m.Completed != nil] || body.Data.MessageID != m.MessageID || body.Data.Status != m.Status || time.Since(body.Timestamp).Abs() > patience {
			t.Errorf("%s: %s", m.Status, r.body)
		}
		verify(t, r, secret)
	}
	if got := failures.got()[0]; !strings.Contains(got.body, "calculation.failed") {
		t.Errorf("a webhook for failures is sent %s", got.body)
	}
	list := n.outcomes(t, account.ID, id, 2)
	if o := list[0]; len(list) != 2 || o.Result != events.Delivered || o.Status != 204 || o.Attempt != 1 || o.Failures != 0 {
		t.Errorf("%+v", list)
	}
}

// TestRolled holds that both secrets sign during the overlap, and the new one alone behind it.
func TestRolled(t *testing.T) {
	n := newNode(t, t.TempDir())
	account := n.account(t, "acme")
	r := newReceiver(t, status(200))
	id, first := n.hook(t, "acme", r.URL)
	second, err := n.admin.RollWebhook(t.Context(), id, time.Hour)
	must(t, err)
	n.send(t)
	n.ask(t, account, good)
	until(t, "nothing is sent", func() bool { return len(r.got()) == 1 })
	verify(t, r.got()[0], first)
	verify(t, r.got()[0], second)
	third, err := n.admin.RollWebhook(t.Context(), id, 0)
	must(t, err)
	must(t, n.views.Fresh(t.Context()))
	n.ask(t, account, good)
	until(t, "nothing more is sent", func() bool { return len(r.got()) == 2 })
	verify(t, r.got()[1], third)
	if strings.Contains(r.got()[1].signatures, " ") {
		t.Error("a secret signs whose overlap is over")
	}
}

// TestRetries holds that a receiver that fails is asked again, with the same id.
func TestRetries(t *testing.T) {
	n := newNode(t, t.TempDir())
	n.sender.pauses = []time.Duration{10 * time.Millisecond, 10 * time.Millisecond}
	account := n.account(t, "acme")
	r := newReceiver(t, func(w nethttp.ResponseWriter, _ *nethttp.Request, n int) {
		w.WriteHeader([]int{500, 503, 200}[min(n, 2)])
	})
	id, secret := n.hook(t, "acme", r.URL)
	n.send(t)
	n.ask(t, account, good)
	list := n.outcomes(t, account.ID, id, 3)
	for i, want := range []struct {
		result  string
		status  int
		attempt int
	}{{events.Delivered, 200, 3}, {events.Retrying, 503, 2}, {events.Retrying, 500, 1}} {
		if o := list[i]; o.Result != want.result || o.Status != want.status || o.Attempt != want.attempt || (o.Next == nil) != (want.result == events.Delivered) {
			t.Errorf("outcome %d is %+v, want %+v", i, o, want)
		}
	}
	for _, got := range r.got() {
		if got.id != r.got()[0].id || got.body != r.got()[0].body {
			t.Errorf("another message is sent: %+v", got)
		}
		verify(t, got, secret)
	}
}

// TestDisabled holds that five messages that fail for good disable a webhook, that this is said, and
// that nothing is sent until it is enabled.
func TestDisabled(t *testing.T) {
	n := newNode(t, t.TempDir())
	n.sender.pauses = []time.Duration{time.Millisecond}
	account := n.account(t, "acme")
	well := make(chan struct{})
	r := newReceiver(t, func(w nethttp.ResponseWriter, _ *nethttp.Request, n int) {
		select {
		case <-well:
		default:
			w.WriteHeader(500)
		}
	})
	id, _ := n.hook(t, "acme", r.URL)
	n.send(t)
	for i := range maxFailures - 1 {
		n.ask(t, account, good)
		list := n.outcomes(t, account.ID, id, 2*(i+1))
		if !slices.ContainsFunc(list, func(o events.Outcome) bool { return o.Result == events.Failed && o.Attempt == 2 && o.Failures == i+1 }) {
			t.Fatalf("failure %d: %+v", i+1, list)
		}
	}
	if w := n.state(t, "acme", id); w.Disabled != nil {
		t.Fatalf("it is disabled after %d failures: %s", maxFailures-1, w.Disabled.Reason)
	}
	n.ask(t, account, good)
	until(t, "it is not disabled", func() bool { return n.state(t, "acme", id).Disabled != nil })
	if reason := n.state(t, "acme", id).Disabled.Reason; reason != "5 messages in a row could not be delivered; the last time it answered 500" {
		t.Errorf("it is disabled because %s", reason)
	}
	must(t, n.views.Fresh(t.Context()))
	before := len(r.got())
	n.ask(t, account, good)
	close(well)
	must(t, n.admin.EnableWebhook(t.Context(), id))
	must(t, n.views.Fresh(t.Context()))
	n.ask(t, account, good)
	list := n.outcomes(t, account.ID, id, 2*maxFailures+1)
	if list[0].Result != events.Delivered || list[0].Failures != 0 || len(r.got()) != before+1 {
		t.Errorf("%d requests more, the last one %+v", len(r.got())-before, list[0])
	}
}

// TestReceivers holds what is made of receivers that are not as they should be.
func TestReceivers(t *testing.T) {
	n := newNode(t, t.TempDir())
	n.sender.pauses = nil
	account := n.account(t, "acme")
	dead := httptest.NewServer(nethttp.NotFoundHandler())
	dead.Close()
	loop := newReceiver(t, func(w nethttp.ResponseWriter, r *nethttp.Request, _ int) {
		nethttp.Redirect(w, r, "/again", nethttp.StatusTemporaryRedirect)
	})
	endless := newReceiver(t, func(w nethttp.ResponseWriter, _ *nethttp.Request, _ int) {
		for {
			if _, err := w.Write(make([]byte, 64<<10)); err != nil {
				return
			}
		}
	})
	rows := []struct {
		url      string
		result   string
		problem  string
		disabled string
	}{
		{dead.URL, events.Failed, "connection refused", ""},
		{loop.URL, events.Failed, "it answered 307, and redirects are not followed", ""},
		{endless.URL, events.Delivered, "", ""},
		{newReceiver(t, status(410)).URL, events.Failed, "it answered 410", "the receiver answered 410, which says that it is gone"},
		{"http://no-such-host.invalid/", events.Failed, "its name is not found", ""},
	}
	var hooks []uuid.UUID
	for _, row := range rows {
		id, _ := n.hook(t, "acme", row.url)
		hooks = append(hooks, id)
	}
	n.send(t)
	n.ask(t, account, good)
	for i, row := range rows {
		o := n.outcomes(t, account.ID, hooks[i], 1)[0]
		if o.Result != row.result || !strings.Contains(o.Problem, row.problem) || (o.Problem == "") != (row.problem == "") {
			t.Errorf("%s: %+v", row.url, o)
		}
		if row.disabled != "" {
			until(t, row.url+" is not disabled", func() bool { return n.state(t, "acme", hooks[i]).Disabled != nil })
			if reason := n.state(t, "acme", hooks[i]).Disabled.Reason; reason != row.disabled {
				t.Errorf("%s is disabled because %s", row.url, reason)
			}
		} else if w := n.state(t, "acme", hooks[i]); w.Disabled != nil {
			t.Errorf("%s is disabled because %s", row.url, w.Disabled.Reason)
		}
	}
	if got := loop.got(); len(got) != 1 {
		t.Errorf("a redirect is followed: %d requests", len(got))
	}
}

// TestSlow holds that a receiver that does not answer delays nobody else, and has few requests at
// once.
func TestSlow(t *testing.T) {
	n := newNode(t, t.TempDir())
	slow, fast := n.account(t, "slow"), n.account(t, "fast")
	release := make(chan struct{})
	var mu sync.Mutex
	now, most := 0, 0
	stuck := newReceiver(t, func(_ nethttp.ResponseWriter, r *nethttp.Request, _ int) {
		mu.Lock()
		now++
		most = max(most, now)
		mu.Unlock()
		select {
		case <-release:
		case <-r.Context().Done():
		}
		mu.Lock()
		now--
		mu.Unlock()
	})
	well := newReceiver(t, status(200))
	id, _ := n.hook(t, "slow", stuck.URL)
	n.hook(t, "fast", well.URL)
	n.send(t)
	const asked = 20
	for range asked {
		n.ask(t, slow, good)
	}
	until(t, "the slow one is not asked", func() bool { return len(stuck.got()) == hookSending })
	for range asked {
		n.ask(t, fast, good)
	}
	until(t, "the fast one waits for the slow one", func() bool { return len(well.got()) == asked })
	close(release)
	for _, o := range n.outcomes(t, slow.ID, id, asked) {
		if o.Result != events.Delivered {
			t.Errorf("%+v", o)
		}
	}
	if most > hookSending {
		t.Errorf("%d requests at once to one receiver", most)
	}
}

// TestErased holds that nothing is sent of what is erased before the next attempt, nor for an account
// that is suspended or a webhook that is deleted.
func TestErased(t *testing.T) {
	n := newNode(t, t.TempDir())
	n.sender.pauses = []time.Duration{2 * time.Second}
	erased, suspended, deleted := n.account(t, "erased"), n.account(t, "suspended"), n.account(t, "deleted")
	r := newReceiver(t, func(w nethttp.ResponseWriter, _ *nethttp.Request, n int) {
		if n == 0 {
			w.WriteHeader(500)
		}
	})
	of := map[string]uuid.UUID{}
	for _, name := range []string{"erased", "suspended", "deleted"} {
		of[name], _ = n.hook(t, name, r.URL)
	}
	n.ask(t, suspended, good)
	n.ask(t, deleted, good)
	_, err := n.admin.Suspend(t.Context(), "suspended", "")
	must(t, err)
	must(t, n.admin.DeleteWebhook(t.Context(), of["deleted"]))
	must(t, n.views.Fresh(t.Context()))
	n.send(t)
	m := n.ask(t, erased, good)
	n.outcomes(t, erased.ID, of["erased"], 1)
	_, _, err = n.admin.EraseConversation(t.Context(), "erased", m.ConversationID, "")
	must(t, err)
	list := n.outcomes(t, erased.ID, of["erased"], 2)
	if list[1].Result != events.Retrying || list[0].Result != events.Dropped || list[0].Problem != "what it is about is erased" {
		t.Errorf("%+v", list)
	}
	if got := r.got(); len(got) != 1 {
		t.Errorf("%d are sent: %+v", len(got), got)
	}
}

// TestStopped holds that what was not sent when a node stopped is sent by the next one.
func TestStopped(t *testing.T) {
	n := newNode(t, t.TempDir())
	account := n.account(t, "acme")
	begun, release := make(chan struct{}, 10), make(chan struct{})
	r := newReceiver(t, func(_ nethttp.ResponseWriter, r *nethttp.Request, _ int) {
		begun <- struct{}{}
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	id, _ := n.hook(t, "acme", r.URL)
	stop := n.send(t)
	n.ask(t, account, good)
	<-begun
	stop() // in the middle of an attempt
	close(release)
	n.ask(t, account, good)
	next := New(n.log, n.views, NewPost(true), slog.New(slog.DiscardHandler))
	run(t, next.Run)
	list := n.outcomes(t, account.ID, id, 2)
	if list[0].Result != events.Delivered || list[1].Result != events.Delivered || list[0].MessageID == list[1].MessageID {
		t.Errorf("%+v", list)
	}
}

// TestShared holds that two who send share the work, and send all of it once where nobody fails.
func TestShared(t *testing.T) {
	n := newNode(t, t.TempDir())
	account := n.account(t, "acme")
	r := newReceiver(t, status(200))
	id, _ := n.hook(t, "acme", r.URL)
	n.send(t)
	run(t, New(n.log, n.views, NewPost(true), slog.New(slog.DiscardHandler)).Run)
	const asked = 30
	for range asked {
		n.ask(t, account, good)
	}
	n.outcomes(t, account.ID, id, asked)
	ids := map[string]bool{}
	for _, got := range r.got() {
		ids[got.id] = true
	}
	if len(ids) != asked || len(r.got()) != asked {
		t.Errorf("%d messages in %d requests, want %d", len(ids), len(r.got()), asked)
	}
}
