package log

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events/log/natsfile"
)

// Open locks the data directory and runs the log's server in this process, listening on loopback
// with credentials that it leaves in the directory (mode 0600) for Join. It fails with ErrRunning
// when another process holds the lock. It returns when the log is recovered.
func Open(ctx context.Context, o Options) (*Log, error) {
	lock, err := Lock(o.Dir)
	if err != nil {
		return nil, err
	}
	return openLocked(ctx, o, lock, true)
}

// Join opens the log of a data directory whether or not a server runs on it: it reaches the running
// one on loopback, else it opens the directory as Open does (without a listener). While another
// process holds the directory and does not answer, being about to start or to stop, it tries again
// for 10 s, less if ctx ends; then it fails with ErrRunning, or with ErrNoLeader. How long commands
// are kept it only says for a new log; an existing one goes on as it was opened last.
func Join(ctx context.Context, o Options) (*Log, error) {
	if o.External != nil {
		return visit(ctx, o)
	}
	m, _, err := modeOf(o.Dir)
	if err != nil {
		return nil, err
	}
	if m.External {
		return nil, m.refuse(o.Dir)
	}
	patience, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for {
		lock, err := Lock(o.Dir)
		if err == nil {
			return openAlone(ctx, o, lock)
		}
		if !errors.Is(err, ErrRunning) {
			return nil, err
		}
		l, joinErr := joinRunning(patience, o)
		if joinErr == nil {
			return l, nil
		}
		select {
		case <-patience.Done():
			if errors.Is(joinErr, ErrNoLeader) {
				return nil, joinErr
			}
			hint := ""
			if m.Cluster != "" {
				hint = "; it may wait for the other nodes of the cluster " + m.Cluster + ": its log and 'reckon ready' say what for"
			}
			return nil, fmt.Errorf("%w, and its server cannot be reached: %w%s", err, joinErr, hint)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// openAlone opens a directory whose lock this process holds, for a short time and without the
// others of a cluster: a node of one is not to be opened so.
func openAlone(ctx context.Context, o Options, lock *os.File) (*Log, error) {
	m, _, err := modeOf(o.Dir)
	if err == nil && m != (mode{}) {
		err = m.refuse(o.Dir)
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return openLocked(ctx, o, lock, false)
}

// GroupCommits tells whether messages that come together share a sync on the file system of a data
// directory.
func GroupCommits(dir string) bool { return natsfile.GroupCommits(dir) }

// joinRunning connects to the server that left its credentials in the directory.
func joinRunning(ctx context.Context, o Options) (*Log, error) {
	c, err := readCredentials(o.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no %s", credentialsPath(o.Dir))
	}
	if err != nil {
		return nil, err
	}
	l := newLog(o.Dir, nil, o.logger())
	if l.conn, err = connectOutside(c, l.logger); err != nil {
		return nil, err
	}
	if c.Cluster == "" {
		l.backing = &joined{plain: plain{l}, asks: c.Commit}
		err = l.bind(ctx)
	} else {
		b := &cluster{plain: plain{l}}
		l.backing = b
		if err = b.join(c.Cluster); err != nil {
			l.conn.Close()
			return nil, err
		}
		limited, cancel := l.within(ctx, answerPatience)
		defer cancel()
		if err = l.bind(limited); err != nil {
			err = fmt.Errorf("%w: %w", ErrNoLeader, err)
		}
	}
	if err != nil {
		l.conn.Close()
		return nil, err
	}
	return l, nil
}

// openLocked runs a server on a directory whose lock this process holds, and releases it when that
// fails.
func openLocked(ctx context.Context, o Options, lock *os.File, listen bool) (_ *Log, err error) {
	l := newLog(o.Dir, lock, o.logger())
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Close())
		}
	}()
	if err := removeCredentials(o.Dir); err != nil {
		return nil, err
	}
	if err := claimMode(o.Dir, o.mode()); err != nil {
		return nil, err
	}
	if o.External == nil && o.Cluster == nil {
		if err := errors.Join(l.settle(o), l.check(ctx, o)); err != nil {
			return nil, err
		}
		if err := l.allowDeleting(o.Dir); err != nil {
			return nil, err
		}
	}
	c := newCredentials()
	grouped := o.Cluster == nil && o.External == nil && natsfile.GroupCommits(o.Dir)
	if o.External == nil && !natsfile.Known() {
		l.logger.Warn("every message is synced by itself and read through the server, since the files of this version are not known",
			"nats-server", server.VERSION, "known", natsfile.Tested)
	}
	switch {
	case o.Cluster != nil:
		c.Cluster = o.Cluster.Name
		err = l.openCluster(ctx, o, &c)
	case o.External != nil:
		b := newExternal(l)
		b.views = newViewsID()
		c = credentials{Views: b.views}
		if err = b.open(ctx, o, true); err == nil {
			b.say()
		}
	default:
		err = l.openSingle(ctx, o, &c, listen, grouped)
	}
	if err != nil {
		return nil, err
	}
	if l.events == nil {
		if err := l.bind(ctx); err != nil {
			return nil, err
		}
	}
	if listen {
		if err := l.sayUnerasable(ctx); err != nil {
			return nil, err
		}
		if err := c.write(o.Dir); err != nil {
			return nil, err
		}
		if o.External == nil {
			if err := l.keepLooking(ctx, o, grouped); err != nil {
				return nil, err
			}
		}
	}
	return l, nil
}

// keepLooking begins to look after the files of an open log.
func (l *Log) keepLooking(ctx context.Context, o Options, grouped bool) error {
	looking, end := context.WithCancel(context.WithoutCancel(ctx))
	l.endLooking = end
	if b, ok := l.backing.(*cluster); ok {
		l.looking.Go(func() { b.keepPulse(looking) })
	}
	if o.ScrubEvery >= 0 {
		l.looking.Go(func() { l.keepScrubbing(looking, cmp.Or(o.ScrubEvery, scrubDaily)) })
	}
	if grouped || !natsfile.Known() {
		return nil
	}
	marks, err := natsfile.OpenMarks(markPath(o.Dir))
	if err != nil {
		return err
	}
	l.looking.Go(func() {
		l.keepMarking(looking, marks)
		_ = marks.Close()
	})
	return nil
}

// openSingle runs a server that has the log alone, and that syncs each message itself or leaves it
// to the group commit.
func (l *Log) openSingle(ctx context.Context, o Options, c *credentials, listen, grouped bool) error {
	s, err := startServer(ctx, o.Dir, *c, listen, !grouped, l.logger)
	if err != nil {
		return err
	}
	b := &single{plain: plain{l}, server: s}
	l.backing, c.URL = b, s.ClientURL()
	if err := l.connect(s, *c); err != nil {
		return err
	}
	js, err := jetstream.New(l.conn)
	if err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	retention := o.IdempotencyRetention
	if !listen {
		if retention, err = keptRetention(ctx, js, retention); err != nil {
			return err
		}
	}
	if err := ensureStreams(ctx, js, retention); err != nil {
		return err
	}
	if err := l.bind(ctx); err != nil || !grouped {
		return err
	}
	g, err := startGrouped(ctx, b, o.Dir)
	if err != nil {
		return err
	}
	l.backing, c.Commit = g, commitSubject(s)
	return nil
}

// connect connects to a server of this process.
func (l *Log) connect(s *server.Server, c credentials) (err error) {
	if l.conn, err = connectInside(s, c, l.logger); err != nil {
		return err
	}
	l.reads, err = connectInside(s, c, l.logger)
	return err
}

// bind finds the streams of the server that the log is connected to.
func (l *Log) bind(ctx context.Context) error {
	var err error
	if l.js, err = jetstream.New(l.conn, jetstream.WithDefaultTimeout(l.apiPatience())); err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	if l.events, err = l.js.Stream(ctx, EventsStream); err != nil {
		return fmt.Errorf("open stream %s: %w", EventsStream, err)
	}
	return nil
}

func (o Options) logger() *slog.Logger {
	if o.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return o.Logger
}

// Close flushes and stops; the data directory is free afterwards. What is still under way fails.
// Closing again does nothing.
func (l *Log) Close() error {
	l.closing.Lock()
	defer l.closing.Unlock()
	var errs []error
	if l.endLooking != nil {
		l.endLooking()
		l.looking.Wait()
	}
	if l.lock != nil {
		errs = append(errs, removeCredentials(l.dir))
	}
	errs = append(errs, l.stop())
	if l.lock != nil {
		errs = append(errs, l.lock.Close())
		l.lock = nil
	}
	return errors.Join(errs...)
}

// stop ends what a log has opened in its directory.
func (l *Log) stop() error {
	for _, conn := range []*nats.Conn{l.conn, l.reads} {
		if conn != nil {
			conn.Close()
		}
	}
	if l.backing == nil {
		return nil
	}
	return l.backing.close()
}
