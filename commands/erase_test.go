package commands

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"reckon/events"
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
