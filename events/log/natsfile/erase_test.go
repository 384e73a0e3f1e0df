package natsfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nats-io/nats.go"
)

// cut is a stream of a server that has ended, two of whose messages were being overwritten.
type cut struct {
	dir         string
	text        []byte // the block before
	first, last int    // where those two begin and end
	of          *scanner
	do          overwriting
}

const confided = "confided"

func cutInErasing(t *testing.T) *cut {
	t.Helper()
	s := run(t)
	for i := range 5 {
		header := nats.Header{"Ce-Id": {fmt.Sprint(i)}}
		if i == 2 {
			header = nil
		}
		said := "kept"
		if i == 1 || i == 2 {
			said = confided
		}
		s.synced(t, s.kept, fmt.Sprint("kept.", i), fmt.Append(nil, said, i), header)
	}
	s.group.Close()
	s.end()
	c := &cut{dir: s.dir, do: overwriting{Stream: "KEPT", Number: 1}}
	var err error
	if c.text, err = os.ReadFile(s.kept.block(1)); err == nil {
		c.do.File, err = filepath.Rel(s.dir, s.kept.block(1))
	}
	if err == nil {
		c.of, err = newScanner("KEPT", func(string) bool { return true }, 1)
	}
	if err != nil {
		t.Fatal(err)
	}
	for p := range c.of.pieces(c.text) {
		if p.sequence == 2 || p.sequence == 3 {
			c.do.Places = append(c.do.Places, place{int64(p.from), p.to - p.from, p.sequence})
		}
	}
	c.first = int(c.do.Places[0].Offset)
	c.last = int(c.do.Places[1].Offset) + c.do.Places[1].Length
	return c
}

// begin writes a block, and what was noted.
func (c *cut) begin(t *testing.T, text []byte) {
	t.Helper()
	err := os.WriteFile(filepath.Join(c.dir, c.do.File), text, 0o600)
	if err == nil {
		err = c.do.note(c.dir)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// redone is the block after a start, whose records are whole.
func (c *cut) redone(t *testing.T, when string) (text []byte, kinds []kind) {
	t.Helper()
	if err := Redo(c.dir); err != nil {
		t.Fatalf("%s: %v", when, err)
	}
	text, err := os.ReadFile(filepath.Join(c.dir, c.do.File))
	if err != nil {
		t.Fatal(err)
	}
	for p := range c.of.pieces(text) {
		kinds = append(kinds, p.kind)
	}
	return text, kinds
}

func (c *cut) isErased(t *testing.T, when string) {
	t.Helper()
	text, kinds := c.redone(t, when)
	switch {
	case bytes.Contains(text, []byte(confided)):
		t.Fatalf("%s: what was erased is there", when)
	case !slices.Equal(kinds, []kind{message, erased, erased, message, message}):
		t.Fatalf("%s: the records are %v", when, kinds)
	case len(text) != len(c.text) || !bytes.Equal(text[:c.first], c.text[:c.first]) || !bytes.Equal(text[c.last:], c.text[c.last:]):
		t.Fatalf("%s: other records have changed", when)
	}
	if _, err := os.Stat(journalOf(c.dir)); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("%s: what was noted is there (%v)", when, err)
	}
}

// Wherever the writing of two records ended, and in whichever order the disk took it, the next start finishes it.
func TestErasingIsFinishedFromEachByte(t *testing.T) {
	t.Parallel()
	c := cutInErasing(t)
	after := slices.Clone(c.text)
	for _, p := range c.do.Places {
		copy(after[p.Offset:], c.of.erased(p.Sequence, p.Length))
	}
	for at := c.first; at <= c.last; at++ {
		c.begin(t, slices.Concat(after[:at], c.text[at:]))
		c.isErased(t, fmt.Sprintf("cut at byte %d", at-c.first))
		c.begin(t, slices.Concat(c.text[:at], after[at:]))
		c.isErased(t, fmt.Sprintf("begun at byte %d", at-c.first))
	}
}

// A note that was cut anywhere, or a block that has lost its end, is no reason not to start, and nothing is damaged by it: what was
// not begun is erased when the server runs.
func TestErasingWithANoteThatIsCut(t *testing.T) {
	t.Parallel()
	c := cutInErasing(t)
	c.begin(t, c.text)
	note, err := os.ReadFile(journalOf(c.dir))
	if err != nil {
		t.Fatal(err)
	}
	for at := range note {
		if err := os.WriteFile(journalOf(c.dir), note[:at], 0o600); err != nil {
			t.Fatal(err)
		}
		if text, _ := c.redone(t, fmt.Sprintf("a note of %d bytes", at)); !bytes.Equal(text, c.text) {
			t.Fatalf("a note of %d bytes: the block has changed", at)
		}
	}
	for at := range len(c.text) {
		c.begin(t, c.text[:at])
		text, _ := c.redone(t, fmt.Sprintf("a block of %d bytes", at))
		if len(text) != at || !bytes.Equal(text[:min(at, c.first)], c.text[:min(at, c.first)]) || at > c.last && !bytes.Equal(text[c.last:], c.text[c.last:at]) {
			t.Fatalf("a block of %d bytes: other records have changed", at)
		}
		if end := c.do.Places[0]; at >= int(end.Offset)+end.Length && bytes.Contains(text[:int(end.Offset)+end.Length], []byte(confided)) {
			t.Fatalf("a block of %d bytes: what is whole was not erased", at)
		}
	}
}
