package commands

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"reckon/engine/prompt"
)

// TestProseInOneConversation lets callers on two nodes ask in prose and in structured text in one
// conversation: each what-if gets a scenario of its own, each message a number of its own, and what
// a worker reads of the log is what the views show.
func TestProseInOneConversation(t *testing.T) {
	c := startNodes(t, 2)
	opened := c.answered(t, c.nodes[0], c.prose(howLong))
	id := opened.ConversationID
	const callers, each = 4, 4
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() {
			for n := range each {
				node := c.nodes[(i+n)%2]
				speed := 100 + i*each + n
				r := c.prose(fmt.Sprintf("back to the first one: what if the speed is %d mph?", speed))
				if n%2 == 0 {
					r = c.request(fmt.Sprintf("scenario: 1\nspeed: %d mi/h", speed))
				}
				r.Conversation = &id
				a, err := node.Calculate(t.Context(), r)
				if err == nil {
					a.Message, err = node.Await(t.Context(), c.account.ID, a.Message)
				}
				if err != nil || a.Message.Completed == nil || a.Message.Completed.Results.Scenario.Original != 1 {
					t.Errorf("%+v: %v", a.Message.Failed, err)
				}
			}
		})
	}
	all.Wait()
	s := c.nodes[0]
	if err := s.views.Fresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	head, _, err := s.views.Conversation(t.Context(), c.account.ID, id)
	if err != nil || head.Messages != callers*each+1 || head.Last != callers*each+1 {
		t.Fatalf("%d messages and %d scenarios: %v", head.Messages, head.Last, err)
	}
	folded, err := s.views.Messages(t.Context(), c.account.ID, id, 1, head.Messages)
	if err != nil {
		t.Fatal(err)
	}
	v := &conversation{service: s, account: c.account.ID, id: id}
	if err := v.catchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := string(Encode(v.head)), string(Encode(head)); got != want {
		t.Errorf("the log makes\n%s\nof the conversation, the views show\n%s", got, want)
	}
	for _, want := range folded {
		got, err := v.message(t.Context(), want.MessageID)
		if err != nil || got == nil || got.Number != want.Number || got.Status != want.Status || got.Sequence != want.Sequence {
			t.Errorf("the log makes message %+v, %v", got, err)
		}
	}
	for index := 1; index <= head.Last; index++ {
		original := min(index-1, 1)
		seen, err := s.views.Origin(t.Context(), c.account.ID, id, index)
		if err != nil || seen != original {
			t.Errorf("the views show that scenario %d came from %d: %v", index, seen, err)
		}
		if read, err := v.origin(t.Context(), index); err != nil || read != original {
			t.Errorf("the log tells that scenario %d came from %d: %v", index, read, err)
		}
	}
}

// TestGoldenProse runs the conversations of testdata/prose.txt: a line "= NAME" begins one, a line
// "? PROMPT" is said in prose, a line "> PROMPT" in structured text or JSON (with " / " between the
// lines of a prompt). What stands below is what it did, and for prose as what it was read.
func TestGoldenProse(t *testing.T) {
	const file = "testdata/prose.txt"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	d := trip(t)
	var got strings.Builder
	var h *history
	for _, line := range strings.Split(string(data), "\n") {
		switch {
		case strings.HasPrefix(line, "= "):
			h = newHistory()
			if got.Len() > 0 {
				got.WriteString("\n")
			}
			got.WriteString(line + "\n")
		case strings.HasPrefix(line, "? "):
			m := h.sayAs(d, prompt.NaturalLanguage, line[2:])
			got.WriteString(line + "\n")
			if m.Completed != nil {
				fmt.Fprintf(&got, "%s\n", m.Completed.Parsed)
				if m.Completed.NaturalLanguage == nil || *m.Completed.NaturalLanguage == "" || m.Completed.StructuredText != nil {
					t.Errorf("%s: it is told as %v and %v", line, m.Completed.NaturalLanguage, m.Completed.StructuredText)
				}
			}
			got.WriteString(h.told(m))
		case strings.HasPrefix(line, "> "):
			m := h.say(d, strings.ReplaceAll(line[2:], " / ", "\n"))
			got.WriteString(line + "\n" + h.told(m))
			if m.Completed != nil && m.Completed.NaturalLanguage != nil {
				t.Errorf("%s: it is told in prose", line)
			}
		}
	}
	golden(t, file, got.String())
}
