package projections

import (
	"context"
	"errors"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"reckon/events"
)

func TestCursorsOfOthersAreRefused(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	h := newHistory(t, log)
	v := openViews(t, log, dir)
	account, other := uuid.New(), uuid.New()
	for range 3 {
		h.append(first(account))
		h.append(first(other))
	}
	if err := v.Fresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	page, err := v.Conversations(t.Context(), account, 2, nil)
	if err != nil || len(page.Conversations) != 2 || page.Next == nil {
		t.Fatalf("the first page is %+v, %v", page, err)
	}
	if page, err := v.Conversations(t.Context(), account, 2, page.Next); err != nil || len(page.Conversations) != 1 || page.Next != nil {
		t.Errorf("the last page is %+v, %v", page, err)
	}
	if _, err := v.Conversations(t.Context(), other, 2, page.Next); !errors.Is(err, ErrCursor) {
		t.Errorf("another account's cursor: %v", err)
	}
	random := uuid.New()
	if _, err := v.Conversations(t.Context(), account, 2, &random); !errors.Is(err, ErrCursor) {
		t.Errorf("a random cursor: %v", err)
	}
}

// A caller pages while conversations move and are made: those that stay are seen once, in order,
// whatever else happens.
func TestPagesStayRightWhileConversationsMove(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	v := openIdle(t, log, dir)
	h := newHistory(t, nil)
	rapid.Check(t, func(t *rapid.T) {
		account := uuid.New()
		fold := func(e events.Event) events.Event {
			e = h.number(e)
			if err := v.fold([]events.Event{e}); err != nil {
				t.Fatal(err)
			}
			return e
		}
		var all []events.Event
		for range rapid.IntRange(1, 30).Draw(t, "conversations") {
			all = append(all, fold(first(account)))
		}
		limit := rapid.IntRange(1, 8).Draw(t, "limit")
		moved := map[uuid.UUID]bool{}
		seen := map[uuid.UUID]int{}
		for next := (*uuid.UUID)(nil); ; {
			page, err := v.Conversations(context.Background(), account, limit, next)
			if err != nil {
				t.Fatal(err)
			}
			if len(page.Conversations) > limit {
				t.Fatalf("%d conversations on a page of %d", len(page.Conversations), limit)
			}
			for i, c := range page.Conversations {
				seen[c.ID]++
				if i > 0 && page.Conversations[i-1].Sequence <= c.Sequence {
					t.Fatal("a page is not in order")
				}
			}
			if next = page.Next; next == nil {
				break
			}
			for _, move := range rapid.SliceOfN(rapid.IntRange(0, len(all)), 0, 4).Draw(t, "moves") {
				if move == len(all) {
					fold(first(account))
					continue
				}
				moved[all[move].Message().ConversationID] = true
				fold(after(all[move], 1))
			}
		}
		for _, e := range all {
			id := e.Message().ConversationID
			if count := seen[id]; count > 1 || count == 0 && !moved[id] {
				t.Fatalf("a conversation (moved %t) is seen %d times", moved[id], count)
			}
		}
	})
}
