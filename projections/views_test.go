package projections

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"pgregory.net/rapid"

	"reckon/events"
)

// state is all that views show of some accounts, as JSON that can be compared.
func state(t testing.TB, v *Views, accounts ...uuid.UUID) string {
	t.Helper()
	if err := v.Fresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	var all []any
	for _, id := range accounts {
		a, _ := v.Account(id)
		all = append(all, a, v.Domains(id))
		for _, d := range v.Domains(id) {
			for number := 0; number <= d.Version+1; number++ {
				definition, found, err := v.DomainVersion(t.Context(), id, d.ID, number)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, found, definition)
			}
		}
		for _, head := range conversations(t, v, id, 7) {
			messages, err := v.Messages(t.Context(), id, head.ID, 1, head.Messages)
			if err != nil {
				t.Fatal(err)
			}
			if len(messages) != head.Messages {
				t.Errorf("conversation %s has %d messages of %d", head.ID, len(messages), head.Messages)
			}
			all = append(all, head)
			for i, m := range messages {
				byID, found, err := v.Message(t.Context(), id, head.ID, m.MessageID)
				if err != nil || !found || byID.Number != i+1 || m.Number != i+1 {
					t.Errorf("message %d of conversation %s: found %t as number %d, %v", m.Number, head.ID, found, byID.Number, err)
				}
				all = append(all, m.document())
			}
			for index := 1; index <= head.Last; index++ {
				m, found, err := v.Scenario(t.Context(), id, head.ID, index)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, found, m.Number)
			}
		}
	}
	text, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// conversations reads all pages of an account.
func conversations(t testing.TB, v *Views, account uuid.UUID, limit int) []Conversation {
	t.Helper()
	var all []Conversation
	for after := (*uuid.UUID)(nil); ; {
		page, err := v.Conversations(t.Context(), account, limit, after)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page.Conversations...)
		if page.Next == nil {
			return all
		}
		after = page.Next
	}
}

// someHistory appends a little of everything for two accounts.
func someHistory(h *history) []uuid.UUID {
	accounts := []uuid.UUID{uuid.New(), uuid.New()}
	for n, account := range accounts {
		subject := events.AccountSubject(account)
		key := uuid.New()
		_, one := hashOf(fmt.Sprint("one", n))
		_, two := hashOf(fmt.Sprint("two", n))
		h.append(event(subject, &events.AccountCreated{AccountID: account, Name: fmt.Sprint("account", n), TimeZone: "UTC", BodyVersion: 2}))
		h.append(event(subject, &events.KeyCreated{KeyID: key, Hash: one}))
		h.append(event(subject, &events.KeyRotated{KeyID: key, Hash: two}))
		domain := uuid.New()
		for version := 1; version <= 3; version++ {
			definition := Definition{Title: fmt.Sprint("Road trip ", version), Variables: []events.Variable{}, Activities: []events.Activity{}}
			h.append(event(events.DomainSubject(account, domain), &events.DomainDrafted{DomainID: domain, Key: "dm_1", Definition: definition}))
			h.append(event(events.DomainSubject(account, domain), &events.DomainPublished{DomainID: domain, Key: "dm_1", Version: version, Definition: definition}))
		}
		var started []events.Event
		for range 9 {
			started = append(started, h.append(first(account)))
		}
		for i, e := range started[:5] {
			conversation := message(e).ConversationID
			for range i {
				h.append(after(e, 1))
			}
			h.append(completed(account, request(conversation, "speed: 3 m/s"), "discard", 1, 2))
			h.append(completed(account, request(conversation, "scenario: 1"), "fetch", 1, 1))
			h.append(failed(account, request(conversation, "calculate: time"), `{"version":2,"inputs":[]}`))
		}
	}
	return accounts
}

func TestViewsShowTheHistory(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	v := openViews(t, log, dir)
	h := newHistory(t, log)
	account, domain := uuid.New(), uuid.New()
	h.append(event(events.DomainSubject(account, domain), &events.DomainPublished{DomainID: domain, Key: "dm_1", Version: 1, Definition: Definition{Title: "First"}}))
	h.append(event(events.DomainSubject(account, domain), &events.DomainPublished{DomainID: domain, Key: "dm_1", Version: 2, Definition: Definition{Title: "Second"}}))
	one := h.append(first(account))
	conversation := message(one).ConversationID
	two := h.append(after(one, 1))
	three := h.append(completed(account, request(conversation, "speed: 3 m/s"), "discard", 1, 2))
	four := h.append(completed(account, request(conversation, "scenario: 1"), "fetch", 1, 1))
	if err := v.Fresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	head, found, err := v.Conversation(t.Context(), account, conversation)
	if err != nil || !found || head.Messages != 4 || head.Current != 1 || head.Last != 2 || head.Sequence != four.Sequence {
		t.Errorf("the head is %+v, %t, %v", head, found, err)
	}
	for index, want := range map[int]events.Event{1: two, 2: three} {
		m, found, err := v.Scenario(t.Context(), account, conversation, index)
		if err != nil || !found || m.MessageID != message(want).MessageID {
			t.Errorf("scenario %d stands at message %d, %t, %v", index, m.Number, found, err)
		}
	}
	if _, found, err := v.Scenario(t.Context(), account, conversation, 3); found || err != nil {
		t.Errorf("scenario 3: %t, %v", found, err)
	}
	middle, err := v.Messages(t.Context(), account, conversation, -3, 2)
	if err != nil || len(middle) != 2 || !reflect.DeepEqual(middle[0].Completed, one.Data) || middle[1].MessageID != message(two).MessageID {
		t.Errorf("the messages to 2 are %+v, %v", middle, err)
	}
	rest, err := v.Messages(t.Context(), account, conversation, 4, 5000)
	if err != nil || len(rest) != 1 || rest[0].Number != 4 {
		t.Errorf("the messages from 4 are %+v, %v", rest, err)
	}
	for version, title := range map[int]string{1: "First", 2: "Second"} {
		definition, found, err := v.DomainVersion(t.Context(), account, domain, version)
		if err != nil || !found || definition.Title != title {
			t.Errorf("version %d is %q, %t, %v", version, definition.Title, found, err)
		}
	}

	stranger := uuid.New()
	if _, found, err := v.Conversation(t.Context(), stranger, conversation); found || err != nil {
		t.Errorf("a stranger's conversation: %t, %v", found, err)
	}
	if _, found, err := v.Message(t.Context(), stranger, conversation, message(one).MessageID); found || err != nil {
		t.Errorf("a stranger's message: %t, %v", found, err)
	}
	if list, err := v.Messages(t.Context(), stranger, conversation, 1, 4); len(list) != 0 || err != nil {
		t.Errorf("a stranger's messages: %d, %v", len(list), err)
	}
	if _, found, err := v.DomainVersion(t.Context(), stranger, domain, 1); found || err != nil {
		t.Errorf("a stranger's domain: %t, %v", found, err)
	}
	if page, err := v.Conversations(t.Context(), stranger, 10, nil); len(page.Conversations) != 0 || page.Next != nil || err != nil {
		t.Errorf("a stranger's conversations: %+v, %v", page, err)
	}
}

func TestViewsOutliveARestart(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	h := newHistory(t, log)
	v := openViews(t, log, dir)
	accounts := someHistory(h)
	before := state(t, v, accounts...)
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	idle := openIdle(t, log, dir)
	if idle.folded.Load() != h.next {
		t.Errorf("a restart folds from %d, not from %d", idle.folded.Load(), h.next)
	}
	if err := idle.Close(); err != nil {
		t.Fatal(err)
	}
	v = openViews(t, log, dir)
	if after := state(t, v, accounts...); after != before {
		t.Errorf("before the restart:\n%s\nafter it:\n%s", before, after)
	}
}

// The process ends between the documents and the checkpoint, or between the two steps of documents, at any point.
func TestFoldingAgainChangesNothing(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	h := newHistory(t, log)
	v := openViews(t, log, dir)
	accounts := someHistory(h)
	before := state(t, v, accounts...)
	for _, sequence := range []uint64{0, 1, h.next / 3, h.next / 2, h.next - 1} {
		if err := v.store.writeCheckpoint(sequence); err != nil {
			t.Fatal(err)
		}
		if err := v.Close(); err != nil {
			t.Fatal(err)
		}
		v = openViews(t, log, dir)
		if after := state(t, v, accounts...); after != before {
			t.Fatalf("folded again after %d, before:\n%s\nafter:\n%s", sequence, before, after)
		}
	}
}

// The first step of every batch is written twice, the second time by a process that knows nothing of the first.
func TestFoldingAgainAfterHalfABatch(t *testing.T) {
	logDir := t.TempDir()
	log := openLog(t, logDir)
	h := newHistory(t, log)
	accounts := someHistory(h)
	whole := openViews(t, log, logDir)
	want := state(t, whole, accounts...)
	for _, size := range []int{1, 5, 256} {
		dir := t.TempDir()
		v := openIdle(t, log, dir)
		var all []events.Event
		ctx, cancel := context.WithCancel(t.Context())
		err := log.Tail(ctx, 0, func(list []events.Event) error {
			all = append(all, list...)
			if all[len(all)-1].Sequence == h.next {
				cancel()
			}
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		for len(all) > 0 {
			list := all[:min(size, len(all))]
			all = all[len(list):]
			b := newBatch(v)
			if err := errors.Join(b.read(t.Context(), list), b.applyAll(t.Context(), list)); err != nil {
				t.Fatal(err)
			}
			first, _ := b.documents()
			if err := v.store.write(first.list); err != nil {
				t.Fatal(err)
			}
			if err := v.Close(); err != nil {
				t.Fatal(err)
			}
			v = openIdle(t, log, dir)
			if err := v.fold(list); err != nil {
				t.Fatal(err)
			}
		}
		if err := v.Close(); err != nil {
			t.Fatal(err)
		}
		if got := state(t, openViews(t, log, dir), accounts...); got != want {
			t.Errorf("batches of %d, whole:\n%s\nhalved:\n%s", size, want, got)
		}
	}
}

func TestCheckpointBeyondTheLogRebuilds(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	h := newHistory(t, log)
	accounts := someHistory(h)
	v := openViews(t, log, dir)
	before := state(t, v, accounts...)
	ghost := uuid.New()
	if err := v.fold([]events.Event{h.number(first(ghost)), h.number(event(events.AccountSubject(ghost), &events.AccountCreated{AccountID: ghost}))}); err != nil {
		t.Fatal(err)
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	v = openViews(t, log, dir)
	if _, found := v.Account(ghost); found {
		t.Error("an account that the log does not know is still there")
	}
	if list := conversations(t, v, ghost, 10); len(list) != 0 {
		t.Errorf("%d conversations that the log does not know are still there", len(list))
	}
	if after := state(t, v, accounts...); after != before {
		t.Errorf("before:\n%s\nrebuilt:\n%s", before, after)
	}
}

// Marks of how a directory was left, and whether its views are kept.
func TestViewsOfACrashedMachineAreRebuilt(t *testing.T) {
	boot := bootID()
	for _, row := range []struct {
		name, mark string
		kept       bool
	}{
		{"closed", cleanMark, true},
		{"killed in this boot", boot, boot != ""},
		{"killed in another boot", "00000000-0000-0000-0000-000000000000", false},
		{"boot unknown", "", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			log := openLog(t, dir)
			h := newHistory(t, log)
			accounts := someHistory(h)
			v := openViews(t, log, dir)
			before := state(t, v, accounts...)
			if mark, err := os.ReadFile(v.storage.markFile()); err != nil || string(mark) != boot {
				t.Errorf("the mark of open views is %q, %v", mark, err)
			}
			if err := v.Close(); err != nil {
				t.Fatal(err)
			}
			if mark, err := os.ReadFile(v.storage.markFile()); err != nil || string(mark) != cleanMark {
				t.Errorf("the mark of closed views is %q, %v", mark, err)
			}
			if err := v.storage.mark(row.mark); err != nil {
				t.Fatal(err)
			}
			idle := openIdle(t, log, dir)
			if kept := idle.folded.Load() == h.next; kept != row.kept {
				t.Errorf("folding starts after %d of %d", idle.folded.Load(), h.next)
			}
			if err := idle.Close(); err != nil {
				t.Fatal(err)
			}
			if after := state(t, openViews(t, log, dir), accounts...); after != before {
				t.Errorf("before:\n%s\nafter:\n%s", before, after)
			}
		})
	}
}

func TestViewsAreOpenOnce(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	openViews(t, log, dir)
	if v, err := Open(t.Context(), log, dir, nil); err == nil {
		t.Error(errors.Join(errors.New("the views are open twice"), v.Close()))
	}
}

func TestOldGenerationsAreDeletedAndNewOnesFilled(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	h := newHistory(t, log)
	accounts := someHistory(h)
	v := openViews(t, log, dir)
	before := state(t, v, accounts...)
	if _, err := v.store.publisher.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: "conversations_0"}); err != nil {
		t.Fatal(err)
	}
	if err := v.store.publisher.DeleteKeyValue(t.Context(), conversationsBucket); err != nil {
		t.Fatal(err)
	}
	old, err := json.Marshal(checkpoint{h.next, []string{accountsBucket, domainsBucket, "conversations_0", activityBucket}})
	if err != nil {
		t.Fatal(err)
	}
	if err := v.store.write([]document{{v.store.checkpoint, checkpointKey, old}}); err != nil {
		t.Fatal(err)
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	v = openViews(t, log, dir)
	if after := state(t, v, accounts...); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	eventually(t, "the old bucket is gone", func() bool {
		_, err := v.store.publisher.KeyValue(t.Context(), "conversations_0")
		return errors.Is(err, jetstream.ErrBucketNotFound)
	})
}

// published puts a message into the log that Append would not.
func published(t *testing.T, log *events.Log, kind, body string) uint64 {
	t.Helper()
	id := uuid.New()
	ack, err := log.JetStream().PublishMsg(t.Context(), &nats.Msg{
		Subject: events.AccountSubject(id).String(), Data: []byte(body),
		Header: nats.Header{"ce-specversion": {"1.0"}, "ce-id": {id.String()}, "ce-source": {"reckon"}, "ce-type": {kind}, "ce-time": {start.Format(time.RFC3339)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return ack.Sequence
}

func TestUnknownEventsAreSkipped(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	h := newHistory(t, log)
	v := openViews(t, log, dir)
	e := h.append(first(uuid.New()))
	published(t, log, "reckon.something.else.v1", "{")
	h.append(after(e, 1))
	if err := v.Fresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if head, _, err := v.Conversation(t.Context(), e.Subject.Account(), message(e).ConversationID); err != nil || head.Messages != 2 {
		t.Errorf("%d messages, %v", head.Messages, err)
	}
}

func TestAnUndecodableEventStopsTheFold(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	h := newHistory(t, log)
	var record recorder
	v, err := Open(t.Context(), log, dir, record.logger())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	e := h.append(first(uuid.New()))
	if err := v.Folded(t.Context(), e.Sequence); err != nil {
		t.Fatal(err)
	}
	waiting := make(chan error, 1)
	go func() {
		_, err := v.AwaitMessage(t.Context(), uuid.New(), uuid.New(), uuid.New())
		waiting <- err
	}()
	bad := published(t, log, "reckon.account.created.v1", "{")
	<-v.stopped
	name := fmt.Sprint("event ", bad)
	for what, err := range map[string]error{
		"Ready":        v.Ready(),
		"Folded":       v.Folded(t.Context(), bad),
		"AwaitMessage": <-waiting,
		"Fresh":        v.Fresh(t.Context()),
	} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s says %v, which does not name %s", what, err, name)
		}
	}
	if err := v.Fresh(t.Context()); !errors.Is(err, ErrBehind) {
		t.Errorf("Fresh says %v", err)
	}
	if count := strings.Count(record.String(), "the views have stopped"); count != 1 || !strings.Contains(record.String(), name) {
		t.Errorf("the log says it %d times:\n%s", count, record.String())
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	v, err = Open(t.Context(), log, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if err := v.CaughtUp(t.Context()); err == nil || !strings.Contains(err.Error(), name) {
		t.Errorf("after a restart CaughtUp says %v", err)
	}
}

func TestAWriteThatFailsStopsTheFold(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	h := newHistory(t, log)
	v := openViews(t, log, dir)
	if err := v.store.publisher.DeleteKeyValue(t.Context(), activityBucket); err != nil {
		t.Fatal(err)
	}
	e := h.append(first(uuid.New()))
	if err := v.Folded(t.Context(), e.Sequence); err == nil || !strings.Contains(err.Error(), activityBucket) {
		t.Errorf("Folded says %v", err)
	}
	if _, found, err := v.Conversation(t.Context(), e.Subject.Account(), message(e).ConversationID); found || err != nil {
		t.Errorf("the conversation is shown: %t, %v", found, err)
	}
}

func TestLargeDocuments(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	h := newHistory(t, log)
	v := openViews(t, log, dir)
	account, conversation := uuid.New(), uuid.New()
	prompt := strings.Repeat("a < b & c > d. ", 80_000) // 1.2 MB, twice in an event
	const count = 9
	for i := range count {
		h.append(completed(account, request(conversation, prompt), "extend", min(i, 1), 1))
	}
	domain := uuid.New()
	large := Definition{Title: "Large", Description: strings.Repeat("<", 3_500_000)}
	h.append(event(events.DomainSubject(account, domain), &events.DomainPublished{DomainID: domain, Version: 1, Definition: large}))
	h.append(event(events.DomainSubject(account, domain), &events.DomainDrafted{DomainID: domain, Definition: large}))
	if err := v.Fresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	v = openViews(t, log, dir)
	messages, err := v.Messages(t.Context(), account, conversation, 1, count)
	if err != nil || len(messages) != count {
		t.Fatalf("%d messages, %v", len(messages), err)
	}
	for i, m := range messages {
		if m.Number != i+1 || m.Prompt != prompt {
			t.Errorf("message %d has %d bytes", m.Number, len(m.Prompt))
		}
	}
	if d, _ := v.Domain(account, domain); d.Draft == nil || d.Draft.Description != large.Description {
		t.Error("the draft is not whole")
	}
}

// An event that a document has already leaves it alone, whatever came after it.
func TestAnOldEventChangesNothing(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	v := openIdle(t, log, dir)
	h := newHistory(t, nil)
	account, domain := uuid.New(), uuid.New()
	_, hash := hashOf("secret")
	one := h.number(first(account))
	list := []events.Event{
		h.number(event(events.AccountSubject(account), &events.AccountCreated{AccountID: account, TimeZone: "UTC", BodyVersion: 2})),
		h.number(event(events.AccountSubject(account), &events.AccountChanged{TimeZone: "Europe/Vienna", BodyVersion: 1})),
		h.number(event(events.AccountSubject(account), &events.KeyCreated{KeyID: uuid.New(), Hash: hash})),
		h.number(event(events.DomainSubject(account, domain), &events.DomainPublished{DomainID: domain, Version: 1})),
		h.number(event(events.DomainSubject(account, domain), &events.DomainPublished{DomainID: domain, Version: 2})),
		one,
		h.number(completed(account, request(message(one).ConversationID, "speed: 3 m/s"), "discard", 1, 2)),
		h.number(failed(account, request(message(one).ConversationID, "calculate: time"), `{"inputs":[]}`)),
	}
	shown := func() string {
		head, _, err := v.Conversation(t.Context(), account, message(one).ConversationID)
		if err != nil {
			t.Fatal(err)
		}
		a, _ := v.Account(account)
		d, _ := v.Domain(account, domain)
		text, err := json.Marshal([]any{a, d, head, v.activity.before(account, ^uint64(0), 10)})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if err := v.fold(list); err != nil {
		t.Fatal(err)
	}
	want := shown()
	for _, e := range list {
		if err := v.fold([]events.Event{e}); err != nil {
			t.Fatal(err)
		}
		if got := shown(); got != want {
			t.Errorf("event %d again:\n%s\nbefore:\n%s", e.Sequence, got, want)
		}
	}
}

// A message that has a number keeps it when another event answers it, in the same batch or a later one.
func TestAMessageKeepsItsNumber(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	v := openIdle(t, log, dir)
	h := newHistory(t, nil)
	account := uuid.New()
	one := h.number(first(account))
	conversation := message(one).ConversationID
	two := h.number(failed(account, request(conversation, "calculate: time"), ""))
	again := h.number(completed(account, *message(two), "extend", 1, 1))
	three := h.number(after(one, 1))
	late := h.number(failed(account, *message(one), ""))
	for _, list := range [][]events.Event{{one, two, again}, {three, late}} {
		if err := v.fold(list); err != nil {
			t.Fatal(err)
		}
	}
	messages, err := v.Messages(t.Context(), account, conversation, 1, 10)
	if err != nil || len(messages) != 3 {
		t.Fatalf("%d messages, %v", len(messages), err)
	}
	for i, want := range []struct {
		id       uuid.UUID
		status   string
		sequence uint64
	}{
		{message(one).MessageID, Failed, late.Sequence},
		{message(two).MessageID, Completed, again.Sequence},
		{message(three).MessageID, Completed, three.Sequence},
	} {
		if m := messages[i]; m.MessageID != want.id || m.Status != want.status || m.Sequence != want.sequence || m.Number != i+1 {
			t.Errorf("message %d is %s %s at %d, want %+v", m.Number, m.MessageID, m.Status, m.Sequence, want)
		}
	}
}

// Two nodes fold the same log, one in the process of the log and one outside.
func TestNodesAgree(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	h := newHistory(t, log)
	one := openViews(t, log, dir)
	accounts := someHistory(h)
	joined, err := events.Join(t.Context(), events.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { joined.Close() })
	two := openViews(t, joined, t.TempDir())
	for range 3 {
		h.append(first(accounts[0]))
		if a, b := state(t, one, accounts...), state(t, two, accounts...); a != b {
			t.Fatalf("one node:\n%s\nthe other:\n%s", a, b)
		}
	}
	page, err := one.Conversations(t.Context(), accounts[0], 4, nil)
	if err != nil {
		t.Fatal(err)
	}
	here, err := one.Conversations(t.Context(), accounts[0], 4, page.Next)
	if err != nil {
		t.Fatal(err)
	}
	there, err := two.Conversations(t.Context(), accounts[0], 4, page.Next)
	if err != nil || !reflect.DeepEqual(here.Conversations, there.Conversations) {
		t.Errorf("a cursor of one node leads elsewhere on the other: %v", err)
	}
}

func TestCursorsOfOthersAreRefused(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	h := newHistory(t, log)
	v := openViews(t, log, dir)
	account, other := uuid.New(), uuid.New()
	for range 3 {
		h.append(first(account))
		h.append(first(other))
	}
	if err := v.Fresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	page, err := v.Conversations(t.Context(), account, 2, nil)
	if err != nil || len(page.Conversations) != 2 || page.Next == nil {
		t.Fatalf("the first page is %+v, %v", page, err)
	}
	if page, err := v.Conversations(t.Context(), account, 2, page.Next); err != nil || len(page.Conversations) != 1 || page.Next != nil {
		t.Errorf("the last page is %+v, %v", page, err)
	}
	if _, err := v.Conversations(t.Context(), other, 2, page.Next); !errors.Is(err, ErrCursor) {
		t.Errorf("another account's cursor: %v", err)
	}
	random := uuid.New()
	if _, err := v.Conversations(t.Context(), account, 2, &random); !errors.Is(err, ErrCursor) {
		t.Errorf("a random cursor: %v", err)
	}
}

// A caller pages while conversations move and are made: those that stay are seen once, in order, whatever else happens.
func TestPagesStayRightWhileConversationsMove(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	v := openIdle(t, log, dir)
	h := newHistory(t, nil)
	rapid.Check(t, func(t *rapid.T) {
		account := uuid.New()
		fold := func(e events.Event) events.Event {
			e = h.number(e)
			if err := v.fold([]events.Event{e}); err != nil {
				t.Fatal(err)
			}
			return e
		}
		var all []events.Event
		for range rapid.IntRange(1, 30).Draw(t, "conversations") {
			all = append(all, fold(first(account)))
		}
		limit := rapid.IntRange(1, 8).Draw(t, "limit")
		moved := map[uuid.UUID]bool{}
		seen := map[uuid.UUID]int{}
		for next := (*uuid.UUID)(nil); ; {
			page, err := v.Conversations(context.Background(), account, limit, next)
			if err != nil {
				t.Fatal(err)
			}
			if len(page.Conversations) > limit {
				t.Fatalf("%d conversations on a page of %d", len(page.Conversations), limit)
			}
			for i, c := range page.Conversations {
				seen[c.ID]++
				if i > 0 && page.Conversations[i-1].Sequence <= c.Sequence {
					t.Fatal("a page is not in order")
				}
			}
			if next = page.Next; next == nil {
				break
			}
			for _, move := range rapid.SliceOfN(rapid.IntRange(0, len(all)), 0, 4).Draw(t, "moves") {
				if move == len(all) {
					fold(first(account))
					continue
				}
				moved[message(all[move]).ConversationID] = true
				fold(after(all[move], 1))
			}
		}
		for _, e := range all {
			id := message(e).ConversationID
			if count := seen[id]; count > 1 || count == 0 && !moved[id] {
				t.Fatalf("a conversation (moved %t) is seen %d times", moved[id], count)
			}
		}
	})
}
