package log

import (
	"context"
	"fmt"
	"sync/atomic"

	"reckon/events"
)

// joined is a single server of another process, which a command of administration has reached.
type joined struct {
	plain
	asks  string        // the subject where that process is asked to sync; "" where its server syncs each message
	asked atomic.Uint64 // events up to this sequence are on disk, it said
}

func (j *joined) last(ctx context.Context) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, electionPatience)
	defer cancel()
	if j.asks == "" {
		return j.plain.last(ctx)
	}
	return j.ask(ctx, EventsStream)
}

func (j *joined) durable(ctx context.Context, stream string, sequence uint64) error {
	if j.asks == "" || stream == EventsStream && sequence <= j.asked.Load() {
		return nil
	}
	_, err := j.ask(ctx, stream)
	return err
}

// ask has the process of the server settle a stream.
func (j *joined) ask(ctx context.Context, stream string) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, publishTimeout)
	defer cancel()
	m, err := j.log.conn.RequestWithContext(ctx, j.asks, []byte(stream))
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
	if stream == EventsStream {
		atLeast(&j.asked, c.Sequence)
	}
	return c.Sequence, nil
}
