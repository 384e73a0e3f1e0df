package log

import (
	"bytes"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
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
func TestRecords(t *testing.T) {
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
				e := created("a")
				e.Sequence = appended(t, l, e, 0)
				list = append(list, e)
			}
			all := []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9}
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

func inHeaders(text []byte, e events.Event) []byte {
	text[bytes.Index(text, []byte(e.ID.String()))] ^= 1
	return text
}

func inLength(text []byte, e events.Event) []byte {
	text[bytes.Index(text, []byte(e.Subject.String()))-recordHead] ^= 4
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

// one reads one message.
func (r *Records) one(sequence, newest uint64) (subject string, data []byte, ok bool) {
	_ = r.Read([]uint64{sequence}, newest, func(_ uint64, of string, text []byte) error {
		subject, data, ok = of, bytes.Clone(text), true
		return nil
	})
	return subject, data, ok
}

// bucketOf is a stream that keeps the last message of each subject, of a server of its own on a directory.
func bucketOf(t *testing.T, dir string) (js jetstream.JetStream, stream jetstream.Stream, end func()) {
	t.Helper()
	s, err := RunServer(t.Context(), &server.Options{ServerName: "bucket", DontListen: true, StoreDir: dir, MaxPayload: 8 << 20}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := nats.Connect("", nats.InProcessServer(s))
	if err != nil {
		t.Fatal(err)
	}
	if js, err = jetstream.New(conn); err != nil {
		t.Fatal(err)
	}
	stream, err = js.CreateOrUpdateStream(t.Context(), jetstream.StreamConfig{
		Name: "KV_bucket", Subjects: []string{"$KV.bucket.>"}, MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, AllowDirect: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return js, stream, func() {
		conn.Close()
		s.Shutdown()
		s.WaitForShutdown()
	}
}

// What is read of a stream in which messages take the place of others is what the server hands out, while they do, after the server has
// replaced and removed blocks, and after it was started again. A message that was replaced may be there no more, but none is taken for
// another one.
func TestRecordsOfABucket(t *testing.T) {
	dir := t.TempDir()
	js, stream, end := bucketOf(t, dir)
	records := NewRecords(dir, "KV_bucket", "$KV.bucket.")
	const keys = 200
	var (
		mu     sync.Mutex
		stands = map[string]uint64{} // by subject
		coming string                // the subject that is being written
		was    []jetstream.RawStreamMsg
	)
	random := rand.New(rand.NewPCG(1, 2))
	write := func(count, of int) {
		for range count {
			subject := "$KV.bucket." + strconv.Itoa(random.IntN(of))
			length := 100 + random.IntN(10_000)
			if random.IntN(100) == 0 {
				length = 300_000
			}
			data := []byte(strings.Repeat(strconv.Itoa(random.IntN(10_000))+" $KV.bucket.1 ", length/16))
			mu.Lock()
			coming = subject
			mu.Unlock()
			ack, err := js.Publish(t.Context(), subject, data)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			stands[subject] = ack.Sequence
			was = append(was, jetstream.RawStreamMsg{Subject: subject, Sequence: ack.Sequence, Data: data})
			mu.Unlock()
		}
	}
	check := func(r *Records) (gone int) {
		t.Helper()
		newest := uint64(len(was))
		rising := slices.Sorted(maps.Values(stands))
		read := 0
		err := r.Read(rising, newest, func(sequence uint64, subject string, data []byte) error {
			if m := was[sequence-1]; sequence != rising[read] || subject != m.Subject || !bytes.Equal(data, m.Data) {
				t.Fatalf("message %d of all that rise: read %d bytes of %s", sequence, len(data), subject)
			}
			read++
			return nil
		})
		if err != nil || read != len(rising) {
			t.Fatalf("read %d messages that rise (%v), want %d", read, err, len(rising))
		}
		for subject, sequence := range stands {
			got, data, ok := r.one(sequence, newest)
			want, failure := stream.GetLastMsgForSubject(t.Context(), subject)
			if !ok || failure != nil || got != subject || !bytes.Equal(data, want.Data) || want.Sequence != sequence {
				t.Fatalf("message %d of %s: read %d bytes of %s (%t), want those of the server (%v)", sequence, subject, len(data), got, ok, failure)
			}
		}
		for _, m := range was {
			if stands[m.Subject] == m.Sequence {
				continue
			}
			got, data, ok := r.one(m.Sequence, newest)
			if !ok {
				gone++
			} else if got != m.Subject || !bytes.Equal(data, m.Data) {
				t.Fatalf("message %d, which was replaced: read %d bytes of %s", m.Sequence, len(data), got)
			}
		}
		return gone
	}
	write(keys*2, keys)
	check(records)

	ended := make(chan struct{})
	var writing, reading sync.WaitGroup
	writing.Go(func() {
		defer close(ended)
		write(keys*6, keys)
	})
	for reader := range uint64(2) {
		reading.Go(func() {
			random := rand.New(rand.NewPCG(reader, 1))
			for !t.Failed() {
				select {
				case <-ended:
					return
				default:
				}
				mu.Lock()
				m, newest := was[random.IntN(len(was))], uint64(len(was))
				m = was[stands[m.Subject]-1]
				mu.Unlock()
				subject, data, ok := records.one(m.Sequence, newest)
				mu.Lock()
				replaced := stands[m.Subject] != m.Sequence || coming == m.Subject
				mu.Unlock()
				if !ok && !replaced || ok && (subject != m.Subject || !bytes.Equal(data, m.Data)) {
					t.Errorf("message %d: read %d bytes of %s (%t)", m.Sequence, len(data), subject, ok)
				}
			}
		})
	}
	writing.Wait()
	reading.Wait()
	if gone := check(records); gone < keys {
		t.Errorf("of %d messages that were replaced %d are gone, want so many that blocks were", len(was)-keys, gone)
	}

	end()
	_, stream, end = bucketOf(t, dir)
	defer end()
	check(records)
	check(NewRecords(dir, "KV_bucket", "$KV.bucket."))
}

// Whatever is damaged in a block of many windows, a message is read as it was or not at all, and what is far from the damage is read.
func TestRecordsOfALargeDamagedBlock(t *testing.T) {
	l, _, ok := filled(t, 60)
	if !ok {
		return
	}
	name := l.commit.events.block(1)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	known, _ := l.Known()
	want := map[uint64][]byte{}
	for m, err := range l.commit.events.messages(0, known) {
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
			if _, data, ok := l.commit.records.one(sequence, known); ok {
				found++
				if !bytes.Equal(data, want[sequence]) {
					t.Fatalf("damaged at %d: message %d is another one", at, sequence)
				}
			}
		}
		if found == 0 || found == len(want) {
			t.Errorf("damaged at %d of %d: %d of %d messages were read", at, len(text), found, len(want))
		}
	}
}
