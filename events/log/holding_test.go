package log

import (
	"fmt"
	"strings"
	"testing"
)

// Others do without a node when as many of them as make a majority have an entry of the leader's term that is as new as its newest
// was when it was seen first.
func TestOthersDoWithoutANode(t *testing.T) {
	at := func(node string, term, last, lastTerm uint64, leads bool) holding {
		return holding{Node: node, Whole: true, Groups: map[string]groupHolding{"S-a": {Size: 3, Leads: leads, Term: term, Last: last, LastTerm: lastTerm}}}
	}
	incomplete := at("n2", 4, 10, 4, false)
	incomplete.Whole = false
	for _, row := range []struct {
		what  string
		asked [][]holding // answers, one time after the other
		want  string      // part of the reason that is left, "" for none
	}{
		{"nobody is there", [][]holding{nil}, "there is none"},
		{"one is there", [][]holding{{at("n1", 4, 10, 4, true)}}, "there is n1"},
		{"one of two is not whole", [][]holding{{at("n1", 4, 10, 4, true), incomplete}}, "there is n1"},
		{"none leads", [][]holding{{at("n1", 4, 10, 4, false), at("n2", 4, 10, 4, false)}}, "no leader"},
		{"both have all", [][]holding{{at("n1", 4, 10, 4, true), at("n2", 4, 10, 4, false)}}, ""},
		{"one is behind", [][]holding{{at("n1", 4, 10, 4, true), at("n2", 4, 9, 4, false)}}, "n2 is behind"},
		{"one is in another term", [][]holding{{at("n1", 4, 10, 4, true), at("n2", 5, 10, 4, false)}}, "n2 is behind"},
		{"one has nothing of the term", [][]holding{{at("n1", 4, 10, 4, true), at("n2", 4, 12, 3, false)}}, "n2 is behind"},
		{"the leader has nothing of its term yet", [][]holding{{at("n1", 4, 10, 3, true), at("n2", 4, 10, 3, false)}}, "is behind"},
		{"one has what the leader had when it was asked first", [][]holding{
			{at("n1", 4, 10, 4, true), at("n2", 4, 9, 4, false)},
			{at("n1", 4, 20, 4, true), at("n2", 4, 11, 4, false)},
		}, ""},
		{"another one leads by now", [][]holding{
			{at("n1", 4, 10, 4, true), at("n2", 4, 9, 4, false)},
			{at("n1", 5, 20, 5, false), at("n2", 5, 21, 5, true)},
		}, "n1 is behind"},
		{"one was cut off and still takes itself for the leader", [][]holding{{at("n1", 4, 10, 4, true), at("n2", 5, 9, 5, true)}}, "n1 is behind"},
	} {
		o, got := others{led: map[string]groupHolding{}}, ""
		for _, list := range row.asked {
			got = o.missing(list)
		}
		if row.want == "" && got != "" || !strings.Contains(got, row.want) {
			t.Errorf("%s: %q, want %q", row.what, got, row.want)
		}
	}

	// Of five nodes three others are enough.
	five := []holding{}
	for i := range 4 {
		h := at(fmt.Sprint("n", i), 4, 10, 4, i == 0)
		h.Groups["_meta_"] = groupHolding{Size: 5, Leads: i == 0, Term: 4, Last: 10, LastTerm: 4}
		five = append(five, h)
	}
	for count, want := range map[int]string{2: "3 other nodes", 3: "", 4: ""} {
		o := others{led: map[string]groupHolding{}}
		if got := o.missing(five[:count]); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%d of 5 nodes: %q, want %q", count, got, want)
		}
	}
}

// What another node has at the same place counts, and what one that is behind has does not.
func TestLackingEvents(t *testing.T) {
	of := func(last, messages uint64) holding {
		return holding{Streams: map[string]streamHolding{EventsStream: {Last: last, Messages: messages}}}
	}
	for _, row := range []struct {
		own      holding
		others   []holding
		missing  uint64
		compared bool
	}{
		{of(10, 10), nil, 0, false},
		{of(10, 10), []holding{of(9, 9)}, 0, false},
		{of(10, 9), []holding{of(9, 9)}, 0, false},
		{of(10, 10), []holding{of(12, 12)}, 0, true},
		{of(10, 9), []holding{of(12, 11)}, 0, true}, // one was deleted
		{of(10, 9), []holding{of(12, 10)}, 0, true}, // and another one by now
		{of(10, 8), []holding{of(10, 9), of(12, 12)}, 2, true},
		{of(10, 10), []holding{{Streams: map[string]streamHolding{}}}, 0, false}, // of five nodes one that does not keep it
	} {
		if missing, compared := lacking(row.own.Streams[EventsStream], row.others); missing != row.missing || compared != row.compared {
			t.Errorf("%v beside %v: %d, %t; want %d, %t", row.own, row.others, missing, compared, row.missing, row.compared)
		}
	}
}
