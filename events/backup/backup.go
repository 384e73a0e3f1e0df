// Package backup copies a log to a file, and makes a log of such a file: the data directory of a
// single node, or the log of nodes that run.
package backup

import (
	"bufio"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"reckon/events"
	"reckon/events/log"
)

// Summary is what a backup holds.
type Summary struct {
	CreatedAt  time.Time `json:"created_at"`
	Events     uint64    `json:"events"`
	Commands   uint64    `json:"commands"`   // requests whose idempotency keys are remembered, and those that are not finished
	Unfinished uint64    `json:"unfinished"` // of the commands: those that are looked at again after restoring
	LastEvent  uint64    `json:"last_event"` // sequence of the newest event
	Renumbered bool      `json:"renumbered"` // after restoring: the events have other sequences, since the log had gaps

	Undecodable      uint64 `json:"undecodable"`                 // of the events: those that this program cannot decode
	FirstUndecodable string `json:"first_undecodable,omitempty"` // which it is, and why
}

// add counts a message. In a log that was empty the events get the sequences 1, 2 and so on.
func (s *Summary) add(header header, m log.Record) {
	if m.Stream == log.CommandsStream {
		s.Commands++
		if m.Sequence > header.Finished {
			s.Unfinished++
		}
		return
	}
	s.Events++
	s.Renumbered = s.Renumbered || m.Sequence != s.Events
	if _, err := events.Decode(events.SubjectOf(m.Subject), m.Sequence, m.Headers, m.Data, false); err != nil {
		if s.Undecodable++; s.Undecodable == 1 {
			s.FirstUndecodable = err.Error()
		}
	}
}

// of is how many messages of a stream there are. In a log that was empty they get the sequences 1
// to that.
func (s *Summary) of(stream string) uint64 {
	if stream == log.EventsStream {
		return s.Events
	}
	return s.Commands
}

// matches fails with ErrNotWhole where the end of a backup tells of another number of messages.
func (s *Summary) matches(last *end) error {
	if last.Commands != s.Commands || last.Events != s.Events {
		return fmt.Errorf("%w: it holds %d commands and %d events instead of %d and %d", ErrNotWhole, s.Commands, s.Events, last.Commands, last.Events)
	}
	return nil
}

// Progress is told how many of about how many messages are done in a step, which says what they
// are: "events", "events checked".
type Progress func(step string, done, of uint64)

// Write writes all that a log holds at this moment, while it is in use, as it is: also events that
// cannot be decoded. The answers to all requests that were acknowledged before the call are in it.
// EVENTS is taken up to a sequence that is asked for first, COMMANDS up to one that is asked for
// after that: the command of every event is in the backup then. An event may be missing whose
// command is there. Such a command is not finished, and is worked on after restoring. What nobody
// asks for again is left out, and so is a command whose prompt is stored apart and not among the
// events: it is of a request that was not answered before the call either.
func Write(ctx context.Context, l *log.Log, to io.Writer, progress Progress) (Summary, error) {
	extent, err := l.Extent(ctx)
	if err != nil {
		return Summary{}, err
	}
	header := header{
		Format: format, Gapless: extent.Gapless, CreatedAt: time.Now().UTC().Truncate(time.Millisecond), Retention: extent.Retention.String(),
		Events: extent.Events, Commands: extent.Commands, Finished: extent.Finished,
	}
	compressed, err := gzip.NewWriterLevel(to, gzip.BestSpeed)
	if err != nil {
		return Summary{}, err
	}
	w := writer{buffer: bufio.NewWriterSize(compressed, 1<<16), sum: sha256.New()}
	if err := w.json(header); err != nil {
		return Summary{}, err
	}
	b := Summary{CreatedAt: header.CreatedAt, LastEvent: header.Events}
	var read run
	for _, stream := range streams {
		last := header.last(stream)
		err := l.Records(ctx, stream, last, func(m log.Record) error {
			progress(strings.ToLower(stream), m.Sequence, last)
			if later, err := promptIsLater(ctx, l, header, m); later || err != nil || m.Passing() {
				return err
			}
			b.add(header, m)
			read.add(m)
			return w.record(m)
		})
		if err != nil {
			return b, err
		}
	}
	b.Renumbered = false // not before it is restored
	if extent.Gapless {
		if err := read.whole(header.Events, extent.Gone); err != nil {
			return b, fmt.Errorf("back up: %w", err)
		}
	}
	last := line{End: &end{b.Events, b.Commands, extent.Gone, hex.EncodeToString(w.sum.Sum(nil))}}
	if err := w.json(last); err != nil {
		return b, err
	}
	if err := errors.Join(w.buffer.Flush(), compressed.Close()); err != nil {
		return b, fmt.Errorf("write backup: %w", err)
	}
	return b, nil
}

// promptIsLater tells of a command whether its prompt is stored apart and came after the last event
// of a backup.
func promptIsLater(ctx context.Context, l *log.Log, header header, m log.Record) (bool, error) {
	if m.Stream != log.CommandsStream || m.Sequence <= header.Finished {
		return false, nil
	}
	at, apart := events.PromptOf(m.Data)
	if !apart {
		return false, nil
	}
	stored, err := l.Prompt(ctx, at)
	if errors.Is(err, log.ErrNotFound) { // it is lost, as the worker will find too
		return false, nil
	}
	return stored.Sequence > header.Events, err
}
