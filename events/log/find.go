package log

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"reckon/events"
)

// At reads the event with a sequence, from the stream's leader, once it is on disk. It fails with
// ErrNotFound.
func (l *Log) At(ctx context.Context, sequence uint64) (events.Event, error) {
	m, err := l.load(ctx, EventsStream, loadRequest{Sequence: sequence})
	if err == nil {
		err = l.durable(ctx, sequence)
	}
	if err != nil {
		return events.Event{}, fmt.Errorf("read event %d: %w", sequence, err)
	}
	e, err := m.event()
	if err != nil {
		return e, err
	}
	list := []events.Event{e}
	err = l.readPrompts(ctx, list)
	return list[0], err
}

// Since is the sequence of the first event that the log took in at a time or later, asked from the
// stream's leader. It fails with ErrNotFound where there is none.
func (l *Log) Since(ctx context.Context, at time.Time) (uint64, error) {
	// The server counts nanoseconds in 64 bits, which hold neither the zero time nor the last years
	// of RFC 3339.
	switch {
	case at.Before(time.Unix(0, 0)):
		at = time.Unix(0, 0)
	case at.Year() > 2200:
		return 0, fmt.Errorf("find the first event since the year %d: %w", at.Year(), ErrNotFound)
	}
	at = at.UTC()
	m, err := l.load(ctx, EventsStream, loadRequest{Start: &at, Next: "evt.>"})
	if err != nil {
		return 0, fmt.Errorf("find the first event since %s: %w", at.Format(time.RFC3339Nano), err)
	}
	return m.Sequence, nil
}

// Newest is the sequence of the newest event of a subject, asked from the stream's leader. It fails
// with ErrNotFound where there is none.
func (l *Log) Newest(ctx context.Context, s events.Subject) (uint64, error) {
	err := l.backing.confirm(ctx)
	var m stored
	if err == nil {
		m, err = l.load(ctx, EventsStream, loadRequest{Last: s.String()})
	}
	if err != nil {
		return 0, fmt.Errorf("find the newest event of %s: %w", s, err)
	}
	return m.Sequence, nil
}

// Conversation finds the subject of a conversation of whichever account. It fails with ErrNotFound.
func (l *Log) Conversation(ctx context.Context, id uuid.UUID) (events.Subject, error) {
	accounts, err := l.subjects(ctx, "evt.*.conversation."+id.String(), 1)
	if err == nil && len(accounts) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return events.Subject{}, fmt.Errorf("find conversation %s: %w", id, err)
	}
	return events.ConversationSubject(accounts[0], id), nil
}
