package commands

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
)

// turns shares slots among accounts. Those of one account go in the order in which they came; where
// several accounts wait, each is served in turn. One account takes no more slots than each, and no
// more than are still free: so a single account has half of them at most, some accounts have equal
// parts, and one that comes later always finds a slot. Where one comes now and then, its slot is of
// little use behind all that is in work for another one: so those of an account can be fewer in
// company.
type turns struct {
	each     int
	shared   int      // instead of each while another account is there
	company  *company // tells who is there; nil for nobody
	mutex    sync.Mutex
	free     int
	accounts map[uuid.UUID]*turn // those that have slots or wait for one
	waiting  []*turn             // those that wait, next first
}

// crowdedFor is how long room is left for an account that has asked for something.
const crowdedFor = 100 * time.Millisecond

// turn is where an account stands.
type turn struct {
	account uuid.UUID
	taken   int
	queue   []chan struct{} // of those who wait, closed when they have a slot
}

func newTurns(slots, each int) *turns {
	return &turns{each: each, free: slots, accounts: map[uuid.UUID]*turn{}}
}

// in gives an account no more than so many slots while others have asked for something lately,
// whether or not they wait.
func (s *turns) in(c *company, shared int) *turns {
	s.company, s.shared = c, shared
	return s
}

// enter waits for a slot, which leave gives back. It fails when ctx ends first.
func (s *turns) enter(ctx context.Context, account uuid.UUID) error {
	s.mutex.Lock()
	t := s.accounts[account]
	if t == nil {
		t = &turn{account: account}
		s.accounts[account] = t
	}
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
			s.waiting = slices.DeleteFunc(s.waiting, func(other *turn) bool { return other == t })
		}
		s.forget(t)
		return ctx.Err()
	}
	s.give(t)
	return ctx.Err()
}

// leave gives a slot of an account back.
func (s *turns) leave(account uuid.UUID) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.give(s.accounts[account])
}

// give gives a slot back and serves those who wait.
func (s *turns) give(t *turn) {
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
func (s *turns) take(t *turn) bool {
	each := s.each
	if s.company != nil && s.company.besides(t.account, crowdedFor) {
		each = min(each, s.shared)
	}
	if t.taken >= min(each, s.free) {
		return false
	}
	t.taken++
	s.free--
	return true
}

// forget drops an account that has nothing and waits for nothing.
func (s *turns) forget(t *turn) {
	if t.taken == 0 && len(t.queue) == 0 {
		delete(s.accounts, t.account)
	}
}
