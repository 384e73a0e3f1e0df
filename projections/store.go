package projections

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
)

const (
	// checkpointBucket holds the checkpoint under checkpointKey; its name never changes.
	checkpointBucket = "checkpoint"
	checkpointKey    = "fold"
	// storePatience is how long the views' own server may take for one step before that is done
	// again: after storeAgain, and after up to storeAgainMax where it fails again and again.
	storePatience = 30 * time.Second
	storeAgain    = 50 * time.Millisecond
	storeAgainMax = 2 * time.Second
)

// checkpoint says which buckets serve, in the order of the models, and up to which event they are
// all filled. Newest is the last known event up to there: another log does not have it.
type checkpoint struct {
	Sequence uint64   `json:"sequence"`
	Newest   *witness `json:"newest,omitempty"`
	Buckets  []string `json:"buckets"`
}

// witness is an event that a log must have.
type witness struct {
	Sequence uint64    `json:"sequence"`
	ID       uuid.UUID `json:"id"`
}

// after is the checkpoint behind some more events.
func (c checkpoint) after(list []events.Event) checkpoint {
	for _, e := range list {
		c.Sequence = max(c.Sequence, e.Sequence)
		if e.Data != nil && (c.Newest == nil || c.Newest.Sequence < e.Sequence) {
			c.Newest = &witness{e.Sequence, e.ID}
		}
	}
	return c
}

// store is where this node's buckets are. Writes and reads have connections of their own, so that
// readers do not queue behind a fold.
type store struct {
	writes, reads *nats.Conn
	publisher     jetstream.JetStream
	checkpoint    *bucket
	logger        *slog.Logger
	patience      time.Duration // how long one step may take before it is done again
	closing       chan struct{} // closed when nothing is done again any more

	mu      sync.Mutex
	failing map[string]error // by what is done again: how it failed last
}

// openStore makes the store of a views' server.
func openStore(ctx context.Context, from *server.Server, patience time.Duration, logger *slog.Logger) (s *store, err error) {
	s = &store{logger: logger, patience: patience, closing: make(chan struct{}), failing: map[string]error{}}
	if s.writes, err = connect(from); err == nil {
		s.reads, err = connect(from)
	}
	if err == nil {
		s.publisher, err = jetstream.New(s.writes)
	}
	if err == nil {
		s.checkpoint, err = s.openBucket(ctx, checkpointBucket)
	}
	if err != nil {
		s.close()
		return nil, fmt.Errorf("use views server: %w", err)
	}
	return s, nil
}

// close ends the connections, as far as they were made.
func (s *store) close() {
	s.writes.Close()
	s.reads.Close()
}

// again does something until it succeeds or is refused for good, ctx ends or the views are closed.
// A server that has no processor for itself answers late, and all that it is asked for may be done
// twice.
func (s *store) again(ctx context.Context, what string, do func(ctx context.Context) error) error {
	defer s.fails(what, nil)
	for wait := storeAgain; ; wait = min(2*wait, storeAgainMax) {
		limited, cancel := context.WithTimeout(ctx, s.patience)
		err := do(limited)
		cancel()
		if err == nil {
			return nil
		}
		if err = fmt.Errorf("%s: %w", what, err); ctx.Err() != nil || refused(err) {
			return err
		}
		s.fails(what, err)
		select {
		case <-ctx.Done():
			return err
		case <-s.closing:
			return err
		case <-time.After(wait):
		}
	}
}

// refused tells of a failure whether the same would be answered so for ever.
func refused(err error) bool {
	for _, final := range []error{nats.ErrConnectionClosed, nats.ErrNoResponders, jetstream.ErrNoStreamResponse, nats.ErrMaxPayload} {
		if errors.Is(err, final) {
			return true
		}
	}
	var api *jetstream.APIError
	return errors.As(err, &api) && api.Code < 500
}

// fails notes how something has failed that is done again, or with nil that it does so no more.
func (s *store) fails(what string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, before := s.failing[what]
	switch {
	case err == nil:
		delete(s.failing, what)
	case !before:
		s.logger.Warn("the views' own server does not do what it is asked for, which is tried again", "error", err)
		fallthrough
	default:
		s.failing[what] = err
	}
}

// ready is nil while nothing fails that is done again, else it says what does.
func (s *store) ready() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, what := range slices.Sorted(maps.Keys(s.failing)) {
		return fmt.Errorf("the views' own server is tried again: %w", s.failing[what])
	}
	return nil
}

// openBucket opens a bucket and creates it when it is missing. Its stream is that of any key-value
// bucket but for the window in which duplicates are dropped, the shortest there is instead of two
// minutes: no document has an id, and at its start the server would read all that was written
// within the window and keep an index of it.
func (s *store) openBucket(ctx context.Context, name string) (*bucket, error) {
	stream, err := s.publisher.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name:              "KV_" + name,
		Subjects:          []string{"$KV." + name + ".>"},
		MaxMsgsPerSubject: 1,
		Storage:           jetstream.FileStorage,
		Discard:           jetstream.DiscardNew,
		Duplicates:        100 * time.Millisecond,
		AllowRollup:       true,
		DenyDelete:        true,
		AllowDirect:       true,
	})
	if err != nil {
		return nil, fmt.Errorf("open bucket %s: %w", name, err)
	}
	return &bucket{buffer: newBuffer(), name: name, store: s, last: stream.CachedInfo().State.LastSeq}, nil
}

// bucketNames lists all buckets but that of the checkpoint.
func (s *store) bucketNames(ctx context.Context) ([]string, error) {
	var names []string
	list := s.publisher.KeyValueStoreNames(ctx)
	for name := range list.Name() {
		if name != checkpointBucket {
			names = append(names, name)
		}
	}
	if err := list.Error(); err != nil {
		return nil, fmt.Errorf("list buckets: %w", err)
	}
	return names, nil
}

// count is how many documents of a generation are stored.
func (s *store) count(ctx context.Context, g *generation) (documents uint64, err error) {
	for _, b := range g.buckets {
		stream, err := s.publisher.Stream(ctx, b.stream())
		if err != nil {
			return 0, fmt.Errorf("look at bucket %s: %w", b.name, err)
		}
		documents += stream.CachedInfo().State.Msgs
	}
	return documents, nil
}

// keep deletes all buckets but those with these names and that of the checkpoint.
func (s *store) keep(ctx context.Context, names []string) error {
	all, err := s.bucketNames(ctx)
	if err != nil {
		return err
	}
	for _, name := range all {
		if slices.Contains(names, name) {
			continue
		}
		if err := s.publisher.DeleteKeyValue(ctx, name); err != nil {
			return fmt.Errorf("delete bucket %s: %w", name, err)
		}
	}
	return nil
}

// readCheckpoint returns the checkpoint, zero when there is none.
func (s *store) readCheckpoint(ctx context.Context) (checkpoint, error) {
	values, err := s.checkpoint.fetch(ctx, []string{checkpointKey})
	value := values[checkpointKey]
	if err != nil || value == nil {
		return checkpoint{}, err
	}
	var c checkpoint
	if err := events.Unmarshal(value, &c); err != nil {
		return checkpoint{}, fmt.Errorf("decode checkpoint: %w", err)
	}
	return c, nil
}

// writeCheckpoint replaces the checkpoint, which makes its buckets those that serve.
func (s *store) writeCheckpoint(c checkpoint) error {
	value, err := events.Marshal(c)
	if err != nil {
		return fmt.Errorf("encode checkpoint: %w", err)
	}
	return s.checkpoint.write([]encoded{{checkpointKey, value}})
}
