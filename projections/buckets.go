package projections

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// The buckets, each named with the number of the fold that fills it. Raise the number when an Apply function or the shape of
// a document changes: the new bucket starts empty and is filled from the whole history, then the old one is deleted.
const (
	accountsBucket      = "accounts_1"      // <account>: Account
	domainsBucket       = "domains_1"       // <account>.<domain>: Domain; <account>.<domain>.v.<version>: version
	conversationsBucket = "conversations_1" // <account>.<conversation>: Conversation; below it messages and pointers
	activityBucket      = "activity_1"      // <account>.<conversation>: standing
	checkpointBucket    = "checkpoint"      // fold: checkpoint
)

// foldedBuckets are the buckets that are filled from the history.
var foldedBuckets = []string{accountsBucket, domainsBucket, conversationsBucket, activityBucket}

// Keys are made of UUIDs and numbers only, by these functions.

func accountKey(account uuid.UUID) string        { return account.String() }
func domainHeadKey(account, id uuid.UUID) string { return account.String() + "." + id.String() }
func versionKey(account, id uuid.UUID, number int) string {
	return domainHeadKey(account, id) + ".v." + strconv.Itoa(number)
}
func headKey(k conversationKey) string { return k.account.String() + "." + k.conversation.String() }
func numberKey(k conversationKey, number int) string {
	return headKey(k) + ".m." + strconv.Itoa(number)
}
func idKey(k conversationKey, message uuid.UUID) string { return headKey(k) + ".i." + message.String() }
func scenarioKey(k conversationKey, index int) string {
	return headKey(k) + ".s." + strconv.Itoa(index)
}

const checkpointKey = "fold"

// standing is the document of a conversation's place in the order of activity.
type standing struct {
	AccountID uuid.UUID `json:"account_id"`
	ID        uuid.UUID `json:"id"`
	Sequence  uint64    `json:"sequence"`
}

// checkpoint says up to which event all of the named buckets are filled.
type checkpoint struct {
	Sequence uint64   `json:"sequence"`
	Buckets  []string `json:"buckets"`
}

const (
	// maxKeys is how many documents one request reads; the server answers at most 1,024.
	maxKeys = 1000
	// maxReply is how many bytes of documents one request is answered with; the rest is asked for again.
	maxReply = 8 << 20
	// maxUnacknowledged bounds the bytes that are written without waiting for the server.
	maxUnacknowledged = 16 << 20
	// storeTimeout is how long the views' own server may take for one step.
	storeTimeout = 30 * time.Second
)

// store is the node's buckets. Writes and reads have connections of their own, so that readers do not queue behind a fold.
type store struct {
	writes, reads *nats.Conn
	publisher     jetstream.JetStream

	accounts, domains, conversations, activity, checkpoint *bucket
}

// bucket is one key-value bucket.
type bucket struct {
	name  string
	reads *nats.Conn
}

// document is a value to write.
type document struct {
	bucket *bucket
	key    string
	value  []byte
}

func (b *bucket) subject(key string) string { return "$KV." + b.name + "." + key }
func (b *bucket) directGet() string         { return "$JS.API.DIRECT.GET.KV_" + b.name }

// openStore opens the buckets and creates those that are missing. Both connections must lead to the views' server.
func openStore(ctx context.Context, writes, reads *nats.Conn) (*store, error) {
	publisher, err := jetstream.New(writes, jetstream.WithPublishAsyncTimeout(storeTimeout))
	if err != nil {
		return nil, fmt.Errorf("use views server: %w", err)
	}
	for _, name := range append([]string{checkpointBucket}, foldedBuckets...) {
		if _, err := publisher.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: name}); err != nil {
			return nil, fmt.Errorf("create bucket %s: %w", name, err)
		}
	}
	return &store{
		writes: writes, reads: reads, publisher: publisher,
		accounts:      &bucket{accountsBucket, reads},
		domains:       &bucket{domainsBucket, reads},
		conversations: &bucket{conversationsBucket, reads},
		activity:      &bucket{activityBucket, reads},
		checkpoint:    &bucket{checkpointBucket, reads},
	}, nil
}

// clear empties every bucket.
func (s *store) clear(ctx context.Context) error {
	for _, name := range append([]string{checkpointBucket}, foldedBuckets...) {
		stream, err := s.publisher.Stream(ctx, "KV_"+name)
		if err == nil {
			err = stream.Purge(ctx)
		}
		if err != nil {
			return fmt.Errorf("empty bucket %s: %w", name, err)
		}
	}
	return nil
}

// deleteOld deletes the buckets of earlier folds.
func (s *store) deleteOld(ctx context.Context) error {
	names := s.publisher.KeyValueStoreNames(ctx)
	for name := range names.Name() {
		if name == checkpointBucket || slices.Contains(foldedBuckets, name) {
			continue
		}
		if err := s.publisher.DeleteKeyValue(ctx, name); err != nil {
			return fmt.Errorf("delete bucket %s: %w", name, err)
		}
	}
	if err := names.Error(); err != nil {
		return fmt.Errorf("list buckets: %w", err)
	}
	return nil
}

// write stores documents, all of them when it returns nil, and else some.
func (s *store) write(documents []document) error {
	var futures []jetstream.PubAckFuture
	unacknowledged := 0
	for i, d := range documents {
		future, err := s.publisher.PublishAsync(d.bucket.subject(d.key), d.value)
		if err != nil {
			return fmt.Errorf("write %s of bucket %s: %w", d.key, d.bucket.name, err)
		}
		futures = append(futures, future)
		unacknowledged += len(d.value)
		if unacknowledged < maxUnacknowledged && i+1 < len(documents) && len(futures) < maxKeys {
			continue
		}
		for _, future := range futures {
			select {
			case <-future.Ok():
			case err := <-future.Err():
				return fmt.Errorf("write %s: %w", future.Msg().Subject, err)
			}
		}
		futures, unacknowledged = futures[:0], 0
	}
	return nil
}

// readCheckpoint returns the checkpoint, zero when there is none.
func (s *store) readCheckpoint(ctx context.Context) (checkpoint, error) {
	value, err := s.checkpoint.get(ctx, checkpointKey)
	if err != nil || value == nil {
		return checkpoint{}, err
	}
	var c checkpoint
	if err := json.Unmarshal(value, &c); err != nil {
		return checkpoint{}, fmt.Errorf("decode checkpoint: %w", err)
	}
	return c, nil
}

// writeCheckpoint says that the buckets hold everything up to a sequence.
func (s *store) writeCheckpoint(sequence uint64) error {
	value, err := json.Marshal(checkpoint{sequence, foldedBuckets})
	if err != nil {
		return fmt.Errorf("encode checkpoint: %w", err)
	}
	return s.write([]document{{s.checkpoint, checkpointKey, value}})
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
			_, more, err := b.batch(ctx, batchRequest{MultiLast: subjects, MaxBytes: maxReply}, func(reply *nats.Msg) error {
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

// each hands the values of all keys to do, or of those that a pattern of key tokens matches. It is meant for the start, not
// for requests.
func (b *bucket) each(ctx context.Context, pattern string, do func(value []byte) error) error {
	r := batchRequest{Sequence: 1, Batch: 10_000, MaxBytes: maxReply, NoHeaders: true}
	if pattern != "" {
		r.NextBySubject = b.subject(pattern)
	}
	for {
		last, more, err := b.batch(ctx, r, func(reply *nats.Msg) error { return do(reply.Data) })
		if err != nil || !more {
			return err
		}
		r.Sequence = last + 1
	}
}

// batchRequest is a batch direct get, in the words of NATS.
type batchRequest struct {
	Sequence      uint64   `json:"seq,omitempty"`
	NextBySubject string   `json:"next_by_subj,omitempty"`
	Batch         int      `json:"batch,omitempty"`
	MaxBytes      int      `json:"max_bytes,omitempty"`
	MultiLast     []string `json:"multi_last,omitempty"`
	NoHeaders     bool     `json:"no_hdr,omitempty"`
}

// batch makes a batch direct get and hands each answer to do. last is the bucket's own sequence of the last answer, and
// more says that the server stopped at a limit.
func (b *bucket) batch(ctx context.Context, r batchRequest, do func(reply *nats.Msg) error) (last uint64, more bool, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("read batch of bucket %s: %w", b.name, err)
		}
	}()
	request, err := json.Marshal(r)
	if err != nil {
		return 0, false, err
	}
	inbox := b.reads.NewInbox()
	replies, err := b.reads.SubscribeSync(inbox)
	if err != nil {
		return 0, false, err
	}
	defer replies.Unsubscribe()
	if err := replies.SetPendingLimits(-1, -1); err != nil {
		return 0, false, err
	}
	if err := b.reads.PublishRequest(b.directGet(), inbox, request); err != nil {
		return 0, false, err
	}
	for {
		reply, err := replies.NextMsgWithContext(ctx)
		if err != nil {
			return 0, false, err
		}
		switch status := reply.Header.Get("Status"); status {
		case "":
			if err := do(reply); err != nil {
				return 0, false, err
			}
		case "204":
			if pending := reply.Header.Get("Nats-Num-Pending"); pending == "" || pending == "0" {
				return 0, false, nil
			}
			last, err := strconv.ParseUint(reply.Header.Get("Nats-Last-Sequence"), 10, 64)
			return last, true, err
		case "404":
			return 0, false, nil
		default:
			return 0, false, fmt.Errorf("status %s %s", status, reply.Header.Get("Description"))
		}
	}
}
