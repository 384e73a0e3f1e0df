package log

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
)

// A backup is a gzip file of lines of JSON: a backupHeader, a backupRecord for each message with
// the message's bytes and a line feed behind it (all of COMMANDS, then all of EVENTS, each in
// order), and a backupEnd.
//
// EVENTS is taken up to a sequence that is asked for first, COMMANDS up to one that is asked for
// after that: the command of every event is in the backup then. An event may be missing whose
// command is there. Such a command is not finished, and is worked on after restoring. What stands
// at oldCommands is left out: nobody asks for it again.

// backupFormat names the form of the file.
const backupFormat = "reckon-backup/1"

type backupHeader struct {
	Format    string    `json:"format"`
	CreatedAt time.Time `json:"created_at"`
	Retention string    `json:"idempotency_retention"`
	Events    uint64    `json:"events"`   // last sequence of EVENTS
	Commands  uint64    `json:"commands"` // last sequence of COMMANDS
	Finished  uint64    `json:"finished"` // the commands up to this sequence have their final events in the backup
}

type backupRecord struct {
	Stream   string      `json:"stream,omitempty"`
	Sequence uint64      `json:"sequence,omitempty"`
	Subject  string      `json:"subject,omitempty"`
	Headers  nats.Header `json:"headers,omitempty"`
	Size     int         `json:"size"`
	End      *backupEnd  `json:"end,omitempty"` // of the last line, which has nothing else
}

type backupEnd struct {
	Events   uint64 `json:"events"`   // how many there are
	Commands uint64 `json:"commands"` // how many there are
	SHA256   string `json:"sha256"`   // of everything before this line, uncompressed
}

// Backup is what a backup holds.
type Backup struct {
	CreatedAt  time.Time `json:"created_at"`
	Events     uint64    `json:"events"`
	Commands   uint64    `json:"commands"`   // requests whose idempotency keys are remembered, and those that are not finished
	Unfinished uint64    `json:"unfinished"` // of the commands: those that are looked at again after restoring
	LastEvent  uint64    `json:"last_event"` // sequence of the newest event
	Renumbered bool      `json:"renumbered"` // after restoring: the events have other sequences, since the log had gaps

	Undecodable      uint64 `json:"undecodable"`                 // of the events: those that this program cannot decode
	FirstUndecodable string `json:"first_undecodable,omitempty"` // which it is, and why
}

// add counts a message of a backup. In a log that was empty the events get the sequences 1, 2 and
// so on.
func (b *Backup) add(header backupHeader, m message) {
	if m.stream == commandsStream {
		b.Commands++
		if m.sequence > header.Finished {
			b.Unfinished++
		}
		return
	}
	b.Events++
	b.Renumbered = b.Renumbered || m.sequence != b.Events
}

// matches fails with ErrBackup where the end of a backup tells of another number of messages.
func (b *Backup) matches(end *backupEnd) error {
	if end.Commands != b.Commands || end.Events != b.Events {
		return fmt.Errorf("%w: it holds %d commands and %d events instead of %d and %d", ErrBackup, b.Commands, b.Events, end.Commands, end.Events)
	}
	return nil
}

// decode tries to read an event, and counts it when it cannot be read.
func (b *Backup) decode(m message) {
	if _, err := events.Decode(events.SubjectOf(m.subject), m.sequence, m.headers, m.data, false); err != nil {
		if b.Undecodable++; b.Undecodable == 1 {
			b.FirstUndecodable = err.Error()
		}
	}
}

// Progress is told how many of about how many messages are done in a step, which says what they
// are: "events", "events checked".
type Progress func(step string, done, of uint64)

// Backup writes all that the log holds at this moment, while it is in use, as it is: also events
// that cannot be decoded. The answers to all requests that were acknowledged before the call are in
// it.
func (l *Log) Backup(ctx context.Context, to io.Writer, progress Progress) (Backup, error) {
	header := backupHeader{Format: backupFormat, CreatedAt: time.Now().UTC().Truncate(time.Millisecond)}
	var err error
	if header.Finished, err = l.finished(ctx); err != nil {
		return Backup{}, err
	}
	events, err := l.state(ctx, eventsStream)
	if err != nil {
		return Backup{}, err
	}
	commands, err := l.state(ctx, commandsStream)
	if err != nil {
		return Backup{}, err
	}
	header.Events, header.Commands = events.State.LastSeq, commands.State.LastSeq
	// What is in a backup stays in the log, also after a loss of power.
	newest, err := l.newestEvent(ctx)
	if err == nil {
		err = errors.Join(l.durable(ctx, newest), l.CommandDurable(ctx, header.Commands))
	}
	if err != nil {
		return Backup{}, err
	}
	header.Retention = (commands.Config.MaxAge - keylessLife).String()

	compressed, err := gzip.NewWriterLevel(to, gzip.BestSpeed)
	if err != nil {
		return Backup{}, err
	}
	w := backupWriter{buffer: bufio.NewWriterSize(compressed, 1<<16), sum: sha256.New()}
	if err := w.line(header); err != nil {
		return Backup{}, err
	}
	b := Backup{CreatedAt: header.CreatedAt, LastEvent: header.Events}
	err = l.scan(ctx, commandsStream, header.Commands, func(m message) error {
		progress("commands", m.sequence, header.Commands)
		if strings.HasPrefix(m.subject, oldCommands) {
			return nil
		}
		b.add(header, m)
		return w.record(m)
	})
	if err != nil {
		return b, err
	}
	err = l.scan(ctx, eventsStream, header.Events, func(m message) error {
		progress("events", m.sequence, header.Events)
		if m.subject == tickSubject {
			return nil
		}
		b.Events++
		b.decode(m)
		return w.record(m)
	})
	if err != nil {
		return b, err
	}
	if whole := events.State; !events.Config.AllowMsgTTL && whole.FirstSeq <= 1 && whole.NumDeleted == 0 && b.Events != whole.Msgs {
		return b, fmt.Errorf("back up: %d of %d events could be read", b.Events, whole.Msgs)
	}
	end := backupRecord{End: &backupEnd{b.Events, b.Commands, hex.EncodeToString(w.sum.Sum(nil))}}
	if err := w.line(end); err != nil {
		return b, err
	}
	if err := errors.Join(w.buffer.Flush(), compressed.Close()); err != nil {
		return b, fmt.Errorf("write backup: %w", err)
	}
	return b, nil
}

// finished is the sequence up to which every command is acknowledged, which a worker does once its
// final event is on disk.
func (l *Log) finished(ctx context.Context) (uint64, error) {
	c, err := l.js.Consumer(ctx, commandsStream, workersName)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("ask how far the commands are: %w", err)
	}
	info := c.CachedInfo()
	if info.Config.DeliverPolicy == jetstream.DeliverByStartSequencePolicy { // until the first is acknowledged
		return max(info.AckFloor.Stream, info.Config.OptStartSeq-1), nil
	}
	return info.AckFloor.Stream, nil
}

func (l *Log) state(ctx context.Context, stream string) (*jetstream.StreamInfo, error) {
	s, err := l.js.Stream(ctx, stream)
	if err != nil {
		return nil, fmt.Errorf("open stream %s: %w", stream, err)
	}
	return s.CachedInfo(), nil
}

// message is one message of a stream as it is stored.
type message struct {
	stream   string
	sequence uint64
	subject  string
	headers  nats.Header
	data     []byte
}

const (
	scanBatch = 256
	scanTries = 20 // readings in a row that bring nothing although there is something
)

// scan reads a stream in order up to a sequence.
func (l *Log) scan(ctx context.Context, stream string, last uint64, each func(message) error) (err error) {
	after := uint64(0)
	for tries := 0; after < last; tries++ {
		before := after
		after, err = l.scanOnce(ctx, stream, after, last, each)
		switch {
		case !errors.Is(err, errReopen):
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case after > before:
			tries = 0
		case tries == scanTries:
			return fmt.Errorf("read stream %s after %d: %w", stream, after, err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(clusterRetry):
		}
	}
	return nil
}

// scanOnce reads with one consumer. It returns the sequence of the last message that was read;
// errReopen says that another consumer may read on behind it.
func (l *Log) scanOnce(ctx context.Context, stream string, after, last uint64, each func(message) error) (uint64, error) {
	consumer, err := l.js.CreateConsumer(ctx, stream, behind(after))
	if err != nil {
		return after, fmt.Errorf("%w: %w", errReopen, err)
	}
	defer func() {
		// A consumer that cannot be removed goes by itself after its inactive threshold.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = l.js.DeleteConsumer(ctx, stream, consumer.CachedInfo().Name)
	}()
	for delivered := uint64(0); after < last; {
		batch, err := consumer.FetchNoWait(scanBatch)
		if err != nil {
			return after, fmt.Errorf("%w: %w", errReopen, err)
		}
		before := delivered
		for m := range batch.Messages() {
			meta, err := m.Metadata()
			if err != nil || meta.Sequence.Consumer != delivered+1 {
				return after, fmt.Errorf("%w: a message does not follow on %d", errReopen, after)
			}
			if meta.Sequence.Stream > last {
				return last, nil
			}
			delivered, after = meta.Sequence.Consumer, meta.Sequence.Stream
			if err := each(message{stream, after, m.Subject(), storedHeaders(m.Headers()), m.Data()}); err != nil {
				return after, err
			}
		}
		if err := batch.Error(); err != nil {
			return after, fmt.Errorf("%w: %w", errReopen, err)
		}
		if delivered == before {
			return after, l.nothing(ctx, stream, after, last)
		}
	}
	return after, nil
}

// nothing fails with errReopen when the stream's leader has a message between two sequences: the
// node that keeps a consumer may be behind.
func (l *Log) nothing(ctx context.Context, stream string, after, last uint64) error {
	m, err := l.load(ctx, stream, loadRequest{Sequence: after + 1, Next: ">"})
	switch {
	case errors.Is(err, ErrNotFound), err == nil && m.Sequence > last:
		return nil
	case err != nil:
		return fmt.Errorf("%w: %w", errReopen, err)
	}
	return fmt.Errorf("%w: message %d is not there yet", errReopen, m.Sequence)
}

// storedHeaders are a message's headers without the conditions under which it was published.
func storedHeaders(h nats.Header) nats.Header {
	var kept nats.Header
	for name, values := range h {
		if !strings.HasPrefix(name, "Nats-Expected-") {
			if kept == nil {
				kept = nats.Header{}
			}
			kept[name] = values
		}
	}
	return kept
}

// backupWriter writes lines and keeps the checksum of what was written.
type backupWriter struct {
	buffer *bufio.Writer
	sum    hash.Hash
}

func (w backupWriter) write(text []byte) error {
	w.sum.Write(text)
	if _, err := w.buffer.Write(text); err != nil {
		return fmt.Errorf("write backup: %w", err)
	}
	return nil
}

func (w backupWriter) line(v any) error {
	text, err := events.Marshal(v)
	if err != nil {
		return fmt.Errorf("write backup: %w", err)
	}
	return w.write(append(text, '\n'))
}

func (w backupWriter) record(m message) error {
	err := w.line(backupRecord{Stream: m.stream, Sequence: m.sequence, Subject: m.subject, Headers: m.headers, Size: len(m.data)})
	if err == nil {
		err = w.write(m.data)
	}
	if err == nil {
		err = w.write([]byte{'\n'})
	}
	return err
}

// ErrBackup says that a file is no whole backup.
var ErrBackup = errors.New("this is no whole backup")

// backupReader reads what backupWriter wrote.
type backupReader struct {
	buffer *bufio.Reader
	sum    hash.Hash
	header backupHeader
}

// maxLine bounds a line of JSON of a backup; headers are bounded far below that.
const maxLine = 1 << 20

// openBackup reads the header. It fails with ErrBackup.
func openBackup(from io.Reader) (*backupReader, error) {
	plain, err := gzip.NewReader(from)
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: it is empty", ErrBackup)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBackup, err)
	}
	r := &backupReader{buffer: bufio.NewReaderSize(plain, maxLine), sum: sha256.New()}
	line, err := r.line()
	if err != nil {
		return nil, err
	}
	if err := events.Unmarshal(line, &r.header); err != nil || r.header.Format == "" {
		return nil, fmt.Errorf("%w: it does not begin as one", ErrBackup)
	}
	if r.header.Format != backupFormat {
		return nil, fmt.Errorf("%w: it has the form %q, and this program reads %q", ErrBackup, r.header.Format, backupFormat)
	}
	r.sum.Write(line)
	return r, nil
}

// line reads a line, valid until the next is read.
func (r *backupReader) line() ([]byte, error) {
	line, err := r.buffer.ReadSlice('\n')
	if err != nil {
		return nil, r.broken(err)
	}
	return line, nil
}

func (r *backupReader) broken(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("it ends too early")
	}
	return fmt.Errorf("%w: %w", ErrBackup, err)
}

// next reads a message, or the end of the backup after its checksum was found right. It fails with
// ErrBackup.
func (r *backupReader) next() (m message, end *backupEnd, err error) {
	line, err := r.line()
	if err != nil {
		return m, nil, err
	}
	var record backupRecord
	if err := events.Unmarshal(line, &record); err != nil {
		return m, nil, fmt.Errorf("%w: %w", ErrBackup, err)
	}
	if record.End != nil {
		if hex.EncodeToString(r.sum.Sum(nil)) != record.End.SHA256 {
			return m, nil, fmt.Errorf("%w: its checksum is wrong", ErrBackup)
		}
		if _, err := r.buffer.ReadByte(); !errors.Is(err, io.EOF) {
			return m, nil, fmt.Errorf("%w: something follows its end, or the file is damaged there", ErrBackup)
		}
		return m, record.End, nil
	}
	r.sum.Write(line)
	if record.Size < 0 || record.Size > maxPayload || record.Stream != commandsStream && record.Stream != eventsStream {
		return m, nil, fmt.Errorf("%w: it holds a message that cannot be", ErrBackup)
	}
	data := make([]byte, record.Size+1)
	if _, err := io.ReadFull(r.buffer, data); err != nil {
		return m, nil, r.broken(err)
	}
	r.sum.Write(data)
	if !bytes.HasSuffix(data, []byte{'\n'}) {
		return m, nil, fmt.Errorf("%w: a message is longer than it says", ErrBackup)
	}
	return message{record.Stream, record.Sequence, record.Subject, record.Headers, data[:record.Size]}, nil, nil
}

// nextOf reads the next message of one stream. It fails with ErrBackup, also at the end.
func (r *backupReader) nextOf(stream string) (message, error) {
	for {
		m, end, err := r.next()
		switch {
		case err != nil:
			return m, err
		case end != nil:
			return m, fmt.Errorf("%w: it has changed since it was read first", ErrBackup)
		case m.stream == stream:
			return m, nil
		}
	}
}
