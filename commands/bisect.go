package commands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"reckon/engine"
	"reckon/events"
)

// Bisected is a message computed with each published version of its domain.
type Bisected struct {
	ConversationID uuid.UUID       `json:"conversation_id"`
	MessageID      uuid.UUID       `json:"message_id"`
	Time           time.Time       `json:"time"` // of the recorded answer
	Prompt         string          `json:"prompt"`
	Domain         string          `json:"domain"`   // title
	Answered       int             `json:"answered"` // the version that gave the recorded answer
	Versions       []VersionAnswer `json:"versions"` // oldest first
}

// VersionAnswer is what a version of a domain answers, and how that differs from the version before it.
type VersionAnswer struct {
	Version     int             `json:"version"`
	PublishedAt time.Time       `json:"published_at"`
	Target      string          `json:"target,omitempty"` // key of what was asked for
	Value       json.RawMessage `json:"value,omitempty"`  // of the target
	Errors      []engine.Error  `json:"errors,omitempty"`
	Shift       *Shift          `json:"shift,omitempty"`      // nil where the answer stayed
	Definition  []Change        `json:"definition,omitempty"` // what the version changed, where the answer did
}

// Bisect computes an answered message with each published version of its domain, on the scenario that it was based on. It
// fails with ErrNone where there is no such message, and with ErrUnanswered.
func (a Admin) Bisect(ctx context.Context, message uuid.UUID) (Bisected, error) {
	h, _, q, err := a.question(ctx, message)
	if err != nil {
		return Bisected{}, err
	}
	m := q.recorded.Message()
	b := Bisected{
		ConversationID: m.ConversationID, MessageID: m.MessageID, Time: q.recorded.Time, Prompt: m.Prompt,
		Domain: m.Domain.Title, Answered: m.Domain.Version,
	}
	published, err := publications(ctx, a.Log, q.recorded.Subject.Account(), m.Domain.ID)
	if err != nil {
		return b, err
	}
	var before events.Event
	var earlier events.Definition
	for i, e := range published {
		data := e.Data.(*events.DomainPublished)
		version := VersionAnswer{Version: data.Version, PublishedAt: e.Time}
		d, issues := Compile(data.DomainID, data.Key, data.Version, data.Definition)
		answer := fail(q.command(), nil, nil, nil)
		if d == nil {
			answer = fail(q.command(), nil, []engine.Error{{Code: "domain.invalid", Message: issues[0].Path + ": " + issues[0].Message}}, nil)
		} else if answer, err = h.again(ctx, *q, d); err != nil {
			return b, err
		}
		switch data := answer.Data.(type) {
		case *events.MessageCompleted:
			version.Target = target(data.Results)
			version.Value = valueOf(data.Results, version.Target)
		case *events.MessageFailed:
			version.Errors = ErrorsOf(data)
		}
		if i > 0 {
			if version.Shift = shift(*q, before, answer, d); version.Shift != nil {
				version.Definition = definitionChanges(earlier, data.Definition)
			}
		}
		before, earlier = answer, data.Definition
		b.Versions = append(b.Versions, version)
	}
	return b, nil
}

// definitionChanges lists what differs between two definitions, tests and examples aside.
func definitionChanges(was, is events.Definition) []Change {
	was.Tests, was.Examples, is.Tests, is.Examples = nil, nil, nil, nil
	var a, b any
	if json.Unmarshal(encode(was), &a) != nil || json.Unmarshal(encode(is), &b) != nil {
		return nil
	}
	list := []Change{}
	walk("", a, b, &list)
	return list
}

// ErrUnanswered says that a message has no answer that could be computed again.
var ErrUnanswered = errors.New("has no answer that follows from its request")

// question finds an answered message by its id, with the conversation as it stood before it, and those answered before it in
// the conversation, without that. It fails with ErrNone and ErrUnanswered.
func (a Admin) question(ctx context.Context, message uuid.UUID) (h *retelling, earlier []question, q *question, err error) {
	found, err := a.find(ctx, message)
	if err != nil {
		return nil, nil, nil, err
	}
	h = newRetelling(a.Log, true)
	list, err := a.Log.Read(ctx, found.Subject, 0)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, e := range list {
		q, err := h.apply(ctx, e)
		switch {
		case err != nil:
			return nil, nil, nil, err
		case q == nil:
		case q.recorded.Message().MessageID != message:
			earlier = append(earlier, question{interpreted: q.interpreted, recorded: q.recorded})
		case q.unrepeatable() != "":
			return nil, nil, nil, fmt.Errorf("message %s %w (%s)", message, ErrUnanswered, q.unrepeatable())
		default:
			return h, earlier, q, nil
		}
	}
	return nil, nil, nil, fmt.Errorf("message %s %w: it is in progress", message, ErrUnanswered)
}

// find is an event of a message. Its id tells when the message was made, so that only what came later is read.
func (a Admin) find(ctx context.Context, message uuid.UUID) (events.Event, error) {
	var found events.Event
	none := fmt.Errorf("message %s %w: give the message_id of an answer", message, ErrNone)
	last, err := a.Log.Last(ctx)
	if err != nil {
		return found, err
	}
	after := uint64(0)
	if message.Version() == 7 {
		seconds, nanoseconds := message.Time().UnixTime()
		first, err := a.Log.Since(ctx, time.Unix(seconds, nanoseconds).Add(-time.Minute))
		switch {
		case errors.Is(err, events.ErrNotFound):
			return found, none
		case err != nil:
			return found, err
		}
		after = first - 1
	}
	there := errors.New("found")
	err = a.Log.Scan(ctx, after, last, nil, func(_ uint64, list []events.Event) error {
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
