package log

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"reckon/events"
	"reckon/events/log/natsfile"
)

// single is a server of this process that has the log alone, and syncs each message.
type single struct {
	plain
	server *server.Server

	acknowledged [2]atomic.Uint64 // of each of checked, the newest message of which this process was told
}

func (s *single) appended(e events.Event, _ *nats.Msg) { atLeast(&s.acknowledged[0], e.Sequence) }

func (s *single) enqueued(sequence uint64, _ int) { atLeast(&s.acknowledged[1], sequence) }

func (s *single) broken() error { return Broken(s.server) }

func (s *single) close() error {
	s.end()
	if s.log.dir == "" || !natsfile.Known() {
		return nil
	}
	marks, err := natsfile.OpenMarks(markPath(s.log.dir))
	if err != nil {
		return err
	}
	return errors.Join(endMarks(marks, s.log.dir), marks.Close())
}

// end ends the server.
func (s *single) end() {
	s.server.Shutdown()
	s.server.WaitForShutdown()
}

// endMarks marks all that a log's server has left, which has ended.
func endMarks(marks *natsfile.Marks, dir string) error {
	var errs []error
	for place, of := range checked {
		errs = append(errs, marks.End(place, storePath(dir), of.Stream))
	}
	return errors.Join(errs...)
}

// grouped is a single server whose messages share syncs.
//
// An event must not be on disk without its command where the command has an idempotency key, or
// that key would make a second message when it is sent again. The kernel may write the files in any
// order, so a worker asks CommandDurable before it publishes the event; the sync goes on while the
// command is decided. Command returns commands that are on disk only. A command that nobody asks
// for once its event is there need not be on disk before that: with the event it has done its work,
// and without it nothing was answered. Commands are synced all the same when there are some, so
// that who waits for the disk finds little that is not there.
//
// What is not on disk this package shows to nobody: Read, At and Tail hand on durable events only,
// Command durable commands. An answer therefore never stands on a message that a loss of power
// takes back, and no view is ahead of the log.
//
// The durable sequence of EVENTS is the read index at the same time: an append of any process is
// acknowledged after it has passed this barrier, so nothing acknowledged is beyond it.
type grouped struct {
	*single
	commit             *natsfile.Group
	events, commanding *natsfile.Stream
	marks              *natsfile.Marks
	relay              *relay
}

// startGrouped brings all that a log of this process holds to the disk.
func startGrouped(ctx context.Context, s *single, dir string) (*grouped, error) {
	g := &grouped{single: s, commit: natsfile.NewGroup(), relay: newRelay()}
	err := g.start(ctx, storePath(dir))
	if err != nil {
		g.commit.Close()
		return nil, fmt.Errorf("open group commit: %w", err)
	}
	return g, nil
}

func (g *grouped) start(ctx context.Context, store string) error {
	last, err := g.log.newestEvent(ctx)
	if err != nil {
		return err
	}
	commands, err := g.log.State(ctx, CommandsStream)
	if err != nil {
		return err
	}
	if err := natsfile.SyncVolume(store); err != nil {
		return fmt.Errorf("sync the file system of %s: %w", store, err)
	}
	if g.events, err = g.commit.Stream(store, EventsStream, last); err != nil {
		return err
	}
	if g.commanding, err = g.commit.Stream(store, CommandsStream, commands.State.LastSeq); err != nil {
		return err
	}
	if g.marks, err = natsfile.OpenMarks(markPath(g.log.dir)); err != nil {
		return err
	}
	for place, of := range checked {
		if err := g.stream(of.Stream).Mark(g.marks, place); err != nil {
			return err
		}
	}
	return g.listen()
}

func (g *grouped) stream(name string) *natsfile.Stream {
	if name == CommandsStream {
		return g.commanding
	}
	return g.events
}

func (g *grouped) last(context.Context) (uint64, error) {
	sequence, ok := g.known()
	if !ok {
		return 0, fmt.Errorf("ask for the newest event: %w", g.commit.Err())
	}
	return sequence, nil
}

func (g *grouped) known() (uint64, bool) { return g.events.Durable(), g.commit.Err() == nil }

func (g *grouped) durable(ctx context.Context, stream string, sequence uint64) error {
	return g.stream(stream).Wait(ctx, sequence)
}

// appended gives the tail of this process what it has appended, as the log would give it. A
// request's event is handed on as it is, with its prompt; the few others may be spelled as their
// authors like, and are read again.
func (g *grouped) appended(e events.Event, m *nats.Msg) {
	e.Time, e.Size = e.Time.UTC().Truncate(time.Millisecond), events.Length(m.Data)
	_, prompt := e.Data.(*events.PromptStored)
	switch request := e.Message(); {
	case request != nil && request.Apart:
		e.Size += len(request.Prompt)
	case request == nil && !prompt:
		var err error
		if e, err = events.Decode(e.Subject, e.Sequence, m.Header, m.Data, false); err != nil {
			return // the tail asks the log for it, and is told why
		}
	}
	g.relay.put(e)
}

func (g *grouped) enqueued(sequence uint64, size int) { g.commanding.Soon(sequence, size) }

func (g *grouped) live(ctx context.Context, after uint64, r reading) (uint64, bool, error) {
	if !g.relay.begin(after) {
		return after, false, nil
	}
	after, err := g.relayed(ctx, after, r)
	return after, true, err
}

func (g *grouped) commands(ctx context.Context, finished func(context.Context, []byte) (bool, error)) (jetstream.Consumer, error) {
	if g.commanding.ForgetConsumer(workersName) {
		g.log.logger.Warn("the state of the queue was lost: all commands are delivered again")
	}
	c, err := g.single.commands(ctx, finished)
	if err == nil {
		err = natsfile.SyncVolume(g.log.dir) // the files of a new consumer
	}
	return c, err
}

func (g *grouped) metrics() []prometheus.Collector { return g.commit.Metrics() }

func (g *grouped) broken() error {
	if err := g.commit.Err(); err != nil && !errors.Is(err, natsfile.ErrClosed) {
		return brokenError(err.Error())
	}
	return g.single.broken()
}

func (g *grouped) ended() error { return g.commit.Err() }

func (g *grouped) close() error {
	g.commit.Close()
	g.end()
	errs := []error{g.commit.Distrust()}
	if g.marks != nil {
		if errors.Is(g.commit.Err(), natsfile.ErrClosed) {
			errs = append(errs, endMarks(g.marks, g.log.dir))
		}
		errs = append(errs, g.marks.Close())
		g.marks = nil
	}
	return errors.Join(errs...)
}
