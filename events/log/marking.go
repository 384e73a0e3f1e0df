package log

import (
	"context"
	"errors"
	"syscall"
	"time"

	"reckon/events/log/natsfile"
)

// A server that syncs each message by itself says nothing of what is on disk, and takes a sync at
// its word that a file system which has given up calls done. So once a second its process looks
// whether the file system takes changes, and marks what was acknowledged where that says that it is
// on disk: on a node of a cluster it says so of the Raft logs only. A group commit does both with
// every sync.

// markEvery is how often.
const markEvery = time.Second

// keepMarking marks until ctx ends or the file system has given up, which makes the log a broken
// one.
func (l *Log) keepMarking(ctx context.Context, marks *natsfile.Marks) {
	tick := time.NewTicker(markEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := l.markOnce(marks)
		switch {
		case err == nil:
		case natsfile.GivenUp(err):
			broken := error(brokenError(err.Error()))
			l.rotten.Store(&broken)
			return
		case !errors.Is(err, syscall.ENOSPC): // of that the server says more
			l.logger.Warn("marking what is on disk of the log", "error", err)
		}
	}
}

func (l *Log) markOnce(marks *natsfile.Marks) error {
	s, ok := l.backing.(*single)
	if !ok {
		return marks.Look()
	}
	for place, of := range checked {
		sequence := s.acknowledged[place].Load() // before the newest block is looked for
		if sequence == 0 {
			continue
		}
		if err := marks.Reached(place, storePath(l.dir), of.Stream, sequence); err != nil {
			return err
		}
	}
	return marks.Look()
}
