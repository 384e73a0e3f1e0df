package commands

import (
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"sync"
	"testing"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/events/log"
	"reckon/projections"
)

// A command whose conversation has no event yet comes to nothing once that is erased all the same;
// others are worked on.
func TestErasedBeforeItsFirstEvent(t *testing.T) {
	t.Parallel()
	c := startLog(t)
	forgotten, kept := c.structured(), c.structured()
	c.queued(t, forgotten)
	c.queued(t, kept)
	admin := Admin{Log: c.log}
	if _, _, err := admin.EraseConversation(t.Context(), "acme", forgotten.ConversationID, ""); !errors.Is(err, ErrNone) {
		t.Errorf("one that nobody has seen: %v", err)
	}
	first, again, err := admin.EraseAgain(t.Context(), c.account.ID, forgotten.ConversationID, "letter of 3 May")
	if err != nil || again {
		t.Fatalf("%t, %v", again, err)
	}
	if second, again, err := admin.EraseAgain(t.Context(), c.account.ID, forgotten.ConversationID, ""); err != nil || !again || second != first {
		t.Errorf("again: %d after %d, %t, %v", second, first, again, err)
	}
	if _, _, err := admin.EraseAgain(t.Context(), uuid.New(), forgotten.ConversationID, ""); !errors.Is(err, ErrNone) {
		t.Errorf("in an account that is not there: %v", err)
	}
	s := c.idle(t)
	if err := s.views.Fresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	stop := run(t, s)
	defer stop()
	if m, err := s.views.AwaitAnswer(t.Context(), kept.AccountID, kept.ConversationID, kept.MessageID); err != nil || m.Completed == nil {
		t.Fatalf("got %+v, %v", m, err)
	}
	c.drained(t, 2)
	if err := s.views.Forgotten(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	if n := c.messages(t); n != 1 {
		t.Errorf("%d messages, want that of the other conversation alone", n)
	}
	if _, err := c.log.Command(t.Context(), events.KeylessSubject(forgotten.AccountID, forgotten.MessageID)); err == nil {
		t.Error("the command is still there")
	}
}

// Admins who go by the views of three nodes, which are behind, and by none decide by what the log
// has: each conversation is erased once, and no change of the account is lost.
func TestEraseByNodes(t *testing.T) {
	t.Parallel()
	c := startNodes(t, 3)
	ids := c.converse(t, 20)
	admins := []Admin{{Log: c.log}}
	for _, n := range c.nodes {
		admins = append(admins, Admin{Log: c.log, Views: n.views})
	}
	by := make([]map[uuid.UUID]uint64, len(admins))
	var all sync.WaitGroup
	for i, admin := range admins {
		by[i] = map[uuid.UUID]uint64{}
		all.Go(func() {
			for n := range ids {
				id := ids[(n+i)%len(ids)]
				sequence, _, err := admin.EraseConversation(t.Context(), "acme", id, "")
				if err == nil && n%5 == 0 {
					_, _, err = admin.CreateKey(t.Context(), "acme", KeyTerms{})
				}
				if err != nil {
					t.Error(err)
				}
				by[i][id] = sequence
			}
		})
	}
	all.Wait()
	erased := map[uuid.UUID]int{}
	for _, e := range c.erasures(t) {
		erased[e.ConversationID]++
	}
	for _, id := range ids {
		if erased[id] != 1 {
			t.Errorf("conversation %s is erased %d times", id, erased[id])
		}
		for i := range by {
			if by[i][id] != by[0][id] {
				t.Errorf("conversation %s was erased by event %d, and by %d", id, by[0][id], by[i][id])
			}
		}
	}
	want, err := admins[0].Account(t.Context(), "acme")
	if err != nil || len(want.Keys) != len(admins)*len(ids)/5 {
		t.Errorf("%d keys (%v)", len(want.Keys), err)
	}
	for _, admin := range admins[1:] {
		if got, err := admin.Account(t.Context(), "acme"); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("by the views the account is %+v (%v), want %+v", got, err, want)
		}
	}
}

// What erasing a conversation takes of an account of which many are erased.
func BenchmarkErase(b *testing.B) {
	for _, erased := range []int{100, 5_000} {
		b.Run(fmt.Sprint(erased), func(b *testing.B) {
			l, err := log.Open(b.Context(), log.Options{Dir: b.TempDir(), Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				b.Fatal(err)
			}
			defer func() {
				if err := l.Close(); err != nil {
					b.Error(err)
				}
			}()
			account, err := (Admin{Log: l}).CreateAccount(b.Context(), CreateAccount{Name: "acme"})
			if err != nil {
				b.Fatal(err)
			}
			for range erased {
				if account, err = (Admin{Log: l}).append(b.Context(), account, &events.ConversationErased{ConversationID: uuid.New()}); err != nil {
					b.Fatal(err)
				}
			}
			views, err := projections.Open(b.Context(), l, b.TempDir(), slog.New(slog.DiscardHandler))
			if err == nil {
				err = views.CaughtUp(b.Context())
			}
			if err != nil {
				b.Fatal(err)
			}
			defer func() {
				if err := views.Close(); err != nil {
					b.Error(err)
				}
			}()
			for _, by := range []struct {
				name  string
				admin Admin
			}{{"views", Admin{Log: l, Views: views}}, {"log", Admin{Log: l}}} {
				b.Run(by.name, func(b *testing.B) {
					for b.Loop() {
						if _, _, err := by.admin.EraseAgain(b.Context(), account.ID, uuid.New(), ""); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		})
	}
}
