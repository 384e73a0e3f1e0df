package commands

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"reckon/engine/prompt"
	"reckon/events"
	"reckon/projections"
)

// rehearsal is a conversation about a domain that no log holds.
type rehearsal struct {
	domain   *Domain
	past     past
	messages []projections.Message // by the sequence of their event, from 1
}

// say calculates a prompt, and returns the message that it gives. It fails with ErrPromptJSON and ErrPromptTooLong.
func (r *rehearsal) say(text, format, zone string, now time.Time) (projections.Message, error) {
	d := r.domain
	var err error
	switch {
	case format == "" || format == prompt.Automatic:
		if format, err = prompt.Detect(d.compiled, text); err != nil {
			return projections.Message{}, ErrPromptJSON
		}
	case format == prompt.JSON && !prompt.ValidJSON(text):
		return projections.Message{}, ErrPromptJSON
	}
	if format == prompt.NaturalLanguage && len(text) > MaxProse {
		return projections.Message{}, ErrPromptTooLong
	}
	c := Calculate{
		ConversationID: uuid.NewSHA1(names, []byte("offline conversation")), MessageID: uuid.NewSHA1(names, []byte("offline message")),
		DomainID: d.ID, DomainVersion: d.Version, InputFormat: format, Prompt: text, TimeZone: zone,
		ReceivedAt: now.UTC().Truncate(time.Millisecond), Now: now.UTC().Truncate(time.Second),
	}
	e, err := r.past.decide(c, d, nil, r.message)
	if err != nil {
		return projections.Message{}, err
	}
	e.Time = c.ReceivedAt
	return r.add(e), nil
}

// add takes the final event of a message in.
func (r *rehearsal) add(e events.Event) projections.Message {
	e.Sequence = uint64(len(r.messages) + 1)
	m := r.past.apply(e)
	r.messages = append(r.messages, m)
	return m
}

func (r *rehearsal) message(sequence uint64) (*projections.Message, error) {
	return &r.messages[sequence-1], nil
}

// elsewhere has another domain leave the conversation at a scenario of its own, one that is there or the next one. It returns why
// that cannot be, "" where it can.
func (r *rehearsal) elsewhere(index int) string {
	last := r.past.head.Last
	if index < 1 || index > last+1 {
		return fmt.Sprintf("Scenario %d cannot be there yet: the next one is %d.", index, last+1)
	}
	if index <= last {
		if m, err := r.past.scenario(index, r.message); err != nil || m.Domain.ID == r.domain.ID {
			return fmt.Sprintf("Scenario %d is one of this domain: the next one of another domain is %d.", index, last+1)
		}
	}
	r.add(events.Event{Data: &events.MessageCompleted{
		Message: events.Message{Domain: events.DomainRef{ID: uuid.NewSHA1(r.domain.ID, []byte("another domain"))}},
		Results: events.Results{Action: "new", Scenario: events.ScenarioRef{Current: index}},
	}})
	return ""
}

// shown is the message whose values an answer shows: of a fetch the one that the scenario stands at.
func (r *rehearsal) shown(answer projections.Message) projections.Message {
	if answer.Completed.Results.Action == "fetch" {
		if m, err := r.past.scenario(answer.Completed.Results.Scenario.Current, r.message); err == nil {
			return *m
		}
	}
	return answer
}
