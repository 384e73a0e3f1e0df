package log

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
	"reckon/events/log/logtest"
)

// tailing is a tail that runs until its test ends.
type tailing struct {
	events chan events.Event // every event in order
	ended  chan error
	stop   context.CancelFunc
}

func startTail(t *testing.T, l *Log, after uint64) *tailing {
	ctx, stop := context.WithCancel(t.Context())
	tail := &tailing{events: make(chan events.Event, 4096), ended: make(chan error, 1), stop: stop}
	go func() {
		tail.ended <- l.Tail(ctx, after, func(batch []events.Event) error {
			for _, e := range batch {
				tail.events <- e
			}
			return nil
		})
	}()
	t.Cleanup(stop)
	return tail
}

// next is the sequence of the next event that is folded.
func (tail *tailing) next(t *testing.T) uint64 {
	t.Helper()
	select {
	case e := <-tail.events:
		return e.Sequence
	case err := <-tail.ended:
		t.Fatalf("the tail ended: %v", err)
	case <-time.After(10 * time.Second):
		t.Fatal("no event came within 10 s")
	}
	return 0
}

// end waits for the tail's error.
func (tail *tailing) end(t *testing.T) error {
	t.Helper()
	select {
	case err := <-tail.ended:
		return err
	case <-time.After(10 * time.Second):
		t.Fatal("the tail did not end within 10 s")
	}
	return nil
}

// openConsumed opens a log whose tail reads with a consumer, as if its relay had another one.
func openConsumed(t *testing.T) *Log {
	l := open(t, t.TempDir())
	groupOf(l).relay.begin(0)
	return l
}

// bothTails runs a test with a relay, where there is one, and with a consumer.
func bothTails(t *testing.T, test func(*testing.T, *Log)) {
	t.Run("relay", func(t *testing.T) { test(t, open(t, t.TempDir())) })
	t.Run("consumer", func(t *testing.T) { test(t, openConsumed(t)) })
}

func TestTailFollows(t *testing.T) { bothTails(t, testTailFollows) }

func testTailFollows(t *testing.T, l *Log) {
	for range 3 {
		appended(t, l, logtest.Created("a"), 0)
	}
	tail := startTail(t, l, 1)
	for want := uint64(2); want <= 20; want++ {
		if want > 3 {
			appended(t, l, logtest.Created("b"), 0)
		}
		if got := tail.next(t); got != want {
			t.Fatalf("folded event %d, want %d", got, want)
		}
	}
	tail.stop()
	if err := tail.end(t); !errors.Is(err, context.Canceled) {
		t.Errorf("the tail ended with %v, want %v", err, context.Canceled)
	}
	consumers := l.events.ConsumerNames(t.Context())
	for name := range consumers.Name() {
		t.Errorf("consumer %s is left behind", name)
	}
	if consumers.Err() != nil {
		t.Error(consumers.Err())
	}
}

func TestTailBatches(t *testing.T) { bothTails(t, testTailBatches) }

func testTailBatches(t *testing.T, l *Log) {
	appended(t, l, logtest.Created("a"), 0)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	const count = 1000
	var batches, folded, largest int
	err := l.Tail(ctx, 0, func(batch []events.Event) error {
		if folded == 0 {
			for range count - 1 {
				appended(t, l, logtest.Created("b"), 0)
			}
		}
		batches++
		largest = max(largest, len(batch))
		for _, e := range batch {
			folded++
			if e.Sequence != uint64(folded) {
				return fmt.Errorf("folded event %d, want %d", e.Sequence, folded)
			}
		}
		if folded == count {
			stop()
		}
		return nil
	})
	logtest.WantError(t, "tail", err, context.Canceled)
	if folded != count || largest > tailBatch || batches >= count {
		t.Errorf("%d events in %d batches of at most %d, want %d in fewer batches of at most %d", folded, batches, largest, count, tailBatch)
	}
}

func TestTailSurvivesTheLossOfItsConsumer(t *testing.T) {
	l := openConsumed(t)
	appended(t, l, logtest.Created("a"), 0)
	tail := startTail(t, l, 0)
	if got := tail.next(t); got != 1 {
		t.Fatalf("folded event %d, want 1", got)
	}
	names := l.events.ConsumerNames(t.Context())
	for name := range names.Name() {
		if err := l.js.DeleteConsumer(t.Context(), EventsStream, name); err != nil {
			t.Fatal(err)
		}
	}
	for want := uint64(2); want <= 5; want++ {
		appended(t, l, logtest.Created("b"), 0)
		if got := tail.next(t); got != want {
			t.Fatalf("folded event %d, want %d", got, want)
		}
	}
}

func TestTailReopensWhenItStandsStill(t *testing.T) {
	l := open(t, t.TempDir())
	appended(t, l, logtest.Created("a"), 0)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	var folded []uint64
	after, err := l.follow(ctx, 0, reading{through: math.MaxUint64, fold: func(_ uint64, batch []events.Event) error {
		for _, e := range batch {
			folded = append(folded, e.Sequence)
		}
		l.saw(2) // an event that never comes
		return nil
	}})
	logtest.WantError(t, "tail below an event that is known to exist", err, errReopen)
	if after != 1 || len(folded) != 1 {
		t.Errorf("folded %v to %d, want event 1", folded, after)
	}
}

// A consumer that does not bring an event in time has it folded all the same, and once.
func TestTailFoldsWhatItsConsumerHoldsBack(t *testing.T) {
	l := open(t, t.TempDir())
	appended(t, l, logtest.Created("a"), 0)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	pause := func(until time.Time) {
		names := l.events.ConsumerNames(ctx)
		for name := range names.Name() {
			if _, err := l.js.PauseConsumer(ctx, EventsStream, name, until); err != nil {
				t.Error(err)
			}
		}
	}
	var folded []uint64
	r := reading{through: 3, fold: func(_ uint64, batch []events.Event) error {
		for _, e := range batch {
			folded = append(folded, e.Sequence)
		}
		switch len(folded) {
		case 1:
			pause(time.Now().Add(time.Hour))
			appended(t, l, logtest.Created("b"), 0)
		case 2:
			pause(time.Now())
			appended(t, l, logtest.Created("c"), 0)
		}
		return nil
	}}
	after, err := l.follow(ctx, 0, r)
	if len(folded) < 2 {
		t.Fatalf("folded %v to %d before it gave its consumer up (%v), want two events", folded, after, err)
	}
	for errors.Is(err, errReopen) {
		after, err = l.follow(ctx, after, r)
	}
	if err != nil || after != 3 || !slices.Equal(folded, []uint64{1, 2, 3}) {
		t.Errorf("folded %v to %d (%v), want 1, 2, 3", folded, after, err)
	}
}

// What is folded while the consumer is being made is not folded again when the consumer brings it.
func TestTailFoldsWhileItsConsumerIsMade(t *testing.T) {
	l := open(t, t.TempDir())
	for _, name := range []string{"a", "b", "c"} {
		appended(t, l, logtest.Created(name), 0)
	}
	began := make(chan struct{})
	more := sync.OnceFunc(func() {
		if _, err := l.Append(t.Context(), logtest.Created("d"), 0); err != nil {
			t.Error(err)
		}
	})
	slow, err := l.conn.Subscribe("slow.API.>", func(m *nats.Msg) {
		<-began
		if strings.Contains(m.Subject, ".CONSUMER.MSG.NEXT.") { // the consumer is there
			more()
		}
		if err := l.conn.PublishRequest("$JS"+strings.TrimPrefix(m.Subject, "slow"), m.Reply, m.Data); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Unsubscribe()
	if l.js, err = jetstream.NewWithAPIPrefix(l.conn, "slow.API"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var folded []uint64
	r := reading{through: 4, fold: func(_ uint64, batch []events.Event) error {
		for _, e := range batch {
			folded = append(folded, e.Sequence)
		}
		if len(folded) == 3 {
			close(began)
		}
		return nil
	}}
	after, err := l.follow(ctx, 0, r)
	for errors.Is(err, errReopen) {
		if strings.Contains(err.Error(), "does not follow") {
			t.Fatal(err)
		}
		after, err = l.follow(ctx, after, r)
	}
	if err != nil || after != 4 || !slices.Equal(folded, []uint64{1, 2, 3, 4}) {
		t.Errorf("folded %v to %d (%v), want 1, 2, 3, 4", folded, after, err)
	}
}

func TestFillNeedsNoConsumer(t *testing.T) {
	t.Parallel()
	l := open(t, t.TempDir())
	const count = 2*fillBatch + 10
	first := logtest.Created("a")
	appended(t, l, first, 0)
	for range count - 1 {
		appended(t, l, logtest.Created("b"), 0)
	}
	var sizes []int
	var folded []events.Event
	keep := func(fold func([]events.Event) error) reading {
		return reading{through: math.MaxUint64, fold: func(_ uint64, list []events.Event) error { return fold(list) }}
	}
	after, err := l.fill(t.Context(), 5, keep(func(batch []events.Event) error {
		sizes = append(sizes, len(batch))
		folded = append(folded, batch...)
		return nil
	}))
	if err != nil || after != count || !slices.Equal(sizes, []int{256, 256, 5}) {
		t.Fatalf("filled to %d in batches of %v (%v)", after, sizes, err)
	}
	for i, e := range folded {
		if e.Sequence != uint64(i)+6 || e.Data == nil || e.Subject.Account() != e.Data.(*events.AccountCreated).AccountID {
			t.Fatalf("event %d of the fill is %+v", i, e)
		}
	}

	again, err := l.fill(t.Context(), count, keep(func([]events.Event) error { return errors.New("folded nothing") }))
	if err != nil || again != count {
		t.Errorf("filled from the end to %d (%v)", again, err)
	}

	publishRaw(t, l, first.Subject.String(), nats.Header{events.HeaderType: {"reckon.account.changed.v1"}}, "")
	if after, err := l.fill(t.Context(), count-1, keep(func([]events.Event) error { return nil })); after != count ||
		err == nil || errors.Is(err, errReopen) || !strings.Contains(err.Error(), "event 523 of type") {
		t.Errorf("filled over a broken event to %d (%v)", after, err)
	}

	l.conn.Close()
	_, err = l.fill(t.Context(), 5, keep(func([]events.Event) error { return nil }))
	logtest.WantError(t, "without a connection", err, errReopen)
}

func TestTailEnds(t *testing.T) {
	l := open(t, t.TempDir())
	appended(t, l, logtest.Created("a"), 0)
	broken := errors.New("broken")
	err := l.Tail(t.Context(), 0, func([]events.Event) error { return broken })
	logtest.WantError(t, "fold fails", err, broken)

	if err := l.Tail(t.Context(), 2, func([]events.Event) error { return nil }); err == nil || !strings.Contains(err.Error(), "the newest is 1") {
		t.Errorf("beyond the log: got error %v", err)
	}

	tail := startTail(t, l, 0)
	tail.next(t)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := tail.end(t); err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("the log was closed: got error %v", err)
	}
}

// publishRaw puts a message among the events as a later version of the service, or a foreign program, might.
func publishRaw(t *testing.T, l *Log, subject string, header nats.Header, body string) uint64 {
	t.Helper()
	ack, err := l.js.PublishMsg(t.Context(), &nats.Msg{Subject: subject, Header: header, Data: []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	return ack.Sequence
}

func TestTailMeetsUnknownAndBrokenEvents(t *testing.T) {
	l := open(t, t.TempDir())
	known := logtest.Created("a")
	appended(t, l, known, 0)
	id := uuid.New()
	publishRaw(t, l, known.Subject.String(), nats.Header{
		events.HeaderType: {"reckon.account.closed.v1"}, events.HeaderID: {id.String()}, events.HeaderTime: {"2026-03-05T15:07:09.123+01:00"},
	}, `{"account_id":`)
	publishRaw(t, l, "evt.tick", nil, "")
	bad := publishRaw(t, l, known.Subject.String(), nats.Header{
		events.HeaderType: {"reckon.account.changed.v1"}, events.HeaderID: {id.String()}, events.HeaderTime: {"2026-03-05T14:07:09.123Z"},
	}, `{"body_version":"two"}`)

	var folded []events.Event
	err := l.Tail(t.Context(), 0, func(batch []events.Event) error {
		folded = append(folded, batch...)
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "event 4 of type reckon.account.changed.v1") || bad != 4 {
		t.Errorf("broken event %d: got error %v", bad, err)
	}
	if len(folded) != 3 {
		t.Fatalf("folded %+v, want the three events before the broken one", folded)
	}
	u := folded[1]
	if u.Data != nil || u.ID != id || u.Subject != known.Subject || u.Sequence != 2 || !u.Time.Equal(known.Time) {
		t.Errorf("an event of unknown type is %+v", u)
	}
	if tick := folded[2]; tick.Data != nil || tick.Sequence != 3 || tick.Subject.Account() != uuid.Nil {
		t.Errorf("a message without headers is %+v", tick)
	}

	if _, err := l.Read(t.Context(), known.Subject, 2); err == nil || !strings.Contains(err.Error(), "event 4 of type") {
		t.Errorf("read of the broken event: got error %v", err)
	}
	read, err := l.Read(t.Context(), events.SubjectOf("evt.tick"), 0)
	if err != nil || len(read) != 1 || read[0].Data != nil {
		t.Errorf("read of a message without headers: %+v (%v)", read, err)
	}
}

// Both forms of the subject that acknowledges a message tell where it stands, and nothing else does.
func TestDelivery(t *testing.T) {
	for reply, want := range map[string][2]uint64{
		"$JS.ACK.EVENTS.name.1.42.7.1700000000000000000.3":              {42, 7},
		"$JS.ACK._.hash.EVENTS.name.1.42.7.1700000000000000000.3":       {42, 7},
		"$JS.ACK.hub.hash.EVENTS.name.1.42.7.1700000000000000000.3.tok": {42, 7},
		"":         {},
		"_INBOX.a": {},
		"$JS.ACK.EVENTS.name.1.x.7.1700000000000000000.3":      {},
		"$JS.ACK.EVENTS.name.1.42.-7.1700000000000000000.3":    {},
		"$JS.ACK.hub.EVENTS.name.1.42.7.1700000000000000000.3": {},
		"$JS.NAK.EVENTS.name.1.42.7.1700000000000000000.3":     {},
	} {
		sequence, count, ok := delivery(reply)
		if ok != (want[0] > 0) || ok && (sequence != want[0] || count != want[1]) {
			t.Errorf("%q is %d, %d, %v; want %v", reply, sequence, count, ok, want)
		}
	}
}
