package log

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
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
	if err := enqueue(t.Context(), l, events.CommandSubject(uuid.New(), "a"), []byte("{}"), true); err != nil {
		t.Fatal(err)
	}
	m, err := queue.Next(jetstream.FetchMaxWait(5 * time.Second))
	if err == nil {
		err = m.DoubleAck(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(filepath.Dir(blocksOf(l, commandsStream)), "obs", "workers", "o.dat")
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

// A data directory of an earlier build may hold commands beside the queue, which did not deliver them. It opens, the queue delivers
// them, and a backup leaves them out, since no log takes them any more.
func TestOldCommands(t *testing.T) {
	l, ok := openGrouped(t)
	if !ok {
		return
	}
	account := uuid.New()
	queued, old := events.CommandSubject(account, "a key"), oldCommands+account.String()+"."+uuid.NewString()
	streams, consumer := commandsConfig(0), workersConfig()
	streams.Subjects, consumer.FilterSubject = []string{"cmd.*.*", oldCommands + "*.*"}, "cmd.*.*"
	if _, err := l.js.UpdateStream(t.Context(), streams); err != nil {
		t.Fatal(err)
	}
	if _, err := l.js.CreateOrUpdateConsumer(t.Context(), commandsStream, consumer); err != nil {
		t.Fatal(err)
	}
	publishRaw(t, l, old, nats.Header{jetstream.MsgTTLHeader: {keylessLife.String()}}, "{}")
	if err := enqueue(t.Context(), l, queued, []byte("queued"), true); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}

	delivered := func(l *Log, want ...string) {
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
	l = open(t, l.dir)
	delivered(l, old, queued.String())
	var file bytes.Buffer
	silent := func(string, uint64, uint64) {}
	taken, err := l.Backup(t.Context(), &file, silent)
	if err != nil || taken.Commands != 1 || taken.Unfinished != 1 {
		t.Fatalf("backed up %+v, %v", taken, err)
	}
	dir := filepath.Join(t.TempDir(), "restored")
	if _, err := Restore(t.Context(), dir, bytes.NewReader(file.Bytes()), slog.New(slog.DiscardHandler), silent); err != nil {
		t.Fatal(err)
	}
	delivered(open(t, dir), queued.String())
}
