package projections

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/google/uuid"

	"reckon/events"
)

// conversationsModel has the documents <account>.<conversation>: head, and
// <account>.<conversation>.m.<n> and .s.<n>: page.
var conversationsModel = model{
	name: "conversations", version: 6, readable: 3, words: true,
	folds: []any{
		(*events.ConversationErased)(nil),
		(*events.ConversationDescribed)(nil),
		(*events.MessageStarted)(nil), (*events.MessageInterpreted)(nil),
		(*events.MessageCompleted)(nil), (*events.MessageFailed)(nil),
	},
	open: func(b *bucket, messages *messageLog) view { return openConversations(b, messages) },
	part: func(key string) (whole, what string) {
		if _, rest, ok := parsePair(key); ok && (strings.HasPrefix(rest, ".m.") || strings.HasPrefix(rest, ".s.")) {
			return key[:pairLength], "the conversation has no such page"
		}
		return "", ""
	},
}

// cachedHeads is about how many bytes of heads stay in memory.
const cachedHeads = 16 << 20

// conversations holds the order of all conversations in memory, and the heads that were used last.
type conversations struct {
	bucket   *bucket
	messages *messageLog
	recency  *recency
	heads    *Cache[entityKey, head] // has no older state than recency
	// version is a seqlock: odd while what is shown changes.
	version atomic.Uint64

	// What is folded and not shown yet.
	staging map[entityKey]*stagedHead
	pages   map[pageKey]*stagedPage
	made    []Message // oldest first; until they are taken or others are folded

	// What was folded of erasures, until it is taken.
	erased bool        // there was something
	late   []entityKey // erased conversations that events have come to
}

// stagedHead is the head of a conversation that events are about. Its lists are no reader's.
type stagedHead struct {
	head
	changed   bool
	newest    uint64 // sequence of the newest event of a message, 0 for none
	described uint64 // sequence of the newest event that describes it, 0 for none
}

// stagedPage is a page that was read or made. Its lists are no reader's.
type stagedPage struct {
	page
	changed bool
}

func openConversations(b *bucket, messages *messageLog) *conversations {
	return &conversations{
		bucket: b, messages: messages, recency: newRecency(), heads: NewCache[entityKey, head](cachedHeads),
		staging: map[entityKey]*stagedHead{}, pages: map[pageKey]*stagedPage{},
	}
}

// load reads the order of all conversations from their heads.
func (s *conversations) load(ctx context.Context) error {
	type listed struct {
		key              entityKey
		place, described uint64
		erased, ever     bool
	}
	var all []listed
	err := s.bucket.each(ctx, "*.*", func(name string, value []byte) error {
		key, _, ok := parsePair(name)
		place, described, whole := placeOf(value)
		if !ok || !whole {
			return fmt.Errorf("conversation %s names no event", name)
		}
		all = append(all, listed{key, place, described, isErased(value), bytes.Contains(value, []byte(`"described":true,`))})
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b listed) int { return cmp.Compare(a.place, b.place) })
	for _, at := range all {
		if at.erased {
			s.recency.erase(at.key, at.place)
			continue
		}
		s.recency.set(at.key, at.place)
		s.recency.describe(at.key, at.described)
		if at.ever {
			s.recency.wasDescribed(at.key)
		}
	}
	return nil
}

// isErased tells of the document of a conversation whether that is erased, without decoding it: no
// text in it has quotes that are not escaped.
func isErased(value []byte) bool {
	end := bytes.LastIndex(value, []byte(`"sequence":`))
	return end > 0 && bytes.HasSuffix(value[:end], []byte(`"erased":true,`))
}

// Described are the conversations of an account whose title or notes people have written.
func (v *Views) Described(account uuid.UUID) []uuid.UUID {
	return viewOf[*conversations](v.serving.Load()).recency.everDescribed(account)
}

// Erased tells whether a conversation was erased.
func (v *Views) Erased(ctx context.Context, account, id uuid.UUID) (bool, error) {
	by, err := v.ErasedBy(ctx, account, id)
	return by > 0, err
}

// ErasedBy is the sequence of the first event that erased a conversation, 0 for none.
func (v *Views) ErasedBy(ctx context.Context, account, id uuid.UUID) (sequence uint64, err error) {
	g, done := v.use()
	defer done()
	c, key := viewOf[*conversations](g), entityKey{account, id}
	if c.recency.sequence(key) == 0 { // most are new
		return 0, nil
	}
	h, ok := c.heads.Get(key)
	if !ok {
		var heads map[entityKey]head
		heads, err = c.readHeads(ctx, []entityKey{key})
		h = heads[key]
	}
	if !h.Erased {
		return 0, err
	}
	return h.Sequence, err
}

// Conversation returns a conversation's head.
func (v *Views) Conversation(ctx context.Context, account, id uuid.UUID) (Conversation, bool, error) {
	g, done := v.use()
	defer done()
	h, found, err := viewOf[*conversations](g).head(ctx, entityKey{account, id})
	return h.Conversation, found, err
}

func (s *conversations) head(ctx context.Context, key entityKey) (h head, found bool, err error) {
	if h, found = s.heads.Get(key); !found {
		var heads map[entityKey]head
		heads, err = s.readHeads(ctx, []entityKey{key})
		h, found = heads[key]
	}
	if h.Erased {
		return head{}, false, err
	}
	return h, found, err
}

// readHeads reads the heads of conversations; those that do not exist are absent. One that is not
// in the order has none.
func (s *conversations) readHeads(ctx context.Context, keys []entityKey) (map[entityKey]head, error) {
	heads := make(map[entityKey]head, len(keys))
	var missing []entityKey
	var names []string
	for _, key := range keys {
		if h, ok := s.heads.Get(key); ok {
			heads[key] = h
		} else if s.recency.sequence(key) > 0 {
			missing, names = append(missing, key), append(names, key.String())
		}
	}
	if len(missing) == 0 {
		return heads, nil
	}
	found, err := read[head](ctx, s.bucket, names)
	for i, key := range missing {
		if h, ok := found[names[i]]; ok {
			heads[key] = h
			// The order moves before a newer head is put: what agrees with the order is the newest
			// head, or one follows.
			s.heads.Add(key, h, h.weight(), func() bool { return s.recency.sequence(key) == h.Sequence })
		}
	}
	return heads, err
}

// prefetch reads the heads that the events need and that may exist. A conversation that is not in
// the order has none that counts: nothing of it was folded before the checkpoint.
func (s *conversations) prefetch(ctx context.Context, list []events.Event) error {
	var keys []entityKey
	for i := range list {
		key := entityKey{list[i].Subject.Account(), list[i].Conversation()}
		if _, ok := s.staging[key]; !ok {
			s.staging[key] = &stagedHead{}
			keys = append(keys, key)
		}
	}
	heads, err := s.readHeads(ctx, keys)
	for key, h := range heads {
		h.Places, h.Scenarios = slices.Clone(h.Places), slices.Clone(h.Scenarios)
		s.staging[key].head = h
	}
	s.made = nil
	return err
}

func (s *conversations) apply(ctx context.Context, e events.Event) error {
	request := e.Message()
	key := entityKey{e.Subject.Account(), e.Conversation()}
	c := s.staging[key]
	_, erases := e.Data.(*events.ConversationErased)
	_, prompt := e.Data.(*events.PromptStored)
	switch {
	case c.head.Erased:
		if s.erased = true; !erases && e.Sequence > c.head.Sequence {
			s.late = append(s.late, key)
		}
		return nil
	case erases:
		s.erase(key, c, e)
		return nil
	case prompt: // its message says all that is shown
		return nil
	case request == nil:
		c.describe(e)
		return nil
	}
	c.newest = e.Sequence
	if c.head.Sequence >= e.Sequence {
		return nil
	}
	number, known, err := c.head.locate(request.MessageID, func(n int) (page, error) {
		p, err := s.stage(ctx, messagePage(key, n))
		return p.page, err
	})
	if err != nil {
		return err
	}
	var previous *Message
	if number > 0 {
		previous = &Message{Number: number, Status: Completed, Sequence: known.Sequence}
		if known.InProgress {
			previous.Status = InProgress
		}
	}
	last := c.head.Last
	next, m := ApplyConversation(c.head.Conversation, previous, e)
	c.head.Conversation, c.changed = next, true
	s.cutPages(key, c, last, e.Sequence)
	if m.Sequence != e.Sequence {
		return nil
	}
	s.made = append(s.made, m)
	if err := s.setPlace(ctx, key, c, m); err != nil {
		return err
	}
	if m.Completed != nil && m.Completed.Results.Action != "fetch" && next.Current > 0 {
		return s.setScenario(ctx, key, c, m)
	}
	return nil
}

// erase leaves of a conversation that it is erased. Its pages that are in the bucket, which have no
// words, go when the model is rebuilt.
func (s *conversations) erase(key entityKey, c *stagedHead, e events.Event) {
	next, _ := ApplyConversation(c.head.Conversation, nil, e)
	c.head, c.changed = head{Conversation: next, Places: []messageRef{}}, true
	for page := range s.pages {
		if page.entityKey == key {
			delete(s.pages, page)
		}
	}
	s.made = slices.DeleteFunc(s.made, func(m Message) bool { return m.ConversationID == key.id })
	s.erased = true
}

// describe takes in what a person wrote of a conversation, unless there is none.
func (c *stagedHead) describe(e events.Event) {
	if c.head.Messages == 0 {
		return
	}
	c.described = e.Sequence
	if c.head.Sequence < e.Sequence {
		c.head.Conversation, _ = ApplyConversation(c.head.Conversation, nil, e)
		c.changed = true
	}
}

// setPlace notes which event makes a message what it is, in the head or in the page that has its
// number.
func (s *conversations) setPlace(ctx context.Context, key entityKey, c *stagedHead, m Message) error {
	is := messageRef{m.MessageID, m.Sequence, m.Status == InProgress}
	number, at := pageOf(m.Number)
	if number < c.head.pages() {
		p, err := s.stage(ctx, messagePage(key, number))
		if err == nil && p.Sequence < m.Sequence {
			p.Places[at], p.Sequence, p.changed = is, m.Sequence, true
		}
		return err
	}
	c.head.Places = put(c.head.Places, at, is)
	return nil
}

// setScenario notes that a scenario stands at a message, in the head or in the page that has its
// index.
func (s *conversations) setScenario(ctx context.Context, key entityKey, c *stagedHead, m Message) error {
	ref := m.Completed.Results.Scenario
	now := func(list []scenario, at int) scenario {
		s := scenario{Message: m.Number}
		if at < len(list) {
			s.Origin = list[at].Origin
		}
		if ref.Original != 0 && ref.Original != ref.Current {
			s.Origin = ref.Original
		}
		return s
	}
	number, at := pageOf(ref.Current)
	if last, _ := pageOf(c.head.Last); number < last {
		p, err := s.stage(ctx, scenarioPage(key, number))
		if err == nil && p.Sequence < m.Sequence {
			p.Scenarios, p.Sequence, p.changed = put(p.Scenarios, at, now(p.Scenarios, at)), m.Sequence, true
		}
		return err
	}
	c.head.Scenarios = put(c.head.Scenarios, at, now(c.head.Scenarios, at))
	return nil
}

// cutPages makes pages of what the head no longer covers, once it counts another message or
// scenario; last was the last scenario.
func (s *conversations) cutPages(key entityKey, c *stagedHead, last int, sequence uint64) {
	h := &c.head
	if len(h.Places) == pageSize && h.Messages%pageSize == 1 {
		for _, at := range h.Places {
			if since, ok := timeOf(at.ID); ok {
				h.Paged = max(h.Paged, since)
			}
		}
		s.pages[messagePage(key, h.pages()-1)] = &stagedPage{page{Places: h.Places, Sequence: sequence}, true}
		h.Places = nil
	}
	before, _ := pageOf(last)
	if now, _ := pageOf(h.Last); before < now && len(h.Scenarios) > 0 {
		s.pages[scenarioPage(key, before)] = &stagedPage{page{Scenarios: h.Scenarios, Sequence: sequence}, true}
		h.Scenarios = nil
	}
}

// stage is a page as the events left it that are folded.
func (s *conversations) stage(ctx context.Context, key pageKey) (*stagedPage, error) {
	if p, ok := s.pages[key]; ok {
		return p, nil
	}
	read, err := s.readPage(ctx, key)
	if err != nil {
		return &stagedPage{}, err
	}
	p := &stagedPage{page: read}
	p.Places, p.Scenarios = slices.Clone(p.Places), slices.Clone(p.Scenarios)
	s.pages[key] = p
	return p, nil
}

// staged are pages, mostly none, and heads, which count on their pages.
func (s *conversations) staged() []document {
	var list []document
	for key, p := range s.pages {
		if p.changed {
			list = append(list, document{key: key.String(), value: p.page, weight: smallDocument, first: true})
		}
	}
	for key, c := range s.staging {
		if c.changed {
			weight := smallDocument
			if c.head.Notes != nil {
				weight += len(*c.head.Notes)
			}
			list = append(list, document{key: key.String(), value: c.head, weight: weight})
		}
	}
	return list
}

func (s *conversations) show() {
	s.version.Add(1)
	defer s.version.Add(1)
	for key, c := range s.staging {
		if c.head.Erased {
			s.recency.erase(key, c.head.Sequence)
		} else {
			s.recency.set(key, c.newest)
			s.recency.describe(key, c.described)
			if c.head.Described {
				s.recency.wasDescribed(key)
			}
		}
		if c.changed {
			s.heads.Put(key, c.head, c.head.weight())
		}
	}
	clear(s.staging)
	clear(s.pages)
}

// takeMade hands over the messages that were made by the events that were folded last.
func (s *conversations) takeMade() []Message {
	made := s.made
	s.made = nil
	return made
}

// takeErased tells whether something was folded that is to be erased, and of which conversations
// events have come behind their erasure.
func (s *conversations) takeErased() (erased bool, late []entityKey) {
	erased, late = s.erased, s.late
	s.erased, s.late = false, nil
	return erased, late
}

func (s *conversations) newer(sequence uint64, found func(uint64, events.Subject)) {
	s.recency.newer(sequence, func(account uuid.UUID, e entry) {
		found(e.sequence, events.ConversationSubject(account, e.conversation))
	})
}
