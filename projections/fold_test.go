package projections

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"

	"reckon/events"
	"reckon/events/log"
)

// published puts a message into the log that Append would not.
func published(t *testing.T, log *log.Log, kind, body string) uint64 {
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
	if head, _, err := v.Conversation(t.Context(), e.Subject.Account(), e.Message().ConversationID); err != nil || head.Messages != 2 {
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
		_, err := v.AwaitAnswer(t.Context(), uuid.New(), uuid.New(), uuid.New())
		waiting <- err
	}()
	bad := published(t, log, "reckon.account.created.v1", "{")
	<-v.stopped
	name := fmt.Sprint("event ", bad)
	for what, err := range map[string]error{
		"Ready":       v.Ready(),
		"Folded":      v.Folded(t.Context(), bad),
		"AwaitAnswer": <-waiting,
		"Fresh":       v.Fresh(t.Context()),
	} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s says %v, which does not name %s", what, err, name)
		}
	}
	if err := v.Fresh(t.Context()); !errors.Is(err, ErrBehind) {
		t.Errorf("Fresh says %v", err)
	}
	want := fmt.Sprintf("the projection accounts has stopped behind event %d: decode event %d of type reckon.account.created.v1 on evt.", bad-1, bad)
	if err := v.Ready(); !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), ".account: it is not JSON at byte 1") {
		t.Errorf("Ready says %v", err)
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

// A part of a conversation that only a newer program understands is not left out.
func TestAnEventOfANewerVersionStopsTheFold(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	v := openViews(t, log, dir)
	bad := published(t, log, "reckon.message.completed.v9", "{}")
	<-v.stopped
	err := v.Ready()
	for _, part := range []string{
		fmt.Sprintf("behind event %d: decode event %d of type reckon.message.completed.v9 on evt.", bad-1, bad),
		": a newer Reckon wrote it: upgrade this node",
	} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("Ready says %v, and not %q", err, part)
		}
	}
}

func TestAWriteThatFailsStopsTheFold(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	h := newHistory(t, log)
	v := openViews(t, log, dir)
	bucket := bucketOf(v, "conversations").name
	if err := v.store.publisher.DeleteKeyValue(t.Context(), bucket); err != nil {
		t.Fatal(err)
	}
	h.append(first(uuid.New()))
	select {
	case <-v.Stopped():
	case <-t.Context().Done():
		t.Fatal("the fold goes on")
	}
	e := h.append(first(uuid.New()))
	for name, err := range map[string]error{"Folded": v.Folded(t.Context(), e.Sequence), "Ready": v.Ready(), "save": v.save()} {
		if err == nil || !strings.Contains(err.Error(), bucket) {
			t.Errorf("%s says %v", name, err)
		}
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
	if err := v.Folded(t.Context(), h.next); err != nil {
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
	verified(t, v)
}

// All keys of a bucket are read, also when a document is larger than what is asked for at once, and
// when there are many or none.
func TestEach(t *testing.T) {
	log := openLog(t, t.TempDir())
	v := openIdle(t, log, t.TempDir())
	b := bucketOf(v, "domains")
	want := map[string]int{}
	read := func() {
		t.Helper()
		got := map[string]int{}
		err := b.each(t.Context(), ">", func(key string, value []byte) error {
			got[key] = len(value)
			return nil
		})
		if err != nil || !maps.Equal(got, want) {
			t.Errorf("read %d keys of %d: %v", len(got), len(want), err)
		}
	}
	read()
	for _, row := range []struct{ count, size int }{{1, 10}, {2 * maxKeys, 10}, {1, maxPayload}, {1, 1 << 20}, {2, maxPayload}, {20, 1 << 20}, {2 * maxKeys, 1}} {
		var list []encoded
		for range row.count {
			key := uuid.New().String()
			list = append(list, encoded{key, make([]byte, row.size)})
			want[key] = row.size
		}
		if err := b.write(list); err != nil {
			t.Fatal(err)
		}
		read()
	}
	stopped := errors.New("enough")
	if err := b.each(t.Context(), ">", func(string, []byte) error { return stopped }); !errors.Is(err, stopped) {
		t.Errorf("stopped: %v", err)
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
		h.number(completed(account, request(one.Message().ConversationID, "speed: 3 m/s"), "discard", 1, 2)),
		h.number(failed(account, request(one.Message().ConversationID, "calculate: time"), `{"inputs":[]}`)),
	}
	shown := func() string {
		head, _, err := v.Conversation(t.Context(), account, one.Message().ConversationID)
		if err != nil {
			t.Fatal(err)
		}
		a, _ := v.Account(account)
		d, _ := v.Domain(account, domain)
		text, err := json.Marshal([]any{a, d, head, viewOf[*conversations](v.serving.Load()).recency.before(account, ^uint64(0), 10)})
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

// A message that has a number keeps it when another event answers it, in the same batch or a later
// one.
func TestAMessageKeepsItsNumber(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	v := openIdle(t, log, dir)
	h := newHistory(t, nil)
	account := uuid.New()
	one := h.number(first(account))
	conversation := one.Message().ConversationID
	two := h.number(failed(account, request(conversation, "calculate: time"), ""))
	again := h.number(completed(account, *two.Message(), "extend", 1, 1))
	three := h.number(after(one, 1))
	late := h.number(failed(account, *one.Message(), ""))
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
		{one.Message().MessageID, Failed, late.Sequence},
		{two.Message().MessageID, Completed, again.Sequence},
		{three.Message().MessageID, Completed, three.Sequence},
	} {
		if m := messages[i]; m.MessageID != want.id || m.Status != want.status || m.Sequence != want.sequence || m.Number != i+1 {
			t.Errorf("message %d is %s %s at %d, want %+v", m.Number, m.MessageID, m.Status, m.Sequence, want)
		}
	}
}
