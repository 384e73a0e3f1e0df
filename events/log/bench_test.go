package log

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
	"reckon/events/log/logtest"
)

// BenchmarkAppend appends first events of new accounts, each durable before it is answered, from 1 and from 64 callers.
func BenchmarkAppend(b *testing.B) {
	for _, callers := range []int{1, 64} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			l := open(b, b.TempDir())
			var left atomic.Int64
			left.Store(int64(b.N))
			failed := make(chan error, callers)
			b.ResetTimer()
			for range callers {
				go func() {
					for left.Add(-1) >= 0 {
						if _, err := l.Append(b.Context(), logtest.Created("a"), 0); err != nil {
							failed <- err
							return
						}
					}
					failed <- nil
				}()
			}
			for range callers {
				if err := <-failed; err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// BenchmarkAppendToFold measures from the start of an append to its event being in a fold.
func BenchmarkAppendToFold(b *testing.B) {
	l := open(b, b.TempDir())
	ctx, stop := context.WithCancel(b.Context())
	defer stop()
	folded := make(chan uint64, tailBatch)
	ended := make(chan error, 1)
	go func() {
		ended <- l.Tail(ctx, 0, func(batch []events.Event) error {
			folded <- batch[len(batch)-1].Sequence
			return nil
		})
	}()
	for b.Loop() {
		sequence := appended(b, l, logtest.Created("a"), 0)
		for got := uint64(0); got < sequence; {
			select {
			case got = <-folded:
			case err := <-ended:
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkScan folds a history from its beginning.
func BenchmarkScan(b *testing.B) {
	l := open(b, b.TempDir())
	const history = 20_000
	m, err := Message(logtest.Created("a"))
	if err != nil {
		b.Fatal(err)
	}
	for range history {
		if _, err := l.js.PublishMsgAsync(m, jetstream.WithStallWait(10*time.Second)); err != nil {
			b.Fatal(err)
		}
	}
	<-l.js.PublishAsyncComplete()
	for b.Loop() {
		folded := uint64(0)
		err := l.Scan(b.Context(), 0, history, nil, func(upTo uint64, _ []events.Event) error {
			folded = upTo
			return nil
		})
		if err != nil || folded != history {
			b.Fatalf("folded up to %d: %v", folded, err)
		}
	}
	b.ReportMetric(float64(history)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkLast asks for the read index.
func BenchmarkLast(b *testing.B) {
	l := open(b, b.TempDir())
	appended(b, l, logtest.Created("a"), 0)
	for b.Loop() {
		if _, err := l.Last(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReadNothing looks for newer events of a subject that has none.
func BenchmarkReadNothing(b *testing.B) {
	l := open(b, b.TempDir())
	e := logtest.Created("a")
	sequence := appended(b, l, e, 0)
	for b.Loop() {
		if _, err := l.Read(b.Context(), e.Subject, sequence); err != nil {
			b.Fatal(err)
		}
	}
}
