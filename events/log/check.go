package log

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats-server/v2/server"

	"reckon/events"
	"reckon/events/log/natsfile"
)

// ErrDamaged says that files of the log are not as they were written. No server is started on them,
// since that would drop what it cannot read, and what stands behind it.
var ErrDamaged = errors.New("the log is damaged")

// Damage is a place of the log that is not whole.
type Damage = natsfile.Damage

// Run is a run of sequences.
type Run = natsfile.Run

// DamagedError is an ErrDamaged with all places, of which there is at least one.
type DamagedError struct {
	Dir    string // the data directory
	Damage []Damage
	Way    string // how to mend it, "" where who gets the error says that
}

func (e *DamagedError) Unwrap() error { return ErrDamaged }

// shownDamage is how many places an error names.
const shownDamage = 3

// Error names files from the data directory on: it stands in answers to anybody who asks whether a
// node is ready.
func (e *DamagedError) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%v: ", ErrDamaged)
	for i, d := range e.Damage {
		if i == shownDamage {
			fmt.Fprintf(&text, "; and %d more places, which 'reckon log verify' names", len(e.Damage)-i)
			break
		}
		if i > 0 {
			text.WriteString("; ")
		}
		if file, err := filepath.Rel(e.Dir, d.File); err == nil {
			d.File = file
		}
		text.WriteString(d.String())
	}
	if e.Way != "" {
		text.WriteString(". " + e.Way)
	}
	return text.String()
}

// wayOfOne is how the log of a single node is mended.
const wayOfOne = "Stop the server, and mend it with 'reckon log repair --from BACKUP'"

// wayOfGone is what is left to do where there is no log any more.
const wayOfGone = "Restore a backup into another directory, or, to begin a log that has nothing, remove the directory 'views'"

// The files of a data directory that say what is known of the log's files.
func storePath(dir string) string { return filepath.Join(dir, "log") }
func sealPath(dir string) string  { return filepath.Join(storePath(dir), "sealed.json") }
func markPath(dir string) string  { return filepath.Join(storePath(dir), "durable") }

// checked are the streams of a log, in the order of their marks.
var checked = []natsfile.Check{
	{Stream: EventsStream, Subject: isSubject, Gapless: true, Erases: erases},
	{Stream: CommandsStream, Subject: isSubject}, // they expire
}

func isSubject(name string) bool { return events.SubjectOf(name).Account() != uuid.Nil }

// Checking says how the log of a data directory is checked. The zero value reads what was not found
// whole before.
type Checking struct {
	All  bool                    // also what was found whole before, which is compared
	Live bool                    // a server may run: what looks damaged is looked at again, since it may have been replaced just then
	Told func(read, bytes int64) // is told how much of how many bytes was read; nil tells nobody
}

// Checked is what a check of the log has found.
type Checked struct {
	Damage []Damage `json:"damage"`         // nil for none
	Torn   []Damage `json:"torn,omitempty"` // ends that were being written when the process or the machine ended, which is no damage
	Events uint64   `json:"events"`         // sequence of the last event that is whole
	Blocks int      `json:"blocks"`         // files that there are
	Bytes  int64    `json:"bytes"`          // in all of them
	Read   int64    `json:"read"`           // bytes that were read
	Gone   bool     `json:"gone,omitempty"` // there is no log any more, only what was made of it

	found []natsfile.Condition // of each of checked
	unset []string             // streams whose settings are damaged
}

// Check reads the log's files in a data directory, past any server, those of a node's Raft logs
// included. What is damaged is no error. Of another version of nats-server, whose files are not
// known, it finds nothing.
func Check(ctx context.Context, dir string, o Checking) (Checked, error) {
	if !natsfile.Known() {
		return Checked{}, nil
	}
	c, err := checkOnce(ctx, dir, o)
	if err != nil || len(c.Damage) == 0 || !o.Live {
		return c, err
	}
	before := c.Damage
	select {
	case <-ctx.Done():
		return c, ctx.Err()
	case <-time.After(lookAgain):
	}
	c, err = checkOnce(ctx, dir, o)
	c.Damage = slices.DeleteFunc(c.Damage, func(d Damage) bool {
		return !slices.ContainsFunc(before, func(b Damage) bool { return b.File == d.File && b.Offset == d.Offset })
	})
	return c, err
}

// lookAgain is how long a server may take to replace a file.
const lookAgain = time.Second

func checkOnce(ctx context.Context, dir string, o Checking) (c Checked, err error) {
	seals, err := readSeals(dir)
	if err != nil {
		return c, err
	}
	var size int64
	if o.Told != nil {
		size = sizeOf(dir)
	}
	for place, of := range checksOf(dir) {
		of.Sealed, of.Again = seals[of.Stream], o.All
		if of.Mark, err = natsfile.ReadMark(markPath(dir), place, of.Stream); err != nil {
			return c, err
		}
		if o.Told != nil {
			before := c.Read
			of.Told = func(read int64) { o.Told(before+read, size) }
		}
		found, err := of.Run(ctx)
		c.Read += found.Read
		if err != nil {
			return c, err
		}
		c.add(of.Stream, found)
		settings, err := natsfile.CheckSettings(storePath(dir), of.Stream)
		if err != nil {
			return c, err
		}
		if settings != nil {
			c.Damage = append(c.Damage, *settings)
			c.unset = append(c.unset, of.Stream)
		}
	}
	damage, err := natsfile.CheckRaft(ctx, storePath(dir))
	c.Damage = append(c.Damage, damage...)
	if err == nil && len(c.Damage) == 0 {
		c.Gone, err = isGone(dir)
	}
	if c.Gone {
		c.Damage = []Damage{{Stream: EventsStream, File: filepath.Dir(natsfile.MessagesOf(storePath(dir), EventsStream)), Reason: "it is gone with all that the log had, of which there are still views"}}
	}
	return c, err
}

// viewsPath is where a process keeps the views of a log, which it makes after the log.
func viewsPath(dir string) string { return filepath.Join(dir, "views") }

// isGone tells of a data directory that has the views of a log and none.
func isGone(dir string) (bool, error) {
	if _, err := os.Stat(natsfile.StoreOf(storePath(dir))); !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	_, err := os.Stat(viewsPath(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// checksOf are the checks of a data directory's streams.
func checksOf(dir string) []natsfile.Check {
	list := slices.Clone(checked)
	for i := range list {
		list[i].Dir = natsfile.MessagesOf(storePath(dir), list[i].Stream)
	}
	return list
}

func (c *Checked) add(stream string, found natsfile.Condition) {
	c.found = append(c.found, found)
	c.Damage = append(c.Damage, found.Damage...)
	c.Blocks, c.Bytes = c.Blocks+found.Blocks, c.Bytes+found.Bytes
	if stream == EventsStream {
		c.Events = found.Last
	}
	if found.Torn != nil {
		c.Torn = append(c.Torn, *found.Torn)
	}
}

// Here is nil for a data directory that has the files of a log, which are known.
func Here(dir string) error {
	m, _, err := modeOf(dir)
	switch {
	case err != nil:
		return err
	case m.External:
		return fmt.Errorf("%w: the log of %s is on an existing NATS, which keeps its files", ErrMode, dir)
	case !natsfile.Known():
		return fmt.Errorf("the files of nats-server %s are not known, only those of %s", server.VERSION, natsfile.Tested)
	}
	return nil
}

// sizeOf is how many bytes the files have that a check reads.
func sizeOf(dir string) (size int64) {
	for _, of := range checksOf(dir) {
		entries, _ := os.ReadDir(of.Dir)
		for _, entry := range entries {
			if info, err := entry.Info(); err == nil {
				size += info.Size()
			}
		}
	}
	return size
}

// readSeals reads what was found whole before, by the streams' names. A file that is not to be read
// only costs reading all.
func readSeals(dir string) (map[string][]natsfile.Seal, error) {
	text, err := os.ReadFile(sealPath(dir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read what was checked of the log: %w", err)
	}
	var seals map[string][]natsfile.Seal
	if events.Unmarshal(text, &seals) != nil {
		return nil, nil
	}
	return seals, nil
}

// keep writes down what was found whole.
func (c Checked) keep(dir string) error {
	seals := map[string][]natsfile.Seal{}
	for i, found := range c.found {
		seals[checked[i].Stream] = found.Sealed
	}
	text, err := events.Marshal(seals)
	if err == nil {
		err = replaceFile(sealPath(dir), string(text))
	}
	if err != nil {
		return fmt.Errorf("keep what was checked of the log: %w", err)
	}
	return nil
}

// check looks at the log's files before a server of this process gets them. It fails with a
// DamagedError.
func (l *Log) check(ctx context.Context, o Options) error {
	_, err := os.Stat(storePath(o.Dir))
	there := !errors.Is(err, fs.ErrNotExist)
	if there && o.Waiting != nil {
		o.Waiting("the files of the log are being checked")
	}
	c, err := Check(ctx, o.Dir, Checking{})
	if err != nil {
		return err
	}
	if len(c.Damage) > 0 {
		e := &DamagedError{Dir: o.Dir, Damage: c.Damage}
		switch {
		case o.Cluster != nil:
		case c.Gone:
			e.Way = wayOfGone
		default:
			e.Way = wayOfOne
		}
		return e
	}
	if !there { // nor ever was
		return nil
	}
	for _, d := range c.Torn {
		l.logger.Info("the end of a file was being written when the process or the machine ended; nobody was told that it is there",
			"stream", d.Stream, "file", d.File, "offset", d.Offset)
	}
	for _, found := range c.found {
		if found.Cut {
			if err := natsfile.Cut(*found.Torn); err != nil {
				return err
			}
		}
	}
	return c.keep(o.Dir)
}
