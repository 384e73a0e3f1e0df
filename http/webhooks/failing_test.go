package webhooks

import (
	nethttp "net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/events"
)

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

// TestPauses holds that a receiver may be away for a day, however the pauses vary.
func TestPauses(t *testing.T) {
	total := time.Duration(0)
	for i, pause := range pauses {
		if total += pause * 9 / 10; i > 0 && pause < pauses[i-1] {
			t.Errorf("pause %d is shorter than the one before", i+1)
		}
	}
	if total < 24*time.Hour {
		t.Errorf("the last attempt comes after %s", total)
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
