package log

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
)

// openGrouped opens a log that commits in groups. ok is false, and the test says so, where the test's file system has none.
func openGrouped(t *testing.T) (l *Log, ok bool) {
	t.Helper()
	if l = open(t, t.TempDir()); l.commit == nil {
		fmt.Fprintf(os.Stderr, "NOT RUN: %s: it needs TMPDIR on ext4\n", t.Name())
		return nil, false
	}
	return l, true
}

// Group commit stands on this: when a message is acknowledged, its bytes are in a block file, also without SyncAlways.
func TestWrittenBeforeAcknowledged(t *testing.T) {
	dir := t.TempDir()
	c := newCredentials()
	s, err := startServer(t.Context(), dir, c, false, false, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer s.WaitForShutdown()
	defer s.Shutdown()
	conn, err := connectInside(s, c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	if err := ensureStreams(t.Context(), js, 0); err != nil {
		t.Fatal(err)
	}
	none := &committer{}
	var publishers sync.WaitGroup
	for _, stream := range []*syncer{none.syncer(dir, eventsStream), none.syncer(dir, commandsStream)} {
		for range 4 {
			publishers.Go(func() {
				for range 100 {
					subject, text := events.AccountSubject(uuid.New()), uuid.NewString()
					if filepath.Base(filepath.Dir(stream.dir)) == commandsStream {
						subject = events.CommandSubject(uuid.New(), text)
					}
					if _, err := js.PublishMsg(t.Context(), &nats.Msg{Subject: subject.String(), Data: []byte(text)}); err != nil {
						t.Error(err)
						return
					}
					block, err := os.ReadFile(stream.block(1))
					if err != nil || !bytes.Contains(block, []byte(text)) {
						t.Errorf("a message at %s was acknowledged and is not in the block of %d bytes (%v)", subject, len(block), err)
						return
					}
				}
			})
		}
	}
	publishers.Wait()
}

// Whoever comes while a sync is under way waits for the next one, unless an acknowledgement as late as theirs was in hand
// before that sync began.
func TestJoinersShareOneSync(t *testing.T) {
	c := &committer{failed: make(chan struct{})}
	s := &syncer{group: c, files: files{dir: t.TempDir()}}
	c.events, c.commands = s, &syncer{group: c}
	defer c.close()
	if err := os.WriteFile(s.block(1), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	now := &round{done: make(chan struct{}), through: 5}
	s.current = now // a sync is under way
	s.syncing.Add(1)
	var over sync.WaitGroup
	wait := func(sequence uint64) {
		over.Go(func() {
			if err := s.wait(t.Context(), sequence); err != nil {
				t.Error(err)
			}
			if durable := s.durable.Load(); durable < sequence {
				t.Errorf("%d is on disk, and the wait for %d has ended", durable, sequence)
			}
		})
	}
	wait(4)
	wait(5)
	for _, sequence := range []uint64{8, 6, 7} {
		wait(sequence)
	}
	for through := uint64(0); through != 8; runtime.Gosched() {
		s.mu.Lock()
		if s.next != nil {
			through = s.next.through
		}
		s.mu.Unlock()
	}
	s.mu.Lock()
	next := s.next
	s.mu.Unlock()
	select {
	case <-now.done:
		t.Error("a sync ended that nobody made")
	case <-next.done:
		t.Error("the next sync is over before it began")
	default:
	}
	s.run()
	over.Wait()
	if s.current != nil || s.next != nil || s.durable.Load() != 8 {
		t.Errorf("after all: current %v, next %v, %d on disk", s.current, s.next, s.durable.Load())
	}
	if err := s.wait(t.Context(), 3); err != nil {
		t.Errorf("what is on disk is waited for: %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	s.mu.Lock()
	s.current = &round{done: make(chan struct{})} // never ends
	s.mu.Unlock()
	wantError(t, "wait of a caller who has left", s.wait(cancelled, 9), context.Canceled)
	s.current = nil
}

func TestSyncFollowsTheBlocks(t *testing.T) {
	l, ok := openGrouped(t)
	if !ok {
		return
	}
	account := uuid.New()
	for i := range 8 {
		command := bytes.Repeat([]byte{byte('a' + i)}, 3<<20)
		if err := enqueue(t.Context(), l, events.CommandSubject(account, fmt.Sprint(i)), command, false); err != nil {
			t.Fatal(err)
		}
		blocks, err := filepath.Glob(filepath.Join(l.commit.commands.dir, "*"+blockSuffix))
		if err != nil || l.commit.commands.index != len(blocks) {
			t.Fatalf("%d blocks (%v), the newest synced is %d", len(blocks), err, l.commit.commands.index)
		}
	}
	if index := l.commit.commands.index; index < 3 {
		t.Errorf("24 MB are in %d blocks", index)
	}
	appended(t, l, created("a"), 0)
	dir := l.dir
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir)
	if again.commit.commands.index < 3 || again.commit.commands.durable.Load() != 8 || again.commit.events.durable.Load() != 1 {
		t.Errorf("opened again at block %d, %d commands and %d events on disk", again.commit.commands.index,
			again.commit.commands.durable.Load(), again.commit.events.durable.Load())
	}
}

// The server removes a block when all of it has expired, the last one too. A sync that comes later finds the block that is the last then.
func TestSyncFollowsBlocksThatAreGone(t *testing.T) {
	l, ok := openGrouped(t)
	if !ok {
		return
	}
	commands := l.commit.commands
	first := commands.index
	for gone := first; gone <= first+1; gone++ {
		m := &nats.Msg{
			Subject: events.CommandSubject(uuid.New(), "short").String(), Data: []byte("{}"),
			Header: nats.Header{jetstream.MsgTTLHeader: {"1s"}},
		}
		if _, err := l.publish(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		until(t, "removal of a block", func(context.Context) error {
			if _, err := os.Stat(commands.block(gone)); err == nil {
				return fmt.Errorf("block %d is there", gone)
			}
			return nil
		})
	}
	if err := enqueue(t.Context(), l, events.CommandSubject(uuid.New(), "kept"), []byte("{}"), true); err != nil {
		t.Fatal(err)
	}
	numbers, err := commands.numbers()
	if err != nil {
		t.Fatal(err)
	}
	if newest := numbers[len(numbers)-1]; commands.index != newest || newest < first+2 {
		t.Errorf("block %d was synced, the newest one is %d", commands.index, newest)
	}
}

// Commands that nobody waits for are synced too, so that who waits later finds little to be synced.
func TestWhatNobodyWaitsForIsSynced(t *testing.T) {
	l, ok := openGrouped(t)
	if !ok {
		return
	}
	account, command, commands := uuid.New(), make([]byte, unsynced/4), l.commit.commands
	none, err := commands.join(0) // for what is sent and may not be there yet: there is no block
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-none.done:
	case <-l.commit.failed:
		t.Fatal(l.commit.failure)
	}
	for i := range 4 {
		if _, err := l.Enqueue(t.Context(), events.CommandSubject(account, fmt.Sprint(i)), command, false); err != nil {
			t.Fatal(err)
		}
	}
	if through := commands.durable.Load(); through != 0 {
		t.Errorf("commands up to %d are on disk, and nobody waits for that", through)
	}
	last, err := l.Enqueue(t.Context(), events.CommandSubject(account, "last"), command, false)
	if err != nil {
		t.Fatal(err)
	}
	until(t, "sync", func(context.Context) error {
		if through := commands.durable.Load(); through != last {
			return fmt.Errorf("commands up to %d of %d are on disk", through, last)
		}
		return nil
	})
}

// Nothing is acknowledged after the first sync that failed. Here the file is closed under the sync's hands.
func TestAFailedSyncIsFinal(t *testing.T) {
	for _, stream := range []string{eventsStream, commandsStream} {
		t.Run(stream, func(t *testing.T) {
			l, ok := openGrouped(t)
			if !ok {
				return
			}
			e := created("a")
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

			failing := l.commit.events
			if stream == commandsStream {
				failing = l.commit.commands
			}
			if err := failing.newest.Close(); err != nil {
				t.Fatal(err)
			}
			if stream == commandsStream {
				wantError(t, "enqueue", enqueue(t.Context(), l, events.CommandSubject(account, "b"), []byte("{}"), true), syscall.EBADF)
			}
			_, err = l.Append(t.Context(), changed(e), first)
			wantError(t, "append", err, ErrUnknown)
			wantError(t, "tail", <-tailed, syscall.EBADF)
			_, err = l.Append(t.Context(), created("b"), 0)
			wantError(t, "another append", err, ErrUnknown)
			wantError(t, "another enqueue", enqueue(t.Context(), l, events.CommandSubject(account, "c"), []byte("{}"), true), syscall.EBADF)
			_, err = joined.Append(t.Context(), created("c"), 0)
			wantError(t, "append of another process", err, ErrUnknown)
			wantError(t, "broken", l.Broken(), ErrBroken)
			if _, err := l.Last(t.Context()); !errors.Is(err, syscall.EBADF) {
				t.Errorf("last says %v", err)
			}
			if _, known := l.Known(); known {
				t.Error("the read index is known")
			}
			if _, err := l.Read(t.Context(), e.Subject, 0); !errors.Is(err, syscall.EBADF) {
				t.Errorf("what is not on disk is read: %v", err)
			}
			if read, err := l.Read(t.Context(), e.Subject, first); !errors.Is(err, syscall.EBADF) {
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
	m, err := Message(created("a"))
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
	wantError(t, "tail", err, context.Canceled)
}

// What another process appended is on disk when it is told so, and in the read index of this one.
func TestJoinedPublishesWaitForTheDisk(t *testing.T) {
	l, ok := openGrouped(t)
	if !ok {
		return
	}
	joined, err := Join(t.Context(), Options{Dir: l.dir})
	if err != nil {
		t.Fatal(err)
	}
	defer joined.Close()
	if _, known := joined.Known(); known {
		t.Error("another process knows the read index")
	}
	e := created("a")
	sequence := appended(t, joined, e, 0)
	if durable, known := l.Known(); !known || durable < sequence {
		t.Errorf("%d events are on disk, event %d was acknowledged", durable, sequence)
	}
	if last, err := joined.Last(t.Context()); err != nil || last != sequence {
		t.Errorf("last is %d (%v), want %d", last, err, sequence)
	}
	if err := enqueue(t.Context(), joined, events.CommandSubject(uuid.New(), "a"), []byte("{}"), true); err != nil {
		t.Error(err)
	}
	if durable := l.commit.commands.durable.Load(); durable != 1 {
		t.Errorf("%d commands are on disk, 1 was acknowledged", durable)
	}
	joined.asks = "reckon.log.nobody.commit"
	_, err = joined.Append(t.Context(), changed(e), sequence)
	wantError(t, "append that nobody syncs", err, ErrUnknown)
	if read, err := l.Read(t.Context(), e.Subject, sequence); err != nil || len(read) != 1 {
		t.Errorf("read %+v (%v), want the event of an unknown outcome", read, err)
	}
}

// After a loss of power the server's index of EVENTS may be on disk and the end of a block not. The stream counts on then, and
// the read index is the newest event that is there.
func TestTheReadIndexIsAnEventThatIsThere(t *testing.T) {
	l, ok := openGrouped(t)
	if !ok {
		return
	}
	e := created("a")
	first := appended(t, l, e, 0)
	second := appended(t, l, changed(e), first)
	appended(t, l, changed(e), second)
	block := l.commit.events.block(1)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.Stat(block)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(block, whole.Size()-40); err != nil {
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
	if next := appended(t, again, changed(e), second); next != second+2 {
		t.Errorf("the next event is %d, want %d", next, second+2)
	}
}
