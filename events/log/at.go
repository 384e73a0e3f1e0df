package log

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
)

const (
	// picks is how many single events are asked for at once: the server ends a connection on which
	// more than 64 MiB are waiting, twice as much as so many events are at most.
	picks = 8
	// pickPatience is how long an answer may take before the event is read from the leader.
	pickPatience = time.Second
	// directGet is where replicas of EVENTS answer.
	directGet = "$JS.API.DIRECT.GET." + EventsStream
)

// AtAll reads the events with these sequences, in that order, beside what else goes on in the log.
// The blocks or any replica may answer, since an event never changes; what they do not have, or do
// not answer in time, is read from the stream's leader. It fails with ErrNotFound when the log does
// not have one of them.
func (l *Log) AtAll(ctx context.Context, sequences []uint64) ([]events.Event, error) {
	list, ok, err := l.backing.pick(ctx, sequences)
	if !ok {
		list, err = l.fromServer(ctx, sequences)
	}
	if err == nil {
		err = l.readPrompts(ctx, list)
	}
	if err != nil {
		return nil, errors.Join(err, l.Damaged())
	}
	return list, nil
}

// fromServer is AtAll where the server is asked.
func (l *Log) fromServer(ctx context.Context, sequences []uint64) ([]events.Event, error) {
	list, errs := make([]events.Event, len(sequences)), make([]error, len(sequences))
	inParallel(ctx, len(sequences), func(i int) { list[i], errs[i] = l.direct(ctx, sequences[i]) })
	if err := errors.Join(append(errs, ctx.Err())...); err != nil {
		return nil, err
	}
	return list, nil
}

// direct reads an event from any replica, else from the leader.
func (l *Log) direct(ctx context.Context, sequence uint64) (events.Event, error) {
	conn := l.reads
	if conn == nil {
		conn = l.conn
	}
	limited, cancel := context.WithTimeout(ctx, pickPatience)
	defer cancel()
	number := strconv.FormatUint(sequence, 10)
	m, err := conn.RequestWithContext(limited, directGet, []byte(`{"seq":`+number+`}`))
	if err != nil || m.Header.Get("Status") != "" || m.Header.Get(jetstream.SequenceHeader) != number {
		return l.At(ctx, sequence)
	}
	return decode(m.Header.Get(jetstream.SubjectHeader), sequence, m, false)
}
