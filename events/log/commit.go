package log

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"reckon/events"
)

// Group commit: what the log acknowledges is on disk, and all who wait for that at the same time share one sync.
//
// A server with SyncAlways syncs each message by itself while it holds the stream's lock. Where groupCommits allows it, the
// log's own server does without: it writes a message to the stream's block file before it acknowledges it, and whoever has an
// acknowledgement in hand waits for a sync that began after that. This is right for these reasons:
//
//   - The server writes to a file stream of one replica in the order of sequences, under one lock, and before it
//     acknowledges (TestWrittenBeforeAcknowledged). So when a message is acknowledged, its bytes and those of all before it
//     are in the newest block file or in older ones, and a sync of these files that begins now brings them to the disk.
//   - A sync is an fdatasync of the newest block. When there is a newer one, all blocks from the one that was the newest are
//     synced, then their directory. (A sync of the whole file system would wait for what the views write too, which takes
//     several times as long.)
//   - An event must not be on disk without its command where the command has an idempotency key, or that key would make a second
//     message when it is sent again. The kernel may write the files in any order, so a worker asks CommandDurable before it
//     publishes the event; the sync goes on while the command is decided. Command returns commands that are on disk only.
//   - A command that nobody asks for once its event is there need not be on disk before that: with the event it has done its work,
//     and without it nothing was answered. Commands are synced all the same when there are some, so that who waits for the
//     disk finds little that is not there.
//   - What is not on disk this package shows to nobody: Read, At and Tail hand on durable events only, Command durable commands. An
//     answer therefore never stands on a message that a loss of power takes back, and no view is ahead of the log.
//   - After a sync that failed nobody knows what is on disk, and the next one may succeed although pages are lost. So the
//     first failure is final: all who wait and all who come fail, and Broken tells the program to end.
//   - The server replaces a block of COMMANDS, of which much has expired, by a shorter file that it syncs a moment later.
//     ext4 brings the data of a file to the disk before a name that replaces another one; groupCommits names the file
//     systems for which that is known.
//
// The durable sequence of EVENTS is the read index at the same time: an append of any process is acknowledged after it has
// passed this barrier, so nothing acknowledged is beyond it.

// publishTimeout is how long a publish, or a question for the disk, waits for its answer when the caller has no deadline.
const publishTimeout = 5 * time.Second

// committer is the group commit of a log whose server runs in this process.
type committer struct {
	events, commands *syncer
	records          *Records // of events

	failing sync.Once
	failed  chan struct{} // closed after the first failure
	failure error         // set before
}

// syncer brings the messages of one stream to the disk.
type syncer struct {
	files
	group *committer

	newest *os.File  // the newest block at the last sync, nil before there was one
	index  int       // its number; blocks are numbered from 1 without gaps when they are made
	none   time.Time // when the blocks' directory was changed last as none was seen to follow; zero for not known

	durable atomic.Uint64 // everything up to this sequence is on disk
	idle    atomic.Int64  // bytes since the last sync that nobody waited for

	mu      sync.Mutex
	current *round // is being synced, nil for none
	next    *round // is synced after that, nil while nobody needs it
	syncing sync.WaitGroup
}

// round is one sync.
type round struct {
	done    chan struct{}
	through uint64 // the highest sequence of those who wait for it
}

// startCommitter brings all that a log of this process holds to the disk.
func startCommitter(ctx context.Context, l *Log) (_ *committer, err error) {
	c := &committer{failed: make(chan struct{})}
	c.events, c.commands = c.syncer(l.dir, eventsStream), c.syncer(l.dir, commandsStream)
	c.records = &Records{files: c.events.files, prefix: []byte("evt.")}
	defer func() {
		if err != nil {
			c.close()
			err = fmt.Errorf("open group commit: %w", err)
		}
	}()
	events, err := l.newestEvent(ctx)
	if err != nil {
		return nil, err
	}
	commands, err := l.state(ctx, commandsStream)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(c.events.find(), c.commands.find()); err != nil {
		return nil, err
	}
	if err := syncVolume(l.dir); err != nil {
		return nil, fmt.Errorf("sync the file system of %s: %w", l.dir, err)
	}
	c.events.durable.Store(events)
	c.commands.durable.Store(commands.State.LastSeq)
	return c, nil
}

// newestEvent is the sequence of the last event that is there. After a loss of power the stream may count beyond it: the
// server's index of the stream can be on disk when the end of a block is not.
func (l *Log) newestEvent(ctx context.Context) (uint64, error) {
	info, err := l.events.Info(ctx)
	if err != nil || info.State.Msgs == 0 {
		return 0, err
	}
	m, err := l.load(ctx, eventsStream, loadRequest{Sequence: info.State.LastSeq})
	if errors.Is(err, ErrNotFound) {
		m, err = l.load(ctx, eventsStream, loadRequest{Last: "evt.>"})
	}
	return m.Sequence, err
}

// fail keeps the first failure.
func (c *committer) fail(err error) {
	c.failing.Do(func() {
		c.failure = err
		close(c.failed)
	})
}

// broken is the first failure, nil for none.
func (c *committer) broken() error {
	select {
	case <-c.failed:
		return c.failure
	default:
		return nil
	}
}

// close ends all waiting and returns when no sync is under way.
func (c *committer) close() {
	c.fail(errClosed)
	for _, s := range []*syncer{c.events, c.commands} {
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

// distrust removes the server's indexes of the streams, once the server has ended, when a sync has failed: they count messages
// that may not be there. The next server reads the blocks instead, up to the first message that is not whole.
func (c *committer) distrust() error {
	if errors.Is(c.broken(), errClosed) {
		return nil
	}
	var errs []error
	for _, s := range []*syncer{c.events, c.commands} {
		if err := os.Remove(filepath.Join(s.dir, "index.db")); !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// errClosed says that the log was closed while something waited for the disk.
var errClosed = errors.New("the log is closed")

func (c *committer) syncer(dir, stream string) *syncer {
	return &syncer{group: c, files: filesOf(filepath.Join(dir, "log"), stream)}
}

// unsynced is how much is left for a later sync at most, where nobody waits for one.
const unsynced = 1 << 20

// soon has a message of so many bytes synced by and by. Of one that is not acknowledged yet the sequence is 0.
func (s *syncer) soon(sequence uint64, bytes int) {
	if s.idle.Add(int64(bytes)) > unsynced {
		s.idle.Store(0)
		_, _ = s.join(sequence) // a failure ends the process, whoever is told of it
	}
}

// wait returns when everything up to a sequence is on disk; somebody has its acknowledgement in hand.
func (s *syncer) wait(ctx context.Context, sequence uint64) error {
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
func (s *syncer) join(sequence uint64) (*round, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.group.broken(); err != nil {
		return nil, err
	}
	// A sync under way may have begun before the message was written, unless somebody who waits for it had that
	// acknowledgement, or a later one, in hand before it began.
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
func (s *syncer) run() {
	defer s.syncing.Done()
	for {
		if err := s.sync(s.current.through); err != nil {
			s.group.fail(err)
			return
		}
		s.mu.Lock()
		done := s.current
		atLeast(&s.durable, done.through)
		s.current, s.next = s.next, nil
		over := s.current == nil
		s.mu.Unlock()
		close(done.done)
		if over {
			return
		}
	}
}

// sync brings to the disk what stands in the blocks. The next block is looked for before the newest one is synced: when it is
// there, nothing more is written to this one, and when it is not, nothing that was acknowledged stands in it. through is what was
// acknowledged for certain, 0 for nothing: then there may be no block yet.
func (s *syncer) sync(through uint64) error {
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
		case last && s.newest == nil && through == 0:
			return nil
		case last && s.newest == nil:
			return fmt.Errorf("sync stream: %w", err)
		case last && rolled:
			return syncPath(s.dir)
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
func (s *syncer) find() error {
	numbers, err := s.numbers()
	if err != nil || len(numbers) == 0 {
		return err
	}
	s.index = numbers[len(numbers)-1]
	s.newest, err = os.Open(s.block(s.index))
	return err
}

// forgetQueue removes the state of the queue, how far its commands are acknowledged, when nothing of it is left, and tells so.
// The server replaces that file many times a second and syncs none of them, so that a disk that fails may leave one whose blocks
// were never written, and with that the server has no queue. Without the file commands are delivered from the first one on;
// for those that have their events nothing more is done.
func (c *committer) forgetQueue() bool {
	name := filepath.Join(filepath.Dir(c.commands.dir), "obs", workersConfig().Durable, "o.dat")
	state, err := os.ReadFile(name)
	return err == nil && len(bytes.Trim(state, "\x00")) == 0 && os.Remove(name) == nil
}

// durable waits until an event, of which somebody has the acknowledgement in hand, is on disk.
func (l *Log) durable(ctx context.Context, sequence uint64) error {
	switch {
	case l.commit != nil:
		return l.commit.events.wait(ctx, sequence)
	case l.asks != "" && sequence > l.asked.Load():
		_, err := l.ask(ctx, eventsStream)
		return err
	}
	return nil
}

// CommandDurable waits until the command at a sequence of COMMANDS, which was acknowledged or delivered, is on disk. The event of
// a command that is needed behind it must not be appended before. Sequence 0 is none.
func (l *Log) CommandDurable(ctx context.Context, sequence uint64) error {
	var err error
	switch {
	case sequence == 0:
	case l.commit != nil:
		err = l.commit.commands.wait(ctx, sequence)
	case l.asks != "":
		_, err = l.ask(ctx, commandsStream)
	}
	if err != nil {
		return fmt.Errorf("wait for command %d to be on disk: %w", sequence, err)
	}
	return nil
}

// Known is the read index without a question: the sequence of the newest event that was acknowledged, to whomever. ok is
// false where the log must be asked, or can no longer be written.
func (l *Log) Known() (sequence uint64, ok bool) {
	if l.commit == nil || l.commit.broken() != nil {
		return 0, false
	}
	return l.commit.events.durable.Load(), true
}

// durably is a fold that is handed durable events only: those that are by now, then the others when they are. A process that
// is asked and does not answer is asked again for as long as there is a connection.
func (l *Log) durably(ctx context.Context, fold func(uint64, []events.Event) error) func(uint64, []events.Event) error {
	return func(upTo uint64, list []events.Event) error {
		if l.commit != nil {
			now := l.commit.events.durable.Load()
			ready := slices.IndexFunc(list, func(e events.Event) bool { return e.Sequence > now })
			if ready > 0 {
				if err := fold(list[ready-1].Sequence, list[:ready:ready]); err != nil {
					return err
				}
				list = list[ready:]
			}
		}
		for err := l.durable(ctx, upTo); err != nil; err = l.durable(ctx, upTo) {
			if l.commit != nil || ctx.Err() != nil || l.conn.IsClosed() {
				return fmt.Errorf("wait for event %d to be on disk: %w", upTo, err)
			}
			l.logger.Warn("waiting for events to be on disk", "event", upTo, "error", err)
			select {
			case <-ctx.Done():
			case <-time.After(tailStall):
			}
		}
		return fold(upTo, list)
	}
}
