package commands

import (
	"fmt"
	"sync"
	"time"
)

// Bounds of attempts to sign in that fail, of a user and of an address each.
const (
	maxFailures  = 10
	failureEvery = 30 * time.Second // how long until a failure is forgotten
	maxAttempted = 10_000           // users and addresses that are known
)

// WaitError says that too many attempts failed, and how long the next one has to wait.
type WaitError struct{ For time.Duration }

func (e *WaitError) Error() string {
	return fmt.Sprintf("too many attempts have failed: try again in %d seconds", e.Seconds())
}

// Seconds is how long to wait, in whole seconds.
func (e *WaitError) Seconds() int { return int((e.For + time.Second - 1) / time.Second) }

// attempts counts failures by user and by address. Each is forgotten after a while. An attempt
// counts as failed from its begin until it turns out well, so that many at once are no way around.
type attempts struct {
	mutex  sync.Mutex
	failed map[string]failures
}

// failures are how many there were at a moment, less what is forgotten.
type failures struct {
	count float64
	at    time.Time
}

func (f failures) now(now time.Time) float64 {
	return max(0, f.count-float64(now.Sub(f.at))/float64(failureEvery))
}

// begin counts an attempt for each of some names. It fails with a WaitError where one of them has
// to wait, and counts nothing then.
func (a *attempts) begin(now time.Time, names ...string) error {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	for _, name := range names {
		if over := a.failed[name].now(now) + 1 - maxFailures; over > 0 {
			return &WaitError{time.Duration(over * float64(failureEvery))}
		}
	}
	if len(a.failed) > maxAttempted {
		for name, f := range a.failed {
			if f.now(now) == 0 {
				delete(a.failed, name)
			}
		}
	}
	for _, name := range names {
		a.failed[name] = failures{a.failed[name].now(now) + 1, now}
	}
	return nil
}

// succeed takes an attempt back.
func (a *attempts) succeed(now time.Time, names ...string) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	for _, name := range names {
		a.failed[name] = failures{max(0, a.failed[name].now(now)-1), now}
	}
}
