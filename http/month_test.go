package http

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"

	"reckon/commands"
	"reckon/projections"
)

// What an account may use in a month is what all nodes give it together: one after the other exactly
// so much, and at once not more than is under way beyond that.
func TestMonthOnSeveralNodes(t *testing.T) {
	first := startNode(t)
	nodes := []*node{first}
	for range 2 {
		logger := slog.New(slog.DiscardHandler)
		views, err := projections.Open(t.Context(), first.log, t.TempDir(), logger)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := views.Close(); err != nil {
				t.Error(err)
			}
		})
		if err := views.CaughtUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		another := *first
		another.server = New(logger, "v0")
		another.server.Open(views, commands.New(first.log, views, logger))
		nodes = append(nodes, &another)
	}
	running, stop := context.WithCancel(t.Context())
	var work sync.WaitGroup
	for _, n := range nodes {
		work.Go(func() { n.server.service.Run(running) })
	}
	defer work.Wait()
	defer stop()
	limit := func(messages int) {
		t.Helper()
		change := commands.ChangeAccount{Name: "acme"}
		change.Limits.MonthMessages = &messages
		if _, err := (commands.Admin{Log: first.log}).ChangeAccount(t.Context(), change); err != nil {
			t.Fatal(err)
		}
		for _, n := range nodes {
			if err := n.server.views.Fresh(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	body := fmt.Sprintf(`{"domain_id": %q, "input_format": "structured", "prompt": "a: 1\ncalculate: b"}`, first.domain.ID)
	limit(9)
	for i := range 15 {
		want := 200
		if i >= 9 {
			want = 429
		}
		if w := nodes[i%3].ask("POST", "/v1/calculate", body); w.Code != want {
			t.Errorf("request %d: %d %s, want %d", i, w.Code, w.Body, want)
		}
	}
	limit(60)
	const clients = 8
	var answered, refused atomic.Int32
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			for range 20 {
				switch w := nodes[i%3].ask("POST", "/v1/calculate", body); w.Code {
				case 200:
					answered.Add(1)
				case 429:
					refused.Add(1)
				default:
					t.Errorf("%d %s", w.Code, w.Body)
				}
			}
		})
	}
	all.Wait()
	if n := answered.Load(); n < 60-9 || n >= 60-9+clients || refused.Load() == 0 {
		t.Errorf("%d were answered and %d refused, want %d and less than %d more", n, refused.Load(), 60-9, clients)
	}
}
