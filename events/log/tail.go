package log

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
)

const (
	tailBatch     = 4096                   // at most so many events are folded at once
	tailBuffer    = 2 * tailBatch          // events under way from the server
	tailBytes     = 16 << 20               // what one request may bring; more than the largest message
	tailHeartbeat = 500 * time.Millisecond // two missed ones reopen the consumer
	tailStall     = 300 * time.Millisecond // so long below an event that is known to exist reopens it too
	tailReopen    = 2 * time.Second        // at most one reopening in this time
	tailGap       = 100 * time.Millisecond // so long below an event that is known to exist has the tail ask for it without a consumer
	tailLook      = 20 * time.Millisecond  // and so long without a consumer
	fillBatch     = 256                    // events of one request without a consumer
)

// errReopen marks errors of a tail's consumer, which another consumer mends.
var errReopen = errors.New("the consumer of events is lost")

// Tail hands every event after a sequence to fold, in order, once it is on disk, until ctx ends or
// fold fails. Entries come in batches of what is there, at most 4,096. An entry of unknown type has
// Data nil; one that cannot be decoded ends the tail with a *DecodeError, after the events before
// it were folded. Where the log commits in groups, one tail is handed what this process appends,
// and asks for the rest. Any other has a consumer; one that is lost is opened again behind the last
// event that was folded, and until then the tail asks for what is there. It ends with an error when
// the log is closed or can no longer be written, and at once when the log has fewer events than
// after says.
func (l *Log) Tail(ctx context.Context, after uint64, fold func([]events.Event) error) error {
	last, err := l.Last(ctx)
	for err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if l.conn.IsClosed() || l.backing.ended() != nil {
			return err
		}
		l.logger.Warn("beginning the tail of events", "after", after, "error", err)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(tailStall):
		}
		last, err = l.Last(ctx)
	}
	if after > last {
		return fmt.Errorf("tail events after %d: the newest is %d", after, last)
	}
	return l.tail(ctx, after, reading{through: math.MaxUint64, lives: true, fold: func(_ uint64, list []events.Event) error { return fold(list) }})
}

// Scan hands the events after a sequence and up to another, which the log must have, to fold: those
// of the subjects that want names (nil for all), the others are passed over without being decoded.
// fold is told up to which event it knows all then, also when there is none among those; the list
// is its own only until it returns. Else it is like Tail.
func (l *Log) Scan(ctx context.Context, after, through uint64, want func(events.Subject) bool, fold func(upTo uint64, list []events.Event) error) error {
	if after >= through {
		return nil
	}
	return l.tail(ctx, after, reading{through: through, want: want, fold: fold})
}

// Skim is Scan for those who mostly do not look at results: activities and variables of the results
// in list are left out, until the event is made Whole. Reading costs about half then.
func (l *Log) Skim(ctx context.Context, after, through uint64, want func(events.Subject) bool, fold func(upTo uint64, list []events.Event) error) error {
	if after >= through {
		return nil
	}
	return l.tail(ctx, after, reading{through: through, want: want, brief: true, fold: fold})
}

// reading is what events are read for.
type reading struct {
	through uint64                    // the last event
	want    func(events.Subject) bool // nil for all
	brief   bool                      // see Skim
	lives   bool                      // it goes on with what is appended, see relay
	fold    func(upTo uint64, list []events.Event) error
}

// tail reads until the reading is through: what it can from the log's own files, else with one
// consumer after the other.
func (l *Log) tail(ctx context.Context, after uint64, r reading) (err error) {
	if r.fold = l.durably(ctx, l.withPrompts(ctx, r.fold)); r.want == nil {
		r.fold = l.withoutGaps(ctx, after, r.fold)
	}
	defer func() {
		// The event that ends it is part of the read index like those that are folded.
		if broken := (*events.DecodeError)(nil); errors.As(err, &broken) {
			if failure := l.durable(ctx, broken.Sequence); failure != nil {
				err = failure
			}
		}
	}()
	if r.through < math.MaxUint64 {
		l.saw(r.through)
		if after, err = l.backing.history(ctx, after, r); err != nil || after >= r.through {
			return err
		}
	}
	for {
		opened := time.Now()
		begun := false
		if r.lives {
			after, begun, err = l.backing.live(ctx, after, r)
		}
		if !begun {
			after, err = l.follow(ctx, after, r)
		}
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !errors.Is(err, errReopen) || l.conn.IsClosed():
			return err
		}
		l.logger.Warn("reopening the tail of events", "after", after, "error", err)
		for wait := time.Duration(1); wait > 0; {
			l.backing.nudge(ctx)
			if after, err = l.fill(ctx, after, r); err != nil && !errors.Is(err, errReopen) {
				return err
			}
			if after >= r.through {
				return nil
			}
			if r.through < math.MaxUint64 && l.noneUpTo(ctx, after, r.through) {
				return r.fold(r.through, nil)
			}
			wait = min(tailStall, time.Until(opened.Add(tailReopen)))
			if err := l.missing(ctx, after, wait); err != nil {
				return err
			}
		}
	}
}

// noneUpTo tells whether the log has nothing any more behind an event and up to another one, which
// it had.
func (l *Log) noneUpTo(ctx context.Context, after, through uint64) bool {
	ctx, cancel := context.WithTimeout(ctx, l.apiPatience())
	defer cancel()
	if last, err := l.Last(ctx); err != nil || last < through { // who answers next has it then, or had it
		return false
	}
	m, err := l.load(ctx, EventsStream, loadRequest{Sequence: after + 1, Next: ">"})
	return errors.Is(err, ErrNotFound) || err == nil && m.Sequence > through
}

// missing returns when an event behind a sequence is known to exist, or after a while.
func (l *Log) missing(ctx context.Context, after uint64, while time.Duration) error {
	end := time.NewTimer(while)
	defer end.Stop()
	look := time.NewTicker(tailLook)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-end.C:
			return nil
		case <-look.C:
			if l.newest.Load() > after {
				return nil
			}
		}
	}
}

// backlog is what a consumer has brought and nobody has folded yet.
type backlog struct {
	mu     sync.Mutex
	room   sync.Cond // on mu: the list was taken, or nobody will take it again
	list   []jetstream.Msg
	closed bool
	ready  chan struct{} // holds one when the list is not empty
}

// put waits for room.
func (b *backlog) put(m jetstream.Msg) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.list) >= tailBatch && !b.closed {
		b.room.Wait()
	}
	b.list = append(b.list, m)
	if len(b.list) == 1 {
		select {
		case b.ready <- struct{}{}:
		default:
		}
	}
}

// take returns all there is and leaves an empty list in its place.
func (b *backlog) take(empty []jetstream.Msg) []jetstream.Msg {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := b.list
	b.list = empty
	b.room.Signal()
	return list
}

func (b *backlog) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.room.Broadcast()
}

// openTail makes a consumer of what is behind a sequence, and folds meanwhile what is known to
// exist: while nodes of a cluster come and go, that may take long. It returns no consumer when the
// reading is through.
func (l *Log) openTail(ctx context.Context, after uint64, r reading) (jetstream.Consumer, uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, l.apiPatience()/2)
	defer cancel()
	type result struct {
		consumer jetstream.Consumer
		err      error
	}
	opened := make(chan result, 1)
	go func(after uint64) {
		c, err := l.js.CreateConsumer(ctx, EventsStream, behind(after))
		opened <- result{c, err}
	}(after)
	gap := time.NewTicker(tailGap)
	defer gap.Stop()
	for {
		select {
		case o := <-opened:
			if o.err != nil {
				return nil, after, fmt.Errorf("%w: %w", errReopen, o.err)
			}
			return o.consumer, after, nil
		case <-gap.C:
			if l.newest.Load() <= after {
				continue
			}
			var err error
			if after, err = l.fill(ctx, after, r); err != nil && !errors.Is(err, errReopen) || after >= r.through {
				return nil, after, err
			}
		}
	}
}

// follow folds what one consumer brings, and what it does not bring in time. It returns the
// sequence of the last event that was folded and the error that ended it, which is errReopen for a
// failure of the consumer and nil when the reading is through.
func (l *Log) follow(ctx context.Context, after uint64, r reading) (uint64, error) {
	brought, delivered := after, uint64(0) // by the consumer
	consumer, after, err := l.openTail(ctx, after, r)
	if err != nil || consumer == nil {
		return after, err
	}
	waiting := &backlog{ready: make(chan struct{}, 1)}
	waiting.room.L = &waiting.mu
	lost := make(chan error, 1)
	consuming, err := consumer.Consume(waiting.put,
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
		waiting.close()
		consuming.Stop()
		if l.Alone() {
			l.forget(consumer)
		} else {
			go l.forget(consumer) // its server may be gone, and what follows here does not wait for that
		}
	}()

	gap := time.NewTicker(tailGap)
	defer gap.Stop()
	late := 0 // how often in a row the consumer had not brought what is known to exist
	var messages []jetstream.Msg
	for {
		select {
		case <-ctx.Done():
			return after, ctx.Err()
		case err := <-lost:
			return after, fmt.Errorf("%w: %w", errReopen, err)
		case <-gap.C:
			newest := l.newest.Load()
			if newest <= brought || len(waiting.ready) > 0 {
				late = 0
				continue
			}
			if late++; late > int(tailStall/tailGap) {
				return after, fmt.Errorf("%w: it stands still at %d, below %d", errReopen, brought, newest)
			}
			if late > 1 && newest > after {
				if after, err = l.fill(ctx, after, r); err != nil && !errors.Is(err, errReopen) || after >= r.through {
					return after, err
				}
			}
		case <-waiting.ready:
			clear(messages)
			messages = waiting.take(messages[:0])
			list := make([]events.Event, 0, len(messages))
			upTo := after
			var failure error
			for _, m := range messages {
				if upTo >= r.through {
					break
				}
				var e events.Event
				var wanted bool
				if e, wanted, failure = next(m, brought, delivered, after, r); e.Sequence > r.through {
					upTo, failure = r.through, nil // what stood there is gone
					break
				}
				if failure != nil {
					break
				}
				if wanted {
					list = append(list, e)
				}
				brought, delivered = e.Sequence, delivered+1
				upTo = max(upTo, brought)
			}
			if upTo > after {
				if err := r.fold(upTo, list); err != nil {
					return after, fmt.Errorf("fold events to %d: %w", upTo, err)
				}
				after = upTo
			}
			if failure != nil || after >= r.through {
				return after, failure
			}
			late = 0
		}
	}
}

// fill folds what is there behind a sequence without a consumer, by batches of direct gets, which
// any replica answers. It returns the sequence of the last event that was folded.
func (l *Log) fill(ctx context.Context, after uint64, r reading) (uint64, error) {
	for after < r.through {
		list, upTo, failure := l.batch(ctx, after, r)
		if upTo > after {
			if err := r.fold(upTo, list); err != nil {
				return after, fmt.Errorf("fold events to %d: %w", upTo, err)
			}
		}
		if failure != nil || upTo == after {
			return upTo, failure
		}
		after = upTo
	}
	return after, nil
}

// batch gets the events that are there after a sequence, at most 256, the sequence of the last one,
// and the error that ended them early.
func (l *Log) batch(ctx context.Context, after uint64, r reading) (list []events.Event, upTo uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	answers, err := l.conn.SubscribeSync(l.conn.NewInbox())
	if err != nil {
		return nil, after, fmt.Errorf("%w: %w", errReopen, err)
	}
	defer answers.Unsubscribe()
	request := fmt.Sprintf(`{"seq":%d,"batch":%d,"max_bytes":%d}`, after+1, min(fillBatch, r.through-after), tailBytes)
	if err := l.conn.PublishRequest(directGet, answers.Subject, []byte(request)); err != nil {
		return nil, after, fmt.Errorf("%w: %w", errReopen, err)
	}
	for upTo = after; ; {
		m, err := answers.NextMsgWithContext(ctx)
		if err != nil {
			return list, upTo, fmt.Errorf("%w: %w", errReopen, err)
		}
		switch m.Header.Get("Status") {
		case "":
		case "204", "404": // end of the batch, nothing there
			return list, upTo, nil
		default:
			return list, upTo, fmt.Errorf("%w: direct get: %s %s", errReopen, m.Header.Get("Status"), m.Header.Get("Description"))
		}
		sequence, err := strconv.ParseUint(m.Header.Get(jetstream.SequenceHeader), 10, 64)
		if err != nil {
			return list, upTo, fmt.Errorf("%w: direct get: %w", errReopen, err)
		}
		if sequence > r.through {
			return list, r.through, nil
		}
		if subject := events.SubjectOf(m.Header.Get(jetstream.SubjectHeader)); r.want == nil || r.want(subject) {
			e, err := events.Decode(subject, sequence, m.Header, m.Data, r.brief)
			if err != nil {
				return list, upTo, err
			}
			list = append(list, e)
		}
		upTo = sequence
	}
}

// next decodes a message that must follow on what was delivered before, if it is wanted and not
// folded yet; a gap is the consumer's failure.
func next(m jetstream.Msg, before, delivered, folded uint64, r reading) (e events.Event, wanted bool, err error) {
	sequence, count, ok := delivery(m.Reply())
	if !ok {
		return events.Event{}, false, fmt.Errorf("%w: the reply subject %q of an event tells no sequence", errReopen, m.Reply())
	}
	if count != delivered+1 || sequence <= before {
		return events.Event{}, false, fmt.Errorf("%w: event %d does not follow on %d", errReopen, sequence, before)
	}
	e = events.Event{Subject: events.SubjectOf(m.Subject()), Sequence: sequence}
	if sequence <= folded || r.want != nil && !r.want(e.Subject) {
		return e, false, nil
	}
	e, err = events.Decode(e.Subject, sequence, m.Headers(), m.Data(), r.brief)
	return e, true, err
}

// delivery reads from the subject that would acknowledge a message where it stands in the stream,
// and how many the consumer had delivered with it. The subject is $JS.ACK, a domain and an account
// hash or neither, stream, consumer, attempts, the two sequences, time and pending, and perhaps
// more after the longer form.
func delivery(reply string) (sequence, count uint64, ok bool) {
	before := 5
	switch dots := strings.Count(reply, "."); {
	case dots >= 10:
		before = 7
	case dots != 8:
		return 0, 0, false
	}
	rest, ok := strings.CutPrefix(reply, "$JS.ACK.")
	for range before - 2 {
		_, rest, _ = strings.Cut(rest, ".")
	}
	first, rest, _ := strings.Cut(rest, ".")
	second, _, _ := strings.Cut(rest, ".")
	sequence, err := strconv.ParseUint(first, 10, 64)
	if err != nil {
		return 0, 0, false
	}
	count, err = strconv.ParseUint(second, 10, 64)
	return sequence, count, ok && err == nil
}

// forget removes a consumer that is no longer read. One that cannot be reached goes by itself after
// its inactive threshold.
func (l *Log) forget(c jetstream.Consumer) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err := l.js.DeleteConsumer(ctx, EventsStream, c.CachedInfo().Name)
	if err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) && !errors.Is(err, nats.ErrConnectionClosed) {
		l.logger.Debug("removing the consumer of events", "error", err)
	}
}

// behind is a consumer that reads a stream in order, from behind a sequence on.
func behind(sequence uint64) jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{
		DeliverPolicy:     jetstream.DeliverByStartSequencePolicy,
		OptStartSeq:       sequence + 1,
		AckPolicy:         jetstream.AckNonePolicy,
		MemoryStorage:     true,
		Replicas:          1,
		InactiveThreshold: 30 * time.Second,
	}
}
