package commands

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"reckon/engine"
	"reckon/events"
	"reckon/projections"
)

// Version is a published version of a domain, compiled; the domain is nil where it does not
// compile, for which the issues are the reasons.
type Version struct {
	Domain *Domain
	Issues []engine.Issue
}

// Why is the first reason why a version does not compile.
func (v Version) Why() string { return v.Issues[0].Path + ": " + v.Issues[0].Message }

// Versions keeps compiled versions of domains, those that were used last. A version never changes,
// so nothing is ever invalidated.
type Versions struct {
	read ReadVersion
	kept *projections.Cache[versionName, Version]
}

// ReadVersion reads the definition of a published version, with the dm_ key of the domain.
type ReadVersion func(ctx context.Context, account, id uuid.UUID, version int) (key string, def events.Definition, err error)

type versionName struct {
	id      uuid.UUID
	version int
}

const keptVersions = 1_000

// NewVersions keeps versions that are read in a way.
func NewVersions(read ReadVersion) Versions {
	return Versions{read, projections.NewCache[versionName, Version](keptVersions)}
}

// Get compiles a version, unless it is kept. It fails where the version cannot be read.
func (v Versions) Get(ctx context.Context, account, id uuid.UUID, version int) (Version, error) {
	name := versionName{id, version}
	if kept, ok := v.kept.Get(name); ok {
		return kept, nil
	}
	key, def, err := v.read(ctx, account, id, version)
	if err != nil {
		return Version{}, fmt.Errorf("read domain %s version %d: %w", id, version, err)
	}
	var compiled Version
	compiled.Domain, compiled.Issues = Compile(id, key, version, def)
	v.kept.Put(name, compiled, 1)
	return compiled, nil
}

// Domain is a published version of a domain, compiled.
func (s *Service) Domain(ctx context.Context, account, id uuid.UUID, version int) (*Domain, error) {
	v, err := s.versions.Get(ctx, account, id, version)
	if err == nil && v.Domain == nil {
		err = fmt.Errorf("compile domain %s version %d: %s", id, version, v.Why())
	}
	return v.Domain, err
}

func (s *Service) readVersion(ctx context.Context, account, id uuid.UUID, version int) (key string, def events.Definition, err error) {
	// The command may come from a node that has folded more than this one.
	if view, _ := s.views.Domain(account, id); view.Version < version {
		if err := s.views.Fresh(ctx); err != nil {
			return "", def, err
		}
	}
	view, _ := s.views.Domain(account, id)
	def, ok, err := s.views.DomainVersion(ctx, account, id, version)
	if err == nil && !ok {
		err = ErrNone
	}
	return view.Key, def, err
}
