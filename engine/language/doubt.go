package language

import (
	"slices"
	"strings"

	"reckon/engine/input"
	"reckon/engine/value"
)

func notUnderstood(fragments string) *value.Error {
	return value.Problem("language.not_understood", fragments)
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
		words := `"` + s.prose.fragment(q.from, q.to) + `"`
		if q.rng {
			return ambiguous(words + " is a range or a choice, not one value")
		}
		if len(q.readings) > 1 && q.readings[0].kind == kindDate && q.readings[1].kind == kindDate && !q.readings[1].weak && !q.weak {
			return ambiguous(words + " as " + q.readings[0].text + " or " + q.readings[1].text)
		}
		if len(q.readings) == 0 && !q.weak {
			return notUnderstood(words)
		}
		if len(q.readings) > 0 && s.saidGauge(&q.readings[0], q.from, q.to) {
			return notUnderstood(words + " beside a gauge: write 30 psig, 2 barg or 5 atm gauge for a gauge pressure, 30 psia or 2 bara for an absolute one")
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
				return notUnderstood(`"` + p.fragment(at, at+n) + `", which only structured text and JSON give and ask for`)
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
			words = append(words, `"`+s.prose.fragment(l.from, l.to)+`"`)
		}
	}
	if len(words) > 0 {
		return notUnderstood(strings.Join(words, ", ") + " fits no variable")
	}
	if len(s.list) > maxSlots {
		return notUnderstood("too many amounts in one prompt")
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

// twice is the doubt about two amounts for one variable.
func (s *search) twice(variable int, a, b *slot) *value.Error {
	p := s.prose
	return ambiguous(s.title(variable) + ` as "` + p.fragment(a.from, a.to) + `" or "` + p.fragment(b.from, b.to) + `"`)
}

func (s *search) title(variable int) string { return title(s.vocabulary.domain, variable) }

// doubt refuses the best reading where it is not good enough, or the next one is nearly as good.
func (s *search) doubt(found []combination) *value.Error {
	s.tryOut(found)
	best := &found[0]
	p := s.prose
	for _, refuse := range []func(*combination) *value.Error{s.contested, s.askedAndGiven, s.secondQuestion, s.slid, s.eitherResult} {
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
	if amounts == 0 && (p.whatIf && len(p.questions) == 0 || best.target < 0 || best.target == s.kept().Variable && len(p.questions) == 0 && p.asked == nil && !s.named(best.target)) {
		return s.nothing()
	}
	if amounts == 0 && s.base == nil {
		word := s.stranger(0, len(p.tokens))
		if best.heard < s.weights.LeastAlone || word != "" && !best.plan.ok {
			return s.nothing()
		}
	}
	if word := s.unknownNoun(best); word != "" {
		return notUnderstood(word)
	}
	for _, k := range best.picks {
		if k.variable >= 0 && k.score < s.weights.LeastPick {
			return notUnderstood(`"` + p.fragment(s.list[k.slot].from, s.list[k.slot].to) + `"`)
		}
	}
	if len(p.questions) > 0 && best.heard < s.weights.LeastTarget || best.score < s.weights.LeastScore {
		return s.nothing()
	}
	for i := 1; i < len(found) && best.score-found[i].score < s.weights.LeastLead; i++ {
		if next := &found[i]; !s.same(best, next) && !s.within(best, next) {
			return ambiguous(s.describe(best) + ", or " + s.describe(next))
		}
	}
	return nil
}

// askedAndGiven refuses a reading that takes an amount for what a question asks for by its whole
// name: "how many tiles a box if 140 tiles need 14 boxes".
func (s *search) askedAndGiven(best *combination) *value.Error {
	p := s.prose
	for i := range p.questions {
		q := &p.questions[i]
		for k := range p.mentions {
			m := &p.mentions[k]
			if q.want == wantCount && m.from == q.to && m.to-m.from > 1 && m.weight >= s.weights.ExactName && m.variable != best.target && gives(best.picks, m.variable) {
				return ambiguous(s.title(m.variable) + ` as what "` + p.fragment(q.from, m.to) + `" asks for, or as given`)
			}
		}
	}
	return nil
}

// contested refuses an amount whose words name a variable that another amount takes.
func (s *search) contested(best *combination) *value.Error {
	for i, k := range best.picks {
		l := &s.list[i]
		if k.variable < 0 || len(l.candidates) == 0 {
			continue
		}
		for _, top := range l.candidates {
			if top.score <= k.score+s.weights.LeastContest {
				break
			}
			j := slices.IndexFunc(best.picks, func(o candidate) bool { return o.variable == top.variable })
			if j >= 0 && j != i && top.linked {
				return s.twice(top.variable, &s.list[j], l)
			}
		}
	}
	return nil
}

// slid refuses two amounts of one kind, joined by "and" or "or", of which only one is named: both
// may be meant for its variable.
func (s *search) slid(best *combination) *value.Error {
	p := s.prose
	for i := 1; i < len(best.picks); i++ {
		a, b := &best.picks[i-1], &best.picks[i]
		x, y := &s.list[i-1], &s.list[i]
		if a.variable < 0 || b.variable < 0 || y.from-x.to != 1 || x.quantity < 0 || y.quantity < 0 || !p.tokens[x.to].is("pairs") {
			continue
		}
		t, u := &s.vocabulary.terms[a.variable], &s.vocabulary.terms[b.variable]
		if t.kind == u.kind && t.dimension == u.dimension && a.evidence < s.weights.LeastNamed && b.evidence < s.weights.LeastNamed {
			swapped := *best
			swapped.picks = slices.Clone(best.picks)
			swapped.picks[i-1].text, swapped.picks[i].text = b.text, a.text
			if one, ok := s.value(best); ok {
				if other, ok := s.value(&swapped); !ok || !one.Equal(other) {
					return ambiguous(s.title(a.variable) + ` and ` + s.title(b.variable) + ` as "` + p.fragment(x.from, y.to) + `"`)
				}
			}
		}
		if t.kind == u.kind && t.dimension == u.dimension && (a.evidence >= s.weights.LeastNamed) != (b.evidence >= s.weights.LeastNamed) {
			named := a
			if b.evidence > a.evidence {
				named = b
			}
			return s.twice(named.variable, x, y)
		}
	}
	return nil
}

// eitherResult refuses money that no words name where it may be one of several results of
// equations: "for 100 euros", net or with tax.
func (s *search) eitherResult(best *combination) *value.Error {
	unnamed := func(k *candidate) bool {
		t := &s.vocabulary.terms[k.variable]
		return t.output && t.money() && k.evidence < s.weights.LeastWord && !k.relative && !s.inBase(k.variable)
	}
	for i := range best.picks {
		k := &best.picks[i]
		if k.variable < 0 || !unnamed(k) {
			continue
		}
		for c := range s.list[i].candidates {
			other := &s.list[i].candidates[c]
			if other.variable < 0 || other.variable == k.variable || other.variable == best.target || !unnamed(other) ||
				gives(best.picks, other.variable) {
				continue
			}
			t, u := &s.vocabulary.terms[k.variable], &s.vocabulary.terms[other.variable]
			if t.kind != u.kind || t.dimension != u.dimension {
				continue
			}
			swapped := *best
			swapped.picks = slices.Clone(best.picks)
			swapped.picks[i] = *other
			one, ok := s.value(best)
			two, also := s.value(&swapped)
			if ok && also && !one.Equal(two) {
				return ambiguous(s.describe(best) + ", or " + s.describe(&swapped))
			}
		}
	}
	return nil
}

// named reports whether words outside of amounts name a variable.
func (s *search) named(variable int) bool {
	return slices.ContainsFunc(s.prose.mentions, func(m mention) bool {
		return m.variable == variable && m.weight >= s.weights.LeastAsking && s.asking(&m)
	})
}

// secondQuestion refuses a prompt that asks two questions. What one question asks for together is
// noted.
func (s *search) secondQuestion(best *combination) *value.Error {
	p := s.prose
	if best.target < 0 {
		return nil
	}
	var asked []int
	for i := range p.questions {
		if v := s.askedBy(&p.questions[i]); v >= 0 && !slices.Contains(asked, v) {
			asked = append(asked, v)
		}
	}
	for i := 1; i < len(p.questions); i++ {
		a, b := &p.questions[i-1], &p.questions[i]
		if a.how(p) && b.how(p) && (b.from <= a.end+1 && anyIs(p.tokens[a.to:b.from], "joining") || p.tokens[b.from-1].is("joining")) {
			return ambiguous(`two questions at once: "` + p.fragment(a.from, a.to) + `" and "` + p.fragment(b.from, b.to) + `"`)
		}
	}
	if a, b := s.joinedAmount(best); a >= 0 {
		return ambiguous("two questions at once: " + s.title(a) + ", " + s.title(b))
	}
	joined, together := s.joinedNames(best)
	all := append(asked, joined...)
	slices.Sort(all)
	all = slices.Compact(all)
	all = slices.DeleteFunc(all, func(v int) bool {
		return v != best.target && !s.plainly(v) && gives(best.picks, v)
	})
	if together && !slices.ContainsFunc(all, func(v int) bool { return !slices.Contains(joined, v) }) {
		best.together = joined
		return nil
	}
	if len(all) > 1 {
		var titles []string
		for _, v := range all {
			titles = append(titles, s.title(v))
		}
		return ambiguous("two questions at once: " + strings.Join(titles, ", "))
	}
	return nil
}

// joinedNames are the variables of a prompt such as "the time and the cost", and whether they are
// asked for together: each of them can be found. Those of a prompt that begins with a name and goes
// on to ask for another are not.
func (s *search) joinedNames(best *combination) (list []int, together bool) {
	p := s.prose
	asks := func(m *mention) bool {
		return m.weight >= s.weights.LeastJoined && s.asking(m) && s.vocabulary.terms[m.variable].derived &&
			!slices.ContainsFunc(best.picks, func(c candidate) bool {
				return c.variable == m.variable || c.name >= 0 && c.evidence >= s.weights.LeastTaken && p.mentions[c.name].overlaps(m)
			})
	}
	for i := range p.mentions {
		a := &p.mentions[i]
		if !asks(a) {
			continue
		}
		for k := range p.mentions {
			b := &p.mentions[k]
			if b.variable == a.variable || b.from <= a.to || b.from-a.to > 3 || !asks(b) || !anyIs(p.tokens[a.to:b.from], "joining") {
				continue
			}
			better := slices.ContainsFunc(p.mentions, func(m mention) bool { // one name over both
				return m.weight >= s.weights.LeastOver && m.from <= a.from && b.to <= m.to
			})
			if better {
				continue
			}
			if list = s.listed(a, b, asks); slices.Contains(list, best.target) {
				return list, !s.elliptic(a, b) && !slices.ContainsFunc(list, func(v int) bool { return v != best.target && !s.derive(best.picks, v).ok })
			}
		}
		if p.heads(a) && !p.tokens[a.to].is("dated") && a.weight >= s.weights.ExactName && a.variable != best.target && len(p.questions) > 0 && p.questions[0].from > a.to && len(s.list) > 0 && s.list[0].from < p.questions[0].from {
			return []int{a.variable, best.target}, false
		}
	}
	return nil, false
}

// joinedAmount are two results of which the second is joined to the first, which is asked for, and
// takes the amount that both are for, "payment and total interest for 10k"; -1 where there are
// none.
func (s *search) joinedAmount(best *combination) (asked, taken int) {
	p := s.prose
	for i := range p.mentions {
		a := &p.mentions[i]
		if a.variable != best.target || a.weight < s.weights.ExactName || !s.asking(a) {
			continue
		}
		for k := range p.mentions {
			b := &p.mentions[k]
			if b.weight >= s.weights.ExactName && b.from > a.to && b.from-a.to <= 3 && b.to < len(p.tokens) && s.asking(b) && gives(best.picks, b.variable) &&
				s.vocabulary.terms[b.variable].derived && anyIs(p.tokens[a.to:b.from], "joining") && p.tokens[b.to].is("circumstance") {
				return a.variable, b.variable
			}
		}
	}
	return -1, -1
}

// elliptic reports whether the second of two joined names may leave out what the first has said: in
// "grams of base and acid" the acid may be that in grams, though it is called so itself.
func (s *search) elliptic(a, b *mention) bool {
	of := func(m *mention) *term { return &s.vocabulary.terms[m.variable] }
	alike := func(t, u *term) bool { return t.kind == u.kind && t.dimension == u.dimension }
	said := s.prose.stems[a.from:a.to]
	return !alike(of(a), of(b)) && slices.ContainsFunc(s.prose.mentions, func(m mention) bool {
		t := of(&m)
		return m.variable != a.variable && m.variable != b.variable && m.overlaps(b) && alike(t, of(a)) && t.derived &&
			slices.ContainsFunc(t.names, func(n name) bool {
				return slices.ContainsFunc(n.words, func(w string) bool { return slices.Contains(said, w) })
			})
	})
}

// listed are the variables of two names that are joined, and of those that a comma joins to them:
// "the time, the fuel and the cost".
func (s *search) listed(a, b *mention, asks func(*mention) bool) []int {
	p := s.prose
	list := []int{a.variable, b.variable}
	for more := true; more; {
		more = false
		for i := range p.mentions {
			m := &p.mentions[i]
			if m.to < a.from && a.from-m.to <= 2 && p.tokens[m.to].fold == "," && !slices.Contains(list, m.variable) && asks(m) {
				list, a, more = append([]int{m.variable}, list...), m, true
				break
			}
		}
	}
	return list
}

// plainly reports whether a question names a variable right behind its form.
func (s *search) plainly(variable int) bool {
	p := s.prose
	for i := range p.questions {
		q := &p.questions[i]
		for k := range p.mentions {
			m := &p.mentions[k]
			if m.variable == variable && m.weight >= s.weights.ExactName && m.from >= q.to && m.to <= q.end && p.within[m.from] < 0 && p.reach(q.from, q.to, m.from, m.to) >= s.weights.LeastPlain &&
				(m.to == len(p.tokens) || p.within[m.to] < 0) {
				return true
			}
		}
	}
	return false
}

// askedBy is the variable that a question alone asks for, -1 where that is not plain.
func (s *search) askedBy(q *question) int {
	p := s.prose
	best, bestScore := -1, float64(0)
	for variable := range s.vocabulary.terms {
		t := &s.vocabulary.terms[variable]
		if t.hidden {
			continue
		}
		var e float64
		for k := range p.mentions {
			m := &p.mentions[k]
			if m.variable == variable && m.from >= q.to && m.to <= q.end && p.within[m.from] < 0 {
				e = max(e, s.weights.ForQuestion*m.weight*p.connection(q.from, q.to, m.from, m.to))
			}
		}
		if q.want != wantAny {
			if fit := s.weights.fits(q.want, t); fit >= s.weights.LeastAnswer {
				e += s.weights.ForSole
			} else if fit == 0 {
				e += s.weights.AgainstSole
			}
		}
		if q.unit != nil && s.unitFits(variable, q.unit) {
			e += s.weights.ForSole
		}
		if e > bestScore {
			best, bestScore = variable, e
		}
	}
	if bestScore < s.weights.LeastSole {
		return -1
	}
	return best
}

// unknownNoun is what a question asks for where nothing in the domain, nor any table, knows the
// word: "how much hay".
func (s *search) unknownNoun(best *combination) string {
	p := s.prose
	names := func(q question) bool {
		return slices.ContainsFunc(p.mentions, func(m mention) bool {
			return m.variable == best.target && m.weight >= s.weights.LeastWord && m.from >= q.to && m.to <= q.end
		})
	}
	for i, q := range p.questions {
		if i > 0 && q.want == wantAny && names(q) {
			return "" // asked plainly by a later question
		}
	}
	for _, q := range p.questions {
		direct := q.to
		for direct < q.end && p.tokens[direct].is("of the") {
			direct++
		}
		if direct < q.end && q.unit == nil && (q.want == wantCount || p.tokens[q.to-1].is("much")) {
			if word := s.stranger(direct, direct+1); word != "" {
				return word // "how much hay": whatever else is said
			}
		}
		if q.unit != nil || names(q) {
			continue
		}
		if q.want == wantAny || q.want == wantCount {
			if word := s.stranger(q.to, q.end); word != "" {
				return word
			}
		}
	}
	return ""
}

// stranger is the first word of a stretch that nobody knows, in quotes, or "".
func (s *search) stranger(from, to int) string {
	p := s.prose
	for i := from; i < to; i++ {
		if p.tokens[i].kind == word && len(p.tokens[i].fold) > 1 && p.meaning[i] == content && p.known[i] == asNothing {
			return `"` + p.tokens[i].text + `"`
		}
	}
	return ""
}

// describe says what a reading gives and asks.
func (s *search) describe(c *combination) string {
	var parts []string
	for _, k := range c.picks {
		if k.variable >= 0 {
			parts = append(parts, s.title(k.variable)+" "+k.text)
		}
	}
	text := strings.Join(parts, " and ")
	if c.target >= 0 {
		if text != "" {
			text += " for "
		}
		titles := []string{s.title(c.target)}
		for i, v := range c.together {
			titles = append(titles[:i], s.title(v))
		}
		text += list(titles)
	}
	return text
}
