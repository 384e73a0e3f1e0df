package commands

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/projections"
)

// An account is erased whole, however often that was interrupted, by two at once, and each of its
// conversations once.
func TestEraseAccount(t *testing.T) {
	t.Parallel()
	c := startNodes(t, 1)
	ids := c.converse(t, 20)
	admin := Admin{Log: c.log, By: events.Actor{How: events.ByShell, Name: "root"}}
	if _, err := admin.CreateUser(t.Context(), "ada@example.com", "Ada"); err != nil {
		t.Fatal(err)
	}
	if err := admin.AddMember(t.Context(), "acme", "ada@example.com", projections.RoleOwner); err != nil {
		t.Fatal(err)
	}
	if _, _, err := admin.CreateKey(t.Context(), "acme", KeyTerms{}); err != nil {
		t.Fatal(err)
	}
	if _, err := admin.EraseAccount(t.Context(), "nobody", ""); !errors.Is(err, ErrNone) {
		t.Errorf("an account that there is not: %v", err)
	}

	// Interrupted once three conversations are erased.
	interrupted, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var watch sync.WaitGroup
	watch.Go(func() {
		seen := 0
		_ = c.log.Tail(interrupted, 0, func(list []events.Event) error { // ends with the context
			for _, e := range list {
				if _, is := e.Data.(*events.ConversationErased); is {
					seen++
				}
			}
			if seen >= 3 {
				interrupt()
			}
			return nil
		})
	})
	if _, err := admin.EraseAccount(interrupted, "acme", "The end."); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	interrupt()
	watch.Wait()

	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if _, err := admin.EraseAccount(t.Context(), "acme", "The end."); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	erased := map[uuid.UUID]int{}
	for _, e := range c.erasures(t) {
		erased[e.ConversationID]++
	}
	for _, id := range ids {
		if erased[id] != 1 {
			t.Errorf("conversation %s is erased %d times", id, erased[id])
		}
	}
	account, err := admin.Account(t.Context(), "acme")
	if err != nil || account.Suspended == nil || len(account.Members) > 0 || len(account.Keys) != 1 || !account.Keys[0].Revoked {
		t.Errorf("the account is %+v (%v)", account, err)
	}
	domains, err := admin.Domains(t.Context(), account.ID)
	if err != nil || len(domains) != 1 || !domains[0].Retired {
		t.Errorf("its domains are %+v (%v)", domains, err)
	}
	again, err := admin.EraseAccount(t.Context(), "acme", "The end.")
	if err != nil || again.Conversations+again.Revoked+again.Left+again.Retired > 0 || again.Sequence != account.Sequence || again.Erased == 0 {
		t.Errorf("again: %+v (%v)", again, err)
	}
	if err := c.nodes[0].views.Forgotten(t.Context(), again.Erased); err != nil {
		t.Fatal(err)
	}
	if left, err := c.log.Conversations(t.Context(), account.ID); len(left) > 0 || err != nil {
		t.Errorf("conversations %v are left (%v)", left, err)
	}
}
