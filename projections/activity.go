package projections

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/google/uuid"
)

// Page is one page of an account's conversations, most recently active first. Next is nil on the last page. Newest is what
// Views.Newest says of the state that the page shows, 0 when the fold changed it meanwhile: pages of the same account, limit, cursor
// and Newest are equal.
type Page struct {
	Conversations []Conversation
	Next          *uuid.UUID
	Newest        uint64
}

// ErrCursor says that a cursor is none that this service gave to this account.
var ErrCursor = errors.New("not a cursor")

// Conversations pages through an account's conversations; after is the Next of the page before, nil for the first. Pages
// follow the order of the newest events: a conversation that moves while a caller pages may be seen again at the top of a
// new first page, one that does not move is seen exactly once. The time does not depend on the size of the account. A
// limit below 1 counts as 1.
func (v *Views) Conversations(ctx context.Context, account uuid.UUID, limit int, after *uuid.UUID) (Page, error) {
	limit = max(limit, 1)
	below := ^uint64(0)
	if after != nil {
		position, ok := cursorPosition(account, *after)
		if !ok {
			return Page{}, ErrCursor
		}
		below = position
	}
	g, done := v.use()
	defer done()
	newest, turn := g.newest(account)
	entries := g.activity.before(account, below, limit+1)
	var page Page
	if len(entries) > limit {
		entries = entries[:limit]
		next := cursorAt(account, entries[limit-1].sequence)
		page.Next = &next
	}
	exact := true
	page.Conversations = make([]Conversation, 0, len(entries))
	for chunk := range slices.Chunk(entries, maxKeys) {
		keys := make([]conversationKey, len(chunk))
		for i, e := range chunk {
			keys[i] = conversationKey{account, e.conversation}
		}
		heads, err := g.heads(ctx, keys)
		if err != nil {
			return Page{}, err
		}
		for i, key := range keys {
			h, ok := heads[key]
			if !ok {
				return Page{}, fmt.Errorf("read conversation %s: it is listed but not there", key.conversation)
			}
			exact = exact && h.Sequence == chunk[i].sequence
			page.Conversations = append(page.Conversations, h.Conversation)
		}
	}
	if exact && g.turn.Load() == turn {
		page.Newest = newest
	}
	return page, nil
}

// Newest is the sequence of the newest event of an account's conversations, up to which all is shown and nothing beyond. It is 0
// while the fold is changing what is shown, and of an account without conversations.
func (v *Views) Newest(account uuid.UUID) uint64 {
	newest, _ := v.serving.Load().newest(account)
	return newest
}

// newest is Views.Newest with the turn that it is of.
func (g *generation) newest(account uuid.UUID) (sequence, turn uint64) {
	turn = g.turn.Load()
	sequence = g.activity.newest(account)
	if turn%2 == 1 || g.turn.Load() != turn {
		return 0, turn
	}
	return sequence, turn
}

// loadActivity reads the order of all conversations from their heads.
func (g *generation) loadActivity(ctx context.Context) error {
	type standing struct {
		key              conversationKey
		sequence, record uint64
	}
	var all []standing
	err := g.store.conversations.each(ctx, "", func(name string, record uint64, value []byte) error {
		key, rest, ok := parseKey(name)
		if !ok || rest != "" {
			return nil // a page
		}
		sequence, ok := sequenceOf(value)
		if !ok {
			return fmt.Errorf("conversation %s names no event", name)
		}
		all = append(all, standing{key, sequence, record})
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b standing) int { return cmp.Compare(a.sequence, b.sequence) })
	for _, at := range all {
		g.activity.set(at.key, at.sequence)
		g.activity.wrote(at.key, at.record)
	}
	return nil
}

// cursorAt is a cursor that continues below a sequence: a UUID of version 8 whose last 56 bits are the sequence and whose
// other bits are a check value of account and sequence. The check keeps random UUIDs and cursors of other accounts out;
// it is no secret.
func cursorAt(account uuid.UUID, sequence uint64) uuid.UUID {
	var cursor uuid.UUID
	binary.BigEndian.PutUint64(cursor[8:], sequence)
	check := sha256.Sum256(append(account[:], cursor[9:]...))
	copy(cursor[:9], check[:])
	cursor[6] = cursor[6]&0x0f | 0x80
	cursor[8] = cursor[8]&0x3f | 0x80
	return cursor
}

// cursorPosition is the sequence that a cursor continues below; ok is false for a UUID that is none of this account's.
func cursorPosition(account, cursor uuid.UUID) (sequence uint64, ok bool) {
	sequence = binary.BigEndian.Uint64(cursor[8:]) & (1<<56 - 1)
	return sequence, cursorAt(account, sequence) == cursor
}

// activity is the order of every account's conversations by their newest event.
type activity struct {
	mu       sync.RWMutex
	accounts map[uuid.UUID]*order
}

// order is the conversations of one account, oldest activity first. The entries are cut into runs of at most maxRun, so
// that a conversation moves at a cost that hardly depends on how many there are.
type order struct {
	at   map[uuid.UUID]position
	runs [][]entry // none is empty
}

// position is where a conversation stands.
type position struct {
	entry  uint64 // sequence of its entry
	record uint64 // sequence in the bucket's stream of its head as it was written last, 0 when it was not
}

// entry is a conversation with the sequence of its newest event.
type entry struct {
	sequence     uint64
	conversation uuid.UUID
}

const maxRun = 512

func newActivity() *activity { return &activity{accounts: map[uuid.UUID]*order{}} }

// known tells whether a conversation has an entry.
func (s *activity) known(key conversationKey) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	o, ok := s.accounts[key.account]
	return ok && o.at[key.conversation].entry > 0
}

// record is what wrote noted of a conversation last, 0 for nothing.
func (s *activity) record(key conversationKey) uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if o, ok := s.accounts[key.account]; ok {
		return o.at[key.conversation].record
	}
	return 0
}

// wrote notes where the head of a conversation was written, which may have no entry yet.
func (s *activity) wrote(key conversationKey, record uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.of(key.account)
	at := o.at[key.conversation]
	at.record = record
	o.at[key.conversation] = at
}

// of is the order of an account. It is called with the lock held.
func (s *activity) of(account uuid.UUID) *order {
	o, ok := s.accounts[account]
	if !ok {
		o = &order{at: map[uuid.UUID]position{}}
		s.accounts[account] = o
	}
	return o
}

// set moves a conversation to a sequence, unless it already stands there or later.
func (s *activity) set(key conversationKey, sequence uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.of(key.account)
	at := o.at[key.conversation]
	if at.entry >= sequence {
		return
	}
	if at.entry > 0 {
		o.remove(at.entry)
	}
	o.insert(entry{sequence, key.conversation})
	at.entry = sequence
	o.at[key.conversation] = at
}

// newest is the sequence of the newest entry of an account, 0 for none.
func (s *activity) newest(account uuid.UUID) uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	o, ok := s.accounts[account]
	if !ok || len(o.runs) == 0 {
		return 0
	}
	last := o.runs[len(o.runs)-1]
	return last[len(last)-1].sequence
}

// before returns at most limit entries with sequences below one, newest first.
func (s *activity) before(account uuid.UUID, below uint64, limit int) []entry {
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
