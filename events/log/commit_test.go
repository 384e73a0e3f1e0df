package log

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
	"reckon/events/log/logtest"
)

// groupOf is the backing of a log that commits in groups, nil for another one.
func groupOf(l *Log) *grouped {
	g, _ := l.backing.(*grouped)
	return g
}

// openGrouped opens a log that commits in groups. ok is false, and the test says so, where the test's file system has none.
func openGrouped(t *testing.T) (l *Log, ok bool) {
	t.Helper()
	if l = open(t, t.TempDir()); groupOf(l) == nil {
		fmt.Fprintf(os.Stderr, "NOT RUN: %s: it needs TMPDIR on ext4\n", t.Name())
		return nil, false
	}
	return l, true
}

// blocksOf is where a stream's block files are.
func blocksOf(l *Log, stream string) string {
	return filepath.Join(l.dir, "log", server.JetStreamStoreDir, server.DEFAULT_GLOBAL_ACCOUNT, "streams", stream, "msgs")
}

// Nothing is acknowledged after the first sync that failed. Here the next block cannot be opened.
func TestAFailedSyncIsFinal(t *testing.T) {
	for _, stream := range []string{EventsStream, CommandsStream} {
		t.Run(stream, func(t *testing.T) {
			l, ok := openGrouped(t)
			if !ok {
				return
			}
			e := logtest.Created("a")
			first := appended(t, l, e, 0)
			account := uuid.New()
			if err := enqueue(t.Context(), l, events.CommandSubject(account, "a"), []byte("{}"), true); err != nil {
				t.Fatal(err)
			}
			joined, err := Join(t.Context(), Options{Dir: l.dir})
			if err != nil {
				t.Fatal(err)
			}
			defer joined.Close()
			if err := l.Broken(); err != nil {
				t.Fatal(err)
			}
			tailed := make(chan error, 1)
			go func() {
				tailed <- l.Tail(t.Context(), first, func(batch []events.Event) error {
					return fmt.Errorf("%d events are handed on", len(batch))
				})
			}()

			if err := os.Symlink("2.blk", filepath.Join(blocksOf(l, stream), "2.blk")); err != nil {
				t.Fatal(err)
			}
			if stream == CommandsStream {
				logtest.WantError(t, "enqueue", enqueue(t.Context(), l, events.CommandSubject(account, "b"), []byte("{}"), true), syscall.ELOOP)
			}
			_, err = l.Append(t.Context(), logtest.Changed(e), first)
			logtest.WantError(t, "append", err, ErrUnknown)
			logtest.WantError(t, "tail", <-tailed, syscall.ELOOP)
			_, err = l.Append(t.Context(), logtest.Created("b"), 0)
			logtest.WantError(t, "another append", err, ErrUnknown)
			logtest.WantError(t, "another enqueue", enqueue(t.Context(), l, events.CommandSubject(account, "c"), []byte("{}"), true), syscall.ELOOP)
			_, err = joined.Append(t.Context(), logtest.Created("c"), 0)
			logtest.WantError(t, "append of another process", err, ErrUnknown)
			logtest.WantError(t, "broken", l.Broken(), ErrBroken)
			if _, err := l.Last(t.Context()); !errors.Is(err, syscall.ELOOP) {
				t.Errorf("last says %v", err)
			}
			if _, known := l.Known(); known {
				t.Error("the read index is known")
			}
			if _, err := l.Read(t.Context(), e.Subject, 0); !errors.Is(err, syscall.ELOOP) {
				t.Errorf("what is not on disk is read: %v", err)
			}
			if read, err := l.Read(t.Context(), e.Subject, first); !errors.Is(err, syscall.ELOOP) {
				t.Errorf("what is not on disk is read: %v, %v", read, err)
			}
		})
	}
}

// A tail hands on what is on disk: also what was published past the log, which it syncs itself.
func TestTailSyncsWhatNobodyWaitsFor(t *testing.T) {
	l, ok := openGrouped(t)
	if !ok {
		return
	}
	m, err := Message(logtest.Created("a"))
	if err != nil {
		t.Fatal(err)
	}
	const count = 2000
	for range count {
		if _, err := l.js.PublishMsgAsync(m, jetstream.WithStallWait(10*time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	<-l.js.PublishAsyncComplete()
	if last, err := l.Last(t.Context()); err != nil || last != 0 {
		t.Fatalf("%d events are on disk (%v), and nobody has waited", last, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	next := uint64(1)
	err = l.Tail(ctx, 0, func(batch []events.Event) error {
		for _, e := range batch {
			if durable, _ := l.Known(); e.Sequence != next || e.Sequence > durable {
				return fmt.Errorf("event %d is handed on after %d, on disk are %d", e.Sequence, next-1, durable)
			}
			next++
		}
		if next > count/2 {
			stop()
		}
		return nil
	})
	logtest.WantError(t, "tail", err, context.Canceled)
}

// What another process appended is on disk when it is told so, and in the read index of this one.
func TestJoinedPublishesWaitForTheDisk(t *testing.T) {
	l, ok := openGrouped(t)
	if !ok {
		return
	}
	other, err := Join(t.Context(), Options{Dir: l.dir})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, known := other.Known(); known {
		t.Error("another process knows the read index")
	}
	e := logtest.Created("a")
	sequence := appended(t, other, e, 0)
	if durable, known := l.Known(); !known || durable < sequence {
		t.Errorf("%d events are on disk, event %d was acknowledged", durable, sequence)
	}
	if last, err := other.Last(t.Context()); err != nil || last != sequence {
		t.Errorf("last is %d (%v), want %d", last, err, sequence)
	}
	if err := enqueue(t.Context(), other, events.CommandSubject(uuid.New(), "a"), []byte("{}"), true); err != nil {
		t.Error(err)
	}
	if durable := groupOf(l).commanding.Durable(); durable != 1 {
		t.Errorf("%d commands are on disk, 1 was acknowledged", durable)
	}
	other.backing.(*joined).asks = "reckon.log.nobody.commit"
	_, err = other.Append(t.Context(), logtest.Changed(e), sequence)
	logtest.WantError(t, "append that nobody syncs", err, ErrUnknown)
	if read, err := l.Read(t.Context(), e.Subject, sequence); err != nil || len(read) != 1 {
		t.Errorf("read %+v (%v), want the event of an unknown outcome", read, err)
	}
}

// After a loss of power the server's index of EVENTS may be on disk and the end of a block not. The stream counts on then, and
// the read index is the newest event that is there. What is passed over so is no damage at the next start.
func TestTheReadIndexIsAnEventThatIsThere(t *testing.T) {
	l, ok := openGrouped(t)
	if !ok {
		return
	}
	e := logtest.Created("a")
	first := appended(t, l, e, 0)
	second := appended(t, l, logtest.Changed(e), first)
	appended(t, l, logtest.Changed(e), second)
	block := filepath.Join(blocksOf(l, EventsStream), "1.blk")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.Stat(block)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Truncate(block, whole.Size()-40), os.Remove(markPath(l.dir))); err != nil {
		t.Fatal(err)
	}
	again := open(t, l.dir)
	info, err := again.events.Info(t.Context())
	if err != nil || info.State.LastSeq != second+1 {
		t.Fatalf("the stream counts to %d (%v), want %d", info.State.LastSeq, err, second+1)
	}
	if last, err := again.Last(t.Context()); err != nil || last != second {
		t.Errorf("last is %d (%v), want %d", last, err, second)
	}
	joined, err := Join(t.Context(), Options{Dir: l.dir})
	if err != nil {
		t.Fatal(err)
	}
	defer joined.Close()
	if last, err := joined.Last(t.Context()); err != nil || last != second {
		t.Errorf("for another process last is %d (%v), want %d", last, err, second)
	}
	if next := appended(t, again, logtest.Changed(e), second); next != second+2 {
		t.Errorf("the next event is %d, want %d", next, second+2)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, l.dir)
}
