package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"reckon/commands"
	"reckon/events/backup"
	"reckon/events/log"
)

type restoreCommand struct {
	directory
	File string `arg:"" help:"File that 'reckon backup' wrote. - is standard input." type:"path"`
	JSON bool   `help:"Print what was restored as JSON."`

	Erasures string `help:"List that 'reckon audit --erasures' printed: what was erased after the backup is erased again, before anybody can read it. Into the directory of a single node." placeholder:"FILE" type:"path"`
}

func (*restoreCommand) Help() string {
	return `Where DIR is empty or does not exist, it becomes the data directory of a single node. Its log appears once everything is in it, was read again and found to be what the backup holds; when anything is wrong with the file, nothing is left.

Where DIR is that of a running node of a cluster, or with --nats-url, the backup goes into the log that the nodes share, which must be empty: new nodes that nothing was written to. They answer 503 until everything is there, was read again and found to be what the backup holds. A restore that was interrupted goes on where it was when the command is given again.

It is given on the machine that has, or gets, the directory, and takes no --server; the file may come from elsewhere, on standard input.

The projections are not in a backup: they are made from the events, and verified. Requests that were not finished are worked on when a server runs, once: within ten minutes, where they have an idempotency key within its retention.

Examples:
  reckon restore monday.gz --data /var/lib/reckon-restored
  reckon serve --data /var/lib/reckon-restored
  reckon restore monday.gz --data /var/lib/reckon-restored --erasures erasures.jsonl
  reckon restore monday.gz --data /var/lib/reckon    # of a running node of a new cluster
  kubectl exec -i reckon-0 -- /reckon restore - < monday.gz`
}

func (c *restoreCommand) Run(t terminal) error {
	erasures, err := readErasures(c.Erasures)
	if err != nil {
		return err
	}
	file := t.in
	if c.File != standard {
		opened, err := c.opened(t)
		if err != nil {
			return err
		}
		defer opened.Close()
		file = opened
	}
	if len(c.NATSURL) > 0 {
		if c.Erasures != "" {
			return errSharedErasures
		}
		return c.fill(t, file, "the log on that NATS")
	}
	if err := c.place(anotherPlace); err != nil {
		return err
	}
	cluster, err := log.ClusterOf(c.Data)
	switch {
	case err != nil:
		return err
	case cluster != "" && c.Erasures != "":
		return errSharedErasures
	case cluster != "":
		return c.fill(t, file, "the cluster "+cluster)
	}
	return c.make(t, file, erasures)
}

// A log that nodes share is read as soon as the backup is in it, and one that is not whole yet may
// hold nothing else.
var errSharedErasures = errors.New("--erasures is for the directory of a single node: restore into one, back that up, and restore that backup into the log that nodes share")

// make makes the directory of a single node, and erases again what the list says.
func (c *restoreCommand) make(t terminal, file io.Reader, erasures []erasure) error {
	shown := newProgressLine(t, false, "")
	var erased int
	var last uint64
	b, err := backup.Restore(t, c.Data, file, errorLogger(t), shown.step, func(l *log.Log) (err error) {
		erased, last, err = eraseAgain(t, l, erasures)
		return err
	})
	shown.end()
	switch {
	case errors.Is(err, backup.ErrNotEmpty):
		return fmt.Errorf("%s holds something already: name a new directory with --data", c.Data)
	case errors.Is(err, log.ErrRunning):
		return fmt.Errorf("another restore to %s is under way: wait for it, or name another directory with --data", c.Data)
	case errors.Is(err, backup.ErrNotWhole):
		return fmt.Errorf("%s: %w; nothing was restored", fileName(c.File), err)
	case err != nil:
		return fmt.Errorf("%w; nothing was restored", err)
	}
	if last > 0 {
		if err := c.forget(t, last); err != nil {
			return fmt.Errorf("%s holds all that is in %s, and what was erased is seen by nobody, but is not overwritten yet, which goes on by itself while a server runs: %w", c.Data, fileName(c.File), err)
		}
	}
	if err := c.verify(t, c.Data); err != nil {
		return err
	}
	if c.Erasures != "" && !c.JSON {
		fmt.Fprintf(t.out, "Erased again, as %s says: %s.\n", c.Erasures, count(erased, "conversation"))
	}
	if err := c.print(t, b, c.Data); err != nil || c.JSON {
		return err
	}
	fmt.Fprintf(t.out, "Start it with: reckon serve --data %s\n", quoted(c.Data))
	return nil
}

// fill restores into a log that several nodes share, and that runs.
func (c *restoreCommand) fill(t terminal, from io.Reader, where string) error {
	file, ok := from.(*os.File)
	if !ok || c.File == standard {
		var err error
		if file, err = c.kept(from); err != nil {
			return err
		}
		defer file.Close()
	}
	var b backup.Summary
	err := c.begin(t, func(a commands.Admin) (err error) {
		shown := newProgressLine(t, false, "")
		defer shown.end()
		b, err = backup.Fill(t, a.Log, file, shown.step)
		return err
	})
	switch {
	case errors.Is(err, log.ErrUnfinished) && errors.Is(err, backup.ErrFilled):
		return fmt.Errorf("%s: %w: somebody else wrote to it meanwhile, so it cannot be completed and takes no requests: make it anew, as for another backup, and restore into that", where, err)
	case errors.Is(err, log.ErrUnfinished):
		return fmt.Errorf("%w. Until it is whole %s takes no requests: restore the same backup again to complete it", err, where)
	case errors.Is(err, backup.ErrFilled):
		return fmt.Errorf("%s: %w: restore into one that nothing was written to, whose nodes have new data directories; nothing was restored", where, err)
	case errors.Is(err, backup.ErrNotWhole):
		return fmt.Errorf("%s: %w; nothing was restored", fileName(c.File), err)
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

// kept copies what can be read only once to a file that has no name. It is in the data directory,
// where there is one: a container may have no other place to write.
func (c *restoreCommand) kept(from io.Reader) (*os.File, error) {
	folder := c.Data
	if !isFolder(folder) {
		folder = ""
	}
	file, err := os.CreateTemp(folder, ".restoring.*")
	if err != nil {
		return nil, fmt.Errorf("keep the backup: %w", err)
	}
	_, err = io.Copy(file, from)
	if err = errors.Join(err, os.Remove(file.Name())); err != nil {
		return nil, errors.Join(fmt.Errorf("keep the backup: %w", err), file.Close())
	}
	return file, nil
}

// verify compares the projections with what was restored.
func (c *restoreCommand) verify(t terminal, where string) error {
	if c.JSON {
		t.out = t.err
	}
	if err := (&projectionsVerify{installation: installation{directory: c.directory}}).Run(t); err != nil {
		return fmt.Errorf("%s holds all that is in %s, but its projections are not right: %w", where, fileName(c.File), err)
	}
	return nil
}

func (c *restoreCommand) print(t terminal, b backup.Summary, where string) error {
	if c.JSON {
		return printJSON(t, b)
	}
	fmt.Fprintf(t.out, "%s holds %s and %s (%d not finished), as of %s.\nAll was read again and is the same.\n",
		where, count(int(b.Events), "event"), count(int(b.Commands), "request"), b.Unfinished, b.CreatedAt.Format(time.RFC3339))
	if b.Renumbered {
		fmt.Fprintln(t.out, "The log had gaps, so the events have other sequences now: consumers of their own must begin anew.")
	}
	return nil
}
