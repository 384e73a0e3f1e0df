package projections

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"reckon/events"
)

// Domain is a domain with its newest version and draft.
type Domain struct {
	AccountID uuid.UUID   `json:"account_id"`
	ID        uuid.UUID   `json:"id"`
	Key       string      `json:"key"`
	Version   int         `json:"version"`             // newest published version, 0 for none
	Published *Definition `json:"published,omitempty"` // newest published definition, nil for none
	Draft     *Definition `json:"draft,omitempty"`     // draft newer than that, nil for none
	Retired   bool        `json:"retired,omitempty"`
	UpdatedAt time.Time   `json:"updated_at"`
	Sequence  uint64      `json:"sequence"`
}

// Blank tells whether nothing of the domain was kept: it was a draft once.
func (d Domain) Blank() bool { return d.Published == nil && d.Draft == nil }

// Serves tells whether the domain can be asked: it is published and not retired.
func (d Domain) Serves() bool { return d.Published != nil && !d.Retired }

// version is the document of one published version of a domain.
type version struct {
	Definition Definition `json:"definition"`
	Sequence   uint64     `json:"sequence"`
}

// ApplyDomain folds an event of a domain's subject. Events of other types change nothing but the
// sequence.
func ApplyDomain(d Domain, e events.Event) Domain {
	d.Sequence = e.Sequence
	switch data := e.Data.(type) {
	case *events.DomainDrafted:
		d.AccountID, d.ID, d.Key = e.Subject.Account(), data.DomainID, data.Key
		d.Draft = &data.Definition
		d.UpdatedAt = e.Time
	case *events.DraftDiscarded:
		d.Draft = nil
		d.UpdatedAt = e.Time
	case *events.DomainPublished:
		d.AccountID, d.ID, d.Key = e.Subject.Account(), data.DomainID, data.Key
		d.Version = data.Version
		d.Published = &data.Definition
		d.Draft = nil
		d.UpdatedAt = e.Time
	case *events.DomainRetired:
		d.Retired, d.UpdatedAt = true, e.Time
	case *events.DomainRestored:
		d.Retired, d.UpdatedAt = false, e.Time
	}
	return d
}

// domainsModel has the documents <account>.<domain>: Domain, and <account>.<domain>.v.<version>:
// version.
var domainsModel = model{
	name: "domains", version: 4, readable: 1,
	folds: []any{
		(*events.DomainDrafted)(nil), (*events.DraftDiscarded)(nil), (*events.DomainPublished)(nil),
		(*events.DomainRetired)(nil), (*events.DomainRestored)(nil),
	},
	open: func(b *bucket, _ *messageLog) view { return openDomains(b) },
}

// domains holds every domain in memory, without the versions that are no longer the newest.
type domains struct {
	table[Domain]
	published map[uuid.UUID][]Domain // by account, in the order of Views.Domains
	versions  map[string]folded[version]
}

func (d Domain) entity() entityKey      { return entityKey{d.AccountID, d.ID} }
func (d Domain) madeBy() uint64         { return d.Sequence }
func (d Domain) stands() events.Subject { return events.DomainSubject(d.AccountID, d.ID) }

func openDomains(b *bucket) *domains {
	s := &domains{published: map[uuid.UUID][]Domain{}, versions: map[string]folded[version]{}}
	s.table = table[Domain]{
		bucket: b, pattern: "*.*", index: s.index,
		byKey: map[entityKey]Domain{}, folded: map[entityKey]folded[Domain]{},
	}
	return s
}

// index puts a published domain in its place, and takes a retired one out.
func (s *domains) index(_, d Domain) {
	if d.Published == nil {
		return
	}
	list := slices.DeleteFunc(slices.Clone(s.published[d.AccountID]), func(other Domain) bool { return other.ID == d.ID })
	if d.Retired {
		s.published[d.AccountID] = list
		return
	}
	at, _ := slices.BinarySearchFunc(list, d, byTitle)
	s.published[d.AccountID] = slices.Insert(list, at, d)
}

func (s *domains) apply(_ context.Context, e events.Event) error {
	switch data := e.Data.(type) {
	case *events.DomainDrafted:
		s.fold(entityKey{e.Subject.Account(), data.DomainID}, e, ApplyDomain)
	case *events.DomainPublished:
		key := entityKey{e.Subject.Account(), data.DomainID}
		s.versions[versionKey(key, data.Version)] = folded[version]{version{data.Definition, e.Sequence}, e.Weight()}
		s.fold(key, e, ApplyDomain)
	case *events.DraftDiscarded:
		s.fold(entityKey{e.Subject.Account(), data.DomainID}, e, ApplyDomain)
	case *events.DomainRetired:
		s.fold(entityKey{e.Subject.Account(), data.DomainID}, e, ApplyDomain)
	case *events.DomainRestored:
		s.fold(entityKey{e.Subject.Account(), data.DomainID}, e, ApplyDomain)
	}
	return nil
}

// versionKey is the key of a version in the bucket.
func versionKey(domain entityKey, number int) string {
	return domain.String() + ".v." + strconv.Itoa(number)
}

func (s *domains) staged() []document {
	list := s.table.staged()
	for key, f := range s.versions {
		list = append(list, document{key: key, value: f.document, weight: f.weight, first: true})
	}
	return list
}

func (s *domains) show() {
	s.table.show()
	clear(s.versions)
}

// byTitle orders published domains by title, upper and lower case alike, then by id.
func byTitle(a, b Domain) int {
	return cmp.Or(
		strings.Compare(strings.ToLower(a.Published.Title), strings.ToLower(b.Published.Title)),
		bytes.Compare(a.ID[:], b.ID[:]),
	)
}

// Domains lists an account's published domains, without retired ones, by title (upper and lower
// case alike), then id. The definitions are shared with the view and must not be changed.
func (v *Views) Domains(account uuid.UUID) []Domain {
	domains := viewOf[*domains](v.serving.Load())
	domains.mu.RLock()
	defer domains.mu.RUnlock()
	return slices.Clone(domains.published[account])
}

// Domain returns an account's domain, published or not. The definitions are shared with the view
// and must not be changed.
func (v *Views) Domain(account, id uuid.UUID) (Domain, bool) {
	return viewOf[*domains](v.serving.Load()).get(entityKey{account, id})
}

// DomainVersion returns a published version of a domain's definition. The newest one comes from
// memory.
func (v *Views) DomainVersion(ctx context.Context, account, id uuid.UUID, number int) (Definition, bool, error) {
	g, done := v.use()
	defer done()
	domains, key := viewOf[*domains](g), entityKey{account, id}
	d, ok := domains.get(key)
	if !ok || number < 1 || number > d.Version {
		return Definition{}, false, nil
	}
	if number == d.Version {
		return *d.Published, true, nil
	}
	name := versionKey(key, number)
	found, err := read[version](ctx, domains.bucket, []string{name})
	is, ok := found[name]
	return is.Definition, ok, err
}
