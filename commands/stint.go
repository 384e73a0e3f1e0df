package commands

import (
	"runtime"
	"sync"
	"time"

	"github.com/google/uuid"
)

const (
	// stintLength is how long a calculation works before it rests, and restLength how long it rests at
	// least; up to 1 ms where no other goroutine wakes the runtime earlier.
	stintLength = 500 * time.Microsecond
	restLength  = 150 * time.Microsecond

	// companyFor is how long an account that asked for something counts as there.
	companyFor = 10 * time.Millisecond
)

// company knows which accounts asked a node for something last.
type company struct {
	mutex        sync.Mutex
	last, before visit // of two accounts
}

type visit struct {
	account uuid.UUID
	at      time.Time
}

func (c *company) note(account uuid.UUID) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.last.account != account {
		c.before = c.last
	}
	c.last = visit{account, time.Now()}
}

// besides tells whether another account has asked for something in a time that has just passed.
func (c *company) besides(account uuid.UUID, lately time.Duration) bool {
	now := time.Now()
	c.mutex.Lock()
	defer c.mutex.Unlock()
	other := c.last
	if other.account == account {
		other = c.before
	}
	return now.Sub(other.at) < lately
}

// stint is the time for which a calculation works without a rest.
type stint struct {
	company *company
	account uuid.UUID
	began   time.Time // zero before the first one
}

// rest lets other goroutines run, and sleeps at the end of a stint where other accounts ask for
// something. To let goroutines run is not enough: a thread that never sleeps has used up its share
// of a processor, and the system lets it wait for that of others, 4 ms and more at a time, together
// with the requests that the runtime has meanwhile put on it. One that sleeps is run at once.
func (s *stint) rest() {
	runtime.Gosched()
	now := time.Now()
	if !s.began.IsZero() {
		if now.Sub(s.began) < stintLength {
			return
		}
		if s.company.besides(s.account, companyFor) {
			time.Sleep(restLength)
			now = time.Now()
		}
	}
	s.began = now
}
