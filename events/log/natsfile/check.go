package natsfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/nats-io/nats-server/v2/server"
)

// The server drops what it cannot read, without a word: at its start it cuts a block off at the
// first record that is not whole, and it passes over a block that is missing. So the blocks are
// looked at before the server gets them.

// Damage is a place of a stream that is not as it was written.
type Damage struct {
	Stream string `json:"stream"`
	File   string `json:"file"`            // path of the block
	Offset int64  `json:"offset"`          // in the file, of the first byte that is not whole
	First  uint64 `json:"first,omitempty"` // sequences of the messages that are not whole; 0 for none that is known
	Last   uint64 `json:"last,omitempty"`
	Reason string `json:"reason"`
}

func (d Damage) String() string {
	text := fmt.Sprintf("%s, %s at byte %d: %s", d.Stream, d.File, d.Offset, d.Reason)
	switch {
	case d.First == 0:
		return text
	case d.First == d.Last:
		return fmt.Sprintf("%s (message %d)", text, d.First)
	}
	return fmt.Sprintf("%s (messages %d to %d)", text, d.First, d.Last)
}

// Seal is what is known of a block that was read and found whole, and that was not the newest.
type Seal struct {
	Number   int      `json:"number"`
	Size     int64    `json:"size"`
	Modified int64    `json:"modified"`          // when the file was changed last, in ns since 1970
	First    uint64   `json:"first,omitempty"`   // sequences of its messages, erased ones too; 0 for none
	Last     uint64   `json:"last,omitempty"`    //
	Deleted  []uint64 `json:"deleted,omitempty"` // sequences of messages that it says are deleted; the highest only, unless the stream is gapless
	Gone     []Run    `json:"gone,omitempty"`    // of First to Last, those that have no message
	Erased   []Run    `json:"erased,omitempty"`  // those that its messages say are erased
	Sum      string   `json:"sum"`               // HighwayHash-64 of the file, with the key of its records, in hex
	// Lasting are its newest messages that expire by age alone, two at most; nil where nobody has
	// looked. Of a gapless stream, whose messages do not expire, nobody does.
	Lasting []Lasting `json:"lasting,omitzero"`
}

// Run is a run of sequences.
type Run struct {
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
}

// with adds a run to runs that are before it.
func with(runs []Run, r Run) []Run {
	if n := len(runs); n > 0 && runs[n-1].Last+1 >= r.First {
		runs[n-1].Last = max(runs[n-1].Last, r.Last)
		return runs
	}
	return append(runs, r)
}

// Mark is what is known to be on disk of a stream.
type Mark struct {
	Durable uint64 // everything up to this message
	Block   int    // the newest block at that time; those before it are complete
}

// Check says what is to be read of a stream, and what is known of it.
type Check struct {
	Dir    string // of the block files: MessagesOf, or the directory msgs of a Raft log
	Stream string // the name that checksums are made with: of the stream, or of the Raft group
	// Subject tells whether a message that has no headers may have a subject. Its length is in no
	// checksum, so that no subject may be the beginning of another one. nil where messages have
	// neither, as in a Raft log.
	Subject func(string) bool
	Gapless bool // the stream begins with message 1, and none is missing but those that were deleted
	// Erases are the messages, by their sequences, that another one says are erased. A server
	// leaves nothing of some of those, when it removes or shortens the files they were in. nil
	// where none does.
	Erases func(Message) []Run
	Mark   *Mark  // nil where nothing is known
	Sealed []Seal // blocks, in order, that need not be read where the file's size and time are the same
	Again  bool   // they are read all the same, and compared

	Told func(read int64) // is told of bytes that were read; nil tells nobody
}

// Condition is what a check has found.
type Condition struct {
	Last   uint64   // sequence of the last message that is whole
	Blocks int      // how many there are
	Bytes  int64    // of all blocks
	Read   int64    // bytes that were read
	Sealed []Seal   // the blocks that are whole, but for the newest
	Damage []Damage // nil for none
	Gone   []Run    // of a stream without gaps: the messages that were deleted, or never were there
	// Torn is where the stream ends with something that was being written when the process or the
	// machine ended, so that nobody was told that it is there. nil for nothing.
	Torn *Damage
	// Cut says that blocks follow behind Torn, which hold nothing else either. The server would
	// keep them, and leave a gap.
	Cut bool
}

// MessagesOf is where a server that has a store directory keeps the blocks of a stream.
func MessagesOf(storeDir, stream string) string {
	return filepath.Join(storeDir, server.JetStreamStoreDir, server.DEFAULT_GLOBAL_ACCOUNT, "streams", stream, "msgs")
}

// Run reads the blocks of a stream, which may be in use: what is added meanwhile is found or not.
// It fails when ctx ends or a file may not be read; what is damaged is no failure.
func (c Check) Run(ctx context.Context) (Condition, error) {
	w := walk{Check: c, blocks: blocks{c.Stream, c.Dir}, deleted: map[uint64]bool{}}
	numbers, err := w.numbers()
	w.lost = c.lacking(numbers)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return w.found, fmt.Errorf("check stream %s: %w", c.Stream, err)
	}
	for i, number := range numbers {
		if err := ctx.Err(); err != nil {
			return w.found, err
		}
		if err := w.take(number, i == len(numbers)-1); err != nil {
			return w.found, fmt.Errorf("check stream %s: %w", c.Stream, err)
		}
		if w.found.Cut {
			return w.found, nil
		}
		w.number, w.begun = number, false
	}
	w.end()
	return w.found, nil
}

// Cut takes from a stream what stands behind a torn end, as it was found: the rest of that block,
// and the blocks behind it. The server makes its index anew.
func Cut(torn Damage) error {
	f := blocks{torn.Stream, filepath.Dir(torn.File)}
	numbers, err := f.numbers()
	for _, number := range slices.Backward(numbers) {
		if err == nil && f.block(number) == torn.File {
			err = os.Truncate(torn.File, torn.Offset)
			break
		}
		if err == nil {
			err = os.Remove(f.block(number))
		}
	}
	if err == nil {
		err = errors.Join(SyncPath(torn.File), SyncPath(f.dir))
	}
	if err != nil {
		return fmt.Errorf("cut off what was being written of stream %s: %w", torn.Stream, err)
	}
	return nil
}
