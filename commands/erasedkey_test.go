package commands

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/events/log"
	"reckon/projections"
)

// While conversations are erased by each of three nodes, their requests are sent again through all
// of them with their keys: at every moment they are answered as they were, or as what is not there,
// and never as if they were new.
func TestKeysOfWhatIsBeingErased(t *testing.T) {
	t.Parallel()
	logs := trio(t)
	c := &cluster{log: logs[0]}
	c.settle(t)
	var forget []*projections.Views
	for _, l := range logs {
		views, err := projections.Open(t.Context(), l, t.TempDir(), slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := views.Close(); err != nil {
				t.Error(err)
			}
		})
		s := New(l, views, slog.New(slog.DiscardHandler))
		c.nodes, forget = append(c.nodes, s), append(forget, views)
		run(t, s)
	}
	const conversations = 12
	requests := make([]Request, conversations)
	ids := make([]uuid.UUID, conversations)
	for i := range requests {
		requests[i] = c.request(drive)
		key := fmt.Sprint("key ", i)
		requests[i].IdempotencyKey, requests[i].Fingerprint = &key, key
		answer, err := c.nodes[i%3].Calculate(t.Context(), requests[i])
		if err != nil {
			t.Fatal(err)
		}
		ids[i] = answer.Message.ConversationID
	}
	done := make(chan struct{})
	var asking, erasing sync.WaitGroup
	for i := range requests {
		for _, s := range c.nodes {
			asking.Go(func() {
				for {
					answer, err := s.Calculate(t.Context(), requests[i])
					switch {
					case err == nil && answer.Message.ConversationID != ids[i]:
						t.Errorf("the key of conversation %s has made conversation %s", ids[i], answer.Message.ConversationID)
						return
					case err != nil && !errors.Is(err, ErrUnknownConversation) && !errors.Is(err, ErrUnavailable):
						t.Errorf("the key of conversation %s: %v", ids[i], err)
						return
					}
					select {
					case <-done:
						return
					default:
					}
				}
			})
		}
	}
	for i, id := range ids {
		erasing.Go(func() {
			admin := Admin{Log: logs[i%3], Views: forget[i%3]}
			sequence, _, err := admin.EraseConversation(t.Context(), "acme", id, "")
			for _, views := range forget {
				if err == nil {
					err = views.Forgotten(t.Context(), sequence)
				}
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	erasing.Wait()
	close(done)
	asking.Wait()
	for i, s := range c.nodes {
		for _, r := range requests {
			if _, err := s.Calculate(t.Context(), r); !errors.Is(err, ErrUnknownConversation) {
				t.Errorf("node %d: %v", i, err)
			}
		}
	}
	if left, err := logs[0].Conversations(t.Context(), c.account.ID); err != nil || len(left) > 0 {
		t.Errorf("conversations %v are there (%v)", left, err)
	}
}

// What earlier versions have left at a subject of commands says as well that the key is one of an
// erased conversation.
func TestKeyErasedByAnEarlierVersion(t *testing.T) {
	t.Parallel()
	c := startNodes(t, 1)
	key := "key"
	left := Encode(events.Command{Type: events.ErasedCommand, AccountID: c.account.ID, ConversationID: uuid.New()})
	if _, err := c.log.Enqueue(t.Context(), events.KeyedSubject(c.account.ID, key), left, true); err != nil && !errors.Is(err, log.ErrConflict) {
		t.Fatal(err)
	}
	r := c.request(drive)
	r.IdempotencyKey = &key
	if _, err := c.nodes[0].Calculate(t.Context(), r); !errors.Is(err, ErrUnknownConversation) {
		t.Errorf("the key is answered with %v", err)
	}
}
