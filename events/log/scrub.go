package log

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const (
	scrubDaily = 24 * time.Hour // so often all files of the log are read again while they are in use
	scrubRate  = 16 << 20       // bytes a second, at most
)

// scrubbedPath is a file that was changed when all files of the log had been read last.
func scrubbedPath(dir string) string { return filepath.Join(storePath(dir), "scrubbed") }

// keepScrubbing reads all files of the log again and again until ctx ends or something is damaged.
// What was found whole at a start is not read at the next one, so that nobody else would see that a
// disk has changed it since.
func (l *Log) keepScrubbing(ctx context.Context, every time.Duration) {
	for ctx.Err() == nil {
		info, err := os.Stat(scrubbedPath(l.dir))
		if err != nil { // all was read when it was opened
			err = os.WriteFile(scrubbedPath(l.dir), nil, 0o600)
		} else if time.Since(info.ModTime()) > every {
			err = l.scrub(ctx)
		}
		if err != nil && ctx.Err() == nil {
			l.logger.Warn("reading the files of the log again", "error", err)
		}
		if l.rotten.Load() != nil {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(min(every, time.Minute)):
		}
	}
}

// scrub reads all files of the log, and compares them with what was found whole before. What is
// damaged makes the log a broken one, and is looked at again when it is opened.
func (l *Log) scrub(ctx context.Context) error {
	began := time.Now()
	found, err := Check(ctx, l.dir, Checking{All: true, Live: true, Told: func(read, _ int64) {
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(float64(read)/scrubRate*float64(time.Second)) - time.Since(began)):
		}
	}})
	if err == nil {
		err = found.keep(l.dir)
	}
	if err != nil {
		return err
	}
	if len(found.Damage) > 0 {
		damage := error(&DamagedError{Dir: l.dir, Damage: found.Damage})
		l.rotten.Store(&damage)
		return nil
	}
	now := time.Now()
	if err := os.Chtimes(scrubbedPath(l.dir), now, now); err != nil {
		return fmt.Errorf("keep when the log was read: %w", err)
	}
	return nil
}
