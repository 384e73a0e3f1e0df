package log

import (
	"context"
	"fmt"
	"sync"
	"time"

	"reckon/events"
)

const (
	relayEvents = tailBatch             // a relay keeps so many events at most for its tail
	relayBytes  = tailBytes             // and so many bytes; what is beyond is read from the log
	relayPause  = 20 * time.Millisecond // so long below an event that is known to exist has the log asked for it
	relayLook   = tailHeartbeat         // and so long without any event
)

// relay hands the events that this process appends to its tail, so that they need not be read back
// from the log. It does so where the log's server is in this process and whoever else appends has
// this process settle it: then the log is asked only for what others append, and for what is not
// handed on in time.
//
// Acknowledgements come in any order. Events are kept by their sequence, and the tail gets those
// that follow without a gap on what it has.
type relay struct {
	mu    sync.Mutex
	taken bool           // there is a tail
	after uint64         // up to here it needs nothing
	slots []events.Event // those behind that by sequence; one that is not here has the sequence 0
	bytes int            // of their data, as it is encoded

	ready  chan struct{} // holds one when the first slot is full, or other slots are and it is not
	others chan struct{} // holds one when others may have appended
}

func newRelay() *relay {
	return &relay{ready: make(chan struct{}, 1), others: make(chan struct{}, 1)}
}

// begin makes the caller the tail, from behind a sequence on, unless there is one, or no relay.
func (r *relay) begin(after uint64) bool {
	if r == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.taken {
		return false
	}
	r.taken, r.after = true, after
	return true
}

func (r *relay) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.taken, r.slots, r.bytes = false, nil, 0
}

// put hands on an event that was acknowledged. It must not be changed afterwards.
func (r *relay) put(e events.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.taken || e.Sequence <= r.after || e.Sequence-r.after > relayEvents || r.bytes+e.Size > relayBytes {
		return
	}
	at := int(e.Sequence - r.after - 1)
	if at == 0 || len(r.slots) == 0 {
		signal(r.ready)
	}
	for len(r.slots) <= at {
		r.slots = append(r.slots, events.Event{})
	}
	if r.slots[at].Sequence != 0 {
		return
	}
	r.slots[at] = e
	r.bytes += e.Size
}

// take returns the events that follow on what the tail has.
func (r *relay) take() (list []events.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.slots {
		if r.slots[i].Sequence == 0 {
			break
		}
		list = append(list, r.slots[i])
	}
	r.pass(len(list))
	return list
}

// skip says that the tail has everything up to a sequence.
func (r *relay) skip(to uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if to > r.after {
		r.pass(int(to - r.after))
	}
}

// pass leaves the next slots behind. It is called with mu held.
func (r *relay) pass(n int) {
	r.after += uint64(n)
	n = min(n, len(r.slots))
	for i := range r.slots[:n] {
		r.bytes -= r.slots[i].Size
	}
	left := copy(r.slots, r.slots[n:])
	clear(r.slots[left:])
	r.slots = r.slots[:left]
	if left > 0 && r.slots[0].Sequence != 0 {
		signal(r.ready)
	}
}

// signal leaves one in a channel that has room for it.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// relayed folds what this process appends as it is handed on, and what others append as the log has
// it. It returns as follow does.
func (g *grouped) relayed(ctx context.Context, after uint64, r reading) (uint64, error) {
	defer g.relay.end()
	look := time.NewTimer(0)
	defer look.Stop()
	for {
		ask := false
		select {
		case <-ctx.Done():
			return after, ctx.Err()
		case <-g.commit.Failed():
			return after, g.commit.Err()
		case <-look.C:
			ask = true
		case <-g.relay.others:
			ask = true
		case <-g.relay.ready:
			if list := g.relay.take(); len(list) > 0 {
				upTo := after + uint64(len(list))
				if err := r.fold(upTo, list); err != nil {
					return after, fmt.Errorf("fold events to %d: %w", upTo, err)
				}
				after = upTo
			}
		}
		if ask {
			var err error
			if after, err = g.log.fill(ctx, after, r); err != nil {
				return after, err
			}
			g.relay.skip(after)
		}
		if g.log.newest.Load() > after {
			look.Reset(relayPause)
		} else {
			look.Reset(relayLook)
		}
	}
}
