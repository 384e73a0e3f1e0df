package natsfile

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"sort"
	"sync/atomic"
)

// start is where a block begins.
type start struct {
	number int
	first  atomic.Uint64 // no record before the block's has a sequence as high; 0 when it is not known
}

// readWindow is how much of a block is read at once.
const readWindow = 16 << 10

// ErrElsewhere says that a message is not to be had from the blocks, for a reason that is known.
var ErrElsewhere = errors.New("the block files do not have it")

// Reader finds single messages of a stream, whose sequences are known, in the block files of its
// server, which goes on writing them. The server would read the whole block of each, look at every
// message in it, and keep both in memory for ten seconds. Of a stream of one replica everything
// that was acknowledged is in the files.
//
// A block holds its messages in the order of their sequences, so that the place of one is estimated
// from those that are known to stand before and behind it. What is read there is searched for a
// subject that stands where one must, behind numbers that can be those of a record: bodies and
// headers are text, in which there are no zero bytes. The checksum of what is found says that it is
// the message.
type Reader struct {
	block  // last is the sequence of the message that was read from it last
	stream *Stream
	prefix []byte // of all subjects
	start  *start // of the open block, nil for none
	size   int64  // of its file when it was opened
	end    int64  // of the message that was read last

	buffer []byte
	text   []byte // the part of the buffer that was read
	at     int64  // where it stands in the file
}

// Reader reads messages of a stream all subjects of which begin with a prefix.
func (s *Stream) Reader(prefix string) *Reader {
	return &Reader{stream: s, prefix: []byte(prefix), buffer: make([]byte, readWindow)}
}

// Read reads a message that is on disk; those that rise are read most cheaply. Its headers and data
// are overwritten by the next. Where it fails, with ErrElsewhere or because a block is not as it
// must be, the server is to be asked.
func (r *Reader) Read(sequence uint64) (m Message, err error) {
	newest := r.stream.Durable()
	if sequence == 0 || sequence > newest {
		return m, ErrElsewhere
	}
	for _, anew := range []bool{false, true} { // there may be blocks that were not there when they were listed
		var in *start
		var end uint64
		if in, end, err = r.stream.locate(sequence, newest, anew); err == nil {
			m, err = r.seek(in, sequence, end)
		}
		if err == nil {
			return m, nil
		}
	}
	return Message{}, err
}

// locate finds the block in which a message stands, and a sequence that none in it has reached.
func (s *Stream) locate(sequence, newest uint64, anew bool) (in *start, end uint64, err error) {
	starts, err := s.list(anew)
	if err != nil {
		return nil, 0, err
	}
	end = newest + 1
	at := sort.Search(len(starts), func(i int) bool {
		first, failure := starts[i].begins(s.blocks)
		if err == nil {
			err = failure
		}
		if first > sequence {
			end = min(end, first)
		}
		return first > sequence
	}) - 1
	if err == nil && at < 0 {
		err = ErrElsewhere
	}
	if err != nil {
		return nil, 0, err
	}
	return starts[at], end, nil
}

// list are the starts of all blocks that there were when they were listed last.
func (s *Stream) list(anew bool) ([]*start, error) {
	s.listing.Lock()
	defer s.listing.Unlock()
	if s.beginning != nil && !anew {
		return s.beginning, nil
	}
	numbers, err := s.numbers()
	if err != nil {
		return nil, err
	}
	starts := make([]*start, len(numbers))
	for i, number := range numbers {
		at, known := sort.Find(len(s.beginning), func(i int) int { return number - s.beginning[i].number })
		if known {
			starts[i] = s.beginning[at]
		} else {
			starts[i] = &start{number: number}
		}
	}
	s.beginning = starts
	return starts, nil
}

// begins is what blocks.first says of the block.
func (s *start) begins(of blocks) (uint64, error) {
	if first := s.first.Load(); first > 0 {
		return first, nil
	}
	first, err := of.first(s.number)
	if err == nil && first < math.MaxUint64 {
		s.first.Store(first)
	}
	return first, err
}

// Close closes the block that is open.
func (r *Reader) Close() {
	if r.start != nil {
		r.file.Close()
		r.start = nil
	}
}

func (r *Reader) openAt(at *start) error {
	r.Close()
	if err := r.open(r.stream.blocks, at.number); err != nil {
		return err
	}
	info, err := r.file.Stat()
	if err != nil {
		r.file.Close()
		return err
	}
	r.start, r.size, r.end, r.last, r.text = at, info.Size(), 0, 0, nil
	return nil
}

// seek finds a message in a block, where it stands behind a record that begins at low and before
// the place high: below is a lower sequence than that of all records there, and none is as high as
// above.
func (r *Reader) seek(in *start, sequence, above uint64) (Message, error) {
	if r.start != in {
		if err := r.openAt(in); err != nil {
			return Message{}, err
		}
	}
	low, below, high := int64(0), in.first.Load()-1, r.size
	if r.last > 0 && r.last < sequence {
		low, below = r.end, r.last
	}
	blind := false // no record was recognised
	for try := 1; low < high; try++ {
		at := low
		if high-low > readWindow && !blind {
			part := float64(sequence-below) / float64(above-below)
			if try%4 == 0 { // sequences that are missing may mislead
				part = 0.5
			}
			at = min(low+max(int64(float64(high-low)*part)-readWindow/2, 0), high-readWindow)
		}
		text, err := r.read(at, high, at == low)
		if err != nil {
			return Message{}, damaged(r.file.Name(), err)
		}
		chained := at == low // a lower one stands before
		if !chained {
			begin := r.recognise(text, below)
			if blind = begin < 0; blind {
				continue
			}
			at, text = at+int64(begin), text[begin:]
		}
		blind = false
		for passed := false; !passed && len(text) >= recordHead; {
			head, ok := recordOf(text)
			switch marked := head.sequence&recordMarks != 0; {
			case !ok || !marked && head.sequence <= below:
				return Message{}, damaged(r.file.Name(), errRecord)
			case marked:
			case head.sequence == sequence:
				return r.take(head, text, at)
			case head.sequence < sequence:
				below, chained = head.sequence, true
			case chained:
				return Message{}, ErrElsewhere
			default:
				high, above, passed = at, head.sequence, true
				continue
			}
			at += head.length()
			text = text[min(int64(len(text)), head.length()):]
		}
		if at == low {
			return Message{}, damaged(r.file.Name(), io.ErrUnexpectedEOF)
		}
		if at < high || chained {
			low = at
		}
	}
	return Message{}, ErrElsewhere
}

// read reads from a place of the file on, a window at most and not beyond another place. What was
// read before will do where the place is that of a record.
func (r *Reader) read(at, high int64, known bool) ([]byte, error) {
	length := min(readWindow, high-at)
	if have := r.at + int64(len(r.text)) - at; known && at >= r.at && have >= recordHead {
		return r.text[at-r.at:][:min(have, high-at)], nil
	}
	r.text, r.at = r.buffer[:length], at
	if _, err := r.file.ReadAt(r.text, at); err != nil {
		r.text = nil
		return nil, noEnd(err)
	}
	return r.text, nil
}

// recognise finds where a record begins whose sequence is above one, -1 when none is recognised.
func (r *Reader) recognise(text []byte, below uint64) int {
	for at := recordHead; at < len(text); at++ {
		next := bytes.Index(text[at:], r.prefix)
		if next < 0 {
			return -1
		}
		at += next
		head, ok := recordOf(text[at-recordHead:])
		if ok && head.sequence > below && head.sequence-below < math.MaxUint32 {
			return at - recordHead
		}
	}
	return -1
}

// take reads a message whose head was looked at.
func (r *Reader) take(head record, text []byte, at int64) (Message, error) {
	if length := head.length(); length <= int64(len(text)) {
		text = text[:length]
	} else {
		r.body = slices.Grow(r.body[:0], int(length))[:length]
		text = r.body
		if _, err := r.file.ReadAt(text, at); err != nil {
			return Message{}, damaged(r.file.Name(), noEnd(err))
		}
	}
	m, err := r.message(head, text)
	if err != nil {
		return m, damaged(r.file.Name(), err)
	}
	r.last, r.end = head.sequence, at+head.length()
	return m, nil
}
