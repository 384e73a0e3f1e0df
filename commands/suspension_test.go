package commands

import (
	"errors"
	"strings"
	"testing"

	"reckon/projections"
)

// Limits of the owner stay below those of the operator, also when these come later, and what is
// suspended neither calculates nor publishes.
func TestLimitsAndSuspension(t *testing.T) {
	t.Parallel()
	c := startNodes(t, 1)
	admin := Admin{Log: c.log}
	ctx := t.Context()
	n := func(n int) *int { return &n }
	change := func(change ChangeAccount) (projections.Account, error) {
		t.Helper()
		change.Name = "acme"
		return admin.ChangeAccount(ctx, change)
	}
	if _, err := change(ChangeAccount{Limits: ChangeLimits{Reads: n(500)}, Ceiling: ChangeLimits{Calculations: n(100), MonthBytes: n(1 << 30)}}); err != nil {
		t.Fatal(err)
	}
	if _, err := change(ChangeAccount{Limits: ChangeLimits{Calculations: n(101)}}); err == nil || !strings.Contains(err.Error(), "101 calculations a second: the operator allows 100") {
		t.Errorf("above the ceiling: %v", err)
	}
	if _, err := change(ChangeAccount{Ceiling: ChangeLimits{Reads: n(-1)}}); err == nil {
		t.Error("a ceiling of -1")
	}
	if _, err := change(ChangeAccount{Limits: ChangeLimits{Calculations: n(100)}, Ceiling: ChangeLimits{Reads: n(200)}}); err != nil {
		t.Fatal(err)
	}
	account, err := change(ChangeAccount{Ceiling: ChangeLimits{Calculations: n(10)}})
	if err != nil {
		t.Fatal(err)
	}
	if want := (projections.Limits{Calculations: 10, Reads: 200, MonthBytes: 1 << 30}); account.Allowed() != want || account.Limits.Calculations != 100 {
		t.Errorf("allowed are %+v of %+v, want %+v", account.Allowed(), account.Limits, want)
	}
	title := "Acme & Söhne"
	for _, bad := range []string{"a\nb", " a", "\u202eemca"} {
		if _, err := change(ChangeAccount{Title: &bad}); err == nil {
			t.Errorf("a title %q", bad)
		}
	}
	if _, err = change(ChangeAccount{Title: &title}); err != nil {
		t.Fatal(err)
	}
	before, err := admin.Account(ctx, "acme")
	if err != nil || before.Title != title || before.ID != AccountID("acme") || before.Ceiling.Reads != 200 {
		t.Errorf("the account is %+v (%v)", before, err)
	}
	if again, err := change(ChangeAccount{Title: &title, Ceiling: ChangeLimits{Calculations: n(10)}}); err != nil || again.Sequence != before.Sequence {
		t.Errorf("the same again is another event (%v)", err)
	}

	for _, bad := range []string{"a\nb", strings.Repeat("ä", 201)} {
		if _, err := admin.Suspend(ctx, "acme", bad); err == nil {
			t.Errorf("a reason %q", bad)
		}
	}
	if _, err := admin.Suspend(ctx, "nobody", ""); !errors.Is(err, ErrNone) {
		t.Errorf("an account that there is not: %v", err)
	}
	suspended, err := admin.Suspend(ctx, "ACME", "unpaid")
	if err != nil || suspended.Suspended == nil || suspended.Suspended.Reason != "unpaid" {
		t.Fatalf("the account is %+v (%v)", suspended, err)
	}
	if again, err := admin.Suspend(ctx, "acme", "unpaid"); err != nil || again.Sequence != suspended.Sequence {
		t.Errorf("suspending again is another event (%v)", err)
	}
	d := trip(t).Definition
	d.Description = "Another one."
	if _, err := admin.Publish(ctx, Publication{Account: "acme", Definition: d}); !errors.Is(err, ErrSuspended) {
		t.Errorf("publishing: %v", err)
	}
	r := c.request(drive)
	r.Account = suspended
	if _, err := c.nodes[0].Calculate(ctx, r); !errors.Is(err, ErrSuspended) {
		t.Errorf("calculating: %v", err)
	}
	for range 2 {
		if r.Account, err = admin.Resume(ctx, "acme"); err != nil || r.Account.Suspended != nil {
			t.Fatalf("the account is %+v (%v)", r.Account, err)
		}
	}
	if _, err := admin.Publish(ctx, Publication{Account: "acme", Definition: d}); err != nil {
		t.Errorf("publishing again: %v", err)
	}
	if _, err := c.nodes[0].Calculate(ctx, r); err != nil {
		t.Errorf("calculating again: %v", err)
	}
}
