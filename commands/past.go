package commands

import (
	"container/list"
	"context"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"slices"
	"sync"

	"github.com/google/uuid"

	"reckon/engine"
	"reckon/events"
	"reckon/projections"
)

const (
	// pastConversations is how many conversations are kept while the history is read; of another one that goes on, the
	// events are read again.
	pastConversations = 16384
	// pastBytes is how much of the text of events is kept for the messages that build on them.
	pastBytes = 32 << 20
)

// past is a conversation as it stood at a place of the history. What a later message may refer to is kept as the sequences
// of events, so that its size does not depend on what the events hold.
type past struct {
	subject  events.Subject
	head     projections.Conversation
	branches branches
	pending  uint64                            // the event whose inputs are pending, 0 for none
	working  map[uuid.UUID]projections.Message // messages in progress
}

// branches are the scenarios of a conversation, by index from 1.
type branches []branch

// branch is a scenario.
type branch struct {
	event  uint64 // that it stands at, 0 for none
	origin int    // the scenario that it branched off from, 0 for none
}

// follow moves the scenario that a message was calculated in on to its event.
func (b *branches) follow(m projections.Message) {
	if m.Completed == nil || m.Completed.Results.Action == "fetch" {
		return
	}
	ref := m.Completed.Results.Scenario
	for len(*b) < ref.Current {
		*b = append(*b, branch{})
	}
	at := &(*b)[ref.Current-1]
	at.event = m.Sequence
	if ref.Original != 0 && ref.Original != ref.Current {
		at.origin = ref.Original
	}
}

// apply takes the next event of the conversation in, and returns the message that it is about.
func (p *past) apply(e events.Event) projections.Message {
	var previous *projections.Message
	if request := e.Message(); request != nil {
		if m, ok := p.working[request.MessageID]; ok {
			previous = &m
		}
	}
	head, m := projections.ApplyConversation(p.head, previous, e)
	p.head = head
	switch {
	case m.Number == 0:
		return m
	case m.Status == projections.InProgress:
		if p.working == nil {
			p.working = map[uuid.UUID]projections.Message{}
		}
		p.working[m.MessageID] = m
		return m
	case previous != nil:
		delete(p.working, m.MessageID)
	}
	switch {
	case head.Pending == m.Number:
		p.pending = e.Sequence
	case head.Pending == 0:
		p.pending = 0
	}
	p.branches.follow(m)
	return m
}

// before is the conversation as a message finds it. Later events do not change it.
func (p *past) before() past {
	return past{subject: p.subject, head: p.head, pending: p.pending, branches: slices.Clone(p.branches)}
}

// retelling is what is kept while the log is read again: the conversations under way, the events that later messages build
// on, and compiled domains. Its size does not grow with the history.
type retelling struct {
	log   *events.Log
	whole bool // the log is read from its beginning: a conversation that was not dropped has no earlier events
	limit int  // of conversations

	conversations map[events.Subject]*list.Element // of *past, in recent
	recent        *list.List                       // most recently used first
	dropped       *sieve                           // conversations that made room for others

	messages messageStore
	domains  versionStore
}

func newRetelling(log *events.Log, whole bool) *retelling {
	return &retelling{
		log: log, whole: whole, limit: pastConversations,
		conversations: map[events.Subject]*list.Element{}, recent: list.New(), dropped: &sieve{seed: maphash.MakeSeed()},
		messages: messageStore{log: log, limit: pastBytes, bySequence: map[uint64]events.Event{}},
		domains:  versionStore{log: log, entries: map[domainVersion]compiledVersion{}},
	}
}

// apply takes the next event of the log in. For the final event of a message it returns what that was decided on, else nil.
func (h *retelling) apply(ctx context.Context, e events.Event) (*question, error) {
	request := e.Message()
	if request == nil {
		return nil, nil
	}
	p, err := h.at(ctx, e.Subject, e.Sequence)
	if err != nil {
		return nil, err
	}
	var q *question
	switch e.Data.(type) {
	case *events.MessageCompleted, *events.MessageFailed:
		q = &question{past: p.before(), recorded: e}
		if m := p.working[request.MessageID]; m.Interpreted != nil {
			q.interpreted = m.Interpreted.Parsed
		}
	}
	if m := p.apply(e); m.Status != projections.InProgress {
		h.messages.put(e)
	}
	return q, nil
}

// at is a conversation as it stood before an event.
func (h *retelling) at(ctx context.Context, subject events.Subject, sequence uint64) (*past, error) {
	if element, ok := h.conversations[subject]; ok {
		h.recent.MoveToFront(element)
		return element.Value.(*past), nil
	}
	p := &past{subject: subject}
	if !h.whole || h.dropped.has(subject) {
		earlier, err := h.log.Read(ctx, subject, 0)
		if err != nil {
			return nil, err
		}
		for _, e := range earlier {
			if e.Sequence < sequence {
				p.apply(e)
			}
		}
	}
	h.conversations[subject] = h.recent.PushFront(p)
	for h.recent.Len() > h.limit {
		last := h.recent.Remove(h.recent.Back()).(*past)
		delete(h.conversations, last.subject)
		h.dropped.add(last.subject)
	}
	return p, nil
}

// sieve tells with certainty that a subject was not added, in 8 MiB whatever is added. The more there are, the more often it
// takes one that was not for one that was.
type sieve struct {
	seed maphash.Seed
	bits []uint64
}

const sieveWords = 1 << 20

func (s *sieve) places(subject events.Subject) (a, b uint64) {
	sum := maphash.String(s.seed, subject.String())
	return sum % (64 * sieveWords), (sum >> 32) * 0x9e3779b97f4a7c15 >> 38
}

func (s *sieve) add(subject events.Subject) {
	if s.bits == nil {
		s.bits = make([]uint64, sieveWords)
	}
	a, b := s.places(subject)
	s.bits[a/64] |= 1 << (a % 64)
	s.bits[b/64] |= 1 << (b % 64)
}

func (s *sieve) has(subject events.Subject) bool {
	if s.bits == nil {
		return false
	}
	a, b := s.places(subject)
	return s.bits[a/64]&(1<<(a%64)) != 0 && s.bits[b/64]&(1<<(b%64)) != 0
}

// messageStore keeps answered messages by the sequence of their final event, the newest ones up to a limit; others are read
// from the log.
type messageStore struct {
	log   *events.Log
	limit int

	mutex      sync.Mutex
	bySequence map[uint64]events.Event
	order      []kept // oldest first
	weight     int    // of all together
}

// kept is a message in a store by its sequence, and what it weighs.
type kept struct {
	sequence uint64
	weight   int
}

// put keeps the final event of a message unless no later one can build on it.
func (s *messageStore) put(e events.Event) {
	if failed, ok := e.Data.(*events.MessageFailed); ok && len(failed.Pending) == 0 {
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.bySequence[e.Sequence] = e
	s.order = append(s.order, kept{e.Sequence, e.Weight()})
	s.weight += e.Weight()
	for s.weight > s.limit {
		oldest := s.order[0]
		s.order = s.order[1:]
		s.weight -= oldest.weight
		delete(s.bySequence, oldest.sequence)
	}
}

// get reads a message.
func (s *messageStore) get(ctx context.Context, sequence uint64) (*projections.Message, error) {
	s.mutex.Lock()
	e, ok := s.bySequence[sequence]
	s.mutex.Unlock()
	var err error
	if ok {
		e, err = e.Whole()
	} else {
		e, err = s.log.At(ctx, sequence)
	}
	if err != nil {
		return nil, err
	}
	_, read := projections.ApplyConversation(projections.Conversation{}, nil, e)
	if read.Number == 0 {
		return nil, fmt.Errorf("read event %d: it is about no message", sequence)
	}
	return &read, nil
}

// versionStore keeps compiled versions of domains; past its size an arbitrary one makes room.
type versionStore struct {
	log     *events.Log
	mutex   sync.Mutex
	entries map[domainVersion]compiledVersion
}

// compiledVersion is a version of a domain; the domain is nil when it does not compile.
type compiledVersion struct {
	domain *Domain
	issues []engine.Issue
}

func (s *versionStore) get(ctx context.Context, account, id uuid.UUID, version int) (compiledVersion, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	key := domainVersion{id, version}
	if v, ok := s.entries[key]; ok {
		return v, nil
	}
	published, err := publications(ctx, s.log, account, id)
	if err != nil {
		return compiledVersion{}, err
	}
	for _, e := range published {
		data := e.Data.(*events.DomainPublished)
		if data.Version != version {
			continue
		}
		for other := range s.entries {
			if len(s.entries) < cachedDomains {
				break
			}
			delete(s.entries, other)
		}
		var v compiledVersion
		v.domain, v.issues = Compile(id, data.Key, version, data.Definition)
		s.entries[key] = v
		return v, nil
	}
	return compiledVersion{}, fmt.Errorf("read domain %s version %d: not there", id, version)
}

// publications are the published versions of a domain, oldest first.
func publications(ctx context.Context, log *events.Log, account, id uuid.UUID) ([]events.Event, error) {
	list, err := log.Read(ctx, events.DomainSubject(account, id), 0)
	if err != nil {
		return nil, fmt.Errorf("read versions of domain %s: %w", id, err)
	}
	return slices.DeleteFunc(list, func(e events.Event) bool {
		_, ok := e.Data.(*events.DomainPublished)
		return !ok
	}), nil
}

// question is an answered message of the history with all that its answer depends on.
type question struct {
	past        past
	interpreted json.RawMessage // what a language model made of the prompt, nil where none did
	recorded    events.Event    // skimmed where the log was read from its beginning
}

// command is what was asked, as far as deciding needs it.
func (q question) command() Calculate {
	m := q.recorded.Message()
	return Calculate{
		Type: calculateType, AccountID: q.recorded.Subject.Account(), KeyID: m.KeyID, IdempotencyKey: m.IdempotencyKey,
		ConversationID: m.ConversationID, MessageID: m.MessageID, DomainID: m.Domain.ID, DomainVersion: m.Domain.Version,
		InputFormat: m.InputFormat, Prompt: m.Prompt, ReceivedAt: m.ReceivedAt, Now: m.Now, TimeZone: m.TimeZone,
	}
}

// unrepeatable says why an answer does not follow from its question, "" where it does.
func (q question) unrepeatable() string {
	data, ok := q.recorded.Data.(*events.MessageFailed)
	if !ok {
		return ""
	}
	if data.Crashed {
		return "internal.error"
	}
	for _, e := range ErrorsOf(data) {
		if e.Code == "language.timeout" || e.Code == "language.unavailable" {
			return e.Code
		}
	}
	return ""
}

// again decides a question with a version of its domain, as the workers do. A panic becomes the event of a crash.
func (h *retelling) again(ctx context.Context, q question, d *Domain) (e events.Event, err error) {
	c := q.command()
	c.DomainVersion = d.Version
	defer func() {
		if p := recover(); p != nil {
			e, err = Crash(c, d), nil
		}
		e.Time, e.Sequence = q.recorded.Time, q.recorded.Sequence
	}()
	from, err := q.past.source(q.interpreted, func(sequence uint64) (*projections.Message, error) {
		return h.messages.get(ctx, sequence)
	})
	if err != nil {
		return e, err
	}
	return Decide(c, d, from)
}

// source is the conversation as deciding sees it. message reads a message by the sequence of its final
// event.
func (p *past) source(interpreted json.RawMessage, message func(sequence uint64) (*projections.Message, error)) (s Source, err error) {
	s = Source{
		Head: p.head, Interpreted: interpreted,
		Scenario: func(index int) (*projections.Message, error) { return p.scenario(index, message) },
		Origin: func(index int) (int, error) {
			if index > len(p.branches) {
				return 0, nil
			}
			return p.branches[index-1].origin, nil
		},
	}
	if p.pending > 0 {
		s.Pending, err = message(p.pending)
	}
	return s, err
}

// scenario is the message that a scenario stands at.
func (p *past) scenario(index int, message func(sequence uint64) (*projections.Message, error)) (*projections.Message, error) {
	if index < 1 || index > len(p.branches) || p.branches[index-1].event == 0 {
		return nil, fmt.Errorf("read scenario %d of %s: not there", index, p.subject)
	}
	return message(p.branches[index-1].event)
}

// ErrorsOf are the errors of a failed message.
func ErrorsOf(data *events.MessageFailed) []engine.Error {
	var list []engine.Error
	if json.Unmarshal(data.Errors, &list) != nil {
		return nil
	}
	return list
}
