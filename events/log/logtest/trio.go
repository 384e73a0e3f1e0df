package logtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"reckon/events"
)

// Log is what a Trio needs of a log.
type Log interface {
	comparable
	Append(ctx context.Context, e events.Event, expected uint64) (uint64, error)
	Read(ctx context.Context, s events.Subject, after uint64) ([]events.Event, error)
	Last(ctx context.Context) (uint64, error)
	Close() error
}

// Node is what tells the nodes of a cluster apart.
type Node struct {
	Name   string
	Dir    string
	Listen string   // host:port
	Routes []string // to the others, each through a link that can be cut
}

// Trio is a cluster of three logs in this process.
type Trio[L Log] struct {
	Nodes [3]Node
	Logs  [3]L // the zero value for one that is closed
	open  func(context.Context, Node) (L, error)
	links [3][3]*link // from a node to another one; nil to itself
}

// NewTrio makes three nodes that can be started, with what opens one of them.
func NewTrio[L Log](t *testing.T, open func(context.Context, Node) (L, error)) *Trio[L] {
	t.Helper()
	if testing.Short() {
		t.Skip("three nodes take long")
	}
	c := &Trio[L]{open: open}
	dir := t.TempDir()
	for i, address := range FreeAddresses(t, len(c.Nodes)) {
		c.Nodes[i] = Node{Name: fmt.Sprintf("n%d", i), Dir: filepath.Join(dir, fmt.Sprint(i)), Listen: address}
	}
	for i := range c.Nodes {
		for j := range c.Nodes {
			if i != j {
				c.links[i][j] = newLink(t, c.Nodes[j].Listen)
				c.Nodes[i].Routes = append(c.Nodes[i].Routes, "nats://"+c.links[i][j].listener.Addr().String())
			}
		}
	}
	t.Cleanup(func() {
		for i := range c.Logs {
			c.Close(t, i)
		}
	})
	return c
}

// Open opens a node as it is to run, and leaves it to the caller.
func (c *Trio[L]) Open(ctx context.Context, i int) (L, error) {
	c.connect(i, true)
	return c.open(ctx, c.Nodes[i])
}

// Start opens nodes at the same time.
func (c *Trio[L]) Start(t *testing.T, nodes ...int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	var all sync.WaitGroup
	var errs [3]error
	for _, i := range nodes {
		all.Go(func() { c.Logs[i], errs[i] = c.Open(ctx, i) })
	}
	all.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
}

// Close stops a node, if it runs.
func (c *Trio[L]) Close(t *testing.T, i int) {
	t.Helper()
	var none L
	if c.Logs[i] == none {
		return
	}
	if err := c.Logs[i].Close(); err != nil {
		t.Error(err)
	}
	c.Logs[i] = none
}

// Lose stops a node as if it had crashed: it is cut off before, so that it hands nothing to the
// others.
func (c *Trio[L]) Lose(t *testing.T, i int) {
	t.Helper()
	c.connect(i, false)
	c.Close(t, i)
}

// Cut cuts a node off from the others, until Mend.
func (c *Trio[L]) Cut(i int) { c.connect(i, false) }

// Mend connects a node that was cut off.
func (c *Trio[L]) Mend(i int) { c.connect(i, true) }

// connect opens or cuts the links of a node.
func (c *Trio[L]) connect(i int, up bool) {
	for j := range c.Nodes {
		if i != j {
			c.links[i][j].set(up)
			c.links[j][i].set(up)
		}
	}
}

// Append adds an event to a subject that has the expected sequence, however often it takes. An
// outcome that was unknown is found by reading.
func (c *Trio[L]) Append(t *testing.T, node int, e events.Event, expected uint64) (sequence uint64) {
	t.Helper()
	Until(t, "append", func(ctx context.Context) (err error) {
		if sequence, err = c.Logs[node].Append(ctx, e, expected); err == nil {
			return nil
		}
		read, readErr := c.Logs[node].Read(ctx, e.Subject, expected)
		if readErr == nil && len(read) == 1 && read[0].ID == e.ID {
			sequence = read[0].Sequence
			return nil
		}
		return errors.Join(err, readErr)
	})
	return sequence
}

// WantLast checks what nodes say is the newest event.
func (c *Trio[L]) WantLast(t *testing.T, want uint64, nodes ...int) {
	t.Helper()
	for _, i := range nodes {
		Until(t, "last", func(ctx context.Context) error {
			last, err := c.Logs[i].Last(ctx)
			if err == nil && last != want {
				t.Fatalf("node %d: last is %d, want %d", i, last, want)
			}
			return err
		})
	}
}

// Ports from lowestPort to highestPort are given out. They lie below those from which systems take
// ports for connections, so that none is taken before a node that is started later listens on it.
const lowestPort, highestPort = 12_000, 32_000

// FreeAddresses are addresses on loopback on which nobody listens.
func FreeAddresses(t testing.TB, count int) (list []string) {
	t.Helper()
	for len(list) < count {
		address := fmt.Sprintf("127.0.0.1:%d", lowestPort+rand.IntN(highestPort-lowestPort))
		listener, err := net.Listen("tcp", address)
		if errors.Is(err, syscall.EADDRINUSE) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close() // when all have been found, so that they differ
		list = append(list, address)
	}
	return list
}
