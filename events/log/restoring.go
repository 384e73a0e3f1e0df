package log

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"
)

// ErrUnfinished says that a log has a part of a backup, and takes and shows nothing until the rest
// is there too.
var ErrUnfinished = errors.New("the log is being restored from a backup")

// restoringKey is in the metadata of EVENTS while a backup is restored into the log. Its value
// names the backup.
const restoringKey = "reckon.restoring"

// SetRestoring marks the log as one that has a part of a backup, or takes the mark away for "".
func (l *Log) SetRestoring(ctx context.Context, backup string) error {
	ctx, cancel := context.WithTimeout(ctx, electPatience)
	defer cancel()
	err := l.again(ctx, func(ctx context.Context) error {
		s, err := l.State(ctx, EventsStream)
		if err != nil || s.Config.Metadata[restoringKey] == backup {
			return err
		}
		c := s.Config
		if c.Metadata = maps.Clone(c.Metadata); c.Metadata == nil {
			c.Metadata = map[string]string{}
		}
		c.Metadata[restoringKey] = backup
		if backup == "" {
			delete(c.Metadata, restoringKey)
		}
		_, err = l.js.UpdateStream(ctx, c)
		return err
	})
	if err != nil {
		return fmt.Errorf("mark stream %s: %w", EventsStream, err)
	}
	return nil
}

// whole fails with ErrDamaged, and with ErrUnfinished while the log has a part of a backup. One
// that was found whole is asked again after an election. On an existing NATS it is not: it gets a
// tick, and nothing is restored into a log that has one. Of many that ask at once one does so for
// all who waited: every command that is restored asks, and a leader that answers all of them
// answers nobody who restores.
func (l *Log) whole(ctx context.Context) error {
	if err := l.Damaged(); err != nil {
		return err
	}
	if l.Alone() {
		return nil
	}
	elections := l.backing.elected() + 1
	if l.wholeAt.Load() == elections {
		return nil
	}
	began := time.Now()
	select {
	case l.asking <- struct{}{}:
		defer func() { <-l.asking }()
	case <-ctx.Done():
		return ctx.Err()
	}
	switch {
	case l.wholeAt.Load() == elections:
		return nil
	case l.partAt.After(began):
		return ErrUnfinished
	}
	asked := time.Now()
	s, err := l.State(ctx, EventsStream)
	if err != nil {
		return err
	}
	if s.Config.Metadata[restoringKey] != "" {
		l.partAt = asked
		return ErrUnfinished
	}
	l.wholeAt.Store(elections)
	return nil
}

// Restoring names the backup of which a log in a state of EVENTS has a part, "" for none.
func Restoring(events *jetstream.StreamInfo) string { return events.Config.Metadata[restoringKey] }

// Elect has another leader of EVENTS elected where there are several nodes, and waits until its
// stream is as it should be.
func (l *Log) Elect(ctx context.Context, seen func(*jetstream.StreamInfo) bool) error {
	return l.backing.elect(ctx, seen)
}

// BeginAt has the workers of a cluster begin with the command at a sequence. Those of a single NATS
// see one by one that others are finished.
func (l *Log) BeginAt(ctx context.Context, sequence uint64) error {
	ctx, cancel := context.WithTimeout(ctx, electPatience)
	defer cancel()
	s, err := l.State(ctx, CommandsStream)
	if err != nil || s.Config.Replicas <= 1 {
		return err
	}
	q := &queue{log: l, replicas: s.Config.Replicas}
	err = l.again(ctx, func(context.Context) error { // each try has its own time
		_, err := q.replace(ctx, sequence)
		return err
	})
	return err
}

// Build makes a log in a directory that nobody else knows, and whose lock the caller holds. Nothing
// of it is synced.
func Build(ctx context.Context, dir string, retention time.Duration, logger *slog.Logger) (_ *Log, err error) {
	l := newLog("", nil, Options{Logger: logger}.logger())
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Close())
		}
	}()
	s, err := RunServer(ctx, &server.Options{
		ServerName: "log", DontListen: true, MaxPayload: MaxPayload, StoreDir: filepath.Join(dir, "log"),
	}, l.logger)
	if err != nil {
		return nil, err
	}
	l.backing = &single{plain: plain{l}, server: s}
	if err := l.connect(s, credentials{}); err != nil {
		return nil, err
	}
	if l.js, err = jetstream.New(l.conn); err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	if err := ensureStreams(ctx, l.js, retention); err != nil {
		return nil, err
	}
	return l, l.bind(ctx)
}
