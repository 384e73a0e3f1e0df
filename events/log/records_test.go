package log

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/events/log/logtest"
)

// filled is a log that commits in groups, with events in some blocks; some are long.
func filled(t *testing.T, count int) (l *Log, ids []uuid.UUID, ok bool) {
	t.Helper()
	if l, ok = openGrouped(t); !ok {
		return nil, nil, false
	}
	for i := range count {
		length := []int{0, 20, 600, 10_000}[i%4]
		if i%100 == 7 { // the file of a block has 8 MiB
			length = 1 << 19
		}
		e := logtest.Created(strings.Repeat("long ", length))
		appended(t, l, e, 0)
		ids = append(ids, e.ID)
	}
	return l, ids, true
}

// countBlocks counts the blocks of EVENTS.
func countBlocks(t *testing.T, l *Log) int {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(blocksOf(l, EventsStream), "*.blk"))
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}

// Single events that are read from the blocks are what the server hands out, at any sequences in any order, for many readers at once,
// while events are appended and blocks begun.
func TestRecords(t *testing.T) {
	t.Parallel()
	l, _, ok := filled(t, 310)
	if !ok {
		return
	}
	begun := countBlocks(t, l)
	ended := make(chan struct{})
	var appending, reading sync.WaitGroup
	appending.Go(func() {
		defer close(ended)
		for i := range 150 {
			if _, err := l.Append(t.Context(), logtest.Created(strings.Repeat("long ", i%5*10_000)), 0); err != nil {
				t.Error(err)
			}
		}
	})
	for reader := range uint64(4) {
		reading.Go(func() {
			random := rand.New(rand.NewPCG(reader, 1))
			for over := false; !over && !t.Failed(); {
				select {
				case <-ended:
					over = true
				default:
				}
				known, _ := l.Known()
				sequences := make([]uint64, 1+random.IntN(12))
				for i := range sequences {
					switch random.IntN(4) {
					case 0:
						sequences[i] = known - random.Uint64N(3)
					case 1:
						sequences[i] = min(sequences[max(i-1, 0)]+1+random.Uint64N(2), known)
					default:
						sequences[i] = 1 + random.Uint64N(known)
					}
				}
				got, ok, err := groupOf(l).pick(t.Context(), sequences)
				want, failure := l.fromServer(t.Context(), sequences)
				if !ok || err != nil || failure != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("%v: read %d events from the blocks (%v, %v), want the %d of the server (%v)", sequences, len(got), ok, err, len(want), failure)
				}
			}
		})
	}
	appending.Wait()
	reading.Wait()
	if now := countBlocks(t, l); begun < 2 || now <= begun {
		t.Errorf("%d blocks before and %d after, want two or more and then more", begun, now)
	}
	known, _ := l.Known()
	for _, sequences := range [][]uint64{{0}, {known + 1}, {1, known + 1}} {
		if list, ok, err := groupOf(l).pick(t.Context(), sequences); ok {
			t.Errorf("%v of %d: read %d events (%v)", sequences, known, len(list), err)
		}
	}
}

// What is damaged in the blocks is not read from them: the server is asked. Events beside it are read all the same.
func TestRecordsOfDamagedBlocks(t *testing.T) {
	for _, c := range []struct {
		name   string
		damage func(text []byte, e events.Event) []byte
		behind bool // what is behind it can be read
	}{
		{"headers", inHeaders, true},
		{"length", inLength, false},
		{"cut off", cutOff, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, ok := openGrouped(t)
			if !ok {
				return
			}
			var list []events.Event
			for range 9 {
				e := logtest.Created("a")
				e.Sequence = appended(t, l, e, 0)
				list = append(list, e)
			}
			all := []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9}
			name := filepath.Join(blocksOf(l, EventsStream), "1.blk")
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, c.damage(text, list[4]), 0o600); err != nil {
				t.Fatal(err)
			}
			for i, e := range list {
				got, ok, err := groupOf(l).pick(t.Context(), all[i:i+1])
				if want := i < 4 || i > 4 && c.behind; ok != want || err != nil || ok && got[0].ID != e.ID {
					t.Errorf("event %d: read %+v (%v, %v), want that from the blocks to be %v", e.Sequence, got, ok, err, want)
				}
				got, err = l.AtAll(t.Context(), all[i:i+1])
				if err == nil && got[0].ID != e.ID || err != nil && i < 4 {
					t.Errorf("event %d: read %+v (%v)", e.Sequence, got, err)
				}
			}
		})
	}
}

func inHeaders(text []byte, e events.Event) []byte {
	text[bytes.Index(text, []byte(e.ID.String()))] ^= 1
	return text
}

func inLength(text []byte, e events.Event) []byte {
	text[bytes.Index(text, []byte(e.Subject.String()))-22] ^= 4
	return text
}

func cutOff(text []byte, e events.Event) []byte {
	return text[:bytes.Index(text, []byte(e.ID.String()))]
}

// Where a block is missing, the server is asked.
func TestRecordsWithoutABlock(t *testing.T) {
	l, ids, ok := filled(t, 210)
	if !ok {
		return
	}
	name := filepath.Join(blocksOf(l, EventsStream), "1.blk")
	if err := os.Rename(name, name+".away"); err != nil {
		t.Fatal(err)
	}
	for _, sequence := range []uint64{1, 210, 1} {
		list, err := l.AtAll(t.Context(), []uint64{sequence})
		if err == nil && list[0].ID != ids[sequence-1] || err != nil && sequence == 210 {
			t.Errorf("event %d: read %+v (%v)", sequence, list, err)
		}
	}
}

// Whatever is damaged in a block of many windows, a message is read as it was or not at all, and what is far from the damage is read.
func TestRecordsOfALargeDamagedBlock(t *testing.T) {
	l, _, ok := filled(t, 60)
	if !ok {
		return
	}
	name := filepath.Join(blocksOf(l, EventsStream), "1.blk")
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	known, _ := l.Known()
	want := map[uint64][]byte{}
	for m, err := range groupOf(l).events.Messages(0, known) {
		if err != nil {
			t.Fatal(err)
		}
		want[m.Sequence] = bytes.Clone(m.Data)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		text := bytes.Clone(whole)
		at := random.IntN(len(text) - 200)
		switch random.IntN(3) {
		case 0:
			text[at] ^= 1 << random.IntN(8)
		case 1:
			clear(text[at : at+200])
		default:
			text = text[:at]
		}
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		found := 0
		for sequence := uint64(1); sequence <= known; sequence++ {
			reader := groupOf(l).events.Reader("evt.")
			if m, err := reader.Read(sequence); err == nil {
				found++
				if !bytes.Equal(m.Data, want[sequence]) {
					t.Fatalf("damaged at %d: message %d is another one", at, sequence)
				}
			}
			reader.Close()
		}
		if found == 0 || found == len(want) {
			t.Errorf("damaged at %d of %d: %d of %d messages were read", at, len(text), found, len(want))
		}
	}
}
