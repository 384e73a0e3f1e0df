package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
	"reckon/events/log"
	"reckon/events/log/logtest"
)

// original makes a log on a single node and a backup of it. Of its commands the first four are finished, and the last two have
// no idempotency key.
func original(t *testing.T, count int) (file *bytes.Reader, whole Summary, messages []log.Record) {
	t.Helper()
	l := open(t, t.TempDir())
	account := uuid.New()
	for i := range 8 {
		name := fmt.Sprintf("command %d", i)
		if err := enqueue(t.Context(), l, events.CommandSubject(account, name), []byte(name), i < 6); err != nil {
			t.Fatal(err)
		}
	}
	for i := 0; i < count; i += 2 {
		e := logtest.Created(fmt.Sprint(i))
		appended(t, l, logtest.Changed(e), appended(t, l, e, 0))
	}
	if err := acknowledge(t.Context(), l, 4); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	whole, err := Write(t.Context(), l, &b, quiet)
	if err != nil {
		t.Fatal(err)
	}
	if whole.Events != uint64(count) || whole.Commands != 8 || whole.Unfinished != 4 {
		t.Fatalf("the backup holds %+v", whole)
	}
	return bytes.NewReader(b.Bytes()), whole, stream(t, l)
}

func quiet(string, uint64, uint64) {}

// stream reads all messages of a log.
func stream(t *testing.T, l *log.Log) (all []log.Record) {
	t.Helper()
	for _, name := range []string{log.CommandsStream, log.EventsStream} {
		err := l.Records(t.Context(), name, 1<<40, func(m log.Record) error {
			m.Data = slices.Clone(m.Data)
			all = append(all, m)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// trio is three nodes of one cluster.
type trio = logtest.Trio[*log.Log]

// newTrio starts three nodes at once.
func newTrio(t *testing.T) *trio {
	t.Helper()
	c := logtest.NewTrio(t, func(ctx context.Context, n logtest.Node) (*log.Log, error) {
		return log.Open(ctx, log.Options{
			Dir:     n.Dir,
			Cluster: &log.Cluster{Name: "trio", Node: n.Name, Listen: n.Listen, Routes: n.Routes, Secret: []byte("a secret of three")},
		})
	})
	c.Start(t, 0, 1, 2)
	return c
}

// visitor reaches a running node as a command of administration does.
func visitor(t *testing.T, c *trio, node int) *log.Log {
	t.Helper()
	return kept(t)(log.Join(t.Context(), log.Options{Dir: c.Nodes[node].Dir}))
}

// open runs a log in a directory for the length of a test.
func open(t *testing.T, dir string) *log.Log {
	t.Helper()
	return kept(t)(log.Open(t.Context(), log.Options{Dir: dir}))
}

// openAt opens a log on an existing NATS for the length of a test.
func openAt(t *testing.T, e *log.External) *log.Log {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), logtest.Patience)
	defer cancel()
	return kept(t)(log.Open(ctx, log.Options{Dir: t.TempDir(), External: e}))
}

// kept closes a log that was opened at the end of a test.
func kept(t *testing.T) func(*log.Log, error) *log.Log {
	t.Helper()
	return func(l *log.Log, err error) *log.Log {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		})
		return l
	}
}

func appended(t *testing.T, l *log.Log, e events.Event, expected uint64) uint64 {
	t.Helper()
	sequence, err := l.Append(t.Context(), e, expected)
	if err != nil {
		t.Fatal(err)
	}
	return sequence
}

// enqueue publishes a command and returns when it is on disk.
func enqueue(ctx context.Context, l *log.Log, s events.Subject, command []byte, kept bool) error {
	sequence, err := l.Enqueue(ctx, s, command, kept)
	if err == nil {
		err = l.CommandDurable(ctx, sequence)
	}
	return err
}

func wantMessages(t *testing.T, l *log.Log, want []log.Record) {
	t.Helper()
	got := stream(t, l)
	if len(got) != len(want) {
		t.Fatalf("%d messages are there, want %d", len(got), len(want))
	}
	for i, m := range got {
		w := want[i]
		if m.Stream != w.Stream || m.Sequence != w.Sequence || m.Subject != w.Subject || !bytes.Equal(m.Data, w.Data) ||
			fmt.Sprint(m.Headers) != fmt.Sprint(w.Headers) {
			t.Fatalf("message %d is %v, want %v", i, m, w)
		}
	}
}

// A backup of one node goes into three new ones. They go on as that one would have: keys are taken, events conflict, and only
// what was not finished is worked on.
func TestFill(t *testing.T) {
	t.Parallel()
	file, whole, messages := original(t, 40)
	c := newTrio(t)
	filled, err := Fill(t.Context(), visitor(t, c, 1), file, quiet)
	if err != nil {
		t.Fatal(err)
	}
	if filled != whole {
		t.Errorf("filled with %+v, want %+v", filled, whole)
	}
	wantMessages(t, visitor(t, c, 2), messages)
	_, err = Fill(t.Context(), visitor(t, c, 0), file, quiet)
	logtest.WantError(t, "fill again", err, ErrFilled)

	again := logtest.Created("another")
	again.Subject = events.SubjectOf(messages[8].Subject)
	_, err = c.Logs[2].Append(t.Context(), again, 0)
	logtest.WantError(t, "append to a subject that is restored", err, log.ErrConflict)
	err = enqueue(t.Context(), c.Logs[2], events.SubjectOf(messages[0].Subject), []byte("again"), true)
	logtest.WantError(t, "enqueue a command that is restored", err, log.ErrConflict)
	sequence := c.Append(t, 0, logtest.Created("new"), 0)
	if sequence != whole.Events+1 {
		t.Errorf("the first new event is %d", sequence)
	}
	c.WantLast(t, sequence, 0, 1, 2)

	// The workers asked for their consumer before; it begins where it must.
	consumer, err := c.Logs[2].Commands(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := consumer.Next(jetstream.FetchMaxWait(logtest.Patience))
	if err != nil {
		t.Fatal(err)
	}
	if string(m.Data()) != "command 4" {
		t.Errorf("the workers begin with %q", m.Data())
	}

	// And back: a single node is made of what the cluster has.
	var b bytes.Buffer
	if _, err := Write(t.Context(), visitor(t, c, 2), &b, quiet); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	single, err := Restore(t.Context(), dir, &b, nil, quiet, nil)
	if err != nil {
		t.Fatal(err)
	}
	if single.Events != whole.Events+1 || single.Commands != 8 || single.Unfinished != 4 {
		t.Errorf("a single node has %+v of the cluster", single)
	}
	back := stream(t, open(t, dir))
	if len(back) != len(messages)+1 {
		t.Errorf("a single node has %d messages of the cluster", len(back))
	}
}

// What interrupts a restore leaves nodes that take and show nothing, also after they were all started again. It goes on where
// it was, with the same backup alone.
func TestFillGoesOn(t *testing.T) {
	t.Parallel()
	const count = 3*restoreBatch + 500
	file, whole, messages := original(t, count)
	c := newTrio(t)
	stopped, stop := context.WithCancel(t.Context())
	_, err := Fill(stopped, visitor(t, c, 0), file, func(_ string, done, _ uint64) {
		if done == restoreBatch+10 {
			stop()
		}
	})
	logtest.WantError(t, "a restore that is stopped", err, log.ErrUnfinished)

	// part is as far as it came.
	part := func() uint64 {
		s, err := c.Logs[0].State(t.Context(), log.EventsStream)
		if err != nil {
			t.Fatal(err)
		}
		return s.State.LastSeq
	}
	for i := range c.Logs {
		c.Close(t, i)
	}
	c.Start(t, 0, 1, 2)
	begun := part()
	if begun < restoreBatch || begun >= count-restoreBatch {
		t.Fatalf("%d of %d events are there", begun, count)
	}
	for i, l := range c.Logs {
		logtest.Until(t, "unfinished", func(ctx context.Context) error {
			last, err := l.Last(ctx)
			if err == nil {
				t.Fatalf("node %d says that %d is the newest event", i, last)
			}
			if errors.Is(err, log.ErrUnfinished) {
				return nil
			}
			return err
		})
		wantShut(t, fmt.Sprintf("node %d", i), l)
		wantShut(t, fmt.Sprintf("a command at node %d", i), visitor(t, c, i))
	}
	if now := part(); now != begun {
		t.Fatalf("%d events are there instead of %d", now, begun)
	}
	other, _, _ := original(t, count)
	_, err = Fill(t.Context(), visitor(t, c, 1), other, quiet)
	logtest.WantError(t, "another backup", err, ErrFilled)

	// Now the node that leads is lost on the way.
	s, err := c.Logs[0].State(t.Context(), log.EventsStream)
	if err != nil {
		t.Fatal(err)
	}
	leader := slices.IndexFunc(c.Nodes[:], func(n logtest.Node) bool { return n.Name == s.Cluster.Leader })
	via, lost := visitor(t, c, (leader+1)%3), false
	filled, err := Fill(t.Context(), via, file, func(step string, done, _ uint64) {
		if step == "events" && done == begun+restoreBatch/2 && !lost {
			lost = true
			c.Lose(t, leader)
		}
	})
	if err != nil || filled != whole || !lost {
		t.Fatalf("filled with %+v, want %+v: %v", filled, whole, err)
	}
	c.Start(t, leader)
	logtest.Until(t, "ready", func(context.Context) error { return c.Logs[leader].Ready() })
	wantMessages(t, visitor(t, c, leader), messages)
	c.WantLast(t, count, 0, 1, 2)
	// It takes in what it missed after the end, and has the same then.
	wantReplicas(t, c, messages)
}

// wantShut checks that a log takes nothing since it has a part of a backup.
func wantShut(t *testing.T, what string, l *log.Log) {
	t.Helper()
	for _, publish := range []func(ctx context.Context) error{
		func(ctx context.Context) error {
			_, err := l.Append(ctx, logtest.Created("early"), 0)
			return err
		},
		func(ctx context.Context) error {
			return enqueue(ctx, l, events.CommandSubject(uuid.New(), "early"), []byte("early"), true)
		},
	} {
		logtest.Until(t, what, func(ctx context.Context) error {
			err := publish(ctx)
			switch {
			case err == nil:
				t.Fatalf("%s publishes into a part of a backup", what)
			case errors.Is(err, log.ErrUnfinished):
				return nil
			}
			return err
		})
	}
}

// wantReplicas checks that all nodes have the same on their own disks, by what each one answers when it leads: as many messages, of
// as many subjects, of the same size.
func wantReplicas(t *testing.T, c *trio, want []log.Record) {
	t.Helper()
	subjects := map[string]map[string]bool{log.CommandsStream: {}, log.EventsStream: {}}
	count := map[string]uint64{}
	for _, m := range want {
		subjects[m.Stream][m.Subject] = true
		count[m.Stream]++
	}
	for name, of := range subjects {
		var bytes uint64
		for i, node := range c.Nodes {
			s := led(t, c, name, node.Name)
			if i == 0 {
				bytes = s.Bytes
			}
			if s.Msgs != count[name] || s.Bytes != bytes || s.NumSubjects != uint64(len(of)) {
				t.Fatalf("node %d has of %s %+v, want %d messages of %d subjects with %d bytes", i, name, s, count[name], len(of), bytes)
			}
		}
	}
}

// led makes a node the leader of a stream, and returns what it then says of it.
func led(t *testing.T, c *trio, stream, node string) (state jetstream.StreamState) {
	t.Helper()
	logtest.Until(t, node+" leads "+stream, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, 2*time.Second) // the leader that was asked may not answer any more
		defer cancel()
		_, err := c.Logs[0].JetStream().Conn().RequestWithContext(ctx, "$JS.API.STREAM.LEADER.STEPDOWN."+stream, []byte(`{"placement":{"preferred":"`+node+`"}}`))
		if err != nil {
			return err
		}
		for {
			s, err := c.Logs[0].State(ctx, stream)
			if err != nil {
				return err
			}
			if state = s.State; s.Cluster.Leader == node {
				return nil
			}
		}
	})
	return state
}

// A log with an event of its own is left as it is, and so is one that a damaged backup was meant for.
func TestFillRefuses(t *testing.T) {
	t.Parallel()
	file, _, _ := original(t, 2)
	text := make([]byte, file.Len())
	if _, err := file.Read(text); err != nil {
		t.Fatal(err)
	}
	c := newTrio(t)
	_, err := Fill(t.Context(), visitor(t, c, 0), bytes.NewReader(text[:len(text)-9]), quiet)
	logtest.WantError(t, "a damaged backup", err, ErrNotWhole)
	sequence := c.Append(t, 0, logtest.Created("own"), 0)
	_, err = Fill(t.Context(), visitor(t, c, 1), bytes.NewReader(text), quiet)
	logtest.WantError(t, "a log with an event", err, ErrFilled)
	c.WantLast(t, sequence, 0, 1, 2)
}

func TestFillExternal(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(t *testing.T) []string{
		"one": logtest.NATS,
		"cluster": func(t *testing.T) []string {
			urls, _ := logtest.NATSCluster(t)
			return urls
		},
	} {
		t.Run(name, func(t *testing.T) {
			file, whole, messages := original(t, 10)
			e := &log.External{URLs: start(t)}
			var visitor *log.Log
			logtest.Until(t, "visit", func(ctx context.Context) (err error) {
				visitor, err = log.Join(ctx, log.Options{External: e})
				return err
			})
			defer visitor.Close()
			var l *log.Log // is opened on the way
			filled, err := Fill(t.Context(), visitor, file, func(step string, _, _ uint64) {
				if step != "commands" || l != nil {
					return
				}
				l = openAt(t, e)
				_, err := l.Last(t.Context())
				logtest.WantError(t, "ask for the newest event on the way", err, log.ErrUnfinished)
				wantShut(t, "a node that is opened on the way", l)
			})
			if err != nil || filled != whole {
				t.Fatalf("filled with %+v, want %+v: %v", filled, whole, err)
			}
			wantMessages(t, visitor, messages)
			if last, err := l.Last(t.Context()); err != nil || last <= whole.Events {
				t.Errorf("the read index is %d: %v", last, err)
			}
			_, err = Fill(t.Context(), visitor, file, quiet)
			logtest.WantError(t, "fill again", err, ErrFilled)
		})
	}
}

// Who writes in spite of the mark, as a program of its own may, makes a restore fail, and the log takes nothing any more.
func TestFillIsDisturbed(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"events", "events checked", "commands", "commands checked"} {
		t.Run(when, func(t *testing.T) {
			file, _, _ := original(t, 4)
			e := &log.External{URLs: logtest.NATS(t)}
			visitor, err := log.Join(t.Context(), log.Options{External: e})
			if err != nil {
				t.Fatal(err)
			}
			defer visitor.Close()
			written := false
			_, err = Fill(t.Context(), visitor, file, func(step string, _, _ uint64) {
				if step != when || written {
					return
				}
				written = true
				if _, err := visitor.JetStream().Publish(t.Context(), "evt.of.somebody", []byte("else")); err != nil {
					t.Error(err)
				}
			})
			logtest.WantError(t, "a restore that is disturbed", err, ErrFilled)
			logtest.WantError(t, "a restore that is disturbed", err, log.ErrUnfinished)
			wantShut(t, "a visitor", visitor)
			_, err = Fill(t.Context(), visitor, file, quiet)
			logtest.WantError(t, "the same again", err, ErrFilled)
		})
	}
}

// An event that comes between the look at a log and the mark stays, and the log is in use.
func TestFillComesSecond(t *testing.T) {
	file, _, _ := original(t, 4)
	l := openAt(t, &log.External{URLs: logtest.NATS(t)})
	f := &filling{log: l, file: file, progress: quiet}
	if err := errors.Join(f.check(), f.begin(t.Context())); err != nil {
		t.Fatal(err)
	}
	e := logtest.Created("own")
	sequence, err := l.Append(t.Context(), e, 0)
	if err != nil {
		t.Fatal(err)
	}
	logtest.WantError(t, "fill a log that is not empty any more", f.fill(t.Context()), ErrFilled)
	if !f.completed(t.Context()) {
		t.Error("the log is shut")
	}
	if _, err := l.Append(t.Context(), logtest.Changed(e), sequence); err != nil {
		t.Error(err)
	}
	if all := stream(t, l); len(all) != 2 {
		t.Errorf("%d messages are there, want 2", len(all))
	}
}
