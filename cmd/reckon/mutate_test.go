package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	nethttp "net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

var (
	mutationSeed = flag.Uint64("mutation-seed", 1, "what TestMutatedRequests draws its requests from; 0 for the time")
	mutationTime = flag.Duration("mutation-time", 0, "how long TestMutatedRequests sends requests; 0 for a few, and for 10 minutes in a soak")
)

const (
	mutationCallers = 4
	mutationBlock   = 100 // so many cases share their conversations
	// latest is how late an answer may be after the request was sent.
	latest = slowdown * time.Second
	// busiest is how often as long as on a machine of its own work may take beside that of others.
	busiest = 20
	// leftMemory is how much more memory the server may hold after a rest than after one before.
	leftMemory = 50 << 20
)

// TestMutatedRequests sends random mutations of valid requests, in any packets, over connections of
// their own to a server: it stays alive, answers each in time, as the contract says, and with no
// failure of its own, logs no key, and afterwards needs no more memory than before. A case is made
// of the seed and its number alone.
func TestMutatedRequests(t *testing.T) {
	if *mutationSeed == 0 {
		*mutationSeed = uint64(time.Now().UnixNano())
	}
	if *mutationTime == 0 && soaking {
		*mutationTime = 10 * time.Minute
	}
	cases, limit := int64(1200), time.Hour
	if *mutationTime > 0 {
		cases, limit = math.MaxInt64, *mutationTime
	}
	s := newMutationServer(t)
	var next, sent atomic.Int64
	send := func(until time.Time) {
		var callers sync.WaitGroup
		for range mutationCallers {
			callers.Go(func() {
				for time.Now().Before(until) && !t.Failed() {
					first := next.Add(mutationBlock) - mutationBlock
					if first >= cases {
						return
					}
					s.block(first)
					sent.Add(mutationBlock)
				}
			})
		}
		callers.Wait()
	}
	if *mutationTime > 0 { // what is kept of answers, messages and conversations has a limit, which is reached first
		send(time.Now().Add(*mutationTime / 3))
		s.rests()
	}
	before := s.resident()
	send(time.Now().Add(limit))
	s.asks(200)
	if *mutationTime > 0 {
		s.rests()
		if after := s.resident(); after > before+leftMemory {
			t.Errorf("%d MiB of memory before, %d MiB afterwards", before>>20, after>>20)
		}
	}
	s.counts.Range(func(kind, n any) bool {
		t.Logf("%6d %v", n.(*atomic.Int64).Load(), kind)
		return true
	})
	t.Logf("%d cases of seed %d, memory %d MiB before, %d MiB afterwards", sent.Load(), *mutationSeed, before>>20, s.resident()>>20)
	s.end(syscall.SIGTERM)
	for _, wrong := range []string{s.secret[len("reckon_live_"):], s.stranger[len("reckon_live_"):], "panic", "level=ERROR"} {
		if i := strings.Index(s.errors.String(), wrong); i >= 0 {
			log := s.errors.String()
			t.Errorf("the log has %q: %s", wrong, log[max(0, i-500):min(len(log), i+1500)])
		}
	}
}

// mutationServer is a server and what is asked of it.
type mutationServer struct {
	*contract
	t        *testing.T
	address  string
	stranger string // a key of another account
	secrets  []string
	prompts  []contractCase
	alone    sync.RWMutex // held for reading by each case, for writing by one that is to be alone
	counts   sync.Map     // kind of answer to *atomic.Int64
}

func newMutationServer(t *testing.T) *mutationServer {
	t.Helper()
	s := &mutationServer{t: t, contract: &contract{world: newWorld(t, filepath.Join(t.TempDir(), "data")), described: describedInterface(t)}}
	s.flags = []string{"--log-level", "debug", "--log-requests", "sampled"}
	s.contract.start(t)
	s.address = strings.TrimPrefix(s.url, "http://")
	lastOf := func(out string) string {
		lines := strings.Split(strings.TrimSpace(out), "\n")
		return lines[len(lines)-1]
	}
	administer := func(args ...string) string { return lastOf(mustRun(t, append(args, "--data", s.data)...)) }
	administer("account", "create", "stranger")
	s.stranger = administer("key", "create", "--account", "stranger")
	revoked := administer("key", "create", "--account", devAccount)
	id := regexp.MustCompile(`(?m)^\S{36}`).FindAllString(mustRun(t, "key", "list", "--account", devAccount, "--data", s.data), -1)
	administer("key", "revoke", id[len(id)-1])
	s.secrets = []string{s.secret, s.stranger, revoked, "reckon_live_", "x"}
	files, err := filepath.Glob(filepath.Join("testdata", "contract", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, cases, err := contractCases(string(data))
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range cases {
			if !strings.HasPrefix(k.prompt, "GET ") {
				s.prompts = append(s.prompts, k)
			}
		}
	}
	return s
}

// block makes conversations, and sends the cases from a number on that go on with them.
func (s *mutationServer) block(first int64) {
	m := material{
		secrets: s.secrets, prompts: s.prompts, domains: []string{s.domain, s.second, "00000000-0000-7000-8000-000000000000"},
		conversations: []string{"00000000-0000-7000-8000-000000000000"}, cursors: []string{"00000000-0000-7000-8000-000000000000"}, eTags: []string{"*"},
	}
	for _, prompt := range []string{"distance: 150 mi\nspeed: 60 mi/h\ncalculate: time", "How long do I drive 150 miles at 60 mph?"} {
		body, err := json.Marshal(map[string]string{"domain_id": s.domain, "prompt": prompt})
		if err != nil {
			s.t.Error(err)
			return
		}
		a, err := send(&caller, "POST", s.url+"/v1/calculate", map[string]string{"Authorization": "Bearer " + s.secret, "Prefer": "wait=10"}, body)
		var answered messageBody
		if err != nil || a.status != nethttp.StatusOK || json.Unmarshal(a.body, &answered) != nil {
			s.t.Errorf("a valid request is answered %d: %s %v", a.status, a.body, err)
			return
		}
		m.conversations = append(m.conversations, slices.Repeat([]string{answered.ConversationID}, 5)...)
	}
	for _, path := range []string{"/v1/conversations?limit=1", "/v1/conversations/" + m.conversations[1] + "?limit=1", "/v1/domains"} {
		a, err := request(&caller, "GET", s.url+path, s.secret, "", nil)
		var page struct {
			Next string `json:"next_cursor"`
		}
		if err != nil || a.status != nethttp.StatusOK || json.Unmarshal(a.body, &page) != nil {
			s.t.Errorf("GET %s is answered %d: %s %v", path, a.status, a.body, err)
			return
		}
		m.eTags = append(m.eTags, a.header.Get("ETag"))
		if page.Next != "" {
			m.cursors = append(m.cursors, page.Next)
		}
	}
	for n := first; n < first+mutationBlock && !s.t.Failed(); n++ {
		draws := &mutator{rand.New(rand.NewPCG(*mutationSeed, uint64(n))), m}
		s.try(n, draws.mutant())
	}
}

// lateError says that an answer came too late, and how long the server worked meanwhile, where that
// is known.
type lateError struct{ after, worked time.Duration }

func (e *lateError) Error() string {
	return fmt.Sprintf("the answer came too late, after %s with %s of work", e.after, e.worked)
}

// try sends a case. One that is late is sent again while nothing else is: the machine may be busy.
func (s *mutationServer) try(number int64, c mutant) {
	s.alone.RLock()
	err := s.exchange(c)
	s.alone.RUnlock()
	if late := (*lateError)(nil); errors.As(err, &late) {
		s.alone.Lock()
		for n := 0; n < 5 && err != nil; n++ {
			began := time.Now()
			s.asks(1)
			least := time.Since(began) // that a plain calculation takes now, until it is on disk
			before := processorTime(s.t, s.server.Process.Pid)
			var late *lateError
			if err = s.exchange(c.withFreshKeys()); errors.As(err, &late) {
				late.worked = processorTime(s.t, s.server.Process.Pid) - before
				if late.worked < latest && late.after < latest+(late.worked+least)*busiest {
					err = nil
				}
			}
		}
		s.alone.Unlock()
	}
	if err != nil {
		var packets []string
		for _, p := range c.packets {
			packets = append(packets, strconv.Quote(string(p)))
		}
		s.t.Errorf("case %d of seed %d, slow %t, reset %t: %v\npackets:\n%.20000s", number, *mutationSeed, c.slow, c.reset, err, strings.Join(packets, "\n"))
	}
}

// exchange sends what a case sends, and looks at the answers to all of its requests that are
// complete.
func (s *mutationServer) exchange(c mutant) error {
	asked, rest, whole := requestsIn(c.bytes()) // which takes its time of its own
	conn, err := net.Dial("tcp", s.address)
	if err != nil {
		return err
	}
	defer conn.Close()
	connection := conn.(*net.TCPConn)
	if err := connection.SetDeadline(time.Now().Add(40 * time.Second)); err != nil {
		return err
	}
	written := make(chan time.Time, 1)
	go func() {
		for i, p := range c.packets {
			if _, err := connection.Write(p); err != nil {
				break // it may be refused before it has all been sent
			}
			if c.slow && i == 0 {
				time.Sleep(50 * time.Millisecond)
			}
		}
		written <- time.Now()
	}()
	if c.reset {
		<-written
		return connection.SetLinger(0)
	}
	reader := bufio.NewReader(connection)
	var ready time.Time // when the answer could begin to be made
	for i, r := range asked {
		a, err := readAnswer(reader, r.Request)
		now := time.Now()
		if ready.IsZero() {
			select {
			case ready = <-written:
			default:
				ready = now // it is answered before all of it was sent
			}
		}
		if errors.Is(err, syscall.ECONNRESET) && (!whole || slices.ContainsFunc(asked[i:], s.refusedAtOnce)) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the answer to %s %.100s: %w", r.Method, r.URL, err)
		}
		if err := s.check(r.Request, a); err != nil {
			return fmt.Errorf("%s %.100s is answered %d %v %.2000s: %w", r.Method, r.URL, a.status, a.header, a.body, err)
		}
		if late := now.Sub(ready); late > latest {
			return fmt.Errorf("%s %.100s: %w", r.Method, r.URL, &lateError{after: late})
		}
		ready = now
		if a.closes {
			return nil
		}
	}
	if whole {
		return nil
	}
	// What is left is no whole request, whatever follows.
	if ready.IsZero() {
		ready = <-written
	}
	if err := connection.CloseWrite(); err != nil {
		return nil // it was closed already
	}
	a, err := readAnswer(reader, rest)
	if late := time.Since(ready); late > latest {
		return fmt.Errorf("behind the end: %w", &lateError{after: late})
	}
	if err != nil {
		return nil
	}
	if err := s.check(rest, a); err != nil {
		return fmt.Errorf("what is not whole is answered %d %v %.2000s: %w", a.status, a.header, a.body, err)
	}
	return nil
}

// refusedAtOnce tells whether a request is answered before any handler runs. What is sent behind
// its header breaks the connection then, and that answer, and those before it that are not read
// yet, may be lost with it.
func (s *mutationServer) refusedAtOnce(r sentRequest) bool {
	conn, err := net.Dial("tcp", s.address)
	if err != nil {
		return false
	}
	defer conn.Close()
	if conn.SetDeadline(time.Now().Add(10*time.Second)) != nil {
		return false
	}
	if _, err := conn.Write(r.header); err != nil {
		return false
	}
	a, err := readAnswer(bufio.NewReader(conn), r.Request)
	return err == nil && s.check(r.Request, a) == nil && a.closes && a.header.Get("X-Request-Id") == ""
}

// sentRequest is a request with its header as it was sent.
type sentRequest struct {
	*nethttp.Request
	header []byte
}

// requestsIn are the complete requests at the beginning of what is sent, what is there of one more,
// nil where that is no header, and whether they are all.
func requestsIn(data []byte) (list []sentRequest, more *nethttp.Request, whole bool) {
	rest := bytes.NewReader(data)
	in := bufio.NewReader(rest)
	at := func() int { return len(data) - rest.Len() - in.Buffered() }
	for {
		// Empty lines before a request are to be passed over (RFC 9112, 2.2); the server does so behind a POST, with two at most.
		if len(list) > 0 && list[len(list)-1].Method == nethttp.MethodPost {
			next, _ := in.Peek(4)
			_, _ = in.Discard(len(next) - len(bytes.TrimLeft(next, "\r\n")))
		}
		begin := at()
		if _, err := in.Peek(1); err != nil {
			return list, nil, true
		}
		r, err := nethttp.ReadRequest(in)
		if err != nil {
			return list, nil, false
		}
		header := data[begin:at()]
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return list, r, false
		}
		list = append(list, sentRequest{r, header})
		if r.Close {
			return list, nil, true
		}
	}
}

// rawAnswer is an answer as it came, but for its compression.
type rawAnswer struct {
	answer
	closes bool // the connection ends behind it
}

func readAnswer(in *bufio.Reader, r *nethttp.Request) (rawAnswer, error) {
	for {
		response, err := nethttp.ReadResponse(in, r)
		if err != nil {
			return rawAnswer{}, err
		}
		if response.StatusCode < 200 {
			continue
		}
		body, err := io.ReadAll(response.Body)
		if err == nil && response.Header.Get("Content-Encoding") == "gzip" && len(body) > 0 {
			var unpack *gzip.Reader
			if unpack, err = gzip.NewReader(bytes.NewReader(body)); err == nil {
				body, err = io.ReadAll(unpack)
			}
		}
		return rawAnswer{answer{response.StatusCode, response.Header, body}, response.Close}, err
	}
}

// plainAnswers are those that come before a handler runs, by their status.
var plainAnswers = map[int][]string{
	400: {"400 Bad Request", "400 Bad Request: missing required Host header", "400 Bad Request: malformed Host header", "400 Bad Request: invalid header name"},
	417: {""},
	431: {"431 Request Header Fields Too Large"},
	501: {"Unsupported transfer encoding"},
	505: {"505 HTTP Version Not Supported: unsupported protocol version"},
}

// codes are the codes of failures by status.
var codes = map[int]string{
	400: "error_invalid_json", 401: "error_unauthorized", 403: "error_disabled_api_key", 404: "error_not_found", 405: "error_method_not_allowed",
	408: "error_request_timeout", 409: "error_idempotency_conflict", 413: "error_payload_too_large", 415: "error_unsupported_media_type",
	422: "error_invalid_param", 503: "error_server_internal",
}

// check holds an answer against the contract; r is nil for what is no whole request.
func (s *mutationServer) check(r *nethttp.Request, a rawAnswer) error {
	kind := strconv.Itoa(a.status)
	defer func() {
		n, _ := s.counts.LoadOrStore(kind, new(atomic.Int64))
		n.(*atomic.Int64).Add(1)
	}()
	if a.header.Get("X-Request-Id") == "" {
		kind += " before a handler"
		unread := r != nil && r.Method == nethttp.MethodHead
		if texts := plainAnswers[a.status]; len(texts) == 0 || !unread && !slices.Contains(texts, string(a.body)) {
			return errors.New("this text is not in the contract")
		}
		if !a.closes {
			return errors.New("the connection goes on")
		}
		return nil
	}
	if code, failed := codes[a.status]; failed {
		return s.failure(r, a, code)
	}
	if r == nil {
		return errors.New("it is not the answer to what cannot be read")
	}
	if r.URL.Path == "/" && a.status == nethttp.StatusSeeOther && a.header.Get("Location") == "/console" {
		return nil // for people, no part of what is described
	}
	route := routeOf(r.URL.EscapedPath())
	describedAs, pointer, err := s.answer(r.Method, route, a.header, a.status)
	if err != nil {
		return err
	}
	if a.status == nethttp.StatusNotModified || r.Method == nethttp.MethodHead {
		if len(a.body) > 0 {
			return errors.New("there is a body")
		}
		return nil
	}
	if a.header.Get("Content-Type") != "application/json" {
		return errors.New("it is not JSON by its header")
	}
	if r.Method == nethttp.MethodPost {
		var m struct {
			Format string `json:"input_format"`
			Status string
			Errors []struct{ Code string }
		}
		if err := json.Unmarshal(a.body, &m); err != nil {
			return err
		}
		kind += " " + m.Format + " " + m.Status
		for _, e := range m.Errors {
			if e.Code == "internal.error" {
				return errors.New("the service failed")
			}
		}
		if len(m.Errors) > 0 {
			kind += " " + m.Errors[0].Code
		}
	} else {
		kind += " " + route
		if a.header.Get("ETag") == "" {
			return errors.New("it has no ETag")
		}
	}
	return describedAs.Check(pointer, a.body)
}

// failure holds the envelope of a failure against the contract.
func (s *mutationServer) failure(r *nethttp.Request, a rawAnswer, code string) error {
	if r != nil && r.Method == nethttp.MethodHead {
		return nil
	}
	if !bytes.Contains(a.body, []byte(`"code":"`+code+`"`)) {
		return fmt.Errorf("the code is not %s", code)
	}
	for status, header := range map[int]string{401: "WWW-Authenticate", 405: "Allow", 503: "Retry-After"} {
		if a.status == status && a.header.Get(header) == "" {
			return fmt.Errorf("it has no %s", header)
		}
	}
	return s.described[1].Check("/components/schemas/TransportError", a.body)
}

// asks has valid requests answered, so many.
func (s *mutationServer) asks(n int) {
	for range n {
		if _, status, err := s.post("", "", "distance: 150 mi\nspeed: 60 mi/h\ncalculate: time"); status != nethttp.StatusOK || err != nil {
			s.t.Errorf("a valid request is answered %d, %v", status, err)
		}
	}
}

// rests waits until the server holds no more memory than it needs: until a minute has brought
// nothing back.
func (s *mutationServer) rests() {
	for least, since := s.resident(), time.Now(); time.Since(since) < time.Minute; time.Sleep(time.Second) {
		if now := s.resident(); now < least-1<<20 {
			least, since = now, time.Now()
		}
	}
}

// resident is how many bytes of memory the server holds.
func (s *mutationServer) resident() int64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.server.Process.Pid))
	if err != nil {
		s.t.Fatal(err)
	}
	m := regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(data)
	if m == nil {
		s.t.Fatalf("no VmRSS in %s", data)
	}
	kilobytes, _ := strconv.ParseInt(string(m[1]), 10, 64)
	return kilobytes << 10
}
