package log

import (
	"context"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

const (
	// heldUp is how long a process may stand still before the others may have elected another
	// leader, with time to spare: servers of NATS wait for at least 4 s.
	heldUp = 2 * time.Second
	// pulse is how often a node looks whether it stood still.
	pulse = 100 * time.Millisecond
)

// keepPulse notices until ctx ends that the process stood still, as when its machine is moved or
// the memory is written out, and then gives up what the node leads. It would take messages that
// nobody else takes any more, and let those wait who sent them.
func (b *cluster) keepPulse(ctx context.Context) {
	ticker := time.NewTicker(pulse)
	defer ticker.Stop()
	for last := time.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now := time.Now()
		if stood := now.Sub(last); stood > heldUp {
			b.stepAside()
			b.log.logger.Warn("the process stood still, and leads the log no longer", "seconds", stood.Seconds())
		}
		last = now
	}
}

// stepAside gives up the leadership of the streams and of the queue, of those that the node has.
func (b *cluster) stepAside() {
	const account = server.DEFAULT_GLOBAL_ACCOUNT
	for _, stream := range []string{CommandsStream, EventsStream} {
		_ = b.server.JetStreamStepdownStream(account, stream) // it fails where the node does not have it
	}
	_ = b.server.JetStreamStepdownConsumer(account, CommandsStream, workersName)
}
