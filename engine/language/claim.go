package language

import (
	"slices"
	"strings"
	"unicode"

	"reckon/engine/units"
	"reckon/engine/value"
)

// multiplies reports whether a factor stands right before the name of a variable, so that leaving
// it out would answer something else: "half of the mix rots away".
func (s *search) multiplies(c *change) bool {
	p, to := s.prose, c.to
	for to < len(p.tokens) && p.meaning[to] == grammar {
		to++
	}
	return c.sign == 0 && slices.ContainsFunc(p.mentions, func(m mention) bool {
		return m.from == to && m.weight >= s.weights.LeastWord && !m.told
	})
}

// unclaimed reports whether a number or a percentage is that of a noun which names nothing here,
// while no words beside it name the variable: "20% tax" of a domain without taxes, "ISO 800", "3
// people". A plain number of things that the domain does not know may be its only number of things.
func (s *search) unclaimed(q *quantity, k *candidate) bool {
	if k.linked || s.inBase(k.variable) || q.weak || q.share {
		return false
	}
	bare := bareOnly(*q)
	dated := q.to+1 < len(s.prose.tokens) && s.prose.tokens[q.to+1].is("common unit") // "15% last month"
	if s.nameless(q.to) && !dated && !(bare && s.countsAll(k.variable)) {
		return true
	}
	return s.nameless(q.from-1) && !s.prose.tokens[q.from-1].is("having")
}

// countsAll reports whether a variable is the only number of things that is told and not found, so
// that it may be that of things which nobody knows.
func (s *search) countsAll(variable int) bool {
	count := func(t *term) bool { return t.number() && t.counts && !t.output && !t.hidden }
	for i := range s.vocabulary.terms {
		if count(&s.vocabulary.terms[i]) != (i == variable) {
			return false
		}
	}
	return true
}

// periodLost refuses a period of time that no reading uses where a variable that is called by it
// could have the amount: "3000 net a month" with a yearly and a monthly net income.
func (s *search) periodLost(best *combination) *value.Error {
	p := s.prose
	for i, k := range best.picks {
		l := &s.list[i]
		if k.variable >= 0 || l.quantity < 0 || l.dropped || len(p.quantities[l.quantity].readings) == 0 || p.quantities[l.quantity].readings[0].kind != kindDuration {
			continue
		}
		period := &quantity{from: l.to - 1, to: l.to}
		for j, o := range best.picks {
			if o.variable < 0 || o.evidence <= 0 || o.name < 0 || p.mentions[o.name].to != l.from || s.unitNames(o.variable, period) || s.overTime(o.variable) {
				continue
			}
			for _, other := range s.list[j].candidates {
				if other.variable >= 0 && s.unitNames(other.variable, period) && s.sharesWords(o.name, other.variable) && !gives(best.picks, other.variable) &&
					s.vocabulary.terms[other.variable].dimension == s.vocabulary.terms[o.variable].dimension {
					return s.choose([]combination{best.with(j, &other), *best})
				}
			}
		}
	}
	return nil
}

// overTime reports whether the unit of a variable is one for each of a time.
func (s *search) overTime(variable int) bool {
	t := &s.vocabulary.terms[variable]
	return t.unit != nil && slices.ContainsFunc(t.unit.Terms(), func(of units.Term) bool { return of.Num < 0 && of.Unit.Dimension() == units.Time })
}

// numbered refuses a command that nobody knows about one of the things that a variable counts:
// "restart server 12" does not say how many servers there are.
func (s *search) numbered(best *combination) *value.Error {
	p := s.prose
	for i, k := range best.picks {
		if from := s.list[i].from; k.variable < 0 || from < 2 || p.tokens[from].kind != number || !s.vocabulary.terms[k.variable].number() || p.tables.plural(&p.tokens[from-1]) {
			continue
		}
		named := slices.ContainsFunc(p.mentions, func(m mention) bool {
			return m.variable == k.variable && m.from == 1 && m.to == s.list[i].from && m.weight >= s.weights.ExactName
		})
		if word := s.stranger(0, 1); named && word != "" {
			return notUnderstood(word)
		}
	}
	return nil
}

// nameless reports whether a token is a noun that names nothing in the domain.
func (s *search) nameless(at int) bool {
	p := s.prose
	if at < 0 || at >= len(p.tokens) || p.tokens[at].kind != word || p.within[at] >= 0 || p.used[at] || p.void[at] || p.known[at] == asChange || p.known[at] == asIdiom || p.known[at] == asQuestion {
		return false
	}
	t := &p.tokens[at]
	noun := p.meaning[at] == content || p.meaning[at] == plainly && p.tables.plural(t) && !t.is("plain") && t.lex.row("comparatives") == nil
	return noun && !slices.ContainsFunc(p.mentions, func(m mention) bool { return m.from <= at && at < m.to })
}

// spanned refuses two amounts of one kind as the ends of a range, "from 50 to 60 mm", where they
// are not what something starts and ends with.
func (s *search) spanned(best *combination) *value.Error {
	p := s.prose
	for i := 1; i < len(best.picks); i++ {
		a, b := &best.picks[i-1], &best.picks[i]
		x, y := &s.list[i-1], &s.list[i]
		if a.variable < 0 || b.variable < 0 || x.from == 0 || y.from-x.to != 1 || !p.tokens[x.to].is("goal") || !p.tokens[x.from-1].is("origin") {
			continue
		}
		t, u := &s.vocabulary.terms[a.variable], &s.vocabulary.terms[b.variable]
		if x.quantity >= 0 && y.quantity >= 0 && bareOnly(p.quantities[x.quantity]) && s.counted(&p.quantities[y.quantity]) && !(t.start && u.end) {
			return ambiguous(s.say("range", quoted(p.fragment(x.from-1, y.to)))) // "from 8 to 12 hives"
		}
		if !(t.start && u.end) && !t.moment() && t.kind == u.kind && t.dimension == u.dimension {
			return ambiguous(s.say("range", quoted(p.fragment(x.from-1, y.to))))
		}
	}
	return nil
}

// otherKind refuses a question for what is of another kind than the target: "cost of chlorine" does
// not ask for the mass of the chlorine. The noun is the one behind the form of a question, or that
// opens a prompt which is a question without a form.
func (s *search) otherKind(best *combination) *value.Error {
	p := s.prose
	if best.target < 0 || p.asked != nil {
		return nil
	}
	asked := append([]int{best.target}, best.together...)
	check := func(from int) *value.Error {
		head := -1
		for at := from; at < len(p.tokens) && p.tokens[at].kind == word && p.within[at] < 0 && !p.used[at]; at++ {
			if p.meaning[at] == content {
				head = at
			} else if head >= 0 || p.tokens[at].is("auxiliary") {
				break
			}
		}
		if head >= 0 && s.ofOthers(from, head+1, asked) {
			return notUnderstood(quoted(p.tokens[head].text))
		}
		return nil
	}
	for i := range p.questions {
		if q := &p.questions[i]; q.want == wantAny {
			if err := check(q.to); err != nil {
				return err
			}
		}
	}
	for _, k := range best.picks {
		if k.variable >= 0 {
			asked = append(asked, k.variable)
		}
	}
	if n := len(p.tokens); s.base == nil && len(p.questions) == 0 && n > 0 && p.tokens[n-1].fold == "?" && anyIs(p.tokens, "partitive") {
		return check(0)
	}
	return nil
}

// ofOthers reports whether words name variables, and none that is asked for or of the kind of one.
func (s *search) ofOthers(from, to int, asked []int) bool {
	named := false
	for _, m := range s.prose.mentions {
		if m.from >= to || m.to <= from || m.weight < s.weights.LeastWord {
			continue
		}
		t := &s.vocabulary.terms[m.variable]
		if slices.ContainsFunc(asked, func(v int) bool {
			u := &s.vocabulary.terms[v]
			return v == m.variable || !t.dimensional || !u.dimensional || t.kind == u.kind && t.dimension == u.dimension
		}) {
			return false
		}
		named = named || m.weight >= s.weights.LeastWord && !m.told
	}
	return named
}

// otherChoice refuses a word that nobody knows where it may be a choice that the domain does not
// have: right before or behind the name of a variable with choices, "marzipan icing", "fuel type
// coal", and of an amount where no choice was ever told, "3 stacked cubic metres of eucalyptus",
// "15 m3 of boards in walnut".
func (s *search) otherChoice(best *combination) *value.Error {
	p := s.prose
	told := func(variable int) bool {
		return gives(best.picks, variable) || variable == best.target || slices.Contains(best.together, variable)
	}
	besides := func(variable int) bool { // it takes no part in the answer
		return best.plan.ok && !slices.Contains(best.plan.assumed, variable)
	}
	for _, m := range p.mentions {
		if m.weight >= s.weights.ExactName && s.labelled(m.variable) && !p.told(m.from) && !s.vocabulary.terms[m.variable].output && !gives(best.picks, m.variable) && m.from > 1 && s.strange(m.from-1) && p.tokens[m.from-2].is("indefinite") {
			return notUnderstood(quoted(p.fragment(m.from-1, m.to))) // "and on a lifetime contract?"
		}
		if m.weight >= s.weights.ExactName && s.labelled(m.variable) && !told(m.variable) && !(p.told(m.from) && besides(m.variable)) {
			if word := s.stranger(max(0, m.from-2), m.from); word != "" {
				return notUnderstood(quoted(p.fragment(max(0, m.from-1), m.to)))
			}
			behind := m.to
			for behind < len(p.tokens) && (p.tokens[behind].is("stating") || p.tokens[behind].is("amount by") || behind+1 < len(p.tokens) && p.tokens[behind].is("plain") && p.meaning[behind] == plainly && p.tokens[behind+1].kind == word) {
				behind++
			}
			called := behind > m.to && behind+1 < len(p.tokens) && p.tokens[behind].is("indefinite") && p.within[behind+1] < 0 // "the vehicle is a motorbike"
			if called {
				behind++
			}
			dated := behind+1 < len(p.tokens) && p.tokens[behind+1].is("common unit") // "spent on fuel last year"
			if !dated && s.nameless(behind) && (called || p.known[behind] == asNothing || p.known[behind] == asTypo) {
				return notUnderstood(quoted(p.fragment(m.from, behind+1)))
			}
			if s.base == nil && slices.Contains(best.plan.assumed, m.variable) && !m.told && !s.partOfOther(&m, best) {
				return notUnderstood(quoted(p.fragment(max(0, m.from-1), min(len(p.tokens), m.to+1)))) // "grade extra large", "Q band"
			}
		}
	}
	for i := range p.quantities {
		of := p.quantities[i].to
		if of+1 < len(p.tokens) && p.tokens[of].is("partitive") && slices.ContainsFunc(best.picks, func(k candidate) bool { return k.variable >= 0 && k.name >= 0 && p.mentions[k.name].from == of+1 }) {
			of++ // "15 m3 of boards"
		}
		for of < len(p.tokens) && slices.ContainsFunc(best.picks, func(k candidate) bool {
			return k.variable >= 0 && k.evidence > 0 && k.name >= 0 && p.mentions[k.name].from <= of && of < p.mentions[k.name].to
		}) {
			of++ // "3 stacked cubic metres"
		}
		if of+1 >= len(p.tokens) || !p.tokens[of].is("partitive") && !p.tokens[of].is("choosing") && !(p.tokens[of].is("holding") && p.tokens[of+1].text == p.tokens[of+1].fold) {
			continue
		}
		for variable := range s.vocabulary.terms {
			if word := s.stranger(of+1, of+2); word != "" && s.labelled(variable) && !told(variable) && !s.inBase(variable) && !(p.told(of) && besides(variable)) {
				return notUnderstood(word)
			}
		}
	}
	return nil
}

// otherCode refuses a code that nobody knows where choices are called by such ones, "on A9 paper"
// beside A4 and A5, or where it stands behind a part of a label as the rest of that: "Jet B" beside
// Jet A-1.
func (s *search) otherCode(*combination) *value.Error {
	p := s.prose
	for at := range p.tokens {
		shape := codeShape(p.tokens[at].text)
		if shape == "" || !s.foreign(at) {
			continue
		}
		if at > 0 && p.within[at-1] >= 0 {
			if q := &p.quantities[p.within[at-1]]; q.labels() && len(strings.Fields(q.readings[0].text)) > q.to-q.from {
				return notUnderstood(quoted(p.fragment(q.from, at+1)))
			}
		}
		for i := range s.vocabulary.terms {
			like := func(label string) bool {
				return slices.ContainsFunc(strings.Fields(label), func(w string) bool { return codeShape(w) == shape })
			}
			if s.labelled(i) && slices.ContainsFunc(s.vocabulary.domain.Variables[i].ChoiceNames(), like) {
				return notUnderstood(quoted(p.tokens[at].text))
			}
		}
	}
	return nil
}

// mostCapitals is how many capitals may make a code that has no digits.
const mostCapitals = 2

// codeShape is a code with each run of capitals or digits as one: A9 of "A4" and "M10"; "" for what
// is no code.
func codeShape(text string) string {
	var shape []byte
	letters, digits := 0, 0
	for _, r := range text {
		of := byte('9')
		switch {
		case unicode.IsUpper(r):
			of, letters = 'A', letters+1
		case unicode.IsDigit(r):
			digits++
		default:
			continue
		}
		if len(shape) == 0 || shape[len(shape)-1] != of {
			shape = append(shape, of)
		}
	}
	if letters == 0 || digits == 0 && (letters > mostCapitals || letters < len(text)) {
		return ""
	}
	return string(shape)
}

// partOfOther reports whether the words of a name are those of another one that has an amount or is
// asked for.
func (s *search) partOfOther(m *mention, best *combination) bool {
	return slices.ContainsFunc(s.prose.mentions, func(o mention) bool {
		return o.variable != m.variable && o.overlaps(m) && o.weight >= s.weights.LeastWord && (gives(best.picks, o.variable) || o.variable == best.target || slices.Contains(best.together, o.variable))
	})
}

// unsaid refuses a word that nobody knows behind the name of what is so or not, where its answer
// stands: "Sunday opening: maybe".
func (s *search) unsaid(best *combination) *value.Error {
	p := s.prose
	for _, k := range best.picks {
		if k.variable < 0 || s.list[k.slot].quantity < 0 {
			continue
		}
		q := &p.quantities[s.list[k.slot].quantity]
		if _, _, yes := s.vocabulary.truth(&s.vocabulary.domain.Variables[k.variable]); !yes || !q.labels() || !q.weak || q.to+1 >= len(p.tokens) || p.tokens[q.to].fold != ":" && p.tokens[q.to].fold != "=" {
			continue
		}
		if at := q.to + 1; p.within[at] < 0 && p.tokens[at].kind == word && !slices.ContainsFunc(p.mentions, func(m mention) bool { return m.from == at && m.weight >= s.weights.LeastAsking }) {
			return notUnderstood(quoted(p.fragment(q.from, at+1)))
		}
	}
	return nil
}

// assumedChoice refuses a word that nobody knows where it may be a choice that the domain does not
// have, and the answer would rest on the one that is assumed: "2 m shelves in walnut", "made of
// beech". A definite thing is one of the circumstances, and so is a place by its name, or what a
// sentence before the question tells: "she starts in spring".
func (s *search) assumedChoice(best *combination) *value.Error {
	p := s.prose
	if !slices.ContainsFunc(best.plan.assumed, s.labelled) {
		return nil
	}
	for at := 1; at+1 < len(p.tokens); at++ {
		t, of := &p.tokens[at], at+1
		if !t.is("holding") && !t.is("partitive") && !t.is("goal") && !t.is("owning") || !s.spoken(at-1) || p.told(at) {
			continue
		}
		for of+1 < len(p.tokens) && p.tokens[of].is("indefinite") {
			of++
		}
		goal := t.is("goal")
		if goal && p.tokens[of].is("article") && of+1 < len(p.tokens) {
			of++
		}
		capital := p.tokens[of].text != p.tokens[of].fold && !p.tables.has(capitalNouns)
		place, verb := t.is("holding") && capital, goal && of == at+1 && !capital // "in London", "to hang"
		if s.foreign(of) && !place && !verb {
			return notUnderstood(quoted(p.tokens[of].text))
		}
	}
	for at := 2; at < len(p.tokens); at++ {
		if !p.tokens[at-1].is("indefinite") || !s.foreign(at) || p.told(at) || !p.tokens[at-2].is("lasting") {
			continue
		}
		kind := at+1 < len(p.tokens) && p.tokens[at+1].kind == word && p.meaning[at+1] == content && p.within[at+1] < 0 // "for a titanium frame"
		thing := at > 2 && (at+1 == len(p.tokens) || p.tokens[at+1].kind == mark) && s.spoken(at-3)                     // "towing charge for a caravan"
		if kind || thing {
			return notUnderstood(quoted(p.tokens[at].text))
		}
	}
	for at := range p.tokens {
		if s.foreign(at) && (!p.told(at) && s.standsAlone(at) || at > 0 && p.within[at-1] >= 0 && s.things(at+1)) {
			return notUnderstood(quoted(p.tokens[at].text))
		}
	}
	return nil
}

// standsAlone reports whether a word, which is no name of somebody, is all that stands behind a
// comma: "a 100 m² roof, thatch, 60 mm of rain".
func (s *search) standsAlone(at int) bool {
	p := s.prose
	capital := p.tokens[at].text != p.tokens[at].fold && !p.tables.has(capitalNouns)
	return !capital && at > 0 && p.tokens[at-1].fold == "," && (at+1 == len(p.tokens) || p.tokens[at+1].kind == mark)
}

// sentence is where that of a token begins and ends.
func (p *prose) sentence(at int) (from, to int) {
	from, to = at, at
	for from > 0 && p.tokens[from-1].border() != stopBorder {
		from--
	}
	for to < len(p.tokens) && p.tokens[to].border() != stopBorder {
		to++
	}
	return from, to
}

// told reports whether a token stands in a sentence that does not ask, beside one that does.
func (p *prose) told(at int) bool {
	from, to := p.sentence(at)
	return len(p.questions) > 0 && !slices.ContainsFunc(p.questions, func(q question) bool { return from <= q.from && q.from < to })
}

// spoken reports whether a token is part of an amount or of a name, or a word behind one that says
// little: "boards made of".
func (s *search) spoken(at int) bool {
	p := s.prose
	for at > 0 && p.meaning[at] == plainly {
		at--
	}
	return p.within[at] >= 0 || slices.ContainsFunc(p.mentions, func(m mention) bool { return m.from <= at && at < m.to })
}

// otherHead refuses a prompt without a question that opens with what nobody knows and what that is
// of: "shipping for a net price of 100 euros" asks for more than it states.
func (s *search) otherHead(best *combination) *value.Error {
	p := s.prose
	from := 0
	for from < len(p.tokens) && p.tokens[from].is("article") {
		from++
	}
	end := from
	for end < len(p.tokens) && p.tokens[end].kind == word && (p.meaning[end] == content || p.meaning[end] == plainly) && p.within[end] < 0 {
		end++
	}
	if s.base != nil || len(s.list) == 0 || len(p.questions) > 0 || end == len(p.tokens) || !p.tokens[end].is("belonging") && !p.tokens[end].is("lasting") || anyIs(p.tokens, "declaring") {
		return nil
	}
	if slices.ContainsFunc(p.tokens[:s.list[0].from], func(t token) bool { return t.fold == ":" }) {
		return nil // "group booking for Friday: 14 boards"
	}
	asked := slices.ContainsFunc(p.mentions, func(m mention) bool {
		return m.from < end && m.variable == best.target && m.weight >= s.weights.LeastWord
	})
	for at := from; at < end && !asked; at++ {
		if s.foreign(at) {
			return notUnderstood(quoted(p.tokens[at].text))
		}
	}
	return nil
}

// foreign reports whether a token is a noun that nobody knows, nor is taken for a slip of a name.
func (s *search) foreign(at int) bool {
	return s.nameless(at) && (s.prose.known[at] == asNothing || s.prose.known[at] == asTypo)
}

// labelled reports whether a variable is one of choices that are called by names, and not only yes
// and no.
func (s *search) labelled(variable int) bool {
	def := &s.vocabulary.domain.Variables[variable]
	_, _, yes := s.vocabulary.truth(def)
	return def.IsChoice() && !def.Hidden && !yes
}
