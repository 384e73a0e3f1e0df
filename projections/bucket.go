package projections

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
)

const (
	// maxKeys is how many documents one request reads; the server answers at most 1,024.
	maxKeys = 1000
	// maxReply is how many bytes of documents one request is answered with; the rest is asked for
	// again.
	maxReply = 8 << 20
	// maxInFlightKeys and maxInFlightBytes bound what is written without waiting for the server,
	// far below what it takes in before it drops.
	maxInFlightKeys  = 4096
	maxInFlightBytes = 4 << 20
)

// bucket is one key-value bucket behind a write-behind buffer. Only one goroutine at a time puts
// documents into it.
type bucket struct {
	buffer
	name  string
	store *store

	flushing sync.Mutex // held while the buffer is written
	failed   error      // with flushing held: why nothing can be written any more
	last     uint64     // with flushing held: the stream's sequence of what was written last
	unsure   bool       // with flushing held: it is not known, since a write has failed
}

func (b *bucket) stream() string            { return "KV_" + b.name }
func (b *bucket) subject(key string) string { return "$KV." + b.name + "." + key }
func (b *bucket) directGet() string         { return "$JS.API.DIRECT.GET." + b.stream() }

// put takes documents in, which readers see from then on.
func (b *bucket) put(list []document) error {
	if full := b.buffer.put(list); full {
		return b.flush()
	}
	return nil
}

// flush writes what is buffered, and returns when the server has it, for as long as that takes. A
// failure is final: the server refuses it, or the views are closed.
func (b *bucket) flush() error {
	b.flushing.Lock()
	defer b.flushing.Unlock()
	if b.failed == nil {
		b.failed = b.writeBuffer()
	}
	return b.failed
}

func (b *bucket) writeBuffer() error {
	for _, step := range b.take() {
		list := make([]encoded, len(step))
		for i, d := range step {
			text, err := events.Marshal(d.value)
			if err != nil {
				return fmt.Errorf("encode %s of bucket %s: %w", d.key, b.name, err)
			}
			if text, _, err = events.Compress(text); err != nil {
				return fmt.Errorf("write %s of bucket %s: %w", d.key, b.name, err)
			}
			list[i] = encoded{d.key, text}
		}
		if err := b.write(list); err != nil {
			return err
		}
	}
	b.written()
	return nil
}

// encoded is a document as it is stored.
type encoded struct {
	key   string
	value []byte
}

// write stores documents in their order, all of them when it returns nil, and else some. What the
// server does not acknowledge is written again: it is all there is under its key, so that once more
// changes nothing.
func (b *bucket) write(list []encoded) error {
	for len(list) > 0 {
		n, size := 0, 0
		for ; n < len(list) && n < maxInFlightKeys && size < maxInFlightBytes; n++ {
			size += len(list[n].value)
		}
		err := b.store.again(context.Background(), "write bucket "+b.name, func(ctx context.Context) error {
			return b.writeSome(ctx, list[:n])
		})
		if err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

// writeSome waits for the server at the last document alone, whose place in the stream tells
// whether all before it are there. Behind a failure it waits at the first one too, which comes
// behind all that the server has taken in since, and so tells where the stream is.
func (b *bucket) writeSome(ctx context.Context, list []encoded) error {
	if b.unsure {
		ack, err := b.store.publisher.Publish(ctx, b.subject(list[0].key), list[0].value)
		if err != nil {
			return err
		}
		b.last = ack.Sequence
	}
	b.unsure = true
	last := len(list) - 1
	for _, d := range list[:last] {
		if err := b.store.writes.Publish(b.subject(d.key), d.value); err != nil {
			return err
		}
	}
	b.last += uint64(len(list))
	ack, err := b.store.publisher.Publish(ctx, b.subject(list[last].key), list[last].value)
	if err == nil && ack.Sequence != b.last {
		err = fmt.Errorf("it stands at %d and not at %d: documents are lost", ack.Sequence, b.last)
	}
	b.unsure = err != nil
	return err
}

// read returns the documents of keys, those that have none are absent: from the buffer, else from
// the bucket.
func read[T any](ctx context.Context, b *bucket, keys []string) (map[string]T, error) {
	found := make(map[string]T, len(keys))
	var missing []string
	for _, key := range keys {
		if value, ok := b.get(key); ok {
			found[key] = value.(T)
		} else {
			missing = append(missing, key)
		}
	}
	values, err := b.fetch(ctx, missing)
	if err != nil {
		return nil, err
	}
	for key, value := range values {
		var is T
		if err := events.Unmarshal(value, &is); err != nil {
			return nil, fmt.Errorf("decode %s of bucket %s: %w", key, b.name, err)
		}
		found[key] = is
	}
	return found, nil
}

// fetch reads the stored values of keys, at most maxKeys a request, until ctx ends; those that have
// none are absent.
func (b *bucket) fetch(ctx context.Context, keys []string) (values map[string][]byte, err error) {
	if len(keys) == 0 {
		return nil, nil
	}
	err = b.store.again(ctx, "read batch of bucket "+b.name, func(ctx context.Context) (err error) {
		values, err = b.fetchOnce(ctx, keys)
		return err
	})
	return values, err
}

func (b *bucket) fetchOnce(ctx context.Context, keys []string) (map[string][]byte, error) {
	conn := b.store.reads
	inbox := conn.NewInbox()
	replies, err := conn.SubscribeSync(inbox)
	if err != nil {
		return nil, err
	}
	defer replies.Unsubscribe()
	if err := replies.SetPendingLimits(-1, -1); err != nil {
		return nil, err
	}
	values := make(map[string][]byte, len(keys))
	for chunk := range slices.Chunk(keys, maxKeys) {
		for more := true; more; {
			r := batchRequest{MaxBytes: maxReply}
			for _, key := range chunk {
				if values[key] == nil {
					r.MultiLast = append(r.MultiLast, b.subject(key))
				}
			}
			request, err := events.Marshal(r)
			if err == nil {
				err = conn.PublishRequest(b.directGet(), inbox, request)
			}
			if err == nil {
				more, err = b.receive(ctx, replies, values)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return values, nil
}

// batchRequest is a batch direct get, in the words of NATS.
type batchRequest struct {
	MultiLast []string `json:"multi_last"`
	MaxBytes  int      `json:"max_bytes"`
}

// receive takes the answers to a batch direct get. more says that the server stopped at a limit.
func (b *bucket) receive(ctx context.Context, replies *nats.Subscription, values map[string][]byte) (more bool, err error) {
	for {
		reply, err := replies.NextMsgWithContext(ctx)
		if err != nil {
			return false, err
		}
		switch status := reply.Header.Get("Status"); status {
		case "":
			key, ok := strings.CutPrefix(reply.Header.Get(jetstream.SubjectHeader), b.subject(""))
			if !ok {
				return false, errors.New("an answer names no key")
			}
			value, err := events.Expand(reply.Data)
			if err != nil {
				return false, err
			}
			values[strings.Clone(key)] = value
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

// each hands all stored keys and values to do, or those that a pattern of key tokens matches, in
// the order in which they were written. What is written meanwhile may come twice or not at all. It
// reads with a consumer, since of batches of direct gets each counts all keys of the bucket.
func (b *bucket) each(ctx context.Context, pattern string, do func(key string, value []byte) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("read bucket %s: %w", b.name, err)
		}
	}()
	js, err := jetstream.New(b.store.reads)
	if err != nil {
		return err
	}
	kv, err := js.KeyValue(ctx, b.name)
	if err != nil {
		return err
	}
	// There is one value of a key; without its history the server would look for the last ones.
	watcher, err := kv.Watch(ctx, pattern, jetstream.IncludeHistory())
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, watcher.Stop())
		for range watcher.Updates() { // what is on its way holds the watcher up
		}
	}()
	for entry := range watcher.Updates() {
		if entry == nil {
			return nil
		}
		value, err := events.Expand(entry.Value())
		if err != nil {
			return err
		}
		if err := do(entry.Key(), value); err != nil {
			return err
		}
	}
	return errors.Join(ctx.Err(), errors.New("it ends in the middle"))
}

// sequenceOf reads the sequence that a document ends with.
func sequenceOf(value []byte) (uint64, bool) {
	object, closed := bytes.CutSuffix(value, []byte("}"))
	_, sequence, ok := lastMember(object, "sequence")
	return sequence, closed && ok
}

// lastMember reads the number that the text of an object, without its bracket, ends with, where
// that is a member of this name, and what is before it.
func lastMember(text []byte, name string) (before []byte, number uint64, ok bool) {
	member := []byte(`"` + name + `":`)
	i := bytes.LastIndex(text, member)
	if i < 0 {
		return text, 0, false
	}
	number, err := strconv.ParseUint(string(text[i+len(member):]), 10, 64)
	return bytes.TrimSuffix(text[:i], []byte(",")), number, err == nil
}
