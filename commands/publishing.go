package commands

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"reckon/engine"
	"reckon/events"
	"reckon/events/log"
	"reckon/projections"
)

// Publication is a domain file to draft or publish.
type Publication struct {
	Account    string // name
	Key        string // dm_ key that the file states, "" for none
	Definition events.Definition
	Draft      bool
}

// Published is what became of a Publication.
type Published struct {
	DomainID  uuid.UUID
	Key       string
	Version   int  // of the newest published version; 0 when there is only a draft
	Unchanged bool // the same definition stood there already
}

// InvalidError says that a definition cannot be published.
type InvalidError struct{ Issues []engine.Issue }

func (e *InvalidError) Error() string {
	return fmt.Sprintf("the domain has %d findings that stop a publish", len(e.Issues))
}

// Publish makes a definition the newest version of its domain, or its draft. The domain is the
// account's one with the stated key, else the one with the same title (ignoring case), else a new
// one. A definition equal to the one that stands there changes nothing. It fails with ErrNone for
// the account, with ErrRetired, and with *InvalidError.
func (a Admin) Publish(ctx context.Context, p Publication) (Published, error) {
	for {
		domain, err := a.domainOf(ctx, p)
		if err != nil {
			return Published{}, err
		}
		data, published, err := decidePublish(domain, p)
		if err != nil || data == nil {
			return published, err
		}
		_, err = a.record(ctx, newEvent(events.DomainSubject(domain.AccountID, domain.ID), data), domain.Sequence)
		if err == nil {
			return published, nil
		}
		if errors.Is(err, log.ErrTooLarge) {
			return published, fmt.Errorf("the domain is too large to be kept: with the ids of its parts it takes more than %d MiB; shorten its texts or divide it: %w", log.MaxPayload>>20, err)
		}
		if !errors.Is(err, log.ErrConflict) {
			return published, fmt.Errorf("record the publication: %w", err)
		}
	}
}

// Next compiles a publication as the version that it would be, without running its tests or
// recording anything. The domain is the one that it would be published for, as it stands. It fails
// with ErrNone for the account, and with *InvalidError.
func (a Admin) Next(ctx context.Context, p Publication) (projections.Domain, *Domain, error) {
	domain, err := a.domainOf(ctx, p)
	if err != nil {
		return domain, nil, err
	}
	next, issues := Compile(domain.ID, domain.Key, domain.Version+1, identified(domain.ID, p.Definition))
	if next == nil {
		return domain, nil, &InvalidError{Issues: issues}
	}
	return domain, next, nil
}

// domainOf finds the domain that a publication is for, or makes up the id and key of a new one.
func (a Admin) domainOf(ctx context.Context, p Publication) (projections.Domain, error) {
	account, err := a.Account(ctx, p.Account)
	if err == nil && account.Suspended != nil && !p.Draft {
		err = fmt.Errorf("account %q %w", account.Name, ErrSuspended)
	}
	if err != nil {
		return projections.Domain{}, err
	}
	domains, err := a.Domains(ctx, account.ID)
	if err != nil {
		return projections.Domain{}, err
	}
	title := strings.ToLower(p.Definition.Title)
	taken := map[uuid.UUID]bool{}
	for _, d := range domains {
		if p.Key != "" && d.Key == p.Key || p.Key == "" && strings.ToLower(Title(d)) == title {
			return d, nil
		}
		taken[d.ID] = true
	}
	id := uuid.NewSHA1(account.ID, []byte("domain "+title))
	for n := 2; taken[id]; n++ {
		id = uuid.NewSHA1(account.ID, fmt.Appendf(nil, "domain %d %s", n, title))
	}
	sum := sha256.Sum256(id[:])
	key := cmp.Or(p.Key, "dm_"+hex.EncodeToString(sum[:12]))
	return projections.Domain{AccountID: account.ID, ID: id, Key: key}, nil
}

// Title is the title of a domain's newest definition, draft or not.
func Title(d projections.Domain) string {
	switch {
	case d.Draft != nil:
		return d.Draft.Title
	case d.Published != nil:
		return d.Published.Title
	}
	return ""
}

// Retire takes a domain out of lists and out of use, or restores it; its conversations stay
// readable. A domain that is so already stays as it is. It fails with ErrNone where the account has
// no such domain.
func (a Admin) Retire(ctx context.Context, account, id uuid.UUID, retired bool) error {
	for {
		domains, err := a.Domains(ctx, account)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(domains, func(d projections.Domain) bool { return d.ID == id })
		if i < 0 {
			return fmt.Errorf("domain %s %w", id, ErrNone)
		}
		if domains[i].Retired == retired {
			return nil
		}
		var data any = &events.DomainRestored{DomainID: id}
		if retired {
			data = &events.DomainRetired{DomainID: id}
		}
		_, err = a.record(ctx, newEvent(events.DomainSubject(account, id), data), domains[i].Sequence)
		if err == nil || !errors.Is(err, log.ErrConflict) {
			return err
		}
	}
}

// ErrRetired says that a domain is not in use.
var ErrRetired = errors.New("is retired: take it into use again with `reckon domain restore` before publishing it")

// decidePublish gives the definition its ids, checks it, and turns it into an event, nil when it
// stands there already.
func decidePublish(d projections.Domain, p Publication) (data any, published Published, err error) {
	published = Published{DomainID: d.ID, Key: d.Key, Version: d.Version}
	if d.Retired {
		return nil, published, fmt.Errorf("%q %w", Title(d), ErrRetired)
	}
	def := identified(d.ID, p.Definition)
	compiled, issues := Check(d.ID, def)
	if compiled == nil {
		return nil, published, &InvalidError{Issues: issues}
	}
	def = compiled.Definition
	standing := d.Published
	if p.Draft && d.Draft != nil {
		standing = d.Draft
	}
	if standing != nil && (p.Draft || d.Draft == nil) && string(Encode(standing)) == string(Encode(def)) {
		published.Unchanged = true
		return nil, published, nil
	}
	if p.Draft {
		return &events.DomainDrafted{DomainID: d.ID, Key: d.Key, Definition: def}, published, nil
	}
	published.Version++
	return &events.DomainPublished{DomainID: d.ID, Key: d.Key, Version: published.Version, Definition: def}, published, nil
}

// identified is a definition with the ids of its variables and activities. They are made from the
// domain's id and the variable's key or the activity's title, so that they are kept from version to
// version.
func identified(domain uuid.UUID, def events.Definition) events.Definition {
	def.Variables = slices.Clone(def.Variables)
	for i := range def.Variables {
		def.Variables[i].ID = uuid.NewSHA1(domain, []byte("variable "+def.Variables[i].Key))
	}
	def.Activities = slices.Clone(def.Activities)
	for i, a := range def.Activities {
		def.Activities[i].ID = uuid.NewSHA1(domain, []byte("activity "+cmp.Or(a.Title, a.Equation)))
	}
	return def
}

// Domains lists the domains of an account, by title.
func (a Admin) Domains(ctx context.Context, account uuid.UUID) ([]projections.Domain, error) {
	ids, err := a.Log.Domains(ctx, account)
	if err != nil {
		return nil, err
	}
	list := []projections.Domain{}
	for _, id := range ids {
		history, err := a.Log.Read(ctx, events.DomainSubject(account, id), 0)
		if err != nil {
			return nil, fmt.Errorf("read domain: %w", err)
		}
		d := projections.Domain{AccountID: account, ID: id}
		for _, e := range history {
			d = projections.ApplyDomain(d, e)
		}
		list = append(list, d)
	}
	sortBy(list, func(d projections.Domain) string { return strings.ToLower(Title(d)) })
	return list, nil
}

func sortBy[T any](list []T, key func(T) string) {
	slices.SortStableFunc(list, func(a, b T) int { return cmp.Compare(key(a), key(b)) })
}
