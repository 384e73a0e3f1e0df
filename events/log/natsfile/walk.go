package natsfile

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"sort"
)

// walk is a check under way.
type walk struct {
	Check
	blocks
	found   Condition
	buffer  []byte
	number  int      // of the block before, 0 for none
	size    int64    // of the block before
	begun   bool     // the block that is taken has a message, or stands for one
	bad     []Damage // places behind the last message that are not whole
	unsaved bool     // in one of them a page is missing that was not written
	gaps    []gap    // what is missing without such a place, unless it was deleted
	deleted map[uint64]bool
	erased  []Run   // what messages say is
	lost    []Seal  // blocks that may be missing: then all others are read
	first   Lasting // the first message that is there; zero before it is read
}

// take takes the next block.
func (w *walk) take(number int, newest bool) error {
	path := w.block(number)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the server has removed it meanwhile: all of it has expired or was deleted
	}
	if err != nil {
		return err
	}
	defer func() { w.size = info.Size() }()
	w.found.Blocks++
	w.found.Bytes += info.Size()
	at, known := slices.BinarySearchFunc(w.Sealed, number, func(s Seal, n int) int { return s.Number - n })
	known = known && w.Sealed[at].isOf(info) && (w.Gapless || w.Sealed[at].Lasting != nil)
	if known && !newest && !w.Again && len(w.lost) == 0 {
		w.sealed(w.Sealed[at])
		return nil
	}
	text, read, err := w.read(path, info.Size())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, fs.ErrPermission):
		return err
	case err != nil: // the disk cannot read it
		w.bad = append(w.bad, Damage{File: path, Reason: err.Error()})
		return nil
	}
	// Something may have been overwritten in it, or taken from it, since it was looked at.
	info = read
	known = known && w.Sealed[at].isOf(info)
	seal, whole, err := w.scan(number, text, newest)
	if err != nil || !whole || newest || w.found.Cut {
		return err
	}
	if seal.Modified = info.ModTime().UnixNano(); known && seal.Sum != w.Sealed[at].Sum {
		w.damage(Damage{File: path, Reason: "it is not what it was when it was read before"}, seal.First, seal.Last)
		return nil
	}
	w.found.Sealed = append(w.found.Sealed, seal)
	return nil
}

// isOf tells whether a block is as it was when it was sealed, as far as its file says.
func (s Seal) isOf(info fs.FileInfo) bool {
	return s.Size == info.Size() && s.Modified == info.ModTime().UnixNano()
}

// read reads a file of about a size, and says what it was when it was read. One that is changed
// meanwhile is read again.
func (w *walk) read(path string, size int64) (text []byte, info fs.FileInfo, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	for range readTries {
		before, err := file.Stat()
		if err != nil {
			return nil, nil, err
		}
		if text, err = w.readAll(file, size); err != nil {
			return nil, nil, err
		}
		if info, err = file.Stat(); err != nil || info.ModTime().Equal(before.ModTime()) {
			return text, info, err
		}
	}
	return text, info, nil
}

// readTries is how often a file is read at most that is being changed.
const readTries = 3

func (w *walk) readAll(file *os.File, size int64) ([]byte, error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	text := slices.Grow(w.buffer[:0], int(size)+1)
	for {
		n, err := file.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		if w.found.Read += int64(n); w.Told != nil {
			w.Told(int64(n))
		}
		if err == io.EOF {
			w.buffer = text
			return text, nil
		}
		if err != nil {
			return nil, err
		}
		text = slices.Grow(text, 1)
	}
}

// sealed takes a block that is known.
func (w *walk) sealed(s Seal) {
	if w.Gapless {
		for _, sequence := range s.Deleted {
			w.deleted[sequence] = true
		}
	}
	if s.First > 0 && !w.follow(s.Number, 0, s.First) {
		return
	}
	if w.found.Last = max(w.found.Last, s.Last); !w.Gapless && len(s.Deleted) > 0 {
		s.Deleted = []uint64{slices.Max(s.Deleted)}
		w.found.Last = max(w.found.Last, s.Deleted[0])
	}
	w.found.Sealed = append(w.found.Sealed, s)
	w.found.Gone = append(w.found.Gone, s.Gone...)
	w.erased = append(w.erased, s.Erased...)
}

// scan takes the text of a block. whole tells that nothing in it is damaged or missing.
func (w *walk) scan(number int, text []byte, newest bool) (s Seal, whole bool, err error) {
	of, err := newScanner(w.Stream, w.Subject, number)
	if err != nil {
		return s, false, err
	}
	if s, whole = (Seal{Number: number, Size: int64(len(text))}), true; !w.Gapless {
		s.Lasting = []Lasting{}
	}
	for p := range of.pieces(text) {
		if p.kind == notWhole {
			w.bad = append(w.bad, Damage{File: w.block(number), Offset: int64(p.from), Reason: "this is not a whole record"})
			w.unsaved = w.unsaved || unwritten(text, p.from, p.to)
			whole = false
			continue
		}
		first := p.sequence
		if p.kind == mark {
			w.empty(p.sequence)
		}
		passed := first > w.found.Last && len(w.bad) == 0 && (w.begun || number == w.number+1)
		switch empty := p.to-p.from == emptyRecord; {
		case p.kind == mark && passed && !w.begun:
			first = w.found.Last + 1 // it had counted further than what was there of a torn end, and goes on there
		case p.kind == mark:
			w.mark(&s, p.sequence)
			continue
		case p.kind == erased && passed && empty:
			first = w.found.Last + 1 // it stands for all that were skipped
		}
		if !w.follow(number, p.from, first) {
			return s, false, nil
		}
		if p.kind == message {
			w.see(&s, p.sequence, text[p.from:p.to])
			if w.Erases != nil {
				s.Erased = append(s.Erased, w.Erases(messageIn(text[p.from:p.to]))...)
			}
		} else {
			s.Gone = with(s.Gone, Run{first, p.sequence})
		}
		if w.found.Last = p.sequence; s.First == 0 {
			s.First = first
		}
		s.Last = p.sequence
	}
	w.found.Gone = append(w.found.Gone, s.Gone...)
	w.erased = append(w.erased, s.Erased...)
	if whole && !newest {
		s.Sum = of.fileSum(text)
	}
	return s, whole, nil
}

// mark takes a block's mark that a message is deleted. Where messages expire one by one there are
// as many marks, of which only the highest counts: all else may have expired.
func (w *walk) mark(s *Seal, sequence uint64) {
	switch {
	case w.Gapless:
		w.deleted[sequence] = true
		s.Deleted = append(s.Deleted, sequence)
	case len(s.Deleted) == 0 || sequence > s.Deleted[0]:
		s.Deleted = append(s.Deleted[:0], sequence)
		w.found.Last = max(w.found.Last, sequence)
	}
}

// follow looks whether a message follows on the last one. It is false where what was found until
// then is all that counts.
func (w *walk) follow(number, offset int, sequence uint64) bool {
	last := w.found.Last
	missing := w.Gapless && sequence > last+1
	border := !w.begun && w.number > 0
	lost := w.unsaved && w.bad[0].File == w.block(number) && w.unheard(number)
	if lost || border && (missing || len(w.bad) > 0) && w.unheard(w.number) {
		torn := Damage{File: w.block(w.number), Offset: w.size, Reason: "it was being written when the machine stopped"}
		if len(w.bad) > 0 {
			torn.File, torn.Offset = w.bad[0].File, w.bad[0].Offset
		}
		torn.Stream = w.Stream
		w.found.Torn, w.found.Cut = &torn, true
		return false
	}
	begun := w.begun
	w.begun = true
	switch {
	case len(w.bad) > 0:
		for _, d := range w.bad {
			w.damage(d, last+1, sequence-1)
		}
		w.bad, w.unsaved = nil, false
	case !missing:
	case number > w.number+1 && border || w.number == 0 && number > 1:
		w.gap(Damage{File: w.block(w.number + 1), Reason: "the file is missing"}, 0, last+1, sequence-1)
	case border:
		w.gap(Damage{File: w.block(w.number), Offset: w.size, Reason: "the file ends too early"}, 0, last+1, sequence-1)
	default:
		in := number
		if !begun { // what is missing before its first message is not the block's
			in = 0
		}
		w.gap(Damage{File: w.block(number), Offset: int64(offset), Reason: "records are missing before this one"}, in, last+1, sequence-1)
	}
	return true
}

// Files are written in pages of a multiple of this many bytes, in any order where no sync is
// between them: what a machine wrote before it stopped may have a page behind one that is missing.
const filePage = 4096

// unwritten tells whether a place of a block ends a page with zeros, which no record has so many
// of: that page, or the rest of it, was never written.
func unwritten(text []byte, from, to int) bool {
	const zeros = 16
	for at := (from/filePage + 1) * filePage; at <= to; at += filePage {
		if at-from >= zeros && len(bytes.Trim(text[at-zeros:at], "\x00")) == 0 {
			return true
		}
	}
	return false
}

// unheard tells whether what is missing behind the end of a block was not yet on disk, so that
// nobody was told of it and of what follows. On disk are the blocks before the one that was the
// newest at that time, and all of them up to a sequence.
func (w *walk) unheard(block int) bool {
	return w.Mark != nil && block >= w.Mark.Block && w.Mark.Durable <= w.found.Last
}

// end looks at how the stream ends, and at what is missing and was not deleted.
func (w *walk) end() {
	for w.Gapless && len(w.bad) == 0 && w.deleted[w.found.Last+1] {
		w.found.Last++ // it was the newest
	}
	last, newest := w.found.Last, w.number
	expected := last
	if w.Mark != nil && (w.Gapless || newest == w.Mark.Block) {
		expected = max(last, w.Mark.Durable)
	}
	torn := newest // block of the first place that is not whole
	for len(w.bad) > 0 && w.block(torn) != w.bad[0].File {
		torn--
	}
	switch {
	case len(w.bad) > 0 && expected == last && (w.lastIn(newest) || w.unheard(torn)):
		w.found.Torn, w.found.Cut = &w.bad[0], torn < newest
		w.found.Torn.Stream = w.Stream
	case len(w.bad) > 0:
		for _, d := range w.bad {
			w.damage(d, last+1, expected)
		}
	case expected == last:
	case newest < w.Mark.Block:
		w.damage(Damage{File: w.block(w.Mark.Block), Reason: "the file is missing"}, last+1, expected)
	default:
		w.damage(Damage{File: w.block(newest), Offset: w.size, Reason: "the file ends too early"}, last+1, expected)
	}
	w.lose()
	w.gone()
	for _, g := range w.gaps {
		first := g.First
		at := sort.Search(len(w.found.Gone), func(i int) bool { return w.found.Gone[i].Last >= first })
		for _, r := range w.found.Gone[at:] {
			if r.First > g.Last {
				break
			}
			w.lack(g, first, r.First-1)
			first = r.Last + 1
		}
		w.lack(g, first, g.Last)
	}
	slices.SortStableFunc(w.found.Damage, func(a, b Damage) int { return cmp.Compare(a.First, b.First) })
}

// gone puts all that is gone in order.
func (w *walk) gone() {
	all := append(w.found.Gone, w.erased...)
	for sequence := range w.deleted {
		all = append(all, Run{sequence, sequence})
	}
	slices.SortFunc(all, func(a, b Run) int { return cmp.Compare(a.First, b.First) })
	w.found.Gone = nil
	for _, r := range all {
		w.found.Gone = with(w.found.Gone, r)
	}
}

// lastIn tells whether the one place that is not whole stands in a block.
func (w *walk) lastIn(number int) bool { return len(w.bad) == 1 && w.bad[0].File == w.block(number) }

// gap is a place where messages are missing, of which it is not known yet whether they are gone.
type gap struct {
	Damage
	in int // number of the block between two messages of which it is, 0 for none
}

func (w *walk) gap(d Damage, in int, first, last uint64) {
	d.First, d.Last = first, last
	w.gaps = append(w.gaps, gap{d, in})
}

// lack says of messages in a gap that they are not gone, if there are any.
func (w *walk) lack(g gap, first, last uint64) {
	if first > last {
		return
	}
	w.damage(g.Damage, first, last)
	w.found.Sealed = slices.DeleteFunc(w.found.Sealed, func(s Seal) bool { return s.Number == g.in })
}

func (w *walk) damage(d Damage, first, last uint64) {
	d.Stream = w.Stream
	if d.First, d.Last = first, last; first > last {
		d.First, d.Last = 0, 0
	}
	w.found.Damage = append(w.found.Damage, d)
}
