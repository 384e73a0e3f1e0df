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
	views *Views

	accounts  map[uuid.UUID]Account
	domains   map[domainKey]Domain
	versions  map[string]version // by key
	heads     map[conversationKey]Conversation
	messages  map[messageKey]Message
	numbers   map[string]pointer // message numbers by idKey
	scenarios map[string]pointer // message numbers by scenarioKey
	activity  map[conversationKey]uint64

	changed map[conversationKey]bool // heads that are to be written
	named   map[string]bool          // numbers that are to be written
	weights map[messageKey]int       // sizes of the written messages
}

func newBatch(v *Views) *batch {
	return &batch{
		views:    v,
		accounts: map[uuid.UUID]Account{}, domains: map[domainKey]Domain{}, versions: map[string]version{},
		heads: map[conversationKey]Conversation{}, messages: map[messageKey]Message{},
		numbers: map[string]pointer{}, scenarios: map[string]pointer{}, activity: map[conversationKey]uint64{},
		changed: map[conversationKey]bool{}, named: map[string]bool{}, weights: map[messageKey]int{},
	}
}

// fold takes events into the views: it writes the documents that they change, then the checkpoint, and only then shows them to
// readers in memory and wakes who waits.
func (v *Views) fold(list []events.Event) error {
	b := newBatch(v)
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	if err := b.read(ctx, list); err != nil {
		return err
	}
	if err := b.applyAll(ctx, list); err != nil {
		return err
	}
	first, second := b.documents()
	for _, step := range []documents{first, second} {
		if step.err != nil {
			return step.err
		}
		if err := v.store.write(step.list); err != nil {
			return err
		}
	}
	last := list[len(list)-1].Sequence
	if err := v.store.writeCheckpoint(last); err != nil {
		return err
	}
	b.show()
	v.advance(last)
	b.wake()
	return nil
}

// message is the request that a message event answers, nil for other events.
func message(e events.Event) *events.Message {
	switch data := e.Data.(type) {
	case *events.MessageCompleted:
		return &data.Message
	case *events.MessageFailed:
		return &data.Message
	}
	return nil
}

// read fetches, with one request, the heads and message numbers that the events need and that may exist. A conversation
// without activity has none: its activity is written before its head.
func (b *batch) read(ctx context.Context, list []events.Event) error {
	v := b.views
	var names []string
	heads := map[string]conversationKey{}
	asked := map[string]bool{}
	for _, e := range list {
		m := message(e)
		if m == nil {
			continue
		}
		key := conversationKey{e.Subject.Account(), m.ConversationID}
		if !v.activity.known(key) {
			continue
		}
		if name := headKey(key); !asked[name] {
			asked[name] = true
			if head, ok := v.headCache.get(key); ok {
				b.heads[key] = head
			} else {
				names = append(names, name)
				heads[name] = key
			}
		}
		if name := idKey(key, m.MessageID); !asked[name] {
			asked[name] = true
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	values, err := v.store.conversations.getAll(ctx, names)
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
		b.numbers[name] = number
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
	case *events.MessageCompleted, *events.MessageFailed:
		return b.applyMessage(ctx, message(e), e)
	}
	return nil
}

func (b *batch) applyAccount(e events.Event) {
	id := e.Subject.Account()
	a, ok := b.accounts[id]
	if !ok {
		a, _ = b.views.accounts.get(id)
	}
	if a.Sequence < e.Sequence {
		b.accounts[id] = ApplyAccount(a, e)
	}
}

func (b *batch) applyDomain(id uuid.UUID, e events.Event) {
	key := domainKey{e.Subject.Account(), id}
	d, ok := b.domains[key]
	if !ok {
		d, _ = b.views.domains.get(key.account, id)
	}
	if d.Sequence < e.Sequence {
		b.domains[key] = ApplyDomain(d, e)
	}
}

func (b *batch) applyMessage(ctx context.Context, request *events.Message, e events.Event) error {
	key := conversationKey{e.Subject.Account(), request.ConversationID}
	b.activity[key] = e.Sequence
	head := b.heads[key]
	if head.Sequence >= e.Sequence {
		return nil
	}
	var previous *Message
	name := idKey(key, request.MessageID)
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
		b.scenarios[scenarioKey(key, head.Current)] = pointer{m.Number, e.Sequence}
	}
	return nil
}

// message is a message that the head counts.
func (b *batch) message(ctx context.Context, key messageKey) (Message, error) {
	if m, ok := b.messages[key]; ok {
		return m, nil
	}
	found, err := b.views.Messages(ctx, key.account, key.conversation, key.number, key.number)
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
	store := b.views.store
	for key, m := range b.messages {
		b.weights[key] = first.add(store.conversations, numberKey(key.conversationKey, key.number), m.document())
	}
	for name := range b.named {
		first.add(store.conversations, name, b.numbers[name])
	}
	for name, to := range b.scenarios {
		first.add(store.conversations, name, to)
	}
	for name, v := range b.versions {
		first.add(store.domains, name, v)
	}
	for key, sequence := range b.activity {
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
	v := b.views
	for _, a := range b.accounts {
		v.accounts.set(a)
	}
	for _, d := range b.domains {
		v.domains.set(d)
	}
	for key := range b.changed {
		v.headCache.put(key, b.heads[key], 1)
	}
	for key, m := range b.messages {
		v.messageCache.put(key, m, b.weights[key])
	}
	for key, sequence := range b.activity {
		v.activity.set(key, sequence)
	}
}

// wake hands each final message to those who wait for it.
func (b *batch) wake() {
	for _, m := range b.messages {
		if m.Status != InProgress {
			b.views.waiters.wake(m)
		}
	}
}
