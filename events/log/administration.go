package log

import (
	"context"
	"errors"
	"fmt"
	"time"

	"reckon/events"
)

// administration are the subjects of events of administration. What is written of conversations
// stands at their own.
var administration = [...]string{"evt.*.account", "evt.*.user", "evt.*.domain.*"}

// Administration is how far the events of administration are read. Its zero value has read none.
type Administration struct {
	began bool
	after [len(administration)]uint64 // of each of their subjects
}

// Through is a sequence up to which they are all read.
func (a Administration) Through() uint64 {
	through := a.after[0]
	for _, after := range a.after {
		through = min(through, after)
	}
	return through
}

// Administered reads the events of administration behind those that were read, at first those that
// the log took in at a time or later, from the stream's leader and once they are on disk. each gets
// those that have a Request; those of an account, or of one of its domains, come in their order. It
// returns how far it has read. The time does not depend on how many conversations there are.
func (l *Log) Administered(ctx context.Context, from Administration, since time.Time, each func(events.Event)) (Administration, error) {
	index, err := l.Last(ctx)
	if err != nil {
		return from, fmt.Errorf("read what was administered: %w", err)
	}
	if !from.began {
		first, err := l.Since(ctx, since)
		if errors.Is(err, ErrNotFound) {
			return from, nil
		}
		if err != nil {
			return from, err
		}
		from.began = true
		for i := range from.after {
			from.after[i] = first - 1
		}
	}
	to, last := from, uint64(0)
	var list []events.Event
	for i, subjects := range administration {
		for {
			m, err := l.load(ctx, EventsStream, loadRequest{Sequence: to.after[i] + 1, Next: subjects})
			if errors.Is(err, ErrNotFound) {
				break
			}
			var e events.Event
			if err == nil {
				e, err = m.event()
			}
			if err != nil {
				return from, fmt.Errorf("read what was administered: %w", err)
			}
			if e.Request != "" {
				list, last = append(list, e), max(last, e.Sequence)
			}
			to.after[i] = e.Sequence
		}
		to.after[i] = max(to.after[i], index)
	}
	if len(list) > 0 {
		l.saw(last)
		if err := l.durable(ctx, last); err != nil {
			return from, fmt.Errorf("read what was administered: %w", err)
		}
	}
	for _, e := range list {
		each(e)
	}
	return to, nil
}
