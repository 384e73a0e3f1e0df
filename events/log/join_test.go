package log

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/url"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"reckon/events/log/logtest"
)

func TestOpenTwice(t *testing.T) {
	dir := t.TempDir()
	open(t, dir)
	_, err := Open(t.Context(), Options{Dir: dir})
	logtest.WantError(t, "second open", err, ErrRunning)
}

func TestJoinRunning(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir)
	e := logtest.Created("a")
	first := appended(t, l, e, 0)

	joined, err := Join(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if serverOf(joined) != nil {
		t.Error("join runs a server beside the running one")
	}
	second := appended(t, joined, logtest.Changed(e), first)
	if read, err := l.Read(t.Context(), e.Subject, 0); err != nil || len(read) != 2 || read[1].Sequence != second {
		t.Errorf("the running log reads %+v (%v), want what was appended through the other", read, err)
	}
	if err := joined.Close(); err != nil {
		t.Fatal(err)
	}
	appended(t, l, logtest.Changed(e), second)
	again, err := Join(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatalf("join again after a joined log was closed: %v", err)
	}
	defer again.Close()
	if last, err := again.Last(t.Context()); err != nil || last != second+1 {
		t.Errorf("last is %d (%v), want %d", last, err, second+1)
	}
}

func TestJoinWithoutServer(t *testing.T) {
	dir := t.TempDir()
	// What a killed server leaves behind leads nowhere.
	if err := (credentials{URL: "nats://127.0.0.1:1", User: "u", Password: "p"}).write(dir); err != nil {
		t.Fatal(err)
	}
	l, err := Join(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if serverOf(l).Addr() != nil {
		t.Errorf("a joined log listens on %v", serverOf(l).Addr())
	}
	if _, err := readCredentials(dir); err == nil {
		t.Error("a log that does not listen leaves credentials")
	}
	e := logtest.Created("a")
	appended(t, l, e, 0)
	_, err = Open(t.Context(), Options{Dir: dir})
	logtest.WantError(t, "open while another log holds the directory", err, ErrRunning)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if read, err := open(t, dir).Read(t.Context(), e.Subject, 0); err != nil || len(read) != 1 {
		t.Errorf("read %+v (%v), want 1 event", read, err)
	}
}

func TestJoinWaitsForTheDirectory(t *testing.T) {
	dir := t.TempDir()
	lock, err := Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err = Join(ctx, Options{Dir: dir})
	logtest.WantError(t, "join while a process holds the directory without a server", err, ErrRunning)

	type result struct {
		log *Log
		err error
	}
	done := make(chan result)
	go func() {
		l, err := Join(t.Context(), Options{Dir: dir})
		done <- result{l, err}
	}()
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	r := <-done
	if r.err != nil {
		t.Fatal(r.err)
	}
	if err := r.log.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestCredentials(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir)
	c, err := readCredentials(dir)
	if err != nil {
		t.Fatal(err)
	}
	address, err := url.Parse(c.URL)
	if err != nil {
		t.Fatal(err)
	}
	if ip := net.ParseIP(address.Hostname()); ip == nil || !ip.IsLoopback() || address.Port() == "4222" {
		t.Errorf("the server listens on %s, want a free port of the loopback address", c.URL)
	}
	for name, wrong := range map[string]credentials{
		"wrong password": {URL: c.URL, User: c.User, Password: c.Password + "x"},
		"wrong user":     {URL: c.URL, User: "reckon", Password: c.Password},
		"no password":    {URL: c.URL, User: c.User},
		"nothing":        {URL: c.URL},
	} {
		conn, err := connectOutside(wrong, slog.New(slog.DiscardHandler))
		if !errors.Is(err, nats.ErrAuthorization) {
			t.Errorf("%s: got error %v, want %v", name, err, nats.ErrAuthorization)
		}
		if err == nil {
			conn.Close()
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, dir)
	again, err := readCredentials(dir)
	if err != nil {
		t.Fatal(err)
	}
	if again.User == c.User || again.Password == c.Password {
		t.Error("a second start has the credentials of the first")
	}
}

func TestOpenFailsWhereItCannotWrite(t *testing.T) {
	if _, err := Open(t.Context(), Options{Dir: "/dev/null/data"}); err == nil || errors.Is(err, ErrRunning) {
		t.Errorf("got error %v", err)
	}
}
