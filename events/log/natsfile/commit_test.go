package natsfile

import (
	"context"
	"errors"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"
)

// Whoever comes while a sync is under way waits for the next one, unless an acknowledgement as late as theirs was in hand
// before that sync began.
func TestJoinersShareOneSync(t *testing.T) {
	g := NewGroup()
	s := g.newStream(blocks{dir: t.TempDir()})
	g.streams = []*Stream{s}
	defer g.Close()
	if err := os.WriteFile(s.block(1), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	now := &round{done: make(chan struct{}), through: 5}
	s.current = now // a sync is under way
	s.syncing.Add(1)
	var over sync.WaitGroup
	wait := func(sequence uint64) {
		over.Go(func() {
			if err := s.Wait(t.Context(), sequence); err != nil {
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
	if err := s.Wait(t.Context(), 3); err != nil {
		t.Errorf("what is on disk is waited for: %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	s.mu.Lock()
	s.current = &round{done: make(chan struct{})} // never ends
	s.mu.Unlock()
	if err := s.Wait(cancelled, 9); !errors.Is(err, context.Canceled) {
		t.Errorf("wait of a caller who has left: got error %v", err)
	}
	s.current = nil
}

// A record that is damaged anywhere, or cut off, ends what is read from the blocks, and nothing of it is handed out.
func TestBlockThatIsDamaged(t *testing.T) {
	store := run(t)
	for range 3 {
		store.publish(t, "kept.a", []byte("text"), nats.Header{"Name": {"value"}})
	}
	whole, err := os.ReadFile(store.kept.block(1))
	if err != nil {
		t.Fatal(err)
	}
	damaged := blocksOf(t.TempDir(), "KEPT")
	if err := os.MkdirAll(damaged.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	sequences := func(text []byte) (list []uint64, err error) {
		if err := os.WriteFile(damaged.block(1), text, 0o600); err != nil {
			t.Fatal(err)
		}
		for m, failure := range damaged.Messages(0, 3) {
			if err = failure; err == nil {
				list = append(list, m.Sequence)
			}
		}
		return list, err
	}
	if list, err := sequences(whole); err != nil || !slices.Equal(list, []uint64{1, 2, 3}) {
		t.Fatalf("undamaged: read %v (%v)", list, err)
	}
	record := len(whole) / 3
	for i := record; i < 2*record; i++ {
		for bit := range 8 {
			if i >= record+recordHead && i%8 != bit {
				continue
			}
			text := slices.Clone(whole)
			text[i] ^= 1 << bit
			if list, err := sequences(text); err == nil || !slices.Equal(list, []uint64{1}) {
				t.Fatalf("byte %d of a record, bit %d: read %v (%v), want the message before it and an error", i-record, bit, list, err)
			}
		}
		if list, err := sequences(whole[:i]); (err == nil) != (i == record) || !slices.Equal(list, []uint64{1}) {
			t.Fatalf("cut off behind byte %d: read %v (%v)", i-record, list, err)
		}
	}
}
