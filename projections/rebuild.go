package projections

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"reckon/events"
)

// Progress says how far reading the history is. A verification counts the documents that it reads
// as events.
type Progress struct {
	Events uint64  `json:"events"` // read so far
	Total  uint64  `json:"total"`  // to read; it grows with the log
	Rate   float64 `json:"rate"`   // events a second
	Left   float64 `json:"left"`   // seconds until the end, about; 0 when there are none
}

const (
	// reportEvery is how often progress is told.
	reportEvery = 200 * time.Millisecond
	// switchWithin is how many events the serving generation may be ahead when it is held up for the
	// rest.
	switchWithin = 256
	// busyFor is how long after a request others are expected.
	busyFor = time.Second
	// maxPause is how long a rebuild or a verification rests at most behind one piece of work.
	maxPause = 20 * time.Millisecond
)

// meter counts events and tells of them from time to time.
type meter struct {
	started, told time.Time
	tell          func(Progress)
}

func newMeter(tell func(Progress)) *meter { return &meter{started: time.Now(), tell: tell} }

func (m *meter) at(events, total uint64, last bool) {
	if m.tell == nil || !last && time.Since(m.told) < reportEvery {
		return
	}
	m.told = time.Now()
	p := Progress{Events: events, Total: max(total, events)}
	if spent := time.Since(m.started).Seconds(); spent > 0 && events > 0 {
		p.Rate = float64(events) / spent
		p.Left = float64(p.Total-events) / p.Rate
	}
	m.tell(p)
}

// throttle lets requests go first, where they come: after a piece of work for as long as that took.
// What works without a break has soon used up its share of a processor, on a busy machine, and the
// system lets the whole process wait.
func (v *Views) throttle(worked time.Duration) {
	if pause := v.pause(worked, time.Now()); pause > 0 {
		time.Sleep(pause)
	}
}

// pause is how long to rest.
func (v *Views) pause(worked time.Duration, now time.Time) time.Duration {
	asked := v.lastRequest.Load()
	if asked == 0 || now.Sub(v.index.started)-time.Duration(asked) >= busyFor {
		return 0
	}
	return min(worked, maxPause)
}

// catchUpAndHold skims the history until it is where the serving generation is, and
// calls last there while that stands still. The sequence is that of the moment of last. told is
// called behind each fold, but not while anything is held up. ready is called shortly before that,
// for all that need not be done while it is.
func (v *Views) catchUpAndHold(
	ctx context.Context,
	fold func(list []events.Event) error, told func(upTo uint64),
	ready func() error, last func(sequence uint64) error,
) error {
	held, after := false, uint64(0)
	read := func(through uint64) error {
		err := v.log.Skim(ctx, after, through, nil, func(upTo uint64, list []events.Event) error {
			began := time.Now()
			err := fold(list)
			if !held {
				told(upTo)
				v.throttle(time.Since(began))
			}
			return err
		})
		after = max(after, through)
		return err
	}
	approach := func() error {
		for {
			if err := v.following(); err != nil {
				return err
			}
			through := v.folded.Load()
			if through == 0 || after > 0 && through <= after+switchWithin {
				return nil
			}
			if err := read(through); err != nil {
				return err
			}
		}
	}
	caughtUp := func() error { return v.CaughtUp(ctx) }
	for _, step := range []func() error{caughtUp, approach, ready, approach, ctx.Err} {
		if err := step(); err != nil {
			return err
		}
	}
	v.saving.Lock()
	defer v.saving.Unlock()
	v.folding.Lock()
	defer v.folding.Unlock()
	held = true
	sequence := v.folded.Load()
	if err := read(sequence); err != nil {
		return err
	}
	return last(sequence)
}

// following is the reason why the fold has stopped, nil while it goes on.
func (v *Views) following() error {
	select {
	case <-v.stopped:
		return v.failure()
	default:
		return nil
	}
}

// Rebuild builds a new generation of the read models with these names (none for all) from the first
// event, beside the serving one, and puts it in its place when it has caught up. Readers notice
// nothing. One rebuild runs at a time; another one waits for it. tell, which may be nil, is told of
// the progress, and of the end at last.
func (v *Views) Rebuild(ctx context.Context, names []string, tell func(Progress)) error {
	for _, name := range names {
		if !slices.Contains(Names(), name) {
			return fmt.Errorf("there is no projection %q: it is one of %v", name, Names())
		}
	}
	if len(names) == 0 {
		names = Names()
	}
	v.rebuilding.Lock()
	defer v.rebuilding.Unlock()
	return v.rebuild(ctx, names, nil, tell)
}

// rebuild is Rebuild with rebuilding held, of models that there are. It passes over the events of
// conversations that were erased: the node that they are read from may have them still. Their
// sequences do not tell, since those of a restored log are others.
func (v *Views) rebuild(ctx context.Context, names []string, erased map[entityKey]bool, tell func(Progress)) error {
	next, err := v.newGeneration(ctx, names)
	if err != nil {
		return fmt.Errorf("begin rebuild: %w", err)
	}
	progress := newMeter(tell)
	var old *generation
	err = v.catchUpAndHold(ctx, func(list []events.Event) error {
		return next.fold(ctx, slices.DeleteFunc(list, func(e events.Event) bool {
			_, erasure := e.Data.(*events.ConversationErased)
			return !erasure && erased[entityKey{e.Subject.Account(), e.Conversation()}]
		}))
	}, func(upTo uint64) {
		progress.at(upTo, v.folded.Load(), false)
	}, func() error {
		if err := next.flush(); err != nil {
			return err
		}
		return v.save()
	}, func(uint64) error {
		old = v.serving.Load()
		return v.replace(old, next)
	})
	if err != nil {
		// What was begun goes at the next start, if not now.
		if cleanup := v.store.keep(context.WithoutCancel(ctx), v.serving.Load().names()); cleanup != nil {
			v.logger.Warn("deleting what a rebuild left", "error", cleanup)
		}
		return fmt.Errorf("rebuild: %w", err)
	}
	old.retire()
	if err := v.store.keep(ctx, v.serving.Load().names()); err != nil {
		return fmt.Errorf("rebuilt, but the old generation is left: %w", err)
	}
	progress.at(v.folded.Load(), v.folded.Load(), true)
	return nil
}

// replace makes the models of next serve together with the others of old; both stand at the same
// event. It is called with saving and folding held. Whether it is done must be known, so that it
// ends with nobody who waits for it.
func (v *Views) replace(old, next *generation) error {
	for _, g := range []*generation{old, next} {
		if err := g.flush(); err != nil {
			return err
		}
	}
	for i, b := range next.buckets {
		if b == nil {
			next.buckets[i], next.views[i] = old.buckets[i], old.views[i]
		}
	}
	c := v.checkpoint
	c.Buckets = next.names()
	if err := v.store.writeCheckpoint(c); err != nil {
		return err
	}
	v.checkpoint, v.saved = c, c.Sequence
	v.serving.Store(next)
	return nil
}

// renew rebuilds the models whose buckets are of an older version.
func (v *Views) renew(ctx context.Context) {
	if len(v.outdated) == 0 {
		return
	}
	v.logger.Info("rebuilding projections of an older version beside those that serve", "projections", v.outdated)
	switch err := v.Rebuild(ctx, v.outdated, v.told); {
	case err == nil:
		v.logger.Info("projections are rebuilt", "projections", v.outdated)
	case ctx.Err() == nil && !errors.Is(err, ErrClosed):
		v.logger.Error("projections of an older version go on serving", "projections", v.outdated, "error", err)
	}
}
