package commands

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"go.opentelemetry.io/otel/trace"

	"reckon/engine/prompt"
	"reckon/engine/value"
	"reckon/events"
	"reckon/events/log"
	"reckon/projections"
)

const (
	// slots is how many commands a node works on at once, those of one account half of that. Most of
	// that time is spent waiting for the disk.
	slots = 128

	// slotsContended is how many commands of one account a node works on at once while others ask for
	// something. Each of theirs passes the queues of the log and of the runtime behind those that are
	// in work.
	slotsContended = 16

	// held is how many commands a node takes in before it asks for no more until some have left. It
	// has pulls requests out at once, each for pulled commands, so that one is out while another one
	// is answered. Commands that have no slot yet wait in memory, so that the few of one account are
	// seen behind the many of another one: what the queue hands out comes in one order for all. Nodes
	// that ask are served in turn, so that what one holds has had its share of the others.
	held   = 256
	pulls  = 2
	pulled = 128

	// maxDeliveries is how often a command is delivered before it is failed without being run, lostFor
	// how old it must be then: so old is one that was given to so many workers who were lost with it.
	// One that workers hand back when they stop is delivered as often in less.
	maxDeliveries = 5
	lostFor       = (maxDeliveries - 1) * log.AckWait

	// failingFor is how long a command is tried again that fails although the log answers: less than
	// patience.
	failingFor = 3 * time.Second

	// keepEvery is how often the queue is told that a command is still worked on, a third of the time
	// after which another worker gets it.
	keepEvery = time.Second
)

// Run works through the queue until ctx ends or the views have stopped, then finishes what it has
// begun; what waits for its turn, prose that waits, and prose that a model is reading is left to
// another worker. A queue that cannot be read is tried again.
func (s *Service) Run(ctx context.Context) {
	f := s.inFlight
	done := make(chan struct{})
	var keeping sync.WaitGroup
	keeping.Go(func() { f.keep(done) })
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	keeping.Go(func() {
		select {
		case <-s.views.Stopped():
			stop()
		case <-done:
		}
	})
	if s.worksAlone() {
		f.open(ctx)
	}
	defer func() {
		f.close()
		f.working.Wait()
		close(done)
		keeping.Wait()
	}()
	told := ""
	for ctx.Err() == nil {
		// A consumer in memory may be gone, and then another one is to be made.
		consumer, err := s.log.Commands(ctx, s.finished)
		if err == nil {
			told = ""
			s.pulling.Store(true)
			err = s.pullAll(ctx, consumer)
			s.pulling.Store(false)
		}
		if ctx.Err() == nil {
			if told != err.Error() {
				told = err.Error()
				s.logger.Warn("pull commands", "error", err)
			}
			_ = pause(ctx, 50*time.Millisecond, 250*time.Millisecond)
		}
	}
}

// pullPatience is how long one request for commands waits for some; so long may it take until a
// worker ends where other nodes work too.
const pullPatience = 500 * time.Millisecond

// pullAll takes commands in until ctx ends or a request for them fails.
func (s *Service) pullAll(ctx context.Context, consumer jetstream.Consumer) error {
	running := ctx
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, pulls)
	for range pulls {
		go func() {
			defer stop()
			var err error
			for err == nil {
				if err = s.inFlight.await(ctx); err == nil {
					err = s.pull(ctx, running, consumer)
				}
			}
			ended <- err
		}()
	}
	err := <-ended
	for range pulls - 1 {
		<-ended
	}
	return err
}

// worksAlone tells whether what comes out of the queue is what this process has put in, now or
// before it was started.
func (s *Service) worksAlone() bool { return s.log.Alone() && s.log.Local() }

// pull asks for commands and begins to work on those that come within a while and that the worker
// does not have; running ends when the worker is to stop. Where other nodes work, a request that is
// out is not taken back when ctx ends: a command that was sent then would be held back from them
// for as long as a lost worker's.
func (s *Service) pull(ctx, running context.Context, consumer jetstream.Consumer) error {
	// What the server sends at the end of its time is waited for a second longer, and no longer: the
	// server may be gone that the request was sent to. What is on a slow way then is delivered again,
	// which counts against it.
	wait := jetstream.FetchMaxWait(pullPatience)
	if s.worksAlone() {
		out, cancel := context.WithTimeout(ctx, pullPatience)
		defer cancel()
		wait = jetstream.FetchContext(out)
	}
	batch, err := consumer.Fetch(pulled, wait)
	if err != nil {
		return err
	}
	for msg := range batch.Messages() {
		if t := s.inFlight.deliver(msg); t != nil {
			s.dispatch(running, t)
		}
	}
	if err := batch.Error(); !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, jetstream.ErrNoMessages) {
		return err
	}
	return nil
}

// finished tells of a command whether it needs no work: its message has its final event, or it
// cannot be read.
func (s *Service) finished(ctx context.Context, data []byte) (bool, error) {
	command, err := decodeCalculate(data)
	if err != nil {
		return true, nil
	}
	m, found, err := s.views.Message(ctx, command.AccountID, command.ConversationID, command.MessageID)
	return found && m.Status != projections.InProgress, err
}

// workOn works on a command and then on others, until running ends or enough goroutines wait for a
// command. One that has decided a command has a stack deep enough for the next.
func (s *Service) workOn(running context.Context, t *task) {
	defer s.inFlight.idle.Add(-1)
	for {
		s.work(running, t)
		if s.inFlight.idle.Add(1) > slots {
			return
		}
		select {
		case t = <-s.inFlight.handOff:
			s.inFlight.idle.Add(-1)
		case <-running.Done():
			return
		}
	}
}

// work gives one command its final event, and acknowledges it once that is in the log. running ends
// when the worker is to stop.
func (s *Service) work(running context.Context, t *task) {
	f := s.inFlight
	command, delivered, queued := t.command, uint64(1), t.queued
	if t.brought() {
		var err error
		if command, delivered, queued, err = readDelivered(t.msg); err != nil {
			f.release(t)
			if !errors.Is(err, ErrErased) {
				s.logger.Error("command cannot be read and is dropped", "error", err)
			}
			f.leave(t, jetstream.Msg.Term)
			return
		}
	}
	if err := s.slots.Acquire(running, command.AccountID); err != nil {
		f.release(t)
		f.leave(t, jetstream.Msg.Nak)
		return
	}
	released := false
	release := func() {
		if !released {
			released = true
			s.slots.Release(command.AccountID)
			f.release(t)
		}
	}
	defer release()
	span, done := s.spans.Begin("calculate", trace.SpanKindConsumer, command.Trace, time.Time{}), false
	span.Text("reckon.format", command.InputFormat)
	span.Number("reckon.delivery", int(delivered))
	command.Trace = span.Trace
	defer func() { span.End(!done) }()
	command.Opens = command.Opens && delivered == 1
	command.decided = &decision{}
	if delivered == 1 {
		command.begun = sync.OnceFunc(func() { s.measures.waited.Observe(time.Since(queued).Seconds()) })
	}
	poisoned := delivered >= maxDeliveries && time.Since(command.ReceivedAt) >= lostFor
	var failing time.Time // since when it fails although the log answers; zero while it does not
	for {
		err := s.readPrompt(running, &command)
		switch {
		case poisoned, errors.Is(err, log.ErrNotFound):
			err = s.finish(command, "internal.error")
		case err != nil:
		case command.InputFormat == prompt.NaturalLanguage:
			err = s.converse(running, command, release)
		default:
			err = s.finish(command, "")
		}
		if errors.Is(err, ErrErased) {
			err = s.dropErased(running, command)
		}
		if err == nil {
			done = true
			f.finish(t)
			return
		}
		answering := s.views.Fresh(running) == nil
		s.traced(command).Warn("command is not finished and is tried again", "message", command.MessageID, "error", err)
		// A log that is away for a while is not the command's fault.
		switch {
		case !answering:
			failing = time.Time{}
		case failing.IsZero():
			failing = time.Now()
		}
		switch {
		case errors.Is(err, errPanicked) && delivered >= maxDeliveries, !failing.IsZero() && time.Since(failing) >= failingFor:
			poisoned = true
		case errors.Is(err, errPanicked), pause(running, 250*time.Millisecond, 500*time.Millisecond) != nil:
			f.leave(t, hold)
			return
		}
		command.Opens = false
	}
}

// hold has the queue deliver a command again after a while.
func hold(msg jetstream.Msg) error { return msg.NakWithDelay(250 * time.Millisecond) }

// readDelivered reads a command that the queue has delivered, how often, and when it came to
// COMMANDS.
func readDelivered(msg jetstream.Msg) (Calculate, uint64, time.Time, error) {
	c, err := decodeCalculate(msg.Data())
	if err != nil {
		return c, 0, time.Time{}, err
	}
	meta, err := msg.Metadata()
	if err != nil {
		return c, 0, time.Time{}, err
	}
	c.sequence = meta.Sequence.Stream
	return c, meta.NumDelivered, meta.Timestamp, nil
}

// finish appends the final event of a command unless it is there. With the code of an error that
// ends the command without running it; "" runs it.
func (s *Service) finish(c Calculate, code string) error {
	s.recent.note(c.AccountID)
	c.rest = s.Rest(c.AccountID)
	return s.record(context.Background(), c, func(ctx context.Context, v *conversation) (*events.Event, error) {
		m, err := v.message(ctx, c.MessageID)
		if err != nil || m != nil && m.Status != projections.InProgress {
			return nil, err
		}
		kept := c.decided
		if kept != nil && kept.event != nil && kept.at == v.head.Sequence && code == "" {
			return kept.event, nil
		}
		event, err := s.decide(ctx, c, v, m, code)
		if kept != nil && err == nil && code == "" {
			*kept = decision{v.head.Sequence, &event}
		}
		return &event, err
	})
}

// record appends the event that next makes for the conversation as it stands, unless that is nil.
// Appends of one conversation are serialised within the node; across nodes the expected sequence
// decides: for whoever lost, next is asked again with the newer events. Of one account next runs
// only so often at once that its calculations leave a processor to others. It all takes as long as
// the deadline allows, from when next may run.
func (s *Service) record(ctx context.Context, c Calculate, next func(context.Context, *conversation) (*events.Event, error)) error {
	writer := &s.writers[binary.BigEndian.Uint16(c.ConversationID[14:])]
	writer.Lock()
	defer writer.Unlock()
	if err := s.deciding.Acquire(ctx, c.AccountID); err != nil {
		return err
	}
	leave := sync.OnceFunc(func() { s.deciding.Release(c.AccountID) })
	defer leave()
	if c.begun != nil {
		c.begun()
	}
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	v, err := s.conversation(ctx, c)
	if err != nil {
		return err
	}
	for {
		if erased, err := s.views.Erased(ctx, c.AccountID, c.ConversationID); err != nil || erased {
			return cmp.Or(err, ErrErased)
		}
		event, err := next(ctx, v)
		leave()
		if event == nil || err != nil {
			return err
		}
		if c.outlives() {
			if err := s.log.CommandDurable(ctx, c.sequence); err != nil {
				return err
			}
		}
		event.Time = time.Now().UTC().Truncate(time.Millisecond)
		appending := s.spans.Begin("append event", trace.SpanKindInternal, c.Trace, time.Time{})
		event.Traceparent, event.Tracestate = appending.Trace.Parent, appending.Trace.State
		sequence, err := s.log.Append(ctx, *event, v.head.Sequence)
		appending.End(err != nil)
		if err == nil {
			s.measures.appended(c, event)
			folding := s.spans.Begin("fold event", trace.SpanKindInternal, c.Trace, time.Time{})
			err = s.views.Folded(ctx, sequence)
			folding.End(err != nil)
			return err
		}
		s.measures.lost(err)
		switch {
		case errors.Is(err, log.ErrInFlight):
			err = pause(ctx, 0, 10*time.Millisecond)
		case errors.Is(err, log.ErrConflict), errors.Is(err, log.ErrUnknown):
			err = nil
		}
		if err == nil {
			err = v.catchUp(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// decide reads what the command needs of the conversation and decides it. m is its message as far
// as it is, nil for none. A panic becomes the event of a crash.
func (s *Service) decide(ctx context.Context, c Calculate, v *conversation, m *projections.Message, code string) (event events.Event, err error) {
	var d *Domain
	defer func() {
		if p := recover(); p != nil {
			_ = s.panicked(c, p)
			event, err = Crash(c, d), nil
		}
	}()
	d, err = s.Domain(ctx, c.AccountID, c.DomainID, c.DomainVersion)
	switch {
	case code == "internal.error":
		s.traced(c).Error("calculation was delivered too often and is failed", "message", c.MessageID, "error", err)
		return Crash(c, d), nil
	case code != "":
		return fail(c, d, value.Problems(code), nil), nil
	case err != nil:
		return event, err
	}
	from, err := v.source(ctx, m)
	if err != nil {
		return event, err
	}
	began := time.Now()
	event, err = Decide(c, d, from)
	s.measures.engine.WithLabelValues(c.InputFormat).Observe(time.Since(began).Seconds())
	return event, err
}

// pause waits a random time between least and most, or until ctx ends.
func pause(ctx context.Context, least, most time.Duration) error {
	timer := time.NewTimer(least + rand.N(most-least))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
