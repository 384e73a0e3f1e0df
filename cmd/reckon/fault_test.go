package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	nethttp "net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"reckon/events"
	"reckon/events/log"

	"github.com/google/uuid"
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
	flags   []string
	server  *exec.Cmd
	errors  *bytes.Buffer // what it wrote to standard error
	url     string
	crashed []string // keys that were answered 500 when they were posted again
	long    bool     // every prompt is so long that it is stored apart
	tenant
	ledger
}

func newWorld(t *testing.T, data string) *world {
	if testing.Short() {
		t.Skip("what is killed or damaged takes long")
	}
	return &world{data: data, program: "reckon", tenant: tenant{account: devAccount}}
}

// serve starts the service on the directory.
func (w *world) serve(t *testing.T) {
	t.Helper()
	if says := w.tryServe(t); says != "" {
		t.Fatalf("the server did not start:\n%s", says)
	}
}

// tryServe starts the service on the directory and returns "", or what it said when it did not start.
func (w *world) tryServe(t *testing.T) (says string) {
	t.Helper()
	program, err := exec.LookPath(w.program)
	if err != nil {
		t.Fatal(err)
	}
	w.server = exec.Command(program, append([]string{"serve", "--dev", "--data", w.data, "--listen", "127.0.0.1:0", "--log-level", "warn"}, w.flags...)...)
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
			return ""
		}
	}
	w.kill() // all that it wrote is there when it has ended
	return output.String() + w.errors.String()
}

// firstBody is the body of the curl line that --dev prints.
func firstBody(t *testing.T, output string) []byte {
	t.Helper()
	from, to := strings.Index(output, "-d '"), strings.LastIndexByte(output, '\'')
	if from < 0 || to <= from {
		t.Fatalf("no curl line in %s", output)
	}
	return []byte(output[from+4 : to])
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

// post asks for a calculation and keeps what came back. status is 0 when nothing did.
func (w *world) post(key, conversation, prompt string) (p post, status int, err error) {
	return w.ledger.post(&caller, w.url, w.tenant, key, conversation, prompt)
}

// read gets a conversation and keeps it.
func (w *world) read(account, secret, conversation string) (status int, err error) {
	return w.ledger.read(&caller, w.url, tenant{account: account, secret: secret}, conversation)
}

// promptOf differs for every number, so that an answer tells which request it belongs to. A first message states all;
// every third of the others asks for more of a scenario, the rest branch off. Every fifth is so long that it is stored apart.
func promptOf(n int, first bool) string {
	note := ""
	if n%5 == 4 {
		note = strings.Repeat(fmt.Sprintf("\n# note %d", n), events.LongPrompt/8)
	}
	switch {
	case first:
		return fmt.Sprintf("power: %d W\nhours_per_day: 3 h/d\ndays: 30 d\ncalculate: energy", n+1) + note
	case n%3 == 0:
		return "calculate: energy in MJ" + note
	}
	return fmt.Sprintf("power: %d W\ncalculate: energy", n+1) + note
}

// load lets callers calculate in conversations of their own, every third time without a key, and read them, until each has failed or
// stopped is closed. Every acknowledged answer is told to each.
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
				if w.long {
					number = 5*number + 4
				}
				key := fmt.Sprintf("%s-%d-%d", name, i, n)
				if n%3 == 2 {
					key = ""
				}
				p, status, err := w.post(key, conversation, promptOf(number, conversation == ""))
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

// settle posts every request that has a key again, whether or not it was answered, and reads all conversations.
func (w *world) settle(t *testing.T) {
	t.Helper()
	asked := map[string]post{}
	for _, p := range w.history.posts {
		if p.key != "" {
			asked[p.key] = p
		}
	}
	work := make(chan post)
	var all sync.WaitGroup
	var mutex sync.Mutex
	conversations := map[string]bool{}
	for _, p := range w.history.posts {
		if p.acknowledged {
			conversations[p.conversationID] = true
		}
	}
	for range 16 {
		all.Go(func() {
			for p := range work {
				again, status, err := w.post(p.key, p.conversation, p.prompt)
				for until := time.Now().Add(time.Minute); status == nethttp.StatusAccepted && time.Now().Before(until); {
					again, status, err = w.post(p.key, p.conversation, p.prompt) // until what is in natural language is answered
				}
				if err == nil && status == nethttp.StatusInternalServerError {
					mutex.Lock()
					w.crashed = append(w.crashed, p.key)
					mutex.Unlock()
					continue
				}
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

// verify checks the history against EVENTS. A request that was answered 500 must have an event that says so: it was
// delivered to so many workers that were lost that no other one was to run it.
func (w *world) verify(t *testing.T) {
	t.Helper()
	all := readEvents(t, w.data)
	w.history.events, w.history.begun = recordedIn(all, func(uuid.UUID) string { return devAccount }), begunIn(all)
	for _, key := range w.crashed {
		if !slices.ContainsFunc(w.history.events, func(e recorded) bool {
			return e.key == key && strings.Contains(e.answer.values, "internal.error")
		}) {
			t.Errorf("key %s is answered 500, and no event says why", key)
		}
	}
	if wrong := w.history.check(); len(wrong) > 0 {
		t.Fatalf("%d things are wrong, among them:\n%s", len(wrong), strings.Join(wrong[:min(len(wrong), 10)], "\n"))
	}
}

// withLog opens the log of a directory, whether or not a server runs on it.
func withLog(t *testing.T, dir string, f func(ctx context.Context, log *log.Log)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	log, err := log.Join(ctx, log.Options{Dir: dir})
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
	withLog(t, dir, func(ctx context.Context, log *log.Log) {
		var err error
		if all, err = eventsOf(ctx, log); err != nil {
			t.Fatal(err)
		}
	})
	return all
}

// eventsOf reads all events that are in a log when it begins.
func eventsOf(ctx context.Context, log *log.Log) (all []events.Event, err error) {
	last, err := log.Last(ctx)
	if err != nil || last == 0 {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	err = log.Tail(ctx, 0, func(batch []events.Event) error {
		all = append(all, batch...)
		if all[len(all)-1].Sequence >= last {
			stop()
		}
		return nil
	})
	if len(all) == 0 || all[len(all)-1].Sequence < last {
		return nil, fmt.Errorf("read events up to %d: %w", last, err)
	}
	return all, nil
}
