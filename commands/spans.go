package commands

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Spans records what requests take as spans of OpenTelemetry. Its zero value records nothing.
type Spans struct{ tracer trace.Tracer }

// NewSpans records spans with a provider.
func NewSpans(p trace.TracerProvider) Spans { return Spans{p.Tracer("reckon")} }

// Span is something that takes time. Where nothing is recorded it has the trace that it was begun
// with, and ending it does nothing.
type Span struct {
	Trace Trace // of what is done within it
	span  trace.Span
}

// Begin begins a span of a kind within a trace, at a moment, zero for now. Those of a server and of
// a consumer may have their parent in another process.
func (s Spans) Begin(name string, kind trace.SpanKind, within Trace, at time.Time) Span {
	if s.tracer == nil {
		return Span{Trace: within}
	}
	carrier := propagation.MapCarrier{"traceparent": within.Parent, "tracestate": within.State}
	ctx := propagation.TraceContext{}.Extract(context.Background(), carrier)
	if kind != trace.SpanKindServer && kind != trace.SpanKindConsumer {
		ctx = trace.ContextWithSpanContext(ctx, trace.SpanContextFromContext(ctx).WithRemote(false))
	}
	options := []trace.SpanStartOption{trace.WithSpanKind(kind)}
	if !at.IsZero() {
		options = append(options, trace.WithTimestamp(at))
	}
	ctx, span := s.tracer.Start(ctx, name, options...)
	carrier = propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return Span{Trace: ParseTrace([]string{carrier["traceparent"]}, []string{carrier["tracestate"]}), span: span}
}

// Name gives a span another name, where that becomes known later.
func (s Span) Name(name string) {
	if s.span != nil {
		s.span.SetName(name)
	}
}

// Text says something of what the span is about: nothing that people or their programs wrote, nor
// what tells one account from another.
func (s Span) Text(key, value string) {
	if s.span != nil {
		s.span.SetAttributes(attribute.String(key, value))
	}
}

// Number is Text of a number.
func (s Span) Number(key string, value int) {
	if s.span != nil {
		s.span.SetAttributes(attribute.Int(key, value))
	}
}

// End ends a span, as one of what has failed or not. It does not say why: errors may name what is
// private.
func (s Span) End(failed bool) {
	if s.span == nil {
		return
	}
	if failed {
		s.span.SetStatus(codes.Error, "")
	}
	s.span.End()
}

// Record has the service record spans. It is called before Run.
func (s *Service) Record(spans Spans) { s.spans = spans }
