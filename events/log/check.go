package log

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/events/log/natsfile"
)

// ErrDamaged says that files of the log are not as they were written. No server is started on them,
// since that would drop what it cannot read, and what stands behind it.
var ErrDamaged = errors.New("the log is damaged")

// Damage is a place of the log that is not whole.
type Damage = natsfile.Damage

// DamagedError is an ErrDamaged with all places, of which there is at least one.
type DamagedError struct {
	Dir    string // the data directory
	Damage []Damage
}

func (e *DamagedError) Unwrap() error { return ErrDamaged }

// shownDamage is how many places an error names.
const shownDamage = 3

func (e *DamagedError) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%v in %d places: ", ErrDamaged, len(e.Damage))
	for i, d := range e.Damage {
		if i == shownDamage {
			fmt.Fprintf(&text, "; and %d more, which 'reckon log verify --data %s' names", len(e.Damage)-i, e.Dir)
			break
		}
		if i > 0 {
			text.WriteString("; ")
		}
		text.WriteString(d.String())
	}
	return text.String()
}

// The files of a data directory that say what is known of the log's files.
func storePath(dir string) string { return filepath.Join(dir, "log") }
func sealPath(dir string) string  { return filepath.Join(storePath(dir), "sealed.json") }
func markPath(dir string) string  { return filepath.Join(storePath(dir), "durable") }

// checked are the streams of a log, in the order of their marks.
var checked = []natsfile.Check{
	{Stream: EventsStream, Subject: isSubject, Gapless: true},
	{Stream: CommandsStream, Subject: isSubject}, // they expire
}

func isSubject(name string) bool { return events.SubjectOf(name).Account() != uuid.Nil }

// Checking says how the log of a data directory is checked. The zero value reads what was not found
// whole before.
type Checking struct {
	All  bool                    // also what was found whole before, which is compared
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

	sealed map[string][]natsfile.Seal
	cuts   []Damage // of Torn: more files follow behind them
}

// Check reads the log's files in a data directory, past any server, which may run. What is damaged
// is no error. Of another version of nats-server, whose files are not known, it finds nothing.
func Check(ctx context.Context, dir string, o Checking) (c Checked, err error) {
	if !natsfile.Known() {
		return c, nil
	}
	seals, err := readSeals(dir)
	if err != nil {
		return c, err
	}
	c.sealed = map[string][]natsfile.Seal{}
	var size int64
	if o.Told != nil {
		size = sizeOf(dir)
	}
	for place, of := range checked {
		of.Dir, of.Sealed, of.Again = natsfile.MessagesOf(storePath(dir), of.Stream), seals[of.Stream], o.All
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
	}
	return c, nil
}

func (c *Checked) add(stream string, found natsfile.Condition) {
	c.Damage = append(c.Damage, found.Damage...)
	c.Blocks, c.Bytes = c.Blocks+found.Blocks, c.Bytes+found.Bytes
	c.sealed[stream] = found.Sealed
	if stream == EventsStream {
		c.Events = found.Last
	}
	if found.Torn != nil {
		c.Torn = append(c.Torn, *found.Torn)
		if found.Cut {
			c.cuts = append(c.cuts, *found.Torn)
		}
	}
}

// sizeOf is how many bytes the files have that a check reads.
func sizeOf(dir string) (size int64) {
	for _, of := range checked {
		entries, _ := os.ReadDir(natsfile.MessagesOf(storePath(dir), of.Stream))
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
	text, err := events.Marshal(c.sealed)
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
	if _, err := os.Stat(storePath(o.Dir)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if o.Waiting != nil {
		o.Waiting("the files of the log are being checked")
	}
	c, err := Check(ctx, o.Dir, Checking{})
	if err != nil {
		return err
	}
	if len(c.Damage) > 0 {
		return &DamagedError{o.Dir, c.Damage}
	}
	for _, d := range c.Torn {
		l.logger.Info("the end of a file was being written when the process or the machine ended; nobody was told that it is there",
			"stream", d.Stream, "file", d.File, "offset", d.Offset)
	}
	for _, d := range c.cuts {
		if err := natsfile.Cut(d); err != nil {
			return err
		}
	}
	return c.keep(o.Dir)
}
