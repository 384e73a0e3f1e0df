package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"reckon/events"
	"reckon/events/log"
)

// TestIndexHoldsWhatNodesShow follows the events at every node, and asks for the read index whenever one has come: it must be
// there, although the node that leads applies an event last at times.
func TestIndexHoldsWhatNodesShow(t *testing.T) {
	if !soaking {
		fmt.Fprintf(os.Stderr, "NOT RUN: %s: what it looks for happens once in a thousand times; make soak runs it\n", t.Name())
		return
	}
	c := newCluster(t, t.TempDir())
	c.startAll(t)
	c.settleTenants(t, 2)
	w := c.run(seedOf(t, 19), 5*time.Millisecond)
	defer w.stop()
	w.goesOn(t, 20)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var asked, below atomic.Int64
	var all sync.WaitGroup
	for _, n := range c.nodes {
		all.Go(func() {
			log, err := log.Join(ctx, log.Options{Dir: n.data})
			if err != nil {
				t.Error(err)
				return
			}
			defer log.Close()
			from, err := log.Last(ctx)
			if err != nil {
				t.Error(err)
				return
			}
			_ = log.Tail(ctx, from, func(batch []events.Event) error { // until ctx ends
				index, err := log.Last(ctx)
				if err != nil {
					return nil
				}
				asked.Add(1)
				if index < batch[len(batch)-1].Sequence {
					below.Add(1)
				}
				return nil
			})
		})
	}
	all.Wait()
	if asked.Load() < 1000 || below.Load() > 0 {
		t.Errorf("of %d read indexes %d were below an event that a node had", asked.Load(), below.Load())
	}
	t.Logf("%d read indexes hold what nodes had", asked.Load())
}
