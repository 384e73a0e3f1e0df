package log

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
	"reckon/events/log/logtest"
)

// options are those of a node of a trio.
func options(n logtest.Node) Options {
	return Options{
		Dir: n.Dir, Logger: slog.New(slog.DiscardHandler),
		Cluster: &Cluster{Name: "trio", Node: n.Name, Listen: n.Listen, Routes: n.Routes, Secret: []byte("a secret of three")},
	}
}

// prepareTrio has three nodes that can be started.
func prepareTrio(t *testing.T) *logtest.Trio[*Log] {
	t.Helper()
	return logtest.NewTrio(t, func(ctx context.Context, n logtest.Node) (*Log, error) { return Open(ctx, options(n)) })
}

// newTrio starts three nodes at once.
func newTrio(t *testing.T) *logtest.Trio[*Log] {
	t.Helper()
	c := prepareTrio(t)
	c.Start(t, 0, 1, 2)
	return c
}

func TestCluster(t *testing.T) {
	t.Parallel()
	c := newTrio(t)
	e := logtest.Created("a")
	sequence := c.Append(t, 0, e, 0)
	for node := 1; node < 3; node++ {
		sequence = c.Append(t, node, logtest.Changed(e), sequence)
		c.WantLast(t, sequence, 0, 1, 2)
	}
	_, err := c.Logs[0].Append(t.Context(), logtest.Changed(e), sequence-1)
	if !errors.Is(err, ErrConflict) && !errors.Is(err, ErrInFlight) {
		t.Errorf("append behind an event that is not the last: got error %v, want %v", err, ErrConflict)
	}
	for i, l := range c.Logs {
		if read, err := l.Read(t.Context(), e.Subject, 0); err != nil || len(read) != 3 {
			t.Errorf("node %d reads %d events (%v), want 3", i, len(read), err)
		}
		if err := l.Broken(); err != nil {
			t.Errorf("node %d: %v", i, err)
		}
		logtest.Until(t, "ready", func(context.Context) error { return l.Ready() })
	}

	// An election ends what waits for the leader before, at every node.
	var waiting []context.Context
	for _, l := range c.Logs {
		ctx, cancel := l.within(t.Context(), logtest.Patience)
		defer cancel()
		waiting = append(waiting, ctx)
	}
	if _, err := c.Logs[0].conn.RequestWithContext(t.Context(), "$JS.API.STREAM.LEADER.STEPDOWN."+EventsStream, nil); err != nil {
		t.Fatal(err)
	}
	for i, ctx := range waiting {
		if <-ctx.Done(); !errors.Is(ctx.Err(), context.Canceled) {
			t.Errorf("node %d hears of no election", i)
		}
	}
	sequence = c.Append(t, 0, logtest.Changed(e), sequence)
	c.WantLast(t, sequence, 0, 1, 2)

	// One node is stopped, then another one is lost: two go on, one does not.
	c.Close(t, 0)
	sequence = c.Append(t, 1, logtest.Changed(e), sequence)
	c.WantLast(t, sequence, 1, 2)
	c.Start(t, 0)
	c.WantLast(t, sequence, 0)
	logtest.Until(t, "ready", func(context.Context) error { return c.Logs[0].Ready() })
	c.Lose(t, 1)
	sequence = c.Append(t, 2, logtest.Changed(e), sequence)
	c.WantLast(t, sequence, 0, 2)
	c.Lose(t, 2)

	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if last, err := c.Logs[0].Last(ctx); err == nil {
		t.Errorf("a node without the others says that %d is the newest event", last)
	}
	if _, err := c.Logs[0].Append(t.Context(), logtest.Changed(e), sequence); err == nil || errors.Is(err, ErrConflict) {
		t.Errorf("append at a node without the others: got error %v", err)
	}
	if err := c.Logs[0].Broken(); err != nil {
		t.Errorf("a node without the others is broken: %v", err)
	}

	// What was appended without a majority may be there afterwards or not, or come yet.
	c.Start(t, 1, 2)
	logtest.Until(t, "append", func(ctx context.Context) error {
		read, err := c.Logs[0].Read(ctx, e.Subject, sequence)
		if err != nil {
			return err
		}
		if len(read) > 0 {
			sequence = read[len(read)-1].Sequence
		}
		appended, err := c.Logs[0].Append(ctx, logtest.Changed(e), sequence)
		if err == nil {
			sequence = appended
		}
		return err
	})
	c.WantLast(t, sequence, 0, 1, 2)
}

// A node says what it waits for: first for any other one, then for a leader or a third.
func TestClusterSaysWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	c := prepareTrio(t)
	ctx, cancel := context.WithTimeout(t.Context(), logtest.Patience)
	defer cancel()
	var others sync.WaitGroup
	defer others.Wait()
	var heard []string
	o := options(c.Nodes[0])
	o.Waiting = func(what string) {
		if heard = append(heard, what); len(heard) > 1 {
			cancel()
			return
		}
		others.Go(func() {
			if _, err := c.Open(ctx, 1); err == nil {
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
	if err := c.Logs[1].backing.(*cluster).server.ShutdownJetStream(); err != nil { // what the server does by itself when it finds the disk full
		t.Fatal(err)
	}
	logtest.WantError(t, "a node that has given up", c.Logs[1].Broken(), ErrBroken)
	for _, i := range []int{0, 2} {
		if err := c.Logs[i].Broken(); err != nil {
			t.Errorf("node %d: %v", i, err)
		}
	}
	e := logtest.Created("a")
	sequence := c.Append(t, 0, e, 0)
	c.Close(t, 1)
	c.Start(t, 1)
	c.WantLast(t, sequence, 1)
	if err := c.Logs[1].Broken(); err != nil {
		t.Errorf("after a new start: %v", err)
	}
}

// A wiped node gets all that it had from the others, and everybody can read the same.
func TestWipedNodeCatchesUp(t *testing.T) {
	t.Parallel()
	c := newTrio(t)
	e := logtest.Created("a")
	sequence := c.Append(t, 0, e, 0)
	c.Close(t, 1)
	if err := os.RemoveAll(c.Nodes[1].Dir); err != nil {
		t.Fatal(err)
	}
	sequence = c.Append(t, 0, logtest.Changed(e), sequence)
	c.Start(t, 1)
	c.WantLast(t, sequence, 1)
	logtest.Until(t, "ready", func(context.Context) error { return c.Logs[1].Ready() })
	c.Lose(t, 2)
	sequence = c.Append(t, 1, logtest.Changed(e), sequence)
	if read, err := c.Logs[1].Read(t.Context(), e.Subject, 0); err != nil || len(read) != 3 || read[2].Sequence != sequence {
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
		logtest.Until(t, "enqueue", func(ctx context.Context) error {
			err := enqueue(ctx, c.Logs[node], events.CommandSubject(account, name), []byte(name), true)
			if errors.Is(err, ErrConflict) { // one whose outcome was unknown is there
				return nil
			}
			return err
		})
	}
	// next takes the next command, acknowledges it and returns it with how often it was delivered.
	next := func(node int) (name string, deliveries uint64) {
		logtest.Until(t, "next command", func(ctx context.Context) error {
			consumer, err := c.Logs[node].Commands(ctx, isFinished)
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
	for i := range c.Logs {
		c.Lose(t, i)
	}
	c.Start(t, 0, 1, 2)
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
	e := logtest.Created("a")
	c.Append(t, 0, e, 0)
	leader := leaderOf(t, c)
	visitor, err := Join(t.Context(), Options{Dir: c.Nodes[leader].Dir})
	if err != nil {
		t.Fatal(err)
	}
	defer visitor.Close()
	if read, err := visitor.Read(t.Context(), e.Subject, 0); err != nil || len(read) != 1 {
		t.Fatalf("a visitor reads %d events (%v), want 1", len(read), err)
	}
	for i := range c.Logs {
		if i != leader {
			c.Lose(t, i)
		}
	}
	// Less than the leader needs to find out.
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	_, err = visitor.Read(ctx, e.Subject, 0)
	logtest.WantError(t, "read where the leader is alone", err, ErrNoLeader)
	_, err = visitor.Accounts(ctx)
	logtest.WantError(t, "list where the leader is alone", err, ErrNoLeader)
}

// A leader that is cut off takes in only what was under way: all that it takes in then it has to drop again, one at a time, before it
// counts for a majority.
func TestLeaderThatIsAloneTakesInLittle(t *testing.T) {
	t.Parallel()
	c := newTrio(t)
	c.Append(t, 0, logtest.Created("a"), 0)
	leader := leaderOf(t, c)
	for i := range c.Logs {
		if i != leader {
			c.Lose(t, i)
		}
	}
	before := held(c, leader)
	for i := range 6 {
		ctx, cancel := context.WithTimeout(t.Context(), answerPatience)
		_, err := c.Logs[leader].Append(ctx, logtest.Created(fmt.Sprint("b", i)), 0)
		cancel()
		logtest.WantError(t, "append where the leader is alone", err, ErrUnknown)
	}
	if more := held(c, leader) - before; more > 1 {
		t.Errorf("it has taken in %d messages of 6 that nobody else has", more)
	}
}

// held is how many entries the Raft logs of a node's streams had up to now.
func held(c *logtest.Trio[*Log], node int) (entries uint64) {
	raft := c.Logs[node].backing.(*cluster).server.Raftz(&server.RaftzOptions{AccountFilter: server.DEFAULT_GLOBAL_ACCOUNT})
	for name, group := range (*raft)[server.DEFAULT_GLOBAL_ACCOUNT] {
		if strings.HasPrefix(name, "S-") {
			entries += group.WAL.LastSeq
		}
	}
	return entries
}

// leaderOf is the node that leads EVENTS.
func leaderOf(t *testing.T, c *logtest.Trio[*Log]) int {
	t.Helper()
	leader := -1
	logtest.Until(t, "leader", func(ctx context.Context) error {
		info, err := c.Logs[0].backing.(*cluster).quorum.info(ctx)
		for i, node := range c.Nodes {
			if err == nil && node.Name == info.Cluster.Leader {
				leader = i
			}
		}
		return err
	})
	return leader
}

// A node that is to stop waits for one that is behind, and not for one that is away, nor when all are.
func TestAwaitOthers(t *testing.T) {
	t.Parallel()
	c := newTrio(t)
	wait := func() {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), logtest.Patience)
		defer cancel()
		if err := c.Logs[0].AwaitOthers(ctx); err != nil {
			t.Fatal(err)
		}
	}
	last := func() jetstream.PeerInfo {
		var info jetstream.PeerInfo
		logtest.Until(t, "ask for the replicas", func(ctx context.Context) error {
			limited, cancel := context.WithTimeout(ctx, time.Second) // the leader that was asked may be gone
			defer cancel()
			state, err := c.Logs[0].State(limited, EventsStream)
			if err == nil && state.Cluster.Leader == "" {
				err = errLeaderless
			}
			if err != nil {
				return err
			}
			for _, node := range state.Cluster.Replicas {
				if node.Name == c.Nodes[2].Name {
					info = *node
					return nil
				}
			}
			return errLeaderless // a node that starts answers for the leader
		})
		return info
	}
	e := logtest.Created("a")
	sequence := c.Append(t, 0, e, 0)
	wait()
	c.Close(t, 2) // which tells the others that it is away; of one that is cut off they learn that after minutes
	for !last().Offline {
	}
	wait()
	if err := os.RemoveAll(c.Nodes[2].Dir); err != nil {
		t.Fatal(err)
	}
	for range 200 {
		sequence = c.Append(t, 0, logtest.Changed(e), sequence)
	}
	opened := make(chan error, 1)
	go func() {
		log, err := c.Open(t.Context(), 2)
		c.Logs[2] = log
		opened <- err
	}()
	for last().Offline {
	}
	held, _ := replicated(c, 2)
	wait()
	if _, has := replicated(c, 2); !reaches(has, held) {
		t.Errorf("not waited for: of the streams %v it has %v", held, has)
	}
	if err := <-opened; err != nil {
		t.Fatal(err)
	}
	c.Lose(t, 1)
	c.Lose(t, 2)
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

// replicated is how much the streams hold, by raft group, as the nodes beside one know, and how much of it that one has: what it has
// confirmed to those that led, and all where it leads itself. Neither ever becomes less. That a node is current is over as soon as
// an entry is committed that it has not confirmed, such as the first one of a new leader.
func replicated(c *logtest.Trio[*Log], node int) (held, has map[string]uint64) {
	held, has = map[string]uint64{}, map[string]uint64{}
	for i := range c.Logs {
		if i == node { // which may be starting
			continue
		}
		raft := c.Logs[i].backing.(*cluster).server.Raftz(&server.RaftzOptions{AccountFilter: server.DEFAULT_GLOBAL_ACCOUNT})
		for name, group := range (*raft)[server.DEFAULT_GLOBAL_ACCOUNT] {
			if !strings.HasPrefix(name, "S-") { // that of a consumer
				continue
			}
			held[name] = max(held[name], group.Committed)
			for id, peer := range group.Peers {
				switch {
				case peer.Name != c.Nodes[node].Name:
				case id == group.Leader:
					has[name] = max(has[name], group.Committed)
				default:
					has[name] = max(has[name], peer.LastReplicatedIndex)
				}
			}
		}
	}
	return held, has
}

// reaches tells whether no group has less than was held.
func reaches(has, held map[string]uint64) bool {
	for name, index := range held {
		if has[name] < index {
			return false
		}
	}
	return len(held) == 2
}

// Whether the consumer of commands is still the right one is seen from the few commands behind what it has acknowledged, and once:
// as long as a node looks it works on nothing.
func TestRightConsumerOfCommandsIsKept(t *testing.T) {
	t.Parallel()
	c := newTrio(t)
	account := uuid.New()
	const commands = 300
	for i := range commands {
		logtest.Until(t, "enqueue", func(ctx context.Context) error {
			err := enqueue(ctx, c.Logs[i%3], events.CommandSubject(account, fmt.Sprint(i)), []byte("finished"), true)
			if errors.Is(err, ErrConflict) { // one whose outcome was unknown is there
				return nil
			}
			return err
		})
	}
	nothing := func(context.Context, []byte) (bool, error) { return false, nil }
	acknowledged := 0
	logtest.Until(t, "acknowledge", func(ctx context.Context) error {
		consumer, err := c.Logs[0].Commands(ctx, nothing)
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
	node, looks := c.Logs[1], 0
	all := func(context.Context, []byte) (bool, error) {
		looks++
		return true, nil
	}
	var before, after jetstream.Consumer
	logtest.Until(t, "find", func(ctx context.Context) (err error) {
		before, err = node.Commands(ctx, all)
		return err
	})
	node.backing.(*cluster).queue.suspect = time.Now() // as of a node that has waited for the others at its start
	for range 2 {
		logtest.Until(t, "look", func(ctx context.Context) (err error) {
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

// Every node knows how many there are, not only the one that leads.
func TestNodesOfACluster(t *testing.T) {
	c := newTrio(t)
	for i, l := range c.Logs {
		logtest.Until(t, "count nodes", func(context.Context) error {
			if n := l.Nodes(); n != len(c.Logs) {
				return fmt.Errorf("node %d counts %d", i, n)
			}
			return nil
		})
	}
}
