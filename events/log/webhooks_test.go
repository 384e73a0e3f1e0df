package log

import (
	"bytes"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/events"
)

// webhookKeys are what logs take for the key, asked for at the same time.
func webhookKeys(t *testing.T, logs ...*Log) {
	t.Helper()
	keys := make([][]byte, len(logs))
	var asking sync.WaitGroup
	for i, l := range logs {
		asking.Go(func() {
			var err error
			if keys[i], err = l.WebhookKey(t.Context(), true); err != nil {
				t.Error(err)
			}
		})
	}
	asking.Wait()
	for _, key := range keys {
		if len(key) != 32 || !bytes.Equal(key, keys[0]) {
			t.Errorf("keys of %d and %d bytes, or others", len(key), len(keys[0]))
		}
	}
}

// The key of webhooks is made once, and is the same behind a restart.
func TestWebhookKey(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir)
	if _, err := l.WebhookKey(t.Context(), false); !errors.Is(err, ErrNotFound) {
		t.Errorf("a log without webhooks: %v", err)
	}
	webhookKeys(t, l, l, l)
	before, err := l.WebhookKey(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if after, err := open(t, dir).WebhookKey(t.Context(), false); err != nil || !bytes.Equal(after, before) {
		t.Errorf("behind a restart the key is another one: %v", err)
	}
}

// Nodes of a cluster that make the key at the same time have the same.
func TestWebhookKeyOfACluster(t *testing.T) {
	t.Parallel()
	c := newTrio(t)
	webhookKeys(t, c.Logs[0], c.Logs[1], c.Logs[2])
}

// A delivery that is published again is one; outcomes are counted on, and kept newest first.
func TestDeliveriesAndOutcomes(t *testing.T) {
	l := open(t, t.TempDir())
	webhookKeys(t, l)
	d := events.Delivery{ID: uuid.New(), AccountID: uuid.New(), WebhookID: uuid.New(), Event: events.CalculationFailed, Attempt: 1, Due: time.Now().UTC()}
	for range 3 {
		if err := l.Deliver(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	d.Attempt = 2
	if err := l.Deliver(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	if s, err := l.State(t.Context(), DeliveriesStream); err != nil || s.State.Msgs != 2 {
		t.Errorf("%d deliveries, want 2 (%v)", s.State.Msgs, err)
	}
	const many = maxOutcomes + 10
	var keeping sync.WaitGroup
	for range many {
		keeping.Go(func() {
			_, err := l.KeepOutcome(t.Context(), d.AccountID, d.WebhookID, func(before *events.Outcome) events.Outcome {
				o := events.Outcome{Delivery: d, Failures: 1}
				if o.ID = uuid.New(); before != nil {
					o.Failures += before.Failures
				}
				return o
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	keeping.Wait()
	list, err := l.Outcomes(t.Context(), d.AccountID, d.WebhookID)
	if err != nil || len(list) != maxOutcomes {
		t.Fatalf("%d outcomes are kept, want %d (%v)", len(list), maxOutcomes, err)
	}
	for i, o := range list {
		if o.Failures != many-i {
			t.Errorf("outcome %d has counted %d, want %d", i, o.Failures, many-i)
		}
	}
	if list, err := l.Outcomes(t.Context(), d.AccountID, uuid.New()); err != nil || len(list) != 0 {
		t.Errorf("another webhook has %d outcomes (%v)", len(list), err)
	}
}
