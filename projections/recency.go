package projections

import (
	"cmp"
	"slices"
	"sync"

	"github.com/google/uuid"
)

// recency is the order of every account's conversations by their newest event.
type recency struct {
	mu       sync.RWMutex
	accounts map[uuid.UUID]*order
}

// order is the conversations of one account, oldest activity first. The entries are cut into runs of at most maxRun, so
// that a conversation moves at a cost that hardly depends on how many there are.
type order struct {
	at   map[uuid.UUID]uint64 // sequence of a conversation's entry
	runs [][]entry            // none is empty
}

// entry is a conversation with the sequence of its newest event.
type entry struct {
	sequence     uint64
	conversation uuid.UUID
}

const maxRun = 512

func newRecency() *recency { return &recency{accounts: map[uuid.UUID]*order{}} }

// sequence is that of a conversation's entry, 0 when it has none.
func (s *recency) sequence(key entityKey) uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if o, ok := s.accounts[key.account]; ok {
		return o.at[key.id]
	}
	return 0
}

// set moves a conversation to a sequence, unless it already stands there or later.
func (s *recency) set(key entityKey, sequence uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, ok := s.accounts[key.account]
	if !ok {
		o = &order{at: map[uuid.UUID]uint64{}}
		s.accounts[key.account] = o
	}
	was := o.at[key.id]
	if was >= sequence {
		return
	}
	if was > 0 {
		o.remove(was)
	}
	o.insert(entry{sequence, key.id})
	o.at[key.id] = sequence
}

// newer calls found with all entries behind a sequence.
func (s *recency) newer(sequence uint64, found func(account uuid.UUID, e entry)) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for account, o := range s.accounts {
		for _, run := range slices.Backward(o.runs) {
			for _, e := range run {
				if e.sequence > sequence {
					found(account, e)
				}
			}
			if run[0].sequence <= sequence {
				break
			}
		}
	}
}

// before returns at most limit entries with sequences below one, newest first.
func (s *recency) before(account uuid.UUID, below uint64, limit int) []entry {
	s.mu.RLock()
	defer s.mu.RUnlock()
	o, ok := s.accounts[account]
	if !ok {
		return nil
	}
	var found []entry
	run, at := o.find(below)
	for run >= 0 && len(found) < limit {
		if at == 0 {
			run--
			if run >= 0 {
				at = len(o.runs[run])
			}
			continue
		}
		at--
		found = append(found, o.runs[run][at])
	}
	return found
}

// find is the run that a sequence belongs in and its place there; -1 when there are no runs.
func (o *order) find(sequence uint64) (run, at int) {
	run, ok := slices.BinarySearchFunc(o.runs, sequence, func(r []entry, s uint64) int { return cmp.Compare(r[0].sequence, s) })
	if !ok && run > 0 {
		run--
	}
	if run == len(o.runs) {
		return -1, 0
	}
	at, _ = slices.BinarySearchFunc(o.runs[run], sequence, bySequence)
	return run, at
}

func bySequence(e entry, sequence uint64) int { return cmp.Compare(e.sequence, sequence) }

func (o *order) insert(e entry) {
	run, at := o.find(e.sequence)
	if run < 0 {
		o.runs = [][]entry{{e}}
		return
	}
	entries := o.runs[run]
	switch {
	case len(entries) < maxRun:
		o.runs[run] = slices.Insert(entries, at, e)
	case at == maxRun && run == len(o.runs)-1:
		o.runs = append(o.runs, []entry{e})
	default:
		lower, upper := slices.Clone(entries[:maxRun/2]), slices.Clone(entries[maxRun/2:])
		if at <= maxRun/2 {
			lower = slices.Insert(lower, at, e)
		} else {
			upper = slices.Insert(upper, at-maxRun/2, e)
		}
		o.runs = slices.Replace(o.runs, run, run+1, lower, upper)
	}
}

// remove takes the entry at a sequence out and joins its run to the next one when both are short, so that runs stay few. A run
// that conversations leave by and by gives back the memory that it no longer needs.
func (o *order) remove(sequence uint64) {
	run, at := o.find(sequence)
	o.runs[run] = slices.Delete(o.runs[run], at, at+1)
	if rest := o.runs[run]; run < len(o.runs)-1 && cap(rest)-len(rest) > maxRun/8 {
		o.runs[run] = slices.Clone(rest)
	}
	switch {
	case len(o.runs[run]) == 0:
		o.runs = slices.Delete(o.runs, run, run+1)
	case run+1 < len(o.runs) && len(o.runs[run])+len(o.runs[run+1]) <= maxRun/2:
		o.runs[run] = append(o.runs[run], o.runs[run+1]...)
		o.runs = slices.Delete(o.runs, run+1, run+2)
	}
}
