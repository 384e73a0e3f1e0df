package commands

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/projections"
)

// Titles and notes have bounds, are of one account's conversations, and go on beside calculations.
func TestDescribe(t *testing.T) {
	t.Parallel()
	c := startNodes(t, 1)
	admin, views := Admin{Log: c.log}, c.nodes[0].views
	ctx := t.Context()
	ask := func(text string, conversation *uuid.UUID) projections.Message {
		r := c.request(text)
		r.Conversation = conversation
		a, err := c.nodes[0].Calculate(ctx, r)
		if err != nil {
			t.Error(err)
		}
		return a.Message
	}
	text := func(s string) *string { return &s }
	m := ask(drive, nil)
	for what, bad := range map[string]Description{
		"nothing":          {},
		"a long title":     {Title: text(strings.Repeat("ä", 201))},
		"long notes":       {Notes: text(strings.Repeat("ä", 4001))},
		"two lines":        {Title: text("a\nb")},
		"an escape":        {Title: text("a\x1b[2J")},
		"letters reversed": {Notes: text("a\u202eb")},
		"bytes":            {Title: text("\xff")},
	} {
		if err := admin.Describe(ctx, "acme", m.ConversationID, bad); err == nil {
			t.Errorf("%s is taken", what)
		}
	}
	if err := admin.Describe(ctx, "acme", uuid.New(), Description{Title: text("x")}); !errors.Is(err, ErrNone) {
		t.Errorf("a conversation that there is not: %v", err)
	}
	if _, err := admin.CreateAccount(ctx, CreateAccount{Name: "other"}); err != nil {
		t.Fatal(err)
	}
	if err := admin.Describe(ctx, "other", m.ConversationID, Description{Title: text("x")}); !errors.Is(err, ErrNone) {
		t.Errorf("another account's conversation: %v", err)
	}
	title, notes := strings.Repeat("ä", 200), "a\tb\n"+strings.Repeat("ä", 3996)
	if err := admin.Describe(ctx, "acme", m.ConversationID, Description{Title: text("  " + title + "\n"), Notes: &notes}); err != nil {
		t.Fatal(err)
	}
	var both sync.WaitGroup
	for range 4 {
		both.Go(func() {
			for range 5 {
				ask("speed: 50 mi/h", &m.ConversationID)
			}
		})
		both.Go(func() {
			for range 5 {
				if err := admin.Describe(ctx, "acme", m.ConversationID, Description{Title: text("Lake")}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	both.Wait()
	if err := views.Fresh(ctx); err != nil {
		t.Fatal(err)
	}
	is, found, err := views.Conversation(ctx, AccountID("acme"), m.ConversationID)
	if err != nil || !found || *is.Title != "Lake" || *is.Notes != notes || is.Messages != 21 {
		t.Errorf("the conversation is %+v (%t, %v)", is, found, err)
	}
	written := func() (list []string) {
		t.Helper()
		for _, by := range []Admin{admin, {Log: c.log, Views: views}} {
			all, err := by.Audit(ctx, "acme", time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			list = nil
			for _, e := range all {
				data, err := Audited(e)
				if text := fmt.Sprint(data); err != nil || strings.Contains(text, "Lake") || strings.Contains(text, "ä") {
					t.Errorf("the audit tells %s (%v)", text, err)
				}
				if what, is := data["written"]; is {
					list = append(list, fmt.Sprint(what, data["conversation_id"], " ", e.Data.(events.Administration).Actor().How))
				}
			}
			if other, err := by.Audit(ctx, "other", time.Time{}); err != nil || len(other) != 1 {
				t.Errorf("of another account the audit has %d events (%v)", len(other), err)
			}
		}
		return list
	}
	if list := written(); len(list) != 21 || list[0] != fmt.Sprintf("[title notes]%s service", m.ConversationID) || list[20] != fmt.Sprintf("[title]%s service", m.ConversationID) {
		t.Errorf("the audit has of descriptions %q", list)
	}
	if result, err := views.Verify(ctx, nil, func(d projections.Difference) { t.Errorf("%+v", d) }); err != nil || result.Differences > 0 {
		t.Errorf("%+v (%v)", result, err)
	}
	erased, _, err := Admin{Log: c.log, Views: views}.EraseConversation(ctx, "acme", m.ConversationID, "")
	if err == nil {
		err = views.Forgotten(ctx, erased)
	}
	if list := written(); err != nil || len(list) > 0 {
		t.Errorf("of an erased conversation the audit has %q (%v)", list, err)
	}
}
