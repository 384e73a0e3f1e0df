package commands

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
)

// queue is how many commands there are, and up to which all are acknowledged.
func (c *cluster) queue(t *testing.T) (commands, acknowledged uint64) {
	t.Helper()
	consumer, err := c.log.Commands(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	info, err := consumer.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stream, err := c.log.JetStream().Stream(t.Context(), info.Stream)
	if err != nil {
		t.Fatal(err)
	}
	return stream.CachedInfo().State.LastSeq, info.AckFloor.Stream
}

// drained waits until all commands are acknowledged, of which there must be so many.
func (c *cluster) drained(t *testing.T, want uint64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for {
		there, acknowledged := c.queue(t)
		if there != want {
			t.Fatalf("%d commands instead of %d", there, want)
		}
		if acknowledged == want {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("%d of %d commands are acknowledged", acknowledged, want)
		}
	}
}

// messages is how many messages there are in EVENTS.
func (c *cluster) messages(t *testing.T) (n int) {
	t.Helper()
	last, err := c.log.Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	err = c.log.Scan(t.Context(), 0, last, nil, func(_ uint64, list []events.Event) error {
		for _, e := range list {
			if e.Message() != nil {
				n++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A node that works alone answers without the queue. What the queue delivers later is acknowledged, and nothing more is done.
func TestOwnCommandsDoNotWaitForTheQueue(t *testing.T) {
	c := startLog(t)
	s := c.idle(t)
	s.hand.open(t.Context())
	const asked = 300 // more than are delivered at once
	key := "a key"
	for i := range asked {
		r := c.request(drive)
		if i%3 == 0 {
			one := key + string(rune('a'+i))
			r.IdempotencyKey = &one
		}
		if _, err := s.Calculate(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if there, acknowledged := c.queue(t); there != asked || acknowledged != 0 {
		t.Errorf("%d commands, acknowledged up to %d, before a worker asked for any", there, acknowledged)
	}
	run(t, s)
	c.drained(t, asked)
	s.hand.mutex.Lock()
	own, all := len(s.hand.own), len(s.hand.all)
	s.hand.mutex.Unlock()
	if own != 0 || all != 0 {
		t.Errorf("%d commands of its own and %d delivered ones are still in hand", own, all)
	}
	if n := c.messages(t); n != asked {
		t.Errorf("%d messages came of %d requests", n, asked)
	}
}

// What a worker leaves when it stops is in the queue, whether or not that had delivered it.
func TestOwnCommandsThatAreLeftAreDelivered(t *testing.T) {
	c := startLog(t)
	s := c.idle(t)
	stopping, stop := context.WithCancel(t.Context())
	s.hand.open(stopping)
	for range slots / 2 { // those of one account
		if err := s.slots.enter(t.Context(), c.account.ID); err != nil {
			t.Fatal(err)
		}
	}
	answered := make(chan error, 1)
	go func() {
		_, err := s.Calculate(t.Context(), c.request(drive))
		answered <- err
	}()
	for { // until it is published
		if there, _ := c.queue(t); there == 1 {
			break
		}
	}
	stop()
	s.hand.close()
	s.hand.working.Wait()
	for range slots / 2 {
		s.slots.leave(c.account.ID)
	}
	if len(s.hand.own) != 0 {
		t.Error("the command is still in hand")
	}
	run(t, s)
	if err := <-answered; err != nil {
		t.Error(err)
	}
	c.drained(t, 1)
}

// The queue may deliver a command before its publisher knows that it is there.
func TestOwnCommandsAreDeliveredAtAnyTime(t *testing.T) {
	c := startLog(t)
	s := c.idle(t)
	s.hand.open(t.Context())
	consumer, err := c.log.Commands(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	subject := events.CommandSubject(c.account.ID, "message")
	delivered := func() jetstream.Msg {
		t.Helper()
		msg, err := consumer.Next(jetstream.FetchMaxWait(10 * time.Second))
		if err != nil {
			t.Fatal(err)
		}
		return msg
	}
	own := s.hand.expect(subject, Calculate{})
	if own == nil || s.hand.expect(subject, Calculate{}) != nil {
		t.Fatal("a subject has no place or two in the hand")
	}
	if _, err := c.log.Enqueue(t.Context(), subject, []byte("{}"), true); err != nil {
		t.Fatal(err)
	}
	if j := s.hand.deliver(delivered()); j != nil {
		t.Fatal("a command that is the node's own is worked on again")
	}
	// Its publisher is not told that it is there, and leaves it to the queue.
	s.hand.leave(own, jetstream.Msg.Nak)
	again := s.hand.deliver(delivered())
	if again == nil {
		t.Fatal("a command that was left is not worked on")
	}
	s.hand.finish(again)
	if len(s.hand.own) != 0 || len(s.hand.all) != 0 {
		t.Errorf("%d commands of its own and %d delivered ones are still in hand", len(s.hand.own), len(s.hand.all))
	}
	c.drained(t, 1)
}
