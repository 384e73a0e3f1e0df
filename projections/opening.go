package projections

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"reckon/events"
	"reckon/events/log"
)

// start locks the directory, brings up the server and its buckets and reads what stays in memory.
// It returns the sequence to fold after.
func (v *Views) start(ctx context.Context, dir string) (after uint64, err error) {
	if v.target, err = v.log.Last(ctx); err != nil {
		return 0, fmt.Errorf("read last event: %w", err)
	}
	v.still = v.log.Damaged() != nil
	if v.storage, err = openStorage(filepath.Join(dir, "views")); err != nil {
		return 0, err
	}
	if after, err = v.open(ctx); err != nil {
		v.disconnect()
		return 0, errors.Join(err, v.storage.close())
	}
	if v.missing == nil {
		v.advance(after)
	}
	return after, nil
}

// open is start without the directory.
func (v *Views) open(ctx context.Context) (after uint64, err error) {
	if v.server, err = startServer(ctx, v.storage.dir, v.logger); err != nil {
		return 0, err
	}
	if v.store, err = openStore(ctx, v.server, v.patience, v.logger); err != nil {
		return 0, err
	}
	v.checkpoint, err = v.store.readCheckpoint(ctx)
	if err == nil {
		err = v.reopen(ctx)
	}
	if v.still && !v.part {
		return v.checkpoint.Sequence, v.covers(err)
	}
	if errors.Is(err, errBeyond) && v.log.Local() && v.log.Alone() {
		return 0, fmt.Errorf("%w: they were made of %d events, and the log ends at %d: restore a backup into another directory, or, to go on without these events, remove %s",
			err, v.checkpoint.Sequence, v.target, v.storage.dir)
	}
	if err != nil {
		v.logger.Warn("the views are built anew", "checkpoint", v.checkpoint.Sequence, "log", v.target, "reason", err)
		v.checkpoint = checkpoint{}
		err = v.reopen(ctx)
	}
	return v.checkpoint.Sequence, err
}

// errBeyond says that the log has lost events that it had. Nothing is folded that is not on disk.
var errBeyond = errors.New("the views are beyond the log")

// reopen makes the generation of the checkpoint the serving one. A model that has no bucket there
// that it can read gets an empty one, to be filled up to the checkpoint. It fails when the log is
// not the one that the buckets are of.
func (v *Views) reopen(ctx context.Context) error {
	c := v.checkpoint
	if c.Sequence > v.target && !v.still {
		return errBeyond
	}
	if c.Newest != nil && !v.still {
		// An event that cannot be decoded has its id.
		if e, err := v.log.At(ctx, c.Newest.Sequence); e.ID != c.Newest.ID && !v.wasErased(ctx, c.Newest.Sequence, err) {
			return errors.Join(fmt.Errorf("event %d is another one than when it was folded: the log is not the same", c.Newest.Sequence), err)
		}
	}
	existing, err := v.store.bucketNames(ctx)
	if err != nil {
		return err
	}
	names := make([]string, len(v.models))
	var outdated []string
	var missing []int
	for i, m := range v.models {
		at := slices.IndexFunc(c.Buckets, func(name string) bool {
			_, ok := m.reads(name)
			return ok && slices.Contains(existing, name)
		})
		if at < 0 {
			names[i] = m.bucketName(unused(existing))
			missing = append(missing, i)
			continue
		}
		names[i] = c.Buckets[at]
		if version, _ := m.reads(names[i]); version != m.version {
			outdated = append(outdated, m.name)
		}
	}
	if err := v.store.keep(ctx, names); err != nil {
		return err
	}
	g, err := v.openGeneration(ctx, names)
	if err != nil {
		return err
	}
	if err := g.load(ctx); err != nil {
		return err
	}
	if !v.still {
		if err := v.matchLog(ctx, g); err != nil {
			return err
		}
	}
	v.serving.Store(g)
	v.outdated, v.missing = outdated, missing
	if c.Sequence == 0 {
		v.missing, v.checkpoint.Buckets = nil, names // nothing is to be filled
	}
	return nil
}

// fill folds the history up to the checkpoint into the models that were not there when that was
// written. Until it is done the checkpoint names none of their buckets.
func (v *Views) fill(ctx context.Context) error {
	g, c := v.serving.Load(), v.checkpoint
	for _, i := range v.missing {
		v.logger.Info("a projection is built from the whole history", "projection", v.models[i].name)
	}
	err := v.log.Skim(ctx, 0, c.Sequence, nil, func(_ uint64, list []events.Event) error {
		for _, i := range v.missing {
			if _, err := g.foldInto(ctx, i, list); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	v.folding.Lock()
	defer v.folding.Unlock()
	c.Buckets = g.names()
	v.reached(c)
	return nil
}

// matchLog fails when a document is made of an event behind the checkpoint that the log does not
// have: it would be taken for one that is up to date. The checkpoint's own event vouches for what
// is before.
func (v *Views) matchLog(ctx context.Context, g *generation) error {
	claimed := map[uint64]events.Subject{}
	for _, view := range g.views {
		view.newer(v.checkpoint.Sequence, func(sequence uint64, s events.Subject) { claimed[sequence] = s })
	}
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
		if v.wasErased(ctx, sequence, log.ErrNotFound) {
			continue
		}
		return fmt.Errorf("there is a document of event %d of %s, which the log does not have: it is not the same log", sequence, subject)
	}
	return nil
}
