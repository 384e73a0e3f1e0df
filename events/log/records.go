package log

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"reckon/events"
)

// Records finds single messages of a stream, whose sequences are known, in the block files of its server, which goes on writing them.
// The server would read the whole block of each, look at every message in it, and keep both in memory for ten seconds. Of a stream of
// one replica everything that was acknowledged is in the files.
//
// A block holds its messages in the order of their sequences, so that the place of one is estimated from those that are known to stand
// before and behind it. What is read there is searched for a subject that stands where one must, behind numbers that can be those of a
// record: bodies and headers are text, in which there are no zero bytes. The checksum of what is found says that it is the message. A
// server replaces a block, and removes it, when much of it has been overwritten by later messages; the others stay what they are.
type Records struct {
	files
	prefix  []byte    // of all subjects
	seekers sync.Pool // of *seeker

	mu     sync.Mutex
	starts []*start // of all blocks, in order; the list is replaced and never changed
}

// start is where a block begins.
type start struct {
	number int
	first  atomic.Uint64 // no record before the block's has a sequence as high; 0 when it is not known
}

// seekWindow is how much of a block is read at once.
const seekWindow = 16 << 10

// errElsewhere says that a message is not to be had from the blocks, for a reason that is known.
var errElsewhere = errors.New("the block files do not have it")

// NewRecords reads the files of a stream below the store directory of a server. All its subjects begin with the prefix.
func NewRecords(storeDir, stream, prefix string) *Records {
	return &Records{files: filesOf(storeDir, stream), prefix: []byte(prefix)}
}

// Read hands the messages with these sequences to do, in that order; those that rise are read most cheaply. The data are overwritten by
// the next. Newest is a sequence that was acknowledged, none of the others is beyond it. The server is to be asked for those that are not
// handed over.
func (r *Records) Read(sequences []uint64, newest uint64, do func(sequence uint64, subject string, data []byte) error) error {
	s := r.seeker()
	defer r.done(s)
	for _, sequence := range sequences {
		m, err := r.read(s, sequence, newest)
		if err != nil {
			continue
		}
		if err := do(sequence, m.Subject, m.Data); err != nil {
			return err
		}
	}
	return nil
}

// fromBlocks reads the events with these sequences, in that order. ok is false when one of them is not to be had from the blocks; the
// server is to be asked for all then.
func (l *Log) fromBlocks(ctx context.Context, sequences []uint64) (list []events.Event, ok bool, err error) {
	r := l.commit.records
	s := r.seeker()
	defer r.done(s)
	list = make([]events.Event, len(sequences))
	for i, sequence := range sequences {
		if err := ctx.Err(); err != nil {
			return nil, true, err
		}
		if l.commit.broken() != nil {
			return nil, false, nil
		}
		m, err := r.read(s, sequence, l.commit.events.durable.Load())
		if err != nil {
			if err != errElsewhere {
				l.logger.Warn("the server is asked for an event, since its block cannot be read", "event", sequence, "error", err)
			}
			return nil, false, nil
		}
		if list[i], err = events.DecodeText(events.SubjectOf(m.Subject), sequence, m.Headers, slices.Clone(m.Data), false); err != nil {
			return nil, true, err
		}
	}
	return list, true, nil
}

// seeker is one that has no block open.
func (r *Records) seeker() *seeker {
	if s, _ := r.seekers.Get().(*seeker); s != nil {
		return s
	}
	return &seeker{buffer: make([]byte, seekWindow)}
}

func (r *Records) done(s *seeker) {
	s.close()
	r.seekers.Put(s)
}

// read reads a message. Its headers and data are overwritten by the next that the seeker reads.
func (r *Records) read(s *seeker, sequence, newest uint64) (m stored, err error) {
	if sequence == 0 || sequence > newest {
		return m, errElsewhere
	}
	for _, anew := range []bool{false, true} { // there may be blocks that were not there when they were listed
		var in *start
		var end uint64
		if in, end, err = r.find(sequence, newest, anew); err == nil {
			m, err = s.seek(r, in, sequence, end)
		}
		if err == nil {
			return m, nil
		}
	}
	return stored{}, err
}

// find finds the block in which a message stands, and a sequence that none in it has reached.
func (r *Records) find(sequence, newest uint64, anew bool) (in *start, end uint64, err error) {
	starts, err := r.list(anew)
	if err != nil {
		return nil, 0, err
	}
	end = newest + 1
	at := sort.Search(len(starts), func(i int) bool {
		first, failure := starts[i].begins(r.files)
		if err == nil {
			err = failure
		}
		if first > sequence {
			end = min(end, first)
		}
		return first > sequence
	}) - 1
	if err == nil && at < 0 {
		err = errElsewhere
	}
	if err != nil {
		return nil, 0, err
	}
	return starts[at], end, nil
}

// list are the starts of all blocks that there were when they were listed last.
func (r *Records) list(anew bool) ([]*start, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.starts != nil && !anew {
		return r.starts, nil
	}
	numbers, err := r.numbers()
	if err != nil {
		return nil, err
	}
	starts := make([]*start, len(numbers))
	for i, number := range numbers {
		at, known := sort.Find(len(r.starts), func(i int) int { return number - r.starts[i].number })
		if known {
			starts[i] = r.starts[at]
		} else {
			starts[i] = &start{number: number}
		}
	}
	r.starts = starts
	return starts, nil
}

// begins is what files.first says of the block.
func (s *start) begins(of files) (uint64, error) {
	if first := s.first.Load(); first > 0 {
		return first, nil
	}
	first, err := of.first(s.number)
	if err == nil && first < math.MaxUint64 {
		s.first.Store(first)
	}
	return first, err
}

// seeker reads messages from one block after the other.
type seeker struct {
	block        // last is the sequence of the message that was read from it last
	start *start // of the open block, nil for none
	size  int64  // of its file when it was opened
	end   int64  // of the message that was read last

	buffer []byte
	text   []byte // the part of the buffer that was read
	at     int64  // where it stands in the file
}

func (s *seeker) close() {
	if s.start != nil {
		s.file.Close()
		s.start = nil
	}
}

func (s *seeker) openAt(of files, at *start) error {
	s.close()
	if err := s.open(of, at.number); err != nil {
		return err
	}
	info, err := s.file.Stat()
	if err != nil {
		s.file.Close()
		return err
	}
	s.start, s.size, s.end, s.last, s.text = at, info.Size(), 0, 0, nil
	return nil
}

// seek finds a message in a block, where it stands behind a record that begins at low and before the place high: below is a lower
// sequence than that of all records there, and none is as high as above.
func (s *seeker) seek(r *Records, in *start, sequence, above uint64) (stored, error) {
	if s.start != in {
		if err := s.openAt(r.files, in); err != nil {
			return stored{}, err
		}
	}
	low, below, high := int64(0), in.first.Load()-1, s.size
	if s.last > 0 && s.last < sequence {
		low, below = s.end, s.last
	}
	blind := false // no record was recognised
	for try := 1; low < high; try++ {
		at := low
		if high-low > seekWindow && !blind {
			part := float64(sequence-below) / float64(above-below)
			if try%4 == 0 { // sequences that are missing may mislead
				part = 0.5
			}
			at = min(low+max(int64(float64(high-low)*part)-seekWindow/2, 0), high-seekWindow)
		}
		text, err := s.read(at, high, at == low)
		if err != nil {
			return stored{}, damaged(s.file.Name(), err)
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
				return stored{}, damaged(s.file.Name(), errRecord)
			case marked:
			case head.sequence == sequence:
				return s.take(head, text, at)
			case head.sequence < sequence:
				below, chained = head.sequence, true
			case chained:
				return stored{}, errElsewhere
			default:
				high, above, passed = at, head.sequence, true
				continue
			}
			at += head.length()
			text = text[min(int64(len(text)), head.length()):]
		}
		if at == low {
			return stored{}, damaged(s.file.Name(), io.ErrUnexpectedEOF)
		}
		if at < high || chained {
			low = at
		}
	}
	return stored{}, errElsewhere
}

// read reads from a place of the file on, a window at most and not beyond another place. What was read before will do where the place
// is that of a record.
func (s *seeker) read(at, high int64, known bool) ([]byte, error) {
	length := min(seekWindow, high-at)
	if have := s.at + int64(len(s.text)) - at; known && at >= s.at && have >= recordHead {
		return s.text[at-s.at:][:min(have, high-at)], nil
	}
	s.text, s.at = s.buffer[:length], at
	if _, err := s.file.ReadAt(s.text, at); err != nil {
		s.text = nil
		return nil, noEnd(err)
	}
	return s.text, nil
}

// recognise finds where a record begins whose sequence is above one, -1 when none is recognised.
func (r *Records) recognise(text []byte, below uint64) int {
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
func (s *seeker) take(r record, text []byte, at int64) (stored, error) {
	if length := r.length(); length <= int64(len(text)) {
		text = text[:length]
	} else {
		s.body = slices.Grow(s.body[:0], int(length))[:length]
		text = s.body
		if _, err := s.file.ReadAt(text, at); err != nil {
			return stored{}, damaged(s.file.Name(), noEnd(err))
		}
	}
	m, err := s.message(r, text)
	if err != nil {
		return m, damaged(s.file.Name(), err)
	}
	s.last, s.end = r.sequence, at+r.length()
	return m, nil
}
