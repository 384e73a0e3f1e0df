package events

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"sort"
	"sync"
)

// Single events at known sequences are read from the block files too. The server would read the whole block of each, index it, and keep
// it in memory for ten seconds. A catalog knows of the blocks that were read from where, about every stretchSize bytes, a record
// begins, so that an event is found by reading one such stretch; its checksum says that it is whole.

const (
	// stretchSize is about how many bytes are read for one event.
	stretchSize = 32 << 10
	// maxCatalogued is how many blocks the catalog knows the stretches of: 8 bytes for each stretch, about 2 KiB a block.
	maxCatalogued = 4096
	// lookAhead is how much of a block is looked through at least, where there is as much.
	lookAhead = 256 << 10
)

// errElsewhere says that a message is not to be had from the blocks, for a reason that is known.
var errElsewhere = errors.New("the block files do not have it")

// catalog finds messages of one stream in its blocks.
type catalog struct {
	syncer  *syncer
	readers sync.Pool // of *catalogReader

	mu     sync.Mutex
	sheets []*sheet // of all blocks, in order; the list is replaced and never changed
	known  []*sheet // those that know stretches, the oldest first
}

// sheet is what the catalog knows of a block.
type sheet struct {
	number int

	mu        sync.Mutex
	first     uint64    // sequence of the first record, 0 when it is not known
	last      uint64    // sequence of the last record that is in a stretch
	end       int64     // where that ends in the file
	stretches []stretch // one follows the other
	broken    bool      // what is behind them cannot be read
}

// stretch is where some records begin.
type stretch struct {
	ahead  uint32 // of the first one's sequence the block's first
	offset uint32 // in the file
}

// catalogReader reads from one block after the other.
type catalogReader struct {
	block
	sheet *sheet // of the open block, nil for none
	to    int64  // end of the stretch that is read
}

// fromBlocks reads the events with these sequences, in that order. ok is false when one of them is not to be had from the blocks; the
// server is to be asked for all then.
func (l *Log) fromBlocks(ctx context.Context, sequences []uint64) (list []Event, ok bool, err error) {
	c := &l.commit.catalog
	r, _ := c.readers.Get().(*catalogReader)
	if r == nil {
		r = &catalogReader{block: block{buffer: bufio.NewReaderSize(nil, 2*stretchSize)}}
	}
	defer func() {
		r.close()
		c.readers.Put(r)
	}()
	list = make([]Event, len(sequences))
	for i, sequence := range sequences {
		if err := ctx.Err(); err != nil {
			return nil, true, err
		}
		if l.commit.broken() != nil {
			return nil, false, nil
		}
		m, err := c.read(r, sequence)
		if err != nil {
			if err != errElsewhere {
				l.logger.Warn("the server is asked for an event, since its block cannot be read", "event", sequence, "error", err)
			}
			return nil, false, nil
		}
		e := Event{Subject: Subject{m.Subject}, Sequence: sequence}
		name, id, at := attributesOf(m.Headers)
		if err := e.take(name, id, at, slices.Clone(m.Data), false); err != nil {
			return nil, true, err
		}
		list[i] = e
	}
	return list, true, nil
}

// read reads a message. Its headers and data are overwritten by the next.
func (c *catalog) read(r *catalogReader, sequence uint64) (stored, error) {
	s, from, to, err := c.find(sequence)
	if err != nil {
		return stored{}, err
	}
	if r.sheet != s {
		r.close()
		if err := r.open(c.syncer, s.number); err != nil {
			return stored{}, err
		}
		r.sheet, r.to = s, 0
	}
	if r.to != to || sequence <= r.last {
		r.buffer.Reset(io.NewSectionReader(r.file, from, to-from))
		r.to, r.last = to, 0
	}
	m, err := r.next(sequence - 1)
	if err == nil && m.Sequence != sequence || err == io.EOF {
		err = errRecord
	}
	if err != nil {
		return stored{}, fmt.Errorf("read %s: %w", r.file.Name(), err)
	}
	return m, nil
}

func (r *catalogReader) close() {
	if r.sheet != nil {
		r.file.Close()
		r.sheet = nil
	}
}

// find finds the stretch of a block where a message stands, if it is durable.
func (c *catalog) find(sequence uint64) (s *sheet, from, to int64, err error) {
	through := c.syncer.durable.Load()
	if sequence == 0 || sequence > through {
		return nil, 0, 0, errElsewhere
	}
	for _, anew := range []bool{false, true} { // there may be blocks that were not there when they were listed
		var sheets []*sheet
		if sheets, err = c.list(anew); err != nil {
			continue
		}
		at := sort.Search(len(sheets), func(i int) bool {
			first, failure := sheets[i].begins(c.syncer)
			err = errors.Join(err, failure)
			return first > sequence
		}) - 1
		if err != nil || at < 0 {
			continue
		}
		s = sheets[at]
		var found, fresh bool
		if from, to, found, fresh, err = s.find(c.syncer, sequence, through); fresh {
			c.bound(s)
		}
		if found || err != nil {
			return s, from, to, err
		}
	}
	if err == nil {
		err = errElsewhere
	}
	return nil, 0, 0, err
}

// list are the sheets of all blocks that there were when they were listed last.
func (c *catalog) list(anew bool) ([]*sheet, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sheets != nil && !anew {
		return c.sheets, nil
	}
	numbers, err := c.syncer.numbers()
	if err != nil {
		return nil, err
	}
	sheets := make([]*sheet, len(numbers))
	for i, number := range numbers {
		if at := sort.Search(len(c.sheets), func(i int) bool { return c.sheets[i].number >= number }); at < len(c.sheets) && c.sheets[at].number == number {
			sheets[i] = c.sheets[at]
		} else {
			sheets[i] = &sheet{number: number}
		}
	}
	c.sheets = sheets
	return sheets, nil
}

// bound counts a sheet that has its first stretches, and makes the oldest one forget its own when there are too many.
func (c *catalog) bound(another *sheet) {
	c.mu.Lock()
	var oldest *sheet
	if c.known = append(c.known, another); len(c.known) > maxCatalogued {
		oldest, c.known = c.known[0], c.known[1:]
	}
	c.mu.Unlock()
	if oldest != nil {
		oldest.mu.Lock()
		oldest.last, oldest.end, oldest.stretches, oldest.broken = 0, 0, nil, false
		oldest.mu.Unlock()
	}
}

// begins is the sequence of the block's first record, as high as can be when there is none yet.
func (s *sheet) begins(of *syncer) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first > 0 {
		return s.first, nil
	}
	b := block{buffer: bufio.NewReaderSize(nil, recordHead)}
	if err := b.open(of, s.number); err != nil {
		return 0, err
	}
	defer b.file.Close()
	r, _, err := b.head()
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return math.MaxUint64, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", b.file.Name(), err)
	}
	s.first = r.sequence
	return s.first, nil
}

// find finds the stretch where a message stands, after it has looked through the block for stretches up to there if it has not come so
// far before. It says whether those are the first that are known. Everything through a sequence is durable.
func (s *sheet) find(of *syncer, sequence, through uint64) (from, to int64, found, fresh bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sequence > s.last {
		if s.broken {
			return 0, 0, false, false, nil
		}
		before := len(s.stretches)
		if err = s.extend(of, sequence, through); errors.Is(err, errRecord) || errors.Is(err, io.ErrUnexpectedEOF) {
			s.broken = true
		}
		fresh = before == 0 && len(s.stretches) > 0
	}
	if sequence > s.last || sequence < s.first {
		return 0, 0, false, fresh, err
	}
	at := sort.Search(len(s.stretches), func(i int) bool { return s.first+uint64(s.stretches[i].ahead) > sequence }) - 1
	from, to = int64(s.stretches[at].offset), s.end
	if at < len(s.stretches)-1 {
		to = int64(s.stretches[at+1].offset)
	}
	return from, to, true, fresh, nil
}

// extend looks through the block for stretches from where it ended before, up to a message and somewhat beyond.
func (s *sheet) extend(of *syncer, sequence, through uint64) error {
	file, err := os.Open(of.block(s.number))
	if err != nil {
		return err
	}
	defer file.Close()
	b := block{buffer: bufio.NewReaderSize(io.NewSectionReader(file, s.end, math.MaxInt64-s.end), 2*stretchSize), last: s.last}
	for enough := s.end + lookAhead; s.last < sequence || s.last < through && s.end < enough; {
		r, _, err := b.head()
		if err == nil {
			err = b.pass(r)
		}
		if err == io.EOF {
			return nil
		}
		if err == nil && (s.first > r.sequence || r.sequence-s.first > math.MaxUint32 || s.end > math.MaxUint32) {
			err = errRecord
		}
		if err != nil {
			return fmt.Errorf("read %s behind message %d: %w", file.Name(), s.last, err)
		}
		if n := len(s.stretches); n == 0 || s.end-int64(s.stretches[n-1].offset) >= stretchSize {
			s.stretches = append(s.stretches, stretch{uint32(r.sequence - s.first), uint32(s.end)})
		}
		s.last, s.end = r.sequence, s.end+recordHead+int64(r.size)
	}
	return nil
}
