package commands

import (
	"encoding/json"
	"testing"

	"reckon/events"
	"reckon/projections"
)

// A command whose event could not be written is not decided again, unless its conversation has gone
// on meanwhile.
func TestDecisionIsKept(t *testing.T) {
	t.Parallel()
	c := startLog(t)
	s := c.idle(t)
	if err := s.views.CaughtUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	message := func(command Calculate) projections.Message {
		t.Helper()
		m, found, err := s.views.Message(t.Context(), command.AccountID, command.ConversationID, command.MessageID)
		if err != nil || !found || m.Completed == nil {
			t.Fatalf("%+v, %t, %v", m, found, err)
		}
		return m
	}
	// mark decides a command without writing that down, and marks what was decided.
	mark := func(command *Calculate) {
		t.Helper()
		v, err := s.conversation(t.Context(), *command)
		if err != nil {
			t.Fatal(err)
		}
		event, err := s.decide(t.Context(), *command, v, nil, "")
		if err != nil {
			t.Fatal(err)
		}
		event.Data.(*events.MessageCompleted).Parsed = json.RawMessage(`{"marked":true}`)
		command.decided = &decision{v.head.Sequence, &event}
	}
	isMarked := func(m projections.Message) bool { return string(m.Completed.Parsed) == `{"marked":true}` }
	command := func(conversation *Calculate) Calculate {
		t.Helper()
		r := c.request(drive)
		if conversation != nil {
			r.Conversation = &conversation.ConversationID
		}
		made, _, err := s.enqueue(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}

	first := command(nil)
	mark(&first)
	if err := s.finish(first, ""); err != nil {
		t.Fatal(err)
	}
	if !isMarked(message(first)) {
		t.Error("a command is decided again although its decision was kept")
	}
	second, third := command(&first), command(&first)
	mark(&second)
	third.decided = &decision{}
	if err := s.finish(third, ""); err != nil {
		t.Fatal(err)
	}
	if third.decided.event == nil || third.decided.at == 0 {
		t.Error("a decision is not kept")
	}
	if err := s.finish(second, ""); err != nil {
		t.Fatal(err)
	}
	if isMarked(message(second)) {
		t.Error("a decision is good although the conversation has gone on")
	}
}
