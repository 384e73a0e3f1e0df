package commands

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"reckon/engine"
	"reckon/engine/prompt"
	"reckon/events"
	"reckon/projections"
)

const (
	// slots is how many commands a node works on at once, those of one account half of that. Most of that time is spent waiting
	// for the disk.
	slots = 128

	// held is how many commands a node takes in before it takes no more until half of them have left; as many again can be on
	// the way then. Those that have no slot yet wait in memory, so that the few of one account are seen behind the many of
	// another one: what the queue hands out comes in one order for all. Nodes that ask are served in turn, so that what one
	// holds has had its share of the others.
	held = 256

	// maxDeliveries is how often a command is delivered before it is failed without being run.
	maxDeliveries = 5

	// keepEvery is how often the queue is told that a command is still worked on, a third of the time after which another
	// worker gets it.
	keepEvery = time.Second
)

// hand is what a worker has of the queue.
type hand struct {
	mutex sync.Mutex
	all   map[jetstream.Msg]struct{} // not acknowledged yet
	held  int                        // those that count against held
	full  chan struct{}              // holds one when held is reached
	room  chan struct{}              // holds one when half of that is left again
}

func newHand() *hand {
	return &hand{all: map[jetstream.Msg]struct{}{}, full: make(chan struct{}, 1), room: make(chan struct{}, 1)}
}

func (h *hand) take(msg jetstream.Msg) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.all[msg] = struct{}{}
	if h.held++; h.held >= held {
		raise(h.full)
	}
}

// release says that a command counts no longer against held.
func (h *hand) release() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.held--; h.held <= held/2 {
		raise(h.room)
	}
}

func (h *hand) drop(msg jetstream.Msg) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	delete(h.all, msg)
}

// keep tells the queue of all that is in the hand, so that no other worker gets it, until done is closed.
func (h *hand) keep(done <-chan struct{}) {
	tick := time.NewTicker(keepEvery)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		h.mutex.Lock()
		all := slices.Collect(maps.Keys(h.all))
		h.mutex.Unlock()
		for _, msg := range all {
			_ = msg.InProgress()
		}
	}
}

// raise puts a signal where there is none yet.
func raise(signal chan struct{}) {
	select {
	case signal <- struct{}{}:
	default:
	}
}

// Run works through the queue until ctx ends, then finishes what it has begun; what waits for its turn, prose that waits, and
// prose that a model is reading is left to another worker. A queue that cannot be read is tried again.
func (s *Service) Run(ctx context.Context) {
	h := newHand()
	done := make(chan struct{})
	var keeping, working sync.WaitGroup
	keeping.Go(func() { h.keep(done) })
	defer func() {
		working.Wait()
		close(done)
		keeping.Wait()
	}()
	told := ""
	for ctx.Err() == nil {
		// A consumer in memory may be gone, and then another one is to be made.
		consumer, err := s.log.Commands(ctx, s.finished)
		for err == nil && ctx.Err() == nil {
			told = ""
			if s.log.Alone() {
				err = s.consume(ctx, consumer, h, &working)
			} else {
				err = s.fetch(ctx, consumer, h, &working)
			}
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

// pullPatience is how long one request for commands waits for some where other nodes work too. The server that it was sent to
// may be gone: then its heartbeats are missed.
const pullPatience = time.Second

// fetch takes in as many commands as there is room for, and waits a while for them. A request that is out is not taken back when
// ctx ends: a command that another node's server has sent then would be held back from the other workers for as long as a
// lost worker's.
func (s *Service) fetch(ctx context.Context, consumer jetstream.Consumer, h *hand, working *sync.WaitGroup) error {
	h.await(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	out, cancel := context.WithTimeout(context.WithoutCancel(ctx), pullPatience)
	defer cancel()
	batch, err := consumer.Fetch(held/2, jetstream.FetchContext(out), jetstream.FetchHeartbeat(pullPatience/3))
	if err != nil {
		return err
	}
	for msg := range batch.Messages() {
		h.take(msg)
		working.Go(func() { s.work(ctx, msg, h) })
	}
	err = batch.Error()
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, jetstream.ErrNoMessages) {
		return nil
	}
	return err
}

// finished tells of a command whether it needs no work: its message has its final event, or it cannot be read.
func (s *Service) finished(ctx context.Context, data []byte) (bool, error) {
	command, err := decodeCalculate(data)
	if err != nil {
		return true, nil
	}
	m, found, err := s.views.Message(ctx, command.AccountID, command.ConversationID, command.MessageID)
	return found && m.Status != projections.InProgress, err
}

// consume takes commands in until ctx ends or the consumer fails. While the hand is full it takes none.
func (s *Service) consume(ctx context.Context, consumer jetstream.Consumer, h *hand, working *sync.WaitGroup) error {
	for ctx.Err() == nil {
		failed := make(chan error, 1)
		consuming, err := consumer.Consume(func(msg jetstream.Msg) {
			h.take(msg)
			working.Go(func() { s.work(ctx, msg, h) })
		}, jetstream.PullMaxMessages(held), jetstream.ConsumeErrHandler(func(_ jetstream.ConsumeContext, err error) {
			select {
			case failed <- err:
			default:
			}
		}))
		if err != nil {
			return err
		}
		err = nil
		select {
		case <-ctx.Done():
		case <-h.full:
		case err = <-failed:
		case <-consuming.Closed():
		}
		consuming.Drain()
		<-consuming.Closed()
		if err != nil || ctx.Err() != nil {
			return err
		}
		h.await(ctx)
	}
	return nil
}

// await waits until half of the hand is free.
func (h *hand) await(ctx context.Context) {
	for {
		h.mutex.Lock()
		free := h.held <= held/2
		h.mutex.Unlock()
		if free {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-h.room:
		}
	}
}

// work gives one delivered command its final event, and acknowledges it once that is in the log. running ends when the worker
// is to stop.
func (s *Service) work(running context.Context, msg jetstream.Msg, h *hand) {
	defer h.drop(msg)
	command, err := decodeCalculate(msg.Data())
	var meta *jetstream.MsgMetadata
	if err == nil {
		meta, err = msg.Metadata()
	}
	if err != nil {
		h.release()
		s.logger.Error("command cannot be read and is dropped", "error", err)
		_ = msg.Term()
		return
	}
	if err := s.slots.enter(running, command.AccountID); err != nil {
		h.release()
		_ = msg.Nak()
		return
	}
	released := false
	release := func() {
		if !released {
			released = true
			s.slots.leave(command.AccountID)
			h.release()
		}
	}
	defer release()
	command.sequence = meta.Sequence.Stream
	poisoned := meta.NumDelivered >= maxDeliveries
	command.Opens = command.Opens && meta.NumDelivered == 1
	for {
		switch {
		case poisoned:
			err = s.finish(command, "internal.error")
		case command.InputFormat == prompt.NaturalLanguage:
			err = s.converse(running, command, release)
		default:
			err = s.finish(command, "")
		}
		if err == nil {
			_ = msg.Ack()
			return
		}
		s.logger.Warn("command is not finished and is tried again", "message", command.MessageID, "error", err)
		// A delivery is counted against the command; a log that is away for a while is not its fault.
		if errors.Is(err, errPanicked) || s.views.Fresh(running) == nil || pause(running, 250*time.Millisecond, 500*time.Millisecond) != nil {
			_ = msg.NakWithDelay(250 * time.Millisecond)
			return
		}
		command.Opens = false
	}
}

// finish appends the final event of a command unless it is there. With the code of an error that ends the command without
// running it; "" runs it.
func (s *Service) finish(c Calculate, code string) error {
	return s.record(context.Background(), c, func(ctx context.Context, v *conversation) (*events.Event, error) {
		m, err := v.message(ctx, c.MessageID)
		if err != nil || m != nil && m.Status != projections.InProgress {
			return nil, err
		}
		event, err := s.decide(ctx, c, v, m, code)
		return &event, err
	})
}

// record appends the event that next makes for the conversation as it stands, unless that is nil. Appends of one
// conversation are serialised within the node; across nodes the expected sequence decides: for whoever lost, next is asked
// again with the newer events. Of one account next runs only so often at once that its calculations leave a processor to
// others. It all takes as long as the deadline allows, from when next may run.
func (s *Service) record(ctx context.Context, c Calculate, next func(context.Context, *conversation) (*events.Event, error)) error {
	stripe := &s.stripes[c.ConversationID[15]]
	stripe.Lock()
	defer stripe.Unlock()
	if err := s.deciding.enter(ctx, c.AccountID); err != nil {
		return err
	}
	leave := sync.OnceFunc(func() { s.deciding.leave(c.AccountID) })
	defer leave()
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	v, err := s.conversation(ctx, c)
	if err != nil {
		return err
	}
	for {
		event, err := next(ctx, v)
		leave()
		if event == nil || err != nil {
			return err
		}
		if err := s.log.CommandDurable(ctx, c.sequence); err != nil {
			return err
		}
		event.Time = time.Now().UTC().Truncate(time.Millisecond)
		sequence, err := s.log.Append(ctx, *event, v.head.Sequence)
		if err == nil {
			return s.views.Folded(ctx, sequence)
		}
		switch {
		case errors.Is(err, events.ErrInFlight):
			err = pause(ctx, 0, 10*time.Millisecond)
		case errors.Is(err, events.ErrConflict), errors.Is(err, events.ErrUnknown):
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

// decide reads what the command needs of the conversation and decides it. m is its message as far as it is, nil for none. A
// panic becomes the event of a crash.
func (s *Service) decide(ctx context.Context, c Calculate, v *conversation, m *projections.Message, code string) (event events.Event, err error) {
	var d *Domain
	defer func() {
		if p := recover(); p != nil {
			_ = s.panicked(c, p)
			event, err = crash(c, d), nil
		}
	}()
	d, err = s.domain(ctx, c.AccountID, c.DomainID, c.DomainVersion)
	switch {
	case code == "internal.error":
		s.logger.Error("calculation was delivered too often and is failed", "message", c.MessageID, "error", err)
		return crash(c, d), nil
	case code != "":
		return fail(c, d, []engine.Error{engine.Problem(code)}, nil), nil
	case err != nil:
		return event, err
	}
	r, err := v.read(ctx, c, d, m)
	if err != nil {
		return event, err
	}
	view := View{Head: v.head}
	if len(r.errors) == 0 {
		index, problem := r.base(c, v.head)
		if problem != nil {
			r.errors = append(r.errors, *problem)
		} else if index > 0 {
			view.Base, err = v.scenario(ctx, index)
			if err != nil {
				return event, err
			}
		}
	}
	return decide(c, d, r, view), nil
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
