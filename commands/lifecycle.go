package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/events/log"
	"reckon/projections"
)

// changeDomain decides about a domain of an account, and appends; when another change came in
// between, it starts again. It fails with ErrNone where the account has no such domain.
func (a Admin) changeDomain(ctx context.Context, account, id uuid.UUID, decide func(projections.Domain) (any, error)) error {
	for {
		d, err := a.readDomain(ctx, account, id)
		if err == nil && d.Blank() {
			err = fmt.Errorf("domain %s %w", id, ErrNone)
		}
		if err != nil {
			return err
		}
		data, err := decide(d)
		if a.Request.did(events.DomainSubject(account, id), data, err) {
			return nil
		}
		if err != nil || data == nil {
			return err
		}
		_, err = a.record(ctx, newEvent(events.DomainSubject(account, id), data), d.Sequence)
		if err == nil || !errors.Is(err, log.ErrConflict) {
			return err
		}
	}
}

// Retire takes a domain out of lists and out of use, or restores it; its conversations stay
// readable. A domain that is so already stays as it is. It fails with ErrNone where the account has
// no such domain.
func (a Admin) Retire(ctx context.Context, account, id uuid.UUID, retired bool) error {
	return a.changeDomain(ctx, account, id, func(d projections.Domain) (any, error) {
		switch {
		case d.Retired == retired:
			return nil, nil
		case retired:
			return &events.DomainRetired{DomainID: id}, nil
		}
		return &events.DomainRestored{DomainID: id}, nil
	})
}

// Discard ends the draft of a domain. Where seen is not 0 the domain must stand at that sequence.
// It fails with ErrNone for the domain and for the draft, and with ErrSeen.
func (a Admin) Discard(ctx context.Context, account, id uuid.UUID, seen uint64) error {
	return a.changeDomain(ctx, account, id, func(d projections.Domain) (any, error) {
		switch {
		case d.Draft == nil:
			return nil, noDraft(d)
		case seen > 0 && seen != d.Sequence:
			return nil, fmt.Errorf("%q %w", Title(d), ErrSeen)
		}
		return &events.DraftDiscarded{DomainID: id}, nil
	})
}

func noDraft(d projections.Domain) error {
	return fmt.Errorf("a draft of %q %w", Title(d), ErrNone)
}

// Draft is the event that made the draft of a domain what it is, whose data is an
// *events.DomainDrafted. It fails with ErrNone where there is no draft.
func (a Admin) Draft(ctx context.Context, d projections.Domain) (events.Event, error) {
	history, err := a.Log.Read(ctx, events.DomainSubject(d.AccountID, d.ID), 0)
	if err != nil {
		return events.Event{}, fmt.Errorf("read the draft of %q: %w", Title(d), err)
	}
	var draft events.Event
	for _, e := range history {
		switch e.Data.(type) {
		case *events.DomainDrafted:
			draft = e
		case *events.DraftDiscarded, *events.DomainPublished:
			draft = events.Event{}
		}
	}
	if draft.Data == nil {
		return draft, noDraft(d)
	}
	return draft, nil
}

// Versions are the events that published versions of a domain, oldest first, whose data are
// *events.DomainPublished.
func (a Admin) Versions(ctx context.Context, d projections.Domain) ([]events.Event, error) {
	history, err := a.Log.Read(ctx, events.DomainSubject(d.AccountID, d.ID), 0)
	if err != nil {
		return nil, fmt.Errorf("read the versions of %q: %w", Title(d), err)
	}
	var list []events.Event
	for _, e := range history {
		if _, ok := e.Data.(*events.DomainPublished); ok {
			list = append(list, e)
		}
	}
	return list, nil
}

// Again makes an earlier version of a domain, or its draft for version 0, the newest one. What its
// author wrote goes with it, and their comment where none is given. It fails with ErrNone where
// there is no such version or draft, and as Publish does.
func (a Admin) Again(ctx context.Context, account string, d projections.Domain, version int, comment string) (Published, error) {
	if published, done, err := a.publishDone(ctx); done || err != nil {
		return published, err
	}
	p := Publication{Account: account, Key: d.Key}
	if version == 0 {
		e, err := a.Draft(ctx, d)
		if err != nil {
			return Published{}, err
		}
		draft := e.Data.(*events.DomainDrafted)
		p.Definition, p.Source, p.Comment, p.Seen = draft.Definition, draft.Source, cmp.Or(comment, draft.Comment), d.Sequence
		return a.Publish(ctx, p)
	}
	versions, err := a.Versions(ctx, d)
	if err != nil {
		return Published{}, err
	}
	for _, e := range versions {
		if was := e.Data.(*events.DomainPublished); was.Version == version {
			p.Definition, p.Source = was.Definition, was.Source
			p.Comment = cmp.Or(comment, fmt.Sprintf("Version %d again.", version))
			return a.Publish(ctx, p)
		}
	}
	return Published{}, fmt.Errorf("version %d of %q %w: the newest is %d", version, Title(d), ErrNone, d.Version)
}
