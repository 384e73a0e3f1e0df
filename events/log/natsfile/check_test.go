package natsfile

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// filled is a stream of a server that has ended: three blocks that are full and one that is not,
// with small messages at the beginning and at the end.
type filled struct {
	*store
	check Check
	last  uint64
}

func fill(t *testing.T) *filled {
	t.Helper()
	s := run(t)
	marks, err := OpenMarks(filepath.Join(s.dir, "durable"))
	if err == nil {
		err = s.kept.Mark(marks, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	f := &filled{store: s}
	header := nats.Header{"Ce-Id": {"an id"}}
	for i := range 40 {
		size := 100
		switch {
		case i >= 6 && i < 33: // nine are in a block
			size = 900 << 10
		case i == 33:
			size = 95 << 10
		}
		f.last = s.publish(t, fmt.Sprint("kept.", i), bytes.Repeat([]byte{'a' + byte(i%26)}, size), header)
	}
	if err := s.kept.Wait(t.Context(), f.last); err != nil {
		t.Fatal(err)
	}
	s.group.Close()
	s.end()
	f.check = Check{Dir: MessagesOf(s.dir, "KEPT"), Stream: "KEPT", Subject: func(string) bool { return false }, Gapless: true}
	if f.check.Mark, err = ReadMark(filepath.Join(s.dir, "durable"), 0, "KEPT"); err != nil || f.check.Mark == nil {
		t.Fatalf("the mark is %+v (%v)", f.check.Mark, err)
	}
	found := f.run(t)
	if len(found.Damage) > 0 || found.Torn != nil || found.Last != f.last || found.Blocks != 4 || len(found.Sealed) != 3 {
		t.Fatalf("a whole stream is %+v", found)
	}
	f.check.Sealed = found.Sealed
	return f
}

func (f *filled) run(t *testing.T) Condition {
	t.Helper()
	found, err := f.check.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func (f *filled) block(number int) string { return f.kept.block(number) }

// changed changes a file for as long as do takes, and has another time afterwards.
func changed(t *testing.T, path string, change func([]byte) []byte, do func()) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, change(bytes.Clone(text)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	do()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestEveryFlippedBitIsFound(t *testing.T) {
	f := fill(t)
	text, err := os.ReadFile(f.block(4))
	if err != nil {
		t.Fatal(err)
	}
	large, _ := recordOf(text)
	for i := int(large.length()) * 8; i < len(text)*8; i++ { // head, subject, headers, body and checksum of small records
		flip(t, f, 4, i)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		number := 1 + random.IntN(4)
		info, err := os.Stat(f.block(number))
		if err != nil {
			t.Fatal(err)
		}
		flip(t, f, number, random.IntN(int(info.Size())*8))
	}
	for i := range 130 * 8 / 31 { // of the first record
		flip(t, f, 1, i*31)
	}
}

// flip flips a bit of a block, which must be found.
func flip(t *testing.T, f *filled, number, bit int) {
	t.Helper()
	file, err := os.OpenFile(f.block(number), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	one := make([]byte, 1)
	change := func() {
		if _, err = file.ReadAt(one, int64(bit/8)); err == nil {
			one[0] ^= 1 << (bit % 8)
			_, err = file.WriteAt(one, int64(bit/8))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	change()
	found := f.run(t)
	change()
	if len(found.Damage) == 0 {
		t.Fatalf("bit %d of byte %d of block %d is not found: %+v", bit%8, bit/8, number, found)
	}
	d := found.Damage[0]
	if d.File != f.block(number) || d.Offset > int64(bit/8) || d.First == 0 || d.Last-d.First > 1 || d.Stream != "KEPT" {
		t.Fatalf("bit %d of byte %d of block %d is told as %v", bit%8, bit/8, number, found.Damage)
	}
}

func TestDamage(t *testing.T) {
	f := fill(t)
	if found := f.run(t); found.Read > 5<<20 || len(found.Damage) > 0 || len(found.Sealed) != 3 {
		t.Fatalf("with seals, %d bytes were read: %+v", found.Read, found)
	}
	cut := func(n int) func([]byte) []byte {
		return func(text []byte) []byte { return text[:len(text)-n] }
	}
	zeros := func(from, to int) func([]byte) []byte {
		return func(text []byte) []byte { clear(text[from:to]); return text }
	}
	for name, c := range map[string]struct {
		block  int
		change func([]byte) []byte
		want   string
	}{
		"zeros in the first block":       {1, zeros(2<<20, 3<<20), "1.blk at byte "},
		"a closed block that is cut off": {2, cut(10), "2.blk at byte "},
		"half of a closed block":         {2, func(text []byte) []byte { return text[:len(text)/2] }, "2.blk at byte "},
		"a closed block without text":    {2, func([]byte) []byte { return nil }, "2.blk at byte 0: the file ends too early"},
		"the end of the newest block":    {4, cut(10), fmt.Sprintf("this is not a whole record (message %d)", f.last)},
		"the last records":               {4, cut(300), fmt.Sprintf("this is not a whole record (messages %d to %d)", f.last-1, f.last)},
		"all of the newest block":        {4, func([]byte) []byte { return nil }, "4.blk at byte 0: the file ends too early"},
		"zeros for the newest block":     {4, func(text []byte) []byte { clear(text); return text }, "4.blk at byte 0: "},
	} {
		changed(t, f.block(c.block), c.change, func() {
			found := f.run(t)
			if len(found.Damage) != 1 || !strings.Contains(found.Damage[0].String(), c.want) || found.Damage[0].First == 0 {
				t.Errorf("%s: %+v", name, found.Damage)
			}
		})
	}
	for number := 1; number <= 4; number++ {
		path := f.block(number)
		if err := os.Rename(path, path+".away"); err != nil {
			t.Fatal(err)
		}
		found := f.run(t)
		if len(found.Damage) != 1 || found.Damage[0].File != path || found.Damage[0].Reason != "the file is missing" || found.Damage[0].First == 0 {
			t.Errorf("without block %d: %v", number, found.Damage)
		}
		if err := os.Rename(path+".away", path); err != nil {
			t.Fatal(err)
		}
	}
}

// What was not on disk may be torn, or missing, as far as the mark says.
func TestTornEnd(t *testing.T) {
	f := fill(t)
	for name, c := range map[string]struct {
		mark  *Mark
		block int
		cut   int
		torn  bool
	}{
		"nothing is known":                             {nil, 4, 10, true},
		"the last message was not on disk":             {&Mark{f.last - 1, 4}, 4, 10, true},
		"the block was the newest and is not now":      {&Mark{1, 3}, 3, 10, true},
		"nothing is known, and other blocks follow":    {nil, 3, 10, false},
		"the block was complete":                       {&Mark{1, 4}, 3, 10, false},
		"the block was the newest, and it was on disk": {&Mark{f.last, 3}, 3, 10, false},
	} {
		f.check.Mark = c.mark
		changed(t, f.block(c.block), func(text []byte) []byte { return text[:len(text)-c.cut] }, func() {
			found := f.run(t)
			if (found.Torn != nil) != c.torn || (len(found.Damage) > 0) == c.torn || found.Cut != (c.torn && c.block < 4) {
				t.Errorf("%s: %+v", name, found)
			}
		})
	}
	// The machine stopped when a page behind another one was written, and that one was not.
	for name, c := range map[string]struct {
		mark     *Mark
		from, to int // of the newest block, in pages
		torn     bool
	}{
		"the rest of the stream was not on disk": {&Mark{f.last - 7, 4}, 5, 6, true},
		"several pages":                          {&Mark{f.last - 7, 4}, 5, 20, true},
		"it was on disk":                         {&Mark{f.last, 4}, 5, 6, false},
		"the block was complete":                 {&Mark{1, 5}, 5, 6, false},
		"nothing is known":                       {nil, 5, 6, false},
	} {
		f.check.Mark = c.mark
		changed(t, f.block(4), func(text []byte) []byte { clear(text[c.from*filePage : c.to*filePage]); return text }, func() {
			found := f.run(t)
			if (found.Torn != nil) != c.torn || (len(found.Damage) > 0) == c.torn || found.Cut != c.torn {
				t.Errorf("a page is missing, %s: %+v", name, found)
			}
		})
	}
	f.check.Mark = &Mark{f.last - 7, 4}
	changed(t, f.block(4), func(text []byte) []byte { text[5*filePage+5] ^= 4; return text }, func() {
		if found := f.run(t); found.Torn != nil || len(found.Damage) == 0 {
			t.Errorf("a bit is another one where nobody was told: %+v", found)
		}
	})
	// The machine stopped when the next block had a name and nothing else yet.
	for name, mark := range map[string]*Mark{"": {f.last - 1, 4}, "it was on disk": {f.last, 4}, "the next block was begun": {f.last - 1, 5}} {
		f.check.Mark = mark
		changed(t, f.block(4), func(text []byte) []byte { return append(text[:len(text)-10], make([]byte, 10)...) }, func() {
			if err := os.WriteFile(f.block(5), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			found := f.run(t)
			if (found.Torn != nil) != (name == "") || (len(found.Damage) > 0) == (name == "") || found.Cut != (name == "") {
				t.Errorf("an empty block follows, %s: %+v", name, found)
			}
			if err := os.Remove(f.block(5)); err != nil {
				t.Fatal(err)
			}
		})
	}
	f.check.Mark = &Mark{1, 3}
	text, err := os.ReadFile(f.block(3))
	if err == nil {
		err = os.WriteFile(f.block(3), text[:len(text)-10], 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	found := f.run(t)
	if err := Cut(*found.Torn); err != nil {
		t.Fatal(err)
	}
	after := f.run(t)
	if after.Torn != nil || len(after.Damage) > 0 || after.Last != found.Last || after.Blocks != 3 {
		t.Errorf("what is cut off leaves %+v of %+v", after, found)
	}
	f.start(t)
	stream, err := f.js.Stream(t.Context(), "KEPT")
	if err != nil || stream.CachedInfo().State.Msgs != found.Last {
		t.Fatalf("the server has %+v (%v)", stream.CachedInfo().State, err)
	}
	for range 3 {
		f.publish(t, "kept.more", []byte("{}"), nil)
	}
	f.end()
	f.check.Mark = nil
	if found := f.run(t); len(found.Damage) > 0 {
		t.Errorf("the server leaves damage behind what was cut off: %v", found.Damage)
	}
}

// What was deleted is not missing, however it was deleted.
func TestDeletedMessagesAreNotMissing(t *testing.T) {
	s := run(t)
	data := bytes.Repeat([]byte{'x'}, 900<<10)
	for i := range 30 {
		s.publish(t, fmt.Sprint("kept.", i), data, nats.Header{"Ce-Id": {"an id"}})
	}
	stream, err := s.js.Stream(t.Context(), "KEPT")
	if err != nil {
		t.Fatal(err)
	}
	for _, sequence := range []uint64{1, 4, 5, 6, 9, 12, 20, 29} {
		remove := stream.DeleteMsg
		if sequence%2 == 0 {
			remove = stream.SecureDeleteMsg
		}
		if err := remove(t.Context(), sequence); err != nil {
			t.Fatal(err)
		}
	}
	s.group.Close()
	s.end()
	check := Check{Dir: MessagesOf(s.dir, "KEPT"), Stream: "KEPT", Subject: func(string) bool { return false }, Gapless: true}
	found, err := check.Run(t.Context())
	if err != nil || len(found.Damage) > 0 || found.Last != 30 {
		t.Errorf("%+v (%v)", found, err)
	}
	if want := []Run{{1, 1}, {4, 6}, {9, 9}, {12, 12}, {20, 20}, {29, 29}}; !slices.Equal(found.Gone, want) {
		t.Errorf("gone is %v, want %v", found.Gone, want)
	}
}

// What is mended has the whole records as they were, those that are given in their places, and all sequences.
func TestMend(t *testing.T) {
	if testing.Short() {
		t.Skip("mending every byte takes long")
	}
	f := fill(t)
	was := map[uint64]Message{}
	for m, err := range f.kept.Messages(0, f.last) {
		if err != nil {
			t.Fatal(err)
		}
		m.Headers, m.Data = bytes.Clone(m.Headers), bytes.Clone(m.Data)
		was[m.Sequence] = m
	}
	spoil := func(number int, change func([]byte) []byte) func() {
		return func() {
			text, err := os.ReadFile(f.block(number))
			if err == nil {
				err = os.WriteFile(f.block(number), change(text), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	remove := func(number int) func() {
		return func() {
			if err := os.Remove(f.block(number)); err != nil {
				t.Fatal(err)
			}
		}
	}
	kept := t.TempDir()
	if err := os.CopyFS(kept, os.DirFS(f.check.Dir)); err != nil {
		t.Fatal(err)
	}
	for name, do := range map[string]func(){
		"a bit":                   spoil(2, func(text []byte) []byte { text[len(text)/2] ^= 1; return text }),
		"zeros":                   spoil(1, func(text []byte) []byte { clear(text[1<<20 : 3<<20]); return text }),
		"the first block missing": remove(1),
		"two blocks missing":      func() { remove(2)(); remove(3)() },
		"the newest missing":      remove(4),
		"all of them missing":     func() { remove(1)(); remove(2)(); remove(3)(); remove(4)() },
		"the end of a block":      spoil(2, func(text []byte) []byte { return text[:len(text)/2] }),
		"the newest is empty":     spoil(4, func([]byte) []byte { return nil }),
		"ends on both sides": func() {
			spoil(1, func(text []byte) []byte { clear(text[len(text)-100:]); return text })()
			spoil(2, func(text []byte) []byte { clear(text[:100]); return text })()
		},
	} {
		t.Run(name, func(t *testing.T) {
			if err := errors.Join(os.RemoveAll(f.check.Dir), os.CopyFS(f.check.Dir, os.DirFS(kept))); err != nil {
				t.Fatal(err)
			}
			do()
			found := f.run(t)
			if len(found.Damage) == 0 {
				t.Fatal("no damage is found")
			}
			for _, given := range []bool{true, false} {
				dir := t.TempDir()
				if err := CopyStore(StoreOf(f.dir), StoreOf(dir)); err != nil {
					t.Fatal(err)
				}
				gone := map[uint64]bool{}
				err := f.check.Mend(t.Context(), found, MessagesOf(dir, "KEPT"), func(sequence uint64) (Message, bool) {
					return was[sequence], given
				}, func(sequence uint64) { gone[sequence] = true })
				if err != nil {
					t.Fatal(err)
				}
				check := f.check
				check.Dir, check.Sealed = MessagesOf(dir, "KEPT"), nil
				if after, err := check.Run(t.Context()); err != nil || len(after.Damage) > 0 || after.Torn != nil || after.Last != f.last {
					t.Fatalf("given %v: %+v (%v)", given, after, err)
				}
				if given == (len(gone) > 0) {
					t.Errorf("%d messages are missing", len(gone))
				}
				s := &store{dir: dir}
				s.start(t)
				stream, err := s.js.Stream(t.Context(), "KEPT")
				if err != nil {
					t.Fatal(err)
				}
				if state := stream.CachedInfo().State; state.LastSeq != f.last || state.Msgs != f.last-uint64(len(gone)) {
					t.Errorf("given %v: the server has %+v, and %d are gone", given, state, len(gone))
				}
				for sequence, want := range was {
					m, err := stream.GetMsg(t.Context(), sequence)
					if gone[sequence] != errors.Is(err, jetstream.ErrMsgNotFound) || err == nil && (m.Subject != want.Subject || !bytes.Equal(m.Data, want.Data) || m.Header.Get("Ce-Id") == "") {
						t.Fatalf("given %v: message %d is another one, gone %v: %v", given, sequence, gone[sequence], err)
					}
				}
				if next := s.publish(t, "kept.more", nil, nil); next != f.last+1 {
					t.Errorf("given %v: the next message is %d", given, next)
				}
				s.end()
			}
		})
	}
}

// What is kept of a stream whose messages expire does not grow with how many have.
func TestMarksOfExpiredMessagesAreNotKept(t *testing.T) {
	s := run(t)
	data := bytes.Repeat([]byte{'x'}, 900<<10)
	const count = 30
	for i := range count {
		s.publish(t, fmt.Sprint("gone.", i), data, nats.Header{"Ce-Id": {"an id"}})
	}
	stream, err := s.js.Stream(t.Context(), "GONE")
	if err != nil {
		t.Fatal(err)
	}
	for i := range count / 2 { // as many as leave each block where it is, each with a mark
		if err := stream.DeleteMsg(t.Context(), uint64(2*i+2)); err != nil {
			t.Fatal(err)
		}
		for range 20 {
			s.publish(t, fmt.Sprint("gone.", uuid.NewString()), nil, nil)
		}
	}
	last := s.publish(t, "gone.large", bytes.Repeat(data, 8), nil) // a block of its own
	s.group.Close()
	s.end()
	check := Check{Dir: MessagesOf(s.dir, "GONE"), Stream: "GONE", Subject: func(string) bool { return true }}
	for range 2 {
		found, err := check.Run(t.Context())
		if err != nil || len(found.Damage) > 0 || found.Last != last || len(found.Sealed) < 3 {
			t.Fatalf("%+v (%v)", found, err)
		}
		for _, seal := range found.Sealed {
			if len(seal.Deleted) > 1 {
				t.Errorf("of block %d the marks %v are kept", seal.Number, seal.Deleted)
			}
		}
		check.Sealed = found.Sealed
	}
}
