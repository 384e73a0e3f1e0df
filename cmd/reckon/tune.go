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

// tune sets the runtime of a process with a log, unless the environment does by GOMAXPROCS or GOGC.
func tune() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + syncers)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
}
