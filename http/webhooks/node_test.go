package webhooks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	nethttp "net/http"
	"net/http/httptest"
	"slices"
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
