package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"reckon/events/log"
	"reckon/events/log/natsfile"
)

// ErrMissing says that messages of a damaged log are in no backup that was given.
var ErrMissing = errors.New("messages are still missing")

// ErrOtherLog says that a backup holds other messages than the log.
var ErrOtherLog = errors.New("this is a backup of another log")

// Repaired says what a repair has done.
type Repaired struct {
	Damage  []log.Damage `json:"damage"`            // that there was; nil for none, and nothing was done
	Filled  uint64       `json:"filled"`            // messages that came from the backup
	Missing []Gap        `json:"missing,omitempty"` // those that it does not have
	Aside   string       `json:"aside,omitempty"`   // where the damaged log is now
}

// Repair makes the log of a single node's data directory, of which files are damaged, anew: all
// that is whole of it, and from a backup (nil for none) what is not, with the same sequences. The
// new log is read again and compared with the backup. Then it takes the place of the old one, which
// is kept beside it. The views are removed, and are built when they are opened.
//
// What the backup does not have either is an error that is ErrMissing and changes nothing, unless
// without says to go on: such a message is then marked as one that is gone, which is damage to no
// later check. It fails with log.ErrRunning, ErrNotWhole and ErrOtherLog too.
func Repair(ctx context.Context, dir string, from io.ReadSeeker, without bool, progress Progress) (r Repaired, err error) {
	if cluster, err := log.ClusterOf(dir); err != nil || cluster != "" {
		return r, errors.Join(err, fmt.Errorf("repair: %s is of a node of the cluster %s, which takes its log anew from the others when it is started with --heal", dir, cluster))
	}
	lock, err := log.Lock(dir)
	if err != nil {
		return r, err
	}
	defer lock.Close()
	found, err := log.Check(ctx, dir, log.Checking{All: true, Told: func(read, size int64) { progress("bytes checked", uint64(read), uint64(size)) }})
	if r.Damage = found.Damage; err != nil || len(r.Damage) == 0 {
		return r, err
	}
	if found.Gone {
		return r, fmt.Errorf("repair: %w; restore a backup into another directory", &log.DamagedError{Dir: dir, Damage: found.Damage})
	}
	p := repair{dir: dir, building: filepath.Join(dir, ".repairing"), from: from, progress: progress, done: &r}
	if err := os.RemoveAll(p.building); err != nil {
		return r, fmt.Errorf("repair: %w", err)
	}
	if err := p.build(ctx, found); err != nil {
		return r, errors.Join(err, os.RemoveAll(p.building))
	}
	if len(r.Missing) > 0 && !without {
		return r, errors.Join(fmt.Errorf("%w: %s", ErrMissing, list(r.Missing)), os.RemoveAll(p.building))
	}
	return r, p.take()
}

// repair is one under way.
type repair struct {
	dir      string
	building string
	from     io.ReadSeeker
	progress Progress
	done     *Repaired
	last     map[string]uint64 // of each stream, how far the backup goes

	reader *reader
	stream string     // that the reader is at
	at     log.Record // that was read last
	err    error      // that ended reading
}

// build makes the log in a directory of its own, and reads it again.
func (p *repair) build(ctx context.Context, found log.Checked) error {
	if err := p.whole(); err != nil {
		return err
	}
	var missing *Gap
	err := log.Rebuild(ctx, p.dir, found, filepath.Join(p.building, "log"), p.given, func(stream string, sequence uint64) {
		if missing != nil && missing.Stream == stream && missing.Last+1 == sequence {
			missing.Last++
			return
		}
		p.done.Missing = append(p.done.Missing, Gap{stream, log.Run{First: sequence, Last: sequence}})
		missing = &p.done.Missing[len(p.done.Missing)-1]
	})
	if err := errors.Join(err, p.err); err != nil {
		return err
	}
	after, err := log.Check(ctx, p.building, log.Checking{All: true, Told: func(read, size int64) { p.progress("bytes compared", uint64(read), uint64(size)) }})
	switch {
	case err != nil:
		return err
	case len(after.Damage) > 0:
		return &log.DamagedError{Dir: p.building, Damage: after.Damage}
	}
	if err := p.compare(); err != nil {
		return err
	}
	return after.Settle(p.building)
}

// whole reads the backup to its end.
func (p *repair) whole() error {
	if p.from == nil {
		return nil
	}
	if err := p.rewind(); err != nil {
		return err
	}
	var whole Summary
	p.last = map[string]uint64{}
	for {
		m, last, err := p.reader.next()
		if err != nil {
			return err
		}
		if last != nil {
			return whole.matches(last)
		}
		whole.add(p.reader.header, m)
		p.last[m.Stream] = m.Sequence
	}
}

// rewind begins to read the backup anew.
func (p *repair) rewind() error {
	_, err := p.from.Seek(0, io.SeekStart)
	if err == nil {
		p.reader, err = newReader(p.from)
	}
	p.stream, p.at = "", log.Record{}
	if err != nil {
		return fmt.Errorf("read backup: %w", err)
	}
	return nil
}

// given is a message as the backup has it; those of a stream are asked for in their order.
func (p *repair) given(stream string, sequence uint64) (log.Record, bool) {
	if p.from == nil || p.err != nil || sequence > p.last[stream] {
		return log.Record{}, false
	}
	if p.stream != stream {
		if p.err = p.rewind(); p.err != nil {
			return log.Record{}, false
		}
		p.stream = stream
	}
	for p.at.Sequence < sequence {
		if p.at, p.err = p.reader.nextOf(stream); p.err != nil {
			return log.Record{}, false
		}
	}
	if p.at.Sequence != sequence {
		return log.Record{}, false
	}
	p.done.Filled++
	return p.at, true
}

// compare looks whether the new log has what the backup has, where it goes as far. Of COMMANDS much
// has expired.
func (p *repair) compare() error {
	if p.from == nil {
		return nil
	}
	if err := p.rewind(); err != nil {
		return err
	}
	for m, err := range log.Stored(filepath.Join(p.building, "log"), log.EventsStream, p.last[log.EventsStream]) {
		if err != nil {
			return err
		}
		for p.at.Sequence < m.Sequence {
			if p.at.Sequence == p.last[log.EventsStream] {
				return nil
			}
			if p.at, err = p.reader.nextOf(log.EventsStream); err != nil {
				return err
			}
		}
		if p.at.Sequence != m.Sequence || p.at.Subject != m.Subject || string(p.at.Data) != string(m.Data) || !maps.EqualFunc(p.at.Headers, m.Headers, slices.Equal) {
			return fmt.Errorf("%w: its event %d is another one", ErrOtherLog, m.Sequence)
		}
	}
	return nil
}

// take gives the new log the place of the old one.
func (p *repair) take() error {
	err := filepath.WalkDir(p.building, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return natsfile.SyncPath(path)
	})
	place := filepath.Join(p.dir, "log")
	// One that was killed in the same second may have left a directory of such a name.
	aside := place + ".damaged-" + time.Now().UTC().Format("20060102T150405.000Z")
	// The views may be made of a part of the log. They go first: without them nothing is lost.
	if err == nil {
		err = os.RemoveAll(filepath.Join(p.dir, "views"))
	}
	if err == nil {
		err = os.Rename(filepath.Join(p.building, "log"), aside)
	}
	if err == nil {
		err = natsfile.Exchange(place, aside)
	}
	if err == nil {
		p.done.Aside = aside
		err = errors.Join(natsfile.SyncPath(p.dir), os.RemoveAll(p.building))
	}
	if err != nil {
		return fmt.Errorf("repair: %w", err)
	}
	return nil
}
