package projections

import (
	"context"
	"errors"
	"slices"
	"time"

	"reckon/events"
)

// follow folds until ctx ends, an event cannot be decoded or a write is refused, which is final: a
// view that skips an event is wrong for ever. Of a write that is refused ctx ends with the reason.
func (v *Views) follow(ctx context.Context, after uint64) {
	var err error
	if v.missing != nil {
		err = v.fill(ctx)
	}
	if err == nil && after < v.target {
		err = v.catchUp(ctx, after)
		after = v.target
	}
	switch {
	case err != nil:
	case v.still:
		<-ctx.Done()
	default:
		err = v.log.Tail(ctx, after, v.fold)
	}
	if cause := context.Cause(ctx); errors.Is(cause, context.Canceled) {
		err = ErrClosed
	} else {
		if cause != nil {
			err = cause
		}
		if err == nil {
			err = errors.New("the log has ended")
		}
		v.logger.Error("the views have stopped", "folded", v.folded.Load(), "error", err)
	}
	v.stopErr = err
	close(v.stopped)
}

// fold takes events into the views: into the generation that serves, and then it wakes who waits.
// The documents and the checkpoint are written later: what is folded again leaves the documents as
// they are.
func (v *Views) fold(list []events.Event) error {
	v.folding.Lock()
	defer v.folding.Unlock()
	g := v.serving.Load()
	c := viewOf[*conversations](g)
	c.takeMade() // of events that were skimmed to catch up, and so have no results
	if err := g.fold(context.Background(), list); err != nil {
		return err
	}
	erased := v.foldedErasures(c)
	made := c.takeMade()
	for _, m := range made {
		v.messages.keep(m)
	}
	v.reached(v.checkpoint.after(list))
	if erased {
		v.forgetting.signal()
	}
	// A waiter takes the first that serves it, which is to be the newest.
	for _, m := range slices.Backward(made) {
		v.waiters.wake(m)
	}
	v.followers.tell(list, made)
	return nil
}

// reached says that the serving generation stands at a checkpoint. It is called with folding held.
func (v *Views) reached(c checkpoint) {
	v.checkpoint = c
	select {
	case v.unsaved <- struct{}{}:
	default:
	}
	v.advance(c.Sequence)
}

// catchUp folds what the log had at start, behind a sequence. Nobody waits for a message of these:
// until they are folded no index is confirmed, and no key is accepted.
func (v *Views) catchUp(ctx context.Context, after uint64) error {
	return v.log.Skim(ctx, after, v.target, nil, func(upTo uint64, list []events.Event) error {
		v.folding.Lock()
		defer v.folding.Unlock()
		g := v.serving.Load()
		if err := g.fold(context.Background(), list); err != nil {
			return err
		}
		erased := v.foldedErasures(viewOf[*conversations](g))
		c := v.checkpoint.after(list)
		c.Sequence = max(c.Sequence, upTo)
		v.reached(c)
		if erased {
			v.forgetting.signal()
		}
		return nil
	})
}

// save writes what was folded since the last time, and then a checkpoint of when it began.
func (v *Views) save() error {
	v.saving.Lock()
	defer v.saving.Unlock()
	v.folding.Lock()
	g, c := v.serving.Load(), v.checkpoint
	v.folding.Unlock()
	if c.Sequence == v.saved {
		return nil
	}
	if err := g.flush(); err != nil {
		return err
	}
	if err := v.store.writeCheckpoint(c); err != nil {
		return err
	}
	v.saved = c.Sequence
	return nil
}

// saveOften saves soon after events were folded, until ctx ends; while the fold catches up, less
// often than the buffers are written because they are full. When that fails the fold ends too.
func (v *Views) saveOften(ctx context.Context, stop context.CancelCauseFunc) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-v.unsaved:
		}
		wait := saveAfter
		if v.folded.Load() < v.target {
			wait = saveBehind
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		if err := v.save(); err != nil {
			stop(err)
			return
		}
	}
}
