package projections

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/google/btree"
	"github.com/google/uuid"
)

// recency is the order of every account's conversations by the newest event of their messages.
type recency struct {
	mu       sync.RWMutex
	accounts map[uuid.UUID]*order
}

// order is the conversations of one account: a B-tree, so that a conversation moves at a cost that
// hardly depends on how many there are.
type order struct {
	at        map[uuid.UUID]uint64 // sequence of a conversation's entry, or of its erasure
	described map[uuid.UUID]uint64 // newest event of those that were described since
	ever      map[uuid.UUID]bool   // those that were described at any time
	entries   *btree.BTreeG[entry]
	erased    []entry // in the order of their erasures
	newest    uint64  // newest event of all
}

// entry is a conversation with the sequence of the newest event of its messages.
type entry struct {
	sequence     uint64
	conversation uuid.UUID
}

// degree is half of the entries that a node of the tree has at most.
const degree = 64

func newRecency() *recency { return &recency{accounts: map[uuid.UUID]*order{}} }

// sequence is that of a conversation's newest event, its erasure included, 0 when it has none.
func (s *recency) sequence(key entityKey) uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if o, ok := s.accounts[key.account]; ok {
		return max(o.at[key.id], o.described[key.id])
	}
	return 0
}

// newest is the sequence of the newest event of an account's conversations, 0 for none.
func (s *recency) newest(account uuid.UUID) uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if o, ok := s.accounts[account]; ok {
		return o.newest
	}
	return 0
}

// describe notes the newest event of a conversation that describes it and leaves its place.
func (s *recency) describe(key entityKey, sequence uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o, ok := s.accounts[key.account]; ok && max(o.at[key.id], o.described[key.id]) < sequence {
		o.described[key.id], o.newest = sequence, max(o.newest, sequence)
	}
}

// wasDescribed notes that a conversation was described at some time.
func (s *recency) wasDescribed(key entityKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.of(key.account).ever[key.id] = true
}

// everDescribed are the conversations of an account that were, in no order.
func (s *recency) everDescribed(account uuid.UUID) []uuid.UUID {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if o, ok := s.accounts[account]; ok {
		return slices.Collect(maps.Keys(o.ever))
	}
	return nil
}

// set moves a conversation to a sequence, unless it already stands there or later.
func (s *recency) set(key entityKey, sequence uint64) {
	if sequence == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.of(key.account)
	was := o.at[key.id]
	if was >= sequence {
		return
	}
	o.entries.Delete(entry{sequence: was})
	o.entries.ReplaceOrInsert(entry{sequence, key.id})
	o.at[key.id], o.newest = sequence, max(o.newest, sequence)
	if o.described[key.id] < sequence {
		delete(o.described, key.id)
	}
}

// of is the order of an account. It is called with mu held.
func (s *recency) of(account uuid.UUID) *order {
	o, ok := s.accounts[account]
	if !ok {
		older := func(a, b entry) bool { return a.sequence < b.sequence }
		o = &order{at: map[uuid.UUID]uint64{}, described: map[uuid.UUID]uint64{}, ever: map[uuid.UUID]bool{}, entries: btree.NewG(degree, older)}
		s.accounts[account] = o
	}
	return o
}

// erase takes a conversation out of the order, which was erased by the event with a sequence.
func (s *recency) erase(key entityKey, sequence uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.of(key.account)
	o.entries.Delete(entry{sequence: o.at[key.id]})
	if at, known := o.erasure(sequence); !known {
		o.erased = slices.Insert(o.erased, at, entry{sequence, key.id})
	}
	delete(o.described, key.id)
	delete(o.ever, key.id)
	o.at[key.id], o.newest = sequence, max(o.newest, sequence)
}

// erasedBy is the sequence of the event that erased a conversation, 0 for one that is not erased.
func (s *recency) erasedBy(key entityKey) uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if o, ok := s.accounts[key.account]; ok {
		if _, known := o.erasure(o.at[key.id]); known {
			return o.at[key.id]
		}
	}
	return 0
}

// erasure is the place of an erasure among the others, and whether it is there.
func (o *order) erasure(sequence uint64) (at int, known bool) {
	return slices.BinarySearchFunc(o.erased, sequence, func(e entry, s uint64) int { return cmp.Compare(e.sequence, s) })
}

// newer calls found with the newest event, where it is behind a sequence, of all conversations.
func (s *recency) newer(sequence uint64, found func(account uuid.UUID, e entry)) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for account, o := range s.accounts {
		o.entries.DescendGreaterThan(entry{sequence: sequence}, func(e entry) bool {
			found(account, e)
			return true
		})
		for conversation, at := range o.described {
			if at > sequence {
				found(account, entry{at, conversation})
			}
		}
	}
}

// oldest returns at most limit entries, oldest first.
func (s *recency) oldest(account uuid.UUID, limit int) []entry {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var found []entry
	if o, ok := s.accounts[account]; ok {
		o.entries.Ascend(func(e entry) bool {
			found = append(found, e)
			return len(found) < limit
		})
	}
	return found
}

// before returns at most limit entries with sequences below one, newest first.
func (s *recency) before(account uuid.UUID, below uint64, limit int) []entry {
	s.mu.RLock()
	defer s.mu.RUnlock()
	o, ok := s.accounts[account]
	if !ok || below == 0 {
		return nil
	}
	var found []entry
	o.entries.DescendLessOrEqual(entry{sequence: below - 1}, func(e entry) bool {
		found = append(found, e)
		return len(found) < limit
	})
	return found
}

// behind returns at most limit entries with sequences above one, oldest first.
func (s *recency) behind(account uuid.UUID, above uint64, limit int) (found []entry) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	o, ok := s.accounts[account]
	if !ok {
		return nil
	}
	o.entries.AscendGreaterOrEqual(entry{sequence: above + 1}, func(e entry) bool {
		found = append(found, e)
		return len(found) < limit
	})
	return found
}

// movedBehind returns the conversations that were described behind a sequence, in no order, and the
// erasures behind it.
func (s *recency) movedBehind(account uuid.UUID, sequence uint64) (described []entityKey, erased []change) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	o, ok := s.accounts[account]
	if !ok {
		return nil, nil
	}
	for conversation, at := range o.described {
		if at > sequence {
			described = append(described, entityKey{account, conversation})
		}
	}
	first, _ := o.erasure(sequence + 1)
	for _, e := range o.erased[first:] {
		erased = append(erased, change{sequence: e.sequence, conversation: e.conversation, erased: true})
	}
	return described, erased
}
