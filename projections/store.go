package projections

import (
	"context"
	"fmt"
	"slices"
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
	// storeTimeout is how long the views' own server may take for one step.
	storeTimeout = 30 * time.Second
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
}

// openStore makes the store of a views' server.
func openStore(ctx context.Context, from *server.Server) (s *store, err error) {
	s = &store{}
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
func (s *store) writeCheckpoint(ctx context.Context, c checkpoint) error {
	value, err := events.Marshal(c)
	if err != nil {
		return fmt.Errorf("encode checkpoint: %w", err)
	}
	return s.checkpoint.write(ctx, []encoded{{checkpointKey, value}})
}
