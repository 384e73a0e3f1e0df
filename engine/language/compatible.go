package language

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"reckon/engine"
	"reckon/engine/decimal"
	"reckon/engine/input"
	"reckon/engine/prompt"
	"reckon/engine/units"
	"reckon/engine/value"
)

// given is a value of a variable from its text, in the grammar of structured text.
func (v *Vocabulary) given(variable int, text string, env value.Env) (engine.Given, []value.Error) {
	written := value.Scalar(text)
	if v.terms[variable].table || strings.HasPrefix(text, "[") {
		cells, errs := prompt.InlineTable(v.domain.Variables[variable].Key, text)
		if len(errs) > 0 {
			return engine.Given{}, errs
		}
		written = cells
	}
	read, normal, errs := input.ParseInput(&v.domain.Scope, variable, written, env)
	return engine.Given{Variable: variable, Value: read, Normal: normal}, errs
}

// compatible says whether a reading can be a value of a variable, how well it fits before any words
// are looked at, and the value as structured text has it.
func (s *search) compatible(variable int, q *quantity, r *reading) (text string, score float64, ok bool) {
	switch r.kind {
	case kindDate, kindDatetime, kindClock:
		text, score = s.momentFor(variable, r)
	case kindPercent:
		text, score = s.percentFor(variable, r)
	case kindNumber:
		text, score = s.numberFor(variable, r)
	case kindLabel:
		text, score = s.labelFor(variable, r)
	case kindTable:
		text, score = r.text, s.weights.ForDimension
	default:
		text, score = s.measureFor(variable, q, r)
	}
	if text == "" {
		return "", 0, false
	}
	if r.weak {
		score += s.weights.AgainstGuess
	}
	if _, errs := s.vocabulary.given(variable, text, s.env); len(errs) > 0 {
		return "", 0, false
	}
	return text, score, true
}

// momentFor is a date or time of day as the value of a variable, and how well it fits; "" where it
// cannot be one.
func (s *search) momentFor(variable int, r *reading) (string, float64) {
	switch kind := s.vocabulary.terms[variable].kind; {
	case kind == datetimeKind, kind == dateKind && r.kind == kindDate, kind == timeKind && r.kind == kindClock:
		return r.text, s.weights.ForDimension
	case kind == durationKind && r.kind == kindClock:
		return s.span(variable, r.text), s.weights.AgainstClock
	}
	return "", 0
}

// span is "4:30" as a length of time: minutes and seconds where that is much nearer to the earlier
// value or the default of the variable, else hours and minutes.
func (s *search) span(variable int, text string) string {
	hours, minutes, ok := strings.Cut(text, ":")
	h, errH := strconv.Atoi(hours)
	m, errM := strconv.Atoi(minutes)
	if !ok || errH != nil || errM != nil {
		return text
	}
	var usual value.Value
	if v := s.baseValue(variable); v != nil {
		usual = v.Value
	} else if def := &s.vocabulary.domain.Variables[variable]; def.Default.IsEmpty() {
		return text
	} else if in, errs := s.vocabulary.given(variable, def.Default.Scalar(), s.env); len(errs) == 0 {
		usual = in.Value
	}
	q, single := usual.Single()
	if !single || q.Unit == nil {
		return text
	}
	was, short := q.SI(decimal.NewContext(10_000)).Float64(), float64(60*h+m)
	far := func(seconds float64) float64 { return max(seconds/was, was/seconds) }
	if was <= 0 || short <= 0 || far(short)*nearerSpan > far(60*short) {
		return text
	}
	return fmt.Sprintf("0:%02d:%02d", h, m)
}

// nearerSpan is how many times nearer minutes and seconds are where they are meant.
const nearerSpan = 8

// percentFor is momentFor of a percentage.
func (s *search) percentFor(variable int, r *reading) (string, float64) {
	switch t := &s.vocabulary.terms[variable]; {
	case t.kind == percentKind:
		return r.text, s.weights.ForDimension
	case t.kind == numberKind && t.dimensional && t.dimension.IsNone() && !t.counts:
		return r.text, s.weights.AgainstFraction
	}
	return "", 0
}

// The size of a number from which it is so many percent, no share, and that of more than any
// percentage.
const (
	leastPercents = 1
	wholePercents = 100
	mostPercents  = 1000
)

// numberFor is momentFor of a bare number. It takes the unit that the variable has, or had in the
// scenario.
func (s *search) numberFor(variable int, r *reading) (text string, score float64) {
	t := &s.vocabulary.terms[variable]
	switch {
	case t.moment():
		return "", 0
	case t.kind == percentKind:
		size := r.number.Abs().Float64()
		if size > mostPercents {
			return "", 0
		}
		if text = r.text; size >= leastPercents {
			text += "%"
		}
		if size > wholePercents {
			score = s.weights.AgainstWhole
		}
		return text, score + s.weights.AgainstShare
	case t.dimensional && t.dimension.IsNone() && (t.unit == nil || t.unit.IsOne()):
		if s.base != nil {
			return r.text, s.weights.ForBaseNumber
		}
		return r.text, s.weights.ForPlainNumber
	case t.kind == durationKind:
		text = s.durationText(variable, r)
	default:
		text = r.text
		if unit := s.unitOf(variable); unit != nil {
			text += " " + unit.Symbol()
		}
	}
	if s.base == nil {
		score = s.weights.AgainstBare
	}
	return text, score
}

// unitOf is the unit of a variable in the scenario that is built on, else its own; nil for none.
func (s *search) unitOf(variable int) *units.Unit {
	if v := s.baseValue(variable); v != nil && v.Value.Rank == 0 && v.Value.Quantity().Unit != nil {
		return v.Value.Quantity().Unit
	}
	return s.vocabulary.terms[variable].unit
}

// measureFor is momentFor of an amount with a unit.
func (s *search) measureFor(variable int, q *quantity, r *reading) (string, float64) {
	t := &s.vocabulary.terms[variable]
	if t.moment() || t.kind == percentKind || t.kind == durationKind && r.unit.Dimension() != units.Time {
		return "", 0
	}
	plain := t.dimensional && t.dimension.IsNone() && (t.unit == nil || t.unit.IsOne())
	named := *q
	if isRate(r.unit) {
		named.to-- // "4% per year" is no number of years
	}
	if (plain || !t.dimensional && t.unit == nil) && !(r.kind == kindDuration && t.perTime) && s.unitCounted(variable, &named) {
		return r.number.String(), s.weights.ForDimension // "30 years" for a plain number of years: the word of the unit names the variable
	}
	if t.counted != nil && t.dimension.IsNone() && r.unit.Dimension() == units.Time {
		n, ok := inUnit(units.Quantity{Number: r.number, Unit: r.unit}, t.counted)
		if !ok || !n.Number.IsInteger() {
			return "", 0
		}
		return n.Number.String(), s.weights.ForDimension // "30 years" for a number of months
	}
	if gauge := s.vocabulary.domain.Table.Gauge(r.unit); gauge != nil && t.unit.IsAbsolute() {
		return r.number.String() + " " + gauge.Symbol(), s.weights.ForDimension // "a gauge pressure of 5 bar"
	}
	if text := s.difference(variable, r); text != "" {
		return text, s.weights.ForDimension
	}
	if t.dimensional && (r.unit.Dimension() == t.dimension || units.Compatible(r.unit, t.unit)) {
		if r.kind == kindDuration {
			return s.span(variable, r.text), s.weights.ForDimension
		}
		return r.text, s.weights.ForDimension
	}
	if turning := s.withoutTurns(r, t); turning != nil {
		return r.number.String() + " " + turning.Symbol(), s.weights.ForDimension // "90 rpm" for turns per minute
	}
	if r.kind == kindMeasure && s.unitNames(variable, &quantity{from: q.to - 1, to: q.to}) {
		if unit := s.withoutTime(variable, q, r); unit != nil {
			return r.number.String() + " " + unit.Symbol(), s.weights.ForDimension // "4200 kWh a year" for a yearly energy
		}
	}
	if t.period != nil && r.unit.Div(t.period).Dimension() == t.dimension {
		return r.number.String() + " " + r.unit.Div(t.period).Symbol(), s.weights.ForMoneyEach // "2300 kcal" for a daily burn
	}
	if r.kind == kindMoney && t.dimensional && !t.money() {
		if text := s.perMoney(r, variable); text != "" {
			return text, s.weights.ForMoneyEach // "$12" for a price each
		}
	}
	if t.dimensional && s.sameMoney(r.unit, t) {
		return r.text, s.weights.ForOtherMoney
	}
	if unit := s.withMoney(r, t); unit != nil {
		return r.number.String() + " " + unit.Symbol(), s.weights.ForMoneyPer // "3.75 a gallon"
	}
	if !t.dimensional {
		return r.text, s.weights.AgainstUnknown
	}
	return "", 0
}

// difference is a temperature as the value of a variable that is a difference by its unit and its
// name, "a rise of 50 degrees" in kelvins; "" for others.
func (s *search) difference(variable int, r *reading) string {
	t := &s.vocabulary.terms[variable]
	if t.unit == nil || t.unit.IsPoint() || r.unit.Dimension() != units.Temperature || !r.unit.IsPoint() || !s.differs(variable, "") {
		return ""
	}
	return r.number.String() + " " + r.unit.Difference().Symbol()
}

// sameMoney reports whether a unit is a variable's but for the currency.
func (s *search) sameMoney(u *units.Unit, t *term) bool {
	from, to := u.Dimension().Currencies(), t.dimension.Currencies()
	return len(from) == 1 && len(to) == 1 && u.Dimension().WithCurrency(from[0], to[0]) == t.dimension
}

// withMoney is the unit of an amount whose currency is not said, for a variable that is money per
// something; nil where it is not.
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

// isRate reports whether a unit is one of something by something else.
func isRate(unit *units.Unit) bool {
	return slices.ContainsFunc(unit.Terms(), func(t units.Term) bool { return t.Num < 0 })
}

// revolution is one turn.
const revolution = "rev"

// withoutTurns is the unit of a speed of turning for a variable that counts turns in a time, nil
// where it is not.
func (s *search) withoutTurns(r *reading, t *term) *units.Unit {
	turn := s.vocabulary.domain.Units().Lookup(revolution)
	if turn == nil || t.unit == nil || !t.dimensional || r.unit.Dimension() != t.dimension.Mul(units.Angle) {
		return nil
	}
	one, ok := inUnit(units.Quantity{Number: decimal.Int(1), Unit: r.unit}, turn.Mul(t.unit))
	if !ok || one.Number.Cmp(decimal.Int(1)) != 0 {
		return nil
	}
	return t.unit
}

// withoutTime is the unit of a rate without what it is per, for a variable whose name says that;
// nil where it is not.
func (s *search) withoutTime(variable int, q *quantity, r *reading) *units.Unit {
	t := &s.vocabulary.terms[variable]
	if (t.dimension == units.Time || t.counted != nil) && s.unitNames(variable, &quantity{from: q.to - 1, to: q.to}) {
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

// perMoney is an amount of money as the value of a variable that is money per something, in the
// variable's own unit but for the currency; "" where it cannot be.
func (s *search) perMoney(r *reading, variable int) string {
	t := &s.vocabulary.terms[variable]
	codes, mine := t.dimension.Currencies(), r.unit.Dimension().Currencies()
	unit := s.unitOf(variable)
	if len(codes) != 1 || len(mine) != 1 || unit == nil || t.dimension.WithCurrency(codes[0], mine[0]).Div(r.unit.Dimension()).Currencies() != nil {
		return ""
	}
	if now := unit.Dimension().Currencies(); len(now) == 1 {
		unit = s.vocabulary.domain.Units().WithCurrency(unit, now[0], mine[0])
	}
	return r.number.String() + " " + unit.Symbol()
}

// durationText is a bare number for a duration, in the unit that its earlier value or its default
// would be said in; "" where that is not known.
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
	return slices.ContainsFunc(s.prose.tokens[q.from:q.to], func(t token) bool {
		return !t.is("grammar") && slices.ContainsFunc(s.vocabulary.terms[variable].names, func(n name) bool { return slices.Contains(n.words, t.stem) })
	})
}

// unitCounted is unitNames where the name has the word in the plural: 30 years for "Years of
// saving", but not 3 days for "Daily visits".
func (s *search) unitCounted(variable int, q *quantity) bool {
	of := s.vocabulary.tables
	return slices.ContainsFunc(s.prose.tokens[q.from:q.to], func(t token) bool {
		return !t.is("grammar") && slices.ContainsFunc(names(&s.vocabulary.domain.Variables[variable]), func(text string) bool {
			return slices.ContainsFunc(splitWords(text), func(w string) bool { return of.plurals(w) && of.stem(w) == t.stem })
		})
	})
}
