package commands

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
)

// queue is how many commands there are, and how many of them the queue has to deliver or to have
// acknowledged.
func (c *cluster) queue(t *testing.T) (commands, open uint64) {
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
	return stream.CachedInfo().State.LastSeq, info.NumPending + uint64(info.NumAckPending)
}

// drained waits until there are so many commands, and no more, and the queue has none of them.
func (c *cluster) drained(t *testing.T, want uint64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for {
		there, open := c.queue(t)
		if there == want && open == 0 {
			return
		}
		if ctx.Err() != nil || there > want {
			t.Fatalf("there are %d of %d commands, the queue has %d", there, want, open)
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

// occupy takes all slots that the account may have on a node; leave gives them back.
func (c *cluster) occupy(t *testing.T, s *Service) (leave func()) {
	t.Helper()
	for range slots / 2 {
		if err := s.slots.Acquire(t.Context(), c.account.ID); err != nil {
			t.Fatal(err)
		}
	}
	return func() {
		for range slots / 2 {
			s.slots.Release(c.account.ID)
		}
	}
}

// A node that works alone answers without the queue: what that delivers later is acknowledged, and
// nothing more is done.
func TestOwnCommandsDoNotWaitForTheQueue(t *testing.T) {
	c := startLog(t)
	s := c.idle(t)
	s.inFlight.open(t.Context())
	const asked = 300 // more than are delivered at once
	for i := range asked {
		r := c.request(drive)
		if i%3 == 0 {
			key := fmt.Sprint("key ", i)
			r.IdempotencyKey = &key
		}
		if _, err := s.Calculate(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if _, open := c.queue(t); open != asked {
		t.Errorf("the queue has %d of %d commands, and nobody has asked for any", open, asked)
	}
	s.inFlight.mutex.Lock()
	for subject, j := range s.inFlight.own {
		if j.finished && j.command.Prompt != "" {
			t.Errorf("of the command %s more is kept than that it is finished: %+v", subject, j)
		}
	}
	s.inFlight.mutex.Unlock()
	run(t, s)
	c.drained(t, asked)
	s.inFlight.mutex.Lock()
	own, all := len(s.inFlight.own), len(s.inFlight.all)
	s.inFlight.mutex.Unlock()
	if own != 0 || all != 0 {
		t.Errorf("%d commands of its own and %d delivered ones are still in flight", own, all)
	}
	if n := c.messages(t); n != asked {
		t.Errorf("%d messages came of %d requests", n, asked)
	}
}

// structured is a command as it is when it comes to a worker.
func (c *cluster) structured() Calculate {
	now := time.Now().UTC().Truncate(time.Millisecond)
	return Calculate{
		Type: calculateType, AccountID: c.account.ID, ConversationID: uuid.New(), Opens: true, MessageID: uuid.New(), DomainID: c.domain, DomainVersion: 1,
		InputFormat: "structured", Prompt: drive, Now: now.Truncate(time.Second), ReceivedAt: now, TimeZone: "UTC",
	}
}

// queued puts a command without a key into the queue.
func (c *cluster) queued(t *testing.T, command Calculate) (sequence uint64) {
	t.Helper()
	sequence, err := c.log.Enqueue(t.Context(), events.KeylessSubject(command.AccountID, command.MessageID), Encode(command), false)
	if err != nil {
		t.Fatal(err)
	}
	return sequence
}

// What a worker had in flight when it was lost is delivered at the next start, and gets its final
// event, once.
func TestCommandsOfALostWorkerAreDelivered(t *testing.T) {
	c := startLog(t)
	before := c.idle(t)
	before.inFlight.open(t.Context())
	const each = 5
	var lost []Calculate
	for range each {
		if _, err := before.Calculate(t.Context(), c.request(drive)); err != nil {
			t.Fatal(err)
		}
		command := c.structured()
		c.queued(t, command)
		lost = append(lost, command)
	}
	if _, err := c.log.Enqueue(t.Context(), events.KeylessSubject(c.account.ID, uuid.New()), []byte("no command"), false); err != nil {
		t.Fatal(err)
	}
	// One had its event, and its caller was not told.
	if err := before.finish(lost[0], ""); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		s := c.idle(t)
		if err := s.views.Fresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		stop := run(t, s)
		for _, command := range lost {
			m, err := s.views.AwaitAnswer(t.Context(), command.AccountID, command.ConversationID, command.MessageID)
			if err != nil || m.Completed == nil {
				t.Fatalf("got %+v, %v", m, err)
			}
		}
		c.drained(t, 2*each+1)
		stop()
	}
	if n := c.messages(t); n != 2*each {
		t.Errorf("%d messages came of %d commands", n, 2*each)
	}
}

// One that fails although the log answers ends as a crash, which is an answer.
func TestOwnCommandsThatCannotBeDecidedEndAsACrash(t *testing.T) {
	t.Parallel()
	c := startLog(t)
	s := c.idle(t)
	s.inFlight.open(t.Context())
	command := c.structured()
	command.DomainVersion = 99
	own := s.inFlight.expect(events.KeylessSubject(command.AccountID, command.MessageID), command)
	s.start(own, c.queued(t, command))
	m, err := s.views.AwaitAnswer(t.Context(), command.AccountID, command.ConversationID, command.MessageID)
	if err != nil || m.Failed == nil || !m.Failed.Crashed {
		t.Errorf("got %+v, %v", m, err)
	}
}

// Of the goroutines that many callers need no more stay than work at once.
func TestGoroutinesOfManyCallersEnd(t *testing.T) {
	c := startLog(t)
	s := c.idle(t)
	s.inFlight.open(t.Context())
	leave := c.occupy(t, s)
	var all sync.WaitGroup
	for range 2 * slots {
		all.Go(func() {
			r, key := c.request(drive), uuid.NewString()
			r.IdempotencyKey = &key
			if _, err := s.Calculate(t.Context(), r); err != nil {
				t.Error(err)
			}
		})
	}
	for begun := 0; begun < 2*slots; { // until each is with a goroutine
		s.inFlight.mutex.Lock()
		begun = len(s.inFlight.own)
		s.inFlight.mutex.Unlock()
	}
	leave()
	all.Wait()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for s.inFlight.idle.Load() > slots {
		if ctx.Err() != nil {
			t.Fatalf("%d goroutines wait for a command", s.inFlight.idle.Load())
		}
	}
}

// What a worker leaves when it stops is in the queue, whether or not that had delivered it.
func TestOwnCommandsThatAreLeftAreDelivered(t *testing.T) {
	c := startLog(t)
	s := c.idle(t)
	stopping, stop := context.WithCancel(t.Context())
	s.inFlight.open(stopping)
	leave := c.occupy(t, s)
	key := "a key"
	answered := make(chan error, 2)
	for _, key := range []*string{&key, nil} {
		go func() {
			r := c.request(drive)
			r.IdempotencyKey = key
			_, err := s.Calculate(t.Context(), r)
			answered <- err
		}()
	}
	for { // until they are published
		if there, _ := c.queue(t); there == 2 {
			break
		}
	}
	stop()
	s.inFlight.close()
	s.inFlight.working.Wait()
	leave()
	if len(s.inFlight.own) != 0 {
		t.Error("a command is still in flight")
	}
	run(t, s)
	for range 2 {
		if err := <-answered; err != nil {
			t.Error(err)
		}
	}
	c.drained(t, 2)
}

// The queue may deliver a command before its publisher knows that it is there.
func TestOwnCommandsAreDeliveredAtAnyTime(t *testing.T) {
	c := startLog(t)
	s := c.idle(t)
	s.inFlight.open(t.Context())
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
	own := s.inFlight.expect(subject, Calculate{})
	if own == nil || s.inFlight.expect(subject, Calculate{}) != nil {
		t.Fatal("a subject has no place or two in the hand")
	}
	if _, err := c.log.Enqueue(t.Context(), subject, []byte("{}"), true); err != nil {
		t.Fatal(err)
	}
	if j := s.inFlight.deliver(delivered()); j != nil {
		t.Fatal("a command that is the node's own is worked on again")
	}
	// Its publisher is not told that it is there, and leaves it to the queue.
	s.inFlight.leave(own, jetstream.Msg.Nak)
	again := s.inFlight.deliver(delivered())
	if again == nil {
		t.Fatal("a command that was left is not worked on")
	}
	s.inFlight.finish(again)
	if len(s.inFlight.own) != 0 || len(s.inFlight.all) != 0 {
		t.Errorf("%d commands of its own and %d delivered ones are still in flight", len(s.inFlight.own), len(s.inFlight.all))
	}
	c.drained(t, 1)
}
