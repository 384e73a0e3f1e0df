package projections

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/google/uuid"

	"reckon/events"
)

// followed is what one who follows knows: by what it is about, the sequence of what it is now.
type followed map[string]uint64

// read takes all that a follower has, which must go on in the order of the log.
func (f followed) read(t *testing.T, from *Follower) {
	t.Helper()
	for {
		before := from.Position()
		c, ok, err := from.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return
		}
		if c.Sequence <= before || from.Position() != c.Sequence {
			t.Fatalf("event %d comes behind %d, and the position is %d", c.Sequence, before, from.Position())
		}
		f.take(t, c)
	}
}

func (f followed) take(t *testing.T, c Change) {
	t.Helper()
	of := c.Conversation.ID
	switch {
	case c.Erased:
		if c.Conversation.Title != nil {
			t.Errorf("an erasure tells %+v", c)
		}
		maps.DeleteFunc(f, func(what string, _ uint64) bool { return what[:36] == of.String() })
		f[of.String()+" erased"] = c.Sequence
	case c.Message == nil:
		f[of.String()+" described"] = c.Sequence
	default:
		m := c.Message
		if m.Sequence != c.Sequence || m.ConversationID != of {
			t.Errorf("event %d tells of message %+v", c.Sequence, m)
		}
		f[fmt.Sprintf("%s message %d %s", of, m.Number, m.MessageID)] = c.Sequence
	}
}

// Whoever follows, from the start, from anywhere between, or with pauses, knows in the end what the
// views have, and gets it in the order of the log.
func TestFollowing(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	log := openLog(t, dir)
	h := newHistory(t, log)
	v := openViews(t, log, dir)
	accounts := []uuid.UUID{uuid.New(), uuid.New()}
	for i, account := range accounts {
		h.append(event(events.AccountSubject(account), &events.AccountCreated{AccountID: account, Name: fmt.Sprint("a", i), TimeZone: "UTC", BodyVersion: 2}))
	}
	mine := accounts[0]
	long := uuid.New() // has pages

	live, slow := v.Follow(mine, uuid.Nil, 0), v.Follow(mine, uuid.Nil, 0)
	one := v.Follow(mine, long, 0)
	defer live.Close()
	defer slow.Close()
	defer one.Close()
	lively, slowly, narrow := followed{}, followed{}, followed{}

	conversations := []uuid.UUID{long}
	waiting := map[uuid.UUID][]events.Message{}
	erased := map[uuid.UUID]bool{}
	want := func(account uuid.UUID, only uuid.UUID, after uint64) followed {
		is := followed{}
		for _, c := range conversations {
			if only != uuid.Nil && c != only || account != mine {
				continue
			}
			head, found, err := v.Conversation(t.Context(), account, c)
			if err != nil {
				t.Fatal(err)
			}
			if !found {
				continue
			}
			if head.Active > 0 && head.Sequence > after {
				is[c.String()+" described"] = head.Sequence
			}
			list, err := v.Messages(t.Context(), account, c, 1, head.Messages)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range list {
				if m.Sequence > after {
					is[fmt.Sprintf("%s message %d %s", c, m.Number, m.MessageID)] = m.Sequence
				}
			}
		}
		return is
	}
	places := []uint64{0}
	for i := range 1800 {
		account, conversation := mine, conversations[random.IntN(len(conversations))]
		switch n := random.IntN(20); {
		case n == 0:
			h.append(first(accounts[1]))
			continue
		case n == 1:
			conversation = uuid.New()
			conversations = append(conversations, conversation)
		case n < 12:
			conversation = long
		}
		if erased[conversation] {
			continue
		}
		subject := events.ConversationSubject(account, conversation)
		switch n := random.IntN(8); {
		case n == 0 && conversation != long && h.last[subject.String()] > 0:
			h.append(erasing(t, v, account, conversation))
			erased[conversation] = true
		case n == 1 && h.last[subject.String()] > 0:
			title := fmt.Sprint("title ", i)
			h.append(event(subject, &events.ConversationDescribed{ConversationID: conversation, Title: &title}))
		case n < 4:
			m := request(conversation, "how long?")
			h.append(started(account, m))
			waiting[conversation] = append(waiting[conversation], m)
		case n == 4 && len(waiting[conversation]) > 0:
			m := waiting[conversation][0]
			waiting[conversation] = waiting[conversation][1:]
			h.append(interpreted(account, m))
			h.append(failed(account, m, ""))
		default:
			h.append(completed(account, request(conversation, "speed: 60 mi/h"), "extend", 0, 1))
		}
		if i%7 == 0 {
			lively.read(t, live)
			narrow.read(t, one)
		}
		if i%100 == 0 {
			places = append(places, h.next)
		}
	}
	if err := v.Fresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	lively.read(t, live)
	slowly.read(t, slow) // has lost what it was told, and finds it
	narrow.read(t, one)
	all := want(mine, uuid.Nil, 0)
	if len(all) < 3*unread || len(erased) < 3 {
		t.Fatalf("there are %d things and %d erasures, too few for a test", len(all), len(erased))
	}
	compare := func(what string, got, want followed, after uint64) {
		t.Helper()
		for name, sequence := range want {
			if got[name] != sequence {
				t.Errorf("%s: %s is %d, and known at %d", what, name, sequence, got[name])
			}
		}
		gone := 0
		for name := range got {
			if name[36:] == " erased" {
				if gone++; !erased[uuid.MustParse(name[:36])] {
					t.Errorf("%s: %s", what, name)
				}
			} else if _, is := want[name]; !is && name[36:] != " described" { // a message came since
				t.Errorf("%s: %s is not in the views", what, name)
			}
		}
		if after == 0 && gone != len(erased) {
			t.Errorf("%s: %d of %d erasures", what, gone, len(erased))
		}
	}
	compare("live", lively, all, 0)
	compare("slow", slowly, all, 0)
	for name := range narrow {
		if name[:36] != long.String() {
			t.Errorf("one conversation: %s", name)
		}
	}
	compare("one conversation", narrow, want(mine, long, 0), h.next)
	for _, after := range places {
		for _, most := range []int{soughtAtOnce, 20} {
			later, narrow := followed{}, followed{}
			f := v.Follow(mine, uuid.Nil, after)
			f.atOnce = most
			later.read(t, f)
			f.Close()
			compare(fmt.Sprintf("from %d, %d at once", after, most), later, want(mine, uuid.Nil, after), after)
			f = v.Follow(mine, long, after)
			f.atOnce = most
			narrow.read(t, f)
			f.Close()
			compare(fmt.Sprintf("one conversation from %d, %d at once", after, most), narrow, want(mine, long, after), h.next)
			if most < soughtAtOnce && after > 0 {
				break // takes as many searches as there are changes
			}
		}
	}
	live.Close()
	slow.Close()
	one.Close()
	if n := len(v.followers.byAccount); n > 0 {
		t.Errorf("%d accounts have followers that were closed", n)
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	v = openViews(t, log, dir)
	again := followed{}
	f := v.Follow(mine, uuid.Nil, 0)
	defer f.Close()
	again.read(t, f)
	compare("after a restart", again, all, 0)
}

// Who waits for a change is woken by it and by what becomes of the account, and by nothing of other
// accounts.
func TestFollowersAreWoken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log := openLog(t, dir)
	h := newHistory(t, log)
	v := openViews(t, log, dir)
	account, other := uuid.New(), uuid.New()
	e := h.append(first(account))
	if err := v.Folded(t.Context(), e.Sequence); err != nil {
		t.Fatal(err)
	}
	f, theirs := v.Follow(account, uuid.Nil, e.Sequence), v.Follow(other, uuid.Nil, e.Sequence)
	defer f.Close()
	defer theirs.Close()
	for _, f := range []*Follower{f, theirs} {
		if c, ok, err := f.Next(t.Context()); ok || err != nil {
			t.Fatalf("%+v, %v", c, err)
		}
	}
	moved := func(what string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		select {
		case <-f.Moved():
		case <-ctx.Done():
			t.Fatalf("nobody is woken by %s", what)
		}
	}
	next := h.append(after(e, 1))
	moved("a message")
	if c, ok, err := f.Next(t.Context()); !ok || err != nil || c.Sequence != next.Sequence {
		t.Errorf("%+v, %v, %v", c, ok, err)
	}
	h.append(event(events.AccountSubject(account), &events.AccountCreated{AccountID: account, Name: "a", TimeZone: "UTC", BodyVersion: 2}))
	moved("an account's event")
	if c, ok, err := f.Next(t.Context()); ok || err != nil {
		t.Errorf("%+v, %v", c, err)
	}
	select {
	case <-theirs.Moved():
		t.Error("another account is woken")
	default:
	}
}
