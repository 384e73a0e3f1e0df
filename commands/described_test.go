package commands

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

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
	if result, err := views.Verify(ctx, nil, func(d projections.Difference) { t.Errorf("%+v", d) }); err != nil || result.Differences > 0 {
		t.Errorf("%+v (%v)", result, err)
	}
}
