package natsfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// store is a server that does not sync, with one stream that keeps everything and one whose messages may expire.
type store struct {
	dir        string
	js         jetstream.JetStream
	group      *Group
	kept, gone *Stream
	end        func()
}

func run(t *testing.T) *store {
	t.Helper()
	s := &store{dir: t.TempDir(), group: NewGroup()}
	s.start(t)
	t.Cleanup(func() {
		s.group.Close()
		s.end()
	})
	for _, c := range []jetstream.StreamConfig{
		{Name: "KEPT", Subjects: []string{"kept.>"}, Duplicates: 100 * time.Millisecond},
		{Name: "GONE", Subjects: []string{"gone.>"}, AllowMsgTTL: true, MaxAge: time.Hour, Duplicates: 100 * time.Millisecond},
	} {
		if _, err := s.js.CreateStream(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if s.kept, err = s.group.Stream(s.dir, "KEPT", 0); err != nil {
		t.Fatal(err)
	}
	if s.gone, err = s.group.Stream(s.dir, "GONE", 0); err != nil {
		t.Fatal(err)
	}
	return s
}

// start starts the server, also again.
func (s *store) start(t *testing.T) {
	t.Helper()
	ns, err := server.NewServer(&server.Options{
		ServerName: "facts", DontListen: true, JetStream: true, StoreDir: s.dir, MaxPayload: 8 << 20, NoSigs: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	ns.Start()
	conn, err := nats.Connect("", nats.InProcessServer(ns))
	if err != nil {
		t.Fatal(err)
	}
	if s.js, err = jetstream.New(conn); err != nil {
		t.Fatal(err)
	}
	s.end = func() {
		conn.Close()
		ns.Shutdown()
		ns.WaitForShutdown()
	}
}

// publish publishes a message and returns its sequence when it is acknowledged.
func (s *store) publish(t *testing.T, subject string, data []byte, header nats.Header) uint64 {
	t.Helper()
	ack, err := s.js.PublishMsg(t.Context(), &nats.Msg{Subject: subject, Data: data, Header: header})
	if err != nil {
		t.Fatal(err)
	}
	return ack.Sequence
}

// synced publishes a message and waits for the disk.
func (s *store) synced(t *testing.T, stream *Stream, subject string, data []byte, header nats.Header) uint64 {
	t.Helper()
	sequence := s.publish(t, subject, data, header)
	if err := stream.Wait(t.Context(), sequence); err != nil {
		t.Fatal(err)
	}
	return sequence
}

// until tries until there is no error.
func until(t *testing.T, what string, try func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		err := try()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%s: %v", what, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// TestFacts holds what this package knows of the server. Where it fails with another version, read what has changed there before
// Tested is set to it.
func TestFacts(t *testing.T) {
	t.Run("version", func(t *testing.T) {
		if !Known() {
			t.Errorf("nats-server is %s, and %s is known", server.VERSION, Tested)
		}
	})
	t.Run("elections are the server's", electionsAreTheServers)
	t.Run("written before acknowledged", writtenBeforeAcknowledged)
	t.Run("blocks follow each other", blocksFollowEachOther)
	t.Run("blocks that expired are removed", blocksThatExpiredAreRemoved)
	t.Run("records", recordsAreAsTheServerReads)
	t.Run("the state of a consumer", stateOfAConsumer)
	t.Run("the index of a stream", indexOfAStream)
}

// Where the server's package has other variables, nothing would be set.
func electionsAreTheServers(t *testing.T) {
	if minElectionTimeout != electionAfter || maxElectionTimeout != electionBefore {
		t.Errorf("elections begin after %s to %s, want %s to %s", minElectionTimeout, maxElectionTimeout, electionAfter, electionBefore)
	}
}

// Group commit stands on this: when a message is acknowledged, its bytes are in a block file, also without SyncAlways.
func writtenBeforeAcknowledged(t *testing.T) {
	s := run(t)
	var publishers sync.WaitGroup
	for _, stream := range []*Stream{s.kept, s.gone} {
		for range 4 {
			publishers.Go(func() {
				for range 100 {
					text := uuid.NewString()
					subject := strings.ToLower(stream.stream) + "." + text
					if _, err := s.js.Publish(t.Context(), subject, []byte(text)); err != nil {
						t.Error(err)
						return
					}
					block, err := os.ReadFile(stream.block(1))
					if err != nil || !bytes.Contains(block, []byte(text)) {
						t.Errorf("a message at %s was acknowledged and is not in the block of %d bytes (%v)", subject, len(block), err)
						return
					}
				}
			})
		}
	}
	publishers.Wait()
}

// Blocks are numbered without gaps, and a sync goes on to the newest.
func blocksFollowEachOther(t *testing.T) {
	s := run(t)
	for i := range 8 {
		s.synced(t, s.gone, fmt.Sprint("gone.", i), bytes.Repeat([]byte{byte('a' + i)}, 3<<20), nil)
		numbers, err := s.gone.numbers()
		if err != nil || s.gone.index != len(numbers) {
			t.Fatalf("%d blocks (%v), the newest synced is %d", len(numbers), err, s.gone.index)
		}
	}
	if s.gone.index < 3 {
		t.Errorf("24 MB are in %d blocks", s.gone.index)
	}
	again, err := NewGroup().Stream(s.dir, "GONE", 8)
	if err != nil || again.index != s.gone.index || again.Durable() != 8 {
		t.Errorf("opened again at block %d (%v), with %d messages on disk", again.index, err, again.Durable())
	}
}

// The server removes a block when all of it has expired, the last one too. A sync that comes later finds the block that is the last then.
func blocksThatExpiredAreRemoved(t *testing.T) {
	s := run(t)
	const first = 1
	for gone := first; gone <= first+1; gone++ {
		s.synced(t, s.gone, "gone.short", []byte("{}"), nats.Header{jetstream.MsgTTLHeader: {"1s"}})
		until(t, "removal of a block", func() error {
			if _, err := os.Stat(s.gone.block(gone)); err == nil {
				return fmt.Errorf("block %d is there", gone)
			}
			return nil
		})
	}
	s.synced(t, s.gone, "gone.kept", []byte("{}"), nil)
	numbers, err := s.gone.numbers()
	if err != nil {
		t.Fatal(err)
	}
	if newest := numbers[len(numbers)-1]; s.gone.index != newest || newest < first+2 {
		t.Errorf("block %d was synced, the newest one is %d", s.gone.index, newest)
	}
}

// What is read from the blocks, in order or by sequence, is what the server hands out.
func recordsAreAsTheServerReads(t *testing.T) {
	s := run(t)
	const count = 60
	for i := range count {
		header := nats.Header{}
		if i%3 > 0 {
			header = nats.Header{"First": {fmt.Sprint(i)}, "Second": {"x", "y"}}
		}
		s.synced(t, s.kept, fmt.Sprint("kept.", i%7), bytes.Repeat([]byte("some text "), i*i*10), header)
	}
	stream, err := s.js.Stream(t.Context(), "KEPT")
	if err != nil {
		t.Fatal(err)
	}
	reader := s.kept.Reader("kept.")
	defer reader.Close()
	same := func(m Message) {
		t.Helper()
		want, err := stream.GetMsg(t.Context(), m.Sequence)
		if err != nil {
			t.Fatal(err)
		}
		header, err := nats.DecodeHeadersMsg(m.Headers)
		if len(m.Headers) == 0 {
			header, err = nil, nil
		}
		if err != nil || m.Subject != want.Subject || !bytes.Equal(m.Data, want.Data) || fmt.Sprint(header) != fmt.Sprint(want.Header) {
			t.Errorf("message %d is read as %d bytes at %s with %v (%v)", m.Sequence, len(m.Data), m.Subject, header, err)
		}
	}
	read := uint64(0)
	for m, err := range s.kept.Messages(0, count) {
		if err != nil || m.Sequence != read+1 {
			t.Fatalf("behind message %d: %+v (%v)", read, m.Sequence, err)
		}
		read++
		same(m)
	}
	if read != count {
		t.Errorf("%d of %d messages were read", read, count)
	}
	for i := range uint64(2 * count) {
		m, err := reader.Read(1 + i*37%count)
		if err != nil {
			t.Fatal(err)
		}
		same(m)
	}
	if _, err := reader.Read(count + 1); !errors.Is(err, ErrElsewhere) {
		t.Errorf("a message that is not there: got error %v", err)
	}
}

// The server keeps how far a consumer is in one file, and begins anew without it.
func stateOfAConsumer(t *testing.T) {
	s := run(t)
	s.publish(t, "gone.a", []byte("{}"), nil)
	next := func() (jetstream.Msg, error) {
		c, err := s.js.CreateOrUpdateConsumer(t.Context(), "GONE", jetstream.ConsumerConfig{Durable: "workers", AckPolicy: jetstream.AckExplicitPolicy})
		if err != nil {
			t.Fatal(err)
		}
		return c.Next(jetstream.FetchMaxWait(5 * time.Second))
	}
	m, err := next()
	if err == nil {
		err = m.DoubleAck(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	if s.gone.ForgetConsumer("workers") {
		t.Error("the state of a consumer that is whole is forgotten")
	}
	s.end()
	if err := os.WriteFile(filepath.Join(filepath.Dir(s.gone.dir), "obs", "workers", "o.dat"), make([]byte, 4), 0o600); err != nil {
		t.Fatal(err)
	}
	if !s.gone.ForgetConsumer("workers") {
		t.Error("the state of a consumer that is spoiled is kept")
	}
	s.start(t)
	if _, err := next(); err != nil {
		t.Errorf("the message is not delivered again: %v", err)
	}
}

// The server leaves an index of each stream when it ends, and reads the blocks where there is none.
func indexOfAStream(t *testing.T) {
	s := run(t)
	s.synced(t, s.kept, "kept.a", []byte("{}"), nil)
	s.publish(t, "kept.b", []byte("{}"), nil)
	large := bytes.Repeat([]byte("x"), 5<<20)
	s.publish(t, "kept.c", large, nil)
	s.publish(t, "kept.d", large, nil) // in a block of its own
	s.end()
	index := filepath.Join(s.kept.dir, "index.db")
	if _, err := os.Stat(index); err != nil {
		t.Fatal(err)
	}
	s.group.fail(errors.New("a sync failed"))
	if err := s.group.Distrust(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(index); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the index is still there (%v)", err)
	}
	s.start(t)
	stream, err := s.js.Stream(t.Context(), "KEPT")
	if err != nil || stream.CachedInfo().State.LastSeq != 1 {
		t.Errorf("the stream is %+v (%v)", stream.CachedInfo().State, err)
	}
}

// What nobody waits for is synced too, so that who waits later finds little to be synced.
func TestWhatNobodyWaitsForIsSynced(t *testing.T) {
	s := run(t)
	data := make([]byte, unsynced/4)
	add := func(i int) uint64 {
		sequence := s.publish(t, fmt.Sprint("gone.", i), data, nil)
		s.gone.Soon(sequence, len(data))
		return sequence
	}
	for i := range 4 {
		add(i)
	}
	if through := s.gone.Durable(); through != 0 {
		t.Errorf("messages up to %d are on disk, and nobody waits for that", through)
	}
	last := add(4)
	until(t, "sync", func() error {
		if through := s.gone.Durable(); through != last {
			return fmt.Errorf("messages up to %d of %d are on disk", through, last)
		}
		return nil
	})
}
