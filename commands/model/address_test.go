package model

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestModelRedirects holds that the prompt and the key go nowhere but to the URL that was
// configured.
func TestModelRedirects(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		other := serveModel(t, says(rightOne))
		server := serveModel(t, func(w http.ResponseWriter, r *http.Request, _ asked, _ int) {
			http.Redirect(w, r, other.URL+"/v1/chat/completions", status)
		})
		e, _ := endpointTo(t, server.URL, true)
		if _, err := e.read(t, trip(t)); !errors.Is(err, errModelUnavailable) || !strings.Contains(err.Error(), "redirects") {
			t.Errorf("%d: %v", status, err)
		}
		if len(other.list()) != 0 {
			t.Errorf("%d is followed", status)
		}
	}
}

// TestModelAddresses holds that private addresses are refused when they are dialled, whatever name
// leads there, and that no certificate is taken on trust.
func TestModelAddresses(t *testing.T) {
	m := &modelServer{}
	m.Server = httptest.NewUnstartedServer(m.handler(t, says(rightOne)))
	m.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	m.StartTLS()
	defer m.Close()
	port := m.URL[strings.LastIndexByte(m.URL, ':'):]
	for _, row := range []struct {
		url     string
		private bool
		says    string
	}{
		{"https://127.0.0.1" + port, false, "its address is private"},
		{"https://localhost" + port, false, "its address is private"},
		{"https://[::ffff:127.0.0.1]" + port, false, "its address is private"},
		{"https://127.0.0.1" + port, true, "certificate is not trusted"},
	} {
		e, err := newEndpoint(Config{URL: row.url + "/v1", Name: "a-model", AllowPrivate: row.private}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.read(t, trip(t)); !errors.Is(err, errModelUnavailable) || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v", row.url, err)
		}
	}
	if len(m.list()) != 0 {
		t.Error("it is asked")
	}
}
