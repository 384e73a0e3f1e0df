package commands

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/projections"
)

// DryRun is a conversation about a domain that is in no log.
type DryRun struct {
	Language string // of prose that is said from now on, by its tag; "" for that of the domain

	domain *Domain
	conversation
}

// DryRun begins a conversation.
func (d *Domain) DryRun() *DryRun {
	return &DryRun{domain: d, conversation: conversation{opened: true}}
}

// Kept finds the scenarios at some places of the conversation, as Service.Analyse does.
func (r *DryRun) Kept(places ...Place) ([]Kept, error) {
	return r.allKept(places, func(events.DomainRef) (*Domain, error) { return r.domain, nil })
}

// Say calculates a prompt, and returns the message that it gives. It fails with ErrPromptJSON and
// ErrPromptTooLong.
func (r *DryRun) Say(text, format, zone string, now time.Time) (projections.Message, error) {
	d := r.domain
	format, err := resolveFormat(format, text, func() (*Domain, error) { return d, nil })
	if err != nil {
		return projections.Message{}, err
	}
	name := "offline message"
	if n := len(r.newer); n > 0 {
		name += fmt.Sprintf(" %d", n+1)
	}
	c := Calculate{
		ConversationID: uuid.NewSHA1(names, []byte("offline conversation")), MessageID: uuid.NewSHA1(names, []byte(name)),
		DomainID: d.ID, DomainVersion: d.Version, InputFormat: format, Prompt: text, TimeZone: zone, Language: r.Language,
		ReceivedAt: now.UTC().Truncate(time.Millisecond), Now: now.UTC().Truncate(time.Second),
		rest: runtime.Gosched, // a server, too, tries domains out
	}
	from, err := r.source(context.Background(), nil)
	if err != nil {
		return projections.Message{}, err
	}
	e, err := Decide(c, d, from)
	if err != nil {
		return projections.Message{}, err
	}
	e.Time = c.ReceivedAt
	return r.add(e), nil
}

// add takes the final event of a message in.
func (r *DryRun) add(e events.Event) projections.Message {
	e.Sequence = uint64(len(r.newer) + 1)
	return r.apply(e, nil)
}

// elsewhere has another domain leave the conversation at a scenario of its own, one that is there
// or the next one. It returns why that cannot be, "" where it can.
func (r *DryRun) elsewhere(index int) string {
	last := r.head.Last
	if index < 1 || index > last+1 {
		return fmt.Sprintf("Scenario %d cannot be there yet: the next one is %d.", index, last+1)
	}
	if index <= last {
		if m, err := r.scenario(context.Background(), index); err != nil || m.Domain.ID == r.domain.ID {
			return fmt.Sprintf("Scenario %d is one of this domain: the next one of another domain is %d.", index, last+1)
		}
	}
	r.add(events.Event{Data: &events.MessageCompleted{
		Message: events.Message{Domain: events.DomainRef{ID: uuid.NewSHA1(r.domain.ID, []byte("another domain"))}},
		Results: events.Results{Action: "new", Scenario: events.ScenarioRef{Current: index}},
	}})
	return ""
}

// shown is the message whose values an answer shows: of a fetch the one that the scenario stands
// at.
func (r *DryRun) shown(answer projections.Message) projections.Message {
	if answer.Completed.Results.Action == "fetch" {
		if m, err := r.scenario(context.Background(), answer.Completed.Results.Scenario.Current); err == nil {
			return *m
		}
	}
	return answer
}
