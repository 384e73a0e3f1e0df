package language

import (
	"reckon/engine/input"
	"reckon/engine/units"
	"reckon/engine/value"
)

// compatible says whether a reading can be a value of a variable, how well it fits before any words are looked at, and the value
// as structured text has it.
func (s *search) compatible(variable int, q *quantity, r *reading) (text string, score float64, ok bool) {
	t := &s.vocabulary.terms[variable]
	text = r.text
	if r.weak {
		score += s.weights.AgainstGuess
	}
	switch r.kind {
	case kindDate, kindDatetime, kindClock:
		switch {
		case t.kind == datetimeKind, t.kind == dateKind && r.kind == kindDate, t.kind == timeKind && r.kind == kindClock:
			score += s.weights.ForDimension
		case t.kind == durationKind && r.kind == kindClock:
			score += s.weights.AgainstClock
		default:
			return "", 0, false
		}
	case kindPercent:
		switch {
		case t.kind == percentKind:
			score += s.weights.ForDimension
		case t.kind == numberKind && t.dimensional && t.dimension.IsNone() && !t.counts:
			score += s.weights.AgainstFraction
		default:
			return "", 0, false
		}
	case kindNumber:
		switch {
		case t.moment():
			return "", 0, false
		case t.kind == percentKind:
			switch size := r.number.Abs().Float64(); {
			case size > 1000:
				return "", 0, false
			case size > 100:
				score += s.weights.AgainstWhole
				fallthrough
			case size >= 1:
				text += "%"
			}
			score += s.weights.AgainstShare
		case t.dimensional && t.dimension.IsNone() && (t.unit == nil || t.unit.IsOne()):
			if s.base != nil {
				score += s.weights.ForBaseNumber
			} else {
				score += s.weights.ForPlainNumber
			}
		default:
			if v := s.baseValue(variable); v != nil && v.Value.Rank == 0 && v.Value.Quantity().Unit != nil && t.kind != durationKind {
				text += " " + v.Value.Quantity().Unit.Symbol()
			} else if t.unit != nil && t.kind != durationKind {
				text += " " + t.unit.Symbol()
			}
			if t.kind == durationKind {
				if text = s.durationText(variable, r); text == "" {
					return "", 0, false
				}
			}
			if s.base == nil {
				score += s.weights.AgainstBare
			}
		}
	default: // a measure or money
		if t.moment() || t.kind == percentKind {
			return "", 0, false
		}
		if t.kind == durationKind && r.unit.Dimension() != units.Time {
			return "", 0, false
		}
		switch {
		case t.dimensional && t.dimension.IsNone() && (t.unit == nil || t.unit.IsOne()) && s.unitNames(variable, q):
			text = r.number.String() // "30 years" for a plain number of years: the word of the unit names the variable
			score += s.weights.ForDimension
		case t.counted != nil && t.dimension.IsNone() && r.unit.Dimension() == units.Time:
			n, ok := inUnit(units.Quantity{Number: r.number, Unit: r.unit}, t.counted)
			if !ok || !n.Number.IsInteger() {
				return "", 0, false
			}
			text = n.Number.String() // "30 years" for a number of months
			score += s.weights.ForDimension
		case t.dimensional && (r.unit.Dimension() == t.dimension || units.Compatible(r.unit, t.unit)):
			score += s.weights.ForDimension
		case r.kind == kindMeasure && s.unitNames(variable, q) && s.withoutTime(variable, q, r) != nil:
			text = r.number.String() + " " + s.withoutTime(variable, q, r).Symbol() // "4200 kWh a year" for a yearly energy
			score += s.weights.ForDimension
		case r.kind == kindMoney && t.dimensional && !t.money() && s.perMoney(r, variable) != "":
			text = s.perMoney(r, variable) // "$12" for a price each
			score += s.weights.ForMoneyEach
		case t.dimensional && s.sameMoney(r.unit, t):
			score += s.weights.ForOtherMoney
		case s.withMoney(r, t) != nil:
			text = r.number.String() + " " + s.withMoney(r, t).Symbol() // "3.75 a gallon"
			score += s.weights.ForMoneyPer
		case !t.dimensional:
			score += s.weights.AgainstUnknown
		default:
			return "", 0, false
		}
	}
	if _, _, errs := input.ParseValue(&s.vocabulary.domain.Scope, variable, value.Scalar(text), s.env); len(errs) > 0 {
		return "", 0, false
	}
	return text, score, true
}

// sameMoney reports whether a unit is a variable's but for the currency.
func (s *search) sameMoney(u *units.Unit, t *term) bool {
	from, to := u.Dimension().Currencies(), t.dimension.Currencies()
	return len(from) == 1 && len(to) == 1 && u.Dimension().WithCurrency(from[0], to[0]) == t.dimension
}

// withMoney is the unit of an amount whose currency is not said, for a variable that is money per something; nil where it is not.
func (s *search) withMoney(r *reading, t *term) *units.Unit {
	codes := t.dimension.Currencies()
	if !t.dimensional || len(codes) != 1 || r.unit.Dimension().IsNone() {
		return nil
	}
	currency, err := s.vocabulary.domain.Units().Parse(codes[0])
	if err != nil || currency.Mul(r.unit).Dimension() != t.dimension {
		return nil
	}
	return currency.Mul(r.unit)
}

// withoutTime is the unit of a rate without what it is per, for a variable whose name says that; nil where it is not.
func (s *search) withoutTime(variable int, q *quantity, r *reading) *units.Unit {
	t := &s.vocabulary.terms[variable]
	if t.dimension == units.Time && s.unitNames(variable, &quantity{from: q.to - 1, to: q.to}) {
		return nil // "5 hours a day" are no days
	}
	for _, term := range r.unit.Terms() {
		if term.Num == -1 && term.Den == 1 && term.Unit.Dimension() == units.Time {
			if u := r.unit.Mul(term.Unit); t.dimensional && u.Dimension() == t.dimension {
				return u
			}
		}
	}
	return nil
}

// perMoney is an amount of money as the value of a variable that is money per something, in the variable's own unit but for the
// currency; "" where it cannot be.
func (s *search) perMoney(r *reading, variable int) string {
	t := &s.vocabulary.terms[variable]
	codes, mine := t.dimension.Currencies(), r.unit.Dimension().Currencies()
	unit := t.unit
	if v := s.baseValue(variable); v != nil && v.Value.Rank == 0 && v.Value.Quantity().Unit != nil {
		unit = v.Value.Quantity().Unit
	}
	if len(codes) != 1 || len(mine) != 1 || unit == nil || t.dimension.WithCurrency(codes[0], mine[0]).Div(r.unit.Dimension()).Currencies() != nil {
		return ""
	}
	if now := unit.Dimension().Currencies(); len(now) == 1 {
		unit = s.vocabulary.domain.Units().WithCurrency(unit, now[0], mine[0])
	}
	return r.number.String() + " " + unit.Symbol()
}

// durationText is a bare number for a duration, in the unit that its earlier value or its default would be said in; "" where
// that is not known.
func (s *search) durationText(variable int, r *reading) string {
	if v := s.baseValue(variable); v != nil && v.Value.Rank == 0 && v.Value.Quantity().Unit != nil {
		return r.text + " " + v.Value.Quantity().Unit.Symbol()
	}
	t := &s.vocabulary.terms[variable]
	if r.number.IsZero() {
		return "0 s"
	}
	if t.unit != nil && t.unit.Symbol() != second {
		return r.text + " " + t.unit.Symbol()
	}
	return ""
}

// unitNames reports whether the unit word of an amount is a word of a variable's name.
func (s *search) unitNames(variable int, q *quantity) bool {
	for i := q.from; i < q.to; i++ {
		if s.prose.tokens[i].is(roleGrammar) {
			continue
		}
		for _, n := range s.vocabulary.terms[variable].names {
			for _, w := range n.words {
				if w == s.prose.tokens[i].stem {
					return true
				}
			}
		}
	}
	return false
}
