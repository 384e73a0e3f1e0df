package projections

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"reckon/events"
)

func described(account, conversation uuid.UUID, title, notes *string) events.Event {
	return event(events.ConversationSubject(account, conversation), &events.ConversationDescribed{ConversationID: conversation, Title: title, Notes: notes})
}

// Messages and descriptions come in any order, in batches: lists are in the order of the messages,
// titles and notes are the newest, and each description is a newer state of the account.
func TestDescribingMovesNothing(t *testing.T) {
	log := openLog(t, t.TempDir())
	v, h := openIdle(t, log, t.TempDir()), newHistory(t, nil)
	rapid.Check(t, func(t *rapid.T) {
		account := uuid.New()
		type plain struct {
			id            uuid.UUID
			place, newest uint64
			described     bool
			title, notes  *string
			active        time.Time
			last          events.Event
		}
		var all []*plain
		for range rapid.IntRange(1, 6).Draw(t, "batches") {
			var list []events.Event
			for range rapid.IntRange(1, 12).Draw(t, "events") {
				i := rapid.IntRange(0, len(all)).Draw(t, "conversation")
				if i == len(all) {
					e := h.number(first(account))
					e.Time = start.Add(time.Duration(e.Sequence) * time.Millisecond)
					title := titleOf(e.Message().Prompt)
					all = append(all, &plain{e.Conversation(), e.Sequence, e.Sequence, false, title, nil, e.Time, e})
					list = append(list, e)
					continue
				}
				c := all[i]
				if rapid.Bool().Draw(t, "message") {
					e := h.number(after(c.last, 1))
					e.Time = start.Add(time.Duration(e.Sequence) * time.Millisecond)
					c.place, c.newest, c.active = e.Sequence, e.Sequence, e.Time
					list = append(list, e)
					continue
				}
				texts := []*string{nil, new(string), new(string)}
				*texts[2] = fmt.Sprintf(`"active":%d,"sequence":%d}`, rand.Uint64(), rand.Uint64())
				e := h.number(described(account, c.id, rapid.SampledFrom(texts).Draw(t, "title"), rapid.SampledFrom(texts).Draw(t, "notes")))
				e.Time = start.Add(time.Hour)
				data := e.Data.(*events.ConversationDescribed)
				c.described = true
				c.newest, c.title, c.notes = e.Sequence, rewritten(c.title, data.Title), rewritten(c.notes, data.Notes)
				list = append(list, e)
			}
			if err := v.fold(list); err != nil {
				t.Fatal(err)
			}
			want := slices.Clone(all)
			slices.SortFunc(want, func(a, b *plain) int { return cmp.Compare(b.place, a.place) })
			page, err := v.Conversations(t.Context(), account, 1000, nil)
			if err != nil {
				t.Fatal(err)
			}
			if newest := list[len(list)-1].Sequence; page.Newest != newest || v.Newest(account) != newest {
				t.Fatalf("the page is of event %d and the account at %d, want %d", page.Newest, v.Newest(account), newest)
			}
			for i, c := range page.Conversations {
				is := want[i]
				if c.ID != is.id || c.Sequence != is.newest || c.place() != is.place || !c.LastActivityAt.Equal(is.active) {
					t.Fatalf("at %d is %s of event %d at %d, active at %s; want %+v", i, c.ID, c.Sequence, c.place(), c.LastActivityAt, is)
				}
				for what, texts := range map[string][2]*string{"title": {c.Title, is.title}, "notes": {c.Notes, is.notes}} {
					if got, want := texts[0], texts[1]; (got == nil) != (want == nil) || got != nil && *got != *want {
						t.Fatalf("the %s of %s are %v, want %v", what, c.ID, got, want)
					}
				}
			}
		}
		g := v.serving.Load()
		if err := g.flush(); err != nil {
			t.Fatal(err)
		}
		again := viewOf[*conversations](newGeneration(models, g.buckets, v.messages))
		if err := again.load(t.Context()); err != nil {
			t.Fatal(err)
		}
		was := viewOf[*conversations](g).recency
		for _, c := range all {
			if key := (entityKey{account, c.id}); again.recency.sequence(key) != was.sequence(key) || again.recency.accounts[account].at[c.id] != c.place {
				t.Fatalf("after a start %s is at %d of event %d, want %+v", c.id, again.recency.accounts[account].at[c.id], again.recency.sequence(key), c)
			}
			for when, r := range map[string]*recency{"before": was, "after": again.recency} {
				if is := slices.Contains(r.everDescribed(account), c.id); is != c.described {
					t.Fatalf("%s a start %s was described: %t, want %t", when, c.id, is, c.described)
				}
			}
		}
		if again.recency.newest(account) != was.newest(account) {
			t.Fatal("after a start the account is elsewhere")
		}
	})
}

// What describes a conversation that is not there makes none, and what is described is what a
// verification finds.
func TestDescribedIsVerified(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	h := newHistory(t, log)
	v := openViews(t, log, dir)
	account := uuid.New()
	text := "Trip to the lake"
	h.append(described(account, uuid.New(), &text, &text))
	e := h.append(first(account))
	h.append(described(account, e.Conversation(), &text, nil))
	if err := v.Fresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	page, err := v.Conversations(t.Context(), account, 10, nil)
	if err != nil || len(page.Conversations) != 1 || *page.Conversations[0].Title != text {
		t.Fatalf("the conversations are %+v (%v)", page, err)
	}
	verified(t, v)
	if err := v.save(); err != nil {
		t.Fatal(err)
	}
	h.append(described(account, e.Conversation(), new(string), &text))
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	v = openViews(t, log, dir)
	verified(t, v)
	if c, found, err := v.Conversation(t.Context(), account, e.Conversation()); err != nil || !found || c.Title != nil || *c.Notes != text {
		t.Errorf("after a start it is %+v (%t, %v)", c, found, err)
	}
}

// Conversations are found by domain, text, time and source; pages of a search have each once.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	h := newHistory(t, log)
	v := openViews(t, log, dir)
	account, other := uuid.New(), uuid.New()
	garden := uuid.New()
	want := map[string][]uuid.UUID{}
	for i := range 250 {
		e := first(account)
		e.Time = start.Add(time.Duration(i) * time.Hour)
		m := e.Message()
		id := e.Conversation()
		if i%10 == 0 {
			m.Domain.ID = garden
			want["garden"] = append(want["garden"], id)
		}
		if i%7 == 0 {
			m.Source = "chat"
			want["chat"] = append(want["chat"], id)
		}
		if i >= 200 {
			want["late"] = append(want["late"], id)
		}
		h.append(e)
		if i%9 == 0 {
			text := fmt.Sprintf("The LÄKE of %d", i)
			h.append(described(account, id, nil, &text))
			want["lake"] = append(want["lake"], id)
		}
		want["all"] = append(want["all"], id)
		h.append(first(other))
	}
	if err := v.Fresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, search := range map[string]Search{
		"all": {}, "garden": {Domain: garden}, "chat": {Source: "chat"}, "late": {Since: start.Add(200 * time.Hour)},
		"lake": {Text: "läke OF"}, "none": {Text: "nowhere"},
	} {
		for _, limit := range []int{1, 7, 1000} {
			var found []uuid.UUID
			for after := (*uuid.UUID)(nil); ; {
				page, err := v.Find(t.Context(), account, search, limit, after)
				if err != nil || len(page.Conversations) > limit {
					t.Fatalf("%s: %d conversations on a page of %d (%v)", name, len(page.Conversations), limit, err)
				}
				for _, c := range page.Conversations {
					found = append(found, c.ID)
				}
				if after = page.Next; after == nil {
					break
				}
			}
			slices.Reverse(found)
			if !slices.Equal(found, want[name]) {
				t.Errorf("%s, %d on a page: %d are found, want %d", name, limit, len(found), len(want[name]))
			}
		}
	}
}
