package http

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	nethttp "net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/events"
	"reckon/projections"
)

// patience is how long a test waits for what must happen.
const patience = 20 * time.Second

// working runs a node that answers on a listener, with its queue.
func working(t *testing.T) (n *node, address string) {
	t.Helper()
	n = startNode(t)
	running, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		n.server.service.Run(running)
	}()
	t.Cleanup(func() { stop(); <-ended })
	return n, listen(t, n.server, maxConnections)
}

// sum has 1 more than a calculated, in a new conversation where that is "", and returns the answer.
func (n *node) sum(a int, conversation string) string {
	n.t.Helper()
	body := map[string]any{"domain_id": n.domain.ID, "input_format": "structured", "prompt": fmt.Sprintf("a: %d\ncalculate: b", a)}
	if conversation != "" {
		body["conversation_id"] = conversation
	}
	w := n.ask("POST", "/v1/calculate", string(encode(body)))
	if w.Code != 200 {
		n.t.Fatalf("%d %s", w.Code, w.Body)
	}
	return w.Body.String()
}

func conversationOf(t *testing.T, message string) string {
	t.Helper()
	var m struct {
		ID string `json:"conversation_id"`
	}
	if err := json.Unmarshal([]byte(message), &m); err != nil || m.ID == "" {
		t.Fatalf("%s: %v", message, err)
	}
	return m.ID
}

// told is an event of a stream.
type told struct{ id, event, data string }

// stream is an open stream of events.
type stream struct {
	t      *testing.T
	answer *nethttp.Response
	lines  *bufio.Scanner
	id     string // of the last event
	retry  string
	begins bool // it has said where
}

// open asks for a stream; header are names and values.
func openStream(t *testing.T, address, secret, path string, header ...string) *stream {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	r, err := nethttp.NewRequestWithContext(ctx, "GET", "http://"+address+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+secret)
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	answer, err := (&nethttp.Transport{}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 4<<20)
	return &stream{t: t, answer: answer, lines: lines}
}

// next reads on to the next event, as the HTML standard says; ok is false at the end.
func (s *stream) next() (e told, ok bool) {
	s.t.Helper()
	for s.lines.Scan() {
		line := s.lines.Text()
		name, value, _ := strings.Cut(line, ": ")
		switch {
		case line == "" && e.data != "":
			e.id = s.id
			return e, true
		case line == "":
			if !s.begins && s.id != "" {
				s.begins = true
				return told{id: s.id}, true
			}
		case line == ":":
		case name == "id":
			s.id = value
		case name == "retry":
			s.retry = value
		case name == "event":
			e.event = value
		case name == "data" && e.data == "":
			e.data = value
		default:
			s.t.Fatalf("a line %q", line)
		}
	}
	return told{}, false
}

// begun is a stream that has said where it begins.
func (s *stream) begun() *stream {
	s.t.Helper()
	if s.answer.StatusCode != 200 {
		body, _ := io.ReadAll(s.answer.Body)
		s.t.Fatalf("%d %s", s.answer.StatusCode, body)
	}
	if e, ok := s.next(); !ok || e.id == "" || e.data != "" || s.retry != "1000" {
		s.t.Fatalf("it begins with %+v, %v (%v)", e, ok, s.lines.Err())
	}
	return s
}

// want reads an event of a type, and returns its data.
func (s *stream) want(event string) string {
	s.t.Helper()
	e, ok := s.next()
	if !ok || e.event != event || e.id == "" {
		s.t.Fatalf("%+v, %v (%v), want %s", e, ok, s.lines.Err(), event)
	}
	return e.data
}

// ends reads nothing more than the end.
func (s *stream) ends() {
	s.t.Helper()
	if e, ok := s.next(); ok || s.lines.Err() != nil {
		s.t.Errorf("%+v, %v, want the end", e, s.lines.Err())
	}
}

// What becomes of a conversation comes as calculate answers it and as GET has it, also to a stream
// that is resumed on another node.
func TestEventsOfAConversation(t *testing.T) {
	n, address := working(t)
	one := n.sum(1, "")
	id := conversationOf(t, one)
	path := "/v1/conversations/" + id + "/events"
	s := openStream(t, address, n.secret, path).begun()
	for name, want := range map[string]string{
		"Content-Type": "text/event-stream", "Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no",
		"Vary": "Accept-Encoding, Authorization, Body-Version", "Body-Version": "2", "Content-Encoding": "", "Content-Length": "", "Etag": "",
	} {
		if got := strings.Join(s.answer.Header.Values(name), ", "); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	first := *s
	if got := s.want("message.completed"); got != one {
		t.Errorf("the newest message is\n%s\nand calculate answers\n%s", got, one)
	}
	n.sum(5, "") // is told to nobody here
	two := n.sum(2, id)
	if got := s.want("message.completed"); got != two {
		t.Errorf("the next message is\n%s\nand calculate answers\n%s", got, two)
	}
	conforms(t, "Message", []byte(two))
	after := s.id
	w := n.ask("POST", "/v1/calculate", `{"domain_id": "`+n.domain.ID.String()+`", "conversation_id": "`+id+`", "prompt": "c: 1\ncalculate: b", "input_format": "structured"}`)
	if got := s.want("message.failed"); got != w.Body.String() {
		t.Errorf("%s\n%s", got, w.Body)
	}
	title := "Sums"
	admin := commands.Admin{Log: n.log}
	if err := admin.Describe(t.Context(), "acme", uuid.MustParse(id), commands.Description{Title: &title}); err != nil {
		t.Fatal(err)
	}
	described := s.want("conversation.described")
	if described != `{"conversation_id":"`+id+`","title":"Sums","notes":null}` {
		t.Errorf("%s", described)
	}
	conforms(t, "ConversationDescribed", []byte(described))

	// Another node of the same log, which has started since.
	views, err := projections.Open(t.Context(), n.log, t.TempDir(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer views.Close()
	if err := views.Fresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	other := New(slog.New(slog.DiscardHandler), "v0")
	other.Open(views, n.server.service)
	otherAddress := listen(t, other, maxConnections)
	resumed := openStream(t, otherAddress, n.secret, path, "Last-Event-ID", after, "Body-Version", "1").begun()
	if got := resumed.want("message.failed"); !strings.Contains(got, `"version":1`) {
		t.Errorf("body version 1: %s", got)
	}
	resumed.want("conversation.described")
	if resumed.id != s.id {
		t.Errorf("the ids differ: %s and %s", resumed.id, s.id)
	}
	begin := openStream(t, otherAddress, n.secret, path, "Last-Event-ID", first.id).begun()
	for _, want := range []string{one, two} {
		if got := begin.want("message.completed"); got != want {
			t.Errorf("from the begin on: %s, want %s", got, want)
		}
	}
}

// The stream of an account has all conversations from now on, those of other domains than those of
// the key left out, and says what was erased. That of a conversation ends with its erasure.
func TestEventsOfAnAccount(t *testing.T) {
	n, address := working(t)
	admin := commands.Admin{Log: n.log}
	before := conversationOf(t, n.sum(1, ""))
	other, err := admin.Publish(t.Context(), commands.Publication{Account: "acme", Definition: events.Definition{
		Title: "Double", Description: "Twice.",
		Variables:  []events.Variable{{Key: "x", Title: "x", Kind: "number", DefaultValue: []byte(`""`)}, {Key: "y", Title: "y", Kind: "number", DefaultValue: []byte(`""`)}},
		Activities: []events.Activity{{Title: "Twice", Equation: "y = 2*x", State: "active"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	key := func(scopes ...string) string {
		t.Helper()
		_, secret, err := admin.CreateKey(t.Context(), "acme", commands.KeyTerms{Scopes: scopes})
		if err != nil {
			t.Fatal(err)
		}
		return secret
	}
	all := openStream(t, address, n.secret, "/v1/events").begun()
	reader := openStream(t, address, key(projections.ScopeRead), "/v1/events").begun()
	narrow := openStream(t, address, key(projections.ScopeDomain+other.DomainID.String()), "/v1/events").begun()
	single := openStream(t, address, n.secret, "/v1/conversations/"+before+"/events").begun()
	single.want("message.completed")
	resume := all.id

	one := n.sum(2, before)
	w := n.ask("POST", "/v1/calculate", `{"domain_id": "`+other.DomainID.String()+`", "prompt": "x: 1\ncalculate: y"}`)
	two := w.Body.String()
	for _, s := range []*stream{all, reader} {
		if got := []string{s.want("message.completed"), s.want("message.completed")}; !slices.Equal(got, []string{one, two}) {
			t.Errorf("%q", got)
		}
	}
	if got := narrow.want("message.completed"); got != two {
		t.Errorf("a key of one domain is told %s", got)
	}
	single.want("message.completed")
	if _, _, err := admin.EraseConversation(t.Context(), "acme", uuid.MustParse(before), ""); err != nil {
		t.Fatal(err)
	}
	erased := `{"conversation_id":"` + before + `"}`
	if got := all.want("conversation.erased"); got != erased {
		t.Errorf("%s", got)
	}
	conforms(t, "ConversationErased", []byte(erased))
	if got := single.want("conversation.erased"); got != erased {
		t.Errorf("%s", got)
	}
	single.ends()
	again := openStream(t, address, n.secret, "/v1/events", "Last-Event-ID", resume).begun()
	if got := again.want("message.completed"); got != two { // of what is erased nothing else is told
		t.Errorf("%s", got)
	}
	again.want("conversation.erased")
	if again.id != all.id {
		t.Errorf("the ids differ: %s and %s", again.id, all.id)
	}
}

// A stream is refused like other requests for the same: what is not there, no id of the stream, too
// many of them.
func TestEventsRefused(t *testing.T) {
	n, address := working(t)
	id := conversationOf(t, n.sum(1, ""))
	mine, all := "/v1/conversations/"+id+"/events", "/v1/events"
	admin := commands.Admin{Log: n.log}
	if _, err := admin.CreateAccount(t.Context(), commands.CreateAccount{Name: "other"}); err != nil {
		t.Fatal(err)
	}
	_, theirs, err := admin.CreateKey(t.Context(), "other", commands.KeyTerms{})
	if err != nil {
		t.Fatal(err)
	}
	_, narrow, err := admin.CreateKey(t.Context(), "acme", commands.KeyTerms{Scopes: []string{projections.ScopeDomain + uuid.NewString()}})
	if err != nil {
		t.Fatal(err)
	}
	future := projections.Cursor(streamOf(n.account, uuid.Nil), n.server.views.At()+1000).String()
	good := projections.Cursor(streamOf(n.account, uuid.Nil), 1).String()
	for _, c := range []struct {
		name, secret, path string
		header             []string
		status             int
		code               string
	}{
		{"another account's conversation", theirs, mine, nil, 404, "error_not_found"},
		{"a key of another domain", narrow, mine, nil, 404, "error_not_found"},
		{"no conversation", n.secret, "/v1/conversations/" + uuid.NewString() + "/events", nil, 404, "error_not_found"},
		{"no id", n.secret, "/v1/conversations/a/events", nil, 404, "error_not_found"},
		{"no key", "x", all, nil, 401, "error_unauthorized"},
		{"an id of nothing", n.secret, all, []string{"Last-Event-ID", uuid.NewString()}, 422, "error_invalid_param"},
		{"a number", n.secret, all, []string{"Last-Event-ID", "17"}, 422, "error_invalid_param"},
		{"a long text", n.secret, all, []string{"Last-Event-ID", strings.Repeat("9", 20_000)}, 422, "error_invalid_param"},
		{"bytes of no text", n.secret, all, []string{"Last-Event-ID", "\xff\xfe"}, 422, "error_invalid_param"},
		{"two ids", n.secret, all, []string{"Last-Event-ID", good, "Last-Event-ID", good}, 422, "error_invalid_param"},
		{"an id of the account", n.secret, mine, []string{"Last-Event-ID", good}, 422, "error_invalid_param"},
		{"an id of another account", theirs, all, []string{"Last-Event-ID", good}, 422, "error_invalid_param"},
		{"an id of the future", n.secret, all, []string{"Last-Event-ID", future}, 422, "error_invalid_param"},
		{"a cursor of the list", n.secret, all, []string{"Last-Event-ID", projections.Cursor(n.account, 1).String()}, 422, "error_invalid_param"},
		{"a body version that is none", n.secret, all, []string{"Body-Version", "9"}, 422, "error_invalid_param"},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantEnvelope(t, openStream(t, address, c.secret, c.path, c.header...).answer, c.status, c.code)
		})
	}
	openStream(t, address, n.secret, all, "Last-Event-ID", good).begun().want("message.completed")
	openStream(t, address, n.secret, all, "Last-Event-ID", "").begun()
	if w := n.ask("HEAD", all, ""); w.Code != 200 || w.Body.Len() > 0 || w.Header().Get("Content-Type") != "text/event-stream" {
		t.Errorf("HEAD: %d %v %q", w.Code, w.Header(), w.Body)
	}
	if w := n.ask("POST", all, "{}"); w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: %d %v", w.Code, w.Header())
	}
}

// There are so many streams at once, of an account and in all, and one that has ended makes room.
func TestEventsAreBounded(t *testing.T) {
	n := startNode(t)
	n.server.streams = places(8)
	address := listen(t, n.server, maxConnections)
	var open []*stream
	for range 2 {
		open = append(open, openStream(t, address, n.secret, "/v1/events").begun())
	}
	refused := openStream(t, address, n.secret, "/v1/events").answer
	wantEnvelope(t, refused, 429, "error_rate_limited")
	if refused.Header.Get("Retry-After") == "" {
		t.Error("a refused stream is not told when to come again")
	}
	if w := n.ask("GET", "/v1/domains", ""); w.Code != 200 {
		t.Errorf("streams take the place of other requests: %d", w.Code)
	}
	open[0].answer.Body.Close()
	deadline := time.Now().Add(patience)
	for {
		s := openStream(t, address, n.secret, "/v1/events")
		if s.answer.StatusCode == 200 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("a stream that has ended makes no room")
		}
	}
}

// A stream ends with its key, within a second, and not with that of others.
func TestEventsEndWithTheKey(t *testing.T) {
	n, address := working(t)
	admin := commands.Admin{Log: n.log}
	brief := time.Now().Add(2 * time.Second)
	key := func(terms commands.KeyTerms) (uuid.UUID, string) {
		t.Helper()
		id, secret, err := admin.CreateKey(t.Context(), "acme", terms)
		if err != nil {
			t.Fatal(err)
		}
		return id, secret
	}
	revoked, revokedSecret := key(commands.KeyTerms{})
	rotated, rotatedSecret := key(commands.KeyTerms{})
	_, expiring := key(commands.KeyTerms{ExpiresAt: &brief})
	stays := openStream(t, address, n.secret, "/v1/events").begun()
	expires := openStream(t, address, expiring, "/v1/events").begun()
	for name, end := range map[string]struct {
		secret string
		by     func() error
	}{
		"revoked": {revokedSecret, func() error { return admin.RevokeKey(t.Context(), revoked) }},
		"rotated": {rotatedSecret, func() error { _, err := admin.RotateKey(t.Context(), rotated, 0); return err }},
	} {
		s := openStream(t, address, end.secret, "/v1/events").begun()
		if err := end.by(); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		s.ends()
		if took := time.Since(began); took > time.Second {
			t.Errorf("a %s key's stream ends after %s", name, took)
		}
	}
	expires.ends()
	if late := time.Since(brief); late < 0 || late > time.Second {
		t.Errorf("an expired key's stream ends %s after it", late)
	}
	one := n.sum(1, "")
	if got := stays.want("message.completed"); got != one {
		t.Errorf("%s", got)
	}
}

// Silence is broken by comments, and a server that stops ends its streams whole and soon.
func TestEventsInSilence(t *testing.T) {
	n := startNode(t)
	n.server.beat = time.Millisecond
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- n.server.Serve(ctx, listener) }()
	s := openStream(t, listener.Addr().String(), n.secret, "/v1/events").begun()
	for s.lines.Scan() && s.lines.Text() != ":" {
	}
	stop()
	s.ends()
	if err := <-stopped; err != nil {
		t.Errorf("a server with a stream stops with %v", err)
	}
}

// A caller that does not read what comes is cut off, and is in nobody's way meanwhile.
func TestEventsNobodyReads(t *testing.T) {
	n := startNode(t)
	running, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		n.server.service.Run(running)
	}()
	defer func() { stop(); <-ended }()
	n.server.streams, n.server.patience = places(4), 300*time.Millisecond
	small := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) (err error) {
		return errors.Join(c.Control(func(socket uintptr) {
			err = syscall.SetsockoptInt(int(socket), syscall.SOL_SOCKET, syscall.SO_SNDBUF, 4096)
		}), err)
	}}
	listener, err := small.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	serving, halt := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- n.server.Serve(serving, listener) }()
	defer func() { halt(); <-served }()
	begin := openStream(t, address, n.secret, "/v1/events").begun()
	begin.answer.Body.Close()
	conversation := ""
	for i := range 100 { // more than the buffers of a connection hold
		message := n.sum(i, conversation)
		conversation = conversationOf(t, message)
	}
	deadline := time.Now().Add(patience)
	ask := func() (net.Conn, int) {
		t.Helper()
		c := dial(t, address)
		if err := c.(*net.TCPConn).SetReadBuffer(4096); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(c, "GET /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nLast-Event-ID: %s\r\n\r\n", n.secret, begin.id)
		r, err := nethttp.ReadResponse(bufio.NewReaderSize(c, 16), nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.StatusCode != 200 {
			c.Close()
		}
		return c, r.StatusCode
	}
	slow, status := ask()
	for status != 200 { // until the place of the first one is free
		if slow, status = ask(); time.Now().After(deadline) {
			t.Fatal("a stream that has ended makes no room")
		}
	}
	for {
		if _, status := ask(); status == 200 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("a caller that does not read keeps its place")
		}
	}
	if err := slow.SetReadDeadline(deadline); err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(slow)
	if whole := strings.HasSuffix(string(text), "0\r\n\r\n"); whole || len(text) == 0 || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%d bytes, %v: the stream looks as if it had ended by itself", len(text), err)
	}
}

// A stream waits for no body that was announced and does not come, and ends with the server all the same.
func TestEventsOfARequestWithABody(t *testing.T) {
	n := startNode(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- n.server.Serve(ctx, listener) }()
	for _, body := range []string{"Content-Length: 50\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", "Transfer-Encoding: chunked\r\n\r\nnonsense\r\n\r\n"} {
		c := dial(t, listener.Addr().String())
		if err := c.SetDeadline(time.Now().Add(patience / 2)); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(c, "GET /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n%s", n.secret, body)
		r, err := nethttp.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Errorf("%q: %v", body, err)
			continue
		}
		if line, err := bufio.NewReader(r.Body).ReadString('\n'); r.StatusCode != 200 || line != "retry: 1000\n" || err != nil {
			t.Errorf("%q: %d %q, %v", body, r.StatusCode, line, err)
		}
	}
	stop()
	if err := <-stopped; err != nil {
		t.Errorf("the server stops with %v", err)
	}
}

// Pages of allowed origins may resume a stream, and others may not.
func TestEventsOfOtherOrigins(t *testing.T) {
	n := startNode(t)
	if err := n.server.AllowOrigins([]string{"https://app.example.com"}); err != nil {
		t.Fatal(err)
	}
	for origin, allowed := range map[string]bool{"https://app.example.com": true, "https://evil.example.com": false, "null": false} {
		w := n.ask("OPTIONS", "/v1/events", "", "Origin", origin, "Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", "authorization,last-event-id,traceparent,tracestate")
		if got := w.Header().Get("Access-Control-Allow-Origin"); (got == origin) != allowed || !allowed && got != "" {
			t.Errorf("%s: a preflight is allowed for %q", origin, got)
		}
		if got := w.Header().Get("Access-Control-Allow-Headers"); (got != "") != allowed {
			t.Errorf("%s: a preflight allows the headers %q", origin, got)
		}
		w = n.ask("HEAD", "/v1/events", "", "Origin", origin)
		if got := w.Header().Get("Access-Control-Allow-Origin"); (got == origin) != allowed || !allowed && got != "" {
			t.Errorf("%s: an answer is allowed for %q", origin, got)
		}
	}
}
