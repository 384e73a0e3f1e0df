package log

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/events/log/logtest"
	"reckon/events/log/natsfile"
)

// Where each message is synced by itself, it is known while the log is open what of it is on disk: one that was killed cannot have
// lost that at its next start.
func TestMarksWithoutGroups(t *testing.T) {
	t.Parallel()
	parent := "/dev/shm"
	if info, err := os.Stat(parent); err != nil || !info.IsDir() || natsfile.GroupCommits(parent) {
		fmt.Fprintf(os.Stderr, "NOT RUN: %s: it needs %s on another file system than ext4\n", t.Name(), parent)
		return
	}
	dir, err := os.MkdirTemp(parent, "marks")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	l := open(t, filepath.Join(dir, "data"))
	if groupOf(l) != nil {
		t.Fatal("the log commits in groups")
	}
	var last uint64
	for i := range 5 {
		last = appended(t, l, logtest.Created("a"), 0)
		if err := enqueue(t.Context(), l, events.CommandSubject(uuid.New(), fmt.Sprint(i)), []byte("{}"), true); err != nil {
			t.Fatal(err)
		}
	}
	for place, of := range checked {
		logtest.Until(t, of.Stream+" is marked", func(context.Context) error {
			m, err := natsfile.ReadMark(markPath(l.dir), place, of.Stream)
			if err == nil && (m == nil || m.Durable != last || m.Block != 1) {
				err = fmt.Errorf("the mark is %+v", m)
			}
			return err
		})
	}
	image := filepath.Join(dir, "image")
	if err := os.CopyFS(image, os.DirFS(l.dir)); err != nil {
		t.Fatal(err)
	}
	open(t, image) // as it is after a kill
	block := filepath.Join(natsfile.MessagesOf(storePath(image), EventsStream), "1.blk")
	lost := filepath.Join(dir, "lost")
	if err := os.CopyFS(lost, os.DirFS(l.dir)); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(block)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(natsfile.MessagesOf(storePath(lost), EventsStream), "1.blk"), info.Size()/2); err != nil {
		t.Fatal(err)
	}
	var damaged *DamagedError
	if l, err := Open(t.Context(), Options{Dir: lost}); !errors.As(err, &damaged) || damaged.Through() != last {
		t.Errorf("got log %v and error %v, want that events up to %d are damaged", l, err, last)
	}
}

// A log whose file system takes no changes any more is broken, and says why.
func TestAFileSystemThatHasGivenUp(t *testing.T) {
	t.Parallel()
	l := open(t, t.TempDir())
	marks, err := natsfile.OpenMarks(filepath.Join(t.TempDir(), "marks"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		l.keepMarking(ctx, marks)
	}()
	if err := l.Broken(); err != nil {
		t.Errorf("broken before: %v", err)
	}
	if err := marks.Close(); err != nil { // a file that is closed takes no changes either
		t.Fatal(err)
	}
	select {
	case <-ended:
	case <-time.After(logtest.Patience):
		t.Error("it goes on marking")
	}
	stop()
	if err := l.Broken(); !errors.Is(err, ErrBroken) || !strings.Contains(err.Error(), "the file system has given up") {
		t.Errorf("broken for the reason %v", err)
	}
}
