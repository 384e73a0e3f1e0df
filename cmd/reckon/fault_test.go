package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	nethttp "net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"reckon/events"
)

// soaking says that `make soak` runs: more rounds, and a test that the machine does not allow fails.
var soaking = os.Getenv("RECKON_SOAK") != ""

// notRun says loudly that this machine does not allow a test. A soak fails with it.
func notRun(t *testing.T, why string) {
	t.Helper()
	if soaking {
		t.Fatalf("NOT RUN: %s", why)
	}
	fmt.Fprintf(os.Stderr, "NOT RUN: %s: %s\n", t.Name(), why)
}

// world is a service in a process of its own, its callers, and what they saw.
type world struct {
	data    string
	program string // name under which the test's own program is started
	server  *exec.Cmd
	errors  *bytes.Buffer // what it wrote to standard error
	url     string
	secret  string
	domain  string

	mutex   sync.Mutex
	moments int
	history history
	refused int   // answers that ask to come back: 503 with Retry-After and error_server_internal
	odd     []int // statuses that are neither that nor a success
}

func newWorld(t *testing.T, data string) *world {
	return &world{data: data, program: "reckon"}
}

// serve starts the service on the directory.
func (w *world) serve(t *testing.T) {
	t.Helper()
	program, err := exec.LookPath(w.program)
	if err != nil {
		t.Fatal(err)
	}
	w.server = exec.Command(program, "serve", "--dev", "--data", w.data, "--listen", "127.0.0.1:0", "--log-level", "warn")
	w.errors = &bytes.Buffer{}
	w.server.Stderr = w.errors
	out, err := w.server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.kill)
	var output strings.Builder
	for lines := bufio.NewScanner(out); lines.Scan(); {
		fmt.Fprintln(&output, lines.Text())
		if m := readyLine.FindStringSubmatch(lines.Text()); m != nil {
			w.url = m[1]
		}
		if strings.HasPrefix(lines.Text(), "The account's keys are kept as hashes") {
			t.Fatalf("the directory has lost its key:\n%s", output.String())
		}
		if strings.HasPrefix(lines.Text(), "curl ") {
			key, err := os.ReadFile(filepath.Join(w.data, "dev-key"))
			if err != nil {
				t.Fatal(err)
			}
			w.secret = strings.TrimSpace(string(key))
			var body struct {
				Domain string `json:"domain_id"`
			}
			if err := json.Unmarshal(firstBody(t, output.String()), &body); err != nil {
				t.Fatal(err)
			}
			w.domain = body.Domain
			return
		}
	}
	t.Fatalf("the server did not start:\n%s%s", output.String(), w.errors)
}

func (w *world) kill() { w.end(syscall.SIGKILL) }

// end ends the server with a signal and waits for it.
func (w *world) end(signal syscall.Signal) {
	if w.server != nil {
		_ = w.server.Process.Signal(signal)
		_ = w.server.Wait()
		w.server = nil
	}
}

func (w *world) moment() int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.moments++
	return w.moments
}

var caller = nethttp.Client{Timeout: 25 * time.Second, Transport: &nethttp.Transport{MaxIdleConnsPerHost: 64}}

// ask sends a request to the service.
func (w *world) ask(method, path, secret, key string, body []byte) (answer, error) {
	r, err := nethttp.NewRequest(method, w.url+path, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	r.Header.Set("Authorization", "Bearer "+secret)
	if len(body) > 0 {
		r.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	response, err := caller.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, data}, err
}

// messageBody is a message in an answer, as far as histories keep it.
type messageBody struct {
	ConversationID string          `json:"conversation_id"`
	MessageID      string          `json:"message_id"`
	Results        *events.Results `json:"results"`
	Errors         json.RawMessage `json:"errors"`
}

func (s messageBody) answered() answered {
	a := answered{message: s.MessageID, values: string(s.Errors)}
	if s.Results != nil {
		a.original, a.current = s.Results.Scenario.Original, s.Results.Scenario.Current
		for _, v := range s.Results.Variables {
			a.values += v.Key + "=" + string(v.Value) + " "
		}
	}
	return a
}

// post asks for a calculation and keeps what came back. status is 0 when nothing did.
func (w *world) post(key, conversation, prompt string) (p post, status int, err error) {
	members := map[string]string{"domain_id": w.domain, "prompt": prompt}
	if conversation != "" {
		members["conversation_id"] = conversation
	}
	body, err := json.Marshal(members)
	if err != nil {
		return post{}, 0, err
	}
	p = post{began: w.moment(), account: devAccount, key: key, conversation: conversation, prompt: prompt}
	a, err := w.ask("POST", "/v1/calculate", w.secret, key, body)
	p.ended = w.moment()
	if err == nil && a.status == nethttp.StatusOK {
		var s messageBody
		if err := json.Unmarshal(a.body, &s); err != nil {
			return p, a.status, err
		}
		p.acknowledged, p.conversationID, p.answer = true, s.ConversationID, s.answered()
	}
	w.mutex.Lock()
	w.history.posts = append(w.history.posts, p)
	switch {
	case err != nil || p.acknowledged:
	case a.status == nethttp.StatusServiceUnavailable && a.header.Get("Retry-After") != "" && bytes.Contains(a.body, []byte(`"error_server_internal"`)):
		w.refused++
	default:
		w.odd = append(w.odd, a.status)
	}
	w.mutex.Unlock()
	return p, a.status, err
}

// read gets a conversation and keeps it.
func (w *world) read(account, secret, conversation string) (status int, err error) {
	r := reading{began: w.moment(), account: account, conversation: conversation}
	a, err := w.ask("GET", "/v1/conversations/"+conversation, secret, "", nil)
	if err != nil || a.status != nethttp.StatusOK {
		return a.status, err
	}
	r.ended = w.moment()
	var detail struct {
		Messages []messageBody `json:"messages"`
	}
	if err := json.Unmarshal(a.body, &detail); err != nil {
		return a.status, err
	}
	for _, m := range detail.Messages {
		r.messages = append(r.messages, m.answered())
	}
	w.mutex.Lock()
	w.history.reads = append(w.history.reads, r)
	w.mutex.Unlock()
	return a.status, nil
}

// promptOf differs for every number, so that an answer tells which request it belongs to. A first message states all;
// every third of the others asks for more of a scenario, the rest branch off.
func promptOf(n int, first bool) string {
	switch {
	case first:
		return fmt.Sprintf("power: %d W\nhours_per_day: 3 h/d\ndays: 30 d\ncalculate: energy", n+1)
	case n%3 == 0:
		return "calculate: energy in MJ"
	}
	return fmt.Sprintf("power: %d W\ncalculate: energy", n+1)
}

// load lets callers calculate in conversations of their own, and read them, until each has failed or stopped is closed.
// Every acknowledged answer is told to each.
func (w *world) load(callers int, name string, stopped <-chan struct{}, each func()) *sync.WaitGroup {
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() {
			conversation := ""
			for n := 0; ; n++ {
				select {
				case <-stopped:
					return
				default:
				}
				if n%6 == 0 {
					conversation = ""
				}
				number := i*100_000 + n
				p, status, err := w.post(fmt.Sprintf("%s-%d-%d", name, i, n), conversation, promptOf(number, conversation == ""))
				if err != nil || status != nethttp.StatusOK {
					return
				}
				conversation = p.conversationID
				each()
				if n%4 == 3 {
					if _, err := w.read(devAccount, w.secret, conversation); err != nil {
						return
					}
				}
			}
		})
	}
	return &all
}

// loadUntil lets callers calculate until so many answers have come, then does what is to happen under load, which must end
// the callers: by ending the server, or by calling stop.
func (w *world) loadUntil(t *testing.T, callers int, name string, answers int, then func(stop func())) {
	t.Helper()
	stopped, enough, over := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var counted atomic.Int64
	all := w.load(callers, name, stopped, func() {
		if counted.Add(1) == int64(answers) {
			close(enough)
		}
	})
	go func() {
		all.Wait()
		close(over)
	}()
	select {
	case <-enough:
	case <-over:
		t.Fatalf("the callers ended after %d answers: %s", counted.Load(), w.errors)
	}
	then(sync.OnceFunc(func() { close(stopped) }))
	<-over
}

// settle posts every request again under its key, whether or not it was answered, and reads all conversations.
func (w *world) settle(t *testing.T) {
	t.Helper()
	asked := map[string]post{}
	for _, p := range w.history.posts {
		asked[p.key] = p
	}
	work := make(chan post)
	var all sync.WaitGroup
	var mutex sync.Mutex
	conversations := map[string]bool{}
	for range 16 {
		all.Go(func() {
			for p := range work {
				again, status, err := w.post(p.key, p.conversation, p.prompt)
				if err != nil || status != nethttp.StatusOK {
					t.Errorf("key %s posted again: status %d: %v", p.key, status, err)
					continue
				}
				mutex.Lock()
				conversations[again.conversationID] = true
				mutex.Unlock()
			}
		})
	}
	for _, p := range asked {
		work <- p
	}
	close(work)
	all.Wait()
	for id := range conversations {
		if status, err := w.read(devAccount, w.secret, id); err != nil || status != nethttp.StatusOK {
			t.Errorf("read conversation %s: status %d: %v", id, status, err)
		}
	}
}

// verify checks the history against EVENTS.
func (w *world) verify(t *testing.T) {
	t.Helper()
	w.history.events = nil
	for _, e := range readEvents(t, w.data) {
		m := e.Message()
		if m == nil {
			continue
		}
		r := recorded{account: devAccount, conversation: m.ConversationID.String(), prompt: m.Prompt}
		if m.IdempotencyKey != nil {
			r.key = *m.IdempotencyKey
		}
		s := messageBody{MessageID: m.MessageID.String()}
		switch data := e.Data.(type) {
		case *events.MessageCompleted:
			s.Results = &data.Results
		case *events.MessageFailed:
			s.Errors = data.Errors
		default:
			continue
		}
		r.answer = s.answered()
		w.history.events = append(w.history.events, r)
	}
	if wrong := w.history.check(); len(wrong) > 0 {
		t.Fatalf("%d things are wrong, among them:\n%s", len(wrong), strings.Join(wrong[:min(len(wrong), 10)], "\n"))
	}
}

// acknowledged counts the requests that were answered.
func (w *world) acknowledged() int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	n := 0
	for _, p := range w.history.posts {
		if p.acknowledged {
			n++
		}
	}
	return n
}

// withLog opens the log of a directory, whether or not a server runs on it.
func withLog(t *testing.T, dir string, f func(ctx context.Context, log *events.Log)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	log, err := events.Join(ctx, events.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := log.Close(); err != nil {
			t.Error(err)
		}
	}()
	f(ctx, log)
}

// readEvents reads all of EVENTS.
func readEvents(t *testing.T, dir string) (all []events.Event) {
	t.Helper()
	withLog(t, dir, func(ctx context.Context, log *events.Log) {
		last, err := log.Last(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if last == 0 {
			return
		}
		ctx, stop := context.WithCancel(ctx)
		err = log.Tail(ctx, 0, func(batch []events.Event) error {
			all = append(all, batch...)
			if all[len(all)-1].Sequence >= last {
				stop()
			}
			return nil
		})
		if len(all) == 0 || all[len(all)-1].Sequence < last {
			t.Fatalf("read events: %v", err)
		}
	})
	return all
}
