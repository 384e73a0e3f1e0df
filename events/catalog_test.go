package events

import (
	"bytes"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
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
		e := created(strings.Repeat("long ", length))
		appended(t, l, e, 0)
		ids = append(ids, e.ID)
	}
	return l, ids, true
}

// blocksOf counts the blocks of EVENTS.
func blocksOf(t *testing.T, l *Log) int {
	t.Helper()
	numbers, err := l.commit.events.numbers()
	if err != nil {
		t.Fatal(err)
	}
	return len(numbers)
}

// Single events that are read from the blocks are what the server hands out, at any sequences in any order, for many readers at once,
// while events are appended and blocks begun.
func TestCatalog(t *testing.T) {
	l, _, ok := filled(t, 310)
	if !ok {
		return
	}
	begun := blocksOf(t, l)
	ended := make(chan struct{})
	var appending, reading sync.WaitGroup
	appending.Go(func() {
		defer close(ended)
		for i := range 150 {
			if _, err := l.Append(t.Context(), created(strings.Repeat("long ", i%5*10_000)), 0); err != nil {
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
				got, ok, err := l.fromBlocks(t.Context(), sequences)
				want, failure := l.fromServer(t.Context(), sequences)
				if !ok || err != nil || failure != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("%v: read %d events from the blocks (%v, %v), want the %d of the server (%v)", sequences, len(got), ok, err, len(want), failure)
				}
			}
		})
	}
	appending.Wait()
	reading.Wait()
	if now := blocksOf(t, l); begun < 2 || now <= begun {
		t.Errorf("%d blocks before and %d after, want two or more and then more", begun, now)
	}
	known, _ := l.Known()
	for _, sequences := range [][]uint64{{0}, {known + 1}, {1, known + 1}} {
		if list, ok, err := l.fromBlocks(t.Context(), sequences); ok {
			t.Errorf("%v of %d: read %d events (%v)", sequences, known, len(list), err)
		}
	}
	for _, s := range l.commit.catalog.sheets {
		if len(s.stretches) == 0 || len(s.stretches) > 8<<20/stretchSize {
			t.Errorf("block %d has %d stretches", s.number, len(s.stretches))
		}
	}
}

// A sheet that has forgotten its stretches finds them again.
func TestCatalogIsBounded(t *testing.T) {
	l, ids, ok := filled(t, 210)
	if !ok {
		return
	}
	for range 3 {
		for _, sequence := range []uint64{1, 110, 210} {
			list, ok, err := l.fromBlocks(t.Context(), []uint64{sequence})
			if !ok || err != nil || list[0].ID != ids[sequence-1] {
				t.Fatalf("event %d: %v (%v)", sequence, ok, err)
			}
		}
		for range maxCatalogued {
			l.commit.catalog.bound(&sheet{})
		}
		for _, s := range l.commit.catalog.sheets {
			if len(s.stretches) > 0 {
				t.Errorf("block %d has %d stretches beside too many others", s.number, len(s.stretches))
			}
		}
	}
	if n := len(l.commit.catalog.known); n != maxCatalogued {
		t.Errorf("%d sheets know stretches, want %d", n, maxCatalogued)
	}
}

// What is damaged in the blocks is not read from them: the server is asked. Events beside it are read all the same.
func TestCatalogOfDamagedBlocks(t *testing.T) {
	for _, c := range []struct {
		name   string
		late   bool // it is damaged after the stretches are known
		damage func(text []byte, e Event) []byte
		behind bool // what is behind it can be read
	}{
		{"headers", false, inHeaders, true},
		{"headers, late", true, inHeaders, true},
		{"length", false, inLength, false},
		{"length, late", true, inLength, false}, // in its stretch
		{"cut off", false, cutOff, false},
		{"cut off, late", true, cutOff, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, ok := openGrouped(t)
			if !ok {
				return
			}
			var list []Event
			for range 9 {
				e := created("a")
				e.Sequence = appended(t, l, e, 0)
				list = append(list, e)
			}
			all := []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9}
			if _, ok, err := l.fromBlocks(t.Context(), all); c.late && (!ok || err != nil) {
				t.Fatal(err)
			}
			name := l.commit.events.block(1)
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, c.damage(text, list[4]), 0o600); err != nil {
				t.Fatal(err)
			}
			for i, e := range list {
				got, ok, err := l.fromBlocks(t.Context(), all[i:i+1])
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

func inHeaders(text []byte, e Event) []byte {
	text[bytes.Index(text, []byte(e.ID.String()))] ^= 1
	return text
}

func inLength(text []byte, e Event) []byte {
	text[bytes.Index(text, []byte(e.Subject.String()))-recordHead] ^= 4
	return text
}

func cutOff(text []byte, e Event) []byte {
	return text[:bytes.Index(text, []byte(e.ID.String()))]
}

// Where a block is missing, the server is asked.
func TestCatalogWithoutABlock(t *testing.T) {
	l, ids, ok := filled(t, 210)
	if !ok {
		return
	}
	name := l.commit.events.block(1)
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
