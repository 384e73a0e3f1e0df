package language

import (
	"reckon/engine/units"
)

// namedPeriod is the unit of time that a variable is measured by where its name says so, nil where
// it does not.
func (of *tables) namedPeriod(t *term, table *units.Table) *units.Unit {
	if t.unit == nil {
		return nil
	}
	for _, part := range t.unit.Terms() {
		if part.Num != -1 || part.Den != 1 || part.Unit.Dimension() != units.Time {
			continue
		}
		for w := range t.stems() {
			if unit, n := of.scanUnit(of.tokenize(w), 0, table); n == 1 && sameUnit(unit, part.Unit) {
				return unit
			}
		}
	}
	return nil
}

// countedTime is the unit of time that a name ends in, as that of a number of them does: "Months",
// "term_in_years", not "Hours a day"; nil for none.
func (of *tables) countedTime(name string, table *units.Table) *units.Unit {
	list := splitWords(name)
	last := len(list) - 1
	if last < 0 || !of.plurals(list[last]) || last > 0 && of.wordIs(list[last-1], "per word") {
		return nil
	}
	unit, n := of.scanUnit(of.tokenize(list[last]), 0, table)
	if n != 1 || unit.Dimension() != units.Time {
		return nil
	}
	return unit
}
