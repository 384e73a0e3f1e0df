package main

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"reckon/projections"
)

const (
	// syncers is how many goroutines of a process with a log mostly stand in a sync. Each keeps a
	// processor of the runtime from the others meanwhile, which on a machine with two of them made a
	// calculation half as slow again.
	syncers = 2
	// garbage is how much garbage may come together, in percent of what is in use. A server has little
	// in use and makes much: with the usual 100 a sixth of the processors' time went into collecting
	// it.
	garbage = 200
	// memory is how much a server takes in all before garbage gives way to what is in use. The blocks
	// of files that a server of streams reads are garbage soon, of which a caller who goes on with an
	// old conversation makes 12 MiB.
	memory = 1280 << 20
	// limitEvery is how often the limit is adjusted to what is in use.
	limitEvery = 10 * time.Second
)

// collectLess sets how much garbage may come together in a process with a log, unless the
// environment does by GOGC. It is called before views are opened, which make it less while they
// fold much history, and then set it back to what they found.
func collectLess() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
}

// limitMemory keeps the process below the limit of memory until ctx ends, or below half as much
// again as is in use where that is more: a limit that is near to it would have the collector run
// all the time. The environment may set another limit by GOMEMLIMIT.
func limitMemory(ctx context.Context) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	tick := time.NewTicker(limitEvery)
	defer tick.Stop()
	for {
		debug.SetMemoryLimit(limitFor(projections.InUse()))
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// limitFor is the limit where so many bytes were in use when garbage was collected last.
func limitFor(live uint64) int64 { return int64(max(memory, live+live/2)) }

// moreProcessors adds to the processors of the runtime in a process with a log, unless the
// environment sets them by GOMAXPROCS.
func moreProcessors() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + syncers)
	}
}
