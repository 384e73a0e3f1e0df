package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	nethttp "net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/events/log"
)

// clusterFault is what happens to a cluster while callers work. It returns when all nodes are ready again.
type clusterFault struct {
	name string
	do   func(t *testing.T, c *cluster, w *traffic)
}

// clusterFaults happen on every machine.
var clusterFaults = []clusterFault{
	{"the leader is killed and gets an empty disk", func(t *testing.T, c *cluster, w *traffic) {
		leader, followers := c.leader(t)
		leader.end(syscall.SIGKILL)
		created := followers[0].insist(t, "key", "create", "--account", c.tenants[0].account)
		published := followers[1].insist(t, "domain", "publish", filepath.Join("starter", "money", "loan.yaml"), "--no-write", "--account", c.tenants[0].account)
		w.goesOn(t, 50)
		leader.wipe(t)
		c.start(t, leader)
		t.Logf("wiped: it has caught up after %s; without it a key was made after %.2f s, and then a domain published after %.2f s",
			c.awaitReady(t), created.Seconds(), published.Seconds())
	}},
	{"a follower is killed", func(t *testing.T, c *cluster, w *traffic) {
		_, followers := c.leader(t)
		followers[1].end(syscall.SIGKILL)
		w.goesOn(t, 50)
		c.start(t, followers[1])
		c.awaitReady(t)
	}},
	{"the leader stands still", func(t *testing.T, c *cluster, w *traffic) {
		leader, _ := c.leader(t)
		leader.signal(syscall.SIGSTOP)
		w.goesOn(t, 30)
		leader.signal(syscall.SIGCONT)
		await(t, leader.name+" says that it stood still and leads no longer", patienceReady, func() bool {
			text, err := os.ReadFile(leader.log)
			return err == nil && strings.Contains(string(text), "the process stood still")
		})
		c.awaitReady(t)
	}},
	{"one node after the other is stopped and started", func(t *testing.T, c *cluster, w *traffic) {
		for _, n := range c.nodes {
			began := time.Now()
			if !n.end(syscall.SIGTERM) {
				t.Errorf("%s does not end when it is asked to", n.name)
			}
			ended := time.Since(began)
			w.goesOn(t, 10)
			c.start(t, n)
			ready := c.awaitReady(t)
			w.goesOn(t, 10)
			t.Logf("stopped: %s ended after %.2f s and was ready %.2f s after its start, a caller waited for %s",
				n.name, ended.Seconds(), ready.Seconds(), c.longest(began))
		}
	}},
	{"all nodes are killed at once", func(t *testing.T, c *cluster, w *traffic) {
		for _, n := range c.nodes {
			n.signal(syscall.SIGKILL)
		}
		for _, n := range c.nodes {
			n.end(syscall.SIGKILL)
		}
		t.Logf("all killed: ready again after %s", c.startAll(t))
		w.goesOn(t, 10)
	}},
}

// fullDisk fills the disk of a node. It must end or say that it is not ready, and catch up when there is space again and whoever
// supervises it has started it.
func fullDisk(n *node, d disk) clusterFault {
	return clusterFault{"the disk of a node is full", func(t *testing.T, c *cluster, w *traffic) {
		filler := d.fill(t)
		began := time.Now()
		await(t, n.name+" says that its disk is full", patienceReady, func() bool { return !n.running() || !n.ready() })
		said := time.Since(began)
		w.goesOn(t, 30)
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		starts := 0
		await(t, n.name+" is ready when there is space", patienceReady, func() bool {
			if !n.running() {
				if text := n.lastWords(20); !strings.Contains(text, "no space left on device") {
					t.Fatalf("%s does not say why it ended: %s", n.name, text)
				}
				c.start(t, n)
				starts++
			}
			return n.ready()
		})
		t.Logf("full disk: %s ended or was not ready after %.2f s, and was ready when it had been started %d times", n.name, said.Seconds(), starts)
	}}
}

// suffer lets faults happen, and says how long callers waited.
func (c *cluster) suffer(t *testing.T, w *traffic, faults []clusterFault) {
	t.Helper()
	for _, f := range faults {
		if t.Failed() {
			return
		}
		began := time.Now()
		f.do(t, c, w)
		took := time.Since(began)
		w.goesOn(t, 10)
		t.Logf("%s: over after %.1f s, half of the callers waited for less than %s, and one for %s", f.name, took.Seconds(), c.typical(began), c.longest(began))
	}
}

// settle posts again, at another node, what a part of the callers asked, and reads all conversations and lists from every node.
func (c *cluster) settle(t *testing.T, seed uint64) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 2_000_000))
	who := map[string]tenant{}
	for _, one := range c.tenants {
		who[one.account] = one
	}
	type place struct{ account, conversation string }
	places, asked := map[place]bool{}, map[string]post{}
	for _, p := range c.history.posts {
		if p.acknowledged {
			places[place{p.account, p.conversationID}] = true
		}
		if p.key != "" {
			asked[p.account+" "+p.key] = p
		}
	}
	work := make(chan func())
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for do := range work {
				do()
			}
		})
	}
	for _, p := range asked {
		if from := random.IntN(len(c.nodes)); !p.acknowledged || random.IntN(8) == 0 {
			work <- func() { c.calculate(who[p.account], from, p.key, p.conversation, p.prompt) }
		}
	}
	for i := range c.nodes {
		for p := range places {
			work <- func() { c.look(who[p.account], i, p.conversation) }
		}
		for _, one := range c.tenants {
			work <- func() { c.list(one, i) }
		}
	}
	close(work)
	all.Wait()
}

// momentInText is where the checker names what began at a moment.
var momentInText = regexp.MustCompile(`\(\d+\)`)

// verify reads EVENTS through every node and checks all that callers saw.
func (c *cluster) verify(t *testing.T) {
	t.Helper()
	var first []events.Event
	for i, n := range c.nodes {
		var read []events.Event
		err := n.withLog(func(ctx context.Context, log *log.Log) (err error) {
			read, err = eventsOf(ctx, log)
			return err
		})
		if err != nil {
			t.Fatalf("read the events from %s: %v", n.name, err)
		}
		if i == 0 {
			first = read
		} else if !reflect.DeepEqual(read, first) {
			t.Errorf("%s has other events than %s: %d and %d", n.name, c.nodes[0].name, len(read), len(first))
		}
	}
	names := map[uuid.UUID]string{}
	for _, e := range first {
		if made, ok := e.Data.(*events.AccountCreated); ok {
			names[made.AccountID] = made.Name
		}
	}
	c.history.events = recordedIn(first, func(id uuid.UUID) string { return names[id] })
	c.judge(t)
}

// judge checks all that callers saw against the events of the history.
func (c *cluster) judge(t *testing.T) {
	t.Helper()
	wrong := c.check()
	if len(c.odd) > 0 {
		wrong = append(wrong, fmt.Sprintf("odd: requests are answered %v", c.odd))
	}
	if len(wrong) > 0 {
		for i, w := range wrong {
			wrong[i] = momentInText.ReplaceAllStringFunc(w, func(text string) string {
				moment, _ := strconv.Atoi(strings.Trim(text, "()"))
				return fmt.Sprintf("(%d: %s)", moment, c.traces[moment])
			})
		}
		t.Fatalf("%d things are wrong, among them:\n%s", len(wrong), strings.Join(wrong[:min(len(wrong), 10)], "\n"))
	}
	t.Logf("%d answers of %d tries, %d reads, %d lists, %d uses of revoked keys, %d final events: all are good; half of the callers waited for less than %s",
		c.acknowledged(), len(c.history.posts), len(c.history.reads), len(c.lists), len(c.uses), len(c.history.events), c.typical(time.Time{}))
}

// TestClusterLoses and TestClusterRests let callers work at three nodes, which are killed and wiped and get a full disk, or are held
// up, stopped one after the other and killed at once. They are two, and run beside each other, since most of what they do is wait.
func TestClusterLoses(t *testing.T) {
	t.Parallel()
	d, mounted := newDisk(t, 64) // and is unmounted when the nodes have ended
	c := newCluster(t, t.TempDir())
	faults := clusterFaults[:firstHalf]
	if mounted {
		c.nodes[2].data = filepath.Join(d.mounted, "data")
		faults = append(slices.Clone(faults), fullDisk(c.nodes[2], d))
	}
	c.goThrough(t, seedOf(t, 7), faults)
}

func TestClusterRests(t *testing.T) {
	t.Parallel()
	newCluster(t, t.TempDir()).goThrough(t, seedOf(t, 8), clusterFaults[firstHalf:])
}

// firstHalf is how many of the faults lose something.
const firstHalf = 2

// goThrough lets callers work while faults happen, and checks what they saw.
func (c *cluster) goThrough(t *testing.T, seed uint64, faults []clusterFault) {
	t.Helper()
	t.Logf("three nodes: ready after %s", c.startAll(t))
	c.settleTenants(t, 2)
	w := c.run(seed, 50*time.Millisecond)
	defer w.stop()
	w.goesOn(t, 50)
	c.suffer(t, w, faults)
	w.stop()
	c.settle(t, seed)
	c.verify(t)
}

// TestClusterSoak lets all faults happen in another order with each seed.
func TestClusterSoak(t *testing.T) {
	if !soaking {
		fmt.Fprintf(os.Stderr, "NOT RUN: %s: it takes minutes; make soak runs it\n", t.Name())
		return
	}
	seed := seedOf(t, uint64(time.Now().UnixNano()))
	for round := range uint64(10) {
		t.Run(fmt.Sprintf("seed %d", seed+round), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed+round, 3_000_000))
			faults := slices.Concat(clusterFaults, clusterFaults, clusterFaults)
			random.Shuffle(len(faults), func(i, j int) { faults[i], faults[j] = faults[j], faults[i] })
			newCluster(t, t.TempDir()).goThrough(t, seed+round, faults)
		})
	}
}

// A node that is stopped while it waits for the others has not failed, which a supervisor would tell from its status.
func TestStoppedWhileItWaits(t *testing.T) {
	t.Parallel()
	c := newCluster(t, t.TempDir())
	one := c.nodes[0]
	c.start(t, one)
	await(t, "the node says what it waits for", patienceReady, func() bool {
		a, err := request(&probing, "GET", one.url+"/readyz", "", "", nil)
		return err == nil && a.status == nethttp.StatusServiceUnavailable && strings.Contains(string(a.body), "no other node is connected")
	})
	if !one.end(syscall.SIGTERM) {
		t.Fatal("it does not end when it is asked to")
	}
	process, _ := one.current()
	if code := process.ProcessState.ExitCode(); code != 0 {
		t.Errorf("it ends with status %d: %s", code, one.lastWords(5))
	}
}
