package commands

import (
	"runtime"
	"sync"
	"time"

	"github.com/google/uuid"
)

const (
	// sliceLength is how long a calculation works before it rests, and sleepLength how long it rests
	// at least; up to 1 ms where no other goroutine wakes the runtime earlier. The more it has worked
	// in all, the longer it rests, up to longSleep: with less than a millisecond to work it is hardly
	// held up, and what takes longer leaves three quarters of its processor to those who ask.
	sliceLength = 250 * time.Microsecond
	sleepLength = 150 * time.Microsecond
	longSleep   = 3 * sliceLength

	// recentFor is how long an account that asked for something counts as there.
	recentFor = 10 * time.Millisecond
)

// recentAccounts knows which accounts asked a node for something last.
type recentAccounts struct {
	mutex        sync.Mutex
	last, before visit // of two accounts
}

type visit struct {
	account uuid.UUID
	at      time.Time
}

func (r *recentAccounts) note(account uuid.UUID) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.last.account != account {
		r.before = r.last
	}
	r.last = visit{account, time.Now()}
}

// others tells whether another account has asked for something in a time that has just passed.
func (r *recentAccounts) others(account uuid.UUID, lately time.Duration) bool {
	now := time.Now()
	r.mutex.Lock()
	defer r.mutex.Unlock()
	other := r.last
	if other.account == account {
		other = r.before
	}
	return now.Sub(other.at) < lately
}

// timeSlice is the time for which a calculation works before it sleeps.
type timeSlice struct {
	recent  *recentAccounts
	account uuid.UUID
	began   time.Time     // zero before the first one
	worked  time.Duration // in those before
}

// yield lets other goroutines run at the end of a slice, and sleeps there where other accounts ask
// for something. To let goroutines run is not enough: a thread that never sleeps has used up its
// share of a processor, and the system lets it wait for that of others, 4 ms and more at a time,
// together with the requests that the runtime has meanwhile put on it. One that sleeps is run at
// once. Within a slice it only looks at the clock, as to let others run wakes a thread each time
// that a processor is idle.
func (s *timeSlice) yield() {
	now := time.Now()
	if !s.began.IsZero() {
		took := now.Sub(s.began)
		if took < sliceLength {
			return
		}
		s.worked += took
		runtime.Gosched()
		if s.recent.others(s.account, recentFor) {
			time.Sleep(min(max(sleepLength, s.worked*3/8), longSleep))
		}
		now = time.Now()
	}
	s.began = now
}
