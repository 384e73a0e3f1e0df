package projections

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"reckon/events"
)

// ahead lists the events behind a sequence that the documents of a generation are made of, with the subjects that they must
// have.
func (g *generation) ahead(after uint64) map[uint64]events.Subject {
	found := map[uint64]events.Subject{}
	g.activity.mu.RLock()
	for account, o := range g.activity.accounts {
		for _, run := range slices.Backward(o.runs) {
			for _, e := range run {
				if e.sequence > after {
					found[e.sequence] = events.ConversationSubject(account, e.conversation)
				}
			}
			if run[0].sequence <= after {
				break
			}
		}
	}
	g.activity.mu.RUnlock()
	g.accounts.mu.RLock()
	for id, a := range g.accounts.byID {
		if a.Sequence > after {
			found[a.Sequence] = events.AccountSubject(id)
		}
	}
	g.accounts.mu.RUnlock()
	g.domains.mu.RLock()
	for key, d := range g.domains.byKey {
		if d.Sequence > after {
			found[d.Sequence] = events.DomainSubject(key.account, key.domain)
		}
	}
	g.domains.mu.RUnlock()
	return found
}

// borneOut fails when a document is made of an event behind the checkpoint that the log does not have: it would be taken for
// one that is up to date. The checkpoint's own event vouches for what is before.
func (v *Views) borneOut(ctx context.Context, g *generation) error {
	claimed := g.ahead(v.checkpoint.Sequence)
	if len(claimed) == 0 {
		return nil
	}
	err := v.log.Skim(ctx, v.checkpoint.Sequence, v.target, nil, func(_ uint64, list []events.Event) error {
		for _, e := range list {
			if claimed[e.Sequence] == e.Subject {
				delete(claimed, e.Sequence)
			}
		}
		return nil
	})
	var broken *events.DecodeError
	if errors.As(err, &broken) {
		return nil // where the fold stops, and says so
	}
	if err != nil {
		return err
	}
	for sequence, subject := range claimed {
		return fmt.Errorf("there is a document of event %d of %s, which the log does not have: it is not the same log", sequence, subject)
	}
	return nil
}
