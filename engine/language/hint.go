package language

import (
	"slices"
	"strings"

	"reckon/engine"
	"reckon/engine/units"
)

// sides reports whether a number is one of "5 by 4" or "5 x 4 x 3".
func (s *search) sides(q *quantity) bool {
	joins := func(at, beyond int) bool {
		if at < 0 || at >= len(s.prose.tokens) || beyond < 0 || beyond >= len(s.prose.tokens) || s.prose.within[beyond] < 0 {
			return false
		}
		return s.prose.tokens[at].is("sides")
	}
	return joins(q.to, q.to+1) || joins(q.from-1, q.from-2)
}

// prepositionScore is what the word before a bare number tells about it: one is "at" a speed, a
// price or a rate, never at a distance; and things last "for" or "over" a time.
func (s *search) prepositionScore(at int, t *term) float64 {
	if at == 0 {
		return 0
	}
	before := &s.prose.tokens[at-1]
	rated, d := before.is("at rate"), t.dimension
	switch {
	case rated && t.kind == percentKind:
		return s.weights.ForRate
	case rated && (t.moment() || t.dimensional && (d == units.Temperature || len(d.Currencies()) > 0)):
		return s.weights.ForLevel
	case rated && t.dimensional && (strings.Contains(d.Name(), "/") || d == units.Length.Div(units.Time)):
		return s.weights.ForRate
	case rated && t.dimensional && (d == units.Length || d == units.Time || d == units.Mass):
		return s.weights.AgainstSize
	case before.is("lasts") && (t.kind == durationKind || t.dimensional && d == units.Time && !t.moment()):
		return s.weights.ForLasting
	}
	return 0
}

// endScore tells the two ends of something apart that have the same unit: it goes "from" the start
// "to" the end.
func (s *search) endScore(at int, t *term) float64 {
	if at == 0 || !t.start && !t.end {
		return 0
	}
	from, to := s.prose.tokens[at-1].is("origin"), s.prose.tokens[at-1].is("goal")
	switch {
	case from && t.start, to && t.end:
		return s.weights.ForEnd
	case from || to:
		return s.weights.AgainstEnd
	}
	return 0
}

// period reports whether "in a year" or "over a month" gives a variable that counts days, weeks,
// months or years its value. It does not where the words name another variable, such as a monthly
// payment.
func (s *search) period(q *quantity, variable int) bool {
	t := &s.vocabulary.terms[variable]
	if !q.weak || q.from == 0 || t.counted == nil || len(q.readings) == 0 || q.readings[0].kind != kindDuration || !s.vocabulary.tables.isCalendar(t.counted) || !s.vocabulary.tables.isCalendar(q.readings[0].unit) {
		return false
	}
	return s.prose.tokens[q.from-1].is("throughout") && !slices.ContainsFunc(s.prose.mentions, func(m mention) bool {
		return m.variable != variable && m.from < q.to && q.from < m.to && m.weight >= s.weights.LeastOtherOne
	})
}

// isCalendar reports whether a unit moves a day.
func (t *tables) isCalendar(unit *units.Unit) bool {
	return t.exactly("calendar", unit.Symbol()) != nil
}

// prior is what speaks for a variable before any words do: people give what equations are made of,
// seldom what they yield, and seldom what has a default.
func (s *search) prior(t *term) float64 {
	var prior float64
	switch {
	case t.final:
		prior += s.weights.AgainstFinal
	case t.output:
		prior += s.weights.AgainstOutput
	}
	if t.fallback {
		prior += s.weights.AgainstFallback
	}
	return prior
}

// denied reports whether the words right behind "no" name a variable.
func (s *search) denied(q *quantity, variable int) bool {
	from := q.to
	if from < len(s.prose.tokens) && s.prose.tokens[from-1].is("without") && s.prose.tokens[from].is("any of") && !s.prose.tokens[from].is("definite") {
		from++
	}
	return slices.ContainsFunc(s.prose.mentions, func(m mention) bool {
		return m.variable == variable && m.from == from && m.weight >= s.weights.LeastDenied
	})
}

// foreignNoun reports whether a token is a noun that nothing in the domain, and no table, knows.
func (s *search) foreignNoun(at int) bool {
	p := s.prose
	return at < len(p.tokens) && p.tokens[at].kind == word && p.meaning[at] == content && p.known[at] == asNothing
}

// inBase reports whether a variable has a value in the scenario that is built on, given or assumed.
func (s *search) inBase(variable int) bool {
	v := s.baseValue(variable)
	return v != nil && v.Source != engine.Calculated
}

func (s *search) baseValue(variable int) *engine.ScenarioValue {
	if s.base == nil {
		return nil
	}
	return valueIn(s.base, variable)
}

// valueIn is the value that a variable has in a scenario, nil for none.
func valueIn(scenario *engine.Scenario, variable int) *engine.ScenarioValue {
	for i := range scenario.Values {
		if scenario.Values[i].Variable == variable {
			return &scenario.Values[i]
		}
	}
	return nil
}

// sizes are those of an earlier value and of one that is said now, in one unit; 0 where they cannot
// be compared.
func (s *search) sizes(v *engine.ScenarioValue, r *reading) (old, now float64) {
	was := v.Value.Quantity()
	switch r.kind {
	case kindNumber, kindPercent:
		old, now = was.Number.Float64(), r.number.Float64()
		if s.vocabulary.terms[v.Variable].kind == percentKind {
			old *= 100
		}
	case kindMeasure, kindMoney, kindDuration:
		if q, ok := inUnit(was, r.unit); ok && was.Unit != nil {
			old, now = q.Number.Float64(), r.number.Float64()
		}
	}
	return old, now
}

// justSaid reports whether a value is what the request before stated, while others were carried.
func (s *search) justSaid(v *engine.ScenarioValue) bool {
	if v.Source != engine.UserInput || v.Historical {
		return false
	}
	return slices.ContainsFunc(s.base.Values, func(o engine.ScenarioValue) bool { return o.Source == engine.UserInput && o.Historical })
}

// baseScore prefers variables that the conversation has spoken of, and among them those whose value
// is of the same size.
func (s *search) baseScore(variable int, q *quantity) float64 {
	v := s.baseValue(variable)
	if v == nil || v.Value.Rank != 0 {
		return 0
	}
	var score float64
	switch v.Source {
	case engine.UserInput:
		score = s.weights.ForBase
	case engine.DefaultValue:
		score = s.weights.ForAssumed
	default:
		score = s.weights.AgainstFound
	}
	if s.justSaid(v) {
		score += s.weights.ForJustSaid
	}
	if old, now := s.sizes(v, &q.readings[0]); now > 0 {
		if old > 0 && now > 0 {
			switch ratio := max(old/now, now/old); {
			case ratio <= 2:
				score += s.weights.ForSameSize
			case ratio <= 4:
				score += s.weights.ForNearSize
			case ratio > 30:
				score += s.weights.AgainstFarSize
			case ratio > 8:
				score += s.weights.AgainstSizes
			}
		}
	}
	return score
}
