package natsfile

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"github.com/nats-io/nats-server/v2/server"
)

// A server that deletes a message leaves what it said where it stands. Its secure delete makes a
// new file of the whole block for each message, takes 10 to 30 ms with 8 MiB, and does nothing
// about a message that is gone already: one that has expired, or that a node which was away is told
// of as one that the others do not have any more. So a message is deleted first, and when the
// server knows it no longer, its record is overwritten where it stands, as a secure delete would
// leave it: with as many random bytes, a mark in its sequence, and the checksum of that. Nothing
// else moves.
//
// The server reads nothing of such a record but its length and its sequence, and writes it never
// again: it adds to the end of the newest block, and makes a block anew of the messages that are
// there. What is written down before (see Redo) is finished at the next start, so that a record is
// never left half overwritten.

//go:linkname lookupStream github.com/nats-io/nats-server/v2/server.(*Account).lookupStream
func lookupStream(account *server.Account, name string) (unsafe.Pointer, error)

//go:linkname storeOf github.com/nats-io/nats-server/v2/server.(*stream).Store
func storeOf(stream unsafe.Pointer) server.StreamStore

// kept is what a running server keeps of a stream.
func kept(s *server.Server, stream string) (server.StreamStore, error) {
	of, err := lookupStream(s.GlobalAccount(), stream)
	if err != nil {
		return nil, fmt.Errorf("find stream %s: %w", stream, err)
	}
	return storeOf(of), nil
}

// keeper is a store of a stream or of a Raft log.
type keeper interface {
	LoadMsg(sequence uint64, m *server.StoreMsg) (*server.StoreMsg, error)
	FastState(*server.StreamState)
}

// isGone tells whether a store has had a message and knows it no longer.
func isGone(of keeper, sequence uint64) bool {
	var state server.StreamState
	var m server.StoreMsg
	_, err := of.LoadMsg(sequence, &m)
	of.FastState(&state)
	return err != nil && sequence <= state.LastSeq &&
		(errors.Is(err, server.ErrStoreMsgNotFound) || errors.Is(err, server.ErrStoreEOF) || strings.Contains(err.Error(), deletedText))
}

// deletedText is in the error of a message that was deleted.
const deletedText = "deleted message"

// place is where a record stands that is overwritten.
type place struct {
	Offset   int64  `json:"offset"`
	Length   int    `json:"length"`
	Sequence uint64 `json:"sequence"`
}

// overwriting is what is being overwritten in a block.
type overwriting struct {
	Stream string  `json:"stream"` // the name that checksums are made with
	File   string  `json:"file"`   // path of the block, from the store directory on
	Number int     `json:"number"` // of the block
	Places []place `json:"places"`
}

func journalOf(storeDir string) string { return filepath.Join(storeDir, "overwriting.json") }

// Erase overwrites the records of messages of a stream that are gone from a running server, in its
// block files, where want says so. within bounds the sequences that are looked at; nil are all.
// left are the sequences of those messages that want names and that are still there: they are to be
// deleted. All that was overwritten is on disk then.
func Erase(ctx context.Context, s *server.Server, storeDir, stream string, within []Run, want func(Message) bool) (left []uint64, err error) {
	of, err := kept(s, stream)
	if err != nil {
		return nil, err
	}
	f := blocksOf(storeDir, stream)
	numbers, err := f.numbers()
	if err == nil && within != nil {
		numbers, err = f.holding(numbers, within)
	}
	for _, number := range numbers {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			break
		}
		err = eraseIn(f, storeDir, number, func(m Message) bool {
			switch {
			case within != nil && !inRuns(within, m.Sequence) || !want(m):
				return false
			case isGone(of, m.Sequence):
				return true
			}
			left = append(left, m.Sequence)
			return false
		})
	}
	if err != nil {
		return nil, fmt.Errorf("erase from stream %s: %w", stream, err)
	}
	slices.Sort(left)
	return slices.Compact(left), nil
}

// holding are the blocks in which messages of some runs may stand.
func (f blocks) holding(numbers []int, runs []Run) (list []int, err error) {
	firsts := make([]uint64, len(numbers))
	for i, number := range numbers {
		if firsts[i], err = f.first(number); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err != nil || firsts[i] == math.MaxUint64 { // nothing but what is gone, if it is there
			firsts[i] = 0
		}
	}
	end := uint64(math.MaxUint64) // what stands in a block is below
	for i := len(numbers) - 1; i >= 0; i-- {
		first := firsts[i]
		if slices.ContainsFunc(runs, func(r Run) bool { return r.Last >= first && r.First < end }) {
			list = append(list, numbers[i])
		}
		if first > 0 {
			end = first
		}
	}
	slices.Reverse(list)
	return list, nil
}

// inRuns tells whether runs, which are in order, have a sequence.
func inRuns(runs []Run, sequence uint64) bool {
	_, found := slices.BinarySearchFunc(runs, sequence, func(r Run, sequence uint64) int {
		switch {
		case r.Last < sequence:
			return -1
		case r.First > sequence:
			return 1
		}
		return 0
	})
	return found
}

// eraseIn overwrites records of a block. A server may remove the block meanwhile, or make it anew:
// then the new one is looked at.
func eraseIn(f blocks, storeDir string, number int, gone func(Message) bool) error {
	for {
		file, err := os.OpenFile(f.block(number), os.O_RDWR, 0)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		err = eraseFrom(f, storeDir, number, file, gone)
		same := isAt(file, f.block(number))
		if err = errors.Join(err, file.Close()); err != nil || same {
			return err
		}
	}
}

// isAt tells whether an open file is the one that has a name.
func isAt(file *os.File, name string) bool {
	held, err := file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(name)
	return err == nil && os.SameFile(held, named)
}

func eraseFrom(f blocks, storeDir string, number int, file *os.File, gone func(Message) bool) error {
	text, err := os.ReadFile(file.Name())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	of, err := newScanner(f.stream, func(string) bool { return true }, number)
	if err != nil {
		return err
	}
	do := overwriting{Stream: f.stream, Number: number}
	if do.File, err = filepath.Rel(storeDir, f.block(number)); err != nil {
		return err
	}
	// A message may stand there twice, since what is erased counts as if it had not been there.
	for p := range of.pieces(text) {
		if p.kind == message && gone(messageIn(text[p.from:p.to])) {
			do.Places = append(do.Places, place{int64(p.from), p.to - p.from, p.sequence})
		}
	}
	if len(do.Places) == 0 {
		return nil
	}
	if err := do.note(storeDir); err != nil {
		return err
	}
	if err := do.overwrite(of, file); err != nil {
		return err
	}
	return os.Remove(journalOf(storeDir))
}

// note writes down what is being done, which is on disk then.
func (o overwriting) note(storeDir string) error {
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return replace(journalOf(storeDir), text)
}

// overwrite overwrites records in a file. One that is no longer at its place is left: the file is
// another one than it was.
func (o overwriting) overwrite(of *scanner, file *os.File) error {
	head := make([]byte, recordHead)
	for _, p := range o.Places {
		if _, err := file.ReadAt(head, p.Offset); err != nil {
			return err
		}
		length := int(binary.LittleEndian.Uint32(head) &^ recordHeaders)
		if length != p.Length || binary.LittleEndian.Uint64(head[4:])&^recordErased != p.Sequence {
			continue
		}
		if _, err := file.WriteAt(of.erased(p.Sequence, p.Length), p.Offset); err != nil {
			return err
		}
	}
	return file.Sync()
}

// erased is the record that takes the place of one that has a length.
func (s *scanner) erased(sequence uint64, length int) []byte {
	text := binary.LittleEndian.AppendUint32(make([]byte, 0, length), uint32(length))
	text = binary.LittleEndian.AppendUint64(text, sequence|recordErased)
	text = text[:length-recordChecksum] // neither time nor subject
	_, _ = rand.Read(text[recordHead:]) // never fails
	return append(text, s.sum(text[4:20], text[recordHead:])...)
}

// Redo finishes, before a server gets the files of a store directory, what was being overwritten as
// the process ended, and removes files that were to become others: they may hold what is erased.
func Redo(storeDir string) error {
	text, err := os.ReadFile(journalOf(storeDir))
	var o overwriting
	if err == nil && json.Unmarshal(text, &o) == nil {
		err = o.again(storeDir)
		if err == nil {
			err = os.Remove(journalOf(storeDir))
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err == nil {
		err = filepath.WalkDir(StoreOf(storeDir), func(path string, entry fs.DirEntry, err error) error {
			unfinished := filepath.Ext(path) == ".tmp" || filepath.Ext(path) == replaced
			if err == nil && unfinished && filepath.Base(filepath.Dir(path)) == "msgs" {
				err = os.Remove(path)
			}
			return err
		})
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return fmt.Errorf("finish what was being erased: %w", err)
	}
	return nil
}

func (o overwriting) again(storeDir string) error {
	of, err := newScanner(o.Stream, nil, o.Number)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(storeDir, o.File), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err == nil {
		o.Places = slices.DeleteFunc(o.Places, func(p place) bool { return p.Offset+int64(p.Length) > info.Size() })
		err = o.overwrite(of, file)
	}
	return errors.Join(err, file.Close())
}
