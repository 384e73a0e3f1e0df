package commands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/commands/commandstest"
	"reckon/engine"
	"reckon/engine/language"
	"reckon/engine/prompt"
	"reckon/engine/value"
	"reckon/events"
	"reckon/projections"
)

const howLong = commandstest.HowLong

// prose is a request in natural language.
func (c *cluster) prose(text string) Request {
	r := c.request(text)
	r.Format = prompt.NaturalLanguage
	return r
}

// answered asks on a node and waits for the answer.
func (c *cluster) answered(t *testing.T, s *Service, r Request) projections.Message {
	t.Helper()
	a, err := s.Calculate(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return c.await(t, s, a.Message)
}

func (c *cluster) await(t *testing.T, s *Service, m projections.Message) projections.Message {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	m, err := s.Await(ctx, c.account.ID, m)
	if err != nil || m.Status == projections.InProgress {
		t.Fatalf("the message is %s: %v", m.Status, err)
	}
	return m
}

// history is what happened to a message, in order.
func (c *cluster) history(t *testing.T, conversation, message uuid.UUID) []string {
	t.Helper()
	list, err := c.log.Read(t.Context(), events.ConversationSubject(c.account.ID, conversation), 0)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, e := range list {
		if e.Message().MessageID == message {
			kinds = append(kinds, strings.TrimPrefix(fmt.Sprintf("%T", e.Data), "*events."))
		}
	}
	return kinds
}

// code is that of the one error which a message ended in, "" of a completed one.
func code(t *testing.T, m projections.Message) string {
	t.Helper()
	if m.Failed == nil {
		return ""
	}
	var errs []value.Error
	if err := json.Unmarshal(m.Failed.Errors, &errs); err != nil || len(errs) == 0 || len(errs) > 1 && errs[1].Code != "language.can_ask" {
		t.Fatalf("errors %s: %v", m.Failed.Errors, err)
	}
	return errs[0].Code
}

// reader is a model which reads a prompt when it is told to, as structured text that a test has for
// it.
type reader struct {
	text    string
	asked   atomic.Int32
	begun   chan struct{} // receives once for each time it is asked
	proceed chan struct{} // lets it answer
}

func newReader(text string) *reader {
	return &reader{text: text, begun: make(chan struct{}, 1000), proceed: make(chan struct{})}
}

func (r *reader) ask(ctx context.Context, _ uuid.UUID, d *Domain, _ string, _ language.Conversation, env value.Env, _ []value.Error) (engine.Request, error) {
	r.asked.Add(1)
	r.begun <- struct{}{}
	select {
	case <-ctx.Done():
		return engine.Request{}, ctx.Err()
	case <-r.proceed:
	}
	request, errs := prompt.ParseStructured(d.compiled, r.text, env)
	if len(errs) > 0 {
		return request, errors.New(errs[0].Filled())
	}
	return request, nil
}

// TestProseIsInProgressUntilItIsAnswered stops a worker in the middle of a request, and looks at
// all that can be seen of it.
func TestProseIsInProgressUntilItIsAnswered(t *testing.T) {
	c := startLog(t)
	model := newReader(drive)
	s, _ := c.join(t, Model{Name: "a model", First: true, Ask: model.ask})
	key := "the key"
	r := c.prose(howLong)
	r.IdempotencyKey = &key
	first, err := s.Calculate(t.Context(), r)
	if err != nil || first.Replayed || first.Message.Status != projections.InProgress || first.Message.Number != 1 {
		t.Fatalf("%+v: %v", first, err)
	}
	<-model.begun
	again, err := s.Calculate(t.Context(), r)
	if err != nil || !again.Replayed || again.Message.Status != projections.InProgress || again.Message.MessageID != first.Message.MessageID {
		t.Errorf("asked again: %+v: %v", again, err)
	}
	id := first.Message.ConversationID
	head, found, err := s.views.Conversation(t.Context(), c.account.ID, id)
	if err != nil || !found || head.Messages != 1 || head.Current != 0 || head.Title == nil || *head.Title != howLong || !head.LastActivityAt.Equal(first.Message.UpdatedAt) {
		t.Errorf("the conversation is %+v: %v", head, err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if m, err := s.Await(gone, c.account.ID, first.Message); err != nil || m.Status != projections.InProgress {
		t.Errorf("whoever does not wait gets %s: %v", m.Status, err)
	}
	close(model.proceed)
	m := c.await(t, s, first.Message)
	if m.Completed == nil || m.Number != 1 || m.Completed.NaturalLanguage == nil || m.Completed.StructuredText != nil {
		t.Errorf("the answer is %+v", m)
	}
	last, err := s.Calculate(t.Context(), r)
	if err != nil || !last.Replayed || last.Message.Completed == nil {
		t.Errorf("asked once more: %+v: %v", last, err)
	}
	list, err := c.log.Read(t.Context(), events.ConversationSubject(c.account.ID, id), 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, place := range []string{started, interpreted, final} {
		if i >= len(list) || list[i].ID != uuid.NewSHA1(m.MessageID, []byte(place)) {
			t.Fatalf("the event at %d is none of %s", i, place)
		}
	}
	if got := c.history(t, id, m.MessageID); !reflect.DeepEqual(got, []string{"MessageStarted", "MessageInterpreted", "MessageCompleted"}) {
		t.Errorf("what happened is %v", got)
	}
}

// TestAnotherWorkerTakesOver leaves the log as a worker leaves it that died behind each of its
// events. The next one answers, once, and asks no model where one has read the prompt.
func TestAnotherWorkerTakesOver(t *testing.T) {
	for _, row := range []struct {
		name    string
		written int // how many of the two events
		asked   int32
	}{{"before everything", 0, 1}, {"behind the started event", 1, 1}, {"behind the interpreted event", 2, 0}} {
		t.Run(row.name, func(t *testing.T) {
			c := startLog(t)
			key := "orphan"
			command := c.command(howLong, time.Now())
			command.IdempotencyKey = &key
			request := message(command, nil)
			written := []events.Event{
				event(command, started, &events.MessageStarted{Message: request}),
				event(command, interpreted, &events.MessageInterpreted{
					Message: request, Proposer: "a model",
					Parsed: json.RawMessage(`{"version":2,"inputs":[{"key":"distance","value":"300 mi"},{"key":"speed","value":"60 mi/h"}],"calculate":{"key":"time","unit":null}}`),
				}),
			}
			sequence := uint64(0)
			for _, e := range written[:row.written] {
				e.Time = time.Now()
				var err error
				if sequence, err = c.log.Append(t.Context(), e, sequence); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := c.log.Enqueue(t.Context(), events.CommandSubject(c.account.ID, "key "+key), Encode(command), true); err != nil {
				t.Fatal(err)
			}
			model := newReader("distance: 300 mi\nspeed: 60 mi/h\ncalculate: time")
			close(model.proceed)
			s, _ := c.join(t, Model{Name: "a model", First: true, Ask: model.ask})
			r := c.prose(howLong)
			r.IdempotencyKey = &key
			m := c.answered(t, s, r)
			if m.Completed == nil || string(m.Completed.Results.Variables[0].Value) != `"5 h"` {
				t.Errorf("the answer is %+v", m)
			}
			if got := c.history(t, command.ConversationID, command.MessageID); !reflect.DeepEqual(got, []string{"MessageStarted", "MessageInterpreted", "MessageCompleted"}) {
				t.Errorf("what happened is %v", got)
			}
			if model.asked.Load() != row.asked {
				t.Errorf("the model was asked %d times", model.asked.Load())
			}
		})
	}
}

// command is a request in natural language as a node has taken it in.
func (c *cluster) command(text string, received time.Time) Calculate {
	return Calculate{
		Type: calculateType, AccountID: c.account.ID, Fingerprint: strings.Repeat("0", 64),
		ConversationID: uuid.New(), MessageID: uuid.New(), DomainID: c.domain, DomainVersion: 1,
		InputFormat: prompt.NaturalLanguage, Prompt: text,
		ReceivedAt: received.UTC().Truncate(time.Millisecond), Now: received.UTC().Truncate(time.Second), TimeZone: "UTC",
	}
}

// TestAWorkerThatStopsHandsProseOn stops a worker while its model reads. The other node's worker
// answers.
func TestAWorkerThatStopsHandsProseOn(t *testing.T) {
	c := startLog(t)
	slow, quick := newReader(drive), newReader(drive)
	close(quick.proceed)
	one, stop := c.join(t, Model{Name: "slow", First: true, Ask: slow.ask})
	a, err := one.Calculate(t.Context(), c.prose(howLong))
	if err != nil {
		t.Fatal(err)
	}
	<-slow.begun
	two, _ := c.join(t, Model{Name: "quick", First: true, Ask: quick.ask})
	stop()
	if m := c.await(t, two, a.Message); m.Completed == nil {
		t.Errorf("the answer is %s", m.Failed.Errors)
	}
	if got := c.history(t, a.Message.ConversationID, a.Message.MessageID); !reflect.DeepEqual(got, []string{"MessageStarted", "MessageInterpreted", "MessageCompleted"}) {
		t.Errorf("what happened is %v", got)
	}
}

// TestSlowProseHoldsNothingUp has more prose under way than a node has slots of any kind, none of
// which gets on. Structured text is answered all the same, and in the end everything is, once.
func TestSlowProseHoldsNothingUp(t *testing.T) {
	c := startLog(t)
	model := newReader(drive)
	s, _ := c.join(t, Model{Name: "slow", First: true, Ask: model.ask})
	messages := make([]projections.Message, slots+proseSlots+20)
	var all sync.WaitGroup
	for i := range messages {
		all.Go(func() {
			a, err := s.Calculate(t.Context(), c.prose(howLong))
			if err != nil || a.Message.Status != projections.InProgress {
				t.Errorf("%s: %v", a.Message.Status, err)
			}
			messages[i] = a.Message
		})
	}
	all.Wait()
	for range proseSlots {
		<-model.begun
	}
	for range 3 {
		if a, err := s.Calculate(t.Context(), c.request(drive)); err != nil || a.Message.Completed == nil {
			t.Fatalf("structured text: %v", err)
		}
	}
	if asked := model.asked.Load(); asked != proseSlots {
		t.Errorf("the model reads %d prompts at once", asked)
	}
	close(model.proceed)
	for _, m := range messages {
		c.await(t, s, m)
		if got := c.history(t, m.ConversationID, m.MessageID); !reflect.DeepEqual(got, []string{"MessageStarted", "MessageInterpreted", "MessageCompleted"}) {
			t.Errorf("what happened is %v", got)
		}
	}
	if asked := model.asked.Load(); asked != int32(len(messages)) {
		t.Errorf("the model was asked %d times for %d prompts", asked, len(messages))
	}
}

func TestOneKeyOfProseRunsOnceOnWhicheverNode(t *testing.T) {
	c := startNodes(t, 2)
	key := "the key"
	r := c.prose(howLong)
	r.IdempotencyKey = &key
	m := c.await(t, c.nodes[0], c.once(t, r))
	if got := c.history(t, m.ConversationID, m.MessageID); !reflect.DeepEqual(got, []string{"MessageStarted", "MessageCompleted"}) {
		t.Errorf("what happened is %v", got)
	}
}

// TestProseThatCannotBeAnswered says what a request in natural language ends in when it is not
// calculated: an error of the message in every case, however often it is asked for.
// testdata/endings.txt holds what happened.
func TestProseThatCannotBeAnswered(t *testing.T) {
	t.Parallel()
	const file = "testdata/endings.txt"
	var got strings.Builder
	long := time.Now().Add(-proseBudget - time.Second)
	joke := func(c Calculate) Calculate { c.Prompt = "tell me a joke about penguins"; return c }
	refuses := func(reason error) func(*Service) {
		return func(s *Service) {
			s.model = Model{Name: "none", Ask: func(context.Context, uuid.UUID, *Domain, string, language.Conversation, value.Env, []value.Error) (engine.Request, error) {
				return engine.Request{}, fmt.Errorf("ask: %w", reason)
			}}
		}
	}
	for _, row := range []struct {
		name    string
		command func(Calculate) Calculate
		prepare func(*Service)
	}{
		{"too late", func(c Calculate) Calculate { c.ReceivedAt = long; return c }, func(*Service) {}},
		{"a model that goes on until it is too late", func(c Calculate) Calculate { c.ReceivedAt = time.Now().Add(time.Second - proseBudget); return c }, func(s *Service) {
			s.model = Model{Name: "endless", First: true, Ask: newReader("").ask}
		}},
		{"too many", func(c Calculate) Calculate { return c }, func(s *Service) { s.waiting.Store(maxWaiting) }},
		{"delivered too often", func(c Calculate) Calculate { c.DomainVersion = 99; return c }, func(*Service) {}},
		{"not understood", joke, func(*Service) {}},
		{"a model that is broken", joke, refuses(ErrModelBroken)},
		{"a model whose requests are used up", joke, refuses(ErrModelOverBudget)},
		{"a model that is not there", joke, refuses(errors.New("the model is not there"))},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := startLog(t)
			key := "key"
			command := row.command(c.command(howLong, time.Now()))
			command.IdempotencyKey, command.MessageID = &key, uuid.NewSHA1(names, []byte(row.name))
			if _, err := c.log.Enqueue(t.Context(), events.CommandSubject(c.account.ID, "key "+key), Encode(command), true); err != nil {
				t.Fatal(err)
			}
			s, _ := c.start(t, row.prepare)
			r := c.prose(howLong)
			r.IdempotencyKey = &key
			fmt.Fprintf(&got, "= %s\n", row.name)
			for range 2 {
				got.WriteString(newHistory().told(c.answered(t, s, r)))
			}
			fmt.Fprintf(&got, "%s\n\n", strings.Join(c.history(t, command.ConversationID, command.MessageID), ", "))
		})
	}
	golden(t, file, got.String())
}

// TestWhenAModelIsAsked says what a model is asked, and that the rules stand where it has no
// answer.
func TestWhenAModelIsAsked(t *testing.T) {
	const joke = "tell me a joke about penguins"
	fails := errors.New("the model is not there")
	for _, row := range []struct {
		name  string
		text  string
		first bool
		asked bool
		reply func(*Domain) (engine.Request, error)
		want  string // the code of the error, or the value
	}{
		{"the rules understand", howLong, false, false, nil, `"2.5 h"`},
		{"the rules doubt", joke, false, true, said("distance: 300 mi\nspeed: 60 mi/h\ncalculate: time"), `"5 h"`},
		{"the rules doubt and the model fails", joke, false, true, func(*Domain) (engine.Request, error) { return engine.Request{}, fails }, "language.not_understood"},
		{"the model is first", howLong, true, true, said("distance: 300 mi\nspeed: 60 mi/h\ncalculate: time"), `"5 h"`},
		{"the model is first and fails", howLong, true, true, func(*Domain) (engine.Request, error) { return engine.Request{}, fails }, `"2.5 h"`},
		{"the model panics", howLong, true, true, func(*Domain) (engine.Request, error) { panic("a model") }, `"2.5 h"`},
		{"the model names what is not there", howLong, true, true, func(*Domain) (engine.Request, error) {
			return engine.Request{Targets: []engine.Target{{Variable: 99}}}, nil
		}, `"2.5 h"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := startLog(t)
			asked := false
			s, _ := c.join(t, Model{Name: "a model", First: row.first, Ask: func(_ context.Context, _ uuid.UUID, d *Domain, text string, _ language.Conversation, _ value.Env, doubt []value.Error) (engine.Request, error) {
				asked = true
				if text != row.text || (len(doubt) > 0) == row.first {
					t.Errorf("the model is asked %q with the doubt %v", text, doubt)
				}
				return row.reply(d)
			}})
			m := c.answered(t, s, c.prose(row.text))
			got := code(t, m)
			if m.Completed != nil {
				got = string(m.Completed.Results.Variables[0].Value)
			}
			if got != row.want || asked != row.asked {
				t.Errorf("%s, asked: %v", got, asked)
			}
		})
	}
}

// said is what a model replies that reads a prompt as structured text.
func said(text string) func(*Domain) (engine.Request, error) {
	return func(d *Domain) (engine.Request, error) {
		request, _ := prompt.ParseStructured(d.compiled, text, value.Env{})
		return request, nil
	}
}
