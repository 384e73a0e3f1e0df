package log

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"reckon/events"
)

// backing is what keeps a log. There are four: a single server of this process (whose messages it
// may sync in groups), one of another process that is joined, a cluster, and an external NATS.
type backing interface {
	// shared tells whether other nodes have a part in the log.
	shared() bool
	// nodes is how many those are with this one, as far as that is known, at least 1.
	nodes() int
	// within is a context that ends after some time, or when another leader is elected.
	within(ctx context.Context, patience time.Duration) (context.Context, context.CancelFunc)
	// afterElection is AfterElection.
	afterElection(ctx context.Context, since time.Time, while time.Duration) (context.Context, context.CancelFunc)
	// elected is how many elections were heard of.
	elected() uint64
	// elect has another leader of EVENTS elected where there are several nodes, and waits until the
	// stream is as it should be.
	elect(ctx context.Context, seen func(*jetstream.StreamInfo) bool) error

	// last is the read index, and known is it where it need not be asked.
	last(ctx context.Context) (uint64, error)
	known() (sequence uint64, ok bool)
	// confirm is nil when who answers for the stream is its leader, as far as a command of
	// administration must know that.
	confirm(ctx context.Context) error
	// led waits until it is known which node leads, where one may go on that leads no longer.
	led(ctx context.Context) error
	// durable waits until what a stream holds up to a sequence, which was acknowledged or delivered,
	// is on disk.
	durable(ctx context.Context, stream string, sequence uint64) error
	// appended and enqueued are told of what this process has published.
	appended(e events.Event, m *nats.Msg)
	enqueued(sequence uint64, size int)

	// pick reads single events without the server, history many, and live goes on with what this
	// process appends; none of them need do anything.
	pick(ctx context.Context, sequences []uint64) (list []events.Event, ok bool, err error)
	history(ctx context.Context, after uint64, r reading) (uint64, error)
	live(ctx context.Context, after uint64, r reading) (upTo uint64, begun bool, err error)
	// nudge appends something behind an event that may be gone, where events go by themselves.
	nudge(ctx context.Context)

	// commands is the consumer of commands.
	commands(ctx context.Context, finished func(context.Context, []byte) (bool, error)) (jetstream.Consumer, error)
	viewsID() string
	// term is what this node's server knows of who leads EVENTS, where it has a part in that.
	term() (t term, ok bool)
	// metrics are those of the backing alone.
	metrics() []prometheus.Collector
	ready() error
	awaitOthers(ctx context.Context) error
	// takesApart is TakesApart.
	takesApart(ctx context.Context) bool
	// broken is why nothing can be written any more, and ended why nothing can be read either.
	broken() error
	ended() error
	// close stops what runs in this process. The connections are closed before.
	close() error
}

// plain is a backing of which nothing is special.
type plain struct{ log *Log }

func (plain) shared() bool { return false }

func (plain) nodes() int { return 1 }

func (plain) within(ctx context.Context, patience time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, patience)
}

func (plain) afterElection(ctx context.Context, _ time.Time, _ time.Duration) (context.Context, context.CancelFunc) {
	return ctx, func() {}
}

func (plain) elected() uint64 { return 0 }

func (plain) elect(context.Context, func(*jetstream.StreamInfo) bool) error { return nil }

func (p plain) last(ctx context.Context) (uint64, error) {
	info, err := p.log.events.Info(ctx)
	if err != nil {
		return 0, fmt.Errorf("ask for the newest event: %w", err)
	}
	return info.State.LastSeq, nil
}

func (plain) known() (uint64, bool) { return 0, false }

func (plain) confirm(context.Context) error { return nil }

func (plain) led(context.Context) error { return nil }

func (plain) durable(context.Context, string, uint64) error { return nil }

func (plain) appended(events.Event, *nats.Msg) {}

func (plain) enqueued(uint64, int) {}

func (plain) pick(context.Context, []uint64) ([]events.Event, bool, error) { return nil, false, nil }

func (plain) history(_ context.Context, after uint64, _ reading) (uint64, error) { return after, nil }

func (plain) live(_ context.Context, after uint64, _ reading) (uint64, bool, error) {
	return after, false, nil
}

func (plain) nudge(context.Context) {}

func (p plain) commands(ctx context.Context, _ func(context.Context, []byte) (bool, error)) (jetstream.Consumer, error) {
	return p.log.js.CreateOrUpdateConsumer(ctx, CommandsStream, workersConfig())
}

func (p plain) viewsID() string { return p.log.conn.ConnectedServerId() }

func (plain) term() (term, bool) { return term{}, false }

func (plain) metrics() []prometheus.Collector { return nil }

func (plain) ready() error { return nil }

func (plain) awaitOthers(context.Context) error { return nil }

func (plain) takesApart(context.Context) bool { return true }

func (plain) broken() error { return nil }

func (plain) ended() error { return nil }

func (plain) close() error { return nil }
