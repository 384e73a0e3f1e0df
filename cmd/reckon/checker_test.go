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
	begun  []string   // messages in the order of their first events; nil where that is the order of the final ones
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

// underWay are the values of a message that is not answered yet.
const underWay = "in progress"

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

// says tells whether an event says what was shown of its message.
func (e recorded) says(a answered) bool {
	return e.answer == a || a == answered{message: e.answer.message, values: underWay}
}

// check returns what is wrong with an observed: an acknowledged calculation that is not there exactly once with its answer,
// a scenario index that is given twice or leaves one out, a message where it does not belong, a read that shows less than
// what anybody was shown before it began.
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
			say("dropped: key %s was answered (%d) by message %s, which has no final event", p.key, p.began, p.answer.message)
		case e.account != p.account || e.conversation != p.conversationID || p.conversation != "" && p.conversation != p.conversationID:
			say("foreign: key %s was answered from another conversation", p.key)
		case e.key != p.key || e.prompt != p.prompt || !e.says(p.answer):
			say("swapped: key %s was answered (%d) with %v, and its event is of key %s with %v", p.key, p.began, p.answer, e.key, e.answer)
		}
	}
	place := map[string]int{} // of messages, in the order of their first events
	for i, message := range h.begun {
		place[message] = i
	}
	for i, e := range h.events {
		if h.begun == nil {
			place[e.answer.message] = i
		}
	}
	for _, r := range h.reads {
		shown := map[string]bool{}
		at := -1 // of the last message
		for _, a := range r.messages {
			if shown[a.message] {
				say("doubled: a read shows message %s twice", a.message)
			}
			shown[a.message] = true
			e, ok := byMessage[a.message]
			switch {
			case !ok:
				say("foreign: a read (%d) shows message %s, which has no final event", r.began, a.message)
				continue
			case e.account != r.account || e.conversation != r.conversation:
				say("foreign: a read of conversation %s shows message %s of another", r.conversation, a.message)
				continue
			case !e.says(a):
				say("swapped: a read (%d) shows %v, and the event says %v", r.began, a, e.answer)
			}
			if place[a.message] < at {
				say("swapped: a read of conversation %s shows message %s too late", r.conversation, a.message)
			}
			at = place[a.message]
		}
	}
	return append(wrong, h.checkStale()...)
}

// checkStale finds what shows less of a message than had been shown before it began: it not at all, or in progress when it
// had been answered.
func (h observed) checkStale() (wrong []string) {
	type first struct{ shown, answered int } // moments at which it had been; 0 for never
	conversations := map[string]map[string]first{}
	earliest := func(a, b int) int { return min(cmp.Or(a, b), cmp.Or(b, a)) }
	see := func(place string, a answered, moment int) {
		if conversations[place] == nil {
			conversations[place] = map[string]first{}
		}
		f := conversations[place][a.message]
		f.shown = earliest(f.shown, moment)
		if a.values != underWay {
			f.answered = earliest(f.answered, moment)
		}
		conversations[place][a.message] = f
	}
	for _, p := range h.posts {
		if p.acknowledged {
			see(p.account+" "+p.conversationID, p.answer, p.ended)
		}
	}
	for _, r := range h.reads {
		for _, a := range r.messages {
			see(r.account+" "+r.conversation, a, r.ended)
		}
	}
	before := func(was, now int) bool { return was > 0 && was < now }
	for _, p := range h.posts {
		was := conversations[p.account+" "+p.conversationID][p.answer.message].answered
		if p.acknowledged && p.answer.values == underWay && before(was, p.began) {
			wrong = append(wrong, fmt.Sprintf("stale: key %s is in progress (%d), and had been answered (%d)", p.key, p.began, was))
		}
	}
	for _, r := range h.reads {
		shown := map[string]answered{}
		for _, a := range r.messages {
			shown[a.message] = a
		}
		for message, was := range conversations[r.account+" "+r.conversation] {
			a, ok := shown[message]
			switch {
			case !ok && before(was.shown, r.began):
				wrong = append(wrong, fmt.Sprintf("stale: a read (%d) of conversation %s lacks message %s, which had been shown (%d)", r.began, r.conversation, message, was.shown))
			case ok && a.values == underWay && before(was.answered, r.began):
				wrong = append(wrong, fmt.Sprintf("stale: a read (%d) of conversation %s has message %s in progress, which had been answered (%d)", r.began, r.conversation, message, was.answered))
			}
		}
	}
	slices.Sort(wrong)
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
	h := goodHistory()
	h.posts = append(h.posts, post{3, 4, "a", "k2", "c1", "p2", true, "c1", answered{message: "m2", values: underWay}})
	h.reads[0].messages = append(h.reads[0].messages, answered{message: "m2", values: underWay})
	for _, h := range []observed{goodHistory(), h} {
		if wrong := h.check(); len(wrong) > 0 {
			t.Error(strings.Join(wrong, "\n"))
		}
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
		{"stale", func(h *observed) { h.reads[1].messages[2] = answered{message: "m3", values: underWay} }},
		{"stale", func(h *observed) { h.posts[5].answer = answered{message: "m1", values: underWay} }},
		{"dropped", func(h *observed) { h.posts[1].answer = answered{message: "m5", values: underWay} }},
		{"swapped", func(h *observed) { h.begun = []string{"m1", "m4", "m3", "m2"} }},
	} {
		h := goodHistory()
		c.plant(&h)
		wrong := h.check()
		if !slices.ContainsFunc(wrong, func(w string) bool { return strings.HasPrefix(w, c.kind+": ") }) {
			t.Errorf("%s was not caught: %q", c.kind, wrong)
		}
	}
}
