package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"reckon/commands"
	"reckon/commands/nodes"
	"reckon/events/backup"
	"reckon/events/log"
)

type statusCommand struct {
	installation
	BackupAge time.Duration `help:"How old the last backup may be; 0 for any age (${default})." default:"48h" placeholder:"DURATION"`
	JSON      bool          `help:"Print JSON."`
}

func (*statusCommand) Help() string {
	return `Says what runs, how far its views are behind the log, how full the disk is, how old the last backup, which nodes are there, and to which webhooks nothing is sent.

The exit status is for monitors: 0 where all is well, 1 for a warning, 2 for what is critical: no server, one that is not ready, a damaged log, a disk that is nearly full, or no answer.

Examples:
  reckon status --data /var/lib/reckon
  reckon status --server https://reckon.example.com --json
  reckon status --backup-age 26h`
}

// statusShown is what the command finds.
type statusShown struct {
	Status string              `json:"status"` // ok, warning or critical
	Where  string              `json:"where"`
	Nodes  *nodes.Installation `json:"nodes"` // null where no server runs
	Advice []nodes.Advice      `json:"advice"`
}

func (c *statusCommand) Run(t terminal) error {
	s := statusShown{Where: c.Server, Advice: []nodes.Advice{}}
	idle := false
	if c.Server == "" {
		s.Where = c.Data
		var err error
		if idle, err = c.directory.idle(); err != nil {
			return err
		}
	}
	if idle {
		if err := c.withoutServer(&s); err != nil {
			return err
		}
	} else if err := c.ask(t, func(a administration) error {
		all, err := fetch[nodes.Installation](a, "nodes")
		s.Nodes = &all
		return err
	}); err != nil {
		return err
	}
	if s.Nodes != nil {
		s.Advice = append(s.Advice, nodes.Advise(*s.Nodes, s.Where, c.BackupAge, time.Now())...)
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
func (d directory) idle() (bool, error) {
	if len(d.NATSURL) > 0 {
		return false, nil
	}
	if err := d.there(); err != nil {
		return false, err
	}
	lock, err := log.Lock(d.Data)
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
	s.Advice = append(s.Advice, nodes.Advice{
		Level: critical, About: "server", Says: "No server runs on " + c.Data + ".",
		Do: "Start it: 'reckon serve --data " + quoted(c.Data) + "', or as the supervisor of the machine does.",
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
	s.Advice = append(append(s.Advice, nodes.OfDisk(c.Data, free, total)...), nodes.OfBackup(made, c.BackupAge, time.Now())...)
	return nil
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
		rows.add("log", nodes.Bytes(n.LogBytes))
		if n.DiskTotal > 0 {
			rows.add("disk", fmt.Sprintf("%s of %s free", nodes.Bytes(n.DiskFree), nodes.Bytes(n.DiskTotal)))
		}
		if n.Backup != nil {
			rows.add("last backup", stamp(*n.Backup))
		}
		if len(s.Nodes.Others) > 0 {
			var keepers []string
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
				keepers = append(keepers, peer.Name+" "+state)
			}
			rows.add("nodes", strings.Join(keepers, ", "))
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
func nodesTable(list []nodes.Answer) *table {
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
			disk = nodes.Bytes(a.Node.DiskFree) + " of " + nodes.Bytes(a.Node.DiskTotal)
		}
		rows.add(a.Name, a.Node.Version, state, grouped(a.Node.Folded), disk)
	}
	return rows
}
