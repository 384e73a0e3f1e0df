// Package projections folds the history into read models: pure Apply functions from a view and an
// event to a view, and the node's own key-value buckets that hold the views, with a checkpoint,
// waiters and the read index.
//
// Each read model is an entry of the table in model.go and has a file: accounts.go, domains.go
// (both keep all their documents in memory, table.go) and conversations.go (with recency.go,
// pages.go, messages.go and listing.go). The machinery is views.go (opening, closing, how far the
// fold is), fold.go, generation.go (a set of views, and which one serves), bucket.go and buffer.go
// (documents, written behind), store.go and server.go (where the buckets are, and the checkpoint),
// rebuild.go and verify.go (the whole history again), control.go (asking a running server for
// these), index.go (what a reader must have seen), waiters.go (one message), follow.go (all that
// becomes of conversations) and cache.go.
package projections

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"weak"

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
		log: log, logger: logger,
		models: models, messages: newMessageLog(log), waiters: newWaiters(), index: newReadIndex(log),
		advanced: make(chan struct{}), stopped: make(chan struct{}), unsaved: make(chan struct{}, 1),
		forgetting: newForgetting(), followers: followers{byAccount: map[uuid.UUID]map[*Follower]bool{}},
		cancel: func() {},
	}
}

// start locks the directory, brings up the server and its buckets and reads what stays in memory.
// It returns the sequence to fold after.
func (v *Views) start(ctx context.Context, dir string) (after uint64, err error) {
	if v.target, err = v.log.Last(ctx); err != nil {
		return 0, fmt.Errorf("read last event: %w", err)
	}
	v.still = v.log.Damaged() != nil
	if v.storage, err = openStorage(filepath.Join(dir, "views")); err != nil {
		return 0, err
	}
	if after, err = v.open(ctx); err != nil {
		v.disconnect()
		return 0, errors.Join(err, v.storage.close())
	}
	if v.missing == nil {
		v.advance(after)
	}
	return after, nil
}

// open is start without the directory.
func (v *Views) open(ctx context.Context) (after uint64, err error) {
	if v.server, err = startServer(ctx, v.storage.dir, v.logger); err != nil {
		return 0, err
	}
	if v.store, err = openStore(ctx, v.server); err != nil {
		return 0, err
	}
	v.checkpoint, err = v.store.readCheckpoint(ctx)
	if err == nil {
		err = v.reopen(ctx)
	}
	if v.still && !v.part {
		return v.checkpoint.Sequence, v.covers(err)
	}
	if errors.Is(err, errBeyond) && v.log.Local() && v.log.Alone() {
		return 0, fmt.Errorf("%w: they were made of %d events, and the log ends at %d: restore a backup into another directory, or, to go on without these events, remove %s",
			err, v.checkpoint.Sequence, v.target, v.storage.dir)
	}
	if err != nil {
		v.logger.Warn("the views are built anew", "checkpoint", v.checkpoint.Sequence, "log", v.target, "reason", err)
		v.checkpoint = checkpoint{}
		err = v.reopen(ctx)
	}
	return v.checkpoint.Sequence, err
}

// errBeyond says that the log has lost events that it had. Nothing is folded that is not on disk.
var errBeyond = errors.New("the views are beyond the log")

// reopen makes the generation of the checkpoint the serving one. A model that has no bucket there
// that it can read gets an empty one, to be filled up to the checkpoint. It fails when the log is
// not the one that the buckets are of.
func (v *Views) reopen(ctx context.Context) error {
	c := v.checkpoint
	if c.Sequence > v.target && !v.still {
		return errBeyond
	}
	if c.Newest != nil && !v.still {
		// An event that cannot be decoded has its id.
		if e, err := v.log.At(ctx, c.Newest.Sequence); e.ID != c.Newest.ID && !v.wasErased(ctx, c.Newest.Sequence, err) {
			return errors.Join(fmt.Errorf("event %d is another one than when it was folded: the log is not the same", c.Newest.Sequence), err)
		}
	}
	existing, err := v.store.bucketNames(ctx)
	if err != nil {
		return err
	}
	names := make([]string, len(v.models))
	var outdated []string
	var missing []int
	for i, m := range v.models {
		at := slices.IndexFunc(c.Buckets, func(name string) bool {
			_, ok := m.reads(name)
			return ok && slices.Contains(existing, name)
		})
		if at < 0 {
			names[i] = m.bucketName(unused(existing))
			missing = append(missing, i)
			continue
		}
		names[i] = c.Buckets[at]
		if version, _ := m.reads(names[i]); version != m.version {
			outdated = append(outdated, m.name)
		}
	}
	if err := v.store.keep(ctx, names); err != nil {
		return err
	}
	g, err := v.openGeneration(ctx, names)
	if err != nil {
		return err
	}
	if err := g.load(ctx); err != nil {
		return err
	}
	if !v.still {
		if err := v.matchLog(ctx, g); err != nil {
			return err
		}
	}
	v.serving.Store(g)
	v.outdated, v.missing = outdated, missing
	if c.Sequence == 0 {
		v.missing, v.checkpoint.Buckets = nil, names // nothing is to be filled
	}
	return nil
}

// fill folds the history up to the checkpoint into the models that were not there when that was
// written. Until it is done the checkpoint names none of their buckets.
func (v *Views) fill(ctx context.Context) error {
	g, c := v.serving.Load(), v.checkpoint
	for _, i := range v.missing {
		v.logger.Info("a projection is built from the whole history", "projection", v.models[i].name)
	}
	err := v.log.Skim(ctx, 0, c.Sequence, nil, func(_ uint64, list []events.Event) error {
		for _, i := range v.missing {
			if _, err := g.foldInto(ctx, i, list); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	v.folding.Lock()
	defer v.folding.Unlock()
	c.Buckets = g.names()
	v.reached(c)
	return nil
}

// Edition tells the buckets that serve, with what is held of them in memory, from others that were
// filled from the same events.
type Edition struct{ of weak.Pointer[generation] }

// Edition is the one that serves now.
func (v *Views) Edition() Edition { return Edition{weak.Make(v.serving.Load())} }

// newGeneration makes an empty generation of models, nil for all, with a number that no other has.
func (v *Views) newGeneration(ctx context.Context, names []string) (*generation, error) {
	existing, err := v.store.bucketNames(ctx)
	if err != nil {
		return nil, err
	}
	number := unused(existing)
	buckets := make([]string, len(v.models))
	for i, m := range v.models {
		if names == nil || slices.Contains(names, m.name) {
			buckets[i] = m.bucketName(number)
		}
	}
	return v.openGeneration(ctx, buckets)
}

// unused is the number of a generation of which no bucket exists.
func unused(existing []string) int {
	number := 1
	for _, name := range existing {
		if _, _, there, ok := parseBucketName(name); ok {
			number = max(number, there+1)
		}
	}
	return number
}

// openGeneration makes a generation of buckets, by their names in the order of the models: "" for
// one that it does not have.
func (v *Views) openGeneration(ctx context.Context, names []string) (*generation, error) {
	buckets := make([]*bucket, len(names))
	for i, name := range names {
		if name == "" {
			continue
		}
		var err error
		if buckets[i], err = v.store.openBucket(ctx, name); err != nil {
			return nil, err
		}
	}
	return newGeneration(v.models, buckets, v.messages), nil
}

// matchLog fails when a document is made of an event behind the checkpoint that the log does not
// have: it would be taken for one that is up to date. The checkpoint's own event vouches for what
// is before.
func (v *Views) matchLog(ctx context.Context, g *generation) error {
	claimed := map[uint64]events.Subject{}
	for _, view := range g.views {
		view.newer(v.checkpoint.Sequence, func(sequence uint64, s events.Subject) { claimed[sequence] = s })
	}
	if len(claimed) == 0 {
		return nil
	}
	err := v.log.Skim(ctx, v.checkpoint.Sequence, v.target, nil, func(_ uint64, list []events.Event) error {
		for _, e := range list {
			if claimed[e.Sequence] == e.Subject {
				delete(claimed, e.Sequence)
			}
		}
		return nil
	})
	var broken *events.DecodeError
	if errors.As(err, &broken) {
		return nil // where the fold stops, and says so
	}
	if err != nil {
		return err
	}
	for sequence, subject := range claimed {
		if v.wasErased(ctx, sequence, log.ErrNotFound) {
			continue
		}
		return fmt.Errorf("there is a document of event %d of %s, which the log does not have: it is not the same log", sequence, subject)
	}
	return nil
}

// follow folds until ctx ends or an event or a write fails, which is final: a view that skips an
// event is wrong for ever. Of a write that fails ctx ends with the reason.
func (v *Views) follow(ctx context.Context, after uint64) {
	var err error
	if v.missing != nil {
		err = v.fill(ctx)
	}
	if err == nil && after < v.target {
		err = v.catchUp(ctx, after)
		after = v.target
	}
	switch {
	case err != nil:
	case v.still:
		<-ctx.Done()
	default:
		err = v.log.Tail(ctx, after, v.fold)
	}
	if cause := context.Cause(ctx); errors.Is(cause, context.Canceled) {
		err = ErrClosed
	} else {
		if cause != nil {
			err = cause
		}
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
	defer v.mu.Unlock()
	v.folded.Store(sequence)
	close(v.advanced)
	v.advanced = make(chan struct{})
}

// Ready is nil once the fold has caught up with the log as it was at start; else it says what is
// missing, and after the fold stopped, on an event that it cannot decode or a write that failed,
// which and why. Where other nodes have a part in the log it also is an error while this one is not
// up to date with them or cut off from most.
func (v *Views) Ready() error {
	if err := v.log.Damaged(); err != nil {
		return err
	}
	if err := v.following(); err != nil {
		return err
	}
	if folded := v.folded.Load(); folded < v.target {
		return fmt.Errorf("the views are at event %d of %d", folded, v.target)
	}
	if v.log.Alone() {
		return nil
	}
	if err := v.log.Ready(); err != nil {
		return err
	}
	return v.index.recent()
}

// Folding tells whether much history is being folded: the views have not caught up since the start,
// or are rebuilt or verified.
func (v *Views) Folding() bool {
	if v.folded.Load() < v.target || !v.rebuilding.TryLock() {
		return true
	}
	v.rebuilding.Unlock()
	return false
}

// Broken is nil while the views' server can write, as far as is known, else an error that is
// log.ErrBroken: the fold ends at its next write, and nothing but a new start mends that.
func (v *Views) Broken() error { return log.Broken(v.server) }

// Stopped is closed when the fold has stopped: nothing can be decided by these views any more.
func (v *Views) Stopped() <-chan struct{} { return v.stopped }

// failure is why the fold has stopped; it may be asked once stopped is closed.
func (v *Views) failure() error {
	if errors.Is(v.stopErr, ErrClosed) {
		return v.stopErr
	}
	var broken *events.DecodeError
	if errors.As(v.stopErr, &broken) {
		return fmt.Errorf("the projection %s has stopped behind event %d: %w", modelOf(broken.Type), v.folded.Load(), broken)
	}
	return fmt.Errorf("the views have stopped behind event %d: %w", v.folded.Load(), v.stopErr)
}

// At is the sequence of the newest event that is folded.
func (v *Views) At() uint64 { return v.folded.Load() }

// CaughtUp waits until Ready is nil, the fold has failed, or ctx ends.
func (v *Views) CaughtUp(ctx context.Context) error { return v.Folded(ctx, v.target) }

// Folded waits until the event at a sequence is folded. It fails at once when the fold has stopped
// before it.
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
		v.tasks.Wait()
		if err := v.save(); err != nil {
			v.logger.Warn("the checkpoint of the views is an older one", "error", err)
		}
		v.disconnect()
		v.closeErr = v.storage.closeClean()
	})
	return v.closeErr
}
