package history

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/events"
)

// A scenario that an event of another version made, which this one passes over, is not shown; what
// follows on it is.
func TestHistoryAroundAnUnknownEvent(t *testing.T) {
	c := start(t, commands.Model{})
	id := uuid.New()
	completed := &events.MessageCompleted{
		Message: events.Message{ConversationID: id, MessageID: uuid.New(), Domain: events.DomainRef{ID: c.domain, Version: 1}},
		Results: events.Results{Action: "discard", Scenario: events.ScenarioRef{Original: 1, Current: 2}},
	}
	e := events.Event{ID: uuid.New(), Time: time.Now(), Subject: events.ConversationSubject(c.account.ID, id), Data: completed}
	if _, err := c.log.Append(t.Context(), e, 0); err != nil {
		t.Fatal(err)
	}
	s, err := At(t.Context(), c.log, id, Moment{})
	if err != nil || len(s.Scenarios) != 1 || s.Scenarios[0].Index != 2 || s.Scenarios[0].Message.MessageID != completed.MessageID {
		t.Errorf("the scenarios are %+v: %v", s.Scenarios, err)
	}
}
