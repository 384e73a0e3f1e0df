package projections

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"reckon/events"
)

// fill folds new conversations of one account, in full batches.
func fill(b *testing.B, v *Views, h *history, account uuid.UUID, count int) []events.Event {
	b.Helper()
	var all []events.Event
	for len(all) < count {
		var list []events.Event
		for range min(256, count-len(all)) {
			list = append(list, h.number(first(account)))
		}
		if err := v.fold(list); err != nil {
			b.Fatal(err)
		}
		all = append(all, list...)
	}
	return all
}

// BenchmarkFold takes events in, by the number in a batch, as first messages and as further ones.
// An operation is one event.
func BenchmarkFold(b *testing.B) {
	log := openLog(b, b.TempDir())
	for _, size := range []int{1, 16, 256} {
		b.Run(fmt.Sprintf("new/batch=%d", size), func(b *testing.B) {
			v, h := openIdle(b, log, b.TempDir()), newHistory(b, nil)
			account := uuid.New()
			list := make([]events.Event, size)
			for n := 0; b.Loop(); n++ {
				list[n%size] = h.number(first(account))
				if n%size == size-1 {
					if err := v.fold(list); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
		b.Run(fmt.Sprintf("further/batch=%d", size), func(b *testing.B) {
			v, h := openIdle(b, log, b.TempDir()), newHistory(b, nil)
			old := fill(b, v, h, uuid.New(), 512)
			list := make([]events.Event, size)
			for n := 0; b.Loop(); n++ {
				list[n%size] = h.number(after(old[n%len(old)], 1))
				if n%size == size-1 {
					if err := v.fold(list); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// BenchmarkRead reads what a fold has written, from memory, and from the bucket and the log.
func BenchmarkRead(b *testing.B) {
	dir := b.TempDir()
	log := openLog(b, dir)
	h := newHistory(b, log)
	account := uuid.New()
	e := h.append(first(account))
	const count = 1000
	for n := range count - 1 {
		next := completed(account, request(e.Message().ConversationID, "speed: 60 mi/h"), "discard", 1, 2+n)
		next.Message().MessageID = uuid.Must(uuid.NewV7())
		h.append(next)
		if n%3 == 0 {
			h.append(first(account))
		}
	}
	v := openViews(b, log, dir)
	conversation := e.Message().ConversationID
	ctx := b.Context()
	for _, place := range []string{"memory", "disk"} {
		if place == "disk" {
			viewOf[*conversations](v.serving.Load()).heads = NewCache[entityKey, head](0)
			v.messages.cache = NewCache[uint64, Message](0)
		}
		b.Run("conversation/"+place, func(b *testing.B) {
			for b.Loop() {
				if _, found, err := v.Conversation(ctx, account, conversation); err != nil || !found {
					b.Fatal(found, err)
				}
			}
		})
		b.Run("message/"+place, func(b *testing.B) {
			for b.Loop() {
				if _, found, err := v.Message(ctx, account, conversation, e.Message().MessageID); err != nil || !found {
					b.Fatal(found, err)
				}
			}
		})
		b.Run("nomessage/"+place, func(b *testing.B) {
			for b.Loop() {
				if _, found, err := v.Message(ctx, account, conversation, uuid.Must(uuid.NewV7())); err != nil || found {
					b.Fatal(found, err)
				}
			}
		})
		b.Run("1000scenarios/"+place, func(b *testing.B) {
			for b.Loop() {
				if list, err := v.Scenarios(ctx, account, conversation, 1, count); err != nil || len(list) != count || list[count-1].Number != count {
					b.Fatal(len(list), err)
				}
			}
		})
		b.Run("1000messages/"+place, func(b *testing.B) {
			for b.Loop() {
				if list, err := v.Messages(ctx, account, conversation, 1, count); err != nil || len(list) != count {
					b.Fatal(len(list), err)
				}
			}
		})
	}
}

// BenchmarkFresh asks the read index of a log on which nothing happens.
func BenchmarkFresh(b *testing.B) {
	dir := b.TempDir()
	log := openLog(b, dir)
	v, err := Open(b.Context(), log, dir, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer v.Close()
	for b.Loop() {
		if err := v.Fresh(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPage reads a page of 20 and of 100 conversations at the top and in the middle of
// accounts of several sizes; start is what a restart of such views takes.
func BenchmarkPage(b *testing.B) {
	log := openLog(b, b.TempDir())
	for _, size := range []int{1_000, 100_000} {
		dir := b.TempDir()
		v, h := openIdle(b, log, dir), newHistory(b, nil)
		account := uuid.New()
		all := fill(b, v, h, account, size)
		middle := Cursor(account, all[size/2].Sequence)
		viewOf[*conversations](v.serving.Load()).heads = NewCache[entityKey, head](0)
		for _, limit := range []int{20, 100} {
			for name, after := range map[string]*uuid.UUID{"top": nil, "middle": &middle} {
				b.Run(fmt.Sprintf("account=%d/page=%d/%s", size, limit, name), func(b *testing.B) {
					for b.Loop() {
						page, err := v.Conversations(b.Context(), account, limit, after)
						if err != nil || len(page.Conversations) != limit || page.Next == nil {
							b.Fatal(len(page.Conversations), err)
						}
					}
				})
			}
		}
		// Without a fold the newest event is the log's last, which the views are beyond.
		b.Run(fmt.Sprintf("account=%d/start", size), func(b *testing.B) {
			for b.Loop() {
				viewOf[*conversations](v.serving.Load()).recency = newRecency()
				if err := viewOf[*conversations](v.serving.Load()).load(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
