package events

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/minio/highwayhash"
)

// Where the log commits in groups, what is durable stands in the stream's block files, in the order of sequences, and a block that
// is not the newest is never written again: EVENTS keeps everything. Whoever reads much of the history reads these files. A consumer
// would have the server read each block too, and keep an index of the subjects in it for two minutes, about 110 bytes a
// conversation, and hand every event over in several steps, which together take longer than decoding and folding it.
//
// A block is a sequence of records, their numbers little-endian: length of the record (4 bytes; the highest bit says that
// there are headers), sequence (8), time (8), length of the subject (2), subject, length of the headers (4) and headers where there
// are any, body, checksum (8). The checksum is the HighwayHash-64 of sequence, time, subject, headers and body; the key is the
// SHA-256 of the stream's name, a hyphen and the block's number. TestBlocks compares what is read so with what the server hands out.

const (
	recordHead     = 22
	recordChecksum = highwayhash.Size64
	recordHeaders  = 1 << 31 // in the length: there are headers
	recordMarks    = 3 << 62 // in the sequence: it marks a message that was deleted

	blockBuffer = 256 << 10
	// blockEvents and blockBytes bound what is read, and folded at once. As much again is read and decoded meanwhile.
	blockEvents = 1024
	blockBytes  = 4 << 20
)

var headersEnd = []byte("\r\n\r\n")

// errRecord says that a block holds something else than a record of a message. The server is asked then.
var errRecord = errors.New("it is no record of a message")

// readBlocks folds what is durable behind a sequence, from the block files, up to the first record that is not as it must be. It
// returns the sequence of the last event that was folded: those of the reading that are behind it the server must be asked for.
func (l *Log) readBlocks(ctx context.Context, after uint64, r reading) (uint64, error) {
	type portion struct {
		list    []Event
		upTo    uint64
		failure error // of the event that follows
	}
	through := min(r.through, l.commit.events.durable.Load())
	portions, ended := make(chan portion), make(chan struct{})
	defer func() {
		close(ended)
		for range portions {
		}
	}()
	go func() {
		defer close(portions)
		p, count, size := portion{upTo: after}, 0, 0
		hand := func() bool {
			select {
			case portions <- p:
				p, count, size = portion{upTo: p.upTo}, 0, 0
				return true
			case <-ended:
				return false
			}
		}
		for m, err := range l.commit.events.messages(after, through) {
			if err != nil {
				l.logger.Warn("the server is asked for events, since a block cannot be read", "after", p.upTo, "error", err)
				break
			}
			if subject := (Subject{m.Subject}); r.want == nil || r.want(subject) {
				e := Event{Subject: subject, Sequence: m.Sequence}
				name, id, at := attributesOf(m.Headers)
				if p.failure = e.take(name, id, at, bytes.Clone(m.Data), r.brief); p.failure != nil {
					break
				}
				if p.list == nil {
					p.list = make([]Event, 0, min(blockEvents, through-p.upTo))
				}
				p.list, size = append(p.list, e), size+len(m.Data)
			}
			p.upTo = m.Sequence
			if count++; (count == blockEvents || size >= blockBytes) && !hand() {
				return
			}
		}
		hand()
	}()
	for {
		select {
		case <-ctx.Done():
			return after, ctx.Err()
		case p, ok := <-portions:
			if !ok {
				return after, nil
			}
			if p.upTo > after {
				if err := r.fold(p.upTo, p.list); err != nil {
					return after, fmt.Errorf("fold events to %d: %w", p.upTo, err)
				}
				after = p.upTo
			}
			switch {
			case p.failure != nil:
				return after, p.failure
			case after == through:
			case ctx.Err() != nil:
				return after, ctx.Err()
			case l.commit.broken() != nil: // it is closed, or of no use any more, as who asks the server is told
				return after, nil
			}
		}
	}
}

// messages are those of the stream behind a sequence and up to another, which must be durable, as far as they stand in the blocks
// that there are. Headers and data of one are overwritten by the next. It ends with the first error.
func (s *syncer) messages(after, through uint64) iter.Seq2[stored, error] {
	return func(yield func(stored, error) bool) {
		numbers, err := s.numbers()
		if err == nil {
			numbers, err = s.from(numbers, after+1)
		}
		var b block
		for i := 0; err == nil && i < len(numbers) && after < through; i++ {
			if err = b.open(s, numbers[i]); err != nil {
				break
			}
			for after < through {
				var m stored
				if m, err = b.next(after); err != nil {
					break
				}
				if m.Sequence > through || !yield(m, nil) {
					b.file.Close()
					return
				}
				after = m.Sequence
			}
			b.file.Close()
			if err == io.EOF {
				err = nil
			} else if err != nil {
				err = fmt.Errorf("read %s behind message %d: %w", s.block(numbers[i]), after, err)
			}
		}
		if err != nil {
			yield(stored{}, err)
		}
	}
}

// numbers are those of the blocks that there are, in order.
func (s *syncer) numbers() ([]int, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, err
	}
	var numbers []int
	for _, entry := range entries {
		number, ok := strings.CutSuffix(entry.Name(), blockSuffix)
		if index, err := strconv.Atoi(number); ok && err == nil {
			numbers = append(numbers, index)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// from are the blocks from the one on that holds a sequence.
func (s *syncer) from(numbers []int, sequence uint64) ([]int, error) {
	var failure error
	at, found := slices.BinarySearchFunc(numbers, sequence, func(number int, sequence uint64) int {
		var b block
		if err := b.open(s, number); err != nil {
			failure = err
			return 0
		}
		defer b.file.Close()
		head, err := b.buffer.Peek(recordHead)
		switch first := uint64(0); {
		case err == io.EOF && len(head) == 0:
			return 1
		case err != nil:
			failure = err
			return 0
		default:
			first = binary.LittleEndian.Uint64(head[4:]) &^ recordMarks
			if first < sequence {
				return -1
			}
			return int(min(first-sequence, 1))
		}
	})
	if !found {
		at = max(at-1, 0)
	}
	return numbers[at:], failure
}

// block is a file of records that is read, and then the next one.
type block struct {
	file   *os.File
	buffer *bufio.Reader
	hash   *highwayhash.Digest64
	last   uint64 // sequence of the last record; they rise
	body   []byte // of the last record that was read, from the subject on
}

// open leaves what it opened before to be closed by others.
func (b *block) open(s *syncer, number int) error {
	key := sha256.Sum256([]byte(s.stream + "-" + strconv.Itoa(number)))
	var err error
	if b.hash, err = highwayhash.NewDigest64(key[:]); err != nil {
		return err
	}
	if b.file, err = os.Open(s.block(number)); err != nil {
		return err
	}
	if b.buffer == nil {
		b.buffer = bufio.NewReaderSize(b.file, blockBuffer)
	}
	b.buffer.Reset(b.file)
	return nil
}

// record is what the head of a record says.
type record struct {
	sequence uint64
	size     int // of what is behind the head
	subject  int // length
	start    int // of headers and body, in what is behind the head
}

// head looks at the head of the next record, io.EOF at the end of the block. The head stays in the buffer.
func (b *block) head() (r record, text []byte, err error) {
	text, err = b.buffer.Peek(recordHead)
	if err == io.EOF && len(text) == 0 {
		return r, nil, io.EOF
	}
	if err != nil {
		return r, nil, noEnd(err)
	}
	length := binary.LittleEndian.Uint32(text)
	r.sequence, r.subject = binary.LittleEndian.Uint64(text[4:]), int(binary.LittleEndian.Uint16(text[20:]))
	r.size, r.start = int(length&^recordHeaders)-recordHead, r.subject
	if length&recordHeaders != 0 {
		r.start += 4
	}
	if r.sequence&recordMarks != 0 || r.sequence <= b.last || r.size > 8*maxPayload || r.start > r.size-recordChecksum {
		return r, nil, errRecord
	}
	b.last = r.sequence
	return r, text, nil
}

// pass passes over a record whose head was looked at.
func (b *block) pass(r record) error {
	_, err := b.buffer.Discard(recordHead + r.size)
	return noEnd(err)
}

// next reads the next message behind a sequence, io.EOF at the end of the block.
func (b *block) next(after uint64) (m stored, err error) {
	r, head, err := b.head()
	for ; err == nil && r.sequence <= after; r, head, err = b.head() {
		if err := b.pass(r); err != nil {
			return m, err
		}
	}
	if err != nil {
		return m, err
	}
	b.hash.Reset()
	b.hash.Write(head[4:20])
	b.buffer.Discard(recordHead)
	b.body = slices.Grow(b.body[:0], r.size)[:r.size]
	if _, err := io.ReadFull(b.buffer, b.body); err != nil {
		return m, noEnd(err)
	}
	rest, checksum := b.body[r.start:r.size-recordChecksum], b.body[r.size-recordChecksum:]
	b.hash.Write(b.body[:r.subject])
	b.hash.Write(rest)
	if !bytes.Equal(b.hash.Sum(nil), checksum) {
		return m, errRecord
	}
	m.Sequence, m.Subject, m.Data = r.sequence, string(b.body[:r.subject]), rest
	if r.start > r.subject {
		headers := int(binary.LittleEndian.Uint32(b.body[r.subject:]))
		if headers > len(rest) {
			return m, errRecord
		}
		m.Headers, m.Data = rest[:headers], rest[headers:]
		if !bytes.HasSuffix(m.Headers, headersEnd) { // their length is not in the checksum
			return m, errRecord
		}
	}
	return m, nil
}

// noEnd is the error of a record that is cut off.
func noEnd(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// attributesOf finds an event's attributes in the headers of its message; those that are not there are empty.
func attributesOf(headers []byte) (name, id, at string) {
	for line := range bytes.SplitSeq(headers, []byte("\r\n")) {
		key, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimLeft(value, " \t")
		switch {
		case name == "" && string(key) == headerType:
			name = string(value)
		case id == "" && string(key) == headerID:
			id = string(value)
		case at == "" && string(key) == headerTime:
			at = string(value)
		}
	}
	return name, id, at
}
