package commands

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/events/log"
	"reckon/events/log/logtest"
	"reckon/projections"
)

// quiet is a conversation of an account, whose last message was a failure three days ago.
func quiet(t *testing.T, l *log.Log, account uuid.UUID) uuid.UUID {
	t.Helper()
	id, then := uuid.New(), time.Now().UTC().Truncate(time.Second).Add(-3*day)
	e := events.Event{ID: uuid.New(), Time: then, Subject: events.ConversationSubject(account, id), Data: &events.MessageFailed{
		Message: events.Message{
			ConversationID: id, MessageID: uuid.New(), KeyID: uuid.New(), Source: "api", InputFormat: "structured",
			Prompt: drive, ReceivedAt: then, Now: then, TimeZone: "UTC",
		},
		Errors: []byte("[]"),
	}}
	logtest.Until(t, "append a message", func(ctx context.Context) error {
		_, err := l.Append(ctx, e, 0)
		if errors.Is(err, log.ErrConflict) { // an earlier try came through
			return nil
		}
		return err
	})
	return id
}

// abandoned is a conversation whose first prompt is stored and whose command never came.
func abandoned(t *testing.T, l *log.Log, account uuid.UUID) uuid.UUID {
	t.Helper()
	id, message := uuid.New(), uuid.New()
	e := newEvent(events.PromptSubject(account, id, message), &events.PromptStored{ConversationID: id, MessageID: message, Prompt: drive})
	logtest.Until(t, "store a prompt", func(ctx context.Context) error {
		_, err := l.Append(ctx, e, 0)
		if errors.Is(err, log.ErrConflict) { // an earlier try came through
			return nil
		}
		return err
	})
	return id
}

// On nodes that share a log, those erase whose clock has another one beside it, and only where both
// say the same.
func TestRetentionOfNodes(t *testing.T) {
	t.Parallel()
	trio := logtest.NewTrio(t, func(ctx context.Context, n logtest.Node) (*log.Log, error) {
		return log.Open(ctx, log.Options{
			Dir: n.Dir, Logger: slog.New(slog.DiscardHandler),
			Cluster: &log.Cluster{Name: "trio", Node: n.Name, Listen: n.Listen, Routes: n.Routes, Secret: []byte("a secret of three")},
		})
	})
	trio.Start(t, 0, 1, 2)
	external, err := log.Open(t.Context(), log.Options{Dir: t.TempDir(), External: &log.External{URLs: logtest.NATS(t)}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := external.Close(); err != nil {
			t.Error(err)
		}
	})
	for name, logs := range map[string][]*log.Log{"a cluster": trio.Logs[:], "an existing NATS": {external}} {
		t.Run(name, func(t *testing.T) {
			admin := Admin{Log: logs[0]}
			account, err := admin.CreateAccount(t.Context(), CreateAccount{Name: "acme"})
			if err == nil {
				_, err = admin.ChangeAccount(t.Context(), ChangeAccount{Name: "acme", Retention: new(1)})
			}
			if err != nil {
				t.Fatal(err)
			}
			leaders := 0
			for _, l := range logs {
				id := quiet(t, l, account.ID)
				_, leads, err := l.Clock(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				views, err := projections.Open(t.Context(), l, t.TempDir(), slog.New(slog.DiscardHandler))
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() {
					if err := views.Close(); err != nil {
						t.Error(err)
					}
				})
				if err := views.Fresh(t.Context()); err != nil {
					t.Fatal(err)
				}
				r := NewRetention(l, views, slog.New(slog.DiscardHandler))
				for _, off := range []time.Duration{400 * day, 2 * clockTolerance, -2 * clockTolerance} {
					if _, err := r.pass(t.Context(), time.Now().Round(0).Add(off), clockProof); !leads && !errors.Is(err, errClock) || leads && err != nil {
						t.Errorf("%s from the right time (this node leads: %t): %v", off, leads, err)
					}
				}
				if erased, err := views.Erased(t.Context(), account.ID, id); erased || err != nil {
					t.Errorf("erased by a wrong clock: %t (%v)", erased, err)
				}
				if _, err := r.pass(t.Context(), time.Now().Round(0), clockProof); err != nil {
					t.Error(err)
				}
				if leads {
					leaders++
				}
				if erased, err := views.Erased(t.Context(), account.ID, id); erased == leads || err != nil {
					t.Errorf("erased: %t on a node that leads: %t (%v)", erased, leads, err)
				}
				lost := abandoned(t, l, account.ID)
				if err := views.Fresh(t.Context()); err != nil {
					t.Fatal(err)
				}
				if list, _, err := r.lost(t.Context(), time.Now().Add(day)); err != nil || len(list) > 0 {
					t.Errorf("given up while commands of its time are there: %v (%v)", list, err)
				}
				list, _, err := r.lost(t.Context(), time.Now().Add(2*day))
				if err != nil || len(list) != 1 || list[0].ID != lost {
					t.Fatalf("given up are %v, want %s (%v)", list, lost, err)
				}
				expected, err := l.Newest(t.Context(), events.AccountSubject(account.ID))
				if err != nil {
					t.Fatal(err)
				}
				sequence, err := r.erase(t.Context(), list[0], "", expected)
				if err == nil {
					err = views.Forgotten(t.Context(), sequence)
				}
				if left, failed := l.Sequences(t.Context(), account.ID, lost); err != nil || failed != nil || len(left) > 0 {
					t.Errorf("events %v of what was given up are left (%v, %v)", left, err, failed)
				}
			}
			if want := len(logs) / 3; leaders != want {
				t.Errorf("%d nodes lead, want %d", leaders, want)
			}
		})
	}
}
