package http

import (
	"context"
	"log/slog"
	"net"
	nethttp "net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

// RequestLog says which requests have a line in the log.
type RequestLog string

const (
	LogAll     RequestLog = "all"
	LogErrors  RequestLog = "errors"  // those that are refused or fail
	LogSampled RequestLog = "sampled" // those, and one in sampleOf others
	LogOff     RequestLog = "off"
)

const (
	sampleOf = 100
	// floodWindow is the time in which one caller, or all who are not known, may have refusedLines
	// lines of refusals. What is refused beyond that is counted.
	floodWindow  = 10 * time.Second
	refusedLines = 20
)

// requestLog writes lines of requests. Its zero value writes nothing.
type requestLog struct {
	logger *slog.Logger
	which  RequestLog
	seen   atomic.Uint64 // requests that were answered well
	probed sync.Map      // path of a probe to the status that it was answered with last
	mutex  sync.Mutex
	floods map[uuid.UUID]*flood // by account or user, uuid.Nil for requests without
}

// flood is what was refused to a caller in a window.
type flood struct {
	by               uuid.UUID
	caller           []slog.Attr
	written, counted int
}

// write writes the line of a request. It names the route and not the path, and nothing that the
// caller wrote but a known method and the request id. A probe that is answered as the one before is
// worth a line for debugging only.
func (l *requestLog) write(x *Exchange) {
	level, refused := slog.LevelInfo, x.status >= 400 && x.status < 500
	if path := x.r.URL.Path; path == "/readyz" || path == "/healthz" {
		if before, _ := l.probed.Swap(path, x.status); before == x.status {
			level = slog.LevelDebug
		}
	}
	switch {
	case l.which == LogOff,
		x.status < 400 && l.which == LogErrors,
		x.status < 400 && l.which == LogSampled && l.seen.Add(1)%sampleOf != 1,
		!l.logger.Enabled(x.r.Context(), level),
		refused && l.flooded(x):
		return
	}
	address, _, err := net.SplitHostPort(x.r.RemoteAddr)
	if err != nil {
		address = ""
	}
	attributes := []slog.Attr{
		slog.String("request_id", x.id),
		slog.String("method", known(x.r.Method)),
		slog.String("route", x.route),
		slog.Int("status", x.status),
		slog.Duration("duration", time.Since(x.start)),
		slog.Int("bytes", x.bytes),
		slog.String("address", address),
	}
	if id := x.Trace.ID(); id != "" {
		attributes = append(attributes, slog.String("trace_id", id))
	}
	attributes = append(attributes, x.caller...)
	l.logger.LogAttrs(x.r.Context(), level, "request", attributes...)
}

// log writes a line of a failure that names the request.
func (x *Exchange) log(what string, attributes ...any) {
	logger := x.server.logger.With("request_id", x.id, "route", x.route)
	if id := x.Trace.ID(); id != "" {
		logger = logger.With("trace_id", id)
	}
	logger.Error(what, attributes...)
}

// flooded reports whether a refusal is one too many of its window to be written. The first of a
// window has them counted at its end.
func (l *requestLog) flooded(x *Exchange) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	f := l.floods[x.by]
	if f == nil {
		f = &flood{by: x.by, caller: x.caller}
		if l.floods == nil {
			l.floods = map[uuid.UUID]*flood{}
		}
		l.floods[x.by] = f
		time.AfterFunc(floodWindow, func() { l.subsided(f) })
	}
	if f.written < refusedLines {
		f.written++
		return false
	}
	f.counted++
	return true
}

// subsided ends a window, and says how much of it was not written.
func (l *requestLog) subsided(f *flood) {
	l.mutex.Lock()
	delete(l.floods, f.by)
	l.mutex.Unlock()
	if f.counted == 0 {
		return
	}
	attributes := append([]slog.Attr{slog.Int("count", f.counted), slog.Duration("within", floodWindow)}, f.caller...)
	l.logger.LogAttrs(context.Background(), slog.LevelWarn, "more requests were refused", attributes...)
}

// known is a method of HTTP by its name, and any other text by none of its own.
func known(method string) string {
	switch method {
	case nethttp.MethodGet, nethttp.MethodHead, nethttp.MethodPost, nethttp.MethodPut, nethttp.MethodPatch,
		nethttp.MethodDelete, nethttp.MethodConnect, nethttp.MethodOptions, nethttp.MethodTrace:
		return method
	}
	return "other"
}
