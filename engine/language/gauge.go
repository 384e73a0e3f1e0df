package language

import (
	"slices"
	"strings"

	"reckon/engine/units"
)

// nearGauge is how many words may stand between "gauge" and a pressure that it says something
// of.
const nearGauge = 4

// saidGauge reports whether a word beside a pressure says that it is one above the atmosphere,
// while the amount is read as absolute: "a gauge pressure of 5 atm", "2 kgf/cm² on the gauge".
// Domains with gauge pressures say which of their variables are meant.
func (s *search) saidGauge(r *reading, from, to int) bool {
	table := s.vocabulary.domain.Table
	if r.unit == nil || r.unit.IsPoint() || r.unit.Dimension() != table.Lookup("Pa").Dimension() || isAbsolutePressure(table, r.unit) {
		return false
	}
	if slices.ContainsFunc(s.vocabulary.terms, func(t term) bool { return t.unit.IsAbsolute() && t.unit.Dimension() == r.unit.Dimension() }) {
		return false
	}
	tokens := s.prose.tokens
	for i := max(0, from-nearGauge-1); i < min(len(tokens), to+nearGauge+1); i++ {
		if (i < from || i >= to) && tokens[i].is("gauge") {
			return true
		}
	}
	return false
}

// absoluteEnding is what the symbols of absolute pressures have behind those of their units.
const absoluteEnding = "a"

// isAbsolutePressure is true of psia, bara and the like.
func isAbsolutePressure(table *units.Table, u *units.Unit) bool {
	plain, ok := strings.CutSuffix(u.Symbol(), absoluteEnding)
	base := table.Lookup(plain)
	return ok && plain != "" && base != nil && base.Dimension() == u.Dimension()
}
