package commands

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/projections"
)

// A domain goes through drafts, versions, an earlier version again and retirement. Each version
// has its author's words; whoever has seen an older state changes nothing.
func TestLifecycle(t *testing.T) {
	t.Parallel()
	c := startLog(t)
	admin := Admin{Log: c.log, By: events.Actor{How: events.ByShell, Name: "ada"}}
	ctx := t.Context()
	domain := func() projections.Domain {
		t.Helper()
		list, err := admin.Domains(ctx, c.account.ID)
		if err != nil || len(list) != 1 {
			t.Fatalf("the domains are %+v (%v)", list, err)
		}
		return list[0]
	}
	first := domain()
	def := trip(t).Definition
	def.Description = "With tolls."
	p := Publication{Account: "acme", Definition: def, Draft: true, Comment: "tolls", Source: "title: Road trip # ours\n"}
	for what, bad := range map[string]Publication{
		"a long comment": {Comment: strings.Repeat("ä", 1001)}, "an escape": {Comment: "a\x1b[2J"},
		"a long source": {Source: strings.Repeat("x", MaxSource+1)},
	} {
		bad.Account, bad.Definition = "acme", def
		if _, err := admin.Publish(ctx, bad); err == nil {
			t.Errorf("%s is taken", what)
		}
	}
	drafted, err := admin.Publish(ctx, p)
	if err != nil || drafted.Version != 1 || drafted.Sequence <= first.Sequence {
		t.Fatalf("%+v (%v)", drafted, err)
	}
	stale := p
	stale.Seen, stale.Definition.Description = first.Sequence, "Stale."
	if _, err := admin.Publish(ctx, stale); !errors.Is(err, ErrSeen) {
		t.Errorf("a draft over one that was not seen: %v", err)
	}
	e, err := admin.Draft(ctx, domain())
	if data := e.Data.(*events.DomainDrafted); err != nil || data.Comment != p.Comment || data.Source != p.Source || data.By.Name != "ada" {
		t.Errorf("the draft is %+v (%v)", data, err)
	}
	if same, err := admin.Publish(ctx, p); err != nil || !same.Unchanged {
		t.Errorf("the same draft: %+v (%v)", same, err)
	}
	// Another comment in the file is another text of the author.
	p.Source = "title: Road trip # mine\n"
	if drafted, err = admin.Publish(ctx, p); err != nil || drafted.Unchanged {
		t.Errorf("the same draft with another comment: %+v (%v)", drafted, err)
	}
	if e, err := admin.Draft(ctx, domain()); err != nil || e.Data.(*events.DomainDrafted).Source != p.Source {
		t.Errorf("the author's text is %+v (%v)", e.Data, err)
	}
	if err := admin.Discard(ctx, c.account.ID, first.ID, first.Sequence); !errors.Is(err, ErrSeen) {
		t.Errorf("discarding what was not seen: %v", err)
	}
	if err := admin.Discard(ctx, c.account.ID, first.ID, drafted.Sequence); err != nil {
		t.Fatal(err)
	}
	if _, err := admin.Draft(ctx, domain()); !errors.Is(err, ErrNone) || domain().Draft != nil {
		t.Errorf("the draft is there (%v)", err)
	}
	if err := admin.Discard(ctx, c.account.ID, first.ID, 0); !errors.Is(err, ErrNone) {
		t.Errorf("discarding it again: %v", err)
	}
	if _, err := admin.Publish(ctx, p); err != nil {
		t.Fatal(err)
	}
	second, err := admin.Again(ctx, "acme", domain(), 0, "")
	if err != nil || second.Version != 2 || domain().Draft != nil {
		t.Fatalf("the draft was published as %+v (%v)", second, err)
	}
	commented := p
	commented.Source += "# and published\n"
	if over, err := admin.Publish(ctx, commented); err != nil || over.Unchanged || domain().Draft == nil {
		t.Errorf("a draft of what is published, with another comment: %+v (%v)", over, err)
	}
	if err := admin.Discard(ctx, c.account.ID, first.ID, 0); err != nil {
		t.Fatal(err)
	}
	third, err := admin.Again(ctx, "acme", domain(), 1, "")
	if err != nil || third.Version != 3 || domain().Published.Description == def.Description {
		t.Fatalf("version 1 is published again as %+v (%v)", third, err)
	}
	if again, err := admin.Again(ctx, "acme", domain(), 1, ""); err != nil || !again.Unchanged {
		t.Errorf("once more: %+v (%v)", again, err)
	}
	if _, err := admin.Again(ctx, "acme", domain(), 9, ""); !errors.Is(err, ErrNone) {
		t.Errorf("a version that there is not: %v", err)
	}
	versions, err := admin.Versions(ctx, domain())
	if err != nil || len(versions) != 3 {
		t.Fatalf("%d versions (%v)", len(versions), err)
	}
	if v := versions[1].Data.(*events.DomainPublished); v.Comment != p.Comment || v.Source != p.Source || v.By.Name != "ada" {
		t.Errorf("version 2 is %+v", v)
	}
	if v := versions[2].Data.(*events.DomainPublished); v.Comment != "Version 1 again." || v.Definition.Description != trip(t).Definition.Description {
		t.Errorf("version 3 is %+v", v)
	}
	if err := admin.Retire(ctx, c.account.ID, uuid.New(), true); !errors.Is(err, ErrNone) {
		t.Errorf("a domain that there is not: %v", err)
	}
	if err := admin.Retire(ctx, c.account.ID, first.ID, true); err != nil {
		t.Fatal(err)
	}
	if _, err := admin.Again(ctx, "acme", domain(), 2, ""); !errors.Is(err, ErrRetired) {
		t.Errorf("an earlier version of a retired domain: %v", err)
	}
}

// A new domain that looks like another one of the account is made where it is said to be new, and
// a draft that was discarded leaves nothing to be found.
func TestANewDomainIsMeant(t *testing.T) {
	t.Parallel()
	c := startLog(t)
	admin := Admin{Log: c.log}
	ctx := t.Context()
	def := trip(t).Definition
	publish := func(title, key string, change func(*Publication)) (Published, error) {
		p := Publication{Account: "acme", Key: key, Definition: def}
		p.Definition.Title = title
		if change != nil {
			change(&p)
		}
		return admin.Publish(ctx, p)
	}
	var beside *BesideError
	if _, err := publish("Long trip", "", nil); !errors.As(err, &beside) || beside.Title != def.Title || beside.Key == "" {
		t.Fatalf("under another title: %v", err)
	}
	if renamed, err := publish("Long trip", beside.Key, nil); err != nil || renamed.DomainID != c.domain || renamed.Version != 2 {
		t.Errorf("with its key: %+v (%v)", renamed, err)
	}
	if _, err := publish("Long trip", "dm_0123456789abcdef01234567", nil); !errors.As(err, &beside) {
		t.Errorf("the title with another key: %v", err)
	}
	double := events.Definition{
		Title: "Double", Description: "Twice.",
		Variables: []events.Variable{
			{Key: "distance", Title: "x", Kind: "number", DefaultValue: []byte(`""`)}, {Key: "y", Title: "y", Kind: "number", DefaultValue: []byte(`""`)},
		},
		Activities: []events.Activity{{Title: "Twice", Equation: "y = 2*distance", State: "active"}},
	}
	other := func(p *Publication) { p.Definition = double }
	if _, err := publish("", "", other); err != nil {
		t.Errorf("a domain of its own: %v", err)
	}
	draft := func(p *Publication) { p.Draft, p.New = true, true }
	kept, err := publish("Short trip", "", draft)
	if err != nil || kept.DomainID == c.domain || kept.Version != 0 {
		t.Fatalf("a new one: %+v (%v)", kept, err)
	}
	if err := admin.Discard(ctx, c.account.ID, kept.DomainID, 0); err != nil {
		t.Fatal(err)
	}
	if list, err := admin.Domains(ctx, c.account.ID); err != nil || len(list) != 2 {
		t.Errorf("the domains are %+v (%v)", list, err)
	}
	if again, err := publish("Short trip", "", draft); err != nil || again.DomainID != kept.DomainID || again.Key != kept.Key {
		t.Errorf("kept once more: %+v (%v)", again, err)
	}
}
