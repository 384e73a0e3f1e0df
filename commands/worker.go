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

	// slotsBeside is how many commands of one account a node works on at once while others ask for something. Each of theirs passes
	// the queues of the log and of the runtime behind those that are in work.
	slotsBeside = 16

	// held is how many commands a node takes in before it asks for no more until some have left. It has pulls requests out at
	// once, each for pulled commands, so that one is out while another one is answered. Commands that have no slot yet wait in
	// memory, so that the few of one account are seen behind the many of another one: what the queue hands out comes in one
	// order for all. Nodes that ask are served in turn, so that what one holds has had its share of the others.
	held   = 256
	pulls  = 2
	pulled = 128

	// maxDeliveries is how often a command is delivered before it is failed without being run, lostFor how old it must be then:
	// so old is one that was given to so many workers who were lost with it. One that workers hand back when they stop is
	// delivered as often in less.
	maxDeliveries = 5
	lostFor       = (maxDeliveries - 1) * events.AckWait

	// failingFor is how long a command is tried again that fails although the log answers: less than patience.
	failingFor = 3 * time.Second

	// keepEvery is how often the queue is told that a command is still worked on, a third of the time after which another
	// worker gets it.
	keepEvery = time.Second
)

// hand is what a worker has of the queue.
type hand struct {
	mutex sync.Mutex
	all   map[jetstream.Msg]struct{} // not acknowledged yet
	held  int                        // those that count against held
	room  chan struct{}              // holds one when there are fewer again
	idle  chan jetstream.Msg         // takes a command while a goroutine waits for its next one
}

func newHand() *hand {
	return &hand{all: map[jetstream.Msg]struct{}{}, room: make(chan struct{}, 1), idle: make(chan jetstream.Msg)}
}

func (h *hand) take(msg jetstream.Msg) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.all[msg] = struct{}{}
	h.held++
}

// release says that a command counts no longer against held.
func (h *hand) release() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.held--; h.held < held {
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

// Run works through the queue until ctx ends or the views have stopped, then finishes what it has begun; what waits for its
// turn, prose that waits, and prose that a model is reading is left to another worker. A queue that cannot be read is tried
// again.
func (s *Service) Run(ctx context.Context) {
	h := newHand()
	done := make(chan struct{})
	var keeping, working sync.WaitGroup
	keeping.Go(func() { h.keep(done) })
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	keeping.Go(func() {
		select {
		case <-s.views.Stopped():
			stop()
		case <-done:
		}
	})
	defer func() {
		working.Wait()
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
			err = s.pullAll(ctx, consumer, h, &working)
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

const (
	// pullPatience is how long one request for commands waits for some, and sharedPatience where other nodes work too: so long may
	// it take until a worker ends.
	pullPatience   = 5 * time.Second
	sharedPatience = 500 * time.Millisecond
	// pullHeartbeat is how often the server says that it still knows of the request. Two that are missed end it.
	pullHeartbeat = 500 * time.Millisecond
)

// pullAll takes commands in until ctx ends or a request for them fails.
func (s *Service) pullAll(ctx context.Context, consumer jetstream.Consumer, h *hand, working *sync.WaitGroup) error {
	running := ctx
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, pulls)
	for range pulls {
		go func() {
			for {
				err := h.await(ctx)
				if err == nil {
					err = s.pull(ctx, running, consumer, h, working)
				}
				if err == nil {
					err = ctx.Err()
				}
				if err != nil {
					ended <- err
					return
				}
			}
		}()
	}
	err := <-ended
	stop()
	for range pulls - 1 {
		<-ended
	}
	return err
}

// await waits until the hand holds less than held.
func (h *hand) await(ctx context.Context) error {
	for {
		h.mutex.Lock()
		free := h.held < held
		h.mutex.Unlock()
		if free {
			raise(h.room) // for the others who wait
			return ctx.Err()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-h.room:
		}
	}
}

// pull asks for commands and begins to work on those that come within a while; running ends when the worker is to stop. Where
// other nodes work too, a request that is out is not taken back when ctx ends: a command that was sent then would be held
// back from the others for as long as a lost worker's.
func (s *Service) pull(ctx, running context.Context, consumer jetstream.Consumer, h *hand, working *sync.WaitGroup) error {
	var batch jetstream.MessageBatch
	var err error
	if s.log.Alone() {
		out, cancel := context.WithTimeout(ctx, pullPatience)
		defer cancel()
		batch, err = consumer.Fetch(pulled, jetstream.FetchContext(out), jetstream.FetchHeartbeat(pullHeartbeat))
	} else {
		// What the server sends at the end of its time is waited for a second longer, and no longer: the server may be gone that the
		// request was sent to. What is on a slow way then is delivered again, which counts against it.
		batch, err = consumer.Fetch(pulled, jetstream.FetchMaxWait(sharedPatience))
	}
	if err != nil {
		return err
	}
	for msg := range batch.Messages() {
		h.take(msg)
		select {
		case h.idle <- msg:
		default:
			working.Go(func() { s.workOn(running, msg, h) })
		}
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

// workOn works on a command and then on others, until running ends. A goroutine that has decided one has a stack deep enough
// for the next.
func (s *Service) workOn(running context.Context, msg jetstream.Msg, h *hand) {
	for {
		s.work(running, msg, h)
		select {
		case msg = <-h.idle:
		case <-running.Done():
			return
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
	command.Opens = command.Opens && meta.NumDelivered == 1
	poisoned := meta.NumDelivered >= maxDeliveries && time.Since(command.ReceivedAt) >= lostFor
	var failing time.Time // since when it fails although the log answers; zero while it does not
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
		// A log that is away for a while is not the command's fault.
		switch answering := s.views.Fresh(running) == nil; {
		case !answering:
			failing = time.Time{}
		case failing.IsZero():
			failing = time.Now()
		}
		switch {
		case errors.Is(err, errPanicked) && meta.NumDelivered >= maxDeliveries, !failing.IsZero() && time.Since(failing) >= failingFor:
			poisoned = true
		case errors.Is(err, errPanicked), pause(running, 250*time.Millisecond, 500*time.Millisecond) != nil:
			_ = msg.NakWithDelay(250 * time.Millisecond)
			return
		}
		command.Opens = false
	}
}

// finish appends the final event of a command unless it is there. With the code of an error that ends the command without
// running it; "" runs it.
func (s *Service) finish(c Calculate, code string) error {
	s.company.note(c.AccountID)
	c.rest = (&stint{company: s.company, account: c.AccountID}).rest
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
	defer s.writers.lock(c.ConversationID)()
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
