package commands

import (
	"context"

	"github.com/google/uuid"

	"reckon/projections"
)

// Rehearse is the message that a request would be answered with as the conversation stands, of
// which nothing is kept: no event, no command, no idempotency key. It waits for the account's turn
// and makes way for others as calculations do, and reads prose by the rules alone. A completed one
// is handed to work, unless that is nil, as if it was kept. It fails as Calculate does.
func (s *Service) Rehearse(ctx context.Context, r Request, work func(Kept)) (m projections.Message, err error) {
	if r.Account.Suspended != nil {
		return m, ErrSuspended
	}
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	id, err := uuid.NewV7()
	if err != nil {
		return m, err
	}
	c, err := s.complete(ctx, r, id)
	if err != nil {
		return m, err
	}
	if err := s.deciding.Acquire(ctx, c.AccountID); err != nil {
		return m, unavailable(err)
	}
	defer s.deciding.Release(c.AccountID)
	c.rest = s.Rest(c.AccountID)
	v, err := s.conversation(ctx, c)
	if err != nil {
		return m, err
	}
	e, err := s.decide(ctx, c, v, nil, "")
	if err != nil {
		return m, err
	}
	e.Time = c.ReceivedAt
	m = v.apply(e, nil)
	if m.Completed == nil || m.Completed.Results.Action == "fetch" || work == nil {
		return m, nil
	}
	d, err := s.Domain(ctx, c.AccountID, c.DomainID, c.DomainVersion)
	if err != nil {
		return m, err
	}
	list := []Kept{d.Kept(m)}
	metered(list, c.rest)
	work(list[0])
	return m, nil
}
