package log

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Record is one message of a stream as it is stored.
type Record struct {
	Stream   string
	Sequence uint64
	Subject  string
	Headers  nats.Header // without the conditions under which it was published
	Data     []byte
}

// Passing tells whether nobody asks for a record again: it is one by which the read index of an
// existing NATS was taken, or stands at oldCommands.
func (r Record) Passing() bool {
	return r.Subject == tickSubject || strings.HasPrefix(r.Subject, oldCommands)
}

// Extent is how far a log goes.
type Extent struct {
	Events    uint64        // last sequence of EVENTS
	Commands  uint64        // last sequence of COMMANDS
	Finished  uint64        // the commands up to this sequence have their final events among the events
	Retention time.Duration // how long commands with a key are kept
	Gapless   bool          // no event is missing, but for those of Gone
	Gone      []Run         // sequences of events that were deleted, or never were there, in order
}

// Extent is how far the log goes at this moment. All that it says is there is on disk, and the
// command of every event too. Where the log's files are in a data directory they are checked, and
// it fails with a DamagedError. On an existing NATS there are gaps where nothing is missing.
func (l *Log) Extent(ctx context.Context) (e Extent, err error) {
	if e.Finished, err = l.finished(ctx); err != nil {
		return e, err
	}
	events, err := l.State(ctx, EventsStream)
	if err != nil {
		return e, err
	}
	commands, err := l.State(ctx, CommandsStream)
	if err != nil {
		return e, err
	}
	e.Events, e.Commands = events.State.LastSeq, commands.State.LastSeq
	e.Retention = commands.Config.MaxAge - keylessLife
	if e.Gapless = !events.Config.AllowMsgTTL; e.Gapless {
		if e.Gone, err = l.goneEvents(ctx); err != nil {
			return e, err
		}
	}
	newest, err := l.newestEvent(ctx)
	if err == nil {
		err = errors.Join(l.durable(ctx, newest), l.CommandDurable(ctx, e.Commands))
	}
	return e, err
}

// goneEvents are the sequences of the events that are not there and not missing.
func (l *Log) goneEvents(ctx context.Context) ([]Run, error) {
	if l.dir == "" {
		return nil, nil
	}
	found, err := Check(ctx, l.dir, Checking{Live: true})
	if err == nil && len(found.Damage) > 0 {
		err = &DamagedError{Dir: l.dir, Damage: found.Damage}
	}
	if err != nil || len(found.found) == 0 {
		return nil, err
	}
	return found.found[0].Gone, nil
}

// finished is the sequence up to which every command is acknowledged, which a worker does once its
// final event is on disk.
func (l *Log) finished(ctx context.Context) (uint64, error) {
	c, err := l.js.Consumer(ctx, CommandsStream, workersName)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("ask how far the commands are: %w", err)
	}
	info := c.CachedInfo()
	if info.Config.DeliverPolicy == jetstream.DeliverByStartSequencePolicy { // until the first is acknowledged
		return max(info.AckFloor.Stream, info.Config.OptStartSeq-1), nil
	}
	return info.AckFloor.Stream, nil
}

// State is what the leader says of a stream. On a cluster it waits for one, as every request does.
func (l *Log) State(ctx context.Context, stream string) (s *jetstream.StreamInfo, err error) {
	err = l.again(ctx, func(ctx context.Context) error {
		opened, err := l.js.Stream(ctx, stream)
		if err == nil {
			s = opened.CachedInfo()
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open stream %s: %w", stream, err)
	}
	return s, nil
}

const (
	scanBatch = 256
	scanTries = 20 // readings in a row that bring nothing although there is something
)

// Records reads a stream in order up to a sequence, also what may not be on disk yet.
func (l *Log) Records(ctx context.Context, stream string, last uint64, each func(Record) error) (err error) {
	after := uint64(0)
	for tries := 0; after < last; tries++ {
		before := after
		after, err = l.scanOnce(ctx, stream, after, last, each)
		switch {
		case !errors.Is(err, errReopen):
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case after > before:
			tries = 0
		case tries == scanTries:
			return fmt.Errorf("read stream %s after %d: %w", stream, after, err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(clusterRetry):
		}
	}
	return nil
}

// scanOnce reads with one consumer. It returns the sequence of the last message that was read;
// errReopen says that another consumer may read on behind it.
func (l *Log) scanOnce(ctx context.Context, stream string, after, last uint64, each func(Record) error) (uint64, error) {
	consumer, err := l.js.CreateConsumer(ctx, stream, behind(after))
	if err != nil {
		return after, fmt.Errorf("%w: %w", errReopen, err)
	}
	defer func() {
		// A consumer that cannot be removed goes by itself after its inactive threshold.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = l.js.DeleteConsumer(ctx, stream, consumer.CachedInfo().Name)
	}()
	for delivered := uint64(0); after < last; {
		batch, err := consumer.FetchNoWait(scanBatch)
		if err != nil {
			return after, fmt.Errorf("%w: %w", errReopen, err)
		}
		before := delivered
		for m := range batch.Messages() {
			meta, err := m.Metadata()
			if err != nil || meta.Sequence.Consumer != delivered+1 {
				return after, fmt.Errorf("%w: a message does not follow on %d", errReopen, after)
			}
			if meta.Sequence.Stream > last {
				return last, nil
			}
			delivered, after = meta.Sequence.Consumer, meta.Sequence.Stream
			if err := each(Record{stream, after, m.Subject(), storedHeaders(m.Headers()), m.Data()}); err != nil {
				return after, err
			}
		}
		if err := batch.Error(); err != nil {
			return after, fmt.Errorf("%w: %w", errReopen, err)
		}
		if delivered == before {
			return after, l.nothing(ctx, stream, after, last)
		}
	}
	return after, nil
}

// nothing fails with errReopen when the stream's leader has a message between two sequences: the
// node that keeps a consumer may be behind.
func (l *Log) nothing(ctx context.Context, stream string, after, last uint64) error {
	m, err := l.load(ctx, stream, loadRequest{Sequence: after + 1, Next: ">"})
	switch {
	case errors.Is(err, ErrNotFound), err == nil && m.Sequence > last:
		return nil
	case err != nil:
		return fmt.Errorf("%w: %w", errReopen, err)
	}
	return fmt.Errorf("%w: message %d is not there yet", errReopen, m.Sequence)
}

// storedHeaders are a message's headers without the conditions under which it was published.
func storedHeaders(h nats.Header) nats.Header {
	var kept nats.Header
	for name, values := range h {
		if !strings.HasPrefix(name, "Nats-Expected-") {
			if kept == nil {
				kept = nats.Header{}
			}
			kept[name] = values
		}
	}
	return kept
}
