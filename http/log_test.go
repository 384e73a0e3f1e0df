package http

import (
	"bytes"
	"log/slog"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Which requests have a line, and what it says of them.
func TestLinesOfRequests(t *testing.T) {
	for _, c := range []struct {
		which RequestLog
		lines int // of 300 that are answered and 5 that are refused
	}{{LogAll, 305}, {LogErrors, 5}, {LogSampled, 8}, {LogOff, 0}} {
		t.Run(string(c.which), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var logged bytes.Buffer
				s := New(slog.New(slog.NewTextHandler(&logged, nil)), "v0")
				defer s.stop()
				s.Log(c.which)
				s.open.Store(true)
				s.router, s.resources = table([]route{{"GET", "/well", func(*Server, *Exchange) (answer, error) { return s.healthy("ok"), nil }}})
				ask := func(method, path string) {
					s.Handler().ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(method, path, nil))
				}
				for range 300 {
					ask("GET", "/well")
				}
				for range 5 {
					ask(strings.Repeat("SECRET", 10), "/private")
				}
				if n := strings.Count(logged.String(), "msg=request"); n != c.lines {
					t.Errorf("%d lines, want %d", n, c.lines)
				}
				if text := logged.String(); strings.Contains(text, "SECRET") || strings.Contains(text, "private") {
					t.Errorf("a line repeats what the caller wrote: %s", text)
				}
				if c.lines > 0 && !strings.Contains(logged.String(), "address=192.0.2.1") {
					t.Errorf("no line names the caller's address: %s", logged.String())
				}
				time.Sleep(2 * floodWindow) // of the bubble
				synctest.Wait()
			})
		})
	}
}

// A flood of refusals has some lines, and one that counts the rest.
func TestFloodOfRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logged bytes.Buffer
		s := New(slog.New(slog.NewTextHandler(&logged, nil)), "v0")
		defer s.stop()
		s.open.Store(true)
		for range 1000 {
			s.Handler().ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(nethttp.MethodGet, "/v1/domains", nil))
		}
		time.Sleep(2 * floodWindow) // of the bubble
		synctest.Wait()
		if n := strings.Count(logged.String(), "\n"); n != refusedLines+1 || !strings.Contains(logged.String(), "count=980") {
			t.Errorf("%d lines:\n%s", n, logged.String())
		}
	})
}
