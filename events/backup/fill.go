package backup

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

	"reckon/events/log"
)

// ErrFilled says that a log holds something else, where an empty one is needed, or one with a part
// of the same backup.
var ErrFilled = errors.New("the log holds something already")

const (
	fillPatience = time.Minute     // without any message that gets through
	fillTry      = 5 * time.Second // how long an acknowledgement may take
	retryPause   = 250 * time.Millisecond
)

// filling is a restore into a log that runs.
type filling struct {
	log      *log.Log
	file     io.ReadSeeker
	header   header
	name     string // of the backup: the digest at its end
	whole    Summary
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
// It fails with ErrNotWhole or ErrFilled, which leave the log as it was, or with log.ErrUnfinished:
// the same backup completes it then, unless the error is ErrFilled too. That says that somebody
// else has written to the log meanwhile, and that it is of no use.
func Fill(ctx context.Context, l *log.Log, file io.ReadSeeker, progress Progress) (Summary, error) {
	f := &filling{log: l, file: file, progress: progress}
	if err := f.check(); err != nil {
		return f.whole, err
	}
	if err := f.begin(ctx); err != nil {
		return f.whole, err
	}
	err := f.fill(ctx)
	if err != nil && !(errors.Is(err, ErrFilled) && f.completed(ctx)) {
		err = fmt.Errorf("%w: %w", log.ErrUnfinished, err)
	}
	return f.whole, err
}

// state is what the leader of a stream says, which is waited for as long as messages are: a cluster
// that is slow may elect more than once, and a restore that ends there takes somebody to begin it
// anew.
func (f *filling) state(ctx context.Context, stream string) (*jetstream.StreamInfo, error) {
	limited, cancel := context.WithTimeout(ctx, fillPatience)
	defer cancel()
	return f.log.State(limited, stream)
}

// completed tells whether the mark is gone: another call has restored the same backup, and the log
// is in use.
func (f *filling) completed(ctx context.Context) bool {
	s, err := f.state(ctx, log.EventsStream)
	return err == nil && log.Restoring(s) == ""
}

// check reads the whole backup.
func (f *filling) check() error {
	r, err := f.rewind()
	if err != nil {
		return err
	}
	f.header = r.header
	f.whole = Summary{CreatedAt: r.header.CreatedAt, LastEvent: r.header.Events}
	for {
		m, last, err := r.next()
		if err != nil {
			return err
		}
		if last != nil {
			f.name = last.SHA256
			return f.whole.matches(last)
		}
		f.whole.add(r.header, m)
	}
}

// rewind begins to read the backup anew.
func (f *filling) rewind() (*reader, error) {
	if _, err := f.file.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("read backup: %w", err)
	}
	return newReader(f.file)
}

// begin looks whether the log is empty, or has a part of the same backup.
func (f *filling) begin(ctx context.Context) error {
	events, err := f.state(ctx, log.EventsStream)
	if err != nil {
		return err
	}
	commands, err := f.state(ctx, log.CommandsStream)
	if err != nil {
		return err
	}
	begun := log.Restoring(events)
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
		err = f.log.SetRestoring(ctx, f.name)
	}
	if err == nil {
		err = f.log.Elect(ctx, func(s *jetstream.StreamInfo) bool {
			return !f.empty || log.Restoring(s) == f.name
		})
	}
	if err == nil && f.empty {
		err = f.first(ctx)
	}
	if err != nil {
		return err
	}
	for _, stream := range []string{log.EventsStream, log.CommandsStream} {
		err := f.pour(ctx, stream)
		if err == nil {
			err = f.compare(ctx, stream, f.whole.of(stream))
		}
		if err != nil {
			return err
		}
	}
	if err := f.log.BeginAt(ctx, f.whole.Commands-f.whole.Unfinished+1); err != nil {
		return err
	}
	for _, stream := range []string{log.EventsStream, log.CommandsStream} {
		s, err := f.state(ctx, stream)
		if err == nil && s.State.LastSeq != f.whole.of(stream) {
			err = f.longer(stream)
		}
		if err != nil {
			return err
		}
	}
	return f.log.SetRestoring(ctx, "")
}

// first leaves a log in use to which somebody has written just before the mark was there.
func (f *filling) first(ctx context.Context) error {
	for _, stream := range []string{log.EventsStream, log.CommandsStream} {
		s, err := f.state(ctx, stream)
		switch {
		case err != nil:
			return err
		case s.State.LastSeq > f.whole.of(stream):
			err = f.longer(stream)
		case s.State.LastSeq > 0: // of the same backup, when it is restored by another call too
			err = f.compare(ctx, stream, s.State.LastSeq)
		}
		if errors.Is(err, ErrFilled) {
			err = errors.Join(err, f.log.SetRestoring(ctx, ""))
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
	js, err := jetstream.New(f.log.JetStream().Conn(), jetstream.WithPublishAsyncTimeout(fillTry))
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	reached, since := uint64(0), time.Now()
	var failed error
	for {
		s, err := f.state(ctx, stream)
		switch {
		case err != nil:
			failed = err
		case s.State.LastSeq > f.whole.of(stream):
			return f.longer(stream)
		case s.State.LastSeq == f.whole.of(stream):
			return nil
		default:
			if s.State.LastSeq > reached {
				reached, since = s.State.LastSeq, time.Now()
			}
			// What is there comes from another call, or from the last try here.
			if err := f.compare(ctx, stream, s.State.LastSeq); errors.Is(err, ErrFilled) || errors.Is(err, ErrNotWhole) {
				return err
			}
			failed = f.publish(ctx, js, stream, s.State.LastSeq)
		}
		switch {
		case failed == nil:
			continue
		case ctx.Err() != nil || f.log.JetStream().Conn().IsClosed() || errors.Is(failed, ErrNotWhole) || time.Since(since) > fillPatience:
			return failed
		}
		select {
		case <-ctx.Done():
		case <-time.After(retryPause):
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
	for sequence := uint64(1); sequence <= f.whole.of(stream); sequence++ {
		m, err := r.nextOf(stream)
		if err != nil {
			return err
		}
		if sequence <= behind {
			continue
		}
		f.progress(strings.ToLower(stream), sequence, f.whole.of(stream))
		err = flying.publish(ctx, &nats.Msg{Subject: m.Subject, Header: m.Headers, Data: m.Data}, jetstream.WithExpectLastSequence(sequence-1))
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
			if m.Headers.Get(jetstream.MsgTTLHeader) == "" {
				return fmt.Errorf("read stream %s: message %d is missing", stream, done)
			}
		}
		return nil
	}
	err = f.log.Records(ctx, stream, first, func(m log.Record) error {
		if err := passed(m.Sequence); err != nil {
			return err
		}
		f.progress(strings.ToLower(stream)+" checked", m.Sequence, first)
		wanted, err := r.nextOf(stream)
		if err != nil {
			return err
		}
		if wanted.Subject != m.Subject || !bytes.Equal(wanted.Data, m.Data) || !maps.EqualFunc(wanted.Headers, m.Headers, slices.Equal) {
			return fmt.Errorf("%w: message %d of stream %s is not that of the backup", ErrFilled, m.Sequence, stream)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return passed(first + 1)
}
