package commands

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"reckon/engine"
	"reckon/engine/prompt"
	"reckon/events"
	"reckon/projections"
)

// slots is how many commands a node works on at once. Most of that time is spent waiting for the disk.
const slots = 64

// maxDeliveries is how often a command is delivered before it is failed without being run.
const maxDeliveries = 5

// Run works through the queue until ctx ends, then finishes what it has begun; prose that waits, or that a model is reading,
// is left to another worker. It pulls only what it has free slots for. A queue that cannot be read is tried again.
func (s *Service) Run(ctx context.Context) {
	free := make(chan struct{}, slots)
	for range slots {
		free <- struct{}{}
	}
	var working sync.WaitGroup
	defer working.Wait()
	told := ""
	for ctx.Err() == nil {
		// A consumer in memory may be gone, and then another one is to be made.
		consumer, err := s.log.Commands(ctx, s.finished)
		for err == nil && ctx.Err() == nil {
			told = ""
			err = s.pull(ctx, consumer, free, &working)
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
	// pullPatience is how long one request for commands waits for some, and sharedPatience where other nodes work too.
	pullPatience   = 5 * time.Second
	sharedPatience = time.Second
	// pullHeartbeat is how often the server says that it still knows of the request. Two that are missed end it: the server
	// may be gone that it was sent to.
	pullHeartbeat = 500 * time.Millisecond
)

// pull takes as many commands as there are free slots and begins to work on them. It waits for a slot, and a while for a
// command. Where other nodes work too, a request that is out is not taken back when ctx ends: a command that was sent then
// would be held back from the others for as long as a lost worker's.
func (s *Service) pull(ctx context.Context, consumer jetstream.Consumer, free chan struct{}, working *sync.WaitGroup) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-free:
	}
	n := 1
	for n < slots {
		select {
		case <-free:
			n++
			continue
		default:
		}
		break
	}
	defer func() {
		for range n {
			free <- struct{}{}
		}
	}()
	out, patience := ctx, pullPatience
	if !s.log.Alone() {
		out, patience = context.WithoutCancel(ctx), sharedPatience
	}
	out, cancel := context.WithTimeout(out, patience)
	defer cancel()
	batch, err := consumer.Fetch(n, jetstream.FetchContext(out), jetstream.FetchHeartbeat(min(pullHeartbeat, patience/3)))
	if err != nil {
		return err
	}
	for msg := range batch.Messages() {
		n--
		working.Add(1)
		go func() {
			defer working.Done()
			release := sync.OnceFunc(func() { free <- struct{}{} })
			defer release()
			s.work(ctx, msg, release)
		}()
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

// work gives one delivered command its final event, and acknowledges it once that is in the log. release gives back the slot
// that it came in. running ends when the worker is to stop.
func (s *Service) work(running context.Context, msg jetstream.Msg, release func()) {
	worked := make(chan struct{})
	defer close(worked)
	go func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-worked:
				return
			case <-tick.C:
				_ = msg.InProgress()
			}
		}
	}()
	command, err := decodeCalculate(msg.Data())
	var meta *jetstream.MsgMetadata
	if err == nil {
		meta, err = msg.Metadata()
	}
	if err != nil {
		s.logger.Error("command cannot be read and is dropped", "error", err)
		_ = msg.Term()
		return
	}
	command.sequence = meta.Sequence.Stream
	poisoned := meta.NumDelivered >= maxDeliveries
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
	}
}

// finish appends the final event of a command unless it is there. With the code of an error that ends the command without
// running it; "" runs it.
func (s *Service) finish(c Calculate, code string) error {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	return s.record(ctx, c, func(v *conversation) (*events.Event, error) {
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
// again with the newer events.
func (s *Service) record(ctx context.Context, c Calculate, next func(*conversation) (*events.Event, error)) error {
	stripe := &s.stripes[c.ConversationID[15]]
	stripe.Lock()
	defer stripe.Unlock()
	v, err := s.conversation(ctx, c)
	if err != nil {
		return err
	}
	for {
		event, err := next(v)
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
