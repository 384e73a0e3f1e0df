package commands

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/events/log"
	"reckon/projections"
)

// ErrErased says that a conversation was erased.
var ErrErased = errors.New("was erased")

// EraseConversation has a conversation forgotten: from then on nobody sees it, and each node
// overwrites what was said in it. It returns the sequence of the event that says so, for
// projections.Views.Forgotten. One that was erased before is not erased again: the sequence is that
// of the event then, and again is true. It fails with ErrNone for the account and the conversation.
func (a Admin) EraseConversation(ctx context.Context, account string, id uuid.UUID, reason string) (sequence uint64, again bool, err error) {
	if err := checkText("the reason", &reason, maxReason, ""); err != nil {
		return 0, false, err
	}
	of, err := a.change(ctx, AccountID(account), account, func(of projections.Account) (any, error) {
		again = false
		sequences, err := a.Log.Sequences(ctx, of.ID, id)
		if err != nil {
			return nil, err
		}
		if sequence, err = a.erasedBy(ctx, of.ID, id); err != nil {
			return nil, err
		}
		switch again = sequence > 0; {
		case again:
			return nil, nil // whatever is left of it is erased without being asked
		case len(sequences) == 0:
			return nil, fmt.Errorf("conversation %s of account %q %w: give the conversation_id of an answer", id, of.Name, ErrNone)
		}
		return &events.ConversationErased{ConversationID: id, Reason: reason, Events: events.Runs(sequences)}, nil
	})
	if err == nil && !again {
		sequence = of.Sequence
	}
	return sequence, again, err
}

// erasedBy is the sequence of the newest event that erased a conversation, 0 for none.
func (a Admin) erasedBy(ctx context.Context, account, id uuid.UUID) (sequence uint64, err error) {
	history, err := a.Log.Read(ctx, events.AccountSubject(account), 0)
	for _, e := range history {
		if erased, is := e.Data.(*events.ConversationErased); is && erased.ConversationID == id {
			sequence = e.Sequence
		}
	}
	return sequence, err
}

// dropErased drops a command whose conversation was erased before it was decided.
func (s *Service) dropErased(ctx context.Context, c Calculate) error {
	subject := events.KeylessSubject(c.AccountID, c.MessageID)
	if c.IdempotencyKey != nil {
		subject = events.KeyedSubject(c.AccountID, *c.IdempotencyKey)
	}
	if err := s.log.EraseCommand(ctx, log.Erasure{Account: c.AccountID, Conversation: c.ConversationID}, subject); err != nil {
		return err
	}
	s.views.EraseAgain(c.AccountID, c.ConversationID)
	return nil
}
