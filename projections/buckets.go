package projections

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
	"reckon/events/log"
)

// checkpointBucket holds the checkpoint under the key fold; its name never changes.
const checkpointBucket = "checkpoint"

// Keys are made of UUIDs and numbers only, by these functions.

func accountKey(account uuid.UUID) string        { return account.String() }
func domainHeadKey(account, id uuid.UUID) string { return account.String() + "." + id.String() }
func versionKey(account, id uuid.UUID, number int) string {
	return domainHeadKey(account, id) + ".v." + strconv.Itoa(number)
}
func headKey(k conversationKey) string { return k.account.String() + "." + k.conversation.String() }

const checkpointKey = "fold"

// checkpoint says which buckets serve, in the order of the models, and up to which event they are all filled. Newest is the
// last known event up to there: another log does not have it.
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

const (
	// maxKeys is how many documents one request reads; the server answers at most 1,024.
	maxKeys = 1000
	// maxReply is how many bytes of documents one request is answered with; the rest is asked for again.
	maxReply = 8 << 20
	// maxUnconfirmedKeys and maxUnconfirmedBytes bound what is written without waiting for the server, far below what it
	// takes in before it drops.
	maxUnconfirmedKeys  = 4096
	maxUnconfirmedBytes = 4 << 20
	// storeTimeout is how long the views' own server may take for one step.
	storeTimeout = 30 * time.Second
)

// shelf is where this node's buckets are. Writes and reads have connections of their own, so that readers do not queue behind
// a fold.
type shelf struct {
	storeDir      string // of the views' server
	writes, reads *nats.Conn
	publisher     jetstream.JetStream
	checkpoint    *bucket
}

// store is the buckets of a generation; those that it does not have are nil.
type store struct {
	*shelf
	accounts, domains, conversations *bucket
}

// bucket is one key-value bucket. Only one goroutine at a time writes to it.
type bucket struct {
	name    string
	reads   *nats.Conn
	records *log.Records
	last    uint64        // sequence in the bucket's stream of what was written last
	there   atomic.Uint64 // everything up to this one was confirmed by the server
}

// document is a value to write.
type document struct {
	location
	value    []byte
	sequence uint64 // in the bucket's stream, when it is written
}

func (b *bucket) subject(key string) string { return "$KV." + b.name + "." + key }
func (b *bucket) directGet() string         { return "$JS.API.DIRECT.GET.KV_" + b.name }

// openShelf makes a shelf of two connections, which must lead to the views' server, and of its store directory.
func openShelf(ctx context.Context, storeDir string, writes, reads *nats.Conn) (*shelf, error) {
	publisher, err := jetstream.New(writes)
	if err != nil {
		return nil, fmt.Errorf("use views server: %w", err)
	}
	s := &shelf{storeDir: storeDir, writes: writes, reads: reads, publisher: publisher}
	if s.checkpoint, err = s.openBucket(ctx, checkpointBucket); err != nil {
		return nil, err
	}
	return s, nil
}

// openBucket opens a bucket and creates it when it is missing. Its stream is that of any key-value bucket but for the window in
// which duplicates are dropped, the shortest there is instead of two minutes: no document has an id, and at its start the
// server would read all that was written within the window and keep an index of it.
func (s *shelf) openBucket(ctx context.Context, name string) (*bucket, error) {
	stream, err := s.publisher.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name:              "KV_" + name,
		Subjects:          []string{"$KV." + name + ".>"},
		MaxMsgsPerSubject: 1,
		MaxBytes:          -1,
		MaxMsgSize:        -1,
		MaxMsgs:           -1,
		MaxConsumers:      -1,
		Storage:           jetstream.FileStorage,
		Replicas:          1,
		Discard:           jetstream.DiscardNew,
		Duplicates:        100 * time.Millisecond,
		AllowRollup:       true,
		DenyDelete:        true,
		AllowDirect:       true,
	})
	if err != nil {
		return nil, fmt.Errorf("open bucket %s: %w", name, err)
	}
	b := &bucket{name: name, reads: s.reads, last: stream.CachedInfo().State.LastSeq}
	b.records = log.NewRecords(s.storeDir, "KV_"+name, b.subject(""))
	b.there.Store(b.last)
	return b, nil
}

// openStore opens the buckets with these names, in the order of the models; an empty name is a bucket that the store does
// not have.
func (s *shelf) openStore(ctx context.Context, names []string) (*store, error) {
	opened := &store{shelf: s}
	for i, at := range opened.places() {
		if names[i] == "" {
			continue
		}
		b, err := s.openBucket(ctx, names[i])
		if err != nil {
			return nil, err
		}
		*at = b
	}
	return opened, nil
}

// places are where the buckets stand, in the order of the models.
func (s *store) places() []**bucket {
	return []**bucket{&s.accounts, &s.domains, &s.conversations}
}

// names are those of the buckets, in the order of the models.
func (s *store) names() []string {
	var names []string
	for _, at := range s.places() {
		name := ""
		if *at != nil {
			name = (*at).name
		}
		names = append(names, name)
	}
	return names
}

// bucketNames lists all buckets but that of the checkpoint.
func (s *shelf) bucketNames(ctx context.Context) ([]string, error) {
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

// extent is how many keys a bucket has, and how many bytes their documents take.
func (s *shelf) extent(ctx context.Context, b *bucket) (keys, size uint64, err error) {
	stream, err := s.publisher.Stream(ctx, "KV_"+b.name)
	if err != nil {
		return 0, 0, fmt.Errorf("look at bucket %s: %w", b.name, err)
	}
	state := stream.CachedInfo().State
	return state.Msgs, state.Bytes, nil
}

// keep deletes all buckets but those with these names and that of the checkpoint.
func (s *shelf) keep(ctx context.Context, names []string) error {
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

// write stores documents, all of them when it returns nil, and else some. It notes their sequences.
func (s *shelf) write(ctx context.Context, documents []document) error {
	lasts := map[*bucket]int{} // place of the last document of each bucket
	for start := 0; start < len(documents); {
		end, size := start, 0
		for ; end < len(documents) && end-start < maxUnconfirmedKeys && size < maxUnconfirmedBytes; end++ {
			lasts[documents[end].bucket] = end
			size += len(documents[end].value)
		}
		if err := s.writeSome(ctx, documents[start:end], start, lasts); err != nil {
			return err
		}
		clear(lasts)
		start = end
	}
	return nil
}

// writeSome writes without waiting but for the last document of each bucket, whose place in the bucket tells whether all
// before it are there. These are waited for together.
func (s *shelf) writeSome(ctx context.Context, documents []document, start int, lasts map[*bucket]int) error {
	type awaited struct {
		document
		ack jetstream.PubAckFuture
	}
	waiting := make([]awaited, 0, len(lasts))
	for i, d := range documents {
		d.bucket.last++
		documents[i].sequence = d.bucket.last
		var err error
		if lasts[d.bucket] == start+i {
			var ack jetstream.PubAckFuture
			ack, err = s.publisher.PublishAsync(d.bucket.subject(d.key), d.value)
			waiting = append(waiting, awaited{d, ack})
		} else {
			err = s.writes.Publish(d.bucket.subject(d.key), d.value)
		}
		if err != nil {
			return fmt.Errorf("write %s of bucket %s: %w", d.key, d.bucket.name, err)
		}
	}
	for _, d := range waiting {
		var err error
		select {
		case ack := <-d.ack.Ok():
			if ack.Sequence != d.bucket.last {
				return fmt.Errorf("write bucket %s: it stands at %d and not at %d: documents are lost", d.bucket.name, ack.Sequence, d.bucket.last)
			}
			d.bucket.there.Store(d.bucket.last)
			continue
		case err = <-d.ack.Err():
		case <-ctx.Done():
			err = ctx.Err()
		}
		return fmt.Errorf("write %s of bucket %s: %w", d.key, d.bucket.name, err)
	}
	return nil
}

// readCheckpoint returns the checkpoint, zero when there is none.
func (s *shelf) readCheckpoint(ctx context.Context) (checkpoint, error) {
	value, err := s.checkpoint.get(ctx, checkpointKey)
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
func (s *shelf) writeCheckpoint(ctx context.Context, c checkpoint) error {
	value, err := events.Marshal(c)
	if err != nil {
		return fmt.Errorf("encode checkpoint: %w", err)
	}
	return s.write(ctx, []document{{location: location{s.checkpoint, checkpointKey}, value: value}})
}

// at hands the keys and values that were written with these sequences to do, from the files of the server, in that order. A value is
// overwritten by the next. The server is to be asked for those that are not found there.
func (b *bucket) at(sequences []uint64, do func(key string, value []byte) error) error {
	return b.records.Read(sequences, b.there.Load(), func(_ uint64, subject string, value []byte) error {
		return do(strings.TrimPrefix(subject, b.subject("")), value)
	})
}

// get reads the value of a key, nil when there is none.
func (b *bucket) get(ctx context.Context, key string) ([]byte, error) {
	reply, err := b.reads.RequestWithContext(ctx, b.directGet()+"."+b.subject(key), nil)
	if err != nil {
		return nil, fmt.Errorf("read %s of bucket %s: %w", key, b.name, err)
	}
	switch status := reply.Header.Get("Status"); status {
	case "":
		return reply.Data, nil
	case "404":
		return nil, nil
	default:
		return nil, fmt.Errorf("read %s of bucket %s: status %s %s", key, b.name, status, reply.Header.Get("Description"))
	}
}

// getAll reads the values of keys, at most maxKeys a request; those that have none are absent.
func (b *bucket) getAll(ctx context.Context, keys []string) (map[string][]byte, error) {
	values := make(map[string][]byte, len(keys))
	if len(keys) == 1 {
		value, err := b.get(ctx, keys[0])
		if err == nil && value != nil {
			values[keys[0]] = value
		}
		return values, err
	}
	for chunk := range slices.Chunk(keys, maxKeys) {
		wanted := chunk
		for len(wanted) > 0 {
			subjects := make([]string, len(wanted))
			for i, key := range wanted {
				subjects[i] = b.subject(key)
			}
			more, err := b.batch(ctx, batchRequest{MultiLast: subjects, MaxBytes: maxReply}, func(reply *nats.Msg) error {
				key, ok := strings.CutPrefix(reply.Header.Get(jetstream.SubjectHeader), b.subject(""))
				if !ok {
					return errors.New("an answer names no key")
				}
				values[strings.Clone(key)] = reply.Data
				return nil
			})
			if err != nil {
				return nil, err
			}
			if !more {
				break
			}
			wanted = slices.DeleteFunc(slices.Clone(wanted), func(key string) bool { return values[key] != nil })
		}
	}
	return values, nil
}

// batchRequest is a batch direct get, in the words of NATS.
type batchRequest struct {
	MultiLast []string `json:"multi_last"`
	MaxBytes  int      `json:"max_bytes"`
}

// batch makes a batch direct get and hands each answer to do. more says that the server stopped at a limit.
func (b *bucket) batch(ctx context.Context, r batchRequest, do func(reply *nats.Msg) error) (more bool, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("read batch of bucket %s: %w", b.name, err)
		}
	}()
	request, err := events.Marshal(r)
	if err != nil {
		return false, err
	}
	inbox := b.reads.NewInbox()
	replies, err := b.reads.SubscribeSync(inbox)
	if err != nil {
		return false, err
	}
	defer replies.Unsubscribe()
	if err := replies.SetPendingLimits(-1, -1); err != nil {
		return false, err
	}
	if err := b.reads.PublishRequest(b.directGet(), inbox, request); err != nil {
		return false, err
	}
	for {
		reply, err := replies.NextMsgWithContext(ctx)
		if err != nil {
			return false, err
		}
		switch status := reply.Header.Get("Status"); status {
		case "":
			if err := do(reply); err != nil {
				return false, err
			}
		case "204":
			pending := reply.Header.Get("Nats-Num-Pending")
			return pending != "" && pending != "0", nil
		case "404":
			return false, nil
		default:
			return false, fmt.Errorf("status %s %s", status, reply.Header.Get("Description"))
		}
	}
}
