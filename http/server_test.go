package http

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/projections"
)

// opened is a Server that answers without views, and logs nothing.
func opened() *Server {
	s := New(slog.New(slog.DiscardHandler), "v0")
	s.Open(nil, nil)
	return s
}

// wantEnvelope checks that a response is the error envelope with a code.
func wantEnvelope(t *testing.T, r *nethttp.Response, status int, code string) {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	if r.StatusCode != status || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("X-Request-Id") == "" {
		t.Errorf("%d %v, want %d", r.StatusCode, r.Header, status)
	}
	var e map[string]map[string]any
	if err := json.Unmarshal(body, &e); err != nil {
		t.Fatalf("%q: %v", body, err)
	}
	message, _ := e["error"]["message"].(string)
	params, ok := e["error"]["params"]
	if len(e) != 1 || len(e["error"]) != 3 || e["error"]["code"] != code || message == "" || !ok || params != nil {
		t.Errorf("%s, want code %s", body, code)
	}
}

func TestWithoutKey(t *testing.T) {
	handler := opened().Handler()
	for _, c := range []struct {
		method, path string
		status       int
		code         string
		allow        string
	}{
		{"GET", "/", 404, "error_not_found", ""},
		{"GET", "/nothing", 404, "error_not_found", ""},
		{"GET", "/v2/domains", 404, "error_not_found", ""},
		{"GET", "/v1x", 404, "error_not_found", ""},
		{"GET", "//v1/domains", 404, "error_not_found", ""},
		{"GET", "/./v1/domains", 404, "error_not_found", ""},
		{"GET", "/healthz/", 404, "error_not_found", ""},
		{"GET", "//healthz", 404, "error_not_found", ""},
		{"OPTIONS", "*", 404, "error_not_found", ""},
		{"POST", "/healthz", 405, "error_method_not_allowed", "GET, HEAD"},
		{"OPTIONS", "/readyz", 405, "error_method_not_allowed", "GET, HEAD"},
		{"GET", "/v1", 401, "error_unauthorized", ""},
		{"GET", "/v1/", 401, "error_unauthorized", ""},
		{"GET", "/v1/nothing", 401, "error_unauthorized", ""},
		{"GET", "/%76%31/domains", 401, "error_unauthorized", ""},
		{"GET", "/v1%2fdomains", 401, "error_unauthorized", ""},
		{"GET", "/v1/../healthz", 401, "error_unauthorized", ""},
		{"OPTIONS", "/v1/calculate", 401, "error_unauthorized", ""},
		{"POST", "/v1/calculate", 401, "error_unauthorized", ""},
		{"DELETE", "/v1/domains", 401, "error_unauthorized", ""},
	} {
		t.Run(c.method+" "+c.path, func(t *testing.T) {
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, httptest.NewRequest(c.method, c.path, nil))
			r := w.Result()
			wantEnvelope(t, r, c.status, c.code)
			if got := r.Header.Get("Allow"); got != c.allow {
				t.Errorf("Allow %q, want %q", got, c.allow)
			}
			if got := r.Header.Get("WWW-Authenticate"); (got == "Bearer") != (c.status == 401) {
				t.Errorf("WWW-Authenticate %q", got)
			}
			if got := r.Header.Get("Location"); got != "" {
				t.Errorf("redirect to %q", got)
			}
		})
	}
}

func TestBearer(t *testing.T) {
	for _, c := range []struct {
		values []string
		want   string // "" for none
	}{
		{[]string{"Bearer reckon_live_x"}, "reckon_live_x"},
		{[]string{"bEARER  reckon_live_x "}, "reckon_live_x"},
		{nil, ""},
		{[]string{""}, ""},
		{[]string{"Bearer"}, ""},
		{[]string{"Bearer "}, ""},
		{[]string{"reckon_live_x"}, ""},
		{[]string{"Basic reckon_live_x"}, ""},
		{[]string{"Bearer a b"}, ""},
		{[]string{"Bearer\treckon_live_x"}, ""},
		{[]string{"Bearer é"}, ""},
		{[]string{"Bearer a", "Bearer a"}, ""},
	} {
		if got, ok := bearer(nethttp.Header{"Authorization": c.values}); ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%q: %q, %v", c.values, got, ok)
		}
	}
}

func TestFind(t *testing.T) {
	s := opened()
	for _, c := range []struct{ method, path, want string }{
		{"GET", "/v1/conversations", "/v1/conversations"},
		{"HEAD", "/v1/conversations", "/v1/conversations"},
		{"GET", "/v1/conversations/a", "/v1/conversations/{id}"},
		{"GET", "/v1/conversations/a/context", "/v1/conversations/{id}/context"},
		{"GET", "/v1/conversations/a/context/1", "/v1/conversations/{id}/context/{scenario_id}"},
		{"GET", "/v1/domains?x=/v1", "/v1/domains"},
		{"POST", "/v1/domains", "Allow GET, HEAD"},
		{"OPTIONS", "/v1/calculate", "Allow POST"},
		{"HEAD", "/v1/calculate", "Allow POST"},
		{"TRACE", "/v1/conversations/a", "Allow GET, HEAD"},
		{"GET", "/v1", "404"},
		{"GET", "/v1/", "404"},
		{"GET", "/v1/domains/", "404"},
		{"GET", "/v1//domains", "404"},
		{"GET", "/v1/conversations/", "404"},
		{"GET", "/v1/conversations//context", "404"},
		{"GET", "/v1/conversations/a%2Fcontext/1", "404"},
		{"GET", "/v1/domains/a", "404"},
		{"GET", "/v1/domains/../domains", "404"},
		{"GET", "/V1/domains", "404"},
	} {
		x := &Exchange{r: httptest.NewRequest(c.method, c.path, nil)}
		_, err := s.find(x)
		got := x.route
		if f := (*failure)(nil); errors.As(err, &f) {
			got = fmt.Sprint(f.status)
			if f.status == 405 {
				got = "Allow " + f.header["Allow"]
			}
		}
		if got != c.want {
			t.Errorf("%s %s: %s, want %s", c.method, c.path, got, c.want)
		}
	}
}

func TestHealth(t *testing.T) {
	handler := opened().Handler()
	ask := func(method string, header nethttp.Header) *nethttp.Response {
		r := httptest.NewRequest(method, "/healthz", nil)
		r.Header = header
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w.Result()
	}
	get := ask("GET", nethttp.Header{"X-Request-Id": {"abc-1"}})
	body, _ := io.ReadAll(get.Body)
	if get.StatusCode != 200 || string(body) != `{"status":"ok","version":"v0"}` || get.Header.Get("X-Request-Id") != "abc-1" {
		t.Errorf("GET: %d %s %v", get.StatusCode, body, get.Header)
	}
	head := ask("HEAD", nil)
	body, _ = io.ReadAll(head.Body)
	if head.StatusCode != 200 || len(body) != 0 || head.Header.Get("Content-Length") != "30" || head.Header.Get("ETag") != get.Header.Get("ETag") {
		t.Errorf("HEAD: %d %q %v", head.StatusCode, body, head.Header)
	}
	same := ask("GET", nethttp.Header{"If-None-Match": {get.Header.Get("ETag")}})
	body, _ = io.ReadAll(same.Body)
	if same.StatusCode != 304 || len(body) != 0 || same.Header.Get("Content-Type") != "" || same.Header.Get("ETag") == "" {
		t.Errorf("If-None-Match: %d %q %v", same.StatusCode, body, same.Header)
	}
	for _, id := range [][]string{{"a b"}, {""}, {strings.Repeat("x", 129)}, {"a", "b"}, {"é"}} {
		got := ask("GET", nethttp.Header{"X-Request-Id": id}).Header.Get("X-Request-Id")
		if _, err := uuid.Parse(got); err != nil {
			t.Errorf("X-Request-Id %q becomes %q", id, got)
		}
	}
}

func TestExplain(t *testing.T) {
	message := uuid.MustParse("0198f2c4-5b1e-7cc3-9a52-3d4e5f607182")
	for _, c := range []struct {
		err      error
		want     string
		expected bool
		retry    bool
	}{
		{fmt.Errorf("x: %w", commands.ErrIdempotencyConflict), "409 error_idempotency_conflict", true, false},
		{commands.ErrUnknownDomain, "404 error_not_found: domain_id", true, false},
		{commands.ErrUnknownConversation, "404 error_not_found: conversation_id", true, false},
		{commands.ErrPromptJSON, "400 error_invalid_json: prompt", true, false},
		{commands.ErrPromptTooLong, "413 error_payload_too_large: prompt", true, false},
		{commands.ErrUnavailable, "503 error_server_internal", true, true},
		{projections.ErrBehind, "503 error_server_internal", true, true},
		{projections.ErrCursor, "422 error_invalid_param: starting_after", true, false},
		{context.DeadlineExceeded, "503 error_server_internal", true, true},
		{context.Canceled, "503 error_server_internal", true, true},
		{&commands.CrashedError{MessageID: message}, "500 error_server_internal: Something went wrong (reference " + message.String() + ").", true, false},
		{errors.New("secret detail"), "500 error_server_internal: Something went wrong (reference request-1).", false, false},
		{fmt.Errorf("x: %w", disabledKey), "403 error_disabled_api_key", true, false},
	} {
		f, expected := explain(c.err, "request-1")
		if got := failureOf(f); !strings.HasPrefix(got, c.want) || expected != c.expected || (f.header["Retry-After"] != "") != c.retry {
			t.Errorf("%v: %s, expected %v, %v", c.err, got, expected, f.header)
		}
	}
}

// TestPanic routes a handler that panics, before and after it has begun to answer.
func TestPanic(t *testing.T) {
	var logged bytes.Buffer
	s := New(slog.New(slog.NewTextHandler(&logged, nil)), "v0")
	s.Open(nil, nil)
	s.router, s.resources = table([]route{
		{"GET", "/before", func(*Server, *Exchange) (answer, error) { panic("secret prompt") }},
		{"GET", "/after", func(_ *Server, x *Exchange) (answer, error) { x.send(200, []byte("{}")); panic("late") }},
	})
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/before", nil))
	wantEnvelope(t, w.Result(), 500, "error_server_internal")
	if strings.Contains(w.Body.String(), "secret") {
		t.Errorf("the answer tells the panic: %s", w.Body)
	}
	if n := strings.Count(logged.String(), "level=ERROR"); n != 1 {
		t.Errorf("a panic is logged %d times:\n%s", n, &logged)
	}
	defer func() {
		if thrown := recover(); thrown != nethttp.ErrAbortHandler {
			t.Errorf("a late panic throws %v", thrown)
		}
	}()
	s.Handler().ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/after", nil))
}

func TestLog(t *testing.T) {
	var logged bytes.Buffer
	s := New(slog.New(slog.NewTextHandler(&logged, nil)), "v0")
	s.Open(nil, nil)
	r := httptest.NewRequest("POST", "/v1/calculate?token=secret", strings.NewReader("secret"))
	r.Header.Set("Authorization", "secret")
	r.Header.Set("X-Request-Id", "id-1")
	s.Handler().ServeHTTP(httptest.NewRecorder(), r)
	line := logged.String()
	for _, part := range []string{"level=INFO", "msg=request", "request_id=id-1", "method=POST", "status=401", "duration=", "bytes="} {
		if !strings.Contains(line, part) {
			t.Errorf("the log line lacks %s: %s", part, line)
		}
	}
	if strings.Contains(line, "secret") {
		t.Errorf("the log tells what the caller wrote: %s", line)
	}
}

// A request's line names the trace that it is part of, and nothing of a header that is none.
func TestLogOfTraces(t *testing.T) {
	for _, c := range []struct {
		parents []string
		want    string // "" for none
	}{
		{[]string{"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}, "trace_id=4bf92f3577b34da6a3ce929d0e0e4736"},
		{nil, ""},
		{[]string{"00-SECRET92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}, ""},
		{[]string{"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "SECRET"}, ""},
	} {
		var logged bytes.Buffer
		s := New(slog.New(slog.NewTextHandler(&logged, nil)), "v0")
		s.Open(nil, nil)
		r := httptest.NewRequest("GET", "/v1/domains", nil)
		for _, value := range c.parents {
			r.Header.Add("traceparent", value)
		}
		r.Header.Set("tracestate", "a=SECRET")
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		line := logged.String()
		if w.Code != 401 || !strings.Contains(line, c.want) || (c.want == "") == strings.Contains(line, "trace_id") || strings.Contains(line, "SECRET") {
			t.Errorf("%q: %d, %s", c.parents, w.Code, line)
		}
	}
}

// What asks every few seconds whether a node is ready fills no log.
func TestLogOfProbes(t *testing.T) {
	var logged bytes.Buffer
	s := New(slog.New(slog.NewTextHandler(&logged, nil)), "v0")
	for range 3 {
		for _, path := range []string{"/readyz", "/healthz", "/healthz", "/readyz"} {
			s.Handler().ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", path, nil))
		}
	}
	if n := strings.Count(logged.String(), "status=503"); n != 1 {
		t.Errorf("a node that is not ready says so %d times:\n%s", n, &logged)
	}
	if n := strings.Count(logged.String(), "status=200"); n != 1 {
		t.Errorf("a node that runs says so %d times:\n%s", n, &logged)
	}
	s.router, s.resources = table([]route{{"GET", "/readyz", func(s *Server, _ *Exchange) (answer, error) { return s.healthy("ready"), nil }}})
	s.open.Store(true)
	s.Handler().ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/readyz", nil))
	if n := strings.Count(logged.String(), "status=200"); n != 2 {
		t.Errorf("a node that becomes ready does not say so:\n%s", &logged)
	}
}

// TestServe stops a server while a request runs: it is answered, and the next connection is
// refused.
func TestServe(t *testing.T) {
	s := opened()
	running, finish := make(chan struct{}), make(chan struct{})
	s.router, s.resources = table([]route{
		{"GET", "/slow", func(*Server, *Exchange) (answer, error) {
			close(running)
			<-finish
			return s.healthy("ok"), nil
		}},
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	ctx, stop := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	go func() { stopped <- s.Serve(ctx, listener) }()

	answered := make(chan int, 1)
	go func() {
		r, err := nethttp.Get("http://" + address + "/slow")
		if err != nil {
			answered <- 0
			return
		}
		r.Body.Close()
		answered <- r.StatusCode
	}()
	<-running
	stop()
	deadline := time.Now().Add(5 * time.Second)
	for {
		c, err := net.Dial("tcp", address)
		if err != nil {
			break
		}
		c.Close()
		if time.Now().After(deadline) {
			t.Fatal("connections are taken after the stop")
		}
	}
	close(finish)
	if got := <-answered; got != 200 {
		t.Errorf("the running request is answered with %d", got)
	}
	if err := <-stopped; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// TestWire sends what a client library would not.
func TestWire(t *testing.T) {
	address := served(t)
	header := func(size int) string {
		line := "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Long: "
		return line + strings.Repeat("x", size-len(line)-len("\r\n\r\n")) + "\r\n\r\n"
	}
	for _, c := range []struct {
		name, request string
		status        int
	}{
		{"header of 31 KiB", header(31 << 10), 200},
		{"header of 33 KiB", header(33 << 10), 431},
		{"options of the server", "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 404},
		{"connect", "CONNECT example.com:80 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 404},
		{"doubled slash", "GET //healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 404},
		{"key twice", "GET /v1/domains HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer a\r\nAuthorization: Bearer a\r\n\r\n", 401},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := io.WriteString(conn, c.request); err != nil {
				t.Fatal(err)
			}
			r, err := nethttp.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Body.Close()
			if r.StatusCode != c.status {
				t.Errorf("status %d, want %d", r.StatusCode, c.status)
			}
			if c.status == 404 {
				wantEnvelope(t, r, 404, "error_not_found")
			}
		})
	}
}

// TestRefusedBeforeAHandler sends what net/http answers by itself, and looks for each answer in
// CONTRACT.md, which lists them.
func TestRefusedBeforeAHandler(t *testing.T) {
	contract, err := os.ReadFile("../schemas/CONTRACT.md")
	if err != nil {
		t.Fatal(err)
	}
	address := served(t)
	const host = "Host: x\r\n"
	for _, c := range []struct{ name, request, status, body string }{
		{"not a request line", "nonsense\r\n\r\n", "400 Bad Request", "400 Bad Request"},
		{"invalid method", "G(T /healthz HTTP/1.1\r\n" + host + "\r\n", "400 Bad Request", "400 Bad Request"},
		{"invalid address", "GET /%zz HTTP/1.1\r\n" + host + "\r\n", "400 Bad Request", "400 Bad Request"},
		{"malformed version", "GET /healthz HTTP/x\r\n" + host + "\r\n", "400 Bad Request", "400 Bad Request"},
		{"header without colon", "GET /healthz HTTP/1.1\r\n" + host + "nonsense\r\n\r\n", "400 Bad Request", "400 Bad Request"},
		{"space in a header's name", "GET /healthz HTTP/1.1\r\n" + host + "X Y: z\r\n\r\n", "400 Bad Request: invalid header name", "400 Bad Request: invalid header name"},
		{"bracket in a header's name", "GET /healthz HTTP/1.1\r\n" + host + "X(: z\r\n\r\n", "400 Bad Request", "400 Bad Request"},
		{"zero byte in a value", "GET /healthz HTTP/1.1\r\n" + host + "X: \x00\r\n\r\n", "400 Bad Request", "400 Bad Request"},
		{"delete character in a value", "GET /healthz HTTP/1.1\r\n" + host + "X: \x7f\r\n\r\n", "400 Bad Request", "400 Bad Request"},
		{"no Host", "GET /healthz HTTP/1.1\r\n\r\n", "400 Bad Request: missing required Host header", "400 Bad Request: missing required Host header"},
		{"Host twice", "GET /healthz HTTP/1.1\r\n" + host + host + "\r\n", "400 Bad Request", "400 Bad Request"},
		{"malformed Host", "GET /healthz HTTP/1.1\r\nHost: a{b\r\n\r\n", "400 Bad Request: malformed Host header", "400 Bad Request: malformed Host header"},
		{"length that is none", "POST /v1/calculate HTTP/1.1\r\n" + host + "Content-Length: x\r\n\r\n", "400 Bad Request", "400 Bad Request"},
		{"negative length", "POST /v1/calculate HTTP/1.1\r\n" + host + "Content-Length: -1\r\n\r\n", "400 Bad Request", "400 Bad Request"},
		{"two lengths", "POST /v1/calculate HTTP/1.1\r\n" + host + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", "400 Bad Request", "400 Bad Request"},
		{"trailer that may be none", "POST /v1/calculate HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\nTrailer: Content-Length\r\n\r\n", "400 Bad Request", "400 Bad Request"},
		{"unsupported transfer encoding", "POST /v1/calculate HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip\r\n\r\n", "501 Not Implemented", "Unsupported transfer encoding"},
		{"two transfer encodings", "POST /v1/calculate HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n", "501 Not Implemented", "Unsupported transfer encoding"},
		{"headers too long", "GET /healthz HTTP/1.1\r\n" + host + "X: " + strings.Repeat("x", headerLimit+8<<10) + "\r\n\r\n", "431 Request Header Fields Too Large", "431 Request Header Fields Too Large"},
		{"HTTP/3.0", "GET /healthz HTTP/3.0\r\n" + host + "\r\n", "505 HTTP Version Not Supported: unsupported protocol version", "505 HTTP Version Not Supported: unsupported protocol version"},
		{"HTTP/0.9", "GET /healthz HTTP/0.9\r\n" + host + "\r\n", "505 HTTP Version Not Supported: unsupported protocol version", "505 HTTP Version Not Supported: unsupported protocol version"},
		{"an expectation", "POST /v1/calculate HTTP/1.1\r\n" + host + "Expect: much\r\nContent-Length: 2\r\n\r\n{}", "417 Expectation Failed", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(conn, c.request); err != nil {
				t.Fatal(err)
			}
			// The connection ends with the answer, else the body does not.
			r, err := nethttp.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Body.Close()
			body, err := io.ReadAll(r.Body)
			if err != nil || r.Status != c.status || string(body) != c.body || !r.Close {
				t.Errorf("answered %q with %q (%v), want %q with %q and the end of the connection", r.Status, body, err, c.status, c.body)
			}
			if kind := r.Header.Get("Content-Type"); c.body != "" && kind != "text/plain; charset=utf-8" {
				t.Errorf("the body is %q", kind)
			}
			if row := fmt.Sprintf("| %s | `%s` |", c.status[:3], c.body); c.body != "" && !strings.Contains(string(contract), row) {
				t.Errorf("CONTRACT.md does not list %s", row)
			}
		})
	}
}

// served is the address of an open server.
func served(t *testing.T) string { return listen(t, opened(), maxConnections) }

// A server that has nothing to answer from yet says so, and what it waits for, in the envelope of
// every failure.
func TestStarting(t *testing.T) {
	s := New(slog.New(slog.DiscardHandler), "v0")
	s.Waits("it waits for two others")
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 503, "/v1/conversations": 503, "/nothing": 503} {
		recorder := httptest.NewRecorder()
		s.Handler().ServeHTTP(recorder, httptest.NewRequest("GET", path, nil))
		body := recorder.Body.String()
		if recorder.Code != want {
			t.Errorf("%s answers %d, want %d", path, recorder.Code, want)
		}
		if want == 503 && (recorder.Header().Get("Retry-After") != retryAfter || !strings.Contains(body, `"code":"error_server_internal","message":"This node is not ready: it waits for two others."`)) {
			t.Errorf("%s answers %q", path, body)
		}
	}
	s.Open(nil, nil)
	recorder := httptest.NewRecorder()
	s.Handler().ServeHTTP(recorder, httptest.NewRequest("GET", "/nothing", nil))
	if recorder.Code != 404 {
		t.Errorf("an open server answers %d, want 404", recorder.Code)
	}
}
