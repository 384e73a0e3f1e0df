package projections

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"reckon/events/log"
)

const (
	// behindAfter is how long a reader waits for its read index, the question and the fold
	// together.
	behindAfter = 2 * time.Second
	// staleAfter is the age from which on a confirmed read index no longer vouches for a key.
	staleAfter = time.Second
	// askEvery is how often the read index is asked for when no reader asks.
	askEvery = 250 * time.Millisecond
)

// readIndex asks the log for its last sequence on behalf of readers. A reader joins a question that
// has not been put yet: the answer to one under way may be older than what the reader must see.
type readIndex struct {
	log     *log.Log
	started time.Time

	took prometheus.Histogram // an answer, in seconds

	mu     sync.Mutex
	asking bool
	next   *question

	// confirmed is when the newest of the ticker's readers came whose read index is folded, since
	// started; 0 for none.
	confirmed atomic.Int64
}

// question is one question to the log. Its fields are set once done is closed.
type question struct {
	done  chan struct{}
	index uint64
	err   error
}

func newReadIndex(log *log.Log) *readIndex {
	return &readIndex{log: log, started: time.Now(), took: newQuestions()}
}

// ask returns the last sequence of the log at some moment after the call.
func (r *readIndex) ask(ctx context.Context) (uint64, error) {
	r.mu.Lock()
	if r.next == nil {
		r.next = &question{done: make(chan struct{})}
	}
	q := r.next
	if !r.asking {
		r.asking = true
		go r.run()
	}
	r.mu.Unlock()
	select {
	case <-q.done:
		return q.index, q.err
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// run puts questions one after the other until no reader waits.
func (r *readIndex) run() {
	for {
		r.mu.Lock()
		q := r.next
		r.next = nil
		if q == nil {
			r.asking = false
			r.mu.Unlock()
			return
		}
		r.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), behindAfter)
		began := time.Now()
		q.index, q.err = r.log.Last(ctx)
		r.took.Observe(time.Since(began).Seconds())
		cancel()
		close(q.done)
	}
}

// confirm says that all is folded that was in the log at a moment.
func (r *readIndex) confirm(at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.confirmed.Store(max(r.confirmed.Load(), int64(at.Sub(r.started))))
}

// recent is nil while the newest confirmed index is under 1 s old.
func (r *readIndex) recent() error {
	confirmed := r.confirmed.Load()
	if confirmed == 0 {
		return fmt.Errorf("%w: no read index is confirmed yet", ErrBehind)
	}
	if age := time.Since(r.started) - time.Duration(confirmed); age >= staleAfter {
		return fmt.Errorf("%w: the newest confirmed read index is %s old", ErrBehind, age.Round(time.Millisecond))
	}
	return nil
}

// tick confirms a read index every 250 ms until ctx ends, so that one stays young without readers.
// Where that fails, recent says so when it was the last one for long enough.
func (v *Views) tick(ctx context.Context) {
	ticker := time.NewTicker(askEvery)
	defer ticker.Stop()
	for ctx.Err() == nil {
		// None waits for those before it: the answer may be late and young.
		v.tasks.Go(func() {
			began := time.Now()
			if v.Fresh(ctx) == nil {
				v.index.confirm(began)
			}
		})
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
}

// recent is nil while the views are current, or were within the last second.
func (v *Views) recent() error {
	if index, known := v.log.Known(); known && index <= v.folded.Load() {
		return nil
	}
	return v.index.recent()
}

// Fresh waits until everything that was in the log when it was called is folded: the read index,
// which the log knows, or callers share questions for. It fails with ErrBehind after 2 seconds, and
// at once when the fold has stopped.
func (v *Views) Fresh(ctx context.Context) error {
	index, known := v.log.Known()
	if known && index <= v.folded.Load() {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, behindAfter)
	defer cancel()
	var err error
	if !known {
		index, err = v.index.ask(limited)
	}
	if err == nil {
		err = v.Folded(limited, index)
	}
	if err == nil || ctx.Err() != nil {
		return err
	}
	v.behind.Add(1)
	return fmt.Errorf("%w: %w", ErrBehind, err)
}
