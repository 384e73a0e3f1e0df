package main

import (
	"os"
	"testing"
)

// TestTerminalsAreToldFromDevices: a backup may be written to /dev/null, to see that it can be made.
func TestTerminalsAreToldFromDevices(t *testing.T) {
	for name, want := range map[string]bool{os.DevNull: false, "/dev/ptmx": true} {
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := isTerminal(f); got != want {
			t.Errorf("%s is a terminal: %v", name, got)
		}
		f.Close()
	}
}
