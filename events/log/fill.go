package log

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

var (
	// ErrFilled says that a log holds something else, where an empty one is needed, or one with a
	// part of the same backup.
	ErrFilled = errors.New("the log holds something already")
	// ErrUnfinished says that a log has a part of a backup, and takes and shows nothing until the
	// rest is there too.
	ErrUnfinished = errors.New("the log is being restored from a backup")
)

// restoringKey is in the metadata of EVENTS while a backup is restored into the log. Its value
// names the backup.
const restoringKey = "reckon.restoring"

// mark sets what says that the log has a part of a backup, or takes it away for "".
func (l *Log) mark(ctx context.Context, backup string) error {
	err := l.again(ctx, func(ctx context.Context) error {
		s, err := l.state(ctx, eventsStream)
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
		return fmt.Errorf("mark stream %s: %w", eventsStream, err)
	}
	return nil
}

// whole fails with ErrUnfinished while the log has a part of a backup. One that was found whole is
// asked again after an election. On an existing NATS it is not: it gets a tick, and nothing is
// restored into a log that has one.
func (l *Log) whole(ctx context.Context) error {
	if l.Alone() {
		return nil
	}
	elections := l.backing.elected() + 1
	if l.wholeAt.Load() == elections {
		return nil
	}
	s, err := l.state(ctx, eventsStream)
	if err != nil {
		return err
	}
	if s.Config.Metadata[restoringKey] != "" {
		return ErrUnfinished
	}
	l.wholeAt.Store(elections)
	return nil
}

const (
	fillPatience = time.Minute     // without any message that gets through
	fillTry      = 5 * time.Second // how long an acknowledgement may take
)

// filling is a restore into a log that runs.
type filling struct {
	log      *Log
	file     io.ReadSeeker
	header   backupHeader
	name     string // of the backup: the digest at its end
	whole    Backup
	empty    bool // the log was when it began
	progress Progress
}

// Fill restores a backup into the log of a running cluster, or of an existing NATS. The log must be
// empty, or have a part of the same backup from a call that was interrupted, which is completed.
// The file is read several times, first to see that it is whole. Then all messages are published in
// their order, EVENTS before COMMANDS, so that a worker finds the final event of each finished
// command, and each stream is read again and compared. Meanwhile EVENTS has a mark: nodes that see
// it take no requests and answer none from a part. A command that is not finished has the lifetime
// of a new one.
//
// It fails with ErrBackup or ErrFilled, which leave the log as it was, or with ErrUnfinished: the
// same backup completes it then, unless the error is ErrFilled too. That says that somebody else
// has written to the log meanwhile, and that it is of no use.
func (l *Log) Fill(ctx context.Context, file io.ReadSeeker, progress Progress) (Backup, error) {
	f := &filling{log: l, file: file, progress: progress}
	if err := f.check(); err != nil {
		return f.whole, err
	}
	if err := f.begin(ctx); err != nil {
		return f.whole, err
	}
	err := f.fill(ctx)
	if err != nil && !(errors.Is(err, ErrFilled) && f.completed(ctx)) {
		err = fmt.Errorf("%w: %w", ErrUnfinished, err)
	}
	return f.whole, err
}

// completed tells whether the mark is gone: another call has restored the same backup, and the log
// is in use.
func (f *filling) completed(ctx context.Context) bool {
	s, err := f.log.state(ctx, eventsStream)
	return err == nil && s.Config.Metadata[restoringKey] == ""
}

// check reads the whole backup.
func (f *filling) check() error {
	r, err := f.rewind()
	if err != nil {
		return err
	}
	f.header = r.header
	f.whole = Backup{CreatedAt: r.header.CreatedAt, LastEvent: r.header.Events}
	for {
		m, end, err := r.next()
		if err != nil {
			return err
		}
		if end != nil {
			f.name = end.SHA256
			return f.whole.matches(end)
		}
		f.whole.add(r.header, m)
		if m.stream == eventsStream {
			f.whole.decode(m)
		}
	}
}

// rewind begins to read the backup anew.
func (f *filling) rewind() (*backupReader, error) {
	if _, err := f.file.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("read backup: %w", err)
	}
	return openBackup(f.file)
}

// of is how many messages of a stream the backup has. They get the sequences 1 to that.
func (f *filling) of(stream string) uint64 {
	if stream == eventsStream {
		return f.whole.Events
	}
	return f.whole.Commands
}

// begin looks whether the log is empty, or has a part of the same backup.
func (f *filling) begin(ctx context.Context) error {
	events, err := f.log.state(ctx, eventsStream)
	if err != nil {
		return err
	}
	commands, err := f.log.state(ctx, commandsStream)
	if err != nil {
		return err
	}
	begun := events.Config.Metadata[restoringKey]
	f.empty = events.State.LastSeq == 0 && commands.State.LastSeq == 0
	switch {
	case f.empty || begun == f.name:
		return nil
	case begun != "":
		return fmt.Errorf("%w: a part of another backup", ErrFilled)
	}
	return fmt.Errorf("%w: %d events", ErrFilled, events.State.LastSeq)
}

// fill marks a log that was empty, brings what is missing to the streams, and takes the mark away.
// A log that had the mark is not given it again: another call may just have completed it.
func (f *filling) fill(ctx context.Context) error {
	var err error
	if f.empty {
		err = f.log.mark(ctx, f.name)
	}
	if err == nil {
		err = f.log.backing.elect(ctx, func(s *jetstream.StreamInfo) bool {
			return !f.empty || s.Config.Metadata[restoringKey] == f.name
		})
	}
	if err == nil && f.empty {
		err = f.first(ctx)
	}
	if err != nil {
		return err
	}
	for _, stream := range []string{eventsStream, commandsStream} {
		err := f.pour(ctx, stream)
		if err == nil {
			err = f.compare(ctx, stream, f.of(stream))
		}
		if err != nil {
			return err
		}
	}
	if err := f.queue(ctx); err != nil {
		return err
	}
	for _, stream := range []string{eventsStream, commandsStream} {
		s, err := f.log.state(ctx, stream)
		if err == nil && s.State.LastSeq != f.of(stream) {
			err = f.longer(stream)
		}
		if err != nil {
			return err
		}
	}
	return f.log.mark(ctx, "")
}

// first leaves a log in use to which somebody has written just before the mark was there.
func (f *filling) first(ctx context.Context) error {
	for _, stream := range []string{eventsStream, commandsStream} {
		s, err := f.log.state(ctx, stream)
		switch {
		case err != nil:
			return err
		case s.State.LastSeq > f.of(stream):
			err = f.longer(stream)
		case s.State.LastSeq > 0: // of the same backup, when it is restored by another call too
			err = f.compare(ctx, stream, s.State.LastSeq)
		}
		if errors.Is(err, ErrFilled) {
			err = errors.Join(err, f.log.mark(ctx, ""))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *filling) longer(stream string) error {
	return fmt.Errorf("%w: stream %s is longer than the backup", ErrFilled, stream)
}

// pour publishes what a stream does not have yet. What goes wrong on the way, as when another node
// becomes the leader, is tried again from where the stream then is, until nothing gets through any
// more.
func (f *filling) pour(ctx context.Context, stream string) error {
	js, err := jetstream.New(f.log.conn, jetstream.WithPublishAsyncTimeout(fillTry))
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	reached, since := uint64(0), time.Now()
	var failed error
	for {
		s, err := f.log.state(ctx, stream)
		switch {
		case err != nil:
			failed = err
		case s.State.LastSeq > f.of(stream):
			return f.longer(stream)
		case s.State.LastSeq == f.of(stream):
			return nil
		default:
			if s.State.LastSeq > reached {
				reached, since = s.State.LastSeq, time.Now()
			}
			// What is there comes from another call, or from the last try here.
			if err := f.compare(ctx, stream, s.State.LastSeq); errors.Is(err, ErrFilled) || errors.Is(err, ErrBackup) {
				return err
			}
			failed = f.publish(ctx, js, stream, s.State.LastSeq)
		}
		switch {
		case failed == nil:
			continue
		case ctx.Err() != nil || f.log.conn.IsClosed() || errors.Is(failed, ErrBackup) || time.Since(since) > fillPatience:
			return failed
		}
		select {
		case <-ctx.Done():
		case <-time.After(clusterRetry):
		}
	}
}

// publish publishes what stands in the backup behind the first messages of a stream, each behind
// the one before or not at all.
func (f *filling) publish(ctx context.Context, js jetstream.JetStream, stream string, behind uint64) error {
	r, err := f.rewind()
	if err != nil {
		return err
	}
	flying := flight{js: js}
	for sequence := uint64(1); sequence <= f.of(stream); sequence++ {
		m, err := r.nextOf(stream)
		if err != nil {
			return err
		}
		if sequence <= behind {
			continue
		}
		f.progress(strings.ToLower(stream), sequence, f.of(stream))
		err = flying.publish(ctx, &nats.Msg{Subject: m.subject, Header: m.headers, Data: m.data}, jetstream.WithExpectLastSequence(sequence-1))
		if err != nil {
			return err
		}
	}
	return flying.land(ctx)
}

// compare reads the first messages of a stream and fails with ErrFilled where they are not those of
// the backup. Commands that have an end of their own may be gone.
func (f *filling) compare(ctx context.Context, stream string, first uint64) error {
	r, err := f.rewind()
	if err != nil {
		return err
	}
	done := uint64(0)
	passed := func(to uint64) error { // all before a sequence are gone
		for done++; done < to; done++ {
			m, err := r.nextOf(stream)
			if err != nil {
				return err
			}
			if m.headers.Get(jetstream.MsgTTLHeader) == "" {
				return fmt.Errorf("read stream %s: message %d is missing", stream, done)
			}
		}
		return nil
	}
	err = f.log.scan(ctx, stream, first, func(m message) error {
		if err := passed(m.sequence); err != nil {
			return err
		}
		f.progress(strings.ToLower(stream)+" checked", m.sequence, first)
		wanted, err := r.nextOf(stream)
		if err != nil {
			return err
		}
		if wanted.subject != m.subject || !bytes.Equal(wanted.data, m.data) || !maps.EqualFunc(wanted.headers, m.headers, slices.Equal) {
			return fmt.Errorf("%w: message %d of stream %s is not that of the backup", ErrFilled, m.sequence, stream)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return passed(first + 1)
}

// queue has the workers of a cluster begin with the first command that is not finished. Those of a
// single NATS see that the others are finished one by one.
func (f *filling) queue(ctx context.Context) error {
	s, err := f.log.state(ctx, commandsStream)
	if err != nil || s.Config.Replicas <= 1 {
		return err
	}
	_, err = (&queue{log: f.log, replicas: s.Config.Replicas}).replace(ctx, f.whole.Commands-f.whole.Unfinished+1)
	return err
}
