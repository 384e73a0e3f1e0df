package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"reckon/commands"
	"reckon/events/backup"
	"reckon/events/log"
	"reckon/http/admin"
)

type statusCommand struct {
	installation
	BackupAge time.Duration `help:"How old the last backup may be; 0 for any age (${default})." default:"48h" placeholder:"DURATION"`
	JSON      bool          `help:"Print JSON."`
}

func (*statusCommand) Help() string {
	return `Says what runs, how far its views are behind the log, how full the disk is, how old the last backup, and which nodes are there.

The exit status is for monitors: 0 where all is well, 1 for a warning, 2 for what is critical: no server, one that is not ready, a damaged log, a disk that is nearly full, or no answer.

Examples:
  reckon status --data /var/lib/reckon
  reckon status --server https://reckon.example.com --json
  reckon status --backup-age 26h`
}

// farBehind is from how many events on a node is behind.
const farBehind = 5000

// statusShown is what the command finds.
type statusShown struct {
	Status string       `json:"status"` // ok, warning or critical
	Where  string       `json:"where"`
	Nodes  *admin.Nodes `json:"nodes"` // null where no server runs
	Advice []advice     `json:"advice"`
}

func (c *statusCommand) Run(t terminal) error {
	s := statusShown{Where: c.Server, Advice: []advice{}}
	idle := false
	if c.Server == "" {
		s.Where = c.Data
		var err error
		if idle, err = c.idle(); err != nil {
			return err
		}
	}
	if idle {
		if err := c.withoutServer(&s); err != nil {
			return err
		}
	} else if err := c.ask(t, func(a administration) error {
		nodes, err := fetch[admin.Nodes](a, "nodes")
		s.Nodes = &nodes
		return err
	}); err != nil {
		return err
	}
	if s.Nodes != nil {
		s.Advice = append(s.Advice, nodesAdvice(*s.Nodes, s.Where, c.BackupAge, time.Now())...)
	}
	err := statusOf(s.Advice)
	s.Status = "ok"
	if status := exit(0); errors.As(err, &status) {
		s.Status = []string{"ok", warning, critical}[status]
	}
	if c.JSON {
		return errors.Join(printJSON(t, s), err)
	}
	c.print(t, s)
	return err
}

// idle tells whether nothing works on the data directory.
func (c *statusCommand) idle() (bool, error) {
	if len(c.NATSURL) > 0 {
		return false, nil
	}
	if err := c.there(); err != nil {
		return false, err
	}
	lock, err := log.Lock(c.Data)
	switch {
	case errors.Is(err, log.ErrRunning):
		return false, nil
	case err != nil:
		return false, err
	}
	return true, lock.Close()
}

// withoutServer finds what can be told of a directory on which no server runs.
func (c *statusCommand) withoutServer(s *statusShown) error {
	s.Advice = append(s.Advice, advice{
		critical, "server", "No server runs on " + c.Data + ".", "Start it: 'reckon serve --data " + quoted(c.Data) + "', or as the supervisor of the machine does.",
	})
	free, total, err := commands.DiskSpace(c.Data)
	if err != nil {
		return err
	}
	b, known, err := backup.Last(c.Data)
	if err != nil {
		return err
	}
	var made *time.Time
	if known {
		made = &b.CreatedAt
	}
	s.Advice = append(append(s.Advice, diskAdvice(c.Data, free, total)...), backupAdvice(made, c.BackupAge, time.Now())...)
	return nil
}

// nodesAdvice judges what a node tells.
func nodesAdvice(n admin.Nodes, where string, backupAge time.Duration, now time.Time) (list []advice) {
	add := func(level, about, says, do string) { list = append(list, advice{level, about, says, do}) }
	switch {
	case n.This.Damaged != "":
		add(critical, "log", "The log is damaged: "+n.This.Damaged+".", "What is whole is served, read only. OPERATIONS.md says how it is mended: 'reckon log verify', then 'reckon log repair' with a backup.")
	case !n.This.Ready:
		add(critical, "ready", "The server is not ready: "+n.This.Waits+".", "Wait while it folds history or waits for other nodes; its log says more.")
	case n.This.Started == nil:
		add(critical, "server", "No server runs on "+where+".", "Start it with 'reckon serve'.")
	}
	if behind := n.Events - min(n.Events, n.This.Folded); behind > farBehind {
		add(warning, "views", "The views are "+grouped(behind)+" events behind the log.", "Wait for them to catch up; where that goes on, processors or the disk are too slow.")
	}
	list = append(list, diskAdvice(where, n.This.DiskFree, n.This.DiskTotal)...)
	list = append(list, backupAdvice(n.This.Backup, backupAge, now)...)
	for _, peer := range n.Others {
		switch {
		case peer.Offline:
			add(warning, "nodes", "The node "+peer.Name+" is not there.", "Start it again: while it is away the others can lose no more.")
		case !peer.Current && peer.Lag > farBehind:
			add(warning, "nodes", "The node "+peer.Name+" is "+grouped(peer.Lag)+" messages behind.", "Look at its disk, and at the network to it.")
		}
	}
	for _, a := range n.Nodes {
		if a.Name != n.This.Name {
			list = append(list, nodeAdvice(n, a)...)
		}
	}
	return list
}

// nodeAdvice judges what a node that was not asked itself says, or does not say.
func nodeAdvice(n admin.Nodes, a admin.NodeAnswer) (list []advice) {
	add := func(level, says, do string) { list = append(list, advice{level, "nodes", says, do}) }
	name := "The node " + a.Name
	if a.Node == nil {
		if !slices.ContainsFunc(n.Others, func(p admin.Peer) bool { return p.Name == a.Name && p.Offline }) {
			add(warning, name+" does not answer.", "Look at its log: it starts, is cut off, or runs a program before this one.")
		}
		return list
	}
	switch {
	case a.Node.Damaged != "":
		add(critical, name+" has a damaged log: "+a.Node.Damaged+".", "OPERATIONS.md says how it is mended: start it again with --heal.")
	case !a.Node.Ready:
		add(warning, name+" is not ready: "+a.Node.Waits+".", "Wait while it folds history or waits for other nodes; its log says more.")
	}
	if behind := n.Events - min(n.Events, a.Node.Folded); behind > farBehind {
		add(warning, name+" shows "+grouped(behind)+" events less than the log has.", "Wait for it to catch up; where that goes on, its processors or its disk are too slow.")
	}
	return append(list, diskAdvice("node "+a.Name, a.Node.DiskFree, a.Node.DiskTotal)...)
}

func (c *statusCommand) print(t terminal, s statusShown) {
	if s.Nodes != nil {
		n := s.Nodes.This
		state := "ready"
		if !n.Ready {
			state = "not ready"
		}
		since := ""
		if n.Started != nil {
			since = ", since " + stamp(*n.Started)
		}
		fmt.Fprintf(t.out, "Reckon %s on %s is %s%s.\n", n.Version, inLine(s.Where), state, since)
		rows := newTable("events", fmt.Sprintf("%s, %s of them shown", grouped(s.Nodes.Events), grouped(min(n.Folded, s.Nodes.Events))))
		rows.add("queue", count(int(n.Queue), "command"))
		rows.add("log", bytesOf(n.LogBytes))
		if n.DiskTotal > 0 {
			rows.add("disk", fmt.Sprintf("%s of %s free", bytesOf(n.DiskFree), bytesOf(n.DiskTotal)))
		}
		if n.Backup != nil {
			rows.add("last backup", stamp(*n.Backup))
		}
		if len(s.Nodes.Others) > 0 {
			var nodes []string
			for _, peer := range s.Nodes.Others {
				state := "up to date"
				switch {
				case peer.Offline:
					state = "not there"
				case peer.Leads:
					state = "leads"
				case !peer.Current:
					state = grouped(peer.Lag) + " behind"
				}
				nodes = append(nodes, peer.Name+" "+state)
			}
			rows.add("nodes", strings.Join(nodes, ", "))
		}
		_ = rows.print(t, "")
		if len(s.Nodes.Nodes) > 1 {
			fmt.Fprintln(t.out)
			_ = nodesTable(s.Nodes.Nodes).print(t, "")
		}
	}
	printAdvice(t.out, s.Advice)
}

// nodesTable has a row for each node.
func nodesTable(list []admin.NodeAnswer) *table {
	rows := newTable("NODE", "VERSION", "STATE", "EVENTS", "DISK FREE")
	for _, a := range list {
		if a.Node == nil {
			rows.add(a.Name, "-", "does not answer", "-", "-")
			continue
		}
		state, disk := "ready", "-"
		if !a.Node.Ready {
			state = "not ready"
		}
		if a.Node.DiskTotal > 0 {
			disk = bytesOf(a.Node.DiskFree) + " of " + bytesOf(a.Node.DiskTotal)
		}
		rows.add(a.Name, a.Node.Version, state, grouped(a.Node.Folded), disk)
	}
	return rows
}
