package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	nethttp "net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// check returns what is wrong with what callers saw of a cluster: all that is wrong of one node, a conversation whose order
// cannot have been, a list of older state, a revoked key that is accepted, a caller without an answer.
func (r *record) check() []string {
	wrong := append(r.history.check(), r.history.checkOrder()...)
	wrong = append(wrong, r.checkLists()...)
	wrong = append(wrong, checkRevoked(r.uses)...)
	for _, f := range r.failures {
		wrong = append(wrong, "failed: "+f)
	}
	return wrong
}

// checkRevoked finds revoked keys that are accepted more than a second after their revocation was acknowledged.
func checkRevoked(uses []keyUse) (wrong []string) {
	for _, u := range uses {
		refused := u.status == nethttp.StatusUnauthorized || u.status == nethttp.StatusForbidden || u.status == nethttp.StatusServiceUnavailable
		if !refused && u.after > time.Second {
			wrong = append(wrong, fmt.Sprintf("revoked: %s answers %d to %s, %s after its revocation", u.node, u.status, u.key, u.after))
		}
	}
	return wrong
}

// checkLists finds lists that lack a conversation which had been answered in before, or show one of another account. A
// conversation may be on another page when all that are shown have been active after it.
func (r *record) checkLists() (wrong []string) {
	latest, account, at := map[string]int{}, map[string]string{}, map[string]int{} // by conversation, and of messages
	for i, e := range r.history.events {
		latest[e.conversation], account[e.conversation], at[e.answer.message] = i, e.account, i
	}
	for _, l := range r.lists {
		oldest := math.MaxInt // activity of the conversations that are shown, as late as it may have been
		shown := map[string]bool{}
		for _, id := range l.shown {
			switch {
			case shown[id]:
				wrong = append(wrong, fmt.Sprintf("doubled: a list shows conversation %s twice", id))
			case account[id] != l.account:
				wrong = append(wrong, fmt.Sprintf("foreign: a list of %s shows conversation %s", l.account, id))
			}
			shown[id] = true
			oldest = min(oldest, latest[id])
		}
		for _, p := range r.history.posts {
			if p.acknowledged && p.account == l.account && p.ended < l.began && !shown[p.conversationID] && (l.whole || at[p.answer.message] > oldest) {
				wrong = append(wrong, fmt.Sprintf("stale: a list lacks conversation %s, which had been answered in", p.conversationID))
			}
		}
	}
	return wrong
}

// conversationState is a conversation as its messages make it, one after the other.
type conversationState struct {
	messages string // as text of them all
	count    int    // of messages
	last     int    // the last scenario's index
}

func (a answered) text() string {
	return fmt.Sprintf("[%s %d %d %s]", a.message, a.original, a.current, a.values)
}

// seen is what a caller saw of a conversation: a message that was answered, or all.
type seen struct {
	place   string // account and conversation
	append  bool
	message answered
	at      int // place of the message among those of the conversation, as the log has them
	all     string
}

// conversations is the order that there is in a conversation: a message is appended and makes the next scenario, goes on in one, or
// is an error; the same again under its key gives the same and changes nothing; a read gives all messages. Which message comes
// next is not searched for, since the log says it.
var conversations = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		parts := map[string][]porcupine.Operation{}
		for _, o := range history {
			place := o.Input.(seen).place
			parts[place] = append(parts[place], o)
		}
		return slices.Collect(maps.Values(parts))
	},
	Init: func() any { return conversationState{} },
	Step: func(state, input, _ any) (bool, any) {
		s, i := state.(conversationState), input.(seen)
		if !i.append {
			return s.messages == i.all, s
		}
		m := i.message
		if strings.Contains(s.messages, "["+m.message+" ") {
			return strings.Contains(s.messages, m.text()), s
		}
		switch {
		case i.at != s.count:
			return false, s
		case m.current == 0: // an error
		case m.current == s.last+1 && m.original <= s.last:
			s.last++
		case m.current == m.original && m.current <= s.last:
		default:
			return false, s
		}
		s.messages += m.text()
		s.count++
		return true, s
	},
}

// searched is how long an order is looked for.
const searched = 30 * time.Second

// checkOrder finds conversations whose answers and reads, on whichever node, fit no one order in which each happens between its
// beginning and its end.
func (h observed) checkOrder() (wrong []string) {
	type command struct{ account, name string }
	named := func(account, key, message string) command { return command{account, cmp.Or(key, message)} }
	began, acknowledged := map[command]int{}, map[command]int{}
	byBegin := slices.SortedFunc(slices.Values(h.posts), func(a, b post) int { return cmp.Compare(a.began, b.began) })
	for _, p := range byBegin {
		c := named(p.account, p.key, p.answer.message)
		if _, ok := began[c]; !ok {
			began[c] = p.began
		}
		if p.acknowledged && (acknowledged[c] == 0 || p.ended < acknowledged[c]) {
			acknowledged[c] = p.ended
		}
	}
	at, count := map[string]int{}, map[string]int{} // by message, and by conversation
	for _, e := range h.events {
		place := e.account + " " + e.conversation
		at[e.answer.message] = count[place]
		count[place]++
	}
	var all []porcupine.Operation
	add := func(s seen, call, end int) {
		if place, ok := at[s.message.message]; ok {
			s.at = place
		} else {
			s.at = -1
		}
		all = append(all, porcupine.Operation{Input: s, Call: int64(call), Return: int64(end)})
	}
	for _, p := range h.posts {
		if !p.acknowledged {
			continue
		}
		// What is answered may have happened at an earlier try that was not, but not once another had been answered.
		c, call := named(p.account, p.key, p.answer.message), p.began
		if acknowledged[c] >= p.began {
			call = began[c]
		}
		add(seen{place: p.account + " " + p.conversationID, append: true, message: p.answer}, call, p.ended)
	}
	for _, e := range h.events {
		if c := named(e.account, e.key, e.answer.message); acknowledged[c] == 0 {
			add(seen{place: e.account + " " + e.conversation, append: true, message: e.answer}, began[c], math.MaxInt)
		}
	}
	for _, r := range h.reads {
		s := seen{place: r.account + " " + r.conversation}
		for _, m := range r.messages {
			s.all += m.text()
		}
		add(s, r.began, r.ended)
	}
	for _, part := range conversations.Partition(all) {
		switch porcupine.CheckOperationsTimeout(conversations, part, searched) {
		case porcupine.Illegal:
			wrong = append(wrong, fmt.Sprintf("order: what callers saw of conversation %s fits no order", part[0].Input.(seen).place))
		case porcupine.Unknown:
			wrong = append(wrong, fmt.Sprintf("order: none was found for conversation %s in %s", part[0].Input.(seen).place, searched))
		}
	}
	slices.Sort(wrong)
	return wrong
}

// goodRecord is a good history with lists and the use of a revoked key.
func goodRecord() *record {
	r := &record{}
	r.history = goodHistory()
	r.lists = []listed{
		{5, 6, "a", []string{"c1"}, true},
		{17, 18, "b", []string{"c2"}, true},
	}
	r.uses = []keyUse{
		{"k", "n1", 100 * time.Millisecond, nethttp.StatusOK},
		{"k", "n2", 1100 * time.Millisecond, nethttp.StatusForbidden},
		{"k", "n3", 1100 * time.Millisecond, nethttp.StatusServiceUnavailable},
	}
	return r
}

func TestClusterCheckerPassesAGoodRecord(t *testing.T) {
	if wrong := goodRecord().check(); len(wrong) > 0 {
		t.Error(strings.Join(wrong, "\n"))
	}
}

func TestClusterCheckerCatchesPlantedRecords(t *testing.T) {
	// Two callers at once, of whom one is answered late, and a read between.
	concurrent := func(r *record) {
		four, five := answered{"m5", 1, 3, "power=3 W"}, answered{"m6", 2, 4, "power=4 W"}
		r.history.posts = append(r.history.posts,
			post{20, 0, "a", "k4", "c1", "p4", false, "", answered{}}, post{20, 21, "a", "k5", "c1", "p5", true, "c1", five},
			post{24, 25, "a", "k4", "c1", "p4", true, "c1", four})
		m := r.history.reads[1].messages
		r.history.reads = append(r.history.reads, reading{22, 23, "a", "c1", append(slices.Clone(m), four, five)})
		r.history.events = append(r.history.events, recorded{"a", "c1", "k4", "p4", four}, recorded{"a", "c1", "k5", "p5", five})
	}
	for _, c := range []struct {
		kind  string // "" for a good one
		plant func(r *record)
	}{
		{"", concurrent},
		{"", func(r *record) { // never acknowledged, and yet in the log
			concurrent(r)
			r.history.posts = r.history.posts[:len(r.history.posts)-1]
		}},
		{"", func(r *record) { r.lists[0].shown, r.lists[0].began = nil, 2 }},
		{"", func(r *record) { r.lists[0].shown, r.lists[0].whole = nil, false }},
		{"order", func(r *record) { // the later answer is seen before the scenario it follows
			concurrent(r)
			r.history.posts[len(r.history.posts)-1].began = 24
			r.history.posts[len(r.history.posts)-3].began = 23
			r.history.reads[len(r.history.reads)-1].began, r.history.reads[len(r.history.reads)-1].ended = 21, 22
		}},
		{"order", func(r *record) { // another node shows less, later
			r.history.reads = append(r.history.reads, reading{17, 18, "a", "c1", r.history.reads[1].messages[:2]})
		}},
		{"order", func(r *record) { // two callers get the same index
			concurrent(r)
			n := len(r.history.posts)
			r.history.posts[n-2].answer.current = 3
		}},
		{"order", func(r *record) { // an index is left out
			concurrent(r)
			n := len(r.history.posts)
			r.history.posts[n-2].answer.current, r.history.posts[n-1].answer.current = 5, 4
		}},
		{"order", func(r *record) { // the same key is answered otherwise on another node
			r.history.posts[5].answer.message = "m9"
		}},
		{"order", func(r *record) { // a read shows a message before it was asked for
			r.history.reads[0].messages = append(r.history.reads[0].messages, r.history.reads[1].messages[1:]...)
		}},
		{"stale", func(r *record) { r.lists[0].shown = nil }},
		{"stale", func(r *record) { // c1 was active after all that is shown, so it belongs on the page
			r.lists = append(r.lists, listed{17, 18, "a", []string{"c0"}, false})
			r.history.events = append([]recorded{{"a", "c0", "k0", "p0", answered{"m0", 0, 1, "power=1 W"}}}, r.history.events...)
		}},
		{"foreign", func(r *record) { r.lists[1].shown = []string{"c2", "c1"} }},
		{"doubled", func(r *record) { r.lists[1].shown = []string{"c2", "c2"} }},
		{"revoked", func(r *record) { r.uses[0].after = 1001 * time.Millisecond }},
		{"revoked", func(r *record) { r.uses[2].status = nethttp.StatusNotFound }},
		{"failed", func(r *record) { r.fail("key k is not answered") }},
		{"dropped", func(r *record) { r.history.events = r.history.events[:3] }},
	} {
		r := goodRecord()
		c.plant(r)
		wrong := r.check()
		if c.kind == "" && len(wrong) > 0 {
			t.Errorf("a good record is refused: %q", wrong)
		}
		if c.kind != "" && !slices.ContainsFunc(wrong, func(w string) bool { return strings.HasPrefix(w, c.kind+": ") }) {
			t.Errorf("%s was not caught: %q", c.kind, wrong)
		}
	}
}
