package projections

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"reckon/events"
)

// Message statuses.
const (
	Completed  = "completed"
	InProgress = "in_progress"
	Failed     = "error"
)

// Message is one calculation of a conversation, as asked and answered: the newest event that is about it. What its pointers
// lead to is shared and must not be changed.
type Message struct {
	events.Message
	Status      string
	UpdatedAt   time.Time
	Interpreted *events.MessageInterpreted // of a message in progress that a language model has read, else nil
	Completed   *events.MessageCompleted   // of a completed message
	Failed      *events.MessageFailed      // of a failed one
	Number      int                        // position in the conversation, from 1
	Sequence    uint64                     // of the newest event of the message
}

// messageOf is the message that an event makes, without its number; ok is false for an event that is about none.
func messageOf(e events.Event) (m Message, ok bool) {
	switch data := e.Data.(type) {
	case *events.MessageStarted:
		m = Message{Message: data.Message, Status: InProgress}
	case *events.MessageInterpreted:
		m = Message{Message: data.Message, Status: InProgress, Interpreted: data}
	case *events.MessageCompleted:
		m = Message{Message: data.Message, Status: Completed, Completed: data}
	case *events.MessageFailed:
		m = Message{Message: data.Message, Status: Failed, Failed: data}
	default:
		return Message{}, false
	}
	m.UpdatedAt = e.Time
	m.Sequence = e.Sequence
	return m, true
}

// weight is about how many bytes a message takes in memory, with the body of its event, in which its texts lie.
func (m *Message) weight() int {
	size := 2048 + len(m.Prompt)
	switch {
	case m.Interpreted != nil:
		size += len(m.Interpreted.Parsed)
	case m.Failed != nil:
		size += len(m.Failed.Errors) + len(m.Failed.Pending)
	case m.Completed != nil:
		size += len(m.Completed.Parsed) + 512*len(m.Completed.Results.Activities)
		if m.Completed.StructuredText != nil {
			size += len(*m.Completed.StructuredText)
		}
		for i := range m.Completed.Results.Variables {
			v := &m.Completed.Results.Variables[i]
			size += 512 + len(v.Description) + len(v.Value) + len(v.Display) + len(v.Scale)
		}
	}
	return size
}

// Message returns one message of a conversation by its id.
func (v *Views) Message(ctx context.Context, account, conversation, id uuid.UUID) (Message, bool, error) {
	g, done := v.use()
	defer done()
	key := conversationKey{account, conversation}
	h, found, err := g.head(ctx, key)
	if !found {
		return Message{}, false, err
	}
	number, at, err := h.locate(id, func(n int) (page, error) { return g.page(ctx, messagePage(key, n)) })
	if number == 0 {
		return Message{}, false, err
	}
	return g.one(ctx, number, at)
}

// Scenario returns the message that a scenario now stands at: the last one that was not a fetch.
func (v *Views) Scenario(ctx context.Context, account, conversation uuid.UUID, index int) (Message, bool, error) {
	g, done := v.use()
	defer done()
	key := conversationKey{account, conversation}
	h, s, err := g.scenario(ctx, key, index)
	if err != nil || s.Message == 0 {
		return Message{}, false, err
	}
	places, err := g.places(ctx, key, h, s.Message, s.Message)
	if err != nil || len(places) == 0 {
		return Message{}, false, err
	}
	return g.one(ctx, s.Message, places[0])
}

// Origin returns the scenario that a scenario branched off from, 0 for none.
func (v *Views) Origin(ctx context.Context, account, conversation uuid.UUID, index int) (int, error) {
	g, done := v.use()
	defer done()
	_, s, err := g.scenario(ctx, conversationKey{account, conversation}, index)
	return s.Origin, err
}

// Messages returns the messages numbered from first to last, in that order; numbers that the conversation does not have are
// left out.
func (v *Views) Messages(ctx context.Context, account, conversation uuid.UUID, first, last int) ([]Message, error) {
	g, done := v.use()
	defer done()
	key := conversationKey{account, conversation}
	h, found, err := g.head(ctx, key)
	if !found {
		return nil, err
	}
	first = max(first, 1)
	places, err := g.places(ctx, key, h, first, min(last, h.Messages))
	if err != nil {
		return nil, err
	}
	return g.messages(ctx, first, places)
}

// one reads the message at a place.
func (g *generation) one(ctx context.Context, number int, at place) (Message, bool, error) {
	list, err := g.messages(ctx, number, []place{at})
	if err != nil {
		return Message{}, false, err
	}
	return list[0], true, nil
}

// messages reads the messages at places, numbered from first on: from memory, and what is not there from the log, at once.
func (g *generation) messages(ctx context.Context, first int, places []place) ([]Message, error) {
	list := make([]Message, len(places))
	var missing []int
	var sequences []uint64
	for i, at := range places {
		m, ok := g.messageCache.get(at.Sequence)
		if ok {
			list[i] = m
			continue
		}
		missing = append(missing, i)
		sequences = append(sequences, at.Sequence)
	}
	read, err := g.log.AtAll(ctx, sequences)
	if err != nil {
		return nil, fmt.Errorf("read messages: %w", err)
	}
	for n, i := range missing {
		m, ok := messageOf(read[n])
		if !ok || m.MessageID != places[i].ID {
			return nil, fmt.Errorf("read message %s: event %d is not its own", places[i].ID, sequences[n])
		}
		m.Number = first + i
		list[i] = m
	}
	return list, nil
}
