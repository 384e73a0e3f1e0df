package commands

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/events/log"
)

const (
	traceID   = "4bf92f3577b34da6a3ce929d0e0e4736"
	parent    = "00-" + traceID + "-00f067aa0ba902b7-01"
	noLetters = "\x00\x7f\xff\r\n"
)

func TestParseTrace(t *testing.T) {
	within := func(value string) string { return "00-" + value + "-00f067aa0ba902b7-01" }
	of := func(text string) []string { return []string{text} }
	for _, c := range []struct {
		parents, states []string
		parent, state   string // "" for none
	}{
		{of(parent), nil, parent, ""},
		{of(parent), of("congo=t61rcWkgMzE,rojo=00f067aa0ba902b7"), parent, "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7"},
		{of("00-" + traceID + "-00f067aa0ba902b7-00"), nil, "00-" + traceID + "-00f067aa0ba902b7-00", ""},
		// Flags that are not known are not passed on, nor what a later version adds.
		{of("00-" + traceID + "-00f067aa0ba902b7-ff"), nil, "00-" + traceID + "-00f067aa0ba902b7-03", ""},
		{of("cc-" + traceID + "-00f067aa0ba902b7-01"), nil, parent, ""},
		{of("cc-" + traceID + "-00f067aa0ba902b7-01-what-comes\r\nEvil: yes"), of("a=1"), "", ""},
		{of("cc-" + traceID + "-00f067aa0ba902b7-01-what comes"), of("a=1"), parent, "a=1"},
		{of("cc-" + traceID + "-00f067aa0ba902b7-01-"), nil, parent, ""},
		{of("cc-" + traceID + "-00f067aa0ba902b7-01.what"), nil, "", ""},
		{of("cc-" + traceID + "-00f067aa0ba902b7-01-" + strings.Repeat("x", 1<<14)), nil, "", ""},
		// None of these is a traceparent, and its tracestate goes with it.
		{nil, of("a=1"), "", ""},
		{of(""), of("a=1"), "", ""},
		{[]string{parent, parent}, of("a=1"), "", ""},
		{of(parent + "," + parent), nil, "", ""},
		{of(" " + parent), nil, "", ""},
		{of(parent + "\n"), nil, "", ""},
		{of(parent + "-"), nil, "", ""},
		{of(parent + "-more"), nil, "", ""},
		{of(parent + "."), nil, "", ""},
		{of(parent[:54]), nil, "", ""},
		{of("0" + parent[2:]), nil, "", ""},
		{of("ff" + parent[2:]), nil, "", ""},
		{of("FF" + parent[2:]), nil, "", ""},
		{of(".0" + parent[2:]), nil, "", ""},
		{of(strings.ToUpper(parent)), nil, "", ""},
		{of(within(strings.Repeat("0", 32))), nil, "", ""},
		{of("00-" + traceID + "-0000000000000000-01"), nil, "", ""},
		{of(within(traceID[:31])), nil, "", ""},
		{of(within(traceID + "0")), nil, "", ""},
		{of(within(traceID[:31] + ".")), nil, "", ""},
		{of(within(traceID[:30] + "é")), nil, "", ""},
		{of(within("4BF92F3577B34DA6A3CE929D0E0E4736")), nil, "", ""},
		{of("00-" + traceID + "-00f067aa0ba902b-01"), nil, "", ""},
		{of("00-" + traceID + "-00f067aa0ba902b7-1"), nil, "", ""},
		{of("00-" + traceID + "-00f067aa0ba902b7-0g"), nil, "", ""},
		{of("00_" + traceID + "_00f067aa0ba902b7_01"), nil, "", ""},
		{of(noLetters), nil, "", ""},
		{of(strings.Repeat("0", 1<<20)), nil, "", ""},
		{of("<script>"), nil, "", ""},
		// A tracestate is one list, however many fields it comes in, and is kept or not.
		{of(parent), []string{"a=1 , ,\tb=2", "", "c@d=3"}, parent, "a=1,b=2,c@d=3"},
		{of(parent), of("0a_-*/=value of ~!"), parent, "0a_-*/=value of ~!"},
		{of(parent), of("a=1,a=2"), parent, ""},
		{of(parent), of("A=1"), parent, ""},
		{of(parent), of("a"), parent, ""},
		{of(parent), of("a="), parent, ""},
		{of(parent), of("=1"), parent, ""},
		{of(parent), of("a =1"), parent, ""},
		{of(parent), of("a=1=2"), parent, ""},
		{of(parent), of("a@b@c=1"), parent, ""},
		{of(parent), of("@b=1"), parent, ""},
		{of(parent), of("a=é"), parent, ""},
		{of(parent), of("a=1\r\nEvil: yes"), parent, ""},
		{of(parent), of("a=" + noLetters), parent, ""},
		{of(parent), of("a=" + strings.Repeat("x", 256)), parent, "a=" + strings.Repeat("x", 256)},
		{of(parent), of("a=" + strings.Repeat("x", 257)), parent, ""},
		{of(parent), of(strings.Repeat("a", 256) + "=1"), parent, strings.Repeat("a", 256) + "=1"},
		{of(parent), of(strings.Repeat("a", 257) + "=1"), parent, ""},
		{of(parent), of("a=" + strings.Repeat("x", 253) + ",b=" + strings.Repeat("x", 254)), parent, "a=" + strings.Repeat("x", 253) + ",b=" + strings.Repeat("x", 254)},
		{of(parent), of("a=" + strings.Repeat("x", 254) + ",b=" + strings.Repeat("x", 254)), parent, ""},
		{of(parent), of(members(32)), parent, members(32)},
		{of(parent), of(members(33)), parent, ""},
		{of(parent), of(strings.Repeat(",", 1<<20)), parent, ""},
	} {
		if got := ParseTrace(c.parents, c.states); got.Parent != c.parent || got.State != c.state {
			t.Errorf("%.80q with %.80q is %+v, want %q with %q", c.parents, c.states, got, c.parent, c.state)
		}
	}
}

// members are n members of a tracestate.
func members(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("k%d=1", i))
	}
	return strings.Join(list, ",")
}

// The trace of a request reaches every event of its message, by the command, and no body of them.
func TestEventsCarryTheTrace(t *testing.T) {
	c := startNodes(t, 2)
	for _, of := range []Trace{{}, {Parent: parent}, {Parent: parent, State: "congo=t61rcWkgMzE"}} {
		for _, text := range []string{drive, "how long for 150 miles at 60 mph?", drive + strings.Repeat("\n", events.LongPrompt)} {
			r := c.request(text)
			r.Trace = of
			a, err := c.nodes[0].Calculate(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.nodes[0].views.AwaitAnswer(t.Context(), c.account.ID, a.Message.ConversationID, a.Message.MessageID); err != nil {
				t.Fatal(err)
			}
			c.carries(t, a.Message.ConversationID, of)
		}
	}
}

// carries looks at the headers of all events of a conversation, and at their bodies.
func (c *cluster) carries(t *testing.T, conversation uuid.UUID, want Trace) {
	t.Helper()
	seen := 0
	last, err := c.log.Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stream, err := c.log.JetStream().Stream(t.Context(), log.EventsStream)
	if err != nil {
		t.Fatal(err)
	}
	for sequence := uint64(1); sequence <= last; sequence++ {
		raw, err := stream.GetMsg(t.Context(), sequence)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(raw.Subject, conversation.String()) {
			continue
		}
		seen++
		if got := (Trace{raw.Header.Get("ce-traceparent"), raw.Header.Get("ce-tracestate")}); got != want {
			t.Errorf("%s has %+v, want %+v", raw.Header.Get("ce-type"), got, want)
		}
		if strings.Contains(string(raw.Data), "trace") {
			t.Errorf("the body of %s tells of the trace: %s", raw.Header.Get("ce-type"), raw.Data)
		}
	}
	if seen == 0 {
		t.Error("there is no event")
	}
}

// A worker on another node names the trace where it logs something of a command, and reads nothing
// from a command that is no trace.
func TestWorkersLogTheTrace(t *testing.T) {
	for _, c := range []struct{ parent, want string }{
		{parent, "trace_id=" + traceID},
		{"", ""},
		{"00-" + traceID, ""},
		{"secret\r\nEvil: yes", ""},
	} {
		command, err := decodeCalculate(Encode(Calculate{Type: calculateType, Trace: Trace{Parent: c.parent}}))
		if err != nil {
			t.Fatal(err)
		}
		var logged bytes.Buffer
		s := &Service{logger: slog.New(slog.NewTextHandler(&logged, nil))}
		_ = s.panicked(command, "for a reason")
		if line := logged.String(); c.want == "" && strings.Contains(line, "trace_id") || !strings.Contains(line, c.want) || strings.Contains(line, "secret") {
			t.Errorf("%q: %s", c.parent, line)
		}
	}
}
