package log

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
	"reckon/events/log/logtest"
	"reckon/events/log/natsfile"
)

// denying makes a data directory as earlier versions did, whose streams deny that messages are deleted, with an event and a command.
func denying(t *testing.T) (dir string, e events.Event) {
	t.Helper()
	dir, e = t.TempDir(), logtest.Created("a")
	l, err := Open(t.Context(), Options{Dir: dir, IdempotencyRetention: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	appended(t, l, e, 0)
	if err := enqueue(t.Context(), l, events.CommandSubject(uuid.New(), "k"), []byte("c"), true); err != nil {
		t.Fatal(err)
	}
	for _, c := range []jetstream.StreamConfig{commandsConfig(time.Hour), eventsConfig()} {
		c.DenyDelete, c.DenyPurge = true, true
		if _, err := l.js.UpdateStream(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, e
}

// forgets tells whether the streams of a log let messages be deleted, and fails when they do not have the one they had.
func forgets(t *testing.T, l *Log) bool {
	t.Helper()
	allowed := 0
	for _, name := range []string{CommandsStream, EventsStream} {
		s, err := l.State(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if s.State.Msgs != 1 || s.State.FirstSeq != 1 {
			t.Errorf("%s has %d messages from %d on, want message 1", name, s.State.Msgs, s.State.FirstSeq)
		}
		if !s.Config.DenyDelete && !s.Config.DenyPurge {
			allowed++
		}
	}
	if allowed == 1 {
		t.Error("the streams are not alike")
	}
	return allowed > 0
}

func TestOldStreamsLearnToForget(t *testing.T) {
	dir, e := denying(t)
	before, err := Check(t.Context(), dir, Checking{All: true})
	if err != nil || len(before.Damage) > 0 {
		t.Fatal(before.Damage, err)
	}
	l, err := Join(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if !forgets(t, l) {
		t.Error("the streams still deny that messages are deleted")
	}
	if list, err := l.Read(t.Context(), e.Subject, 0); err != nil || len(list) != 1 || list[0].ID != e.ID {
		t.Errorf("the events are %+v (%v), want %s", list, err, e.ID)
	}
	if s, err := l.State(t.Context(), CommandsStream); err != nil || s.Config.MaxAge != time.Hour+keylessLife {
		t.Errorf("commands are kept for %s (%v)", s.Config.MaxAge, err)
	}
	s, err := l.js.Stream(t.Context(), EventsStream)
	if err == nil {
		err = s.SecureDeleteMsg(t.Context(), 1)
	}
	if err := errors.Join(err, l.Close()); err != nil {
		t.Fatal(err)
	}
	after, err := Check(t.Context(), dir, Checking{All: true})
	if err != nil || len(after.Damage) > 0 {
		t.Errorf("after an event was deleted there is damage %v (%v)", after.Damage, err)
	}
	l = open(t, dir)
	if list, err := l.Read(t.Context(), e.Subject, 0); err != nil || len(list) != 0 {
		t.Errorf("the events are %+v (%v), want none", list, err)
	}
}

// A process that is killed while it changes the settings of a stream leaves some of the files in their places.
func TestSettingsAreChangedInSteps(t *testing.T) {
	old, _ := denying(t)
	changed := filepath.Join(t.TempDir(), "changed")
	if err := os.CopyFS(changed, os.DirFS(old)); err != nil {
		t.Fatal(err)
	}
	l := open(t, changed)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	place := func(dir, name string) string {
		return filepath.Join(filepath.Dir(natsfile.MessagesOf(storePath(dir), EventsStream)), name)
	}
	text := func(name string) []byte {
		content, err := os.ReadFile(place(changed, name))
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	meta, sum := text("meta.inf"), text("meta.sum")
	for name, files := range map[string]map[string][]byte{
		"the checksum is prepared":         {"meta.sum.new": sum},
		"half of the checksum is prepared": {"meta.sum.new": sum[:len(sum)/2]},
		"both are prepared":                {"meta.sum.new": sum, "meta.inf.new": meta},
		"half of the settings is prepared": {"meta.sum.new": sum, "meta.inf.new": meta[:len(meta)/2]},
		"the settings are changed":         {"meta.sum.new": sum, "meta.inf": meta},
		"so is the checksum":               {"meta.sum": sum, "meta.inf": meta},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			if err := os.CopyFS(dir, os.DirFS(old)); err != nil {
				t.Fatal(err)
			}
			for file, content := range files {
				if err := os.WriteFile(place(dir, file), content, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if !forgets(t, open(t, dir)) {
				t.Error("the streams still deny that messages are deleted")
			}
		})
	}
}

// A server passes over a stream whose settings are damaged, and would make it anew with others.
func TestSettingsAreDamaged(t *testing.T) {
	for _, stream := range []string{EventsStream, CommandsStream} {
		for _, name := range []string{"meta.inf", "meta.sum"} {
			for how, damage := range map[string]func(text []byte) []byte{
				"flipped": func(text []byte) []byte {
					text[len(text)/2] ^= 1
					return text
				},
				"empty": func([]byte) []byte { return []byte{} },
				"gone":  func([]byte) []byte { return nil },
			} {
				t.Run(stream+" "+name+" "+how, func(t *testing.T) {
					dir, e := denying(t)
					path := filepath.Join(filepath.Dir(natsfile.MessagesOf(storePath(dir), stream)), name)
					text, err := os.ReadFile(path)
					if err != nil {
						t.Fatal(err)
					}
					if text = damage(bytes.Clone(text)); text == nil {
						err = os.Remove(path)
					} else {
						err = os.WriteFile(path, text, 0o600)
					}
					if err != nil {
						t.Fatal(err)
					}
					l, err := Open(t.Context(), Options{Dir: dir, IdempotencyRetention: 2 * time.Hour})
					if stream == EventsStream && name == "meta.sum" { // of settings that are as they must be
						if err != nil || !forgets(t, l) {
							t.Error(err)
						}
						if err := l.Close(); err != nil {
							t.Fatal(err)
						}
						return
					}
					var damaged *DamagedError
					if !errors.As(err, &damaged) || len(damaged.Damage) != 1 || filepath.Dir(damaged.Damage[0].File) != filepath.Dir(path) || damaged.Damage[0].Stream != stream {
						t.Fatalf("got error %v, want that %s is damaged", err, path)
					}
					l, err = OpenDamaged(t.Context(), Options{Dir: dir})
					if err != nil {
						t.Fatal(err)
					}
					if list, err := l.Read(t.Context(), e.Subject, 0); err != nil || len(list) != 1 || list[0].ID != e.ID {
						t.Errorf("the events are %+v (%v), want %s", list, err, e.ID)
					}
					if err := l.Close(); err != nil {
						t.Fatal(err)
					}
				})
			}
		}
	}
}
