package http

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/events"
)

// An account with limits is answered 429 beyond them, each kind by itself, and told what is left.
// One without limits is told nothing.
func TestRates(t *testing.T) {
	n := startNode(t)
	if w := n.ask("GET", "/v1/domains", ""); w.Code != 200 || w.Header().Get("RateLimit") != "" {
		t.Errorf("without limits: %d, %v", w.Code, w.Header())
	}
	limit := func(reads, calculations int) {
		t.Helper()
		change := commands.ChangeAccount{Name: "acme"}
		change.Limits.Reads, change.Limits.Calculations = &reads, &calculations
		if _, err := (commands.Admin{Log: n.log}).ChangeAccount(context.Background(), change); err != nil {
			t.Fatal(err)
		}
		if err := n.server.views.Fresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	limit(3, 1)
	allowed := 0
	for range 20 {
		w := n.ask("GET", "/v1/domains", "")
		if w.Header().Get("RateLimit-Policy") != `"reads";q=3;w=1` || !strings.HasPrefix(w.Header().Get("RateLimit"), `"reads";r=`) {
			t.Fatalf("the header is %v", w.Header())
		}
		switch w.Code {
		case 200:
			allowed++
		case 429:
			if w.Header().Get("Retry-After") != "1" || !strings.Contains(w.Body.String(), "error_rate_limited") {
				t.Fatalf("refused with %v %s", w.Header(), w.Body)
			}
		default:
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	if allowed < 3 || allowed == 20 {
		t.Errorf("%d of 20 reads were allowed, 3 a second are", allowed)
	}
	if w := n.ask("POST", "/v1/calculate", "{}"); w.Code != 422 || w.Header().Get("RateLimit") != `"calculations";r=0;t=1` {
		t.Errorf("the first calculation: %d %v", w.Code, w.Header())
	}
	if w := n.ask("POST", "/v1/calculate", "{}"); w.Code != 429 {
		t.Errorf("the second calculation: %d", w.Code)
	}
	if w := n.ask("POST", "/v1/domains", "{}"); w.Code != 405 {
		t.Errorf("another method: %d, want 405 before 429", w.Code)
	}
	limit(0, 0)
	if w := n.ask("GET", "/v1/domains", ""); w.Code != 200 || w.Header().Get("RateLimit") != "" {
		t.Errorf("without limits again: %d, %v", w.Code, w.Header())
	}
	for _, bad := range []int{-1, 1_000_001} {
		change := commands.ChangeAccount{Name: "acme"}
		change.Limits.Prose = &bad
		if _, err := (commands.Admin{Log: n.log}).ChangeAccount(t.Context(), change); err == nil {
			t.Errorf("a limit of %d is taken", bad)
		}
	}
}

// An account that has used up its month is answered 429 until the next one begins, and reads on.
func TestMonth(t *testing.T) {
	n := startNode(t)
	fresh := func() {
		t.Helper()
		if err := n.server.views.Fresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	limit := func(messages, bytes int) {
		t.Helper()
		change := commands.ChangeAccount{Name: "acme"}
		change.Limits.MonthMessages, change.Limits.MonthBytes = &messages, &bytes
		if _, err := (commands.Admin{Log: n.log}).ChangeAccount(t.Context(), change); err != nil {
			t.Fatal(err)
		}
		fresh()
	}
	answer := func() {
		t.Helper()
		m := events.Message{ConversationID: uuid.New(), MessageID: uuid.New(), Domain: n.domain, ReceivedAt: time.Now()}
		n.happen(m, &events.MessageCompleted{Message: m}, 0)
		fresh()
	}
	ask := func(status int, left string) {
		t.Helper()
		w := n.ask("POST", "/v1/calculate", "{}")
		if got := w.Header().Get("RateLimit"); w.Code != status || !strings.HasPrefix(got, left) || (got == "") != (left == "") {
			t.Errorf("%d with %q left (%s), want %d with %q", w.Code, got, w.Body, status, left)
		}
		if wait, _ := strconv.Atoi(w.Header().Get("Retry-After")); (w.Code == 429) != (wait > 0) || wait > 31*24*60*60+1 {
			t.Errorf("%d is to be repeated after %d s", w.Code, wait)
		}
	}
	limit(2, 0)
	ask(422, `"month-messages";r=2;t=`)
	answer()
	ask(422, `"month-messages";r=1;t=`)
	answer()
	ask(429, `"month-messages";r=0;t=`)
	if w := n.ask("GET", "/v1/domains", ""); w.Code != 200 || w.Header().Get("RateLimit") != "" {
		t.Errorf("a read: %d, %v", w.Code, w.Header())
	}
	used := n.server.views.Used(n.account, time.Now())
	if used.Messages != 2 || used.Bytes < 2*100 {
		t.Fatalf("used %+v", used)
	}
	limit(0, used.Bytes+1)
	ask(422, `"month-bytes";r=1;t=`)
	answer()
	ask(429, `"month-bytes";r=0;t=`)
	limit(0, 0)
	ask(422, "")
	for _, bad := range []int{-1, 1_000_000_000_000_001} {
		change := commands.ChangeAccount{Name: "acme"}
		change.Limits.MonthBytes = &bad
		if _, err := (commands.Admin{Log: n.log}).ChangeAccount(t.Context(), change); err == nil {
			t.Errorf("a limit of %d is taken", bad)
		}
	}
}
