package log

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"reckon/events"
)

// publishTimeout is how long a publish, or a question for the disk, waits for its answer when the
// caller has no deadline.
const publishTimeout = 5 * time.Second

// newestEvent is the sequence of the last event that is there. After a loss of power the stream may
// count beyond it: the server's index of the stream can be on disk when the end of a block is not.
func (l *Log) newestEvent(ctx context.Context) (uint64, error) {
	info, err := l.events.Info(ctx)
	if err != nil || info.State.Msgs == 0 {
		return 0, err
	}
	m, err := l.load(ctx, EventsStream, loadRequest{Sequence: info.State.LastSeq})
	if errors.Is(err, ErrNotFound) {
		m, err = l.load(ctx, EventsStream, loadRequest{Last: "evt.>"})
	}
	return m.Sequence, err
}

// CommandDurable waits until the command at a sequence of COMMANDS, which was acknowledged or
// delivered, is on disk. The event of a command that is needed behind it must not be appended
// before. Sequence 0 is none.
func (l *Log) CommandDurable(ctx context.Context, sequence uint64) error {
	if sequence == 0 {
		return nil
	}
	if err := l.backing.durable(ctx, CommandsStream, sequence); err != nil {
		return fmt.Errorf("wait for command %d to be on disk: %w", sequence, err)
	}
	return nil
}

// Known is the read index without a question: the sequence of the newest event that was
// acknowledged, to whomever. ok is false where the log must be asked, or can no longer be written.
func (l *Log) Known() (sequence uint64, ok bool) { return l.backing.known() }

// durable waits until an event, of which somebody has the acknowledgement in hand, is on disk.
func (l *Log) durable(ctx context.Context, sequence uint64) error {
	return l.backing.durable(ctx, EventsStream, sequence)
}

// durably is a fold that is handed durable events only: those that are by now, then the others when
// they are. A process that is asked and does not answer is asked again for as long as there is a
// connection.
func (l *Log) durably(ctx context.Context, fold func(uint64, []events.Event) error) func(uint64, []events.Event) error {
	return func(upTo uint64, list []events.Event) error {
		if now, ok := l.Known(); ok {
			ready := slices.IndexFunc(list, func(e events.Event) bool { return e.Sequence > now })
			if ready > 0 {
				if err := fold(list[ready-1].Sequence, list[:ready:ready]); err != nil {
					return err
				}
				list = list[ready:]
			}
		}
		for err := l.durable(ctx, upTo); err != nil; err = l.durable(ctx, upTo) {
			if l.backing.ended() != nil || ctx.Err() != nil || l.conn.IsClosed() {
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
