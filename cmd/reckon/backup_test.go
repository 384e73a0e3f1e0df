package main

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	nethttp "net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"

	"reckon/events"
	"reckon/events/backup"
	"reckon/events/log"
)

// tool runs the program and returns what it printed.
func tool(t *testing.T, args ...string) (out, errors string, code int) {
	t.Helper()
	program, err := exec.LookPath("reckon")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, args...)
	var o, e strings.Builder
	cmd.Stdout, cmd.Stderr = &o, &e
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return o.String(), e.String(), cmd.ProcessState.ExitCode()
}

func mustRun(t *testing.T, args ...string) string {
	t.Helper()
	out, errors, code := tool(t, args...)
	if code != 0 {
		t.Fatalf("reckon %s: exit status %d\n%s%s", strings.Join(args, " "), code, out, errors)
	}
	return out
}

// TestBackupUnderLoad backs a server up while callers calculate and restores that elsewhere. Every answer that had come
// before the backup began is there and is given again under its key; of the requests under way each has one answer; and
// what was in the queue at that moment is worked on, once, without being asked for.
func TestBackupUnderLoad(t *testing.T) {
	t.Parallel()
	w := newWorld(t, filepath.Join(t.TempDir(), "data"))
	file, copied := filepath.Join(t.TempDir(), "backup.gz"), filepath.Join(t.TempDir(), "copied")
	w.serve(t)
	var taken backup.Summary
	var before int
	w.loadUntil(t, 16, "load", 200, func(stop func()) {
		before = w.moment()
		out := mustRun(t, "backup", "--data", w.data, file, "--json")
		if err := json.Unmarshal([]byte(out), &taken); err != nil {
			t.Errorf("%v in %s", err, out)
		}
		stop()
	})
	w.end(syscall.SIGTERM)
	if _, stderr, code := tool(t, "backup", "--data", w.data, file); code != 1 || !strings.Contains(stderr, "exists already") {
		t.Errorf("a backup over a file: exit status %d, %s", code, stderr)
	}

	var restored backup.Summary
	if err := json.Unmarshal([]byte(mustRun(t, "restore", file, "--data", copied, "--json")), &restored); err != nil {
		t.Fatal(err)
	}
	if restored != taken {
		t.Errorf("restored %+v from a backup of %+v", restored, taken)
	}
	if _, stderr, code := tool(t, "restore", file, "--data", copied); code != 1 || !strings.Contains(stderr, "holds something already") {
		t.Errorf("a restore over a directory: exit status %d, %s", code, stderr)
	}
	original := readEvents(t, w.data)
	for i, e := range readEvents(t, copied) {
		if e.Sequence != original[i].Sequence || e.ID != original[i].ID || !e.Time.Equal(original[i].Time) {
			t.Fatalf("event %d is %v instead of %v", i, e, original[i])
		}
	}

	// The copy is another service from here on; only what was answered before the backup must be in it.
	other := newWorld(t, copied)
	for _, p := range w.history.posts {
		if p.ended < before {
			other.history.posts = append(other.history.posts, p)
		}
	}
	other.moments = w.moments
	if err := os.WriteFile(filepath.Join(copied, "dev-key"), []byte(w.secret), 0o600); err != nil {
		t.Fatal(err)
	}
	answered := other.acknowledged()
	if answered < 200 {
		t.Fatalf("%d answers came before the backup", answered)
	}
	if _, _, floor := other.commands(t); floor != taken.Commands-taken.Unfinished {
		t.Errorf("of %d commands %d are marked as finished, and %d are not finished", taken.Commands, floor, taken.Unfinished)
	}
	other.serve(t)
	stored, _, _ := other.commands(t)
	for asked := 0; ; asked++ { // until the queue is empty
		if _, _, floor := other.commands(t); floor >= taken.Commands {
			break
		}
		if asked == 1000 {
			t.Fatalf("the commands of the backup are not worked on: after %d questions: %d", asked, taken.Commands)
		}
	}
	finals := map[string]int{}
	for _, e := range readEvents(t, copied) {
		if m := e.Message(); m != nil {
			finals[nameOf(m.IdempotencyKey, m.MessageID)]++
		}
	}
	for name := range stored {
		if finals[name] != 1 {
			t.Errorf("request %s has %d final events", name, finals[name])
		}
	}
	other.settle(t)
	other.verify(t)
	t.Logf("%+v, %d answers before it", taken, answered)
}

// TestRestoreFinishesWhatWasUnderWay backs up a stopped directory in whose queue is a request that no worker has seen.
func TestRestoreFinishesWhatWasUnderWay(t *testing.T) {
	w := newWorld(t, filepath.Join(t.TempDir(), "data"))
	file, copied := filepath.Join(t.TempDir(), "backup.gz"), filepath.Join(t.TempDir(), "copied")
	var left []string
	for round := 0; len(left) == 0; round++ {
		if round == 20 {
			t.Fatal("in 20 rounds no kill left a request in the queue")
		}
		w.serve(t)
		w.loadUntil(t, 16, "round"+string(rune('a'+round)), 20, func(func()) { w.kill() })
		left = w.unfinished(t)
	}
	var taken backup.Summary
	if err := json.Unmarshal([]byte(mustRun(t, "backup", "--data", w.data, file, "--json")), &taken); err != nil {
		t.Fatal(err)
	}
	if taken.Unfinished < uint64(len(left)) {
		t.Errorf("the backup counts %d unfinished requests of %d", taken.Unfinished, len(left))
	}
	mustRun(t, "restore", file, "--data", copied)
	if err := os.WriteFile(filepath.Join(copied, "dev-key"), []byte(w.secret), 0o600); err != nil {
		t.Fatal(err)
	}
	w.data = copied
	w.serve(t)
	w.settle(t)
	w.finishes(t)
	w.verify(t)
	t.Logf("%d requests were under way", len(left))
}

// finishes waits until all commands have a final event, also those without a key, which nobody posts again.
func (w *world) finishes(t *testing.T) {
	t.Helper()
	for asked := 0; ; asked++ {
		left := w.unfinished(t)
		if len(left) == 0 {
			return
		}
		if asked == 100 {
			t.Fatalf("%d requests are still unfinished after %d questions", len(left), asked)
		}
	}
}

// unfinished are the names of requests whose commands have no final event.
func (w *world) unfinished(t *testing.T) (names []string) {
	t.Helper()
	final := finalEvents(readEvents(t, w.data))
	stored, _, _ := w.commands(t)
	for name := range stored {
		if final[name] == 0 {
			names = append(names, name)
		}
	}
	return names
}

// TestUndecodableEventsAreBackedUp backs up a log with an event that this program cannot read: the copy may be the only one.
// The backup warns and is whole, and what is restored from it is the same log, which verify and serve stop at.
func TestUndecodableEventsAreBackedUp(t *testing.T) {
	folder := t.TempDir()
	data, file, copied := filepath.Join(folder, "data"), filepath.Join(folder, "backup.gz"), filepath.Join(folder, "copied")
	mustRun(t, "account", "create", "acme", "--data", data)
	subject := events.AccountSubject(uuid.New()).String()
	withLog(t, data, func(ctx context.Context, log *log.Log) {
		_, err := log.JetStream().PublishMsg(ctx, &nats.Msg{Subject: subject, Data: []byte("{"), Header: nats.Header{"ce-type": {"reckon.account.created.v1"}}})
		if err != nil {
			t.Fatal(err)
		}
	})
	mustRun(t, "account", "create", "other", "--data", data)
	const place = "decode event 2 of type reckon.account.created.v1 on "
	out, stderr, code := tool(t, "backup", "--data", data, file, "--json")
	if want := "WARNING: this Reckon cannot read 1 event of the log"; code != 0 || !strings.Contains(stderr, want) || !strings.Contains(stderr, place+subject) {
		t.Errorf("backup: exit status %d, %s", code, stderr)
	}
	var b backup.Summary
	if err := json.Unmarshal([]byte(out), &b); err != nil || b.Events != 3 || b.Undecodable != 1 || !strings.HasPrefix(b.FirstUndecodable, place) {
		t.Errorf("backup: %+v (%v)", b, err)
	}
	out, stderr, code = tool(t, "restore", file, "--data", copied)
	if code != 1 || !strings.Contains(stderr, copied+" holds all that is in "+file) || !strings.Contains(stderr, place) {
		t.Errorf("restore: exit status %d, %s%s", code, out, stderr)
	}
	if _, stderr, code = tool(t, "projections", "verify", "--data", copied); code != 2 || !strings.Contains(stderr, place) {
		t.Errorf("verify: exit status %d, %s", code, stderr)
	}
	again := filepath.Join(folder, "again.gz")
	out, _, _ = tool(t, "backup", "--data", copied, again, "--json")
	var c backup.Summary
	if err := json.Unmarshal([]byte(out), &c); err != nil || c.Events != 3 || c.Undecodable != 1 {
		t.Errorf("backup of what was restored: %+v (%v)", c, err)
	}
}

// plainBackup is what a backup holds, uncompressed.
func plainBackup(t *testing.T, file string) string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestKilledRestoreIsCleared kills restores that wait for the rest of their file, to a directory that is not there and to an empty
// one, which may be a volume that nothing can take the place of. While one runs, another one to the
// same place is refused; afterwards the next one clears what it has left.
func TestKilledRestoreIsCleared(t *testing.T) {
	folder := t.TempDir()
	data, file, pipe := filepath.Join(folder, "data"), filepath.Join(folder, "backup.gz"), filepath.Join(folder, "pipe")
	mustRun(t, "account", "create", "acme", "--data", data)
	mustRun(t, "backup", "--data", data, file)
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	copied, volume := filepath.Join(folder, "copied"), filepath.Join(folder, "volume")
	if err := os.MkdirAll(filepath.Join(volume, "lost+found"), 0o700); err != nil {
		t.Fatal(err)
	}
	clearsKilled(t, file, pipe, copied, filepath.Join(folder, ".copied.restoring"))
	clearsKilled(t, file, pipe, volume, filepath.Join(volume, ".restoring"))
}

func clearsKilled(t *testing.T, file, pipe, copied, building string) {
	t.Helper()
	program, err := exec.LookPath("reckon")
	if err != nil {
		t.Fatal(err)
	}
	waiting := exec.Command(program, "restore", pipe, "--data", copied)
	if err := waiting.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = waiting.Process.Kill() })
	source, err := os.OpenFile(pipe, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	packed := gzip.NewWriter(source)
	if _, err := packed.Write([]byte(plainBackup(t, file)[:500])); err != nil {
		t.Fatal(err)
	}
	if err := packed.Flush(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); !isFolder(filepath.Join(building, "log", "jetstream")); {
		if time.Now().After(deadline) {
			t.Fatal("the restore has not begun in a minute")
		}
	}
	if _, stderr, code := tool(t, "restore", file, "--data", copied); code != 1 || !strings.Contains(stderr, "another restore to "+copied+" is under way") {
		t.Errorf("a second restore: exit status %d, %s", code, stderr)
	}
	if err := waiting.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = waiting.Wait()
	if err := os.WriteFile(filepath.Join(building, "left"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	mustRun(t, "restore", file, "--data", copied)
	for _, name := range []string{building, filepath.Join(copied, "left")} {
		if _, err := os.Stat(name); !os.IsNotExist(err) {
			t.Errorf("%s is left: %v", name, err)
		}
	}
}

// TestDamagedBackupIsRefused damages a backup in several ways; nothing may be left of what was being restored.
func TestDamagedBackupIsRefused(t *testing.T) {
	w := newWorld(t, filepath.Join(t.TempDir(), "data"))
	folder := t.TempDir()
	file := filepath.Join(folder, "backup.gz")
	w.serve(t)
	if _, status, err := w.post("key", "", promptOf(1, true)); err != nil || status != nethttp.StatusOK {
		t.Fatalf("status %d: %v", status, err)
	}
	w.end(syscall.SIGTERM)
	mustRun(t, "backup", "--data", w.data, file)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	plain := plainBackup(t, file)
	packed := func(text string) []byte {
		var b strings.Builder
		z := gzip.NewWriter(&b)
		if _, err := z.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return []byte(b.String())
	}
	if mustRun(t, "restore", file, "--data", filepath.Join(folder, "good")); !strings.Contains(plain, "energy") {
		t.Fatal("the backup does not hold what was asked")
	}
	for name, data := range map[string][]byte{
		"nothing":         {},
		"other":           []byte("hello"),
		"cut":             whole[:len(whole)/2],
		"without end":     whole[:len(whole)-9],
		"changed":         packed(strings.Replace(plain, "energy", "Energy", 1)),
		"without a line":  packed(plain[:strings.LastIndex(strings.TrimSpace(plain), "\n")+1]),
		"more than whole": packed(plain + "{}\n"),
		"of another form": packed(strings.Replace(plain, "reckon-backup/1", "reckon-backup/9", 1)),
	} {
		damaged := filepath.Join(folder, "damaged.gz")
		if err := os.WriteFile(damaged, data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, stderr, code := tool(t, "restore", damaged, "--data", filepath.Join(folder, "restored"))
		if code != 1 || !strings.Contains(stderr, "this is no whole backup") {
			t.Errorf("%s: exit status %d, %s", name, code, stderr)
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if n := e.Name(); n != "backup.gz" && n != "damaged.gz" && n != "good" {
			t.Errorf("%s is left", n)
		}
	}
}
