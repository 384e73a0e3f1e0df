package commands

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/uuid"
)

// What is rehearsed is answered as a calculation would be, and leaves nothing.
func TestARehearsalLeavesNothing(t *testing.T) {
	t.Parallel()
	c := startNodes(t, 1)
	s := c.nodes[0]
	asked, err := s.Calculate(t.Context(), Request{Account: c.account, Domain: c.domain, Prompt: "distance: 150 mi\nspeed: 60 mi/h\ncalculate: time in min", Source: SourceChat})
	if err != nil {
		t.Fatal(err)
	}
	if asked.Message.Source != SourceChat {
		t.Errorf("source %q", asked.Message.Source)
	}
	conversation, before := asked.Message.ConversationID, s.views.At()
	again := Request{Account: c.account, Domain: c.domain, Conversation: &conversation, Prompt: `{"inputs": [{"key": "speed", "value": "75 mi/h"}], "calculate": {"key": "time", "unit": "min"}, "scenario": "1"}`}
	var swept Sweep
	m, err := s.Rehearse(t.Context(), again, func(k Kept) {
		swept = SweepOver(k, "", []Range{{Name: "distance", From: "75 mi", To: "150 mi", Steps: 2}})
	})
	if err != nil {
		t.Fatal(err)
	}
	if m.Completed == nil || string(m.Completed.Results.Value("time")) != `"120 min"` || m.Completed.Results.Scenario.Current != 2 {
		t.Errorf("rehearsed: %+v", m)
	}
	if m, err := s.Rehearse(t.Context(), Request{Account: c.account, Domain: c.domain, Prompt: "how long for 150 miles at 75 mph?"}, nil); err != nil || m.Completed == nil {
		t.Errorf("prose: %+v %v", m, err)
	}
	if len(swept.Points) != 2 || swept.Points[0].Value != "60 min" || swept.Points[1].Value != "120 min" {
		t.Errorf("swept: %+v", swept)
	}
	none := uuid.New()
	if _, err := s.Rehearse(t.Context(), Request{Account: c.account, Domain: c.domain, Conversation: &none, Prompt: "x"}, nil); !errors.Is(err, ErrUnknownConversation) {
		t.Errorf("no conversation: %v", err)
	}
	if at := s.views.At(); at != before {
		t.Errorf("%d events after the rehearsals, %d before", at, before)
	}
	kept, err := s.Calculate(t.Context(), again)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := encoded(t, kept.Message.Completed.Results), encoded(t, m.Completed.Results); got != want {
		t.Errorf("kept:\n%s\nrehearsed:\n%s", got, want)
	}
	if kept.Message.Source != SourceAPI {
		t.Errorf("source %q", kept.Message.Source)
	}
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
