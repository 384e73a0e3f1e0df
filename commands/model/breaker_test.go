package model

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/commands/commandstest"
)

// clock is a moment that a test moves.
type clock struct{ offset atomic.Int64 }

func (c *clock) now() time.Time { return noon.Now.Add(time.Duration(c.offset.Load())) }

func (c *clock) set(sinceNoon time.Duration) { c.offset.Store(int64(sinceNoon)) }

// asks asks about the trip for an account.
func (e *endpoint) asks(t *testing.T, of uuid.UUID) error {
	_, err := e.propose(t.Context(), of, trip(t), commandstest.HowLong, nothingSaid, noon, nil)
	return err
}

// failsWith answers with a status while the server is down.
func failsWith(down *atomic.Bool, status int) behaviour {
	return func(w http.ResponseWriter, r *http.Request, q asked, n int) {
		if down.Load() {
			w.WriteHeader(status)
			return
		}
		says(rightOne)(w, r, q, n)
	}
}

// TestBreaker has a server fail and come back, by a clock that the test moves.
func TestBreaker(t *testing.T) {
	var down atomic.Bool
	down.Store(true)
	server := serveModel(t, failsWith(&down, http.StatusServiceUnavailable))
	e, log := endpointTo(t, server.URL, false)
	at := &clock{}
	e.now = at.now
	for i, step := range []struct {
		at    time.Duration
		down  bool
		err   error
		asked int // in all
	}{
		{0, true, errModelUnavailable, 1},
		{0, true, errModelUnavailable, 2},
		{0, false, nil, 3}, // failures count in a row
		{0, true, errModelUnavailable, 4},
		{10 * time.Second, true, errModelUnavailable, 5},
		{20 * time.Second, true, errModelUnavailable, 6},
		{20 * time.Second, false, errModelBroken, 6},
		{80*time.Second - 1, false, errModelBroken, 6},
		{80 * time.Second, true, errModelUnavailable, 7}, // the one that tries
		{139 * time.Second, false, errModelBroken, 7},
		{140 * time.Second, false, nil, 8},
		{140 * time.Second, true, errModelUnavailable, 9},
		{140 * time.Second, false, nil, 10},
	} {
		at.set(step.at)
		down.Store(step.down)
		if err := e.asks(t, acme); !errors.Is(err, step.err) {
			t.Errorf("step %d fails with %v", i, err)
		}
		if n := len(server.list()); n != step.asked {
			t.Errorf("step %d: the server was asked %d times", i, n)
		}
	}
	for says, times := range map[string]int{"has failed again and again": 1, "answers again": 1} {
		if n := strings.Count(log.String(), says); n != times {
			t.Errorf("the log says %q %d times:\n%s", says, n, log)
		}
	}
}

// TestBreakerTriesWithOneQuestion has all workers ask at once when a minute is over: one of them
// reaches the server.
func TestBreakerTriesWithOneQuestion(t *testing.T) {
	var down atomic.Bool
	down.Store(true)
	reached, proceed := make(chan struct{}, 100), make(chan struct{})
	server := serveModel(t, func(w http.ResponseWriter, r *http.Request, q asked, n int) {
		if !down.Load() {
			reached <- struct{}{}
			<-proceed
		}
		failsWith(&down, http.StatusServiceUnavailable)(w, r, q, n)
	})
	e, _ := endpointTo(t, server.URL, false)
	at := &clock{}
	e.now = at.now
	for range breakAfter {
		if err := e.asks(t, acme); !errors.Is(err, errModelUnavailable) {
			t.Fatal(err)
		}
	}
	at.set(breakFor)
	down.Store(false)
	var all sync.WaitGroup
	var broken, answered atomic.Int32
	refused := make(chan struct{}, 100)
	for range 20 {
		all.Go(func() {
			switch err := e.asks(t, acme); {
			case err == nil:
				answered.Add(1)
			case errors.Is(err, errModelBroken):
				broken.Add(1)
				refused <- struct{}{}
			default:
				t.Error(err)
			}
		})
	}
	<-reached
	for range 19 {
		<-refused
	}
	close(proceed)
	all.Wait()
	if broken.Load() != 19 || answered.Load() != 1 {
		t.Errorf("%d are refused and %d answered", broken.Load(), answered.Load())
	}
	if err := e.asks(t, acme); err != nil {
		t.Errorf("after it is back: %v", err)
	}
}

// TestBreakerIsOfTheServer holds that neither what is wrong with questions nor callers that give up
// take the model from others, and that a trial which is given up leaves the next one its turn.
func TestBreakerIsOfTheServer(t *testing.T) {
	var down atomic.Bool
	down.Store(true)
	for _, row := range []struct {
		name   string
		answer behaviour
		breaks bool
	}{
		{"busy", failsWith(&down, http.StatusTooManyRequests), true},
		{"a wrong key", failsWith(&down, http.StatusUnauthorized), true},
		{"a page", answers(200, "text/html", "<html>Welcome</html>"), true},
		{"too long a question", failsWith(&down, http.StatusRequestEntityTooLarge), false},
		{"no such form", failsWith(&down, http.StatusBadRequest), false},
		{"prose", says("It takes two and a half hours."), false},
		{"a doubt", says(doubting), false},
	} {
		server := serveModel(t, row.answer)
		e, _ := endpointTo(t, server.URL, false)
		for range breakAfter {
			_ = e.asks(t, acme)
		}
		if err := e.asks(t, acme); errors.Is(err, errModelBroken) != row.breaks {
			t.Errorf("%s: then it fails with %v", row.name, err)
		}
	}
	server := serveModel(t, failsWith(&down, http.StatusServiceUnavailable))
	e, _ := endpointTo(t, server.URL, false)
	at := &clock{}
	e.now = at.now
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	giveUp := func() {
		if _, err := e.propose(gone, acme, trip(t), commandstest.HowLong, nothingSaid, noon, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("who gives up gets %v", err)
		}
	}
	for range breakAfter {
		giveUp()
	}
	for range breakAfter {
		if err := e.asks(t, acme); !errors.Is(err, errModelUnavailable) {
			t.Error(err)
		}
	}
	at.set(breakFor)
	giveUp()
	down.Store(false)
	if err := e.asks(t, acme); err != nil {
		t.Errorf("after a trial that was given up: %v", err)
	}
}

// TestBudget spends the requests of an hour: those of one account alone, second attempts included.
func TestBudget(t *testing.T) {
	server := serveModel(t, says(wrongOne, rightOne, rightOne, wrongOne, rightOne))
	e, log := endpointTo(t, server.URL, false)
	at := &clock{}
	e.now, e.budget.limit = at.now, 3
	other := uuid.MustParse("0197d1c0-0000-7000-8000-000000000002")
	for i, step := range []struct {
		at    time.Duration
		of    uuid.UUID
		err   error
		asked int // in all
	}{
		{0, acme, nil, 2}, // with a second attempt
		{time.Minute, acme, nil, 3},
		{time.Minute, acme, errModelOverBudget, 3},
		{time.Hour - 1, acme, errModelOverBudget, 3},
		{time.Hour - 1, other, nil, 5},
		{time.Hour, acme, nil, 6},
	} {
		at.set(step.at)
		if err := e.asks(t, step.of); !errors.Is(err, step.err) {
			t.Errorf("step %d fails with %v", i, err)
		}
		if n := len(server.list()); n != step.asked {
			t.Errorf("step %d: the server was asked %d times", i, n)
		}
	}
	if n := strings.Count(log.String(), "used up"); n != 1 || !strings.Contains(log.String(), "account_id="+acme.String()) {
		t.Errorf("the log says it %d times:\n%s", n, log)
	}
	var b budget
	for range 2000 {
		if taken, _ := b.take(acme, noon.Now); !taken {
			t.Fatal("no limit is one")
		}
	}
}

// TestBudgetHoldsInParallel has many workers spend the budget of one account at once.
func TestBudgetHoldsInParallel(t *testing.T) {
	server := serveModel(t, says(rightOne))
	e, _ := endpointTo(t, server.URL, false)
	e.now, e.budget.limit = (&clock{}).now, 7
	var all sync.WaitGroup
	for range 30 {
		all.Go(func() {
			if err := e.asks(t, acme); err != nil && !errors.Is(err, errModelOverBudget) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := len(server.list()); n != 7 {
		t.Errorf("the server was asked %d times", n)
	}
}
