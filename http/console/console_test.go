package console

import (
	"fmt"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"reckon/commands"
	"reckon/http"
	"reckon/projections"
)

// Whoever has to wait is told how long.
func TestWait(t *testing.T) {
	c := Console{pages: newPages(newAssets(), "")}
	server := http.New(slog.New(slog.DiscardHandler), "test")
	server.Mount(http.Face{Prefix: "/none/", Routes: []http.Route{{Method: "GET", Path: "/wait", Handle: func(x *http.Exchange) (http.Answer, error) {
		v := &visit{x: x}
		wait := fmt.Errorf("sign in: %w", &commands.WaitError{For: 1500 * time.Millisecond})
		status, is := refusal(v, wait)
		if !is {
			t.Error("it is not refused")
		}
		v.faulty(wait)
		return c.page("signin", v, status, signInShown{})
	}}}})
	server.Open(nil, nil)
	w := httptest.NewRecorder()
	server.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/wait", nil))
	if body := w.Body.String(); w.Code != 429 || w.Header().Get("Retry-After") != "2" || !strings.Contains(body, "too many attempts have failed: try again in 2 seconds.") {
		t.Errorf("%d %v\n%s", w.Code, w.Header(), body)
	}
}

// A node that cannot know whether a session has ended lets nobody in.
func TestBehind(t *testing.T) {
	t.Parallel()
	h := open(t, nil)
	link := h.invite("ada@example.com", "acme", projections.RoleMember)
	b := h.browser()
	b.post("/console/invitation", "link", link, "password", password, "again", password)
	h.admin.Log.Close()
	b.eventually("nobody is let in", func() bool { return b.get("/console").status == 503 })
	h.shows("without a log", b.get("/console"), 503, "/console", "Send the request again.")
}

// A server that is not ready says so in words.
func TestNotReady(t *testing.T) {
	public, err := url.Parse("http://127.0.0.1:8080")
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(Config{Public: public, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	server := http.New(slog.New(slog.DiscardHandler), "test")
	server.Mount(c.Face())
	w := httptest.NewRecorder()
	server.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/console", nil))
	if body := w.Body.String(); w.Code != 503 || w.Header().Get("Content-Type") != htmlType || w.Header().Get("Content-Security-Policy") != policy || !strings.Contains(body, "This node is not ready: it is starting.") {
		t.Errorf("%d %v\n%s", w.Code, w.Header(), body)
	}
}
