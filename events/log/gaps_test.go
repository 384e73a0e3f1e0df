package log

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
	"reckon/events/log/logtest"
)

// Events that were deleted are passed over, whatever reads; others are not.
func TestGaps(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		what    string
		deleted []uint64
		left    []uint64
	}{
		{"none", nil, []uint64{1, 2, 3, 4, 5, 6}},
		{"one", []uint64{3}, []uint64{1, 2, 4, 5, 6}},
		{"several", []uint64{2, 4, 3}, []uint64{1, 5, 6}},
		{"the first", []uint64{1, 2}, []uint64{3, 4, 5, 6}},
	} {
		t.Run(row.what, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			l := open(t, dir)
			for range 6 {
				appended(t, l, logtest.Created("a"), 0)
			}
			s, err := l.js.Stream(t.Context(), EventsStream)
			for _, sequence := range row.deleted {
				if err == nil {
					err = s.SecureDeleteMsg(t.Context(), sequence)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			read := func(how string, l *Log) {
				t.Helper()
				var got []uint64
				if err := l.Scan(t.Context(), 0, 6, nil, func(_ uint64, list []events.Event) error {
					for _, e := range list {
						got = append(got, e.Sequence)
					}
					return nil
				}); err != nil || !reflect.DeepEqual(got, row.left) {
					t.Errorf("%s: the events are %v (%v), want %v", how, got, err, row.left)
				}
			}
			read("at once", l)
			joined, err := Join(t.Context(), Options{Dir: dir})
			if err != nil {
				t.Fatal(err)
			}
			read("by another process", joined)
			if err := errors.Join(joined.Close(), l.Close()); err != nil {
				t.Fatal(err)
			}
			l = open(t, dir)
			appended(t, l, logtest.Created("a"), 0)
			read("opened again", l)
		})
	}
}

// What is passed over and was not deleted ends the fold.
func TestMissingEventsEndTheFold(t *testing.T) {
	t.Parallel()
	l := open(t, t.TempDir())
	for range 6 {
		appended(t, l, logtest.Created("a"), 0)
	}
	s, err := l.js.Stream(t.Context(), EventsStream)
	if err == nil {
		err = s.SecureDeleteMsg(t.Context(), 2)
	}
	if err != nil {
		t.Fatal(err)
	}
	fold := l.withoutGaps(t.Context(), 0, func(uint64, []events.Event) error { return nil })
	if err := fold(3, []events.Event{{Sequence: 1}, {Sequence: 3}}); err != nil {
		t.Errorf("an event that was deleted: %v", err)
	}
	if err := fold(6, []events.Event{{Sequence: 6}}); !errors.Is(err, ErrDamaged) || err.Error() != "the log is damaged: events 4 to 5 are not there, and were not deleted" {
		t.Errorf("two events that are passed over: %v", err)
	}
}

// An event that was deleted on all nodes is missing on none.
func TestGapsOfACluster(t *testing.T) {
	t.Parallel()
	c := newTrio(t)
	for range 6 {
		c.Append(t, 0, logtest.Created("a"), 0)
	}
	logtest.Until(t, "delete", func(ctx context.Context) error {
		s, err := c.Logs[1].js.Stream(ctx, EventsStream)
		if err == nil {
			err = s.SecureDeleteMsg(ctx, 3)
		}
		var api *jetstream.APIError
		if errors.As(err, &api) && api.ErrorCode == 10043 { // it is deleted already
			return nil
		}
		return err
	})
	for i, l := range c.Logs {
		last := uint64(0)
		logtest.Until(t, "read", func(ctx context.Context) error {
			return l.Scan(ctx, 0, 6, nil, func(_ uint64, list []events.Event) error {
				last = list[len(list)-1].Sequence
				return nil
			})
		})
		if last != 6 {
			t.Errorf("node %d reads up to %d, want 6", i, last)
		}
	}
}

// A reading up to an event that was deleted, with all behind it or not, ends there.
func TestReadingUpToADeletedEvent(t *testing.T) {
	t.Parallel()
	for what, open := range map[string]func(*testing.T) *Log{
		"the log alone": func(t *testing.T) *Log { return open(t, t.TempDir()) },
		"a consumer":    openConsumed,
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			l := open(t)
			for range 6 {
				appended(t, l, logtest.Created("a"), 0)
			}
			s, err := l.js.Stream(t.Context(), EventsStream)
			for sequence := uint64(4); sequence <= 6 && err == nil; sequence++ {
				err = s.SecureDeleteMsg(t.Context(), sequence)
			}
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			for _, want := range []struct{ after, through, last uint64 }{{0, 5, 3}, {0, 6, 3}, {3, 6, 0}, {4, 5, 0}} {
				last, known := uint64(0), uint64(0)
				err := l.Scan(ctx, want.after, want.through, nil, func(upTo uint64, list []events.Event) error {
					for _, e := range list {
						last = e.Sequence
					}
					known = upTo
					return nil
				})
				if err != nil || last != want.last || known != want.through {
					t.Errorf("from %d to %d: event %d is the last, and it knows up to %d: %v", want.after, want.through, last, known, err)
				}
			}
		})
	}
}
