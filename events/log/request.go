package log

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
)

const (
	// answerPatience is how long an answer of a cluster is waited for before it is asked again,
	// where no election says before that the server that was asked leads no more: it may be gone.
	answerPatience = 750 * time.Millisecond
	// answerSoon is how long at first, where it costs nothing to ask once too often.
	answerSoon = 100 * time.Millisecond
	// publishPause is the time between two publishes that nobody took in, since there is no leader
	// yet.
	publishPause = 25 * time.Millisecond
)

// within is a context that ends after some time, or when the log has another leader.
func (l *Log) within(ctx context.Context, patience time.Duration) (context.Context, context.CancelFunc) {
	return l.backing.within(ctx, patience)
}

// apiPatience is how long the server may take to make or find something before it is asked again.
func (l *Log) apiPatience() time.Duration {
	if l.Alone() {
		return 5 * time.Second
	}
	return clusterTry
}

// leaderless tells of an answer whether it says only that the stream has no leader now.
func leaderless(answer []byte) bool {
	if len(answer) > 1024 { // a message
		return false
	}
	var response struct {
		Error *jetstream.APIError `json:"error"`
	}
	return events.Unmarshal(answer, &response) == nil && response.Error != nil && response.Error.Code == 503
}

const (
	requestPatience  = 5 * time.Second  // how long a single server may take to answer
	electionPatience = 12 * time.Second // how long a cluster may take, where the caller sets no deadline
)

// request asks what can be asked again. On a cluster it goes on asking until there is an answer or
// ctx ends.
func (l *Log) request(ctx context.Context, subject string, body []byte) (*nats.Msg, error) {
	var m *nats.Msg
	err := l.again(ctx, func(ctx context.Context) (err error) {
		m, err = l.conn.RequestWithContext(ctx, subject, body)
		if err == nil && !l.Alone() && leaderless(m.Data) {
			err = errLeaderless
		}
		return err
	})
	return m, err
}

// errLeaderless says that a stream has no leader now.
var errLeaderless = errors.New("the stream has no leader")

// again does what can be done again. On a cluster it goes on until it succeeds, is refused, or ctx
// ends, with a context that ends before, when it is time to ask anew.
func (l *Log) again(ctx context.Context, do func(ctx context.Context) error) error {
	if l.Alone() {
		ctx, cancel := context.WithTimeout(ctx, requestPatience)
		defer cancel()
		return do(ctx)
	}
	if _, limited := ctx.Deadline(); !limited {
		longer, cancel := context.WithTimeout(ctx, electionPatience)
		defer cancel()
		ctx = longer
	}
	for patience := answerSoon; ; patience = min(2*patience, clusterTry) {
		limited, cancel := l.within(ctx, patience)
		err := do(limited)
		cancel()
		var api *jetstream.APIError
		if err == nil || l.conn.IsClosed() || errors.As(err, &api) && api.Code < 500 {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ErrNoLeader, err)
		case <-time.After(quorumPause):
		}
	}
}
