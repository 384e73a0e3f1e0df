package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	nethttp "net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"reckon/commands"
	"reckon/events/log"
	"reckon/http"
	"reckon/projections"
)

// fault is what happens to one call of the store.
type fault int

const (
	callRefused    fault = iota + 1 // it does not reach the store, and is answered with an error
	outcomeUnknown                  // it does, and its answer becomes an error
	answerLost                      // it does, and its answer is lost
)

// faults stands between the service and the log's server, reads the protocol of NATS, and spoils one call.
type faults struct {
	listener net.Listener
	server   string // address

	mutex   sync.Mutex
	kind    fault
	on      string // beginning of the subjects that count
	after   int    // calls until the one that is spoilt
	struck  string // subject of the call that was spoilt
	replies map[string]bool
	inboxes map[string]string // numbers of subscriptions by subject
}

// arm spoils the n-th call from now on among those whose subject begins so.
func (f *faults) arm(kind fault, on string, n int) {
	f.mutex.Lock()
	f.kind, f.on, f.after, f.struck = kind, on, n, ""
	f.mutex.Unlock()
}

// disarm returns the subject of the call that was spoilt, "" for none.
func (f *faults) disarm() string {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.after = 0
	return f.struck
}

// spoilt is the subject of the call that was spoilt, "" for none yet.
func (f *faults) spoilt() string {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.struck
}

func (f *faults) run() {
	for {
		client, err := f.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", f.server)
		if err != nil {
			client.Close()
			return
		}
		var writing sync.Mutex // to the client
		go f.forward(client, server, client, &writing)
		go f.backward(server, client, &writing)
	}
}

// frame is one operation of the protocol with its payload.
type frame struct {
	line    string
	payload []byte
}

func (f frame) bytes() []byte { return append([]byte(f.line+"\r\n"), f.payload...) }

// readFrame reads an operation; PUB, HPUB, MSG and HMSG have a payload whose size is their last word.
func readFrame(r *bufio.Reader) (frame, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return frame{}, err
	}
	f := frame{line: strings.TrimRight(line, "\r\n")}
	words := strings.Fields(f.line)
	if len(words) > 0 && strings.Contains(" PUB HPUB MSG HMSG ", " "+words[0]+" ") {
		size, err := strconv.Atoi(words[len(words)-1])
		if err != nil {
			return f, err
		}
		f.payload = make([]byte, size+2)
		if _, err := io.ReadFull(r, f.payload); err != nil {
			return f, err
		}
	}
	return f, nil
}

// failed is the answer of a store that has failed, to a call of a subject. An error of a pull is a status.
func (f *faults) failed(subject, reply string) []byte {
	inbox := f.inboxes[reply]
	if inbox == "" {
		inbox = f.inboxes[reply[:strings.LastIndexByte(reply, '.')+1]+"*"]
	}
	if strings.HasPrefix(subject, "$JS.API.CONSUMER.MSG.NEXT.") || strings.HasPrefix(subject, "$JS.API.DIRECT.") {
		status := "NATS/1.0 409 Server Shutdown\r\n\r\n"
		return fmt.Appendf(nil, "HMSG %s %s %d %d\r\n%s\r\n", reply, inbox, len(status), len(status), status)
	}
	text := `{"error":{"code":503,"err_code":10008,"description":"the store has failed"}}`
	return fmt.Appendf(nil, "MSG %s %s %d\r\n%s\r\n", reply, inbox, len(text), text)
}

func (f *faults) forward(client io.Reader, server net.Conn, back io.Writer, writing *sync.Mutex) {
	defer server.Close()
	for r := bufio.NewReader(client); ; {
		frame, err := readFrame(r)
		if err != nil {
			return
		}
		words := strings.Fields(frame.line)
		var answer []byte
		pass := true
		f.mutex.Lock()
		switch {
		case len(words) < 2:
		case words[0] == "SUB":
			f.inboxes[words[1]] = words[len(words)-1]
		case words[0] == "PUB" || words[0] == "HPUB":
			reply := ""
			if n := map[string]int{"PUB": 4, "HPUB": 5}[words[0]]; len(words) == n {
				reply = words[2]
			}
			if f.after > 0 && strings.HasPrefix(words[1], f.on) {
				if f.after--; f.after == 0 {
					f.struck = words[1]
					pass = f.kind != callRefused
					switch {
					case reply == "":
					case f.kind == callRefused:
						answer = f.failed(words[1], reply)
					default:
						f.replies[reply] = true
					}
				}
			}
		}
		f.mutex.Unlock()
		if answer != nil {
			writing.Lock()
			_, _ = back.Write(answer)
			writing.Unlock()
		}
		if pass {
			if _, err := server.Write(frame.bytes()); err != nil {
				return
			}
		}
	}
}

func (f *faults) backward(server io.Reader, client net.Conn, writing *sync.Mutex) {
	defer client.Close()
	for r := bufio.NewReader(server); ; {
		frame, err := readFrame(r)
		if err != nil {
			return
		}
		out := frame.bytes()
		if words := strings.Fields(frame.line); len(words) > 2 && frame.payload != nil {
			// A command that is delivered comes to the inbox under its own subject; its reply tells nothing here.
			f.mutex.Lock()
			if f.replies[words[1]] {
				delete(f.replies, words[1])
				out = nil
				if f.kind == outcomeUnknown {
					out = f.failed(f.struck, words[1])
				}
			}
			f.mutex.Unlock()
		}
		writing.Lock()
		_, err = client.Write(out)
		writing.Unlock()
		if err != nil {
			return
		}
	}
}

// credentials are those that a server leaves in its data directory.
type credentials struct {
	URL      string `json:"url"`
	User     string `json:"user"`
	Password string `json:"password"`
	Commit   string `json:"commit,omitempty"`
}

// readCredentials are those of the server that runs on a directory.
func readCredentials(t *testing.T, dir string) (c credentials) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "nats.json"))
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// serveThrough runs a service in this process, with views in a directory of its own, on a log's server that it reaches by
// credentials, as the commands of administration reach that of a running service.
func serveThrough(c credentials, own string) (url string, end func(), err error) {
	var ends []func()
	end = func() {
		for i := range ends {
			ends[len(ends)-1-i]()
		}
	}
	defer func() {
		if err != nil {
			end()
		}
	}()
	text, err := json.Marshal(c)
	if err != nil {
		return "", nil, err
	}
	if err := os.WriteFile(filepath.Join(own, "nats.json"), text, 0o600); err != nil {
		return "", nil, err
	}
	lock, err := os.Create(filepath.Join(own, "lock"))
	if err != nil {
		return "", nil, err
	}
	ends = append(ends, func() { lock.Close() })
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", nil, err
	}
	ctx, logger := context.Background(), slog.New(slog.DiscardHandler)
	log, err := log.Join(ctx, log.Options{Dir: own})
	if err != nil {
		return "", nil, err
	}
	ends = append(ends, func() { log.Close() })
	views, err := projections.Open(ctx, log, own, logger)
	if err != nil {
		return "", nil, err
	}
	ends = append(ends, func() { views.Close() })
	if err := views.CaughtUp(ctx); err != nil {
		return "", nil, err
	}
	service := commands.New(log, views, logger)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	running, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	all.Go(func() { service.Run(running) })
	all.Go(func() {
		server := http.New(logger, "")
		server.Open(views, service)
		_ = server.Serve(running, listener)
	})
	ends = append(ends, func() {
		stop()
		all.Wait()
	})
	return "http://" + listener.Addr().String(), end, nil
}

// newFaultyWorld runs a service in this process whose every call of the log passes through faults. Where the log commits in
// groups, asking says whether the service knows; else it is as with a server that syncs each message.
func newFaultyWorld(t *testing.T, asking bool) (*world, *faults) {
	t.Helper()
	dir := t.TempDir()
	direct, err := log.Open(t.Context(), log.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { direct.Close() })
	dev, err := prepareDev(terminal{Context: t.Context(), out: io.Discard, err: io.Discard}, commands.Admin{Log: direct}, dir)
	if err != nil {
		t.Fatal(err)
	}

	c := readCredentials(t, dir)
	f := &faults{server: strings.TrimPrefix(c.URL, "nats://"), replies: map[string]bool{}, inboxes: map[string]string{}}
	if f.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.listener.Close() })
	go f.run()
	c.URL = "nats://" + f.listener.Addr().String()
	if !asking {
		c.Commit = ""
	}
	url, end, err := serveThrough(c, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end)
	w := newWorld(t, dir)
	w.url, w.secret, w.errors = url, dev.secret, &bytes.Buffer{}
	for _, d := range dev.domains {
		if d.Published != nil && d.Published.Title == "Electricity bill" {
			w.domain = d.ID.String()
		}
	}
	await(t, "a service that is ready", time.Minute, func() bool {
		a, err := request(&probing, "GET", url+"/readyz", "", "", nil)
		return err == nil && a.status == nethttp.StatusOK
	})
	w.converse(t, "before") // a service that cannot begin ends, which is another matter
	return w, f
}

// converse is a conversation of a caller who asks again after each 503, which must have a Retry-After: a first message, a
// branch, more of that, a read, and the branch posted again.
func (w *world) converse(t *testing.T, name string) {
	t.Helper()
	patiently := func(what string, ask func() (int, error)) {
		for range 30 {
			status, err := ask()
			if err != nil {
				t.Fatalf("%s: %s: %v", name, what, err)
			}
			if status == nethttp.StatusOK {
				return
			}
			if status != nethttp.StatusServiceUnavailable {
				t.Fatalf("%s: %s was answered %d", name, what, status)
			}
		}
		t.Fatalf("%s: %s is not answered", name, what)
	}
	var p post
	ask := func(n int, conversation string) {
		prompt := promptOf(n, conversation == "")
		patiently(prompt, func() (status int, err error) {
			p, status, err = w.post(fmt.Sprintf("%s-%d", name, n), conversation, prompt)
			return status, err
		})
	}
	ask(0, "")
	conversation := p.conversationID
	ask(1, conversation)
	ask(3, conversation)
	patiently("GET", func() (int, error) { return w.read(devAccount, w.secret, conversation) })
	ask(1, conversation)
}

// TestEveryStoreCallMayFail spoils the n-th call that the service makes of the log, in one conversation after the other,
// for n from 1 until a conversation ends before its n-th call; once so that the call is not made, and once so that it is
// made and its outcome not known.
func TestEveryStoreCallMayFail(t *testing.T) {
	t.Parallel()
	t.Run("a sync for each message", func(t *testing.T) { everyStoreCallMayFail(t, false, "$JS.API.STREAM.INFO.EVENTS") })
	t.Run("group commit", func(t *testing.T) {
		if !groups(t) {
			notRun(t, "it needs TMPDIR on ext4")
			return
		}
		everyStoreCallMayFail(t, true, "reckon.log.")
	})
}

// groups tells whether a log of a temporary directory commits in groups.
func groups(t *testing.T) (known bool) {
	t.Helper()
	withLog(t, t.TempDir(), func(_ context.Context, log *log.Log) { _, known = log.Known() })
	return known
}

// everyStoreCallMayFail wants calls of index, the subject where the read index is asked for, among those that fail.
func everyStoreCallMayFail(t *testing.T, asking bool, index string) {
	w, f := newFaultyWorld(t, asking)
	for _, c := range []struct {
		kind fault
		name string
	}{{callRefused, "refused"}, {outcomeUnknown, "unknown"}} {
		struck := map[string]bool{}
		n := 1
		for ; ; n++ {
			f.arm(c.kind, "", n)
			w.converse(t, fmt.Sprintf("%s-%d", c.name, n))
			subject := f.disarm()
			if subject == "" {
				break
			}
			struck[subject] = true
		}
		// What is asked for in advance, or sent without waiting for an answer, has no fixed number.
		for _, must := range []string{
			"cmd.", "evt.", "$JS.ACK.", index, "$JS.API.STREAM.MSG.GET.COMMANDS",
			"$JS.API.CONSUMER.MSG.NEXT.",
		} {
			if slices.ContainsFunc(slices.Collect(maps.Keys(struck)), func(subject string) bool { return strings.HasPrefix(subject, must) }) {
				continue
			}
			f.arm(c.kind, must, 1)
			for again := 0; again < 100 && f.spoilt() == ""; again++ {
				w.converse(t, fmt.Sprintf("%s-%s%d", c.name, must, again))
			}
			if f.disarm() == "" {
				t.Errorf("%s: no call of %s was spoilt", c.name, must)
			}
		}
		t.Logf("%s: %d calls", c.name, n-1)
	}
	w.verify(t)
}

// TestLostAcknowledgement loses the server's answer to a publish, of a command and of an event: whoever published waits in
// vain, and does not know.
func TestLostAcknowledgement(t *testing.T) {
	if !soaking {
		fmt.Fprintf(os.Stderr, "NOT RUN: %s: a lost answer is waited for as long as a request may take; make soak runs it\n", t.Name())
		return
	}
	w, f := newFaultyWorld(t, groups(t))
	for _, on := range []string{"cmd.", "evt."} {
		f.arm(answerLost, on, 1)
		w.converse(t, "silent-"+on)
		if f.disarm() == "" {
			t.Errorf("no call of %s was spoilt", on)
		}
	}
	w.verify(t)
}
