package history

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/engine"
	"reckon/events"
	"reckon/events/log"
	"reckon/projections"
)

// maxDomains is how many compiled versions of domains are kept.
const maxDomains = 1_000

// domainVersion names a published version of a domain.
type domainVersion struct {
	id      uuid.UUID
	version int
}

// messageCache keeps answered messages by the sequence of their final event, the newest ones up to
// a limit; others are read from the log.
type messageCache struct {
	log   *log.Log
	limit int

	mutex      sync.Mutex
	bySequence map[uint64]events.Event
	order      []kept // oldest first
	weight     int    // of all together
}

// kept is a message in a store by its sequence, and what it weighs.
type kept struct {
	sequence uint64
	weight   int
}

// put keeps the final event of a message unless no later one can build on it.
func (s *messageCache) put(e events.Event) {
	if failed, ok := e.Data.(*events.MessageFailed); ok && len(failed.Pending) == 0 {
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.bySequence[e.Sequence] = e
	s.order = append(s.order, kept{e.Sequence, e.Weight()})
	s.weight += e.Weight()
	for s.weight > s.limit {
		oldest := s.order[0]
		s.order = s.order[1:]
		s.weight -= oldest.weight
		delete(s.bySequence, oldest.sequence)
	}
}

// get reads a message.
func (s *messageCache) get(ctx context.Context, sequence uint64) (*projections.Message, error) {
	s.mutex.Lock()
	e, ok := s.bySequence[sequence]
	s.mutex.Unlock()
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

// versionCache keeps compiled versions of domains; past its size an arbitrary one makes room.
type versionCache struct {
	log     *log.Log
	mutex   sync.Mutex
	entries map[domainVersion]compiledVersion
}

// compiledVersion is a version of a domain; the domain is nil when it does not compile.
type compiledVersion struct {
	domain *commands.Domain
	issues []engine.Issue
}

func (s *versionCache) get(ctx context.Context, account, id uuid.UUID, version int) (compiledVersion, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	key := domainVersion{id, version}
	if v, ok := s.entries[key]; ok {
		return v, nil
	}
	published, err := publications(ctx, s.log, account, id)
	if err != nil {
		return compiledVersion{}, err
	}
	for _, e := range published {
		data := e.Data.(*events.DomainPublished)
		if data.Version != version {
			continue
		}
		for other := range s.entries {
			if len(s.entries) < maxDomains {
				break
			}
			delete(s.entries, other)
		}
		var v compiledVersion
		v.domain, v.issues = commands.Compile(id, data.Key, version, data.Definition)
		s.entries[key] = v
		return v, nil
	}
	return compiledVersion{}, fmt.Errorf("read domain %s version %d: not there", id, version)
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
