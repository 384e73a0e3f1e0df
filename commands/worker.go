package commands

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
	"reckon/projections"
)

// slots is how many commands a node works on at once. Most of that time is spent waiting for the disk.
const slots = 64

// maxDeliveries is how often a command is delivered before it is failed without being run.
const maxDeliveries = 5

// Run works through the queue until ctx ends, then finishes what it has begun. It pulls only what it has free slots for.
func (s *Service) Run(ctx context.Context) error {
	consumer, err := s.log.Commands(ctx)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open command consumer: %w", err)
	}
	free := make(chan struct{}, slots)
	for range slots {
		free <- struct{}{}
	}
	var working sync.WaitGroup
	defer working.Wait()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
			return nil
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
		pull, cancel := context.WithTimeout(ctx, 5*time.Second)
		batch, err := consumer.Fetch(n, jetstream.FetchContext(pull))
		if err == nil {
			for msg := range batch.Messages() {
				n--
				working.Add(1)
				go func() {
					defer func() { free <- struct{}{}; working.Done() }()
					s.work(msg)
				}()
			}
			err = batch.Error()
		}
		cancel()
		for range n {
			free <- struct{}{}
		}
		if err != nil && ctx.Err() == nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, jetstream.ErrNoMessages) {
			s.logger.Warn("pull commands", "error", err)
			_ = pause(ctx, 50*time.Millisecond, 250*time.Millisecond)
		}
	}
	return nil
}

// work gives one delivered command its final event, and acknowledges it once that is in the log.
func (s *Service) work(msg jetstream.Msg) {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	go func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				_ = msg.InProgress()
			}
		}
	}()
	command, err := decodeCalculate(msg.Data())
	if err != nil {
		s.logger.Error("command cannot be read and is dropped", "error", err)
		_ = msg.Term()
		return
	}
	poisoned := false
	if meta, err := msg.Metadata(); err == nil && meta.NumDelivered >= maxDeliveries {
		poisoned = true
	}
	if err := s.finish(ctx, command, poisoned); err != nil {
		s.logger.Warn("command is not finished and is tried again", "message", command.MessageID, "error", err)
		_ = msg.NakWithDelay(250 * time.Millisecond)
		return
	}
	_ = msg.Ack()
}

// finish appends the final event of a command unless it is there. Appends of one conversation are serialised within the
// node; across nodes the expected sequence decides: whoever lost reads the newer events and decides again.
func (s *Service) finish(ctx context.Context, c Calculate, poisoned bool) error {
	stripe := &s.stripes[c.ConversationID[15]]
	stripe.Lock()
	defer stripe.Unlock()
	v, err := s.conversation(ctx, c)
	if err != nil {
		return err
	}
	for {
		if done, err := v.has(ctx, c.MessageID); done || err != nil {
			return err
		}
		event, err := s.decide(ctx, c, v, poisoned)
		if err != nil {
			return err
		}
		event.Time = time.Now().UTC().Truncate(time.Millisecond)
		sequence, err := s.log.Append(ctx, event, v.head.Sequence)
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

// decide reads what the command needs of the conversation and decides it. A panic becomes the event of a crash.
func (s *Service) decide(ctx context.Context, c Calculate, v *conversation, poisoned bool) (event events.Event, err error) {
	var d *Domain
	defer func() {
		if p := recover(); p != nil {
			s.logger.Error("calculation panicked", "message", c.MessageID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			event, err = crash(c, d), nil
		}
	}()
	d, err = s.domain(ctx, c.AccountID, c.DomainID, c.DomainVersion)
	if poisoned {
		s.logger.Error("calculation was delivered too often and is failed", "message", c.MessageID, "error", err)
		return crash(c, d), nil
	}
	if err != nil {
		return event, err
	}
	pending, err := v.pending(ctx, c)
	if err != nil {
		return event, err
	}
	r := read(c, d, pending)
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

// conversation is a conversation as folded on this node, with the newer events of its subject on top.
type conversation struct {
	service *Service
	account uuid.UUID
	id      uuid.UUID
	head    projections.Conversation
	newer   []projections.Message // messages of events newer than the fold, oldest first
}

func (s *Service) conversation(ctx context.Context, c Calculate) (*conversation, error) {
	head, _, err := s.views.Conversation(ctx, c.AccountID, c.ConversationID)
	if err != nil {
		return nil, err
	}
	return &conversation{service: s, account: c.AccountID, id: c.ConversationID, head: head}, nil
}

// catchUp reads the events that came after the ones seen.
func (v *conversation) catchUp(ctx context.Context) error {
	list, err := v.service.log.Read(ctx, events.ConversationSubject(v.account, v.id), v.head.Sequence)
	if err != nil {
		return err
	}
	for _, e := range list {
		var m projections.Message
		v.head, m = projections.ApplyConversation(v.head, nil, e)
		v.newer = append(v.newer, m)
	}
	return nil
}

// has reports whether a message has its final event.
func (v *conversation) has(ctx context.Context, id uuid.UUID) (bool, error) {
	for _, m := range v.newer {
		if m.MessageID == id {
			return m.Status != projections.InProgress, nil
		}
	}
	m, ok, err := v.service.views.Message(ctx, v.account, v.id, id)
	return ok && m.Status != projections.InProgress, err
}

// scenario is the message that a scenario stands at.
func (v *conversation) scenario(ctx context.Context, index int) (*projections.Message, error) {
	for i := len(v.newer) - 1; i >= 0; i-- {
		m := &v.newer[i]
		if m.Completed != nil && m.Completed.Results.Action != "fetch" && m.Completed.Results.Scenario.Current == index {
			return m, nil
		}
	}
	m, ok, err := v.service.views.Scenario(ctx, v.account, v.id, index)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("read scenario %d of conversation %s: not there", index, v.id)
	}
	return &m, nil
}

// pending is the message whose inputs are pending, nil where there is none for this command's domain.
func (v *conversation) pending(ctx context.Context, c Calculate) (*projections.Message, error) {
	if v.head.Pending == 0 {
		return nil, nil
	}
	var found *projections.Message
	for i := range v.newer {
		if v.newer[i].Number == v.head.Pending {
			found = &v.newer[i]
		}
	}
	if found == nil {
		list, err := v.service.views.Messages(ctx, v.account, v.id, v.head.Pending, v.head.Pending)
		if err != nil {
			return nil, err
		}
		if len(list) != 1 {
			return nil, fmt.Errorf("read message %d of conversation %s: not there", v.head.Pending, v.id)
		}
		found = &list[0]
	}
	if found.Failed == nil || found.Domain.ID != c.DomainID {
		return nil, nil
	}
	return found, nil
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
