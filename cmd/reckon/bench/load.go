package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"
)

// load is so many callers that each do one thing after the other.
type load struct {
	callers int
	warm    time.Duration // before the measuring begins
	length  time.Duration // of the measuring
	pace    time.Duration // between the beginnings of one caller's steps; 0 is at once
}

// step does one thing. A *refusal is counted, errUnmeasured is not, and every other error ends the
// load.
type step func(ctx context.Context) error

// errUnmeasured is returned by a step that only prepares the next one.
var errUnmeasured = errors.New("this is not measured")

// refusal is an answer of the service that is not a 200.
type refusal struct{ status int }

func (r *refusal) Error() string { return fmt.Sprintf("the service answered with status %d", r.status) }

// prepare makes the steps of a caller, counted from 0, and what ends them.
type prepare func(ctx context.Context, caller int) (do step, end func(), err error)

// bare prepares callers that need nothing of their own.
func bare(do step) prepare {
	return func(context.Context, int) (step, func(), error) { return do, func() {}, nil }
}

// sample is what a load has measured.
type sample struct {
	perSecond float64
	latencies []time.Duration
	refused   map[int]int // answers that are not a 200, by status
	last      time.Time   // end of the last step that was measured
}

// quantile is the least latency that a part of all do not exceed, from 0 to 1; 0 where nothing was
// measured.
func (s *sample) quantile(part float64) time.Duration {
	if len(s.latencies) == 0 {
		return 0
	}
	slices.Sort(s.latencies)
	return s.latencies[max(int(math.Ceil(part*float64(len(s.latencies))))-1, 0)]
}

// run prepares the callers, lets them go at once and measures what they finish within the time that
// is measured.
func (l load) run(ctx context.Context, prepare prepare) (*sample, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	samples := make([]sample, l.callers)
	var ready, all sync.WaitGroup
	begin := make(chan struct{})
	var began time.Time
	ready.Add(l.callers)
	for i := range l.callers {
		all.Go(func() {
			do, end, err := prepare(ctx, i)
			ready.Done()
			if err != nil {
				cancel(err)
				return
			}
			defer end()
			<-begin
			if err := l.caller(ctx, i, began, do, &samples[i]); err != nil {
				cancel(err)
			}
		})
	}
	ready.Wait()
	began = time.Now()
	close(begin)
	all.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	total := &sample{refused: map[int]int{}}
	for i := range samples {
		total.latencies = append(total.latencies, samples[i].latencies...)
		if samples[i].last.After(total.last) {
			total.last = samples[i].last
		}
		for status, n := range samples[i].refused {
			total.refused[status] += n
		}
	}
	took := max(l.length, total.last.Sub(began.Add(l.warm)))
	total.perSecond = float64(len(total.latencies)) / took.Seconds()
	return total, nil
}

// caller does steps until the time is over and one was measured at least, or refused.
func (l load) caller(ctx context.Context, i int, began time.Time, do step, s *sample) error {
	from := began.Add(l.warm)
	until := from.Add(l.length)
	next := began.Add(l.pace * time.Duration(i) / time.Duration(l.callers))
	start := time.Now()
	for ctx.Err() == nil && (start.Before(until) || len(s.latencies) == 0 && s.refused == nil) {
		if l.pace > 0 {
			if !waitUntil(ctx, next) {
				return nil
			}
			next = next.Add(l.pace)
			start = time.Now()
		}
		err := do(ctx)
		end := time.Now()
		switch {
		case err != nil:
			if err := s.refuse(err); err != nil {
				return err
			}
		case !end.Before(from) && (end.Before(until) || len(s.latencies) == 0):
			s.latencies = append(s.latencies, end.Sub(start))
			s.last = end
		}
		start = end
	}
	return nil
}

// waitUntil keeps the pace of a load. It reports false when ctx ends first.
func waitUntil(ctx context.Context, moment time.Time) bool {
	timer := time.NewTimer(time.Until(moment))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// refuse counts a *refusal and returns every other error.
func (s *sample) refuse(err error) error {
	if err == errUnmeasured {
		return nil
	}
	var no *refusal
	if !errors.As(err, &no) {
		return err
	}
	if s.refused == nil {
		s.refused = map[int]int{}
	}
	s.refused[no.status]++
	return nil
}
