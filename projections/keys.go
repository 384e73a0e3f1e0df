package projections

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// pullKeys is how many documents are asked for at once by those who read all.
const pullKeys = 2048

// eachKey hands all keys and values to do, in the order in which they were written. What is written meanwhile may come twice or
// in its old state only. It reads with a consumer, since of batches of direct gets each counts all keys of the bucket.
func (b *bucket) eachKey(ctx context.Context, do func(key string, value []byte) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("read bucket %s: %w", b.name, err)
		}
	}()
	js, err := jetstream.New(b.reads)
	if err != nil {
		return err
	}
	consumer, err := js.CreateConsumer(ctx, "KV_"+b.name, jetstream.ConsumerConfig{
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
	ask := fmt.Sprintf(`{"batch":%d,"max_bytes":%d,"no_wait":true}`, pullKeys, maxReply)
requests:
	for count := uint64(0); ; {
		start, reply := count, fmt.Sprintf("%s.%d", inbox, count)
		if err := b.reads.PublishRequest("$JS.API.CONSUMER.MSG.NEXT.KV_"+b.name+"."+consumer.CachedInfo().Name, reply, []byte(ask)); err != nil {
			return err
		}
		for count < start+pullKeys {
			m, err := answers.NextMsgWithContext(ctx)
			if err != nil {
				return err
			}
			if status := m.Header.Get("Status"); status != "" {
				switch {
				case m.Subject != reply: // of the request before, which was answered in full
					continue
				case status == "404": // there are no more
					return nil
				case status != "409" || count == start:
					return fmt.Errorf("status %s %s", status, m.Header.Get("Description"))
				}
				continue requests // the size is reached
			}
			count++
			key, ok := strings.CutPrefix(m.Subject, b.subject(""))
			if at, err := m.Metadata(); err != nil || !ok || at.Sequence.Consumer != count {
				return errors.Join(fmt.Errorf("answer %d is another one, of %s", count, m.Subject), err)
			}
			if err := do(key, m.Data); err != nil {
				return err
			}
		}
	}
}
