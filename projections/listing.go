package projections

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
)

// Page is one page of an account's conversations, most recently active first. Next is nil on the
// last page. Newest is what Views.Newest says of the state that the page shows, 0 when the fold
// changed it meanwhile: pages of the same account, limit, cursor and Newest are equal.
type Page struct {
	Conversations []Conversation
	Next          *uuid.UUID
	Newest        uint64
}

// ErrCursor says that a cursor is none that this service gave to this account.
var ErrCursor = errors.New("not a cursor")

// Conversations pages through an account's conversations; after is the Next of the page before, nil
// for the first. Pages follow the order of the newest messages: a conversation that moves while a
// caller pages may be seen again at the top of a new first page, one that does not move is seen
// exactly once. The time does not depend on the size of the account. A limit below 1 counts as 1.
func (v *Views) Conversations(ctx context.Context, account uuid.UUID, limit int, after *uuid.UUID) (Page, error) {
	limit = max(limit, 1)
	below := ^uint64(0)
	if after != nil {
		position, ok := Position(account, *after)
		if !ok {
			return Page{}, ErrCursor
		}
		below = position
	}
	g, done := v.use()
	defer done()
	s := viewOf[*conversations](g)
	newest, version := s.newest(account)
	entries := s.recency.before(account, below, limit+1)
	var page Page
	if len(entries) > limit {
		entries = entries[:limit]
		next := Cursor(account, entries[limit-1].sequence)
		page.Next = &next
	}
	exact := true
	page.Conversations = make([]Conversation, 0, len(entries))
	for chunk := range slices.Chunk(entries, maxKeys) {
		keys := make([]entityKey, len(chunk))
		for i, e := range chunk {
			keys[i] = entityKey{account, e.conversation}
		}
		heads, err := s.readHeads(ctx, keys)
		if err != nil {
			return Page{}, err
		}
		for _, key := range keys {
			h, ok := heads[key]
			if !ok {
				return Page{}, fmt.Errorf("read conversation %s: it is listed but not there", key.id)
			}
			exact = exact && h.Sequence == s.recency.sequence(key)
			if h.Erased { // meanwhile
				continue
			}
			page.Conversations = append(page.Conversations, h.Conversation)
		}
	}
	if exact && s.version.Load() == version {
		page.Newest = newest
	}
	return page, nil
}

// Newest is the sequence of the newest event of an account's conversations, erasures among them, up
// to which all is shown and nothing beyond. It is 0 while the fold is changing what is shown, and
// of an account without conversations.
func (v *Views) Newest(account uuid.UUID) uint64 {
	newest, _ := viewOf[*conversations](v.serving.Load()).newest(account)
	return newest
}

// newest is Views.Newest with the version of what is shown that it is of.
func (s *conversations) newest(account uuid.UUID) (sequence, version uint64) {
	version = s.version.Load()
	sequence = s.recency.newest(account)
	if version%2 == 1 || s.version.Load() != version {
		return 0, version
	}
	return sequence, version
}

// Cursor is where a list of something's parts goes on below a position: a UUID of version 8 whose
// last 56 bits are the position, hidden, and whose other bits are a check value of both. The check
// keeps random UUIDs and cursors of other lists out.
func Cursor(of uuid.UUID, position uint64) uuid.UUID {
	var cursor uuid.UUID
	binary.BigEndian.PutUint64(cursor[8:], position)
	check := sha256.Sum256(append(of[:], cursor[9:]...))
	copy(cursor[:9], check[:])
	cursor[6] = cursor[6]&0x0f | 0x80
	cursor[8] = cursor[8]&0x3f | 0x80
	mask(of, &cursor)
	return cursor
}

// Position is where a cursor goes on; ok is false for a UUID that is none of this list's.
func Position(of, cursor uuid.UUID) (position uint64, ok bool) {
	plain := cursor
	mask(of, &plain)
	position = binary.BigEndian.Uint64(plain[8:]) & (1<<56 - 1)
	return position, Cursor(of, position) == cursor
}

// mask hides the position of a cursor, or shows it again. Who does not know whose list it is sees
// nothing in it.
func mask(of uuid.UUID, cursor *uuid.UUID) {
	pad := sha256.Sum256(append(of[:], cursor[:9]...))
	subtle.XORBytes(cursor[9:], cursor[9:], pad[:])
}
