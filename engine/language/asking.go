package language

import (
	"reckon/engine/units"
	"slices"
)

// findQuestions finds the forms of questions and where what they ask for ends.
func (v *Vocabulary) findQuestions(p *prose, tables *tables) {
	for at := 0; at < len(p.tokens); at++ {
		if p.used[at] || p.within[at] >= 0 {
			continue
		}
		for _, r := range tables.patterns("questions") {
			n, _ := r.pattern.match(p.tokens, p.used, at)
			if n == 0 || r.row[2] != "" && !p.opens(at) || p.tokens[at].is("subordinate") && p.subordinate(at) || p.tokens[at].is("which one") && at > 0 && p.tokens[at-1].fold != "." && p.tokens[at-1].fold != "?" {
				continue
			}
			q := question{from: at, to: at + n, behind: at + n, want: want(r.row[1])}
			if q.want == wantCount {
				if unit, size := tables.scanUnit(p.tokens, q.to, v.domain.Units()); size > 0 && !v.namesVariable(p, q.to, unit) && !v.spells(p, q.to, size) {
					q.unit, q.behind = unit, q.to+size
					if q.behind < len(p.tokens) && p.tokens[q.behind].is("partitive") {
						q.behind++
					}
				}
			}
			for i := q.from; i < q.to; i++ {
				if p.within[i] >= 0 {
					continue
				}
				if i > q.from && (q.want != wantAny || p.tokens[q.from].is("how")) && (len(v.groups[p.stems[i]]) > 0 || q.want == wantAny && v.rarity[p.stems[i]] > 0) { // "how long" speaks of a length
					p.meaning[i], p.known[i] = content, asQuestion
					continue
				}
				p.meaning[i], p.known[i] = plainly, asQuestion
			}
			q.end = q.to
			for q.end < len(p.tokens) && !p.ends(q.end) {
				q.end++
			}
			if q.want == wantAny {
				p.findVerb(&q)
			}
			p.questions = append(p.questions, q)
			at = q.to - 1
			break
		}
	}
	p.settleQuestions()
}

// subordinate reports whether "when" only says under what circumstances something is asked for:
// "the tour time of 24 km when the engine is warm", "profit when 60 seats are sold", "and when we
// lower at 60 m/min?"
func (p *prose) subordinate(at int) bool {
	if at == 0 || at+1 < len(p.tokens) && p.tokens[at+1].is("auxiliary") {
		return false
	}
	if p.tokens[at-1].is("joining") && at+1 < len(p.tokens) && p.within[at+1] < 0 {
		end := at + 1
		for end < len(p.tokens) && p.tokens[end].kind != mark {
			end++
		}
		return p.anyAmount(at+1, end) && !anyIs(p.tokens[at+1:end], "auxiliary")
	}
	asked := len(p.questions) > 0 || p.used[at-1] || p.meaning[at-1] == content && at+1 < len(p.tokens) && p.tokens[at+1].kind != mark
	return asked && p.tokens[at-1].kind != mark && !p.tokens[at-1].is("joining") && !p.tokens[at-1].is("opener")
}

// findVerb finds the verb of a question that says what kind of value is asked for: "what would the
// clay cost us", "how much do 40 bags weigh".
func (p *prose) findVerb(q *question) {
	at := q.to
	for at < len(p.tokens) && p.tokens[at].kind != mark {
		at++
	}
	for at--; at > q.to && p.tokens[at].is("grammar"); at-- {
	}
	last := q.end - 1
	for last > q.to && p.tokens[last].is("grammar") {
		last--
	}
	for _, i := range []int{at, last} {
		switch {
		case i <= q.to || !p.tokens[q.to].is("doing"):
		case p.tokens[i].is("costing"), p.tokens[i].is("earning"):
			q.want, q.verb = wantMoney, i
			return
		case p.tokens[i].is("weighing"):
			q.want, q.verb = wantMass, i
			return
		}
	}
}

// opens reports whether a token opens a clause, as the verb of a command does.
func (p *prose) opens(at int) bool {
	return at == 0 || p.tokens[at-1].kind == mark || p.within[at-1] >= 0 || p.tokens[at-1].is("opener")
}

// namesVariable reports whether a word is one that names a variable of the domain other than as its
// unit.
func (v *Vocabulary) namesVariable(p *prose, at int, unit *units.Unit) bool {
	return slices.ContainsFunc(v.terms, func(t term) bool {
		fits := t.dimensional && (t.dimension.IsNone() || t.dimension == unit.Dimension())
		return fits && slices.ContainsFunc(t.names, func(n name) bool { return len(n.words) == 1 && n.words[0] == p.tokens[at].stem })
	})
}

// spells reports whether words from a token on, more than one and at least so many, are the name of
// a variable: "how many lessons a week".
func (v *Vocabulary) spells(p *prose, at, least int) bool {
	return slices.ContainsFunc(v.terms, func(t term) bool {
		return !t.hidden && slices.ContainsFunc(t.names, func(n name) bool {
			return len(n.spoken) >= max(least, 2) && p.says(at, n.spoken)
		})
	})
}

// ends reports whether a token ends what a question asks for.
func (p *prose) ends(i int) bool {
	return p.within[i] >= 0 || p.used[i] || p.tokens[i].is("ends question")
}

// settleQuestions leaves out what only looks like a question ("what if"), and lets a form that
// introduces another ("tell me how long") give way to it.
func (p *prose) settleQuestions() {
	var list []question
	for i, q := range p.questions {
		if q.want == wantNothing {
			p.whatIf = p.whatIf || p.tokens[q.to-1].is("supposing")
			continue
		}
		if i+1 < len(p.questions) && q.want == wantAny {
			next := p.questions[i+1]
			introduces := (next.from <= q.end || next.from == q.end+1 && p.tokens[q.end].fold == ",") && next.want != wantNothing
			for k := q.to; k < next.from && introduces; k++ {
				introduces = p.meaning[k] != content || p.known[k] == asNothing
			}
			if introduces {
				continue
			}
		}
		list = append(list, q)
	}
	p.questions = list
}

// dropWishes leaves out the forms of questions that ask for nothing.
func (p *prose) dropWishes() {
	p.questions = slices.DeleteFunc(slices.Clone(p.questions), func(q question) bool {
		next := slices.IndexFunc(p.questions, func(o question) bool { return o.from > q.from })
		return q.want == wantAny && (p.saysWhich(&q) || p.wishes(&q)) || next >= 0 && (p.isObject(&q, &p.questions[next]) || p.isAside(&q, &p.questions[next]))
	})
}

// saysWhich reports whether the form of a question beside another one says which value something
// shall have: "I want the delivery on 1 May. What order date do I need?", "how long can we keep it
// if we want the fee to be 60 euros?"
func (p *prose) saysWhich(q *question) bool {
	if p.tokens[q.from].is("asking") || p.tokens[q.from].is("how") || len(p.questions) < 2 || q.end >= len(p.tokens) || p.within[q.end] < 0 || !p.tokens[q.end-1].is("dated") && !p.tokens[q.end-1].is("states") {
		return false
	}
	amount := &p.quantities[p.within[q.end]]
	return slices.ContainsFunc(p.mentions, func(m mention) bool {
		t := &p.terms[m.variable]
		return m.weight >= p.weights.LeastWord && m.from >= q.to && m.to <= q.end && (amount.moment && t.moment() || p.fits(&m, amount))
	})
}

// wishes reports whether the form of a question is the verb of a sentence that states an amount:
// "they need about 12 minutes per garment".
func (p *prose) wishes(q *question) bool {
	if !anyIs(p.tokens[q.from:q.to], "wishing") || p.askedBy(q.to) {
		return false
	}
	for at := q.to; at < len(p.tokens) && p.within[at] < 0; at++ {
		if p.meaning[at] != grammar && p.meaning[at] != plainly {
			return false
		}
	}
	return true
}

// isObject reports whether the form of a question is what a sentence before the one that asks says
// something of: "sells what he has smoked".
func (p *prose) isObject(q, next *question) bool {
	return q.want == wantAny && p.tokens[q.from].is("asking") && q.from > 0 && p.meaning[q.from-1] == content && p.within[q.from-1] < 0 && p.stops(q.end, next.from)
}

// isAside reports whether the form of a question only says when, in a sentence before the one that
// asks: "in March, when they made it."
func (p *prose) isAside(q, next *question) bool {
	return q.from > 0 && p.tokens[q.from].is("subordinate") && p.tokens[q.from-1].fold == "," && q.to < len(p.tokens) && !p.tokens[q.to].is("auxiliary") && p.stops(q.to, next.from)
}

// stops reports whether a sentence ends between two tokens.
func (p *prose) stops(from, to int) bool {
	return from < to && slices.ContainsFunc(p.tokens[from:to], func(t token) bool { return t.border() == stopBorder })
}

// askedBy reports whether the sentence of a token ends in a question mark.
func (p *prose) askedBy(at int) bool {
	_, to := p.sentence(at)
	return to < len(p.tokens) && p.tokens[to].fold == "?"
}

// askedFor reports whether a mention stands right behind the form of a question, or heads the
// prompt.
func (p *prose) askedFor(m *mention) bool {
	for i := range p.questions {
		q := &p.questions[i]
		if q.want != wantAny && q.unit == nil || m.from < q.behind {
			continue
		}
		direct := true
		for k := q.behind; k < m.from && direct; k++ {
			direct = p.within[k] < 0 && (p.meaning[k] == grammar || p.meaning[k] == plainly)
		}
		if direct {
			return true
		}
	}
	return p.heads(m)
}

// heads reports whether a mention opens the prompt as what is asked for: "monthly payment on 100k",
// "LTV for 250k".
func (p *prose) heads(m *mention) bool {
	first := m.from
	for i := range p.mentions { // "pallets and load for 600 boxes"
		if a := &p.mentions[i]; len(p.questions) == 0 && a.variable != m.variable && a.weight >= p.weights.ExactName && a.to < m.from && m.from-a.to <= 2 && anyIs(p.tokens[a.to:m.from], "joining") && p.begins(a) {
			first = a.from
		}
	}
	for i := 0; i < first; i++ {
		if p.meaning[i] == content || p.within[i] >= 0 || p.meaning[i] == other || p.tokens[i].is("attaches") { // "with a deposit of 500"
			return false
		}
	}
	if p.followsUp && p.tokens[min(m.to, len(p.tokens)-1)].is("partitive") {
		return false
	}
	if m.to >= len(p.tokens) || p.within[m.to] >= 0 {
		return false
	}
	switch next := &p.tokens[m.to]; {
	case next.fold == "-" && next.spaced && m.to+1 < len(p.tokens) && p.tokens[m.to+1].spaced: // "sheets - 14 bedrooms"
		return !p.followsUp
	case next.fold == "," || next.fold == ":":
		return !p.followsUp && m.to+1 < len(p.tokens) && (p.within[m.to+1] < 0 || p.quantities[p.within[m.to+1]].labels()) // "profit, venue hire 3000", "time, no bath"
	case next.is("partitive") && m.to+1 < len(p.tokens) && p.within[m.to+1] >= 0 && p.fits(m, &p.quantities[p.within[m.to+1]]):
		return false // "yearly food money of $4160"
	case next.is("partitive") && slices.ContainsFunc(p.mentions, func(o mention) bool {
		return o.to == m.to && o.from <= m.from && o.weight >= m.weight && p.counted(&o)
	}):
		return false // "crew of 5"
	case next.is("dated") && m.to+1 < len(p.tokens) && p.within[m.to+1] >= 0 && p.followsUp && len(p.questions) == 0 && p.takes(m, &p.quantities[p.within[m.to+1]]):
		return false // "ceiling at 18 m"
	case next.is("dated"):
		if m.to+1 < len(p.tokens) && p.within[m.to+1] >= 0 && p.quantities[p.within[m.to+1]].moment {
			return false // "due on May 15"
		}
		return true
	}
	return p.tokens[m.to].is("circumstance") || p.tokens[m.to].is("holding") && p.terms[m.variable].output && m.weight >= p.weights.ExactName && !p.followsUp
}

// counted reports whether all that follows a mention is the number of what it counts.
func (p *prose) counted(m *mention) bool {
	t := &p.terms[m.variable]
	if m.to+1 >= len(p.tokens) || p.within[m.to+1] < 0 || t.output || !t.number() || t.kind == percentKind {
		return false
	}
	q := &p.quantities[p.within[m.to+1]]
	return bareOnly(*q) && !q.weak && (q.to == len(p.tokens) || p.tokens[q.to].kind == mark)
}

// takes reports whether a variable that no equation yields can be given an amount.
func (p *prose) takes(m *mention, q *quantity) bool {
	return !p.terms[m.variable].output && p.fits(m, q)
}

// fits reports whether an amount has a unit that a variable has.
func (p *prose) fits(m *mention, q *quantity) bool {
	t := &p.terms[m.variable]
	return len(q.readings) > 0 && q.readings[0].unit != nil && t.dimensional && q.readings[0].unit.Dimension() == t.dimension
}

// begins reports whether nothing is said before a mention.
func (p *prose) begins(m *mention) bool {
	for i := 0; i < m.from; i++ {
		if p.meaning[i] == content || p.within[i] >= 0 || p.meaning[i] == other {
			return false
		}
	}
	return true
}

// closes reports whether a mention stands alone at the end of the prompt or of a question: "150
// miles at 60 mph, time?", "and crates? 24 in each"
func (p *prose) closes(m *mention) bool {
	for i := m.to; i < len(p.tokens); i++ {
		if p.tokens[i].fold == "?" && p.terms[m.variable].output {
			break
		}
		if p.tokens[i].kind != mark && p.meaning[i] != plainly {
			return false
		}
	}
	before := m.from - 1
	for before >= 0 && (p.meaning[before] == grammar || p.meaning[before] == plainly) {
		if p.tokens[before].is("belonging") {
			return false
		}
		before--
	}
	if before > 0 && p.tokens[before].is("joining") && p.tokens[before-1].kind == mark {
		before-- // "nice. and crates?"
	}
	return before < 0 || p.tokens[before].kind == mark || p.within[before] >= 0 && p.tokens[m.to-1].end < len(p.text) && p.text[len(p.text)-1] == '?'
}
