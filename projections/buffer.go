package projections

import "sync"

// document is a value of a bucket as a fold left it, which is never changed.
type document struct {
	key    string
	value  any
	weight int  // about how many bytes it keeps in memory
	first  bool // it is in the bucket before others of the same events, which count on it
}

const (
	// maxBuffered is about how many bytes of documents of a bucket may be folded and not written;
	// then the fold waits.
	maxBuffered = 16 << 20
	// smallDocument is about how many bytes a head, a page or an account takes, so that 8,192 of
	// them may wait. Those of so many short conversations fill two blocks of the server. In a
	// history that is folded in bulk what has come to an end by then is written once.
	smallDocument = 2048
)

// buffer is a write-behind buffer: it holds the documents that readers see already and that are not
// in the bucket yet, the newest state of each, however many events made it.
type buffer struct {
	mu      sync.RWMutex
	waiting map[string]document // by key
	writing map[string]document // taken to be written
	weight  int                 // of those that wait
}

func newBuffer() buffer { return buffer{waiting: map[string]document{}} }

// put takes documents in. full says that they are to be written now.
func (b *buffer) put(list []document) (full bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, d := range list {
		b.weight += d.weight - b.waiting[d.key].weight
		b.waiting[d.key] = d
	}
	return b.weight >= maxBuffered
}

// get returns a document that is not known to be in the bucket yet.
func (b *buffer) get(key string) (value any, ok bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	d, ok := b.waiting[key]
	if !ok {
		d, ok = b.writing[key]
	}
	return d.value, ok
}

// take hands over all documents, those first that others count on. They can be got until written is
// called.
func (b *buffer) take() (steps [2][]document) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, d := range b.waiting {
		step := &steps[1]
		if d.first {
			step = &steps[0]
		}
		*step = append(*step, d)
	}
	b.waiting, b.writing, b.weight = map[string]document{}, b.waiting, 0
	return steps
}

func (b *buffer) written() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.writing = nil
}
