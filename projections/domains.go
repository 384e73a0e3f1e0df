package projections

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
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
	Draft     *Definition `json:"draft,omitempty"`     // draft newer than the published version, nil for none
	UpdatedAt time.Time   `json:"updated_at"`
	Sequence  uint64      `json:"sequence"`
}

// version is the document of one published version of a domain.
type version struct {
	Definition Definition `json:"definition"`
	Sequence   uint64     `json:"sequence"`
}

// ApplyDomain folds an event of a domain's subject. Events of other types change nothing but the sequence.
func ApplyDomain(d Domain, e events.Event) Domain {
	d.Sequence = e.Sequence
	switch data := e.Data.(type) {
	case *events.DomainDrafted:
		d.AccountID, d.ID, d.Key = e.Subject.Account(), data.DomainID, data.Key
		d.Draft = &data.Definition
		d.UpdatedAt = e.Time
	case *events.DomainPublished:
		d.AccountID, d.ID, d.Key = e.Subject.Account(), data.DomainID, data.Key
		d.Version = data.Version
		d.Published = &data.Definition
		d.Draft = nil
		d.UpdatedAt = e.Time
	}
	return d
}

// domainKey names a domain within its account.
type domainKey struct{ account, domain uuid.UUID }

// domains holds every domain in memory, without the versions that are no longer the newest.
type domains struct {
	mu        sync.RWMutex
	byKey     map[domainKey]Domain
	published map[uuid.UUID][]Domain // by account, in the order of Views.Domains
}

func newDomains() *domains {
	return &domains{byKey: map[domainKey]Domain{}, published: map[uuid.UUID][]Domain{}}
}

func (s *domains) set(d Domain) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byKey[domainKey{d.AccountID, d.ID}] = d
	if d.Published == nil {
		return
	}
	list := slices.DeleteFunc(slices.Clone(s.published[d.AccountID]), func(other Domain) bool { return other.ID == d.ID })
	at, _ := slices.BinarySearchFunc(list, d, byTitle)
	s.published[d.AccountID] = slices.Insert(list, at, d)
}

// byTitle orders published domains by title, upper and lower case alike, then by id.
func byTitle(a, b Domain) int {
	return cmp.Or(
		strings.Compare(strings.ToLower(a.Published.Title), strings.ToLower(b.Published.Title)),
		bytes.Compare(a.ID[:], b.ID[:]),
	)
}

func (s *domains) get(account, id uuid.UUID) (Domain, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	d, ok := s.byKey[domainKey{account, id}]
	return d, ok
}

// Domains lists an account's published domains by title (upper and lower case alike), then id. The definitions are shared
// with the view and must not be changed.
func (v *Views) Domains(account uuid.UUID) []Domain {
	domains := v.serving.Load().domains
	domains.mu.RLock()
	defer domains.mu.RUnlock()
	return slices.Clone(domains.published[account])
}

// Domain returns an account's domain, published or not. The definitions are shared with the view and must not be changed.
func (v *Views) Domain(account, id uuid.UUID) (Domain, bool) {
	return v.serving.Load().domains.get(account, id)
}

// DomainVersion returns a published version of a domain's definition. The newest one comes from memory.
func (v *Views) DomainVersion(ctx context.Context, account, id uuid.UUID, number int) (Definition, bool, error) {
	g, done := v.use()
	defer done()
	d, ok := g.domains.get(account, id)
	if !ok || number < 1 || number > d.Version {
		return Definition{}, false, nil
	}
	if number == d.Version {
		return *d.Published, true, nil
	}
	at := location{g.store.domains, versionKey(account, id, number)}
	if document, ok := g.backlog.get(at); ok {
		return document.(version).Definition, true, nil
	}
	value, err := at.bucket.get(ctx, at.key)
	if err != nil || value == nil {
		return Definition{}, false, err
	}
	var document version
	if err := events.Unmarshal(value, &document); err != nil {
		return Definition{}, false, fmt.Errorf("decode version %d of domain %s: %w", number, id, err)
	}
	return document.Definition, true, nil
}
