package history

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/engine"
	"reckon/engine/prompt"
	"reckon/events"
	"reckon/events/log"
	"reckon/projections"
)

// ErrUntestable says that an answer cannot be had again from one version of its domain.
var ErrUntestable = errors.New("makes no test")

// TestOf turns an answered message into a test that gives the same answer. Of calculated values it
// is a prompt that states all that they rest on, defaults and values of earlier scenarios among
// them, where that gives the same by itself; else it is what was asked, after as much of the
// conversation as the answer needs. What a language model read is asked as the JSON prompt that it
// made of it. A test states its moment and time zone only where the answer depends on them. It
// fails with commands.ErrNone, ErrUnanswered, and with ErrUntestable where the answer rests on what
// another version of the domain, or of the engine, has answered otherwise.
func TestOf(ctx context.Context, log *log.Log, message uuid.UUID) (events.Test, events.DomainRef, error) {
	f, earlier, q, err := findQuestion(ctx, log, message)
	if err != nil {
		return events.Test{}, events.DomainRef{}, err
	}
	ref := q.recorded.Message().Domain
	version, err := f.domains.Get(ctx, q.recorded.Subject.Account(), ref.ID, ref.Version)
	switch {
	case err != nil:
		return events.Test{}, ref, err
	case version.Domain == nil:
		return events.Test{}, ref, fmt.Errorf("version %d of the domain does not compile any more: %s", ref.Version, version.Why())
	}
	var fetched *projections.Message
	if data, ok := q.recorded.Data.(*events.MessageCompleted); ok && data.Results.Action == "fetch" {
		fetched, err = q.conversation.scenario(data.Results.Scenario.Current, func(sequence uint64) (*projections.Message, error) {
			return f.messages.get(ctx, sequence)
		})
		if err != nil {
			return events.Test{}, ref, err
		}
	}
	if t, ok := testOf(version.Domain, *q, earlier, fetched); ok {
		return t, ref, nil
	}
	why := fmt.Sprintf("it goes on from what other versions of the domain have answered, and version %d answers that otherwise: ask again in a new conversation, and make a test of that answer", ref.Version)
	if other, err := f.repeat(ctx, q); err != nil {
		return events.Test{}, ref, err
	} else if other != nil {
		why = fmt.Sprintf("this version of Reckon answers it otherwise, as `reckon replay --conversation %s` shows", q.recorded.Message().ConversationID)
	}
	return events.Test{}, ref, fmt.Errorf("message %s %w: %s", message, ErrUntestable, why)
}

// testOf makes a test of a question that the domain has answered, and tells whether the domain
// passes it. earlier are those answered before it in the conversation, and fetched is the message
// that a fetched scenario stands at.
func testOf(d *commands.Domain, q question, earlier []question, fetched *projections.Message) (events.Test, bool) {
	asked := turn(d, q)
	t := events.Test{Prompt: asked.Prompt, InputFormat: asked.InputFormat, Now: asked.Now, TimeZone: asked.TimeZone, Expect: map[string]json.RawMessage{}}
	var errs json.RawMessage // that are expected
	var candidates []events.Test
	switch data := q.recorded.Data.(type) {
	case *events.MessageFailed:
		errs = data.Errors
		for _, e := range commands.MistakesOf(data) {
			t.Errors = append(t.Errors, e.Code)
		}
	case *events.MessageCompleted:
		expect(&t, d, data.Results, fetched)
		if fetched != nil {
			break
		}
		if candidate, ok := alone(d, data, t); ok {
			candidates = append(candidates, candidate)
		}
	}
	after := t
	after.After = turns(d, earlier)
	for _, exactly := range []bool{true, false} {
		holds := func(t events.Test) bool {
			for _, now := range moments(*asked.Now, t) {
				answer, problems := d.RunTest(t, now)
				if len(problems) > 0 || exactly && errs != nil && !bytes.Equal(answer.Failed.Errors, errs) {
					return false
				}
			}
			return true
		}
		for _, candidate := range append(candidates, t, after) {
			if len(candidate.Expect)+len(candidate.Errors) > 0 && holds(candidate) {
				return simplest(candidate, holds), true
			}
		}
	}
	return t, false
}

// expect has a test expect what a result has calculated, or of a fetch what is known of the
// scenario.
func expect(t *events.Test, d *commands.Domain, r events.Results, fetched *projections.Message) {
	if fetched != nil {
		for _, v := range fetched.Completed.Results.Variables {
			if v.Source == string(engine.UserInput) || fetched.Domain.Version == d.Version {
				t.Expect[v.Key] = v.Value
			}
		}
		return
	}
	wanted := r.Target()
	for _, v := range r.Variables {
		if v.Key == wanted || v.Source == string(engine.Calculated) && !v.Historical {
			t.Expect[v.Key] = v.Value
		}
	}
}

// moments are the moments at which a test must hold. One that states when it takes place holds at
// all, or at none.
func moments(asked time.Time, t events.Test) []time.Time {
	list := []time.Time{asked}
	for n := 1; n <= 4 && t.Now == nil; n++ {
		// Four years, one of them with a leap day, and in each another day, hour, minute and second.
		list = append(list, asked.AddDate(n, 1, n).Add(time.Duration(n)*(5*time.Hour+7*time.Minute+11*time.Second)))
	}
	return list
}

// alone is a test with a prompt that states what a result rests on, in the place of what was asked.
// It expects what follows from that.
func alone(d *commands.Domain, data *events.MessageCompleted, t events.Test) (events.Test, bool) {
	s := d.Scenario(&projections.Message{Message: data.Message, Completed: data})
	given := engine.Result{Calculated: d.Compiled().Index(data.Results.Target()), Cleared: s.Cleared}
	if given.Calculated < 0 {
		return t, false
	}
	for _, v := range s.Values {
		if v.Source != engine.Calculated || v.Historical {
			v.Source = engine.UserInput
			given.Values = append(given.Values, engine.ResultValue{ScenarioValue: v, Stated: true})
		}
	}
	if asked := s.Last(); len(asked) > 0 && asked[0].Variable == given.Calculated {
		given.Unit, given.Also = asked[0].Unit, asked[1:]
	}
	given.Everything = s.Everything
	t.Prompt, t.InputFormat = prompt.Text(d.Compiled(), given), ""
	again, err := d.Offline(t.Prompt, t.InputFormat, t.TimeZone, *t.Now)
	if err != nil || again.Completed == nil {
		return t, false
	}
	expected := t.Expect
	t.Expect = map[string]json.RawMessage{}
	for _, v := range again.Completed.Results.Variables {
		if value, ok := expected[v.Key]; ok {
			t.Expect[v.Key] = value
		}
	}
	return t, true
}

// turn is what was asked, with all that it was asked with but a format that the prompt tells.
func turn(d *commands.Domain, q question) events.Turn {
	m := q.recorded.Message()
	t := events.Turn{Prompt: m.Prompt, InputFormat: m.InputFormat, Now: &m.Now, TimeZone: m.TimeZone}
	if q.interpreted != nil {
		t.Prompt, t.InputFormat = string(q.interpreted), prompt.JSON
	}
	if told, err := prompt.Detect(d.Compiled(), t.Prompt); err == nil && told == t.InputFormat {
		t.InputFormat = ""
	}
	return t
}

// turns are those turns of a conversation that a prompt can go on from: all that were calculated,
// and what was asked since with values missing.
func turns(d *commands.Domain, earlier []question) []events.Turn {
	var list []events.Turn
	calculated := 0 // how many of the list there were when a calculation was completed
	for _, q := range earlier {
		completed, _ := q.recorded.Data.(*events.MessageCompleted)
		failed, _ := q.recorded.Data.(*events.MessageFailed)
		mine := q.recorded.Message().Domain.ID == d.ID
		switch {
		case failed != nil && !failed.Awaits():
		case mine:
			list = append(list, turn(d, q))
		case completed != nil:
			list = append(list, events.Turn{OtherDomain: completed.Results.Scenario.Current})
		default: // another domain's values are missing now, no more this one's
			list = list[:calculated]
		}
		if completed != nil {
			calculated = len(list)
		}
	}
	return list
}

// maxDryRuns is how many prompts are calculated to leave turns out of a test, and as many to leave
// out when they took place.
const maxDryRuns = 20_000

// simplest leaves out of a test what it holds without, as far as that is found soon enough.
func simplest(t events.Test, holds func(events.Test) bool) events.Test {
	left := maxDryRuns
	try := func(change func(*events.Test)) bool {
		next := t
		next.After = slices.Clone(t.After)
		change(&next)
		left -= (1 + len(next.After)) * len(moments(time.Time{}, next))
		if left < 0 || !holds(next) {
			return false
		}
		t = next
		return true
	}
	for size := len(t.After); size > 0; size /= 2 {
		for end := len(t.After); end > 0; end -= size {
			try(func(t *events.Test) { t.After = slices.Delete(t.After, max(0, end-size), end) })
		}
	}
	left = maxDryRuns
	for _, forget := range []func(*events.Turn){
		func(t *events.Turn) { t.TimeZone = "" },
		func(t *events.Turn) { t.Now = nil },
	} {
		if try(func(t *events.Test) {
			for i := range t.After {
				forget(&t.After[i])
			}
		}) {
			continue
		}
		for i := range t.After {
			try(func(t *events.Test) { forget(&t.After[i]) })
		}
	}
	try(func(t *events.Test) { t.TimeZone = "" })
	try(func(t *events.Test) { t.Now = nil })
	try(func(t *events.Test) {
		tidy(&t.Prompt)
		for i := range t.After {
			tidy(&t.After[i].Prompt)
		}
	})
	return t
}

// tidy takes the space around a prompt away, and what lines of another system end with.
func tidy(text *string) {
	if shorter := strings.TrimSpace(strings.ReplaceAll(*text, "\r\n", "\n")); shorter != "" {
		*text = shorter
	}
}
