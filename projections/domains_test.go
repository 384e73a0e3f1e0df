package projections

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/events"
)

func TestApplyDomain(t *testing.T) {
	account, id := uuid.New(), uuid.New()
	subject := events.DomainSubject(account, id)
	definition := func(title string) Definition { return Definition{Title: title} }
	rows := []struct {
		name             string
		data             any
		version          int
		published, draft string
	}{
		{"draft", &events.DomainDrafted{DomainID: id, Key: "dm_1", Definition: definition("a")}, 0, "", "a"},
		{"published", &events.DomainPublished{DomainID: id, Key: "dm_1", Version: 1, Definition: definition("b")}, 1, "b", ""},
		{"draft of the next", &events.DomainDrafted{DomainID: id, Key: "dm_1", Definition: definition("c")}, 1, "b", "c"},
		{"unknown event", nil, 1, "b", "c"},
		{"retired", &events.DomainRetired{DomainID: id}, 1, "b", "c"},
		{"restored", &events.DomainRestored{DomainID: id}, 1, "b", "c"},
		{"published again", &events.DomainPublished{DomainID: id, Key: "dm_1", Version: 2, Definition: definition("d")}, 2, "d", ""},
	}
	title := func(d *Definition) string {
		if d == nil {
			return ""
		}
		return d.Title
	}
	var d Domain
	for i, row := range rows {
		e := event(subject, row.data)
		e.Sequence = uint64(i + 1)
		e.Time = start.Add(time.Duration(i) * time.Second)
		d = ApplyDomain(d, e)
		if d.Version != row.version || title(d.Published) != row.published || title(d.Draft) != row.draft {
			t.Errorf("%s: version %d, published %q, draft %q", row.name, d.Version, title(d.Published), title(d.Draft))
		}
		if _, retired := row.data.(*events.DomainRetired); retired != d.Retired {
			t.Errorf("%s: retired is %v", row.name, d.Retired)
		}
		if d.AccountID != account || d.ID != id || d.Key != "dm_1" || d.Sequence != e.Sequence || row.data != nil && !d.UpdatedAt.Equal(e.Time) {
			t.Errorf("%s: the domain is %+v", row.name, d)
		}
	}
}

func TestDomainsAreListedByTitle(t *testing.T) {
	v := openIdle(t, openLog(t, t.TempDir()), t.TempDir())
	account := uuid.New()
	low, high := uuid.MustParse("10000000-0000-4000-8000-000000000000"), uuid.MustParse("20000000-0000-4000-8000-000000000000")
	set := func(id uuid.UUID, title string) {
		viewOf[*domains](v.serving.Load()).set(Domain{AccountID: account, ID: id, Version: 1, Published: &Definition{Title: title}})
	}
	set(uuid.New(), "loan")
	set(high, "Road trip")
	set(low, "road trip")
	set(uuid.New(), "Motion")
	renamed := uuid.New()
	set(renamed, "A")
	set(renamed, "Zebra")
	viewOf[*domains](v.serving.Load()).set(Domain{AccountID: account, ID: uuid.New(), Draft: &Definition{Title: "Draft"}})
	viewOf[*domains](v.serving.Load()).set(Domain{AccountID: uuid.New(), ID: uuid.New(), Published: &Definition{Title: "Another account's"}})
	gone := uuid.New()
	set(gone, "Gone")
	viewOf[*domains](v.serving.Load()).set(Domain{AccountID: account, ID: gone, Version: 1, Published: &Definition{Title: "Gone"}, Retired: true})
	want := []string{"loan", "Motion", "road trip", "Road trip", "Zebra"}
	list := v.Domains(account)
	if len(list) != len(want) {
		t.Fatalf("%d domains, want %d", len(list), len(want))
	}
	for i, d := range list {
		if d.Published.Title != want[i] {
			t.Errorf("domain %d is %q, want %q", i, d.Published.Title, want[i])
		}
	}
	if _, ok := v.Domain(uuid.New(), low); ok {
		t.Error("another account sees the domain")
	}
}
