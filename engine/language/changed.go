package language

import (
	"slices"
	"time"

	"reckon/engine"
	"reckon/engine/decimal"
	"reckon/engine/units"
)

// changeCandidates are the variables whose earlier value a change may be made to.
func (s *search) changeCandidates(index int, l *slot) []candidate {
	var list []candidate
	c := l.change
	if s.base == nil && l.quantity < 0 && c.sign == 0 {
		return s.shareCandidates(index, l)
	}
	if c.happened && s.foreignNoun(l.to) {
		return nil // "two trucks broke down"
	}
	for variable := range s.vocabulary.terms {
		t := &s.vocabulary.terms[variable]
		v := s.baseValue(variable)
		if v == nil || t.table || t.hidden || v.Value.Rank != 0 || c.happened && !t.number() {
			continue
		}
		evidence, linked, name := s.nameEvidence(min(c.from, l.from), max(c.to, l.to), variable, false)
		var score float64
		switch v.Source {
		case engine.UserInput:
			score += s.weights.ForBase
		case engine.DefaultValue:
			score += s.weights.AgainstAssumed
		default:
			if evidence < s.weights.LeastResult {
				continue
			}
			score += s.weights.AgainstResult
		}
		text := s.changedText(l, variable, v)
		if text == "" {
			continue
		}
		if l.quantity >= 0 && len(s.prose.quantities[l.quantity].readings) > 0 {
			r := &s.prose.quantities[l.quantity].readings[0]
			switch {
			case r.kind == kindNumber && t.counts:
				score += s.weights.ForThings // "50 more books"
			case r.kind == kindNumber && !(t.dimensional && t.dimension.IsNone()):
				score += s.weights.AgainstUnit
			case r.kind == kindMoney && !t.money():
				score += s.weights.AgainstMoney
			}
			if c.hint == wantSpeed && r.kind == kindDuration && (t.kind == durationKind || t.dimension == units.Time && !t.moment()) {
				score += s.weights.ForQuicker // "2 days quicker"
			}
		}
		if s.justSaid(v) && s.prose.tokens[min(c.to, len(s.prose.tokens)-1)].is("that one") {
			score += s.weights.ForThat // "50 more than that"
		}
		if c.hint != wantAny {
			switch fit := s.weights.fits(c.hint, t); {
			case fit >= s.weights.LeastAnswer:
				score += s.weights.ForComparison
			case fit > 0:
				score += s.weights.ForNearComparison
			case c.degree:
				continue
			default:
				score += s.weights.AgainstComparison
			}
		}
		if c.sure {
			score += s.weights.ForSureChange
		}
		list = append(list, candidate{slot: index, variable: variable, text: text, score: score + evidence, evidence: evidence, relative: true, linked: linked, name: name})
	}
	return s.lengthened(c, list)
}

// lengthened leaves "two days more" to lengths of time, where one was stated and no words name a
// moment: that would be later.
func (s *search) lengthened(c *change, list []candidate) []candidate {
	moment := func(k candidate) bool { return s.vocabulary.terms[k.variable].moment() }
	if !s.prose.tokens[c.to-1].is("more or less") || !slices.ContainsFunc(list, func(k candidate) bool {
		return !moment(k) && s.baseValue(k.variable).Source == engine.UserInput
	}) {
		return list
	}
	return slices.DeleteFunc(list, func(k candidate) bool { return moment(k) && k.evidence < s.weights.LeastNamed })
}

// shareCandidates are the percentages that a factor may be meant as where there is nothing to
// change, and words behind it name: "half of the mix rots away".
func (s *search) shareCandidates(index int, l *slot) []candidate {
	var list []candidate
	for variable := range s.vocabulary.terms {
		t := &s.vocabulary.terms[variable]
		if t.kind != percentKind || t.hidden || l.change.factor.Cmp(decimal.Int(1)) >= 0 {
			continue
		}
		evidence, linked, name := s.nameEvidence(l.change.from, l.change.to, variable, false)
		text := l.change.factor.Shown().String()
		if _, errs := s.vocabulary.given(variable, text, s.env); len(errs) > 0 || name < 0 || s.prose.mentions[name].from < l.to || evidence < s.weights.LeastWord {
			continue
		}
		list = append(list, candidate{slot: index, variable: variable, text: text, score: s.weights.ForDimension + evidence, evidence: evidence, linked: linked, name: name})
	}
	return list
}

// changedText is the value that a change makes of an earlier one, in its unit; "" where it cannot
// be made.
func (s *search) changedText(l *slot, variable int, v *engine.ScenarioValue) string {
	t := &s.vocabulary.terms[variable]
	old := v.Value.Quantity()
	ctx := decimal.NewContext(10_000)
	unit := old.Unit
	write := func(n decimal.Decimal) string {
		if ctx.Err() != nil {
			return ""
		}
		text := n.Shown().String()
		if unit != nil && !unit.IsOne() {
			text += " " + unit.Symbol()
		}
		if _, errs := s.vocabulary.given(variable, text, s.env); len(errs) > 0 {
			return ""
		}
		return text
	}
	c := l.change
	if c.sign == 0 {
		if t.moment() {
			return ""
		}
		return write(ctx.Mul(old.Number, c.factor))
	}
	q := &s.prose.quantities[l.quantity]
	points := s.points(q)
	evidence, _, _ := s.nameEvidence(min(c.from, l.from), max(c.to, l.to), variable, false)
	unsure := t.kind == percentKind && !points && evidence < s.weights.LeastPercent
	for i := range q.readings {
		r := &q.readings[i]
		by := r.number
		switch {
		case r.kind == kindPercent || r.kind == kindNumber && t.kind == percentKind:
			by = ctx.Quo(by, decimal.Int(100))
			if t.moment() || unsure || r.kind == kindPercent && c.hint == wantSpeed && t.dimension == units.Time.Div(units.Length) {
				continue
			}
			if t.kind != percentKind {
				if points {
					continue
				}
				by = ctx.Mul(old.Number, by)
			}
		case r.kind == kindNumber && i > 0 && r.unitTokens > 0: // the millions of "2 m more"
			continue
		case r.kind == kindNumber:
			if t.moment() || t.kind == durationKind || points {
				continue
			}
		case r.unit == nil:
			continue
		case r.kind == kindMoney && !t.money() && s.perMoney(r, variable) != "": // "5 cents less" of a price per kWh
		default:
			to := unit
			if to == nil {
				to = units.One
			}
			if t.counted != nil && to.IsOne() {
				to = t.counted // "a year longer" of a number of months
			}
			if text := s.laterText(variable, old, c.sign, r); text != "" {
				return text
			}
			is := r.unit.Dimension()
			if is != to.Dimension() && !(t.moment() && is == units.Time) {
				continue
			}
			difference, err := units.Convert(ctx, units.Quantity{Number: by, Unit: r.unit.Difference()}, to.Difference())
			if err != nil {
				continue
			}
			by = difference.Number
			if c.hint == wantSpeed && (is == units.Time || is == units.Time.Div(units.Length)) {
				by = by.Neg() // faster takes less time
			}
		}
		if text := write(ctx.Add(old.Number, ctx.Mul(decimal.Int(int64(c.sign)), by))); text != "" {
			return text
		}
	}
	return ""
}

// laterText is a day moved by whole months or years as the calendar has them, at the same time of
// day; "" for other variables and other lengths of time.
func (s *search) laterText(variable int, old units.Quantity, sign int, r *reading) string {
	kind := s.vocabulary.terms[variable].kind
	by := s.vocabulary.tables.exactly("calendar", r.unit.Symbol())
	count, whole := r.number.Int64()
	seconds, known := old.SI(decimal.NewContext(1000)).Int64()
	if kind != dateKind && kind != datetimeKind || by == nil || by.number(1) != 0 || !whole || !known {
		return ""
	}
	from := dayOf(seconds)
	text := moved(from, int64(sign)*count, by).text("")
	if kind == datetimeKind {
		text += "T" + time.Unix(seconds, 0).UTC().Format(time.TimeOnly)
	}
	if _, errs := s.vocabulary.given(variable, text, s.env); len(errs) > 0 {
		return ""
	}
	return text
}

// points reports whether an amount is told in percentage points.
func (s *search) points(q *quantity) bool {
	return anyIs(s.prose.tokens[q.from:min(q.to+1, len(s.prose.tokens))], "point")
}
