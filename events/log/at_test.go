package log

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"

	"reckon/events"
	"reckon/events/log/logtest"
)

// bothWays runs a test of reading events by sequence: in the way that the log takes, and from the server.
func bothWays(t *testing.T, l *Log, test func(t *testing.T, read func(context.Context, []uint64) ([]events.Event, error))) {
	t.Run("log", func(t *testing.T) { test(t, l.AtAll) })
	t.Run("server", func(t *testing.T) { test(t, l.fromServer) })
}

func TestEventsAreReadBySequence(t *testing.T) {
	l := open(t, t.TempDir())
	var ids []uuid.UUID
	for range 600 {
		e := logtest.Created("a")
		appended(t, l, e, 0)
		ids = append(ids, e.ID)
	}
	var all, odd []uint64
	for n := uint64(1); n <= 600; n++ {
		all = append(all, n)
		if n%2 == 1 {
			odd = append(odd, n)
		}
	}
	backwards := slices.Clone(all)
	slices.Reverse(backwards)
	bothWays(t, l, func(t *testing.T, read func(context.Context, []uint64) ([]events.Event, error)) {
		for name, wanted := range map[string][]uint64{
			"none": nil, "one": {7}, "the last": {600}, "twice": {7, 7, 7}, "all": all, "odd": odd, "backwards": backwards,
			"runs": {3, 4, 5, 9, 1, 2, 599, 600, 10},
		} {
			list, err := read(t.Context(), wanted)
			if err != nil || len(list) != len(wanted) {
				t.Fatalf("%s: %d events, %v", name, len(list), err)
			}
			for i, e := range list {
				if e.Sequence != wanted[i] || e.ID != ids[wanted[i]-1] || e.Subject.Account() == uuid.Nil {
					t.Errorf("%s: in place of event %d stands %d on %s", name, wanted[i], e.Sequence, e.Subject)
				}
				if _, ok := e.Data.(*events.AccountCreated); !ok {
					t.Errorf("%s: event %d is a %T", name, e.Sequence, e.Data)
				}
			}
		}
		for _, wanted := range [][]uint64{{601}, {599, 600, 601}, {5, 601, 7}} {
			if _, err := read(t.Context(), wanted); !errors.Is(err, ErrNotFound) {
				t.Errorf("%v: %v", wanted, err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := read(ctx, []uint64{1, 5}); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	})
}

// A request is answered with some megabytes at most; what is missing then is read all the same.
func TestLargeEventsAreReadBySequence(t *testing.T) {
	l := open(t, t.TempDir())
	name := strings.Repeat("x", 3<<20)
	for range 20 {
		appended(t, l, logtest.Created(name), 0)
	}
	bothWays(t, l, func(t *testing.T, read func(context.Context, []uint64) ([]events.Event, error)) {
		for _, wanted := range [][]uint64{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20}} {
			list, err := read(t.Context(), wanted)
			if err != nil {
				t.Fatal(err)
			}
			for i, e := range list {
				if e.Sequence != wanted[i] || e.Data.(*events.AccountCreated).Name != name {
					t.Errorf("in place of event %d stands %d", wanted[i], e.Sequence)
				}
			}
		}
	})
}

func TestABrokenEventIsNotReadBySequence(t *testing.T) {
	l := open(t, t.TempDir())
	appended(t, l, logtest.Created("a"), 0)
	m, err := Message(logtest.Created("b"))
	if err != nil {
		t.Fatal(err)
	}
	m.Data = []byte("no JSON")
	if _, err := l.js.PublishMsg(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	unknown := &nats.Msg{Subject: events.AccountSubject(uuid.New()).String(), Data: []byte("{}"), Header: nats.Header{events.HeaderType: {"reckon.other.v1"}}}
	if _, err := l.js.PublishMsg(t.Context(), unknown); err != nil {
		t.Fatal(err)
	}
	bothWays(t, l, func(t *testing.T, read func(context.Context, []uint64) ([]events.Event, error)) {
		for _, wanted := range [][]uint64{{2}, {1, 2}, {3, 1, 2}} {
			var broken *events.DecodeError
			if _, err := read(t.Context(), wanted); !errors.As(err, &broken) || broken.Sequence != 2 {
				t.Errorf("%v: %v", wanted, err)
			}
		}
		if list, err := read(t.Context(), []uint64{1, 3}); err != nil || list[0].Data == nil || list[1].Data != nil {
			t.Errorf("an event of unknown type: %+v, %v", list, err)
		}
	})
}
