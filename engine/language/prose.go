package language

import (
	"strings"

	"reckon/engine/units"
)

// meaning is what part a token plays.
type meaning int

const (
	content meaning = iota // a word that says what something is about
	plainly                // a word that says little
	grammar                // a word that says nothing of its own
	border                 // a comma, a full stop, "and"
	other                  // part of a phrase or of the form of a question, which is not read further
)

// prose is a prompt with all that its words can mean.
type prose struct {
	text       string
	tokens     []token
	stems      []string  // by token
	meant      []string  // by token: the stem of the word that a misspelt one stands for, "" for none
	known      []string  // by token: what kind of word it is known as, "" for none
	meaning    []meaning // by token
	used       []bool    // by token: phrases
	within     []int     // by token: the quantity that it is part of, -1 for none
	quantities []quantity
	questions  []question
	changes    []change
	opening    opening
	asked      *units.Unit // the unit of "in hours", nil for none
	askedAt    int         // its token
	mentions   []mention
	whatIf     bool  // it supposes something: "what if", "what happens if"
	followsUp  bool  // the prompt builds on a scenario
	nots       []int // by quantity: its value is only named to be replaced ("instead of 60")
}

// borders cut a sentence into clauses: how much of a connection gets across.
var borders = map[string]float64{
	",": 0.5, ";": 0.3, ":": 0.9, ".": 0.2, "?": 0.2, "!": 0.2, "(": 0.6, ")": 0.6, "-": 0.9, "->": 0.6, "/": 0.8, "&": 0.55, "+": 0.6,
	"and": 0.55, "but": 0.4, "then": 0.5, "while": 0.5, "so": 0.5, "if": 0.5, "when": 0.6, "because": 0.4, "or": 0.4, "assuming": 0.5,
	"with": 0.6, "on": 0.75, "at": 0.8, "for": 0.75, "over": 0.75, "from": 0.7, "by": 0.85, "in": 0.85, "to": 0.85, "than": 0.5,
}

// read finds out what the words of a prompt can mean.
func (v *Vocabulary) read(text string, tables *tables, today int64) *prose {
	p := &prose{text: text, tokens: tokenize(text), askedAt: -1}
	n := len(p.tokens)
	p.stems, p.meant, p.known = make([]string, n), make([]string, n), make([]string, n)
	p.meaning, p.used, p.within = make([]meaning, n), make([]bool, n), make([]int, n)
	for i := range p.tokens {
		p.within[i] = -1
	}
	numbers := false
	for _, t := range p.tokens {
		numbers = numbers || t.kind == number
	}
	if o, ok := tables.phrases.find(p.tokens, p.used, numbers); ok {
		p.opening = o
		for i := o.from; i < o.to; i++ {
			p.used[i], p.meaning[i], p.known[i] = true, other, "phrase"
		}
	}
	v.findAskedUnit(p)
	v.scanQuantities(p, today)
	for i := range p.tokens {
		v.classify(p, i, tables)
	}
	p.findIdioms(tables)
	v.findQuestions(p, tables)
	p.findChanges(tables)
	p.mentions = v.mentions(p)
	return p
}

// scanQuantities finds amounts in the stretches that no phrase took.
func (v *Vocabulary) scanQuantities(p *prose, today int64) {
	for from := 0; from < len(p.tokens); from++ {
		if p.used[from] {
			continue
		}
		to := from
		for to < len(p.tokens) && !p.used[to] {
			to++
		}
		for _, q := range scan(p.tokens[from:to], v.domain.Units(), v.currency, today) {
			q.from += from
			q.to += from
			for i := q.from; i < q.to; i++ {
				p.within[i] = len(p.quantities)
			}
			p.quantities = append(p.quantities, q)
		}
		from = to
	}
}

// classify says what a token is. A word that nobody knows is compared with those that could be meant.
func (v *Vocabulary) classify(p *prose, i int, tables *tables) {
	t := &p.tokens[i]
	if p.used[i] || p.known[i] == "unit" {
		return
	}
	p.stems[i] = stem(t.fold)
	if p.within[i] >= 0 {
		p.meaning[i], p.known[i] = content, "quantity"
		return
	}
	switch {
	case t.kind == mark || t.kind == sign:
		p.meaning[i], p.known[i] = border, "mark"
	case t.kind == number:
		p.meaning[i] = content
	case grammarWords[t.fold]:
		p.meaning[i], p.known[i] = grammar, "grammar"
	case v.rarity[p.stems[i]] > 0:
		p.meaning[i], p.known[i] = content, "name"
	case plainWords[t.fold] && i > 0 && p.within[i-1] >= 0 && len(v.groups[p.stems[i]]) > 0:
		p.meaning[i], p.known[i] = content, "synonym" // "4 metres long"
	case plainWords[t.fold]:
		p.meaning[i], p.known[i] = plainly, "plain"
	case v.known[p.stems[i]]:
		p.meaning[i], p.known[i] = content, "description"
	case len(v.groups[p.stems[i]]) > 0:
		p.meaning[i], p.known[i] = content, "synonym"
	case ordinaryWords[t.fold]:
		p.meaning[i] = content
	case tables.words[t.fold]:
		p.meaning[i], p.known[i] = plainly, "plain"
	default:
		p.meaning[i] = content
		v.guess(p, i, tables)
	}
	if _, ok := borders[t.fold]; ok && p.meaning[i] == grammar {
		p.meaning[i] = border
	}
}

// guess looks for the word that a misspelt one stands for: the domain's own words before common ones.
func (v *Vocabulary) guess(p *prose, i int, tables *tables) {
	w := p.tokens[i].fold
	if typos(w) == 0 {
		return
	}
	best, bestDistance := "", 3
	try := func(meant string) {
		if meant[0] != w[0] && distance(w, meant, 1) > 1 {
			return
		}
		if misspells(w, meant) {
			d := distance(w, meant, 2)
			if d < bestDistance || d == bestDistance && leavesOut(w, meant) && !leavesOut(w, best) {
				best, bestDistance = meant, d
			}
		}
	}
	for _, meant := range v.words {
		try(meant)
	}
	if best != "" && bestDistance == 1 || best != "" && typos(w) > 1 {
		p.meant[i], p.known[i] = stem(best), "typo"
		return
	}
	best, bestDistance = "", 3
	for _, meant := range tables.spelling {
		try(meant)
	}
	if best == "" {
		return
	}
	switch {
	case grammarWords[best]:
		p.meaning[i], p.known[i] = grammar, "grammar"
	case plainWords[best] || tables.words[best]:
		p.meaning[i], p.known[i] = plainly, "plain"
	default:
		p.meant[i], p.known[i] = stem(best), "typo"
	}
}

// leavesOut reports whether a word is another one with letters left out, the commonest slip.
func leavesOut(written, meant string) bool {
	i := 0
	for k := 0; k < len(meant) && i < len(written); k++ {
		if meant[k] == written[i] {
			i++
		}
	}
	return i == len(written)
}

// connection says how much of a link between two stretches of tokens is left across what stands between them: all of it where
// they touch, less across other words, borders and quantities.
func (p *prose) connection(aFrom, aTo, bFrom, bTo int) float64 {
	from, to := aTo, bFrom
	if bTo <= aFrom {
		from, to = bTo, aFrom
	}
	if from > to { // they overlap
		return 0.8
	}
	link := 1.0
	seen := -1
	for i := from; i < to; i++ {
		if q := p.within[i]; q >= 0 {
			if q != seen {
				link *= 0.35
				seen = q
			}
			continue
		}
		switch p.meaning[i] {
		case border:
			if b, ok := borders[p.tokens[i].fold]; ok {
				link *= b
			} else {
				link *= 0.9
			}
		case grammar:
			if b, ok := borders[p.tokens[i].fold]; ok {
				link *= b
			}
		case plainly:
			link *= 0.85
		case other:
			link *= 0.6
		default:
			link *= 0.65
		}
	}
	return link
}

// reach is connection as a question has it, which is carried further: "what would 480 miles cost".
func (p *prose) reach(aFrom, aTo, bFrom, bTo int) float64 {
	from, to := aTo, bFrom
	if bTo <= aFrom {
		from, to = bTo, aFrom
	}
	link, seen := 1.0, -1
	for i := from; i < to; i++ {
		if q := p.within[i]; q >= 0 {
			if q != seen {
				link *= 0.65
				seen = q
			}
			continue
		}
		switch t := p.tokens[i].fold; {
		case t == "." || t == "?" || t == "!" || t == ";":
			link *= 0.35
		case t == "," || t == "and" || t == "but" || t == "if" || t == "with":
			link *= 0.6
		case t == "on" || t == "for" || t == "at" || t == "over" || t == "from" || t == "by" || t == "per" || t == "in":
			link *= 0.75
		case p.meaning[i] == content:
			link *= 0.85
		}
	}
	return link
}

// findQuestions finds the forms of questions and where what they ask for ends.
func (v *Vocabulary) findQuestions(p *prose, tables *tables) {
	for at := 0; at < len(p.tokens); at++ {
		if p.used[at] || p.within[at] >= 0 {
			continue
		}
		for r, pattern := range tables.forms {
			n, _ := pattern.match(p.tokens, p.used, at)
			if n == 0 || forms[r].command && !p.opens(at) || p.tokens[at].fold == "which" && at > 0 && p.tokens[at-1].fold != "." && p.tokens[at-1].fold != "?" {
				continue
			}
			q := question{from: at, to: at + n, want: forms[r].want}
			if q.want == wantCount || q.want == wantAny {
				if unit, _, size := scanUnit(p.tokens, q.to, v.domain.Units()); size > 0 && q.want == wantCount && !v.namesVariable(p, q.to, unit) {
					q.unit = unit
				}
			}
			for i := q.from; i < q.to; i++ {
				if p.within[i] >= 0 {
					continue
				}
				if i > q.from && (q.want != wantAny || p.tokens[q.from].fold == "how") && len(v.groups[p.stems[i]]) > 0 { // "how long" speaks of a length
					p.meaning[i], p.known[i] = content, "question"
					continue
				}
				p.meaning[i], p.known[i] = plainly, "question"
			}
			q.end = q.to
			for q.end < len(p.tokens) && !p.ends(q.end) {
				q.end++
			}
			p.questions = append(p.questions, q)
			at = q.to - 1
			break
		}
	}
	p.settleQuestions()
}

// opens reports whether a token opens a clause, as the verb of a command does.
func (p *prose) opens(at int) bool {
	if at == 0 || p.tokens[at-1].kind == mark || p.within[at-1] >= 0 {
		return true
	}
	switch p.tokens[at-1].fold {
	case "please", "pls", "plz", "you", "to", "and", "then", "so", "now", "i", "we", "just", "ok", "okay", "also", "hi", "hello", "hey", "let's", "lets":
		return true
	}
	return false
}

// namesVariable reports whether a word is one that names a variable of the domain other than as its unit.
func (v *Vocabulary) namesVariable(p *prose, at int, unit *units.Unit) bool {
	if at >= len(p.tokens) {
		return false
	}
	for i := range v.terms {
		for _, n := range v.terms[i].names {
			if t := &v.terms[i]; len(n.words) == 1 && n.words[0] == stem(p.tokens[at].fold) && t.dimensional && (t.dimension.IsNone() || t.dimension == unit.Dimension()) {
				return true
			}
		}
	}
	return false
}

// ends reports whether a token ends what a question asks for.
func (p *prose) ends(i int) bool {
	t := &p.tokens[i]
	if p.within[i] >= 0 || p.used[i] {
		return true
	}
	switch t.fold {
	case "?", "!", ";", "\n", "if", "when", "assuming", "given", "with", "but":
		return true
	case ".":
		return true
	case ",":
		return true
	}
	return false
}

// settleQuestions leaves out what only looks like a question ("what if"), and lets a form that introduces another ("tell me how
// long") give way to it.
func (p *prose) settleQuestions() {
	var list []question
	for i, q := range p.questions {
		if q.want == wantNothing {
			p.whatIf = p.whatIf || p.tokens[q.to-1].fold == "if" || p.tokens[q.to-1].fold == "when"
			continue
		}
		if i+1 < len(p.questions) && q.want == wantAny {
			next := p.questions[i+1]
			introduces := next.from <= q.end && next.want != wantNothing
			for k := q.to; k < next.from && introduces; k++ {
				introduces = p.meaning[k] != content || p.known[k] == ""
			}
			if introduces {
				continue
			}
		}
		list = append(list, q)
	}
	p.questions = list
}

// asked reports whether a mention stands right behind the form of a question, or heads the prompt.
func (p *prose) askedFor(m *mention) bool {
	for i := range p.questions {
		q := &p.questions[i]
		if q.want != wantAny || m.from < q.to {
			continue
		}
		direct := true
		for k := q.to; k < m.from && direct; k++ {
			direct = p.within[k] < 0 && (p.meaning[k] == grammar || p.meaning[k] == plainly)
		}
		if direct {
			return true
		}
	}
	return p.heads(m)
}

// heads reports whether a mention opens the prompt as what is asked for: "monthly payment on 100k", "LTV for 250k".
func (p *prose) heads(m *mention) bool {
	for i := 0; i < m.from; i++ {
		if p.meaning[i] == content || p.within[i] >= 0 || p.meaning[i] == other {
			return false
		}
		switch p.tokens[i].fold {
		case "with", "at", "for", "if", "on", "by", "from", "in", "to", "over", "without", "say", "make", "use", "using", "assuming", "suppose":
			return false // "with a deposit of 500"
		}
	}
	if p.followsUp && p.tokens[min(m.to, len(p.tokens)-1)].fold == "of" {
		return false
	}
	if m.to >= len(p.tokens) || p.within[m.to] >= 0 {
		return false
	}
	switch p.tokens[m.to].fold {
	case "on", "at":
		if m.to+1 < len(p.tokens) && p.within[m.to+1] >= 0 && p.quantities[p.within[m.to+1]].moment {
			return false // "due on May 15"
		}
		return true
	case "for", "of", "with", "if", "over", "given", "when", "after":
		return true
	}
	return false
}

// closes reports whether a mention stands alone at the end of the prompt: "150 miles at 60 mph, time?"
func (p *prose) closes(m *mention) bool {
	for i := m.to; i < len(p.tokens); i++ {
		if p.tokens[i].kind != mark && p.meaning[i] != plainly {
			return false
		}
	}
	before := m.from - 1
	for before >= 0 && (p.meaning[before] == grammar || p.meaning[before] == plainly) {
		if w := p.tokens[before].fold; w == "of" || w == "in" || w == "per" {
			return false
		}
		before--
	}
	return before < 0 || p.tokens[before].kind == mark || p.within[before] >= 0 && p.tokens[m.to-1].end < len(p.text) && p.text[len(p.text)-1] == '?'
}

// findAskedUnit finds the unit that the answer is wanted in: "in hours", "to km/h", at the end of a clause or behind the question.
func (v *Vocabulary) findAskedUnit(p *prose) {
	for i := len(p.tokens) - 2; i >= 0; i-- {
		t := &p.tokens[i]
		if t.kind != word || p.used[i] || p.within[i] >= 0 {
			continue
		}
		switch t.fold {
		case "in", "to", "into", "as":
		default:
			continue
		}
		if plainWords[p.tokens[i+1].fold] || grammarWords[p.tokens[i+1].fold] && p.tokens[i+1].fold != "a" {
			continue
		}
		if p.used[i+1] || p.tokens[i+1].fold == "a" && t.fold != "as" || p.tokens[i+1].fold == "an" || t.fold == "in" && i > 0 && p.tokens[i-1].kind == number {
			continue
		}
		unit, n := p.symbols(i+1, v)
		if n == 0 {
			unit, _, n = scanUnit(p.tokens, i+1, v.domain.Units())
		}
		if n == 0 {
			unit, n = p.percentage(i+1, v)
		}
		if n == 0 && (i+2 == len(p.tokens) || p.tokens[i+2].kind == mark) {
			if u, err := v.domain.Units().Parse(p.tokens[i+1].text); err == nil && !u.IsOne() {
				unit, n = u, 1 // a symbol of one letter or two: "in mA"
			}
		}
		if n == 0 {
			continue
		}
		end := i + 1 + n
		if end < len(p.tokens) {
			// What follows a unit that is asked for is not what the unit is of: "in gallon bottles".
			if next := &p.tokens[end]; next.kind == number || next.kind == word && !grammarWords[next.fold] && !plainWords[next.fold] {
				continue
			}
		}
		p.asked, p.askedAt = unit, i
		for k := i; k < end; k++ {
			p.meaning[k], p.known[k], p.used[k] = plainly, "unit", true
		}
		return
	}
}

// symbols reads a unit of several tokens without white space between them: "min/mi", "L/100km".
func (p *prose) symbols(at int, v *Vocabulary) (*units.Unit, int) {
	end := at + 1
	for end < len(p.tokens) && !p.tokens[end].spaced && p.tokens[end].fold != "?" && p.tokens[end].fold != "," && p.tokens[end].fold != "." && p.tokens[end].fold != "!" {
		end++
	}
	if end == at+1 {
		return nil, 0
	}
	unit, err := v.domain.Units().Parse(p.text[p.tokens[at].start:p.tokens[end-1].end])
	if err != nil || unit.IsOne() {
		return nil, 0
	}
	return unit, end - at
}

// percentage reads "a percentage" as the unit.
func (p *prose) percentage(at int, v *Vocabulary) (*units.Unit, int) {
	n := 0
	if p.tokens[at].fold == "a" && at+1 < len(p.tokens) {
		n = 1
	}
	switch p.tokens[at+n].fold {
	case "percent", "percentage", "pct", "%":
		if unit, err := v.domain.Units().Parse("%"); err == nil {
			return unit, n + 1
		}
	}
	return nil, 0
}

// findChanges finds amounts that tell a difference, and words that multiply.
func (p *prose) findChanges(tables *tables) {
	p.nots = make([]int, len(p.quantities))
	for i := range p.quantities {
		if c, ok := p.changeAt(i, tables); ok {
			p.changes = append(p.changes, c)
			for k := c.from; k < c.to; k++ {
				if base, ok := adjectives[p.tokens[k].fold]; ok && p.within[k] < 0 {
					p.stems[k], p.meaning[k], p.known[k] = stem(base), content, "change"
					continue
				}
				named := p.known[k] == "name" || p.known[k] == "synonym" || p.known[k] == "description" || p.known[k] == "typo"
				if p.within[k] < 0 && p.known[k] != "idiom" && !(named && k > c.from && k < c.to-1) {
					p.meaning[k], p.known[k] = plainly, "change"
				}
			}
		}
		p.nots[i] = p.replaced(i)
	}
	for at := range p.tokens {
		if p.used[at] || p.within[at] >= 0 && p.quantities[p.within[at]].from != at {
			continue
		}
		for r, pattern := range tables.changes.factors {
			n, _ := pattern.match(p.tokens, p.used, at)
			if n == 0 {
				continue
			}
			if p.within[at] >= 0 && p.quantities[p.within[at]].to > at+n {
				continue // "half a mile", "half an hour"
			}
			c := change{quantity: -1, from: at, to: at + n, sign: 0, factor: tables.factors[r], sure: true}
			for k := at; k < at+n; k++ {
				if q := p.within[k]; q >= 0 {
					c.quantity = q
				}
				p.meaning[k], p.known[k] = plainly, "change"
			}
			if next := at + n; next+1 < len(p.tokens) && p.tokens[next].fold == "as" { // "twice as fast"
				if hint, ok := degrees[p.tokens[next+1].fold]; ok {
					c.hint, c.to = hint, next+2
					p.meaning[next], p.known[next] = plainly, "change"
					p.stems[next+1], p.meaning[next+1], p.known[next+1] = stem(p.tokens[next+1].fold), content, "change"
				}
			}
			if !p.changed(c) {
				p.changes = append(p.changes, c)
			}
			break
		}
	}
}

// changed reports whether another change is told by the same words.
func (p *prose) changed(c change) bool {
	for _, o := range p.changes {
		if c.from < o.to && o.from < c.to || c.quantity >= 0 && c.quantity == o.quantity {
			return true
		}
	}
	return false
}

// changeAt reads the words around an amount that make it a difference.
func (p *prose) changeAt(i int, tables *tables) (change, bool) {
	q := &p.quantities[i]
	c := change{quantity: i, from: q.from, to: q.to}
	at := q.to
	for at < len(p.tokens) && (p.tokens[at].fold == "a" || p.tokens[at].fold == "bit") {
		at++
	}
	for at+1 < len(p.tokens) && (p.known[at] == "idiom" && tables.changes.comparatives[p.tokens[at].fold] == nil || p.within[at] >= 0 && p.quantities[p.within[at]].weak) { // "5 dollars a head less"
		at++
	}
	if at+1 < len(p.tokens) && p.tokens[at].kind == word && p.meaning[at] == content && p.within[at] < 0 && p.known[at] != "idiom" {
		switch p.tokens[at+1].fold { // "ten parcels more"
		case "more", "less", "fewer", "extra":
			at++
		}
	}
	if at < len(p.tokens) && !p.used[at] && p.within[at] < 0 {
		w := p.tokens[at].fold
		if row := tables.changes.comparatives[w]; row != nil && !(w == "less" && at+1 < len(p.tokens) && p.within[at+1] >= 0) {
			c.sign, c.hint, c.sure = row.sign, row.want, row.sure
			c.to = at + 1
			if c.to < len(p.tokens) {
				switch p.tokens[c.to].fold { // "5% off the price"
				case "the", "my", "our", "that", "this", "its":
					c.sure = true
				}
			}
			if c.to < len(p.tokens) && p.tokens[c.to].fold == "than" {
				c.to++
			}
			// "raise it 10% more" and "10 mph off the speed" are told by their verb as well.
			return c, true
		}
		if sign, ok := changeNouns[w]; ok && (q.readings[0].kind == kindPercent || at+1 < len(p.tokens) && (p.tokens[at+1].fold == "in" || p.tokens[at+1].fold == "on")) {
			c.sign, c.to, c.sure = sign, at+1, true
			return c, true
		}
		if w == "times" && at+2 < len(p.tokens) && p.tokens[at+1].fold == "as" && len(q.readings) > 0 {
			c.factor, c.to, c.sure = q.readings[0].number, at+3, true
			return c, true
		}
		if row := tables.changes.comparatives[w]; row == nil && w == "on" && at+1 < len(p.tokens) && p.tokens[at+1].fold == "top" {
			c.sign, c.to, c.sure = 1, at+2, true
			return c, true
		}
	}
	by := false
	for k := q.from - 1; k >= 0 && k >= q.from-8; k-- {
		t := &p.tokens[k]
		if p.used[k] || p.within[k] >= 0 || t.fold == "." || t.fold == "," || t.fold == ";" || t.fold == "?" || t.fold == "!" {
			break
		}
		if k == q.from-1 || k == q.from-2 && p.meaning[q.from-1] != content {
			switch t.fold {
			case "by":
				by = true
				c.from = k
				continue
			case "to", "at", "is", "be", "was", "of":
				return c, false
			}
		}
		if t.kind != word {
			continue
		}
		if row := tables.changes.verbs[t.fold]; row != nil {
			near := k == q.from-1 || k == q.from-2 && (p.meaning[k+1] == grammar || p.meaning[k+1] == plainly || p.meaning[k+1] == border)
			if by || row.direct && near || near && !row.direct {
				c.sign, c.sure, c.from = row.sign, by || row.direct, k
				return c, true
			}
			return c, false
		}
	}
	return c, false
}

// replaced is 1 for an amount that is only named to say what is not any more: "instead of 60", "rather than 60", "not 60", and
// 60 of "from 60 to 75" where 75 is an amount of the same kind.
func (p *prose) replaced(i int) int {
	q := &p.quantities[i]
	words := func(back int) string {
		at := q.from - back
		if at < 0 || p.used[at] {
			return ""
		}
		return p.tokens[at].fold
	}
	switch {
	case words(1) == "of" && words(2) == "instead", words(1) == "than" && words(2) == "rather", words(1) == "not":
		return 1
	}
	return 0
}

// fragment is a stretch of the prompt as it was written.
func (p *prose) fragment(from, to int) string {
	if from >= to || from >= len(p.tokens) {
		return ""
	}
	return strings.TrimSpace(p.text[p.tokens[from].start:p.tokens[min(to, len(p.tokens))-1].end])
}
