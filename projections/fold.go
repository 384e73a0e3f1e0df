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

	accounts  map[uuid.UUID]Account
	domains   map[domainKey]Domain
	versions  map[string]version // by key
	heads     map[conversationKey]Conversation
	messages  map[messageKey]Message
	numbers   map[nameKey]pointer    // message numbers
	scenarios map[messageKey]pointer // message numbers by scenario
	origins   map[messageKey]origin  // by scenario
	activity  map[conversationKey]uint64

	changed map[conversationKey]bool // heads that are to be written
	named   map[nameKey]bool         // numbers that are to be written
	weights map[messageKey]int       // sizes of the written messages
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
		heads: map[conversationKey]Conversation{}, messages: map[messageKey]Message{},
		numbers: map[nameKey]pointer{}, scenarios: map[messageKey]pointer{}, origins: map[messageKey]origin{}, activity: map[conversationKey]uint64{},
		changed: map[conversationKey]bool{}, named: map[nameKey]bool{}, weights: map[messageKey]int{},
	}
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
		v.waiters.wake(m)
	}
	return nil
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
				b.heads[key] = head
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
			b.heads[key] = head
			continue
		}
		var number pointer
		if err := json.Unmarshal(value, &number); err != nil {
			return fmt.Errorf("decode %s: %w", name, err)
		}
		b.numbers[numbers[name]] = number
	}
	return nil
}

// remember is read for a generation that writes nothing: heads are in memory, and so are messages in progress. The number of
// a message that was answered is in the buckets; a pointer that is not older than the event is its own.
func (b *batch) remember(ctx context.Context, list []events.Event) error {
	seen := make(map[uuid.UUID]bool, len(list))
	for _, e := range list {
		m := e.Message()
		if m == nil || seen[m.MessageID] {
			continue
		}
		seen[m.MessageID] = true
		key := conversationKey{e.Subject.Account(), m.ConversationID}
		if head, ok := b.g.headCache.get(key); ok {
			b.heads[key] = head
		}
		name := nameKey{key, m.MessageID}
		if pending, ok := b.g.pending[m.MessageID]; ok {
			b.numbers[name] = pointer{pending.Number, 0}
			b.messages[messageKey{key, pending.Number}] = pending
			continue
		}
		if !b.g.written.add(m.MessageID) {
			continue
		}
		value, err := b.g.store.conversations.get(ctx, idKey(key, m.MessageID))
		if err != nil {
			return err
		}
		var to pointer
		if value != nil && json.Unmarshal(value, &to) == nil && to.Sequence < list[0].Sequence {
			b.numbers[name] = to
		}
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
	b.activity[key] = e.Sequence
	if b.g.store.conversations == nil {
		return nil
	}
	head := b.heads[key]
	if head.Sequence >= e.Sequence {
		return nil
	}
	var previous *Message
	name := nameKey{key, request.MessageID}
	// A number that the head does not count yet was written by a fold that ended before it wrote the head.
	if known, ok := b.numbers[name]; ok && known.Number <= head.Messages {
		m, err := b.message(ctx, messageKey{key, known.Number})
		if err != nil {
			return err
		}
		previous = &m
	}
	head, m := ApplyConversation(head, previous, e)
	b.heads[key] = head
	b.changed[key] = true
	b.messages[messageKey{key, m.Number}] = m
	if previous == nil {
		b.numbers[name] = pointer{m.Number, e.Sequence}
		b.named[name] = true
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
		return m, nil
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
		b.weights[key] = first.add(store.conversations, numberKey(key.conversationKey, key.number), m.document())
	}
	for name := range b.named {
		first.add(store.conversations, idKey(name.conversationKey, name.message), b.numbers[name])
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
	for key, sequence := range b.activity {
		if store.activity == nil {
			break
		}
		first.add(store.activity, headKey(key), standing{key.account, key.conversation, sequence})
	}
	for key := range b.changed {
		second.add(store.conversations, headKey(key), b.heads[key])
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
	for key := range b.changed {
		g.headCache.put(key, b.heads[key], 1)
	}
	for key, m := range b.messages {
		switch {
		case g.pending == nil:
			g.messageCache.put(key, m, b.weights[key])
		case m.Status == InProgress:
			g.pending[m.MessageID] = m
		default:
			delete(g.pending, m.MessageID)
		}
	}
	for key, sequence := range b.activity {
		if g.pending == nil {
			g.activity.set(key, sequence)
		}
	}
}
