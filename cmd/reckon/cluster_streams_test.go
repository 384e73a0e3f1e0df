package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	nethttp "net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// follower follows an account's conversations at one node after the other.
type follower struct {
	mutex sync.Mutex
	told  map[string]int // by id of a message that was answered
	id    string         // of the last event
	moves int            // from node to node
}

// stream reads a stream from where the follower is until it ends, or ctx does. begun, which may be nil, is called when it has
// begun.
func (f *follower) stream(ctx context.Context, url, secret string, begun func()) error {
	r, err := nethttp.NewRequestWithContext(ctx, "GET", url+"/v1/events", nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+secret)
	f.mutex.Lock()
	if f.id != "" {
		r.Header.Set("Last-Event-ID", f.id)
	}
	f.mutex.Unlock()
	transport := &nethttp.Transport{ResponseHeaderTimeout: 4 * time.Second}
	defer transport.CloseIdleConnections()
	answer, err := transport.RoundTrip(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != nethttp.StatusOK {
		return fmt.Errorf("status %d", answer.StatusCode)
	}
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	id, kind, message := "", "", ""
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "id":
			id = value
		case "event":
			kind = value
		case "data":
			var m struct {
				ID string `json:"message_id"`
			}
			if err := json.Unmarshal([]byte(value), &m); err != nil {
				return err
			}
			message = m.ID
		case "":
			f.mutex.Lock()
			f.id = id
			if kind == "message.completed" || kind == "message.failed" {
				f.told[message]++
			}
			f.mutex.Unlock()
			if kind == "" && begun != nil {
				begun()
			}
			kind, message = "", ""
		}
	}
	return lines.Err()
}

// TestClusterStreams follows an account while nodes are killed: each answered message is told, on whichever node the follower goes
// on. Streams end with their key, revoked at another node, and on a node that is cut off from the others.
func TestClusterStreams(t *testing.T) {
	if !soaking {
		fmt.Fprintf(os.Stderr, "NOT RUN: %s: make soak runs it\n", t.Name())
		return
	}
	c := newCluster(t, t.TempDir())
	c.startAll(t)
	c.settleTenants(t, 1)
	who := c.tenants[0]
	f := &follower{told: map[string]int{}}
	ctx, stop := context.WithCancel(t.Context())
	first, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		begun := sync.OnceFunc(func() { close(first) })
		for i := 0; ctx.Err() == nil; i++ {
			_ = f.stream(ctx, c.nodes[i%3].url, who.secret, begun)
			f.mutex.Lock()
			f.moves++
			f.mutex.Unlock()
			select {
			case <-ctx.Done():
			case <-time.After(50 * time.Millisecond): // as a client does
			}
		}
	}()
	<-first
	answered := map[string]bool{}
	for i := range 600 {
		switch i {
		case 100, 300: // where it follows, whichever that is
			c.nodes[0].end(syscall.SIGKILL)
		case 200, 400:
			c.start(t, c.nodes[0])
			c.awaitReady(t, c.nodes[0])
		case 450:
			leader, _ := c.leader(t)
			leader.end(syscall.SIGKILL)
			defer c.start(t, leader)
		}
		p, _, ok := c.calculate(who, i, fmt.Sprint("key", i), "", promptOf(i, true))
		if !ok {
			t.Fatalf("calculation %d is not answered", i)
		}
		answered[p.answer.message] = true
	}
	lacks := func() (n int) {
		f.mutex.Lock()
		defer f.mutex.Unlock()
		for id := range answered {
			if f.told[id] == 0 {
				n++
			}
		}
		return n
	}
	took := await(t, "every message is told", patienceReady, func() bool { return lacks() == 0 })
	stop()
	<-ended
	twice := 0
	for _, n := range f.told {
		if n > 1 {
			twice++
		}
	}
	t.Logf("%d messages are told, the last one after %s, %d of them twice, with %d moves", len(answered), took, twice, f.moves)
	if f.moves < 2 {
		t.Error("the follower was never torn away, so that nothing is tested")
	}

	for _, n := range c.nodes {
		if !n.running() {
			c.start(t, n)
		}
	}
	c.awaitReady(t)
	lines, err := c.nodes[0].administer("key", "create", "--account", who.account)
	if err != nil {
		t.Fatal(err)
	}
	brief := lines[len(lines)-1]
	open := func(n *node, secret string) (over chan struct{}) {
		begun := make(chan struct{})
		over = make(chan struct{})
		go func() {
			defer close(over)
			one := sync.OnceFunc(func() { close(begun) })
			_ = (&follower{told: map[string]int{}}).stream(t.Context(), n.url, secret, one)
			one()
		}()
		<-begun
		return over
	}
	within := func(what string, limit time.Duration, over chan struct{}) {
		t.Helper()
		began := time.Now()
		select {
		case <-over:
			t.Logf("%s: the stream has ended after %s", what, time.Since(began))
		case <-time.After(limit):
			t.Errorf("%s: the stream goes on after %s", what, limit)
		}
	}
	revoked := open(c.nodes[2], brief)
	c.nodes[1].insist(t, "key", "revoke", strings.Fields(lines[0])[1])
	within("a key is revoked at another node", time.Second, revoked)
	cut := open(c.nodes[2], who.secret)
	for _, n := range c.nodes[:2] {
		n.signal(syscall.SIGSTOP)
		defer n.signal(syscall.SIGCONT)
	}
	within("two of three nodes stand still", 3*time.Second, cut)
}
