package commands

import (
	"context"
	"fmt"
	"sync"

	"github.com/google/uuid"
)

// domainCache holds compiled domains by id and version. A version never changes, so nothing is ever
// invalidated; past its size an arbitrary entry makes room.
type domainCache struct {
	mutex   sync.Mutex
	entries map[domainVersion]*Domain
}

type domainVersion struct {
	id      uuid.UUID
	version int
}

const cachedDomains = 1_000

// domain returns a published version of a domain, compiled.
func (s *Service) domain(ctx context.Context, account, id uuid.UUID, version int) (*Domain, error) {
	key := domainVersion{id, version}
	s.domains.mutex.Lock()
	d := s.domains.entries[key]
	s.domains.mutex.Unlock()
	if d != nil {
		return d, nil
	}
	// The command may come from a node that has folded more than this one.
	if view, _ := s.views.Domain(account, id); view.Version < version {
		if err := s.views.Fresh(ctx); err != nil {
			return nil, err
		}
	}
	view, _ := s.views.Domain(account, id)
	def, ok, err := s.views.DomainVersion(ctx, account, id, version)
	if err != nil {
		return nil, fmt.Errorf("read domain %s version %d: %w", id, version, err)
	}
	if !ok {
		return nil, fmt.Errorf("read domain %s version %d: not there", id, version)
	}
	d, issues := Compile(id, view.Key, version, def)
	if d == nil {
		return nil, fmt.Errorf("compile domain %s version %d: %s: %s", id, version, issues[0].Path, issues[0].Message)
	}
	s.domains.mutex.Lock()
	defer s.domains.mutex.Unlock()
	if s.domains.entries == nil {
		s.domains.entries = map[domainVersion]*Domain{}
	}
	for other := range s.domains.entries {
		if len(s.domains.entries) < cachedDomains {
			break
		}
		delete(s.domains.entries, other)
	}
	s.domains.entries[key] = d
	return d, nil
}
