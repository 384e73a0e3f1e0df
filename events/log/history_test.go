package log

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"

	"reckon/events"
	"reckon/events/log/logtest"
)

// read collects what a reading folds, with readBlocks or with a consumer.
func read(t *testing.T, from func(after uint64, r reading) (uint64, error), after, through uint64, want func(events.Subject) bool, brief bool) (list []events.Event, upTo uint64, err error) {
	t.Helper()
	r := reading{through: through, want: want, brief: brief, fold: func(_ uint64, portion []events.Event) error {
		list = append(list, portion...)
		return nil
	}}
	upTo, err = from(after, r)
	return list, upTo, err
}

// accounts are the first events of so many accounts.
func accounts(count int) (list []events.Event) {
	for range count {
		list = append(list, logtest.Created(""))
	}
	return list
}

// appendAll appends events on subjects of their own, some at a time.
func appendAll(t *testing.T, l *Log, list []events.Event) {
	var appending sync.WaitGroup
	for part := range slices.Chunk(list, max(1, len(list)/16)) {
		appending.Go(func() {
			for _, e := range part {
				if _, err := l.Append(t.Context(), e, 0); err != nil {
					t.Error(err)
				}
			}
		})
	}
	appending.Wait()
}

// What is read from the blocks is what the server hands out, from wherever to wherever.
func TestBlocks(t *testing.T) {
	t.Parallel()
	l, ok := openGrouped(t)
	if !ok {
		return
	}
	var some []events.Event
	for i := range 3 * blockEvents {
		e := logtest.Created("")
		if i%150 == 0 { // the file of a block has 8 MiB
			e = logtest.Created(strings.Repeat("long ", 1<<18))
		}
		some = append(some, e)
	}
	appendAll(t, l, some)
	last, ok := l.Known()
	numbers, err := filepath.Glob(filepath.Join(blocksOf(l, EventsStream), "*.blk"))
	if !ok || err != nil || last != uint64(len(some)) || len(numbers) < 3 {
		t.Fatalf("%d events in the blocks %v (%v), want %d in three or more", last, numbers, err, len(some))
	}
	blocks := func(after uint64, r reading) (uint64, error) { return groupOf(l).history(t.Context(), after, r) }
	consumer := func(after uint64, r reading) (uint64, error) { return l.follow(t.Context(), after, r) }
	few := func(s events.Subject) bool { return s.Account()[0] < 64 }
	for _, c := range []struct {
		after, through uint64
		want           func(events.Subject) bool
		brief          bool
	}{
		{0, last, nil, false}, {0, last, few, true}, {0, 1, nil, true}, {1, last, nil, true}, {700, 701, nil, true},
		{last / 2, last - 1, few, false}, {last - 1, last, nil, false},
	} {
		got, upTo, err := read(t, blocks, c.after, c.through, c.want, c.brief)
		want, _, failure := read(t, consumer, c.after, c.through, c.want, c.brief)
		if err != nil || failure != nil || upTo != c.through {
			t.Errorf("from %d to %d: read to %d (%v), and by a consumer (%v)", c.after, c.through, upTo, err, failure)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("from %d to %d: read %d events, want the %d of a consumer", c.after, c.through, len(got), len(want))
		}
	}
	if _, upTo, err := read(t, blocks, 5, last+10, nil, false); err != nil || upTo != last {
		t.Errorf("beyond what there is: read to %d (%v), want %d", upTo, err, last)
	}
}

// Everything that is durable can be read from the blocks, also while the server writes more.
func TestBlocksThatGrow(t *testing.T) {
	t.Parallel()
	l, ok := openGrouped(t)
	if !ok {
		return
	}
	var appending sync.WaitGroup
	appending.Go(func() { appendAll(t, l, accounts(1000)) })
	for at := uint64(0); at < 1000 && !t.Failed(); {
		known, _ := l.Known()
		list, upTo, err := read(t, func(after uint64, r reading) (uint64, error) { return groupOf(l).history(t.Context(), after, r) }, at, known, nil, true)
		if err != nil || upTo != known || uint64(len(list)) != known-at {
			t.Fatalf("behind %d: read %d events to %d (%v), want those to %d", at, len(list), upTo, err, known)
		}
		at = known
	}
	appending.Wait()
}

// Where a block cannot be read, the server is asked for the rest.
func TestSkimBehindABlockThatIsMissing(t *testing.T) {
	l, ok := openGrouped(t)
	if !ok {
		return
	}
	for range 3 {
		appended(t, l, logtest.Created("a"), 0)
	}
	block := filepath.Join(blocksOf(l, EventsStream), "1.blk")
	if err := errors.Join(os.Rename(block, block+".away"), os.Symlink("1.blk", block)); err != nil {
		t.Fatal(err)
	}
	var got []uint64
	err := l.Skim(t.Context(), 1, 3, nil, func(upTo uint64, list []events.Event) error {
		for _, e := range list {
			got = append(got, e.Sequence)
		}
		return nil
	})
	if err != nil || !slices.Equal(got, []uint64{2, 3}) {
		t.Errorf("skimmed %v (%v), want the events 2 and 3", got, err)
	}
	if err := os.Rename(block+".away", block); err != nil {
		t.Fatal(err)
	}
}

// An event that cannot be decoded ends the reading behind those before it.
func TestBlockWithAnEventThatCannotBeDecoded(t *testing.T) {
	l, ok := openGrouped(t)
	if !ok {
		return
	}
	for range 2 {
		appended(t, l, logtest.Created("a"), 0)
	}
	broken, err := Message(logtest.Created("b"))
	if err != nil {
		t.Fatal(err)
	}
	broken.Data = []byte("{")
	if _, err := l.js.PublishMsg(t.Context(), broken); err != nil {
		t.Fatal(err)
	}
	unknown := &nats.Msg{Subject: events.AccountSubject(uuid.New()).String(), Data: []byte("x")}
	if _, err := l.js.PublishMsg(t.Context(), unknown); err != nil {
		t.Fatal(err)
	}
	appended(t, l, logtest.Created("c"), 0)
	last, _ := l.Known()
	blocks := func(after uint64, r reading) (uint64, error) { return groupOf(l).history(t.Context(), after, r) }
	list, upTo, err := read(t, blocks, 0, last, nil, true)
	if failure := (*events.DecodeError)(nil); !errors.As(err, &failure) || failure.Sequence != 3 || len(list) != 2 || upTo != 2 {
		t.Errorf("read %d events to %d (%v), want two and a failure at 3", len(list), upTo, err)
	}
	list, upTo, err = read(t, blocks, 3, last, nil, true)
	if err != nil || upTo != last || len(list) != 2 || list[0].Data != nil || list[1].Data == nil {
		t.Errorf("behind it: read %+v to %d (%v), want one of unknown type and one more", list, upTo, err)
	}
}

// A reading ends with the context, with the fold's error, and when the log is closed.
func TestBlocksEnd(t *testing.T) {
	l, ok := openGrouped(t)
	if !ok {
		return
	}
	appendAll(t, l, accounts(2*blockEvents))
	last, _ := l.Known()
	broken := errors.New("broken")
	for _, c := range []struct {
		name string
		fold func(cancel func()) error
		want error
	}{
		{"fold", func(func()) error { return broken }, broken},
		{"context", func(cancel func()) error { cancel(); return nil }, context.Canceled},
		{"log", func(func()) error { groupOf(l).commit.Close(); return nil }, nil},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		upTo, err := groupOf(l).history(ctx, 0, reading{through: last, fold: func(uint64, []events.Event) error { return c.fold(cancel) }})
		if !errors.Is(err, c.want) || upTo >= last {
			t.Errorf("%s: read to %d of %d (%v), want %v", c.name, upTo, last, err, c.want)
		}
	}
}
