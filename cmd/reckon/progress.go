package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"reckon/events"
	"reckon/http/admin"
	"reckon/projections"
)

// progressLine is the progress of a long command: on a terminal a line that is written over, else a
// line now and then.
type progressLine struct {
	t       terminal
	json    bool
	what    string // that is counted
	rewrite bool
	width   int // of the line that stands on the terminal
	began   time.Time
	first   uint64    // that were done when it began
	last    time.Time // that a line was printed
}

// How often progress is printed: where lines stay, and where one is written over.
const (
	plainEvery   = 2 * time.Second
	rewriteEvery = 100 * time.Millisecond
)

func newProgressLine(t terminal, json bool, what string) *progressLine {
	now := time.Now()
	t.err = raw(t.err) // a line is written over by a carriage return; nothing that was sent is in it
	return &progressLine{t: t, json: json, what: what, rewrite: !json && isTerminal(t.err), began: now, last: now}
}

func isTerminal(w io.Writer) bool {
	f, ok := raw(w).(*os.File)
	return ok && isTerminalFile(f)
}

// isTerminalReader is isTerminal for what is read from.
func isTerminalReader(r io.Reader) bool {
	f, ok := r.(*os.File)
	return ok && isTerminalFile(f)
}

func isTerminalFile(f *os.File) bool {
	return term.IsTerminal(int(f.Fd()))
}

func (s *progressLine) progress(p projections.Progress) {
	if s.json {
		_ = s.line(map[string]any{"progress": p}) // the result tells of an output that cannot be written
		return
	}
	line := fmt.Sprintf("%s of %s %s, %s a second", grouped(p.Events), grouped(p.Total), s.what, grouped(uint64(p.Rate)))
	if p.Left >= 1 && p.Events > 1 { // the first event waits for the reader to start, which says nothing of the others
		line += ", " + (time.Duration(p.Left) * time.Second).String() + " left"
	}
	s.say(line)
}

// count shows how many of all are done since the beginning.
func (s *progressLine) count(done, total uint64) {
	every := plainEvery
	if s.rewrite {
		every = rewriteEvery
	}
	if spent := time.Since(s.began).Seconds(); done > s.first && done < total && time.Since(s.last) >= every {
		rate := float64(done-s.first) / spent
		s.progress(projections.Progress{Events: done, Total: total, Rate: rate, Left: float64(total-done) / rate})
	}
}

// heard is count of what a server tells.
func (s *progressLine) heard(value json.RawMessage) error {
	var p admin.Progress
	err := events.Unmarshal(value, &p)
	if err == nil {
		s.count(p.Done, p.Total)
	}
	return err
}

// step shows how many of all are done in a step of several.
func (s *progressLine) step(what string, done, total uint64) {
	if what != s.what {
		s.what, s.began, s.first = what, time.Now(), done
	}
	s.count(done, total)
}

// say shows a line of progress.
func (s *progressLine) say(line string) {
	switch {
	case s.rewrite:
		s.last = time.Now()
		fmt.Fprintf(s.t.err, "\r%-*s", s.width, line)
		s.width = len(line)
	case time.Since(s.last) >= plainEvery:
		s.last = time.Now()
		fmt.Fprintln(s.t.err, line)
	}
}

// end takes the line of progress off the terminal.
func (s *progressLine) end() {
	if s.width > 0 {
		fmt.Fprintf(s.t.err, "\r%*s\r", s.width, "")
		s.width = 0
	}
}

func (s *progressLine) line(v any) error { return encode(s.t.out, v, "", "") }
