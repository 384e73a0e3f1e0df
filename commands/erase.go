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
	return a.erase(ctx, AccountID(account), account, id, reason, func(of projections.Account) error {
		return fmt.Errorf("conversation %s of account %q %w: give the conversation_id of an answer", id, of.Name, ErrNone)
	})
}

// EraseAgain is EraseConversation in a log that may have nothing of the conversation yet, but a
// command that is not worked on: then nothing comes of it. It fails with ErrNone for the account.
func (a Admin) EraseAgain(ctx context.Context, account, id uuid.UUID, reason string) (sequence uint64, again bool, err error) {
	return a.erase(ctx, account, account.String(), id, reason, func(projections.Account) error { return nil })
}

// erase is EraseConversation in an account that the caller calls by a name. none says what a
// conversation without events is.
func (a Admin) erase(ctx context.Context, account uuid.UUID, name string, id uuid.UUID, reason string, none func(projections.Account) error) (sequence uint64, again bool, err error) {
	if err := about("reason", checkText("the reason", &reason, maxReason, "")); err != nil {
		return 0, false, err
	}
	of, err := a.change(ctx, account, name, func(of projections.Account) (any, error) {
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
			if err := none(of); err != nil {
				return nil, err
			}
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
	after := uint64(0)
	if a.Views != nil {
		after = a.Views.At() // up to here the views know of every erasure
		if sequence, err = a.Views.ErasedBy(ctx, account, id); err != nil {
			return 0, err
		}
		if sequence > 0 {
			after = sequence
		}
	}
	history, err := a.Log.Read(ctx, events.AccountSubject(account), after)
	for _, e := range history {
		if erased, is := e.Data.(*events.ConversationErased); is && erased.ConversationID == id {
			sequence = e.Sequence
		}
	}
	return sequence, err
}

// ErasedAccount is what was there of an account that was erased, and is no more.
type ErasedAccount struct {
	projections.Account
	Revoked       int    // keys
	Left          int    // members
	Retired       int    // domains
	Conversations int    // that were erased
	Erased        uint64 // newest event that erased one, also earlier, for projections.Views.Forgotten; 0 for none
}

// EraseAccount ends the use of an account for good: it is suspended, its keys are revoked, its
// webhooks are deleted, its drafts are discarded and its domains retired, all its conversations are
// erased, and at last its members leave it, so that an owner may go on with what was interrupted by
// calling it again. What stays is the account's name, the definitions of its domains, and who
// administered it when. It fails with ErrNone.
func (a Admin) EraseAccount(ctx context.Context, name, reason string) (erased ErasedAccount, err error) {
	if a.Request.unchanged() > 0 {
		erased.Account, _, err = a.accountDone(ctx, AccountID(name))
		return erased, err
	}
	erased.Revoked, erased.Left = a.Request.times(&events.KeyRevoked{}), a.Request.times(&events.MemberRemoved{})
	erased.Retired, erased.Conversations = a.Request.times(&events.DomainRetired{}), a.Request.times(&events.ConversationErased{})
	a.Request = a.Request.inSteps()
	if erased.Account, err = a.Suspend(ctx, name, reason); err != nil {
		return erased, err
	}
	add := func(data any) error {
		erased.Account, err = a.appendBehind(ctx, erased.Account, data)
		return err
	}
	for i := 0; i < len(erased.Keys); i++ {
		if key := erased.Keys[i]; !key.Revoked {
			if err := add(&events.KeyRevoked{KeyID: key.ID}); err != nil {
				return erased, err
			}
			erased.Revoked++
		}
	}
	for len(erased.Webhooks) > 0 {
		if err := add(&events.WebhookDeleted{WebhookID: erased.Webhooks[0].ID}); err != nil {
			return erased, err
		}
	}
	retired, err := a.retireAll(ctx, erased.ID)
	if err != nil {
		return erased, err
	}
	erased.Retired += retired
	if err := a.eraseAll(ctx, &erased, reason); err != nil {
		return erased, err
	}
	for len(erased.Members) > 0 {
		user, err := a.readUser(ctx, erased.Members[0].UserID)
		if err == nil {
			err = add(&events.MemberRemoved{UserID: user.ID})
		}
		if err == nil {
			err = a.EndSessions(ctx, user.Email)
		}
		if err != nil {
			return erased, err
		}
		erased.Left++
	}
	return erased, nil
}

// appendBehind appends an event to an account's subject, whatever came in between.
func (a Admin) appendBehind(ctx context.Context, account projections.Account, data any) (projections.Account, error) {
	for {
		after, err := a.append(ctx, account, data)
		if !errors.Is(err, log.ErrConflict) {
			return after, err
		}
		if account, err = a.read(ctx, account.ID); err != nil {
			return account, err
		}
	}
}

// retireAll retires the domains of an account, of which it returns how many those were, and
// discards its drafts.
func (a Admin) retireAll(ctx context.Context, account uuid.UUID) (retired int, err error) {
	domains, err := a.Domains(ctx, account)
	for _, d := range domains {
		if d.Draft != nil {
			if err := a.Discard(ctx, account, d.ID, 0); err != nil && !errors.Is(err, ErrNone) {
				return retired, err
			}
		}
		if d.Version > 0 && !d.Retired {
			if err := a.Retire(ctx, account, d.ID, true); err != nil {
				return retired, err
			}
			retired++
		}
	}
	return retired, err
}

// eraseAll erases the conversations of an account that are not erased yet, those too that come to
// be meanwhile.
func (a Admin) eraseAll(ctx context.Context, of *ErasedAccount, reason string) error {
	known := map[uuid.UUID]bool{}
	of.Account = projections.Account{ID: of.ID}
	catchUp := func() error {
		history, err := a.Log.Read(ctx, events.AccountSubject(of.ID), of.Sequence)
		for _, e := range history {
			of.Account = projections.ApplyAccount(of.Account, e)
			if earlier, is := e.Data.(*events.ConversationErased); is {
				known[earlier.ConversationID], of.Erased = true, e.Sequence
			}
		}
		return err
	}
	if err := catchUp(); err != nil {
		return err
	}
	for more := true; more; {
		more = false
		list, err := a.Log.Conversations(ctx, of.ID)
		if err != nil {
			return err
		}
		for _, id := range list {
			for !known[id] {
				sequences, err := a.Log.Sequences(ctx, of.ID, id)
				if err == nil {
					of.Account, err = a.append(ctx, of.Account, &events.ConversationErased{ConversationID: id, Reason: reason, Events: events.Runs(sequences)})
				}
				switch {
				case err == nil:
					known[id], more, of.Erased = true, true, of.Sequence
					of.Conversations++
				case errors.Is(err, log.ErrConflict):
					err = catchUp()
				}
				if err != nil {
					return fmt.Errorf("erase conversation %s: %w", id, err)
				}
			}
		}
	}
	return nil
}

// dropErased drops a command whose conversation was erased before it was decided. Every node has it
// in its files, and is told before it is gone.
func (s *Service) dropErased(ctx context.Context, c Calculate) error {
	subject := events.KeylessSubject(c.AccountID, c.MessageID)
	if c.IdempotencyKey != nil {
		subject = events.KeyedSubject(c.AccountID, *c.IdempotencyKey)
	}
	if err := s.views.EraseAgain(ctx, c.AccountID, c.ConversationID); err != nil {
		return err
	}
	return s.log.EraseCommand(ctx, log.Erasure{Account: c.AccountID, Conversation: c.ConversationID}, subject)
}
