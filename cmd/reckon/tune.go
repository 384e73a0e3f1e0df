package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

const (
	// syncers is how many goroutines of a process with a log mostly stand in a sync. Each keeps a processor of the runtime from the
	// others meanwhile, which on a machine with two of them made a calculation half as slow again.
	syncers = 2
	// garbage is how much garbage may come together, in percent of what is in use. A server has little in use and makes
	// much: with the usual 100 a sixth of the processors' time went into collecting it.
	garbage = 200
)

// collectLess sets how much garbage may come together in a process with a log, unless the environment does by GOGC. It is called
// before views are opened, which make it less while they fold much history, and then set it back to what they found.
func collectLess() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
}

// moreProcessors adds to the processors of the runtime in a process with a log, unless the environment sets them by GOMAXPROCS.
func moreProcessors() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + syncers)
	}
}
