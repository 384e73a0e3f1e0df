package log

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reckon/events/log/logtest"
	"reckon/events/log/natsfile"
)

// A bit that turns over in a block that was found whole before is seen by who reads all again, and then by the next start.
func TestScrub(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := open(t, dir)
	for range 30 {
		appended(t, l, logtest.Created(strings.Repeat("bulk ", 80_000)), 0)
	}
	reopen := func() {
		t.Helper()
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		l = open(t, dir)
	}
	reopen()
	if err := l.scrub(t.Context()); err != nil || l.Broken() != nil {
		t.Fatalf("a whole log is %v (%v)", l.Broken(), err)
	}
	block := filepath.Join(natsfile.MessagesOf(storePath(dir), EventsStream), "1.blk")
	info, err := os.Stat(block)
	if err != nil {
		t.Fatal(err)
	}
	flip(t, block)
	if err := os.Chtimes(block, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	yesterday := time.Now().Add(-scrubDaily - time.Minute)
	if err := os.Chtimes(scrubbedPath(dir), yesterday, yesterday); err != nil {
		t.Fatal(err)
	}
	reopen()
	logtest.Until(t, "the damage is found", func(ctx context.Context) error {
		if l.Broken() == nil {
			return errors.New("it is not")
		}
		return nil
	})
	if err := l.Broken(); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "EVENTS/msgs/"+filepath.Base(block)) {
		t.Errorf("a damaged log is %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), Options{Dir: dir}); !errors.Is(err, ErrDamaged) {
		t.Errorf("a log that was found damaged is opened (%v)", err)
	}
}

// A node that works reads its Raft logs too, which are written and cut meanwhile.
func TestScrubOfNode(t *testing.T) {
	t.Parallel()
	c := newTrio(t)
	l := c.Logs[1]
	for range 3 {
		for range 20 {
			c.Append(t, 0, logtest.Created("a"), 0)
		}
		if err := l.scrub(t.Context()); err != nil || l.Broken() != nil {
			t.Fatalf("a whole log is %v (%v)", l.Broken(), err)
		}
	}
	logs := inLog(t, c.Nodes[1], "$SYS/_js_/S-*/msgs/*.blk")
	largest, size := "", int64(0) // the very last entry of a log that is damaged looks torn
	for _, path := range logs {
		if info, err := os.Stat(path); err == nil && info.Size() > size {
			largest, size = path, info.Size()
		}
	}
	flip(t, largest)
	if err := l.scrub(t.Context()); err != nil || !errors.Is(l.Broken(), ErrDamaged) || !strings.Contains(l.Broken().Error(), "_js_/S-") {
		t.Errorf("a damaged Raft log is %v (%v)", l.Broken(), err)
	}
}
