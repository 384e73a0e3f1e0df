// Package projections folds the history into read models: pure Apply functions from a view and an event to a view, and
// the node's own key-value buckets that hold the views, with a checkpoint, waiters and the read index.
//
// Each read model has a file: accounts.go, domains.go, conversations.go and activity.go. The machinery is views.go
// (opening, closing, how far the fold is), fold.go (a batch of events into documents), buckets.go (where documents are),
// server.go (the server that keeps the buckets), index.go (what a reader must have seen), waiters.go and cache.go.
package projections

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/nats-io/nats-server/v2/server"

	"reckon/events"
)

// The history's own types that views carry.
type (
	Results        = events.Results
	ResultActivity = events.ResultActivity
	ResultVariable = events.ResultVariable
	Definition     = events.Definition
	Variable       = events.Variable
	Reference      = events.Reference
	DomainRef      = events.DomainRef
)

// Errors of reads, matched with errors.Is.
var (
	// ErrBehind says that this node could not confirm within its time that it has seen the newest events.
	ErrBehind = errors.New("the views are behind the log")
	// ErrClosed says that the views were closed.
	ErrClosed = errors.New("the views are closed")
)

const (
	// cachedHeads is how many conversation heads stay in memory.
	cachedHeads = 16384
	// cachedBytes is how many bytes of message documents stay in memory.
	cachedBytes = 16 << 20
)

// Views is this node's read models. Its methods may be used from several goroutines.
type Views struct {
	log     *events.Log
	logger  *slog.Logger
	storage *storage
	server  *server.Server
	store   *store

	accounts     *accounts
	domains      *domains
	activity     *activity
	headCache    *cache[conversationKey, Conversation]
	messageCache *cache[messageKey, Message]
	waiters      *waiters
	index        *readIndex

	target uint64             // the log's last sequence at start
	cancel context.CancelFunc // ends the fold and the ticker
	tasks  sync.WaitGroup

	closing  sync.Once
	closeErr error

	folded   atomic.Uint64
	mu       sync.Mutex
	advanced chan struct{} // closed and replaced when folded grows
	stopped  chan struct{} // closed when the fold has ended; stopErr is set before
	stopErr  error
}

// Open starts the views' own server in dir/views, checks the buckets against the log and begins to fold. It returns before
// the fold has caught up; Ready tells when it has. One process at a time may have the views of a directory open.
func Open(ctx context.Context, log *events.Log, dir string, logger *slog.Logger) (*Views, error) {
	v := newViews(log, logger)
	after, err := v.start(ctx, dir)
	if err != nil {
		return nil, err
	}
	running, cancel := context.WithCancel(context.Background())
	v.cancel = cancel
	v.tasks.Go(func() { v.follow(running, after) })
	v.tasks.Go(func() { v.index.tick(running) })
	v.tasks.Go(func() { v.sweep(running) })
	return v, nil
}

func newViews(log *events.Log, logger *slog.Logger) *Views {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return &Views{
		log: log, logger: logger,
		accounts: newAccounts(), domains: newDomains(), activity: newActivity(), waiters: newWaiters(),
		headCache:    newCache[conversationKey, Conversation](cachedHeads),
		messageCache: newCache[messageKey, Message](cachedBytes),
		index:        newReadIndex(log),
		advanced:     make(chan struct{}), stopped: make(chan struct{}),
		cancel: func() {},
	}
}

// start locks the directory, brings up the server and its buckets and reads what stays in memory. It returns the sequence
// to fold after.
func (v *Views) start(ctx context.Context, dir string) (after uint64, err error) {
	if v.target, err = v.log.Last(ctx); err != nil {
		return 0, fmt.Errorf("read last event: %w", err)
	}
	if v.storage, err = openStorage(filepath.Join(dir, "views")); err != nil {
		return 0, err
	}
	if after, err = v.open(ctx); err != nil {
		v.disconnect()
		return 0, errors.Join(err, v.storage.close())
	}
	v.advance(after)
	return after, nil
}

// open is start without the directory.
func (v *Views) open(ctx context.Context) (after uint64, err error) {
	if v.server, err = startServer(ctx, v.storage.dir, v.logger); err != nil {
		return 0, err
	}
	writes, err := connect(v.server)
	if err != nil {
		return 0, err
	}
	reads, err := connect(v.server)
	if err != nil {
		writes.Close()
		return 0, err
	}
	if v.store, err = openStore(ctx, writes, reads); err != nil {
		writes.Close()
		reads.Close()
		return 0, err
	}
	from, err := v.store.readCheckpoint(ctx)
	if err != nil || from.Sequence > v.target {
		v.logger.Warn("rebuilding the views", "checkpoint", from.Sequence, "log", v.target, "error", err)
		if err := v.store.clear(ctx); err != nil {
			return 0, err
		}
		return 0, nil
	}
	if err := v.load(ctx); err != nil {
		return 0, err
	}
	if !slices.Equal(from.Buckets, foldedBuckets) {
		return 0, nil
	}
	return from.Sequence, nil
}

// load reads what is held in memory from the buckets.
func (v *Views) load(ctx context.Context) error {
	err := v.store.accounts.each(ctx, "", func(value []byte) error {
		var a Account
		if err := json.Unmarshal(value, &a); err != nil {
			return fmt.Errorf("decode account: %w", err)
		}
		v.accounts.set(a)
		return nil
	})
	if err != nil {
		return err
	}
	err = v.store.domains.each(ctx, "*.*", func(value []byte) error {
		var d Domain
		if err := json.Unmarshal(value, &d); err != nil {
			return fmt.Errorf("decode domain: %w", err)
		}
		v.domains.set(d)
		return nil
	})
	if err != nil {
		return err
	}
	return v.loadActivity(ctx)
}

// follow folds until ctx ends or an event or a write fails, which is final: a view that skips an event is wrong for ever.
func (v *Views) follow(ctx context.Context, after uint64) {
	err := v.log.Tail(ctx, after, v.fold)
	if ctx.Err() != nil {
		err = ErrClosed
	} else {
		if err == nil {
			err = errors.New("the log has ended")
		}
		v.logger.Error("the views have stopped", "folded", v.folded.Load(), "error", err)
	}
	v.stopErr = err
	close(v.stopped)
}

// advance says that everything up to a sequence is folded and readable.
func (v *Views) advance(sequence uint64) {
	v.mu.Lock()
	v.folded.Store(sequence)
	close(v.advanced)
	v.advanced = make(chan struct{})
	v.mu.Unlock()
	v.index.advance(sequence)
}

// Ready is nil once the fold has caught up with the log as it was at start; else it says what is missing, and after
// the fold stopped, on an event that it cannot decode or a write that failed, which and why.
func (v *Views) Ready() error {
	select {
	case <-v.stopped:
		return v.failure()
	default:
	}
	if folded := v.folded.Load(); folded < v.target {
		return fmt.Errorf("the views are at event %d of %d", folded, v.target)
	}
	return nil
}

// failure is why the fold has stopped; it may be asked once stopped is closed.
func (v *Views) failure() error {
	if errors.Is(v.stopErr, ErrClosed) {
		return v.stopErr
	}
	return fmt.Errorf("the views have stopped behind event %d: %w", v.folded.Load(), v.stopErr)
}

// CaughtUp waits until Ready is nil, the fold has failed, or ctx ends.
func (v *Views) CaughtUp(ctx context.Context) error { return v.Folded(ctx, v.target) }

// Folded waits until the event at a sequence is folded. It fails at once when the fold has stopped before it.
func (v *Views) Folded(ctx context.Context, sequence uint64) error {
	for v.folded.Load() < sequence {
		v.mu.Lock()
		advanced := v.advanced
		v.mu.Unlock()
		if v.folded.Load() >= sequence {
			return nil
		}
		select {
		case <-advanced:
		case <-v.stopped:
			if v.folded.Load() >= sequence {
				return nil
			}
			return v.failure()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// sweep deletes the buckets of earlier folds once these have caught up.
func (v *Views) sweep(ctx context.Context) {
	if v.CaughtUp(ctx) != nil {
		return
	}
	if err := v.store.deleteOld(ctx); err != nil && ctx.Err() == nil {
		v.logger.Warn("deleting old views", "error", err)
	}
}

// disconnect ends the connections and the server, as far as they were started.
func (v *Views) disconnect() {
	if v.store != nil {
		v.store.writes.Close()
		v.store.reads.Close()
	}
	if v.server != nil {
		v.server.Shutdown()
		v.server.WaitForShutdown()
	}
}

// Close ends the fold behind a checkpoint, stops the server and brings the views to the disk. Readers that wait fail with
// ErrClosed. Closing again does nothing.
func (v *Views) Close() error {
	v.closing.Do(func() {
		v.cancel()
		v.tasks.Wait()
		v.disconnect()
		v.closeErr = v.storage.closeClean()
	})
	return v.closeErr
}
