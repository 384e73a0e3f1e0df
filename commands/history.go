package commands

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

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
	Scenarios []Scenario            // by index
}

// Scenario is a what-if branch of a conversation.
type Scenario struct {
	Index    int
	Original int                 // the one that it branched off from, 0 for none
	Message  projections.Message // that it stands at; its results are its values
}

// History rebuilds a conversation of whichever account as it stood at a moment. It fails with ErrNone where the conversation,
// or the message in it, is not there, or was not yet.
func (a Admin) History(ctx context.Context, conversation uuid.UUID, at Moment) (Snapshot, error) {
	var s Snapshot
	list, err := a.conversation(ctx, conversation)
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
			return s, fmt.Errorf("message %s %w in conversation %s: `reckon history --conversation %[3]s` shows those there are", at.Message, ErrNone, conversation)
		}
	case !at.Time.IsZero():
		for end > 0 && list[end-1].Time.After(at.Time) {
			end--
		}
		if end == 0 {
			return s, fmt.Errorf("conversation %s %w yet at that time: it began at %s", conversation, ErrNone, list[0].Time.UTC().Format("2006-01-02T15:04:05.000Z"))
		}
	}
	for _, e := range list[:end] {
		request := e.Message()
		if request == nil {
			continue
		}
		i := slices.IndexFunc(s.Messages, func(m projections.Message) bool { return m.MessageID == request.MessageID })
		var previous *projections.Message
		if i >= 0 {
			previous = &s.Messages[i]
		}
		head, m := projections.ApplyConversation(s.Head, previous, e)
		s.Head = head
		if i >= 0 {
			s.Messages[i] = m
		} else {
			s.Messages = append(s.Messages, m)
		}
		if m.Completed == nil || m.Completed.Results.Action == "fetch" {
			continue
		}
		ref := m.Completed.Results.Scenario
		for len(s.Scenarios) < ref.Current {
			s.Scenarios = append(s.Scenarios, Scenario{Index: len(s.Scenarios) + 1})
		}
		scenario := &s.Scenarios[ref.Current-1]
		scenario.Message = m
		if ref.Original != ref.Current {
			scenario.Original = ref.Original
		}
	}
	return s, nil
}
