package language

import (
	"cmp"
	"slices"

	"reckon/engine"
	"reckon/engine/input"
	"reckon/engine/units"
)

// target is a variable that the prompt may ask for.
type target struct {
	variable int
	unit     *units.Unit
	score    float64      // whatever the words
	best     float64      // with the best of the words
	names    []namedScore // by the words that ask for it
	earlier  bool         // it was asked for before that: only where the amounts take no part in what was asked last
	kept     bool         // it is what the scenario was asked for, and nothing else is
}

type namedScore struct {
	mention int
	score   float64
}

// taken reports whether the words of a mention are those that name the variable of a pick.
func (s *search) taken(picks []candidate, mention int) bool {
	return slices.ContainsFunc(picks, func(c candidate) bool {
		if q := s.list[c.slot].quantity; q >= 0 && s.prose.quantities[q].labels() {
			return false // the "olive" of "olive oil" leaves the oil to others
		}
		return c.name >= 0 && c.evidence >= s.weights.LeastNamed && s.prose.mentions[c.name].overlaps(&s.prose.mentions[mention])
	})
}

// claimed is how much of the evidence for picks rests on the words of a mention.
func (s *search) claimed(picks []candidate, mention int) float64 {
	var claimed float64
	for _, c := range picks {
		if c.name >= 0 && s.prose.mentions[c.name].overlaps(&s.prose.mentions[mention]) {
			claimed += c.evidence
		}
	}
	return claimed
}

// contains reports whether a mention has all words of another one, and more.
func (m *mention) contains(o *mention) bool {
	return m.from <= o.from && o.to <= m.to && o.to-o.from < m.to-m.from
}

// overlaps reports whether two mentions share words.
func (m *mention) overlaps(o *mention) bool { return m.from < o.to && o.from < m.to }

// asking reports whether a mention can ask for its variable: it stands outside of amounts and
// changes.
func (s *search) asking(m *mention) bool {
	if q := s.prose.within[m.from]; q >= 0 && (!s.prose.quantities[q].weak || s.rate[q]) || m.other || m.from > 0 && s.prose.tokens[m.from-1].is("same") {
		return false
	}
	if q := s.prose.within[m.from]; q >= 0 && s.prose.quantities[q].labels() && m.to <= s.prose.quantities[q].to && s.tells() {
		return false
	}
	return !slices.ContainsFunc(s.prose.changes, func(c change) bool { return c.from <= m.from && m.to <= c.to })
}

// targets are the variables that may be asked for, with how well the question fits them, and first
// none.
func (s *search) targets() []target {
	p := s.prose
	kept := s.kept().Variable
	list := []target{}
	if s.states {
		return append(list, target{variable: -1})
	}
	if len(p.questions) == 0 && p.asked == nil {
		list = append(list, target{variable: -1, score: s.weights.AgainstNothing, best: s.weights.AgainstNothing})
	}
	for variable := range s.vocabulary.terms {
		if s.vocabulary.terms[variable].hidden && variable != kept || p.asked != nil && s.askedUnit(variable, p.asked) == nil {
			continue
		}
		if one := s.targetOf(variable); one.best > s.weights.LeastAsked {
			list = append(list, one)
		}
	}
	if slices.ContainsFunc(list, func(t target) bool { return t.variable >= 0 && !t.kept && t.best >= s.weights.LeastAlone }) {
		list = slices.DeleteFunc(list, func(t target) bool { return t.variable < 0 })
	}
	if kept >= 0 && len(p.questions) == 0 && p.asked == nil && len(s.list) > 0 && !slices.ContainsFunc(p.mentions, func(m mention) bool {
		return s.asking(&m) && m.variable != kept && (p.heads(&m) || p.closes(&m))
	}) {
		list = slices.DeleteFunc(list, func(t target) bool { return t.variable >= 0 && t.variable != kept && !t.earlier }) // nothing else is asked for
	} else {
		for i := range list {
			list[i].earlier = false // it is named, or nothing is kept
		}
	}
	slices.SortStableFunc(list, func(a, b target) int { return cmp.Compare(b.best, a.best) })
	return list[:min(len(list), maxTarget)]
}

// targetOf is a variable as a target.
func (s *search) targetOf(variable int) target {
	p := s.prose
	one := target{variable: variable, kept: variable == s.kept().Variable && len(p.questions) == 0}
	if p.asked != nil {
		one.unit = s.askedUnit(variable, p.asked)
	}
	for i := range p.questions {
		q := &p.questions[i]
		e := s.formScore(q, variable)
		if q.unit != nil && one.unit == nil && q.unit.Dimension() != units.None {
			one.unit = s.askedUnit(variable, q.unit)
		}
		if i == 0 || e > one.score {
			one.score = e
		}
		for k := range p.mentions {
			if m := &p.mentions[k]; m.variable == variable && s.asking(m) && !(q.counts(m) && m.weight < s.weights.ExactName && p.meant[m.from] == "") {
				link := p.reach(q.from, q.to, m.from, m.to)
				if m.to <= q.from {
					link *= s.weights.ReachBack
				}
				one.names = append(one.names, namedScore{k, e + s.weights.ForQuestion*m.weight*link})
			}
		}
	}
	for k := range p.mentions {
		if m := &p.mentions[k]; m.variable == variable && s.asking(m) {
			if p.heads(m) || p.closes(m) { // "monthly payment on 100k", "and at 9 pounds a litre, cost?"
				one.names = append(one.names, namedScore{k, one.score + s.weights.ForHeading*m.weight})
			} else if len(p.questions) == 0 {
				one.names = append(one.names, namedScore{k, s.unaskedScore(m)})
			}
		}
	}
	more := s.standing(variable)
	one.score += more
	one.best = one.score
	for k := range one.names {
		one.names[k].score += more
		one.best = max(one.best, one.names[k].score)
	}
	if one.kept {
		one.best = max(one.best, s.weights.ForKeptTarget)
	}
	if one.earlier = s.askedEarlier(variable); one.earlier {
		one.best = max(one.best, s.weights.ForEarlierTarget)
	}
	return one
}

// counts reports whether all that a mention has is the unit that a question counts: the litres of
// "how many litres are in it" are not those of the water per fish, which is also called "litres per
// fish".
func (q *question) counts(m *mention) bool {
	return q.unit != nil && m.from >= q.to && m.to <= q.behind
}

// formScore is what the form of a question says about a variable.
func (s *search) formScore(q *question, variable int) (score float64) {
	t := &s.vocabulary.terms[variable]
	switch fit := s.weights.fits(q.want, t); {
	case q.want == wantAny:
		if t.kind == percentKind && q.to > q.from && s.prose.tokens[q.to-1].is("much") {
			score = s.weights.AgainstMuch // "how much vat"
		}
	case fit >= s.weights.LeastAnswer:
		score = s.weights.ForForm
	case fit >= s.weights.LeastFit:
		score = s.weights.ForNearForm * fit
	default:
		score = s.weights.AgainstForm
	}
	switch {
	case q.unit == nil:
	case s.askedUnit(variable, q.unit) != nil:
		score += s.weights.ForUnit
	default:
		score += s.weights.AgainstNoUnit
	}
	return score
}

// unaskedScore is what a name without a question says.
func (s *search) unaskedScore(m *mention) float64 {
	e := s.weights.ForUnasked * m.weight * (1 - s.weights.TiedName*s.tied(m))
	if s.base != nil && len(s.list) > 0 {
		e *= s.weights.ChangedName // a change to what was asked, not another question
	}
	if len(s.list) == 0 {
		e *= s.weights.LoneName
	}
	return e
}

// standing is what speaks for a variable as the target whatever the words: that it was it before,
// and what equations do with it.
func (s *search) standing(variable int) (score float64) {
	t, p, kept := &s.vocabulary.terms[variable], s.prose, variable == s.kept().Variable
	if kept && len(p.questions) > 0 && s.emptyQuestions() {
		score += s.weights.ForEmpty
	}
	if p.asked != nil {
		score += s.weights.ForUnit
		if kept {
			score += s.weights.ForKeptUnit
		}
	}
	switch {
	case kept:
	case !t.derived:
		score += s.weights.AgainstGiven
	case t.final:
		score += s.weights.ForFinal
	case t.output:
		score += s.weights.ForOutput
	default:
		score += s.weights.AgainstInput
	}
	if v := s.baseValue(variable); v != nil && v.Source == engine.UserInput && len(s.list) == 0 {
		score += s.weights.AgainstStated
	}
	return score
}

// tied says how firmly a name belongs to an amount that its variable could take.
func (s *search) tied(m *mention) float64 {
	var tied float64
	for i := range s.list {
		l := &s.list[i]
		if slices.ContainsFunc(l.candidates, func(c candidate) bool { return c.variable == m.variable }) {
			tied = max(tied, s.prose.connection(l.from, l.to, m.from, m.to))
		}
	}
	return tied
}

// loudest is the weight of the surest name without an amount, of a variable that can be found,
// other than one.
func (s *search) loudest(picks []candidate, but int) float64 {
	var loudest float64
	for k := range s.prose.mentions {
		m := &s.prose.mentions[k]
		if m.variable != but && m.weight >= s.weights.LeastLoud && s.asking(m) && (len(s.list) == 0 || s.prose.heads(m) || s.prose.closes(m)) && s.vocabulary.terms[m.variable].derived && !s.taken(picks, k) {
			loudest = max(loudest, (m.weight-s.weights.LoudFrom)/(1-s.weights.LoudFrom))
		}
	}
	return loudest
}

// emptyQuestions reports whether what is asked names nothing: "what is it then?"
func (s *search) emptyQuestions() bool {
	for _, q := range s.prose.questions {
		for i := q.to; i < q.end; i++ {
			if s.prose.meaning[i] == content {
				return false
			}
		}
	}
	return true
}

// kept is what the scenario was asked for last, or what a pending request asks for; variable -1 for
// none.
func (s *search) kept() engine.Target {
	if s.pending != nil && len(s.pending.Targets) > 0 {
		return s.pending.Targets[0]
	}
	if s.base != nil && len(s.base.Targets) > 0 && (s.prose.asked != nil || !onlyNoted(s.base)) {
		return s.base.Targets[len(s.base.Targets)-1]
	}
	return engine.Target{Variable: -1}
}

// askedEarlier reports whether a scenario was asked for a variable before it was asked for another
// one, and the prompt asks for nothing: "VAT 10%" does not change the bill before tax.
func (s *search) askedEarlier(variable int) bool {
	if s.base == nil || s.pending != nil || s.base.Everything || len(s.prose.questions) > 0 || s.prose.asked != nil || variable == s.kept().Variable || len(s.base.Last()) > 1 {
		return false
	}
	return slices.ContainsFunc(s.base.Targets, func(t engine.Target) bool { return t.Variable == variable })
}

// keptAll is all that the scenario was asked for last, or that a pending request asks for.
func (s *search) keptAll() (targets []engine.Target, everything bool) {
	if s.pending != nil && s.pending.Asks() {
		return s.pending.Targets, s.pending.Everything
	}
	if s.base.Everything {
		return nil, true
	}
	return s.base.Last(), false
}

// askedUnit is the unit that a variable is asked in where a question counts one: its own, or that
// of each of the times that its name says, as of "how many litres of daily milk"; nil where it has
// none such.
func (s *search) askedUnit(variable int, u *units.Unit) *units.Unit {
	if s.unitFits(variable, u) {
		return u
	}
	if period := s.vocabulary.terms[variable].period; period != nil && s.unitFits(variable, u.Div(period)) {
		return u.Div(period)
	}
	return nil
}

// unitFits reports whether a variable can be asked in a unit.
func (s *search) unitFits(variable int, u *units.Unit) bool {
	t := &s.vocabulary.terms[variable]
	if t.table || t.moment() {
		return false
	}
	if t.kind == percentKind {
		return u.Dimension().IsNone() && !u.IsOne()
	}
	if u.Symbol() == "%" && variable != s.kept().Variable {
		return false
	}
	if t.dimensional && u.Dimension() != t.dimension && !(t.unit != nil && units.Compatible(t.unit, u)) && !s.sameMoney(u, t) {
		return false
	}
	_, err := input.ParseUnit(&s.vocabulary.domain.Scope, variable, u.Symbol())
	return err == nil
}
