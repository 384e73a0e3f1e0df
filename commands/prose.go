package commands

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/trace"

	"reckon/engine"
	"reckon/engine/language"
	"reckon/engine/value"
	"reckon/events"
	"reckon/projections"
)

const (
	// proseBudget is how long a request in natural language may take, from when it was taken in.
	proseBudget = 30 * time.Second

	// proseSlots is how many requests in natural language of one account a node works on at once;
	// twice as many of several accounts. They have left the slots of commands by then.
	proseSlots = 32

	// maxWaiting is how many of them wait in a node's memory for such a slot.
	maxWaiting = 4096
)

// errPanicked says that working on a command panicked.
var errPanicked = errors.New("panic")

// errCrowded says that no more requests in natural language can wait here.
var errCrowded = errors.New("too many requests in natural language are waiting")

// Model is a language model that reads prose where the rules are in doubt, or before them. The zero
// value asks none.
type Model struct {
	Name  string // as events have it
	First bool   // it is asked before the rules
	// Ask gives the request that a prompt of an account means, checked. doubt is why the rules did
	// not understand it, nil where they were not asked.
	Ask func(ctx context.Context, account uuid.UUID, d *Domain, text string, refers language.Conversation, env value.Env, doubt []value.Error) (engine.Request, error)
}

// UseModel has a language model read prose. It is called before Run.
func (s *Service) UseModel(m Model) { s.model = m }

// converse answers a command in natural language: its message is in progress from the started event
// on, gives back the slot that it came in, waits for one of prose, and has its final event when 30
// seconds are over, whatever became of it by then.
func (s *Service) converse(running context.Context, c Calculate, release func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = s.panicked(c, p)
		}
	}()
	answered, err := s.begin(c)
	if answered || err != nil {
		return err
	}
	release()
	budget, cancel := context.WithDeadline(running, c.ReceivedAt.Add(proseBudget))
	defer cancel()
	if err = s.enter(budget, c.AccountID); err == nil {
		defer s.prose.Release(c.AccountID)
		err = s.propose(budget, &c)
	}
	switch {
	case errors.Is(err, errCrowded):
		return s.finish(c, "language.unavailable")
	case errors.Is(budget.Err(), context.DeadlineExceeded):
		return s.finish(c, "language.timeout")
	case err != nil:
		return err
	}
	return s.finish(c, "")
}

func (s *Service) panicked(c Calculate, p any) error {
	s.traced(c).Error("calculation panicked", "message", c.MessageID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	return fmt.Errorf("calculate %s: %w", c.MessageID, errPanicked)
}

// begin appends the started event of a command unless its message is there, and tells whether it is
// answered.
func (s *Service) begin(c Calculate) (answered bool, err error) {
	err = s.record(context.Background(), c, func(ctx context.Context, v *conversation) (*events.Event, error) {
		m, err := v.message(ctx, c.MessageID)
		if err != nil || m != nil {
			answered = m != nil && m.Status != projections.InProgress
			return nil, err
		}
		d, err := s.Domain(ctx, c.AccountID, c.DomainID, c.DomainVersion)
		if err != nil {
			return nil, err
		}
		e := event(c, started, &events.MessageStarted{Message: message(c, d)})
		return &e, nil
	})
	return answered, err
}

// enter waits for a slot of prose. It fails with errCrowded, and when ctx ends.
func (s *Service) enter(ctx context.Context, account uuid.UUID) error {
	defer s.waiting.Add(-1)
	if s.waiting.Add(1) > maxWaiting {
		return errCrowded
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.prose.Acquire(ctx, account)
}

// propose has the model read a prompt, where there is one to be asked and it was not asked before,
// and records what it made of it. Where the model has no answer, the rules stand; that it was not
// asked since it is broken, or the account over its budget, is kept with the command.
func (s *Service) propose(ctx context.Context, asked *Calculate) (err error) {
	c := *asked
	if s.model.Ask == nil {
		return nil
	}
	defer func() {
		if p := recover(); p != nil {
			_ = s.panicked(c, p)
			err = nil
		}
	}()
	v, err := s.conversation(ctx, c)
	if err != nil {
		return err
	}
	// The event of an earlier worker's model may not be folded here yet.
	if err := v.catchUp(ctx); err != nil {
		return err
	}
	m, err := v.message(ctx, c.MessageID)
	if err != nil || m != nil && (m.Status != projections.InProgress || m.Interpreted != nil) {
		return err
	}
	d, err := s.Domain(ctx, c.AccountID, c.DomainID, c.DomainVersion)
	if err != nil {
		return err
	}
	from, err := v.source(ctx, m)
	if err != nil {
		return err
	}
	refers, failed := from.refers(c, d)
	var doubt []value.Error
	if !s.model.First {
		if _, _, doubt = read(c, d, refers, nil); doubt == nil {
			return failed()
		}
	}
	began := time.Now()
	asking := s.spans.Begin("ask model", trace.SpanKindClient, c.Trace, time.Time{})
	request, err := s.model.Ask(ctx, c.AccountID, d, c.Prompt, refers, c.env(), doubt)
	asking.Text("outcome", s.measures.asked(time.Since(began), err))
	asking.End(err != nil)
	if err := failed(); err != nil {
		return err
	}
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for _, reason := range []error{ErrModelBroken, ErrModelOverBudget} {
			if errors.Is(err, reason) {
				asked.unasked = reason
			}
		}
		s.traced(c).Debug("the model did not answer, the rules do", "message", c.MessageID, "error", err)
		return nil
	}
	// What the model made of it is kept even when the time is over or the worker is to stop.
	return s.record(context.WithoutCancel(ctx), c, func(ctx context.Context, v *conversation) (*events.Event, error) {
		m, err := v.message(ctx, c.MessageID)
		if err != nil || m == nil || m.Status != projections.InProgress || m.Interpreted != nil {
			return nil, err
		}
		e := event(c, interpreted, &events.MessageInterpreted{
			Message: message(c, d), Parsed: d.stated(request), Proposer: s.model.Name,
		})
		return &e, nil
	})
}
