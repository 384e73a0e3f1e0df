package webhooks

import (
	"log/slog"
	nethttp "net/http"
	"sync"
	"testing"

	"reckon/events"
)

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
