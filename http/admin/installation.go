package admin

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"reckon/commands"
	"reckon/events/backup"
	"reckon/events/log"
	"reckon/http"
	"reckon/projections"
)

// Nodes is the state of the installation, as the node that is asked sees it.
type Nodes struct {
	This   Node   `json:"this"`
	Others []Peer `json:"others"`
	Events uint64 `json:"events"` // sequence of the newest event
}

// Node is a node as it sees itself.
type Node struct {
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
}

// Peer is another node of the log.
type Peer struct {
	Name    string `json:"name"`
	Leads   bool   `json:"leads"`
	Current bool   `json:"current"` // it has all that the leader has
	Offline bool   `json:"offline"`
	Lag     uint64 `json:"lag"` // messages behind the leader
}

func (q *request) nodes() (http.Answer, error) {
	l := q.log.Load()
	last, err := l.Last(q.ctx())
	if err != nil {
		return http.Answer{}, err
	}
	nodes := Nodes{This: Node{Ready: true}, Others: []Peer{}, Events: last}
	var state projections.State
	switch views := q.views.Load(); {
	case views != nil:
		state = views.State()
	case !l.Local():
		if state, err = projections.RemoteOf(l).State(q.ctx()); err != nil {
			return http.Answer{}, err
		}
	}
	if !state.Started.IsZero() {
		nodes.This.Started = &state.Started
	}
	nodes.This.Version, nodes.This.Damaged, nodes.This.Folded = state.Program, state.Damaged, state.Folded
	if err := l.Ready(); err != nil && state.Waits == "" {
		state.Waits = err.Error()
	}
	nodes.This.Ready, nodes.This.Waits = state.Waits == "", state.Waits
	if q.dir != "" {
		made, known, err := backup.Last(q.dir)
		if err != nil {
			return http.Answer{}, err
		}
		if known {
			nodes.This.Backup = &made.CreatedAt
		}
		if nodes.This.DiskFree, nodes.This.DiskTotal, err = commands.DiskSpace(q.dir); err != nil {
			return http.Answer{}, err
		}
	}
	stream, err := l.State(q.ctx(), log.EventsStream)
	if err != nil {
		return http.Answer{}, err
	}
	commands, err := l.State(q.ctx(), log.CommandsStream)
	if err != nil {
		return http.Answer{}, err
	}
	nodes.This.LogBytes = stream.State.Bytes + commands.State.Bytes
	if nodes.This.Queue, err = l.Queued(q.ctx()); err != nil {
		return http.Answer{}, err
	}
	if cluster := stream.Cluster; cluster != nil && len(cluster.Replicas) > 0 {
		nodes.Others = append(nodes.Others, Peer{Name: cluster.Leader, Leads: true, Current: true})
		for _, r := range slices.SortedFunc(slices.Values(cluster.Replicas), func(a, b *jetstream.PeerInfo) int { return strings.Compare(a.Name, b.Name) }) {
			nodes.Others = append(nodes.Others, Peer{Name: r.Name, Current: r.Current, Offline: r.Offline, Lag: r.Lag})
		}
	}
	return http.Answer{Body: nodes}, nil
}

// backup answers with all that the log holds. It is cut off where it does not come to its end, and
// its own last line has a checksum.
func (q *request) backup() (http.Answer, error) {
	return http.Answer{
		Header: map[string]string{"Content-Type": "application/gzip", "Content-Disposition": `attachment; filename="reckon.gz"`},
		Stream: func(to io.Writer) error {
			b, err := backup.Write(q.ctx(), q.log.Load(), to, func(string, uint64, uint64) {})
			if err == nil && q.dir != "" {
				err = backup.Remember(q.dir, b)
			}
			return err
		},
	}, nil
}

// Rebuild names the projections to build anew; none is all.
type Rebuild struct {
	Projections []string `json:"projections"`
}

func (q *request) rebuild() (http.Answer, error) {
	var r Rebuild
	if err := q.object(&r); err != nil {
		return http.Answer{}, err
	}
	for _, name := range r.Projections {
		if !slices.Contains(projections.Names(), name) {
			return http.Answer{}, http.InvalidParam("projections", "must be some of "+strings.Join(projections.Names(), ", "))
		}
	}
	return lines(func(send func(string, any) error) error {
		var last projections.Progress
		tell := func(p projections.Progress) {
			last = p
			_ = send("progress", p)
		}
		err := q.withViews(func(v *projections.Views) error {
			return v.Rebuild(q.ctx(), r.Projections, tell)
		}, func(there projections.Remote) error {
			err := there.Rebuild(q.ctx(), r.Projections, tell)
			if errors.Is(err, context.Canceled) {
				err = errors.New("interrupted; the server goes on with the rebuild")
			}
			return err
		})
		if err != nil {
			return err
		}
		return send("rebuilt", last)
	}), nil
}

func (q *request) verify() (http.Answer, error) {
	return lines(func(send func(string, any) error) error {
		tell := func(p projections.Progress) { _ = send("progress", p) }
		report := func(d projections.Difference) { _ = send("difference", d) }
		var result projections.Verification
		err := q.withViews(func(v *projections.Views) (err error) {
			result, err = v.Verify(q.ctx(), tell, report)
			return err
		}, func(there projections.Remote) (err error) {
			result, err = there.Verify(q.ctx(), tell, report)
			return err
		})
		if err != nil {
			return err
		}
		return send("verification", result)
	}), nil
}

var errNoViews = errors.New("there are no views here: name the data directory of a server with --data")

// withViews runs here on this process's views, else there on those of the server of the log. A
// command line that has a log for itself opens them.
func (q *request) withViews(here func(*projections.Views) error, there func(projections.Remote) error) error {
	if views := q.views.Load(); views != nil {
		return here(views)
	}
	l := q.log.Load()
	if q.dir == "" {
		return errNoViews
	}
	if !l.Local() {
		return there(projections.RemoteOf(l))
	}
	views, err := projections.Open(q.ctx(), l, q.dir, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	return errors.Join(here(views), views.Close())
}
