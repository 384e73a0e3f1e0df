package language

import (
	"slices"

	"reckon/engine/units"
)

// own marks the words of a prompt that the names of the domain are made of where the table of units
// would read them as a unit that the domain has no use for: the lines of an order, the rolls of a
// bakery, the cups of a roaster who weighs them.
func (v *Vocabulary) own(tokens []token) {
	s := v.tables.newScanner(tokens, v.domain.Units(), v.currency)
	for i := range tokens {
		t := &tokens[i]
		if t.kind != word || len(t.text) < shortestOwn && t.text == t.fold || v.rarity[t.stem] == 0 || t.is("grammar") {
			continue
		}
		senses := s.named(i, true)
		t.own = len(senses) > 0 && senses[0].n == 1 && !slices.ContainsFunc(senses, func(f found) bool { return v.measures(f, t) })
	}
}

// shortestOwn is how many letters a word has that is no symbol of a unit, unless it is written in
// capitals: a server of 2U.
const shortestOwn = 3

// measures reports whether the domain has a use for a unit that a word names: it is money, a unit
// of the domain's own, that of a variable, or a common one of a dimension that some variable is
// made of.
func (v *Vocabulary) measures(f found, t *token) bool {
	if f.unit == units.One || f.typo {
		return false
	}
	if isCurrency(f.unit) || percentUnit(f.unit) || v.domain.Units().Lookup(t.text) != units.Standard().Lookup(t.text) {
		return true
	}
	if f.unit.Dimension() == units.Time {
		return true
	}
	common := t.is("common unit")
	return slices.ContainsFunc(v.terms, func(m term) bool {
		if m.dimensional && common && m.dimension == f.unit.Dimension() {
			return true
		}
		return m.unit != nil && slices.ContainsFunc(m.unit.Terms(), func(part units.Term) bool {
			return part.Unit == f.unit || common && part.Unit.Dimension() == f.unit.Dimension()
		})
	})
}
