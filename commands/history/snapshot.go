package history

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/events/log"
	"reckon/projections"
)

// Moment is a place in the history of a conversation; the zero value is now.
type Moment struct {
	Time    time.Time // what had been recorded by then
	Message uuid.UUID // up to the newest event of this message
}

// Snapshot is a conversation as it stood at a moment.
type Snapshot struct {
	Head      projections.Conversation
	Messages  []projections.Message // in the order in which they were begun
	Scenarios []Scenario            // in the order of their indexes; without those that only events of unknown types have made
}

// Scenario is a what-if branch of a conversation.
type Scenario struct {
	Index    int
	Original int                 // the one that it branched off from, 0 for none
	Message  projections.Message // that it stands at; its results are its values
}

// At rebuilds a conversation of whichever account as it stood at a moment. It fails with
// commands.ErrNone where the conversation, or the message in it, is not there, or was not yet.
func At(ctx context.Context, log *log.Log, id uuid.UUID, at Moment) (Snapshot, error) {
	var s Snapshot
	list, err := conversationEvents(ctx, log, id)
	if err != nil {
		return s, err
	}
	end := len(list)
	switch {
	case at.Message != uuid.Nil:
		for end > 0 && (list[end-1].Message() == nil || list[end-1].Message().MessageID != at.Message) {
			end--
		}
		if end == 0 {
			return s, fmt.Errorf("message %s %w in conversation %s: `reckon history --conversation %[3]s` shows those there are", at.Message, commands.ErrNone, id)
		}
	case !at.Time.IsZero():
		for end > 0 && list[end-1].Time.After(at.Time) {
			end--
		}
		if end == 0 {
			return s, fmt.Errorf("conversation %s %w yet at that time: it began at %s", id, commands.ErrNone, list[0].Time.UTC().Format("2006-01-02T15:04:05.000Z"))
		}
	}
	var c conversation
	standing := map[uint64]int{} // by the sequence of a final event, the number of its message
	for _, e := range list[:end] {
		m := c.apply(e)
		if m.Number == 0 {
			continue
		}
		if m.Number > len(s.Messages) {
			s.Messages = append(s.Messages, m)
		} else {
			s.Messages[m.Number-1] = m
		}
		standing[m.Sequence] = m.Number
	}
	s.Head = c.head
	for i, b := range c.branches {
		if number := standing[b.event]; number > 0 {
			s.Scenarios = append(s.Scenarios, Scenario{Index: i + 1, Original: b.origin, Message: s.Messages[number-1]})
		}
	}
	return s, nil
}
