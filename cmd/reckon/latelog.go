package main

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"
)

const (
	// logDelay is how long a line of the log may wait for others.
	logDelay = 100 * time.Millisecond
	// logRoom is how many bytes of lines wait at most.
	logRoom = 32 << 10
)

// lateLog hands lines on together: a call of the system for the line of each request takes longer than most reads. Warnings
// and errors go out at once, behind all that came before them. A process that is killed loses what was logged within
// logDelay.
type lateLog struct {
	slog.Handler // writes to lines
	lines        *lines
}

func (h lateLog) Handle(ctx context.Context, r slog.Record) error {
	err := h.Handler.Handle(ctx, r)
	if r.Level >= slog.LevelWarn {
		h.lines.flush()
	}
	return err
}

func (h lateLog) WithAttrs(attributes []slog.Attr) slog.Handler {
	return lateLog{h.Handler.WithAttrs(attributes), h.lines}
}

func (h lateLog) WithGroup(name string) slog.Handler {
	return lateLog{h.Handler.WithGroup(name), h.lines}
}

// lines gathers what is written to it.
type lines struct {
	out io.Writer

	mu      sync.Mutex
	waiting []byte
	due     bool // a flush is to come
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, p...)
	switch {
	case len(l.waiting) >= logRoom:
		l.write()
	case !l.due:
		l.due = true
		time.AfterFunc(logDelay, l.flush)
	}
	return len(p), nil
}

func (l *lines) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.due = false
	l.write()
}

// write drops what cannot be written: there is no other place to say so.
func (l *lines) write() {
	if len(l.waiting) == 0 {
		return
	}
	_, _ = l.out.Write(l.waiting)
	l.waiting = l.waiting[:0]
}
