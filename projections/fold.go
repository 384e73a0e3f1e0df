package projections

import (
	"context"
	"fmt"
	"slices"
	"time"

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
	pages         map[pageKey]*touchedPage
	messages      []Message // as the events made them, oldest first; nil where nobody asks for them
}

// touched is a conversation that events are about.
type touched struct {
	head         head
	changed      bool   // the head is to be written
	activity     uint64 // sequence of its newest event in the batch, 0 for none
	ownPlaces    bool   // no reader has the head's places
	ownScenarios bool   // nor its scenarios
}

// touchedPage is a page that was read or made. Its lists are the batch's own.
type touchedPage struct {
	page
	changed bool // it is to be written
}

func newBatch(g *generation) *batch {
	return &batch{
		g:        g,
		accounts: map[uuid.UUID]Account{}, domains: map[domainKey]Domain{}, versions: map[string]version{},
		conversations: map[conversationKey]*touched{}, pages: map[pageKey]*touchedPage{},
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

// page is where a page stands in the batch.
func (b *batch) page(ctx context.Context, key pageKey) (*touchedPage, error) {
	if p, ok := b.pages[key]; ok {
		return p, nil
	}
	p := &touchedPage{}
	if b.g.pages != nil {
		p.page = b.g.pages[key]
	} else {
		var err error
		if p.page, err = b.g.page(ctx, key); err != nil {
			return nil, err
		}
	}
	p.Places, p.Scenarios = slices.Clone(p.Places), slices.Clone(p.Scenarios)
	b.pages[key] = p
	return p, nil
}

// fold takes events into the views: into the generation that serves, and then it wakes who waits. The documents and the checkpoint
// are written later: what is folded again leaves the documents as they are.
func (v *Views) fold(list []events.Event) error {
	v.folding.Lock()
	defer v.folding.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	g := v.serving.Load()
	b := newBatch(g)
	b.messages = make([]Message, 0, len(list))
	if err := g.fold(ctx, b, list); err != nil {
		return err
	}
	for i := range b.messages {
		g.messageCache.Put(b.messages[i].Sequence, b.messages[i], b.messages[i].weight())
	}
	v.reached(v.checkpoint.after(list))
	// A waiter takes the first that serves it, which is to be the newest.
	for _, m := range slices.Backward(b.messages) {
		v.waiters.wake(m)
	}
	return nil
}

// reached says that the serving generation stands at a checkpoint. It is called with folding held.
func (v *Views) reached(c checkpoint) {
	v.checkpoint = c
	select {
	case v.unsaved <- struct{}{}:
	default:
	}
	v.advance(c.Sequence)
}

// catchUp folds what the log had at start, behind a sequence. Nobody waits for a message of these: until they are folded no index
// is confirmed, and no key is accepted.
func (v *Views) catchUp(ctx context.Context, after uint64) error {
	v.thrift.begin()
	defer v.thrift.end()
	return v.log.Skim(ctx, after, v.target, nil, func(upTo uint64, list []events.Event) error {
		v.thrift.tune()
		v.folding.Lock()
		defer v.folding.Unlock()
		limited, cancel := context.WithTimeout(context.Background(), storeTimeout)
		defer cancel()
		g := v.serving.Load()
		if err := g.fold(limited, newBatch(g), list); err != nil {
			return err
		}
		c := v.checkpoint.after(list)
		c.Sequence = max(c.Sequence, upTo)
		v.reached(c)
		return nil
	})
}

// save writes what was folded since the last time, and then a checkpoint of when it began.
func (v *Views) save() error {
	v.saving.Lock()
	defer v.saving.Unlock()
	v.folding.Lock()
	g, c := v.serving.Load(), v.checkpoint
	v.folding.Unlock()
	if c.Sequence == v.saved {
		return nil
	}
	if err := g.write(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	if err := v.shelf.writeCheckpoint(ctx, c); err != nil {
		return err
	}
	v.saved = c.Sequence
	return nil
}

// saveOften saves soon after events were folded, until ctx ends; while the fold catches up, less often than the backlog is written
// because it is full. When that fails the fold ends too.
func (v *Views) saveOften(ctx context.Context, stop context.CancelCauseFunc) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-v.unsaved:
		}
		if v.folded.Load() < v.target {
			timer.Reset(saveBehind)
		} else {
			timer.Reset(saveAfter)
		}
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		if err := v.save(); err != nil {
			stop(err)
			return
		}
	}
}

// read fetches, with one request, the heads that the events need and that may exist. A conversation without activity has
// none that counts: nothing of it was folded before the checkpoint.
func (b *batch) read(ctx context.Context, list []events.Event) error {
	g := b.g
	var missing []conversationKey
	for i := range list {
		e := &list[i]
		m := e.Message()
		if m == nil {
			continue
		}
		key := conversationKey{e.Subject.Account(), m.ConversationID}
		if _, ok := b.conversations[key]; ok {
			continue
		}
		c := b.conversation(key)
		var ok bool
		if c.head, ok = g.headCache.Get(key); !ok && g.activity.known(key) {
			missing = append(missing, key)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	heads, err := g.heads(ctx, missing)
	if err != nil {
		return err
	}
	for key, h := range heads {
		b.conversation(key).head = h
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
	if c.head.Sequence >= e.Sequence {
		return nil
	}
	number, known, err := c.head.locate(request.MessageID, func(n int) (page, error) {
		p, err := b.page(ctx, messagePage(key, n))
		if err != nil {
			return page{}, err
		}
		return p.page, nil
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
	b.turn(key, c, last, e.Sequence)
	if m.Sequence != e.Sequence {
		return nil
	}
	if b.messages != nil {
		b.messages = append(b.messages, m)
	}
	if err := b.place(ctx, key, c, m); err != nil {
		return err
	}
	if m.Completed != nil && m.Completed.Results.Action != "fetch" && next.Current > 0 {
		return b.stand(ctx, key, c, m)
	}
	return nil
}

// place notes which event makes a message what it is, in the head or in the page that has its number.
func (b *batch) place(ctx context.Context, key conversationKey, c *touched, m Message) error {
	is := place{m.MessageID, m.Sequence, m.Status == InProgress}
	number, at := pageOf(m.Number)
	if number < c.head.pages() {
		p, err := b.page(ctx, messagePage(key, number))
		if err == nil && p.Sequence < m.Sequence {
			p.Places[at], p.Sequence, p.changed = is, m.Sequence, true
		}
		return err
	}
	c.head.Places = put(c.head.Places, at, is, c.ownPlaces)
	c.ownPlaces = true
	return nil
}

// stand notes that a scenario stands at a message, in the head or in the page that has its index.
func (b *batch) stand(ctx context.Context, key conversationKey, c *touched, m Message) error {
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
		p, err := b.page(ctx, scenarioPage(key, number))
		if err == nil && p.Sequence < m.Sequence {
			p.Scenarios, p.Sequence, p.changed = put(p.Scenarios, at, now(p.Scenarios, at), true), m.Sequence, true
		}
		return err
	}
	c.head.Scenarios = put(c.head.Scenarios, at, now(c.head.Scenarios, at), c.ownScenarios)
	c.ownScenarios = true
	return nil
}

// turn makes pages of what the head no longer covers, once it counts another message or scenario; last was the last scenario.
func (b *batch) turn(key conversationKey, c *touched, last int, sequence uint64) {
	h := &c.head
	if len(h.Places) == pageSize && h.Messages%pageSize == 1 {
		for _, at := range h.Places {
			if since, ok := timeOf(at.ID); ok {
				h.Paged = max(h.Paged, since)
			}
		}
		b.pages[messagePage(key, h.pages()-1)] = &touchedPage{page{Places: slices.Clone(h.Places), Sequence: sequence}, true}
		h.Places, c.ownPlaces = nil, true
	}
	before, _ := pageOf(last)
	if now, _ := pageOf(h.Last); before < now && len(h.Scenarios) > 0 {
		b.pages[scenarioPage(key, before)] = &touchedPage{page{Scenarios: slices.Clone(h.Scenarios), Sequence: sequence}, true}
		h.Scenarios, c.ownScenarios = nil, true
	}
}

// documents are what the batch made, in two steps: a head or a domain is written only when all that it counts on is there,
// so that one that is ahead of the checkpoint never lacks anything. The first step is mostly empty.
func (b *batch) documents() (first, second []unwritten) {
	store := b.g.store
	for key, p := range b.pages {
		if p.changed {
			first = append(first, unwritten{location{store.conversations, key.String()}, p.page})
		}
	}
	for name, v := range b.versions {
		first = append(first, unwritten{location{store.domains, name}, v})
	}
	for key, c := range b.conversations {
		if c.changed {
			second = append(second, unwritten{location{store.conversations, headKey(key)}, c.head})
		}
	}
	for key, d := range b.domains {
		second = append(second, unwritten{location{store.domains, domainHeadKey(key.account, key.domain)}, d})
	}
	for id, a := range b.accounts {
		second = append(second, unwritten{location{store.accounts, accountKey(id)}, a})
	}
	return first, second
}

// show puts what was made into memory.
func (b *batch) show() {
	g := b.g
	g.turn.Add(1)
	defer g.turn.Add(1)
	for _, a := range b.accounts {
		g.accounts.set(a)
	}
	for _, d := range b.domains {
		g.domains.set(d)
	}
	for key, p := range b.pages {
		if g.pages != nil && p.changed {
			g.pages[key] = p.page
		}
	}
	for key, c := range b.conversations {
		if c.changed {
			g.headCache.Put(key, c.head, c.head.weight())
		}
		if g.pages == nil && c.activity > 0 {
			g.activity.set(key, c.activity)
		}
	}
}
