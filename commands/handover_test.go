package commands

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"reckon/events"
	"reckon/events/log"
	"reckon/events/log/logtest"
	"reckon/projections"
)

// trio opens three logs of one cluster in this process.
func trio(t *testing.T) (logs [3]*log.Log) {
	t.Helper()
	addresses := logtest.FreeAddresses(t, len(logs))
	var routes []string
	for _, address := range addresses {
		routes = append(routes, "nats://"+address)
	}
	dir := t.TempDir()
	var opening sync.WaitGroup
	for i := range logs {
		opening.Go(func() {
			var err error
			logs[i], err = log.Open(t.Context(), log.Options{
				Dir: filepath.Join(dir, fmt.Sprint(i)), Logger: slog.New(slog.DiscardHandler),
				Cluster: &log.Cluster{Name: "trio", Node: fmt.Sprintf("n%d", i), Listen: addresses[i], Routes: routes, Secret: []byte("a secret of three")},
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	opening.Wait()
	t.Cleanup(func() {
		for _, log := range logs {
			if log != nil {
				if err := log.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	})
	if t.Failed() {
		t.FailNow()
	}
	return logs
}

// A command that nobody has taken out of the queue, or that was taken out and is in nobody's hands,
// is worked on where its caller waits: when no queue can be reached, and when the cluster has
// elected a leader. No node takes anything out here.
func TestCommandsInNobodysHands(t *testing.T) {
	t.Parallel()
	logs := trio(t)
	c := &cluster{log: logs[0]}
	c.settle(t)
	views, err := projections.Open(t.Context(), logs[0], t.TempDir(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := views.Close(); err != nil {
			t.Error(err)
		}
	})
	s := New(logs[0], views, slog.New(slog.DiscardHandler))
	await := func(what string, try func(ctx context.Context) error) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := try(ctx)
		for err != nil && ctx.Err() == nil {
			err = try(ctx)
		}
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	await("fold", views.Fresh)

	for _, text := range []string{drive, "how long for 150 miles at 60 mph?"} {
		key := "no queue " + text
		r := c.request(text)
		r.IdempotencyKey = &key
		await("without a queue", func(ctx context.Context) error {
			_, err := s.Calculate(ctx, r)
			return err
		})

		s.pulling.Store(true) // as far as the service knows
		key = "elected " + text
		answered := make(chan error, 1)
		go func() {
			_, err := s.Calculate(t.Context(), r)
			answered <- err
		}()
		subject := events.CommandSubject(c.account.ID, "key "+key)
		await("the command is queued", func(ctx context.Context) error {
			_, err := logs[1].Command(ctx, subject)
			return err
		})
		await("the leader steps down", func(ctx context.Context) error {
			_, err := logs[1].JetStream().Conn().RequestWithContext(ctx, "$JS.API.STREAM.LEADER.STEPDOWN.EVENTS", nil)
			return err
		})
		if err := <-answered; err != nil {
			t.Errorf("%q: %v", text, err)
		}
		s.pulling.Store(false)
	}
}
