package main

import (
	"errors"
	"fmt"
	"io/fs"
	nethttp "net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// damages are files of a node's log of which a bit turns over while it is away.
var damages = []string{"$G/streams/EVENTS/msgs/*.blk", "$G/streams/COMMANDS/msgs/*.blk", "$SYS/_js_/S-*/msgs/*.blk"}

// flip turns over a bit in the middle of the largest of some files of a log, and returns which it is, from the data directory on.
func (n *node) flip(t *testing.T, files string) (path string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(n.data, "log", "jetstream", files))
	if err != nil || len(all) == 0 {
		t.Fatalf("%s has no %s (%v)", n.name, files, err)
	}
	var text []byte
	for _, file := range all {
		if read, err := os.ReadFile(file); err == nil && len(read) > len(text) {
			path, text = file, read
		}
	}
	text[len(text)/2] ^= 1
	err = os.WriteFile(path, text, 0o600)
	if err == nil {
		path, err = filepath.Rel(n.data, path)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// damagedLog damages a file of a node that was killed. The node must say so and do nothing else, and with --heal become ready by
// itself, also when it is killed on the way. Then another node is killed, which it must stand in for.
func damagedLog(files string) clusterFault {
	return clusterFault{"a bit of " + files + " turns over", func(t *testing.T, c *cluster, w *traffic) {
		_, followers := c.leader(t)
		n, other := followers[0], followers[1]
		n.end(syscall.SIGKILL)
		file := n.flip(t, files)
		w.goesOn(t, 10)
		n.flags = nil
		c.start(t, n)
		await(t, n.name+" says that it is damaged", patienceReady, func() bool {
			if n.ready() {
				t.Fatalf("%s is ready with a damaged %s", n.name, file)
			}
			a, err := request(&probing, "GET", n.url+"/readyz", "", "", nil)
			return err == nil && a.status == nethttp.StatusServiceUnavailable &&
				strings.Contains(string(a.body), file) && strings.Contains(string(a.body), "--heal")
		})
		if soaking { // which takes the 10 s that a command waits for a server
			if _, err := n.administer("backup", filepath.Join(t.TempDir(), "backup")); err == nil {
				t.Errorf("%s is backed up", n.name)
			}
		}
		if !n.end(syscall.SIGTERM) {
			t.Errorf("%s does not end when it is asked to", n.name)
		}

		n.flags = []string{"--heal"}
		aside := filepath.Join(n.data, "log.damaged")
		c.start(t, n)
		await(t, n.name+" takes the log anew", patienceReady, func() bool {
			_, err := os.Stat(aside)
			return err == nil || n.ready()
		})
		n.end(syscall.SIGKILL)
		began := time.Now()
		c.start(t, n)
		await(t, n.name+" has taken the log anew", 3*patienceReady, n.ready)
		c.awaitReady(t)
		if _, err := os.Stat(aside); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is ready and still has its damaged copy (%v)", n.name, err)
		}
		t.Logf("damaged: %s was ready %.2f s after it had been killed while it took the log anew", n.name, time.Since(began).Seconds())
		other.end(syscall.SIGKILL)
		w.goesOn(t, 10)
		c.start(t, other)
		c.awaitReady(t)
	}}
}

// TestClusterIsDamaged lets a file of a node be damaged while callers work.
func TestClusterIsDamaged(t *testing.T) {
	t.Parallel()
	newCluster(t, t.TempDir()).goThrough(t, seedOf(t, 9), []clusterFault{damagedLog(damages[0])})
}

// TestClusterSoakDamaged lets files of all kinds be damaged, on one node after the other.
func TestClusterSoakDamaged(t *testing.T) {
	if !soaking {
		fmt.Fprintf(os.Stderr, "NOT RUN: %s: it takes minutes; make soak runs it\n", t.Name())
		return
	}
	var faults []clusterFault
	for range 5 {
		for _, files := range damages {
			faults = append(faults, damagedLog(files))
		}
	}
	newCluster(t, t.TempDir()).goThrough(t, seedOf(t, uint64(time.Now().UnixNano())), faults)
}
