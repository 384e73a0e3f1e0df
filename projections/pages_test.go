package projections

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/events"
)

// timed is a message id of version 7 with a time.
func timed(at time.Time) uuid.UUID {
	id := uuid.New()
	binary.BigEndian.PutUint64(id[:8], uint64(at.UnixMilli())<<16|0x7000)
	return id
}

// longConversation is what happens in a conversation of 200 messages and 150 scenarios: old
// messages are answered, old scenarios go on, and ids come out of order or without a time.
func longConversation(account uuid.UUID) []events.Event {
	random := rand.New(rand.NewPCG(3, 4))
	conversation := uuid.New()
	var list []events.Event
	var open []events.Message
	scenarios := 0
	for n := range 200 {
		m := request(conversation, "speed: 60 mi/h")
		switch {
		case n%7 == 3:
			m.MessageID = timed(start.Add(time.Duration(n-20) * time.Second))
		case n%5 != 0:
			m.MessageID = timed(start.Add(time.Duration(n) * time.Second))
		}
		switch {
		case n%40 == 20: // answered 30 messages later or more
			open = append(open, m)
			list = append(list, started(account, m), interpreted(account, m))
		case n%11 == 5:
			list = append(list, failed(account, m, ""))
		case n%13 == 7:
			list = append(list, completed(account, m, "fetch", 0, 1+random.IntN(scenarios)))
		case n%17 == 8:
			at := 1 + random.IntN(scenarios)
			list = append(list, completed(account, m, "extend", at, at))
		default:
			scenarios++
			list = append(list, completed(account, m, "discard", random.IntN(scenarios), scenarios))
		}
		if len(open) > 0 && n%40 == 19 {
			at := 1 + random.IntN(scenarios)
			list = append(list, completed(account, open[0], "extend", at, at), started(account, open[0]))
			open = open[1:]
		}
		if n == 150 {
			list = append(list, failed(account, *list[2].Message(), "")) // answered once more
		}
	}
	return list
}

// told is what a history says of a conversation, read without views.
type told struct {
	messages  []Message
	scenarios map[int]int // number of the message by index
	origins   map[int]int
}

func tell(list []events.Event) told {
	t := told{scenarios: map[int]int{}, origins: map[int]int{}}
	var c Conversation
	for _, e := range list {
		i := slices.IndexFunc(t.messages, func(m Message) bool { return m.MessageID == e.Message().MessageID })
		var previous *Message
		if i >= 0 {
			previous = &t.messages[i]
		}
		next, m := ApplyConversation(c, previous, e)
		c = next
		if i >= 0 {
			t.messages[i] = m
		} else {
			t.messages = append(t.messages, m)
		}
		if m.Completed == nil || m.Sequence != e.Sequence || m.Completed.Results.Action == "fetch" {
			continue
		}
		s := m.Completed.Results.Scenario
		t.scenarios[s.Current] = m.Number
		if s.Original != 0 && s.Original != s.Current {
			t.origins[s.Current] = s.Original
		}
	}
	return t
}

func TestLongConversations(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	h := newHistory(t, log)
	account := uuid.New()
	list := longConversation(account)
	for i := range list {
		list[i] = h.append(list[i])
		if i%9 == 0 {
			h.append(first(account))
		}
	}
	conversation := list[0].Message().ConversationID
	want := tell(list)
	if len(want.messages) != 200 || len(want.scenarios) < 2*pageSize {
		t.Fatalf("the history has %d messages and %d scenarios", len(want.messages), len(want.scenarios))
	}
	same := func(t *testing.T, what string, m, want Message) {
		t.Helper()
		if m.MessageID != want.MessageID || m.Number != want.Number || m.Sequence != want.Sequence || m.Status != want.Status || !m.UpdatedAt.Equal(want.UpdatedAt) {
			t.Errorf("%s is %s, number %d at %d, %s; want %s, number %d at %d, %s", what,
				m.MessageID, m.Number, m.Sequence, m.Status, want.MessageID, want.Number, want.Sequence, want.Status)
		}
	}
	check := func(t *testing.T, v *Views) {
		t.Helper()
		for _, r := range [][2]int{{1, 200}, {-4, 300}, {64, 65}, {65, 128}, {100, 100}, {129, 200}, {200, 201}, {201, 300}} {
			messages, err := v.Messages(t.Context(), account, conversation, r[0], r[1])
			from, to := max(r[0], 1), min(r[1], 200)
			if err != nil || len(messages) != to-from+1 {
				t.Fatalf("messages %d to %d: %d, %v", r[0], r[1], len(messages), err)
			}
			for i, m := range messages {
				same(t, "a message", m, want.messages[from-1+i])
			}
		}
		for _, m := range want.messages {
			byID, found, err := v.Message(t.Context(), account, conversation, m.MessageID)
			if err != nil || !found {
				t.Fatalf("message %d: %t, %v", m.Number, found, err)
			}
			same(t, "a message by its id", byID, m)
		}
		for _, id := range []uuid.UUID{uuid.New(), timed(start.Add(-time.Hour)), timed(start.Add(time.Hour))} {
			if _, found, err := v.Message(t.Context(), account, conversation, id); found || err != nil {
				t.Errorf("a message that is not there: %t, %v", found, err)
			}
		}
		for _, r := range [][2]int{{1, 150}, {0, 3}, {64, 65}, {60, 130}, {130, 400}, {500, 501}, {3, 2}} {
			list, err := v.Scenarios(t.Context(), account, conversation, r[0], r[1])
			if err != nil || len(list) != r[1]-r[0]+1 {
				t.Fatalf("scenarios %d to %d: %d, %v", r[0], r[1], len(list), err)
			}
			for i, m := range list {
				if number := want.scenarios[r[0]+i]; m.Number != number {
					t.Errorf("of scenarios %d to %d, %d stands at %d, want %d", r[0], r[1], r[0]+i, m.Number, number)
				}
			}
		}
		for index := range 160 {
			m, found, err := v.Scenario(t.Context(), account, conversation, index)
			number, exists := want.scenarios[index]
			if err != nil || found != exists || m.Number != number {
				t.Errorf("scenario %d stands at %d, %t, %v, want %d", index, m.Number, found, err, number)
			}
			if origin, err := v.Origin(t.Context(), account, conversation, index); err != nil || origin != want.origins[index] {
				t.Errorf("scenario %d comes from %d, %v, want %d", index, origin, err, want.origins[index])
			}
		}
	}
	t.Run("folded", func(t *testing.T) {
		v := openViews(t, log, dir)
		check(t, v)
		v.Forget()
		check(t, v)
		viewOf[*conversations](v.serving.Load()).heads = NewCache[entityKey, head](0)
		v.messages.cache = NewCache[uint64, Message](0)
		check(t, v)
		verified(t, v)
	})
	// Nothing is in the buckets until it is written, and nothing in memory besides.
	for _, size := range []int{1, 10, 100} {
		t.Run("not written", func(t *testing.T) {
			v := openIdle(t, log, t.TempDir())
			viewOf[*conversations](v.serving.Load()).heads = NewCache[entityKey, head](0)
			for batch := range slices.Chunk(list, size) {
				if err := v.fold(batch); err != nil {
					t.Fatal(err)
				}
			}
			check(t, v)
			if keys, err := v.store.count(t.Context(), v.serving.Load()); keys > 0 || err != nil {
				t.Errorf("%d documents are written: %v", keys, err)
			}
			if err := v.save(); err != nil {
				t.Fatal(err)
			}
			if _, ok := bucketOf(v, "conversations").get(entityKey{account, conversation}.String()); ok {
				t.Error("the head is still to be written")
			}
			check(t, v)
		})
	}
	// Each batch is folded in part by a process that ends before the rest of the documents.
	for _, size := range []int{1, 10, 100} {
		t.Run("folded again", func(t *testing.T) {
			dir := t.TempDir()
			v := openIdle(t, log, dir)
			for batch := range slices.Chunk(list, size) {
				if err := v.save(); err != nil {
					t.Fatal(err)
				}
				g := newGeneration(models, v.serving.Load().buckets, v.messages)
				viewOf[*conversations](g).recency = viewOf[*conversations](v.serving.Load()).recency
				at := slices.Index(Names(), "conversations")
				staged, err := g.stage(t.Context(), at, batch)
				if err != nil {
					t.Fatal(err)
				}
				writeAll(t, v, g.buckets[at], slices.DeleteFunc(staged, func(d document) bool { return !d.first }))
				if err := v.fold(batch); err != nil {
					t.Fatal(err)
				}
			}
			check(t, v)
		})
	}
}

// A reader has a head whose places and scenarios stay as they are while a batch adds to them and
// changes them.
func TestReadersKeepTheirHead(t *testing.T) {
	log := openLog(t, t.TempDir())
	v := openIdle(t, log, t.TempDir())
	h := newHistory(t, nil)
	account := uuid.New()
	one := h.number(first(account))
	asked := request(one.Message().ConversationID, "how long?")
	list := []events.Event{one, h.number(after(one, 1)), h.number(started(account, asked))} // a list of three has room for a fourth
	if err := v.fold(list); err != nil {
		t.Fatal(err)
	}
	key := entityKey{account, asked.ConversationID}
	had := headOf(t, v, key)
	places, scenarios := slices.Clone(had.Places), slices.Clone(had.Scenarios)
	if err := v.fold([]events.Event{h.number(after(one, 1)), h.number(completed(account, asked, "discard", 1, 2))}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(had.Places, places) || !slices.Equal(had.Scenarios, scenarios) {
		t.Errorf("the head that a reader has was %v, %v and is %v, %v", places, scenarios, had.Places, had.Scenarios)
	}
	if now := headOf(t, v, key); len(now.Places) != 4 || now.Places[2].InProgress || len(now.Scenarios) != 2 {
		t.Errorf("the head is %v, %v", now.Places, now.Scenarios)
	}
}

// A message that is new by its id is known not to be there without a page being read.
func TestNewMessagesCostNoPage(t *testing.T) {
	h := head{Paged: start.UnixMilli(), Conversation: Conversation{Messages: 3 * pageSize}}
	reads := 0
	read := func(int) (page, error) {
		reads++
		return page{}, nil
	}
	for _, row := range []struct {
		id    uuid.UUID
		reads int
	}{
		{timed(start.Add(time.Millisecond)), 0},
		{timed(start), 2},
		{timed(start.Add(-time.Second)), 2},
		{uuid.New(), 2},
	} {
		reads = 0
		if number, _, err := h.locate(row.id, read); number != 0 || err != nil || reads != row.reads {
			t.Errorf("%s: number %d, %d pages read, %v", row.id, number, reads, err)
		}
	}
}
