package main

import (
	"bytes"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// linesSeen counts the lines that were written to it.
type linesSeen struct{ lines atomic.Int64 }

func (w *linesSeen) Write(p []byte) (int, error) {
	w.lines.Add(int64(bytes.Count(p, []byte("\n"))))
	return len(p), nil
}

func TestLateLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out linesSeen
		c := serveCommand{LogLevel: "info", LogFormat: "json"}
		logger, flush := c.logger(terminal{err: &out})
		has := func(lines int) {
			t.Helper()
			if n := int(out.lines.Load()); n != lines {
				t.Errorf("%d lines are written, want %d", n, lines)
			}
		}
		logger.Info("one")
		logger.With("a", 1).WithGroup("g").Info("two", "b", 2)
		has(0)
		time.Sleep(logDelay)
		synctest.Wait()
		has(2)
		logger.Info("three")
		logger.With("a", 1).Warn("four")
		has(4)
		logger.Info("five")
		flush()
		has(5)
		logger.Info("six", "long", strings.Repeat("x", logRoom))
		has(6)
		for i, level := range []slog.Level{slog.LevelDebug, slog.LevelError} {
			logger.Log(t.Context(), level, "seven")
			has(6 + i)
		}
	})
}
