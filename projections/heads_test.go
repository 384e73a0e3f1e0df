package projections

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"reckon/events"
)

// kept are conversations of one account with as many messages each as they have.
type kept struct {
	v     *Views
	h     *history
	heads []events.Event // the first events
	count []atomic.Int64 // messages that readers must see
}

// keepHeads folds some conversations; heads are kept in the bucket alone.
func keepHeads(t *testing.T, count int) *kept {
	k := &kept{v: openIdle(t, openLog(t, t.TempDir()), t.TempDir()), h: newHistory(t, nil), count: make([]atomic.Int64, count)}
	viewOf[*conversations](k.v.serving.Load()).heads = NewCache[entityKey, head](0)
	account := uuid.New()
	for range count {
		k.heads = append(k.heads, k.h.number(first(account)))
	}
	var all []int
	for i := range k.heads {
		all = append(all, i)
	}
	k.fold(t, k.heads, all)
	return k
}

// fold folds messages of some conversations, then writes the heads.
func (k *kept) fold(t *testing.T, list []events.Event, of []int) {
	t.Helper()
	if err := k.v.fold(list); err != nil {
		t.Fatal(err)
	}
	for _, i := range of {
		k.count[i].Add(1)
	}
	if err := k.v.serving.Load().flush(); err != nil {
		t.Fatal(err)
	}
}

// goOn folds messages of random conversations, some in a batch.
func (k *kept) goOn(t *testing.T, batches int) {
	t.Helper()
	for range batches {
		var list []events.Event
		var at []int
		for range 100 {
			i := rand.IntN(len(k.heads))
			list, at = append(list, k.h.number(after(k.heads[i], 1))), append(at, i)
		}
		k.fold(t, list, at)
	}
}

func (k *kept) key(i int) entityKey {
	return entityKey{k.heads[i].Subject.Account(), k.heads[i].Message().ConversationID}
}

// A head is read as it was folded last, after each was overwritten many times, and a start finds
// all of them in their order.
func TestHeadsFromTheBucket(t *testing.T) {
	k := keepHeads(t, 300)
	for round := range 3 {
		k.goOn(t, 40)
		for i := range k.heads {
			stored, err := bucketOf(k.v, "conversations").fetch(t.Context(), []string{k.key(i).String()})
			if err != nil {
				t.Fatal(err)
			}
			var plain head
			if err := json.Unmarshal(stored[k.key(i).String()], &plain); err != nil {
				t.Fatal(err)
			}
			if h := headOf(t, k.v, k.key(i)); int64(h.Messages) != k.count[i].Load() || h.Title == nil || !reflect.DeepEqual(h, plain) {
				t.Fatalf("round %d, head %d: it is %+v, want %+v with %d messages", round, i, h, plain, k.count[i].Load())
			}
		}
	}
	g := k.v.serving.Load()
	again := newGeneration(models, g.buckets, k.v.messages)
	if err := again.load(t.Context()); err != nil {
		t.Fatal(err)
	}
	for account, o := range viewOf[*conversations](g).recency.accounts {
		if !maps.Equal(o.at, viewOf[*conversations](again).recency.accounts[account].at) {
			t.Errorf("conversations stand elsewhere after a start")
		}
	}
}

// Nobody is told an older state of a conversation than was folded when they asked, while heads are
// overwritten and forgotten.
func TestHeadsAreNeverOlder(t *testing.T) {
	k := keepHeads(t, 50)
	ended := make(chan struct{})
	var reading sync.WaitGroup
	for range 2 {
		reading.Go(func() {
			for !t.Failed() {
				select {
				case <-ended:
					return
				default:
				}
				i := rand.IntN(len(k.heads))
				if i == 0 {
					k.v.Forget()
				}
				least := k.count[i].Load()
				h, found, err := k.v.Conversation(t.Context(), k.key(i).account, k.key(i).id)
				if err != nil || !found || int64(h.Messages) < least {
					t.Errorf("conversation %d (%t): %d messages, and %d were folded (%v)", i, found, h.Messages, least, err)
				}
			}
		})
	}
	k.goOn(t, 60)
	close(ended)
	reading.Wait()
}
