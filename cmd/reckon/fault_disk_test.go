package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	nethttp "net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/nats-io/nats-server/v2/server"
	"golang.org/x/sys/unix"

	"reckon/commands"
	"reckon/events/log"
)

// disk is a file system of its own in a file.
type disk struct{ image, mounted string }

// newDisk makes and mounts an ext4 file system. ok is false, and the test says so, where the machine does not allow that.
func newDisk(t *testing.T, megabytes int) (d disk, ok bool) {
	t.Helper()
	return newDiskIn(t, t.TempDir(), megabytes)
}

// newDiskIn is newDisk with its file in a directory, where it takes space as it is written to.
func newDiskIn(t *testing.T, dir string, megabytes int) (d disk, ok bool) {
	t.Helper()
	d = disk{filepath.Join(dir, "image"), t.TempDir()}
	image, err := os.Create(d.image)
	if err == nil {
		err = errors.Join(image.Truncate(int64(megabytes)<<20), image.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mkfs.ext4", "-q", "-F", "-b", fmt.Sprint(diskBlock), d.image).CombinedOutput(); err != nil {
		notRun(t, fmt.Sprintf("it needs mkfs.ext4: %v %s", err, out))
		return d, false
	}
	// A disk whose file is on this one may be let go of a moment after it was unmounted.
	t.Cleanup(func() {
		if exec.Command("umount", d.mounted).Run() != nil {
			_ = exec.Command("umount", "--lazy", d.mounted).Run()
		}
	})
	if err := d.mount(); err != nil {
		notRun(t, fmt.Sprintf("it needs loop devices and the right to mount: %v", err))
		return d, false
	}
	return d, true
}

// diskBlock is the size of the blocks of a disk in bytes, which is that of a page.
const diskBlock = 4096

// mount mounts the file system on a device that writes one block at a time. A loop device of Linux 6.18 says that it has
// written all where its file had space for the beginning only (lo_complete_rq lets a short write pass), and then takes a
// sync of it for good, which no disk does. Of a single block it writes all, or says that it has not.
func (d disk) mount() error {
	if out, err := exec.Command("mount", "-o", "loop", d.image, d.mounted).CombinedOutput(); err != nil {
		return fmt.Errorf("mount: %w %s", err, bytes.TrimSpace(out))
	}
	var s unix.Stat_t
	if err := unix.Stat(d.mounted, &s); err != nil {
		return fmt.Errorf("find the device of %s: %w", d.mounted, err)
	}
	queue := fmt.Sprintf("/sys/dev/block/%d:%d/queue/max_sectors_kb", unix.Major(s.Dev), unix.Minor(s.Dev))
	if err := os.WriteFile(queue, fmt.Append(nil, diskBlock>>10), 0); err != nil {
		return fmt.Errorf("bound what the device writes at once: %w", err)
	}
	return nil
}

// losePower shuts the file system down without writing its journal: what is not on the disk at this moment never will be.
func (d disk) losePower() error {
	const shutdown, withoutLog = 0x8004587d, 2 // EXT4_IOC_SHUTDOWN, EXT4_GOING_FLAGS_NOLOGFLUSH
	f, err := os.Open(d.mounted)
	if err != nil {
		return err
	}
	defer f.Close()
	flags := uint32(withoutLog)
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), shutdown, uintptr(unsafe.Pointer(&flags))); errno != 0 {
		return fmt.Errorf("shut the file system down: %w", errno)
	}
	return nil
}

// restart mounts the file system again, which recovers it as after a boot.
func (d disk) restart(t *testing.T) {
	t.Helper()
	if out, err := exec.Command("umount", d.mounted).CombinedOutput(); err != nil {
		t.Fatalf("umount: %v %s", err, out)
	}
	if err := d.mount(); err != nil {
		t.Fatal(err)
	}
}

// fill takes all space that is left, with a file that it names.
func (d disk) fill(t *testing.T) (filler string) {
	t.Helper()
	f, err := os.Create(filepath.Join(d.mounted, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for block := make([]byte, 1<<20); len(block) > 0; {
		if _, err := f.Write(block); err != nil {
			block = block[:len(block)/2]
		}
	}
	return f.Name()
}

// bootAnew makes the next start remove the views, as after a boot of the machine: their mark names another one.
func bootAnew(t *testing.T, data string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(data, "views", "mark"), []byte("another boot"), 0o600); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
}

// gaveUp waits until the server has ended by itself: with an error that says why, and without an answer but those of a
// calculation and 503.
func (w *world) gaveUp(t *testing.T, why string) {
	t.Helper()
	err := w.server.Wait()
	w.server = nil
	if err == nil {
		t.Error("the server ended as if all were well")
	}
	if len(w.odd) > 0 {
		t.Errorf("requests were answered %v", w.odd)
	}
	if text := w.errors.String(); !strings.Contains(text, why) {
		t.Errorf("the server does not say why it ended: %s", text)
	}
}

// recovers starts the server once more, checks that all is there, and returns how many answers there had been before.
func (w *world) recovers(t *testing.T) (before int) {
	t.Helper()
	w.serve(t)
	before = w.acknowledged()
	w.settle(t)
	w.verify(t)
	w.kill()
	return before
}

// TestPowerLossLosesWhatNobodySynced has NATS sync the log as it does by default. Something must be lost then, or no test here would see
// a loss.
func TestPowerLossLosesWhatNobodySynced(t *testing.T) {
	d, ok := newDisk(t, 256)
	if !ok {
		return
	}
	w := newWorld(t, filepath.Join(d.mounted, "data"))
	w.serve(t) // makes the streams, the account and its domains, and syncs them
	w.end(syscall.SIGTERM)
	if err := exec.Command("sync", "-f", d.mounted).Run(); err != nil {
		t.Fatal(err)
	}
	w.program = "reckon-default-sync"
	w.serve(t)
	w.loadUntil(t, 8, "unsynced", 100, func(func()) {
		if err := d.losePower(); err != nil {
			t.Fatal(err)
		}
		w.kill()
	})
	d.restart(t)
	bootAnew(t, w.data)
	kept := map[string]bool{}
	for _, e := range readEvents(t, w.data) {
		if m := e.Message(); m != nil {
			kept[m.MessageID.String()] = true
		}
	}
	lost := 0
	for _, p := range w.history.posts {
		if p.acknowledged && !kept[p.answer.message] {
			lost++
		}
	}
	if lost == 0 {
		t.Errorf("of %d answers none is lost: the loss of power is none", w.acknowledged())
	}
	t.Logf("%d of %d answers are lost with the default sync of NATS", lost, w.acknowledged())
}

// defaultSync is the program with a log that NATS syncs as it does by default: every two minutes. The log's server runs on
// the data directory beside the service, which finds it as the commands of administration do.
func defaultSync() {
	data := os.Args[slices.Index(os.Args, "--data")+1]
	own := data + "-service"
	err := func() error {
		s, err := log.RunServer(context.Background(), &server.Options{
			ServerName: "log", Host: "127.0.0.1", Port: server.RANDOM_PORT, StoreDir: filepath.Join(data, "log"), MaxPayload: 4 << 20,
		}, slog.New(slog.DiscardHandler))
		if err != nil {
			return err
		}
		if err := os.MkdirAll(own, 0o700); err != nil {
			return err
		}
		c := credentials{URL: s.ClientURL()}
		url, _, err := serveThrough(c, own)
		if err != nil {
			return err
		}
		log, err := log.Join(context.Background(), log.Options{Dir: own})
		if err != nil {
			return err
		}
		t := terminal{Context: context.Background(), out: os.Stdout, err: os.Stderr}
		dev, err := prepareDev(t, commands.Admin{Log: log}, data)
		if err == nil {
			dev.print(t, url)
		}
		return err
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	select {} // until it is killed
}

// TestNearlyFullDisk takes most of the space while callers calculate. From then on they are answered 503 with Retry-After, what
// is there can be read, and accounts are administered. When there is space again the server calculates, without a restart.
func TestNearlyFullDisk(t *testing.T) {
	t.Parallel()
	d, ok := newDisk(t, 256)
	if !ok {
		return
	}
	w := newWorld(t, filepath.Join(d.mounted, "data"))
	w.flags = []string{"--keep-free", "40%"}
	w.serve(t)
	filler := filepath.Join(d.mounted, "filler")
	w.loadUntil(t, 8, "nearly", 50, func(func()) {
		f, err := os.Create(filler)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := syscall.Fallocate(int(f.Fd()), 0, 0, 160<<20); err != nil {
			t.Fatal(err)
		}
	})
	if w.refused == 0 {
		t.Error("no request was refused")
	}
	for _, p := range w.history.posts {
		if p.acknowledged {
			if status, err := w.read(devAccount, w.secret, p.conversationID); status != nethttp.StatusOK || err != nil {
				t.Fatalf("what is there is read with %d, %v", status, err)
			}
			break
		}
	}
	if _, stderr, code := tool(t, "account", "create", "another", "--data", w.data); code != 0 {
		t.Errorf("an account is not created: %s", stderr)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; {
		_, status, err := w.post("", "", promptOf(1, true))
		if status == nethttp.StatusOK && err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("with space again: %d, %v", status, err)
		}
	}
	w.settle(t)
	w.verify(t)
}

// TestFullDisk fills the disk while callers calculate. They are answered 503 with Retry-After, and the server goes on, or
// ends with an error for whoever supervises it. When there is space again it works, and nothing is lost.
func TestFullDisk(t *testing.T) {
	d, ok := newDisk(t, 64)
	if !ok {
		return
	}
	w := newWorld(t, filepath.Join(d.mounted, "data"))
	w.flags = []string{"--keep-free", "0"}
	w.serve(t)
	var filler string
	w.loadUntil(t, 8, "filling", 50, func(func()) { filler = d.fill(t) })
	w.gaveUp(t, "no space left on device")
	if w.refused == 0 {
		t.Error("no request was refused")
	}
	// Whoever supervises it starts it again and again, until there is space.
	if _, _, code := tool(t, "serve", "--dev", "--data", w.data, "--listen", "127.0.0.1:0"); code == 0 {
		t.Error("the server starts on a full disk and ends as if all were well")
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	before := w.recovers(t)
	t.Logf("%d answers before the disk was full, %d refusals", before, w.refused)
}

// TestFailedSync lets callers calculate on a disk that is a file on another disk, which it fills: writes still succeed, and
// syncs fail. After the first one that does nothing is acknowledged, and the server ends with an error. When there is space
// again, nothing is lost.
func TestFailedSync(t *testing.T) {
	t.Parallel()
	below, ok := newDisk(t, 128)
	if !ok {
		return
	}
	d, ok := newDiskIn(t, below.mounted, 256)
	if !ok {
		return
	}
	w := newWorld(t, filepath.Join(d.mounted, "data"))
	w.flags = []string{"--keep-free", "0"}
	w.serve(t)
	var filler string
	w.loadUntil(t, 8, "syncing", 50, func(func()) { filler = below.fill(t) })
	w.gaveUp(t, log.ErrBroken.Error()+": sync ")
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if err := exec.Command("sync", "-f", below.mounted).Run(); err != nil { // which frees the space
		t.Fatal(err)
	}
	d.restart(t)
	_ = exec.Command("sync", "-f", d.mounted).Run() // takes what the device has to say of before
	bootAnew(t, w.data)
	before := w.recovers(t)
	t.Logf("%d answers before a sync failed, %d refusals", before, w.refused)
}

// TestTornBlock cuts and spoils the end of the newest file of each stream, as a disk may that lied about its syncs. The server
// starts, and all is there but what was torn off.
func TestTornBlock(t *testing.T) {
	t.Parallel()
	for _, stream := range []string{"EVENTS", "COMMANDS"} {
		for _, tear := range []struct {
			name string
			do   func(data []byte) []byte
			most int // messages that may be lost
		}{
			{"half a message", func(data []byte) []byte { return data[:len(data)-37] }, 1},
			{"garbage behind the end", func(data []byte) []byte { return append(data, bytes.Repeat([]byte{0xA5}, 100)...) }, 0},
			{"zeroes behind the end", func(data []byte) []byte { return append(data, make([]byte, 4096)...) }, 0},
			{"a bit of the last message", func(data []byte) []byte { data[len(data)-20] ^= 1; return data }, 1},
		} {
			t.Run(stream+" "+tear.name, func(t *testing.T) {
				w := newWorld(t, filepath.Join(t.TempDir(), "data"))
				w.serve(t)
				stop := make(chan struct{})
				var once sync.Once
				w.load(1, "torn", stop, func() {
					if w.acknowledged() == 12 {
						once.Do(func() { close(stop) })
					}
				}).Wait()
				w.kill()
				was := len(readEvents(t, w.data))
				w.spoilNewest(t, stream, tear.do)
				left := readEvents(t, w.data)
				if stream == "EVENTS" && len(left) < was-tear.most || stream == "COMMANDS" && len(left) < was {
					t.Fatalf("%d of %d events are left", len(left), was)
				}
				kept := map[string]bool{}
				for _, e := range left {
					if m := e.Message(); m != nil {
						kept[m.MessageID.String()] = true
					}
				}
				if says := w.tryServe(t); says != "" {
					// The views had been written with the event that is torn off.
					if stream != "EVENTS" || len(left) == was || !strings.Contains(says, "the views are beyond the log") {
						t.Fatalf("the server did not start:\n%s", says)
					}
					if err := os.RemoveAll(filepath.Join(w.data, "views")); err != nil {
						t.Fatal(err)
					}
					w.serve(t)
				}
				for i, p := range w.history.posts {
					if !kept[p.answer.message] {
						w.history.posts[i].acknowledged = false
					}
				}
				// What was torn off is no longer shown, and was before.
				w.history.reads = nil
				if stream == "EVENTS" {
					w.settle(t) // a command whose event was torn off is worked on again
				}
				w.verify(t)
				if p, status, err := w.post("afterwards", "", promptOf(77, true)); err != nil || !p.acknowledged {
					t.Errorf("a new request is answered %d: %v", status, err)
				}
				w.kill()
				t.Logf("%d of %d events are left", len(left), was)
			})
		}
	}
}

// TestTornCommand tears off the newest command before it is answered, its key with it: asked for again it is a new request,
// which is worked on once, however often it is asked for.
func TestTornCommand(t *testing.T) {
	w := newWorld(t, filepath.Join(t.TempDir(), "data"))
	newest := ""
	for round := 0; newest == ""; round++ {
		if round == 20 {
			t.Fatal("in 20 rounds no kill left the newest request, with its key, unanswered")
		}
		w.serve(t)
		w.loadUntil(t, 16, fmt.Sprint("torn", round), 20, func(func()) { w.kill() })
		stored, _, _ := w.commands(t)
		for _, name := range w.unfinished(t) {
			keyed := slices.ContainsFunc(w.history.posts, func(p post) bool { return p.key == name })
			if keyed && stored[name] == slices.Max(slices.Collect(maps.Values(stored))) {
				newest = name
			}
		}
	}
	before, _, _ := w.commands(t)
	w.spoilNewest(t, "COMMANDS", func(data []byte) []byte { return data[:len(data)-37] })
	after, _, _ := w.commands(t)
	if _, there := after[newest]; there || len(after) != len(before)-1 {
		t.Fatalf("%d of %d commands are left, the newest among them: %v", len(after), len(before), there)
	}
	w.serve(t)
	w.settle(t)
	w.settle(t)
	w.verify(t)
	answers := 0
	for _, e := range w.history.events {
		if e.key == newest {
			answers++
		}
	}
	if answers != 1 {
		t.Errorf("the request that was torn off has %d answers", answers)
	}
	w.kill()
}

// spoilNewest changes the newest file of a stream, of a server that was killed.
func (w *world) spoilNewest(t *testing.T, stream string, change func([]byte) []byte) {
	t.Helper()
	blocks, err := filepath.Glob(filepath.Join(w.data, "log", "jetstream", "*", "streams", stream, "msgs", "*.blk"))
	if err != nil || len(blocks) == 0 {
		t.Fatalf("no blocks: %v", err)
	}
	slices.Sort(blocks)
	newest := blocks[len(blocks)-1]
	data, err := os.ReadFile(newest)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(newest, change(data), 0o600); err != nil {
		t.Fatal(err)
	}
	// A server that was killed has left no index that tells more than the blocks, and of a disk that lied about its syncs the
	// marks are as old.
	for _, path := range []string{filepath.Join(filepath.Dir(newest), "index.db"), filepath.Join(w.data, "log", "durable")} {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
}
