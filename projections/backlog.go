package projections

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"reckon/events"
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
	text, err := events.Marshal(u.value)
	if err != nil {
		err = fmt.Errorf("encode %s of bucket %s: %w", u.key, u.bucket.name, err)
	}
	return document{location: u.location, value: text}, err
}

const (
	// maxBacklog is how many documents may be folded and not written; then the fold waits. Those of so many short conversations
	// fill two blocks of the server. In a history that is folded in bulk what has come to an end by then is written once.
	maxBacklog = 8192
	// maxBacklogDefinitions is how many bytes of events of domains may be.
	maxBacklogDefinitions = 16 << 20
)

// backlog holds the documents that readers see already and that are not in the buckets yet: those of the events that came since
// it was last written, the newest state of each, however many events made it.
type backlog struct {
	mu          sync.RWMutex
	coming      steps
	writing     steps // taken to be written
	batches     int   // that were added
	definitions int   // bytes of events of domains that are coming
}

// steps are documents in the two steps in which they are written: those of the second count on those of the first.
type steps [2]map[location]waiting

type waiting struct {
	value any
	batch int // the number of the batch that made it
}

func newSteps() steps { return steps{map[location]waiting{}, map[location]waiting{}} }

func newBacklog() *backlog { return &backlog{coming: newSteps()} }

// add takes in what a batch makes of events, of which those of domains have so many bytes. full says that it is to be written now.
func (b *backlog) add(first, second []unwritten, definitions int) (full bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.batches++
	b.definitions += definitions
	for i, list := range [...][]unwritten{first, second} {
		for _, u := range list {
			b.coming[i][u.location] = waiting{u.value, b.batches}
		}
	}
	return len(b.coming[0])+len(b.coming[1]) >= maxBacklog || b.definitions >= maxBacklogDefinitions
}

// get returns a document that is not known to be in its bucket yet.
func (b *backlog) get(at location) (value any, ok bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for _, documents := range [...]map[location]waiting{b.coming[0], b.coming[1], b.writing[0], b.writing[1]} {
		if w, ok := documents[at]; ok {
			return w.value, true
		}
	}
	return nil, false
}

// take hands over all documents. They can be got until written is called.
func (b *backlog) take() steps {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.coming, b.writing, b.definitions = newSteps(), b.coming, 0
	return b.writing
}

func (b *backlog) written() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.writing = steps{}
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

// writeBacklog writes what was made last first: it is likely to be made again, and when it is then, in a history that is folded in
// bulk, the server has filled the block that it holds for writing with others. A block in which something was replaced before it
// was full stays in memory for ten seconds, 4 MiB of it.
func (g *generation) writeBacklog() error {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	for _, step := range g.backlog.take() {
		order := slices.SortedFunc(maps.Keys(step), func(x, y location) int { return cmp.Compare(step[y].batch, step[x].batch) })
		list := make([]document, 0, len(step))
		for _, at := range order {
			d, err := unwritten{at, step[at].value}.document()
			if err != nil {
				return err
			}
			list = append(list, d)
		}
		if err := g.store.write(ctx, list); err != nil {
			return err
		}
		// Before written, since who does not find a head here any more reads it where it was written last.
		for _, d := range list {
			if d.bucket != g.store.conversations {
				continue
			}
			if key, rest, ok := parseKey(d.key); ok && rest == "" {
				g.activity.wrote(key, d.sequence)
			}
		}
	}
	g.backlog.written()
	return nil
}
