package http

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"reckon/commands"
	"reckon/commands/traces"
	"reckon/events/log"
)

// received are the spans that a collector on this machine was sent.
type received struct {
	mutex   sync.Mutex
	spans   map[string]*spans.Span // by name
	text    string                 // all of it
	headers nethttp.Header
}

// collect answers as a collector does, and is named in the environment.
func collect(t *testing.T) *received {
	got := &received{spans: map[string]*spans.Span{}}
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		body, err := io.ReadAll(r.Body)
		var request collector.ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(body, &request)
		}
		if err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("%s is sent %q: %v", r.URL.Path, body, err)
		}
		got.mutex.Lock()
		defer got.mutex.Unlock()
		got.headers, got.text = r.Header, got.text+prototext.Format(&request)
		for _, of := range request.ResourceSpans {
			for _, scope := range of.ScopeSpans {
				for _, s := range scope.Spans {
					got.spans[s.Name] = s
				}
			}
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(server.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=a%20b")
	t.Setenv("OTEL_SERVICE_NAME", "abacus")
	return got
}

// record has a node work and record spans, until end.
func (n *node) record() (end func()) {
	n.t.Helper()
	provider, ended, err := traces.Open(n.t.Context(), "v0", slog.New(slog.DiscardHandler))
	if err != nil || provider == nil {
		n.t.Fatalf("spans are not recorded: %v", err)
	}
	recorded := commands.NewSpans(provider)
	n.server.Record(recorded)
	n.server.service.Record(recorded)
	running, stop := context.WithCancel(n.t.Context())
	var work sync.WaitGroup
	work.Go(func() { n.server.service.Run(running) })
	return func() {
		stop()
		work.Wait()
		ended()
	}
}

const (
	tracedID     = "4bf92f3577b34da6a3ce929d0e0e4736"
	tracedParent = "00f067aa0ba902b7"
)

// A request is one tree of spans from its caller's to the fold, and its event names the append.
// Nothing in them tells who asked, or what.
func TestSpans(t *testing.T) {
	got := collect(t)
	n := startNode(t)
	end := n.record()
	prompt := "a: 4711471147\\ncalculate: b"
	w := n.ask("POST", "/v1/calculate", fmt.Sprintf(`{"domain_id": %q, "prompt": %q, "input_format": "structured"}`, n.domain.ID, strings.ReplaceAll(prompt, `\n`, "\n")),
		"traceparent", "00-"+tracedID+"-"+tracedParent+"-01", "tracestate", "congo=t61rcWkgMzE", "Idempotency-Key", "key-4712471247")
	if w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if w := n.ask("GET", "/v1/conversations/SECRET?q=SECRET", ""); w.Code != 404 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := n.ask("GET", "/healthz", ""); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	end()
	got.mutex.Lock()
	defer got.mutex.Unlock()
	if len(got.spans) != 6 {
		t.Errorf("%d names of spans, want 6:\n%s", len(got.spans), got.text)
	}
	parents := []string{tracedParent}
	for _, c := range []struct {
		name string
		kind spans.Span_SpanKind
		deep int // of its parent
	}{
		{"POST /v1/calculate", spans.Span_SPAN_KIND_SERVER, 0},
		{"publish command", spans.Span_SPAN_KIND_PRODUCER, 1},
		{"calculate", spans.Span_SPAN_KIND_CONSUMER, 2},
		{"append event", spans.Span_SPAN_KIND_INTERNAL, 3},
		{"fold event", spans.Span_SPAN_KIND_INTERNAL, 3},
	} {
		s := got.spans[c.name]
		if s == nil {
			t.Fatalf("there is no span %s:\n%s", c.name, got.text)
		}
		if hex.EncodeToString(s.TraceId) != tracedID || s.Kind != c.kind || hex.EncodeToString(s.ParentSpanId) != parents[c.deep] ||
			s.TraceState != "congo=t61rcWkgMzE" || s.Status.GetCode() == spans.Status_STATUS_CODE_ERROR || s.EndTimeUnixNano < s.StartTimeUnixNano {
			t.Errorf("%s within %s, want within %s", prototext.Format(s), hex.EncodeToString(s.ParentSpanId), parents[c.deep])
		}
		parents = append(parents, hex.EncodeToString(s.SpanId))
	}
	if s := got.spans["GET /v1/conversations/{id}"]; s == nil || hex.EncodeToString(s.TraceId) == tracedID || len(s.ParentSpanId) != 0 {
		t.Errorf("a request without a trace is %v", s)
	}
	stream, err := n.log.JetStream().Stream(t.Context(), log.EventsStream)
	if err != nil {
		t.Fatal(err)
	}
	last, err := stream.GetLastMsgForSubject(t.Context(), "evt.*.conversation.*")
	if err != nil {
		t.Fatal(err)
	}
	if at := last.Header.Get("ce-traceparent"); at != "00-"+tracedID+"-"+parents[4]+"-01" {
		t.Errorf("the event has the trace %s, want that of its append %s", at, parents[4])
	}
	for _, private := range []string{"4711471147", "4712471247", "SECRET", n.secret, "acme", n.account.String(), n.domain.ID.String(), "Sum", "a%20b"} {
		if strings.Contains(got.text, private) {
			t.Errorf("the spans tell %q:\n%s", private, got.text)
		}
	}
	if !strings.Contains(got.text, `"abacus"`) || got.headers.Get("X-Tenant") != "a b" {
		t.Errorf("the variables of the environment are not followed: %v\n%s", got.headers, got.text)
	}
}

// What is not sampled is not sent, and the trace goes on.
func TestSpansThatAreNotSampled(t *testing.T) {
	t.Setenv("OTEL_TRACES_SAMPLER", "always_off")
	got := collect(t)
	n := startNode(t)
	end := n.record()
	w := n.ask("POST", "/v1/calculate", fmt.Sprintf(`{"domain_id": %q, "prompt": "a: 1\ncalculate: b"}`, n.domain.ID), "traceparent", "00-"+tracedID+"-"+tracedParent+"-01")
	end()
	if w.Code != 200 || got.text != "" {
		t.Errorf("%d, and sent was %s", w.Code, got.text)
	}
	stream, err := n.log.JetStream().Stream(t.Context(), log.EventsStream)
	if err != nil {
		t.Fatal(err)
	}
	last, err := stream.GetLastMsgForSubject(t.Context(), "evt.*.conversation.*")
	if err != nil {
		t.Fatal(err)
	}
	if at := last.Header.Get("ce-traceparent"); !strings.HasPrefix(at, "00-"+tracedID+"-") || !strings.HasSuffix(at, "-00") {
		t.Errorf("the event has the trace %q", at)
	}
}
