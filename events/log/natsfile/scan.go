package natsfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"iter"
	"strconv"

	"github.com/minio/highwayhash"
)

const (
	recordErased = 1 << 63 // in the sequence: what the message said was overwritten, or it never was there
	recordMark   = 1 << 62 // in the sequence: another message is deleted
	emptyRecord  = recordHead + recordChecksum
)

// piece is a part of a block: a record that is whole, or what stands between two of them.
type piece struct {
	from, to int    // where it stands in the block
	sequence uint64 // without marks; 0 of a piece that is not whole
	kind     kind
}

type kind int

const (
	message kind = iota
	erased       // the message is gone
	mark         // it says that another message is gone
	notWhole
)

// scanner takes a block apart.
type scanner struct {
	subject func(string) bool // see Check
	hash    *highwayhash.Digest64
}

// newScanner is one for a block of a stream.
func newScanner(stream string, subject func(string) bool, number int) (*scanner, error) {
	key := sha256.Sum256([]byte(stream + "-" + strconv.Itoa(number)))
	hash, err := highwayhash.NewDigest64(key[:])
	return &scanner{subject, hash}, err
}

// sum is the checksum of some text.
func (s *scanner) sum(text ...[]byte) []byte {
	s.hash.Reset()
	for _, part := range text {
		s.hash.Write(part)
	}
	return s.hash.Sum(nil)
}

// fileSum is that of a whole block, in hex.
func (s *scanner) fileSum(text []byte) string { return hex.EncodeToString(s.sum(text)) }

// pieces are those of a block, in order and without gaps.
func (s *scanner) pieces(text []byte) iter.Seq[piece] {
	return func(yield func(piece) bool) {
		last := uint64(0)
		for at := 0; at < len(text); {
			p, ok := s.record(text, at, last)
			if !ok {
				p = piece{from: at, to: s.resume(text, at+1, last), kind: notWhole}
			}
			if !yield(p) {
				return
			}
			if at = p.to; p.kind == message || p.kind == erased {
				last = p.sequence
			}
		}
	}
}

// resume is where the next record stands that is whole, or the end of the block.
func (s *scanner) resume(text []byte, at int, last uint64) int {
	for ; at+emptyRecord <= len(text); at++ {
		// Most places are passed by at a look at the length and the upper half of the sequence.
		if length := binary.LittleEndian.Uint32(text[at:]) &^ recordHeaders; length < emptyRecord || int(length) > len(text)-at {
			continue
		}
		if upper := binary.LittleEndian.Uint32(text[at+8:]); upper&^(recordMarks>>32) > uint32(last>>32)+1 {
			continue
		}
		if _, ok := s.record(text, at, last); ok {
			return at
		}
	}
	return len(text)
}

// record is the record that begins at a place, ok when it is whole: of a sequence above the last
// one, with the checksum that it must have, and with the numbers that are in no checksum as they
// must be.
func (s *scanner) record(text []byte, at int, last uint64) (p piece, ok bool) {
	if len(text)-at < emptyRecord {
		return p, false
	}
	r, ok := recordOf(text[at:])
	if !ok || r.length() > int64(len(text)-at) {
		return p, false
	}
	p = piece{from: at, to: at + int(r.length()), sequence: r.sequence &^ recordMarks}
	switch {
	case r.sequence&recordMark != 0, p.sequence == 0:
		p.kind = mark
	case p.sequence <= last:
		return p, false
	case r.sequence&recordErased != 0:
		p.kind = erased
	}
	head, body := text[at:at+recordHead], text[at+recordHead:p.to]
	rest, sum := body[r.start:r.size-recordChecksum], body[r.size-recordChecksum:]
	if !bytes.Equal(s.sum(head[4:20], body[:r.subject], rest), sum) {
		return p, false
	}
	return p, p.kind != message || s.parts(body, r, rest)
}

// parts tells whether subject and headers of a message end where they must: their lengths are in no
// checksum. The four bytes of the headers' length stand between them, and are left out of it, so
// that with headers the subject's is right; and headers end with the only empty line in them.
func (s *scanner) parts(body []byte, r record, rest []byte) bool {
	if r.start == r.subject {
		subject := string(body[:r.subject])
		return subject == "" && s.subject == nil || s.subject != nil && s.subject(subject)
	}
	length := int64(binary.LittleEndian.Uint32(body[r.subject:]))
	end := bytes.Index(rest, headersEnd)
	return end >= 0 && int64(end+len(headersEnd)) == length
}
