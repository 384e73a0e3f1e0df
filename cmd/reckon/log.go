package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"reckon/events/backup"
	"reckon/events/log"
)

type logCommands struct {
	Verify logVerify `cmd:"" help:"Read every byte of the log and say what is not whole."`
	Repair logRepair `cmd:"" help:"Mend a damaged log from a backup."`
}

// logDirectory is the flag of commands that work on the files of a log.
type logDirectory struct {
	Data string `help:"Data directory (${default})." default:".reckon" placeholder:"DIR" type:"path"`
}

// there is nil for a data directory that has a log.
func (d logDirectory) there() error {
	if err := (directory{Data: d.Data}).there(); err != nil {
		return err
	}
	return log.Here(d.Data)
}

type logVerify struct {
	logDirectory
	JSON bool `help:"Print JSON."`
}

func (*logVerify) Help() string {
	return `Reads the files of the log in the data directory, whether or not a server runs on it: the checksum of each record, their order, that no event is missing, and that the files are what they were when they were read before. What is not whole is listed with its file, the byte where it begins, and the sequences of the messages that are lost with it. Nothing is changed. It is given on the machine that has the directory, and takes no --server.

The exit status is 0 when all is whole, 1 when something is damaged, and 2 when the command itself fails.

Examples:
  reckon log verify --data /var/lib/reckon
  reckon log verify --data /var/lib/reckon --json`
}

func (c *logVerify) Run(t terminal) error {
	if err := c.there(); err != nil {
		return err
	}
	shown := newProgressLine(t, false, "bytes")
	found, err := log.Check(t, c.Data, log.Checking{All: true, Live: true, Told: func(read, size int64) { shown.count(uint64(read), uint64(size)) }})
	shown.end()
	if err != nil {
		return err
	}
	if c.JSON {
		err = printJSON(t, struct {
			Whole bool `json:"whole"`
			log.Checked
		}{len(found.Damage) == 0, found})
	} else {
		c.print(t, found)
	}
	if err == nil && len(found.Damage) > 0 {
		err = exit(1)
	}
	return err
}

func (c *logVerify) print(t terminal, found log.Checked) {
	for _, d := range found.Damage {
		fmt.Fprintln(t.out, d)
	}
	for _, d := range found.Torn {
		fmt.Fprintf(t.out, "%s ends at byte %d of %s with what was being written when the process or the machine ended. Nobody was told that it is there; it is no damage.\n", d.Stream, d.Offset, d.File)
	}
	what := fmt.Sprintf("%s with %s bytes, up to event %d", count(found.Blocks, "file"), grouped(uint64(found.Bytes)), found.Events)
	if len(found.Damage) == 0 {
		fmt.Fprintf(t.out, "The log is whole: %s.\n", what)
		return
	}
	way := "Stop the server and mend it with: reckon log repair --from BACKUP --data " + quoted(c.Data)
	if found.Gone {
		way = "Restore a backup into another directory with: reckon restore BACKUP --data DIR"
	}
	if cluster, err := log.ClusterOf(c.Data); err == nil && cluster != "" {
		way = "Start the node with --heal, and it takes the log anew from the other nodes of the cluster " + cluster
	}
	fmt.Fprintf(t.out, "The log is damaged in %s (%s). %s\n", count(len(found.Damage), "place"), what, way)
}

type logRepair struct {
	logDirectory
	From           string `help:"File that 'reckon backup' wrote, for what is not whole. - is standard input." placeholder:"BACKUP" type:"path"`
	WithoutMissing bool   `help:"Go on without messages that the backup does not have either. They are gone for good, and no later check takes them for damage."`
	JSON           bool   `help:"Print JSON."`
}

func (*logRepair) Help() string {
	return `Makes the log of a single node anew: all that is whole of it, and from the backup what is not, each message with the sequence that it had. The new log is read again and compared with the backup before it takes the place of the old one, which stays beside it, as log.damaged-… with the time. The projections are built again when the server starts. No server may run on the directory. It is given on the machine that has the directory, and takes no --server.

Where messages are missing that the backup does not have, nothing is changed and their sequences are listed. An older backup may have them, or --without-missing goes on without them.

A repair that is interrupted changes nothing, and can be given again.

Examples:
  reckon log repair --from monday.gz --data /var/lib/reckon
  reckon log repair --from monday.gz --without-missing --data /var/lib/reckon`
}

func (c *logRepair) Run(t terminal) error {
	if err := c.there(); err != nil {
		return err
	}
	var from io.ReadSeeker
	if c.From != "" {
		file, err := (&restoreCommand{directory: directory{Data: c.Data}, File: c.From}).opened(t)
		if err != nil {
			return err
		}
		defer file.Close()
		from = file
	}
	shown := newProgressLine(t, false, "")
	r, err := backup.Repair(t, c.Data, from, c.WithoutMissing, shown.step)
	shown.end()
	switch {
	case errors.Is(err, log.ErrRunning):
		return fmt.Errorf("%w: stop the server first", err)
	case errors.Is(err, backup.ErrMissing):
		return fmt.Errorf("%w. Nothing was changed: name a backup that has them with --from, or go on without them with --without-missing", err)
	case err != nil:
		return fmt.Errorf("%w; nothing was changed", err)
	case c.JSON:
		return printJSON(t, r)
	case len(r.Damage) == 0:
		fmt.Fprintln(t.out, "The log is whole; nothing was changed.")
		return nil
	}
	fmt.Fprintf(t.out, "The log is mended: %s came from the backup.\n", count(int(r.Filled), "message"))
	for _, g := range r.Missing {
		fmt.Fprintf(t.out, "Gone for good: %s\n", g)
	}
	fmt.Fprintf(t.out, "The damaged one is kept in %s: remove it when it is of no use any more.\nStart the server with: reckon serve --data %s\n", r.Aside, quoted(c.Data))
	return nil
}

// opened is the file of the backup, which can be read several times.
func (c *restoreCommand) opened(t terminal) (*os.File, error) {
	if c.File == standard {
		return c.kept(t.in)
	}
	file, err := os.Open(c.File)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("there is no backup %s", c.File)
	}
	if err != nil {
		return nil, fmt.Errorf("read backup: %w", err)
	}
	return file, nil
}
