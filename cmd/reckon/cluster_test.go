package main

import (
	"context"
	"fmt"
	nethttp "net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"reckon/cmd/reckon/bench"
	"reckon/events/log"
)

// cluster is three nodes in processes of their own, their tenants, and what callers saw of them.
type cluster struct {
	nodes   []*node
	tenants []tenant
	record
}

// node is one of them.
type node struct {
	name   string
	space  string // network namespace, "" for that of the test
	env    []string
	flags  []string // besides those of its addresses
	data   string
	log    string // file of its standard error
	listen string
	routed string // address for the other nodes
	url    string

	mutex   sync.Mutex // guards what follows
	program string
	process *exec.Cmd
	ended   chan struct{} // closed when the process has ended
}

// current is the process that was started last, nil for none, and what is closed when it has ended.
func (n *node) current() (*exec.Cmd, chan struct{}) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	return n.process, n.ended
}

// install makes another program the node's.
func (n *node) install(program string) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.program = program
}

// patience is how long a node may take to become ready, and a caller to be answered.
const (
	patienceReady  = 90 * time.Second
	patienceCaller = 30 * time.Second
)

// newCluster makes three nodes on loopback that do not run yet.
func newCluster(t *testing.T, dir string) *cluster {
	t.Helper()
	if testing.Short() {
		t.Skip("three programs take long")
	}
	program, err := exec.LookPath("reckon")
	if err != nil {
		t.Fatal(err)
	}
	addresses, err := bench.FreeAddresses(6)
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{}
	for i := range 3 {
		name := fmt.Sprintf("n%d", i+1)
		c.nodes = append(c.nodes, &node{
			name: name, program: program, data: filepath.Join(dir, name), log: filepath.Join(dir, name+".log"),
			listen: addresses[2*i], routed: addresses[2*i+1], url: "http://" + addresses[2*i],
		})
	}
	t.Cleanup(func() {
		for _, n := range c.nodes {
			if t.Failed() && n.running() {
				a, err := request(&probing, "GET", n.url+"/readyz", "", "", nil)
				t.Logf("%s says in the end whether it is ready: %d %s %v", n.name, a.status, a.body, err)
			}
		}
		for _, n := range c.nodes {
			n.end(syscall.SIGKILL)
		}
		if t.Failed() {
			lines := 30
			if soaking {
				lines = 100_000
			}
			for _, n := range c.nodes {
				t.Logf("%s on %s wrote in the end:\n%s", n.name, n.url, n.lastWords(lines))
			}
		}
	})
	return c
}

// start starts a node; whether it becomes ready is another matter.
func (c *cluster) start(t *testing.T, n *node) {
	t.Helper()
	var routes []string
	for _, other := range c.nodes {
		if other != n {
			routes = append(routes, "nats://"+other.routed)
		}
	}
	n.serve(t, "--cluster", "test", "--node", n.name, "--cluster-listen", n.routed, "--routes", strings.Join(routes, ","))
}

// serve starts the service on the node's directory.
func (n *node) serve(t *testing.T, place ...string) {
	t.Helper()
	args := slices.Concat([]string{"serve"}, place, []string{"--data", n.data, "--listen", n.listen, "--log-level", "warn"}, n.flags)
	process, ended := n.command(args...), make(chan struct{})
	log, err := os.OpenFile(n.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	process.Stdout, process.Stderr = log, log
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	n.mutex.Lock()
	n.process, n.ended = process, ended
	n.mutex.Unlock()
	go func() {
		_ = process.Wait()
		close(ended)
	}()
}

// command is a program of the node, the service or a command of administration.
func (n *node) command(args ...string) *exec.Cmd {
	n.mutex.Lock()
	all := append([]string{n.program}, args...)
	n.mutex.Unlock()
	if n.space != "" {
		all = append([]string{"ip", "netns", "exec", n.space}, all...)
	}
	command := exec.Command(all[0], all[1:]...)
	command.Env = append(os.Environ(), n.env...)
	return command
}

// signal sends a signal to a node.
func (n *node) signal(s syscall.Signal) {
	process, _ := n.current()
	_ = process.Process.Signal(s)
}

// end ends a node with a signal and returns when it has ended. One that SIGTERM does not end is killed in the end, and
// false comes back.
func (n *node) end(s syscall.Signal) bool {
	process, ended := n.current()
	if process == nil {
		return true
	}
	n.signal(s)
	if s == syscall.SIGKILL {
		<-ended
		return true
	}
	select {
	case <-ended:
		return true
	case <-time.After(patienceReady):
		n.signal(syscall.SIGKILL)
		<-ended
		return false
	}
}

func (n *node) running() bool {
	process, ended := n.current()
	if process == nil {
		return false
	}
	select {
	case <-ended:
		return false
	default:
		return true
	}
}

// wipe removes all that a node that has ended knows.
func (n *node) wipe(t *testing.T) {
	t.Helper()
	if err := os.RemoveAll(n.data); err != nil {
		t.Fatal(err)
	}
}

// lastWords are the last lines of the node's log, without those that say that another node is not there.
func (n *node) lastWords(lines int) string {
	data, err := os.ReadFile(n.log)
	if err != nil {
		return err.Error()
	}
	all := slices.DeleteFunc(strings.Split(strings.TrimSpace(string(data)), "\n"), func(line string) bool {
		return strings.Contains(line, "trying to connect to route")
	})
	return strings.Join(all[max(len(all)-lines, 0):], "\n")
}

// probing asks for readiness, and does not wait for a node that does not answer.
var probing = nethttp.Client{Timeout: 2 * time.Second}

func (n *node) ready() bool {
	a, err := request(&probing, "GET", n.url+"/readyz", "", "", nil)
	return err == nil && a.status == nethttp.StatusOK
}

// await asks every few milliseconds until something is so, and reports how long that took.
func await(t *testing.T, what string, limit time.Duration, so func() bool) time.Duration {
	t.Helper()
	began := time.Now()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !so() {
		if time.Since(began) > limit {
			t.Fatalf("%s: not within %s", what, limit)
		}
		<-tick.C
	}
	return time.Since(began)
}

// awaitReady waits until nodes are ready, all when none is named, and reports how long that took.
func (c *cluster) awaitReady(t *testing.T, nodes ...*node) time.Duration {
	t.Helper()
	if len(nodes) == 0 {
		nodes = c.nodes
	}
	began := time.Now()
	for _, n := range nodes {
		await(t, n.name+" becomes ready", patienceReady, func() bool {
			if !n.running() {
				t.Fatalf("%s has ended: %s", n.name, n.lastWords(10))
			}
			return n.ready()
		})
	}
	return time.Since(began)
}

// startAll starts all nodes and waits until they are ready.
func (c *cluster) startAll(t *testing.T) time.Duration {
	t.Helper()
	for _, n := range c.nodes {
		c.start(t, n)
	}
	return c.awaitReady(t)
}

// administer runs a command of administration through a running node's data directory, and returns the lines that it prints.
func (n *node) administer(args ...string) ([]string, error) {
	if !n.running() {
		return nil, fmt.Errorf("%v: %s does not run", args, n.name)
	}
	out, err := n.command(append(args, "--data", n.data)...).Output()
	if err != nil {
		text := ""
		if failed, ok := err.(*exec.ExitError); ok {
			text = string(failed.Stderr) + string(out)
		}
		return nil, fmt.Errorf("%v on %s: %w: %s", args, n.name, err, text)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n"), nil
}

// insist gives a command of administration to a running node until it succeeds, and returns how long that took. One that does not
// succeed must say why.
func (n *node) insist(t *testing.T, args ...string) time.Duration {
	t.Helper()
	return await(t, fmt.Sprint(args), patienceReady, func() bool {
		_, err := n.administer(args...)
		if err != nil && !strings.Contains(err.Error(), "the cluster does not answer") && !strings.Contains(err.Error(), "it is not known whether") {
			t.Fatal(err)
		}
		return err == nil
	})
}

// settleTenants makes accounts, each with a key and the domain that promptOf asks, through one node after the other, and
// waits until every node knows them.
func (c *cluster) settleTenants(t *testing.T, count int) {
	t.Helper()
	domain := filepath.Join("starter", "home", "electricity.yaml")
	for i := range count {
		n := c.nodes[i%len(c.nodes)]
		who := tenant{account: fmt.Sprintf("account%d", len(c.tenants)+1)}
		for _, step := range []struct {
			keep *string
			args []string
		}{
			{new(string), []string{"account", "create", who.account}},
			{&who.secret, []string{"key", "create", "--account", who.account}},
			{&who.domain, []string{"domain", "publish", domain, "--no-write", "--account", who.account}},
		} {
			lines, err := n.administer(step.args...)
			if err != nil {
				t.Fatal(err)
			}
			*step.keep = lines[len(lines)-1]
		}
		c.tenants = append(c.tenants, who)
	}
	for _, n := range c.nodes {
		for _, who := range c.tenants {
			await(t, n.name+" knows "+who.account, patienceCaller, func() bool {
				a, err := request(&probing, "GET", n.url+"/v1/domains", who.secret, "", nil)
				return err == nil && a.status == nethttp.StatusOK && strings.Contains(string(a.body), who.domain)
			})
		}
	}
}

// leader is the node whose server leads EVENTS, and the others, as the log of a running node says.
func (c *cluster) leader(t *testing.T) (leader *node, followers []*node) {
	t.Helper()
	await(t, "EVENTS has a leader", patienceReady, func() bool {
		for _, n := range c.nodes {
			if !n.running() {
				continue
			}
			name := ""
			err := n.withLog(func(ctx context.Context, log *log.Log) error {
				stream, err := log.JetStream().Stream(ctx, "EVENTS")
				if err == nil && stream.CachedInfo().Cluster != nil {
					name = stream.CachedInfo().Cluster.Leader
				}
				return err
			})
			if err != nil {
				continue
			}
			leader, followers = nil, nil
			for _, n := range c.nodes {
				if n.name == name {
					leader = n
				} else {
					followers = append(followers, n)
				}
			}
			if leader != nil {
				return true
			}
		}
		return false
	})
	return leader, followers
}

// withLog reaches the log of a running node.
func (n *node) withLog(f func(ctx context.Context, log *log.Log) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	return n.inside(func() error {
		log, err := log.Join(ctx, log.Options{Dir: n.data})
		if err != nil {
			return err
		}
		defer log.Close()
		return f(ctx, log)
	})
}
