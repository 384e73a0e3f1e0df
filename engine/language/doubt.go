package language

import (
	"cmp"
	"slices"
	"strings"

	"reckon/engine/input"
	"reckon/engine/value"
)

func notUnderstood(fragments string) *value.Error {
	return value.Problem(doubted, fragments)
}

func ambiguous(readings string) *value.Error {
	return value.Problem("language.ambiguous", readings)
}

// uncertain refuses an amount with ±: it is neither of both numbers.
func (s *search) uncertain() *value.Error {
	if words := input.SpokenSpread(s.prose.text); words != "" {
		return value.Problem("input.uncertain_value", input.Quoted(words))
	}
	return nil
}

// unreadable refuses ranges and amounts that have no single reading.
func (s *search) unreadable() *value.Error {
	for _, q := range s.prose.quantities {
		words := quoted(s.prose.fragment(q.from, q.to))
		if q.rng {
			return ambiguous(s.say("range", words))
		}
		if len(q.readings) > 1 && q.readings[0].kind == kindDate && q.readings[1].kind == kindDate && !q.readings[1].weak && !q.weak {
			return ambiguous(s.say("one of two", words, q.readings[0].text, q.readings[1].text))
		}
		if len(q.readings) == 0 && !q.weak {
			return notUnderstood(words)
		}
		if len(q.readings) > 0 && s.saidGauge(&q.readings[0], q.from, q.to) {
			return notUnderstood(s.say("gauge", words))
		}
	}
	return nil
}

// unspoken refuses the name of a hidden variable: leaving it out would answer something else than
// was said. Beside the name of another variable it is a part of that: "total cost".
func (s *search) unspoken() *value.Error {
	p := s.prose
	named := func(at int) bool {
		return slices.ContainsFunc(p.mentions, func(m mention) bool { return m.from <= at && at < m.to && m.weight >= s.weights.LeastWord })
	}
	for at := range p.tokens {
		for _, words := range s.vocabulary.unspoken {
			if n := p.saysLabel(at, words); n > 0 && !named(at-1) && !named(at+n) {
				return notUnderstood(s.say("hidden", quoted(p.fragment(at, at+n))))
			}
		}
	}
	return nil
}

// unassigned refuses amounts that fit no variable, and changes without anything to change.
func (s *search) unassigned() *value.Error {
	var words []string
	for _, l := range s.list {
		if !l.dropped && len(l.candidates) == 0 {
			words = append(words, quoted(s.prose.fragment(l.from, l.to)))
		}
	}
	if len(words) > 0 {
		return notUnderstood(s.say("fits nothing", strings.Join(words, ", ")))
	}
	if len(s.list) > maxSlots {
		return notUnderstood(s.say("many amounts"))
	}
	return nil
}

// nothing is the doubt where no reading of the whole prompt exists.
func (s *search) nothing() *value.Error {
	for i := range s.list {
		for k := i + 1; k < len(s.list); k++ {
			a, b := &s.list[i], &s.list[k]
			if len(a.candidates) > 0 && len(b.candidates) > 0 && a.candidates[0].variable >= 0 && a.candidates[0].variable == b.candidates[0].variable {
				return s.twice(a.candidates[0].variable, a, b)
			}
		}
	}
	if word := s.stranger(0, len(s.prose.tokens)); word != "" {
		return notUnderstood(word)
	}
	return notUnderstood(s.prose.fragment(0, len(s.prose.tokens)))
}

func (s *search) say(name string, args ...string) string {
	return s.vocabulary.tables.say(name, args...)
}

func (s *search) title(variable int) string { return title(s.vocabulary.domain, variable) }

// doubt refuses the best reading where it is not good enough, or the next one is nearly as good.
func (s *search) doubt(found []combination) *value.Error {
	s.tryOut(found)
	found = s.simplest(found)
	best := &found[0]
	p := s.prose
	for _, refuse := range []func(*combination) *value.Error{s.compared, s.judged, s.unused, s.otherName, s.numbered, s.periodLost, s.otherSide, s.listedValues, s.contested, s.spanned, s.bound, s.misnamed, s.otherOfTwo, s.askedAndGiven, s.secondQuestion, s.loosely, s.nothingCounted, s.otherAsked, s.otherVerb, s.unknownManner, s.slid, s.eitherResult, s.eitherVariable, s.alikeNamed, s.ratherOther, s.asideOf, s.bareMoney, s.eitherDefault, s.otherKind, s.otherChoice, s.otherCode, s.unsaid, s.assumedChoice, s.otherHead, s.choicesOnly, s.nothingNamed} {
		if err := refuse(best); err != nil {
			return err
		}
	}
	amounts := 0
	for _, k := range best.picks {
		if k.variable >= 0 {
			amounts++
		}
	}
	anew := -1
	if amounts == 0 {
		anew = s.askedAnew(found)
	}
	if anew >= 0 {
		found[0], found = found[anew], found[:1]
	}
	if amounts == 0 && (p.whatIf && len(p.questions) == 0 || best.target < 0 || best.target == s.kept().Variable && len(p.questions) == 0 && p.asked == nil && !s.named(best.target)) {
		return s.nothing()
	}
	if amounts == 0 && s.base == nil {
		word := s.stranger(0, len(p.tokens))
		if best.heard < s.weights.LeastAlone || word != "" {
			return s.nothing()
		}
	}
	if word := s.unknownNoun(best); word != "" {
		return notUnderstood(word)
	}
	for _, k := range best.picks {
		if k.variable >= 0 && k.score < s.weights.LeastPick {
			return notUnderstood(quoted(p.fragment(s.list[k.slot].from, s.list[k.slot].to)))
		}
	}
	if len(p.questions) > 0 && best.heard < s.weights.LeastTarget || best.score < s.weights.LeastScore && anew < 0 && !s.declaresChoices(best) {
		return s.nothing()
	}
	rivals := []combination{*best}
	for i := 1; i < len(found) && best.score-found[i].score < s.weights.LeastUnnamed; i++ {
		next := &found[i]
		if best.score-found[i].score >= s.weights.LeastLead && !s.unnamed(best, next) {
			continue
		}
		if next.target != best.target && s.asksFor(best.target) && !s.asksFor(next.target) && samePicks(best, next) {
			continue // it is asked for by its whole name
		}
		if !s.same(best, next) && !s.within(best, next) {
			rivals = append(rivals, *next)
		}
	}
	if len(rivals) > 1 {
		return s.choose(rivals)
	}
	return nil
}

// askedAnew is the reading that asks for what the prompt names in full, where the best one only
// asks again for what the scenario was asked for and names it nowhere: "and the total?", which does
// not follow yet. It is -1 for none.
func (s *search) askedAnew(found []combination) int {
	if s.base == nil || found[0].target != s.kept().Variable || s.named(found[0].target) {
		return -1
	}
	return slices.IndexFunc(found, func(c combination) bool {
		return c.target >= 0 && c.target != found[0].target && s.namedBy(c.target, s.weights.ExactName)
	})
}

// asksFor reports whether a variable is asked for by its whole name.
func (s *search) asksFor(variable int) bool { return variable >= 0 && s.directly(variable) }

// simplest puts first, of the readings of one target that are as good as the best, the one with the
// fewest assumptions and then steps, and leaves out the others, where the words do not speak
// against it.
func (s *search) simplest(found []combination) []combination {
	better := func(a, b *derivation) int {
		return cmp.Or(cmp.Compare(a.defaults, b.defaults), cmp.Compare(a.steps, b.steps))
	}
	words := func(c *combination) (sum float64) {
		for _, k := range c.picks {
			sum += k.evidence
		}
		return sum
	}
	best, end, doubtful := 0, 0, false
	for ; end < len(found) && found[0].score-found[end].score < s.weights.LeastLead; end++ {
		c := &found[end]
		if c.target != found[0].target || !c.plan.ok || slices.ContainsFunc(c.picks, func(k candidate) bool { return k.relative }) {
			return found
		}
		doubtful = doubtful || !s.same(&found[0], c)
		if better(&c.plan, &found[best].plan) < 0 {
			best = end
		}
	}
	unnamed := func(k candidate) bool { return k.variable >= 0 && k.evidence < s.weights.LeastWord }
	if !doubtful || slices.ContainsFunc(found[best].picks, unnamed) {
		return found
	}
	for i := range end {
		if c := &found[i]; i != best && (better(&found[best].plan, &c.plan) == 0 && !s.same(&found[best], c) || words(c)-words(&found[best]) > s.weights.MostWords) {
			return found
		}
	}
	found[0], found[best] = found[best], found[0]
	return slices.Delete(found, 1, end)
}

// askedAndGiven refuses a reading that takes an amount for what a question asks for by its whole
// name: "how many tiles a box if 140 tiles need 14 boxes".
func (s *search) askedAndGiven(best *combination) *value.Error {
	p := s.prose
	for i := range p.questions {
		q := &p.questions[i]
		for k := range p.mentions {
			m := &p.mentions[k]
			if q.want == wantCount && m.from == q.to && m.to-m.from > 1 && m.weight >= s.weights.ExactName && m.variable != best.target && gives(best.picks, m.variable) &&
				!slices.ContainsFunc(p.mentions, func(o mention) bool {
					return o.variable == best.target && o.from == m.from && o.to >= m.to && o.weight >= m.weight // "days of salt"
				}) {
				return ambiguous(s.say("asked and given", s.title(m.variable), quoted(p.fragment(q.from, m.to))))
			}
		}
	}
	return nil
}

// compared refuses a question for the difference between two scenarios.
func (s *search) compared(*combination) *value.Error {
	p := s.prose
	for _, q := range p.questions {
		end := q.to // of "how much longer"
		if q.to < len(p.tokens) && p.tokens[q.to].lex.row("comparatives") != nil {
			end++
		}
		if p.tokens[end-1].lex.row("comparatives") != nil && anyIs(p.tokens[end:], "comparing") && (q.how(p) || q.want == wantCount) && s.base != nil {
			return notUnderstood(s.say("difference", quoted(p.fragment(q.from, end))))
		}
	}
	return nil
}

// judged refuses a question what is best, which asks for no value, and one why something is as it
// is with other amounts.
func (s *search) judged(best *combination) *value.Error {
	p := s.prose
	if at := slices.IndexFunc(p.tokens, func(t token) bool { return t.is("reasoning") }); at >= 0 && len(best.picks) > 0 && p.opens(at) {
		return notUnderstood(quoted(p.tokens[at].text))
	}
	if len(p.quantities) > 0 || s.base != nil || len(p.questions) == 0 || !anyIs(p.tokens, "judging") {
		return nil
	}
	return s.nothing()
}

// otherVerb refuses a question what something costs or weighs, or how tall, hot or loud it is, if
// the answer would be nothing of that kind, nor is called by that word.
func (s *search) otherVerb(best *combination) *value.Error {
	p := s.prose
	for _, q := range p.questions {
		said := q.verb
		if said == 0 && q.degree(p) {
			said = q.to - 1 // "how heavy is a crate"
		}
		if q.want == wantMoney && best.target >= 0 && !s.named(best.target) && anyIs(p.tokens[q.from:min(len(p.tokens), max(q.to, q.verb+1))], "costing") && s.earned(best.target) {
			return notUnderstood(quoted(p.fragment(q.from, max(q.to, q.verb+1)))) // what something costs is no profit
		}
		if said > 0 && best.target >= 0 && !s.answersForm(&q, best.target) && !s.speaksOf(best.target, said) {
			return notUnderstood(quoted(p.fragment(q.from, said+1)))
		}
	}
	return nil
}

// earned reports whether a variable is money that comes in or is left, by its name.
func (s *search) earned(variable int) bool {
	return slices.ContainsFunc(s.vocabulary.terms[variable].names, func(n name) bool {
		return slices.ContainsFunc(n.words, func(w string) bool { return slices.Contains(s.vocabulary.tables.stemRoles[w], "earned") })
	})
}

// answersForm reports whether a variable is of the kind that the form of a question asks for. One
// that asks for what its own word says, "how loud", and the age of what has no unit of time are
// told by names alone.
func (s *search) answersForm(q *question, variable int) bool {
	t := &s.vocabulary.terms[variable]
	if q.want == wantAny || q.want == wantAge && t.number() {
		return false
	}
	return s.weights.fits(q.want, t) > 0
}

// unknownManner is the doubt about a question "how" something is in a word that nobody knows: "how
// sweet are they".
func (s *search) unknownManner(*combination) *value.Error {
	p := s.prose
	for at := range p.tokens[:max(0, len(p.tokens)-1)] {
		if p.tokens[at].is("how") && p.known[at] != asQuestion && p.meaning[at+1] == content && s.nameless(at+1) {
			return notUnderstood(quoted(p.fragment(at, at+2)))
		}
	}
	return nil
}

// speaksOf reports whether the name of a variable has a word that a token is used for.
func (s *search) speaksOf(variable, at int) bool {
	return slices.ContainsFunc(s.vocabulary.terms[variable].names, func(n name) bool {
		return slices.ContainsFunc(n.words, func(w string) bool {
			return w == s.prose.tokens[at].stem || s.vocabulary.groups.share(w, s.prose.tokens[at].stem)
		})
	})
}

// otherSide refuses a question how high, wide or deep something is that is named beside what is
// done with it, where its own name says nothing of that: "how high should I hang a lamp" does not
// ask for the length of the lamp.
func (s *search) otherSide(best *combination) *value.Error {
	p := s.prose
	for _, q := range p.questions {
		if q.want != wantLength || best.target < 0 || !p.tokens[q.to-1].is("side") || s.speaksOf(best.target, q.to-1) {
			continue
		}
		for _, m := range p.mentions {
			if m.variable != best.target || m.weight < s.weights.LeastAsking || m.from < q.to || m.to > q.end {
				continue
			}
			if word := s.stranger(q.to, m.from); word != "" {
				return notUnderstood(quoted(p.fragment(q.from, m.to)))
			}
		}
	}
	return nil
}

// named reports whether words outside of amounts name a variable.
func (s *search) named(variable int) bool { return s.namedBy(variable, s.weights.LeastAsking) }

// namedBy is named by words of a weight.
func (s *search) namedBy(variable int, least float64) bool {
	return slices.ContainsFunc(s.prose.mentions, func(m mention) bool {
		return m.variable == variable && m.weight >= least && s.asking(&m)
	})
}

// describe says what a reading gives and asks.
func (s *search) describe(c *combination) string {
	var parts []string
	for _, k := range c.picks {
		if k.variable >= 0 {
			parts = append(parts, s.title(k.variable)+" "+k.text)
		}
	}
	text := s.vocabulary.tables.joined(parts)
	if c.target >= 0 {
		titles := []string{s.title(c.target)}
		for i, v := range c.together {
			titles = append(titles[:i], s.title(v))
		}
		asked := s.vocabulary.tables.list(titles)
		if text == "" {
			return asked
		}
		return s.say("for", text, asked)
	}
	return text
}
