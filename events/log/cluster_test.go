package log

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
)

// patience is how long the nodes of a test's cluster may take: elections take seconds, more on a loaded machine.
const patience = 90 * time.Second

// trio is a cluster of three logs in this process.
type trio struct {
	options [3]Options
	logs    [3]*Log // nil for one that is closed
}

// newTrio starts three nodes at once.
func newTrio(t *testing.T) *trio {
	t.Helper()
	c := prepareTrio(t)
	c.start(t, 0, 1, 2)
	return c
}

// prepareTrio has three nodes that can be started.
func prepareTrio(t *testing.T) *trio {
	t.Helper()
	c := &trio{}
	var routes []string
	var addresses [3]string
	var held []net.Listener
	for i := range addresses {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, listener)
		addresses[i] = listener.Addr().String()
		routes = append(routes, "nats://"+addresses[i])
	}
	for _, listener := range held {
		listener.Close()
	}
	dir := t.TempDir()
	for i := range c.options {
		c.options[i] = Options{
			Dir: filepath.Join(dir, fmt.Sprint(i)), Logger: slog.New(slog.DiscardHandler),
			Cluster: &Cluster{Name: "trio", Node: fmt.Sprintf("n%d", i), Listen: addresses[i], Routes: routes, Secret: []byte("a secret of three")},
		}
	}
	t.Cleanup(func() {
		for i := range c.logs {
			c.close(t, i)
		}
	})
	return c
}

// start opens nodes at the same time.
func (c *trio) start(t *testing.T, nodes ...int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var all sync.WaitGroup
	var errs [3]error
	for _, i := range nodes {
		all.Go(func() { c.logs[i], errs[i] = Open(ctx, c.options[i]) })
	}
	all.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
}

func (c *trio) close(t *testing.T, i int) {
	t.Helper()
	if c.logs[i] == nil {
		return
	}
	if err := c.logs[i].Close(); err != nil {
		t.Error(err)
	}
	c.logs[i] = nil
}

// lose ends a node's server as if it had crashed: nothing is handed to the others.
func (c *trio) lose(t *testing.T, i int) {
	t.Helper()
	c.logs[i].backing.(*cluster).server.Shutdown()
	c.logs[i].backing.(*cluster).server.WaitForShutdown()
	c.close(t, i)
}

// until tries until it works.
func until(t *testing.T, what string, try func(ctx context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		err := try(ctx)
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
}

// append adds an event to a subject that has the expected sequence, however often it takes. An outcome that was unknown is
// found by reading.
func (c *trio) append(t *testing.T, node int, e events.Event, expected uint64) (sequence uint64) {
	t.Helper()
	until(t, "append", func(ctx context.Context) (err error) {
		if sequence, err = c.logs[node].Append(ctx, e, expected); err == nil {
			return nil
		}
		read, readErr := c.logs[node].Read(ctx, e.Subject, expected)
		if readErr == nil && len(read) == 1 && read[0].ID == e.ID {
			sequence = read[0].Sequence
			return nil
		}
		return errors.Join(err, readErr)
	})
	return sequence
}

// wantLast checks what nodes say is the newest event.
func (c *trio) wantLast(t *testing.T, want uint64, nodes ...int) {
	t.Helper()
	for _, i := range nodes {
		until(t, "last", func(ctx context.Context) error {
			last, err := c.logs[i].Last(ctx)
			if err == nil && last != want {
				t.Fatalf("node %d: last is %d, want %d", i, last, want)
			}
			return err
		})
	}
}

func TestCluster(t *testing.T) {
	t.Parallel()
	c := newTrio(t)
	e := created("a")
	sequence := c.append(t, 0, e, 0)
	for node := 1; node < 3; node++ {
		sequence = c.append(t, node, changed(e), sequence)
		c.wantLast(t, sequence, 0, 1, 2)
	}
	_, err := c.logs[0].Append(t.Context(), changed(e), sequence-1)
	if !errors.Is(err, ErrConflict) && !errors.Is(err, ErrInFlight) {
		t.Errorf("append behind an event that is not the last: got error %v, want %v", err, ErrConflict)
	}
	for i, l := range c.logs {
		if read, err := l.Read(t.Context(), e.Subject, 0); err != nil || len(read) != 3 {
			t.Errorf("node %d reads %d events (%v), want 3", i, len(read), err)
		}
		if err := l.Broken(); err != nil {
			t.Errorf("node %d: %v", i, err)
		}
		until(t, "ready", func(context.Context) error { return l.Ready() })
	}

	// An election ends what waits for the leader before, at every node.
	var waiting []context.Context
	for _, l := range c.logs {
		ctx, cancel := l.within(t.Context(), patience)
		defer cancel()
		waiting = append(waiting, ctx)
	}
	if _, err := c.logs[0].conn.RequestWithContext(t.Context(), "$JS.API.STREAM.LEADER.STEPDOWN."+eventsStream, nil); err != nil {
		t.Fatal(err)
	}
	for i, ctx := range waiting {
		if <-ctx.Done(); !errors.Is(ctx.Err(), context.Canceled) {
			t.Errorf("node %d hears of no election", i)
		}
	}
	sequence = c.append(t, 0, changed(e), sequence)
	c.wantLast(t, sequence, 0, 1, 2)

	// One node is stopped, then another one is lost: two go on, one does not.
	c.close(t, 0)
	sequence = c.append(t, 1, changed(e), sequence)
	c.wantLast(t, sequence, 1, 2)
	c.start(t, 0)
	c.wantLast(t, sequence, 0)
	until(t, "ready", func(context.Context) error { return c.logs[0].Ready() })
	c.lose(t, 1)
	sequence = c.append(t, 2, changed(e), sequence)
	c.wantLast(t, sequence, 0, 2)
	c.lose(t, 2)

	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if last, err := c.logs[0].Last(ctx); err == nil {
		t.Errorf("a node without the others says that %d is the newest event", last)
	}
	if _, err := c.logs[0].Append(t.Context(), changed(e), sequence); err == nil || errors.Is(err, ErrConflict) {
		t.Errorf("append at a node without the others: got error %v", err)
	}
	if err := c.logs[0].Broken(); err != nil {
		t.Errorf("a node without the others is broken: %v", err)
	}

	// What was appended without a majority may be there afterwards or not.
	c.start(t, 1, 2)
	var read []events.Event
	until(t, "read", func(ctx context.Context) (err error) {
		read, err = c.logs[0].Read(ctx, e.Subject, sequence)
		return err
	})
	if len(read) > 0 {
		sequence = read[len(read)-1].Sequence
	}
	sequence = c.append(t, 0, changed(e), sequence)
	c.wantLast(t, sequence, 0, 1, 2)
}

// A node says what it waits for: first for any other one, then for a leader or a third.
func TestClusterSaysWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	c := prepareTrio(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var others sync.WaitGroup
	defer others.Wait()
	var heard []string
	o := c.options[0]
	o.Waiting = func(what string) {
		if heard = append(heard, what); len(heard) > 1 {
			cancel()
			return
		}
		others.Go(func() {
			if _, err := Open(ctx, c.options[1]); err == nil {
				t.Error("a node is open with a cluster of two")
			}
		})
	}
	if _, err := Open(ctx, o); err == nil {
		t.Error("a node is open alone")
	}
	two := func(what string) bool {
		return strings.Contains(what, "have no leader yet") || strings.Contains(what, "fewer than three nodes")
	}
	if len(heard) != 2 || !strings.Contains(heard[0], "no other node is connected") || !two(heard[1]) {
		t.Errorf("it waits for %q", heard)
	}
}

// A node whose disk is full gives up its part; only a new start brings it back.
func TestClusterBroken(t *testing.T) {
	t.Parallel()
	c := newTrio(t)
	if err := c.logs[1].backing.(*cluster).server.ShutdownJetStream(); err != nil { // what the server does by itself when it finds the disk full
		t.Fatal(err)
	}
	wantError(t, "a node that has given up", c.logs[1].Broken(), ErrBroken)
	for _, i := range []int{0, 2} {
		if err := c.logs[i].Broken(); err != nil {
			t.Errorf("node %d: %v", i, err)
		}
	}
	e := created("a")
	sequence := c.append(t, 0, e, 0)
	c.close(t, 1)
	c.start(t, 1)
	c.wantLast(t, sequence, 1)
	if err := c.logs[1].Broken(); err != nil {
		t.Errorf("after a new start: %v", err)
	}
}

// A wiped node gets all that it had from the others, and everybody can read the same.
func TestWipedNodeCatchesUp(t *testing.T) {
	t.Parallel()
	c := newTrio(t)
	e := created("a")
	sequence := c.append(t, 0, e, 0)
	c.close(t, 1)
	if err := os.RemoveAll(c.options[1].Dir); err != nil {
		t.Fatal(err)
	}
	sequence = c.append(t, 0, changed(e), sequence)
	c.start(t, 1)
	c.wantLast(t, sequence, 1)
	until(t, "ready", func(context.Context) error { return c.logs[1].Ready() })
	c.lose(t, 2)
	sequence = c.append(t, 1, changed(e), sequence)
	if read, err := c.logs[1].Read(t.Context(), e.Subject, 0); err != nil || len(read) != 3 || read[2].Sequence != sequence {
		t.Errorf("the node reads %d events (%v), want 3", len(read), err)
	}
}

// The consumer of commands is in memory: after all nodes have stopped it begins again behind what is finished.
func TestClusterCommands(t *testing.T) {
	t.Parallel()
	c := newTrio(t)
	account := uuid.New()
	finished := map[string]bool{}
	isFinished := func(_ context.Context, command []byte) (bool, error) { return finished[string(command)], nil }
	enqueue := func(node int, name string) {
		until(t, "enqueue", func(ctx context.Context) error {
			err := enqueue(ctx, c.logs[node], events.CommandSubject(account, name), []byte(name), true)
			if errors.Is(err, ErrConflict) { // one whose outcome was unknown is there
				return nil
			}
			return err
		})
	}
	// next takes the next command, acknowledges it and returns it with how often it was delivered.
	next := func(node int) (name string, deliveries uint64) {
		until(t, "next command", func(ctx context.Context) error {
			consumer, err := c.logs[node].Commands(ctx, isFinished)
			if err != nil {
				return err
			}
			m, err := consumer.Next(jetstream.FetchMaxWait(time.Second))
			if err != nil {
				return err
			}
			meta, err := m.Metadata()
			if err != nil {
				return err
			}
			name, deliveries = string(m.Data()), meta.NumDelivered
			return m.DoubleAck(ctx)
		})
		return name, deliveries
	}
	// unfinished is next but for finished commands, which a consumer that had to be made again brings once more.
	unfinished := func(node int) (name string, deliveries uint64) {
		for name, deliveries = next(node); finished[name]; name, deliveries = next(node) {
			t.Logf("%q comes again", name)
		}
		finished[name] = true
		return name, deliveries
	}
	for i := range 20 {
		name := fmt.Sprintf("command %d", i)
		enqueue(i%3, name)
		if got, _ := unfinished((i + 1) % 3); got != name {
			t.Fatalf("the next command is %q, want %q", got, name)
		}
	}
	enqueue(0, "not finished")
	enqueue(1, "finished elsewhere")
	finished["finished elsewhere"] = true
	for i := range c.logs {
		c.lose(t, i)
	}
	c.start(t, 0, 1, 2)
	if got, _ := next(2); got != "not finished" { // and none of the twenty
		t.Errorf("after a restart of all nodes the next command is %q, want the one that is not finished", got)
	}
	finished["not finished"] = true
	enqueue(2, "new")
	if got, deliveries := unfinished(0); got != "new" || deliveries != 1 {
		t.Errorf("the next command is %q for the time %d", got, deliveries)
	}
}

// A command of administration that reaches a leader which has just lost the others hears nothing from it that may be old.
func TestVisitorOfALeaderThatIsAlone(t *testing.T) {
	t.Parallel()
	c := newTrio(t)
	e := created("a")
	c.append(t, 0, e, 0)
	leader := -1
	until(t, "leader", func(ctx context.Context) error {
		info, err := c.logs[0].backing.(*cluster).quorum.info(ctx)
		for i, o := range c.options {
			if err == nil && o.Cluster.Node == info.Cluster.Leader {
				leader = i
			}
		}
		return err
	})
	visitor, err := Join(t.Context(), Options{Dir: c.options[leader].Dir})
	if err != nil {
		t.Fatal(err)
	}
	defer visitor.Close()
	if read, err := visitor.Read(t.Context(), e.Subject, 0); err != nil || len(read) != 1 {
		t.Fatalf("a visitor reads %d events (%v), want 1", len(read), err)
	}
	for i := range c.logs {
		if i != leader {
			c.lose(t, i)
		}
	}
	// Less than the leader needs to find out.
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	_, err = visitor.Read(ctx, e.Subject, 0)
	wantError(t, "read where the leader is alone", err, ErrNoLeader)
	_, err = visitor.Accounts(ctx)
	wantError(t, "list where the leader is alone", err, ErrNoLeader)
}

// A node that is to stop waits for one that is behind, and not for one that is away, nor when all are.
func TestAwaitOthers(t *testing.T) {
	t.Parallel()
	c := newTrio(t)
	wait := func() {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		if err := c.logs[0].AwaitOthers(ctx); err != nil {
			t.Fatal(err)
		}
	}
	last := func() jetstream.PeerInfo {
		var info jetstream.PeerInfo
		until(t, "ask for the replicas", func(ctx context.Context) error {
			limited, cancel := context.WithTimeout(ctx, time.Second) // the leader that was asked may be gone
			defer cancel()
			state, err := c.logs[0].state(limited, eventsStream)
			if err == nil && state.Cluster.Leader == "" {
				err = errLeaderless
			}
			if err != nil {
				return err
			}
			for _, node := range state.Cluster.Replicas {
				if node.Name == c.options[2].Cluster.Node {
					info = *node
				}
			}
			return nil
		})
		return info
	}
	e := created("a")
	sequence := c.append(t, 0, e, 0)
	wait()
	c.lose(t, 2)
	for !last().Offline {
	}
	wait()
	if err := os.RemoveAll(c.options[2].Dir); err != nil {
		t.Fatal(err)
	}
	for range 200 {
		sequence = c.append(t, 0, changed(e), sequence)
	}
	opened := make(chan error, 1)
	go func() {
		log, err := Open(t.Context(), c.options[2])
		c.logs[2] = log
		opened <- err
	}()
	for last().Offline {
	}
	wait()
	if node := last(); !node.Current {
		t.Errorf("not waited for: %+v", node)
	}
	if err := <-opened; err != nil {
		t.Fatal(err)
	}
	c.lose(t, 1)
	c.lose(t, 2)
	wait() // for nobody

	single, err := Open(t.Context(), Options{Dir: t.TempDir(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer single.Close()
	if err := single.AwaitOthers(t.Context()); err != nil {
		t.Errorf("a log without other nodes: %v", err)
	}
}

// Whether the consumer of commands is still the right one is seen from the few commands behind what it has acknowledged, and once:
// as long as a node looks it works on nothing.
func TestRightConsumerOfCommandsIsKept(t *testing.T) {
	t.Parallel()
	c := newTrio(t)
	account := uuid.New()
	const commands = 300
	for i := range commands {
		until(t, "enqueue", func(ctx context.Context) error {
			err := enqueue(ctx, c.logs[i%3], events.CommandSubject(account, fmt.Sprint(i)), []byte("finished"), true)
			if errors.Is(err, ErrConflict) { // one whose outcome was unknown is there
				return nil
			}
			return err
		})
	}
	nothing := func(context.Context, []byte) (bool, error) { return false, nil }
	acknowledged := 0
	until(t, "acknowledge", func(ctx context.Context) error {
		consumer, err := c.logs[0].Commands(ctx, nothing)
		if err != nil {
			return err
		}
		for ; acknowledged < commands; acknowledged++ {
			m, err := consumer.Next(jetstream.FetchMaxWait(time.Second))
			if err == nil {
				err = m.DoubleAck(ctx)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	node, looks := c.logs[1], 0
	all := func(context.Context, []byte) (bool, error) {
		looks++
		return true, nil
	}
	var before, after jetstream.Consumer
	until(t, "find", func(ctx context.Context) (err error) {
		before, err = node.Commands(ctx, all)
		return err
	})
	node.backing.(*cluster).queue.suspect = time.Now() // as of a node that has waited for the others at its start
	for range 2 {
		until(t, "look", func(ctx context.Context) (err error) {
			after, err = node.Commands(ctx, all)
			return err
		})
	}
	if created := after.CachedInfo().Created; !created.Equal(before.CachedInfo().Created) {
		t.Errorf("the consumer was made anew at %s", created)
	}
	if looks > 10 || !node.backing.(*cluster).queue.suspect.IsZero() {
		t.Errorf("%d of %d finished commands were looked at, and it is looked again at each call: %t", looks, commands, !node.backing.(*cluster).queue.suspect.IsZero())
	}
}
