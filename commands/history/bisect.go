package history

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/engine/value"
	"reckon/events"
	"reckon/events/log"
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

// VersionAnswer is what a version of a domain answers, and how that differs from the version before
// it.
type VersionAnswer struct {
	Version     int             `json:"version"`
	PublishedAt time.Time       `json:"published_at"`
	Target      string          `json:"target,omitempty"` // key of what was asked for
	Value       json.RawMessage `json:"value,omitempty"`  // of the target
	Errors      []value.Error   `json:"errors,omitempty"`
	Shift       *Shift          `json:"shift,omitempty"`      // nil where the answer stayed
	Definition  []Change        `json:"definition,omitempty"` // what the version changed, where the answer did
}

// Bisect computes an answered message with each published version of its domain, on the scenario
// that it was based on. It fails with commands.ErrNone where there is no such message, and with
// ErrUnanswered.
func Bisect(ctx context.Context, log *log.Log, message uuid.UUID) (Bisected, error) {
	f, _, q, err := findQuestion(ctx, log, message)
	if err != nil {
		return Bisected{}, err
	}
	m := q.recorded.Message()
	b := Bisected{
		ConversationID: m.ConversationID, MessageID: m.MessageID, Time: q.recorded.Time, Prompt: m.Prompt,
		Domain: m.Domain.Title, Answered: m.Domain.Version,
	}
	published, err := publications(ctx, log, q.recorded.Subject.Account(), m.Domain.ID)
	if err != nil {
		return b, err
	}
	var before events.Event
	var earlier events.Definition
	for i, e := range published {
		data := e.Data.(*events.DomainPublished)
		version := VersionAnswer{Version: data.Version, PublishedAt: e.Time}
		d, issues := commands.Compile(data.DomainID, data.Key, data.Version, data.Definition)
		var answer events.Event
		if d == nil {
			invalid := value.Error{Code: "domain.invalid", Message: issues[0].Path + ": " + issues[0].Message}
			answer.Data = &events.MessageFailed{Errors: commands.Encode([]value.Error{invalid})}
		} else if answer, err = f.again(ctx, *q, d); err != nil {
			return b, err
		}
		switch data := answer.Data.(type) {
		case *events.MessageCompleted:
			version.Target = data.Results.Target()
			version.Value = data.Results.Value(version.Target)
		case *events.MessageFailed:
			version.Errors = commands.ErrorsOf(data)
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
	if events.Unmarshal(commands.Encode(was), &a) != nil || events.Unmarshal(commands.Encode(is), &b) != nil {
		return nil
	}
	list := []Change{}
	walk("", a, b, &list)
	return list
}
