package commands

import (
	"sync"

	"github.com/google/uuid"
)

// writers are those who append to conversations, one at a time to each. Whoever waits for one
// conversation holds nobody else up.
type writers struct {
	mutex sync.Mutex
	byID  map[uuid.UUID]*writer
}

type writer struct {
	sync.Mutex
	wanted int // by how many, with the one who has it
}

// lock waits until nobody else writes to a conversation, and returns what lets the next one write.
func (s *writers) lock(conversation uuid.UUID) (unlock func()) {
	s.mutex.Lock()
	w := s.byID[conversation]
	if w == nil {
		if s.byID == nil {
			s.byID = map[uuid.UUID]*writer{}
		}
		w = &writer{}
		s.byID[conversation] = w
	}
	w.wanted++
	s.mutex.Unlock()
	w.Lock()
	return func() {
		w.Unlock()
		s.mutex.Lock()
		defer s.mutex.Unlock()
		if w.wanted--; w.wanted == 0 {
			delete(s.byID, conversation)
		}
	}
}
