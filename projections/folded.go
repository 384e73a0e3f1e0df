package projections

import (
	"context"
	"errors"
	"fmt"

	"reckon/events"
	"reckon/events/log"
)

// advance says that everything up to a sequence is folded and readable.
func (v *Views) advance(sequence uint64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.folded.Store(sequence)
	close(v.advanced)
	v.advanced = make(chan struct{})
}

// Ready is nil once the fold has caught up with the log as it was at start; else it says what is
// missing; after the fold stopped, on an event that it cannot decode or a write that was refused,
// which and why; and while the buckets do not answer, which. Where other nodes have a part in the
// log it also is an error while this one is not up to date with them or cut off from most.
func (v *Views) Ready() error {
	if err := v.log.Damaged(); err != nil {
		return err
	}
	if err := v.following(); err != nil {
		return err
	}
	if err := v.store.ready(); err != nil {
		return err
	}
	if folded := v.folded.Load(); folded < v.target {
		return fmt.Errorf("the views are at event %d of %d", folded, v.target)
	}
	if v.log.Alone() {
		return nil
	}
	if err := v.log.Ready(); err != nil {
		return err
	}
	return v.index.recent()
}

// Folding tells whether much history is being folded: the views have not caught up since the start,
// or are rebuilt or verified.
func (v *Views) Folding() bool {
	if v.folded.Load() < v.target || !v.rebuilding.TryLock() {
		return true
	}
	v.rebuilding.Unlock()
	return false
}

// Broken is nil while the views' server can write, as far as is known, else an error that is
// log.ErrBroken: the fold ends at its next write, and nothing but a new start mends that.
func (v *Views) Broken() error { return log.Broken(v.server) }

// Stopped is closed when the fold has stopped: nothing can be decided by these views any more.
func (v *Views) Stopped() <-chan struct{} { return v.stopped }

// failure is why the fold has stopped; it may be asked once stopped is closed.
func (v *Views) failure() error {
	if errors.Is(v.stopErr, ErrClosed) {
		return v.stopErr
	}
	var broken *events.DecodeError
	if errors.As(v.stopErr, &broken) {
		return fmt.Errorf("the projection %s has stopped behind event %d: %w", modelOf(broken.Type), v.folded.Load(), broken)
	}
	return fmt.Errorf("the views have stopped behind event %d: %w", v.folded.Load(), v.stopErr)
}

// At is the sequence of the newest event that is folded.
func (v *Views) At() uint64 { return v.folded.Load() }

// CaughtUp waits until Ready is nil, the fold has failed, or ctx ends.
func (v *Views) CaughtUp(ctx context.Context) error { return v.Folded(ctx, v.target) }

// Folded waits until the event at a sequence is folded. It fails at once when the fold has stopped
// before it.
func (v *Views) Folded(ctx context.Context, sequence uint64) error {
	for v.folded.Load() < sequence {
		v.mu.Lock()
		advanced := v.advanced
		v.mu.Unlock()
		if v.folded.Load() >= sequence {
			return nil
		}
		select {
		case <-advanced:
		case <-v.stopped:
			if v.folded.Load() >= sequence {
				return nil
			}
			return v.failure()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
