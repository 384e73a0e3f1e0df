package natsfile

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"sync"
)

// Marks are kept in a file with a line for each stream, which is written over when more is on disk.
// Nobody waits for that to be on disk too, except before a block is the newest of which something
// is acknowledged: after a loss of power a mark may be older than what it tells of, and says less.
type Marks struct {
	mu   sync.Mutex
	file *os.File
}

// markSlot is where a line may stand: a disk writes a sector of so many bytes or does not.
const markSlot = 512

// markForm has a stream's name, durable sequence and newest block, and a checksum of that.
const markForm = "%s %d %d"

// OpenMarks opens a file, or makes it.
func OpenMarks(path string) (*Marks, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open marks: %w", err)
	}
	return &Marks{file: file}, nil
}

// ReadMark is what a file says of the stream in one of its places; nil where it says nothing.
func ReadMark(path string, place int, stream string) (*Mark, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read marks: %w", err)
	}
	defer file.Close()
	line := make([]byte, markSlot)
	if n, err := file.ReadAt(line, int64(place)*markSlot); err != nil && err != io.EOF {
		return nil, fmt.Errorf("read marks: %w", err)
	} else if n < markSlot {
		return nil, nil
	}
	var m Mark
	var name string
	var sum uint32
	if n, _ := fmt.Sscanf(string(line), markForm+" %x", &name, &m.Durable, &m.Block, &sum); n < 4 || name != stream || sum != m.sum(stream) {
		return nil, nil // it was being written when the machine stopped
	}
	return &m, nil
}

func (m Mark) sum(stream string) uint32 {
	return crc32.ChecksumIEEE(fmt.Appendf(nil, markForm, stream, m.Durable, m.Block))
}

// Set writes a mark of what was synced into its place. It fails where the file system has given up.
func (f *Marks) Set(place int, stream string, m Mark, sync bool) error {
	line := fmt.Appendf(nil, markForm+" %08x", stream, m.Durable, m.Block, m.sum(stream))
	for len(line) < markSlot-1 {
		line = append(line, ' ')
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := takesChanges(f.file); err != nil {
		return fmt.Errorf("sync stream %s: %w", stream, err)
	}
	_, err := f.file.WriteAt(append(line, '\n'), int64(place)*markSlot)
	if err == nil && sync {
		err = f.file.Sync()
	}
	if err != nil {
		return fmt.Errorf("write mark of stream %s: %w", stream, err)
	}
	return nil
}

// Reached marks a stream of a server that syncs each message: all up to a sequence is on disk.
func (f *Marks) Reached(place int, storeDir, stream string, sequence uint64) error {
	numbers, err := blocksOf(storeDir, stream).numbers()
	if err != nil || len(numbers) == 0 {
		return err
	}
	return f.Set(place, stream, Mark{Durable: sequence, Block: numbers[len(numbers)-1]}, false)
}

// Look fails where the file system has given up.
func (f *Marks) Look() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return takesChanges(f.file)
}

// GivenUp tells whether an error says that the file system has given up.
func GivenUp(err error) bool { return errors.Is(err, errGivenUp) }

var errGivenUp = errors.New("the file system has given up")

// End brings a stream of a server that has ended to the disk, and marks all of it.
func (f *Marks) End(place int, storeDir, stream string) error {
	b := blocksOf(storeDir, stream)
	numbers, err := b.numbers()
	if err != nil || len(numbers) == 0 {
		return err
	}
	var m Mark
	m.Block = numbers[len(numbers)-1]
	text, err := os.ReadFile(b.block(m.Block))
	if err != nil {
		return err
	}
	for at := 0; at+emptyRecord <= len(text); {
		r, ok := recordOf(text[at:])
		if !ok {
			break
		}
		m.Durable = max(m.Durable, r.sequence&^recordMarks)
		at += int(r.length())
	}
	if m.Durable == 0 {
		return nil
	}
	for _, number := range numbers {
		if err == nil {
			err = SyncPath(b.block(number))
		}
	}
	if err == nil {
		err = SyncPath(b.dir)
	}
	if err == nil {
		err = f.Set(place, stream, m, true)
	}
	return err
}

// Close closes the file.
func (f *Marks) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.file.Close()
}
