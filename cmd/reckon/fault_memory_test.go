package main

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	nethttp "net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
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

// In a container with the least memory a server outlives eight accounts that each have eight bodies of 1 MB, which are no
// requests, before it at the same time, and goes on answering. Those that find no place are refused.
func TestLargeBodiesInLittleMemory(t *testing.T) {
	if slowdown > 1 {
		fmt.Fprintf(os.Stderr, "NOT RUN: %s: the race detector takes memory of its own\n", t.Name())
		return
	}
	if !soaking {
		notRun(t, "what else runs on the machine decides how near to its end it comes; make soak runs it")
		return
	}
	const accounts, callersEach = 8, 8
	w := newWorld(t, filepath.Join(t.TempDir(), "data"))
	if !w.limitedTo(t, leastMemory>>20) {
		return
	}
	w.serve(t)
	junk := []byte(`{"inputs": [` + strings.Repeat(`{"value": {}, "key": []}, `, 40_000) + `7], "domain_id": "` + w.domain + `"}`)
	var began, ended sync.WaitGroup
	taken := make(chan struct{})
	var answered atomic.Int32
	for i := range accounts {
		name := fmt.Sprint("hostile", i)
		mustRun(t, "account", "create", name, "--data", w.data)
		lines := strings.Split(strings.TrimSpace(mustRun(t, "key", "create", "--account", name, "--data", w.data)), "\n")
		head := fmt.Sprintf("POST /v1/calculate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\nAuthorization: Bearer %s\r\n\r\n",
			len(junk), lines[len(lines)-1])
		for range callersEach {
			began.Add(1)
			ended.Go(func() {
				c, err := net.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
				if err != nil {
					t.Error(err)
					began.Done()
					return
				}
				defer c.Close()
				_, _ = c.Write(append([]byte(head), junk[:len(junk)-1]...)) // fails where it is refused
				began.Done()
				<-taken
				_, _ = c.Write(junk[len(junk)-1:])
				if r, err := nethttp.ReadResponse(bufio.NewReader(c), nil); err == nil && r.StatusCode == nethttp.StatusUnprocessableEntity {
					answered.Add(1)
				}
			})
		}
	}
	began.Wait()
	await(t, "what was sent is read or refused", time.Minute, func() bool { return unread(t, w.url) == 0 })
	close(taken)
	ended.Wait()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.server.Process.Pid))
	if err != nil {
		t.Fatalf("the server has ended: %v", err)
	}
	var most, mapped int // in KiB; of the program that is mapped the system takes back what it needs
	_, line, _ := strings.Cut(string(status), "VmHWM:")
	_, of, _ := strings.Cut(string(status), "RssFile:")
	_, err = fmt.Sscan(line, &most)
	if _, also := fmt.Sscan(of, &mapped); errors.Join(err, also) != nil || (most-mapped)<<10 > leastMemory/4*3 {
		t.Errorf("the server held %d MiB at most (%v), which leaves nothing to others and to files of %d MiB", (most-mapped)>>10, err, leastMemory>>20)
	}
	if n := answered.Load(); n == 0 {
		t.Error("no body was read to its end")
	}
	w.goesOn(t)
}

// goesOn looks whether the server goes on answering.
func (w *world) goesOn(t *testing.T) {
	t.Helper()
	if a, status, err := w.post("", "", "power: 2 kW\nhours_per_day: 3 h/d\ndays: 30 d\ncalculate: energy"); err != nil || status != nethttp.StatusOK {
		t.Errorf("afterwards a calculation is answered %d %v %v; the server says %s", status, a, err, w.errors)
	}
}

// In a container with the least memory a server outlives thousands of connections, by nobody who is known, that send long
// headers which do not end.
func TestHeadersInLittleMemory(t *testing.T) {
	if slowdown > 1 {
		fmt.Fprintf(os.Stderr, "NOT RUN: %s: the race detector takes memory of its own\n", t.Name())
		return
	}
	const connections, long = 6000, 27_000
	w := newWorld(t, filepath.Join(t.TempDir(), "data"))
	if !w.limitedTo(t, leastMemory>>20) {
		return
	}
	w.serve(t)
	header := []byte("POST /v1/calculate HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", long))
	for range connections {
		c, err := net.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_, _ = c.Write(header) // fails where it was closed
	}
	await(t, "what was sent is read or refused", time.Minute, func() bool { return unread(t, w.url) == 0 })
	w.goesOn(t)
}

// unread is how many bytes have come to a server of this machine that it has not read.
func unread(t *testing.T, url string) (bytes int64) {
	t.Helper()
	_, port, err := net.SplitHostPort(strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile("/proc/net/tcp") // a socket a line: number, local address, the other one, state, queues as tx:rx
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(table)) {
		fields := strings.Fields(line)
		if len(fields) > 4 && strings.HasSuffix(fields[1], fmt.Sprintf(":%04X", number)) && fields[3] != "0A" { // which listens
			_, queue, _ := strings.Cut(fields[4], ":")
			n, err := strconv.ParseInt(queue, 16, 64)
			if err != nil {
				t.Fatal(err)
			}
			bytes += n
		}
	}
	return bytes
}
