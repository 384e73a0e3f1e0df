package main

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"reckon/commands"
	"reckon/events/log"
	"reckon/http"
	"reckon/projections"
)

// ready runs the command and returns its exit status and what it wrote.
func ready(t *testing.T, url string, flags ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(terminal{Context: t.Context(), in: &bytes.Buffer{}, out: &o, err: &e}, append([]string{"ready", "--url", url}, flags...))
	return code, o.String(), e.String()
}

func TestReadyTellsWhatTheServerTells(t *testing.T) {
	dir := t.TempDir()
	logger := slog.New(slog.DiscardHandler)
	log, err := log.Open(t.Context(), log.Options{Dir: dir, Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	views, err := projections.Open(t.Context(), log, dir, logger)
	if err != nil {
		t.Fatal(err)
	}
	defer views.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	server := http.New(logger, "1.2.3")
	server.Open(views, commands.New(log, views, logger))
	go func() { served <- server.Serve(ctx, listener) }()
	url := "http://" + listener.Addr().String()

	if err := views.CaughtUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := ready(t, url); code != 0 || out != "Reckon 1.2.3 is ready.\n" || errs != "" {
		t.Errorf("a ready server: exit status %d, %q, %q", code, out, errs)
	}
	if code, _, errs := ready(t, url+"/"); code != 0 {
		t.Errorf("a URL with a slash: exit status %d, %q", code, errs)
	}
	if err := views.Close(); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := ready(t, url); code != 1 || out != "" || !strings.Contains(errs, "This node is not ready: ") {
		t.Errorf("a server that is not ready: exit status %d, %q, %q", code, out, errs)
	}
	stop()
	if err := <-served; err != nil {
		t.Fatal(err)
	}
	if code, _, errs := ready(t, url); code != 1 || !strings.Contains(errs, "refused") {
		t.Errorf("no server: exit status %d, %q", code, errs)
	}
}

func TestReadyIsSaidByReckonOnlyAndInTime(t *testing.T) {
	other := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.URL.Path == "/moved/readyz" {
			nethttp.Redirect(w, r, "/readyz", nethttp.StatusFound)
		}
	}))
	defer other.Close()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // connections are made by the system and never answered
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for _, c := range []struct {
		url, timeout, want string
	}{
		{other.URL, "2s", "answers 200 OK, which is not Reckon's answer"},
		{other.URL + "/moved", "2s", "answers 302 Found, which is not Reckon's answer"},
		{"http://" + silent.Addr().String(), "50ms", "does not answer within 50ms"},
		{"127.0.0.1:8080", "2s", "give one such as http://127.0.0.1:8080"},
		{other.URL, "0s", "--timeout 0s: give more than 0s"},
	} {
		if code, out, errs := ready(t, c.url, "--timeout", c.timeout); code != 1 || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%s: exit status %d, %q, %q", c.url, code, out, errs)
		}
	}
}
