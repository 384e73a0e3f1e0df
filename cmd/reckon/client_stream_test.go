package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	golog "log"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// connection is one of those that a client makes to a server of events which misbehaves.
type connection struct {
	resumes string // the Last-Event-ID that it has
	status  int    // 0 is 200
	header  map[string]string
	pieces  []string // each sent by itself
	cut     bool
	held    bool // until the client goes
}

// described is an event with an id and a title.
func described(id, title string) string {
	return fmt.Sprintf("id: %s\nevent: conversation.described\ndata: {\"conversation_id\": \"c\", \"title\": %q}\n\n", id, title)
}

var (
	noMore  = nethttp.StatusNoContent
	page    = map[string]string{"Content-Type": "text/html"}
	refused = map[string]string{"Content-Type": "application/json"}
)

// hostileStreams are servers that misbehave, by the first part of their path: the connections that each client makes. What it
// is told is in testdata/clients/follow.txt.
var hostileStreams = map[string][]connection{
	"lines": {
		{pieces: strings.Split("\uFEFF: hello\r\rretry: 10\rretry: soon\r\nretry: -1\nunknown: x\nid\n\n:\n\r\n"+
			"event:conversation.described\r\nid:1\r\ndata:{\"title\":\r\ndata: \"größer € 😀\"\r\ndata\r\ndata: }\r\n\r\n"+
			"event: conversation.described\revent\revent: conversation.described\rid: 2\rDATA: 3\r data: 3\rdata:  {\"title\": \"CR\"}\r\r"+
			"data: {\"title\": \"a\u2028b\u0085c\"}\nid: 3\n\n"+"event: future\nid: 4\ndata: {}\n\n", "")},
		{resumes: "4", status: noMore},
	},
	"cut": {
		{pieces: []string{described("1", "one"), described("2", "two")[:40]}, cut: true},
		{resumes: "1", pieces: []string{described("2", "two") + strings.TrimSuffix(described("3", "three"), "\n")}},
		{resumes: "2", pieces: []string{described("2", "two"), described("3", "three")}, cut: true},
		{resumes: "3", pieces: []string{"id: 4"}},
		{resumes: "3", pieces: []string{"id: 5\n\n"}},
		{resumes: "5", status: noMore},
	},
	"busy": {
		{status: 503, header: map[string]string{"Retry-After": "0"}},
		{status: 429, header: map[string]string{"Retry-After": "1"}},
		{pieces: []string{described("1", "one")}},
		{resumes: "1", status: 502, header: page, pieces: []string{"<html>Bad gateway"}},
		{resumes: "1", status: 504, cut: true},
		{resumes: "1", pieces: []string{described("2", "two")}},
		{resumes: "2", status: noMore},
	},
	"revoked": {
		{pieces: []string{described("1", "one")}},
		{resumes: "1", status: 403, header: refused, pieces: []string{`{"error": {"code": "error_disabled_api_key", "message": "This API key is disabled.", "params": null}}`}},
	},
	"page":    {{header: page, pieces: []string{described("1", "one")}}},
	"broken":  {{pieces: []string{described("1", "one"), "id: 2\ndata: {\"title\"\n\n", described("3", "three")}}},
	"text":    {{pieces: []string{described("1", "one"), "id: 2\ndata: \"title\"\n\n"}}},
	"endless": {{pieces: slices.Concat([]string{described("1", "one"), "data: "}, slices.Repeat([]string{strings.Repeat("a", 1<<20)}, 20)), held: true}},
	"heap":    {{pieces: slices.Concat([]string{described("1", "one")}, slices.Repeat([]string{"data: " + strings.Repeat("a", 1<<20) + "\n"}, 20)), held: true}},
	"moved":   {{status: 307, header: map[string]string{"Location": "/elsewhere"}}},
	"ids": {
		{pieces: []string{described("1", "one"), described("ü", "no id of a header"), described("a\x00b", "neither")}},
		{resumes: "1", pieces: []string{"id\n\n"}},
		{pieces: []string{described("2", "two"), strings.Replace(described("", "without"), "id: \n", "", 1)}},
		{resumes: "2", status: noMore},
	},
	"over": {{pieces: []string{described("1", "one"), "id: 2\nevent: conversation.erased\ndata: {\"conversation_id\": \"c\"}\n\n", described("3", "three")}}},
	"all": {
		{pieces: []string{"id: 2\nevent: conversation.erased\ndata: {\"conversation_id\": \"c\"}\n\n", described("3", "three")}},
		{resumes: "3", status: noMore},
	},
	"after": {{resumes: "7", pieces: []string{described("8", "eight")}}, {resumes: "8", status: noMore}},
	"silent": {
		{pieces: []string{described("1", "one")}, held: true},
		{resumes: "1", pieces: []string{described("2", "two")}},
		{resumes: "2", status: noMore},
	},
	"held":  {{pieces: []string{described("1", "one")}, held: true}, {pieces: []string{described("1", "one")}, held: true}},
	"late":  {{pieces: []string{"retry: 99999999999999999999\nretry: 2000000000\n" + described("1", "one")}}},
	"spent": {{status: 429, header: map[string]string{"Retry-After": "86400"}}},
}

// hostile serves hostileStreams to several clients, each at a part of the path of its own.
type hostile struct {
	mu   sync.Mutex
	made map[string]int // connections by path
}

func (h *hostile) ServeHTTP(w nethttp.ResponseWriter, r *nethttp.Request) {
	parts := strings.Split(r.URL.Path, "/")
	h.mu.Lock()
	n := h.made[r.URL.Path]
	h.made[r.URL.Path]++
	h.mu.Unlock()
	all := hostileStreams[parts[2]]
	if n >= len(all) || all[n].resumes != r.Header.Get("Last-Event-ID") || !strings.HasSuffix(r.URL.Path, "/events") {
		nethttp.Error(w, fmt.Sprintf(`{"error": {"code": "wrong", "message": "connection %d of %s comes with %q"}}`, n, parts[2], r.Header.Get("Last-Event-ID")), nethttp.StatusTeapot)
		return
	}
	c := all[n]
	w.Header().Set("Content-Type", "Text/Event-Stream; charset=utf-8")
	for name, value := range c.header {
		w.Header().Set(name, value)
	}
	if c.status != 0 {
		w.WriteHeader(c.status)
	}
	flush := nethttp.NewResponseController(w)
	for _, piece := range c.pieces {
		for bite := range slices.Chunk([]byte(piece), 1<<20) {
			if _, err := w.Write(bite); err != nil {
				return
			}
			_ = flush.Flush()
		}
	}
	switch {
	case c.held:
		<-r.Context().Done()
	case c.cut:
		panic(nethttp.ErrAbortHandler)
	}
}

// TestClientsAndBrokenStreams has each client follow servers that misbehave.
func TestClientsAndBrokenStreams(t *testing.T) {
	if testing.Short() {
		t.Skip("clients that wait take long")
	}
	t.Parallel()
	server := httptest.NewServer(&hostile{made: map[string]int{}})
	defer server.Close() // waits until all clients have gone
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + closed.Addr().String()
	closed.Close()
	golden := filepath.Join("testdata", "clients", "follow.txt")
	compare := func(t *testing.T, got string) {
		t.Helper()
		want, err := os.ReadFile(golden)
		if err != nil || string(want) != got {
			t.Errorf("%v, the client sees:\n%s", err, got)
		}
	}
	// All clients run at once, since most of what they do is wait.
	var others sync.WaitGroup
	programs := clientPrograms(t, "follow")
	printed := make(map[string]*string, len(programs))
	for language, program := range programs {
		got := new(string)
		printed[language] = got
		others.Go(func() { *got = output(t, program("hostile", server.URL+"/"+language, nobody)) })
	}
	t.Run("go", func(t *testing.T) {
		got := followHostile(t, server.URL+"/go", nobody)
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		compare(t, got)
	})
	others.Wait()
	for language, got := range printed {
		t.Run(language, func(t *testing.T) { compare(t, *got) })
	}
}

// followed are the lines that a client tells, as they come.
type followed struct {
	mu    sync.Mutex
	more  *sync.Cond
	lines []string
	over  bool
}

func newFollowed() *followed {
	f := &followed{}
	f.more = sync.NewCond(&f.mu)
	return f
}

func (f *followed) say(line string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lines = append(f.lines, line)
	f.more.Broadcast()
}

func (f *followed) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = true
	f.more.Broadcast()
}

// first are the first lines, or all when it ends before.
func (f *followed) first(n int) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.lines) < n && !f.over {
		f.more.Wait()
	}
	return slices.Clone(f.lines[:min(n, len(f.lines))])
}

// TestClientsFollow has each client follow a conversation and an account while the service is killed again and again. Each is
// told of every message once, in order, and of the end.
func TestClientsFollow(t *testing.T) {
	t.Parallel()
	const messages, kills = 40, 3
	w := newWorld(t, filepath.Join(t.TempDir(), "data"))
	w.serve(t)
	file := filepath.Join(t.TempDir(), "journey.yaml")
	if err := os.WriteFile(file, []byte(clientDomain), 0o600); err != nil {
		t.Fatal(err)
	}
	mustRun(t, "domain", "publish", file, "--account", devAccount, "--data", w.data)
	domain, secret := w.domainNamed(t, "Journey"), w.secret

	// What stands before the service knows it at its newest address, and how many follow the account.
	var service atomic.Pointer[url.URL]
	found := func() {
		u, err := url.Parse(w.url)
		if err != nil {
			t.Fatal(err)
		}
		service.Store(u)
	}
	found()
	following := make(chan struct{}, 1000)
	link := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(service.Load()) },
		FlushInterval: -1,
		ErrorLog:      golog.New(io.Discard, "", 0),
		ErrorHandler:  func(w nethttp.ResponseWriter, _ *nethttp.Request, _ error) { w.WriteHeader(nethttp.StatusBadGateway) },
		ModifyResponse: func(r *nethttp.Response) error {
			if r.Request.URL.Path == "/v1/events" {
				following <- struct{}{}
			}
			return nil
		},
	})
	defer link.Close()

	conversation := ""
	ask := func(n int) {
		body, err := json.Marshal(map[string]string{
			"domain_id": domain, "prompt": fmt.Sprintf("distance: %d mi\nspeed: 60 mi/h\ncalculate: time", n), "conversation_id": conversation,
		})
		if conversation == "" {
			body = bytes.Replace(body, []byte(`"conversation_id":"",`), nil, 1)
		}
		if err != nil {
			t.Error(err)
			return
		}
		for {
			a, err := request(&patient, "POST", link.URL+"/v1/calculate", secret, fmt.Sprint("message-", n), body)
			if err == nil && a.status == nethttp.StatusOK {
				var made struct {
					Conversation string `json:"conversation_id"`
				}
				if err := json.Unmarshal(a.body, &made); err != nil {
					t.Error(err)
				}
				conversation = made.Conversation
				return
			}
			if err == nil && a.status < 500 {
				t.Errorf("%d %s", a.status, a.body)
				return
			}
		}
	}
	ask(1)

	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	defer func() { stop(); running.Wait() }()
	all := map[string]*followed{}
	start := func(name string, follow func(f *followed) error) {
		f := newFollowed()
		all[name] = f
		running.Go(func() {
			defer f.end()
			if err := follow(f); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	programs := clientPrograms(t, "follow")
	for _, of := range []string{"", conversation} {
		args := []string{"live", link.URL, secret}
		if of != "" {
			args = append(args, of)
		}
		start("go "+of, func(f *followed) error { return followLive(ctx, f.say, link.URL, secret, of) })
		for language, program := range programs {
			start(language+" "+of, func(f *followed) error { return tell(ctx, program(args...), f.say) })
		}
	}
	for range 1 + len(programs) {
		<-following
	}
	for name, f := range all {
		if strings.HasSuffix(name, conversation) {
			f.first(1)
		}
	}

	var asked atomic.Int64
	var asking sync.WaitGroup
	asking.Go(func() {
		for n := 2; n <= messages; n++ {
			ask(n)
			asked.Store(int64(n))
		}
	})
	slowest := func(n int) {
		for _, f := range all {
			f.first(n)
		}
	}
	for i := range kills {
		slowest((i + 1) * messages / (kills + 2)) // so that there are some before, and others after
		w.kill()
		w.serve(t)
		found()
	}
	asking.Wait()
	var want []string
	for n := 1; n <= messages; n++ {
		want = append(want, fmt.Sprintf("message.completed %d mi", n))
	}
	slowest(messages - 1)
	mustRun(t, "conversation", "describe", conversation, "--account", devAccount, "--title", "Seen", "--data", w.data)
	want = append(want, "conversation.described Seen")
	slowest(messages)
	for name, f := range all {
		if strings.HasSuffix(name, conversation) {
			f.first(messages + 1)
		}
	}
	mustRun(t, "conversation", "erase", conversation, "--account", devAccount, "--data", w.data)
	want = append(want, "conversation.erased", "ended")
	running.Wait()
	for name, f := range all {
		if wanted := want; !slices.Equal(f.lines, wanted) && !(strings.HasSuffix(name, " ") && slices.Equal(f.lines, wanted[1:])) {
			t.Errorf("%s is told:\n%s", name, strings.Join(f.lines, "\n"))
		}
	}
}

// tell runs a program and hands on its lines.
func tell(ctx context.Context, cmd *exec.Cmd, say func(string)) error {
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		say(lines.Text())
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("%w\n%s", err, said.Bytes())
	}
	return nil
}
