package projections

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// pullKeys is how many documents are asked for at once by those who read all.
const pullKeys = 2048

// each hands all keys and values to do, with their sequences in the bucket's stream, or those that a pattern of key tokens matches, in the
// order in which they were written.
// What is written meanwhile may come twice or in its old state only. It reads with a consumer, since of batches of direct gets
// each counts all keys of the bucket.
func (b *bucket) each(ctx context.Context, pattern string, do func(key string, sequence uint64, value []byte) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("read bucket %s: %w", b.name, err)
		}
	}()
	js, err := jetstream.New(b.reads)
	if err != nil {
		return err
	}
	filter := ""
	if pattern != "" {
		filter = b.subject(pattern)
	}
	consumer, err := js.CreateConsumer(ctx, "KV_"+b.name, jetstream.ConsumerConfig{
		FilterSubject: filter,
		DeliverPolicy: jetstream.DeliverAllPolicy, AckPolicy: jetstream.AckNonePolicy,
		MemoryStorage: true, InactiveThreshold: storeTimeout,
	})
	if err != nil {
		return err
	}
	defer func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
		defer cancel()
		_ = js.DeleteConsumer(ending, "KV_"+b.name, consumer.CachedInfo().Name) // one that is left goes by itself
	}()
	inbox := b.reads.NewInbox()
	answers, err := b.reads.SubscribeSync(inbox + ".*")
	if err != nil {
		return err
	}
	defer answers.Unsubscribe()
	if err := answers.SetPendingLimits(-1, -1); err != nil {
		return err
	}
	count := uint64(0)
	take := func(m *nats.Msg) error {
		count++
		key, ok := strings.CutPrefix(m.Subject, b.subject(""))
		at, err := m.Metadata()
		if err != nil || !ok || at.Sequence.Consumer != count {
			return errors.Join(fmt.Errorf("answer %d is another one, of %s", count, m.Subject), err)
		}
		return do(key, at.Sequence.Stream, m.Data)
	}
	next := "$JS.API.CONSUMER.MSG.NEXT.KV_" + b.name + "." + consumer.CachedInfo().Name
	for request := 0; ; request += 2 {
		before := count
		more, err := b.pull(ctx, answers, next, fmt.Sprintf("%s.%d", inbox, request), pullKeys, maxReply, take)
		if err == nil && more && count == before { // the next one alone is larger
			more, err = b.pull(ctx, answers, next, fmt.Sprintf("%s.%d", inbox, request+1), 1, 0, take)
		}
		if err != nil || !more {
			return err
		}
	}
}

// pull asks a consumer for the next documents: so many at most, and so many bytes, 0 for any number. more is false when there are
// none behind them.
func (b *bucket) pull(ctx context.Context, answers *nats.Subscription, next, reply string, count, size int, take func(*nats.Msg) error) (more bool, err error) {
	if err := b.reads.PublishRequest(next, reply, fmt.Appendf(nil, `{"batch":%d,"max_bytes":%d,"no_wait":true}`, count, size)); err != nil {
		return false, err
	}
	for count > 0 {
		m, err := answers.NextMsgWithContext(ctx)
		if err != nil {
			return false, err
		}
		switch status := m.Header.Get("Status"); {
		case status == "":
			if err := take(m); err != nil {
				return false, err
			}
			count--
		case m.Subject != reply: // the end of the request before, which was answered in full
		case status == "404":
			return false, nil
		case status == "409" && size > 0: // the number of bytes is reached
			return true, nil
		default:
			return false, fmt.Errorf("status %s %s", status, m.Header.Get("Description"))
		}
	}
	return true, nil
}
