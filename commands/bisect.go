package commands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"reckon/engine"
	"reckon/engine/prompt"
	"reckon/events"
	"reckon/projections"
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
	h, q, err := a.question(ctx, message)
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
			version.Errors = errorsOf(data)
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

// ErrUntestable says that a message makes no test.
var ErrUntestable = errors.New("makes no test")

// question finds an answered message by its id, with the conversation as it stood before it. It fails with ErrNone and
// ErrUnanswered.
func (a Admin) question(ctx context.Context, message uuid.UUID) (*retelling, *question, error) {
	found, err := a.find(ctx, message)
	if err != nil {
		return nil, nil, err
	}
	h := newRetelling(a.Log, true)
	list, err := a.Log.Read(ctx, found.Subject, 0)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range list {
		q, err := h.apply(ctx, e)
		if err != nil {
			return nil, nil, err
		}
		if q != nil && q.recorded.Message().MessageID == message {
			if code := q.unrepeatable(); code != "" {
				return nil, nil, fmt.Errorf("message %s %w (%s)", message, ErrUnanswered, code)
			}
			return h, q, nil
		}
	}
	return nil, nil, fmt.Errorf("message %s %w: it is in progress", message, ErrUnanswered)
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

// TestOf turns an answered message into a test: a prompt that states all values that its result rests on, defaults and values
// of earlier scenarios among them, and what was calculated from them. The test stands for itself, outside of any
// conversation. It fails with ErrNone, ErrUnanswered, and with ErrUntestable for an answer without a calculated value or one that
// cannot stand for itself.
func (a Admin) TestOf(ctx context.Context, message uuid.UUID) (events.Test, events.DomainRef, error) {
	h, q, err := a.question(ctx, message)
	if err != nil {
		return events.Test{}, events.DomainRef{}, err
	}
	ref := q.recorded.Message().Domain
	data, ok := q.recorded.Data.(*events.MessageCompleted)
	if failed, ok := q.recorded.Data.(*events.MessageFailed); ok {
		codes := mapped(errorsOf(failed), func(e engine.Error) string { return e.Code })
		return events.Test{}, ref, fmt.Errorf("message %s %w: it was answered with the error %s, and a test states values", message, ErrUntestable, strings.Join(codes, ", "))
	}
	if !ok || target(data.Results) == "" {
		return events.Test{}, ref, fmt.Errorf("message %s %w: it calculated no value, and a test states values", message, ErrUntestable)
	}
	version, err := h.domains.get(ctx, q.recorded.Subject.Account(), ref.ID, ref.Version)
	switch {
	case err != nil:
		return events.Test{}, ref, err
	case version.domain == nil:
		return events.Test{}, ref, fmt.Errorf("version %d of the domain does not compile any more: %s: %s", ref.Version, version.issues[0].Path, version.issues[0].Message)
	}
	t, ok := version.domain.testOf(data)
	if !ok {
		return t, ref, fmt.Errorf("message %s %w: it does not give the same value outside of its conversation", message, ErrUntestable)
	}
	return t, ref, nil
}

// testOf makes a test of a result, and tells whether the domain passes it.
func (d *Domain) testOf(data *events.MessageCompleted) (events.Test, bool) {
	s := d.scenario(&projections.Message{Message: data.Message, Completed: data})
	asked := target(data.Results)
	given := engine.Result{Calculated: d.compiled.Index(asked), Cleared: s.Cleared}
	for _, v := range s.Values {
		if v.Source != engine.Calculated || v.Historical {
			v.Source = engine.UserInput
			given.Values = append(given.Values, engine.ResultValue{ScenarioValue: v, Stated: true})
		}
	}
	for _, t := range s.Targets {
		if t.Variable == given.Calculated {
			given.Unit = t.Unit
		}
	}
	if given.Calculated < 0 {
		return events.Test{}, false
	}
	t := events.Test{Prompt: strings.TrimSpace(prompt.Text(d.compiled, given)), Expect: map[string]json.RawMessage{}}
	again, err := d.Offline(t.Prompt, prompt.Structured, "UTC", data.Now)
	if err != nil || again.Completed == nil {
		return t, false
	}
	there := map[string]bool{}
	for _, v := range again.Completed.Results.Variables {
		there[v.Key] = true
	}
	for _, v := range data.Results.Variables {
		if v.Key == asked || v.Source == string(engine.Calculated) && !v.Historical && there[v.Key] {
			t.Expect[v.Key] = v.Value
		}
	}
	_, problems := d.run(t, data.Now)
	return t, len(problems) == 0
}
