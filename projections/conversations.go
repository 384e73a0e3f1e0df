package projections

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"

	"reckon/events"
)

// Conversation is what a conversation shows of itself as a whole. It is bounded; messages and scenarios are read one by one. The
// maps and pointers are shared and must not be changed.
type Conversation struct {
	AccountID      uuid.UUID         `json:"account_id"`
	ID             uuid.UUID         `json:"id"`
	Title          *string           `json:"title"`
	Notes          *string           `json:"notes"`
	Domain         *DomainRef        `json:"domain"`          // of the first message
	Messages       int               `json:"messages"`        // how many there are; they are numbered from 1
	Current        int               `json:"current"`         // scenario in focus, 0 for none
	Last           int               `json:"last"`            // scenario created last, 0 for none
	Focus          map[uuid.UUID]int `json:"focus,omitempty"` // by domain: the scenario last in focus
	Pending        int               `json:"pending"`         // number of the message whose inputs are pending after calculation.missing_inputs, 0 for none
	LastActivityAt time.Time         `json:"last_activity_at"`
	Sequence       uint64            `json:"sequence"` // of the newest event folded in
}

// ApplyConversation folds an event of a conversation's subject: the new head and the message that it is about (previous
// is that message as it was, nil for a new one, which takes the next number). The first message makes the head. A message
// in progress moves no scenario, a completed one moves the scenario indexes and ends pending inputs, a failed one moves
// none. A message that is answered is in progress no more: an event that says so of it yields previous, of which besides that
// only number and status count. Events of other types change nothing but the sequence and yield no message (its number is 0).
func ApplyConversation(c Conversation, previous *Message, e events.Event) (Conversation, Message) {
	c.Sequence = e.Sequence
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
	case m.Failed != nil && stated(m.Failed.Pending):
		c.Pending = m.Number
	}
	return c, m
}

// stated tells whether an optional JSON value is there and not null.
func stated(value json.RawMessage) bool { return len(value) > 0 && string(value) != "null" }

// titleLength is how many code points of a prompt a title takes, the mark of a cut not counted.
const titleLength = 80

// titleOf is the title that a first prompt gives: white space collapsed to single spaces and trimmed, whole when that has
// at most 80 code points. A longer one is cut behind the last word that ends within the first 80 code points, and a
// first word that is longer than that behind its 80th code point; "…" follows directly. A blank prompt gives none.
func titleOf(prompt string) *string {
	var text strings.Builder
	length, wordEnd, space := 0, 0, false
	for _, r := range prompt {
		if unicode.IsSpace(r) {
			if !space && length > 0 {
				wordEnd = text.Len()
			}
			space = true
			continue
		}
		gap := 0
		if space && length > 0 {
			gap = 1
		}
		if length+gap+1 > titleLength {
			cut := text.String()
			if wordEnd > 0 {
				cut = cut[:wordEnd]
			}
			cut += "…"
			return &cut
		}
		if gap == 1 {
			text.WriteByte(' ')
		}
		text.WriteRune(r)
		length += gap + 1
		space = false
	}
	if length == 0 {
		return nil
	}
	title := text.String()
	return &title
}

// conversationKey names a conversation within its account.
type conversationKey struct{ account, conversation uuid.UUID }

// Conversation returns a conversation's head.
func (v *Views) Conversation(ctx context.Context, account, id uuid.UUID) (Conversation, bool, error) {
	g, done := v.use()
	defer done()
	h, found, err := g.head(ctx, conversationKey{account, id})
	return h.Conversation, found, err
}

// head reads the head of a conversation. One that is not in the order of activity has none.
func (g *generation) head(ctx context.Context, key conversationKey) (h head, found bool, err error) {
	if h, found = g.headCache.Get(key); found || !g.activity.known(key) {
		return h, found, nil
	}
	heads, err := g.heads(ctx, []conversationKey{key})
	if err != nil {
		return head{}, false, err
	}
	h, found = heads[key]
	return h, found, nil
}

// heads reads the heads of conversations; those that do not exist are absent. The server would read whole blocks of the bucket's stream,
// so that it is asked only for those that cannot be read from its files.
func (g *generation) heads(ctx context.Context, keys []conversationKey) (map[conversationKey]head, error) {
	heads := make(map[conversationKey]head, len(keys))
	names := map[string]conversationKey{}
	var records []uint64
	for _, key := range keys {
		if h, ok := g.headCache.Get(key); ok {
			heads[key] = h
			continue
		}
		name := headKey(key)
		if h, ok := g.backlog.get(location{g.store.conversations, name}); ok {
			heads[key] = h.(head)
			continue
		}
		names[name] = key
		records = append(records, g.activity.record(key)) // of one that is not in the backlog it is the newest
	}
	take := func(name string, value []byte) error {
		key, ok := names[name]
		if !ok {
			return nil
		}
		var h head
		if err := events.Unmarshal(value, &h); err != nil {
			return fmt.Errorf("decode conversation %s: %w", key.conversation, err)
		}
		heads[key] = h
		delete(names, name)
		return nil
	}
	slices.Sort(records)
	if err := g.store.conversations.at(records, take); err != nil {
		return nil, err
	}
	values, err := g.store.conversations.getAll(ctx, slices.Collect(maps.Keys(names)))
	if err != nil {
		return nil, err
	}
	for name, value := range values {
		if err := take(name, value); err != nil {
			return nil, err
		}
	}
	return heads, nil
}
