package value

import (
	"strings"
	"time"

	"reckon/engine/decimal"
)

// Env is what a calculation knows of the outside, all of it in the command.
type Env struct {
	Now    time.Time      // the instant, cut to whole seconds
	Zone   *time.Location // decides what today and now mean; nil is UTC
	Budget int            // cost units; 0 means the limit of 1,000,000

	// Rest is called every 50 to 250 microseconds while a calculation goes on, so that it can make way
	// for others: the scheduler alone would let it keep a processor for 10 ms at a time. It is nil
	// where nobody waits. What is calculated does not depend on it.
	Rest func()

	Meter *Meter // what is left of the budget, nil outside of a calculation
}

// Moment is now as seconds of a naive wall clock in the zone.
func (e Env) Moment() int64 {
	zone := e.Zone
	if zone == nil {
		zone = time.UTC
	}
	now := e.Now.In(zone)
	_, offset := now.Zone()
	return now.Unix() + int64(offset)
}

// Today is the midnight that began the day of now, as seconds of a naive wall clock in the zone.
func (e Env) Today() int64 {
	now := e.Moment()
	return now - Mod(now, SecondsPerDay)
}

const SecondsPerDay = 24 * 60 * 60

// Mod is the remainder with the sign of b.
func Mod(a, b int64) int64 { return ((a % b) + b) % b }

const (
	// DefaultBudget is the number of cost units that a calculation may spend where nothing else is
	// said.
	DefaultBudget = 1_000_000
	// ParseBudget is the number of cost units that reading or comparing one value may take.
	ParseBudget = 1_000_000
	// MaxSeveral is how many values one input may have at once.
	MaxSeveral = 20
	// MaxCells is how many cells a table may have.
	MaxCells = 100_000
)

// Limit is the number of cost units that a calculation may spend.
func (e Env) Limit() int {
	if e.Budget > 0 {
		return e.Budget
	}
	return DefaultBudget
}

// Context is what calculates with a budget.
func (e Env) Context(budget int) *decimal.Context {
	c := decimal.NewContext(budget)
	c.Rest = e.Rest
	return c
}

// Metered is e for a calculation, with a meter of its own unless it is part of one that has a
// meter.
func (e Env) Metered() Env {
	if e.Meter == nil {
		e.Meter = &Meter{Left: e.Limit(), env: e}
	}
	return e
}

// IsMomentWord reports whether a text is one of the words that stand for the moment of a
// calculation.
func IsMomentWord(text string) bool {
	return strings.EqualFold(text, "today") || strings.EqualFold(text, "now")
}
