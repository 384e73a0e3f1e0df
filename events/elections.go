package events

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
	"$JS.EVENT.ADVISORY.CONSUMER.LEADER_ELECTED." + commandsStream + "." + workersName,
}

// elections tells those who wait for an answer of a cluster that another leader was elected. What the one before was asked is
// answered no more, mostly: it forgets that when it steps down.
type elections struct {
	mu    sync.Mutex
	reign context.Context // until the next election
	end   context.CancelFunc
	heard atomic.Uint64 // how many there were
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
