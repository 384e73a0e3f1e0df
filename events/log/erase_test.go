package log

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats-server/v2/server"

	"reckon/events"
	"reckon/events/log/logtest"
)

// told is a conversation of some messages, each of which has a secret in its prompt, and in its
// command, and the first one a long prompt that is stored apart.
type told struct {
	Erasure
	secret string
	keys   []events.Subject
	last   uint64
}

func tell(t *testing.T, l *Log, messages int) *told {
	t.Helper()
	c := &told{Erasure: Erasure{Account: uuid.New(), Conversation: uuid.New()}, secret: "secret-" + uuid.NewString()}
	for i := range messages {
		m := events.Message{
			ConversationID: c.Conversation, MessageID: uuid.New(), KeyID: uuid.New(), Source: "api", InputFormat: "structured", TimeZone: "UTC",
			Prompt: c.secret, ReceivedAt: time.Now().UTC().Truncate(time.Millisecond), Now: time.Now().UTC().Truncate(time.Second),
		}
		if i == 0 {
			m.Prompt, m.Apart = c.secret+strings.Repeat(" x", events.LongPrompt), true
			stored := events.Event{ID: uuid.New(), Time: m.ReceivedAt, Subject: events.PromptSubject(c.Account, c.Conversation, m.MessageID),
				Data: &events.PromptStored{ConversationID: c.Conversation, MessageID: m.MessageID, Prompt: m.Prompt}}
			appended(t, l, stored, 0)
		}
		key := fmt.Sprint("key ", m.MessageID)
		subject, command := events.KeylessSubject(c.Account, m.MessageID), events.Command{Type: "reckon.calculate.v1", AccountID: c.Account, ConversationID: c.Conversation, MessageID: m.MessageID}
		if i%2 == 1 {
			m.IdempotencyKey, command.IdempotencyKey = &key, &key
			subject = events.KeyedSubject(c.Account, key)
			c.keys = append(c.keys, subject)
		}
		text, err := events.Marshal(command)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text[:len(text)-1], []byte(`,"prompt":"`+c.secret+`"}`)...)
		logtest.Until(t, "enqueue", func(ctx context.Context) error {
			_, err := l.Enqueue(ctx, subject, text, i%2 == 1)
			if errors.Is(err, ErrConflict) {
				return nil
			}
			return err
		})
		e := events.Event{ID: uuid.New(), Time: m.ReceivedAt, Subject: events.ConversationSubject(c.Account, c.Conversation), Data: &events.MessageFailed{Message: m, Errors: []byte("[]")}}
		c.last = appended(t, l, e, c.last)
	}
	sequences, err := l.Sequences(t.Context(), c.Account, c.Conversation)
	if err != nil || len(sequences) != messages+1 {
		t.Fatalf("the conversation has the events %v (%v)", sequences, err)
	}
	for _, r := range events.Runs(sequences) {
		c.Events = append(c.Events, Run(r))
	}
	return c
}

// erasedEvent is the event that says that a conversation is to be forgotten.
func (c *told) erasedEvent() events.Event {
	data := &events.ConversationErased{ConversationID: c.Conversation}
	for _, r := range c.Events {
		data.Events = append(data.Events, events.Run(r))
	}
	return events.Event{ID: uuid.New(), Time: time.Now().UTC().Truncate(time.Millisecond), Subject: events.AccountSubject(c.Account), Data: data}
}

// holds are the files of a directory that have a text.
func holds(t *testing.T, dir, text string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || err == nil && entry.IsDir() {
			return nil
		}
		if err != nil {
			return err
		}
		have, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if bytes.Contains(have, []byte(text)) {
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// What is erased is in no file, what was said beside it is, and nothing of that is damage: at once, and when the log is opened again.
func TestErase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := open(t, dir)
	var kept, gone []*told
	for i := range 6 {
		c := tell(t, l, 5)
		if i%2 == 0 {
			kept = append(kept, c)
		} else {
			gone = append(gone, c)
		}
	}
	var list []Erasure
	for _, c := range gone {
		if len(holds(t, dir, c.secret)) == 0 {
			t.Fatal("the secret is nowhere, so that nothing is tested")
		}
		appended(t, l, c.erasedEvent(), 0)
		list = append(list, c.Erasure)
	}
	for range 2 { // a second time changes nothing
		if err := l.Erase(t.Context(), list); err != nil {
			t.Fatal(err)
		}
	}
	look := func(when string) {
		t.Helper()
		for _, c := range gone {
			if files := holds(t, dir, c.secret); len(files) > 0 {
				t.Errorf("%s: the secret is in %v", when, files)
			}
			if left, err := l.Sequences(t.Context(), c.Account, c.Conversation); err != nil || len(left) > 0 {
				t.Errorf("%s: the events %v are there (%v)", when, left, err)
			}
			for _, key := range c.keys {
				if known, err := l.KeyErased(t.Context(), key); err != nil || !known {
					t.Errorf("%s: the key is not known (%v)", when, err)
				}
				if _, err := l.Command(t.Context(), key); !errors.Is(err, ErrNotFound) {
					t.Errorf("%s: at the key is a command (%v)", when, err)
				}
				if _, err := l.Enqueue(t.Context(), key, []byte("{}"), true); !errors.Is(err, ErrConflict) {
					t.Errorf("%s: the key is used anew (%v)", when, err)
				}
			}
		}
		for _, c := range kept {
			read, err := l.Read(t.Context(), events.ConversationSubject(c.Account, c.Conversation), 0)
			if err != nil || len(read) != 5 || !strings.HasPrefix(read[0].Message().Prompt, c.secret) {
				t.Errorf("%s: of another conversation %d events are there (%v)", when, len(read), err)
			}
		}
		last, err := l.Last(t.Context())
		count := 0
		if err == nil {
			err = l.Scan(t.Context(), 0, last, nil, func(_ uint64, list []events.Event) error { count += len(list); return nil })
		}
		if err != nil || count != 3*6+3 {
			t.Errorf("%s: %d events are read (%v)", when, count, err)
		}
		found, err := Check(t.Context(), dir, Checking{All: true, Live: true})
		if err != nil || len(found.Damage) > 0 {
			t.Errorf("%s: %v (%v)", when, found.Damage, err)
		}
	}
	look("at once")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = open(t, dir)
	look("opened again")
}

// Of blocks that are emptied, or of which most is erased, the server leaves nothing: what the erasure names is not missing.
func TestEraseMostOfTheLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := open(t, dir)
	large := strings.Repeat("0123456789abcdef", 40<<10)
	var list []Erasure
	kept := uint64(0)
	for i := range 4 {
		c := &told{Erasure: Erasure{Account: uuid.New(), Conversation: uuid.New()}, secret: "secret-" + uuid.NewString()}
		var sequences []uint64
		for range 20 {
			m := events.Message{ConversationID: c.Conversation, MessageID: uuid.New(), InputFormat: "structured", TimeZone: "UTC", Prompt: c.secret + uuid.NewString() + large, ReceivedAt: time.Now().UTC(), Now: time.Now().UTC()}
			c.last = appended(t, l, events.Event{ID: uuid.New(), Time: time.Now(), Subject: events.ConversationSubject(c.Account, c.Conversation), Data: &events.MessageStarted{Message: m}}, c.last)
			sequences = append(sequences, c.last)
			if len(sequences) == 2 {
				kept++
				appended(t, l, logtest.Created("a"), 0)
			}
		}
		for _, r := range events.Runs(sequences) {
			c.Events = append(c.Events, Run(r))
		}
		if i == 2 { // this one stays
			kept += 20
			continue
		}
		kept++
		appended(t, l, c.erasedEvent(), 0)
		list = append(list, c.Erasure)
	}
	if err := l.Erase(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		last, err := l.Last(t.Context())
		count := uint64(0)
		if err == nil {
			err = l.Scan(t.Context(), 0, last, nil, func(_ uint64, list []events.Event) error { count += uint64(len(list)); return nil })
		}
		if err != nil || count != kept {
			t.Errorf("%d events are read, want %d (%v)", count, kept, err)
		}
		for _, all := range []bool{true, false} {
			found, err := Check(t.Context(), dir, Checking{All: all, Live: true})
			if err != nil || len(found.Damage) > 0 {
				t.Errorf("%v (%v)", found.Damage, err)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		l = open(t, dir)
	}
	appended(t, l, logtest.Created("a"), 0)
}

// An existing NATS overwrites what it is told to delete: nothing is left in the files of its streams, and the keys are known.
func TestEraseOnAnExistingNATS(t *testing.T) {
	t.Parallel()
	s := logtest.RunNATS(t, &server.Options{})
	l := openAt(t, &External{URLs: []string{s.ClientURL()}})
	kept, gone := tell(t, l, 4), tell(t, l, 4)
	if len(holds(t, s.StoreDir(), gone.secret)) == 0 {
		t.Fatal("the secret is nowhere, so that nothing is tested")
	}
	appended(t, l, gone.erasedEvent(), 0)
	for range 2 {
		if err := l.Erase(t.Context(), []Erasure{gone.Erasure}); err != nil {
			t.Fatal(err)
		}
	}
	if files := holds(t, s.StoreDir(), gone.secret); len(files) > 0 {
		t.Errorf("the secret is in %v", files)
	}
	for _, key := range gone.keys {
		if known, err := l.KeyErased(t.Context(), key); err != nil || !known {
			t.Errorf("the key is not known (%v)", err)
		}
		if _, err := l.Enqueue(t.Context(), key, []byte("{}"), true); !errors.Is(err, ErrConflict) {
			t.Errorf("the key is used anew (%v)", err)
		}
	}
	if read, err := l.Read(t.Context(), events.ConversationSubject(kept.Account, kept.Conversation), 0); err != nil || len(read) != 4 {
		t.Errorf("of another conversation %d events are there (%v)", len(read), err)
	}
}

// A node that is cut off does not know what is on its way to it, and does not say that it is erased: that is erased when it is there.
func TestEraseWaitsForWhatIsOnItsWay(t *testing.T) {
	t.Parallel()
	c := newTrio(t)
	of := Erasure{Account: uuid.New(), Conversation: uuid.New()}
	secret := "secret-" + uuid.NewString()
	if _, err := c.Logs[2].Last(t.Context()); err != nil { // from then on it knows the group that a leader is of
		t.Fatal(err)
	}
	c.Cut(2)
	sequence := uint64(0)
	logtest.Until(t, "enqueue", func(ctx context.Context) (err error) {
		text := fmt.Sprintf(`{"type":"reckon.calculate.v1","conversation_id":%q,"prompt":%q}`, of.Conversation, secret)
		sequence, err = c.Logs[0].Enqueue(ctx, events.KeylessSubject(of.Account, uuid.New()), []byte(text), false)
		return err
	})
	// Servers may find another way to each other than the links that are cut: then it hears of a leader all the time.
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		if known, ok := c.Logs[2].backing.term(); ok && known.Leader == "" || rest(t.Context()) != nil {
			break
		}
	}
	limited, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	said := c.Logs[2].Erase(limited, []Erasure{of})
	c.Mend(2)
	if said == nil {
		logtest.Until(t, "the command comes", func(context.Context) error {
			if last := holdingOf(c.Logs[2].own()).Streams[CommandsStream].Last; last < sequence {
				return fmt.Errorf("there are %d commands", last)
			}
			return nil
		})
		if files := holds(t, c.Logs[2].dir, secret); len(files) > 0 {
			t.Errorf("a node said that it had erased what it had not got yet, and has it in %v", files)
		}
	}
	for _, l := range c.Logs {
		logtest.Until(t, "erase", func(ctx context.Context) error {
			limited, cancel := context.WithTimeout(ctx, 10*time.Second) // a question may be lost while the links come back
			defer cancel()
			return l.Erase(limited, []Erasure{of})
		})
		if files := holds(t, l.dir, secret); len(files) > 0 {
			t.Errorf("the secret is in %v", files)
		}
	}
}

// There is no moment in which a key of what is being erased can be used anew, on any node.
func TestErasedKeysAreNeverFree(t *testing.T) {
	t.Parallel()
	c := newTrio(t)
	var gone []*told
	for range 5 {
		told := tell(t, c.Logs[0], 8)
		appended(t, c.Logs[0], told.erasedEvent(), 0)
		gone = append(gone, told)
	}
	done := make(chan struct{})
	var using sync.WaitGroup
	for _, told := range gone {
		for _, key := range told.keys {
			for _, l := range c.Logs[1:] {
				using.Go(func() {
					for {
						if _, err := l.Enqueue(t.Context(), key, []byte(`{"type":"reckon.calculate.v1"}`), true); err == nil {
							t.Errorf("the key %s was used anew", key)
							return
						}
						select {
						case <-done:
							return
						default:
						}
					}
				})
			}
		}
	}
	for _, told := range gone {
		if err := c.Logs[0].Erase(t.Context(), []Erasure{told.Erasure}); err != nil {
			t.Error(err)
		}
	}
	close(done)
	using.Wait()
	for _, told := range gone {
		for _, key := range told.keys {
			if known, err := c.Logs[2].KeyErased(t.Context(), key); err != nil || !known {
				t.Errorf("the key %s is not known (%v)", key, err)
			}
		}
	}
}
