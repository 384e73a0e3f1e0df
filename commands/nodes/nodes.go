// Package nodes tells how the nodes of an installation are, each by itself and all together, and
// judges what they say: what is not well, and what to do about it.
package nodes

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/commands"
	"reckon/events"
	"reckon/events/backup"
	"reckon/events/log"
	"reckon/projections"
)

// Installation is the state of all nodes, as the one that is asked sees it.
type Installation struct {
	This   Node     `json:"this"`
	Others []Peer   `json:"others"` // servers of NATS that keep the log, this one among them; none where one does
	Nodes  []Answer `json:"nodes"`  // by name, this one among them
	Events uint64   `json:"events"` // sequence of the newest event
}

// Node is a node as it sees itself.
type Node struct {
	Name      string     `json:"name"`    // in its cluster, else an id
	Version   string     `json:"version"` // of the program, "" where no server runs
	Started   *time.Time `json:"started"` // null where no server runs
	Ready     bool       `json:"ready"`
	Waits     string     `json:"waits"`   // for what, "" while it is ready
	Damaged   string     `json:"damaged"` // what of its log is, "" for nothing
	Folded    uint64     `json:"folded"`  // sequence of the newest event that it shows
	DiskFree  uint64     `json:"disk_free"`
	DiskTotal uint64     `json:"disk_total"`  // 0 where it has no directory of its own
	LogBytes  uint64     `json:"log_bytes"`   // that commands and events take
	Queue     uint64     `json:"queue"`       // commands of all nodes that are not delivered yet
	Backup    *time.Time `json:"last_backup"` // made from this node, null for none that is known

	Certificates []Certificate `json:"certificates"`      // that it was started with
	Webhooks     []Webhook     `json:"disabled_webhooks"` // of all accounts, null where no server tells
	Findings     []Advice      `json:"findings"`          // on its settings and its machine, null where no server tells
	Task         *Task         `json:"task,omitempty"`    // that it is at, or was last, since it was started
}

// Webhook is a webhook to which nothing is sent.
type Webhook struct {
	ID      uuid.UUID `json:"id"`
	Account string    `json:"account"`
	Since   time.Time `json:"disabled_at"`
	Reason  string    `json:"reason"` // "" for none given
}

// Certificate is a certificate of a node.
type Certificate struct {
	Of   string    `json:"certificate"` // node, or authority for that of the one who signs those of nodes
	Ends time.Time `json:"not_after"`
}

// Own is what a process knows of its own node beside the log.
type Own struct {
	Dir          string // data directory, "" for none
	Certificates []Certificate
	Findings     func() []Advice // on its settings and its machine; nil for none
	Work         *Work           // nil for none
}

// Source is where the state of a node comes from.
type Source struct {
	Own
	Log   *log.Log
	Views *projections.Views // nil within the process of a command line
}

// Answer is what a node says of itself.
type Answer struct {
	Name string `json:"name"`
	Node *Node  `json:"node"` // null where it does not answer
}

// Peer is a server that keeps the log.
type Peer struct {
	Name    string `json:"name"`
	Leads   bool   `json:"leads"`
	Current bool   `json:"current"` // it has all that the leader has
	Offline bool   `json:"offline"`
	Lag     uint64 `json:"lag"` // messages behind the leader
}

const (
	// subject is where the nodes of an installation are asked how they are.
	subject = "reckon.nodes"
	// stopSubject is where the node that a message names is told to end its verification.
	stopSubject = "reckon.nodes.stop"
	// patience is how long it is waited for nodes that do not answer.
	patience = time.Second
	// longPatience is how long it is waited for the server of a log that was joined, which runs.
	longPatience = 5 * time.Second
)

// Tell answers who asks the nodes of the log how they are, for as long as its connection holds.
func (s Source) Tell() error {
	_, err := s.Log.JetStream().Conn().Subscribe(subject, func(m *nats.Msg) {
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), longPatience)
			defer cancel()
			node, _, err := s.node(ctx)
			if err != nil {
				return // to who asks it is a node that does not answer
			}
			if text, err := events.Marshal(node); err == nil {
				_ = m.Respond(text) // the connection may be gone
			}
		}()
	})
	if err == nil && s.Work != nil {
		_, err = s.Log.JetStream().Conn().Subscribe(stopSubject, func(m *nats.Msg) {
			if string(m.Data) == nameOf(s.Log) {
				s.Work.Stop()
			}
		})
	}
	if err != nil {
		return fmt.Errorf("take questions of other nodes: %w", err)
	}
	return nil
}

// node is the state of this node, or of the server that its log was joined through, with what is
// known of who keeps EVENTS.
func (s Source) node(ctx context.Context) (Node, *jetstream.ClusterInfo, error) {
	l := s.Log
	n := Node{Name: nameOf(l), Certificates: s.Certificates, Task: s.Work.Task()}
	var state projections.State
	var err error
	switch {
	case s.Views != nil:
		state = s.Views.State()
		n.Webhooks = disabled(s.Views)
		if s.Findings != nil {
			n.Findings = s.Findings()
		}
	case !l.Local():
		if state, err = projections.RemoteOf(l).State(ctx); err != nil {
			return n, nil, err
		}
	}
	if !state.Started.IsZero() {
		n.Started = &state.Started
	}
	n.Version, n.Damaged, n.Folded = state.Program, state.Damaged, state.Folded
	if err := l.Ready(); err != nil && state.Waits == "" {
		state.Waits = err.Error()
	}
	n.Ready, n.Waits = state.Waits == "", state.Waits
	if s.Dir != "" {
		made, known, err := backup.Last(s.Dir)
		if err != nil {
			return n, nil, err
		}
		if known {
			n.Backup = &made.CreatedAt
		}
		if n.DiskFree, n.DiskTotal, err = commands.DiskSpace(s.Dir); err != nil {
			return n, nil, err
		}
	}
	stream, err := l.State(ctx, log.EventsStream)
	if err != nil {
		return n, nil, err
	}
	queued, err := l.State(ctx, log.CommandsStream)
	if err != nil {
		return n, nil, err
	}
	n.LogBytes = stream.State.Bytes + queued.State.Bytes
	n.Queue, err = l.Queued(ctx)
	return n, stream.Cluster, err
}

// nameOf is the name of the server of NATS that a node of a cluster has within it, else the id of
// the node's views.
func nameOf(l *log.Log) string {
	if within(l) {
		return l.JetStream().Conn().ConnectedServerName()
	}
	return l.ViewsID()
}

// within tells whether each node has a server of NATS in it, which keeps the log.
func within(l *log.Log) bool { return l.ViewsID() == l.JetStream().Conn().ConnectedServerId() }

// All is the state of the installation, of this node and of those that say theirs within a second.
func (s Source) All(ctx context.Context) (Installation, error) {
	l := s.Log
	last, err := l.Last(ctx)
	if err != nil {
		return Installation{}, err
	}
	all := Installation{Others: []Peer{}, Events: last}
	var keepers *jetstream.ClusterInfo
	if all.This, keepers, err = s.node(ctx); err != nil {
		return Installation{}, err
	}
	if keepers != nil && len(keepers.Replicas) > 0 {
		all.Others = append(all.Others, Peer{Name: keepers.Leader, Leads: true, Current: true})
		for _, r := range slices.SortedFunc(slices.Values(keepers.Replicas), func(a, b *jetstream.PeerInfo) int { return strings.Compare(a.Name, b.Name) }) {
			all.Others = append(all.Others, Peer{Name: r.Name, Current: r.Current, Offline: r.Offline, Lag: r.Lag})
		}
	}
	all.Nodes = []Answer{{all.This.Name, &all.This}}
	joined := s.Views == nil && !l.Local()
	if joined {
		all.Nodes = nil // the server of the log says more of itself than this process can
	}
	if joined || !l.Alone() {
		var expected []string
		wait := patience
		if joined && l.Alone() {
			expected, wait = []string{all.This.Name}, longPatience
		}
		if within(l) {
			for _, peer := range all.Others {
				expected = append(expected, peer.Name)
			}
		}
		if all.Nodes, err = ask(ctx, l, all.Nodes, expected, wait); err != nil {
			return all, err
		}
	}
	if joined {
		all.told()
	}
	return all, nil
}

// told takes what the server of the log says of itself for this node. One that does not say it, as
// an earlier one or while it starts, is as it was seen.
func (all *Installation) told() {
	i := slices.IndexFunc(all.Nodes, func(a Answer) bool { return a.Name == all.This.Name })
	if i < 0 {
		all.Nodes = append(all.Nodes, Answer{Name: all.This.Name})
		i = len(all.Nodes) - 1
	}
	if node := all.Nodes[i].Node; node != nil {
		all.This.Certificates, all.This.Webhooks, all.This.Findings = node.Certificates, node.Webhooks, node.Findings
	}
	all.Nodes[i].Node = &all.This
	slices.SortFunc(all.Nodes, func(a, b Answer) int { return cmp.Compare(a.Name, b.Name) })
}

// disabled lists the webhooks to which nothing is sent, those of the longest time first.
func disabled(views *projections.Views) []Webhook {
	list := []Webhook{}
	for _, account := range views.Webhooked() {
		for _, w := range account.Webhooks {
			if w.Disabled != nil {
				list = append(list, Webhook{w.ID, account.Name, w.Disabled.Since, w.Disabled.Reason})
			}
		}
	}
	slices.SortFunc(list, func(a, b Webhook) int { return a.Since.Compare(b.Since) })
	return list
}

// ask asks all nodes how they are, and waits until those that are expected have said so, for as
// long as it is told at most. known are those that need not answer.
func ask(ctx context.Context, l *log.Log, known []Answer, expected []string, wait time.Duration) ([]Answer, error) {
	conn := l.JetStream().Conn()
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	answers, err := conn.SubscribeSync(conn.NewInbox())
	if err == nil {
		defer answers.Unsubscribe()
		err = conn.PublishRequest(subject, answers.Subject, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("ask the other nodes: %w", err)
	}
	has := func(name string) bool {
		return slices.ContainsFunc(known, func(n Answer) bool { return n.Name == name })
	}
	missing := func(name string) bool { return !has(name) }
	for len(expected) == 0 || slices.ContainsFunc(expected, missing) {
		m, err := answers.NextMsgWithContext(ctx)
		if err != nil {
			break // those that have not answered are shown so
		}
		var n Node
		if events.Unmarshal(m.Data, &n) == nil && !has(n.Name) {
			known = append(known, Answer{n.Name, &n})
		}
	}
	for _, name := range expected {
		if missing(name) {
			known = append(known, Answer{Name: name})
		}
	}
	slices.SortFunc(known, func(a, b Answer) int { return cmp.Compare(a.Name, b.Name) })
	return known, nil
}
