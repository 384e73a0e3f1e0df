package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	gonet "net"
	nethttp "net/http"
	"slices"
	"testing"
	"time"
)

// partitions are the faults of a network.
func partitions(net *network) []clusterFault {
	return []clusterFault{
		{"the leader is cut off", func(t *testing.T, c *cluster, w *traffic) {
			leader, _ := c.leader(t)
			c.cutOff(t, net, w, leader, true, true)
		}},
		{"what a follower sends is lost", func(t *testing.T, c *cluster, w *traffic) {
			_, followers := c.leader(t)
			c.cutOff(t, net, w, followers[0], true, false)
		}},
		{"the wires are long", func(t *testing.T, c *cluster, w *traffic) {
			net.slow(100 * time.Millisecond)
			w.goesOn(t, 30)
			net.slow(0)
		}},
		{"a follower is cut off", func(t *testing.T, c *cluster, w *traffic) {
			_, followers := c.leader(t)
			c.cutOff(t, net, w, followers[1], true, true)
		}},
		{"what the leader sends is lost", func(t *testing.T, c *cluster, w *traffic) {
			leader, _ := c.leader(t)
			c.cutOff(t, net, w, leader, true, false)
		}},
		{"what the leader is sent is lost", func(t *testing.T, c *cluster, w *traffic) {
			leader, _ := c.leader(t)
			c.cutOff(t, net, w, leader, false, true)
		}},
		{"what a follower is sent is lost", func(t *testing.T, c *cluster, w *traffic) {
			_, followers := c.leader(t)
			c.cutOff(t, net, w, followers[0], false, true)
		}},
	}
}

// everyTime is how many of the partitions each run has; a soak has them all.
const everyTime = 2

// cutOff cuts a node off from the others, not from its callers. It must say that it is not ready, and the others go on. A key that is
// revoked meanwhile is tried at every node.
func (c *cluster) cutOff(t *testing.T, net *network, w *traffic, n *node, sent, received bool) {
	t.Helper()
	i := slices.Index(c.nodes, n)
	other := c.nodes[(i+1)%len(c.nodes)]
	made, err := other.administer("key", "create", "--account", c.tenants[0].account)
	if err != nil {
		t.Fatal(err)
	}
	id, secret := madeKey(made)
	for _, n := range c.nodes {
		await(t, n.name+" knows the key", patienceCaller, func() bool {
			a, err := request(&probing, "GET", n.url+"/v1/domains", secret, "", nil)
			return err == nil && a.status == nethttp.StatusOK
		})
	}
	net.cut(i, sent, received, true)
	unready := await(t, n.name+" is not ready when it is cut off", patienceCaller, func() bool { return !n.ready() })
	waited := other.insist(t, "key", "revoke", id)
	c.tryRevoked("key of "+n.name, secret, time.Now(), 2*time.Second)
	goes := w.goesOn(t, 20)
	net.cut(i, sent, received, false)
	t.Logf("%s cut off: not ready after %.2f s, a revocation took %.2f s, the others went on after %.2f s more, all were ready %.2f s after the wires were",
		n.name, unready.Seconds(), waited.Seconds(), goes.Seconds(), c.awaitReady(t).Seconds())
}

// TestPartition lets callers work at three nodes in namespaces of their own while the network between them loses packets.
func TestPartition(t *testing.T) {
	t.Parallel()
	c, net, ok := newNetworkCluster(t, t.TempDir())
	if !ok {
		return
	}
	seed := seedOf(t, 11)
	all := partitions(net)
	faults := all[:everyTime]
	if soaking {
		faults = slices.Concat(all, all, all)
		random := rand.New(rand.NewPCG(seed, 4_000_000))
		random.Shuffle(len(faults), func(i, j int) { faults[i], faults[j] = faults[j], faults[i] })
	}
	c.goThrough(t, seed, faults)
}

// TestNetworkLosesPackets holds the network to what the tests that use it mean by it. Where the machine does not allow it, the
// partitions are not run either.
func TestNetworkLosesPackets(t *testing.T) {
	net, ok := newNetwork(t, 3)
	if !ok {
		return
	}
	at := func(i int) *node { return &node{name: fmt.Sprint(i), space: net.machines[i].space} }
	var listener gonet.Listener
	err := at(1).inside(func() (err error) {
		listener, err = gonet.Listen("tcp", net.machines[1].address+":7")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(conn, conn) }()
		}
	}()
	// trip sends a word from a machine to the second one and back.
	trip := func(from int) (took time.Duration, err error) {
		began := time.Now()
		err = at(from).inside(func() error {
			conn, err := gonet.DialTimeout("tcp", net.machines[1].address+":7", time.Second)
			if err != nil {
				return err
			}
			defer conn.Close()
			if _, err := conn.Write([]byte("word")); err != nil {
				return err
			}
			_, err = io.ReadFull(conn, make([]byte, 4))
			return err
		})
		return time.Since(began), err
	}
	for _, c := range []struct {
		name          string
		before, after func()
		reached, slow bool // from the first machine
	}{
		{"whole", func() {}, func() {}, true, false},
		{"slow", func() { net.slow(50 * time.Millisecond) }, func() { net.slow(0) }, true, true},
		{"sends nothing", func() { net.cut(0, true, false, true) }, func() { net.cut(0, true, false, false) }, false, false},
		{"is sent nothing", func() { net.cut(0, false, true, true) }, func() { net.cut(0, false, true, false) }, false, false},
		{"whole again", func() {}, func() {}, true, false},
	} {
		c.before()
		took, err := trip(0)
		if (err == nil) != c.reached || c.slow && took < 200*time.Millisecond {
			t.Errorf("%s: %s: %v", c.name, took, err)
		}
		for _, other := range []int{2, 3} {
			if _, err := trip(other); err != nil {
				t.Errorf("%s: from machine %d: %v", c.name, other, err)
			}
		}
		c.after()
	}
}
