package projections

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"

	"reckon/events"
	"reckon/events/log"
)

// Message statuses.
const (
	Completed  = "completed"
	InProgress = "in_progress"
	Failed     = "error"
)

// Message is one calculation of a conversation, as asked and answered: the newest event that is
// about it. What its pointers lead to is shared and must not be changed.
type Message struct {
	events.Message
	Status      string                     `json:"status"`
	UpdatedAt   time.Time                  `json:"updated_at"`
	Interpreted *events.MessageInterpreted `json:"interpreted,omitempty"` // of one in progress that a language model has read
	Completed   *events.MessageCompleted   `json:"completed,omitempty"`   // of a completed message
	Failed      *events.MessageFailed      `json:"failed,omitempty"`      // of a failed one
	Number      int                        `json:"number"`                // position in the conversation, from 1
	Sequence    uint64                     `json:"sequence"`              // of the newest event of the message
}

// cachedMessages is about how many bytes of messages stay in memory.
const cachedMessages = 64 << 20

// messageLog reads messages, which are events of the log. Those that were used last stay in memory,
// by sequence: an event never changes.
type messageLog struct {
	log   *log.Log
	cache *Cache[uint64, Message]
}

func newMessageLog(log *log.Log) *messageLog {
	return &messageLog{log, NewCache[uint64, Message](cachedMessages)}
}

func (l *messageLog) keep(m Message) { l.cache.Put(m.Sequence, m, m.weight()) }

// Forget drops from memory what was read or made of conversations and can be read again.
func (v *Views) Forget() {
	v.messages.cache.Clear()
	g, done := v.use()
	defer done()
	viewOf[*conversations](g).heads.Clear()
}

// messageOf is the message that an event makes, without its number; ok is false for an event that
// is about none.
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

// weight is about how many bytes a message takes in memory.
func (m *Message) weight() int {
	size := 2048 + len(m.Prompt)
	switch {
	case m.Interpreted != nil:
		size += len(m.Interpreted.Parsed)
	case m.Failed != nil:
		size += len(m.Failed.Errors) + len(m.Failed.Pending)
		for _, choice := range m.Failed.Choices {
			size += len(choice)
		}
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

// inConversation hands the head of a conversation to read, with the view that it is of; of one that
// is not there nothing is read.
func (v *Views) inConversation(ctx context.Context, account, id uuid.UUID, read func(*conversations, entityKey, head) error) error {
	g, done := v.use()
	defer done()
	c, key := viewOf[*conversations](g), entityKey{account, id}
	h, found, err := c.head(ctx, key)
	if !found {
		return err
	}
	return read(c, key, h)
}

// Message returns one message of a conversation by its id.
func (v *Views) Message(ctx context.Context, account, conversation, id uuid.UUID) (Message, bool, error) {
	var list []Message
	err := v.inConversation(ctx, account, conversation, func(c *conversations, key entityKey, h head) error {
		number, at, err := h.locate(id, func(n int) (page, error) { return c.readPage(ctx, messagePage(key, n)) })
		if number == 0 {
			return err
		}
		list, err = c.messages.read(ctx, []int{number}, []messageRef{at})
		return err
	})
	if len(list) == 0 {
		return Message{}, false, err
	}
	return list[0], true, nil
}

// Scenario returns the message that a scenario now stands at: the last one that was not a fetch.
func (v *Views) Scenario(ctx context.Context, account, conversation uuid.UUID, index int) (Message, bool, error) {
	list, err := v.Scenarios(ctx, account, conversation, index, index)
	if err != nil {
		return Message{}, false, err
	}
	return list[0], list[0].Number > 0, nil
}

// Scenarios returns the messages that the scenarios from first to last now stand at. A message
// without a number stands for a scenario that the conversation does not have.
func (v *Views) Scenarios(ctx context.Context, account, conversation uuid.UUID, first, last int) ([]Message, error) {
	list := make([]Message, max(last-first+1, 0))
	return list, v.inConversation(ctx, account, conversation, func(c *conversations, key entityKey, h head) error {
		scenarios, err := c.scenarios(ctx, key, h, first, last)
		if err != nil {
			return err
		}
		var numbers, indexes []int
		for i, s := range scenarios {
			if s.Message > 0 {
				numbers, indexes = append(numbers, s.Message), append(indexes, i)
			}
		}
		read, err := c.numbered(ctx, key, h, numbers)
		for n, m := range read {
			list[indexes[n]] = m
		}
		return err
	})
}

// Origin returns the scenario that a scenario branched off from, 0 for none.
func (v *Views) Origin(ctx context.Context, account, conversation uuid.UUID, index int) (origin int, err error) {
	err = v.inConversation(ctx, account, conversation, func(c *conversations, key entityKey, h head) error {
		list, err := c.scenarios(ctx, key, h, index, index)
		if err == nil {
			origin = list[0].Origin
		}
		return err
	})
	return origin, err
}

// Messages returns the messages numbered from first to last, in that order; numbers that the
// conversation does not have are left out.
func (v *Views) Messages(ctx context.Context, account, conversation uuid.UUID, first, last int) (list []Message, err error) {
	err = v.inConversation(ctx, account, conversation, func(c *conversations, key entityKey, h head) (err error) {
		list, err = c.numbered(ctx, key, h, numbers(max(first, 1), min(last, h.Messages)))
		return err
	})
	return list, err
}

// read reads messages by their numbers and places: from memory, and what is not there from the log,
// at once.
func (l *messageLog) read(ctx context.Context, numbers []int, places []messageRef) ([]Message, error) {
	list := make([]Message, len(places))
	var missing []int
	var sequences []uint64
	for i, at := range places {
		var ok bool
		if list[i], ok = l.cache.Get(at.Sequence); !ok {
			missing, sequences = append(missing, i), append(sequences, at.Sequence)
		}
	}
	if len(missing) == 0 {
		return list, nil
	}
	read, err := l.log.AtAll(ctx, sequences)
	if errors.Is(err, nats.ErrConnectionClosed) { // the node ends, and has them when it starts again
		return nil, fmt.Errorf("%w: read messages: %w", ErrBehind, err)
	}
	if err != nil {
		return nil, fmt.Errorf("read messages: %w", err)
	}
	for n, i := range missing {
		m, ok := messageOf(read[n])
		if !ok || m.MessageID != places[i].ID {
			return nil, fmt.Errorf("read message %s: event %d is not its own", places[i].ID, sequences[n])
		}
		m.Number = numbers[i]
		list[i] = m
		l.keep(m)
	}
	return list, nil
}
