package natsfile

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// A stream whose messages expire has gaps, and whole blocks are removed as they expire, the oldest
// first. So of a block that was seen, and is gone between others, two messages are remembered that
// have no life of their own. By age neither has expired while the stream's first message, which is
// no younger, is there, whatever the clock has said meanwhile. And of messages that were deleted
// one by one the server leaves marks, but for the last one of a block.

// lastings is how many messages of a block are remembered.
const lastings = 2

// Lasting is a message that expires by age alone.
type Lasting struct {
	Sequence uint64 `json:"sequence"`
	Stored   int64  `json:"stored"` // in ns since 1970
}

// ownLife begins the header of a message that has a life of its own.
var ownLife = []byte("\r\nNats-TTL:")

// lasting tells of a record that is a message whether it expires by age alone, and when it was
// stored.
func lasting(record []byte) (stored int64, ok bool) {
	r, _ := recordOf(record)
	stored = int64(binary.LittleEndian.Uint64(record[12:]))
	body := record[recordHead:]
	if r.start == r.subject {
		return stored, true
	}
	headers := body[r.start:][:binary.LittleEndian.Uint32(body[r.subject:])]
	return stored, !bytes.Contains(headers, ownLife)
}

// lacking are the blocks between those that there are which were seen and are gone, as far as it
// can be told whether they have expired.
func (c Check) lacking(numbers []int) (list []Seal) {
	if c.Gapless || len(numbers) == 0 {
		return nil
	}
	there := map[int]bool{}
	for _, number := range numbers {
		there[number] = true
	}
	for _, s := range c.Sealed {
		if s.Number > numbers[0] && !there[s.Number] && len(s.Lasting) == lastings {
			list = append(list, s)
		}
	}
	return list
}

// see takes a message that is there.
func (w *walk) see(s *Seal, sequence uint64, record []byte) {
	if w.Gapless {
		return
	}
	stored, ok := lasting(record)
	if w.first.Sequence == 0 {
		w.first = Lasting{sequence, stored}
	}
	if !ok {
		return
	}
	if len(s.Lasting) == lastings {
		s.Lasting = append(s.Lasting[:0], s.Lasting[1:]...)
	}
	s.Lasting = append(s.Lasting, Lasting{sequence, stored})
}

// empty takes a mark that a message is deleted.
func (w *walk) empty(sequence uint64) {
	for _, s := range w.lost {
		if slices.ContainsFunc(s.Lasting, func(l Lasting) bool { return l.Sequence == sequence }) {
			w.deleted[sequence] = true
		}
	}
}

// lose says which of the blocks that are gone have neither expired nor been emptied.
func (w *walk) lose() {
	for _, s := range w.lost {
		expired, emptied := w.first.Sequence == 0, false
		for _, l := range s.Lasting {
			expired = expired || w.first.Sequence > l.Sequence || w.first.Stored > l.Stored
			emptied = emptied || w.deleted[l.Sequence]
		}
		if !expired && !emptied {
			w.damage(Damage{File: w.block(s.Number), Reason: "the file is missing"}, s.First, s.Last)
		}
	}
}
