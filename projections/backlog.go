package projections

import (
	"context"
	"fmt"
	"sync"
)

// location is where a document is.
type location struct {
	bucket *bucket
	key    string
}

// unwritten is a document as the fold left it, which is never changed.
type unwritten struct {
	location
	value any
}

func (u unwritten) document() (document, error) {
	text, err := encode(u.value)
	if err != nil {
		err = fmt.Errorf("encode %s of bucket %s: %w", u.key, u.bucket.name, err)
	}
	return document{u.location, text}, err
}

// backlog holds the documents that readers see already and that are not in the buckets yet: those of the events that came since
// it was last written, the newest state of each, however many events made it.
type backlog struct {
	mu sync.RWMutex
	// first are written before second: documents that those of second count on.
	first, second map[location]any
	writing       [2]map[location]any // the same, while they are written
}

func newBacklog() *backlog {
	return &backlog{first: map[location]any{}, second: map[location]any{}}
}

// add takes in what a batch makes, and returns how many documents are to be written.
func (b *backlog) add(first, second []unwritten) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range first {
		b.first[s.location] = s.value
	}
	for _, s := range second {
		b.second[s.location] = s.value
	}
	return len(b.first) + len(b.second)
}

// get returns a document that is not known to be in its bucket yet.
func (b *backlog) get(at location) (value any, ok bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for _, documents := range [...]map[location]any{b.first, b.second, b.writing[0], b.writing[1]} {
		if value, ok = documents[at]; ok {
			return value, true
		}
	}
	return nil, false
}

// take hands over all documents, in the two steps in which they are to be written. They can be got until written is called.
func (b *backlog) take() (steps [2]map[location]any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.writing = [2]map[location]any{b.first, b.second}
	b.first, b.second = map[location]any{}, map[location]any{}
	return b.writing
}

func (b *backlog) written() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.writing = [2]map[location]any{}
}

// write brings all that was folded into the buckets. A failure is final.
func (g *generation) write() error {
	g.writing.Lock()
	defer g.writing.Unlock()
	if g.unwritable == nil {
		g.unwritable = g.writeBacklog()
	}
	return g.unwritable
}

func (g *generation) writeBacklog() error {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	for _, step := range g.backlog.take() {
		list := make([]document, 0, len(step))
		for at, value := range step {
			d, err := unwritten{at, value}.document()
			if err != nil {
				return err
			}
			list = append(list, d)
		}
		if err := g.store.write(ctx, list); err != nil {
			return err
		}
	}
	g.backlog.written()
	return nil
}
