package log

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"pgregory.net/rapid"

	"reckon/events"
	"reckon/events/log/logtest"
)

// However acknowledgements come, the tail takes each event once, in order, and nothing behind a gap.
func TestRelayKeepsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const count = 30
		sequences := make([]uint64, count)
		for i := range sequences {
			sequences[i] = uint64(i) + 1
		}
		r := newRelay()
		after := rapid.Uint64Range(0, 3).Draw(t, "after")
		if !r.begin(after) || r.begin(after) {
			t.Fatal("a relay has not exactly one tail")
		}
		there := map[uint64]events.Event{}
		for _, sequence := range rapid.Permutation(sequences).Draw(t, "order") {
			for range rapid.IntRange(1, 2).Draw(t, "times") {
				e := events.Event{Sequence: sequence, Size: int(sequence), Data: new(events.MessageStarted)}
				if _, known := there[sequence]; sequence > after && !known {
					there[sequence] = e
				}
				r.put(e)
			}
			switch rapid.IntRange(0, 9).Draw(t, "then") {
			case 0:
				if to := after + rapid.Uint64Range(0, 3).Draw(t, "skipped"); to <= count {
					r.skip(to)
					after = to
				}
			case 1, 2, 3:
				if there[after+1].Sequence > 0 && len(r.ready) == 0 {
					t.Fatalf("the tail is not told of event %d", after+1)
				}
				drain(r.ready)
				for _, e := range r.take() {
					after++
					if e.Sequence != after || e.Data != there[after].Data {
						t.Fatalf("took event %d as event %d", e.Sequence, after)
					}
				}
				if there[after+1].Sequence > 0 {
					t.Fatalf("event %d is not taken", after+1)
				}
			}
			held := 0
			for sequence := range there {
				if sequence > after {
					held += int(sequence)
				}
			}
			if r.bytes != held || r.after != after {
				t.Fatalf("%d bytes are kept behind %d, want %d behind %d", r.bytes, r.after, held, after)
			}
		}
	})
}

// drain takes what a channel holds.
func drain(c chan struct{}) {
	select {
	case <-c:
	default:
	}
}

func TestRelayIsBounded(t *testing.T) {
	const small, large = 1, relayBytes / 2
	r := newRelay()
	put := func(sequence uint64, bytes int) { r.put(events.Event{Sequence: sequence, Size: bytes}) }
	put(1, small)
	if got := r.take(); len(got) != 0 {
		t.Errorf("%d messages are kept for nobody", len(got))
	}
	r.begin(0)
	put(relayEvents+1, small)
	if len(r.slots) != 0 {
		t.Error("an event far behind the tail is kept")
	}
	for i := range uint64(3) {
		put(i+1, large)
	}
	if got := r.take(); len(got) != 2 || r.bytes != 0 {
		t.Errorf("%d large events are kept, want 2", len(got))
	}
	put(4, small)
	r.end()
	r.begin(3)
	if got := r.take(); len(got) != 0 {
		t.Error("another tail gets what was kept for the one before")
	}
}

// fixtures are the data of an event of each type, by wire name.
func fixtures(t *testing.T) map[string]any {
	t.Helper()
	files, err := filepath.Glob("../testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are %d fixtures (%v)", len(files), err)
	}
	all := map[string]any{}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		header := nats.Header{events.HeaderType: {name}, events.HeaderID: {uuid.NewString()}, events.HeaderTime: {"2026-03-05T14:07:09.123Z"}}
		var compact bytes.Buffer
		if err := json.Compact(&compact, body); err != nil {
			t.Fatal(err)
		}
		e, err := events.Decode(events.AccountSubject(uuid.New()), 1, header, compact.Bytes(), false)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = e.Data
	}
	return all
}

// The tail sees each type of event as every reader does.
func TestRelayedEventsAreAsRead(t *testing.T) {
	l, ok := openGrouped(t)
	if !ok {
		return
	}
	tail := startTail(t, l, 0)
	seen := uint64(0)
	for name, data := range fixtures(t) {
		e := logtest.Created("a")
		e.Subject, e.Data = events.AccountSubject(uuid.New()), data
		e.Time = time.Date(2026, 3, 5, 14, 7, 9, 123_456_789, time.FixedZone("", 3600))
		sequence := appended(t, l, e, 0)
		for ; seen < sequence; seen++ {
			got := <-tail.events
			read, err := l.At(t.Context(), got.Sequence)
			if err != nil || !reflect.DeepEqual(got, read) {
				t.Errorf("%s: folded %+v, read %+v (%v)", name, got, read, err)
			}
		}
	}
}

// What others append, and what is appended past the log, is folded in its place, once.
func TestRelayedTailFoldsWhatOthersAppend(t *testing.T) {
	l, ok := openGrouped(t)
	if !ok {
		return
	}
	joined, err := Join(t.Context(), Options{Dir: l.dir})
	if err != nil {
		t.Fatal(err)
	}
	defer joined.Close()
	tail := startTail(t, l, 0)
	const rounds, writers = 20, 3
	var writing sync.WaitGroup
	for _, from := range []*Log{l, l, joined} {
		writing.Go(func() {
			for range rounds {
				if _, err := from.Append(t.Context(), logtest.Created("a"), 0); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	writing.Wait()
	e := logtest.Created("b")
	publishRaw(t, l, e.Subject.String(), nats.Header{events.HeaderType: {"reckon.account.closed.v1"}}, "") // whose publisher never asks for the disk
	appended(t, l, logtest.Created("c"), 0)
	publishRaw(t, l, e.Subject.String(), nats.Header{events.HeaderType: {"reckon.account.closed.v1"}}, "")
	for want := uint64(1); want <= rounds*writers+3; want++ {
		if got := tail.next(t); got != want {
			t.Fatalf("folded event %d, want %d", got, want)
		}
	}
	for name := range l.events.ConsumerNames(t.Context()).Name() {
		t.Errorf("consumer %s reads what is handed on", name)
	}
}

// A tail is told of the first event behind a gap, and when another process asks for the disk.
func TestRelayTellsOfGaps(t *testing.T) {
	l, ok := openGrouped(t)
	if !ok {
		return
	}
	r := groupOf(l).relay
	r.begin(0)
	told := func(what string, c chan struct{}, want int) {
		t.Helper()
		if got := len(c); got != want {
			t.Errorf("%s: the tail is told %d times, want %d", what, got, want)
		}
		drain(c)
	}
	publishRaw(t, l, logtest.Created("a").Subject.String(), nil, "")
	told("others have appended", r.others, 0)
	if _, err := groupOf(l).settle(EventsStream); err != nil {
		t.Fatal(err)
	}
	told("others ask for the disk", r.others, 1)
	appended(t, l, logtest.Created("b"), 0)
	told("the first event behind a gap", r.ready, 1)
	appended(t, l, logtest.Created("c"), 0)
	told("the second event behind a gap", r.ready, 0)
	r.skip(1)
	told("the gap is closed", r.ready, 1)
	if got := r.take(); len(got) != 2 {
		t.Errorf("%d events are handed on, want 2", len(got))
	}
}

// A fold that falls behind gets what its relay does not keep from the log.
func TestRelayedTailFoldsWhatIsNotKept(t *testing.T) {
	l, ok := openGrouped(t)
	if !ok {
		return
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	const count = 48
	name := strings.Repeat("n", 400<<10)
	appended(t, l, logtest.Created(name), 0)
	var folded []uint64
	err := l.Tail(ctx, 0, func(batch []events.Event) error {
		if len(folded) == 0 {
			for range count - 1 {
				appended(t, l, logtest.Created(name), 0)
			}
			if groupOf(l).relay.bytes > relayBytes || len(groupOf(l).relay.slots) == 0 || len(groupOf(l).relay.slots) >= count-1 {
				t.Errorf("of %d events %d are kept, in %d bytes", count-1, len(groupOf(l).relay.slots), groupOf(l).relay.bytes)
			}
		}
		for _, e := range batch {
			folded = append(folded, e.Sequence)
		}
		if len(folded) >= count {
			stop()
		}
		return nil
	})
	logtest.WantError(t, "tail", err, context.Canceled)
	if len(folded) != count || !slices.IsSorted(folded) || folded[count-1] != count {
		t.Errorf("folded %v, want 1 to %d", folded, count)
	}
}

// A second tail of the same log reads with a consumer of its own, and the relay has another tail when the first one has ended.
func TestRelayHasOneTail(t *testing.T) {
	l, ok := openGrouped(t)
	if !ok {
		return
	}
	appended(t, l, logtest.Created("a"), 0)
	first := startTail(t, l, 0)
	first.next(t)
	second := startTail(t, l, 0)
	second.next(t)
	appended(t, l, logtest.Created("b"), 0)
	if a, b := first.next(t), second.next(t); a != 2 || b != 2 {
		t.Errorf("two tails folded events %d and %d, want 2", a, b)
	}
	first.stop()
	if err := first.end(t); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if !groupOf(l).relay.begin(2) {
		t.Error("the relay still has the tail that has ended")
	}
}
