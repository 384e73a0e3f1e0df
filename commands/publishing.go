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
	Comment    string // of the author, at most 1,000 characters
	Source     string // what the author wrote, at most MaxSource bytes; "" keeps nothing of it
	New        bool   // a new domain is meant, whatever it is like
	Seen       uint64 // sequence of the domain that the author has seen, 0 for whichever
}

const (
	// MaxSource is how many bytes of what an author wrote are kept.
	MaxSource  = 256 << 10
	maxComment = 1000
)

func (p Publication) check() error {
	if len(p.Source) > MaxSource {
		return refused("what the author wrote has %d bytes, and %d at most are kept", len(p.Source), MaxSource)
	}
	return about("comment", checkText("the comment", &p.Comment, maxComment, "\n\t"))
}

// Published is what became of a Publication.
type Published struct {
	DomainID  uuid.UUID
	Key       string
	Version   int    // of the newest published version; 0 when there is only a draft
	Unchanged bool   // the same definition stood there already
	Sequence  uint64 // of the domain as it stands now
}

// ErrSeen says that a domain was changed since its author saw it.
var ErrSeen = errors.New("was changed meanwhile: look at it again")

// BesideError says that a publication would make a domain beside one that it seems to be of.
type BesideError struct{ Title, Key string }

func (e *BesideError) Error() string {
	return fmt.Sprintf("it would stand beside %q, which it seems to be: write \"key: %s\" into the file to go on with that, or say that it is new", e.Title, e.Key)
}

// InvalidError says that a definition cannot be published.
type InvalidError struct{ Issues []engine.Issue }

func (e *InvalidError) Error() string {
	return fmt.Sprintf("the domain has %d findings that stop a publish", len(e.Issues))
}

// Publish makes a definition the newest version of its domain, or its draft. The domain is the
// account's one with the stated key, else the one with the same title (ignoring case), else a new
// one. A definition equal to the one that stands there changes nothing. It fails with ErrNone for
// the account, with ErrSuspended, ErrRetired, ErrSeen, *BesideError and *InvalidError.
func (a Admin) Publish(ctx context.Context, p Publication) (Published, error) {
	if err := p.check(); err != nil {
		return Published{}, err
	}
	if published, done, err := a.publishDone(ctx); done || err != nil {
		return published, err
	}
	for {
		account, err := a.Account(ctx, p.Account)
		if err == nil && account.Suspended != nil && !p.Draft {
			err = fmt.Errorf("account %q %w", account.Name, ErrSuspended)
		}
		if err != nil {
			return Published{}, err
		}
		domain, others, err := a.domainOf(ctx, account.ID, p)
		if err == nil && domain.Sequence == 0 && !p.New {
			err = beside(p, others)
		}
		if err != nil {
			return Published{}, err
		}
		if a.Request.unchanged() > 0 {
			return a.publishUnchanged(ctx, domain)
		}
		if p.Seen > 0 && p.Seen != domain.Sequence {
			return Published{}, fmt.Errorf("%q %w", Title(domain), ErrSeen)
		}
		data, published, err := decidePublish(domain, p)
		if err == nil && published.Unchanged && p.Draft {
			data, err = a.rewritten(ctx, domain, p)
			published.Unchanged = data == nil
		}
		if err != nil || data == nil {
			return published, err
		}
		published.Sequence, err = a.record(ctx, newEvent(events.DomainSubject(domain.AccountID, domain.ID), data), domain.Sequence)
		if err == nil {
			return published, nil
		}
		if errors.Is(err, log.ErrTooLarge) {
			return published, refused("the domain is too large to be kept: with the ids of its parts it takes more than %d MiB; shorten its texts or divide it", log.MaxPayload>>20)
		}
		if !errors.Is(err, log.ErrConflict) {
			return published, fmt.Errorf("record the publication: %w", err)
		}
	}
}

// rewritten is the draft event of a definition that stands there already, where its author wrote it
// otherwise, such as with another comment in the file; nil where not.
func (a Admin) rewritten(ctx context.Context, d projections.Domain, p Publication) (any, error) {
	if p.Source == "" {
		return nil, nil
	}
	if d.Draft != nil {
		e, err := a.Draft(ctx, d)
		if err != nil {
			return nil, err
		}
		if was := *e.Data.(*events.DomainDrafted); was.Source != p.Source {
			return &events.DomainDrafted{DomainID: d.ID, Key: d.Key, Definition: was.Definition, Comment: p.Comment, Source: p.Source}, nil
		}
		return nil, nil
	}
	versions, err := a.Versions(ctx, d)
	if err != nil || len(versions) == 0 {
		return nil, err
	}
	if was := *versions[len(versions)-1].Data.(*events.DomainPublished); was.Source != "" && was.Source != p.Source {
		return &events.DomainDrafted{DomainID: d.ID, Key: d.Key, Definition: was.Definition, Comment: p.Comment, Source: p.Source}, nil
	}
	return nil, nil
}

// beside is a *BesideError where a new domain has the title of another one of the account, or most
// of the variables of one and the other.
func beside(p Publication, others []projections.Domain) error {
	for _, d := range others {
		if d.Blank() {
			continue
		}
		had := d.Published
		if d.Draft != nil {
			had = d.Draft
		}
		shared := 0
		for _, v := range p.Definition.Variables {
			if slices.ContainsFunc(had.Variables, func(other events.Variable) bool { return other.Key == v.Key }) {
				shared++
			}
		}
		most := max(len(p.Definition.Variables), len(had.Variables))
		if strings.EqualFold(Title(d), p.Definition.Title) || shared > 1 && 2*shared > most {
			return &BesideError{Title(d), d.Key}
		}
	}
	return nil
}

// Next compiles a publication as the version that it would be, without running its tests or
// recording anything. The domain is the one that it would be published for, as it stands. It fails
// with ErrNone for the account, and with *InvalidError.
func (a Admin) Next(ctx context.Context, p Publication) (projections.Domain, *Domain, error) {
	account, err := a.Account(ctx, p.Account)
	if err != nil {
		return projections.Domain{}, nil, err
	}
	domain, _, err := a.domainOf(ctx, account.ID, p)
	if err != nil {
		return domain, nil, err
	}
	next, issues := Compile(domain.ID, domain.Key, domain.Version+1, identified(domain.ID, p.Definition))
	if next == nil {
		return domain, nil, &InvalidError{Issues: issues}
	}
	return domain, next, nil
}

// domainOf finds the domain that a publication is for, or makes up the id and key of a new one. It
// returns all domains of the account too.
func (a Admin) domainOf(ctx context.Context, account uuid.UUID, p Publication) (projections.Domain, []projections.Domain, error) {
	domains, err := a.domains(ctx, account)
	if err != nil {
		return projections.Domain{}, nil, err
	}
	title := strings.ToLower(p.Definition.Title)
	byID := map[uuid.UUID]projections.Domain{}
	for _, d := range domains {
		if p.Key != "" && d.Key == p.Key || p.Key == "" && !d.Blank() && strings.ToLower(Title(d)) == title {
			return d, domains, nil
		}
		byID[d.ID] = d
	}
	id := uuid.NewSHA1(account, []byte("domain "+title))
	for n := 2; ; n++ {
		d, taken := byID[id]
		if !taken {
			break
		}
		if d.Blank() && p.Key == "" {
			return d, domains, nil
		}
		id = uuid.NewSHA1(account, fmt.Appendf(nil, "domain %d %s", n, title))
	}
	sum := sha256.Sum256(id[:])
	key := cmp.Or(p.Key, "dm_"+hex.EncodeToString(sum[:12]))
	return projections.Domain{AccountID: account, ID: id, Key: key}, domains, nil
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

// ErrRetired says that a domain is not in use.
var ErrRetired = errors.New("is retired: take it into use again with `reckon domain restore` before publishing it")

// decidePublish gives the definition its ids, checks it, and turns it into an event, nil when it
// stands there already.
func decidePublish(d projections.Domain, p Publication) (data any, published Published, err error) {
	published = Published{DomainID: d.ID, Key: d.Key, Version: d.Version, Sequence: d.Sequence}
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
		return &events.DomainDrafted{DomainID: d.ID, Key: d.Key, Definition: def, Comment: p.Comment, Source: p.Source}, published, nil
	}
	published.Version++
	return &events.DomainPublished{
		DomainID: d.ID, Key: d.Key, Version: published.Version, Definition: def, Comment: p.Comment, Source: p.Source,
	}, published, nil
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
	list, err := a.domains(ctx, account)
	return slices.DeleteFunc(list, projections.Domain.Blank), err
}

// domains is Domains with those of which nothing was kept.
func (a Admin) domains(ctx context.Context, account uuid.UUID) ([]projections.Domain, error) {
	ids, err := a.Log.Domains(ctx, account)
	if err != nil {
		return nil, err
	}
	list := []projections.Domain{}
	for _, id := range ids {
		d, err := a.readDomain(ctx, account, id)
		if err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	sortBy(list, func(d projections.Domain) string { return strings.ToLower(Title(d)) })
	return list, nil
}

func (a Admin) readDomain(ctx context.Context, account, id uuid.UUID) (projections.Domain, error) {
	d := projections.Domain{AccountID: account, ID: id}
	history, err := a.Log.Read(ctx, events.DomainSubject(account, id), 0)
	if err != nil {
		return d, fmt.Errorf("read domain: %w", err)
	}
	for _, e := range history {
		d = projections.ApplyDomain(d, e)
	}
	return d, nil
}

func sortBy[T any](list []T, key func(T) string) {
	slices.SortStableFunc(list, func(a, b T) int { return cmp.Compare(key(a), key(b)) })
}
