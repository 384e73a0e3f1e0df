package history

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/events"
	"reckon/projections"
)

// conversation is one as it stood at a place of the history. What a later message may refer to is
// kept as the sequences of events, so that its size does not depend on what the events hold.
type conversation struct {
	subject  events.Subject
	head     projections.Conversation
	branches []branch                          // scenarios, by index from 1
	pending  uint64                            // the event whose inputs are pending, 0 for none
	working  map[uuid.UUID]projections.Message // messages in progress
}

// branch is a scenario.
type branch struct {
	event  uint64 // that it stands at, 0 for none
	origin int    // the scenario that it branched off from, 0 for none
}

// follow moves the scenario that a message was calculated in on to its event.
func (c *conversation) follow(m projections.Message) {
	if m.Completed == nil || m.Completed.Results.Action == "fetch" {
		return
	}
	ref := m.Completed.Results.Scenario
	for len(c.branches) < ref.Current {
		c.branches = append(c.branches, branch{})
	}
	at := &c.branches[ref.Current-1]
	at.event = m.Sequence
	if ref.Original != 0 && ref.Original != ref.Current {
		at.origin = ref.Original
	}
}

// apply takes the next event of the conversation in, and returns the message that it is about.
func (c *conversation) apply(e events.Event) projections.Message {
	var previous *projections.Message
	if request := e.Message(); request != nil {
		if m, ok := c.working[request.MessageID]; ok {
			previous = &m
		}
	}
	var m projections.Message
	c.head, m = projections.ApplyConversation(c.head, previous, e)
	switch {
	case m.Number == 0:
		return m
	case m.Status == projections.InProgress:
		if c.working == nil {
			c.working = map[uuid.UUID]projections.Message{}
		}
		c.working[m.MessageID] = m
		return m
	}
	delete(c.working, m.MessageID)
	switch c.head.Pending {
	case m.Number:
		c.pending = e.Sequence
	case 0:
		c.pending = 0
	}
	c.follow(m)
	return m
}

// before is the conversation as a message finds it. Later events do not change it.
func (c *conversation) before() conversation {
	return conversation{subject: c.subject, head: c.head, pending: c.pending, branches: slices.Clone(c.branches)}
}

// source is the conversation as deciding sees it. message reads a message by the sequence of its
// final event.
func (c *conversation) source(interpreted json.RawMessage, message func(sequence uint64) (*projections.Message, error)) (s commands.Source, err error) {
	s = commands.Source{
		Head: c.head, Interpreted: interpreted,
		Scenario: func(index int) (*projections.Message, error) { return c.scenario(index, message) },
		Origin: func(index int) (int, error) {
			if index > len(c.branches) {
				return 0, nil
			}
			return c.branches[index-1].origin, nil
		},
	}
	if c.pending > 0 {
		s.Pending, err = message(c.pending)
	}
	return s, err
}

// scenario is the message that a scenario stands at.
func (c *conversation) scenario(index int, message func(sequence uint64) (*projections.Message, error)) (*projections.Message, error) {
	if index < 1 || index > len(c.branches) || c.branches[index-1].event == 0 {
		return nil, fmt.Errorf("read scenario %d of %s: not there", index, c.subject)
	}
	return message(c.branches[index-1].event)
}
