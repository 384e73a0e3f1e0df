package projections

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"reckon/events"
)

// batch is what some consecutive events change: the last state of each document. A document whose own sequence is not below
// that of an event has it already (the node stopped between the documents and the checkpoint) and is left alone.
type batch struct {
	g *generation

	accounts      map[uuid.UUID]Account
	domains       map[domainKey]Domain
	versions      map[string]version // by key
	conversations map[conversationKey]*touched
	messages      map[messageKey]*folded
	numbers       map[nameKey]number
	scenarios     map[messageKey]pointer // message numbers by scenario
	origins       map[messageKey]origin  // by scenario

	room []folded // where messages are put
}

// touched is a conversation that events are about.
type touched struct {
	head     Conversation
	changed  bool   // the head is to be written
	activity uint64 // sequence of its newest event in the batch, 0 for none
}

// folded is a message that is to be written.
type folded struct {
	Message
	weight int // size of its document, once that is made
}

// number is where the pointer of a message id leads, to 0 when there is none.
type number struct {
	pointer
	changed bool // the pointer is to be written
}

// nameKey names a message by its id.
type nameKey struct {
	conversationKey
	message uuid.UUID
}

func newBatch(g *generation) *batch {
	return &batch{
		g:        g,
		accounts: map[uuid.UUID]Account{}, domains: map[domainKey]Domain{}, versions: map[string]version{},
		conversations: map[conversationKey]*touched{}, messages: map[messageKey]*folded{},
		numbers: map[nameKey]number{}, scenarios: map[messageKey]pointer{}, origins: map[messageKey]origin{},
	}
}

// conversation is where a conversation stands in the batch.
func (b *batch) conversation(key conversationKey) *touched {
	c, ok := b.conversations[key]
	if !ok {
		c = &touched{}
		b.conversations[key] = c
	}
	return c
}

// fold takes events into the views: into the generation that serves, then it writes the checkpoint, and only then wakes who
// waits.
func (v *Views) fold(list []events.Event) error {
	v.folding.Lock()
	defer v.folding.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	g := v.serving.Load()
	b, err := g.fold(ctx, list)
	if err != nil {
		return err
	}
	c := v.checkpoint.after(list)
	if err := g.store.writeCheckpoint(ctx, c); err != nil {
		return err
	}
	v.checkpoint = c
	v.advance(c.Sequence)
	for _, m := range b.messages {
		v.waiters.wake(m.Message)
	}
	return nil
}

// put makes a message one that is to be written.
func (b *batch) put(key messageKey, m Message) {
	if len(b.room) == cap(b.room) {
		b.room = make([]folded, 0, 64)
	}
	b.room = append(b.room, folded{Message: m})
	b.messages[key] = &b.room[len(b.room)-1]
}

// read fetches, with one request, the heads and message numbers that the events need and that may exist. A conversation
// without activity has none: its activity is written before its head.
func (b *batch) read(ctx context.Context, list []events.Event) error {
	g := b.g
	if g.store.conversations == nil {
		return nil
	}
	if g.pending != nil {
		return b.remember(ctx, list)
	}
	var names []string
	heads := map[string]conversationKey{}
	numbers := map[string]nameKey{}
	asked := map[string]bool{}
	for _, e := range list {
		m := e.Message()
		if m == nil {
			continue
		}
		key := conversationKey{e.Subject.Account(), m.ConversationID}
		known := g.written == nil || g.written.add(m.MessageID)
		if !g.activity.known(key) {
			continue
		}
		if name := headKey(key); !asked[name] {
			asked[name] = true
			if head, ok := g.headCache.get(key); ok {
				b.conversation(key).head = head
			} else {
				names = append(names, name)
				heads[name] = key
			}
		}
		if name := idKey(key, m.MessageID); !asked[name] {
			asked[name] = true
			if known {
				names = append(names, name)
				numbers[name] = nameKey{key, m.MessageID}
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	values, err := g.store.conversations.getAll(ctx, names)
	if err != nil {
		return err
	}
	for name, value := range values {
		if key, ok := heads[name]; ok {
			var head Conversation
			if err := json.Unmarshal(value, &head); err != nil {
				return fmt.Errorf("decode %s: %w", name, err)
			}
			b.conversation(key).head = head
			continue
		}
		var to pointer
		if err := json.Unmarshal(value, &to); err != nil {
			return fmt.Errorf("decode %s: %w", name, err)
		}
		b.numbers[numbers[name]] = number{pointer: to}
	}
	return nil
}

// remember is read for a generation that writes nothing: heads are in memory, and so are messages in progress. The number of
// a message that was answered is in the buckets; a pointer that is not older than the event is its own.
func (b *batch) remember(ctx context.Context, list []events.Event) error {
	b.numbers = make(map[nameKey]number, len(list))
	b.messages = make(map[messageKey]*folded, len(list))
	if cap(b.g.room) < len(list) {
		b.g.room = make([]folded, 0, len(list))
	}
	b.room = b.g.room
	for _, e := range list {
		m := e.Message()
		if m == nil {
			continue
		}
		key := conversationKey{e.Subject.Account(), m.ConversationID}
		name := nameKey{key, m.MessageID}
		if _, seen := b.numbers[name]; seen {
			continue
		}
		if _, ok := b.conversations[key]; !ok {
			if head, ok := b.g.headCache.get(key); ok {
				b.conversation(key).head = head
			}
		}
		var to pointer
		if pending, ok := b.g.pending[m.MessageID]; ok {
			to.Number = pending.Number
			b.put(messageKey{key, pending.Number}, pending)
		} else if b.g.written.add(m.MessageID) {
			value, err := b.g.store.conversations.get(ctx, idKey(key, m.MessageID))
			if err != nil {
				return err
			}
			if value == nil || json.Unmarshal(value, &to) != nil || to.Sequence >= list[0].Sequence {
				to = pointer{}
			}
		}
		b.numbers[name] = number{pointer: to}
	}
	return nil
}

func (b *batch) applyAll(ctx context.Context, list []events.Event) error {
	for _, e := range list {
		if err := b.apply(ctx, e); err != nil {
			return fmt.Errorf("apply event %d: %w", e.Sequence, err)
		}
	}
	return nil
}

func (b *batch) apply(ctx context.Context, e events.Event) error {
	switch data := e.Data.(type) {
	case *events.AccountCreated, *events.AccountChanged, *events.KeyCreated, *events.KeyRotated, *events.KeyRevoked:
		b.applyAccount(e)
	case *events.DomainDrafted:
		b.applyDomain(data.DomainID, e)
	case *events.DomainPublished:
		key := domainKey{e.Subject.Account(), data.DomainID}
		b.versions[versionKey(key.account, key.domain, data.Version)] = version{data.Definition, e.Sequence}
		b.applyDomain(data.DomainID, e)
	case *events.MessageStarted, *events.MessageInterpreted, *events.MessageCompleted, *events.MessageFailed:
		return b.applyMessage(ctx, e.Message(), e)
	}
	return nil
}

func (b *batch) applyAccount(e events.Event) {
	id := e.Subject.Account()
	a, ok := b.accounts[id]
	if !ok {
		a, _ = b.g.accounts.get(id)
	}
	if a.Sequence < e.Sequence {
		b.accounts[id] = ApplyAccount(a, e)
	}
}

func (b *batch) applyDomain(id uuid.UUID, e events.Event) {
	key := domainKey{e.Subject.Account(), id}
	d, ok := b.domains[key]
	if !ok {
		d, _ = b.g.domains.get(key.account, id)
	}
	if d.Sequence < e.Sequence {
		b.domains[key] = ApplyDomain(d, e)
	}
}

func (b *batch) applyMessage(ctx context.Context, request *events.Message, e events.Event) error {
	key := conversationKey{e.Subject.Account(), request.ConversationID}
	c := b.conversation(key)
	c.activity = e.Sequence
	if b.g.store.conversations == nil || c.head.Sequence >= e.Sequence {
		return nil
	}
	var previous *Message
	name := nameKey{key, request.MessageID}
	// A number that the head does not count yet was written by a fold that ended before it wrote the head.
	if known := b.numbers[name]; known.Number > 0 && known.Number <= c.head.Messages {
		m, err := b.message(ctx, messageKey{key, known.Number})
		if err != nil {
			return err
		}
		previous = &m
	}
	head, m := ApplyConversation(c.head, previous, e)
	c.head, c.changed = head, true
	b.put(messageKey{key, m.Number}, m)
	if previous == nil {
		b.numbers[name] = number{pointer{m.Number, e.Sequence}, true}
	}
	if m.Completed != nil && m.Completed.Results.Action != "fetch" {
		b.scenarios[messageKey{key, head.Current}] = pointer{m.Number, e.Sequence}
		if original := m.Completed.Results.Scenario.Original; original != 0 && original != head.Current {
			b.origins[messageKey{key, head.Current}] = origin{original, e.Sequence}
		}
	}
	return nil
}

// message is a message that the head counts.
func (b *batch) message(ctx context.Context, key messageKey) (Message, error) {
	if m, ok := b.messages[key]; ok {
		return m.Message, nil
	}
	found, err := b.g.messages(ctx, key.conversationKey, key.number, key.number)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("message %d of conversation %s is counted but not there", key.number, key.conversation)
	}
	if err != nil {
		return Message{}, err
	}
	return found[0], nil
}

// documents are what is to be written, in two steps: a head, a domain or an account is written only when all that it counts
// on is there, so that one that is ahead of the checkpoint never lacks anything.
func (b *batch) documents() (first, second documents) {
	store := b.g.store
	for key, m := range b.messages {
		m.weight = first.add(store.conversations, numberKey(key.conversationKey, key.number), m.document())
	}
	for name, to := range b.numbers {
		if to.changed {
			first.add(store.conversations, idKey(name.conversationKey, name.message), to.pointer)
		}
	}
	for at, to := range b.scenarios {
		first.add(store.conversations, scenarioKey(at.conversationKey, at.number), to)
	}
	for at, from := range b.origins {
		first.add(store.conversations, originKey(at.conversationKey, at.number), from)
	}
	for name, v := range b.versions {
		first.add(store.domains, name, v)
	}
	for key, c := range b.conversations {
		if store.activity != nil && c.activity > 0 {
			first.add(store.activity, headKey(key), standing{key.account, key.conversation, c.activity})
		}
		if c.changed {
			second.add(store.conversations, headKey(key), c.head)
		}
	}
	for key, d := range b.domains {
		second.add(store.domains, domainHeadKey(key.account, key.domain), d)
	}
	for id, a := range b.accounts {
		second.add(store.accounts, accountKey(id), a)
	}
	return first, second
}

// documents gathers what is to be written. The first value that cannot be encoded stays as the error.
type documents struct {
	list []document
	err  error
}

// add encodes a value and returns its size.
func (d *documents) add(to *bucket, key string, value any) int {
	text, err := encode(value)
	if err != nil && d.err == nil {
		d.err = fmt.Errorf("encode %s of bucket %s: %w", key, to.name, err)
	}
	d.list = append(d.list, document{to, key, text})
	return len(text)
}

// encode writes JSON without escaping <, > and &, which would make up to six bytes of one.
func encode(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}

// show puts what is written into memory.
func (b *batch) show() {
	g := b.g
	for _, a := range b.accounts {
		g.accounts.set(a)
	}
	for _, d := range b.domains {
		g.domains.set(d)
	}
	for key, c := range b.conversations {
		if c.changed {
			g.headCache.put(key, c.head, 1)
		}
		if g.pending == nil && c.activity > 0 {
			g.activity.set(key, c.activity)
		}
	}
	for key, m := range b.messages {
		switch {
		case g.pending == nil:
			g.messageCache.put(key, m.Message, m.weight)
		case m.Status == InProgress:
			g.pending[m.MessageID] = m.Message
		default:
			delete(g.pending, m.MessageID)
		}
	}
}
