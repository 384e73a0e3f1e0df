package events

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
	// ErrFilled says that a log holds something else, where an empty one is needed, or one with a part of the same backup.
	ErrFilled = errors.New("the log holds something already")
	// ErrUnfinished says that a log has a part of a backup, and takes and shows nothing until the rest is there too.
	ErrUnfinished = errors.New("the log is being restored from a backup")
)

// shutPrefix stands before the subjects of a stream that is shut: only a restore publishes there, and the stream keeps each
// message at its own subject.
const shutPrefix = "reckon.restore."

func isShut(subjects []string) bool {
	return len(subjects) == 1 && strings.HasPrefix(subjects[0], shutPrefix)
}

// shut makes a stream one that takes nothing but what a restore brings, or takes it into use again.
func (l *Log) shut(ctx context.Context, stream string, shut bool) error {
	s, err := l.state(ctx, stream)
	if err != nil {
		return err
	}
	c := s.Config
	switch {
	case isShut(c.Subjects) == shut:
		return nil
	case shut:
		source := shutPrefix + c.Subjects[0]
		kept := map[string]string{commandsStream: "cmd.{{wildcard(1)}}.{{wildcard(2)}}", eventsStream: "evt.>"}[stream]
		c.Subjects, c.SubjectTransform = []string{source}, &jetstream.SubjectTransformConfig{Source: source, Destination: kept}
	default:
		c.Subjects, c.SubjectTransform = []string{strings.TrimPrefix(c.Subjects[0], shutPrefix)}, nil
	}
	if _, err := l.js.UpdateStream(ctx, c); err != nil {
		return fmt.Errorf("change stream %s: %w", stream, err)
	}
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
	whole    Backup
	progress Progress
}

// Fill restores a backup into the log of a running cluster, or of an existing NATS. The log must be empty, or have a part of
// the same backup from a call that was interrupted, which is completed. The file is read several times, first to see that it
// is whole. Then all messages are published in their order, EVENTS before COMMANDS, so that a worker finds the final event of
// each finished command, and each stream is read again and compared. Meanwhile the streams are shut: nodes take no requests
// and answer none from a part. A command that is not finished has the lifetime of a new one.
//
// It fails with ErrBackup or ErrFilled, which leave the log as it was, or with ErrUnfinished.
func (l *Log) Fill(ctx context.Context, file io.ReadSeeker, progress Progress) (Backup, error) {
	f := &filling{log: l, file: file, progress: progress}
	if err := f.check(); err != nil {
		return f.whole, err
	}
	if err := f.begin(ctx); err != nil {
		return f.whole, err
	}
	err := f.fill(ctx)
	if err != nil && !errors.Is(err, ErrFilled) {
		err = fmt.Errorf("%w: %w", ErrUnfinished, err)
	}
	return f.whole, err
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

// begin shuts the streams of an empty log. Those of a log that is being restored stay as they are.
func (f *filling) begin(ctx context.Context) error {
	commands, err := f.log.state(ctx, commandsStream)
	if err != nil {
		return err
	}
	events, err := f.log.state(ctx, eventsStream)
	if err != nil {
		return err
	}
	if isShut(commands.Config.Subjects) && (isShut(events.Config.Subjects) || events.State.LastSeq > 0) {
		return nil
	}
	if n := max(events.State.LastSeq, commands.State.LastSeq); n > 0 {
		return fmt.Errorf("%w: %d events", ErrFilled, events.State.LastSeq)
	}
	// COMMANDS is shut first and taken into use last, so that one can tell how far a restore was.
	err = errors.Join(f.log.shut(ctx, commandsStream, true), f.log.shut(ctx, eventsStream, true))
	for _, stream := range []string{commandsStream, eventsStream} {
		var s *jetstream.StreamInfo
		if err == nil {
			s, err = f.log.state(ctx, stream)
		}
		if err == nil && s.State.LastSeq > 0 {
			err = fmt.Errorf("%w: it was written a moment ago", ErrFilled)
		}
	}
	if err != nil {
		return errors.Join(err, f.log.shut(ctx, eventsStream, false), f.log.shut(ctx, commandsStream, false))
	}
	return nil
}

// fill brings what is missing to the streams that are shut, and takes them into use.
func (f *filling) fill(ctx context.Context) error {
	for _, stream := range []string{eventsStream, commandsStream} {
		s, err := f.log.state(ctx, stream)
		if err != nil {
			return err
		}
		if isShut(s.Config.Subjects) {
			err = f.pour(ctx, stream)
		}
		if err == nil {
			err = f.compare(ctx, stream, f.of(stream))
		}
		if err == nil && stream == commandsStream {
			err = f.queue(ctx, s.Config.Replicas)
		}
		if err == nil {
			err = f.log.shut(ctx, stream, false)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// pour publishes what a stream does not have yet. What goes wrong on the way, as when another node becomes the leader, is tried
// again from where the stream then is, until nothing gets through any more.
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
			return fmt.Errorf("%w: stream %s is longer than the backup", ErrFilled, stream)
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

// publish publishes what stands in the backup behind the first messages of a stream, each behind the one before or not at all.
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
		err = flying.publish(ctx, &nats.Msg{Subject: shutPrefix + m.subject, Header: m.headers, Data: m.data}, jetstream.WithExpectLastSequence(sequence-1))
		if err != nil {
			return err
		}
	}
	return flying.land(ctx)
}

// compare reads the first messages of a stream and fails with ErrFilled where they are not those of the backup. Commands that have an
// end of their own may be gone.
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
	_, err = f.log.scan(ctx, stream, first, func(m message) error {
		if err := passed(m.sequence); err != nil {
			return err
		}
		f.progress("check "+strings.ToLower(stream), m.sequence, first)
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

// queue has the workers of a cluster begin with the first command that is not finished. Those of a single NATS see that the others are finished
// one by one.
func (f *filling) queue(ctx context.Context, replicas int) error {
	if replicas <= 1 {
		return nil
	}
	f.log.replicas = replicas
	_, err := f.log.replaceWorkers(ctx, f.whole.Commands-f.whole.Unfinished+1)
	return err
}
