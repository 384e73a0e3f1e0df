package log

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
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
	state := filepath.Join(filepath.Dir(blocksOf(l, CommandsStream)), "obs", "workers", "o.dat")
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
