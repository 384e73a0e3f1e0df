package main

import (
	"fmt"
	nethttp "net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// limitedTo has the server started in a control group that allows so much memory. ok is false, and the test says so,
// where the machine does not allow that.
func (w *world) limitedTo(t *testing.T, mebibytes int) (ok bool) {
	t.Helper()
	for _, kind := range []struct{ root, limit string }{
		{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"}, // the first version, where both are there
		{"/sys/fs/cgroup", "memory.max"},
	} {
		group := filepath.Join(kind.root, fmt.Sprintf("reckon-test-%d-%d", os.Getpid(), mebibytes))
		if os.Mkdir(group, 0o755) != nil {
			continue
		}
		t.Cleanup(func() {
			w.kill()
			_ = os.Remove(group)
		})
		if os.WriteFile(filepath.Join(group, kind.limit), []byte(strconv.Itoa(mebibytes<<20)), 0o600) != nil {
			continue
		}
		program := filepath.Join(t.TempDir(), "reckon")
		script := fmt.Sprintf("#!/bin/sh\necho $$ > %s/cgroup.procs && exec %s \"$@\"\n", group, w.program)
		if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		w.program = program
		return true
	}
	notRun(t, "it needs the right to make control groups that limit memory")
	return false
}

// A container that allows too little memory is refused with what is needed.
func TestTooLittleMemory(t *testing.T) {
	w := newWorld(t, filepath.Join(t.TempDir(), "data"))
	if !w.limitedTo(t, 96) {
		return
	}
	if says := w.tryServe(t); !strings.Contains(says, "the container allows 96 MiB of memory, which is not enough under load: give it 128 MiB at least") {
		t.Errorf("with 96 MiB it says %q", says)
	}
}

// In a container with the least memory a server outlives eight accounts that send what is no request, 1 MB at a time, and
// goes on answering.
func TestLargeBodiesInLittleMemory(t *testing.T) {
	if slowdown > 1 {
		fmt.Fprintf(os.Stderr, "NOT RUN: %s: the race detector takes memory of its own\n", t.Name())
		return
	}
	const accounts, callersEach, bodies = 8, 12, 3
	w := newWorld(t, filepath.Join(t.TempDir(), "data"))
	if !w.limitedTo(t, leastMemory>>20) {
		return
	}
	w.serve(t)
	junk := []byte(`{"domain_id": "` + w.domain + `", "inputs": [` + strings.Repeat(`{"key": [], "value": {}}, `, 38_000) + `7]}`)
	var all sync.WaitGroup
	for i := range accounts {
		name := fmt.Sprint("hostile", i)
		mustRun(t, "account", "create", name, "--data", w.data)
		lines := strings.Split(strings.TrimSpace(mustRun(t, "key", "create", "--account", name, "--data", w.data)), "\n")
		for range callersEach {
			all.Go(func() {
				for range bodies {
					a, err := request(&caller, "POST", w.url+"/v1/calculate", lines[len(lines)-1], "", junk)
					if err != nil {
						t.Errorf("a body of 1 MB that is no request: %v", err)
						return
					}
					if a.status != nethttp.StatusUnprocessableEntity && !a.refuses() {
						t.Errorf("a body of 1 MB that is no request is answered %d %s", a.status, a.body)
					}
				}
			})
		}
	}
	all.Wait()
	if a, status, err := w.post("", "", "power: 2 kW\nhours_per_day: 3 h/d\ndays: 30 d\ncalculate: energy"); err != nil || status != nethttp.StatusOK {
		t.Errorf("afterwards a calculation is answered %d %v %v; the server says %s", status, a, err, w.errors)
	}
}
