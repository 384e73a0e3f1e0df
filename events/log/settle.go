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
func (g *grouped) listen() error {
	_, err := g.log.conn.Subscribe(commitSubject(g.server), func(m *nats.Msg) {
		go func() {
			var c committed
			var err error
			if c.Sequence, err = g.settle(string(m.Data)); err != nil {
				c.Error = err.Error()
			}
			answer, err := events.Marshal(c)
			if err == nil {
				err = m.Respond(answer)
			}
			if err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
				g.log.logger.Warn("answering another process", "error", err)
			}
		}()
	})
	if err != nil {
		return fmt.Errorf("open group commit: %w", err)
	}
	return nil
}

// settle waits until all that a stream holds is on disk, and returns the last sequence of that.
func (g *grouped) settle(stream string) (last uint64, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), publishTimeout)
	defer cancel()
	if stream == CommandsStream {
		var info *jetstream.StreamInfo
		if info, err = g.log.State(ctx, stream); err == nil {
			last = info.State.LastSeq
		}
	} else {
		signal(g.relay.others)
		last, err = g.log.newestEvent(ctx)
	}
	if err != nil {
		return 0, err
	}
	return last, g.durable(ctx, stream, last)
}
