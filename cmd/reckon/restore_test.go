package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"reckon/events/backup"
)

// TestRestoreIntoCluster makes three nodes of one: a backup that is taken under load goes into new nodes, and the backup of
// these into one again. Every answer is on every node and is given again under its key, also that of the largest domain.
func TestRestoreIntoCluster(t *testing.T) {
	t.Parallel()
	w := newWorld(t, filepath.Join(t.TempDir(), "data"))
	folder := t.TempDir()
	file, damaged := filepath.Join(folder, "backup.gz"), filepath.Join(folder, "damaged.gz")
	w.serve(t)
	lines := strings.Fields(mustRun(t, "domain", "publish", largeDomain(t), "--account", devAccount, "--data", w.data))
	largest := lines[len(lines)-1]
	large := largeResult(t, w.url, w.secret, "large", largest)
	before := 0
	w.loadUntil(t, 16, "load", 200, func(stop func()) {
		before = w.moment()
		mustRun(t, "backup", "--data", w.data, file)
		stop()
	})
	w.end(syscall.SIGTERM)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(damaged, whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}

	c := newCluster(t, t.TempDir())
	c.startAll(t)
	refuse := func(what, says string, args ...string) {
		t.Helper()
		if _, stderr, code := tool(t, append([]string{"restore"}, args...)...); code != 1 || !strings.Contains(stderr, says) {
			t.Errorf("restore %s: exit status %d, %s", what, code, stderr)
		}
	}
	refuse("a damaged backup", "nothing was restored", damaged, "--data", c.nodes[0].data)
	c.nodes[2].end(syscall.SIGTERM)
	refuse("through a node that does not run", "start that node", file, "--data", c.nodes[2].data)
	c.start(t, c.nodes[2])
	c.awaitReady(t)

	var filled backup.Summary
	restore := c.nodes[1].command("restore", "-", "--data", c.nodes[1].data, "--json")
	restore.Stdin = bytes.NewReader(whole)
	var says bytes.Buffer
	restore.Stderr = &says
	text, err := restore.Output()
	if err == nil {
		err = json.Unmarshal(text, &filled)
	}
	if err != nil {
		t.Fatal(err, says.String())
	}
	c.awaitReady(t)
	refuse("again", "holds something already", file, "--data", c.nodes[2].data)
	for _, p := range w.history.posts {
		if p.ended < before {
			c.history.posts = append(c.history.posts, p)
		}
	}
	c.moments = w.moments
	answered := c.acknowledged()
	if answered < 200 {
		t.Fatalf("%d answers came before the backup", answered)
	}
	c.tenants = []tenant{w.tenant}
	c.settle(t, seedOf(t, 19))
	c.verify(t)
	for _, n := range c.nodes {
		if _, err := n.administer("projections", "verify"); err != nil {
			t.Error(err)
		}
		if got := largeResult(t, n.url, w.secret, "large", largest); got != large {
			t.Errorf("%s gives %.300s for the large domain, and it was %.300s", n.name, got, large)
		}
		largeResult(t, n.url, w.secret, n.name, largest)
	}
	t.Logf("%+v, %d answers before it", filled, answered)

	// The callers go on with one node, which has what the cluster answered.
	file, single := filepath.Join(folder, "cluster.gz"), newWorld(t, filepath.Join(t.TempDir(), "single"))
	if text, err = c.nodes[2].command("backup", "-", "--data", c.nodes[2].data).Output(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	mustRun(t, "restore", file, "--data", single.data)
	if err := os.WriteFile(filepath.Join(single.data, "dev-key"), []byte(w.secret), 0o600); err != nil {
		t.Fatal(err)
	}
	single.history.posts, single.moments = c.history.posts, c.moments
	single.serve(t)
	defer single.end(syscall.SIGTERM)
	single.settle(t)
	single.verify(t)
	if got := largeResult(t, single.url, w.secret, "large", largest); got != large {
		t.Errorf("one node gives %.300s for the large domain, and it was %.300s", got, large)
	}

	// One node alone says that it needs the others.
	c.nodes[0].end(syscall.SIGKILL)
	c.nodes[1].end(syscall.SIGKILL)
	if _, stderr, code := tool(t, "replay", "--all", "--data", c.nodes[2].data); code != 2 || !strings.Contains(stderr, "a majority of them must run") {
		t.Errorf("replay without a majority: exit status %d, %s", code, stderr)
	}
}
