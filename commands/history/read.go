package history

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/events"
	"reckon/events/log"
)

// Selection says which messages to compute again: those of a conversation or an account, those
// answered since a time, both, or all.
type Selection struct {
	Account      uuid.UUID // uuid.Nil for every one
	Conversation uuid.UUID // uuid.Nil for every one
	Since        time.Time // zero for ever
}

// readLog reads the history of what is selected, of those accounts that mine names (nil for all),
// and hands the questions of the messages selected to ask, in order, with how many events were read
// and how many there are to read.
func readLog(ctx context.Context, l *log.Log, r Selection, mine func(events.Subject) bool, ask func(f *fold, read, total uint64, questions []*question) error) error {
	if r.Conversation != uuid.Nil {
		f := newFold(l, true)
		list, err := conversationEvents(ctx, l, r.Conversation)
		if err != nil {
			return err
		}
		questions, err := f.questions(ctx, list, r.Since)
		if err != nil {
			return err
		}
		return ask(f, uint64(len(list)), uint64(len(list)), questions)
	}
	last, err := l.Last(ctx)
	if err != nil {
		return err
	}
	after := uint64(0)
	if !r.Since.IsZero() {
		// The clocks of the nodes, which set the time of an event, may differ from that of the log.
		first, err := l.Since(ctx, r.Since.Add(-time.Minute))
		if errors.Is(err, log.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		after = first - 1
	}
	f := newFold(l, after == 0)
	return l.Skim(ctx, after, last, mine, func(upTo uint64, list []events.Event) error {
		questions, err := f.questions(ctx, list, r.Since)
		if err != nil {
			return err
		}
		return ask(f, upTo-after, last-after, questions)
	})
}

// questions takes events in, and returns the questions of those that answer a message at a time or
// later.
func (f *fold) questions(ctx context.Context, list []events.Event, since time.Time) ([]*question, error) {
	var questions []*question
	for _, e := range list {
		q, err := f.apply(ctx, e)
		if err != nil {
			return nil, err
		}
		if q != nil && !e.Time.Before(since) {
			questions = append(questions, q)
		}
	}
	return questions, nil
}

// conversationEvents reads the events of a conversation of whichever account. It fails with
// commands.ErrNone.
func conversationEvents(ctx context.Context, l *log.Log, id uuid.UUID) ([]events.Event, error) {
	subject, err := l.Conversation(ctx, id)
	if errors.Is(err, log.ErrNotFound) {
		return nil, fmt.Errorf("conversation %s %w: give the conversation_id of an answer", id, commands.ErrNone)
	}
	if err != nil {
		return nil, err
	}
	return l.Read(ctx, subject, 0)
}

// ErrUnanswered says that a message has no answer that could be computed again.
var ErrUnanswered = errors.New("has no answer that follows from its request")

// findQuestion finds an answered message by its id, with the conversation as it stood before it,
// and those answered before it in the conversation, without that. It fails with commands.ErrNone
// and ErrUnanswered.
func findQuestion(ctx context.Context, l *log.Log, message uuid.UUID) (f *fold, earlier []question, q *question, err error) {
	found, err := findMessage(ctx, l, message)
	if err != nil {
		return nil, nil, nil, err
	}
	f = newFold(l, true)
	list, err := l.Read(ctx, found.Subject, 0)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, e := range list {
		q, err := f.apply(ctx, e)
		switch {
		case err != nil:
			return nil, nil, nil, err
		case q == nil:
		case q.recorded.Message().MessageID != message:
			earlier = append(earlier, question{interpreted: q.interpreted, recorded: q.recorded})
		case q.unrepeatable() != "":
			return nil, nil, nil, fmt.Errorf("message %s %w (%s)", message, ErrUnanswered, q.unrepeatable())
		default:
			return f, earlier, q, nil
		}
	}
	return nil, nil, nil, fmt.Errorf("message %s %w: it is in progress", message, ErrUnanswered)
}

// AccountOf is the account whose message has an id. It fails with commands.ErrNone.
func AccountOf(ctx context.Context, l *log.Log, message uuid.UUID) (uuid.UUID, error) {
	e, err := findMessage(ctx, l, message)
	if err != nil {
		return uuid.Nil, err
	}
	return e.Subject.Account(), nil
}

// findMessage is an event of a message. Its id tells when the message was made, so that only what
// came later is read.
func findMessage(ctx context.Context, l *log.Log, message uuid.UUID) (events.Event, error) {
	var found events.Event
	none := fmt.Errorf("message %s %w: give the message_id of an answer", message, commands.ErrNone)
	last, err := l.Last(ctx)
	if err != nil {
		return found, err
	}
	after := uint64(0)
	if message.Version() == 7 {
		seconds, nanoseconds := message.Time().UnixTime()
		first, err := l.Since(ctx, time.Unix(seconds, nanoseconds).Add(-time.Minute))
		switch {
		case errors.Is(err, log.ErrNotFound):
			return found, none
		case err != nil:
			return found, err
		}
		after = first - 1
	}
	there := errors.New("found")
	err = l.Scan(ctx, after, last, nil, func(_ uint64, list []events.Event) error {
		for _, e := range list {
			if m := e.Message(); m != nil && m.MessageID == message {
				found = e
				return there
			}
		}
		return nil
	})
	switch {
	case errors.Is(err, there):
		return found, nil
	case err != nil:
		return found, err
	}
	return found, none
}
