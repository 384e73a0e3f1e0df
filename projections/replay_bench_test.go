package projections

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
	"reckon/events/log"
)

// BenchmarkReplay reads a whole history: with a plain ordered consumer, which decodes nothing, and
// folded into buckets from the same log. The ratio of the two is what replay costs beyond reading.
func BenchmarkReplay(b *testing.B) {
	dir, last := writeHistory(b, *messages)
	log := openLog(b, dir)
	rate := func(b *testing.B) float64 { return float64(last) * float64(b.N) / b.Elapsed().Seconds() }
	plain := 0.0
	b.Run("consumer", func(b *testing.B) {
		before := processor(b)
		for b.Loop() {
			consumer, err := log.JetStream().OrderedConsumer(b.Context(), "EVENTS", jetstream.OrderedConsumerConfig{})
			if err != nil {
				b.Fatal(err)
			}
			done := make(chan struct{})
			count := uint64(0)
			consuming, err := consumer.Consume(func(jetstream.Msg) {
				if count++; count == last {
					close(done)
				}
			}, jetstream.PullMaxMessages(8192))
			if err != nil {
				b.Fatal(err)
			}
			<-done
			consuming.Stop()
		}
		b.ReportMetric((processor(b)-before)*1e6/float64(last)/float64(b.N), "cpu-µs/event")
		plain = rate(b)
		b.ReportMetric(plain, "events/s")
	})
	b.Run("fold", func(b *testing.B) {
		before := processor(b)
		for b.Loop() {
			v := openIdle(b, log, b.TempDir())
			g := v.serving.Load()
			err := log.Skim(b.Context(), 0, last, nil, func(_ uint64, list []events.Event) error {
				return g.fold(b.Context(), list)
			})
			if err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric((processor(b)-before)*1e6/float64(last)/float64(b.N), "cpu-µs/event")
		b.ReportMetric(rate(b), "events/s")
		b.ReportMetric(rate(b)/plain, "of-consumer")
	})
}

// processor is how many seconds of processor time this process has used.
func processor(b *testing.B) float64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()).Seconds()
}

// forgetPeak lets the most memory count from here on, where the machine allows that.
func forgetPeak() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// peak is the most memory that this process has had resident, in MiB.
func peak() float64 {
	return status("VmHWM")
}

// resident is the memory that this process has resident, in MiB.
func resident() float64 { return status("VmRSS") }

func status(name string) float64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		var kib float64
		if n, _ := fmt.Sscanf(line, name+": %f kB", &kib); n == 1 {
			return kib / 1024
		}
	}
	return 0
}

// openTimed opens the views of a directory on the log of another, and waits until they have caught
// up.
func openTimed(b *testing.B, history, dir string) (*Views, func()) {
	log, err := log.Open(b.Context(), log.Options{Dir: history})
	if err != nil {
		b.Fatal(err)
	}
	v, err := Open(b.Context(), log, dir, nil)
	if err == nil {
		err = v.CaughtUp(b.Context())
	}
	if err != nil {
		b.Fatal(err)
	}
	return v, func() {
		if err := errors.Join(v.Close(), log.Close()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRebuild fills the buckets from the whole history: of an empty directory (fill), and
// beside those that serve (rebuild); start is a start on what is there. The memory is that of the
// process: of the log's server and the views' server, which hold the index of each, and of the
// fold. What it is used for is printed, at rest behind a start and near the end of a rebuild. With
// -length the same number of conversations has more messages.
func BenchmarkRebuild(b *testing.B) {
	history, last := writeHistory(b, *messages)
	rate := func(b *testing.B, before float64) {
		b.ReportMetric((processor(b)-before)*1e6/float64(last)/float64(b.N), "cpu-µs/event")
		b.ReportMetric(float64(last)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
	}
	dir, all := "", b
	b.Run("fill", func(b *testing.B) {
		forgetPeak()
		before := processor(b)
		for b.Loop() {
			dir = all.TempDir()
			_, closed := openTimed(b, history, dir)
			closed()
		}
		rate(b, before)
		b.ReportMetric(peak(), "peak-MiB")
	})
	b.Run("start", func(b *testing.B) {
		forgetPeak()
		for b.Loop() {
			v, closed := openTimed(b, history, dir)
			b.StopTimer()
			b.ReportMetric(peak(), "peak-MiB")
			count := 0
			for _, o := range viewOf[*conversations](v.serving.Load()).recency.accounts {
				count += len(o.at)
			}
			b.ReportMetric(float64(count), "conversations")
			debug.FreeOSMemory()
			fmt.Printf("MiB at rest\n%s", memoryTable())
			closed()
			b.StartTimer()
		}
	})
	b.Run("rebuild", func(b *testing.B) {
		v, closed := openTimed(b, history, dir)
		defer closed()
		forgetPeak()
		b.ReportMetric(resident(), "before-MiB")
		before, table := processor(b), ""
		for b.Loop() {
			if err := v.Rebuild(b.Context(), nil, func(p Progress) {
				if p.Events < p.Total {
					table = memoryTable()
				}
			}); err != nil {
				b.Fatal(err)
			}
		}
		fmt.Printf("MiB near the end of a rebuild\n%s", table)
		rate(b, before)
		b.ReportMetric(peak(), "peak-MiB")
	})
}

// BenchmarkVerify compares the buckets with the whole history. Silent is the longest time between
// two reports of progress.
func BenchmarkVerify(b *testing.B) {
	history, last := writeHistory(b, *messages)
	v, closed := openTimed(b, history, b.TempDir())
	defer closed()
	forgetPeak()
	held, before, silent := resident(), processor(b), time.Duration(0)
	documents := uint64(0)
	for b.Loop() {
		told := time.Now()
		heard := func() {
			silent = max(silent, time.Since(told))
			told = time.Now()
		}
		result, err := v.Verify(b.Context(), func(Progress) { heard() }, func(d Difference) { b.Errorf("%+v", d) })
		if err != nil {
			b.Fatal(err)
		}
		heard()
		documents = result.Documents
	}
	b.ReportMetric((processor(b)-before)*1e6/float64(last)/float64(b.N), "cpu-µs/event")
	b.ReportMetric(float64(last)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(silent.Seconds(), "silent-s")
	b.ReportMetric(float64(documents), "documents")
	b.ReportMetric(held, "before-MiB")
	b.ReportMetric(peak(), "peak-MiB")
}
