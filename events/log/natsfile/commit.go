package natsfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Group commit: what the log acknowledges is on disk, and all who wait for that at the same time
// share one sync.
//
// A server with SyncAlways syncs each message by itself while it holds the stream's lock. Where
// GroupCommits allows it, the log's own server does without: it writes a message to the stream's
// block file before it acknowledges it, and whoever has an acknowledgement in hand waits for a sync
// that began after that. This is right for these reasons:
//
//   - The server writes to a file stream of one replica in the order of sequences, under one lock,
//     and before it acknowledges (TestFacts). So when a message is
//     acknowledged, its bytes and those of all before it are in the newest block file or in older
//     ones, and a sync of these files that begins now brings them to the disk.
//   - A sync is an fdatasync of the newest block. When there is a newer one, all blocks from the
//     one that was the newest are synced, then their directory. (A sync of the whole file system
//     would wait for what the views write too, which takes several times as long.)
//   - What was synced is marked (Marks) before anybody is told. Before the first sync of another
//     newest block is acknowledged, the mark that says so is synced too: when the blocks before it
//     are not complete at the next start, that is damage.
//   - After a sync that failed nobody knows what is on disk, and the next one may succeed although
//     pages are lost. So the first failure is final: all who wait and all who come fail, and the
//     program ends. One that succeeded counts only where the file system takes changes behind it.
//   - The server replaces a block of a stream, of which much has expired, by a shorter file that it
//     syncs a moment later. ext4 brings the data of a file to the disk before a name that replaces
//     another one; GroupCommits names the file systems for which that is known.

// Group is the group commit of the streams of a server of this process.
type Group struct {
	streams []*Stream
	failing sync.Once
	failed  chan struct{} // closed after the first failure
	failure error         // set before
}

// Stream is a stream of a group: it brings messages to the disk, and reads those that are there.
type Stream struct {
	blocks
	group *Group

	newest *os.File  // the newest block at the last sync, nil before there was one
	index  int       // its number; blocks are numbered from 1 without gaps when they are made
	none   time.Time // when the blocks' directory was changed last as none was seen to follow; zero for not known

	syncs, covered prometheus.Histogram // how long they take, in seconds, and how many messages each is for

	durable atomic.Uint64 // everything up to this sequence is on disk
	idle    atomic.Int64  // bytes since the last sync that nobody waited for

	marks *Marks // says what is on disk, for the next start; nil for nobody
	place int    // in there

	mu      sync.Mutex
	current *round // is being synced, nil for none
	next    *round // is synced after that, nil while nobody needs it
	syncing sync.WaitGroup

	listing   sync.Mutex
	beginning []*start // of all blocks, in order; the list is replaced and never changed
}

// round is one sync.
type round struct {
	done    chan struct{}
	through uint64 // the highest sequence of those who wait for it
}

// NewGroup is a group without streams.
func NewGroup() *Group { return &Group{failed: make(chan struct{})} }

// Stream adds a stream of the server with a store directory. What it holds, up to the sequence
// last, must be on disk.
func (g *Group) Stream(storeDir, name string, last uint64) (*Stream, error) {
	s := g.newStream(blocksOf(storeDir, name))
	s.durable.Store(last)
	if err := s.find(); err != nil {
		return nil, fmt.Errorf("find the blocks of stream %s: %w", name, err)
	}
	g.streams = append(g.streams, s)
	return s, nil
}

// newStream is a stream of the group of which nothing is known yet.
func (g *Group) newStream(b blocks) *Stream {
	s := &Stream{group: g, blocks: b}
	s.measure(b.stream)
	return s
}

// Mark has a file say what is on disk of the stream, in one of its places.
func (s *Stream) Mark(marks *Marks, place int) error {
	s.marks, s.place = marks, place
	return s.mark(s.durable.Load(), true)
}

func (s *Stream) mark(durable uint64, sync bool) error {
	if s.marks == nil {
		return nil
	}
	return s.marks.Set(s.place, s.stream, Mark{durable, s.index}, sync)
}

// fail keeps the first failure.
func (g *Group) fail(err error) {
	g.failing.Do(func() {
		g.failure = err
		close(g.failed)
	})
}

// Err is the first failure, nil for none.
func (g *Group) Err() error {
	select {
	case <-g.failed:
		return g.failure
	default:
		return nil
	}
}

// Failed is closed after the first failure.
func (g *Group) Failed() <-chan struct{} { return g.failed }

// Close ends all waiting, and what is then waited for, with ErrClosed. It returns when no sync is
// under way.
func (g *Group) Close() {
	g.fail(ErrClosed)
	for _, s := range g.streams {
		s.mu.Lock()
		idle := s.current == nil // none begins after a failure
		s.mu.Unlock()
		if !idle {
			s.syncing.Wait()
		}
		if s.newest != nil {
			s.newest.Close()
		}
	}
}

// Distrust removes, once the server has ended, when a sync has failed, what is not known to be on
// disk, and the server's indexes of the streams, which count that. The next server reads the blocks
// instead.
func (g *Group) Distrust() error {
	if errors.Is(g.Err(), ErrClosed) {
		return nil
	}
	var errs []error
	for _, s := range g.streams {
		errs = append(errs, s.cut())
		if err := os.Remove(filepath.Join(s.dir, "index.db")); !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// cut takes from a stream, whose server has ended, what stands behind the last message that is on
// disk. Nobody was told of that, and of the pages that a sync failed to write some may be missing
// before others that are there.
func (s *Stream) cut() error {
	numbers, err := s.numbers()
	for _, number := range numbers {
		if err != nil || number < s.index { // which is complete
			continue
		}
		var text []byte
		if text, err = os.ReadFile(s.block(number)); err != nil {
			break
		}
		for at := 0; at+emptyRecord <= len(text); {
			r, ok := recordOf(text[at:])
			if !ok || r.sequence&recordMark == 0 && r.sequence&^recordMarks > s.Durable() {
				return Cut(Damage{Stream: s.stream, File: s.block(number), Offset: int64(at)})
			}
			at += int(r.length())
		}
	}
	if err != nil {
		return fmt.Errorf("cut off what is not on disk of stream %s: %w", s.stream, err)
	}
	return nil
}

// ErrClosed says that the log was closed while something waited for the disk.
var ErrClosed = errors.New("the log is closed")

// unsynced is how much is left for a later sync at most, where nobody waits for one.
const unsynced = 1 << 20

// Soon has an acknowledged message of so many bytes synced by and by.
func (s *Stream) Soon(sequence uint64, bytes int) {
	if s.idle.Add(int64(bytes)) > unsynced {
		s.idle.Store(0)
		_, _ = s.join(sequence) // a failure ends the process, whoever is told of it
	}
}

// Durable is the sequence up to which everything is on disk.
func (s *Stream) Durable() uint64 { return s.durable.Load() }

// Wait returns when everything up to a sequence is on disk; somebody has its acknowledgement in
// hand.
func (s *Stream) Wait(ctx context.Context, sequence uint64) error {
	if sequence <= s.durable.Load() {
		return nil
	}
	r, err := s.join(sequence)
	if err != nil {
		return err
	}
	select {
	case <-r.done:
		return nil
	case <-s.group.failed:
		return s.group.failure
	case <-ctx.Done():
		return ctx.Err()
	}
}

// join makes a sync that begins from now on, or one that is right all the same, cover a sequence.
func (s *Stream) join(sequence uint64) (*round, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.group.Err(); err != nil {
		return nil, err
	}
	// A sync under way may have begun before the message was written, unless somebody who waits for
	// it had that acknowledgement, or a later one, in hand before it began.
	r := s.current
	if r == nil || r.through < sequence {
		if s.next == nil {
			s.next = &round{done: make(chan struct{})}
		}
		r = s.next
		r.through = max(r.through, sequence)
	}
	if s.current == nil {
		s.current, s.next = s.next, nil
		s.syncing.Add(1)
		go s.run()
	}
	return r, nil
}

// run syncs round after round until nobody waits.
func (s *Stream) run() {
	defer s.syncing.Done()
	for {
		s.mu.Lock()
		done := s.current // which changes here alone, and covers what it does
		s.mu.Unlock()
		durable := max(s.durable.Load(), done.through) // rounds come one after the other
		began, before := time.Now(), s.durable.Load()
		err := s.sync()
		if err == nil {
			err = s.mark(durable, false)
		}
		s.syncs.Observe(time.Since(began).Seconds())
		s.covered.Observe(float64(durable - before))
		if err != nil {
			s.group.fail(err)
			return
		}
		s.mu.Lock()
		s.durable.Store(durable)
		s.current, s.next = s.next, nil
		over := s.current == nil
		s.mu.Unlock()
		close(done.done)
		if over {
			return
		}
	}
}

// sync brings to the disk what stands in the blocks. The next block is looked for before the newest
// one is synced: when it is there, nothing more is written to this one, and when it is not, nothing
// that was acknowledged stands in it.
func (s *Stream) sync() error {
	for rolled := false; ; rolled = true {
		next, index, err := s.following()
		last := errors.Is(err, os.ErrNotExist)
		if err != nil && !last {
			return fmt.Errorf("sync stream: %w", err)
		}
		if s.newest != nil {
			if err := dataSync(s.newest); err != nil {
				if !last {
					next.Close()
				}
				return fmt.Errorf("sync %s: %w", s.newest.Name(), err)
			}
		}
		switch {
		case last && s.newest == nil:
			return fmt.Errorf("sync stream: %w", err)
		case last && rolled:
			if err := SyncPath(s.dir); err != nil {
				return err
			}
			return s.mark(s.durable.Load(), true)
		case last:
			return nil
		}
		if s.newest != nil {
			s.newest.Close()
		}
		s.newest, s.index = next, index
	}
}

// find opens the newest block, if there is one.
func (s *Stream) find() error {
	numbers, err := s.numbers()
	if err != nil || len(numbers) == 0 {
		return err
	}
	s.index = numbers[len(numbers)-1]
	s.newest, err = os.Open(s.block(s.index))
	return err
}

// ForgetConsumer removes the state of a consumer, how far its messages are acknowledged, when
// nothing of it is left, and tells so. The server replaces that file many times a second and syncs
// none of them, so that a disk that fails may leave one whose blocks were never written, and with
// that the server has no consumer. Without the file messages are delivered from the first one on.
func (s *Stream) ForgetConsumer(name string) bool {
	path := filepath.Join(filepath.Dir(s.dir), "obs", name, "o.dat")
	state, err := os.ReadFile(path)
	return err == nil && len(bytes.Trim(state, "\x00")) == 0 && os.Remove(path) == nil
}

// SyncPath brings a file or a directory to the disk.
func SyncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
