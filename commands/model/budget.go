package model

import (
	"sync"
	"time"

	"github.com/google/uuid"
)

// budget counts the requests that each account has caused in an hour of the clock, second attempts
// included.
type budget struct {
	limit int // requests of an account in an hour, 0 for any number
	mutex sync.Mutex
	hour  time.Time
	spent map[uuid.UUID]int // in that hour; one more than the limit where a request was refused
}

// take spends one request of an account. Where there is none left, first reports whether it is the
// first that is refused in this hour.
func (b *budget) take(account uuid.UUID, now time.Time) (taken, first bool) {
	if b.limit == 0 {
		return true, false
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if hour := now.Truncate(time.Hour); !hour.Equal(b.hour) {
		b.hour, b.spent = hour, map[uuid.UUID]int{}
	}
	spent := b.spent[account]
	if spent <= b.limit {
		b.spent[account]++
	}
	return spent < b.limit, spent == b.limit
}
