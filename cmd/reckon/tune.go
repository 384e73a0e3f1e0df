package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// All that the program sets of the Go runtime stands here. GOGC, GOMEMLIMIT and GOMAXPROCS in the
// environment win.
const (
	// syncers is how many threads a log keeps waiting in the operating system, in syncs of files,
	// which keep their processor of the runtime for a while: without as many more of those, real
	// processors stand still meanwhile.
	syncers = 2
	// garbage is how much garbage may come together, in percent of what is in use. A server has
	// little in use and makes much: with the usual 100 a sixth of the processors' time went into
	// collecting it.
	garbage = 200
	// historyGarbage is the same while much history is folded, which takes memory of its own and
	// makes nobody wait.
	historyGarbage = 40
	// memory is how much a server takes in all before garbage gives way to what is in use. The
	// blocks of files that a server of streams reads are garbage soon, of which a caller who goes
	// on with an old conversation makes 12 MiB.
	memory = 1280 << 20
	// leastMemory is what a server needs under load. Where a container allows less it does not start.
	leastMemory = 128 << 20
	// resting is how much memory a server asks for between two looks, limitEvery apart, that has
	// nothing to do. At the look number forgetAt of that kind in a row it forgets what it can read
	// again, and until the one number restedAt it collects garbage: a pool keeps what is not used any
	// more for two collections.
	resting  = 4 << 20
	forgetAt = 3
	restedAt = 5
	// limitEvery is how often the limit is adjusted to what is in use, and the processors to what a
	// container may use, which can change while it runs.
	limitEvery = 10 * time.Second
	// lookEvery is how often it is looked whether history is folded.
	lookEvery = time.Second
)

// tune sets the runtime for a process with a log that is allowed so much memory, 0 for any. The
// memory limit is adjusted until ctx ends.
func tune(ctx context.Context, allowed uint64) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		every(ctx, limitEvery, func() { limitMemory(allowed) })
	}
	if os.Getenv("GOMAXPROCS") == "" {
		every(ctx, limitEvery, addProcessors)
	}
}

// every does something now, and then again and again until ctx ends.
func every(ctx context.Context, interval time.Duration, do func()) {
	do()
	go func() {
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				do()
			}
		}
	}()
}

// addProcessors sets the runtime to syncers processors more than it finds.
func addProcessors() {
	runtime.SetDefaultGOMAXPROCS()
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + syncers)
}

// saveMemory collects more while history is folded, until ctx ends.
func saveMemory(ctx context.Context, folding func() bool) {
	if os.Getenv("GOGC") != "" {
		return
	}
	saving := false
	every(ctx, lookEvery, func() {
		if now := folding(); now != saving {
			saving = now
			debug.SetGCPercent(map[bool]int{false: garbage, true: historyGarbage}[now])
		}
	})
}

// allowedMemory is how much memory a container allows, 0 where there is no limit, or none that can
// be read. It fails where that is too little.
func allowedMemory() (uint64, error) {
	allowed, err := memlimit.FromCgroup()
	if err == nil && allowed < leastMemory {
		return allowed, fmt.Errorf("the container allows %d MiB of memory, which is not enough under load: give it %d MiB at least", allowed>>20, leastMemory>>20)
	}
	return allowed, nil
}

func limitMemory(allowed uint64) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}} // what the last collection left
	metrics.Read(live)
	debug.SetMemoryLimit(limitFor(live[0].Value.Uint64(), allowed))
}

// rest gives memory back to the operating system whenever the server comes to rest, until ctx ends:
// the runtime alone would keep all that may come together until the next collection.
func rest(ctx context.Context, forget ...func()) {
	asked := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	var before uint64
	quiet := 0
	every(ctx, limitEvery, func() {
		metrics.Read(asked)
		now := asked[0].Value.Uint64()
		if quiet++; now-before >= resting {
			quiet = 0
		}
		before = now
		if quiet == forgetAt {
			for _, f := range forget {
				f()
			}
		}
		if quiet > 0 && quiet <= restedAt {
			debug.FreeOSMemory()
		}
	})
}

// limitFor is the limit where so many bytes are in use: a limit that is near to what is in use
// would have the collector run all the time. Of what a container allows, 0 for all, a part is left
// to what the runtime does not count, the operating system's cache of files among it.
func limitFor(live, allowed uint64) int64 {
	limit := max(memory, live+live/2)
	if allowed > 0 {
		limit = min(limit, allowed/4*3)
	}
	return int64(limit)
}
