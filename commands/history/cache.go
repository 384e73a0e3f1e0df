package history

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/events"
	"reckon/events/log"
	"reckon/projections"
)

// messageCache keeps the final events of answered messages by their sequence, those that were used
// last; others are read from the log.
type messageCache struct {
	log  *log.Log
	kept *projections.Cache[uint64, events.Event]
}

// put keeps the final event of a message unless no later one can build on it.
func (s messageCache) put(e events.Event) {
	if failed, ok := e.Data.(*events.MessageFailed); !ok || failed.Awaits() {
		s.kept.Put(e.Sequence, e, e.Weight())
	}
}

func (s messageCache) get(ctx context.Context, sequence uint64) (*projections.Message, error) {
	e, ok := s.kept.Get(sequence)
	var err error
	if ok {
		e, err = e.Whole()
	} else {
		e, err = s.log.At(ctx, sequence)
	}
	if err != nil {
		return nil, err
	}
	_, read := projections.ApplyConversation(projections.Conversation{}, nil, e)
	if read.Number == 0 {
		return nil, fmt.Errorf("read event %d: it is about no message", sequence)
	}
	return &read, nil
}

// versions keeps the versions of domains that are in a log.
func versions(log *log.Log) commands.Versions {
	return commands.NewVersions(func(ctx context.Context, account, id uuid.UUID, version int) (string, events.Definition, error) {
		published, err := publications(ctx, log, account, id)
		for _, e := range published {
			if data := e.Data.(*events.DomainPublished); data.Version == version {
				return data.Key, data.Definition, nil
			}
		}
		if err == nil {
			err = commands.ErrNone
		}
		return "", events.Definition{}, err
	})
}

// publications are the published versions of a domain, oldest first.
func publications(ctx context.Context, log *log.Log, account, id uuid.UUID) ([]events.Event, error) {
	list, err := log.Read(ctx, events.DomainSubject(account, id), 0)
	if err != nil {
		return nil, fmt.Errorf("read versions of domain %s: %w", id, err)
	}
	return slices.DeleteFunc(list, func(e events.Event) bool {
		_, ok := e.Data.(*events.DomainPublished)
		return !ok
	}), nil
}
