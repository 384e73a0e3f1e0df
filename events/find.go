package events

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go/jetstream"
)

// At reads the event with a sequence, from the stream's leader. It fails with ErrNotFound.
func (l *Log) At(ctx context.Context, sequence uint64) (Event, error) {
	m, err := l.load(ctx, eventsStream, loadRequest{Sequence: sequence})
	if err != nil {
		return Event{}, fmt.Errorf("read event %d: %w", sequence, err)
	}
	return decode(m)
}

// Since is the sequence of the first event that the log took in at a time or later. It fails with ErrNotFound where there
// is none.
func (l *Log) Since(ctx context.Context, at time.Time) (uint64, error) {
	// The server counts nanoseconds in 64 bits, which hold neither the zero time nor the last years of RFC 3339.
	switch {
	case at.Before(time.Unix(0, 0)):
		at = time.Unix(0, 0)
	case at.Year() > 2200:
		return 0, fmt.Errorf("find the first event since the year %d: %w", at.Year(), ErrNotFound)
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request := fmt.Sprintf(`{"start_time":%q,"batch":1}`, at.UTC().Format(time.RFC3339Nano))
	m, err := l.conn.RequestWithContext(ctx, "$JS.API.DIRECT.GET."+eventsStream, []byte(request))
	if err == nil {
		switch status := m.Header.Get("Status"); status {
		case "":
			var sequence uint64
			if sequence, err = strconv.ParseUint(m.Header.Get(jetstream.SequenceHeader), 10, 64); err == nil {
				return sequence, nil
			}
		case "204", "404":
			err = ErrNotFound
		default:
			err = errors.New(status + " " + m.Header.Get("Description"))
		}
	}
	return 0, fmt.Errorf("find the first event since %s: %w", at.UTC().Format(timeLayout), err)
}

// Conversation finds the subject of a conversation of whichever account. It fails with ErrNotFound.
func (l *Log) Conversation(ctx context.Context, id uuid.UUID) (Subject, error) {
	accounts, err := l.subjects(ctx, "evt.*.conversation."+id.String(), 1)
	if err == nil && len(accounts) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return Subject{}, fmt.Errorf("find conversation %s: %w", id, err)
	}
	return ConversationSubject(accounts[0], id), nil
}
