package projections

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
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
func keepHeads(t *testing.T, conversations int) *kept {
	k := &kept{v: openIdle(t, openLog(t, t.TempDir()), t.TempDir()), h: newHistory(t, nil), count: make([]atomic.Int64, conversations)}
	k.v.serving.Load().headCache = NewCache[conversationKey, head](0)
	account := uuid.New()
	for range conversations {
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
	if err := k.v.serving.Load().write(); err != nil {
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

func (k *kept) key(i int) conversationKey {
	return conversationKey{k.heads[i].Subject.Account(), k.heads[i].Message().ConversationID}
}

// fromFiles reads a head as the files have it.
func (k *kept) fromFiles(i int) (text []byte, ok bool) {
	g := k.v.serving.Load()
	_ = g.store.conversations.at([]uint64{g.activity.record(k.key(i))}, func(name string, value []byte) error {
		text, ok = bytes.Clone(value), name == headKey(k.key(i))
		return nil
	})
	return text, ok
}

// blocks are the files of the bucket of conversations.
func (k *kept) blocks(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(k.v.storage.storeDir(), "*", "streams", "KV_"+k.v.serving.Load().store.conversations.name, "msgs", "*.blk"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// What is read from the files is what the server hands out, after each head was overwritten many times and blocks were replaced, and a
// start finds where each head is.
func TestHeadsFromFiles(t *testing.T) {
	k := keepHeads(t, 300)
	for round := range 3 {
		k.goOn(t, 40)
		for i := range k.heads {
			got, ok := k.fromFiles(i)
			want, err := k.v.serving.Load().store.conversations.get(t.Context(), headKey(k.key(i)))
			if !ok || err != nil || !bytes.Equal(got, want) {
				t.Fatalf("round %d, head %d: read %s (%t), want %s of the server (%v)", round, i, got, ok, want, err)
			}
			var plain head
			if err := json.Unmarshal(want, &plain); err != nil {
				t.Fatal(err)
			}
			if h := headOf(t, k.v, k.key(i)); int64(h.Messages) != k.count[i].Load() || h.Title == nil || !reflect.DeepEqual(h, plain) {
				t.Fatalf("round %d, head %d: it is %+v, want %+v with %d messages", round, i, h, plain, k.count[i].Load())
			}
		}
	}
	written := k.v.serving.Load().store.conversations.last
	size := int64(0)
	for _, name := range k.blocks(t) {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	if len(k.blocks(t)) < 2 || size > int64(written)*1000 {
		t.Errorf("%d documents were written to blocks of %d bytes in all, want two blocks or more and much replaced", written, size)
	}
	g := k.v.serving.Load()
	again := newGeneration(g.store, g.log)
	if err := again.load(t.Context()); err != nil {
		t.Fatal(err)
	}
	for account, o := range g.activity.accounts {
		if !maps.Equal(o.at, again.activity.accounts[account].at) {
			t.Errorf("conversations stand elsewhere after a start")
		}
	}
}

// Nobody is told an older state of a conversation than was folded when they asked, while heads are overwritten.
func TestHeadsFromFilesAreNeverOlder(t *testing.T) {
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
				least := k.count[i].Load()
				h, found, err := k.v.Conversation(t.Context(), k.key(i).account, k.key(i).conversation)
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

// A head that is damaged in its file is not read from there: what the server says of it is told.
func TestHeadThatIsDamaged(t *testing.T) {
	k := keepHeads(t, 50)
	g := k.v.serving.Load()
	blocks := k.blocks(t)
	text, err := os.ReadFile(blocks[0])
	if err != nil || len(blocks) != 1 {
		t.Fatal(len(blocks), err)
	}
	damaged := bytes.Clone(text)
	damaged[bytes.Index(text, []byte(headKey(k.key(20))))+headLength+40] ^= 1
	if err := os.WriteFile(blocks[0], damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range k.heads {
		if _, ok := k.fromFiles(i); ok != (i != 20) {
			t.Errorf("head %d is read from the file: %t", i, ok)
		}
		name := headKey(k.key(i))
		want, failure := g.store.conversations.get(t.Context(), name)
		_, found, err := g.head(t.Context(), k.key(i))
		if found != (want != nil) || (err != nil) != (failure != nil) {
			t.Errorf("head %d: found %t (%v), and of the server %t (%v)", i, found, err, want != nil, failure)
		}
	}
}
