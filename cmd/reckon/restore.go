package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"reckon/commands"
	"reckon/events"
)

type restoreCommand struct {
	directory
	File string `arg:"" help:"File that 'reckon backup' wrote." type:"path"`
	JSON bool   `help:"Print what was restored as JSON."`
}

func (*restoreCommand) Help() string {
	return `Where DIR is empty or does not exist, it becomes the data directory of a single node. It appears once everything is in it, was read again and found to be what the backup holds; when anything is wrong with the file, nothing is left.

Where DIR is that of a running node of a cluster, or with --nats-url, the backup goes into the log that the nodes share, which must be empty: new nodes that nothing was written to. They answer 503 until everything is there, was read again and found to be what the backup holds. A restore that was interrupted goes on where it was when the command is given again.

The projections are not in a backup: they are made from the events, and verified. Requests that were not finished are worked on when a server runs, once.

Examples:
  reckon restore monday.gz --data /var/lib/reckon-restored
  reckon serve --data /var/lib/reckon-restored
  reckon restore monday.gz --data /var/lib/reckon    # of a running node of a new cluster`
}

func (c *restoreCommand) Run(t terminal) error {
	file, err := os.Open(c.File)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no backup %s", c.File)
	}
	if err != nil {
		return fmt.Errorf("read backup: %w", err)
	}
	defer file.Close()
	if len(c.NATSURL) > 0 {
		return c.fill(t, file, "the log on that NATS")
	}
	cluster, err := events.ClusterOf(c.Data)
	switch {
	case err != nil:
		return err
	case cluster != "":
		return c.fill(t, file, "the cluster "+cluster)
	}
	return c.make(t, file)
}

// make makes the directory of a single node.
func (c *restoreCommand) make(t terminal, file *os.File) error {
	logger := slog.New(slog.NewTextHandler(t.err, &slog.HandlerOptions{Level: slog.LevelError}))
	b, err := events.Restore(t, c.Data, file, logger, progress(t.err))
	switch {
	case errors.Is(err, events.ErrNotEmpty):
		return fmt.Errorf("%s holds something already: name a new directory with --data", c.Data)
	case errors.Is(err, events.ErrRunning):
		return fmt.Errorf("another restore to %s is under way: wait for it, or name another directory with --data", c.Data)
	case errors.Is(err, events.ErrBackup):
		return fmt.Errorf("%s: %w; nothing was restored", c.File, err)
	case err != nil:
		return fmt.Errorf("%w; nothing was restored", err)
	}
	if err := c.verify(t, c.Data); err != nil {
		return err
	}
	if err := c.print(t, b, c.Data); err != nil || c.JSON {
		return err
	}
	fmt.Fprintf(t.out, "Start it with: reckon serve --data %s\n", quoted(c.Data))
	return nil
}

// fill restores into a log that several nodes share, and that runs.
func (c *restoreCommand) fill(t terminal, file *os.File, where string) error {
	var b events.Backup
	err := c.begin(t, func(a commands.Admin) (err error) {
		b, err = a.Log.Fill(t, file, progress(t.err))
		return err
	})
	switch {
	case errors.Is(err, events.ErrUnfinished):
		return fmt.Errorf("%w. Until it is whole %s takes no requests: give the same command again, which goes on where this one was", err, where)
	case errors.Is(err, events.ErrFilled):
		return fmt.Errorf("%s: %w: restore into one that nothing was written to, whose nodes have new data directories; nothing was restored", where, err)
	case errors.Is(err, events.ErrBackup):
		return fmt.Errorf("%s: %w; nothing was restored", c.File, err)
	case err != nil:
		return err
	}
	if len(c.NATSURL) == 0 {
		if err := c.verify(t, where); err != nil {
			return err
		}
	}
	return c.print(t, b, where)
}

// verify compares the projections with what was restored.
func (c *restoreCommand) verify(t terminal, where string) error {
	if c.JSON {
		t.out = t.err
	}
	if err := (&projectionsVerify{directory: c.directory}).Run(t); err != nil {
		return fmt.Errorf("%s holds all that is in %s, but its projections are not right: %w", where, c.File, err)
	}
	return nil
}

func (c *restoreCommand) print(t terminal, b events.Backup, where string) error {
	if c.JSON {
		return printJSON(t, b)
	}
	fmt.Fprintf(t.out, "%s holds %d events and %d requests (%d of them not finished), as of %s.\nAll was read again and is the same.\n",
		where, b.Events, b.Commands, b.Unfinished, b.CreatedAt.Format(time.RFC3339))
	if b.Renumbered {
		fmt.Fprintln(t.out, "The log had gaps, so the events have other sequences now: consumers of their own must begin anew.")
	}
	return nil
}
