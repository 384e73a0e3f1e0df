package http

import (
	"bytes"
	"fmt"
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

// A secret in an address is refused, beside a valid key too, and stands neither in a line of the log
// nor in the answer.
func TestSecretsInAddresses(t *testing.T) {
	n := startNode(t)
	var logged bytes.Buffer
	n.server.lines.logger, n.server.lines.which = slog.New(slog.NewTextHandler(&logged, nil)), LogAll
	for _, path := range []string{
		"/v1/domains?key=" + n.secret, "/v1/domains?x=1&" + n.secret, "/v1/domains/" + n.secret + "/variables", "/" + n.secret, "/healthz?reckon_token_00",
		"/v1/conversations?limit=" + strings.ReplaceAll(n.secret, "_", "%5f"), "/v1/domains?%zz" + n.secret, "/v1/domains?k=RECKON_LINK_00", "/v1?reckon_session_0",
	} {
		for _, method := range []string{"GET", "POST"} {
			w := n.ask(method, path, "", "X-Request-Id", n.secret)
			wantEnvelope(t, w.Result(), nethttp.StatusBadRequest, "error_secret_in_url")
			if text := fmt.Sprint(w.Body, w.Header()); strings.Contains(text, n.secret) {
				t.Errorf("%s %s repeats it: %s", method, path, text)
			}
		}
	}
	if w := n.ask("GET", "/v1/domains", ""); w.Code != nethttp.StatusOK {
		t.Errorf("without a secret: %d %s", w.Code, w.Body)
	}
	if text := strings.ToLower(logged.String()); strings.Contains(text, "reckon_") || !strings.Contains(text, "status=400") {
		t.Errorf("the log has %s", text)
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
