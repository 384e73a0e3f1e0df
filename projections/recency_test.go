package projections

import (
	"cmp"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"reckon/events"
)

// The order is compared with a plain map after many moves, some of them to a place where another
// conversation has been since.
func TestActivityIsOrdered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		account := uuid.New()
		order := newRecency()
		count := rapid.SampledFrom([]int{1, 2, 30, 512, 3000}).Draw(t, "conversations")
		moves := rapid.SampledFrom([]int{0, 1, 40, 6000}).Draw(t, "moves")
		hot := rapid.SampledFrom([]int{1, (count + 1) / 2, count}).Draw(t, "hot") // how many of the conversations move
		choices := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		plain, taken := map[uuid.UUID]uint64{}, map[uint64]bool{}
		set := func(conversation uuid.UUID, at uint64) {
			order.set(entityKey{account, conversation}, at)
			plain[conversation] = max(plain[conversation], at)
		}
		var conversations []uuid.UUID
		sequence := uint64(0)
		for range count {
			sequence += 10
			conversations = append(conversations, uuid.New())
			set(conversations[len(conversations)-1], sequence)
		}
		for range moves {
			move := choices.IntN(hot)
			sequence += 10
			at := sequence
			if choices.IntN(4) == 0 {
				at -= 10*choices.Uint64N(sequence/10) + 1 + choices.Uint64N(9)
			}
			if taken[at] {
				continue
			}
			taken[at] = true
			set(conversations[move], at)
		}
		var want []entry
		for conversation, at := range plain {
			want = append(want, entry{at, conversation})
		}
		slices.SortFunc(want, func(a, b entry) int { return cmp.Compare(b.sequence, a.sequence) })
		size := rapid.SampledFrom([]int{1, 7, 400}).Draw(t, "size")
		for below, rest := ^uint64(0), want; ; {
			page := order.before(account, below, size)
			if !slices.Equal(page, rest[:min(size, len(rest))]) {
				t.Fatalf("below %d: %d entries, want %d", below, len(page), min(size, len(rest)))
			}
			if len(page) == 0 {
				break
			}
			below, rest = page[len(page)-1].sequence, rest[len(page):]
		}
		if order.accounts[account].entries.Len() != len(want) {
			t.Fatalf("%d entries for %d conversations", order.accounts[account].entries.Len(), len(want))
		}
	})
}

func TestCursor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		account, other := uuid.New(), uuid.New()
		sequence := rapid.Uint64Range(0, 1<<56-1).Draw(t, "sequence")
		cursor := Cursor(account, sequence)
		if cursor.Version() != 8 || cursor.Variant() != uuid.RFC4122 {
			t.Fatalf("%s has version %d and variant %s", cursor, cursor.Version(), cursor.Variant())
		}
		if position, ok := Position(account, cursor); !ok || position != sequence {
			t.Fatalf("the position is %d, %t", position, ok)
		}
		if _, ok := Position(other, cursor); ok {
			t.Fatal("another account's cursor is taken")
		}
		if _, ok := Position(account, uuid.New()); ok {
			t.Fatal("a random UUID is taken")
		}
	})
}

func TestCacheDropsTheLeastRecentlyUsed(t *testing.T) {
	c := NewCache[string, int](10)
	c.Put("a", 1, 4)
	c.Put("b", 2, 4)
	c.Get("a")
	c.Put("c", 3, 4)
	c.Put("a", 4, 5)
	c.Put("huge", 5, 11)
	for key, want := range map[string]int{"a": 0, "b": 0, "c": 0, "huge": 0} {
		if got, ok := c.Get(key); ok || got != want {
			t.Errorf("%s is %d, %t", key, got, ok)
		}
	}
	c.Put("a", 1, 4)
	c.Put("b", 2, 4)
	c.Get("a")
	c.Put("c", 3, 4)
	if _, ok := c.Get("b"); ok {
		t.Error("b was used least recently and is still there")
	}
	for key, want := range map[string]int{"a": 1, "c": 3} {
		if got, ok := c.Get(key); !ok || got != want {
			t.Errorf("%s is %d, %t", key, got, ok)
		}
	}
}

// TestPagesOfOneState reads pages while the fold moves several conversations at a time: those with
// the same Newest are equal, and the last one is of the newest event.
func TestPagesOfOneState(t *testing.T) {
	log := openLog(t, t.TempDir())
	v, h := openIdle(t, log, t.TempDir()), newHistory(t, nil)
	viewOf[*conversations](v.serving.Load()).heads = NewCache[entityKey, head](4096) // some come from the bucket
	account := uuid.New()
	var all []events.Event
	fold := func(make func(i int) events.Event) {
		var list []events.Event
		for i := range 8 {
			list = append(list, h.number(make(i)))
		}
		if err := v.fold(list); err != nil {
			t.Error(err)
		}
		all = append(all, list...)
	}
	fold(func(int) events.Event { return first(account) })
	over := make(chan struct{})
	go func() {
		defer close(over)
		for round := range 50 {
			fold(func(i int) events.Event { return after(all[i], round%3+1) })
		}
	}()
	seen := map[uint64]string{}
	read := func() Page {
		page, err := v.Conversations(t.Context(), account, 5, nil)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(page)
		if err != nil {
			t.Fatal(err)
		}
		if there, ok := seen[page.Newest]; ok && page.Newest > 0 && there != string(text) {
			t.Fatalf("of event %d there are two pages:\n%s\n%s", page.Newest, there, text)
		}
		seen[page.Newest] = string(text)
		return page
	}
	for going := true; going; {
		select {
		case <-over:
			going = false
		default:
		}
		read()
	}
	newest := all[len(all)-1].Sequence
	if page := read(); page.Newest != newest || v.Newest(account) != newest {
		t.Errorf("the page is of event %d, the newest is %d of %d", page.Newest, v.Newest(account), newest)
	}
	if got := v.Newest(uuid.New()); got != 0 {
		t.Errorf("an account without conversations has event %d", got)
	}
}
