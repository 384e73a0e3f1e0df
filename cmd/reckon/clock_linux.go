package main

import "golang.org/x/sys/unix"

// adrift tells whether the kernel knows that nothing keeps the clock right.
func adrift() bool {
	var state unix.Timex
	kept, err := unix.Adjtimex(&state)
	return err == nil && (kept == unix.TIME_ERROR || state.Status&unix.STA_UNSYNC != 0)
}
