package projections

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/events/log"
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
		for _, head := range listed(t, v, id, 7) {
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
				all = append(all, m)
			}
			for index := 1; index <= head.Last; index++ {
				m, found, err := v.Scenario(t.Context(), id, head.ID, index)
				if err != nil {
					t.Fatal(err)
				}
				origin, err := v.Origin(t.Context(), id, head.ID, index)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, found, m.Number, origin)
			}
		}
	}
	text, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// listed reads all pages of an account.
func listed(t testing.TB, v *Views, account uuid.UUID, limit int) []Conversation {
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
		var opened []events.Event
		for range 9 {
			opened = append(opened, h.append(first(account)))
		}
		for i, e := range opened[:5] {
			conversation := e.Message().ConversationID
			for range i {
				h.append(after(e, 1))
			}
			h.append(completed(account, request(conversation, "speed: 3 m/s"), "discard", 1, 2))
			h.append(completed(account, request(conversation, "scenario: 1"), "fetch", 1, 1))
			h.append(failed(account, request(conversation, "calculate: time"), `{"version":2,"inputs":[]}`))
			// One request in prose is answered while the next one is in progress; a third
			// conversation begins with one.
			one, two, three := request(conversation, "twice as fast"), request(conversation, "and at 80?"), request(uuid.New(), "how long?")
			h.append(started(account, one))
			h.append(started(account, two))
			h.append(interpreted(account, two))
			h.append(started(account, three))
			h.append(completed(account, one, "discard", 2, 3))
			if i%2 == 0 {
				h.append(failed(account, two, ""))
				h.append(interpreted(account, three))
				h.append(completed(account, three, "new", 0, 1))
			}
		}
	}
	return accounts
}

// some is a log with some history, views that have folded it, and what these showed.
type some struct {
	dir      string
	log      *log.Log
	h        *history
	v        *Views
	accounts []uuid.UUID
	shown    string
}

func openSome(t *testing.T) *some {
	t.Helper()
	s := &some{dir: t.TempDir()}
	s.log = openLog(t, s.dir)
	s.h = newHistory(t, s.log)
	s.v = openViews(t, s.log, s.dir)
	s.accounts = someHistory(s.h)
	s.shown = state(t, s.v, s.accounts...)
	return s
}

// reopen closes the views and opens them again.
func (s *some) reopen(t *testing.T) {
	t.Helper()
	s.close(t)
	s.v = openViews(t, s.log, s.dir)
}

func (s *some) close(t *testing.T) {
	t.Helper()
	if err := s.v.Close(); err != nil {
		t.Fatal(err)
	}
}

// unchanged fails when views show anything else than in the beginning.
func (s *some) unchanged(t *testing.T, v *Views, when string) {
	t.Helper()
	if now := state(t, v, s.accounts...); now != s.shown {
		t.Errorf("%s, before:\n%s\nafter:\n%s", when, s.shown, now)
	}
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
	conversation := one.Message().ConversationID
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
		if err != nil || !found || m.MessageID != want.Message().MessageID {
			t.Errorf("scenario %d stands at message %d, %t, %v", index, m.Number, found, err)
		}
	}
	if _, found, err := v.Scenario(t.Context(), account, conversation, 3); found || err != nil {
		t.Errorf("scenario 3: %t, %v", found, err)
	}
	middle, err := v.Messages(t.Context(), account, conversation, -3, 2)
	if err != nil || len(middle) != 2 || !reflect.DeepEqual(middle[0].Completed, one.Data) || middle[1].MessageID != two.Message().MessageID {
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
	if _, found, err := v.Message(t.Context(), stranger, conversation, one.Message().MessageID); found || err != nil {
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

// Two nodes fold the same log, one in the process of the log and one outside.
func TestNodesAgree(t *testing.T) {
	dir := t.TempDir()
	kept := openLog(t, dir)
	h := newHistory(t, kept)
	one := openViews(t, kept, dir)
	accounts := someHistory(h)
	joined, err := log.Join(t.Context(), log.Options{Dir: dir})
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
