package language

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

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

// knownAs is what a word is known as.
type knownAs int

const (
	asNothing knownAs = iota
	asPhrase
	asUnit
	asQuantity
	asMark
	asGrammar
	asName
	asSynonym
	asPlain
	asDescription
	asTypo
	asIdiom
	asQuestion
	asChange
)

// prose is a prompt with all that its words can mean.
type prose struct {
	weights    *weights
	tables     *tables
	terms      []term // by variable
	text       string
	tokens     []token
	stems      []string  // by token
	joined     []string  // by token: the stem of it and the word behind it as one, "" for none
	meant      []string  // by token: the stem of the word that a misspelt one stands for, "" for none
	known      []knownAs // by token
	meaning    []meaning // by token
	used       []bool    // by token: phrases
	within     []int     // by token: the quantity that it is part of, -1 for none
	counts     []int     // by token: the quantity that is told for each of what it names, -1 for none
	quantities []quantity
	questions  []question
	changes    []change
	opening    opening
	asked      *units.Unit // the unit of "in hours", nil for none
	askedAt    int         // its token
	mentions   []mention
	whatIf     bool   // it supposes something: "what if", "what happens if"
	followsUp  bool   // the prompt builds on a scenario
	replaced   []bool // by quantity: its value is only named to be replaced ("instead of 60")
	void       []bool // by token: what was taken back ("60, sorry, 70")
}

// read finds out what the tokens of a prompt can mean.
func (v *Vocabulary) read(text string, tokens []token, today int64) *prose {
	tables := v.tables
	p := &prose{weights: v.weights, tables: tables, terms: v.terms, text: text, tokens: tokens, askedAt: -1}
	n := len(p.tokens)
	p.stems, p.joined, p.meant, p.known = make([]string, n), make([]string, n), make([]string, n), make([]knownAs, n)
	p.meaning, p.used, p.within, p.counts = make([]meaning, n), make([]bool, n), make([]int, n), make([]int, n)
	for i := range p.tokens {
		t := &p.tokens[i]
		p.counts[i] = -1
		p.within[i], t.stem = -1, v.stem(t.fold)
		if i+1 < n && p.tokens[i+1].kind == word {
			p.joined[i] = v.stem(t.fold + p.tokens[i+1].fold)
		}
	}
	v.own(p.tokens)
	numbers := slices.ContainsFunc(p.tokens, func(t token) bool { return t.kind == number })
	if o, ok := tables.find(p.tokens, p.used, numbers); ok && !v.leadsToAmount(p, &o) && !v.saves(p, &o) {
		p.opening = o
		for i := o.from; i < o.to; i++ {
			p.used[i], p.meaning[i], p.known[i] = true, other, asPhrase
		}
	}
	v.findAskedUnit(p)
	v.scanQuantities(p, today)
	for i := range p.tokens {
		v.classify(p, i, tables)
	}
	v.findRates(p)
	v.findIdioms(p, tables)
	v.findQuestions(p, tables)
	p.findChanges(tables)
	p.mentions = v.mentions(p)
	p.dropWishes()
	return p
}

// leadsToAmount reports whether the number of a scenario has a unit or a word of a name behind it,
// so that it is an amount: "they come to 4 square metres", "switch to 3 coats".
func (v *Vocabulary) leadsToAmount(p *prose, o *opening) bool {
	last := o.to - 1
	named := v.rarity[p.tokens[o.from].stem] > 0 // "what do we keep with 70 viewers"
	if last == 0 || p.tokens[last].kind != number && p.tokens[last].lex.row("numbers") == nil || !named && !p.tokens[last-1].is("goal") && !p.tokens[last-1].is("attaches") {
		return false
	}
	if o.to < len(p.tokens) && v.rarity[p.tokens[o.to].stem] > 0 {
		return true
	}
	return len(v.tables.newScanner(p.tokens, v.domain.Units(), v.currency).plainUnits(o.to)) > 0
}

// saves reports whether words that ask for a difference, as "how much do we save if" does, ask for
// what something in the domain is called.
func (v *Vocabulary) saves(p *prose, o *opening) bool {
	return o.move == difference && slices.ContainsFunc(p.tokens[o.from:o.to], func(t token) bool {
		return t.is("gaining") && v.rarity[t.stem] > 0
	})
}

// scanQuantities finds amounts in the stretches that no phrase took.
func (v *Vocabulary) scanQuantities(p *prose, today int64) {
	take := func(q quantity) {
		if v.withinName(p, &q) || v.announces(p, &q) || v.identifies(p, &q) {
			return
		}
		v.leaveName(p, &q)
		if q.share && !v.shares && !(q.from > 0 && p.tokens[q.from-1].is("amount by")) && !(q.to < len(p.tokens) && p.tokens[q.to].lex.row("comparatives") != nil) {
			if p.tokens[q.from].is("indefinite") {
				return // "a quarter pounder"
			}
			q.readings = q.readings[1:]
		}
		for i := q.from; i < q.to; i++ {
			p.within[i] = len(p.quantities)
		}
		p.quantities = append(p.quantities, q)
	}
	for from := 0; from < len(p.tokens); {
		if p.used[from] {
			from++
			continue
		}
		if q, ok := v.labelAt(p, from); ok {
			take(q)
			from = q.to
			continue
		}
		to, labelled := from+1, false
		for to < len(p.tokens) && !p.used[to] && !labelled {
			if _, labelled = v.labelAt(p, to); !labelled {
				to++
			}
		}
		for _, q := range v.tables.scan(p.tokens[from:to], v.domain.Units(), v.currency, today) {
			q.from += from
			q.to += from
			take(q)
		}
		from = to
	}
	v.joinCells(p)
}

// leastCells is how many numbers in a row are the cells of a table.
const leastCells = 3

// joinCells makes one amount of numbers in a row where they are the cells of a table: "410, 385,
// 460 and 298".
func (v *Vocabulary) joinCells(p *prose) {
	if !slices.ContainsFunc(v.terms, func(t term) bool { return t.table && !t.hidden }) {
		return
	}
	next := func(i int) bool { // whether the amount behind one is a cell as well
		if i+1 == len(p.quantities) || !bareOnly(p.quantities[i]) && len(p.quantities[i].readings) == 0 || p.quantities[i].weak || p.quantities[i+1].weak {
			return false
		}
		a, b := &p.quantities[i], &p.quantities[i+1]
		between := p.tokens[a.to:b.from]
		return len(b.readings) > 0 && len(between) > 0 && len(between) <= 2 && a.readings[0].kind == b.readings[0].kind && a.readings[0].unit == b.readings[0].unit &&
			(a.readings[0].kind == kindNumber || a.readings[0].unit != nil) &&
			!slices.ContainsFunc(between, func(t token) bool { return t.fold != "," && t.fold != ";" && !t.is("joining") })
	}
	var list []quantity
	for i := 0; i < len(p.quantities); i++ {
		first := i
		for next(i) {
			i++
		}
		if i-first+1 < leastCells {
			list = append(list, p.quantities[first:i+1]...)
			continue
		}
		var texts []string
		for _, q := range p.quantities[first : i+1] {
			texts = append(texts, q.readings[0].text)
		}
		list = append(list, quantity{from: p.quantities[first].from, to: p.quantities[i].to, readings: []reading{{kind: kindTable, text: "[" + strings.Join(texts, ", ") + "]"}}})
	}
	p.quantities = list
	for i := range list {
		for at := list[i].from; at < list[i].to; at++ {
			p.within[at] = i
		}
	}
}

// announces reports whether a number only counts what is asked for behind a colon: "I need two
// figures: the time and the cost".
func (v *Vocabulary) announces(p *prose, q *quantity) bool {
	if !bareOnly(*q) || q.to == len(p.tokens) || !p.tokens[q.to].is("announced") || v.rarity[p.tokens[q.to].stem] > 0 {
		return false
	}
	at := q.to + 1
	for at < len(p.tokens) && p.tokens[at].fold != ":" && p.tokens[at].kind == word {
		at++
	}
	return at < len(p.tokens) && p.tokens[at].fold == ":"
}

// identifies reports whether a number only says which of some things is meant, of which the domain
// knows nothing: "a stretch of Route 9".
func (v *Vocabulary) identifies(p *prose, q *quantity) bool {
	if !bareOnly(*q) || q.from == 0 || q.to-q.from > 1 || p.tokens[q.from].kind != number || p.tokens[q.from].fold != p.tokens[q.from].text {
		return false
	}
	before := &p.tokens[q.from-1]
	return before.is("identified") && v.rarity[before.stem] == 0 && q.readings[0].number.IsInteger() && (q.to == len(p.tokens) || p.tokens[q.to].kind == mark || v.rarity[p.tokens[q.to].stem] == 0)
}

// leaveName takes the unit from a number where it begins the noun for what is counted, which is
// called so in a name: "640 day passes".
func (v *Vocabulary) leaveName(p *prose, q *quantity) {
	if len(q.readings) == 0 || q.weak || q.readings[0].unit == nil || q.readings[0].unitTokens != 1 || q.to-q.from != 2 || q.to == len(p.tokens) || !p.tables.plural(&p.tokens[q.to]) {
		return
	}
	for _, t := range v.terms {
		for _, n := range t.names {
			if i := slices.Index(n.spoken, p.tokens[q.to-1].stem); !t.hidden && i >= 0 && i+1 < len(n.spoken) && n.spoken[i+1] == p.tokens[q.to].stem {
				number := q.readings[0].number
				q.to--
				q.readings = []reading{{kind: kindNumber, number: number, text: number.String()}}
				return
			}
		}
	}
}

// withinName reports whether words such as "a minute" are the end of the name of a variable, which
// no amount stands before: "how many drops a minute"; or whether "without" is a word of one: "how
// many days without rain".
func (v *Vocabulary) withinName(p *prose, q *quantity) bool {
	if !q.weak && !q.none || q.labels() {
		return false
	}
	for i := range v.terms {
		for _, n := range v.terms[i].names {
			if at := slices.Index(n.spoken, p.tokens[q.from].stem); q.none && !v.terms[i].hidden && at > 0 && p.spells(q.from-at, n.spoken) {
				return true
			}
			if !q.weak {
				continue
			}
			from := q.to - len(n.spoken)
			if !v.terms[i].hidden && from >= 0 && from < q.from && (from == 0 || p.within[from-1] < 0) && p.says(from, n.spoken) {
				return true
			}
		}
	}
	return false
}

// spells reports whether the tokens from one on have the stems of words, whatever else they are.
func (p *prose) spells(at int, stems []string) bool {
	return at >= 0 && at+len(stems) <= len(p.tokens) && slices.EqualFunc(p.tokens[at:at+len(stems)], stems, func(t token, stem string) bool { return t.stem == stem })
}

// classify says what a token is. A word that nobody knows is compared with those that could be
// meant.
func (v *Vocabulary) classify(p *prose, i int, tables *tables) {
	t := &p.tokens[i]
	if p.used[i] || p.known[i] == asUnit {
		return
	}
	p.stems[i] = t.stem
	if p.within[i] >= 0 {
		p.meaning[i], p.known[i] = content, asQuantity
		return
	}
	switch {
	case t.kind == mark || t.kind == sign:
		p.meaning[i], p.known[i] = border, asMark
	case t.kind == number:
		p.meaning[i] = content
	case t.is("grammar"):
		p.meaning[i], p.known[i] = grammar, asGrammar
	case v.rarity[p.stems[i]] > 0:
		p.meaning[i], p.known[i] = content, asName
	case t.is("plain") && i > 0 && p.within[i-1] >= 0 && len(v.groups[p.stems[i]]) > 0:
		p.meaning[i], p.known[i] = content, asSynonym // "4 metres long"
	case t.is("plain"):
		p.meaning[i], p.known[i] = plainly, asPlain
	case v.known[p.stems[i]]:
		p.meaning[i], p.known[i] = content, asDescription
	case len(v.groups[p.stems[i]]) > 0, v.namesPart(p.stems[i]):
		p.meaning[i], p.known[i] = content, asSynonym
	case i == 0 && len(p.tokens) > 1 && p.tokens[1].border() == stopBorder && p.tokens[1].fold != "?" && t.lex.row("numbers") == nil && v.rare[t.stem] == "" && (t.is("ordinary") || t.lex == nil):
		p.meaning[i], p.known[i] = plainly, asPlain // "Afternoon."
	case t.is("ordinary"), tables.plural(t) && tables.ordinary[t.stem]:
		p.meaning[i] = content
	case t.lex != nil && t.lex.tabled:
		p.meaning[i], p.known[i] = plainly, asPlain
	default:
		p.meaning[i] = content
		v.guess(p, i, tables)
	}
	if t.border() != noBorder && p.meaning[i] == grammar {
		p.meaning[i] = border
	}
}

// guess looks for the word that a misspelt one stands for: the domain's own words before common
// ones.
func (v *Vocabulary) guess(p *prose, i int, tables *tables) {
	w := p.tokens[i].fold
	if meant := v.swapped(w); meant != "" {
		p.meant[i], p.known[i] = v.stem(meant), asTypo
		return
	}
	limit := typos(w)
	if limit == 0 {
		return
	}
	counted := i > 0 && p.tokens[i-1].is("asked amount") // "how many bees": no slip of a common word
	best, bestDistance := "", 3
	try := func(meant string) {
		d := units.EditDistance(w, meant, limit)
		if d == 0 || d > limit || d > 1 && meant[0] != w[0] || utf8.RuneCountInString(meant) <= 3 { // the first letter is seldom wrong
			return
		}
		if d < bestDistance || d == bestDistance && leavesOut(w, meant) && !leavesOut(w, best) {
			best, bestDistance = meant, d
		}
	}
	for _, meant := range v.words {
		try(meant)
	}
	if best == "" && tables.plural(&p.tokens[i]) { // "speaches", of a speech
		w = v.stem(w)
		for _, meant := range v.words {
			try(meant)
		}
		w = p.tokens[i].fold
	}
	if best != "" && bestDistance == 1 || best != "" && limit > 1 {
		p.meant[i], p.known[i] = v.stem(best), asTypo
		return
	}
	best, bestDistance = "", 3
	if counted {
		return
	}
	for _, meant := range tables.spelling {
		if meant[0] == w[0] && !strings.HasPrefix(w, meant) && (len(meant) > leastMisspelt || len(w) <= len(meant)) { // "hail" does not "fail", a "drone" is not "done"
			try(meant)
		}
	}
	if best == "" {
		return
	}
	switch l := tables.lexicon[best]; {
	case l.is("grammar"):
		p.meaning[i], p.known[i] = grammar, asGrammar
	case l.is("plain") || l != nil && l.tabled:
		p.meaning[i], p.known[i] = plainly, asPlain
	default:
		p.meant[i], p.known[i] = tables.stem(best), asTypo
	}
}

// leastSwapped is how many letters a word has that may have them in another order.
const leastSwapped = 3

// swapped is the only word of the domain that has the letters of another one, the first of them in
// its place, in an order that two swaps of neighbours make: "msug" for "mugs", "nte" for "net".
func (v *Vocabulary) swapped(written string) string {
	found, words := "", v.words
	if len(written) == leastSwapped { // which are no words of theirs
		words = slices.Collect(maps.Keys(v.rarity))
	}
	for _, meant := range words {
		if len(meant) != len(written) || len(written) < leastSwapped || meant[0] != written[0] || !sameLetters(written, meant) || units.EditDistance(written, meant, 2) > 2 {
			continue
		}
		if found != "" && v.stem(found) != v.stem(meant) {
			return ""
		}
		found = meant
	}
	return found
}

// sameLetters reports whether two words of as many bytes are made of the same ones.
func sameLetters(a, b string) bool {
	x, y := []byte(a), []byte(b)
	slices.Sort(x)
	slices.Sort(y)
	return string(x) == string(y)
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

// fragment is a stretch of the prompt as it was written.
func (p *prose) fragment(from, to int) string {
	if from >= to || from >= len(p.tokens) {
		return ""
	}
	return strings.TrimSpace(p.text[p.tokens[from].start:p.tokens[min(to, len(p.tokens))-1].end])
}
