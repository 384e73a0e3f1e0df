package projections

import (
	"bytes"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/events/log"
	"reckon/events/log/logtest"
)

// filesWith are the files of a directory that have a text.
func filesWith(t *testing.T, dir, text string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil // it was removed meanwhile
		}
		if have, err := os.ReadFile(path); err == nil && bytes.Contains(have, []byte(text)) {
			list = append(list, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// said appends a conversation of some messages with a secret in the prompts and in the title, which is in the views' files when it
// returns.
func said(t *testing.T, h *history, v *Views, account uuid.UUID, messages int) (conversation uuid.UUID, secret string) {
	t.Helper()
	conversation, secret = uuid.New(), "secret-"+uuid.NewString()
	for i := range messages {
		h.append(completed(account, request(conversation, secret), "new", 0, i+1))
	}
	if err := v.Fresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := v.save(); err != nil {
		t.Fatal(err)
	}
	return conversation, secret
}

// erasing is the event that erases a conversation.
func erasing(t *testing.T, v *Views, account, conversation uuid.UUID) events.Event {
	t.Helper()
	sequences, err := v.log.Sequences(t.Context(), account, conversation)
	if err != nil {
		t.Fatal(err)
	}
	return event(events.AccountSubject(account), &events.ConversationErased{ConversationID: conversation, Events: events.Runs(sequences)})
}

// What forgets is told of an erasure when it is folded, and not before, when it would look at what is folded and find nothing.
func TestForgettingIsToldOfWhatIsFolded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log := openLog(t, dir)
	h := newHistory(t, log)
	v := openIdle(t, log, dir)
	account, conversation := uuid.New(), uuid.New()
	batch := []events.Event{
		h.append(event(events.AccountSubject(account), &events.AccountCreated{AccountID: account, Name: "a", TimeZone: "UTC", BodyVersion: 2})),
		h.append(completed(account, request(conversation, "x"), "new", 0, 1)),
	}
	batch = append(batch, h.append(erasing(t, v, account, conversation)))
	v.mu.Lock() // so that nothing is said to be folded
	folded := make(chan error)
	go func() { folded <- v.fold(batch) }()
	<-v.unsaved // all of it has been taken in
	select {
	case <-v.forgetting.wake:
		t.Errorf("it was told when %d of %d events were folded", v.folded.Load(), h.next)
	default:
	}
	v.mu.Unlock()
	if err := <-folded; err != nil {
		t.Fatal(err)
	}
	select {
	case <-v.forgetting.wake:
	default:
		t.Error("it was not told")
	}
}

// What is made anew without what was erased does not count it either where another node, from which it is read, has it still.
func TestRebuildingPassesOverWhatWasErased(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log := openLog(t, dir)
	h := newHistory(t, log)
	v := openViews(t, log, dir)
	account := uuid.New()
	h.append(event(events.AccountSubject(account), &events.AccountCreated{AccountID: account, Name: "a", TimeZone: "UTC", BodyVersion: 2}))
	conversation, secret := said(t, h, v, account, 3)
	erased := map[entityKey]bool{{account, conversation}: true} // and nothing is deleted
	said(t, h, v, account, 2)
	v.rebuilding.Lock()
	err := v.rebuild(t.Context(), wordModels(), erased, nil)
	v.rebuilding.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	if used := viewOf[*usage](v.serving.Load()).byKey[entityKey{account: account}]; len(used.Months) != 1 || used.Months[0].Messages != 2 {
		t.Errorf("%+v counts what was erased", used)
	}
	if files := filesWith(t, filepath.Join(dir, "views"), secret); len(files) > 0 {
		t.Errorf("the secret is in %v", files)
	}
}

// An erased conversation is not found nor listed, and in no file; the views are what the history makes, and stay so.
func TestErasedConversations(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log := openLog(t, dir)
	h := newHistory(t, log)
	v := openViews(t, log, dir)
	account := uuid.New()
	h.append(event(events.AccountSubject(account), &events.AccountCreated{AccountID: account, Name: "a", TimeZone: "UTC", BodyVersion: 2}))
	gone, secret := said(t, h, v, account, 150) // with pages
	kept, other := said(t, h, v, account, 3)
	if len(filesWith(t, filepath.Join(dir, "views"), secret)) == 0 || len(filesWith(t, filepath.Join(dir, "log"), secret)) == 0 {
		t.Fatal("the secret is nowhere, so that nothing is tested")
	}
	newest := v.Newest(account)
	e := h.append(erasing(t, v, account, gone))
	look := func(when string) {
		t.Helper()
		if err := v.Fresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		if c, found, err := v.Conversation(t.Context(), account, gone); found || err != nil {
			t.Errorf("%s: %+v is found (%v)", when, c, err)
		}
		if erased, err := v.Erased(t.Context(), account, gone); !erased || err != nil {
			t.Errorf("%s: it is not said to be erased (%v)", when, err)
		}
		if list, err := v.Messages(t.Context(), account, gone, 1, 10); len(list) > 0 || err != nil {
			t.Errorf("%s: there are messages %v (%v)", when, list, err)
		}
		page, err := v.Conversations(t.Context(), account, 10, nil)
		if err != nil || len(page.Conversations) != 1 || page.Conversations[0].ID != kept {
			t.Errorf("%s: the list is %+v (%v)", when, page, err)
		}
		if v.Newest(account) == newest {
			t.Errorf("%s: a list that was read before counts as the same", when)
		}
	}
	look("at once")
	if err := v.Forgotten(t.Context(), e.Sequence); err != nil {
		t.Fatal(err)
	}
	look("forgotten")
	check := func() {
		t.Helper()
		eventually(t, "no file has the secret", func() bool { return len(filesWith(t, dir, secret)) == 0 })
		if len(filesWith(t, dir, other)) == 0 {
			t.Error("another conversation is gone too")
		}
		result, err := v.Verify(t.Context(), nil, func(d Difference) { t.Errorf("%+v", d) })
		if err != nil || result.Differences > 0 {
			t.Errorf("%+v (%v)", result, err)
		}
	}
	check()
	// What comes to it later is erased too, and changes nothing.
	late := "late-" + uuid.NewString()
	delete(h.last, events.ConversationSubject(account, gone).String()) // nothing is there
	h.append(completed(account, request(gone, late), "new", 0, 1))
	look("something came later")
	eventually(t, "no file has what came later", func() bool { return len(filesWith(t, dir, late)) == 0 })
	check()
	// A prompt that is stored apart comes alone where its request ends before its command.
	prompt := func() events.Event {
		message := uuid.New()
		return h.append(event(events.PromptSubject(account, gone, message), &events.PromptStored{ConversationID: gone, MessageID: message, Prompt: late}))
	}
	stored := events.ConversationSubject(account, gone).String() + ".prompt."
	prompt()
	look("a prompt came later")
	eventually(t, "no file has the prompt", func() bool { return len(filesWith(t, dir, stored)) == 0 })
	check()
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	// It is not forgotten yet when the process ends behind its checkpoint.
	idle := openIdle(t, log, dir)
	if err := idle.fold([]events.Event{prompt()}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(idle.save(), idle.Close(), log.Close()); err != nil {
		t.Fatal(err)
	}
	// Its text is compressed there. The server's index may have the subject for a while, which is ids.
	inBlocks := func() bool {
		return slices.ContainsFunc(filesWith(t, dir, stored), func(path string) bool { return filepath.Ext(path) == ".blk" })
	}
	if !inBlocks() {
		t.Fatal("the prompt was not written")
	}
	log = openLog(t, dir)
	v = openViews(t, log, dir)
	look("opened again")
	eventually(t, "no file has the prompt that was left", func() bool { return !inBlocks() })
	check()
}

// What is erased in a stream that denies for ever that anything is deleted stays, and the log says so, and how to move.
func TestWhatCannotBeErased(t *testing.T) {
	t.Parallel()
	l, err := log.Open(t.Context(), log.Options{Dir: t.TempDir(), External: &log.External{URLs: logtest.NATS(t)}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	s, err := l.State(t.Context(), log.EventsStream)
	if err == nil {
		s.Config.DenyDelete = true
		_, err = l.JetStream().UpdateStream(t.Context(), s.Config)
	}
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	v, err := Open(t.Context(), l, t.TempDir(), slog.New(slog.NewTextHandler(&said, nil)))
	if err != nil {
		t.Fatal(err)
	}
	h, account := newHistory(t, l), uuid.New()
	h.append(event(events.AccountSubject(account), &events.AccountCreated{AccountID: account, Name: "a", TimeZone: "UTC", BodyVersion: 2}))
	conversation := uuid.New()
	h.append(completed(account, request(conversation, "x"), "new", 0, 1))
	erased := h.append(erasing(t, v, account, conversation))
	if err := v.Forgotten(t.Context(), erased.Sequence); !errors.Is(err, log.ErrUnerasable) {
		t.Errorf("it is forgotten: %v", err)
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	text := said.String()
	if !strings.Contains(text, "stays in the files for ever") || !strings.Contains(text, "reckon restore") || strings.Contains(text, "tried again") {
		t.Errorf("the log says %s", text)
	}
}
