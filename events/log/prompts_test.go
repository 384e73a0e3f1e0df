package log

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/events/log/logtest"
)

// asked is a message with a long prompt that is stored apart: the prompt, and the event that leaves
// it out.
func asked(account uuid.UUID, text string) (prompt, event events.Event) {
	m := events.Message{ConversationID: uuid.New(), MessageID: uuid.New(), Prompt: text, Apart: true}
	prompt = events.Event{
		ID: uuid.New(), Time: time.Now(), Subject: events.PromptSubject(account, m.ConversationID, m.MessageID),
		Data: &events.PromptStored{ConversationID: m.ConversationID, MessageID: m.MessageID, Prompt: text},
	}
	event = events.Event{
		ID: uuid.New(), Time: time.Now(), Subject: events.ConversationSubject(account, m.ConversationID),
		Data: &events.MessageFailed{Message: m},
	}
	return prompt, event
}

// Every way to read an event hands its prompt over with it, of one and of many, and goes without
// one that was deleted.
func TestPromptsAreReadWithTheirEvents(t *testing.T) {
	l := open(t, t.TempDir())
	account := uuid.New()
	const many = 3*picks + 1
	var last uint64
	var subject events.Subject
	text := func(i int) string { return strings.Repeat(fmt.Sprintf("%d ", i), events.LongPrompt) }
	for i := range many {
		prompt, event := asked(account, text(i))
		for _, e := range []events.Event{prompt, event} {
			var err error
			if last, err = l.Append(t.Context(), e, 0); err != nil {
				t.Fatal(err)
			}
		}
		subject = event.Subject
	}
	read := func(what string, reads func(fold func(uint64, []events.Event) error) error) {
		t.Helper()
		count, upTo := 0, uint64(0)
		err := reads(func(to uint64, list []events.Event) error {
			for _, e := range list {
				if m := e.Message(); m != nil {
					if m.Prompt != text(count) || e.Size < len(m.Prompt) {
						t.Errorf("%s: prompt %d has %d bytes, of %d", what, count, len(m.Prompt), e.Size)
					}
					count++
				}
				if whole, err := e.Whole(); err != nil || whole.Lacks() {
					t.Errorf("%s: made whole event %d lacks its prompt: %v", what, e.Sequence, err)
				}
				if e.Sequence <= upTo || e.Sequence > to {
					t.Errorf("%s: event %d is folded between %d and %d", what, e.Sequence, upTo, to)
				}
			}
			upTo = to
			return nil
		})
		if err != nil || count != many || upTo != last {
			t.Errorf("%s: %d events up to %d, %v", what, count, upTo, err)
		}
	}
	read("Scan", func(fold func(uint64, []events.Event) error) error { return l.Scan(t.Context(), 0, last, nil, fold) })
	read("Skim", func(fold func(uint64, []events.Event) error) error { return l.Skim(t.Context(), 0, last, nil, fold) })
	read("Scan of some", func(fold func(uint64, []events.Event) error) error {
		return l.Scan(t.Context(), 0, last, func(s events.Subject) bool { return !strings.Contains(s.String(), ".prompt.") }, fold)
	})
	read("Tail", func(fold func(uint64, []events.Event) error) error {
		ctx, stop := context.WithCancel(t.Context())
		err := l.Tail(ctx, 0, func(list []events.Event) error {
			to := list[len(list)-1].Sequence
			if to == last {
				stop()
			}
			return fold(to, list)
		})
		if errors.Is(err, context.Canceled) {
			return nil
		}
		return err
	})
	for what, one := range map[string]func() (events.Event, error){
		"At":    func() (events.Event, error) { return l.At(t.Context(), last) },
		"AtAll": func() (events.Event, error) { list, err := l.AtAll(t.Context(), []uint64{last}); return list[0], err },
		"Read": func() (events.Event, error) {
			list, err := l.Read(t.Context(), subject, 0)
			return list[0], err
		},
	} {
		if e, err := one(); err != nil || e.Message().Prompt != text(many-1) {
			t.Errorf("%s: %+v, %v", what, e, err)
		}
	}
	stream, err := l.JetStream().Stream(t.Context(), EventsStream)
	if err == nil {
		err = stream.DeleteMsg(t.Context(), last-1)
	}
	if err != nil {
		t.Fatal(err)
	}
	if e, err := l.At(t.Context(), last); err != nil || e.Message().Prompt != "" {
		t.Errorf("without its prompt: %+v, %v", e, err)
	}
	l.damaged.Store(&DamagedError{})
	if _, err := l.AtAll(t.Context(), []uint64{last}); !errors.Is(err, ErrDamaged) {
		t.Errorf("without its prompt in a damaged log: %v", err)
	}
}

// Prompts are stored apart in a cluster once all nodes are known to read them, and then on every
// node.
func TestClusterAgreesOnPrompts(t *testing.T) {
	t.Parallel()
	c := newTrio(t)
	c.Lose(t, 2)
	if c.Logs[0].TakesApart(t.Context()) {
		t.Error("prompts are stored apart although not all nodes have said that they read them")
	}
	c.Start(t, 2)
	for i := range c.Logs {
		logtest.Until(t, "agree", func(ctx context.Context) error {
			if !c.Logs[i].TakesApart(ctx) {
				return errors.New("not yet")
			}
			return nil
		})
	}
	for i, l := range c.Logs {
		if n := l.Nodes(); n != 3 {
			t.Errorf("node %d counts %d nodes", i, n)
		}
	}
	prompt, event := asked(uuid.New(), strings.Repeat("long ", events.LongPrompt))
	c.Append(t, 0, prompt, 0)
	last := c.Append(t, 1, event, 0)
	for i, l := range c.Logs {
		logtest.Until(t, "read it", func(ctx context.Context) error {
			list, err := l.AtAll(ctx, []uint64{last})
			if err == nil && list[0].Lacks() {
				t.Errorf("node %d hands it over without its prompt", i)
			}
			return err
		})
	}
}
