package language

import (
	"slices"
	"strings"

	"reckon/engine"
	"reckon/engine/decimal"
	"reckon/engine/units"
)

// slot is an amount or a change of the prompt that some variable must take, with the variables that can.
type slot struct {
	quantity   int // -1 for a change that a word tells
	change     *change
	from, to   int
	candidates []candidate // best first
	dropped    bool        // the amount is only named to be replaced
}

// candidate is a variable that a slot may belong to.
type candidate struct {
	slot     int
	variable int
	text     string // the value, in the grammar of structured text
	score    float64
	evidence float64 // the part of the score that comes from words nearby
	relative bool
	linked   bool // words right beside it name the variable
	name     int  // the mention that is the evidence, -1 for none
}

const (
	forDimension    = 2.5  // the unit fits the variable
	forOwnUnit      = 0.75 // of a name that is only the unit of the amount itself
	forName         = 5.0  // the name of the variable touches the amount
	forBase         = 1.2  // the variable has a value in the scenario that is built on
	againstBare     = -0.8 // a number without a unit for a variable that has one
	againstUnnamed  = -0.9
	againstGuess    = -1.0  // a weak reading
	againstFinal    = -0.96 // unnamed, and what equations end in
	againstOutput   = -0.4  // unnamed, and what an equation yields
	againstFallback = -1.25 // unnamed, and it has a default
	againstLater    = -0.8  // not the first reading
	forLarge        = 1.2   // "300k" is money
	forUnread       = 1.5   // words that may state no amount are no amount
)

// slots lists what must be assigned.
func (s *search) slots() []slot {
	p := s.prose
	s.rate = make([]bool, len(p.quantities))
	for i := range p.quantities {
		s.rate[i] = s.partOfRate(p.quantities[i].from, i)
	}
	var list []slot
	changed := map[int]*change{}
	for i := range p.changes {
		c := &p.changes[i]
		if c.quantity >= 0 {
			changed[c.quantity] = c
		} else if s.base != nil || s.prose.opening.move == undo {
			list = append(list, slot{quantity: -1, change: c, from: c.from, to: c.to})
		}
	}
	for i := range p.quantities {
		q := &p.quantities[i]
		if s.idle(q) {
			continue
		}
		list = append(list, slot{quantity: i, change: changed[i], from: q.from, to: q.to, dropped: p.nots[i] > 0})
	}
	for i := range list {
		l := &list[i]
		if l.dropped {
			continue
		}
		if l.change != nil {
			l.candidates = append(l.candidates, s.changeCandidates(i, l)...)
		}
		if l.quantity >= 0 && (l.change == nil || !l.change.sure || s.base == nil && len(l.candidates) == 0) {
			if !s.rate[l.quantity] {
				l.candidates = append(l.candidates, s.valueCandidates(i, l)...)
			}
			if q := &s.prose.quantities[l.quantity]; q.weak && !s.alone(q) {
				l.candidates = append(l.candidates, candidate{slot: i, variable: -1, score: forUnread, name: -1})
			}
		}
		sortCandidates(l.candidates)
	}
	return list
}

// idle reports whether an amount is a day that is only mentioned: one in words, where the domain has no moments.
func (s *search) idle(q *quantity) bool {
	days := func(t term) bool { return t.kind == "date" || t.kind == "datetime" }
	if !q.moment || slices.ContainsFunc(s.vocabulary.terms, days) {
		return false
	}
	for i := q.from; i < q.to; i++ {
		if s.prose.tokens[i].kind == number {
			return false
		}
	}
	return len(q.readings) == 0 || q.readings[0].kind == kindDate
}

// alone reports whether a prompt says nothing beside an amount.
func (s *search) alone(q *quantity) bool {
	for i := range s.prose.tokens {
		if s.prose.meaning[i] == content && (i < q.from || i >= q.to) {
			return false
		}
	}
	return true
}

// partOfRate reports whether words such as "an hour" only say per what an amount before them is.
func (s *search) partOfRate(from, quantity int) bool {
	p := s.prose
	if from == 0 || !p.quantities[quantity].weak {
		return false
	}
	if p.within[from-1] >= 0 {
		return true
	}
	for _, c := range p.changes {
		if c.to == from {
			return true
		}
	}
	return false
}

// nameEvidence is how strongly the words near a stretch of tokens name a variable.
func (s *search) nameEvidence(from, to, variable int, outside bool) (evidence float64, linked bool, name int) {
	name = -1
	for i := range s.prose.mentions {
		m := &s.prose.mentions[i]
		if m.variable != variable || outside && m.from < to && from < m.to {
			continue
		}
		if q := s.prose.within[m.from]; q >= 0 && (m.from < from || m.from >= to) && !s.rate[q] {
			continue // the word belongs to another amount
		}
		link := s.prose.connection(from, to, m.from, m.to)
		if s.prose.askedFor(m) {
			link *= 0.3
		}
		if m.from < to && from < m.to && s.prose.within[m.from] >= 0 && !s.unitOnly(variable, s.prose.within[m.from]) {
			link *= forOwnUnit
		}
		if e := forName * m.weight * link; e > evidence {
			evidence, linked, name = e, link >= 0.7 && m.weight >= 0.4, i
		}
	}
	return evidence, linked, name
}

// unitOnly reports whether the unit of an amount is no unit of a variable, so that a word of it can only be its name.
func (s *search) unitOnly(variable, quantity int) bool {
	q := &s.prose.quantities[quantity]
	t := &s.vocabulary.terms[variable]
	return len(q.readings) == 0 || q.readings[0].unit == nil || !t.dimensional || q.readings[0].unit.Dimension() != t.dimension
}

// valueCandidates are the variables that an amount may be the value of.
func (s *search) valueCandidates(index int, l *slot) []candidate {
	q := &s.prose.quantities[l.quantity]
	var list []candidate
	first := false // some variable can take the first reading
	for variable := range s.vocabulary.terms {
		if len(q.readings) > 1 && !s.vocabulary.terms[variable].table {
			_, score, ok := s.compatible(variable, q, &q.readings[0])
			first = first || ok && score > 0
		}
	}
	for variable := range s.vocabulary.terms {
		t := &s.vocabulary.terms[variable]
		if t.table || len(q.readings) == 0 {
			continue
		}
		best, found := candidate{slot: index, variable: variable}, false
		for r := range q.readings {
			text, score, ok := s.compatible(variable, q, &q.readings[r])
			if r > 0 && !s.unitNames(variable, q) {
				score += againstLater
				if first {
					score += 2 * againstLater
				}
			}
			if ok && (!found || score > best.score) {
				best.text, best.score, found = text, score, true
			}
		}
		if !found {
			continue
		}
		best.evidence, best.linked, best.name = s.nameEvidence(l.from, l.to, variable, q.weak)
		bare := q.readings[0].kind == kindNumber
		if q.none { // "no fee"
			if !s.denied(q, variable) {
				continue
			}
			best.evidence, best.linked = forName, true
		}
		if bare && s.foreignNoun(q.to) && !(t.counts && !t.output && !t.fallback) && (!best.linked || s.prose.mentions[best.name].from >= q.to || s.prose.connection(q.from, q.to, s.prose.mentions[best.name].from, s.prose.mentions[best.name].to) < 0.9) {
			continue // "3 kids": a number of something that the domain does not know
		}
		if best.evidence < 1.5 {
			best.score += s.prior(t)
		}
		best.score += best.evidence + s.baseScore(variable, bare, q)
		if bare {
			hint := s.prepositionScore(q.from, t)
			if t.money() && s.large(q) {
				hint += forLarge
			}
			if t.dimensional && t.dimension == units.Length && s.sides(q) {
				hint += 1.5 // "5 by 4"
			}
			if t.counts && (s.foreignNoun(q.to) || s.dozens(q)) {
				hint += 1 // "40 mugs"
			}
			if best.evidence < 0.8 && !s.inBase(variable) && hint <= 0 {
				hint += againstUnnamed
			}
			best.score += hint
		}
		if q.readings[0].kind == kindMoney && q.from > 0 && (s.prose.tokens[q.from-1].fold == "at" || s.prose.tokens[q.from-1].fold == "@") {
			if t.priced {
				best.score += 0.8
			} else {
				best.score -= 0.4
			}
		}
		if q.weak && !best.linked && !s.alone(q) {
			best.score += 2.5 * againstGuess
		}
		list = append(list, best)
	}
	return list
}

// sides reports whether a number is one of "5 by 4" or "5 x 4 x 3".
func (s *search) sides(q *quantity) bool {
	joins := func(at, beyond int) bool {
		if at < 0 || at >= len(s.prose.tokens) || beyond < 0 || beyond >= len(s.prose.tokens) || s.prose.within[beyond] < 0 {
			return false
		}
		w := s.prose.tokens[at].fold
		return w == "by" || w == "x" || w == "×" || w == "*"
	}
	return joins(q.to, q.to+1) || joins(q.from-1, q.from-2)
}

// dozens reports whether a number is told as things are counted.
func (s *search) dozens(q *quantity) bool {
	for i := q.from; i < q.to; i++ {
		switch s.prose.tokens[i].fold {
		case "dozen", "dozens", "couple", "score":
			return true
		}
	}
	return false
}

// large reports whether a number is told in thousands or millions, as money is: "300k", "2 million".
func (s *search) large(q *quantity) bool {
	for i := q.from; i < q.to; i++ {
		switch s.prose.tokens[i].fold {
		case "k", "grand", "thousand", "million", "mn", "bn", "billion":
			return true
		}
	}
	return false
}

// prepositionScore is what the word before a bare number tells about it: one is "at" a speed, a price or a rate, never at a
// distance; and things last "for" or "over" a time.
func (s *search) prepositionScore(at int, t *term) float64 {
	if at == 0 {
		return 0
	}
	switch s.prose.tokens[at-1].fold {
	case "at", "@":
		switch {
		case t.moment(), t.kind == "percent", t.dimensional && t.dimension == units.Temperature, t.dimensional && len(t.dimension.Currencies()) > 0:
			if t.kind == "percent" {
				return 1.5
			}
			return 1
		case t.dimensional && strings.ContainsAny(t.dimension.Name(), "/") || t.dimensional && t.dimension == units.Length.Div(units.Time):
			return 1.5
		case t.dimensional && (t.dimension == units.Length || t.dimension == units.Time || t.dimension == units.Mass):
			return -1
		}
	case "for", "over":
		if t.kind == "duration" || t.dimensional && t.dimension == units.Time && !t.moment() {
			return 0.7
		}
	}
	return 0
}

// prior is what speaks for a variable before any words do: people give what equations are made of, seldom what they yield, and
// seldom what has a default.
func (s *search) prior(t *term) float64 {
	prior := 0.0
	switch {
	case t.final:
		prior += againstFinal
	case t.output:
		prior += againstOutput
	}
	if t.fallback {
		prior += againstFallback
	}
	return prior
}

// denied reports whether the words right behind "no" name a variable.
func (s *search) denied(q *quantity, variable int) bool {
	return slices.ContainsFunc(s.prose.mentions, func(m mention) bool {
		return m.variable == variable && m.from == q.to && m.weight >= 0.5
	})
}

// foreignNoun reports whether a token is a noun that nothing in the domain, and no table, knows.
func (s *search) foreignNoun(at int) bool {
	p := s.prose
	return at < len(p.tokens) && p.tokens[at].kind == word && p.meaning[at] == content && p.known[at] == ""
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
	for i := range s.base.Values {
		if s.base.Values[i].Variable == variable {
			return &s.base.Values[i]
		}
	}
	return nil
}

// justSaid reports whether a value is what the request before stated, while others were carried.
func (s *search) justSaid(v *engine.ScenarioValue) bool {
	if v.Source != engine.UserInput || v.Historical {
		return false
	}
	return slices.ContainsFunc(s.base.Values, func(o engine.ScenarioValue) bool { return o.Source == engine.UserInput && o.Historical })
}

// baseScore prefers variables that the conversation has spoken of, and among them those whose value is of the same size.
func (s *search) baseScore(variable int, bare bool, q *quantity) float64 {
	v := s.baseValue(variable)
	if v == nil || v.Value.Rank != 0 {
		return 0
	}
	score := 0.0
	switch v.Source {
	case engine.UserInput:
		score = forBase
	case engine.DefaultValue:
		score = 0.6 * forBase
	default:
		score = -0.3
	}
	if s.justSaid(v) {
		score += 0.5
	}
	if bare {
		old, now := v.Value.Quantity().Number.Float64(), q.readings[0].number.Float64()
		if s.vocabulary.terms[variable].kind == "percent" {
			old *= 100
		}
		if old > 0 && now > 0 {
			switch ratio := max(old/now, now/old); {
			case ratio <= 2:
				score += 1
			case ratio <= 4:
				score += 0.5
			case ratio > 30:
				score -= 1.2
			case ratio > 8:
				score -= 0.6
			}
		}
	}
	return score
}

// compatible says whether a reading can be a value of a variable, how well it fits before any words are looked at, and the value
// as structured text has it.
func (s *search) compatible(variable int, q *quantity, r *reading) (text string, score float64, ok bool) {
	t := &s.vocabulary.terms[variable]
	text = r.text
	if r.weak {
		score += againstGuess
	}
	switch r.kind {
	case kindDate, kindDatetime, kindClock:
		switch {
		case t.kind == "datetime", t.kind == "date" && r.kind == kindDate, t.kind == "time" && r.kind == kindClock:
			score += forDimension
		case t.kind == "duration" && r.kind == kindClock:
			score += againstGuess
		default:
			return "", 0, false
		}
	case kindPercent:
		switch {
		case t.kind == "percent":
			score += forDimension
		case t.kind == "number" && t.dimensional && t.dimension.IsNone() && !t.counts:
			score -= 1
		default:
			return "", 0, false
		}
	case kindNumber:
		switch {
		case t.moment():
			return "", 0, false
		case t.kind == "percent":
			switch size := r.number.Abs().Float64(); {
			case size > 1000:
				return "", 0, false
			case size > 100:
				score--
				fallthrough
			case size >= 1:
				text += "%"
			}
			score += againstBare / 2
		case t.dimensional && t.dimension.IsNone() && (t.unit == nil || t.unit.IsOne()):
			if score += forDimension / 2; s.base != nil {
				score -= forDimension / 4
			}
		default:
			if v := s.baseValue(variable); v != nil && v.Value.Rank == 0 && v.Value.Quantity().Unit != nil && t.kind != "duration" {
				text += " " + v.Value.Quantity().Unit.Symbol()
			} else if t.unit != nil && t.kind != "duration" {
				text += " " + t.unit.Symbol()
			}
			if t.kind == "duration" {
				if text = s.durationText(variable, r); text == "" {
					return "", 0, false
				}
			}
			if s.base == nil {
				score += againstBare
			}
		}
	default: // a measure or money
		if t.moment() || t.kind == "percent" {
			return "", 0, false
		}
		if t.kind == "duration" && r.unit.Dimension() != units.Time {
			return "", 0, false
		}
		switch {
		case t.dimensional && t.dimension.IsNone() && (t.unit == nil || t.unit.IsOne()) && s.unitNames(variable, q):
			text = r.number.String() // "30 years" for a plain number of years: the word of the unit names the variable
			score += forDimension
		case t.dimensional && (r.unit.Dimension() == t.dimension || units.Compatible(r.unit, t.unit)):
			score += forDimension
		case r.kind == kindMeasure && s.unitNames(variable, q) && s.withoutTime(r, t) != nil:
			text = r.number.String() + " " + s.withoutTime(r, t).Symbol() // "4200 kWh a year" for a yearly energy
			score += forDimension
		case r.kind == kindMoney && t.dimensional && !t.money() && s.perMoney(r, variable) != "":
			text = s.perMoney(r, variable) // "$12" for a price each
			score += forDimension - 1.4
		case t.dimensional && s.sameMoney(r.unit, t):
			score += forDimension - 0.3
		case s.withMoney(r, t) != nil:
			text = r.number.String() + " " + s.withMoney(r, t).Symbol() // "3.75 a gallon"
			score += forDimension / 2
		case !t.dimensional:
			score -= 0.5
		default:
			return "", 0, false
		}
	}
	if _, _, errs := s.vocabulary.domain.ParseValue(variable, engine.Scalar(text), s.env); len(errs) > 0 {
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
func (s *search) withoutTime(r *reading, t *term) *units.Unit {
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
	if t.unit != nil && t.unit.Symbol() != "s" {
		return r.text + " " + t.unit.Symbol()
	}
	return ""
}

// unitNames reports whether the unit word of an amount is a word of a variable's name.
func (s *search) unitNames(variable int, q *quantity) bool {
	for i := q.from; i < q.to; i++ {
		if grammarWords[s.prose.tokens[i].fold] {
			continue
		}
		for _, n := range s.vocabulary.terms[variable].names {
			for _, w := range n.words {
				if w == stem(s.prose.tokens[i].fold) {
					return true
				}
			}
		}
	}
	return false
}

// changeCandidates are the variables whose earlier value a change may be made to.
func (s *search) changeCandidates(index int, l *slot) []candidate {
	var list []candidate
	c := l.change
	for variable := range s.vocabulary.terms {
		t := &s.vocabulary.terms[variable]
		v := s.baseValue(variable)
		if v == nil || t.table || v.Value.Rank != 0 {
			continue
		}
		evidence, linked, name := s.nameEvidence(min(c.from, l.from), max(c.to, l.to), variable, false)
		score := 0.0
		switch v.Source {
		case engine.UserInput:
			score += forBase
		case engine.DefaultValue:
			score -= 0.3
		default:
			if evidence < 2.5 {
				continue
			}
			score -= 1.5
		}
		text := s.changedText(l, variable, v)
		if text == "" {
			continue
		}
		if l.quantity >= 0 && len(s.prose.quantities[l.quantity].readings) > 0 {
			switch r := &s.prose.quantities[l.quantity].readings[0]; {
			case r.kind == kindNumber && t.counts:
				score += 0.8 // "50 more books"
			case r.kind == kindNumber && !(t.dimensional && t.dimension.IsNone()):
				score -= 0.8
			case r.kind == kindMoney && !t.money():
				score--
			}
		}
		if s.justSaid(v) && s.prose.tokens[min(c.to, len(s.prose.tokens)-1)].fold == "that" {
			score += 0.7 // "50 more than that"
		}
		if c.hint == wantSpeed && l.quantity >= 0 && len(s.prose.quantities[l.quantity].readings) > 0 && s.prose.quantities[l.quantity].readings[0].kind == kindDuration {
			if t.kind == "duration" || t.dimension == units.Time && !t.moment() {
				score += 2 // "2 days quicker"
			}
		}
		if c.hint != wantAny {
			switch fit := c.hint.fits(t); {
			case fit >= 0.9:
				score += 2
			case fit > 0:
				score += 0.3
			default:
				score -= 1
			}
		}
		if c.sure {
			score += forDimension
		}
		list = append(list, candidate{slot: index, variable: variable, text: text, score: score + evidence, evidence: evidence, relative: true, linked: linked, name: name})
	}
	return list
}

// changedText is the value that a change makes of an earlier one, in its unit; "" where it cannot be made.
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
		if _, _, errs := s.vocabulary.domain.ParseValue(variable, engine.Scalar(text), s.env); len(errs) > 0 {
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
	sign, _ := decimal.Parse("1")
	if c.sign < 0 {
		sign = sign.Neg()
	}
	q := &s.prose.quantities[l.quantity]
	for i := range q.readings {
		r := &q.readings[i]
		switch r.kind {
		case kindPercent:
			share := r.number // in percent
			hundred, _ := decimal.Parse("100")
			share = ctx.Quo(share, hundred)
			if t.moment() || c.hint == wantSpeed && t.dimension == units.Time.Div(units.Length) {
				continue
			}
			if t.kind == "percent" {
				if evidence, _, _ := s.nameEvidence(min(c.from, l.from), max(c.to, l.to), variable, false); !s.points(q) && evidence < 2 {
					continue
				}
				if text := write(ctx.Add(old.Number, ctx.Mul(sign, share))); text != "" {
					return text
				}
				continue
			}
			if s.points(q) {
				continue
			}
			return write(ctx.Add(old.Number, ctx.Mul(old.Number, ctx.Mul(sign, share))))
		case kindNumber:
			if t.moment() || t.kind == "duration" || s.points(q) && t.kind != "percent" {
				continue
			}
			number := r.number
			if evidence, _, _ := s.nameEvidence(min(c.from, l.from), max(c.to, l.to), variable, false); t.kind == "percent" && !s.points(q) && evidence < 2 {
				continue
			}
			if t.kind == "percent" {
				hundred, _ := decimal.Parse("100")
				number = ctx.Quo(number, hundred)
			}
			return write(ctx.Add(old.Number, ctx.Mul(sign, number)))
		case kindMeasure, kindMoney, kindDuration:
			if r.unit == nil {
				continue
			}
			to := unit
			if to == nil {
				to = units.One
			}
			if r.kind == kindMoney && !t.money() && s.perMoney(r, variable) != "" {
				return write(ctx.Add(old.Number, ctx.Mul(sign, r.number))) // "5 cents less" of a price per kWh
			}
			if r.unit.Dimension() != to.Dimension() && !(t.moment() && r.unit.Dimension() == units.Time) {
				continue
			}
			delta, ok := difference(ctx, r, to)
			if !ok {
				continue
			}
			by := sign
			if slow := r.unit.Dimension(); c.hint == wantSpeed && (slow == units.Time || slow == units.Time.Div(units.Length)) {
				by = sign.Neg() // faster takes less time
			}
			return write(ctx.Add(old.Number, ctx.Mul(by, delta)))
		}
	}
	return ""
}

// points reports whether an amount is told in percentage points.
func (s *search) points(q *quantity) bool {
	for i := q.from; i < q.to; i++ {
		if pointWords[s.prose.tokens[i].fold] {
			return true
		}
	}
	return q.to < len(s.prose.tokens) && pointWords[s.prose.tokens[q.to].fold]
}

func sortCandidates(list []candidate) {
	for i := 1; i < len(list); i++ {
		for k := i; k > 0 && list[k].score > list[k-1].score; k-- {
			list[k], list[k-1] = list[k-1], list[k]
		}
	}
}
