package language

import (
	"slices"

	"reckon/engine/value"
)

// secondQuestion refuses a prompt that asks two questions. What one question asks for together is
// noted.
func (s *search) secondQuestion(best *combination) *value.Error {
	p := s.prose
	if best.target < 0 {
		return nil
	}
	var asked []int
	for i := range p.questions {
		if v := s.askedBy(&p.questions[i]); v >= 0 && !slices.Contains(asked, v) && !s.askedMorePlainly(i, v) {
			asked = append(asked, v)
		}
	}
	joined, together := s.joinedNames(best)
	inTurn := s.askedInTurn(best) != nil
	for i := 1; i < len(p.questions) && !inTurn; i++ {
		a, b := &p.questions[i-1], &p.questions[i]
		if a.how(p) && b.how(p) && (b.from <= a.end+1 && anyIs(p.tokens[a.to:b.from], "joining") || p.tokens[b.from-1].is("joining")) {
			return ambiguous(s.say("two questions", s.say("and", quoted(p.fragment(a.from, a.to)), quoted(p.fragment(b.from, b.to)))))
		}
	}
	if a, b := s.joinedAmount(best); a >= 0 {
		return ambiguous(s.say("two questions", s.title(a)+", "+s.title(b)))
	}
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
		return ambiguous(s.say("two questions", s.offerTargets(best, all)))
	}
	return nil
}

// askedMorePlainly reports whether a question names nothing in full, and a later one asks by its
// whole name for what has its form: "when can we drink it, I mean what's the ready day?"
func (s *search) askedMorePlainly(i, variable int) bool {
	p := s.prose
	names := func(q *question, variable int) bool {
		return slices.ContainsFunc(p.mentions, func(m mention) bool {
			return m.variable == variable && m.weight >= s.weights.ExactName && !m.told && m.from >= q.to && m.to <= q.end
		})
	}
	if names(&p.questions[i], variable) {
		return false
	}
	for k := i + 1; k < len(p.questions); k++ {
		if v := s.askedBy(&p.questions[k]); v >= 0 && names(&p.questions[k], v) && s.answersForm(&p.questions[i], v) {
			return true
		}
	}
	return false
}

// joinedNames are the variables of a prompt such as "the time and the cost", and whether they are
// asked for together: each of them can be found. Those of a prompt that begins with a name and goes
// on to ask for another are not.
func (s *search) joinedNames(best *combination) (list []int, together bool) {
	if list := s.askedInTurn(best); list != nil {
		return list, true
	}
	p := s.prose
	asks := func(m *mention) bool {
		return m.weight >= s.weights.LeastJoined && !s.lesser(m) && s.asking(m) && s.vocabulary.terms[m.variable].derived &&
			!slices.ContainsFunc(best.picks, func(c candidate) bool {
				return c.variable == m.variable || c.name >= 0 && c.evidence >= s.weights.LeastTaken && p.mentions[c.name].overlaps(m) &&
					!(m.weight >= s.weights.ExactName && m.contains(&p.mentions[c.name]))
			})
	}
	for i := range p.mentions {
		a := &p.mentions[i]
		if !asks(a) {
			continue
		}
		for k := range p.mentions {
			b := &p.mentions[k]
			if b.variable == a.variable || b.from <= a.to {
				continue
			}
			behind := p.aside(a.to, b.from)
			if b.from-behind-p.asking(behind, b.from) > 3+p.addingWords(behind, b.from) || p.anyAmount(behind, b.from) || !asks(b) || !(behind > a.to || anyIs(p.tokens[a.to:b.from], "joining") || anyIs(p.tokens[a.to:b.from], "adding") || s.headsList(a, b)) {
				continue
			}
			if slices.ContainsFunc(p.mentions, func(m mention) bool {
				return m.from >= a.to && m.to < b.from && m.variable != a.variable && m.variable != b.variable && asks(&m)
			}) {
				continue // "wax, oil and batch cost"
			}
			better := slices.ContainsFunc(p.mentions, func(m mention) bool { // one name over both
				return m.weight >= s.weights.LeastOver && m.from <= a.from && b.to <= m.to
			})
			if better {
				continue
			}
			if list = s.listed(a, b, asks); slices.Contains(list, best.target) {
				return list, (p.tokens[a.to].fold == "," || !s.elliptic(a, b)) && !slices.ContainsFunc(list, func(v int) bool { return v != best.target && !s.derive(best.picks, v).ok })
			}
		}
		story := a.from > 0 && p.tokens[a.from-1].is("article") && p.told(a.from) // "The horses came in on Monday. What …?"
		if p.heads(a) && !story && !p.tokens[a.to].is("dated") && a.weight >= s.weights.ExactName && a.variable != best.target && len(p.questions) > 0 && p.questions[0].from > a.to && len(s.list) > 0 && s.list[0].from < p.questions[0].from {
			return []int{a.variable, best.target}, false
		}
	}
	return nil, false
}

// joinedResults are the results of equations whose whole names the prompt joins, whichever amounts
// it tells, "camp cost and lodge cost for 5 guests", and those that the scenario was asked for
// last.
func (s *search) joinedResults() (lists [][]int) {
	p := s.prose
	if s.base != nil && len(p.questions) == 0 {
		var list []int
		kept, _ := s.keptAll()
		for _, t := range kept {
			list = append(list, t.Variable)
		}
		lists = append(lists, list)
	}
	asks := func(m *mention) bool {
		return m.weight >= s.weights.ExactName && !m.told && s.asking(m) && s.vocabulary.terms[m.variable].output
	}
	for i := range p.mentions {
		for k := range p.mentions {
			a, b := &p.mentions[i], &p.mentions[k]
			if a.variable != b.variable && b.from > a.to && b.from-a.to <= 2 && p.tokens[a.to].is("joining") && asks(a) && asks(b) && !p.anyAmount(a.to, b.from) {
				lists = append(lists, s.listed(a, b, asks))
			}
		}
	}
	return lists
}

// headsList reports whether two names that a comma joins open the prompt, where no amount follows
// the second, "energy, cost of 100 W for 8 h", or stand alone at its end: "100 W, 8 h: energy,
// cost?"
func (s *search) headsList(a, b *mention) bool {
	p := s.prose
	closes := p.closes(b) && s.vocabulary.terms[a.variable].output && s.vocabulary.terms[b.variable].output && a.from > 0 && p.tokens[a.from-1].kind == mark
	return (p.tokens[a.to].fold == "," && p.begins(a) || closes && (p.tokens[a.to].fold == "," || p.tokens[a.to].fold == "?")) && a.weight >= s.weights.ExactName && b.weight >= s.weights.ExactName &&
		(b.to == len(p.tokens) || p.within[b.to] < 0 && p.tokens[b.to].fold != ":" && p.tokens[b.to].fold != "=")
}

// loosely refuses a question by a word that is part of the names of several results, where the
// answer would be one that has not the word: "what's the fee?" with a board fee and a suit fee.
func (s *search) loosely(best *combination) *value.Error {
	p := s.prose
	if best.target < 0 || s.base != nil || s.pending != nil || slices.ContainsFunc(p.questions, func(q question) bool { return q.want != wantAny }) {
		return nil
	}
	within := func(m *mention) bool {
		return len(p.questions) == 0 && p.closes(m) || slices.ContainsFunc(p.questions, func(q question) bool { return q.want == wantAny && q.verb == 0 && m.from >= q.to && m.to <= q.end })
	}
	var called []int
	for i := range p.mentions {
		m := &p.mentions[i]
		if m.told || m.weight < s.weights.LeastWord || !within(m) || p.within[m.from] >= 0 {
			continue
		}
		if m.weight >= s.weights.ExactName {
			return nil
		}
		if m.variable == best.target && !s.torn(m) {
			return nil
		}
		if t := &s.vocabulary.terms[m.variable]; t.output && !slices.Contains(called, m.variable) && !gives(best.picks, m.variable) {
			called = append(called, m.variable)
		}
	}
	if len(called) < 2 {
		return nil
	}
	return ambiguous(s.offerTargets(best, called))
}

// otherAsked refuses an answer that no word of a first turn asks for, where the question names
// something else that has no amount: "what's the price?", of which only those of a page and a copy
// are known.
func (s *search) otherAsked(best *combination) *value.Error {
	p := s.prose
	if best.target < 0 || s.base != nil || s.pending != nil || s.namedBy(best.target, s.weights.LeastAsking) {
		return nil
	}
	for i := range p.questions {
		q := &p.questions[i]
		if q.want != wantAny || q.verb > 0 || q.to < len(p.tokens) && p.tokens[q.to].is("doing") {
			return nil
		}
		for k := range p.mentions {
			m := &p.mentions[k]
			if m.from >= q.to && m.to <= q.end && !m.told && m.weight >= s.weights.LeastAsking && p.within[m.from] < 0 && !gives(best.picks, m.variable) {
				return notUnderstood(quoted(p.fragment(q.from, m.to)))
			}
		}
	}
	return nil
}

// nothingCounted refuses a first question how many or how much money, of nothing that a word names,
// where several results are such numbers, "how many do we need for 40 archers?", or follow from
// some of the amounts in money: "8 dogs at $30, how much money is that?"
func (s *search) nothingCounted(best *combination) *value.Error {
	p := s.prose
	if best.target < 0 || s.base != nil || s.pending != nil || s.namedBy(best.target, s.weights.LeastAsking) {
		return nil
	}
	follows := func(v int) bool {
		d := s.derive(best.picks, v)
		return d.ok && d.used > 0
	}
	for i := range p.questions {
		q := &p.questions[i]
		if q.want != wantCount && q.want != wantMoney || q.unit != nil || q.to < len(p.tokens) && p.meaning[q.to] == content && p.within[q.to] < 0 {
			continue
		}
		var called []int
		for v := range s.vocabulary.terms {
			if t := &s.vocabulary.terms[v]; t.output && !t.hidden && !gives(best.picks, v) && (q.want == wantCount && t.number() || q.want == wantMoney && t.money() && follows(v)) {
				called = append(called, v)
			}
		}
		if len(called) > 1 {
			return ambiguous(s.offerTargets(best, called))
		}
	}
	return nil
}

// torn reports whether the one word of a mention is as much a part of the name of another result of
// its kind, "what's the weight?" with a dry weight and a batch weight, or the head of both names:
// "consumption?" of water and of energy. It is not where the word
// before may be a part of the name as well, "the caochng cost", or makes a verb of it, "what is
// that going to cost me".
func (s *search) torn(m *mention) bool {
	p := s.prose
	t := &s.vocabulary.terms[m.variable]
	if before := m.from - 1; p.meant[m.from] != "" || before >= 0 && (p.tokens[before].is("goal") || s.foreign(before) || s.vocabulary.rarity[p.tokens[before].stem] > 0) {
		return false
	}
	if slices.ContainsFunc(p.mentions, func(o mention) bool { return o.variable == m.variable && o.weight > m.weight+s.weights.MostExplained }) {
		return false
	}
	return slices.ContainsFunc(p.mentions, func(o mention) bool {
		u := &s.vocabulary.terms[o.variable]
		return o.variable != m.variable && !o.told && u.output && u.kind == t.kind && o.from == m.from && o.to == m.to &&
			o.weight >= m.weight-s.weights.MostExplained && (u.dimension == t.dimension || s.headed(m.variable, m.to-1) && s.headed(o.variable, m.to-1))
	})
}

// offerTargets offers a reading with each of some variables as its target, and lists their titles.
func (s *search) offerTargets(best *combination, variables []int) string {
	var titles []string
	s.offered = nil
	for _, v := range variables[:min(len(variables), maxChoices)] {
		one := *best
		one.target, one.unit, one.together = v, nil, nil
		titles, s.offered = append(titles, s.title(v)), append(s.offered, one)
	}
	return s.vocabulary.tables.numbered(titles)
}

// lesser reports whether the words of a mention are the whole name of another variable: the "gas
// cost" that names a gas price as well.
func (s *search) lesser(m *mention) bool {
	return m.weight < s.weights.ExactName && slices.ContainsFunc(s.prose.mentions, func(o mention) bool {
		return o.variable != m.variable && o.from == m.from && o.to == m.to && o.weight >= s.weights.ExactName && !o.told
	})
}

// askedInTurn are the variables of several questions that "and" joins, each of which names one that
// can be found: "how many meals, and how many kg of flour?" It is nil where they are not such, or
// amounts behind a question may be told for that one alone.
func (s *search) askedInTurn(best *combination) (list []int) {
	p := s.prose
	for i := range p.questions {
		q := &p.questions[i]
		v := s.askedBy(q)
		if i > 0 && p.anyAmount(p.questions[i-1].to, q.from) || i > 0 && !p.tokens[q.from-1].is("joining") || v < 0 || slices.Contains(list, v) || gives(best.picks, v) || !s.derive(best.picks, v).ok || !slices.ContainsFunc(p.mentions, func(m mention) bool {
			return m.variable == v && m.weight >= s.weights.ExactName && m.from >= q.to && m.to <= q.end
		}) {
			return nil
		}
		list = append(list, v)
	}
	if len(list) < 2 || !slices.Contains(list, best.target) {
		return nil
	}
	return list
}

// asking counts the tokens that only ask once more: "the time and what is the cost".
func (p *prose) asking(from, to int) (n int) {
	for _, q := range p.questions {
		if from <= q.from && q.to <= to && q.want == wantAny && !q.how(p) {
			n += q.to - q.from
		}
	}
	return n
}

// addingWords counts the tokens of "as well as the" beyond those of "and the", and those of "the
// number of".
func (p *prose) addingWords(from, to int) (n int) {
	if anyIs(p.tokens[from:to], "adding") {
		n += 2
	}
	if to-from > 2 && p.tokens[to-1].is("partitive") && p.tokens[to-2].is("counts") {
		n += 2
	}
	return n
}

// aside is the token behind what stands between commas behind "and": "the water and, with 7
// machines, the time"; from where nothing does.
func (p *prose) aside(from, to int) int {
	if from+2 >= to || !p.tokens[from].is("joining") || p.tokens[from+1].fold != "," || !p.tokens[from+2].is("attaches") {
		return from
	}
	for at := from + 2; at < to; at++ {
		if p.tokens[at].fold == "," {
			return at + 1
		}
	}
	return from
}

// anyAmount reports whether an amount stands among some tokens.
func (p *prose) anyAmount(from, to int) bool {
	return slices.ContainsFunc(p.within[from:to], func(q int) bool { return q >= 0 })
}

// joinedAmount are two results of which the second is joined to the first, which is asked for, and
// takes the amount that both are for, "payment and total interest for 10k"; -1 where there are
// none.
func (s *search) joinedAmount(best *combination) (asked, taken int) {
	p := s.prose
	for i := range p.mentions {
		a := &p.mentions[i]
		if a.variable != best.target || a.weight < s.weights.ExactName || !s.asking(a) || len(p.questions) > 0 && !p.inQuestion(a) {
			continue
		}
		for k := range p.mentions {
			b := &p.mentions[k]
			if b.weight >= s.weights.ExactName && b.from > a.to && b.from-a.to <= 3 && b.to < len(p.tokens) && s.asking(b) && gives(best.picks, b.variable) &&
				s.vocabulary.terms[b.variable].derived && anyIs(p.tokens[a.to:b.from], "joining") && p.tokens[b.to].is("circumstance") &&
				!slices.ContainsFunc(best.picks, func(c candidate) bool { return c.variable == b.variable && p.described(b.to, s.list[c.slot].from) }) {
				return a.variable, b.variable
			}
		}
	}
	return -1, -1
}

// inQuestion reports whether a mention is part of what some question asks for, or heads the prompt.
func (p *prose) inQuestion(m *mention) bool {
	return p.heads(m) || slices.ContainsFunc(p.questions, func(q question) bool { return m.from >= q.from && m.to <= q.end })
}

// elliptic reports whether the second of two joined names may leave out what the first has said: in
// "grams of base and acid" the acid may be that in grams, though it is called so itself.
func (s *search) elliptic(a, b *mention) bool {
	of := func(m *mention) *term { return &s.vocabulary.terms[m.variable] }
	alike := func(t, u *term) bool { return t.kind == u.kind && t.dimension == u.dimension }
	said := s.prose.stems[a.from:a.to]
	return !alike(of(a), of(b)) && slices.ContainsFunc(s.prose.mentions, func(m mention) bool {
		t := of(&m)
		return m.variable != a.variable && m.variable != b.variable && !m.other && m.from <= b.from && m.to >= b.to && alike(t, of(a)) && t.derived &&
			slices.ContainsFunc(t.names, func(n name) bool {
				return slices.ContainsFunc(n.words, func(w string) bool {
					return slices.Contains(said, w) && !slices.Contains(s.prose.stems[b.from:b.to], w)
				})
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
			if m.to < a.from && a.from-m.to <= 2+p.addingWords(m.to, a.from) && (p.tokens[m.to].fold == "," || p.tokens[m.to].is("adding") || p.tokens[m.to].is("joining")) && !slices.Contains(list, m.variable) && asks(m) {
				list, a, more = append([]int{m.variable}, list...), m, true
				break
			}
			if m.from > b.to && m.from-b.to <= 2+p.addingWords(b.to, m.from) && (p.tokens[b.to].fold == "," || p.tokens[b.to].is("joining")) && !slices.Contains(list, m.variable) && asks(m) {
				list, b, more = append(list, m.variable), m, true
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
			if m.variable == variable && !m.other && m.weight >= s.weights.ExactName && m.from >= q.to && m.to <= q.end && p.within[m.from] < 0 && p.reach(q.from, q.to, m.from, m.to) >= s.weights.LeastPlain &&
				(m.to == len(p.tokens) || p.within[m.to] < 0) {
				return true
			}
		}
	}
	return false
}

// directly reports whether a question is followed by the name of a variable at once, and by no
// longer name.
func (s *search) directly(variable int) bool {
	p := s.prose
	return s.plainly(variable) && slices.ContainsFunc(p.mentions, func(m mention) bool {
		if m.variable != variable || m.weight < s.weights.ExactName || !p.askedFor(&m) {
			return false
		}
		return !slices.ContainsFunc(p.mentions, func(o mention) bool {
			return o.variable != variable && o.from <= m.from && m.to < o.to && o.weight >= s.weights.LeastOver
		})
	})
}

// headlined reports whether a prompt that has no question but ends in a question mark opens or
// closes with the whole name of a variable, which no longer name has in it: "45 lamps at 6.40 each,
// gel cost?"
func (s *search) headlined(variable int) bool {
	p := s.prose
	if n := len(p.tokens); len(p.questions) > 0 || n == 0 || p.tokens[n-1].fold != "?" {
		return false
	}
	return slices.ContainsFunc(p.mentions, func(m mention) bool {
		return m.variable == variable && m.weight >= s.weights.ExactName && !m.told && s.asking(&m) && (p.heads(&m) || p.closes(&m)) &&
			!(m.from > 0 && p.within[m.from-1] >= 0 && bareOnly(p.quantities[p.within[m.from-1]])) && // "320 orders?"
			!slices.ContainsFunc(p.mentions, func(o mention) bool {
				return o.variable != variable && o.from <= m.from && m.to <= o.to && (m.to < o.to || o.from < m.from) && o.weight >= s.weights.LeastOver
			})
	})
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
			if m.variable == variable && !m.other && m.from >= q.to && m.to <= q.end && p.within[m.from] < 0 {
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
