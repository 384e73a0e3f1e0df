package log

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/events/log/logtest"
)

func TestEventsAreFound(t *testing.T) {
	l := open(t, t.TempDir())
	before := time.Now()
	appended(t, l, logtest.Created("a"), 0)
	second := logtest.Created("b")
	middle := time.Now()
	sequence := appended(t, l, second, 0)
	for _, c := range []struct {
		at   time.Time
		want uint64
	}{{before, sequence - 1}, {time.Time{}, sequence - 1}, {middle, sequence}} {
		if got, err := l.Since(t.Context(), c.at); err != nil || got != c.want {
			t.Errorf("since %v: %d, %v; want %d", c.at, got, err, c.want)
		}
	}
	for _, at := range []time.Time{time.Now().Add(time.Hour), time.Unix(1<<38, 0)} {
		if _, err := l.Since(t.Context(), at); !errors.Is(err, ErrNotFound) {
			t.Errorf("since %s: %v", at, err)
		}
	}
	if e, err := l.At(t.Context(), sequence); err != nil || e.ID != second.ID {
		t.Errorf("event %d: %v, %v", sequence, e.ID, err)
	}
	if _, err := l.At(t.Context(), sequence+1); !errors.Is(err, ErrNotFound) {
		t.Errorf("an event that is not there: %v", err)
	}
}

// Any replica answers a direct get, also one that lags behind; where those are not allowed, only the leader is left.
func TestSinceAsksTheLeader(t *testing.T) {
	l := open(t, t.TempDir())
	sequence := appended(t, l, logtest.Created("a"), 0)
	config := eventsConfig()
	config.AllowDirect = false
	if _, err := l.js.UpdateStream(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	if got, err := l.Since(t.Context(), time.Time{}); err != nil || got != sequence {
		t.Errorf("the first event is %d, %v; want %d", got, err, sequence)
	}
	if _, err := l.Since(t.Context(), time.Now().Add(time.Hour)); !errors.Is(err, ErrNotFound) {
		t.Errorf("none: %v", err)
	}
}

func TestConversationIsFoundWithoutItsAccount(t *testing.T) {
	l := open(t, t.TempDir())
	account, id := uuid.New(), uuid.New()
	e := logtest.Created("a")
	e.Subject = events.ConversationSubject(account, id)
	appended(t, l, e, 0)
	if s, err := l.Conversation(t.Context(), id); err != nil || s != e.Subject {
		t.Errorf("found %s, %v", s, err)
	}
	if _, err := l.Conversation(t.Context(), uuid.New()); !errors.Is(err, ErrNotFound) {
		t.Errorf("none: %v", err)
	}
}
