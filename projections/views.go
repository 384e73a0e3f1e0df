// Package projections folds the history into read models: pure Apply functions from a view and an
// event to a view, and the node's own key-value buckets that hold the views, with a checkpoint,
// waiters and the read index.
//
// Each read model is an entry of the table in model.go and has a file: accounts.go, domains.go
// (both keep all their documents in memory, table.go) and conversations.go (with recency.go,
// pages.go, messages.go and listing.go). The machinery is views.go (starting and closing),
// opening.go (the buckets against the log), folded.go (how far the fold is), fold.go, generation.go
// (a set of views, and which one serves), bucket.go and buffer.go (documents, written behind),
// store.go and server.go (where the buckets are, and the checkpoint), rebuild.go and verify.go (the
// whole history again), control.go (asking a running server for these), index.go (what a reader
// must have seen), waiters.go (one message), follow.go (all that becomes of conversations) and
// cache.go.
package projections

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats-server/v2/server"

	"reckon/events"
	"reckon/events/log"
)

// The history's own types that views carry.
type (
	Results        = events.Results
	ResultActivity = events.ResultActivity
	ResultVariable = events.ResultVariable
	Definition     = events.Definition
	Activity       = events.Activity
	Variable       = events.Variable
	Reference      = events.Reference
	DomainRef      = events.DomainRef
	Limits         = events.Limits
)

// Errors of reads, matched with errors.Is.
var (
	// ErrBehind says that this node could not confirm within its time that it has seen the newest
	// events.
	ErrBehind = errors.New("the views are behind the log")
	// ErrDamaged says that something of the log is damaged: it takes nothing, and what is asked for
	// may have been there.
	ErrDamaged = log.ErrDamaged
	// ErrPartial says that views of a damaged log were not there before it was: what is made of it
	// now lacks something.
	ErrPartial = errors.New("the views do not have what is damaged of the log")
	// ErrClosed says that the views were closed.
	ErrClosed = errors.New("the views are closed")
)

const (
	// saveAfter is how long after an event its documents and a checkpoint are written at the
	// latest, but for the time that writing takes: what comes meanwhile is written together.
	saveAfter = 20 * time.Millisecond
	// saveBehind is the same while the fold catches up.
	saveBehind = time.Second
)

// Views is this node's read models. Its methods may be used from several goroutines.
type Views struct {
	log      *log.Log
	logger   *slog.Logger
	storage  *storage
	server   *server.Server
	store    *store
	patience time.Duration // of the store
	models   []model
	messages *messageLog

	serving    atomic.Pointer[generation] // the generation that answers
	folding    sync.Mutex                 // held while events are folded, or another generation serves
	checkpoint checkpoint                 // with folding held
	unsaved    chan struct{}              // holds one when something is folded and not saved
	saving     sync.Mutex                 // held while documents are written; taken before folding
	saved      uint64                     // with saving held: sequence of the last checkpoint
	outdated   []string                   // models to be rebuilt from the start
	missing    []int                      // places of models to be filled before the fold goes on
	rebuilding sync.Mutex                 // held while a generation is built
	told       func(Progress)             // of the rebuild of outdated models; nil tells nobody
	waiters    *waiters
	followers  followers
	index      *readIndex
	program    atomic.Pointer[string] // see State
	behind     atomic.Uint64          // how often a reader was told ErrBehind

	forgetting forgetting

	target uint64             // the log's last sequence at start
	still  bool               // the log was damaged at start: nothing is added to it
	part   bool               // and the views are made of what is whole of it
	cancel context.CancelFunc // ends the fold and the ticker
	tasks  sync.WaitGroup

	closing  sync.Once
	closeErr error

	lastRequest atomic.Int64 // when a key was last presented, since index.started; 0 for never
	folded      atomic.Uint64
	mu          sync.Mutex
	advanced    chan struct{} // closed and replaced when folded grows
	stopped     chan struct{} // closed when the fold has ended; stopErr is set before
	stopErr     error
}

// Open starts the views' own server in dir/views, checks the buckets against the log and begins to
// fold. It returns before the fold has caught up; Ready tells when it has. One process at a time
// may have the views of a directory open.
func Open(ctx context.Context, log *log.Log, dir string, logger *slog.Logger) (*Views, error) {
	v := newViews(log, logger)
	if err := v.run(ctx, dir); err != nil {
		return nil, err
	}
	return v, nil
}

// run starts the views and what goes on until they are closed.
func (v *Views) run(ctx context.Context, dir string) error {
	after, err := v.start(ctx, dir)
	if err != nil {
		return err
	}
	running, cancel := context.WithCancel(context.Background())
	v.cancel = cancel
	following, stop := context.WithCancelCause(running)
	v.tasks.Go(func() { v.follow(following, after) })
	v.tasks.Go(func() { v.tick(running) })
	if !v.still {
		v.tasks.Go(func() { v.renew(running) })
		v.tasks.Go(func() { v.forget(running) })
	}
	v.tasks.Go(func() { v.saveOften(running, stop) })
	if err := v.listen(running); err != nil {
		return errors.Join(err, v.Close())
	}
	return nil
}

func newViews(log *log.Log, logger *slog.Logger) *Views {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return &Views{
		log: log, logger: logger, patience: storePatience,
		models: models, messages: newMessageLog(log), waiters: newWaiters(), index: newReadIndex(log),
		advanced: make(chan struct{}), stopped: make(chan struct{}), unsaved: make(chan struct{}, 1),
		forgetting: newForgetting(), followers: followers{byAccount: map[uuid.UUID]map[*Follower]bool{}},
		cancel: func() {},
	}
}

// disconnect ends the connections and the server, as far as they were started.
func (v *Views) disconnect() {
	if v.store != nil {
		v.store.close()
	}
	if v.server != nil {
		v.server.Shutdown()
		v.server.WaitForShutdown()
	}
}

// Close ends the fold behind a checkpoint, stops the server and brings the views to the disk.
// Readers that wait fail with ErrClosed. Closing again does nothing.
func (v *Views) Close() error {
	v.closing.Do(func() {
		v.cancel()
		close(v.store.closing)
		v.tasks.Wait()
		if err := v.save(); err != nil {
			v.logger.Warn("the checkpoint of the views is an older one", "error", err)
		}
		v.disconnect()
		v.closeErr = v.storage.closeClean()
	})
	return v.closeErr
}
