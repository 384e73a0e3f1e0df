// Package log keeps events: two JetStream streams, COMMANDS and EVENTS, with their rules. It opens
// them, appends, reads, tails, and has the queue of commands, on a server of this process alone, on
// one of a cluster, on that of another process, or on an existing NATS.
package log

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
)

// Errors of the log, matched with errors.Is.
var (
	// ErrConflict says that another message was first: the expected sequence is not the last of the
	// subject.
	ErrConflict = errors.New("another message was first")
	// ErrInFlight says that a message to the same subject is under way on a cluster; its outcome is
	// not known yet.
	ErrInFlight = errors.New("another message is under way")
	// ErrUnknown says that a publish was not answered: it may or may not be in the log.
	ErrUnknown = errors.New("the outcome of a publish is unknown")
	// ErrRunning says that another process holds the data directory and could not be reached.
	ErrRunning = errors.New("the data directory is in use")
	// ErrNoLeader says that a cluster did not answer in time.
	ErrNoLeader = errors.New("the nodes that keep the log do not answer: a majority of them must run and reach each other")
	// ErrTooLarge says that a message has more than MaxPayload, or than an external NATS takes.
	ErrTooLarge = errors.New("the message is too large for the log")
	// ErrNotFound says that a subject holds no message.
	ErrNotFound = errors.New("no such message")
)

// Options of a log.
type Options struct {
	Dir                  string        // data directory
	IdempotencyRetention time.Duration // how long commands with a key are kept; 0 means 24 hours
	Logger               *slog.Logger
	Cluster              *Cluster          // makes the log's server a node of a cluster; nil for a single one
	External             *External         // keeps the log elsewhere; the data directory has the views only
	ScrubEvery           time.Duration     // how often all files of the log are read again while it is open; 0 means daily, less never
	Waiting              func(what string) // is told what Open waits for, where that may take long; nil tells nobody
}

// Log is an open log: the streams COMMANDS and EVENTS, on a server of this process or reached
// through a running one. Its methods may be called at the same time.
type Log struct {
	conn   *nats.Conn
	js     jetstream.JetStream
	events jetstream.Stream
	logger *slog.Logger
	newest atomic.Uint64 // highest sequence of EVENTS that was seen in an answer

	backing backing
	damaged atomic.Pointer[DamagedError] // nil while nothing is known to be
	doubted atomic.Bool                  // a publish was not acknowledged, and who leads has not been asked since
	wholeAt atomic.Uint64                // see whole: one more than the elections that were heard of when it last held; 0 for never
	asking  chan struct{}                // holds what is there while somebody asks for that
	partAt  time.Time                    // when somebody asked last who was told that it does not; for who asks
	reads   *nats.Conn                   // to a server of this process, for single events, which are not to wait behind the tail
	dir     string                       // data directory, where there is one
	lock    *os.File                     // of the data directory; nil where another process holds it

	looking    sync.WaitGroup // after the files
	endLooking context.CancelFunc
	gone       atomic.Pointer[[]Run] // events that are not there and not missing, as far as somebody has asked
	rotten     atomic.Pointer[error] // what was found damaged or broken since the log was opened; nil for nothing

	appends prometheus.Histogram // how long they take until they are on disk, in seconds

	closing sync.Mutex
}

// newLog makes a log without a backing. dir is its data directory, "" for none, and lock is held of
// it or nil.
func newLog(dir string, lock *os.File, logger *slog.Logger) *Log {
	return &Log{dir: dir, lock: lock, logger: logger, appends: newAppends(), asking: make(chan struct{}, 1)}
}

// Local tells whether this process holds the data directory, so that the views in there are its
// own.
func (l *Log) Local() bool { return l.lock != nil }

// ViewsID names the views of the process that holds the data directory among all that are reached
// through the log's connection.
func (l *Log) ViewsID() string { return l.backing.viewsID() }

// Alone tells whether no other node has a part in the log.
func (l *Log) Alone() bool { return !l.backing.shared() }

// Nodes is how many nodes keep the log, as far as this one knows, at least 1.
func (l *Log) Nodes() int { return l.backing.nodes() }

// Ready is nil when the log's server is up to date with the others of its cluster, as far as it
// knows; else it says what is missing. A server that is not a node of a cluster is always ready, an
// existing NATS while there is a connection to it.
func (l *Log) Ready() error { return l.backing.ready() }

// AwaitOthers waits until the nodes that are there besides this one have what the streams hold, so
// that they can go on without it. It fails when ctx ends; on a log without other nodes of ours it
// returns at once.
func (l *Log) AwaitOthers(ctx context.Context) error { return l.backing.awaitOthers(ctx) }

// JetStream is the client of the log's server, for the command consumer.
func (l *Log) JetStream() jetstream.JetStream { return l.js }

// Last is the read index: the sequence of the newest event, asked from the stream's leader, or,
// where Known knows it, that of the newest that was acknowledged. On a cluster it goes on asking
// until a majority of the nodes confirms the answer or ctx ends. On an existing NATS it is the
// sequence of a message that is appended for it and goes after a second, so that what is behind the
// newest event may be nothing by and by. A log that was joined gives up after 12 s.
func (l *Log) Last(ctx context.Context) (uint64, error) {
	last, err := l.backing.last(ctx)
	if err == nil {
		l.saw(last)
	}
	return last, err
}

// saw remembers that EVENTS holds a sequence, below which a tail must not stand still.
func (l *Log) saw(sequence uint64) { atLeast(&l.newest, sequence) }

// atLeast raises a number to another one unless it is higher.
func atLeast(n *atomic.Uint64, to uint64) {
	for {
		was := n.Load()
		if to <= was || n.CompareAndSwap(was, to) {
			return
		}
	}
}
