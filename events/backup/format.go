package backup

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	"github.com/nats-io/nats.go"

	"reckon/events"
	"reckon/events/log"
)

// A backup is a gzip file of lines of JSON: a header, a line for each message with the message's
// bytes and a line feed behind it (all of COMMANDS, then all of EVENTS, each in order), and an end.

// format names the form of the file.
const format = "reckon-backup/1"

type header struct {
	Format    string    `json:"format"`
	CreatedAt time.Time `json:"created_at"`
	Retention string    `json:"idempotency_retention"`
	Events    uint64    `json:"events"`            // last sequence of EVENTS
	Commands  uint64    `json:"commands"`          // last sequence of COMMANDS
	Gapless   bool      `json:"gapless,omitempty"` // no event is missing but those that the end names
	Finished  uint64    `json:"finished"`          // the commands up to this sequence have their final events in the backup
}

// line is what stands before a message, or at the end.
type line struct {
	Stream   string      `json:"stream,omitempty"`
	Sequence uint64      `json:"sequence,omitempty"`
	Subject  string      `json:"subject,omitempty"`
	Headers  nats.Header `json:"headers,omitempty"`
	Size     int         `json:"size"`
	End      *end        `json:"end,omitempty"` // of the last line, which has nothing else
}

type end struct {
	Events   uint64    `json:"events"`         // how many there are
	Commands uint64    `json:"commands"`       // how many there are
	Gone     []log.Run `json:"gone,omitempty"` // sequences of events that were deleted
	SHA256   string    `json:"sha256"`         // of everything before this line, uncompressed
}

// streams are in a backup in this order.
var streams = []string{log.CommandsStream, log.EventsStream}

// last is the last sequence of a stream.
func (h header) last(stream string) uint64 {
	if stream == log.EventsStream {
		return h.Events
	}
	return h.Commands
}

// writer writes lines and keeps the checksum of what was written.
type writer struct {
	buffer *bufio.Writer
	sum    hash.Hash
}

func (w writer) write(text []byte) error {
	w.sum.Write(text)
	if _, err := w.buffer.Write(text); err != nil {
		return fmt.Errorf("write backup: %w", err)
	}
	return nil
}

func (w writer) json(v any) error {
	text, err := events.Marshal(v)
	if err != nil {
		return fmt.Errorf("write backup: %w", err)
	}
	return w.write(append(text, '\n'))
}

func (w writer) record(m log.Record) error {
	err := w.json(line{Stream: m.Stream, Sequence: m.Sequence, Subject: m.Subject, Headers: m.Headers, Size: len(m.Data)})
	if err == nil {
		err = w.write(m.Data)
	}
	if err == nil {
		err = w.write([]byte{'\n'})
	}
	return err
}

// ErrNotWhole says that a file is no whole backup.
var ErrNotWhole = errors.New("this is no whole backup")

// reader reads what writer wrote.
type reader struct {
	buffer *bufio.Reader
	sum    hash.Hash
	header header
	read   run
}

// maxLine bounds a line of JSON of a backup; headers are bounded far below that.
const maxLine = 1 << 20

// newReader reads the header. It fails with ErrNotWhole.
func newReader(from io.Reader) (*reader, error) {
	plain, err := gzip.NewReader(from)
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: it is empty", ErrNotWhole)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotWhole, err)
	}
	r := &reader{buffer: bufio.NewReaderSize(plain, maxLine), sum: sha256.New()}
	text, err := r.line()
	if err != nil {
		return nil, err
	}
	if err := events.Unmarshal(text, &r.header); err != nil || r.header.Format == "" {
		return nil, fmt.Errorf("%w: it does not begin as one", ErrNotWhole)
	}
	if r.header.Format != format {
		return nil, fmt.Errorf("%w: it has the form %q, and this program reads %q", ErrNotWhole, r.header.Format, format)
	}
	r.sum.Write(text)
	return r, nil
}

// line reads a line, valid until the next is read.
func (r *reader) line() ([]byte, error) {
	line, err := r.buffer.ReadSlice('\n')
	if err != nil {
		return nil, r.broken(err)
	}
	return line, nil
}

func (r *reader) broken(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("it ends too early")
	}
	return fmt.Errorf("%w: %w", ErrNotWhole, err)
}

// next reads a message, or the end of the backup after its checksum was found right. It fails with
// ErrNotWhole.
func (r *reader) next() (m log.Record, last *end, err error) {
	text, err := r.line()
	if err != nil {
		return m, nil, err
	}
	var next line
	if err := events.Unmarshal(text, &next); err != nil {
		return m, nil, fmt.Errorf("%w: %w", ErrNotWhole, err)
	}
	if next.End != nil {
		if hex.EncodeToString(r.sum.Sum(nil)) != next.End.SHA256 {
			return m, nil, fmt.Errorf("%w: its checksum is wrong", ErrNotWhole)
		}
		if _, err := r.buffer.ReadByte(); !errors.Is(err, io.EOF) {
			return m, nil, fmt.Errorf("%w: something follows its end, or the file is damaged there", ErrNotWhole)
		}
		if r.header.Gapless {
			if err := r.read.whole(r.header.Events, next.End.Gone); err != nil {
				return m, nil, fmt.Errorf("%w: %w", ErrNotWhole, err)
			}
		}
		return m, next.End, nil
	}
	r.sum.Write(text)
	if next.Size < 0 || next.Size > log.MaxPayload || next.Stream != log.CommandsStream && next.Stream != log.EventsStream {
		return m, nil, fmt.Errorf("%w: it holds a message that cannot be", ErrNotWhole)
	}
	data := make([]byte, next.Size+1)
	if _, err := io.ReadFull(r.buffer, data); err != nil {
		return m, nil, r.broken(err)
	}
	r.sum.Write(data)
	if !bytes.HasSuffix(data, []byte{'\n'}) {
		return m, nil, fmt.Errorf("%w: a message is longer than it says", ErrNotWhole)
	}
	m = log.Record{Stream: next.Stream, Sequence: next.Sequence, Subject: next.Subject, Headers: next.Headers, Data: data[:next.Size]}
	r.read.add(m)
	return m, nil, nil
}

// nextOf reads the next message of one stream. It fails with ErrNotWhole, also at the end.
func (r *reader) nextOf(stream string) (log.Record, error) {
	for {
		m, last, err := r.next()
		switch {
		case err != nil:
			return m, err
		case last != nil:
			return m, fmt.Errorf("%w: it has changed since it was read first", ErrNotWhole)
		case m.Stream == stream:
			return m, nil
		}
	}
}
