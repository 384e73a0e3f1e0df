package projections

import (
	"testing"
	"time"

	"reckon/events/log"
)

// TestRebuildRestsWhileRequestsCome: a rebuild and a verification go on without a break where
// nobody asks for anything.
func TestRebuildRestsWhileRequestsCome(t *testing.T) {
	v := &Views{index: newReadIndex(new(log.Log))}
	v.index.started = time.Now().Add(-time.Hour)
	now := time.Now()
	asked := func(ago time.Duration) { v.lastRequest.Store(int64(now.Add(-ago).Sub(v.index.started))) }

	if pause := v.pause(time.Millisecond, now); pause != 0 {
		t.Errorf("before the first request a rebuild rests for %s", pause)
	}
	asked(10 * time.Millisecond)
	if pause := v.pause(3*time.Millisecond, now); pause != 3*time.Millisecond {
		t.Errorf("behind 3ms of work it rests for %s", pause)
	}
	if pause := v.pause(time.Minute, now); pause != maxPause {
		t.Errorf("behind a minute of work it rests for %s", pause)
	}
	asked(busyFor)
	if pause := v.pause(time.Millisecond, now); pause != 0 {
		t.Errorf("%s behind the last request it rests for %s", busyFor, pause)
	}
}
