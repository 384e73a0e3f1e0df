package bench

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/events/log"
)

// lag measures at half of what the service can do how long the fold takes to pass an event, and how
// long the same takes when nothing else happens. A read waits until the fold has passed all that
// was in the log when it came, so the time from an event's acknowledgement to the answer of a read
// that was sent then holds the lag, and the read's own time on top. Where the log is not at hand,
// the time of the read stands for it.
func (b *bench) lag(ctx context.Context, r *Report) error {
	b.say("projection lag")
	most := r.row("structured_fresh", b.typical())
	length := b.length * rounds
	idle, err := b.probe(ctx, length/4)
	if err != nil {
		return err
	}
	loaded := &sample{}
	var all sync.WaitGroup
	var failed error
	if half := most.PerSecond / 2; half > 0 {
		requests := b.service.questions("structured", b.service.structured, "")
		all.Go(func() {
			l := load{callers: most.Callers, warm: b.warm, length: length, pace: time.Duration(float64(most.Callers) / half * float64(time.Second))}
			loaded, failed = l.run(ctx, b.service.callers(b.warm+length, requests))
		})
	}
	busy, err := b.probe(ctx, b.warm+length)
	all.Wait()
	if err := errors.Join(err, failed); err != nil {
		return fmt.Errorf("projection lag: %w", err)
	}
	r.Lag = &lagReport{From: "append", Callers: most.Callers, PerSecond: loaded.perSecond, Probes: len(busy.latencies),
		IdleP50: micros(idle.quantile(0.5)), P50: micros(busy.quantile(0.5)), P99: micros(busy.quantile(0.99))}
	if b.prober == nil {
		r.Lag.From = "read"
	}
	return nil
}

// typical is the number of callers that goals are about, or the nearest below that is measured.
func (b *bench) typical() int {
	n := b.Callers[0]
	for _, callers := range b.Callers {
		if callers <= goalCallers {
			n = callers
		}
	}
	return n
}

// probeEvery is the time between probes of the lag.
const probeEvery = 5 * time.Millisecond

// probe appends an event and reads, again and again for some time.
func (b *bench) probe(ctx context.Context, length time.Duration) (*sample, error) {
	do, end, err := b.service.caller(ctx, 0, length, b.service.gets("/v1/conversations?limit=1"))
	if err != nil {
		return nil, err
	}
	defer end()
	s := &sample{}
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	for until := time.Now().Add(length); len(s.latencies) == 0 || time.Now().Before(until); {
		if b.prober != nil {
			if err := b.prober.append(ctx); err != nil {
				return nil, err
			}
		}
		start := time.Now()
		if err := do(ctx); err != nil {
			return nil, err
		}
		s.latencies = append(s.latencies, time.Since(start))
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick.C:
		}
	}
	return s, nil
}

// prober appends events of an account of its own to the log of a running server.
type prober struct {
	log     *log.Log
	account uuid.UUID
	last    uint64 // sequence of its newest event
}

func newProber(ctx context.Context, log *log.Log) (p *prober, err error) {
	p = &prober{log: log, account: uuid.New()}
	p.last, err = log.Append(ctx, p.event(&events.AccountCreated{AccountID: p.account, Name: "bench " + p.account.String(), TimeZone: "UTC", BodyVersion: 2}), 0)
	return p, err
}

func (p *prober) event(data any) events.Event {
	return events.Event{ID: uuid.New(), Time: time.Now().UTC().Truncate(time.Millisecond), Subject: events.AccountSubject(p.account), Data: data}
}

// append returns when the log has acknowledged an event.
func (p *prober) append(ctx context.Context) (err error) {
	p.last, err = p.log.Append(ctx, p.event(&events.AccountChanged{TimeZone: "UTC", BodyVersion: 2}), p.last)
	return err
}
