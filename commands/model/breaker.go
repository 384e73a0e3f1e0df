package model

import (
	"sync"
	"time"
)

const (
	breakAfter = 3           // failures in a row after which the model is not asked
	breakFor   = time.Minute // how long it is not asked then
)

// breaker is a circuit breaker. It is closed until so many questions in a row have failed, open for
// a while then, and half-open after that: a single question tries whether the model is back. All
// workers of a node share one. The zero value is closed.
type breaker struct {
	mutex    sync.Mutex
	failures int       // in a row
	until    time.Time // that it is open, after enough failures
	trying   bool      // the one question of a half-open breaker is out
}

// verdict is what a question tells about the model's server.
type verdict int

const (
	unknown verdict = iota // it was given up before the server had its time
	alive
	failing
)

// begin reports whether a question may be asked, and whether it is the one that tries. Each that
// may be asked is to be ended.
func (b *breaker) begin(now time.Time) (may, trial bool) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	switch {
	case b.failures < breakAfter:
		return true, false
	case b.trying || now.Before(b.until):
		return false, false
	}
	b.trying = true
	return true, true
}

// end takes in what a question told, and reports whether that has opened the breaker or closed it.
// What was asked before it opened and fails behind that does not prolong it.
func (b *breaker) end(now time.Time, trial bool, v verdict) (opened, closed bool) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if trial {
		b.trying = false
	}
	open := b.failures >= breakAfter
	switch {
	case v == alive:
		b.failures = 0
		return false, open
	case v == failing && (trial || !open):
		if b.failures++; b.failures >= breakAfter {
			b.failures, b.until = breakAfter, now.Add(breakFor)
			return !open, false
		}
	}
	return false, false
}
