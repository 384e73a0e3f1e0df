package commands

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"reckon/engine"
	"reckon/engine/language"
	"reckon/engine/prompt"
	"reckon/engine/value"
	"reckon/events"
	"reckon/events/log"
	"reckon/projections"
)

// maxResult is the most that the results of one message may weigh: some 10,000 equations with their
// values, or 100,000 cells.
const maxResult = 12 << 20

// Source is what deciding a command finds of its conversation, as it stood before. Scenario and
// Origin are asked only for scenarios that there are, from 1 to Head.Last.
type Source struct {
	Head        projections.Conversation
	Interpreted json.RawMessage                               // what a language model made of the prompt, nil where none did
	Pending     *projections.Message                          // whose inputs are pending, nil for none
	Scenario    func(index int) (*projections.Message, error) // that a scenario stands at
	Origin      func(index int) (int, error)                  // that a scenario branched off from, 0 for none
}

// refers is what a prompt may refer to. What is only looked at while it is read may fail to be
// there: failed says so then.
func (s Source) refers(c Calculate, d *Domain) (refers language.Conversation, failed func() error) {
	var missed error
	there := func(index int) bool { return index >= 1 && index <= s.Head.Last }
	refers = language.Conversation{
		Language: c.Language,
		Current:  s.Head.Current, Last: s.Head.Last, Focus: s.Head.Focus[c.DomainID], Examples: d.Definition.Examples,
		Scenario: func(index int) *engine.Scenario {
			if !there(index) {
				return nil
			}
			m, err := s.Scenario(index)
			if err != nil {
				missed = errors.Join(missed, err)
				return nil
			}
			if m.Domain.ID != c.DomainID {
				return nil
			}
			return d.Scenario(m)
		},
		Origin: func(index int) int {
			if !there(index) {
				return 0
			}
			original, err := s.Origin(index)
			missed = errors.Join(missed, err)
			return original
		},
	}
	if p := s.Pending; p != nil && p.Failed != nil && p.Domain.ID == c.DomainID {
		if earlier, errs := prompt.ParseJSON(d.compiled, string(p.Failed.Pending), c.env()); len(p.Failed.Pending) > 0 && len(errs) == 0 {
			refers.Pending = &earlier
		}
		for _, choice := range p.Failed.Choices {
			one, errs := prompt.ParseJSON(d.compiled, string(choice), c.env())
			if len(errs) > 0 { // the domain has changed since
				refers.Choices = nil
				break
			}
			refers.Choices = append(refers.Choices, one)
		}
	}
	return refers, func() error { return missed }
}

// read reads the prompt; the trace is that of prose which the rules read, else empty. What a model
// made of it, in the shape of a JSON prompt, stands for prose where there is that. A request
// without a selector is read as if it stated too what is pending.
func read(c Calculate, d *Domain, refers language.Conversation, interpreted json.RawMessage) (r engine.Request, trace *language.Trace, errs []value.Error) {
	trace = &language.Trace{}
	switch {
	case c.InputFormat == prompt.Structured:
		r, errs = prompt.ParseStructured(d.compiled, c.Prompt, c.env())
	case c.InputFormat == prompt.JSON:
		r, errs = prompt.ParseJSON(d.compiled, c.Prompt, c.env())
	case interpreted != nil:
		r, errs = prompt.ParseJSON(d.compiled, string(interpreted), c.env())
	default:
		r, trace, errs = d.Vocabulary().Interpret(c.Prompt, refers, c.env())
	}
	if len(errs) == 0 && refers.Pending != nil && r.Selector.Kind == engine.Unselected {
		r = r.Joined(*refers.Pending)
	}
	return r, trace, errs
}

// baseOf is the index of the scenario that a request builds on, 0 for a new one. Whether a numbered
// scenario is one of another domain shows only when its message is read.
func baseOf(s engine.Selector, head projections.Conversation, domain uuid.UUID) (int, []value.Error) {
	switch s.Kind {
	case engine.Unselected:
		return head.Focus[domain], nil
	case engine.Current:
		return head.Current, nil
	case engine.Last:
		return head.Last, nil
	case engine.Numbered, engine.NewFrom:
		if s.Number < 1 || s.Number > head.Last {
			return 0, value.Problems("scenario.not_found", s.Name())
		}
		return s.Number, nil
	}
	return 0, nil
}

// Decide turns a command into its one final event; the event's time and sequence are the caller's
// to set. It is pure: the same command, domain and source give the same event, which is why a
// replay gives the same bytes; that a model was not asked is in no command that is replayed. It
// fails only where the source does.
func Decide(c Calculate, d *Domain, from Source) (events.Event, error) {
	refers, failed := from.refers(c, d)
	r, trace, errs := read(c, d, refers, from.Interpreted)
	if err := failed(); err != nil {
		return events.Event{}, err
	}
	if len(errs) > 0 && c.unasked != nil {
		errs = append(errs, *value.Problem("language.model_not_asked", c.unasked.Error()))
	}
	index := 0
	if len(errs) == 0 {
		index, errs = baseOf(r.Selector, from.Head, c.DomainID)
	}
	if len(errs) > 0 {
		return doubtful(c, d, errs, trace, refers.Pending), nil
	}
	var base *engine.Scenario
	if index > 0 {
		m, err := from.Scenario(index)
		if err != nil {
			return events.Event{}, err
		}
		if m.Domain.ID != c.DomainID {
			return fail(c, d, value.Problems("scenario.domain_mismatch", r.Selector.Name()), nil), nil
		}
		base = d.Scenario(m)
	}
	result, errs := d.compiled.Each(base, from.Head.Last, r, c.env())
	if len(errs) > 0 {
		var pending json.RawMessage
		for _, e := range errs {
			if e.Code == "calculation.missing_inputs" || e.Code == "calculation.forwards_only" {
				pending = d.stated(r)
			}
		}
		return fail(c, d, errs, pending), nil
	}
	if from.Head.Last >= maxScenarios && result.Current > from.Head.Last {
		return fail(c, d, value.Problems("input.limit_exceeded", "scenarios", fmt.Sprint(maxScenarios)), nil), nil
	}
	why := ""
	if trace.Why {
		explained, errs := d.compiled.Explain(base, nil, c.env())
		if len(errs) > 0 {
			return fail(c, d, errs, nil), nil
		}
		why = explained.TextIn(language.Explained(c.spokenIn(d)))
	}
	if trace.Compare > 0 {
		m, err := from.Scenario(trace.Compare)
		if err != nil {
			return events.Event{}, err
		}
		second, number := base, index
		if result.Calculated >= 0 {
			second, number = result.Scenario(), result.Current
		}
		comparison, errs := d.compiled.Compare(d.Scenario(m), second, nil, c.env())
		if len(errs) > 0 {
			return fail(c, d, errs, nil), nil
		}
		why = language.Compared(d.compiled, comparison, trace.Compare, number, c.Language)
	}
	return complete(c, d, r, result, why), nil
}

const maxScenarios = 10_000

// spokenIn is the tag of the language that prose is read and answered in: the request's or the
// account's, else the domain's.
func (c Calculate) spokenIn(d *Domain) string {
	if c.Language == "" && d != nil {
		return d.Definition.Language
	}
	return c.Language
}

func fail(c Calculate, d *Domain, errs []value.Error, pending json.RawMessage) events.Event {
	errs = errs[:min(len(errs), 20)]
	if c.InputFormat == prompt.NaturalLanguage {
		errs = language.Errors(c.spokenIn(d), errs)
	}
	return event(c, final, &events.MessageFailed{Message: message(c, d), Errors: Encode(errs), Pending: pending})
}

// doubtful is the final event of a prompt that was not read, with the choices that its doubt
// offers. What was pending before stays so with them.
func doubtful(c Calculate, d *Domain, errs []value.Error, trace *language.Trace, pending *engine.Request) events.Event {
	e := fail(c, d, errs, nil)
	if trace.Pending != nil {
		pending = trace.Pending
	} else if len(trace.Choices) == 0 {
		return e
	}
	failed := e.Data.(*events.MessageFailed)
	for _, choice := range trace.Choices {
		failed.Choices = append(failed.Choices, d.stated(choice))
	}
	if pending != nil {
		failed.Pending = d.stated(*pending)
	}
	return e
}

// Crash is the final event of a command that the service failed to calculate.
func Crash(c Calculate, d *Domain) events.Event {
	e := fail(c, d, value.Problems("internal.error", c.MessageID.String()), nil)
	e.Data.(*events.MessageFailed).Crashed = true
	return e
}

func complete(c Calculate, d *Domain, req engine.Request, res engine.Result, why string) events.Event {
	data := &events.MessageCompleted{
		Message: message(c, d),
		Parsed:  Encode(prompt.Normal(d.compiled, req, res)),
		Targets: make([]events.Target, 0, len(res.Targets)),
		Also:    len(res.Also), Everything: res.Everything,
		Results: d.results(res),
	}
	switch c.InputFormat {
	case prompt.Structured:
		text := prompt.Text(d.compiled, res)
		data.StructuredText = &text
	case prompt.NaturalLanguage:
		text := language.Answer(d.compiled, res, c.Language)
		switch {
		case why != "":
			text = why
		case language.OnlyNotes(d.compiled, req):
			text = d.Vocabulary().In(c.Language).Noted(res, c.env())
		}
		data.NaturalLanguage = &text
	}
	for _, t := range res.Targets {
		target := events.Target{Key: d.Definition.Variables[t.Variable].Key}
		if t.Unit != nil {
			target.Unit = UnitName(t.Unit)
		}
		data.Targets = append(data.Targets, target)
	}
	for _, i := range res.Cleared {
		data.Cleared = append(data.Cleared, d.Definition.Variables[i].Key)
	}
	if weight := weigh(data.Results); weight > maxResult {
		return tooHeavy(c, d, fmt.Sprintf("%d MiB of results", maxResult>>20))
	} else if weight > plainResult {
		short, _, err := events.Compress(Encode(data))
		if err != nil || len(short) > log.MaxPayload-headers {
			return tooHeavy(c, d, fmt.Sprintf("%d MiB of results, compressed", log.MaxPayload>>20))
		}
	}
	return event(c, final, data)
}

const (
	plainResult = 1 << 20 // up to which results fit in an event with all else that it holds
	headers     = 4 << 10 // bytes of the headers of an event, at most
)

func tooHeavy(c Calculate, d *Domain, limit string) events.Event {
	return fail(c, d, value.Problems("calculation.limit_exceeded", limit), nil)
}

// weigh is how many bytes results have. They are written out only where they may be many.
func weigh(r events.Results) int {
	const names, escaped = 512, 6 // bytes of an entry's member names and ids; what one byte of text becomes at most
	most := names
	for _, a := range r.Activities {
		most += names + names*len(a.Variables) + escaped*(len(a.Title)+len(a.Description)+len(a.Equation)+len(a.State))
	}
	for _, v := range r.Variables {
		most += names + len(v.Value) + len(v.Display) + len(v.Scale)
		most += escaped * (len(v.Key) + len(v.Title) + len(v.Description) + len(v.Source) + len(v.ScaleUnit))
		for _, t := range v.ScaleTypes {
			most += names + escaped*len(t)
		}
	}
	if most <= plainResult {
		return most
	}
	return len(Encode(r))
}

// Places of an event in the life of a message. A message has one event at each place at most, and
// its id is made of both.
const (
	started     = "started"
	interpreted = "interpreted"
	final       = "final"
)

func event(c Calculate, place string, data any) events.Event {
	return events.Event{
		ID:      uuid.NewSHA1(c.MessageID, []byte(place)),
		Subject: events.ConversationSubject(c.AccountID, c.ConversationID),
		Data:    data,
	}
}

func message(c Calculate, d *Domain) events.Message {
	m := events.Message{
		ConversationID: c.ConversationID, MessageID: c.MessageID, KeyID: c.KeyID, IdempotencyKey: c.IdempotencyKey,
		Source: cmp.Or(c.Source, SourceAPI), InputFormat: c.InputFormat, Prompt: c.Prompt, Apart: c.Apart,
		Domain:     events.DomainRef{ID: c.DomainID, Version: c.DomainVersion},
		ReceivedAt: c.ReceivedAt, Now: c.Now, TimeZone: c.TimeZone, Language: c.Language, Engine: engine.Version,
	}
	if d != nil {
		m.Domain = d.ref()
	}
	return m
}
