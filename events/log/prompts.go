package log

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"reckon/events"
)

// A long prompt stands in the log once, before the command and the events of its message, which
// leave it out. Whoever is handed such an event is handed the prompt with it.

// TakesApart tells whether all nodes read prompts that are stored apart, as far as is known: those
// of earlier versions do not. Of the nodes on an existing NATS nothing is known.
func (l *Log) TakesApart(ctx context.Context) bool { return l.backing.takesApart(ctx) }

// Prompt reads a prompt that is stored apart, from the stream's leader, once it is on disk. It
// fails with ErrNotFound.
func (l *Log) Prompt(ctx context.Context, s events.Subject) (events.Event, error) {
	m, err := l.load(ctx, EventsStream, loadRequest{Last: s.String()})
	if errors.Is(err, ErrNotFound) && !l.Alone() {
		// A node that leads no more may have answered, or one that has not applied all yet.
		if _, err = l.Last(ctx); err == nil {
			m, err = l.load(ctx, EventsStream, loadRequest{Last: s.String()})
		}
	}
	if err == nil {
		err = l.durable(ctx, m.Sequence)
	}
	if err != nil {
		return events.Event{}, fmt.Errorf("read prompt at %s: %w", s, err)
	}
	e, err := m.event()
	if _, ok := e.Data.(*events.PromptStored); err == nil && !ok {
		err = fmt.Errorf("read prompt at %s: event %d is none", s, e.Sequence)
	}
	return e, err
}

// readPrompts gives events the prompts that they lack. One that is not there was deleted, and stays
// empty, unless the log is damaged: then it fails with ErrNotFound.
func (l *Log) readPrompts(ctx context.Context, list []events.Event) error {
	var lacking []*events.Event
	for i := range list {
		if list[i].Lacks() {
			lacking = append(lacking, &list[i])
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	errs := make([]error, len(lacking))
	inParallel(ctx, len(lacking), func(i int) {
		e := lacking[i]
		stored, err := l.Prompt(ctx, e.PromptAt())
		if errors.Is(err, ErrNotFound) && l.Damaged() == nil {
			return
		}
		if errs[i] = err; err == nil {
			prompt := stored.Data.(*events.PromptStored).Prompt
			e.Message().Prompt, e.Size = prompt, e.Size+len(prompt)
		}
	})
	return errors.Join(append(errs, ctx.Err())...)
}

// inParallel does n things, picks at once, until ctx ends.
func inParallel(ctx context.Context, n int, do func(i int)) {
	var next atomic.Int64
	work := func() {
		for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
			do(i)
		}
	}
	var all sync.WaitGroup
	for range min(picks, n) - 1 {
		all.Go(work)
	}
	work()
	all.Wait()
}

// withPrompts is a fold that is handed events with their prompts, not many long ones at once. What
// a damaged log has lost of them it folds without.
func (l *Log) withPrompts(ctx context.Context, fold func(uint64, []events.Event) error) func(uint64, []events.Event) error {
	part := func(upTo uint64, list []events.Event) error {
		for err := l.readPrompts(ctx, list); err != nil && !onlyMissing(err); err = l.readPrompts(ctx, list) {
			if l.backing.ended() != nil || ctx.Err() != nil || l.conn.IsClosed() {
				return err
			}
			l.logger.Warn("reading the prompts of events", "event", upTo, "error", err)
			select {
			case <-ctx.Done():
			case <-time.After(tailStall):
			}
		}
		return fold(upTo, list)
	}
	return func(upTo uint64, list []events.Event) error {
		lacking := 0
		for i := 0; i < len(list); i++ {
			if list[i].Lacks() {
				lacking++
			}
			if lacking < picks || i+1 == len(list) {
				continue
			}
			if err := part(list[i].Sequence, list[:i+1:i+1]); err != nil {
				return err
			}
			list, lacking, i = list[i+1:], 0, -1
		}
		return part(upTo, list)
	}
}

// onlyMissing tells of an error of readPrompts whether prompts that are not there are all of it.
func onlyMissing(err error) bool {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			if !errors.Is(e, ErrNotFound) {
				return false
			}
		}
		return true
	}
	return errors.Is(err, ErrNotFound)
}
