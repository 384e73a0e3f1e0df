package commands

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
)

// FairSemaphore shares slots among accounts. Those of one account go in the order in which they
// came; where several accounts wait, each is served in turn. One account takes no more slots than
// each, and no more than are still free: so a single account has half of them at most, some
// accounts have equal parts, and one that comes later always finds a slot. Where one comes now and
// then, its slot is of little use behind all that is in work for another one: so those of an
// account can be fewer while it is contended.
type FairSemaphore struct {
	each      int
	contended int             // instead of each while another account has asked for something lately, whether or not it waits
	recent    *recentAccounts // tells who is there; nil for nobody
	mutex     sync.Mutex
	slots     int // in all
	free      int
	accounts  map[uuid.UUID]*share // those that have slots or wait for one
	waiting   []*share             // those that wait, next first
}

// contendedFor is how long slots are left for an account that has asked for something.
const contendedFor = 100 * time.Millisecond

// share is what an account has of a semaphore, and who waits for more.
type share struct {
	account uuid.UUID
	taken   int
	queue   []chan struct{} // of those who wait, closed when they have a slot
}

// NewFairSemaphore has so many slots, of which an account takes no more than each.
func NewFairSemaphore(slots, each int) *FairSemaphore {
	return &FairSemaphore{each: each, slots: slots, free: slots, accounts: map[uuid.UUID]*share{}}
}

// Acquire waits for a slot, which release gives back. It fails when ctx ends first.
func (s *FairSemaphore) Acquire(ctx context.Context, account uuid.UUID) error {
	s.mutex.Lock()
	t := s.of(account)
	if len(t.queue) == 0 && s.take(t) {
		s.mutex.Unlock()
		return nil
	}
	mine := make(chan struct{})
	t.queue = append(t.queue, mine)
	if len(t.queue) == 1 {
		s.waiting = append(s.waiting, t)
	}
	s.mutex.Unlock()
	select {
	case <-mine:
		return nil
	case <-ctx.Done():
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if at := slices.Index(t.queue, mine); at >= 0 {
		t.queue = slices.Delete(t.queue, at, at+1)
		if len(t.queue) == 0 {
			s.waiting = slices.DeleteFunc(s.waiting, func(other *share) bool { return other == t })
		}
		s.forget(t)
		return ctx.Err()
	}
	s.give(t)
	return ctx.Err()
}

// TryAcquire is Acquire where a slot is there at once, and tells whether it was.
func (s *FairSemaphore) TryAcquire(account uuid.UUID) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	t := s.of(account)
	ok := len(t.queue) == 0 && s.take(t)
	s.forget(t)
	return ok
}

// of is what an account has.
func (s *FairSemaphore) of(account uuid.UUID) *share {
	t := s.accounts[account]
	if t == nil {
		t = &share{account: account}
		s.accounts[account] = t
	}
	return t
}

// Release gives a slot of an account back.
func (s *FairSemaphore) Release(account uuid.UUID) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.give(s.accounts[account])
}

// Slots is how many slots there are.
func (s *FairSemaphore) Slots() int { return s.slots }

// Load is how many slots are taken, and how many wait for one.
func (s *FairSemaphore) Load() (taken, waiting int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, t := range s.accounts {
		taken += t.taken
		waiting += len(t.queue)
	}
	return taken, waiting
}

// give gives a slot back and serves those who wait.
func (s *FairSemaphore) give(t *share) {
	t.taken--
	s.free++
	for i := 0; i < len(s.waiting); i++ {
		next := s.waiting[i]
		if !s.take(next) {
			continue
		}
		close(next.queue[0])
		next.queue = next.queue[1:]
		s.waiting = slices.Delete(s.waiting, i, i+1)
		if len(next.queue) > 0 {
			s.waiting = append(s.waiting, next)
		}
		i = -1
	}
	s.forget(t)
}

// take takes a slot for an account if it may have one more.
func (s *FairSemaphore) take(t *share) bool {
	each := s.each
	if s.recent != nil && s.recent.others(t.account, contendedFor) {
		each = min(each, s.contended)
	}
	if t.taken >= min(each, s.free) {
		return false
	}
	t.taken++
	s.free--
	return true
}

// forget drops an account that has nothing and waits for nothing.
func (s *FairSemaphore) forget(t *share) {
	if t.taken == 0 && len(t.queue) == 0 {
		delete(s.accounts, t.account)
	}
}
