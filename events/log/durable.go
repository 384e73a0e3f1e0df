package log

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"reckon/events"
	"reckon/events/log/natsfile"
)

// publishTimeout is how long a publish, or a question for the disk, waits for its answer when the
// caller has no deadline.
const publishTimeout = 5 * time.Second

// committer is the group commit of a log whose server runs in this process.
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
type committer struct {
	*natsfile.Group
	events, commands *natsfile.Stream
}

// startCommitter brings all that a log of this process holds to the disk.
func startCommitter(ctx context.Context, l *Log) (_ *committer, err error) {
	c := &committer{Group: natsfile.NewGroup()}
	defer func() {
		if err != nil {
			c.Close()
			err = fmt.Errorf("open group commit: %w", err)
		}
	}()
	last, err := l.newestEvent(ctx)
	if err != nil {
		return nil, err
	}
	commands, err := l.state(ctx, commandsStream)
	if err != nil {
		return nil, err
	}
	if err := natsfile.SyncVolume(l.dir); err != nil {
		return nil, fmt.Errorf("sync the file system of %s: %w", l.dir, err)
	}
	store := filepath.Join(l.dir, "log")
	if c.events, err = c.Stream(store, eventsStream, true, last); err != nil {
		return nil, err
	}
	c.commands, err = c.Stream(store, commandsStream, false, commands.State.LastSeq)
	return c, err
}

// newestEvent is the sequence of the last event that is there. After a loss of power the stream may
// count beyond it: the server's index of the stream can be on disk when the end of a block is not.
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

// durable waits until an event, of which somebody has the acknowledgement in hand, is on disk.
func (l *Log) durable(ctx context.Context, sequence uint64) error {
	switch {
	case l.commit != nil:
		return l.commit.events.Wait(ctx, sequence)
	case l.asks != "" && sequence > l.asked.Load():
		_, err := l.ask(ctx, eventsStream)
		return err
	}
	return nil
}

// CommandDurable waits until the command at a sequence of COMMANDS, which was acknowledged or
// delivered, is on disk. The event of a command that is needed behind it must not be appended
// before. Sequence 0 is none.
func (l *Log) CommandDurable(ctx context.Context, sequence uint64) error {
	var err error
	switch {
	case sequence == 0:
	case l.commit != nil:
		err = l.commit.commands.Wait(ctx, sequence)
	case l.asks != "":
		_, err = l.ask(ctx, commandsStream)
	}
	if err != nil {
		return fmt.Errorf("wait for command %d to be on disk: %w", sequence, err)
	}
	return nil
}

// Known is the read index without a question: the sequence of the newest event that was
// acknowledged, to whomever. ok is false where the log must be asked, or can no longer be written.
func (l *Log) Known() (sequence uint64, ok bool) {
	if l.commit == nil || l.commit.Err() != nil {
		return 0, false
	}
	return l.commit.events.Durable(), true
}

// durably is a fold that is handed durable events only: those that are by now, then the others when
// they are. A process that is asked and does not answer is asked again for as long as there is a
// connection.
func (l *Log) durably(ctx context.Context, fold func(uint64, []events.Event) error) func(uint64, []events.Event) error {
	return func(upTo uint64, list []events.Event) error {
		if l.commit != nil {
			now := l.commit.events.Durable()
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
