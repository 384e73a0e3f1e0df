package commands

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"reckon/engine/prompt"
	"reckon/events"
	"reckon/events/log"
	"reckon/projections"
)

// long makes a prompt long enough to be stored apart, by a note that is left out.
func long(text string) string {
	return text + "\n" + strings.Repeat("# so that it is long\n", events.LongPrompt/20)
}

// records are the messages of a stream.
func (c *cluster) records(t *testing.T, stream string) (list []log.Record) {
	t.Helper()
	state, err := c.log.State(t.Context(), stream)
	if err == nil {
		err = c.log.Records(t.Context(), stream, state.State.LastSeq, func(r log.Record) error {
			r.Data = slices.Clone(r.Data)
			list = append(list, r)
			return nil
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// stored is how many messages of a stream have a text, as they are stored or expanded.
func (c *cluster) stored(t *testing.T, stream, text string) (count int) {
	t.Helper()
	for _, r := range c.records(t, stream) {
		data, err := events.Expand(r.Data)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(data), text) {
			count++
		}
	}
	return count
}

// A long prompt stands once in the log, whoever asks how often, and is read wherever a short one is.
func TestALongPromptIsStoredOnce(t *testing.T) {
	c := startNodes(t, 2)
	key, text := "long", long(drive)
	r := c.request(text)
	r.IdempotencyKey, r.Format = &key, prompt.Structured
	first, err := c.nodes[0].Calculate(t.Context(), r)
	if err != nil || first.Message.Completed == nil || first.Message.Prompt != text {
		t.Fatalf("answered %+v, %v", first.Message, err)
	}
	again, err := c.nodes[1].Calculate(t.Context(), r)
	if err != nil || !again.Replayed || again.Message.MessageID != first.Message.MessageID || again.Message.Prompt != text {
		t.Errorf("sent again it is answered %+v, %v", again, err)
	}
	other := r
	other.Fingerprint = strings.Repeat("f", 64)
	if _, err := c.nodes[1].Calculate(t.Context(), other); !errors.Is(err, ErrIdempotencyConflict) {
		t.Errorf("another body is answered %v", err)
	}
	if in, at := c.stored(t, log.EventsStream, "so that it is long"), c.stored(t, log.CommandsStream, "so that it is long"); in != 1 || at != 0 {
		t.Errorf("the prompt stands %d times in EVENTS and %d times in COMMANDS", in, at)
	}
	list, err := c.log.Read(t.Context(), events.ConversationSubject(c.account.ID, first.Message.ConversationID), 0)
	if err != nil || len(list) != 1 || list[0].Message().Prompt != text || list[0].Size < len(text) {
		t.Fatalf("the log reads %+v, %v", list, err)
	}
	picked, err := c.log.AtAll(t.Context(), []uint64{list[0].Sequence, list[0].Sequence - 1})
	if err != nil || picked[0].Message().Prompt != text || picked[0].Size != list[0].Size || picked[1].Data.(*events.PromptStored).Prompt != text {
		t.Errorf("picked %+v, %v", picked, err)
	}
	// Views that are made of the log have what those have that saw it come.
	fresh := c.idle(t)
	if err := fresh.views.Fresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	head, _, err := fresh.views.Conversation(t.Context(), c.account.ID, first.Message.ConversationID)
	if err != nil || head.Title == nil || !strings.HasPrefix(*head.Title, "distance") {
		t.Errorf("the head is made as %+v, %v", head, err)
	}
	at := first.Message.ReceivedAt
	if made, was := fresh.views.Used(c.account.ID, at), c.nodes[0].views.Used(c.account.ID, at); made != was || made.Bytes < len(text) {
		t.Errorf("the account has used %+v, and as it came %+v", made, was)
	}
}

// Short prompts stand where they always stood.
func TestAShortPromptIsStoredWithItsEvent(t *testing.T) {
	c := startNodes(t, 1)
	for _, asked := range []string{drive, "how far at 60 mph in 2 h?", long(drive)[:events.LongPrompt-1]} {
		if _, err := c.nodes[0].Calculate(t.Context(), c.request(asked)); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range append(c.records(t, log.EventsStream), c.records(t, log.CommandsStream)...) {
		if strings.Contains(r.Subject, ".prompt.") || strings.Contains(string(r.Data), events.ApartCommand) {
			t.Errorf("there is %s", r.Subject)
		}
	}
}

// Prose that is long has events before its answer, which leave the prompt out too.
func TestLongProse(t *testing.T) {
	c := startNodes(t, 1)
	text := strings.Repeat("Well. ", events.LongPrompt/6+1) + "How long for 150 miles at 60 mph?"
	r := c.request(text)
	r.Format = prompt.NaturalLanguage
	a, err := c.nodes[0].Calculate(t.Context(), r)
	if err == nil {
		a.Message, err = c.nodes[0].Await(t.Context(), c.account.ID, a.Message)
	}
	if err != nil || a.Message.Status == projections.InProgress || a.Message.Prompt != text {
		t.Fatalf("answered %+v, %v", a.Message, err)
	}
	if in, at := c.stored(t, log.EventsStream, "Well. Well."), c.stored(t, log.CommandsStream, "Well. Well."); in != 1 || at != 0 {
		t.Errorf("the prompt stands %d times in EVENTS and %d times in COMMANDS", in, at)
	}
}

// A worker that was lost leaves a command whose prompt is stored. One whose prompt is lost with a
// part of the log ends as a crash.
func TestCommandsWithLongPromptsAreDelivered(t *testing.T) {
	c := startLog(t)
	idle := c.idle(t)
	kept, lost := c.structured(), c.structured()
	kept.Prompt = long(drive)
	if err := idle.storeApart(t.Context(), &kept); err != nil || !kept.Apart {
		t.Fatalf("apart %t: %v", kept.Apart, err)
	}
	if err := idle.storeApart(t.Context(), &kept); err != nil { // its outcome was unknown
		t.Errorf("stored twice: %v", err)
	}
	lost.Apart, lost.Prompt = true, ""
	for _, command := range []Calculate{kept, lost} {
		if _, err := c.log.Enqueue(t.Context(), events.KeylessSubject(command.AccountID, command.MessageID), encodeCalculate(command), false); err != nil {
			t.Fatal(err)
		}
	}
	c.join(t, Model{})
	views := c.nodes[0].views
	for _, want := range []struct {
		Calculate
		failed bool
	}{{kept, false}, {lost, true}} {
		m, err := views.AwaitAnswer(t.Context(), c.account.ID, want.ConversationID, want.MessageID)
		if err != nil || (m.Failed != nil) != want.failed || m.Prompt != want.Prompt {
			t.Errorf("answered %+v, %v", m, err)
		}
	}
	fresh := c.idle(t).views
	if err := fresh.Fresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if m, found, err := fresh.Message(t.Context(), c.account.ID, lost.ConversationID, lost.MessageID); !found || err != nil || m.Prompt != "" {
		t.Errorf("without its prompt it is read as %+v, %v", m, err)
	}
	if _, err := c.log.Prompt(t.Context(), events.PromptSubject(c.account.ID, uuid.New(), uuid.New())); !errors.Is(err, log.ErrNotFound) {
		t.Errorf("a prompt that there never was: %v", err)
	}
}
