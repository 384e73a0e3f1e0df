package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	nethttp "net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"reckon/events/log"
)

// TestDamagedNode has a bit of the log flipped while the server is down. It says so, is not ready, answers what is whole and
// takes nothing, with its views and without them. A backup that was taken before mends it: every event is as it was, and what
// has come since the backup too.
func TestDamagedNode(t *testing.T) {
	t.Parallel()
	w := newWorld(t, filepath.Join(t.TempDir(), "data"))
	w.serve(t)
	w.loadUntil(t, 4, "before", 20, func(stop func()) { stop() })
	saved := filepath.Join(t.TempDir(), "backup.gz")
	w.does(t, 0, "backup", "--data", w.data, saved)
	w.loadUntil(t, 4, "after", 20, func(stop func()) { stop() })
	w.end(syscall.SIGTERM)
	was := w.stored(t)
	block := filepath.Join(w.data, "log", "jetstream", "$G", "streams", log.EventsStream, "msgs", "1.blk")
	lost := was[len(was)/3]
	w.flip(t, block, bytes.Index(w.file(t, block), lost.Data)+5)
	damaged := w.file(t, block)

	said := w.does(t, 1, "log", "verify", "--data", w.data)
	if !strings.Contains(said, fmt.Sprintf("(message %d)", lost.Sequence)) || !strings.Contains(said, block) {
		t.Errorf("verify says:\n%s", said)
	}
	w.does(t, 1, "backup", "--data", w.data, saved+".2")
	if _, err := os.Stat(saved + ".2"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a backup of a damaged log: %v", err)
	}

	for _, views := range []string{"with the views", "without the views"} {
		if views == "without the views" {
			if err := os.RemoveAll(filepath.Join(w.data, "views")); err != nil {
				t.Fatal(err)
			}
		}
		unready := w.serveDamaged(t)
		if !strings.Contains(unready, "EVENTS, log/jetstream/$G/streams/EVENTS/msgs/1.blk at byte ") || strings.Contains(unready, w.data) || !strings.Contains(unready, "log repair") {
			t.Errorf("%s: it is not ready since %s", views, unready)
		}
		read, refused := 0, 0
		for _, p := range w.history.posts {
			if !p.acknowledged {
				continue
			}
			a := w.get(t, "/v1/conversations/"+p.conversationID)
			touched := strings.Contains(lost.Subject, p.conversationID) // a message of it, or a prompt
			switch {
			case a.header.Get("Reckon-Log") != "damaged":
				t.Fatalf("%s: the answer has no sign of the damage: %v", views, a.header)
			case a.status == nethttp.StatusOK && (!touched || views != "with the views"):
				read++
			case a.status == nethttp.StatusServiceUnavailable && touched:
				refused++
			default:
				t.Errorf("%s: a conversation is answered %d (touched by the damage: %v): %s", views, a.status, touched, a.body)
			}
		}
		if read == 0 || refused == 0 && views == "with the views" {
			t.Errorf("%s: %d conversations could be read, %d not", views, read, refused)
		}
		if views != "with the views" {
			if a := w.get(t, "/v1/conversations/01890000-0000-7000-8000-000000000000"); a.status != nethttp.StatusServiceUnavailable {
				t.Errorf("%s: a conversation that may have been there is answered %d", views, a.status)
			}
		}
		for _, path := range []string{"/v1/conversations", "/v1/domains"} {
			if a := w.get(t, path); a.status != nethttp.StatusOK {
				t.Errorf("%s: %s is answered %d: %s", views, path, a.status, a.body)
			}
		}
		if _, status, err := w.post("new", "", promptOf(1, true)); err != nil || status != nethttp.StatusServiceUnavailable {
			t.Errorf("%s: a request is answered %d (%v)", views, status, err)
		}
		w.does(t, 1, "account", "create", "another", "--data", w.data)
		w.does(t, 1, "backup", "--data", w.data, saved+".2")
		w.does(t, 1, "log", "repair", "--data", w.data, "--from", saved)
		w.end(syscall.SIGTERM)
		if !bytes.Equal(damaged, w.file(t, block)) {
			t.Fatalf("%s: the damaged file was changed", views)
		}
	}

	w.does(t, 1, "log", "repair", "--data", w.data)
	said = w.does(t, 0, "log", "repair", "--data", w.data, "--from", saved)
	if !strings.Contains(said, "1 message came from the backup") {
		t.Errorf("repair says:\n%s", said)
	}
	w.does(t, 0, "log", "repair", "--data", w.data, "--from", saved)
	w.does(t, 0, "log", "verify", "--data", w.data)
	same(t, was, w.stored(t))
	w.serve(t)
	w.settle(t)
	w.verify(t)
	w.end(syscall.SIGTERM)
}

// TestRepairWithoutWhatIsMissing damages what no backup has: nothing is changed unless it is said that it may be gone.
func TestRepairWithoutWhatIsMissing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, filepath.Join(t.TempDir(), "data"))
	w.serve(t)
	w.loadUntil(t, 2, "a", 10, func(stop func()) { stop() })
	w.kill()
	was := w.stored(t)
	lost := was[len(was)-3]
	block := filepath.Join(w.data, "log", "jetstream", "$G", "streams", log.EventsStream, "msgs", "1.blk")
	w.flip(t, block, bytes.Index(w.file(t, block), lost.Data)+5)
	said := w.does(t, 1, "log", "repair", "--data", w.data)
	if !strings.Contains(said, fmt.Sprintf("message %d of EVENTS", lost.Sequence)) || !strings.Contains(said, "--without-missing") {
		t.Errorf("repair says:\n%s", said)
	}
	w.does(t, 0, "log", "repair", "--without-missing", "--data", w.data)
	w.does(t, 0, "log", "verify", "--data", w.data)
	left := slices.DeleteFunc(was, func(r log.Record) bool { return r.Sequence == lost.Sequence })
	same(t, left, w.stored(t))
	// What is gone is declared in a backup, and is no hole in it. What is restored has the others.
	saved := filepath.Join(t.TempDir(), "backup.gz")
	w.does(t, 0, "backup", "--data", w.data, saved)
	restored := newWorld(t, filepath.Join(t.TempDir(), "data"))
	w.does(t, 0, "restore", saved, "--data", restored.data)
	w.does(t, 0, "log", "verify", "--data", restored.data)
	for i, r := range restored.stored(t) {
		if r.Subject != left[i].Subject || !bytes.Equal(r.Data, left[i].Data) {
			t.Fatalf("event %d of the restored log is not event %d of the mended one", r.Sequence, left[i].Sequence)
		}
	}
	w.serve(t)
	if p, status, err := w.post("again", "", promptOf(7, true)); err != nil || !p.acknowledged {
		t.Errorf("a request is answered %d (%v)", status, err)
	}
	w.end(syscall.SIGTERM)
}

// TestDamagedWhileServing has a bit of the log flipped under a running server, which reads its files again and again. It says
// so and goes over to answering what is whole, as the same process.
func TestDamagedWhileServing(t *testing.T) {
	t.Parallel()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	w := newWorld(t, filepath.Join(t.TempDir(), "data"))
	w.flags = []string{"--scrub", "1s", "--listen", address}
	w.serve(t)
	w.loadUntil(t, 2, "a", 10, func(stop func()) { stop() })
	w.settle(t)
	events := w.stored(t)
	lost := events[len(events)-3]
	block := filepath.Join(w.data, "log", "jetstream", "$G", "streams", log.EventsStream, "msgs", "1.blk")
	w.flip(t, block, bytes.Index(w.file(t, block), lost.Data)+5)
	w.awaitDamaged(t)
	for _, p := range w.history.posts {
		if !p.acknowledged {
			continue
		}
		a := w.get(t, "/v1/conversations/"+p.conversationID)
		if touched := strings.Contains(lost.Subject, p.conversationID); a.status != nethttp.StatusOK && !touched || a.status == nethttp.StatusOK && touched {
			t.Errorf("a conversation is answered %d (touched by the damage: %v): %s", a.status, touched, a.body)
		}
	}
	w.end(syscall.SIGTERM)
	if said := w.errors.String(); !strings.Contains(said, "reckon: the log is damaged: EVENTS, log/jetstream/$G/streams/EVENTS/msgs/1.blk at byte ") {
		t.Errorf("the server says:\n%s", said)
	}
}

// TestLogIsGone has all of the log removed, its marks too. What was made of it says so: nobody begins another log beside it.
func TestLogIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, filepath.Join(t.TempDir(), "data"))
	w.serve(t)
	w.loadUntil(t, 2, "a", 10, func(stop func()) { stop() })
	saved := filepath.Join(t.TempDir(), "backup.gz")
	w.does(t, 0, "backup", "--data", w.data, saved)
	w.end(syscall.SIGTERM)
	was := w.stored(t)
	if err := os.RemoveAll(filepath.Join(w.data, "log")); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"serve"}, {"account", "create", "another"}, {"log", "verify"}, {"backup", saved + ".2"}, {"log", "repair", "--from", saved}, {"projections", "verify"},
	} {
		status := 1
		if args[0] == "projections" {
			status = 2
		}
		said := w.does(t, status, append(args, "--data", w.data)...)
		if !strings.Contains(said, filepath.Join("log", "jetstream")) || !strings.Contains(said, "still views") {
			t.Errorf("reckon %s says:\n%s", strings.Join(args, " "), said)
		}
	}
	restored := w.data + "-restored"
	w.does(t, 0, "restore", saved, "--data", restored)
	if err := os.RemoveAll(filepath.Join(w.data, "views")); err != nil {
		t.Fatal(err)
	}
	w.does(t, 0, "account", "create", "another", "--data", w.data) // a new log
	w.data = restored
	same(t, was, w.stored(t))
}

// TestRepairIsKilled has a repair killed as soon as each of its steps is seen on the disk. Given again it mends the log, whatever
// the first one has left.
func TestRepairIsKilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, filepath.Join(t.TempDir(), "data"))
	w.serve(t)
	w.loadUntil(t, 2, "a", 20, func(stop func()) { stop() })
	saved := filepath.Join(t.TempDir(), "backup.gz")
	w.does(t, 0, "backup", "--data", w.data, saved)
	w.end(syscall.SIGTERM)
	was := w.stored(t)
	messages := filepath.Join("log", "jetstream", "$G", "streams", log.EventsStream, "msgs", "1.blk")
	lost := was[len(was)/2]
	w.flip(t, filepath.Join(w.data, messages), bytes.Index(w.file(t, filepath.Join(w.data, messages)), lost.Data)+5)
	program, err := exec.LookPath(w.program)
	if err != nil {
		t.Fatal(err)
	}
	damaged := w.data
	there := func(pattern string) func() bool {
		return func() bool {
			found, err := filepath.Glob(filepath.Join(w.data, pattern))
			return err == nil && len(found) > 0
		}
	}
	for step, seen := range map[string]func() bool{
		"it has begun":                  there(".repairing"),
		"it makes the events":           there(filepath.Join(".repairing", messages)),
		"it has looked at the new log":  there(".repairing/log/sealed.json"),
		"it has removed the views":      func() bool { return !there("views")() },
		"it has put the new log beside": there("log.damaged-*"),
		"it has cleared up":             func() bool { return there("log.damaged-*")() && !there(".repairing")() },
	} {
		w.data = filepath.Join(t.TempDir(), "data")
		if err := os.CopyFS(w.data, os.DirFS(damaged)); err != nil {
			t.Fatal(err)
		}
		repair := exec.Command(program, "log", "repair", "--from", saved, "--data", w.data)
		if err := repair.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- repair.Wait() }()
		for done := false; !done && !seen(); {
			select {
			case err := <-ended:
				done = true
				ended <- err
			default:
			}
		}
		_ = repair.Process.Kill() // unless it has ended
		<-ended
		w.does(t, 0, "log", "repair", "--from", saved, "--data", w.data)
		w.does(t, 0, "log", "verify", "--data", w.data)
		same(t, was, w.stored(t))
		if t.Failed() {
			t.Fatal(step)
		}
	}
	w.serve(t)
	w.settle(t)
	w.verify(t)
	w.end(syscall.SIGTERM)
}

// does runs a command, which must end with a status, and returns what it says.
func (w *world) does(t *testing.T, status int, args ...string) string {
	t.Helper()
	said, err := exec.Command(w.program, args...).CombinedOutput()
	var exited *exec.ExitError
	if got := 0; errors.As(err, &exited) && exited.ExitCode() != status || err == nil && got != status || err != nil && exited == nil {
		t.Fatalf("reckon %s: %v\n%s", strings.Join(args, " "), err, said)
	}
	return string(said)
}

// stored is what EVENTS holds, as it stands in the files of a server that has ended.
func (w *world) stored(t *testing.T) (list []log.Record) {
	t.Helper()
	for r, err := range log.Stored(filepath.Join(w.data, "log"), log.EventsStream, math.MaxUint64) {
		if err != nil {
			t.Fatal(err)
		}
		r.Data = bytes.Clone(r.Data)
		list = append(list, r)
	}
	return list
}

// same compares two logs.
func same(t *testing.T, was, is []log.Record) {
	t.Helper()
	if len(was) != len(is) {
		t.Fatalf("there are %d events of %d", len(is), len(was))
	}
	for i := range was {
		if fmt.Sprintf("%+v", was[i]) != fmt.Sprintf("%+v", is[i]) {
			t.Fatalf("event %d is another one:\n%+v\n%+v", was[i].Sequence, was[i], is[i])
		}
	}
}

func (w *world) file(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// flip flips a bit of a byte of a file.
func (w *world) flip(t *testing.T, path string, at int) {
	t.Helper()
	text := w.file(t, path)
	text[at] ^= 1
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// serveDamaged starts the service on a directory whose log is damaged, and returns why it is not ready.
func (w *world) serveDamaged(t *testing.T) (unready string) {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	w.server = exec.Command(w.program, "serve", "--dev", "--data", w.data, "--listen", address, "--log-level", "warn")
	w.errors = &bytes.Buffer{}
	w.server.Stderr = w.errors
	if err := w.server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.kill)
	w.url = "http://" + address
	return w.awaitDamaged(t)
}

// awaitDamaged returns why a server is not ready whose log is damaged, once it serves what is whole.
func (w *world) awaitDamaged(t *testing.T) (unready string) {
	t.Helper()
	await(t, "the server serves what is whole", patienceReady, func() bool {
		response, err := nethttp.Get(w.url + "/readyz")
		if err != nil {
			return false
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		unready = string(body)
		return response.StatusCode == nethttp.StatusServiceUnavailable && strings.Contains(unready, log.ErrDamaged.Error()) &&
			w.get(t, "/v1/domains").status == nethttp.StatusOK
	})
	return unready
}

// get reads something as the account.
func (w *world) get(t *testing.T, path string) answer {
	t.Helper()
	a, err := send(&caller, "GET", w.url+path, map[string]string{"Authorization": "Bearer " + w.secret}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
