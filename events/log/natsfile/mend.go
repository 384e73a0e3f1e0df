package natsfile

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/nats-io/nats-server/v2/server"
)

// mendedBlock is how large a block becomes at most that stands for several that are missing.
const mendedBlock = 8 << 20

// Mend makes, in an empty directory, the blocks of a stream without what a check has found of them.
// Files that are whole are the same, by a second name where the file system has links, but for the
// newest, which a server goes on writing. In the others the records that are whole stay as they
// are; for one that is not, given says what it was. What it does not know becomes a record of a
// message that is gone, so that all others keep their sequences. Nothing is on disk yet.
//
// missing is told of those.
func (c Check) Mend(ctx context.Context, found Condition, to string, given func(uint64) (Message, bool), missing func(uint64)) error {
	m := mending{Check: c, blocks: blocks{c.Stream, c.Dir}, to: blocks{c.Stream, to}, given: given, missing: missing}
	err := m.run(ctx, found)
	if err != nil {
		return fmt.Errorf("mend stream %s: %w", c.Stream, err)
	}
	return nil
}

type mending struct {
	Check
	blocks
	to      blocks
	given   func(uint64) (Message, bool)
	missing func(uint64)

	places map[string][]Damage // by file, in order
	time   uint64              // of the record before
	next   int                 // number of the block that follows, as high as can be for none
}

func (m *mending) run(ctx context.Context, found Condition) error {
	numbers, err := m.numbers()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	m.places = map[string][]Damage{}
	upTo := uint64(0) // several places may stand for the same messages
	for _, d := range found.Damage {
		if d.First = max(d.First, upTo+1); d.Last < d.First {
			d.First, d.Last = 0, 0
		}
		upTo = max(upTo, d.Last)
		m.places[d.File] = append(m.places[d.File], d)
	}
	if found.Torn != nil {
		m.places[found.Torn.File] = append(m.places[found.Torn.File], *found.Torn)
	}
	all := slices.Clone(numbers)
	for file := range m.places {
		var number int
		if _, err := fmt.Sscanf(filepath.Base(file), "%d"+blockSuffix, &number); err == nil && !slices.Contains(all, number) {
			all = append(all, number) // which is missing
		}
	}
	slices.Sort(all)
	for i, number := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		newest := i == len(all)-1
		if m.next = math.MaxInt; !newest {
			m.next = all[i+1]
		}
		places := m.places[m.block(number)]
		switch {
		case len(places) == 0 && !newest:
			err = linkOrCopy(m.block(number), m.to.block(number))
		case len(places) == 0:
			err = copyFile(m.block(number), m.to.block(number))
		default:
			err = m.rewrite(number, places)
		}
		if err != nil {
			return err
		}
		if found.Cut && m.block(number) == found.Torn.File {
			return nil
		}
	}
	return nil
}

// rewrite makes a block of the records of another one that are whole, and of what is given.
func (m *mending) rewrite(number int, places []Damage) error {
	slices.SortStableFunc(places, func(a, b Damage) int { return int(a.Offset - b.Offset) })
	text, err := os.ReadFile(m.block(number))
	if err != nil {
		text = nil // what the disk cannot read, or has not
	}
	of, err := newScanner(m.Stream, m.Subject, number)
	if err != nil {
		return err
	}
	var block []byte
	fill := func(upTo int) error {
		for ; len(places) > 0 && places[0].Offset <= int64(upTo); places = places[1:] {
			for sequence := places[0].First; sequence > 0 && sequence <= places[0].Last; sequence++ {
				if len(text) == 0 && len(block) > mendedBlock && number+1 < m.next {
					if err := os.WriteFile(m.to.block(number), block, 0o600); err != nil {
						return err
					}
					number, block = number+1, nil
					if of, err = newScanner(m.Stream, m.Subject, number); err != nil {
						return err
					}
				}
				block = m.append(of, block, sequence)
			}
		}
		return nil
	}
	for p := range of.pieces(text) {
		if err := fill(p.from); err != nil {
			return err
		}
		if p.kind != notWhole {
			block = append(block, text[p.from:p.to]...)
			m.time = binary.LittleEndian.Uint64(text[p.from+12:])
		}
	}
	for _, d := range places {
		if err := fill(int(d.Offset)); err != nil {
			return err
		}
	}
	return os.WriteFile(m.to.block(number), block, 0o600)
}

// append adds the record of a message that is given, else of one that is gone.
func (m *mending) append(of *scanner, block []byte, sequence uint64) []byte {
	given, ok := m.given(sequence)
	if !ok {
		m.missing(sequence)
		given, sequence = Message{}, sequence|recordErased
	}
	length := emptyRecord + len(given.Subject) + len(given.Headers) + len(given.Data)
	if len(given.Headers) > 0 {
		length += 4
	}
	mark := uint32(0)
	if len(given.Headers) > 0 {
		mark = recordHeaders
	}
	start := len(block)
	block = binary.LittleEndian.AppendUint32(block, uint32(length)|mark)
	block = binary.LittleEndian.AppendUint64(block, sequence)
	block = binary.LittleEndian.AppendUint64(block, m.time)
	block = binary.LittleEndian.AppendUint16(block, uint16(len(given.Subject)))
	block = append(block, given.Subject...)
	if mark != 0 {
		block = binary.LittleEndian.AppendUint32(block, uint32(len(given.Headers)))
	}
	block = append(append(block, given.Headers...), given.Data...)
	return append(block, of.sum(block[start+4:start+20], []byte(given.Subject), given.Headers, given.Data)...)
}

// CopyStore makes, in an empty directory, what a server that has ended keeps beside the blocks of
// its streams, without what it makes of them anew at its start.
func CopyStore(from, to string) error {
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		within, err := filepath.Rel(from, path)
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(to, within), 0o700)
		case filepath.Base(filepath.Dir(path)) == "msgs":
			return nil
		}
		return copyFile(path, filepath.Join(to, within))
	})
	if err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	return nil
}

// StoreOf is where a server with a store directory keeps everything.
func StoreOf(storeDir string) string { return filepath.Join(storeDir, server.JetStreamStoreDir) }

// linkOrCopy gives a file a second name, or copies it where the file system has no links.
func linkOrCopy(from, to string) error {
	if err := os.Link(from, to); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	return copyFile(from, to)
}

func copyFile(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	file, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, source)
	return errors.Join(err, file.Close())
}

// Stored reads the messages of a stream up to a sequence that are whole, past any server. Headers
// and data of one are overwritten by those of another block.
func Stored(storeDir, stream string, through uint64) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		f := blocksOf(storeDir, stream)
		numbers, err := f.numbers()
		for _, number := range numbers {
			var text []byte
			if text, err = os.ReadFile(f.block(number)); err != nil {
				break
			}
			var of *scanner
			if of, err = newScanner(stream, func(string) bool { return true }, number); err != nil {
				break
			}
			for p := range of.pieces(text) {
				if p.kind == message && (p.sequence > through || !yield(messageIn(text[p.from:p.to]), nil)) {
					return
				}
			}
		}
		if err != nil {
			yield(Message{}, fmt.Errorf("read stream %s: %w", stream, err))
		}
	}
}

// messageIn is what a record that is whole says.
func messageIn(text []byte) Message {
	r, _ := recordOf(text)
	body := text[recordHead:]
	m := Message{Sequence: r.sequence, Subject: string(body[:r.subject]), Data: body[r.start : r.size-recordChecksum]}
	if r.start > r.subject {
		length := binary.LittleEndian.Uint32(body[r.subject:])
		m.Headers, m.Data = m.Data[:length], m.Data[length:]
	}
	return m
}
