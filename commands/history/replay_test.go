package history

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"reckon/commands"
	"reckon/commands/commandstest"
	"reckon/engine"
	"reckon/engine/language"
	"reckon/engine/prompt"
	"reckon/engine/value"
	"reckon/events"
	"reckon/events/log"
	"reckon/projections"
)

// recording is a log with conversations of every kind in turns: scenarios, errors, pending inputs,
// prose read by the rules and by a model, and a version of the domain that came between.
type recording struct {
	*node
	messages []projections.Message
}

func tell(t *testing.T, rounds int) *recording {
	t.Helper()
	c := start(t, commands.Model{Name: "a model", Ask: func(_ context.Context, _ uuid.UUID, d *commands.Domain, text string, _ language.Conversation, env value.Env, _ []value.Error) (engine.Request, error) {
		if text != "a riddle" {
			return engine.Request{}, errors.New("no idea")
		}
		request, errs := prompt.ParseStructured(d.Compiled(), "speed: 50 mi/h\ntime: 2 h\ncalculate: distance", env)
		if len(errs) > 0 {
			return request, errors.New(errs[0].Code)
		}
		return request, nil
	}})
	h := &recording{node: c}
	utterances := rapid.Custom(func(t *rapid.T) commandstest.Utterance { return commandstest.DrawUtterance(t, 3, false) })
	conversations := make([]*uuid.UUID, 3)
	ask := func(i int, r commands.Request) {
		r.Conversation = conversations[i]
		m := c.answered(t, r)
		conversations[i] = &m.ConversationID
		h.messages = append(h.messages, m)
	}
	for i := range conversations {
		ask(i, c.request(drive))
	}
	for n := range rounds {
		if n == rounds/2 {
			def := trip(t).Definition
			def.Activities = slices.Clone(def.Activities)
			def.Activities[1].Equation = "fuel = 2 * distance * consumption"
			c.publish(t, def)
		}
		for i := range conversations {
			u := utterances.Example(3*n + i)
			if u.Text == "" {
				u.Text = "cost: ?"
			}
			ask(i, c.request(u.Text))
		}
	}
	ask(0, c.request("scenario: new\ndistance: 10 mi\ncalculate: time"))
	ask(0, c.request("speed: 5 mi/h"))
	ask(1, c.prose(howLong))
	ask(1, c.prose("a riddle"))
	ask(1, c.prose(howLong))
	ask(1, c.prose("and at 75 mph?"))
	ask(1, c.prose("undo the last change"))
	ask(2, c.prose("gibberish of no kind"))
	return h
}

// copyTo appends the history to an empty log, each event as change leaves it.
func (h *recording) copyTo(t *testing.T, change func(e *events.Event)) *log.Log {
	t.Helper()
	to, err := log.Open(t.Context(), log.Options{Dir: t.TempDir(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := to.Close(); err != nil {
			t.Error(err)
		}
	})
	last, err := h.log.Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	newest := map[events.Subject]uint64{}
	if err := h.log.Scan(t.Context(), 0, last, nil, func(_ uint64, list []events.Event) error {
		for _, e := range list {
			change(&e)
			sequence, err := to.Append(t.Context(), e, newest[e.Subject])
			if err != nil {
				return err
			}
			newest[e.Subject] = sequence
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return to
}

func replay(t *testing.T, log *log.Log, r Selection) (Replayed, []Difference) {
	t.Helper()
	var list []Difference
	done, err := Replay(t.Context(), log, r, func(d Difference) error {
		list = append(list, d)
		return nil
	}, func(Replayed) {})
	if err != nil {
		t.Fatal(err)
	}
	if done.Different != len(list) {
		t.Errorf("%d differences, %d reported", done.Different, len(list))
	}
	return done, list
}

func TestReplayGivesWhatWasRecorded(t *testing.T) {
	h := tell(t, 12)
	completed, failed := 0, 0
	for _, m := range h.messages {
		switch {
		case m.Completed != nil:
			completed++
		case m.Failed != nil:
			failed++
		}
	}
	if completed < 10 || failed < 5 {
		t.Errorf("the history has %d results and %d errors, too few to tell anything", completed, failed)
	}
	done, list := replay(t, h.log, Selection{})
	if done.Messages != len(h.messages) || done.Same != done.Messages || len(list) != 0 {
		t.Errorf("%+v\n%s", done, commands.Encode(list))
	}
	one := h.messages[0].ConversationID
	done, list = replay(t, h.log, Selection{Conversation: one})
	if want := countIf(h.messages, func(m projections.Message) bool { return m.ConversationID == one }); done.Same != want || len(list) != 0 {
		t.Errorf("one conversation of %d messages: %+v\n%s", want, done, commands.Encode(list))
	}
	since := h.messages[len(h.messages)/2].UpdatedAt
	done, list = replay(t, h.log, Selection{Since: since})
	if want := countIf(h.messages, func(m projections.Message) bool { return !m.UpdatedAt.Before(since) }); done.Same != want || len(list) != 0 {
		t.Errorf("%d messages since %s: %+v\n%s", want, since, done, commands.Encode(list))
	}
	if done, _ = replay(t, h.log, Selection{Since: time.Now().Add(time.Hour)}); done.Messages != 0 {
		t.Errorf("since a time to come: %+v", done)
	}
	if _, err := Replay(t.Context(), h.log, Selection{Conversation: uuid.New()}, nil, nil); !errors.Is(err, commands.ErrNone) {
		t.Errorf("an unknown conversation: %v", err)
	}
}

func countIf[T any](list []T, is func(T) bool) int {
	n := 0
	for _, v := range list {
		if is(v) {
			n++
		}
	}
	return n
}

// TestReplayInLittleMemory keeps one conversation and no message, so that all is read again; with
// both ways to know that a conversation has earlier events.
func TestReplayInLittleMemory(t *testing.T) {
	h := tell(t, 4)
	last, err := h.log.Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for after, whole := range map[uint64]bool{0: true, last / 2: false} {
		want := countIf(h.messages, func(m projections.Message) bool { return m.Sequence > after })
		little := newFold(h.log, whole)
		little.conversations = projections.NewCache[events.Subject, *conversation](1)
		little.messages.kept = projections.NewCache[uint64, events.Event](0)
		same := 0
		if err := h.log.Scan(t.Context(), after, last, nil, func(_ uint64, list []events.Event) error {
			questions, err := little.questions(t.Context(), list, time.Time{})
			if err != nil {
				return err
			}
			for _, q := range questions {
				d, err := little.repeat(t.Context(), q)
				if err != nil {
					return err
				}
				if d != nil {
					t.Errorf("%s", commands.Encode(d))
				}
				same++
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if same != want {
			t.Errorf("after event %d: %d of %d messages", after, same, want)
		}
		conversations, messages := map[events.Subject]bool{}, 0
		for _, m := range h.messages {
			subject := events.ConversationSubject(h.account.ID, m.ConversationID)
			if _, kept := little.conversations.Get(subject); kept {
				conversations[subject] = true
			}
			if _, kept := little.messages.kept.Get(m.Sequence); kept {
				messages++
			}
		}
		if len(conversations) != 1 || messages != 0 {
			t.Errorf("%d conversations and %d messages are kept", len(conversations), messages)
		}
	}
}

// TestReplayFindsPlantedDifferences changes one event of a copied log at a time.
func TestReplayFindsPlantedDifferences(t *testing.T) {
	h := tell(t, 2)
	first, failed := h.messages[0], projections.Message{}
	for _, m := range h.messages {
		if m.Failed != nil {
			failed = m
		}
	}
	for _, c := range []struct {
		name    string
		message uuid.UUID
		plant   func(e *events.Event)
		path    string
	}{
		{"another value", first.MessageID, func(e *events.Event) {
			data := e.Data.(*events.MessageCompleted)
			data.Engine = "0"
			data.Results.Variables[0].Value = commands.Encode("2.4 h")
		}, "results.variables.time.value"},
		{"another word of a title", first.MessageID, func(e *events.Event) {
			e.Data.(*events.MessageCompleted).Results.Activities[0].Title = "Time"
		}, "results.activities.Driving time"},
		{"another order", first.MessageID, func(e *events.Event) {
			v := e.Data.(*events.MessageCompleted).Results.Variables
			v[1], v[2] = v[2], v[1]
		}, "results.variables (order)"},
		{"another error", failed.MessageID, func(e *events.Event) {
			e.Data.(*events.MessageFailed).Errors = lastError("input.missing_calculate")
		}, "errors"},
		{"an error for a result", first.MessageID, func(e *events.Event) {
			e.Data = &events.MessageFailed{Message: *e.Message(), Errors: lastError("input.missing_calculate")}
		}, "errors"},
	} {
		planted := 0
		log := h.copyTo(t, func(e *events.Event) {
			_, working := e.Data.(*events.MessageStarted)
			if m := e.Message(); m != nil && m.MessageID == c.message && !working {
				if _, reading := e.Data.(*events.MessageInterpreted); !reading {
					c.plant(e)
					planted++
				}
			}
		})
		_, list := replay(t, log, Selection{})
		found := false
		for _, d := range list {
			if d.MessageID != c.message {
				continue
			}
			for _, change := range d.Changes {
				found = found || len(change.Path) >= len(c.path) && change.Path[:len(c.path)] == c.path
			}
			if d.EngineNow != engine.Version || d.Domain.Version != 1 && c.message == first.MessageID {
				t.Errorf("%s: engine %s, domain version %d", c.name, d.EngineNow, d.Domain.Version)
			}
		}
		if planted != 1 || !found {
			t.Errorf("%s: planted %d, want a change of %s in\n%s", c.name, planted, c.path, commands.Encode(list))
		}
	}
}

// TestReplaySkipsWhatNoPromptSays leaves out answers that tell only that there was none in time.
func TestReplaySkipsWhatNoPromptSays(t *testing.T) {
	h := tell(t, 0)
	codes := []string{"language.timeout", "language.unavailable", "internal.error"}
	n := 0
	log := h.copyTo(t, func(e *events.Event) {
		if m := e.Message(); m != nil && n < len(codes) {
			e.Data = &events.MessageFailed{Message: *m, Errors: lastError(codes[n]), Crashed: codes[n] == "internal.error"}
			n++
		}
	})
	done, _ := replay(t, log, Selection{})
	for _, code := range codes {
		if done.Skipped[code] != 1 {
			t.Errorf("%s: %+v", code, done)
		}
	}
	if done.Same+done.Different+3 != done.Messages {
		t.Errorf("%+v", done)
	}
}

func TestChangesNameThePlace(t *testing.T) {
	for _, c := range []struct{ was, is, want string }{
		{`{"a":1}`, `{"a":2}`, `a 1 2`},
		{`{"a":{"b":[1,2]}}`, `{"a":{"b":[1]}}`, `a.b[1] 2 `},
		{`{"v":[{"key":"x","n":1}]}`, `{"v":[{"key":"y","n":1},{"key":"x","n":3}]}`, `v.x.n 1 3; v.y  {"key":"y","n":1}`},
		{`{"v":[{"key":"x"},{"key":"y"}]}`, `{"v":[{"key":"y"},{"key":"x"}]}`, `v (order) ["x","y"] ["y","x"]`},
		{`{"a":null}`, `{}`, `a null `},
		{`[1]`, `{}`, `all [1] {}`},
	} {
		got := ""
		for i, change := range changes([]byte(c.was), []byte(c.is)) {
			if i > 0 {
				got += "; "
			}
			got += fmt.Sprintf("%s %s %s", change.Path, change.Was, change.Is)
		}
		if got != c.want {
			t.Errorf("%s to %s: %s, want %s", c.was, c.is, got, c.want)
		}
	}
}

func TestBloomFilterNeverForgets(t *testing.T) {
	s := newFold(nil, true).met
	account := uuid.New()
	var added []events.Subject
	for i := range 1000 {
		added = append(added, events.ConversationSubject(account, uuid.New()))
		if there := s.add(added[i]); there && i == 0 {
			t.Error("an empty bloomFilter has something")
		}
	}
	for _, subject := range added {
		if !s.add(subject) {
			t.Errorf("%s is forgotten", subject)
		}
	}
	wrong := 0
	for range 1000 {
		if s.add(events.ConversationSubject(account, uuid.New())) {
			wrong++
		}
	}
	if wrong > 10 {
		t.Errorf("%d of 1000 others are taken for added ones", wrong)
	}
}

// TestReplayOfCharts repeats charts that are calculated, also from scenarios that others branch off.
func TestReplayOfCharts(t *testing.T) {
	n := start(t, commands.Model{})
	n.domain = n.publish(t, commandstest.Charts()).DomainID
	var conversation *uuid.UUID
	prompts := []string{
		"levels: [1 m, 2 m]\ncalculate: bars", "levels: [1 m, 250 cm]", "levels: [1 m, 2 kg]", "scenario: 2\ncalculate: bars in cm",
		"scenario: new\nbars: [1 USD, 2 EUR]\ncalculate: levels", "bars: [1 m, 2 kg]", "calculate: levels in m",
		"scenario: new\nlengths: [1, 2]\nothers: [3 kg, 4 g]\ncalculate: turned", "calculate: slices", "calculate: first",
	}
	for _, text := range prompts {
		r := n.request(text)
		r.Conversation = conversation
		m := n.answered(t, r)
		conversation = &m.ConversationID
		want := ""
		if text == "calculate: levels in m" {
			want = "input.incompatible_units"
		}
		if got := code(t, m); got != want {
			t.Errorf("%q: %s", text, got)
		}
	}
	if done, list := replay(t, n.log, Selection{}); done.Same != len(prompts) || len(list) != 0 {
		t.Errorf("%+v\n%s", done, commands.Encode(list))
	}
}
