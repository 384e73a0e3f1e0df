package log

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

// electedSubjects are where a cluster says that a stream or consumer has another leader.
var electedSubjects = []string{
	"$JS.EVENT.ADVISORY.STREAM.LEADER_ELECTED.*",
	"$JS.EVENT.ADVISORY.CONSUMER.LEADER_ELECTED." + CommandsStream + "." + workersName,
}

// elections tells those who wait for an answer of a cluster that another leader was elected. What
// the one before was asked is answered no more, mostly: it forgets that when it steps down.
type elections struct {
	mu    sync.Mutex
	reign context.Context // until the next election
	end   context.CancelFunc
	heard atomic.Uint64 // how many there were
	last  time.Time     // when the newest one was heard of; zero for none
}

// followElections listens to the cluster for as long as the connection is there.
func followElections(conn *nats.Conn) (*elections, error) {
	e := &elections{}
	e.reign, e.end = context.WithCancel(context.Background())
	for _, subject := range electedSubjects {
		if _, err := conn.Subscribe(subject, func(*nats.Msg) { e.elected() }); err != nil {
			return nil, fmt.Errorf("listen to the elections of the cluster: %w", err)
		}
	}
	return e, nil
}

func (e *elections) elected() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.heard.Add(1)
	e.last = time.Now()
	e.end()
	e.reign, e.end = context.WithCancel(context.Background())
}

// within is a context that ends after some time, or when another leader is elected before.
func (e *elections) within(ctx context.Context, patience time.Duration) (context.Context, context.CancelFunc) {
	limited, cancel := context.WithTimeout(ctx, patience)
	e.mu.Lock()
	defer e.mu.Unlock()
	forget := context.AfterFunc(e.reign, cancel)
	return limited, func() {
		forget()
		cancel()
	}
}

// AfterElection is a context that ends when a while has passed since the cluster elected a leader
// of a stream or of the queue, if it did so since a moment. What the leader of the queue before had
// taken out and not yet sent then reaches nobody until AckWait is over. Where there is no cluster,
// and where its servers do not say what they elect, the context ends with ctx.
func (l *Log) AfterElection(ctx context.Context, since time.Time, while time.Duration) (context.Context, context.CancelFunc) {
	return l.backing.afterElection(ctx, since, while)
}

func (e *elections) after(ctx context.Context, since time.Time, while time.Duration) (context.Context, context.CancelFunc) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.last.After(since) {
		return context.WithTimeout(ctx, while)
	}
	limited, cancel := context.WithCancel(ctx)
	forget := context.AfterFunc(e.reign, func() {
		timer := time.NewTimer(while)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel()
		case <-limited.Done():
		}
	})
	return limited, func() {
		forget()
		cancel()
	}
}
