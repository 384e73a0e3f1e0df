package main

import (
	"bytes"
	"os"
	"regexp"
	"testing"
	"time"
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

// TestProgressOfSteps: each step has a rate of its own, which counts what it has done itself.
func TestProgressOfSteps(t *testing.T) {
	var out bytes.Buffer
	s := newProgressLine(terminal{err: &out}, false, "")
	past := func() { s.began, s.last = time.Now().Add(-10*time.Second), time.Now().Add(-plainEvery) }
	s.step("commands", 1, 2000)
	past()
	s.step("commands", 1001, 2000)
	s.step("events", 5000, 25000) // where it was interrupted
	past()
	s.step("events", 15000, 25000)
	past()
	s.step("events", 25000, 25000)
	want := `^1,001 of 2,000 commands, (9\d|100) a second, \d+s left
15,000 of 25,000 events, (9\d\d|1,000) a second, \d+s left
$`
	if !regexp.MustCompile(want).MatchString(out.String()) {
		t.Errorf("shown was:\n%swant:\n%s", out.String(), want)
	}
}
