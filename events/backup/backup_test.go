package backup

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
	"reckon/events/log"
	"reckon/events/log/logtest"
)

// A data directory of an earlier build may hold commands beside the queue, which did not deliver them. It opens, the queue delivers
// them, and a backup leaves them out, since no log takes them any more.
func TestOldCommands(t *testing.T) {
	source := t.TempDir()
	l := open(t, source)
	account := uuid.New()
	queued, old := events.CommandSubject(account, "a key"), "cmd.handed."+account.String()+"."+uuid.NewString()
	state, err := l.State(t.Context(), log.CommandsStream)
	if err != nil {
		t.Fatal(err)
	}
	queue, err := l.Commands(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	stream, consumer := state.Config, queue.CachedInfo().Config
	stream.Subjects, consumer.FilterSubject = []string{"cmd.*.*", "cmd.handed.*.*"}, "cmd.*.*"
	if _, err := l.JetStream().UpdateStream(t.Context(), stream); err != nil {
		t.Fatal(err)
	}
	if _, err := l.JetStream().CreateOrUpdateConsumer(t.Context(), log.CommandsStream, consumer); err != nil {
		t.Fatal(err)
	}
	_, err = l.JetStream().PublishMsg(t.Context(), &nats.Msg{Subject: old, Header: nats.Header{jetstream.MsgTTLHeader: {"10m"}}, Data: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	if err := enqueue(t.Context(), l, queued, []byte("queued"), true); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}

	delivered := func(l *log.Log, want ...string) {
		t.Helper()
		queue, err := l.Commands(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, subject := range want {
			m, err := queue.Next(jetstream.FetchMaxWait(5 * time.Second))
			if err != nil || m.Subject() != subject {
				t.Fatalf("got %v, %v instead of %s", m, err, subject)
			}
		}
		if info, err := queue.Info(t.Context()); err != nil || info.NumPending != 0 {
			t.Errorf("the queue has more: %+v, %v", info, err)
		}
	}
	l = open(t, source)
	delivered(l, old, queued.String())
	var file bytes.Buffer
	taken, err := Write(t.Context(), l, &file, quiet)
	if err != nil || taken.Commands != 1 || taken.Unfinished != 1 {
		t.Fatalf("backed up %+v, %v", taken, err)
	}
	dir := filepath.Join(t.TempDir(), "restored")
	if _, err := Restore(t.Context(), dir, bytes.NewReader(file.Bytes()), nil, quiet, nil); err != nil {
		t.Fatal(err)
	}
	delivered(open(t, dir), queued.String())
}

// What a backup of an existing NATS holds are events, without the ticks by which the read index was taken.
func TestTicksAreLeftOut(t *testing.T) {
	l := openAt(t, &log.External{URLs: logtest.NATS(t)})
	e := logtest.Created("a")
	appended(t, l, logtest.Changed(e), appended(t, l, e, 0))
	if _, err := l.Last(t.Context()); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if b, err := Write(t.Context(), l, &file, quiet); err != nil || b.Events != 2 {
		t.Errorf("backed up %d events (%v), want 2", b.Events, err)
	}
}

// A command whose prompt came after the last event of a backup is not in it: nothing could be made
// of it. One whose prompt is there is worked on after restoring.
func TestCommandsWithoutTheirPromptsAreLeftOut(t *testing.T) {
	l := open(t, t.TempDir())
	account := uuid.New()
	command := func() (conversation, message uuid.UUID) {
		conversation, message = uuid.New(), uuid.New()
		text := fmt.Sprintf(`{"type":%q,"account_id":%q,"conversation_id":%q,"message_id":%q}`, events.ApartCommand, account, conversation, message)
		if err := enqueue(t.Context(), l, events.KeylessSubject(account, message), []byte(text), true); err != nil {
			t.Fatal(err)
		}
		return conversation, message
	}
	store := func(conversation, message uuid.UUID) {
		appended(t, l, events.Event{
			ID: uuid.New(), Time: time.Now(), Subject: events.PromptSubject(account, conversation, message),
			Data: &events.PromptStored{ConversationID: conversation, MessageID: message, Prompt: "long"},
		}, 0)
	}
	store(command())
	before, err := l.Extent(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	store(command())
	var kept []bool
	err = l.Records(t.Context(), log.CommandsStream, 2, func(m log.Record) error {
		later, err := promptIsLater(t.Context(), l, header{Events: before.Events, Finished: before.Finished}, m)
		kept = append(kept, !later)
		return err
	})
	if err != nil || !slices.Equal(kept, []bool{true, false}) {
		t.Errorf("kept %v, %v", kept, err)
	}
	var file bytes.Buffer
	whole, err := Write(t.Context(), l, &file, quiet)
	if err != nil || whole.Commands != 2 || whole.Events != 2 {
		t.Fatalf("backed up %+v, %v", whole, err)
	}
	dir := filepath.Join(t.TempDir(), "restored")
	if _, err := Restore(t.Context(), dir, bytes.NewReader(file.Bytes()), nil, quiet, nil); err != nil {
		t.Fatal(err)
	}
	wantMessages(t, open(t, dir), stream(t, l))
}
