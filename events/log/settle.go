package log

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
)

// commitSubject is where the process of a server waits for the disk on behalf of others that
// publish to the same server. The request names a stream; the answer is a committed of all that the
// stream held when it came.
func commitSubject(s *server.Server) string { return "reckon.log." + s.ID() + ".commit" }

type committed struct {
	Sequence uint64 `json:"sequence"`
	Error    string `json:"error,omitempty"`
}

// listen answers other processes until the connection ends.
func (l *Log) listen() error {
	_, err := l.conn.Subscribe(commitSubject(l.server), func(m *nats.Msg) {
		go func() {
			var c committed
			var err error
			if c.Sequence, err = l.settle(string(m.Data)); err != nil {
				c.Error = err.Error()
			}
			answer, err := events.Marshal(c)
			if err == nil {
				err = m.Respond(answer)
			}
			if err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
				l.logger.Warn("answering another process", "error", err)
			}
		}()
	})
	if err != nil {
		return fmt.Errorf("open group commit: %w", err)
	}
	return nil
}

// settle waits until all that a stream holds is on disk, and returns the last sequence of that.
func (l *Log) settle(stream string) (last uint64, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), publishTimeout)
	defer cancel()
	s := l.commit.events
	if stream == commandsStream {
		s = l.commit.commands
		var info *jetstream.StreamInfo
		if info, err = l.state(ctx, stream); err == nil {
			last = info.State.LastSeq
		}
	} else {
		signal(l.relay.others)
		last, err = l.newestEvent(ctx)
	}
	if err != nil {
		return 0, err
	}
	return last, s.Wait(ctx, last)
}

// ask has the process of the server settle a stream.
func (l *Log) ask(ctx context.Context, stream string) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, publishTimeout)
	defer cancel()
	m, err := l.conn.RequestWithContext(ctx, l.asks, []byte(stream))
	if err != nil {
		return 0, fmt.Errorf("ask the process of the log to sync: %w", err)
	}
	var c committed
	if err := events.Unmarshal(m.Data, &c); err != nil {
		return 0, fmt.Errorf("ask the process of the log to sync: %w", err)
	}
	if c.Error != "" {
		return 0, fmt.Errorf("ask the process of the log to sync: %s", c.Error)
	}
	if stream == eventsStream {
		atLeast(&l.asked, c.Sequence)
	}
	return c.Sequence, nil
}
