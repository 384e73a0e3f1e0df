package commands

import (
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
