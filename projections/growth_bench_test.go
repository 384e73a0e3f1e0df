package projections

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
)

// grown is a node with a history.
type grown struct {
	v             *Views
	account       uuid.UUID // the one with most conversations
	conversations []entityKey
	middle        uuid.UUID // cursor
}

// grow fills the views from a generated history, starts them again and says what the start took.
func grow(b *testing.B, count int) (n *grown, end func(), start time.Duration, memory float64) {
	history, _ := writeHistory(b, count)
	dir := b.TempDir()
	_, filled := openTimed(b, history, dir)
	filled()
	debug.FreeOSMemory()
	before := resident()
	began := time.Now()
	v, end := openTimed(b, history, dir)
	n = &grown{v: v}
	start, memory = time.Since(began), resident()-before
	accounts := viewOf[*conversations](v.serving.Load()).recency.accounts
	for account, o := range accounts {
		if accounts[n.account] == nil || len(o.at) > len(accounts[n.account].at) {
			n.account = account
		}
		for conversation := range o.at {
			n.conversations = append(n.conversations, entityKey{account, conversation})
		}
	}
	all := viewOf[*conversations](v.serving.Load()).recency.before(n.account, ^uint64(0), len(accounts[n.account].at))
	n.middle = Cursor(n.account, all[len(all)/2].sequence)
	return n, end, start, memory
}

// BenchmarkGrowth does the same on a node with 1,000 messages and on one with -messages, in turns,
// and reports the median times of both and how much longer it takes with many. Of what is recent,
// the same few conversations are asked for again and again; the others are any, with nothing kept
// in memory: neither of the node's caches helps. The pages are those of the largest account.
func BenchmarkGrowth(b *testing.B) {
	few, endFew, startFew, memoryFew := grow(b, 1000)
	defer endFew()
	many, endMany, startMany, memoryMany := grow(b, *messages)
	defer endMany()
	fmt.Fprintf(os.Stderr, "%d conversations: start %v, %.0f MiB resident more than before; %d conversations: start %v, %.0f MiB\n",
		len(few.conversations), startFew.Round(time.Millisecond), memoryFew, len(many.conversations), startMany.Round(time.Millisecond), memoryMany)

	page := func(limit int, top bool) func(context.Context, *grown, entityKey) error {
		return func(ctx context.Context, n *grown, _ entityKey) error {
			var after *uuid.UUID
			if !top {
				after = &n.middle
			}
			p, err := n.v.Conversations(ctx, n.account, limit, after)
			if err == nil && len(p.Conversations) != limit {
				err = fmt.Errorf("the page has %d conversations", len(p.Conversations))
			}
			return err
		}
	}
	detail := func(ctx context.Context, n *grown, key entityKey) error {
		c, found, err := n.v.Conversation(ctx, key.account, key.id)
		if err != nil || !found {
			return fmt.Errorf("conversation %v: found %v, %w", key, found, err)
		}
		list, err := n.v.Messages(ctx, key.account, key.id, 1, c.Messages)
		if err == nil && len(list) != c.Messages {
			err = fmt.Errorf("%d messages of %d", len(list), c.Messages)
		}
		return err
	}
	scenarios := func(ctx context.Context, n *grown, key entityKey) error {
		c, found, err := n.v.Conversation(ctx, key.account, key.id)
		if err != nil || !found {
			return fmt.Errorf("conversation %v: found %v, %w", key, found, err)
		}
		_, err = n.v.Scenarios(ctx, key.account, key.id, 1, c.Last)
		return err
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name   string
		recent bool
		do     func(context.Context, *grown, entityKey) error
	}{
		{"page/top/recent", true, page(20, true)}, {"page/middle/recent", true, page(20, false)},
		{"page/top/any", false, page(20, true)}, {"page/middle/any", false, page(20, false)},
		{"detail/recent", true, detail}, {"detail/any", false, detail},
		{"context/recent", true, scenarios}, {"context/any", false, scenarios},
	} {
		b.Run(c.name, func(b *testing.B) {
			times := [2][]float64{}
			for _, n := range []*grown{few, many} {
				viewOf[*conversations](n.v.serving.Load()).heads = NewCache[entityKey, head](cachedHeads)
				n.v.messages.cache = NewCache[uint64, Message](cachedMessages)
			}
			for b.Loop() {
				at := random.Uint64()
				for i, n := range []*grown{few, many} {
					among := n.conversations
					if c.recent {
						among = among[:16]
					} else {
						viewOf[*conversations](n.v.serving.Load()).heads = NewCache[entityKey, head](0)
						n.v.messages.cache = NewCache[uint64, Message](0)
					}
					key := among[at%uint64(len(among))]
					if c.recent { // once beforehand
						if err := c.do(b.Context(), n, key); err != nil {
							b.Fatal(err)
						}
					}
					began := time.Now()
					if err := c.do(b.Context(), n, key); err != nil {
						b.Fatal(err)
					}
					times[i] = append(times[i], float64(time.Since(began).Nanoseconds())/1e3)
				}
			}
			a, z := middleOf(times[0]), middleOf(times[1])
			b.ReportMetric(0, "ns/op") // of both
			b.ReportMetric(a, "few-µs")
			b.ReportMetric(z, "many-µs")
			b.ReportMetric(z/a, "many/few")
		})
	}
}

// middleOf is the median of some numbers, which it sorts.
func middleOf(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}
