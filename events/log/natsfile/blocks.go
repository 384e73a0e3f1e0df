package natsfile

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/minio/highwayhash"
	"github.com/nats-io/nats-server/v2/server"
)

// Where the log commits in groups, what is durable stands in the stream's block files, in the order
// of sequences, and in a block that is not the newest nothing changes but that what is erased is
// overwritten where it stands: EVENTS keeps everything else.
// Whoever reads much of the history reads these files. A consumer would have the server read each
// block too, and keep an index of the subjects in it for two minutes, about 110 bytes a
// conversation, and hand every event over in several steps, which together take longer than
// decoding and folding it.
//
// A block is a sequence of records, their numbers little-endian: length of the record (4 bytes; the
// highest bit says that there are headers), sequence (8), time (8), length of the subject (2),
// subject, length of the headers (4) and headers where there are any, body, checksum (8). The
// checksum is the HighwayHash-64 of sequence, time, subject, headers and body; the key is the
// SHA-256 of the stream's name, a hyphen and the block's number. TestBlocks compares what is read
// so with what the server hands out.

const (
	recordHead     = 22
	recordChecksum = highwayhash.Size64
	recordHeaders  = 1 << 31 // in the length: there are headers
	recordMarks    = 3 << 62 // in the sequence: it marks a message that was deleted

	largest     = 32 << 20 // no record is as large
	blockBuffer = 256 << 10
)

// Message is a message as it stands in a block.
type Message struct {
	Sequence uint64
	Subject  string
	Headers  []byte
	Data     []byte
}

var headersEnd = []byte("\r\n\r\n")

// errRecord says that a block holds something else than a record of a message. The server is asked
// then.
var errRecord = errors.New("it is no record of a message")

// blocks are the block files of a stream.
type blocks struct {
	stream string
	dir    string
}

// blocksOf are those of a stream of a server that has a store directory.
func blocksOf(storeDir, stream string) blocks {
	return blocks{stream, filepath.Join(storeDir, server.JetStreamStoreDir, server.DEFAULT_GLOBAL_ACCOUNT, "streams", stream, "msgs")}
}

const blockSuffix = ".blk"

func (f blocks) block(number int) string {
	return filepath.Join(f.dir, strconv.Itoa(number)+blockSuffix)
}

// Messages are those of the stream behind a sequence and up to another, which must be durable, as
// far as they stand in the blocks that there are. Headers and data of one are overwritten by the
// next. It ends with the first error.
func (f blocks) Messages(after, through uint64) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		numbers, err := f.numbers()
		if err == nil {
			numbers, err = f.from(numbers, after+1)
		}
		b := block{buffer: bufio.NewReaderSize(nil, blockBuffer)}
		for i := 0; err == nil && i < len(numbers) && after < through; i++ {
			if err = b.open(f, numbers[i]); err != nil {
				break
			}
			for after < through {
				var m Message
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
				err = fmt.Errorf("read %s behind message %d: %w", f.block(numbers[i]), after, err)
			}
		}
		if err != nil {
			yield(Message{}, err)
		}
	}
}

// numbers are those of the blocks that there are, in order.
func (f blocks) numbers() ([]int, error) {
	entries, err := os.ReadDir(f.dir)
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

// directoryTick is more than the step in which the system counts the time of a change.
const directoryTick = 100 * time.Millisecond

// following opens the block behind the newest one, and tells its number. It fails with
// os.ErrNotExist where there is none. A block is removed when all of it has expired or was deleted,
// also one that was the last until then, so that others may be missing in between; the directory is
// read for them when it has changed.
func (s *Stream) following() (next *os.File, index int, err error) {
	next, err = os.Open(s.block(s.index + 1))
	if !errors.Is(err, os.ErrNotExist) {
		return next, s.index + 1, err
	}
	now := time.Now()
	directory, err := os.Stat(s.dir)
	if err != nil {
		return nil, 0, fmt.Errorf("find block: %v", err)
	}
	changed := directory.ModTime()
	if changed.Equal(s.none) {
		return nil, 0, os.ErrNotExist
	}
	numbers, err := s.numbers()
	if err != nil {
		return nil, 0, fmt.Errorf("find block: %v", err)
	}
	for _, number := range numbers {
		if number <= s.index {
			continue
		}
		if next, err = os.Open(s.block(number)); !errors.Is(err, os.ErrNotExist) {
			return next, number, err
		}
	}
	if now.Sub(changed) > directoryTick {
		s.none = changed
	}
	return nil, 0, os.ErrNotExist
}

// from are the blocks from the one on that holds a sequence.
func (f blocks) from(numbers []int, sequence uint64) ([]int, error) {
	var failure error
	at := sort.Search(len(numbers), func(i int) bool {
		first, err := f.first(numbers[i])
		if failure == nil {
			failure = err
		}
		return first > sequence
	})
	return numbers[max(at-1, 0):], failure
}

// first is the sequence of the first message of a block, as high as can be when there is none yet.
func (f blocks) first(number int) (uint64, error) {
	file, err := os.Open(f.block(number))
	if err != nil {
		return 0, err
	}
	defer file.Close()
	head := make([]byte, recordHead)
	for at := int64(0); ; {
		if _, err := file.ReadAt(head, at); err == io.EOF {
			return math.MaxUint64, nil
		} else if err != nil {
			return 0, damaged(file.Name(), err)
		}
		r, ok := recordOf(head)
		if !ok {
			return 0, damaged(file.Name(), errRecord)
		}
		if r.sequence&recordMarks == 0 {
			return r.sequence, nil
		}
		at += r.length()
	}
}

// damaged is the error of a block that is not as it must be.
func damaged(name string, err error) error { return fmt.Errorf("read %s: %w", name, err) }

// block is a file of records that is read, and then the next one.
type block struct {
	file   *os.File
	buffer *bufio.Reader // of who reads one record after the other, else nil
	hash   *highwayhash.Digest64
	last   uint64 // sequence of the last record; they rise
	body   []byte // the last record that was read
}

// open leaves what it opened before to be closed by others.
func (b *block) open(f blocks, number int) error {
	key := sha256.Sum256([]byte(f.stream + "-" + strconv.Itoa(number)))
	var err error
	if b.hash, err = highwayhash.NewDigest64(key[:]); err != nil {
		return err
	}
	if b.file, err = os.Open(f.block(number)); err != nil {
		return err
	}
	if b.buffer != nil {
		b.buffer.Reset(b.file)
	}
	return nil
}

// record is what the head of a record says.
type record struct {
	sequence uint64 // with marks
	size     int    // of what is behind the head
	subject  int    // length
	start    int    // of headers and body, in what is behind the head
}

// length is that of the whole record.
func (r record) length() int64 { return recordHead + int64(r.size) }

// recordOf is what the head of a record says, with which a text begins; ok is false when it cannot
// be one.
func recordOf(text []byte) (r record, ok bool) {
	length := binary.LittleEndian.Uint32(text)
	r.sequence, r.subject = binary.LittleEndian.Uint64(text[4:]), int(binary.LittleEndian.Uint16(text[20:]))
	r.size, r.start = int(length&^recordHeaders)-recordHead, r.subject
	if length&recordHeaders != 0 {
		r.start += 4
	}
	return r, r.size <= largest && r.start <= r.size-recordChecksum
}

// head looks at the head of the next record of a message that is there, io.EOF at the end of the
// block. The head stays in the buffer. Records of messages that are gone are passed over, and those
// that say so of others: what was deleted is overwritten where it stood.
func (b *block) head() (record, error) {
	for {
		text, err := b.buffer.Peek(recordHead)
		if err == io.EOF && len(text) == 0 {
			return record{}, io.EOF
		}
		if err != nil {
			return record{}, noEnd(err)
		}
		r, ok := recordOf(text)
		switch gone := r.sequence&recordMarks != 0; {
		case !ok || !gone && r.sequence <= b.last:
			return record{}, errRecord
		case !gone:
			b.last = r.sequence
			return r, nil
		}
		if text, err = b.readWhole(r); err == nil {
			_, err = b.message(r, text)
		}
		if err != nil {
			return record{}, err
		}
	}
}

// readWhole reads a record whose head was looked at.
func (b *block) readWhole(r record) ([]byte, error) {
	b.body = slices.Grow(b.body[:0], int(r.length()))[:r.length()]
	_, err := io.ReadFull(b.buffer, b.body)
	return b.body, noEnd(err)
}

// pass passes over a record whose head was looked at.
func (b *block) pass(r record) error {
	_, err := b.buffer.Discard(recordHead + r.size)
	return noEnd(err)
}

// next reads the next message behind a sequence, io.EOF at the end of the block.
func (b *block) next(after uint64) (m Message, err error) {
	r, err := b.head()
	for ; err == nil && r.sequence <= after; r, err = b.head() {
		if err := b.pass(r); err != nil {
			return m, err
		}
	}
	if err != nil {
		return m, err
	}
	text, err := b.readWhole(r)
	if err != nil {
		return m, err
	}
	return b.message(r, text)
}

// message is what a record says whose text, head and all, this is. The message's headers and data
// stay in there.
func (b *block) message(r record, text []byte) (m Message, err error) {
	body := text[recordHead:]
	rest, checksum := body[r.start:r.size-recordChecksum], body[r.size-recordChecksum:]
	b.hash.Reset()
	b.hash.Write(text[4:20])
	b.hash.Write(body[:r.subject])
	b.hash.Write(rest)
	if !bytes.Equal(b.hash.Sum(nil), checksum) {
		return m, errRecord
	}
	m.Sequence, m.Subject, m.Data = r.sequence, string(body[:r.subject]), rest
	if r.start > r.subject {
		headers := int(binary.LittleEndian.Uint32(body[r.subject:]))
		if headers > len(rest) {
			return Message{}, errRecord
		}
		m.Headers, m.Data = rest[:headers], rest[headers:]
		if !bytes.HasSuffix(m.Headers, headersEnd) { // their length is not in the checksum
			return Message{}, errRecord
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
