package log

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
)

// original makes a log on a single node and a backup of it. Of its commands the first four are finished, and the last two have
// no idempotency key.
func original(t *testing.T, count int) (file *bytes.Reader, whole Backup, messages []message) {
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
		e := created(fmt.Sprint(i))
		appended(t, l, changed(e), appended(t, l, e, 0))
	}
	if err := l.acknowledge(t.Context(), 4); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	whole, err := l.Backup(t.Context(), &b, quiet)
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
func stream(t *testing.T, l *Log) (all []message) {
	t.Helper()
	for _, name := range []string{commandsStream, eventsStream} {
		err := l.scan(t.Context(), name, 1<<40, func(m message) error {
			m.data = slices.Clone(m.data)
			all = append(all, m)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// visitor reaches a running node as a command of administration does.
func (c *trio) visitor(t *testing.T, node int) *Log {
	t.Helper()
	l, err := Join(t.Context(), Options{Dir: c.options[node].Dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func wantMessages(t *testing.T, l *Log, want []message) {
	t.Helper()
	got := stream(t, l)
	if len(got) != len(want) {
		t.Fatalf("%d messages are there, want %d", len(got), len(want))
	}
	for i, m := range got {
		w := want[i]
		if m.stream != w.stream || m.sequence != w.sequence || m.subject != w.subject || !bytes.Equal(m.data, w.data) ||
			fmt.Sprint(m.headers) != fmt.Sprint(w.headers) {
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
	filled, err := c.visitor(t, 1).Fill(t.Context(), file, quiet)
	if err != nil {
		t.Fatal(err)
	}
	if filled != whole {
		t.Errorf("filled with %+v, want %+v", filled, whole)
	}
	wantMessages(t, c.visitor(t, 2), messages)
	_, err = c.visitor(t, 0).Fill(t.Context(), file, quiet)
	wantError(t, "fill again", err, ErrFilled)

	again := created("another")
	again.Subject = events.SubjectOf(messages[8].subject)
	_, err = c.logs[2].Append(t.Context(), again, 0)
	wantError(t, "append to a subject that is restored", err, ErrConflict)
	err = enqueue(t.Context(), c.logs[2], events.SubjectOf(messages[0].subject), []byte("again"), true)
	wantError(t, "enqueue a command that is restored", err, ErrConflict)
	sequence := c.append(t, 0, created("new"), 0)
	if sequence != whole.Events+1 {
		t.Errorf("the first new event is %d", sequence)
	}
	c.wantLast(t, sequence, 0, 1, 2)

	// The workers asked for their consumer before; it begins where it must.
	consumer, err := c.logs[2].Commands(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := consumer.Next(jetstream.FetchMaxWait(patience))
	if err != nil {
		t.Fatal(err)
	}
	if string(m.Data()) != "command 4" {
		t.Errorf("the workers begin with %q", m.Data())
	}

	// And back: a single node is made of what the cluster has.
	var b bytes.Buffer
	if _, err := c.visitor(t, 2).Backup(t.Context(), &b, quiet); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	single, err := Restore(t.Context(), dir, &b, nil, quiet)
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
	_, err := c.visitor(t, 0).Fill(stopped, file, func(_ string, done, _ uint64) {
		if done == restoreBatch+10 {
			stop()
		}
	})
	wantError(t, "a restore that is stopped", err, ErrUnfinished)

	// part is as far as it came.
	part := func() uint64 {
		s, err := c.logs[0].state(t.Context(), eventsStream)
		if err != nil {
			t.Fatal(err)
		}
		return s.State.LastSeq
	}
	for i := range c.logs {
		c.close(t, i)
	}
	c.start(t, 0, 1, 2)
	begun := part()
	if begun < restoreBatch || begun >= count-restoreBatch {
		t.Fatalf("%d of %d events are there", begun, count)
	}
	for i, l := range c.logs {
		until(t, "unfinished", func(ctx context.Context) error {
			last, err := l.Last(ctx)
			if err == nil {
				t.Fatalf("node %d says that %d is the newest event", i, last)
			}
			if errors.Is(err, ErrUnfinished) {
				return nil
			}
			return err
		})
		wantShut(t, fmt.Sprintf("node %d", i), l)
		wantShut(t, fmt.Sprintf("a command at node %d", i), c.visitor(t, i))
	}
	if now := part(); now != begun {
		t.Fatalf("%d events are there instead of %d", now, begun)
	}
	other, _, _ := original(t, count)
	_, err = c.visitor(t, 1).Fill(t.Context(), other, quiet)
	wantError(t, "another backup", err, ErrFilled)

	// Now the node that leads is lost on the way.
	s, err := c.logs[0].state(t.Context(), eventsStream)
	if err != nil {
		t.Fatal(err)
	}
	leader := slices.IndexFunc(c.options[:], func(o Options) bool { return o.Cluster.Node == s.Cluster.Leader })
	visitor, lost := c.visitor(t, (leader+1)%3), false
	filled, err := visitor.Fill(t.Context(), file, func(step string, done, _ uint64) {
		if step == "events" && done == begun+restoreBatch/2 && !lost {
			lost = true
			c.lose(t, leader)
		}
	})
	if err != nil || filled != whole || !lost {
		t.Fatalf("filled with %+v, want %+v: %v", filled, whole, err)
	}
	c.start(t, leader)
	until(t, "ready", func(context.Context) error { return c.logs[leader].Ready() })
	wantMessages(t, c.visitor(t, leader), messages)
	c.wantLast(t, count, 0, 1, 2)
	// It takes in what it missed after the end, and has the same then.
	c.wantReplicas(t, messages)
}

// wantShut checks that a log takes nothing since it has a part of a backup.
func wantShut(t *testing.T, what string, l *Log) {
	t.Helper()
	for _, publish := range []func(ctx context.Context) error{
		func(ctx context.Context) error {
			_, err := l.Append(ctx, created("early"), 0)
			return err
		},
		func(ctx context.Context) error {
			return enqueue(ctx, l, events.CommandSubject(uuid.New(), "early"), []byte("early"), true)
		},
	} {
		until(t, what, func(ctx context.Context) error {
			err := publish(ctx)
			switch {
			case err == nil:
				t.Fatalf("%s publishes into a part of a backup", what)
			case errors.Is(err, ErrUnfinished):
				return nil
			}
			return err
		})
	}
}

// wantReplicas checks that all nodes have on their own disks what the leader answers from: as many messages, of as many subjects, of
// the same size.
func (c *trio) wantReplicas(t *testing.T, want []message) {
	t.Helper()
	subjects := map[string]map[string]bool{commandsStream: {}, eventsStream: {}}
	for _, m := range want {
		subjects[m.stream][m.subject] = true
	}
	for name, of := range subjects {
		var leads *jetstream.StreamInfo
		until(t, "ask the leader", func(ctx context.Context) (err error) {
			leads, err = c.logs[0].state(ctx, name)
			return err
		})
		for i, l := range c.logs {
			until(t, "replica", func(ctx context.Context) error {
				all, err := l.backing.(*cluster).server.Jsz(&server.JSzOptions{Account: server.DEFAULT_GLOBAL_ACCOUNT, Streams: true})
				if err != nil {
					return err
				}
				for _, s := range all.AccountDetails[0].Streams {
					if s.Name == name && s.State.LastSeq == leads.State.LastSeq {
						if s.State.Msgs != leads.State.Msgs || s.State.Bytes != leads.State.Bytes || s.State.NumSubjects != len(of) {
							t.Fatalf("node %d has of %s %+v, want %d subjects and else %+v", i, name, s.State, len(of), leads.State)
						}
						return nil
					}
				}
				return fmt.Errorf("node %d is behind in %s", i, name)
			})
		}
	}
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
	_, err := c.visitor(t, 0).Fill(t.Context(), bytes.NewReader(text[:len(text)-9]), quiet)
	wantError(t, "a damaged backup", err, ErrBackup)
	sequence := c.append(t, 0, created("own"), 0)
	_, err = c.visitor(t, 1).Fill(t.Context(), bytes.NewReader(text), quiet)
	wantError(t, "a log with an event", err, ErrFilled)
	c.wantLast(t, sequence, 0, 1, 2)
}

func TestFillExternal(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(t *testing.T) *External{
		"one": existingNATS,
		"cluster": func(t *testing.T) *External {
			e, _ := existingCluster(t)
			return e
		},
	} {
		t.Run(name, func(t *testing.T) {
			file, whole, messages := original(t, 10)
			e := start(t)
			var visitor *Log
			until(t, "visit", func(ctx context.Context) (err error) {
				visitor, err = Join(ctx, Options{External: e})
				return err
			})
			defer visitor.Close()
			var l *Log // is opened on the way
			filled, err := visitor.Fill(t.Context(), file, func(step string, _, _ uint64) {
				if step != "commands" || l != nil {
					return
				}
				l = openAt(t, e)
				_, err := l.Last(t.Context())
				wantError(t, "ask for the newest event on the way", err, ErrUnfinished)
				wantShut(t, "a node that is opened on the way", l)
			})
			if err != nil || filled != whole {
				t.Fatalf("filled with %+v, want %+v: %v", filled, whole, err)
			}
			wantMessages(t, visitor, messages)
			if last, err := l.Last(t.Context()); err != nil || last <= whole.Events {
				t.Errorf("the read index is %d: %v", last, err)
			}
			_, err = visitor.Fill(t.Context(), file, quiet)
			wantError(t, "fill again", err, ErrFilled)
		})
	}
}

// Who writes in spite of the mark, as a program of its own may, makes a restore fail, and the log takes nothing any more.
func TestFillIsDisturbed(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"events", "events checked", "commands", "commands checked"} {
		t.Run(when, func(t *testing.T) {
			file, _, _ := original(t, 4)
			e := existingNATS(t)
			visitor, err := Join(t.Context(), Options{External: e})
			if err != nil {
				t.Fatal(err)
			}
			defer visitor.Close()
			written := false
			_, err = visitor.Fill(t.Context(), file, func(step string, _, _ uint64) {
				if step != when || written {
					return
				}
				written = true
				if _, err := visitor.js.Publish(t.Context(), "evt.of.somebody", []byte("else")); err != nil {
					t.Error(err)
				}
			})
			wantError(t, "a restore that is disturbed", err, ErrFilled)
			wantError(t, "a restore that is disturbed", err, ErrUnfinished)
			wantShut(t, "a visitor", visitor)
			_, err = visitor.Fill(t.Context(), file, quiet)
			wantError(t, "the same again", err, ErrFilled)
		})
	}
}

// An event that comes between the look at a log and the mark stays, and the log is in use.
func TestFillComesSecond(t *testing.T) {
	file, _, _ := original(t, 4)
	l := openAt(t, existingNATS(t))
	f := &filling{log: l, file: file, progress: quiet}
	if err := errors.Join(f.check(), f.begin(t.Context())); err != nil {
		t.Fatal(err)
	}
	e := created("own")
	sequence, err := l.Append(t.Context(), e, 0)
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, "fill a log that is not empty any more", f.fill(t.Context()), ErrFilled)
	if !f.completed(t.Context()) {
		t.Error("the log is shut")
	}
	if _, err := l.Append(t.Context(), changed(e), sequence); err != nil {
		t.Error(err)
	}
	if all := stream(t, l); len(all) != 2 {
		t.Errorf("%d messages are there, want 2", len(all))
	}
}
