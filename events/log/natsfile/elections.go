package natsfile

import (
	"time"
	_ "unsafe" // for go:linkname
)

// The server has no option for the time after which a node that hears nothing of a leader stands
// for election. The least and the most are variables of its package, since its own tests are in a
// hurry too. The leader is heard of every second.
//
//go:linkname minElectionTimeout github.com/nats-io/nats-server/v2/server.minElectionTimeout
//go:linkname maxElectionTimeout github.com/nats-io/nats-server/v2/server.maxElectionTimeout
var minElectionTimeout, maxElectionTimeout time.Duration

const (
	electionAfter  = 2500 * time.Millisecond
	electionBefore = 5 * time.Second
)

// Before any server runs, since they read the variables without a lock. With the 4 to 9 s that are
// usual, the elections of two streams and a consumer, each of which has to be over, and a second
// one where votes were split, took more than 10 s at times.
func init() {
	if Known() && minElectionTimeout > electionAfter && maxElectionTimeout > electionBefore {
		minElectionTimeout, maxElectionTimeout = electionAfter, electionBefore
	}
}
