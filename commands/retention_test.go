package commands

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/events/log"
	"reckon/events/log/logtest"
	"reckon/projections"
)

// retention is that of a node.
func (c *cluster) retention(node int) *Retention {
	return NewRetention(c.log, c.nodes[node].views, slog.New(slog.DiscardHandler))
}

// converse makes conversations of one message.
func (c *cluster) converse(t *testing.T, count int) (ids []uuid.UUID) {
	t.Helper()
	for range count {
		a, err := c.nodes[0].Calculate(t.Context(), c.request(drive))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, a.Message.ConversationID)
	}
	return ids
}

// keeping sets for how many days the account keeps conversations.
func (c *cluster) keeping(t *testing.T, days int) {
	t.Helper()
	if _, err := (Admin{Log: c.log}).ChangeAccount(t.Context(), ChangeAccount{Name: "acme", Retention: &days}); err != nil {
		t.Fatal(err)
	}
	c.fresh(t)
}

// fresh waits until all nodes show what the log has.
func (c *cluster) fresh(t *testing.T) {
	t.Helper()
	for _, n := range c.nodes {
		if err := n.views.Fresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// erasures are the events that erased a conversation of the account.
func (c *cluster) erasures(t *testing.T) (list []*events.ConversationErased) {
	t.Helper()
	history, err := c.log.Read(t.Context(), events.AccountSubject(c.account.ID), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range history {
		if erased, is := e.Data.(*events.ConversationErased); is {
			list = append(list, erased)
		}
	}
	return list
}

// pass has a node erase what is to be erased some days from now, after the clock has run for a time.
func (c *cluster) pass(t *testing.T, node, days int, ran time.Duration) (full bool, err error) {
	t.Helper()
	c.fresh(t)
	return c.retention(node).pass(t.Context(), time.Now().Round(0).Add(time.Duration(days)*day+time.Minute), ran)
}

// passes is pass, which must not fail, and the ids of the conversations that are erased by then.
func (c *cluster) passes(t *testing.T, days int) (erased []uuid.UUID, full bool) {
	t.Helper()
	full, err := c.pass(t, 0, days, clockProof)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range c.erasures(t) {
		erased = append(erased, e.ConversationID)
	}
	return erased, full
}

func TestRetention(t *testing.T) {
	t.Parallel()
	c := startNodes(t, 1)
	ids := c.converse(t, 3)
	if erased, _ := c.passes(t, 100_000); erased != nil {
		t.Fatalf("erased without being asked: %v", erased)
	}
	c.keeping(t, 400)
	if erased, _ := c.passes(t, 399); erased != nil {
		t.Fatalf("erased a day early: %v", erased)
	}
	if erased, full := c.passes(t, 400); !slices.Equal(erased, ids) || full {
		t.Fatalf("erased are %v (more: %t), want %v", erased, full, ids)
	}
	for _, e := range c.erasures(t) {
		if e.By == nil || e.By.How != events.ByService || e.Reason != "retention of 400 days" || len(e.Events) == 0 {
			t.Errorf("the erasure is %+v by %+v", e, e.By)
		}
	}
	for _, id := range ids {
		if _, found, err := c.nodes[0].views.Conversation(t.Context(), c.account.ID, id); found || err != nil {
			t.Errorf("conversation %s is found (%v)", id, err)
		}
		if left, err := c.log.Sequences(t.Context(), c.account.ID, id); len(left) > 0 || err != nil {
			t.Errorf("events %v of conversation %s are left (%v)", left, id, err)
		}
	}
	if erased, _ := c.passes(t, 400); len(erased) != len(ids) {
		t.Errorf("erased twice: %v", erased)
	}
	c.converse(t, 1)
	c.keeping(t, 0)
	if erased, _ := c.passes(t, 100_000); len(erased) != len(ids) {
		t.Errorf("erased although the retention has ended: %v", erased)
	}
}

func TestRetentionSetting(t *testing.T) {
	t.Parallel()
	c := startNodes(t, 1)
	admin := Admin{Log: c.log}
	for _, bad := range []int{-1, maxRetention + 1} {
		var refused *RefusedError
		if _, err := admin.ChangeAccount(t.Context(), ChangeAccount{Name: "acme", Retention: &bad}); !errors.As(err, &refused) {
			t.Errorf("a retention of %d days: %v", bad, err)
		}
	}
	c.keeping(t, 30)
	zone := "UTC"
	before, err := admin.ChangeAccount(t.Context(), ChangeAccount{Name: "acme", TimeZone: &zone})
	if err != nil || before.Retention != 30 {
		t.Errorf("another setting leaves %d days (%v)", before.Retention, err)
	}
	again, err := admin.ChangeAccount(t.Context(), ChangeAccount{Name: "acme", Retention: new(30)})
	if err != nil || again.Sequence != before.Sequence {
		t.Errorf("the same again is another event (%v)", err)
	}
}

// A clock that may have leapt ahead erases nothing, before it has run for a day.
func TestRetentionDistrustsTheClock(t *testing.T) {
	t.Parallel()
	c := startNodes(t, 1)
	ids := c.converse(t, 1)
	c.keeping(t, 1)
	for _, days := range []int{400, 3, 2} {
		if _, err := c.pass(t, 0, days, clockProof-1); !errors.Is(err, errClock) {
			t.Errorf("%d days ahead: %v", days, err)
		}
	}
	if erased := c.erasures(t); len(erased) > 0 {
		t.Fatalf("erased are %v", erased)
	}
	// Of yesterday there are events, so that yesterday was.
	if _, err := c.pass(t, 0, 1, 0); err != nil {
		t.Error(err)
	}
	if erased := c.erasures(t); len(erased) != 1 || erased[0].ConversationID != ids[0] {
		t.Errorf("erased are %v", erased)
	}
}

// A long prompt whose command never came goes once no command of it can be left, in accounts without
// a retention too, and nothing else does. What comes of it later is of an erased conversation.
func TestPromptWithoutCommandIsErased(t *testing.T) {
	t.Parallel()
	c := startNodes(t, 1)
	s := c.nodes[0]
	r := c.request(drive + strings.Repeat("\n# aside", events.LongPrompt))
	answer, err := s.Calculate(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	lost := c.command(r.Prompt, time.Now())
	lost.ConversationID, lost.MessageID = uuid.New(), uuid.New()
	again := lost
	again.ConversationID, again.MessageID = answer.Message.ConversationID, uuid.New()
	for _, command := range []*Calculate{&lost, &again} {
		if err := s.storeApart(t.Context(), command); err != nil || !command.Apart {
			t.Fatalf("stored apart: %t, %v", command.Apart, err)
		}
	}
	if erased, _ := c.passes(t, 1); erased != nil {
		t.Fatalf("erased while its command may come: %v", erased)
	}
	if _, err := c.pass(t, 0, 2, 0); !errors.Is(err, errClock) {
		t.Fatalf("erased by a clock that may have leapt: %v", err)
	}
	for range 2 {
		if erased, _ := c.passes(t, 2); !slices.Equal(erased, []uuid.UUID{lost.ConversationID}) {
			t.Fatalf("erased are %v, want %s once", erased, lost.ConversationID)
		}
	}
	if left, err := c.log.Sequences(t.Context(), lost.AccountID, lost.ConversationID); err != nil || len(left) > 0 {
		t.Errorf("events %v are left (%v)", left, err)
	}
	if by := c.erasures(t)[0]; by.By == nil || by.By.How != events.ByService || by.Reason == "" {
		t.Errorf("the erasure is %+v by %+v", by, by.By)
	}
	if kept := c.head(t, answer.Message.ConversationID); kept.Last != 1 {
		t.Errorf("the conversation beside it is %+v", kept)
	}
	if awaited, err := c.log.Awaited(); err != nil || awaited == 0 {
		t.Errorf("it is looked for again from event %d on (%v)", awaited, err)
	}
	if _, err := s.log.Enqueue(t.Context(), events.KeylessSubject(lost.AccountID, lost.MessageID), encodeCalculate(lost), false); err != nil {
		t.Fatal(err)
	}
	logtest.Until(t, "drop the command that came behind", func(ctx context.Context) error {
		if _, err := c.log.Command(ctx, events.KeylessSubject(lost.AccountID, lost.MessageID)); !errors.Is(err, log.ErrNotFound) {
			return fmt.Errorf("the command is there (%v)", err)
		}
		return nil
	})
	if _, found, err := s.views.Conversation(t.Context(), lost.AccountID, lost.ConversationID); found || err != nil {
		t.Errorf("the conversation came to be (%v)", err)
	}
}

// Many are erased some at once, the oldest first, also while another node does the same, and none
// of them twice.
func TestRetentionIsBounded(t *testing.T) {
	t.Parallel()
	c := startNodes(t, 2)
	ids := c.converse(t, maxErased+15)
	c.keeping(t, 400)
	erased, full := c.passes(t, 400)
	if !slices.Equal(erased, ids[:maxErased]) || !full {
		t.Fatalf("%d are erased (more: %t), want the first %d", len(erased), full, maxErased)
	}
	c.fresh(t)
	var both sync.WaitGroup
	for node := range c.nodes {
		r := c.retention(node)
		both.Go(func() {
			if _, err := r.pass(t.Context(), time.Now().Round(0).Add(401*day), clockProof); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	if erased, _ := c.passes(t, 400); !slices.Equal(erased, ids) {
		t.Errorf("%d are erased, want %d once", len(erased), len(ids))
	}
}

// What came meanwhile keeps a conversation, and another event of the account its next erasures.
func TestRetentionRaces(t *testing.T) {
	t.Parallel()
	c := startNodes(t, 1)
	id := c.converse(t, 1)[0]
	before := c.head(t, id)
	r := c.request(drive)
	r.Conversation = &id
	if _, err := c.nodes[0].Calculate(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	expected, err := c.log.Newest(t.Context(), events.AccountSubject(c.account.ID))
	if err != nil {
		t.Fatal(err)
	}
	if sequence, err := c.retention(0).erase(t.Context(), before, "", expected); sequence > 0 || err != nil {
		t.Errorf("an active conversation is erased by event %d (%v)", sequence, err)
	}
	c.keeping(t, 400) // an event of the account
	if _, err := c.retention(0).erase(t.Context(), c.head(t, id), "", expected); !errors.Is(err, log.ErrConflict) {
		t.Errorf("behind another event: %v", err)
	}
	if erased := c.erasures(t); len(erased) > 0 {
		t.Errorf("erased are %v", erased)
	}
}

// head is a conversation as the first node shows it.
func (c *cluster) head(t *testing.T, id uuid.UUID) projections.Conversation {
	t.Helper()
	c.fresh(t)
	head, found, err := c.nodes[0].views.Conversation(t.Context(), c.account.ID, id)
	if !found || err != nil {
		t.Fatalf("conversation %s: %v", id, err)
	}
	return head
}
