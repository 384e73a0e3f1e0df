package main

import (
	"syscall"
	"testing"
)

// TestClusterForgets erases conversations on three nodes: while all run, while one of them is killed in the middle of it, and while
// one is away. Nothing is left in the files of any node within a minute after it runs.
func TestClusterForgets(t *testing.T) {
	t.Parallel()
	c := newCluster(t, t.TempDir())
	c.startAll(t)
	c.settleTenants(t, 1)
	w := &world{program: "reckon", tenant: c.tenants[0]}
	forgets := func(when string, what confided, nodes ...*node) {
		t.Helper()
		for _, n := range nodes {
			var left []string
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("%s %s: left %v", when, n.name, left)
				}
			})
			took := await(t, n.name+" has forgotten, "+when, forgetsWithin, func() bool { left = withText(n.data, what.secrets...); return len(left) == 0 })
			t.Logf("%s: %s after %s", when, n.name, took)
			w.isUnseen(t, n.url, what)
		}
	}
	erase := func(what confided, n *node) {
		t.Helper()
		n.insist(t, "conversation", "erase", what.id.String(), "--account", w.account)
	}

	what := w.confide(t, c.nodes[0].url, 12)
	for _, n := range c.nodes {
		await(t, n.name+" has the secret", patienceCaller, func() bool { return len(withText(n.data, what.secrets[0])) > 0 })
	}
	erase(what, c.nodes[1])
	forgets("all run", what, c.nodes...)

	what = w.confide(t, c.nodes[1].url, 12)
	away := c.nodes[2]
	await(t, away.name+" has the secret", patienceCaller, func() bool { return len(withText(away.data, what.secrets[0])) > 0 })
	away.end(syscall.SIGKILL)
	erase(what, c.nodes[0])
	forgets("one is away", what, c.nodes[0], c.nodes[1])
	c.start(t, away)
	c.awaitReady(t, away)
	forgets("it is back", what, away)

	what = w.confide(t, c.nodes[2].url, 12)
	killed := make(chan struct{})
	go func() {
		c.nodes[1].end(syscall.SIGKILL)
		close(killed)
	}()
	erase(what, c.nodes[0])
	<-killed
	c.start(t, c.nodes[1])
	c.awaitReady(t, c.nodes[1])
	forgets("one was killed in the middle", what, c.nodes...)

	for _, n := range c.nodes {
		n.insist(t, "projections", "verify")
		n.insist(t, "log", "verify")
	}
}
