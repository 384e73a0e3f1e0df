package http

import (
	"go.opentelemetry.io/otel/trace"

	"reckon/commands"
)

// Record has the server record spans of requests. It is called before Serve.
func (s *Server) Record(spans commands.Spans) { s.spans = spans }

// span begins the span of a request within the trace of its caller. Probes have none.
func (s *Server) span(x *Exchange) commands.Span {
	x.Trace = commands.ParseTrace(x.r.Header["Traceparent"], x.r.Header["Tracestate"])
	if path := x.r.URL.Path; path == "/readyz" || path == "/healthz" {
		return commands.Span{}
	}
	span := s.spans.Begin(known(x.r.Method), trace.SpanKindServer, x.Trace, x.start)
	x.Trace = span.Trace
	return span
}

// ends ends the span of a request that is answered. It names the route and not the path.
func (x *Exchange) ends(span commands.Span) {
	method := known(x.r.Method)
	span.Text("http.request.method", method)
	if x.route != "" {
		span.Name(method + " " + x.route)
		span.Text("http.route", x.route)
	}
	if x.status != 0 {
		span.Number("http.response.status_code", x.status)
	}
	span.End(x.status == 0 || x.status >= 500)
}
