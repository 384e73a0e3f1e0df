package http

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	nethttp "net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"

	"reckon/commands"
	"reckon/events"
)

// journey is a domain of a few equations.
func journey() events.Definition {
	variable := func(key, unit string) events.Variable {
		return events.Variable{Key: key, Title: key, Description: "The " + key + ".", Unit: unit, Kind: "number", DefaultValue: json.RawMessage(`""`)}
	}
	return events.Definition{
		Title: "Journey", Description: "Time and fuel of a drive.",
		Variables: []events.Variable{
			variable("distance", "mi"), variable("speed", "mi/h"), variable("time", "h"), variable("consumption", "gal/mi"),
			variable("fuel", "gal"), variable("price", "USD/gal"), variable("cost", "USD"),
		},
		Activities: []events.Activity{
			{Title: "Driving time", Equation: "time = distance / speed", State: "active"},
			{Title: "Fuel", Equation: "fuel = distance * consumption", State: "active"},
			{Title: "Cost", Equation: "cost = fuel * price", State: "active"},
		},
	}
}

// startJourney is a node that works through its queue, with the domain of a journey in place of its
// own one.
func startJourney(b *testing.B) *node {
	b.Helper()
	n := startNode(b)
	admin := commands.Admin{Log: n.log}
	published, err := admin.Publish(b.Context(), commands.Publication{Account: "acme", Definition: journey()})
	if err != nil {
		b.Fatal(err)
	}
	n.domain.ID = published.DomainID
	running, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		n.server.service.Run(running)
	}()
	b.Cleanup(func() {
		stop()
		<-ended
	})
	return n
}

// sink takes an answer and keeps its status; its body too where it has room for one.
type sink struct {
	header nethttp.Header
	status int
	body   *bytes.Buffer // nil drops it
}

func (s *sink) Header() nethttp.Header { return s.header }
func (s *sink) WriteHeader(status int) { s.status = status }

func (s *sink) Write(p []byte) (int, error) {
	if s.body != nil {
		s.body.Write(p)
	}
	return len(p), nil
}

// caller sends one request again and again.
type caller struct {
	handler nethttp.Handler
	request nethttp.Request
	url     url.URL
	text    bytes.Reader
	body    []byte
	answer  sink
}

func (n *node) caller(ctx context.Context, method, path string, body []byte) *caller {
	c := &caller{handler: n.server.Handler(), body: body, answer: sink{header: nethttp.Header{}}, url: url.URL{Path: path}}
	header := nethttp.Header{"Authorization": {"Bearer " + n.secret}}
	if body != nil {
		header["Content-Type"] = []string{"application/json"}
	}
	c.request = *(&nethttp.Request{Method: method, URL: &c.url, Header: header, Host: "localhost"}).WithContext(ctx)
	return c
}

// do sends the request and wants 200.
func (c *caller) do() error {
	r := c.request
	c.text.Reset(c.body)
	r.Body, r.ContentLength = io.NopCloser(&c.text), int64(len(c.body))
	clear(c.answer.header)
	c.handler.ServeHTTP(&c.answer, &r)
	if c.answer.status != nethttp.StatusOK {
		return fmt.Errorf("%s %s: status %d", r.Method, r.URL.Path, c.answer.status)
	}
	return nil
}

// calculation is the body of a calculation, in a conversation unless that is "".
func (n *node) calculation(conversation string, speed int) []byte {
	body := map[string]any{
		"domain_id": n.domain.ID, "input_format": "structured",
		"prompt": fmt.Sprintf("distance: 150 mi\nspeed: %d mi/h\nconsumption: 0.05 gal/mi\nprice: 4 USD/gal\ncalculate: cost", speed),
	}
	if conversation != "" {
		body["conversation_id"] = conversation
	}
	return encode(body)
}

// converse calculates in a conversation, in a new one where that is "", and returns its id.
func (n *node) converse(b *testing.B, conversation string, speed int) string {
	b.Helper()
	c := n.caller(b.Context(), "POST", "/v1/calculate", n.calculation(conversation, speed))
	c.answer.body = &bytes.Buffer{}
	if err := c.do(); err != nil {
		b.Fatal(err)
	}
	var answer struct {
		ConversationID string `json:"conversation_id"`
	}
	if err := json.Unmarshal(c.answer.body.Bytes(), &answer); err != nil {
		b.Fatal(err)
	}
	return answer.ConversationID
}

// measure lets callers, made by their number, send their requests as often as they can.
func measure(b *testing.B, callers int, prepare func(i int) *caller) {
	b.Helper()
	b.ReportAllocs()
	list := make([]*caller, callers)
	for i := range list {
		list[i] = prepare(i)
	}
	var left atomic.Int64
	left.Store(int64(b.N))
	var all sync.WaitGroup
	b.ResetTimer()
	for _, c := range list {
		all.Go(func() {
			for left.Add(-1) >= 0 {
				if err := c.do(); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
}

// BenchmarkCalculate calculates in new conversations and in one that goes on for each caller.
func BenchmarkCalculate(b *testing.B) {
	n := startJourney(b)
	for _, callers := range []int{1, 64} {
		b.Run(fmt.Sprintf("fresh/%d", callers), func(b *testing.B) {
			measure(b, callers, func(i int) *caller {
				return n.caller(b.Context(), "POST", "/v1/calculate", n.calculation("", 40+i))
			})
		})
		b.Run(fmt.Sprintf("going on/%d", callers), func(b *testing.B) {
			measure(b, callers, func(i int) *caller {
				return n.caller(b.Context(), "POST", "/v1/calculate", n.calculation(n.converse(b, "", 40), 40+i))
			})
		})
	}
}

// BenchmarkGet reads a conversation of three messages, its scenarios and the list of conversations.
func BenchmarkGet(b *testing.B) {
	n := startJourney(b)
	var conversations []string
	for range 64 {
		id := n.converse(b, "", 40)
		n.converse(b, id, 50)
		n.converse(b, id, 60)
		conversations = append(conversations, id)
	}
	for _, get := range []struct {
		name string
		path func(i int) string
	}{
		{"detail", func(i int) string { return "/v1/conversations/" + conversations[i] }},
		{"context", func(i int) string { return "/v1/conversations/" + conversations[i] + "/context" }},
		{"list", func(int) string { return "/v1/conversations" }},
	} {
		for _, callers := range []int{1, 64} {
			b.Run(fmt.Sprintf("%s/%d", get.name, callers), func(b *testing.B) {
				measure(b, callers, func(i int) *caller { return n.caller(b.Context(), "GET", get.path(i), nil) })
			})
		}
	}
}
