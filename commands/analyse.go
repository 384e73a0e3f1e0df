package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"reckon/engine"
	"reckon/engine/prompt"
	"reckon/engine/value"
	"reckon/events"
	"reckon/projections"
)

// Errors of looking a scenario up, matched with errors.Is.
var (
	// ErrUnknownMessage says that the conversation has no message with this id.
	ErrUnknownMessage = errors.New("no such message")
	// ErrUnknownScenario says that the conversation has no scenario with this index.
	ErrUnknownScenario = errors.New("no such scenario")
)

// Place names a scenario of a conversation: what a message has led to, or, where Message is
// uuid.Nil, the scenario with an index as it stands now. The zero Place is where the conversation
// stands: what is pending in it, else the scenario in focus.
type Place struct {
	Message  uuid.UUID
	Scenario int // from 1
}

// Kept is a scenario that a conversation keeps, ready to be calculated with again.
type Kept struct {
	Asked    projections.Message // the one that the place names, else Stands
	Stands   projections.Message // at which the scenario stands; another one than Asked only of a fetch
	Domain   *Domain             // in the version of Stands
	Scenario *engine.Scenario    // its values with where they came from; nil where Asked is failed or in progress
	Stated   map[int]value.Text  // by variable: what Stands itself states, as parsed_json shows it; other user inputs are carried
	Env      value.Env           // now and zone as they were resolved then, metered

	// Of a failed message: what it states, read again, and the scenario that it builds on, nil for a
	// new one; or why it cannot be read.
	Request engine.Request
	Base    *engine.Scenario
	Unread  []value.Error
}

// Basis is what an analysis that calculates with other values begins with: the scenario, with what
// was asked last in it; of a failed message what it states and asks for, on what it builds on. errs
// say why there is nothing to begin with.
func (k Kept) Basis() (base *engine.Scenario, req engine.Request, errs []value.Error) {
	switch {
	case k.Scenario != nil:
		return k.Scenario, k.Scenario.Again(), nil
	case k.Asked.Failed != nil:
		req = k.Request
		req.Selector = engine.Selector{}
		return k.Base, req, k.Unread
	}
	return nil, req, nil
}

// Analyse hands work the scenarios at some places of a conversation that was read at the read
// index, in the order of the places. It waits for the account's turn as calculations do, and work
// makes way for others as they do. All Env of the list share one meter, which has the budget of one
// calculation: work passes them to the engine as they are, and what the engine returns as
// calculation.limit_exceeded is an answer. It fails with ErrUnknownMessage, ErrUnknownScenario,
// when ctx ends, or with what work returns.
//
// To add an analysis: a method of engine.Domain that takes k.Scenario and k.Env, most often by way
// of k.Domain.Compiled().Calculate(k.Scenario, k.Scenario.Index, request, k.Env) with a request
// that begins as k.Scenario.Again(); a line of http.routes with ofAnalysis; and a command with
// keptFlags, which finds the same Kept with a domain file, in a data directory and on a server.
// k.Scenario is nil of a message without values: then k.Asked.Status says why, and
// ErrorsOf(k.Asked.Failed) what.
func (s *Service) Analyse(ctx context.Context, c projections.Conversation, places []Place, work func([]Kept) error) error {
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	v := &conversation{service: s, account: c.AccountID, id: c.ID, head: c}
	list := make([]Kept, len(places))
	for i, at := range places {
		var err error
		list[i], err = v.kept(ctx, at, func(ref events.DomainRef) (*Domain, error) {
			return s.Domain(ctx, c.AccountID, ref.ID, ref.Version)
		})
		if err != nil {
			return err
		}
	}
	if err := s.deciding.Acquire(ctx, c.AccountID); err != nil {
		return err
	}
	defer s.deciding.Release(c.AccountID)
	metered(list, s.Rest(c.AccountID))
	return work(list)
}

// metered gives scenarios that are analysed together one meter.
func metered(list []Kept, rest func()) {
	for i := range list {
		env := list[i].Env
		env.Rest, env.Meter = rest, nil
		if i == 0 {
			env = env.Metered()
		} else {
			env.Meter = list[0].Env.Meter
		}
		list[i].Env = env
	}
}

// KeptIn finds the scenarios at some places of a conversation whose head and messages are at hand,
// as Analyse does; domain is a version of a domain, compiled.
func KeptIn(head projections.Conversation, messages []projections.Message, places []Place, domain func(events.DomainRef) (*Domain, error)) ([]Kept, error) {
	v := &conversation{id: head.ID, head: head, newer: slices.Clone(messages), opened: true}
	slices.SortFunc(v.newer, func(a, b projections.Message) int { return cmp.Compare(a.Sequence, b.Sequence) })
	return v.allKept(places, domain)
}

func (v *conversation) allKept(places []Place, domain func(events.DomainRef) (*Domain, error)) ([]Kept, error) {
	list := make([]Kept, len(places))
	for i, at := range places {
		var err error
		if list[i], err = v.kept(context.Background(), at, domain); err != nil {
			return nil, err
		}
	}
	metered(list, nil)
	return list, nil
}

// kept finds the scenario at a place.
func (v *conversation) kept(ctx context.Context, at Place, domain func(events.DomainRef) (*Domain, error)) (Kept, error) {
	var asked *projections.Message
	var err error
	if at == (Place{}) {
		if asked, err = v.pending(ctx); err != nil {
			return Kept{}, err
		}
		at.Scenario = v.head.Current
	}
	if asked != nil {
	} else if at.Message == uuid.Nil {
		if at.Scenario < 1 || at.Scenario > v.head.Last {
			return Kept{}, fmt.Errorf("scenario %d: %w", at.Scenario, ErrUnknownScenario)
		}
		asked, err = v.scenario(ctx, at.Scenario)
	} else if asked, err = v.message(ctx, at.Message); err == nil && asked == nil {
		err = fmt.Errorf("message %s: %w", at.Message, ErrUnknownMessage)
	}
	if err != nil {
		return Kept{}, err
	}
	stands := asked
	if asked.Completed != nil && asked.Completed.Results.Action == "fetch" {
		if stands, err = v.fetched(ctx, asked); err != nil {
			return Kept{}, err
		}
	}
	d, err := domain(stands.Domain)
	if err != nil {
		return Kept{}, err
	}
	k := d.Kept(*stands)
	if k.Asked = *asked; asked.Failed != nil {
		err = v.readAgain(ctx, &k)
	}
	return k, err
}

// readAgain reads what a failed message states.
func (v *conversation) readAgain(ctx context.Context, k *Kept) error {
	m := k.Asked
	from, err := v.source(ctx, &m)
	if err != nil {
		return err
	}
	c := Calculate{DomainID: k.Domain.ID, InputFormat: m.InputFormat, Prompt: m.Prompt, Now: m.Now, TimeZone: m.TimeZone, Language: m.Language}
	refers, failed := from.refers(c, k.Domain)
	k.Request, _, k.Unread = read(c, k.Domain, refers, from.Interpreted)
	if err := failed(); err != nil {
		return err
	}
	if len(k.Unread) > 0 && m.InputFormat == prompt.NaturalLanguage {
		// A line of structured text that asks nothing, such as quantity: 100, counts as prose.
		if r, errs := prompt.ParseStructured(k.Domain.compiled, m.Prompt, c.env()); len(errs) == 0 {
			k.Request, k.Unread = r, nil
		}
	}
	if len(k.Unread) > 0 {
		return nil
	}
	index, errs := baseOf(k.Request.Selector, v.head, k.Domain.ID)
	if k.Unread = errs; index == 0 || len(errs) > 0 {
		return nil
	}
	base, err := v.scenario(ctx, index)
	if err == nil && base.Domain.ID == k.Domain.ID {
		k.Base = k.Domain.Scenario(base)
	}
	return err
}

// fetched is the message that a scenario stood at when another one fetched it.
func (v *conversation) fetched(ctx context.Context, by *projections.Message) (*projections.Message, error) {
	index := by.Completed.Results.Scenario.Current
	m, err := v.scenario(ctx, index)
	if err != nil || m.Sequence < by.Sequence {
		return m, err
	}
	is := func(m *projections.Message) bool {
		return m.Sequence < by.Sequence && m.Completed != nil && m.Completed.Results.Action != "fetch" && m.Completed.Results.Scenario.Current == index
	}
	for i := len(v.newer) - 1; i >= 0; i-- {
		if is(&v.newer[i]) {
			return &v.newer[i], nil
		}
	}
	const page = 100
	for last := v.head.Messages; last > 0 && !v.opened; last -= page {
		list, err := v.service.views.Messages(ctx, v.account, v.id, last-page+1, last)
		if err != nil {
			return nil, err
		}
		var found *projections.Message // messages are numbered as they were begun, not as they were answered
		for i := range list {
			if is(&list[i]) && (found == nil || list[i].Sequence > found.Sequence) {
				found = &list[i]
			}
		}
		if found != nil {
			return found, nil
		}
	}
	return nil, fmt.Errorf("read scenario %d of conversation %s as message %s found it: not there", index, v.id, by.MessageID)
}

// Kept is the scenario that a message of the domain stands for. Its Env has a meter of its own.
func (d *Domain) Kept(m projections.Message) Kept {
	k := Kept{Asked: m, Stands: m, Domain: d, Env: value.Env{Now: m.Now}}
	if zone, ok := Zone(m.TimeZone); ok {
		k.Env.Zone = zone
	} else {
		k.Env.Zone = time.UTC
	}
	k.Env = k.Env.Metered()
	if m.Completed == nil || m.Completed.Results.Action == "fetch" {
		return k
	}
	k.Scenario, k.Stated = d.Scenario(&m), map[int]value.Text{}
	var stated prompt.Parsed
	if events.Unmarshal(m.Completed.Parsed, &stated) == nil {
		for _, in := range stated.Inputs {
			if i := d.compiled.Index(in.Key); i >= 0 && !in.Value.IsEmpty() {
				k.Stated[i] = in.Value
			}
		}
	}
	return k
}
