package commands

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/events/log"
)

// storeApart stores the prompt of a command that is about to be published, where it is long. It is
// on disk then, so that it is there for whoever finds the command or an event of its message.
func (s *Service) storeApart(ctx context.Context, c *Calculate) error {
	if len(c.Prompt) < events.LongPrompt || !s.log.TakesApart(ctx) {
		return nil
	}
	c.Apart = true
	e := events.Event{
		ID: uuid.NewSHA1(c.MessageID, []byte("prompt")), Time: c.ReceivedAt, Subject: c.promptAt(),
		Data:        &events.PromptStored{ConversationID: c.ConversationID, MessageID: c.MessageID, Prompt: c.Prompt},
		Traceparent: c.Trace.Parent, Tracestate: c.Trace.State,
	}
	for {
		_, err := s.log.Append(ctx, e, 0)
		if !errors.Is(err, log.ErrConflict) && !errors.Is(err, log.ErrInFlight) && !errors.Is(err, log.ErrUnknown) {
			return err
		}
		// Nobody else writes there, so that what is there is this prompt.
		if _, err := s.log.Prompt(ctx, e.Subject); err == nil {
			return nil
		}
		if err := pause(ctx, 5*time.Millisecond, 50*time.Millisecond); err != nil {
			return err
		}
	}
}

// readPrompt gives a command its prompt, where that is stored apart. It fails with log.ErrNotFound
// where the log has lost it.
func (s *Service) readPrompt(ctx context.Context, c *Calculate) error {
	if !c.Apart || c.Prompt != "" {
		return nil
	}
	stored, err := s.log.Prompt(ctx, c.promptAt())
	if err == nil {
		c.Prompt = stored.Data.(*events.PromptStored).Prompt
	}
	return err
}

func (c Calculate) promptAt() events.Subject {
	return events.PromptSubject(c.AccountID, c.ConversationID, c.MessageID)
}
