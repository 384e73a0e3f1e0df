package language

import (
	"slices"
	"strings"

	"reckon/engine"
	"reckon/engine/format"
	"reckon/engine/input"
	"reckon/engine/units"
	"reckon/engine/value"
)

// noting are the readings of a prompt that only states facts, nil for another: it has amounts, asks
// for nothing, names nothing that it does not give, or that would follow, and nothing was asked
// before that it could be a change to.
func (s *search) noting() []combination {
	p := s.prose
	changes := func(l slot) bool {
		return l.change != nil && (l.quantity < 0 || l.change.sure || slices.ContainsFunc(l.candidates, func(k candidate) bool { return k.relative }))
	}
	if len(s.list) == 0 || len(p.questions) > 0 || slices.ContainsFunc(s.list, changes) || p.asked != nil || p.whatIf || s.pending != nil && s.pending.Asks() || s.kept().Variable >= 0 ||
		strings.Contains(p.text, "?") || slices.ContainsFunc(s.list, func(l slot) bool { return l.dropped }) {
		return nil
	}
	asks := func(m mention) bool {
		return m.weight >= s.weights.LeastWord && s.asking(&m) && !p.declared(&m) && !p.titled(&m) && !p.numbered(&m) && !s.choosing(&m) && (p.heads(&m) || p.closes(&m) || p.dated(m.to) && !s.moves(&m) && !s.onDay(&m))
	}
	statement := p.statement()
	refers := func(t token) bool {
		return t.is("asking") || t.is("same") || !statement && (t.is("origin") && !t.is("partitive") || t.lex.row("comparatives") != nil)
	}
	if slices.ContainsFunc(p.mentions, asks) || slices.ContainsFunc(p.tokens, refers) {
		return nil
	}
	s.states = true
	s.dropOnes()
	found := s.combinations()
	if len(found) > 0 && !slices.ContainsFunc(p.mentions, func(m mention) bool {
		return s.notGiven(&m, found[0].picks) && !(statement && p.besideAmount(&m)) && !p.titled(&m)
	}) {
		return found
	}
	s.states = false
	if len(found) > 0 && !slices.ContainsFunc(s.combinations(), func(c combination) bool { return c.plan.ok }) {
		s.states = true // nothing follows from it yet
		return found
	}
	return nil
}

// tellsOnly reports whether a prompt states amounts, asks for nothing by any word, and nothing was
// asked before: what could follow from them is not what was asked.
func (s *search) tellsOnly(best *combination) bool {
	p := s.prose
	if len(p.questions) > 0 || p.asked != nil || p.whatIf || s.pending != nil && s.pending.Asks() || s.kept().Variable >= 0 || strings.Contains(p.text, "?") || len(best.picks) == 0 {
		return false
	}
	refers := func(t token) bool { // to something before, or asks
		return t.is("asking") || best.target < 0 && (t.is("same") || t.lex.row("comparatives") != nil)
	}
	names := func(m mention) bool { // what would be the answer
		return m.variable == best.target && m.weight >= s.weights.LeastJoined && s.asking(&m) && !p.declared(&m)
	}
	asks := func(m mention) bool {
		return m.weight > s.weights.Described && s.asking(&m) && !p.titled(&m) && !gives(best.picks, m.variable) && !(m.weight < s.weights.ExactName && s.toldFor(&m, best.picks)) && (p.heads(&m) || p.closes(&m) && !p.namesAmount(&m))
	}
	changes := func(l slot) bool {
		return slices.ContainsFunc(l.candidates, func(k candidate) bool { return k.relative })
	}
	return !slices.ContainsFunc(p.tokens, refers) && !slices.ContainsFunc(p.mentions, names) && !slices.ContainsFunc(p.mentions, asks) && !slices.ContainsFunc(s.list, changes)
}

// toldFor reports whether the words of a mention name as surely what some amounts are given for:
// "hired for 2 days" asks for no rent.
func (s *search) toldFor(m *mention, picks []candidate) bool {
	return s.nameOf(m, picks) || slices.ContainsFunc(s.prose.mentions, func(o mention) bool {
		return o.from == m.from && o.to == m.to && o.weight >= m.weight && gives(picks, o.variable)
	})
}

// statement reports whether a prompt closes with a full stop, and not with "please".
func (p *prose) statement() bool {
	n := len(p.tokens)
	return n > 1 && p.tokens[n-1].fold == "." && !p.tokens[n-2].is("polite")
}

// choosing reports whether a colon and a choice of what the words of a mention name stand behind
// it: "seeding: new turf".
func (s *search) choosing(m *mention) bool {
	p := s.prose
	if m.to+1 >= len(p.tokens) || p.tokens[m.to].fold != ":" || p.within[m.to+1] < 0 {
		return false
	}
	q := &p.quantities[p.within[m.to+1]]
	return q.labels() && slices.ContainsFunc(p.mentions, func(o mention) bool {
		return o.from == m.from && o.to == m.to && s.vocabulary.hasChoice(o.variable, q.readings[0].text)
	})
}

// titled reports whether a mention stands before a colon and says only what the rest is about: it
// is a part of a name, or something there is known to nobody, as in "New pupil: fee 280". What is
// asked for by its whole name for something is no title.
func (p *prose) titled(m *mention) bool {
	if p.begins(m) && p.terms[m.variable].output && m.weight >= p.weights.ExactName && m.to < len(p.tokens) && p.tokens[m.to].is("lasting") {
		return false // "wire for a titanium frame: 4 m"
	}
	end := m.to
	for end < len(p.tokens) && p.tokens[end].fold != ":" {
		if p.within[end] >= 0 {
			return false
		}
		end++
	}
	for at := end + 1; at < len(p.tokens) && p.within[at] < 0; at++ {
		if p.meaning[at] == content && p.known[at] == asNothing {
			return true // "New arrival: Sea Thrift, 8 m"
		}
	}
	for at := 0; at < end && end < len(p.tokens); at++ {
		if m.weight < p.weights.ExactName || p.meaning[at] == content && p.known[at] == asNothing {
			return true
		}
	}
	return false
}

// numbered reports whether a mention stands behind a number without a unit: "140 loaves on Sunday".
func (p *prose) numbered(m *mention) bool {
	return m.from > 0 && p.within[m.from-1] >= 0 && bareOnly(p.quantities[p.within[m.from-1]])
}

// besideAmount reports whether an amount stands in the clause of a mention.
func (p *prose) besideAmount(m *mention) bool {
	from, to := m.from, m.to
	for from > 0 && p.tokens[from-1].kind != mark {
		from--
	}
	for to < len(p.tokens) && p.tokens[to].kind != mark {
		to++
	}
	return slices.ContainsFunc(p.quantities, func(q quantity) bool { return (q.share || !q.weak) && from <= q.from && q.from < to })
}

// namesAmount reports whether a mention at the end only says what an amount before it was: "we paid
// 500, that's the deposit", "it's 55 miles, the distance I mean".
func (p *prose) namesAmount(m *mention) bool {
	at := m.from - 1
	for at > 0 && p.tokens[at].is("article") {
		at--
	}
	if at < 1 {
		return false
	}
	return p.closes(m) && p.tokens[at].is("declaring") && p.tokens[at-1].kind == mark && !p.tokens[at].is("auxiliary") ||
		p.tokens[at].kind == mark && slices.ContainsFunc(p.tables.patterns("correcting"), func(r *rule) bool {
			n, _ := r.pattern.match(p.tokens, p.used, m.to)
			return n > 0
		})
}

// dropOnes takes "one" before a noun for an article where the amount behind is told for each of
// what that names: "one box weighs 12 kg" counts no boxes.
func (s *search) dropOnes() {
	p := s.prose
	for i := range s.list[:len(s.list)-1] {
		l, next := &s.list[i], &s.list[i+1]
		if l.quantity < 0 || next.quantity < 0 || !p.quantities[l.quantity].weak || !s.oneThing(&p.quantities[l.quantity]) || !p.opens(l.from) {
			continue
		}
		thing := p.thingAt(l.to)
		if slices.ContainsFunc(next.candidates, func(k candidate) bool {
			return k.variable >= 0 && s.weights.fitsEach(&s.vocabulary.terms[k.variable], thing) == 1
		}) {
			l.candidates = slices.DeleteFunc(l.candidates, func(k candidate) bool { return k.variable >= 0 })
		}
	}
}

// moves reports whether a mention is of a moment that "on" or "at" and a moment follow, as those of
// "arrives on 1 July" do, or of what no equation yields that they and an amount of its own follow:
// "comes back at 65 °C".
func (s *search) moves(m *mention) bool {
	p := s.prose
	if m.to+1 >= len(p.tokens) || p.within[m.to+1] < 0 {
		return false
	}
	q := &p.quantities[p.within[m.to+1]]
	return s.vocabulary.terms[m.variable].moment() && q.moment || p.takes(m, q)
}

// onDay reports whether a mention of what is no moment stands before one: "7 hours of coverage on
// Saturday".
func (s *search) onDay(m *mention) bool {
	p := s.prose
	return !s.vocabulary.terms[m.variable].moment() && m.to+1 < len(p.tokens) && p.within[m.to+1] >= 0 && p.quantities[p.within[m.to+1]].moment
}

// dated reports whether "on" or "at" stands at a token, before an amount.
func (p *prose) dated(at int) bool {
	if at >= len(p.tokens) || !p.tokens[at].is("dated") {
		return false
	}
	for at++; at < len(p.tokens) && p.tokens[at].is("article"); at++ {
	}
	return at < len(p.tokens) && p.within[at] >= 0
}

// declared reports whether a mention is part of a sentence that says what an amount is, "data on
// each computer is 120 GB", "we have 150 chairs in the hall": as what comes before the verb, or
// behind a word of grammar.
func (p *prose) declared(m *mention) bool {
	subject := m.from - 1
	for subject > 0 && !p.tokens[subject].is("subject") && (p.meaning[subject] == grammar || p.meaning[subject] == plainly) {
		subject--
	}
	if subject >= 0 && m.to == m.from+1 && p.tokens[subject].is("subject") {
		at := m.to
		for at < len(p.tokens) && p.tokens[at].is("grammar") {
			at++
		}
		if at < len(p.tokens) && p.within[at] >= 0 {
			return true // "we ship 640 cartons", "we ran for 3 hours"
		}
	}
	if p.namesAmount(m) {
		return true
	}
	from, to := m.from, m.to
	for from > 0 && p.tokens[from-1].kind != mark && !p.tokens[from-1].is("joining") {
		from--
	}
	for to < len(p.tokens) && p.tokens[to].kind != mark && !p.tokens[to].is("joining") {
		to++
	}
	verb, amount := -1, false
	for i := from; i < to; i++ {
		switch t := &p.tokens[i]; {
		case t.is("conditional"):
			return false // "the cost when 3 are broken"
		case !amount && verb >= 0 && t.is("lasting"):
			return false // "the bill is for 3 people"
		case p.within[i] >= 0 && !p.quantities[p.within[i]].weak:
			amount = true
			if verb < 0 && m.to <= i {
				return false // "the cost for 3 people is"
			}
		case verb < 0 && t.is("declaring") && (p.meaning[i] == grammar || i+1 < to && p.within[i+1] >= 0): // no "energy costs for 60 kWh"
			verb = i
		}
	}
	return amount && verb >= 0 && (m.to <= verb || m.from == verb && verb > from || m.from <= verb && p.meaning[verb] == grammar || m.from > verb && (p.meaning[m.from-1] == grammar || p.tokens[m.from-1].is("article")))
}

// declaresChoices reports whether a prompt that only states facts says which choices are taken, by
// their labels alone: "it's black and white", "there's snow".
func (s *search) declaresChoices(best *combination) bool {
	return s.states && (anyIs(s.prose.tokens, "declaring") || s.onlyLabels()) && !slices.ContainsFunc(best.picks, func(k candidate) bool {
		q := s.list[k.slot].quantity
		return k.variable >= 0 && (q < 0 || !s.prose.quantities[q].labels())
	})
}

// onlyLabels reports whether all that a prompt says by words with a meaning are choices by their
// labels, "all on the lunge", but for what somebody does with them.
func (s *search) onlyLabels() bool {
	p := s.prose
	doing := len(p.tokens) > 0 && p.tokens[0].is("subject") // "we've booked the reflector"
	for at := range p.tokens {
		q := p.within[at]
		if doing && q >= 0 {
			doing = false
		}
		if p.meaning[at] == content && (q < 0 || !p.quantities[q].labels()) && !(doing && s.nameless(at)) {
			return false
		}
	}
	return true
}

// notGiven reports whether the words of a mention speak of a variable that is not given, and are
// not those of one that is.
func (s *search) notGiven(m *mention, picks []candidate) bool {
	p := s.prose
	if m.weight >= s.weights.ExactName && p.namesAmount(m) {
		return !gives(picks, m.variable)
	}
	if m.weight < s.weights.LeastAsking || !s.asking(m) || s.nameOf(m, picks) || p.declared(m) {
		return false
	}
	return m.weight >= s.weights.ExactName && s.vocabulary.terms[m.variable].derived || !gives(picks, m.variable) &&
		!slices.ContainsFunc(p.mentions, func(o mention) bool { return o.weight >= m.weight && gives(picks, o.variable) && o.overlaps(m) })
}

// nameOf reports whether the words of a mention name an amount that its variable is given, or say
// what that is an amount of: "the print run is 5000 copies".
func (s *search) nameOf(m *mention, picks []candidate) bool {
	return slices.ContainsFunc(picks, func(c candidate) bool {
		return c.variable == m.variable && s.list[c.slot].to == m.from || c.name >= 0 && c.evidence >= s.weights.LeastNamed && s.prose.mentions[c.name].overlaps(m)
	})
}

// noted is what a request asks for that only states facts: what it states, each in its own unit,
// so that a scenario has it.
func noted(s *value.Scope, stated []engine.Given) (targets []engine.Target) {
	for _, in := range stated {
		if unit := ownUnit(s, in); unit != nil {
			targets = append(targets, engine.Target{Variable: in.Variable, Unit: unit})
		}
	}
	return targets
}

// ownUnit is the unit in which a stated value is asked for to be shown as it was stated, nil for
// none.
func ownUnit(s *value.Scope, in engine.Given) *units.Unit {
	q, single := in.Value.Single()
	if in.Cleared || !single {
		return nil
	}
	switch kind := format.ScalarKind(s.Declared[in.Variable].Kind); {
	case format.IsTime(kind):
		return input.Second(s)
	case q.Unit == nil || kind == percentKind:
		return units.One
	}
	return q.Unit
}

// OnlyNotes reports whether a request asks for nothing but what it states itself, as it states it.
func OnlyNotes(d *engine.Domain, r engine.Request) bool {
	return len(r.Targets) > 0 && !slices.ContainsFunc(r.Targets, func(t engine.Target) bool {
		return !slices.ContainsFunc(r.Inputs, func(in engine.Given) bool {
			own := ownUnit(&d.Scope, in)
			return in.Variable == t.Variable && own != nil && t.Unit != nil && own.Symbol() == t.Unit.Symbol()
		})
	})
}

// onlyNoted reports whether all that was asked last in a scenario was stated in it.
func onlyNoted(base *engine.Scenario) bool {
	last := base.Last()
	return len(last) > 0 && !base.Everything && !slices.ContainsFunc(last, func(t engine.Target) bool {
		return !slices.ContainsFunc(base.Values, func(v engine.ScenarioValue) bool {
			return v.Variable == t.Variable && v.Source == engine.UserInput
		})
	})
}

// Bounds of what a sentence offers to be asked for.
const (
	maxOffered = 6
	maxLooked  = 60 // results that are looked at
)

// Noted is what becomes known by a result of which only facts were stated, and what can be asked
// for then, in a sentence or two. The same result always gives the same text.
func (v *Vocabulary) Noted(res engine.Result, env value.Env) string {
	d, t := v.domain, v.tables
	var now, before []string
	var facts []engine.Fact
	for _, value := range res.Values {
		if value.Source != engine.UserInput {
			continue
		}
		facts = append(facts, engine.Fact{Variable: value.Variable, Tier: engine.Stated})
		switch text := title(d, value.Variable) + " " + t.shown(d, value); {
		case value.Stated:
			now = append(now, text)
		case !d.Variables[value.Variable].Hidden:
			before = append(before, text)
		}
	}
	if more := len(now) - maxAnswered; more > 0 {
		now = append(now[:maxAnswered], t.count(more, "more value"))
	}
	if more := len(before) - maxAnswered; more > 0 {
		before = append(before[:maxAnswered], t.count(more, "more value"))
	}
	text := t.say("noted", t.list(now))
	if len(before) > 0 {
		text = t.say("noted beside", t.list(now), t.list(before))
	}
	switch found, others := v.askable(facts, env); {
	case len(found) > 0:
		text += " " + t.say("can ask", t.oneOf(v.titles(found)))
	case len(others) > 0:
		text += " " + t.say("can ask later", t.oneOf(v.titles(others)))
	}
	return text
}

// askable are the results that follow from facts and defaults, and of those that do not,
// what nothing else is made of first; some of each.
func (v *Vocabulary) askable(facts []engine.Fact, env value.Env) (found, others []int) {
	given := slices.Clone(facts)
	for i := range v.terms {
		if v.terms[i].fallback && !slices.ContainsFunc(facts, func(f engine.Fact) bool { return f.Variable == i }) {
			given = append(given, engine.Fact{Variable: i, Tier: engine.Defaulted})
		}
	}
	meter, looked := env.Metered().Meter, 0
	for _, final := range []bool{true, false} {
		for i := range v.terms {
			t := &v.terms[i]
			if !t.derived || t.hidden || t.final != final || !final && !t.output || looked == maxLooked || slices.ContainsFunc(facts, func(f engine.Fact) bool { return f.Variable == i }) {
				continue
			}
			looked++
			if _, _, ok := v.domain.Leaves(meter, given, i); ok && len(found) < maxOffered {
				found = append(found, i)
			} else if !ok && len(others) < maxOffered {
				others = append(others, i)
			}
		}
	}
	return found, others
}

func (v *Vocabulary) titles(variables []int) (list []string) {
	for _, i := range variables {
		list = append(list, title(v.domain, i))
	}
	return list
}

// oneOf joins parts of which one is to be chosen.
func (t *tables) oneOf(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return t.say("or", strings.Join(parts[:len(parts)-1], ", "), parts[len(parts)-1])
}
