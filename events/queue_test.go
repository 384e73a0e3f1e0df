package events

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go/jetstream"
)

// A queue whose state a failing disk has spoiled begins anew.
func TestQueueWithoutReadableState(t *testing.T) {
	l, ok := openGrouped(t)
	if !ok {
		return
	}
	queue, err := l.Commands(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := enqueue(t.Context(), l, CommandSubject(uuid.New(), "a"), []byte("{}"), true); err != nil {
		t.Fatal(err)
	}
	m, err := queue.Next(jetstream.FetchMaxWait(5 * time.Second))
	if err == nil {
		err = m.DoubleAck(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(filepath.Dir(l.commit.commands.dir), "obs", "workers", "o.dat")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for _, spoiled := range []string{"", "\x00\x00\x00\x00"} {
		if err := os.WriteFile(state, []byte(spoiled), 0o600); err != nil {
			t.Fatal(err)
		}
		again := open(t, l.dir)
		queue, err = again.Commands(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := queue.Next(jetstream.FetchMaxWait(5 * time.Second)); err != nil {
			t.Errorf("the command is not delivered again: %v", err)
		}
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// The queue does not deliver what was handed to a worker. It can be read, and after restoring a backup the queue has it.
func TestHandedCommands(t *testing.T) {
	l, ok := openGrouped(t)
	if !ok {
		return
	}
	account, ids := uuid.New(), []uuid.UUID{uuid.New(), uuid.New(), uuid.New()}
	queued := CommandSubject(account, "a key")
	if err := enqueue(t.Context(), l, queued, []byte("queued"), true); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if err := l.Hand(account, id, []byte("handed "+id.String())); err != nil {
			t.Fatal(err)
		}
	}
	// One is in the queue too.
	if err := enqueue(t.Context(), l, KeylessSubject(account, ids[1]), []byte("handed "+ids[1].String()), false); err != nil {
		t.Fatal(err)
	}
	if err := enqueue(t.Context(), l, HandedSubject(account, ids[0]), nil, false); err == nil {
		t.Error("a command goes to the queue at a subject that the queue does not deliver")
	}
	delivered := func(l *Log, want ...Subject) {
		t.Helper()
		queue, err := l.Commands(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range want {
			m, err := queue.Next(jetstream.FetchMaxWait(5 * time.Second))
			if err != nil || m.Subject() != s.name {
				t.Fatalf("got %v, %v instead of %s", m, err, s)
			}
		}
		if info, err := queue.Info(t.Context()); err != nil || info.NumPending != 0 {
			t.Errorf("the queue has more: %+v, %v", info, err)
		}
	}
	delivered(l, queued, KeylessSubject(account, ids[1]))

	for _, since := range []time.Time{{}, time.Now().Add(-time.Hour)} {
		var read []string
		err := l.Handed(t.Context(), since, func(_ context.Context, command []byte) error {
			read = append(read, string(command))
			return nil
		})
		if err != nil || len(read) != len(ids) || read[0] != "handed "+ids[0].String() || read[2] != "handed "+ids[2].String() {
			t.Errorf("since %v there are %q, %v", since, read, err)
		}
	}
	err := l.Handed(t.Context(), time.Now().Add(time.Hour), func(context.Context, []byte) error {
		t.Error("a command is handed in an hour")
		return nil
	})
	if err != nil {
		t.Error(err)
	}

	// One has its event, so that nobody needs it.
	conversation := uuid.New()
	appended(t, l, Event{
		ID: uuid.New(), Time: time.Now().UTC().Truncate(time.Millisecond), Subject: ConversationSubject(account, conversation),
		Data: &MessageFailed{Message: Message{ConversationID: conversation, MessageID: ids[2]}},
	}, 0)
	last := uuid.New()
	if err := l.Hand(account, last, []byte("handed")); err != nil {
		t.Fatal(err)
	}
	appended(t, l, Event{
		ID: uuid.New(), Time: time.Now().UTC().Truncate(time.Millisecond), Subject: ConversationSubject(account, last),
		Data: &MessageFailed{Message: Message{ConversationID: last, MessageID: last}},
	}, 0)
	var file bytes.Buffer
	silent := func(string, uint64, uint64) {}
	taken, err := l.Backup(t.Context(), &file, silent)
	if err != nil || taken.Commands != 3 || taken.Unfinished != 3 {
		t.Fatalf("backed up %+v, %v", taken, err)
	}
	dir := filepath.Join(t.TempDir(), "restored")
	if _, err := Restore(t.Context(), dir, bytes.NewReader(file.Bytes()), slog.New(slog.DiscardHandler), silent); err != nil {
		t.Fatal(err)
	}
	delivered(open(t, dir), queued, KeylessSubject(account, ids[0]), KeylessSubject(account, ids[1]))
}
