package projections

import (
	"context"
	"fmt"
	"hash/maphash"
	"time"

	"reckon/events"
)

// Difference is a document that is not what the history makes.
type Difference struct {
	Projection string `json:"projection"`
	Key        string `json:"key"`
	Sequence   uint64 `json:"sequence"` // of the event that made it, or else that it names
	What       string `json:"what"`
}

// Verification says what was compared.
type Verification struct {
	Sequence    uint64 `json:"sequence"` // of the last event that was folded
	Documents   uint64 `json:"documents"`
	Differences uint64 `json:"differences"`
}

const (
	// passMemory is about how many bytes of heads and pages one pass over the history holds in
	// memory.
	passMemory = 200 << 20
	// heldDocument is about how many bytes a head or a page takes in memory beyond the length of
	// its document.
	heldDocument = 1024
)

// Verify folds the whole history in memory and compares what it makes with the buckets, byte for
// byte, and with the keys that they have, so that documents that are missing and documents that the
// history does not make are found too. Each difference is given to report, most of them once. What
// is folded meanwhile is compared too, and the fold is held up for a moment at the end of a pass,
// so that the comparison is one at a definite event. With many conversations the history is read
// several times, for some of them each time, so that memory does not grow with it; each time the
// buckets are read once. tell, which may be nil, is told of the events and documents that are read,
// in all passes together.
func (v *Views) Verify(ctx context.Context, tell func(Progress), report func(Difference)) (Verification, error) {
	return v.verify(ctx, passMemory, tell, report)
}

// verify is Verify in passes of so many bytes.
func (v *Views) verify(ctx context.Context, memory uint64, tell func(Progress), report func(Difference)) (Verification, error) {
	v.rebuilding.Lock() // a generation that is verified must go on serving
	defer v.rebuilding.Unlock()
	if err := v.CaughtUp(ctx); err != nil {
		return Verification{}, err
	}
	c := &comparison{g: v.serving.Load(), log: v.log, report: report, seed: maphash.MakeSeed()}
	err := c.g.flush()
	if err != nil {
		return c.Verification, fmt.Errorf("verify: %w", err)
	}
	keys, held, err := v.extent(ctx, c.g)
	if err != nil {
		return c.Verification, fmt.Errorf("verify: %w", err)
	}
	c.passes = 1 + int(held/memory)
	w := &work{meter: newMeter(tell), keys: keys}
	for c.pass = range c.passes {
		w.before, w.left = w.done, uint64(c.passes-c.pass)
		if err := v.pass(ctx, c, w); err != nil {
			return c.Verification, fmt.Errorf("verify: %w", err)
		}
	}
	w.meter.at(w.done, w.done, true)
	return c.Verification, nil
}

// pass is one pass: the history is folded up to where the serving generation is, the buckets are
// compared with that, and then the documents of what comes behind it.
func (v *Views) pass(ctx context.Context, c *comparison, w *work) error {
	if err := v.following(); err != nil {
		return err
	}
	c.begin()
	through := v.folded.Load()
	err := v.log.Skim(ctx, 0, through, c.wantsAny, func(upTo uint64, list []events.Event) error {
		began := time.Now()
		_, err := c.fold(ctx, list)
		w.at(upTo, through)
		v.throttle(time.Since(began))
		return err
	})
	if err != nil {
		return err
	}
	w.done += through
	c.reached = through
	keys := uint64(0)
	if err := c.scan(ctx, func() { keys++; w.at(keys, through) }); err != nil {
		return err
	}
	w.done += keys
	return v.catchUpAndHold(ctx, through, c.wantsAny, func(list []events.Event) error {
		return c.follow(ctx, list)
	}, func(upTo uint64) {
		w.at(upTo-through, v.folded.Load())
	}, v.save, func(sequence uint64) error {
		w.done += sequence - through
		return c.end(ctx, sequence)
	})
}

// work is how much of all passes is done, counted in events and keys that are read.
type work struct {
	meter  *meter
	done   uint64 // before the present part of the present pass
	total  uint64
	before uint64 // done before the present pass
	left   uint64 // passes that are not over
	keys   uint64 // that a pass reads
}

// at tells of the progress within a part of a pass; last is the last event that is known.
func (w *work) at(n, last uint64) {
	w.total = max(w.total, w.done+n, w.before+w.left*(w.keys+last))
	w.meter.at(w.done+n, w.total, false)
}

// extent says how many documents a generation has stored, and about how many bytes those that are
// taken some at a time take in memory.
func (v *Views) extent(ctx context.Context, g *generation) (keys, held uint64, err error) {
	for i, b := range g.buckets {
		count, size, err := v.store.extent(ctx, b)
		if err != nil {
			return 0, 0, err
		}
		keys += count
		if g.models[i].spread {
			held += count*heldDocument + size
		}
	}
	return keys, held, nil
}
