package projections

import (
	"maps"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"reckon/events"
)

// Each row folds one event into the conversation that the rows above it left.
func TestApplyConversation(t *testing.T) {
	account, conversation := uuid.New(), uuid.New()
	other := events.DomainRef{ID: uuid.New(), Title: "Loan"}
	message := func(domain *events.DomainRef) events.Message {
		m := request(conversation, "  distance:\t150 mi\n\ncalculate: time ")
		if domain != nil {
			m.Domain = *domain
		}
		return m
	}
	own := message(nil).Domain.ID
	type focus = map[uuid.UUID]int
	rows := []struct {
		name                             string
		event                            events.Event
		messages, current, last, pending int
		focus                            focus
	}{
		{"an error makes the head", failed(account, message(nil), ""), 1, 0, 0, 0, nil},
		{"new", completed(account, message(nil), "new", 0, 1), 2, 1, 1, 0, focus{own: 1}},
		{"extend", completed(account, message(nil), "extend", 1, 1), 3, 1, 1, 0, focus{own: 1}},
		{"missing inputs are pending", failed(account, message(nil), `{"inputs":[]}`), 4, 1, 1, 4, focus{own: 1}},
		{"an error without pending inputs leaves them", failed(account, message(nil), ""), 5, 1, 1, 4, focus{own: 1}},
		{"null is no pending input", failed(account, message(nil), "null"), 6, 1, 1, 4, focus{own: 1}},
		{"newer pending inputs take their place", failed(account, message(nil), `{"inputs":[]}`), 7, 1, 1, 7, focus{own: 1}},
		{"a completed message ends them", completed(account, message(nil), "discard", 1, 2), 8, 2, 2, 0, focus{own: 2}},
		{"a fetch moves the focus", completed(account, message(nil), "fetch", 1, 1), 9, 1, 2, 0, focus{own: 1}},
		{"another domain has a focus of its own", completed(account, message(&other), "new", 0, 3), 10, 3, 3, 0, focus{own: 1, other.ID: 3}},
		{"new from", completed(account, message(nil), "extend", 2, 4), 11, 4, 4, 0, focus{own: 4, other.ID: 3}},
		{"a started message moves nothing", started(account, message(nil)), 12, 4, 4, 0, focus{own: 4, other.ID: 3}},
		{"nor does an interpreted one", interpreted(account, message(nil)), 13, 4, 4, 0, focus{own: 4, other.ID: 3}},
	}
	var head Conversation
	for i, row := range rows {
		row.event.Sequence = uint64(10 + i)
		row.event.Time = start.Add(time.Duration(i) * time.Minute)
		before := maps.Clone(head.Focus)
		next, m := ApplyConversation(head, nil, row.event)
		if !maps.Equal(before, head.Focus) {
			t.Errorf("%s: the fold changed the head that it was given", row.name)
		}
		head = next
		if head.Messages != row.messages || head.Current != row.current || head.Last != row.last || head.Pending != row.pending || !maps.Equal(head.Focus, row.focus) {
			t.Errorf("%s: %d messages, current %d, last %d, pending %d, focus %v; want %d, %d, %d, %d, %v", row.name,
				head.Messages, head.Current, head.Last, head.Pending, head.Focus, row.messages, row.current, row.last, row.pending, row.focus)
		}
		if head.Title == nil || *head.Title != "distance: 150 mi calculate: time" {
			t.Errorf("%s: the title is %v", row.name, head.Title)
		}
		if head.AccountID != account || head.ID != conversation || head.Domain == nil || head.Domain.ID != own || head.Notes != nil {
			t.Errorf("%s: the head is %+v", row.name, head)
		}
		if head.Sequence != row.event.Sequence || !head.LastActivityAt.Equal(row.event.Time) {
			t.Errorf("%s: the head stands at %d, %s", row.name, head.Sequence, head.LastActivityAt)
		}
		if m.Number != row.messages || m.Sequence != row.event.Sequence || !m.UpdatedAt.Equal(row.event.Time) {
			t.Errorf("%s: the message is number %d at %d, %s", row.name, m.Number, m.Sequence, m.UpdatedAt)
		}
		if (m.Completed != nil) != (m.Status == Completed) || (m.Failed != nil) != (m.Status == Failed) ||
			(m.Completed == nil && m.Failed == nil) != (m.Status == InProgress) {
			t.Errorf("%s: the status is %s", row.name, m.Status)
		}
	}
}

func TestApplyConversationKeepsTheNumberOfAMessage(t *testing.T) {
	account := uuid.New()
	head, asked := ApplyConversation(Conversation{}, nil, first(account))
	asked.Status, asked.Completed = InProgress, nil
	answer := first(account)
	answer.Sequence = 9
	again, m := ApplyConversation(head, &asked, answer)
	if m.Number != 1 || again.Messages != 1 || m.Status != Completed || m.Sequence != 9 {
		t.Errorf("message %d of %d is %s at %d", m.Number, again.Messages, m.Status, m.Sequence)
	}
}

// A request in prose goes through all its events, another message's between them.
func TestApplyConversationFollowsAMessage(t *testing.T) {
	account := uuid.New()
	asked := request(uuid.New(), "how long for 150 miles?")
	var head Conversation
	messages := map[uuid.UUID]*Message{}
	fold := func(e events.Event) Message {
		e.Sequence, e.Time = head.Sequence+1, start.Add(time.Duration(head.Sequence)*time.Second)
		var m Message
		head, m = ApplyConversation(head, messages[e.Message().MessageID], e)
		messages[m.MessageID] = &m
		return m
	}
	m := fold(started(account, asked))
	if head.Messages != 1 || head.Last != 0 || head.Title == nil || *head.Title != asked.Prompt || head.ID != asked.ConversationID || m.Status != InProgress || m.Number != 1 {
		t.Fatalf("started: %+v, message %+v", head, m)
	}
	fold(completed(account, request(asked.ConversationID, "calculate: time"), "new", 0, 1))
	if m = fold(interpreted(account, asked)); head.Messages != 2 || m.Status != InProgress || m.Number != 1 || m.Interpreted == nil || head.Current != 1 {
		t.Fatalf("interpreted: %+v, message %+v", head, m)
	}
	m = fold(completed(account, asked, "discard", 1, 2))
	if head.Messages != 2 || head.Last != 2 || m.Status != Completed || m.Number != 1 || m.Interpreted != nil || !head.LastActivityAt.Equal(start.Add(3*time.Second)) {
		t.Fatalf("completed: %+v, message %+v", head, m)
	}
	before := head
	for _, late := range []events.Event{started(account, asked), interpreted(account, asked)} {
		if m = fold(late); m.Status != Completed || m.Sequence != 4 || head.Messages != 2 || head.Current != 2 || !head.LastActivityAt.Equal(before.LastActivityAt) {
			t.Errorf("an answered message is in progress again: %+v, message %+v", head, m)
		}
	}
}

func TestApplyConversationLeavesOtherEvents(t *testing.T) {
	head, _ := ApplyConversation(Conversation{}, nil, first(uuid.New()))
	next, m := ApplyConversation(head, nil, events.Event{Sequence: 7, Time: start.Add(time.Hour)})
	head.Sequence = 7
	if m.Number != 0 || next.Sequence != 7 || next.Messages != head.Messages || !next.LastActivityAt.Equal(head.LastActivityAt) {
		t.Errorf("the head is %+v, message %d", next, m.Number)
	}
}

func TestTitle(t *testing.T) {
	a := func(n int) string { return strings.Repeat("a", n) }
	rows := []struct{ prompt, title string }{
		{"how long for 150 miles?", "how long for 150 miles?"},
		{"  how\tlong \r\n for\u00a0150   miles?\n", "how long for 150 miles?"},
		{a(80), a(80)},
		{a(80) + " \n ", a(80)},
		{a(81), a(80) + "…"},
		{a(79) + " b", a(79) + "…"},
		{a(78) + " b", a(78) + " b"},
		{a(78) + " b c", a(78) + " b…"},
		{a(40) + " " + a(50), a(40) + "…"},
		{a(40) + " " + a(39) + " c", a(40) + " " + a(39) + "…"},
		{" " + a(200) + " b", a(80) + "…"},
		{strings.Repeat("ä", 80), strings.Repeat("ä", 80)},
		{strings.Repeat("ä", 81), strings.Repeat("ä", 80) + "…"},
	}
	for _, row := range rows {
		title := titleOf(row.prompt)
		if title == nil || *title != row.title {
			t.Errorf("the title of %q is %v, want %q", row.prompt, title, row.title)
		}
	}
	for _, blank := range []string{"", " ", "\n\t\u2003"} {
		if title := titleOf(blank); title != nil {
			t.Errorf("the title of %q is %q", blank, *title)
		}
	}
}

func TestTitleLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		prompt := rapid.StringOfN(rapid.RuneFrom([]rune("abäß \n\t")), 0, 200, -1).Draw(t, "prompt")
		collapsed := strings.Join(strings.Fields(prompt), " ")
		title := titleOf(prompt)
		switch {
		case collapsed == "":
			if title != nil {
				t.Fatalf("the title is %q", *title)
			}
		case utf8.RuneCountInString(collapsed) <= titleLength:
			if *title != collapsed {
				t.Fatalf("the title is %q, want %q", *title, collapsed)
			}
		default:
			cut, marked := strings.CutSuffix(*title, "…")
			rest, isStart := strings.CutPrefix(collapsed, cut)
			length := utf8.RuneCountInString(cut)
			if !marked || !isStart || length > titleLength {
				t.Fatalf("the title is %q", *title)
			}
			word, _, more := strings.Cut(strings.TrimPrefix(rest, " "), " ")
			atWord := strings.HasPrefix(rest, " ")
			if atWord && more && length+1+utf8.RuneCountInString(word) <= titleLength {
				t.Fatalf("the title %q leaves out %q, which has room", *title, word)
			}
			if !atWord && (strings.Contains(cut, " ") || length != titleLength) {
				t.Fatalf("the title %q is cut within a word", *title)
			}
		}
	})
}
