package projections

import (
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// How much garbage a rebuild lets come together, as a start, the first fold of a whole history and a verification do: a part of what
// is in use, which is mostly the servers' indexes of all keys, and no more than a fixed amount, so that garbage does not grow with
// the history. Each collection looks at all that is in use, so that there is a least part too.
const (
	mostGarbage  = 40 // percent
	leastGarbage = 15
	garbageBytes = 48 << 20
)

// thrift makes the garbage collector of the process run as often as a rebuild wants it to, from the first begin to the last end.
// Where it runs as often already, or is governed by a limit of memory alone, nothing changes.
type thrift struct {
	mu      sync.Mutex
	begun   int
	before  int // percent of garbage that the process had
	percent int // that it has now
}

func (t *thrift) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.begun++; t.begun > 1 {
		return
	}
	t.percent = garbageFor(InUse())
	if t.before = debug.SetGCPercent(t.percent); t.before <= mostGarbage {
		debug.SetGCPercent(t.before)
	}
}

// tune is called from time to time between begin and end.
func (t *thrift) tune() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.before <= mostGarbage {
		return
	}
	if percent := garbageFor(InUse()); percent != t.percent {
		t.percent = percent
		debug.SetGCPercent(percent)
	}
}

// end gives what a rebuild no longer needs back to the machine.
func (t *thrift) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.begun--; t.begun > 0 {
		return
	}
	if t.before > mostGarbage {
		debug.SetGCPercent(t.before)
	}
	debug.FreeOSMemory()
}

// garbageFor is how much garbage may come together, in percent, where so many bytes are in use.
func garbageFor(live uint64) int {
	return int(min(max(garbageBytes*100/max(live, 1), leastGarbage), mostGarbage))
}

// InUse is how many bytes of the heap the last collection left.
func InUse() uint64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return live[0].Value.Uint64()
}
