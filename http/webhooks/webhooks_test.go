package webhooks

import (
	"encoding/json"
	nethttp "net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/projections"
)

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
