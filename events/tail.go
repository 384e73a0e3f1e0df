package events

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	tailBatch     = 256
	tailBuffer    = 2 * tailBatch          // events under way from the server
	tailBytes     = 16 << 20               // what one request may bring; more than the largest message
	tailHeartbeat = 500 * time.Millisecond // two missed ones reopen the consumer
	tailStall     = 300 * time.Millisecond // so long below an event that is known to exist reopens it too
	tailReopen    = 2 * time.Second        // at most one reopening in this time
)

// errReopen marks errors of a tail's consumer, which another consumer mends.
var errReopen = errors.New("the consumer of events is lost")

// Tail hands every event after a sequence to fold, in order, until ctx ends or fold fails. Entries come in batches of what is
// there, at most 256. An entry of unknown type has Data nil; one that cannot be decoded ends the tail with an error
// that names its sequence, after the events before it were folded. A consumer that is lost is opened again behind the
// last event that was folded, and until then the tail asks for what is there. It ends with an error when the log is
// closed, and at once when the log has fewer events than after says.
func (l *Log) Tail(ctx context.Context, after uint64, fold func([]Event) error) error {
	last, err := l.Last(ctx)
	if err != nil {
		return err
	}
	if after > last {
		return fmt.Errorf("tail events after %d: the newest is %d", after, last)
	}
	for {
		opened := time.Now()
		after, err = l.follow(ctx, after, fold)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !errors.Is(err, errReopen) || l.conn.IsClosed() {
			return err
		}
		l.logger.Warn("reopening the tail of events", "after", after, "error", err)
		for wait := time.Duration(1); wait > 0; {
			if after, err = l.fill(ctx, after, fold); err != nil && !errors.Is(err, errReopen) {
				return err
			}
			wait = min(tailStall, time.Until(opened.Add(tailReopen)))
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(wait):
			}
		}
	}
}

// follow folds what one consumer brings. It returns the sequence of the last event that was folded and the error that ended it,
// which is errReopen for a failure of the consumer.
func (l *Log) follow(ctx context.Context, after uint64, fold func([]Event) error) (uint64, error) {
	consumer, err := l.js.CreateConsumer(ctx, eventsStream, jetstream.ConsumerConfig{
		DeliverPolicy:     jetstream.DeliverByStartSequencePolicy,
		OptStartSeq:       after + 1,
		AckPolicy:         jetstream.AckNonePolicy,
		MemoryStorage:     true,
		Replicas:          1,
		InactiveThreshold: 30 * time.Second,
	})
	if err != nil {
		return after, fmt.Errorf("%w: %w", errReopen, err)
	}
	messages := make(chan jetstream.Msg, tailBatch)
	lost := make(chan error, 1)
	done := make(chan struct{})
	consuming, err := consumer.Consume(
		func(m jetstream.Msg) {
			select {
			case messages <- m:
			case <-done:
			}
		},
		jetstream.PullMaxMessagesWithBytesLimit(tailBuffer, tailBytes),
		jetstream.PullHeartbeat(tailHeartbeat),
		jetstream.ConsumeErrHandler(func(_ jetstream.ConsumeContext, err error) {
			select {
			case lost <- err:
			default:
			}
		}))
	if err != nil {
		return after, fmt.Errorf("%w: %w", errReopen, err)
	}
	defer func() {
		close(done)
		consuming.Stop()
		l.forget(consumer)
	}()

	stall := time.NewTicker(tailStall / 3)
	defer stall.Stop()
	progress := time.Now()
	delivered := uint64(0)
	for {
		select {
		case <-ctx.Done():
			return after, ctx.Err()
		case err := <-lost:
			return after, fmt.Errorf("%w: %w", errReopen, err)
		case <-stall.C:
			if len(messages) == 0 && l.newest.Load() > after && time.Since(progress) > tailStall {
				return after, fmt.Errorf("%w: it stands still at %d, below %d", errReopen, after, l.newest.Load())
			}
		case m := <-messages:
			batch := make([]Event, 0, 1+len(messages))
			var failure error
			for failure == nil {
				var e Event
				if e, failure = next(m, after, delivered); failure == nil {
					batch = append(batch, e)
					after, delivered = e.Sequence, delivered+1
				}
				if len(batch) == tailBatch || len(messages) == 0 {
					break
				}
				m = <-messages
			}
			if len(batch) > 0 {
				if err := fold(batch); err != nil {
					return after, fmt.Errorf("fold events to %d: %w", after, err)
				}
			}
			if failure != nil {
				return after, failure
			}
			progress = time.Now()
		}
	}
}

// fill folds what is there behind a sequence without a consumer, by batches of direct gets, which any replica answers. It returns
// the sequence of the last event that was folded.
func (l *Log) fill(ctx context.Context, after uint64, fold func([]Event) error) (uint64, error) {
	for {
		batch, failure := l.batch(ctx, after+1)
		if len(batch) > 0 {
			if err := fold(batch); err != nil {
				return after, fmt.Errorf("fold events: %w", err)
			}
			after = batch[len(batch)-1].Sequence
		}
		if failure != nil || len(batch) == 0 {
			return after, failure
		}
	}
}

// batch gets the events that are there from a sequence on, at most 256, and the error that ended them early.
func (l *Log) batch(ctx context.Context, from uint64) ([]Event, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	answers, err := l.conn.SubscribeSync(l.conn.NewInbox())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errReopen, err)
	}
	defer answers.Unsubscribe()
	request := fmt.Sprintf(`{"seq":%d,"batch":%d,"max_bytes":%d}`, from, tailBatch, tailBytes)
	if err := l.conn.PublishRequest("$JS.API.DIRECT.GET."+eventsStream, answers.Subject, []byte(request)); err != nil {
		return nil, fmt.Errorf("%w: %w", errReopen, err)
	}
	var batch []Event
	for {
		m, err := answers.NextMsgWithContext(ctx)
		if err != nil {
			return batch, fmt.Errorf("%w: %w", errReopen, err)
		}
		switch m.Header.Get("Status") {
		case "":
		case "204", "404": // end of the batch, nothing there
			return batch, nil
		default:
			return batch, fmt.Errorf("%w: direct get: %s %s", errReopen, m.Header.Get("Status"), m.Header.Get("Description"))
		}
		sequence, err := strconv.ParseUint(m.Header.Get(jetstream.SequenceHeader), 10, 64)
		if err != nil {
			return batch, fmt.Errorf("%w: direct get: %w", errReopen, err)
		}
		e := Event{Subject: Subject{m.Header.Get(jetstream.SubjectHeader)}, Sequence: sequence}
		if err := e.fill(m.Header, m.Data); err != nil {
			return batch, err
		}
		batch = append(batch, e)
	}
}

// next decodes a message that must follow on what was delivered before; a gap is the consumer's failure.
func next(m jetstream.Msg, after, delivered uint64) (Event, error) {
	meta, err := m.Metadata()
	if err != nil {
		return Event{}, fmt.Errorf("%w: %w", errReopen, err)
	}
	if meta.Sequence.Consumer != delivered+1 || meta.Sequence.Stream <= after {
		return Event{}, fmt.Errorf("%w: event %d does not follow on %d", errReopen, meta.Sequence.Stream, after)
	}
	e := Event{Subject: Subject{m.Subject()}, Sequence: meta.Sequence.Stream}
	return e, e.fill(m.Headers(), m.Data())
}

// forget removes a consumer that is no longer read. One that cannot be reached goes by itself after its inactive threshold.
func (l *Log) forget(c jetstream.Consumer) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err := l.js.DeleteConsumer(ctx, eventsStream, c.CachedInfo().Name)
	if err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) && !errors.Is(err, nats.ErrConnectionClosed) {
		l.logger.Debug("removing the consumer of events", "error", err)
	}
}
