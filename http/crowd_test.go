package http

import (
	"bufio"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"strings"
	"testing"
	"time"
)

// listen serves with room for so many connections, and returns the address.
func listen(t *testing.T, s *Server, places int) string {
	t.Helper()
	return listenWithin(t, s, bounds{places, maxHeaders})
}

func listenWithin(t *testing.T, s *Server, most bounds) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	go func() { stopped <- s.serveOn(ctx, limitConnections(listener, most)) }()
	t.Cleanup(func() {
		stop()
		if err := <-stopped; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return listener.Addr().String()
}

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	return c
}

// Connections that say nothing, or never end their header, make room for one that asks; those that
// are being answered do not.
func TestSilentConnectionsMakeRoom(t *testing.T) {
	const places = 20
	s := opened()
	running, finish := make(chan struct{}), make(chan struct{})
	s.router, s.resources = table([]route{
		{"GET", "/slow", func(*Server, *Exchange) (answer, error) {
			close(running)
			<-finish
			return s.healthy("ok"), nil
		}},
		{"GET", "/quick", func(*Server, *Exchange) (answer, error) { return s.healthy("ok"), nil }},
	})
	address := listen(t, s, places)
	slow := dial(t, address)
	fmt.Fprint(slow, "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
	<-running
	for i := range 3 * places {
		c := dial(t, address)
		if i%2 == 0 {
			fmt.Fprint(c, "GET /quick HTTP/1.1\r\nHost: ")
		}
	}
	for range 3 {
		asking := dial(t, address)
		fmt.Fprint(asking, "GET /quick HTTP/1.1\r\nHost: x\r\n\r\n")
		r, err := nethttp.ReadResponse(bufio.NewReader(asking), nil)
		if err != nil || r.StatusCode != 200 {
			t.Fatalf("behind silent connections: %v, %v", r, err)
		}
	}
	close(finish)
	if r, err := nethttp.ReadResponse(bufio.NewReader(slow), nil); err != nil || r.StatusCode != 200 {
		t.Fatalf("a request that was being answered: %v, %v", r, err)
	}
}

// Where every connection is being answered, one more is closed.
func TestConnectionsBeyondThePlacesAreClosed(t *testing.T) {
	s := opened()
	running, finish := make(chan struct{}), make(chan struct{})
	s.router, s.resources = table([]route{{"GET", "/slow", func(*Server, *Exchange) (answer, error) {
		running <- struct{}{}
		<-finish
		return s.healthy("ok"), nil
	}}})
	address := listen(t, s, 2)
	for range 2 {
		fmt.Fprint(dial(t, address), "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
		<-running
	}
	if _, err := dial(t, address).Read(make([]byte, 1)); err == nil {
		t.Error("a third connection is answered")
	} else if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
		t.Error("a third connection is neither answered nor closed")
	}
	close(finish)
}

// Headers that are long and never end make room for those that do, before there are as many as connections may be.
func TestHeadersMakeRoom(t *testing.T) {
	const long, several = 20_000, 40
	s := opened()
	running, finish := make(chan struct{}), make(chan struct{})
	s.router, s.resources = table([]route{
		{"GET", "/slow", func(*Server, *Exchange) (answer, error) {
			close(running)
			<-finish
			return s.healthy("ok"), nil
		}},
		{"GET", "/quick", func(*Server, *Exchange) (answer, error) { return s.healthy("ok"), nil }},
	})
	address := listenWithin(t, s, bounds{1000, 10 * long})
	ask := func(c net.Conn) {
		t.Helper()
		fmt.Fprint(c, "GET /quick HTTP/1.1\r\nHost: x\r\n\r\n")
		if r, err := nethttp.ReadResponse(bufio.NewReader(c), nil); err != nil || r.StatusCode != 200 {
			t.Fatalf("behind long headers: %v, %v", r, err)
		}
	}
	idle, slow := dial(t, address), dial(t, address)
	ask(idle)
	fmt.Fprintf(slow, "GET /slow HTTP/1.1\r\nHost: x\r\nX: %s\r\n\r\n", strings.Repeat("x", long))
	<-running
	var all []net.Conn
	for range several {
		c := dial(t, address)
		fmt.Fprintf(c, "GET /quick HTTP/1.1\r\nHost: x\r\nX: %s", strings.Repeat("x", long))
		all = append(all, c)
	}
	for range several {
		ask(dial(t, address))
	}
	// Nine of them fit beside the one that is being answered.
	for _, c := range all[:several-10] {
		if _, err := c.Read(make([]byte, 1)); err == nil {
			t.Error("a header that does not end is answered")
		} else if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
			t.Fatal("a header that does not end is kept")
		}
	}
	ask(idle)
	close(finish)
	if r, err := nethttp.ReadResponse(bufio.NewReader(slow), nil); err != nil || r.StatusCode != 200 {
		t.Errorf("a request that was being answered: %v, %v", r, err)
	}
}

// What is allowed to a process in little memory is less.
func TestBoundsInLittleMemory(t *testing.T) {
	if got, want := boundsOf(128<<20), (bounds{2048, 8 << 20}); got.headers != want.headers || got.open > want.open || got.open < 1 {
		t.Errorf("in 128 MiB they are %+v, want %+v at most", got, want)
	}
	if got := boundsOf(0); got.headers != maxHeaders || got.open > maxConnections {
		t.Errorf("without a limit they are %+v", got)
	}
}

// The body of a request that is refused for another reason need not come.
func TestRefusedRequestEndsItsConnection(t *testing.T) {
	address := listen(t, opened(), 100)
	for _, body := range []string{"Content-Length: 5", "Content-Length: 900000", "Transfer-Encoding: chunked"} {
		t.Run(body, func(t *testing.T) {
			c := dial(t, address)
			fmt.Fprintf(c, "POST /v1/calculate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n%s\r\n\r\n", body)
			if err := c.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil { // of the 60 that a body may take
				t.Fatal(err)
			}
			all, err := io.ReadAll(c)
			if err != nil || !strings.HasPrefix(string(all), "HTTP/1.1 401 ") {
				t.Errorf("%q, %v", all, err)
			}
		})
	}
}

// What comes behind the last request of a connection does not break it, so that its answer arrives.
func TestWhatComesBehindTheLastRequest(t *testing.T) {
	address := listen(t, opened(), 100)
	for _, last := range []string{"GET /healthz HTTP/1.0\r\n\r\n", "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "GET /healthz HTTP/1.1\r\n\r\n"} {
		c := dial(t, address)
		if _, err := fmt.Fprint(c, last, strings.Repeat("more ", 20_000)); err != nil {
			t.Error(err)
		}
		if all, err := io.ReadAll(c); err != nil || !strings.HasPrefix(string(all), "HTTP/1.") {
			t.Errorf("%q is answered %q, %v", last, all, err)
		}
	}
	// A caller who goes on sending, and does not close, is cut off.
	c := dial(t, address)
	fmt.Fprint(c, "GET /healthz HTTP/1.0\r\n\r\n")
	began := time.Now()
	for err := error(nil); err == nil; {
		_, err = fmt.Fprint(c, strings.Repeat("more ", 1000))
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("a connection that was ended took bytes for %s", took)
	}
}

// A caller who does not read a long answer is cut off, and one who reads gets it whole.
func TestSlowReaderIsCutOff(t *testing.T) {
	if testing.Short() {
		t.Skip("a slow reader takes long")
	}
	t.Parallel()          // it waits as long as the server does
	const long = 64 << 20 // more than the buffers of the operating system take
	s := opened()
	done := make(chan int, 1)
	s.router, s.resources = table([]route{{"GET", "/long", func(_ *Server, x *Exchange) (answer, error) {
		x.send(200, make([]byte, long))
		done <- x.bytes
		panic(nethttp.ErrAbortHandler)
	}}})
	address := listen(t, s, 100)
	fmt.Fprint(dial(t, address), "GET /long HTTP/1.1\r\nHost: x\r\n\r\n")
	if sent := <-done; sent >= long {
		t.Errorf("%d bytes were written to a caller who reads nothing", sent)
	}
}

// Long answers are compressed for who accepts that, under an ETag of their own that is known again.
func TestAnswersAreCompressed(t *testing.T) {
	s := opened()
	text := `{"long":"` + strings.Repeat("the same again ", 4000) + `"}`
	s.router, s.resources = table([]route{{"GET", "/long", func(*Server, *Exchange) (answer, error) {
		return answer{status: 200, body: []byte(text)}, nil
	}}})
	address := listen(t, s, 100)
	get := func(header ...string) *nethttp.Response {
		t.Helper()
		c := dial(t, address)
		fmt.Fprintf(c, "GET /long HTTP/1.1\r\nHost: x\r\n%s\r\n\r\n", strings.Join(header, "\r\n"))
		r, err := nethttp.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	plain := get("X: y")
	if body, err := io.ReadAll(plain.Body); err != nil || string(body) != text || plain.Header.Get("Content-Encoding") != "" {
		t.Errorf("not compressed: %d bytes, %v, %v", len(body), err, plain.Header)
	}
	packed := get("Accept-Encoding: gzip")
	unpack, err := gzip.NewReader(packed.Body)
	if err != nil || packed.Header.Get("Content-Encoding") != "gzip" {
		t.Fatalf("compressed: %v, %v", err, packed.Header)
	}
	if body, err := io.ReadAll(unpack); err != nil || string(body) != text {
		t.Errorf("compressed: %d bytes, %v", len(body), err)
	}
	if a, b := plain.Header.Get("ETag"), packed.Header.Get("ETag"); a == b || a == "" || b == "" {
		t.Errorf("ETags %s and %s", a, b)
	}
	for _, r := range []*nethttp.Response{plain, packed} {
		if !strings.Contains(strings.Join(r.Header.Values("Vary"), ","), "Accept-Encoding") {
			t.Errorf("Vary is %v", r.Header.Values("Vary"))
		}
		if again := get("Accept-Encoding: gzip", "If-None-Match: "+r.Header.Get("ETag")); again.StatusCode != 304 {
			t.Errorf("with the ETag %s: %s", r.Header.Get("ETag"), again.Status)
		}
	}
}
