package projections

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"

	"reckon/events"
)

// Message statuses.
const (
	Completed  = "completed"
	InProgress = "in_progress"
	Failed     = "error"
)

// Message is one calculation of a conversation, as asked and answered. What its pointers lead to is shared and must not be
// changed.
type Message struct {
	events.Message
	Status      string
	UpdatedAt   time.Time
	Interpreted *events.MessageInterpreted // of a message in progress that a language model has read, else nil
	Completed   *events.MessageCompleted   // of a completed message
	Failed      *events.MessageFailed      // of a failed one
	Number      int                        // position in the conversation, from 1
	Sequence    uint64                     // of the newest event of the message
}

// messageDocument is a Message as it is stored: the request stands once, within what was made of it where there is that.
type messageDocument struct {
	Number      int                        `json:"number"`
	Status      string                     `json:"status"`
	UpdatedAt   time.Time                  `json:"updated_at"`
	Request     *events.Message            `json:"request,omitempty"` // of a message in progress
	Interpreted *events.MessageInterpreted `json:"interpreted,omitempty"`
	Completed   *events.MessageCompleted   `json:"completed,omitempty"`
	Failed      *events.MessageFailed      `json:"failed,omitempty"`
	Sequence    uint64                     `json:"sequence"`
}

// document is a message as it is stored.
func (m Message) document() messageDocument {
	d := messageDocument{
		Number: m.Number, Status: m.Status, UpdatedAt: m.UpdatedAt,
		Interpreted: m.Interpreted, Completed: m.Completed, Failed: m.Failed, Sequence: m.Sequence,
	}
	if m.Interpreted == nil && m.Completed == nil && m.Failed == nil {
		d.Request = &m.Message
	}
	return d
}

// decodeMessage reads a stored message.
func decodeMessage(value []byte) (Message, error) {
	var d messageDocument
	if err := json.Unmarshal(value, &d); err != nil {
		return Message{}, err
	}
	m := Message{
		Status: d.Status, UpdatedAt: d.UpdatedAt,
		Interpreted: d.Interpreted, Completed: d.Completed, Failed: d.Failed,
		Number: d.Number, Sequence: d.Sequence,
	}
	switch {
	case d.Completed != nil:
		m.Message = d.Completed.Message
	case d.Failed != nil:
		m.Message = d.Failed.Message
	case d.Interpreted != nil:
		m.Message = d.Interpreted.Message
	case d.Request != nil:
		m.Message = *d.Request
	default:
		return Message{}, errors.New("it has neither request nor answer")
	}
	return m, nil
}

// Conversation is the bounded head of a conversation. Its messages and scenarios are read one by one. The maps and pointers
// are shared and must not be changed.
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
// none. A message that is answered is in progress no more. Events of other types change nothing but the sequence and yield
// no message (its number is 0).
func ApplyConversation(c Conversation, previous *Message, e events.Event) (Conversation, Message) {
	c.Sequence = e.Sequence
	var m Message
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
		return c, Message{}
	}
	if m.Status == InProgress && previous != nil && previous.Status != InProgress {
		return c, *previous
	}
	m.UpdatedAt = e.Time
	m.Sequence = e.Sequence
	if previous != nil {
		m.Number = previous.Number
	} else {
		c.Messages++
		m.Number = c.Messages
	}
	if previous == nil && m.Number == 1 {
		domain := m.Domain
		c.AccountID, c.ID = e.Subject.Account(), m.ConversationID
		c.Title = titleOf(m.Prompt)
		c.Domain = &domain
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

// messageKey names a message by its number.
type messageKey struct {
	conversationKey
	number int
}

// Conversation returns a conversation's head.
func (v *Views) Conversation(ctx context.Context, account, id uuid.UUID) (Conversation, bool, error) {
	g, done := v.use()
	defer done()
	heads, err := g.heads(ctx, []conversationKey{{account, id}})
	if err != nil {
		return Conversation{}, false, err
	}
	head, ok := heads[conversationKey{account, id}]
	return head, ok, nil
}

// heads reads the heads of conversations; those that do not exist are absent.
func (g *generation) heads(ctx context.Context, keys []conversationKey) (map[conversationKey]Conversation, error) {
	heads := make(map[conversationKey]Conversation, len(keys))
	var missing []conversationKey
	var names []string
	for _, key := range keys {
		if head, ok := g.headCache.get(key); ok {
			heads[key] = head
		} else {
			missing = append(missing, key)
			names = append(names, headKey(key))
		}
	}
	values, err := g.store.conversations.getAll(ctx, names)
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		value, ok := values[name]
		if !ok {
			continue
		}
		var head Conversation
		if err := json.Unmarshal(value, &head); err != nil {
			return nil, fmt.Errorf("decode conversation %s: %w", missing[i].conversation, err)
		}
		heads[missing[i]] = head
	}
	return heads, nil
}

// Message returns one message of a conversation by its id.
func (v *Views) Message(ctx context.Context, account, conversation, id uuid.UUID) (Message, bool, error) {
	g, done := v.use()
	defer done()
	key := conversationKey{account, conversation}
	return g.pointedMessage(ctx, key, idKey(key, id))
}

// Scenario returns the message that a scenario now stands at: the last one that was not a fetch.
func (v *Views) Scenario(ctx context.Context, account, conversation uuid.UUID, index int) (Message, bool, error) {
	g, done := v.use()
	defer done()
	key := conversationKey{account, conversation}
	return g.pointedMessage(ctx, key, scenarioKey(key, index))
}

// Origin returns the scenario that a scenario branched off from, 0 for none.
func (v *Views) Origin(ctx context.Context, account, conversation uuid.UUID, index int) (int, error) {
	g, done := v.use()
	defer done()
	value, err := g.store.conversations.get(ctx, originKey(conversationKey{account, conversation}, index))
	if err != nil || value == nil {
		return 0, err
	}
	var o origin
	if err := json.Unmarshal(value, &o); err != nil {
		return 0, fmt.Errorf("decode origin of scenario %d of conversation %s: %w", index, conversation, err)
	}
	return o.Original, nil
}

// origin is the document of a scenario that branched off from another one.
type origin struct {
	Original int    `json:"original"`
	Sequence uint64 `json:"sequence"`
}

// pointer is the document that leads from a message id or a scenario to a message.
type pointer struct {
	Number   int    `json:"number"`
	Sequence uint64 `json:"sequence"`
}

// pointedMessage reads the message that the pointer at a key leads to.
func (g *generation) pointedMessage(ctx context.Context, key conversationKey, name string) (Message, bool, error) {
	value, err := g.store.conversations.get(ctx, name)
	if err != nil || value == nil {
		return Message{}, false, err
	}
	var to pointer
	if err := json.Unmarshal(value, &to); err != nil {
		return Message{}, false, fmt.Errorf("decode pointer of conversation %s: %w", key.conversation, err)
	}
	found, err := g.messages(ctx, key, to.Number, to.Number)
	if err != nil || len(found) == 0 {
		return Message{}, false, err
	}
	return found[0], true, nil
}

// Messages returns the messages numbered from first to last, in that order; numbers that the conversation does not have are
// left out.
func (v *Views) Messages(ctx context.Context, account, conversation uuid.UUID, first, last int) ([]Message, error) {
	g, done := v.use()
	defer done()
	return g.messages(ctx, conversationKey{account, conversation}, first, last)
}

func (g *generation) messages(ctx context.Context, key conversationKey, first, last int) ([]Message, error) {
	var list []Message
	for from := max(first, 1); from <= last; from += maxKeys {
		page, err := g.messagePage(ctx, key, from, min(last, from+maxKeys-1))
		if err != nil {
			return nil, err
		}
		list = append(list, page...)
		if len(page) == 0 {
			break
		}
	}
	return list, nil
}

// messagePage reads at most maxKeys messages with one request for those that are not in the cache.
func (g *generation) messagePage(ctx context.Context, key conversationKey, first, last int) ([]Message, error) {
	page := make([]Message, last-first+1)
	var missing []int
	var names []string
	for number := first; number <= last; number++ {
		if m, ok := g.messageCache.get(messageKey{key, number}); ok {
			page[number-first] = m
		} else {
			missing = append(missing, number)
			names = append(names, numberKey(key, number))
		}
	}
	values, err := g.store.conversations.getAll(ctx, names)
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		value, ok := values[name]
		if !ok {
			continue
		}
		if page[missing[i]-first], err = decodeMessage(value); err != nil {
			return nil, fmt.Errorf("decode message %d of conversation %s: %w", missing[i], key.conversation, err)
		}
	}
	present := page[:0]
	for _, m := range page {
		if m.Number > 0 {
			present = append(present, m)
		}
	}
	return present, nil
}
