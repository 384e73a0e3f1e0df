package commands

import (
	"sync"

	"github.com/google/uuid"
)

// keyedMutex is a mutex for each key. Whoever waits for one holds nobody else up, and a key that
// nobody wants takes no memory.
type keyedMutex struct {
	mutex sync.Mutex
	byKey map[uuid.UUID]*countedMutex
}

type countedMutex struct {
	sync.Mutex
	wanted int // by how many, with the one who has it
}

// lock waits until nobody else has a key, and returns what gives it back.
func (s *keyedMutex) lock(key uuid.UUID) (unlock func()) {
	s.mutex.Lock()
	w := s.byKey[key]
	if w == nil {
		if s.byKey == nil {
			s.byKey = map[uuid.UUID]*countedMutex{}
		}
		w = &countedMutex{}
		s.byKey[key] = w
	}
	w.wanted++
	s.mutex.Unlock()
	w.Lock()
	return func() {
		w.Unlock()
		s.mutex.Lock()
		defer s.mutex.Unlock()
		if w.wanted--; w.wanted == 0 {
			delete(s.byKey, key)
		}
	}
}
