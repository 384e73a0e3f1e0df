package history

import (
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/commands"
	"reckon/events"
	"reckon/events/log"
)

var messages = flag.Int("messages", 20_000, "how many messages the history of a benchmark has")

// longHistory writes a log of conversations of four messages each, 100 of them at a time, to a
// directory, without waiting for the disk: a calculation, a what-if, an extension and an error.
func longHistory(b *testing.B, count int) (*log.Log, uint64) {
	b.Helper()
	dir := b.TempDir()
	kept, err := log.Open(b.Context(), log.Options{Dir: dir})
	if err != nil {
		b.Fatal(err)
	}
	admin := commands.Admin{Log: kept}
	if _, err := admin.CreateAccount(b.Context(), commands.CreateAccount{Name: "acme"}); err != nil {
		b.Fatal(err)
	}
	published, err := admin.Publish(b.Context(), commands.Publication{Account: "acme", Definition: trip(b).Definition})
	if err != nil {
		b.Fatal(err)
	}
	version, err := versions(kept).Get(b.Context(), commands.AccountID("acme"), published.DomainID, 1)
	if err != nil {
		b.Fatal(err)
	}
	if err := kept.Close(); err != nil {
		b.Fatal(err)
	}
	model := newTalk()
	for _, text := range []string{drive, "speed: 75 mi/h", "cost: ?", "price: 4 USD/gal"} {
		model.say(version.Domain, text)
	}
	s, err := log.RunServer(b.Context(), &server.Options{ServerName: "log", DontListen: true, StoreDir: filepath.Join(dir, "log"), MaxPayload: 4 << 20}, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	conn, err := nats.Connect("", nats.InProcessServer(s))
	if err != nil {
		b.Fatal(err)
	}
	js, err := jetstream.New(conn, jetstream.WithPublishAsyncMaxPending(4096), jetstream.WithPublishAsyncTimeout(time.Minute))
	if err != nil {
		b.Fatal(err)
	}
	for written := 0; written < count; {
		var open [100]uuid.UUID
		for i := range open {
			open[i] = uuid.New()
		}
		for _, said := range model.messages {
			for _, id := range open {
				e := events.Event{ID: uuid.New(), Time: said.UpdatedAt, Subject: events.ConversationSubject(commands.AccountID("acme"), id)}
				if said.Completed != nil {
					data := *said.Completed
					data.ConversationID, data.MessageID = id, uuid.New()
					e.Data = &data
				} else {
					data := *said.Failed
					data.ConversationID, data.MessageID = id, uuid.New()
					e.Data = &data
				}
				m, err := log.Message(e)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := js.PublishMsgAsync(m, jetstream.WithStallWait(time.Minute)); err != nil {
					b.Fatal(err)
				}
				written++
			}
		}
	}
	<-js.PublishAsyncComplete()
	conn.Close()
	s.Shutdown()
	s.WaitForShutdown()
	if kept, err = log.Open(b.Context(), log.Options{Dir: dir}); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = kept.Close() })
	last, err := kept.Last(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	return kept, last
}

// BenchmarkReplay reads one history as a plain ordered consumer does, decodes it, reads and folds
// it as replay does, and as replay computes it again. Memory is that of the process, with the log's
// server: after reading and folding, what is reachable on the heap.
func BenchmarkReplay(b *testing.B) {
	log, last := longHistory(b, *messages)
	rate := func(b *testing.B) { b.ReportMetric(float64(last)*float64(b.N)/b.Elapsed().Seconds(), "events/s") }
	b.Run("consumer", func(b *testing.B) {
		for b.Loop() {
			c, err := log.JetStream().OrderedConsumer(b.Context(), "EVENTS", jetstream.OrderedConsumerConfig{})
			if err != nil {
				b.Fatal(err)
			}
			done := make(chan struct{})
			n := uint64(0)
			consuming, err := c.Consume(func(jetstream.Msg) {
				if n++; n == last {
					close(done)
				}
			}, jetstream.PullMaxMessages(8192))
			if err != nil {
				b.Fatal(err)
			}
			<-done
			consuming.Stop()
		}
		rate(b)
	})
	b.Run("scan", func(b *testing.B) {
		for b.Loop() {
			if err := log.Scan(b.Context(), 0, last, nil, func(uint64, []events.Event) error { return nil }); err != nil {
				b.Fatal(err)
			}
		}
		rate(b)
	})
	b.Run("fold", func(b *testing.B) {
		for b.Loop() {
			read := uint64(0)
			if err := readLog(b.Context(), log, Selection{}, nil, func(_ *fold, upTo, _ uint64, _ []*question) error {
				read = upTo
				return nil
			}); err != nil || read != last {
				b.Fatal(read, err)
			}
		}
		rate(b)
		b.ReportMetric(heap(), "heap-MiB")
	})
	b.Run("compute", func(b *testing.B) {
		for b.Loop() {
			done, err := Replay(b.Context(), log, Selection{}, func(Difference) error { return nil }, func(Replayed) {})
			if err != nil || done.Same != done.Messages || done.Messages == 0 {
				b.Fatal(done, err)
			}
		}
		rate(b)
		b.ReportMetric(peak(), "peak-MiB")
	})
}

// heap is what the program's heap holds, in MiB.
func heap() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}

// peak is the most memory that this process has had resident, in MiB; 0 where the machine does not
// tell.
func peak() float64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		var kib float64
		if n, _ := fmt.Sscanf(line, "VmHWM: %f kB", &kib); n == 1 {
			return kib / 1024
		}
	}
	return 0
}
