package projections

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"reckon/events"
)

// Conversation is what a conversation shows of itself as a whole. It is bounded; messages and
// scenarios are read one by one. The maps and pointers are shared and must not be changed.
type Conversation struct {
	AccountID      uuid.UUID         `json:"account_id"`
	ID             uuid.UUID         `json:"id"`
	Title          *string           `json:"title"`
	Notes          *string           `json:"notes"`
	Domain         *DomainRef        `json:"domain"`            // of the first message
	Messages       int               `json:"messages"`          // how many; they are numbered from 1
	Current        int               `json:"current"`           // scenario in focus, 0 for none
	Last           int               `json:"last"`              // scenario created last, 0 for none
	Focus          map[uuid.UUID]int `json:"focus,omitempty"`   // scenario last in focus, by domain
	Pending        int               `json:"pending"`           // message that awaits missing inputs or a choice, 0 for none
	Sources        []string          `json:"sources,omitempty"` // of its messages: api, chat
	LastActivityAt time.Time         `json:"last_activity_at"`
	Described      bool              `json:"described,omitempty"` // people have written its title or notes
	Active         uint64            `json:"active,omitempty"`    // newest event of a message, where the newest event is none; else 0
	Erased         bool              `json:"erased,omitempty"`    // nothing else is left of it, and nobody sees it
	Sequence       uint64            `json:"sequence"`            // of the newest event folded in
}

// place is the sequence that a conversation stands at in lists: that of the newest event of a
// message.
func (c Conversation) place() uint64 { return cmp.Or(c.Active, c.Sequence) }

// ApplyConversation folds an event of a conversation's subject: the new head and the message that
// it is about (previous is that message as it was, nil for a new one, which takes the next number).
// The first message makes the head. A message in progress moves no scenario, a completed one moves
// the scenario indexes and ends pending inputs, a failed one moves none. A message that is answered
// is in progress no more: an event that says so of it yields previous, of which besides that only
// number and status count. A title and notes that people wrote yield no message (its number is 0)
// and leave the place in lists. Events of other types change nothing but the sequence and yield no
// message. One that is erased stays so, and no event changes it any more.
func ApplyConversation(c Conversation, previous *Message, e events.Event) (Conversation, Message) {
	if c.Erased {
		return c, Message{}
	}
	if erased, is := e.Data.(*events.ConversationErased); is {
		return Conversation{AccountID: e.Subject.Account(), ID: erased.ConversationID, Erased: true, Sequence: e.Sequence}, Message{}
	}
	if data, ok := e.Data.(*events.ConversationDescribed); ok {
		c.Active, c.Sequence, c.Described = c.place(), e.Sequence, true
		c.Title, c.Notes = rewritten(c.Title, data.Title), rewritten(c.Notes, data.Notes)
		return c, Message{}
	}
	c.Active, c.Sequence = 0, e.Sequence
	m, ok := messageOf(e)
	if !ok {
		return c, Message{}
	}
	if m.Status == InProgress && previous != nil && previous.Status != InProgress {
		return c, *previous
	}
	if previous != nil {
		m.Number = previous.Number
	} else {
		c.Messages++
		m.Number = c.Messages
	}
	if previous == nil && m.Number == 1 {
		domain := m.Domain
		c.AccountID, c.ID = e.Subject.Account(), m.ConversationID
		c.Title, c.Domain = titleOf(m.Prompt), &domain
	}
	c.LastActivityAt = e.Time
	if !slices.Contains(c.Sources, m.Source) {
		c.Sources = append(slices.Clone(c.Sources), m.Source)
	}
	switch {
	case m.Completed != nil:
		c.Current = m.Completed.Results.Scenario.Current
		c.Last = max(c.Last, c.Current)
		if at, ok := c.Focus[m.Domain.ID]; !ok || at != c.Current {
			focus := maps.Clone(c.Focus)
			if focus == nil {
				focus = map[uuid.UUID]int{}
			}
			focus[m.Domain.ID] = c.Current
			c.Focus = focus
		}
		c.Pending = 0
	case m.Failed != nil && m.Failed.Awaits():
		c.Pending = m.Number
	}
	return c, m
}

// rewritten is a text that a person replaced, took away, or left as it was.
func rewritten(was, is *string) *string {
	switch {
	case is == nil:
		return was
	case *is == "":
		return nil
	}
	return is
}

// titleLength is how many code points of a prompt a title takes, the mark of a cut not counted.
const titleLength = 80

// titleOf is the title that a first prompt gives: white space collapsed to single spaces and
// trimmed, whole when that has at most 80 code points. A longer one is cut behind the last word
// that ends within the first 80 code points, and a first word that is longer than that behind its
// 80th code point; "…" follows directly. A blank prompt gives none.
func titleOf(prompt string) *string {
	var title strings.Builder
	length := 0
	for word := range strings.FieldsSeq(prompt) {
		if length > 0 {
			word = " " + word
		}
		size := utf8.RuneCountInString(word)
		if length+size > titleLength {
			if length == 0 {
				title.WriteString(string([]rune(word)[:titleLength]))
			}
			title.WriteString("…")
			break
		}
		title.WriteString(word)
		length += size
	}
	if title.Len() == 0 {
		return nil
	}
	text := title.String()
	return &text
}
