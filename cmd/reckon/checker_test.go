package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// observed is what callers saw of the service, and what it kept. Moments are counted, not measured: whatever ended at a
// lower number than something else began was over before.
type observed struct {
	posts  []post
	reads  []reading
	events []recorded // final events, in the order of the log
}

// post is a calculation that a caller asked for, once.
type post struct {
	began, ended   int
	account, key   string
	conversation   string // asked for; "" for a new one
	prompt         string
	acknowledged   bool
	conversationID string // of the answer
	answer         answered
}

// answered is a message as answers show it. values is all that it says, in one text.
type answered struct {
	message           string
	original, current int // 0, 0 for an error
	values            string
}

// reading is a conversation as GET showed it.
type reading struct {
	began, ended          int
	account, conversation string
	messages              []answered
}

// recorded is a final event.
type recorded struct {
	account, conversation, key, prompt string
	answer                             answered
}

// check returns what is wrong with a observed: an acknowledged calculation that is not there exactly once with its answer,
// a scenario index that is given twice or leaves one out, a message where it does not belong, a read of older state.
func (h observed) check() []string {
	var wrong []string
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }

	byMessage, byKey, conversations := map[string]recorded{}, map[string]string{}, map[string][]recorded{}
	for _, e := range h.events {
		if _, ok := byMessage[e.answer.message]; ok {
			say("doubled: message %s has two final events", e.answer.message)
		}
		byMessage[e.answer.message] = e
		if other, ok := byKey[e.account+" "+e.key]; e.key != "" && ok && other != e.answer.message {
			say("doubled: key %s has the messages %s and %s", e.key, other, e.answer.message)
		}
		byKey[e.account+" "+e.key] = e.answer.message
		place := e.account + " " + e.conversation
		conversations[place] = append(conversations[place], e)
	}
	for _, place := range slices.Sorted(maps.Keys(conversations)) {
		last := 0
		for _, e := range conversations[place] {
			a := e.answer
			switch {
			case a.current == 0:
			case a.current != a.original && a.current != last+1:
				say("index reused: message %s makes scenario %d in a conversation that had %d", a.message, a.current, last)
			case a.current == a.original && a.current > last:
				say("index reused: message %s goes on in scenario %d of %d", a.message, a.current, last)
			}
			last = max(last, a.current)
		}
	}
	for _, p := range h.posts {
		if !p.acknowledged {
			continue
		}
		e, ok := byMessage[p.answer.message]
		switch {
		case !ok:
			say("dropped: key %s was answered by message %s, which has no event", p.key, p.answer.message)
		case e.account != p.account || e.conversation != p.conversationID || p.conversation != "" && p.conversation != p.conversationID:
			say("foreign: key %s was answered from another conversation", p.key)
		case e.key != p.key || e.prompt != p.prompt || e.answer != p.answer:
			say("swapped: key %s was answered with %v, and its event is of key %s with %v", p.key, p.answer, e.key, e.answer)
		}
	}
	for _, r := range h.reads {
		shown := map[string]bool{}
		at := -1 // of the last message in the order of events
		kept := conversations[r.account+" "+r.conversation]
		for _, a := range r.messages {
			if shown[a.message] {
				say("doubled: a read shows message %s twice", a.message)
			}
			shown[a.message] = true
			e, ok := byMessage[a.message]
			switch {
			case !ok:
				say("foreign: a read shows message %s, which has no event", a.message)
				continue
			case e.account != r.account || e.conversation != r.conversation:
				say("foreign: a read of conversation %s shows message %s of another", r.conversation, a.message)
				continue
			case e.answer != a:
				say("swapped: a read shows %v, and the event says %v", a, e.answer)
			}
			now := slices.IndexFunc(kept, func(e recorded) bool { return e.answer.message == a.message })
			if now < at {
				say("swapped: a read of conversation %s shows message %s too late", r.conversation, a.message)
			}
			at = now
		}
		for _, p := range h.posts {
			if p.acknowledged && p.ended < r.began && p.account == r.account && p.conversationID == r.conversation && !shown[p.answer.message] {
				say("stale: a read (%d) lacks message %s, which had been answered (%d)", r.began, p.answer.message, p.began)
			}
		}
	}
	byBegin := slices.SortedFunc(slices.Values(h.reads), func(a, b reading) int { return cmp.Compare(a.began, b.began) })
	for i, later := range byBegin {
		for _, earlier := range byBegin[:i] {
			if earlier.account == later.account && earlier.conversation == later.conversation && earlier.ended < later.began && len(later.messages) < len(earlier.messages) {
				say("stale: a read (%d) of conversation %s shows less than one before it (%d)", later.began, later.conversation, earlier.began)
			}
		}
	}
	return wrong
}

// goodHistory is two conversations of two accounts, with a branch and with a request that was posted again.
func goodHistory() observed {
	one := answered{"m1", 0, 1, "power=1 W"}
	two := answered{"m2", 1, 1, "power=1 W energy=1 J"}
	three := answered{"m3", 1, 2, "power=2 W"}
	other := answered{"m4", 0, 1, "power=1 W"}
	return observed{
		posts: []post{
			{1, 2, "a", "k1", "", "p1", true, "c1", one},
			{3, 6, "a", "k2", "c1", "p2", true, "c1", two},
			{4, 5, "b", "k1", "", "p1", true, "c2", other},
			{7, 8, "a", "k3", "c1", "p3", false, "", answered{}},
			{9, 10, "a", "k3", "c1", "p3", true, "c1", three},
			{15, 16, "a", "k1", "", "p1", true, "c1", one},
		},
		reads: []reading{
			{3, 4, "a", "c1", []answered{one}},
			{11, 12, "a", "c1", []answered{one, two, three}},
			{13, 14, "b", "c2", []answered{other}},
		},
		events: []recorded{
			{"a", "c1", "k1", "p1", one}, {"b", "c2", "k1", "p1", other}, {"a", "c1", "k2", "p2", two}, {"a", "c1", "k3", "p3", three},
		},
	}
}

func TestCheckerPassesAGoodHistory(t *testing.T) {
	if wrong := goodHistory().check(); len(wrong) > 0 {
		t.Error(strings.Join(wrong, "\n"))
	}
}

func TestCheckerCatchesPlantedHistories(t *testing.T) {
	for _, c := range []struct {
		kind  string
		plant func(h *observed)
	}{
		{"dropped", func(h *observed) { h.events = h.events[:3]; h.reads = h.reads[:1] }},
		{"doubled", func(h *observed) { h.events = append(h.events, h.events[0]) }},
		{"doubled", func(h *observed) {
			again := h.events[0]
			again.answer.message, again.conversation = "m5", "c5"
			h.events = append(h.events, again)
		}},
		{"doubled", func(h *observed) { h.reads[1].messages = append(h.reads[1].messages, h.reads[1].messages[2]) }},
		{"swapped", func(h *observed) { h.posts[1].answer, h.posts[4].answer = h.posts[4].answer, h.posts[1].answer }},
		{"swapped", func(h *observed) { h.posts[5].answer.values = "power=7 W" }},
		{"swapped", func(h *observed) { m := h.reads[1].messages; m[0], m[1] = m[1], m[0] }},
		{"index reused", func(h *observed) {
			h.events[3].answer.current, h.posts[4].answer.current, h.reads[1].messages[2].current = 1, 1, 1
			h.events[3].answer.original, h.posts[4].answer.original, h.reads[1].messages[2].original = 0, 0, 0
		}},
		{"foreign", func(h *observed) { h.reads[2].conversation, h.reads[2].messages = "c2", h.reads[0].messages }},
		{"foreign", func(h *observed) { h.posts[4].conversationID = "c2" }},
		{"stale", func(h *observed) { h.reads[1].messages = h.reads[1].messages[:2] }},
		{"stale", func(h *observed) {
			h.posts[4].acknowledged, h.posts[1].acknowledged = false, false
			h.reads = append(h.reads, reading{20, 21, "a", "c1", h.reads[0].messages})
		}},
	} {
		h := goodHistory()
		c.plant(&h)
		wrong := h.check()
		if !slices.ContainsFunc(wrong, func(w string) bool { return strings.HasPrefix(w, c.kind+": ") }) {
			t.Errorf("%s was not caught: %q", c.kind, wrong)
		}
	}
}
