package projections

import (
	"context"
	"fmt"
	"sync"

	"github.com/google/uuid"

	"reckon/events"
)

// entityKey names a conversation or a domain within its account, or with a nil id the account
// itself.
type entityKey struct{ account, id uuid.UUID }

// String is the key in the bucket, and what the keys of the entity's other documents begin with.
func (k entityKey) String() string {
	if k.id == uuid.Nil {
		return k.account.String()
	}
	return k.account.String() + "." + k.id.String()
}

// pairLength is how long the key of a conversation or a domain is.
const pairLength = 2*36 + 1

// parsePair takes a key that begins with two ids apart, and what follows on them.
func parsePair(key string) (pair entityKey, rest string, ok bool) {
	if len(key) < pairLength {
		return entityKey{}, "", false
	}
	account, err := uuid.Parse(key[:36])
	if err != nil {
		return entityKey{}, "", false
	}
	id, err := uuid.Parse(key[pairLength-36 : pairLength])
	pair = entityKey{account, id}
	return pair, key[pairLength:], err == nil && pair.String() == key[:pairLength]
}

// table is the part that views have in common of which the document of every entity stays in
// memory.
type table[D interface {
	entity() entityKey
	madeBy() uint64         // sequence of the newest event in it
	stands() events.Subject // where that event is
}] struct {
	bucket  *bucket
	pattern string                // of the keys of these documents, in tokens
	index   func(before, after D) // keeps what else is known of them; called with mu held

	mu     sync.RWMutex
	byKey  map[entityKey]D
	folded map[entityKey]folded[D] // not shown yet
}

// folded is a document as events left it, which keeps about so many bytes in memory.
type folded[D any] struct {
	document D
	weight   int
}

func (r *table[D]) get(key entityKey) (D, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	d, ok := r.byKey[key]
	return d, ok
}

func (r *table[D]) set(d D) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := d.entity()
	r.index(r.byKey[key], d)
	r.byKey[key] = d
}

func (r *table[D]) load(ctx context.Context) error {
	return r.bucket.each(ctx, r.pattern, func(key string, value []byte) error {
		var d D
		if err := events.Unmarshal(value, &d); err != nil {
			return fmt.Errorf("decode %s: %w", key, err)
		}
		r.set(d)
		return nil
	})
}

func (r *table[D]) prefetch(context.Context, []events.Event) error { return nil }

// fold applies an event that is about an entity.
func (r *table[D]) fold(key entityKey, e events.Event, apply func(D, events.Event) D) {
	f, ok := r.folded[key]
	if !ok {
		f.document, _ = r.get(key)
	}
	if f.document.madeBy() < e.Sequence {
		r.folded[key] = folded[D]{apply(f.document, e), e.Weight()}
	}
}

func (r *table[D]) staged() []document {
	var list []document
	for key, f := range r.folded {
		list = append(list, document{key: key.String(), value: f.document, weight: f.weight})
	}
	return list
}

func (r *table[D]) show() {
	for _, f := range r.folded {
		r.set(f.document)
	}
	clear(r.folded)
}

func (r *table[D]) newer(sequence uint64, found func(uint64, events.Subject)) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, d := range r.byKey {
		if d.madeBy() > sequence {
			found(d.madeBy(), d.stands())
		}
	}
}
