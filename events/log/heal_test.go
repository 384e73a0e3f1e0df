package log

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/events/log/logtest"
	"reckon/events/log/natsfile"
)

// prepareHealingTrio has three nodes that take their log anew where it is damaged, and a word for each to hear what it waits for.
func prepareHealingTrio(t *testing.T) (c *logtest.Trio[*Log], heard *[3]func(string)) {
	t.Helper()
	heard = &[3]func(string){}
	c = logtest.NewTrio(t, func(ctx context.Context, n logtest.Node) (*Log, error) {
		o := options(n)
		o.Cluster.Heal = true
		o.Waiting = heard[n.Name[1]-'0']
		return Open(ctx, o)
	})
	return c, heard
}

// fill gives the log of a trio three blocks of events and some commands.
func fill(t *testing.T, c *logtest.Trio[*Log]) {
	t.Helper()
	for range 50 {
		c.Append(t, 0, logtest.Created(strings.Repeat("bulk ", 80_000)), 0)
	}
	account := uuid.New()
	for i := range 20 {
		logtest.Until(t, "enqueue", func(ctx context.Context) error {
			err := enqueue(ctx, c.Logs[0], events.CommandSubject(account, string(rune('a'+i))), []byte("{}"), true)
			if errors.Is(err, ErrConflict) { // one whose outcome was unknown is there
				return nil
			}
			return err
		})
	}
}

// kill leaves the directory of a node as it is when its process is killed, once it has what it was given.
func kill(t *testing.T, c *logtest.Trio[*Log], i int) {
	t.Helper()
	logtest.Until(t, "the node has all", func(context.Context) error {
		has, all := holdingOf(c.Logs[i].backing.(*cluster).server), holdingOf(c.Logs[0].backing.(*cluster).server)
		if !reflect.DeepEqual(has.Streams, all.Streams) {
			return errors.New("it has not")
		}
		return nil
	})
	image := c.Nodes[i].Dir + ".image"
	if err := os.CopyFS(image, os.DirFS(c.Nodes[i].Dir)); err != nil {
		t.Fatal(err)
	}
	c.Lose(t, i)
	if err := errors.Join(os.RemoveAll(c.Nodes[i].Dir), os.Rename(image, c.Nodes[i].Dir)); err != nil {
		t.Fatal(err)
	}
}

// flip turns one bit of a file over, in the middle of it.
func flip(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		text[len(text)/2] ^= 4
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// inLog are the files of a node's log that are not empty, those that were made last at the end.
func inLog(t *testing.T, n logtest.Node, pattern string) (files []string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(n.Dir, "log", "jetstream", pattern))
	for _, file := range all {
		if info, statErr := os.Stat(file); statErr != nil || info.Size() > 100 { // more than a mark
			files = append(files, file)
		}
	}
	if err != nil || len(files) == 0 {
		t.Fatalf("there is no %s (%v)", pattern, err)
	}
	slices.SortFunc(files, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	return files
}

// records reads all of EVENTS where a node leads it.
func records(t *testing.T, l *Log) (list []Record) {
	t.Helper()
	name := l.backing.(*cluster).server.Name()
	logtest.Until(t, "the node leads", func(ctx context.Context) error {
		limited, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		s, err := l.State(limited, EventsStream)
		if err != nil || s.Cluster.Leader == name {
			return err
		}
		_, err = l.request(limited, "$JS.API.STREAM.LEADER.STEPDOWN."+EventsStream, []byte(`{"placement": {"preferred": "`+name+`"}}`))
		return errors.Join(err, errLeaderless)
	})
	logtest.Until(t, "read all events", func(ctx context.Context) error {
		limited, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		s, err := l.State(limited, EventsStream)
		if err != nil {
			return err
		}
		list = nil
		return l.Records(limited, EventsStream, s.State.LastSeq, func(r Record) error {
			list = append(list, r)
			return nil
		})
	})
	return list
}

// damaged opens a node without the word to heal itself, and returns what it waits for.
func damaged(t *testing.T, n logtest.Node) (said string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), logtest.Patience)
	defer cancel()
	o := options(n)
	o.Waiting = func(what string) {
		if strings.Contains(what, "damaged") {
			said = what
			cancel()
		}
	}
	if l, err := Open(ctx, o); err == nil {
		l.Close()
		t.Fatal("a damaged node is open")
	}
	return said
}

// wantLevel checks that nodes have as much of the streams as the first one.
func wantLevel(t *testing.T, c *logtest.Trio[*Log]) {
	t.Helper()
	logtest.Until(t, "all nodes have the same", func(context.Context) error {
		first := holdingOf(c.Logs[0].backing.(*cluster).server).Streams
		for _, l := range c.Logs[1:] {
			if own := holdingOf(l.backing.(*cluster).server).Streams; !reflect.DeepEqual(own, first) {
				return fmt.Errorf("%v and %v", own, first)
			}
		}
		return nil
	})
	for _, n := range c.Nodes {
		if _, err := os.Stat(asidePath(n.Dir)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a damaged copy is still there: %v", err)
		}
	}
}

// A node with one damaged file of its log runs no server on it, says what is damaged, and with the word for it takes the log anew
// from the others.
func TestDamagedNodeHeals(t *testing.T) {
	t.Parallel()
	c, _ := prepareHealingTrio(t)
	c.Start(t, 0, 1, 2)
	fill(t, c)
	for _, damage := range []struct {
		what, files string
		which       int // of them, from the end
		says        string
	}{
		{"a bit of a closed block of events", "$G/streams/EVENTS/msgs/*.blk", 2, "EVENTS"},
		{"a bit of the newest block of events", "$G/streams/EVENTS/msgs/*.blk", 1, "EVENTS"},
		{"a block of events is gone", "$G/streams/EVENTS/msgs/*.blk", 2, "EVENTS"},
		{"a bit of the commands", "$G/streams/COMMANDS/msgs/*.blk", 1, "COMMANDS"},
		{"a bit of a Raft log", "$SYS/_js_/S-*/msgs/*.blk", 1, "S-"},
		{"all is gone", "", 1, "EVENTS"},
		{"a bit of a snapshot", "$SYS/_js_/_meta_/snapshots/snap.*", 1, "_meta_"},
	} {
		kill(t, c, 1)
		files := inLog(t, c.Nodes[1], damage.files)
		file := files[len(files)-damage.which]
		var err error
		switch {
		case damage.files == "":
			err = errors.Join(os.RemoveAll(storePath(c.Nodes[1].Dir)), os.Mkdir(viewsPath(c.Nodes[1].Dir), 0o700))
		case strings.HasSuffix(damage.what, "gone"):
			err = os.Remove(file)
		default:
			flip(t, file)
		}
		if err != nil {
			t.Fatal(err)
		}
		// Without the word it waits, and the others do not see it.
		said := damaged(t, c.Nodes[1])
		for _, part := range []string{damage.says, "log/jetstream/", "--heal"} {
			if !strings.Contains(said, part) {
				t.Errorf("%s: the node says %q, without %q", damage.what, said, part)
			}
		}
		c.Append(t, 0, logtest.Created("while one is away"), 0)
		c.Start(t, 1)
		wantLevel(t, c)
		if t.Failed() {
			t.Fatal(damage.what)
		}
	}
	logtest.Until(t, "ready", func(context.Context) error { return c.Logs[1].Ready() })
	want := records(t, c.Logs[0])
	c.Lose(t, 2)
	if got := records(t, c.Logs[1]); !reflect.DeepEqual(got, want) || len(want) != 57 {
		t.Errorf("the node that was healed has %d events, and another one %d", len(got), len(want))
	}
	c.Append(t, 1, logtest.Created("with one that was healed"), 0)
}

// Two damaged nodes of three wait: nobody has what both of them may have acknowledged. One that ends while it takes the log anew
// goes on with that.
func TestDamagedNodesDoNotHealTogether(t *testing.T) {
	t.Parallel()
	c, heard := prepareHealingTrio(t)
	c.Start(t, 0, 1, 2)
	fill(t, c)
	kill(t, c, 1)
	kill(t, c, 2)
	blocks := [3]string{}
	for _, i := range []int{1, 2} {
		blocks[i] = inLog(t, c.Nodes[i], "$G/streams/EVENTS/msgs/*.blk")[0]
		flip(t, blocks[i])
	}
	ctx, cancel := context.WithTimeout(t.Context(), logtest.Patience)
	defer cancel()
	var both sync.WaitGroup
	for _, i := range []int{1, 2} {
		said, hears := make(chan string, 100), sync.Once{}
		heard[i] = func(what string) {
			if strings.Contains(what, "other nodes") {
				hears.Do(func() { close(said) })
			}
		}
		both.Go(func() {
			if _, err := c.Open(ctx, i); err == nil {
				t.Error("a node is open although two are damaged")
			}
		})
		<-said
	}
	cancel()
	both.Wait()
	for _, i := range []int{1, 2} {
		if _, err := os.Stat(asidePath(c.Nodes[i].Dir)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a node has set its log aside: %v", err)
		}
		heard[i] = nil
	}

	flip(t, blocks[2])
	c.Start(t, 2)
	ctx, cancel = context.WithTimeout(t.Context(), logtest.Patience)
	defer cancel()
	heard[1] = func(what string) {
		if strings.Contains(what, "takes over the log") {
			cancel()
		}
	}
	if _, err := c.Open(ctx, 1); err == nil {
		t.Error("a node is open that was to end while it takes over the log")
	}
	if under, err := healing(c.Nodes[1].Dir); err != nil || !under {
		t.Errorf("the node does not know that it is taking over the log (%v)", err)
	}
	heard[1] = nil
	c.Start(t, 1)
	wantLevel(t, c)
}

// Every byte of a Raft log counts, but for its last entry, which looks like one that was being written when the machine stopped.
func TestDamagedRaftLogs(t *testing.T) {
	t.Parallel()
	c := newTrio(t)
	for range 20 {
		c.Append(t, 0, logtest.Created("a"), 0)
	}
	image := t.TempDir()
	if err := os.CopyFS(image, os.DirFS(filepath.Join(c.Nodes[0].Dir, "log"))); err != nil {
		t.Fatal(err)
	}
	check := func() []Damage {
		damage, err := natsfile.CheckRaft(t.Context(), image)
		if err != nil {
			t.Fatal(err)
		}
		return damage
	}
	if damage := check(); len(damage) > 0 {
		t.Fatalf("a node that was killed is damaged: %v", damage)
	}
	var file string
	var text []byte
	all, err := filepath.Glob(filepath.Join(image, "jetstream/$SYS/_js_/S-*/msgs/*.blk"))
	for _, path := range all {
		if read, err := os.ReadFile(path); err == nil && len(read) > len(text) {
			file, text = path, read
		}
	}
	if err != nil || len(text) == 0 {
		t.Fatalf("there is no Raft log (%v)", err)
	}
	write := func(text []byte) {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	unseen, first := 0, len(text)
	const step = 29
	for i := 0; i < len(text); i += step {
		text[i] ^= 1 << (i % 8)
		write(text)
		if len(check()) == 0 {
			unseen, first = unseen+step, min(first, i)
		}
		text[i] ^= 1 << (i % 8)
	}
	if entry := len(text) / 20; unseen > 2*entry || first < len(text)-2*entry {
		t.Errorf("of %d bytes %d may be others, the first of them at %d", len(text), unseen, first)
	}
	write(text)
	if err := os.Truncate(file, int64(len(text)-10)); err != nil {
		t.Fatal(err)
	}
	if damage := check(); len(damage) > 0 {
		t.Errorf("an entry that was being written is damage: %v", damage)
	}
}
